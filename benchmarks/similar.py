"""How `nextword similar` does in classes of any size: seconds, memory, copies found, groups made.

Makes a class from a chapter's answers: each student takes one right or wrong answer for every task,
rewritten by program in one of several ways, and leaves some tasks open. One in fifty copies another
one and disguises the copy. Every second right answer is held back from what is known, as most of
what students find is known to nobody before.
Usage: python benchmarks/similar.py [CHAPTER] [--count N...] [--jobs N] [--index]
"""

from __future__ import annotations

import argparse
import ast
import random
import resource
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
import numpy as np

from examiner.grading.works import Entry
from examiner.judge.mistakes import load_answers
from examiner.judge.modules import Reference
from examiner.project import find_project
from examiner.similar.compare import Comparison, compare, opened
from examiner.similar.groups import Member, grouped, pairs_of
from examiner.similar.index import Limits
from examiner.similar.known import Known, known, unique, without
from examiner.similar.winnowing import BITS, Hashes
from tests.examiner.similar.disguises import DISGUISES

EVERY = 50  # of so many students one copies
REWRITTEN = 40  # ways in which each answer is written
WAYS = ("other names", "dead code at every third statement", "statements in another order")
WAYS += ("every for is a while", "list comprehensions are loops")
COPIED = ("other names", "functions in another order", "comments and docstrings", "all of these")


def rewritten(body: str, luck: random.Random) -> str:
    """Return the code of an answer as somebody else might have written it."""
    wrapped = "def work():\n" + "\n".join(f"    {line}" for line in body.splitlines())
    try:
        ast.parse(wrapped)
    except SyntaxError:
        return body
    for name in luck.sample(WAYS, luck.randrange(4)):
        wrapped = DISGUISES[name](wrapped, luck)
    lines = wrapped.splitlines()[1:]
    return "\n".join(line[4:] for line in lines)


@dataclass(frozen=True)
class Class:
    """The students of a class, and who copied from whom."""

    reference: Reference
    ways: dict[str, list[str]]  # the bodies that may be written, by function

    def texts(self, count: int, luck: random.Random) -> Iterator[tuple[str, str, str]]:
        """Yield each student, what is handed in, and from whom it was copied."""
        last: list[tuple[str, str]] = []
        for number in range(count):
            name, source = f"student{number:05d}", ""
            if number % EVERY == EVERY - 1:
                source, text = luck.choice(last)
                text = DISGUISES[luck.choice(COPIED)](text, luck)
            else:
                done = luck.choice((0.3, 0.6, 1, 1, 1))
                chosen = {
                    symbol: luck.choice(bodies) if luck.random() < done else "pass"
                    for symbol, bodies in self.ways.items()
                }
                text = self.reference.changed(chosen)
                last = [*last[-29:], (name, text)] if done == 1 else last
            yield name, text, source


def parts(there: Class, given: Known) -> list[list[Hashes]]:
    """Return the fingerprints of each way to write each function."""
    return [
        [
            without(without(unique([_whole(symbol, body)]), given.stub), given.answers)
            for body in sorted(set(bodies))
        ]
        for symbol, bodies in there.ways.items()
    ]


def _whole(symbol: str, body: str) -> str:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return f"def {symbol.split('.')[-1]}(self, a, b):\n{lines}"


def put_together(
    count: int, ways: list[list[Hashes]], luck: random.Random
) -> Iterator[tuple[str, Hashes, str]]:
    """Yield each student with fingerprints, put together without a text; a copy loses a tenth."""
    last: list[tuple[str, Hashes]] = []
    for number in range(count):
        name, source = f"student{number:05d}", ""
        if number % EVERY == EVERY - 1:
            source, hashes = luck.choice(last)
            kept = np.array([luck.random() < 0.9 for _ in hashes])
            new = [luck.getrandbits(BITS) for _ in range(int((~kept).sum()))]
            hashes = np.unique(np.r_[hashes[kept], np.array(new, np.uint64)])
        else:
            done = luck.choice((0.3, 0.6, 1, 1, 1))
            chosen = [luck.choice(each) for each in ways if luck.random() < done]
            hashes = np.unique(np.concatenate([np.zeros(0, np.uint64), *chosen]))
            last = [*last[-29:], (name, hashes)] if done == 1 else last
        yield name, hashes, source


