"""Classes of varied submissions, made from a course's own files; no grading."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from examiner.catalogue import Chapter, parse_chapter
from examiner.judge.mistakes import load_answers, load_misconceptions
from examiner.judge.modules import Reference
from examiner.project import Project, find_project
from tests.course import COURSE

HERE = Path(__file__).parent
UNWRITTEN = "\n\ndef unwritten(*_, **__):\n    raise NotImplementedError('not yet')\n\n\n"


@dataclass(frozen=True)
class Course:
    """A chapter whose submissions are graded, and how its class is made up."""

    project: Project
    chapter: Chapter
    text_of: Callable[[Course, int, random.Random], str]  # of the submission of a number

    @property
    def stem(self) -> str:
        return self.chapter.stem

    @property
    def reference(self) -> str:
        return self.project.module("solutions", self.stem).read_text("utf-8")

    def make_class(self, count: int, folder: Path, *, distinct: bool = False) -> dict[str, str]:
        """Write `count` submissions into `folder`; return their texts by student.

        Right ones, for instance, differ by a comment; `distinct`: by a line of code.
        """
        luck, sources = random.Random(2), {}
        for number in range(count):
            text = self.text_of(self, number, luck)
            own = f"NUMBER = {number}" if distinct else f"# {number}"
            sources[f"student{number:03d}"] = f"{text}\n{own}\n"
        for name, text in sources.items():
            (folder / name).mkdir(parents=True)
            (folder / name / f"{self.stem}.py").write_text(text, "utf-8")
        return sources

    def without(self, names: list[str]) -> str:
        """Return the reference with functions that are not written yet."""
        return self.reference + UNWRITTEN + "\n".join(f"{name} = unwritten" for name in names)


def _ngrams(course: Course, number: int, luck: random.Random) -> str:
    """Of ten: three right, four with mistakes, one unfinished, one other's, one broken."""
    kind, root = number % 10, course.project.root
    if kind in (3, 4, 5, 6):  # of one to four mistakes, each in another function
        answers = load_answers(course.project, course.stem)
        wrong = [each for each in answers if each.kind != "right"]
        ends = [each for each in wrong if "while True" not in str(each.bodies)]
        bodies = {each.symbol: each.bodies[each.symbol] for each in luck.sample(ends, kind + 6)}
        chosen = dict([*bodies.items()][: kind - 2])
        return Reference(course.project.module("solutions", course.stem)).changed(chosen)
    if kind == 7:
        tasks = luck.sample(course.chapter.tasks, 3)
        return course.without([symbol for task in tasks for symbol in task.symbols])
    if kind == 8:
        return (root / "tests/ngrams/class/alice/ngrams.py").read_text("utf-8")
    if number % 20 == 9:
        return (root / "coursework" / "ngrams.py").read_text("utf-8")
    return course.reference.replace("def pad(", "def pad((", 1 if kind == 9 else 0)


SLOW = """

def attention(q, k, v):
    rows = []
    for t in range(q.shape[-2]):
        scores = [(q[..., t, :] * k[..., s, :]).sum(-1) for s in range(t + 1)]
        shares = (torch.stack(scores, -1) / math.sqrt(q.shape[-1])).softmax(-1)
        rows.append(sum(shares[..., s, None] * v[..., s, :] for s in range(t + 1)))
    return torch.stack(rows, -2)
"""


def _attention(course: Course, number: int, luck: random.Random) -> str:
    """Of ten: three right, three with mistakes, one wrong, one slow, one unfinished, one broken."""
    kind, reference = number % 10, course.reference
    if kind in (3, 4, 5):
        return luck.choice(load_misconceptions(course.project, course.stem)).text
    if kind == 6:
        return reference.replace("self.out(attention", "self.out(2 * attention")
    if kind == 7:
        return reference + SLOW
    if kind == 8:
        return course.without(["generate", "train"])
    return reference.replace("def train(", "def train((", 1 if kind == 9 else 0)


def courses() -> dict[str, Course]:
    """Return the chapters that can be measured, by the name of their class."""
    torch_chapter = parse_chapter((HERE / "attention/chapter.toml").read_text("utf-8"))
    return {
        "ngrams": Course(find_project(HERE), COURSE.catalogue.chapter("ngrams"), _ngrams),
        "torch": Course(Project(HERE / "attention"), torch_chapter, _attention),
    }
