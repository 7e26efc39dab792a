"""A right answer with a line of 200,000 spaces, over which the grader's own look would take minutes."""

# expect: passed
# The file that is handed in is made by supply.py.