def measure_index(stem: str, count: int) -> None:
    """Print a row of the table for the index alone."""
    given, there = half_known(stem), made(stem)
    members, sets, copies = [], [], {}
    for name, hashes, source in put_together(count, parts(there, given), random.Random(2)):
        members.append(Member(name, Entry(name)))
        sets.append(hashes)
        if source:
            copies[name] = source
    clock, before = time.monotonic(), processor()
    pairs, common = pairs_of(members, sets, Limits().at(count))
    groups = tuple(grouped(pairs))
    seconds, clock = processor() - before, time.monotonic() - clock
    report(count, copies, Comparison(stem, groups, (), count, 0, 0, (), common), seconds, clock)


def half_known(stem: str) -> Known:
    """Return what is known of a chapter, without every second right answer."""
    project = find_project()
    given = known(project, stem)
    right = [each for each in load_answers(project, stem) if each.kind == "right"]
    return replace(given, answers=without(unique([each.text for each in right[::2]]), given.stub))


def made(stem: str) -> Class:
    """Return a class of a chapter."""
    project, luck = find_project(), random.Random(1)
    reference = Reference(project.module("solutions", stem))
    ways: dict[str, list[str]] = defaultdict(list)
    for answer in load_answers(project, stem):
        for symbol, body in answer.bodies.items():
            if not body.lstrip().startswith(("def ", "class ", "@")):
                ways[symbol] += [rewritten(body, luck) for _ in range(REWRITTEN)]
    return Class(reference, dict(ways))


def measure(stem: str, count: int, jobs: int) -> None:
    """Print a row of the table."""
    there = made(stem)
    with tempfile.TemporaryDirectory() as name:
        copies = {}
        for student, text, source in there.texts(count, random.Random(2)):
            path = Path(name, student, f"{stem}.py")
            path.parent.mkdir()
            path.write_text(text, "utf-8")
            if source:
                copies[student] = source
        given = half_known(stem)
        clock = time.monotonic()
        before = processor()
        with opened(Path(name), []) as members:
            found = compare(members, stem, given, Limits().at(count), jobs)
        seconds, clock = processor() - before, time.monotonic() - clock
    report(count, copies, found, seconds, clock)


def processor() -> float:
    """Return the processor seconds of this process and of those that it has waited for."""
    both = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
    return sum(sum(resource.getrusage(each)[:2]) for each in both)


def report(
    count: int, copies: dict[str, str], found: Comparison, seconds: float, clock: float
) -> None:
    """Print what was found of the copies, and which groups hold none."""
    groups = [{member.name for member in group.members} for group in found.groups]
    of = {name: number for number, group in enumerate(groups) for name in group}
    found_in = [of[one] for one, other in copies.items() if of.get(one, -1) == of.get(other, -2)]
    hits, false = len(found_in), len(groups) - len(set(found_in))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
    largest = max(map(len, groups), default=0)
    print(
        f"| {count:,} | {seconds:.1f} | {clock:.0f} | {peak} + {child} | {hits} of {len(copies)} "
        f"| {len(groups)} | {false} | {largest} |",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("chapter", nargs="?", default="ngrams")
    parser.add_argument("--count", type=int, nargs="+", default=[300])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--index", action="store_true", help="no texts: the index alone")
    given = parser.parse_args()
    print(
        "| students | processor s | clock s | MB, one process + largest other | copies found ",
        end="",
    )
    print("| groups | without a copy | largest |\n|---:|---:|---:|---:|---:|---:|---:|---:|")
    for count in given.count:
        if given.index:
            measure_index(given.chapter, count)
        else:
            measure(given.chapter, count, given.jobs)


if __name__ == "__main__":
    main()
