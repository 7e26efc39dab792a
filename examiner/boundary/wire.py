"""Turns values into bytes and back, by msgpack.

The decoder is a security boundary: it reads what hostile code has written. It builds plain values
only, it takes no type that it does not know, and it measures a message before it allocates for it.

Lists, dicts, strings, numbers and None are msgpack's own. Every other type is a list that opens
with a marker (an empty extension): `[TUPLE, 1, 2]`, `[ARRAY, "float64", [2, 3], bytes]`.
Leaves out the types that need a library or many words (structures.py, tensors.py), and measuring
(measure.py).
"""

from __future__ import annotations

import collections
import math
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import msgpack
import numpy as np

from examiner.boundary import limits, marks, structures
from examiner.boundary.errors import TooLargeError, WireError
from examiner.boundary.measure import measure

SMALL = 1 << 14  # bytes of a message that cannot make its reader allocate or nest much
MAX_INTEGER = 8192  # bytes of one integer
MAX_DIMENSIONS = 32
_CHUNK = 256  # items of a set

_REAL = ("float16", "float32", "float64")
_WHOLE = tuple(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))
DTYPES = {
    name: np.dtype(name).newbyteorder("<")
    for name in ("bool", *_WHOLE, *_REAL, "complex64", "complex128")
}
BIT_GENERATORS = ("PCG64", "PCG64DXSM", "MT19937", "Philox")
TORCH_DTYPES = {*DTYPES, "bfloat16"} - {"uint16", "uint32", "uint64"}

Export = Callable[[Any], tuple[int | None, Any]]
Resolve = Callable[[int, Any], Any]


# ------------------------------------------------------------------------------ encoding


def _refuse(value: Any) -> tuple[int | None, Any]:
    raise WireError(f"an object of type {type(value).__name__} cannot cross")


def encode(
    value: Any, export: Export = _refuse, drawn: Callable[[Any], Any] | None = None
) -> bytes:
    """Return the bytes of a plain value; subclasses of plain types become plain.

    `export` is asked for objects that have to stay behind: it returns (HANDLE, number) or
    another reference, or (None, what is to cross in its place), or raises WireError. `drawn` is
    told of each random generator in the value, and may return what is to cross in its place.

    >>> decode(encode({("a", "b"): {1, 2}}))
    {('a', 'b'): {1, 2}}
    """

    def default(obj: Any) -> Any:
        if type(obj) is tuple:  # by far the most frequent
            return [marks.MARKS[marks.TUPLE], *obj]
        plain = _plain(obj)
        if plain is obj:
            kind, key = export(obj)
            return key if kind is None else [marks.MARKS[kind], key]
        if drawn is not None and type(obj).__name__ == "Generator":
            instead = drawn(obj)
            return plain if instead is None else instead
        return plain

    packer = msgpack.Packer(
        default=default, strict_types=True, unicode_errors="surrogatepass", buf_size=4096
    )
    try:
        data: bytes = packer.pack(value)
    except (ValueError, RecursionError) as error:
        raise TooLargeError(f"the value is nested too deeply or too large: {error}") from None
    except TypeError as error:
        raise WireError(str(error)) from None
    limits.check_message(len(data))
    return data


def _plain(obj: Any) -> Any:
    """Return what msgpack can write for `obj`, or `obj` itself where nothing can.

    subtle: methods of the base type are called by name, so that a subclass's own do not run.
    """
    if getattr(type(obj), "stand_in", False):  # whose class must not be asked for
        return obj
    if isinstance(obj, np.generic):
        return _plain_scalar(obj)
    for base, convert in _BASES:
        if isinstance(obj, base):
            return convert(obj)
    if isinstance(obj, np.dtype):
        return structures.plain_dtype(obj, "numpy")
    torch = sys.modules.get("torch")  # no tensor without it, and importing it takes a second
    if torch is not None and hasattr(torch, "Tensor"):
        from examiner.boundary import tensors

        return tensors.plain(obj, TORCH_DTYPES)
    return obj


