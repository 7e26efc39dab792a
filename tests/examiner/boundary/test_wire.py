"""The wire: what crosses, what becomes plain, and that no bytes whatever can break the reader."""

import collections
import math
import struct
import tracemalloc
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import msgpack
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examiner.boundary import marks, wire
from examiner.boundary.errors import WireError
from examiner.boundary.wire import decode, encode, measure
from tests.browser import THOROUGH

keys = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(), st.binary(), st.floats()),
    lambda inner: st.tuples(inner, inner) | st.frozensets(inner, max_size=3),
    max_leaves=4,
)
values = st.recursive(
    st.one_of(keys, st.complex_numbers()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.tuples(inner, inner),
        st.dictionaries(keys, inner, max_size=4),
        st.sets(keys, max_size=4),
    ),
    max_leaves=12,
)
Point = collections.namedtuple("Point", "x y")
Odd = collections.namedtuple("Odd", "x class", rename=True)
PLAIN = (type(None), bool, int, float, complex, str, bytes, np.ndarray, range, type(...))
OF_TORCH = ("Tensor", "Size", "dtype", "device")


def same(a: Any, b: Any) -> bool:
    """Equal, of the same types, NaN equal to NaN."""
    return type(a) is type(b) and repr(a) == repr(b)


def only_plain(value: Any) -> bool:
    if type(value) is dict:
        return all(only_plain(each) for pair in value.items() for each in pair)
    if type(value) in (list, tuple, set, frozenset):
        return all(map(only_plain, value))
    if type(value) is slice:
        return all(map(only_plain, (value.start, value.stop, value.step)))
    of_torch = type(value).__module__ == "torch" and type(value).__name__ in OF_TORCH
    return type(value) in PLAIN or of_torch or isinstance(value, np.dtype)


@pytest.mark.slow
@given(values)
def test_plain_values_come_back_as_they_were(value: Any) -> None:
    data = encode(value)
    back = decode(data)
    assert same(sorted_sets(back), sorted_sets(value))
    assert only_plain(back)
    assert measure(data) >= 1


def sorted_sets(value: Any) -> Any:
    """Replace sets, whose order says nothing, by sorted lists."""
    if isinstance(value, dict):
        return {
            "dict": [(sorted_sets(k), sorted_sets(v)) for k, v in value.items()],
        }
    if isinstance(value, (set, frozenset)):
        return [type(value).__name__, sorted(repr(sorted_sets(each)) for each in value)]
    if isinstance(value, (list, tuple)):
        return type(value)(map(sorted_sets, value))
    return value


def test_texts_that_are_no_unicode_cross() -> None:
    assert decode(encode("a\ud800b")) == "a\ud800b"


@pytest.mark.parametrize("name", sorted(wire.DTYPES))
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 4), (2, 3)])
def test_arrays_cross(name: str, shape: tuple[int, ...]) -> None:
    array = np.arange(math.prod(shape)).reshape(shape).astype(name)
    for each in (array, array.T, array.astype(array.dtype.newbyteorder())):
        back = decode(encode(each))
        assert back.dtype == np.dtype(name)
        assert back.dtype.isnative
        np.testing.assert_array_equal(back, each)
        assert not back.flags.writeable  # a test that wrote to it would change the copy alone
        assert decode(encode(each), trusted=True).flags.writeable


def test_small_structures_cross() -> None:
    torch = pytest.importorskip("torch")
    values = [slice(1, None, 2), ..., np.dtype("float32"), torch.float16, torch.device("cuda:1")]
    for value in values:
        assert decode(encode([value])) == [value]
    size = decode(encode(torch.ones(2, 3).shape))
    assert size == torch.Size([2, 3])
    assert size.numel() == 6
    best = decode(encode(torch.eye(2).max(0)))
    assert best.values.tolist() == [1, 1]
    assert best.indices.tolist() == [0, 1]
    assert decode(encode(Point(1, [2]))).y == [2]
    assert decode(encode(Odd(1, 2))) == (1, 2)  # without names, which a reader would refuse


def test_generators_cross_with_their_state_to_a_candidate_only() -> None:
    for name in wire.BIT_GENERATORS:
        rng = np.random.Generator(getattr(np.random, name)(5))
        rng.random(3)
        data = encode(rng)
        assert decode(data, trusted=True).random() == rng.random()
        with pytest.raises(WireError):
            decode(data)
    with pytest.raises(WireError, match="SFC64"):
        encode(np.random.Generator(np.random.SFC64(5)))


class Float(float):
    def __eq__(self, other: object) -> bool:
        return True

    def __float__(self) -> float:
        return 99.0

    __hash__ = float.__hash__


class Text(str):
    def __str__(self) -> str:
        return "overridden"


class Table(dict):
    def items(self) -> Any:
        return [("overridden", 1)]

    __iter__ = keys = items


class Row(list):
    def __iter__(self) -> Any:
        return iter(["overridden"])


