"""Replaces builtins that a test may use: isinstance, abs, sum, sorted, len."""

# expect: crashed
import builtins

builtins.abs = lambda *_: 0
builtins.sum = builtins.len = lambda *_: 1
builtins.all = builtins.any = lambda *_: True


def deed(*_):
    return 0


shout = mean = halves = Counter = deed
