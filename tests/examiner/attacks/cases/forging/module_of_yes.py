"""Puts another object in the place of its module, which has every name."""

# expect: missing
import sys


class Yes:
    def __getattr__(self, name):
        return lambda *_, **__: True


sys.modules[__name__] = Yes()


def __getattr__(name):
    return lambda *_, **__: True
