"""Puts hooks into the import system and the packages that carry its own answers."""

# expect: failed|crashed
import builtins
import sys

import msgpack
import numpy as np

from examiner.boundary import channel, wire


class Finder:
    def find_spec(self, name, path=None, target=None):
        raise SystemExit(0)


sys.meta_path.insert(0, Finder())
sys.path_hooks.insert(0, lambda path: Finder())
builtins.__import__ = lambda *_, **__: sys
msgpack.Packer = msgpack.unpackb = lambda *_, **__: None
np.ndarray = np.generic = np.testing = object
wire.MAX_MESSAGE = wire.MAX_ELEMENTS = wire.MAX_DEPTH = 1 << 60
channel.MAX_MESSAGE = 1 << 60


def deed(*_):
    return 0

shout = mean = halves = Counter = deed
