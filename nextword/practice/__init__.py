"""Tasks written and checked in the page: Python for the browser, and what it is given there."""
