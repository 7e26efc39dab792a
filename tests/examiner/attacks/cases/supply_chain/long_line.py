"""An error in a line of a quarter of a million letters, of which the page must show a little only."""

# expect: failed
# The file that is handed in is made by supply.py.