def _plain_int(obj: int) -> Any:
    value = int.__int__(obj)
    if -(1 << 63) <= value < 1 << 64:
        return value
    size = value.bit_length() // 8 + 1
    if size > MAX_INTEGER:
        raise TooLargeError(f"an integer of {size} bytes is too large")
    return [marks.MARKS[marks.BIG], value.to_bytes(size, "big", signed=True)]


def _plain_scalar(obj: np.generic) -> Any:
    if isinstance(obj, np.longdouble):
        return float(obj)
    value = np.generic.item(obj)
    if isinstance(value, complex):
        return [marks.MARKS[marks.COMPLEX], value.real, value.imag]
    return obj if isinstance(value, np.generic) else value


def _plain_array(obj: np.ndarray) -> Any:
    array = np.asarray(obj)
    name = array.dtype.name
    if name not in DTYPES:  # text, objects: as nested lists
        return np.ndarray.tolist(array)
    limits.check_array(array.shape, array.nbytes)
    data = np.ascontiguousarray(array, dtype=DTYPES[name]).tobytes()
    return [marks.MARKS[marks.ARRAY], name, list(array.shape), data]


def _plain_rng(obj: np.random.Generator) -> Any:
    state = obj.bit_generator.state
    if state["bit_generator"] not in BIT_GENERATORS:
        raise WireError(f"a {state['bit_generator']} cannot cross; use numpy.random.default_rng")
    return [marks.MARKS[marks.RNG], state]


# In the order of asking: bool and the like are exact types and never get here.
_BASES: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    (float, float.__float__),
    (int, _plain_int),
    (str, str.__str__),
    (dict, lambda obj: dict(dict.items(obj))),
    (list, lambda obj: list(list.__iter__(obj))),
    (tuple, structures.plain_tuple),
    (set, lambda obj: [marks.MARKS[marks.SET], *set.__iter__(obj)]),
    (frozenset, lambda obj: [marks.MARKS[marks.FROZENSET], *frozenset.__iter__(obj)]),
    (np.ndarray, _plain_array),
    (complex, lambda obj: [marks.MARKS[marks.COMPLEX], obj.real, obj.imag]),
    (bytes, bytes.__bytes__),
    (bytearray, bytes),
    (memoryview, bytes),
    ((type({}.keys()), type({}.values()), type({}.items())), list),
    (collections.deque, list),
    (np.random.Generator, _plain_rng),
    (Fraction, float),
    (slice, structures.plain_slice),
    (type(...), structures.plain_ellipsis),
)


# ------------------------------------------------------------------------------ decoding

# What msgpack would read as a point in time, without asking; they may also be part of a text.
_TIMESTAMPS = (b"\xd6\xff", b"\xd7\xff", b"\xc7\x0c\xff")


def _unknown(kind: int, key: Any) -> Any:
    raise WireError("a handle where none can be")


class _Reader:
    """Turns what msgpack finds in a message into the values that are meant."""

    def __init__(self, resolve: Resolve, *, trusted: bool) -> None:
        self._resolve, self._trusted = resolve, trusted
        self.open_marks = 0  # seen, and not yet the head of a list

    def mark(self, code: int, content: bytes) -> Any:
        """Take note of a marker."""
        if content or not 0 <= code < len(marks.MARKS):
            raise WireError(f"unknown marker {code}")
        self.open_marks += 1
        return marks.MARKS[code]

    def build(self, items: list) -> Any:
        """Return what a list stands for: mostly itself."""
        if not items or type(items[0]) is not msgpack.ExtType:
            return items
        self.open_marks -= 1
        code = items[0].code
        if code in marks.TRUSTED and not self._trusted:
            raise WireError("a generator or a library's function does not come from a candidate")
        if code in marks.REFERENCES:
            if len(items) != 2 or type(items[1]) is not marks.REFERENCES[code]:
                raise WireError("a broken handle")
            return self._resolve(code, items[1])
        if code == marks.TENSOR:
            return _build_tensor(items, trusted=self._trusted)
        built = _BUILDERS[code](items)
        if code == marks.ARRAY and not self._trusted:
            built.setflags(write=False)
        return built


