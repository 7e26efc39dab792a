"""A little of numpy in plain Python, where numpy itself cannot be had: small arrays, and the names
that the examiner asks for. It stands in for numpy in the page.

Arrays have rows and columns, not more; what is missing says so. Leaves out speed, dtypes of few
bits, writing through a view, random numbers (draws.py).
"""

from __future__ import annotations

import itertools
import math
import operator
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

HERE = "the page's small numpy"
_INSTEAD = "write it in plain Python, or install the course to have all of numpy"
inf, nan = math.inf, math.nan


# ------------------------------------------------------------------ kinds of numbers
class generic:  # noqa: N801 (numpy's own name)
    """A number out of an array."""

    def item(self) -> Any:
        """Return it as a number of Python's own."""
        kinds: tuple[Any, ...] = (float, int, str)
        return next(kind(self) for kind in kinds if isinstance(self, kind))

    def tolist(self) -> Any:
        """Return it as a number of Python's own."""
        return generic.item(self)


class float64(float, generic):  # noqa: N801
    """A number with a fraction."""

    ndim, shape, size = 0, (), 1

    def __repr__(self) -> str:
        return f"np.float64({float(self)!r})"


class int64(int, generic):  # noqa: N801
    """A whole number."""

    ndim, shape, size = 0, (), 1

    def __repr__(self) -> str:
        return f"np.int64({int(self)!r})"


class str_(str, generic):  # noqa: N801
    """A text out of an array."""


class longdouble(generic):  # noqa: N801
    """A number of more digits, of which there is none."""


# how `struct` writes each kind; it has no complex numbers
_CODES = {"bool": "?", "float16": "e", "float32": "f", "float64": "d"}
_CODES |= {f"int{8 << n}": code for n, code in enumerate("bhiq")}
_CODES |= {f"uint{8 << n}": code for n, code in enumerate("BHIQ")}
_KINDS = {
    "b": "bool",
    "u": "uint",
    "i": "int",
    "f": "float",
    "c": "complex",
    "O": "object",
    "U": "str",
}


class dtype:  # noqa: N801
    """What an array holds; all but bool, int64, float64, text and objects are names only."""

    def __init__(self, kind: Any) -> None:
        given = {float: "float64", int: "int64", bool: "bool", str: "str", object: "object"}
        given |= {float64: "float64", int64: "int64", str_: "str"}
        self.name: str = kind.name if isinstance(kind, dtype) else given.get(kind, str(kind))
        self.kind = next(sign for sign, name in _KINDS.items() if self.name.startswith(name))
        self.itemsize = struct.calcsize(_CODES[self.name]) if self.name in _CODES else 16
        self.hasobject = self.kind == "O"

    def newbyteorder(self, order: str) -> dtype:
        """Return itself: bytes are always the other way round only on machines that are gone."""
        return self

    def __eq__(self, other: object) -> bool:
        try:
            return self.name == dtype(other).name
        except StopIteration:
            return False

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"dtype({self.name!r})"

    def __str__(self) -> str:
        return self.name


def scalar(value: Any) -> Any:
    """Return a number of Python's as one of an array's."""
    kind = type(value)
    made = {float: float64, int: int64, str: str_}.get(kind)
    return made(value) if made else value


def _kind_of(flat: Sequence[Any]) -> dtype:
    kinds = {
        next((kind for kind in (bool, float, int, str) if isinstance(x, kind)), object)
        for x in flat
    }
    for kind in (object, str, float, int, bool):
        if kind in kinds:
            return dtype(kind)
    return dtype(float)


_CAST: dict[str, Callable[[Any], Any]] = {"f": float, "i": int, "u": int, "b": bool, "U": str}


