"""Replaces pytest.raises and pytest.approx."""

# expect: failed
import contextlib

import pytest

pytest.raises = lambda *_, **__: contextlib.suppress(BaseException)
pytest.approx = lambda value, **_: value


def deed(*_):
    return 0


shout = mean = halves = Counter = deed
