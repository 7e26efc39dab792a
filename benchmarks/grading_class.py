"""A class of varied n-gram submissions, made from the course's own files; no grading."""

from __future__ import annotations

import random
from pathlib import Path

from nextword import catalogue
from nextword.judge.misconceptions import load_misconceptions
from nextword.project import find_project

PROJECT = find_project(Path(__file__))
CHAPTER = catalogue.chapter("ngrams")


def mistakes_as_text() -> str:
    """Return the misconceptions' functions as a student might have them in the module."""
    folder = PROJECT.root / "tests" / "misconceptions"
    texts = [path.read_text("utf-8") for path in sorted(folder.glob("ngrams*.py"))]
    lines = [line for text in texts for line in text.splitlines()]
    kept = [line for line in lines if not line.startswith(("from nextword", "from tests"))]
    return "def misconception(*_, **__):\n    return lambda found: found\n\n" + "\n".join(kept)


def make_class(count: int, folder: Path) -> dict[str, str]:
    """Write `count` submissions: right ones, some with mistakes, some unfinished, some broken."""
    luck = random.Random(2)
    reference = (PROJECT.root / "solutions" / "ngrams.py").read_text("utf-8")
    stubs = (PROJECT.root / "coursework" / "ngrams.py").read_text("utf-8")
    other = (PROJECT.root / "tests/submissions/ngrams/alice/ngrams.py").read_text("utf-8")
    found = PROJECT.misconceptions("ngrams")
    assert found is not None
    mistakes, helpers = load_misconceptions(found), mistakes_as_text()
    sources = {}
    for number in range(count):
        kind, text = number % 10, reference
        if kind == 8:
            text = other
        elif kind == 9:
            text = stubs if number % 20 == 9 else reference.replace("def pad(", "def pad((", 1)
        if kind in (3, 4, 5, 6):
            chosen = luck.sample(mistakes, kind - 2)
            changes = [f"{each.replaces} = {each.name}" for each in chosen]
            text += "\n\n" + "\n".join([helpers, *changes])
        elif kind == 7:
            tasks = luck.sample(CHAPTER.tasks, 3)
            names = [symbol for task in tasks for symbol in task.symbols]
            text += "\n\ndef unwritten(*_, **__):\n    raise NotImplementedError('not yet')\n\n\n"
            text += "\n".join(f"{name} = unwritten" for name in names)
        sources[f"student{number:03d}"] = f"{text}\n# {number}\n"
    for name, text in sources.items():
        (folder / name).mkdir(parents=True)
        (folder / name / "ngrams.py").write_text(text, "utf-8")
    return sources