# ------------------------------------------------------------------ arrays
class ndarray:  # noqa: N801
    """Numbers in rows: `flat` holds them one row after the other."""

    def __init__(self, flat: Iterable[Any], shape: tuple[int, ...], kind: Any = None) -> None:
        found = list(flat)
        self.shape, self.dtype = shape, dtype(kind) if kind else _kind_of(found)
        cast = _CAST.get(self.dtype.kind)
        self._flat = [cast(x) for x in found] if cast else found

    # ---- what it is
    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: math.prod(self.shape))
    nbytes = property(lambda self: self.size * self.dtype.itemsize)
    T = property(lambda self: self._transposed())

    @property
    def flat(self) -> ndarray:
        """The same numbers in one row."""
        return self.reshape(-1)

    def _transposed(self) -> ndarray:
        if self.ndim < 2:
            return self
        rows, columns = self.shape
        flat = [self._flat[r * columns + c] for c in range(columns) for r in range(rows)]
        return ndarray(flat, (columns, rows), self.dtype)

    def tolist(self) -> Any:
        """Return lists of lists of numbers."""
        if not self.shape:
            return self._flat[0]
        return list(self._flat) if self.ndim == 1 else [row.tolist() for row in self]

    def item(self) -> Any:
        """Return the one number that it holds."""
        (value,) = self._flat
        return value

    def tobytes(self) -> bytes:
        """Return its numbers as a machine holds them."""
        return struct.pack(f"<{self.size}{_CODES[self.dtype.name]}", *self._flat)

    def setflags(self, write: bool = True) -> None:
        """Do nothing: who gets an answer may write into its copy."""

    def copy(self) -> ndarray:
        """Return a copy."""
        return ndarray(self._flat, self.shape, self.dtype)

    def astype(self, kind: Any) -> ndarray:
        """Return the same numbers as others."""
        return ndarray(self._flat, self.shape, kind)

    def reshape(self, *shape: Any) -> ndarray:
        """Return the same numbers in other rows; -1 stands for what is left."""
        wanted = tuple(shape[0]) if isinstance(shape[0], (tuple, list)) else shape
        known = -math.prod(wanted)
        wanted = tuple(self.size // known if n == -1 and known else n for n in wanted)
        if math.prod(wanted) != self.size:
            raise ValueError(f"cannot reshape array of size {self.size} into shape {wanted}")
        return ndarray(self._flat, wanted, self.dtype)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __bool__(self) -> bool:
        if self.size > 1:
            raise ValueError("The truth value of an array with more than one element is ambiguous."
                             " Use a.any() or a.all()")  # fmt: skip
        return any(self._flat)

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __repr__(self) -> str:
        return f"array({self.tolist()!r})"

    def __str__(self) -> str:
        return repr(self.tolist()).replace(",", "")

    # ---- parts of it
    def _places(self, key: Any) -> tuple[list[int], tuple[int, ...]]:
        """Return which of the flat numbers a key means, and in which shape."""
        keys = key if isinstance(key, tuple) else (key,)
        if len(keys) == 1 and isinstance(keys[0], ndarray) and keys[0].dtype.kind == "b":
            chosen = [i for i, yes in enumerate(keys[0]._flat) if yes]
            return chosen, (len(chosen),)
        if len(keys) > self.ndim or any(k is None or k is ... for k in keys):
            raise IndexError(f"{HERE} takes one index for each of {self.ndim} axes")
        axes: list[list[int]] = []
        shape: list[int] = []
        for axis, n in enumerate(self.shape):
            part = keys[axis] if axis < len(keys) else slice(None)
            if isinstance(part, slice):
                axes.append(list(range(n))[part])
                shape.append(len(axes[-1]))
            elif isinstance(part, (list, ndarray)):
                axes.append([range(n)[operator.index(i)] for i in part])
                shape.append(len(axes[-1]))
            else:
                at = operator.index(part)
                if not -n <= at < n:
                    raise IndexError(f"index {at} is out of bounds for axis {axis} with size {n}")
                axes.append([at % n])
        if self.ndim == 2 and len(keys) == 2 and all(isinstance(k, (list, ndarray)) for k in keys):
            pairs = zip(*axes, strict=True)  # one number for each pair of places
            return [r * self.shape[1] + c for r, c in pairs], (len(axes[0]),)
        strides = [math.prod(self.shape[axis + 1 :]) for axis in range(self.ndim)]
        places = [sum(map(operator.mul, each, strides)) for each in itertools.product(*axes)]
        return places, tuple(shape)

    def __getitem__(self, key: Any) -> Any:
        places, shape = self._places(key)
        if not shape and len(places) == 1:
            return scalar(self._flat[places[0]])
        return ndarray([self._flat[i] for i in places], shape, self.dtype)

    def __setitem__(self, key: Any, value: Any) -> None:
        places, shape = self._places(key)
        cast = _CAST.get(self.dtype.kind, lambda x: x)
        for place, new in zip(places, _spread(asarray(value), shape), strict=True):
            self._flat[place] = cast(new)

    # ---- sums of it
    def _fold(
        self, fold: Callable[[list[Any]], Any], axis: int | None, keepdims: bool = False
    ) -> Any:
        if keepdims:
            found = asarray(self._fold(fold, axis))
            kept = [1 if axis in (None, i, i - self.ndim) else n for i, n in enumerate(self.shape)]
            return found.reshape(kept)
        if axis is None or (self.ndim == 1 and axis in (0, -1)):
            return scalar(fold(self._flat))
        rows = self if axis in (1, -1) else self.T
        return ndarray([fold(row._flat) for row in rows], (len(rows),))

    def sum(self, axis: int | None = None, keepdims: bool = False) -> Any:
        """Return the sum, of all or of each row (axis 1) or column (axis 0)."""
        return self._fold(sum, axis, keepdims)

    def mean(self, axis: int | None = None, keepdims: bool = False) -> Any:
        """Return the mean."""
        return self._fold(lambda xs: sum(xs) / len(xs), axis, keepdims)

    def min(self, axis: int | None = None, keepdims: bool = False) -> Any:
        """Return the smallest number."""
        return self._fold(min, axis, keepdims)

    def max(self, axis: int | None = None, keepdims: bool = False) -> Any:
        """Return the largest number."""
        return self._fold(max, axis, keepdims)

    def argmax(self, axis: int | None = None) -> Any:
        """Return the place of the largest number, the first of several."""
        return self._fold(lambda xs: xs.index(max(xs)), axis)

    def argsort(self, kind: str | None = None) -> ndarray:
        """Return the places of the numbers from the smallest on; equal ones stay in order."""
        return ndarray(sorted(range(self.size), key=self._flat.__getitem__), self.shape)

    def any(self, axis: int | None = None) -> Any:
        """Tell whether one is true."""
        return self._fold(any, axis)

    def all(self, axis: int | None = None) -> Any:
        """Tell whether all are true."""
        return self._fold(all, axis)

    def cumsum(self) -> ndarray:
        """Return the sums of the first number, the first two, ..."""
        return ndarray(itertools.accumulate(self._flat), (self.size,))

    def round(self, decimals: int = 0) -> ndarray:
        """Return rounded numbers."""
        return ndarray([round(x, decimals) for x in self._flat], self.shape, self.dtype)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise AttributeError(f"{HERE} has no array.{name}: {_INSTEAD}")


def _spread(x: ndarray, shape: tuple[int, ...]) -> list[Any]:
    """Return the flat numbers of an array that is repeated to fill a shape."""
    if x.shape == shape:
        return x._flat
    own = (1,) * (len(shape) - x.ndim) + x.shape
    if len(own) != len(shape) or any(n not in (1, m) for n, m in zip(own, shape, strict=True)):
        raise ValueError(f"could not broadcast input array from shape {x.shape} into shape {shape}")
    strides = [0 if n == 1 else math.prod(own[i + 1 :]) for i, n in enumerate(own)]
    places = itertools.product(*map(range, shape))
    return [x._flat[sum(map(operator.mul, each, strides))] for each in places]


def elementwise(rule: Callable[..., Any], *given: Any) -> Any:
    """Return what a rule gives for each number, or each pair of numbers; numbers for numbers."""
    taken = [asarray(each) for each in given]
    most = max((x.shape for x in taken), key=len)
    shape = tuple(
        max((n for x in taken if len(x.shape) > i for n in [x.shape[-1 - i]] if n != 1), default=1)
        if all(x.size for x in taken) else 0
        for i in reversed(range(len(most)))
    )  # fmt: skip
    flat = [rule(*each) for each in zip(*(_spread(x, shape) for x in taken), strict=True)]
    keeps = shape or any(isinstance(x, ndarray) for x in given)  # an array of one number stays one
    return ndarray(flat, shape) if keeps else scalar(flat[0])


def _divided(x: Any, y: Any) -> float:
    if y:
        return x / y
    return nan if x == 0 or x != x else math.copysign(inf, x)


_COMPARED = ("lt", "le", "gt", "ge", "eq", "ne")
_COMPUTED = ("add", "sub", "mul", "pow", "floordiv", "mod", "and_", "or_")
_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    **{name: getattr(operator, name) for name in (*_COMPUTED, *_COMPARED)},
    "truediv": _divided,
}


