"""An expression of 100,000 attributes: would overflow the stack of whoever reads it."""

# expect: failed|crashed|memory
# The file that is handed in is made by supply.py.
