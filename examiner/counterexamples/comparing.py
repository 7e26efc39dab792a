"""Whether an outcome is another than the right one, and in which sentence a person would say so."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from examiner.counterexamples.pool import Case, Outcome
from examiner.counterexamples.values import short
from examiner.judge.answers import numbers
from examiner.plural import count
from examiner.suite.closeness import close

ROUNDING = 1e-5  # of a number of Python's own, in proportion to it
SPREAD = 5.0  # standard deviations by which a count may be off that many draws gave
_KINDS: tuple[tuple[Any, str], ...] = (
    (bool, "a truth value"),
    ((int, float), "a number"),
    (str, "a string"),
    (bytes, "bytes"),
    (list, "a list"),
    (tuple, "a tuple"),
    (dict, "a dict"),
    ((set, frozenset), "a set"),
    (type(None), "None"),
    (np.ndarray, "an array"),
)
_SMALL = range(10)  # of two such one sees at once how they differ
_FACTORS = {2.0: "twice", 0.5: "half of", 3.0: "three times", 10.0: "ten times"}


def differs(case: Case, got: Outcome) -> bool:
    """Tell whether an outcome is another than what is right, in any form that a test would take."""
    right = case.right
    assert right is not None
    if got.kind != right.kind:
        return True
    if right.kind == "error":
        return bool(got.value != right.value)
    if set(got.changed) - set(case.changes):
        return True
    if case.chances is not None:
        return bool(odd_counts(case.chances, got.value))
    try:
        return not agree(got.value, right.value, case.rtol, case.atol)
    except Exception:  # whatever it is, it is not right
        return True


def agree(got: Any, right: Any, rtol: float | None = None, atol: float | None = None) -> bool:
    """Tell whether two values are close: `examiner.suite.close`, but for numbers of Python's own.

    These may come from single precision, as a loss does by `float(…)`: they are judged as such.

    >>> agree([1.0000001, 2], (1.0, 2)), agree(1.001, 1.0)
    (True, False)
    """
    if rtol is None and isinstance(got, float) and isinstance(right, float):
        both_nan = got != got and right != right
        return both_nan or math.isclose(got, right, rel_tol=ROUNDING, abs_tol=1e-9)
    if isinstance(got, (list, tuple)) and isinstance(right, (list, tuple)):
        pairs = zip(got, right, strict=False)
        return len(got) == len(right) and all(agree(*pair, rtol, atol) for pair in pairs)
    if isinstance(got, Mapping) and isinstance(right, Mapping):
        keys = got.keys() == right.keys()
        return keys and all(agree(got[key], right[key], rtol, atol) for key in right)
    return bool(close(got, right, rtol=rtol, atol=atol))


def same(case: Case, one: Outcome, other: Outcome) -> bool:
    """Tell whether two outcomes of a program are the same to a reader."""
    if (one.kind, one.changed) != (other.kind, other.changed):
        return False
    if one.kind != "value":
        return bool(one.value == other.value)
    try:
        return agree(one.value, other.value, case.rtol, case.atol)
    except Exception:
        return False


def another_form(got: Any, right: Any) -> str:
    """Return "a list where a tuple is expected" for values that are equal but for their kinds.

    >>> another_form([1, 2], (1, 2)), another_form((1, 2), (1, 2))
    ('a list where a tuple is expected', '')
    """
    if _are_numbers(got) and _are_numbers(right):  # an array, a tensor, a number of their own
        kinds = [_kind_of_numbers(each) for each in (got, right)]
        return "" if kinds[0] == kinds[1] else f"{kinds[0]} where {kinds[1]} are expected"
    if kind_of(got) != kind_of(right):
        return f"{kind_of(got)} where {kind_of(right)} is expected"
    if isinstance(right, (list, tuple)) and right and len(got) == len(right):
        inner = next(filter(None, map(another_form, got, right)), "")
        return f"{kind_of(got)} with {inner}" if inner else ""
    if isinstance(right, dict) and right:
        inner = next(filter(None, (another_form(got[k], right[k]) for k in right if k in got)), "")
        return f"a dict with {inner}" if inner else ""
    return ""


def _are_numbers(value: Any) -> bool:
    return hasattr(value, "dtype") or _is_number(value)


def _kind_of_numbers(value: Any) -> str:
    """Return what tests tell apart; whole numbers written 2 or 2.0 are the same for them."""
    name = str(getattr(value, "dtype", "")).removeprefix("torch.")
    return "truth values" if name == "bool" else "numbers"


def kind_of(value: Any) -> str:
    """Return "a list", "a number" and so on."""
    if hasattr(value, "detach"):
        return "a tensor"
    return next((name for kind, name in _KINDS if isinstance(value, kind)), "an object")


def odd_counts(chances: Mapping[Any, float], counts: Any) -> list[tuple[Any, int, float]]:
    """Return outcomes that came too seldom or too often: outcome, how often, and about how often
    it should. What is no dict of counts is odd altogether."""
    if not isinstance(counts, Mapping) or not all(type(each) is int for each in counts.values()):
        return [(None, 0, 0.0)]
    draws = sum(counts.values())
    found = []
    for outcome in [*chances, *(each for each in counts if each not in chances)]:
        p, times = chances.get(outcome, 0.0), counts.get(outcome, 0)
        if abs(times - draws * p) > SPREAD * math.sqrt(draws * p * (1 - p)) + 1e-6:
            found.append((outcome, times, draws * p))
    return sorted(found, key=lambda row: -abs(row[1] - row[2]))


# ------------------------------------------------------------------------------ in words


def where(case: Case, got: Any, letters: Sequence[str] = ()) -> str:
    """Return in words where a value differs from the right one, or "" where one sees it at once.

    `letters` name the axes of the right answer, as the docstring does.
    """
    assert case.right is not None
    try:
        if case.chances is not None:
            return _draws(case.chances, got)
        return next(_sentences(got, case.right.value, letters, ""), "")
    except Exception:  # whatever the value is: at worst nothing is said of it
        return ""


def _draws(chances: Mapping[Any, float], counts: Any) -> str:
    odd = odd_counts(chances, counts)
    if not isinstance(counts, Mapping) or not odd or odd[0][0] is None:
        return ""
    outcome, times, expected = odd[0]
    draws = sum(counts.values())
    should = f"be near {expected:.0f}" if expected else "never come"
    return f"of {draws:,} draws, {short(outcome)} came {count(times, 'time')}; it should {should}"


def _sentences(got: Any, right: Any, letters: Sequence[str], path: str) -> Iterator[str]:
    """Yield what may be said, the most telling first; `path` leads to the two: [0]["a"]."""
    at = f"at {path}: " if path else ""
    if hasattr(right, "shape") or hasattr(got, "shape"):
        yield from (at + text for text in _arrays(got, right, letters))
    elif _is_number(got) and _is_number(right):
        yield from (at + text for text in _numbers(got, right))
    elif isinstance(got, (list, tuple)) and isinstance(right, (list, tuple)):
        yield from _lists(list(got), list(right), letters, path)
    elif isinstance(got, dict) and isinstance(right, dict):
        yield from _dicts(got, right, path)
    elif kind_of(got) != kind_of(right):
        yield f"{at}{kind_of(got)} where {kind_of(right)} is expected"
    if path:
        yield f"{at}{short(got)} where {short(right)} is right"


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _numbers(got: float, right: float) -> Iterator[str]:
    if got != got:
        yield "not a number (nan)"
    elif right and math.isclose(got, -right, rel_tol=1e-6):
        yield "the sign is wrong"
    elif right and math.isfinite(got) and not (got in _SMALL and right in _SMALL):
        for factor, words in _FACTORS.items():
            if math.isclose(got / right, factor, rel_tol=1e-6) and abs(right) > 1e-9:
                yield f"{words} what is right"


def _lists(got: list[Any], right: list[Any], letters: Sequence[str], path: str) -> Iterator[str]:
    at = f"at {path}: " if path else ""
    more = len(got) - len(right)
    if more:
        yield f"{at}{count(abs(more), 'item')} too {'many' if more > 0 else 'few'}"
        return
    plain = all(map(_is_number, [*got, *right])) and any(isinstance(n, float) for n in right)
    if plain and len(right) > 1:
        rows = [np.array([side], float) for side in (got, right)]
        yield from (at + text for text in _of_rows(rows[0], rows[1], "the numbers sum to"))
    if len(right) > 1 and sorted(map(repr, got)) == sorted(map(repr, right)):
        yield f"{at}the right items in another order"
    wrong = [n for n, pair in enumerate(zip(got, right, strict=True)) if not agree(*pair)]
    if wrong and (len(right) > 1 or not path):
        first = wrong[0]
        yield from _sentences(got[first], right[first], letters, f"{path}[{first}]")


def _dicts(got: dict[Any, Any], right: dict[Any, Any], path: str) -> Iterator[str]:
    at = f"at {path}: " if path else ""
    for less, more, words in ((got, right, "is missing"), (right, got, "should not be there")):
        for key in more:
            if key not in less:
                yield f"{at}{short(key)} {words}"
                return
    if all(map(_is_number, [*got.values(), *right.values()])) and len(right) > 1:
        rows = [np.array([[side[key] for key in right]], float) for side in (got, right)]
        yield from (at + text for text in _of_rows(rows[0], rows[1], "the values sum to"))
    for key, value in right.items():
        if not agree(got[key], value):
            yield from _sentences(got[key], value, (), f"{path}[{short(key)}]")
            return


def _arrays(got: Any, right: Any, letters: Sequence[str]) -> Iterator[str]:
    if not hasattr(right, "shape"):
        yield f"an array where {kind_of(right)} is expected"
        return
    if not (hasattr(got, "shape") or isinstance(got, (list, tuple)) or _is_number(got)):
        yield f"{kind_of(got)} where {kind_of(right)} is expected"
        return
    x, y = numbers(got), numbers(right)
    if x.shape != y.shape:
        yield _shapes(x.shape, y.shape, letters)
        return
    if x.dtype.kind not in "biuf" or y.dtype.kind not in "biuf":
        return
    x, y = x.astype(float), y.astype(float)
    if not np.isfinite(x).all() and np.isfinite(y).all():
        kind = "nan" if np.isnan(x).any() else "inf" if x.max() == np.inf else "-inf"
        yield f"{kind} where there should be a number"
        return
    if x.ndim == 2 and x.shape[0] == x.shape[1] > 1 and np.allclose(x, y.T, rtol=1e-4, atol=1e-5):
        yield "its axes are the other way round: this is the transpose of what is right"
    if x.ndim <= 2 and y.size > 1:
        rows = [each.reshape(-1, each.shape[-1]) for each in (x, y)]
        yield from _of_rows(
            rows[0], rows[1], "row {} sums to" if x.ndim == 2 else "the numbers sum to"
        )
    yield from _places(x, y)


def _shapes(got: tuple[int, ...], right: tuple[int, ...], letters: Sequence[str]) -> str:
    named = len(letters) == len(right) and len(set(right)) == len(right)
    if named and sorted(got) == sorted(right):
        names = dict(zip(right, letters, strict=True))
        given = f"({', '.join(names[each] for each in got)}) = {got}"
        return f"the shape is {given}; ({', '.join(letters)}) = {right} is expected"
    said = f"({', '.join(letters)}) = {right}" if len(letters) == len(right) > 0 else f"{right}"
    return f"the shape is {got}; {said} is expected"


def _of_rows(x: np.ndarray, y: np.ndarray, words: str) -> Iterator[str]:
    """Say so where rows should sum to 1 and do not, or where all numbers are off alike."""
    shares = (y >= -1e-9).all() and (y != y.round()).any()  # whole numbers sum to 1 by chance
    if shares and np.allclose(y.sum(-1), 1, atol=1e-4):
        for number, total in enumerate(x.sum(-1)):
            if not math.isclose(total, 1, abs_tol=1e-4):
                yield f"{words.format(number)} {total:.3g}, not to 1"
                return
    if x.size < 2 or not (np.isfinite(x).all() and np.isfinite(y).all()):
        return
    if np.allclose(x, -y) and y.any():
        yield "the signs are wrong"
    elif y.any() and np.allclose(x, 0):
        yield "all of it is 0"
    elif (y != 0).sum() > 1 and ((y == 0) == (np.abs(x) < 1e-12)).all():
        ratios = x[y != 0] / y[y != 0]
        if np.allclose(ratios, ratios[0], rtol=1e-4) and not np.allclose(ratios, 1, rtol=1e-4):
            yield f"every number is {ratios[0]:.3g} times what is right"
    elif np.allclose(x - y, (x - y).flat[0], rtol=1e-4, atol=1e-6):
        yield f"every number is off by {(x - y).flat[0]:+.3g}"


def _places(x: np.ndarray, y: np.ndarray) -> Iterator[str]:
    if np.allclose(x, y, rtol=1e-5, atol=1e-6) and (x != y).any():
        yield f"off by up to {np.abs(x - y).max():.1g}: digits are lost on the way"
    wrong = np.argwhere(~np.isclose(x, y, rtol=1e-4, atol=1e-5, equal_nan=True))
    if 0 < len(wrong) < y.size and y.ndim:
        index = tuple(int(each) for each in wrong[0])
        places = count(len(wrong), "place")
        place = ", ".join(map(str, index))
        yield f"{places} of {y.size} differ{'s' if len(wrong) == 1 else ''}; the first is [{place}]"
