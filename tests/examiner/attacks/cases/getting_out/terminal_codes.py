"""Fails with terminal escape codes: would clear the screen and rename the window."""

# expect: failed
def deed(*_):
    raise ValueError("\x1b[2J\x1b]0;pwned\x07\x1b[31m12 points\x9b1m\r\b\x00")  # [2J


shout = mean = halves = Counter = deed
