"""Who is alike with whom: pairs of students, and the groups that pairs make together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from examiner.grading.roster import letters
from examiner.grading.works import Entry
from examiner.similar.index import Limits, alike
from examiner.similar.winnowing import Hashes


@dataclass(frozen=True)
class Member:
    """A submission that was compared."""

    student: str
    entry: Entry
    past: str = ""  # the class of a year past that it belongs to; "": this year's

    @property
    def name(self) -> str:
        """What it is called on the page."""
        return f"{self.past}/{self.student}" if self.past else self.student

    def is_of(self, other: Member) -> bool:
        """Tell whether both seem to be one student's, by id or by name."""
        if self.student.casefold() == other.student.casefold():
            return True
        return bool(self.entry.name) and letters(self.entry.name) == letters(other.entry.name)


@dataclass(frozen=True)
class Pair:
    """Two submissions that are alike."""

    one: Member
    other: Member
    share: float  # of what the smaller one holds beyond what does not count
    shared: int  # fingerprints

    @property
    def is_of_one_student(self) -> bool:
        """Whether somebody seems to have handed in own work of a year past."""
        return bool(self.other.past) and self.one.is_of(self.other)

    @property
    def names(self) -> tuple[str, str]:
        """Both names."""
        return self.one.name, self.other.name

    def to_json(self) -> dict[str, Any]:
        """Return the pair for `similar --json`."""
        same = {"one_student": True} if self.is_of_one_student else {}
        share = round(self.share, 3)
        return {"students": [*self.names], "share": share, "shared": self.shared, **same}


@dataclass(frozen=True)
class Group:
    """Submissions that are alike, each with at least one other; the strongest pair comes first."""

    members: tuple[Member, ...]
    pairs: tuple[Pair, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the group for `similar --json`."""
        return {
            "students": [member.name for member in self.members],
            "pairs": [pair.to_json() for pair in self.pairs],
        }


def grouped(pairs: Iterable[Pair]) -> list[Group]:
    """Return the groups that pairs make together, the strongest pairs and groups first."""
    strongest = sorted(pairs, key=lambda pair: (-pair.share, -pair.shared, pair.names))
    leader: dict[str, str] = {}

    def led(name: str) -> str:
        while (above := leader.setdefault(name, name)) != name:
            leader[name] = leader[above]
            name = above
        return name

    for pair in strongest:
        leader[led(pair.other.name)] = led(pair.one.name)
    found: dict[str, list[Pair]] = {}
    for pair in strongest:
        found.setdefault(led(pair.one.name), []).append(pair)
    return [_group(together) for together in found.values()]


def _group(pairs: Sequence[Pair]) -> Group:
    members = {member.name: member for pair in pairs for member in (pair.one, pair.other)}
    return Group(tuple(members[name] for name in sorted(members)), tuple(pairs))


def pairs_of(
    members: Sequence[Member], sets: Sequence[Hashes], limits: Limits
) -> tuple[list[Pair], Hashes]:
    """Return the pairs of members that are alike, and the fingerprints that too many share.

    Members of this year stand before those of years past, who are not compared with each other.
    Members with the same fingerprints count as one when it is asked how many share one: else a
    solution that goes round would be common knowledge. They are paired with the first one of them.
    """
    same: dict[bytes, list[int]] = {}
    for number, each in enumerate(sets):
        same.setdefault(each.tobytes(), []).append(number)
    numbers = list(same.values())
    firsts = [each[0] for each in numbers]
    current = sum(not members[first].past for first in firsts)
    found = alike([sets[first] for first in firsts], current, limits)
    pairs = [
        Pair(members[firsts[each.one]], members[firsts[each.other]], each.share, each.shared)
        for each in found.pairs
    ]
    for (first, *others), size in zip(numbers, found.sizes, strict=True):
        if size >= limits.shared and not members[first].past:
            pairs += [Pair(members[first], members[each], 1.0, int(size)) for each in others]
    return pairs, found.common
