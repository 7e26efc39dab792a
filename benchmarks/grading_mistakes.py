"""What the examiner makes of mistakes that its suite was not written for.

Grades right and wrong answers to a chapter (tests/<chapter>/answers) as one class for each seed,
and counts how many right ones get full marks, how many wrong ones are caught, get the sentence that
names their mistake, get another one, lose points in tasks that they had right, and lose too many
points for an edge case or too few for a missed idea.
Usage: python benchmarks/grading_mistakes.py [CHAPTER] [--seeds N] [--first N] [--jobs N] [--list]
    [--only TEXT]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.outcomes import Outcome, idle, outcomes, write_class
from examiner.catalogue import Chapter
from examiner.grading.run import Options, grade
from examiner.judge.mistakes import Answer, load_answers, load_misconceptions
from examiner.project import find_project
from examiner.results import SubmissionResult
from tests.course import COURSE


class Quiet:
    def begin(self, total: int, known: int) -> None:
        pass

    def finished(self, result: SubmissionResult) -> None:
        pass

    def tick(self) -> None:
        pass


def graded(
    chapter: Chapter, answers: list[Answer], seed: str, jobs: int
) -> dict[str, SubmissionResult]:
    """Grade answers as one class."""
    project = find_project()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "class"
        write_class(answers, chapter.stem, folder)
        options = Options(out=Path(name) / "grades", jobs=jobs, seed=seed)
        outcome = grade(project, chapter, folder, options, Quiet())
        # within the folder, from which each result is read when it is asked for
        return {result.student: result for result in outcome.results}


def shares(found: list[Outcome]) -> dict[str, int]:
    """Count what the table shows."""
    return {
        "wrong": len(found),
        "caught": sum(each.caught for each in found),
        "named right": sum(each.named_right for each in found),
        "named wrong": sum(each.named_wrong for each in found),
        "charged twice": sum(bool(each.others) for each in found),
        "nothing said": sum(each.silent for each in found),
        "unfair in size": sum(each.unfair for each in found),
    }


def details(found: list[Outcome]) -> None:
    for each in found:
        marks = [
            "" if each.caught else "NOT CAUGHT",
            f"WRONG NAME {sorted(each.named - each.answer.named_by)}" if each.named_wrong else "",
            "" if each.named else "no name",
            f"also lost: {', '.join(t.task.id for t in each.others)}" if each.others else "",
            "NOTHING SAID" if each.silent else "",
            f"{each.answer.kind.upper()} KEEPS {each.kept:.0%}" if each.unfair else "",
        ]
        of = f"{each.task.score:g} of {each.task.task.points}"
        print(f"  {each.answer!s:75} {of:10} {'; '.join(filter(None, marks))}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("chapter", nargs="?", default="ngrams")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first seed")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--list", action="store_true", help="a line for each wrong answer")
    parser.add_argument("--only", default="", help="answers whose name holds this text")
    given = parser.parse_args()
    chapter, project = COURSE.catalogue.chapter(given.chapter), find_project()
    mistakes = load_misconceptions(project, chapter.stem)
    names = {each.says: each.name for each in mistakes}
    answers = [each for each in load_answers(project, chapter.stem) if given.only in str(each)]
    right = [each for each in answers if each.kind == "right"]
    wrong = [each for each in answers if each.kind != "right"]
    without = list({str(each): each for each in map(idle, wrong)}.values())
    missed: Counter[str] = Counter()
    for number in range(given.first, given.first + given.seeds):
        seed = f"mistakes {number}"
        results = graded(chapter, [*right, *wrong, *without], seed, given.jobs)
        found = list(outcomes(wrong, results, names))
        full = [each for each in right if results[str(each)].score == chapter.points]
        print(f"{seed}: {len(full)} of {len(right)} right ones get full marks;", shares(found))
        for each in right:
            if each not in full:
                print("  NOT FULL", each, results[str(each)].score)
        missed.update(str(each.answer) for each in found if not each.caught)
        if given.list:
            details(found)
    for name, times in missed.items():
        print(f"not caught under {times} of {given.seeds} seeds: {name}")


if __name__ == "__main__":
    main()
