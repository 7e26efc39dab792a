"""A class graded by many machines: a Dask cluster's workers, each with sandboxes of its own."""
