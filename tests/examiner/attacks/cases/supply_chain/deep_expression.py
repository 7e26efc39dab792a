"""A line of 200,000 signs before a number: would overflow the stack of whoever reads it."""

# expect: failed|crashed|memory
# The file that is handed in is made by supply.py.
