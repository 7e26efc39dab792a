"""What everybody was given, or may well have found alone: the stub, the reference and its answers.

Leaves out what many of a class share (index.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from examiner.judge.mistakes import load_answers
from examiner.project import Project
from examiner.similar.winnowing import Hashes, fingerprints

_NONE = np.zeros(0, np.uint64)


@dataclass(frozen=True)
class Known:
    """Fingerprints that do not count, sorted."""

    stub: Hashes = field(default_factory=lambda: _NONE)
    reference: Hashes = field(default_factory=lambda: _NONE)
    answers: Hashes = field(default_factory=lambda: _NONE)  # all that are right, reference included


def known(project: Project, stem: str, *, reference: bool = True) -> Known:
    """Return what is known of a chapter; without `reference`, what the stub gives alone.

    Raises UserError where there is no stub.
    """
    stub = unique([project.module("coursework", stem).read_text("utf-8")])
    if not reference:
        return Known(stub)
    text = project.module("solutions", stem).read_text("utf-8")
    right = [each.text for each in load_answers(project, stem) if each.kind == "right"]
    return Known(stub, without(unique([text]), stub), without(unique([text, *right]), stub))


def unique(texts: Iterable[str]) -> Hashes:
    """Return the fingerprints of texts, each once, sorted."""
    found = [np.unique(fingerprints(text).hashes) for text in texts]
    return np.unique(np.concatenate([_NONE, *found]))


def without(hashes: Hashes, others: Hashes) -> Hashes:
    """Return the fingerprints that are not among the others. Both are sorted.

    >>> without(np.array([1, 2, 3], np.uint64), np.array([2], np.uint64)).tolist()
    [1, 3]
    """
    return hashes[~among(hashes, others)]


def among(hashes: Hashes, others: Hashes) -> np.ndarray:
    """Tell of each fingerprint whether it is among the others, which are sorted."""
    if not len(others):
        return np.zeros(len(hashes), bool)
    places = np.searchsorted(others, hashes).clip(max=len(others) - 1)
    return others[places] == hashes
