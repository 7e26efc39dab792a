"""Wraps pytest's approx and raises: would know what is expected."""

# expect: failed
import pytest

log = []
original = pytest.approx
pytest.approx = lambda value, *args, **kwargs: log.append(value) or original(value, *args, **kwargs)
pytest.raises = lambda *args, **kwargs: log.append(args)


def deed(*_):
    raise ValueError(log)


shout = mean = halves = Counter = deed
