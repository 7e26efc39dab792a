"""Fails with the markup of the terminal's own library."""

# expect: failed
def deed(*_):
    raise ValueError("[bold green]12 points[/] [link=http://example.org]x[/link]")


shout = mean = halves = Counter = deed