class Array(np.ndarray):
    def tobytes(self, *_: Any) -> bytes:
        return b"overridden"


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (Float(1.5), 1.5),
        (Text("a"), "a"),
        (Table(a=1), {"a": 1}),
        (Row([1, 2]), [1, 2]),
        (np.zeros(2).view(Array), np.zeros(2)),
        (np.float32(0.5), 0.5),
        (np.float64(0.5), 0.5),
        (np.longdouble(0.5), 0.5),
        (np.complex64(1j), 1j),
        (np.int8(3), 3),
        (np.uint64(2**63), 2**63),
        (np.bool_(True), True),
        (np.str_("a"), "a"),
        (np.array(["a", "b"]), ["a", "b"]),
        (np.array([1, "b", None], object), [1, "b", None]),
        (collections.Counter("aab"), {"a": 2, "b": 1}),
        (collections.defaultdict(list, a=[1]), {"a": [1]}),
        (collections.OrderedDict(a=1), {"a": 1}),
        (collections.deque([1]), [1]),
        ({"a": 1}.keys(), ["a"]),
        ({"a": 1}.items(), [("a", 1)]),
        (bytearray(b"x"), b"x"),
        (memoryview(b"x"), b"x"),
        (Fraction(1, 4), 0.25),
        ([Text("a"), (Float(1),)], ["a", (1.0,)]),
    ],
)
def test_subclasses_become_plain_by_their_own_content(value: Any, plain: Any) -> None:
    back = decode(encode(value))
    assert same(back, plain)
    assert only_plain(back)


def nested(depth: int) -> list[Any]:
    nest: list[Any] = []
    for _ in range(depth):
        nest = [nest]
    return nest


def itself() -> list[Any]:
    nest: list[Any] = []
    nest.append(nest)
    return nest


@pytest.mark.parametrize(
    "make",
    [object, itself, lambda: nested(5000), lambda: (object(),), lambda: 10**30000, lambda: len,
     lambda: np.array(object(), object)],
)  # fmt: skip
def test_what_cannot_cross_is_an_error_of_the_wire(make: Callable[[], Any]) -> None:
    with pytest.raises(WireError):
        encode(make())


def test_handles_and_names() -> None:
    thing = object()
    data = encode([thing, {"a": thing}], lambda obj: (marks.HANDLE, 7))
    assert decode(data, lambda kind, key: (kind, key)) == [(9, 7), {"a": (9, 7)}]
    with pytest.raises(WireError):
        decode(data)


# ------------------------------------------------------------------------------ hostile bytes


@pytest.mark.slow
@settings(max_examples=2000 if THOROUGH else 500)
@given(st.binary(max_size=200))
def test_any_bytes_are_refused_or_plain(data: bytes) -> None:
    try:
        value = decode(data, lambda kind, key: 0)
    except WireError:
        return
    assert only_plain(value)


pieces = st.lists(
    st.one_of(
        st.sampled_from([bytes([n]) for n in range(256)]),
        st.sampled_from([b"\xc7\x00" + bytes([n]) for n in range(12)]),
        st.sampled_from([b"\x93\xc7\x00\x05", b"\x94\xc7\x00\x05", b"\xa7float64", b"\x91\x02"]),
        st.sampled_from([b"\xc4\x08" + bytes(8), b"\xdd\xff\xff\xff\xff", b"\xc6\x7f\xff\xff\xff"]),
        values.map(encode),
    ),
    max_size=12,
)


@pytest.mark.slow
@settings(max_examples=2000 if THOROUGH else 500)
@given(pieces)
def test_bytes_that_look_like_messages_are_refused_or_plain(parts: list[bytes]) -> None:
    try:
        value = decode(b"".join(parts), lambda kind, key: 0)
    except WireError:
        return
    assert only_plain(value)


@pytest.mark.slow
@settings(max_examples=500)
@given(values, st.data())
def test_a_message_with_one_byte_changed_is_refused_or_plain(value: Any, data: Any) -> None:
    message = bytearray(encode(value))
    at = data.draw(st.integers(0, len(message) - 1))
    message[at] = data.draw(st.integers(0, 255))
    try:
        back = decode(bytes(message), lambda kind, key: 0)
    except WireError:
        return
    assert only_plain(back)


def mark(code: int, *rest: bytes) -> bytes:
    return bytes([0x91 + len(rest), 0xC7, 0, code]) + b"".join(rest)


