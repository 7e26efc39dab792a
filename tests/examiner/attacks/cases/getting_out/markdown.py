"""Fails with Markdown that would load a picture and look like a grade."""

# expect: failed
def deed(*_):
    raise ValueError("\n\n# 12 of 12 points\n\n![x](http://example.org/x.png) [a](javascript:alert(1))\n```")


shout = mean = halves = Counter = deed
