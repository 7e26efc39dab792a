"""Submissions whose answers stay in the grader's memory until the next ones find none."""

from dataclasses import replace
from pathlib import Path

import pytest

from examiner.boundary import wire
from examiner.boundary.conversation import Conversation
from examiner.catalogue import parse_chapter
from examiner.grading.run import Options, grade
from examiner.judge import bounds
from examiner.judge.kept import Ending, Heard, Step
from examiner.project import Project
from tests.examiner.grading.conftest import Quiet, sandbox_works
from tests.examiner.small_course import catalogue_text, write_files

CATALOGUE = catalogue_text("rooms", {"Rooms": (4, "rooms refuse")})

HONEST = '''"""Rooms. Leaves out: all else."""

import numpy as np


def rooms(n):
    return np.ones(n, np.uint8)


def refuse():
    raise ValueError("no")
'''

# a frame that holds what holds the frame: Python looks for such things after millions of objects
SUITE = '''"""The suite."""

import numpy as np
import pytest

from examiner.suite import student_module

rooms = student_module("rooms")


@pytest.mark.task("9.1", seconds=5)
def test_rooms(rooms):
    """There are rooms."""
    found = rooms.rooms(3)
    with pytest.raises(ValueError) as info:
        rooms.refuse()
    assert info.type is ValueError
    assert len(np.ones(16 << 20)) == 16 << 20
    assert found.sum() == 3
'''

LARGE = HONEST.replace("np.ones(n,", "np.ones(60_000_000 + LEFT,")


@pytest.mark.slow
@pytest.mark.always
def test_what_one_has_answered_is_gone_when_the_next_is_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "MEMORY", 512 << 20)
    write_files(tmp_path, {"solutions/rooms.py": HONEST, "tests/rooms/suite/test_rooms.py": SUITE})
    sources = {f"large-{n}": LARGE.replace("LEFT", str(n)) for n in range(8)} | {"small": HONEST}
    write_files(tmp_path / "class", {f"{who}/rooms.py": text for who, text in sources.items()})
    options = Options(out=tmp_path / "out", jobs=1, seed="s", confined=sandbox_works())
    chapter = parse_chapter(CATALOGUE)
    outcome = grade(Project(tmp_path), chapter, tmp_path / "class", options, Quiet())
    scores = {result.student: result.score for result in outcome.results}
    assert scores == {who: 4 if who == "small" else 0 for who in sources}


def test_what_an_exception_holds_counts_against_the_room_of_what_is_kept() -> None:
    text = "x" * 50_000
    heard = Heard(1, 100_000, None, (), None, None)
    passed = Ending(None, "", heard, frozenset(), (), 0.0, ())
    least = Step("end", b"", ending=passed).size
    told = replace(heard, raised=ValueError(text), unwritten=text)
    for ending, more in (
        (replace(passed, heard=told, raised=told.raised), 100_000),  # the student's own
        (replace(passed, raised=AssertionError(text)), 50_000),
        (replace(passed, raised=KeyError((text,))), 100_000),  # may hold any answer
    ):
        assert Step("end", b"", ending=ending).size >= least + more


def test_the_text_of_an_exception_is_never_long() -> None:
    said = wire.encode(["error", ["ValueError", "x" * 1_000_000, []]])
    talk = Conversation(lambda *_: said)
    talk.begin(1, 5.0)
    with pytest.raises(ValueError, match="x") as info:
        talk.request("call", None)
    assert len(str(info.value)) < 10_000
