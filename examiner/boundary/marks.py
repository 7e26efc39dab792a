"""The markers that open a value that msgpack has no type for: `[TUPLE, 1, 2]`."""

from __future__ import annotations

import msgpack

TUPLE, SET, FROZENSET, BIG, COMPLEX, ARRAY, TENSOR, RNG, TORCH_RNG, HANDLE, NAME = range(11)
SLICE, ELLIPSIS, DTYPE, DEVICE, SIZE, NAMED, RANGE, LIBRARY, METHOD = range(11, 20)
MARKS = tuple(msgpack.ExtType(code, b"") for code in range(20))
# What only an examiner may send: each makes its reader do more than hold a value.
TRUSTED = frozenset({RNG, TORCH_RNG, RANGE, LIBRARY, METHOD})
# What stays behind, and is known by a key.
REFERENCES = {HANDLE: int, NAME: str, LIBRARY: str, METHOD: list}
# A handle is (test << 46) + (number of the object's class in the test << 32) + number of the object
CLASS_BITS, TEST_BITS = 32, 46
