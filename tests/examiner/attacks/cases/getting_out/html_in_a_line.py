"""Has scripts in the very line that is quoted."""

# expect: failed
def deed(*_):
    return {}["</code><script>alert(1)</script><iframe src=javascript:alert(1)>"]


shout = mean = halves = Counter = deed
