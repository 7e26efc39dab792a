"""Whoever fails earlier tasks on purpose gets no more for a later one.

Of each task a wrong answer is graded twice: beside right earlier tasks, and beside earlier tasks
that do nothing, whose right versions are lent in a second try. `make test` tries half of chapter 2.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from examiner.catalogue import Chapter
from examiner.grading.run import Options, grade
from examiner.judge.mistakes import Answer, load_answers, nothing
from examiner.judge.modules import Reference
from examiner.project import Project
from tests.browser import THOROUGH
from tests.course import COURSE
from tests.examiner.grading.conftest import Quiet, sandbox_works

ROOT = Path(__file__).parents[3]
LONG = ("embeddings", "attention", "transformers")
CHAPTERS = ("ngrams", *(pytest.param(stem, marks=pytest.mark.thorough) for stem in LONG))
PROJECT = Project(ROOT)
# later functions that leave their work to an earlier one, which is right and costs too much
WRAPPERS = {
    "attention": [
        ("5.10", "grouped_attention", "k, v = (z.repeat_interleave(q.shape[1] // z.shape[1], 1) "
         "for z in (k, v))\nreturn attention(q, k, v, mask)"),
        ("5.11", "blockwise_attention", "mask = causal_mask(q.shape[-2], k.shape[-2]) if causal "
         "else None\nreturn attention(q, k, v, mask)[0]"),
        ("5.12", "windowed_attention", "mask = causal_mask(q.shape[-2]).triu(1 - width)\n"
         "return attention(q, k, v, mask)[0]"),
    ],
    "ngrams": [
        ("2.8", "Backoff.estimate", "return AbsoluteDiscounting.estimate(self, word, context)")
    ],
    "embeddings": [("3.12", "pca", "V, s = svd_vectors(X - X.mean(0), d, 1.0)\nreturn V, V.T, s")],
    "transformers": [("6.9", "generate", "return model.logits(model.read(torch.tensor([ids])))")],
}  # fmt: skip


def wrong_answers(chapter: Chapter) -> Iterator[Answer]:
    """A wrapper, a task that does nothing, and the first missed idea of each task."""
    reference = Reference(PROJECT.module("solutions", chapter.stem))
    for task_id, symbol, body in WRAPPERS[chapter.stem]:
        name = "leaves it to others"
        yield Answer(task_id, symbol, name, "", frozenset(), {symbol: body}, reference)
    ideas = [each for each in load_answers(PROJECT, chapter.stem) if each.kind == "idea"]
    for task in chapter.tasks[1 :: 1 if THOROUGH else 2]:
        yield nothing(reference, task.id, task.symbols)
        yield from [each for each in ideas if each.task_id == task.id][:1]


def on_purpose(chapter: Chapter, answer: Answer) -> Answer:
    """The same answer, beside earlier tasks that fail."""
    earlier = chapter.tasks[: [task.id for task in chapter.tasks].index(answer.task_id)]
    symbols = [name for task in earlier for name in task.symbols]
    broken = nothing(answer.reference, answer.task_id, [answer.symbol, *symbols])
    return replace(answer, bodies={**broken.bodies, **answer.bodies})


@pytest.mark.slow
@pytest.mark.parametrize("stem", CHAPTERS)
def test_failing_an_earlier_task_raises_no_later_score(stem: str, tmp_path: Path) -> None:
    chapter = COURSE.catalogue.chapter(stem)
    answers = list(wrong_answers(chapter))
    for number, answer in enumerate(answers):
        for name, each in (("honest", answer), ("cheat", on_purpose(chapter, answer))):
            folder = tmp_path / "class" / f"{number}-{name}"
            folder.mkdir(parents=True)
            (folder / f"{stem}.py").write_text(each.text, "utf-8")
    options = Options(out=tmp_path / "out", jobs=1, seed="on purpose", confined=sandbox_works())
    outcome = grade(PROJECT, chapter, tmp_path / "class", options, Quiet())
    tasks = {result.student: result.tasks for result in outcome.results}
    gained = []
    for number, answer in enumerate(answers):
        pairs = zip(tasks[f"{number}-honest"], tasks[f"{number}-cheat"], strict=True)
        first = [task.id for task in chapter.tasks].index(answer.task_id)
        for honest, cheat in list(pairs)[first:]:
            if cheat.score > honest.score:
                tests = [
                    test.name for test in cheat.tests if test.message.startswith("right, given")
                ]
                gained.append(f"{answer}: {honest.task.id} {honest.score} {cheat.score} {tests}")
        own = tasks[f"{number}-honest"][first]
        assert own.score < own.task.points, f"{answer} is not wrong"
    assert gained == []