def decode(data: bytes, resolve: Resolve = _unknown, *, trusted: bool = False) -> Any:
    """Return the value of a message; raises WireError for anything but a message of ours.

    `resolve` turns (HANDLE, number) and other references into what stands for them. `trusted` is
    for the candidate, which may believe the examiner: it gets generators and references to
    libraries, and does not measure. An examiner gets arrays and tensors that it can only read.
    """
    if not trusted and (len(data) > SMALL or any(head in data for head in _TIMESTAMPS)):
        measure(data)
    reader = _Reader(resolve, trusted=trusted)
    try:
        value = msgpack.unpackb(
            data,
            ext_hook=reader.mark,
            list_hook=reader.build,
            strict_map_key=False,
            unicode_errors="surrogatepass",
        )
    except (WireError, MemoryError):
        raise
    except Exception as error:  # unhashable keys, broken UTF-8, shapes that do not fit, …
        raise WireError(f"not a message: {type(error).__name__}: {error}") from None
    if reader.open_marks:
        raise WireError("a marker where none can be")
    return value


def _build_complex(items: list) -> complex:
    _, real, imag = items
    if type(real) is not float or type(imag) is not float:
        raise WireError("a broken complex number")
    return complex(real, imag)


def _build_set(items: list) -> set:
    # subtle: in pieces, between which a signal gets through. Items of equal hashes, chosen with
    # care, keep the loop in C busy for hours
    found: set = set()
    for at in range(1, len(items), _CHUNK):
        found.update(items[at : at + _CHUNK])
    return found


def _build_big(items: list) -> int:
    _, digits = items
    if type(digits) is not bytes or len(digits) > MAX_INTEGER:
        raise WireError("a broken integer")
    return int.from_bytes(digits, "big", signed=True)


def _shape_of(shape: Any, data: Any, itemsize: int) -> list[int]:
    if type(shape) is not list or len(shape) > MAX_DIMENSIONS or type(data) is not bytes:
        raise WireError("a broken array")
    if not all(type(n) is int and 0 <= n <= limits.MAX_MESSAGE for n in shape):
        raise WireError("a broken shape")
    limits.check_array(shape, len(data))
    if math.prod(shape) * itemsize != len(data):
        raise WireError(f"an array of shape {tuple(shape)} with {len(data)} bytes")
    return shape


def _build_array(items: list) -> np.ndarray:
    _, name, shape, data = items
    if type(name) is not str or name not in DTYPES:
        raise WireError("an array of unknown type")
    dtype = DTYPES[name]
    flat = np.frombuffer(data, dtype) if data else np.zeros(0, dtype)
    return flat.reshape(_shape_of(shape, data, dtype.itemsize)).astype(name)


def _build_tensor(items: list, *, trusted: bool) -> Any:
    _, name, shape, data, was = items
    if type(name) is not str or name not in TORCH_DTYPES or was not in (0, 1, 2):
        raise WireError("a tensor of unknown type")
    from examiner.boundary import tensors

    itemsize = 2 if name == "bfloat16" else DTYPES[name].itemsize
    return tensors.build(name, _shape_of(shape, data, itemsize), data, was, trusted=trusted)


def _build_rng(items: list) -> np.random.Generator:
    state = items[1]
    bits = getattr(np.random, state["bit_generator"])()
    bits.state = state
    return np.random.Generator(bits)


def _build_torch_rng(items: list) -> Any:
    from examiner.boundary import tensors

    return tensors.build_generator(items)


_BUILDERS: dict[int, Callable[[list], Any]] = {
    marks.TUPLE: lambda items: tuple(items[1:]),
    marks.SET: _build_set,
    marks.FROZENSET: lambda items: frozenset(_build_set(items)),
    marks.BIG: _build_big,
    marks.COMPLEX: _build_complex,
    marks.ARRAY: _build_array,
    marks.RNG: _build_rng,
    marks.TORCH_RNG: _build_torch_rng,
    marks.SLICE: structures.build_slice,
    marks.ELLIPSIS: structures.build_ellipsis,
    marks.DTYPE: structures.build_dtype,
    marks.DEVICE: structures.build_device,
    marks.SIZE: structures.build_size,
    marks.NAMED: structures.build_named,
    marks.RANGE: structures.build_range,
}
