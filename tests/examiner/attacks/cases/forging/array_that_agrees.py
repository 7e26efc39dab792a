"""Returns an array whose comparisons and functions all say yes."""

# expect: failed
import numpy as np


class Agreeing(np.ndarray):
    __eq__ = __lt__ = __le__ = lambda self, *_: np.ones(self.shape, bool)
    __sub__ = __rsub__ = lambda self, *_: np.zeros(self.shape)
    __array_ufunc__ = lambda self, *_, **__: np.ones(self.shape, bool)
    __array_function__ = lambda self, *_, **__: True

    def __iter__(self):
        return iter([1, 2])


def deed(*_):
    return np.zeros(5).view(Agreeing)


shout = mean = halves = Counter = deed
