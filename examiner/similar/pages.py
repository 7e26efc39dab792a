"""The page that shows groups of submissions: an index, and the strongest pairs side by side.

Its size is bounded: groups beyond the first PER_PAGE stand on pages of their own, and of each pair
the parts that both have are shown, with a line before and after.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from examiner.catalogue import Chapter
from examiner.errors import unwritable
from examiner.files import write_whole
from examiner.grading.page import rendered
from examiner.grading.submissions import read
from examiner.similar.compare import Comparison
from examiner.similar.groups import Group, Member, Pair
from examiner.similar.known import Known, among
from examiner.similar.winnowing import Fingerprints, fingerprints

PER_PAGE = 50  # groups
BESIDE, LISTED = 3, 30  # pairs of a group that are shown side by side, and by name
LONGEST = 8000  # characters of a submission that are shown
CONTEXT = 1  # lines before and after what both have
INDEXED = 2000  # groups in the index
NAMED = 60  # students of a group


@dataclass(frozen=True)
class Side:
    """One of a pair: the text in pieces, each with whether the other one has it, too."""

    name: str
    pieces: tuple[tuple[str, bool], ...]
    cut: bool = False  # whether more of it would have been to be shown


@dataclass(frozen=True)
class Shown:
    """A group as its page shows it."""

    number: int
    group: Group
    beside: tuple[tuple[Pair, tuple[Side, Side]], ...]


def write_text(path: Path, text: str) -> None:
    """Write a whole file or nothing; UserError where it cannot be written."""
    try:
        write_whole(path, text.encode("utf-8", errors="replace"))
    except OSError as error:
        raise unwritable(path, error) from None


def write_pages(
    out: Path, chapter: Chapter, found: Comparison, known: Known, most: int
) -> list[Path]:
    """Write the pages, `out` first, and delete those of an earlier run that had more.

    `most` is how many submissions may share what is shown as alike.
    """
    groups = found.groups
    starts = range(0, max(1, len(groups)), PER_PAGE)
    paths = [page_path(out, number) for number in range(1, len(starts) + 1)]
    for path, start in zip(paths, starts, strict=True):
        shown = (
            _shown(number, group, found, known)
            for number, group in enumerate(groups[start : start + PER_PAGE], start=start + 1)
        )
        text = rendered(
            "similar.html",
            chapter=chapter,
            found=found,
            shown=list(shown),
            index=[*_index(out, groups)] if not start else [],
            pages=[each.name for each in paths],
            here=path.name,
            most=most,
            answers=len(known.answers) > 0,
            named=NAMED,
            listed=LISTED,
        )
        write_text(path, text)
    for left in out.parent.glob(f"{out.stem}-*{out.suffix}"):
        number = left.stem.removeprefix(f"{out.stem}-")
        if number.isascii() and number.isdigit() and left not in paths:
            left.unlink()
    return paths


def page_path(out: Path, number: int) -> Path:
    """Return where a page of groups stands, counted from 1.

    >>> page_path(Path("similar.html"), 1).name, page_path(Path("similar.html"), 3).name
    ('similar.html', 'similar-3.html')
    """
    return out if number == 1 else out.with_name(f"{out.stem}-{number}{out.suffix}")


def _index(out: Path, groups: Sequence[Group]) -> Iterator[tuple[int, Group, str]]:
    """Yield the number of each group, the group, and the address of its place on a page."""
    for number, group in enumerate(groups[:INDEXED], start=1):
        page = (number - 1) // PER_PAGE + 1
        yield number, group, f"{'' if page == 1 else page_path(out, page).name}#group-{number}"


def _shown(number: int, group: Group, found: Comparison, known: Known) -> Shown:
    beside = group.pairs[:BESIDE]
    read_once: dict[str, tuple[str, Fingerprints]] = {}
    for member in (member for pair in beside for member in (pair.one, pair.other)):
        if member.name not in read_once:
            read_once[member.name] = _read(member, found.stem)
    return Shown(
        number, group, tuple((pair, sides(pair, read_once, found, known)) for pair in beside)
    )


def _read(member: Member, stem: str) -> tuple[str, Fingerprints]:
    text = read(member.entry, stem).source.text
    return text, fingerprints(text)


def sides(
    pair: Pair,
    texts: dict[str, tuple[str, Fingerprints]],
    found: Comparison,
    known: Known,
) -> tuple[Side, Side]:
    """Return both sides of a pair, with the parts marked that count as alike."""
    (one, prints), (other, others) = (texts[name] for name in pair.names)
    both = np.intersect1d(prints.hashes, others.hashes)
    for uncounted in (known.stub, known.answers, found.common):
        both = both[~among(both, uncounted)]
    return (
        _side(pair.one.name, one, _spans(prints, both)),
        _side(pair.other.name, other, _spans(others, both)),
    )


def _spans(prints: Fingerprints, both: np.ndarray) -> list[tuple[int, int]]:
    """Return the parts of a text that these fingerprints stand for, where they touch as one."""
    chosen = among(prints.hashes, both)
    joined: list[tuple[int, int]] = []
    for start, end in sorted(
        zip(prints.starts[chosen].tolist(), prints.ends[chosen].tolist(), strict=True)
    ):
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined


def _side(name: str, text: str, spans: Sequence[tuple[int, int]]) -> Side:
    pieces: list[tuple[str, bool]] = []
    length = 0
    for begin, end in _excerpts(text, spans):
        if length >= LONGEST:
            return Side(name, tuple(pieces), cut=True)
        if begin:
            lines = text.count("\n", 0, begin)
            pieces.append((f"⋯ line {lines + 1}\n", False))
        for piece, same in _pieces(text, begin, end, spans):
            left = LONGEST - length
            pieces.append((piece[:left], same))
            length += len(piece)
    return Side(name, tuple(pieces), cut=length > LONGEST)


def _excerpts(text: str, spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the whole lines to show: those of the spans, and CONTEXT more before and after."""
    found: list[tuple[int, int]] = []
    for start, end in spans:
        for _ in range(CONTEXT + 1):
            start = text.rfind("\n", 0, max(0, start - 1)) + 1 if start else 0
            end = text.find("\n", end) + 1 or len(text)
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], end
        else:
            found.append((start, end))
    return found


def _pieces(
    text: str, begin: int, end: int, spans: Sequence[tuple[int, int]]
) -> Iterator[tuple[str, bool]]:
    inside = [(start, stop) for start, stop in spans if begin <= start and stop <= end]
    for (_, before), (start, stop) in pairwise([(begin, begin), *inside, (end, end)]):
        if before < start:
            yield text[before:start], False
        if start < stop:
            yield text[start:stop], True