def packed(value: Any) -> bytes:
    data: bytes = msgpack.packb(value)
    return data


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xc1",
        b"\x91",
        b"\x01\x01",
        b"\xdd\xff\xff\xff\xff",  # a list of four thousand million items
        b"\xdf\xff\xff\xff\xff",
        b"\xc6\xff\xff\xff\xff",
        b"\x91" * 2000 + b"\x01",  # too deep for the reader
        b"\x92" + encode("x" * wire.SMALL) + b"\x91" * 200 + b"\x01",  # and for a large message
        b"\xdd\x00\x10\x00\x00" * 50,  # lists of a million items in one another
        b"\xd6\xff\x00\x00\x00\x00",  # a timestamp
        b"\xd4\x01\x00",  # an extension with content
        b"\xc7\x00\x01",  # a marker outside of a list
        b"\x92\x01\xc7\x00\x00",  # a marker in second place
        b"\x81\xc7\x00\x00\x01",  # a marker as a key
        b"\x91\xc7\x00\x63",  # an unknown marker
        b"\x81\x90\x01",  # a list as a key
        b"\xa1\xff",  # no UTF-8
        mark(marks.ARRAY, packed("float64"), packed([2]), packed(b"x" * 8)),
        mark(marks.ARRAY, packed("float64"), packed([1 << 26, 0]), packed(b"")),
        mark(marks.ARRAY, packed("uint8"), packed([65 << 20]), packed(bytes(65 << 20))),
        mark(marks.TENSOR, packed("uint8"), packed([0, 1 << 26]), packed(b""), packed(0)),
        mark(marks.ARRAY, packed("float64"), packed([-1]), packed(b"x" * 8)),
        mark(marks.ARRAY, packed("float64"), packed([1 << 40, 1 << 40]), packed(b"")),
        mark(marks.ARRAY, packed("float64"), packed([True]), packed(b"x" * 8)),
        mark(marks.ARRAY, packed("object"), packed([1]), packed(b"x" * 8)),
        mark(marks.ARRAY, packed("<M8[s]"), packed([1]), packed(b"x" * 8)),
        mark(marks.ARRAY, packed(3), packed([1]), packed(b"x" * 8)),
        mark(marks.ARRAY, packed("float64"), packed([1] * 33), packed(b"x" * 8)),
        mark(marks.ARRAY, packed("float64")),
        mark(marks.TENSOR, packed("manual_seed"), packed([1]), packed(b"x" * 8), packed(0)),
        mark(marks.COMPLEX, packed(1), packed(2)),
        mark(marks.BIG, packed(1)),
        mark(marks.BIG, packed(b"x" * 10_000)),
        mark(marks.SET, packed([1])),
        mark(marks.HANDLE, packed("x")),
        mark(marks.HANDLE, packed(True)),
        mark(marks.HANDLE),
        mark(marks.NAME, packed(3)),
        mark(marks.LIBRARY, packed("os.system")),
        mark(marks.METHOD, packed([1, "x"])),
        mark(marks.RANGE, packed(0), packed(1 << 60), packed(1)),
        mark(marks.DTYPE, packed("numpy.object")),
        mark(marks.DTYPE, packed("torch.load")),
        mark(marks.DTYPE, packed("os.system")),
        mark(marks.DEVICE, packed("privateuseone")),
        mark(marks.DEVICE, packed(["cpu"])),
        mark(marks.SIZE, packed("x")),
        mark(marks.SIZE, packed(-1)),
        mark(marks.SLICE, packed(1)),
        mark(marks.ELLIPSIS, packed(1)),
        mark(marks.NAMED, packed(["Point", "x"])),
        mark(marks.NAMED, packed(["Point", "x", "x"]), packed(1), packed(2)),
        mark(marks.NAMED, packed(["Point", "__eq__"]), packed(1)),
        mark(marks.NAMED, packed(["Point", "x y"]), packed(1)),
        mark(marks.NAMED, packed(["Point", "x, exec('1')"]), packed(1)),
        mark(marks.NAMED, packed(["Point):\n raise SystemExit#", "x"]), packed(1)),
        mark(marks.NAMED, packed(["Point", "class"]), packed(1)),
        mark(marks.NAMED, packed(["Point", "\ufb01"]), packed(1)),
        mark(marks.NAMED, packed(["Point", *(f"x{i}" for i in range(60))]), *[packed(1)] * 60),
        mark(marks.NAMED, packed([["Point"], "x"]), packed(1)),
        mark(marks.NAMED, packed("Point"), packed(1)),
        mark(marks.TENSOR, packed("float32"), packed([1]), packed(b"xxxx"), packed(7)),
        mark(marks.TENSOR, packed("int8"), packed([1]), packed(b"x"), packed(1)),
        mark(marks.TENSOR, packed("float32"), packed([1]), packed(b"xxxx")),
        mark(marks.RNG, packed({})),
        mark(marks.TORCH_RNG, packed(b"")),
    ],
)
def test_broken_messages_are_refused(data: bytes) -> None:
    with pytest.raises(WireError):
        decode(data, lambda kind, key: 0)


@pytest.mark.parametrize(
    "data",
    [
        b"\xdd\x03\xff\xff\xff" + b"\x90" * 100,
        struct.pack(">BI", 0xDD, 1 << 22) * 90 + b"\x90" * (1 << 20),
        b"\xdc\xff\xff" * 90,
        mark(marks.ARRAY, packed("float64"), packed([1 << 30]), packed(b"")),
    ],
)
def test_a_small_message_cannot_make_the_reader_allocate_much(data: bytes) -> None:
    tracemalloc.start()
    with pytest.raises(WireError):
        decode(data)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 4 * len(data) + (1 << 20)
