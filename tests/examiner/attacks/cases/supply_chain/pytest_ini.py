"""Brings pytest.ini, tox.ini and pyproject.toml that skip every test."""

# expect: failed
def deed(*_):
    return 0


shout = mean = halves = Counter = deed
