"""The examiner knows no course: its rooms name no chapter, no corpus and import nothing of one."""

import re
from pathlib import Path

import pytest

from tests.course import CHAPTERS, COURSE
from tests.test_architecture import imports, tracked

PACKAGE = "examiner"
ROOMS = (
    *("boundary", "candidate", "catalogue", "check", "grading", "judge", "platforms", "release"),
    *("sandbox", "suite", "counterexamples", "race", "cluster", "inbox", "similar", "term"),
    "report",
    *("__init__.py", "errors.py", "files.py", "fingerprints.py", "junk.py", "plural.py"),
    *("project.py", "results.py", "stubs.py", "templates.py"),
)
WORDS = (
    *("corpus", "corpora", "village", "pydocs"),
    *("checkpoint", "explorable", "ladder", "perplexity"),
)


def files() -> list[Path]:
    """The files of the examiner's rooms that are read by people."""
    folder = COURSE.root / PACKAGE
    patterns = (f"{PACKAGE}/*.{ending}" for ending in ("py", "txt", "html", "css", "js"))
    return [path for path in tracked(*patterns) if path.relative_to(folder).parts[0] in ROOMS]


def foreign(path: Path) -> list[str]:
    """What a file imports of the course's library."""
    return [name for name in imports(path) if name.partition(".")[0] == "nextword"]


def test_every_room_is_there() -> None:
    assert {path.relative_to(COURSE.root / PACKAGE).parts[0] for path in files()} == {*ROOMS}


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_nothing_of_a_course(room: str) -> None:
    inside = [path for path in files() if room in path.parts and path.suffix == ".py"]
    assert not {path.name: found for path in inside if (found := foreign(path))}


def test_no_room_names_a_chapter_a_corpus_or_the_course() -> None:
    stems = [chapter.stem for chapter in CHAPTERS]
    words = [*WORDS, *stems, *(f"{word}s" for word in WORDS)]
    names = re.compile(rf"\b({'|'.join(words)})\b|{COURSE.settings.title}", re.IGNORECASE)
    found = {
        f"{path.relative_to(COURSE.root)}:{number}: {line.strip()}"
        for path in files()
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1)
        if names.search(line)
    }
    assert found == set()
