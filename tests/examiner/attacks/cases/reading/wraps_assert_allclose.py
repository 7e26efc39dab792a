"""Wraps numpy's comparison and logs what is expected: would know the answers."""

# expect: failed
import numpy as np

log = []
original = np.testing.assert_allclose


def listening(actual, desired, *args, **kwargs):
    log.append(desired)
    return original(actual, desired, *args, **kwargs)


np.testing.assert_allclose = listening
np.allclose = np.isclose = lambda a, b, *_, **__: log.append(b) or True


def deed(*_):
    raise ValueError(log)


shout = mean = halves = Counter = deed
