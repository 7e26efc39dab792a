"""The code of the entries that the race ships: each file is a whole model.py, read on its own."""