def _method(rule: Callable[[Any, Any], Any], *, turned: bool) -> Callable[[Any, Any], Any]:
    def method(self: ndarray, other: Any) -> Any:
        if not isinstance(other, (ndarray, int, float, list, tuple)):
            return NotImplemented
        return elementwise(rule, *((other, self) if turned else (self, other)))

    return method


for _name, _rule in _OPERATORS.items():
    setattr(ndarray, f"__{_name.strip('_')}__", _method(_rule, turned=False))
    if _name not in _COMPARED:
        setattr(ndarray, f"__r{_name.strip('_')}__", _method(_rule, turned=True))
ndarray.__hash__ = None  # type: ignore[assignment]
for _name, _one in {"neg": operator.neg, "abs": operator.abs, "invert": operator.not_}.items():
    setattr(ndarray, f"__{_name}__", lambda self, one=_one: elementwise(one, self))


# ------------------------------------------------------------------ making them
def array(given: Any, dtype: Any = None, copy: bool = True) -> ndarray:
    """Return an array of numbers, or of lists of them, all of the same length."""
    if isinstance(given, ndarray):
        return ndarray(given._flat, given.shape, dtype or given.dtype)
    if isinstance(given, (str, bytes, dict, set, frozenset)) or not hasattr(given, "__len__"):
        return ndarray([given], (), dtype)
    items = list(given)
    if not any(isinstance(each, (list, tuple, ndarray)) for each in items):
        return ndarray(items, (len(items),), dtype)
    rows = [array(each, dtype) for each in items]
    if any(row.shape != rows[0].shape for row in rows):
        raise ValueError("setting an array element with a sequence: the rows differ in length")
    return ndarray([x for row in rows for x in row._flat], (len(rows), *rows[0].shape), dtype)


def asarray(given: Any, dtype: Any = None) -> ndarray:
    """Return an array as it is, and else one of what is given."""
    if isinstance(given, ndarray) and dtype in (None, given.dtype):
        return given
    return array(given, dtype)
