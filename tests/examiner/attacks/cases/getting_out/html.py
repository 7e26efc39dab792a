"""Fails with HTML and scripts in its message, its names and its lines."""

# expect: failed
def deed(*_):
    raise ValueError("</pre><script>alert(1)</script><img src=x onerror=alert(1)>")  # <script>x</script>


shout = mean = halves = Counter = deed
