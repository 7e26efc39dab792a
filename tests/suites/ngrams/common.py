"""What visible and hidden tests of chapter 2 share."""

from nextword.suite import close


class Approximately:
    """Equal up to rounding, and in shape: for pytest.approx an empty array equals any number."""

    __array_ufunc__ = None  # numpy asks this class, instead of comparing item by item

    def __init__(self, value, rel):
        self.expected, self.rel = value, rel

    def __eq__(self, got):
        return bool(close(got, self.expected, rtol=self.rel, atol=1e-12))


def near(value, rel=1e-9):
    """The value, up to rounding."""
    return Approximately(value, rel)


def as_plain(tables):
    """Any mixture of dict, Counter and defaultdict as plain dicts; nothing else is changed."""
    return [{u: dict(row) for u, row in table.items()} for table in tables]
