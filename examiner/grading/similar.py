"""Submissions that are more alike than their stub makes them, side by side, by copydetect.

Leaves out any judgement: short tasks have few right answers.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from examiner.catalogue import Chapter
from examiner.errors import UserError
from examiner.grading.page import rendered
from examiner.grading.submissions import Submission

GRAM, WINDOW = 25, 1  # copydetect's noise and guarantee thresholds, in characters of tokens
LEAST = 0.6  # share of the shorter one that makes a pair worth a look


@dataclass(frozen=True)
class Side:
    """One of a pair: the text in pieces, each with whether the other one has it, too."""

    student: str
    pieces: tuple[tuple[str, bool], ...]


@dataclass(frozen=True)
class Pair:
    """Two submissions that are alike."""

    share: float  # of what the shorter one wrote beyond the stub
    one: Side
    other: Side

    def to_json(self) -> dict[str, Any]:
        """Return the pair for `similar --json`."""
        return {"students": [self.one.student, self.other.student], "share": round(self.share, 3)}


def similar_pairs(submissions: Sequence[Submission], stub: str, least: float = LEAST) -> list[Pair]:
    """Return the pairs of which the shorter one shares at least so much, the most alike first.

    Raises UserError where copydetect is not installed.
    """
    try:
        import copydetect
    except ImportError:
        raise UserError(
            'comparing submissions needs copydetect: pip install ".[instructor]"'
        ) from None
    given = np.array(list(_fingerprint(copydetect, "stub", stub, []).hashes))
    read = [each for each in submissions if each.source.text and not each.problem]
    prints = [
        (each, _fingerprint(copydetect, each.student, each.source.text, given)) for each in read
    ]
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for (one, a), (other, b) in combinations(prints, 2):
            if not (len(a.hashes) and len(b.hashes)):
                continue  # nothing was written beyond the stub
            _, shares, slices = copydetect.compare_files(a, b)
            if max(shares) >= least:
                sides = _side(one, slices[0]), _side(other, slices[1])
                found.append(Pair(float(max(shares)), *sides))
    return sorted(found, key=lambda pair: (-pair.share, pair.one.student, pair.other.student))


def _fingerprint(copydetect: Any, name: str, text: str, boilerplate: Any) -> Any:
    text = text.replace("\r\n", "\n")
    return copydetect.CodeFingerprint(
        f"{name}.py", GRAM, WINDOW, boilerplate, language="python", fp=io.StringIO(text)
    )


def _side(submission: Submission, slices: Any) -> Side:
    text = submission.source.text.replace("\r\n", "\n")
    return Side(submission.student, tuple(_pieces(text, slices)))


def _pieces(text: str, slices: Any) -> Iterator[tuple[str, bool]]:
    at = 0
    for start, end in zip(*(map(int, each) for each in slices), strict=True):
        yield text[at:start], False
        yield text[max(at, start) : end], True
        at = max(at, end)
    yield text[at:], False


def page(chapter: Chapter, pairs: Sequence[Pair]) -> str:
    """Return the pairs as HTML, side by side."""
    return rendered("similar.html", chapter=chapter, pairs=pairs)
