"""How good the smallest examples are that wrong answers get.

For every mistake and every other answer of the tests: whether there is an example, how large it is,
what it costs, whether a right answer gets a false one, and which sentence is said:

    python benchmarks/counterexamples.py [CHAPTER [TASK]]

Where a task is named, all messages are printed.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from examiner.catalogue import Chapter
from examiner.counterexamples.examples import Examples
from examiner.judge.local import on_module
from examiner.judge.mistakes import Answer, Misconception, load_answers, load_misconceptions
from examiner.judge.suite import Suite, with_suite
from examiner.judge.wording import Source
from examiner.project import find_project
from examiner.results import SmallestExample

PROJECT = find_project(Path(__file__))


@dataclass(frozen=True)
class Row:
    """What an answer is shown, and what that takes."""

    answer: Answer
    example: SmallestExample | None
    seconds: float

    @property
    def meant(self) -> str:
        """The sentence of a mistake."""
        return self.answer.says if isinstance(self.answer, Misconception) else ""


def row(suite: Suite, chapter: Chapter, examples: Examples, answer: Answer) -> Row:
    """Ask an answer for the programs of its functions."""
    session = on_module(suite, chapter.stem, answer.module())
    session = replace(session, source=Source(f"{chapter.stem}.py", answer.text))
    symbols = tuple(dict.fromkeys([answer.symbol, *answer.bodies]))
    task = replace(chapter.task(answer.task_id), symbols=symbols)
    examples.pool(task.id)  # what is right is found once for a class
    began = time.process_time()
    found = examples.of(task, lambda: session)
    return Row(answer, next(iter(found), None), time.process_time() - began)


def messages(rows: Iterable[Row]) -> Iterator[str]:
    """Tell what each wrong answer is shown."""
    for each in rows:
        said = each.example.said if each.example else "NO EXAMPLE"
        yield f"--- {each.answer}\n    ({each.meant})\n{said}"


def numbers(rows: list[Row]) -> Iterator[str]:
    """Tell how many get an example, how large and how dear it is."""
    wrong = [each for each in rows if each.answer.kind != "right"]
    shown = [each.example for each in wrong if each.example]
    yield f"{len(wrong)} wrong answers, {len(shown)} with an example; without one:"
    yield from (f"    {each.answer} ({each.answer.place})" for each in wrong if not each.example)
    false = [each for each in rows if each.answer.kind == "right" and each.example]
    yield f"{len(rows) - len(wrong)} right answers, {len(false)} with a false example"
    yield from messages(false)
    if shown:
        sizes, seconds = [each.size for each in shown], [each.seconds for each in wrong]
        yield f"tokens: median {statistics.median(sizes)}, most {max(sizes)}"
        yield f"seconds: median {statistics.median(seconds):.3f}, most {max(seconds):.3f}"
        yield f"with a sentence: {sum(bool(each.says) for each in shown)}"


def main() -> None:
    """Survey the chapters that the command line names, or all."""
    stems = sys.argv[1:2] or [chapter.stem for chapter in PROJECT.catalogue.chapters]
    task = sys.argv[2] if len(sys.argv) > 2 else ""
    for stem in stems:

        def work(suite: Suite, stem: str = stem) -> None:
            chapter, mistakes = PROJECT.catalogue.chapter(stem), load_misconceptions(PROJECT, stem)
            examples = Examples(suite, stem, PROJECT.module("solutions", stem), mistakes)
            answers = [*mistakes, *load_answers(PROJECT, stem)]
            wanted = [each for each in answers if task in ("", each.task_id)]
            rows = [row(suite, chapter, examples, answer) for answer in wanted]
            print(*(messages(rows) if task else ()), f"{stem} {task}", *numbers(rows), sep="\n")

        with_suite(PROJECT.suite(stem), PROJECT.root, work)


if __name__ == "__main__":
    main()
