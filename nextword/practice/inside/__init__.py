"""What runs in the page: Python compiled for the browser loads these modules, and nobody else."""
