"""The texts of the course: the village and its dialect, Python's documentation, downloads."""
