"""A job and its result as JSON: all that crosses between the grader and another process.

A job holds what a student handed in, without the student's name. A result comes from a machine
that a student may have taken over, so it is read as a stranger's letter: its form is checked to the
last field, and what is known here (a test's name, its weight, the points) is never taken from it.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from examiner.catalogue import Chapter
from examiner.cluster.setting import LONGEST
from examiner.grading.submissions import Submission
from examiner.judge.reading import read_apart
from examiner.judge.session import describe
from examiner.judge.suite import Suite
from examiner.judge.wording import Source, clean
from examiner.results import (
    SmallestExample,
    SubmissionResult,
    TaskResult,
    TestResult,
    Verdict,
    Whose,
)

LONGEST_TEXT = 20_000  # characters of one text in it
_EXAMPLE = ("symbol", "call", "gives", "right", "where", "says")


class NonsenseError(Exception):
    """What a worker answered is no result; says why not."""


# ------------------------------------------------------------------------------ jobs


def job_of(submission: Submission) -> str:
    """Return a submission as a job; who handed it in is left out."""
    return json.dumps(
        {
            "data": base64.b64encode(submission.data).decode(),
            "text": submission.source.text,
            "files": [
                each.encode(errors="surrogateescape").decode("latin-1") for each in submission.files
            ],
            "problem": submission.problem,
            "verdict": submission.verdict.value,
            "note": submission.note,
        }
    )


def submission_of(job: str, stem: str) -> Submission:
    """Return the submission of a job, handed in by nobody."""
    raw = json.loads(job)
    return Submission(
        Whose(""),
        Source(f"{stem}.py", raw["text"], read_apart),
        base64.b64decode(raw["data"]),
        tuple(each.encode("latin-1").decode(errors="surrogateescape") for each in raw["files"]),
        raw["problem"],
        Verdict(raw["verdict"]),
        raw["note"],
    )


# ------------------------------------------------------------------------------ results


def result_of(result: SubmissionResult) -> str:
    """Return a result as JSON: what was found out, not what was known before."""
    tests = [test for task in result.tasks for test in task.tests]
    return json.dumps(
        {
            "notice": result.notice,
            "tests": {
                each.name: [each.verdict.value, each.message, each.misconception, each.seconds]
                for each in tests
            },
            "examples": {
                each.task.id: [asdict(example) for example in each.examples]
                for each in result.tasks
                if each.examples
            },
        },
        sort_keys=True,
    )


@dataclass(frozen=True)
class Form:
    """What a result of a chapter looks like: its tests, and what may be said of them."""

    chapter: Chapter
    tests: Sequence[tuple[str, TestResult]]  # the task of each, and what is known of it
    sentences: Collection[str]  # of the chapter's misconceptions

    @classmethod
    def of(cls, chapter: Chapter, suite: Suite, sentences: Collection[str]) -> Form:
        """Return the form that a suite gives to results."""
        tests = [
            (test.mark.id, describe(test, Verdict.NOT_JUDGED, "", 0.0)) for test in suite.tests
        ]
        return cls(chapter, tests, frozenset(sentences))

    def read(self, text: Any, submission: Submission) -> SubmissionResult:
        """Return the result of a submission; raises NonsenseError unless it has this form."""
        if not isinstance(text, str):
            raise NonsenseError("no result")
        if len(text) > LONGEST:
            raise NonsenseError(f"{len(text)} characters, at most {LONGEST}")
        try:
            raw = json.loads(text, parse_constant=_no_number)
        except (ValueError, RecursionError):
            raise NonsenseError("no JSON") from None
        _keys(raw, {"notice", "tests", "examples"}, "the result")
        _keys(raw["tests"], {known.name for _, known in self.tests}, "its tests")
        examples = raw["examples"]
        if not isinstance(examples, dict) or not examples.keys() <= self._symbols.keys():
            raise NonsenseError("examples of tasks that are none")
        results = [
            (task, self._test(known, raw["tests"][known.name])) for task, known in self.tests
        ]
        tasks = tuple(
            TaskResult(
                task,
                tuple(test for task_id, test in results if task_id == task.id),
                tuple(self._examples(task.id, examples.get(task.id, []))),
            )
            for task in self.chapter.tasks
        )
        return SubmissionResult(
            submission.student, tasks, _text(raw["notice"], "the notice"), submission.files
        )

    @property
    def _symbols(self) -> dict[str, Collection[str]]:
        return {task.id: task.symbols for task in self.chapter.tasks}

    def _test(self, known: TestResult, raw: Any) -> TestResult:
        if not isinstance(raw, list) or len(raw) != 4:
            raise NonsenseError(f"{known.name} is no list of four")
        verdict, message, misconception, seconds = raw
        if not isinstance(verdict, str) or verdict not in set(Verdict):
            raise NonsenseError(f"{known.name} has no verdict")
        if type(seconds) not in (int, float) or not 0 <= seconds <= 1e6:
            raise NonsenseError(f"{known.name} has no seconds")
        return replace(
            known,
            verdict=Verdict(verdict),
            message=_text(message, known.name),
            misconception=self._sentence(misconception),
            seconds=float(seconds),
        )

    def _examples(self, task: str, raw: Any) -> list[SmallestExample]:
        if not isinstance(raw, list) or len(raw) > len(self._symbols[task]):
            raise NonsenseError(f"too many examples of {task}")
        found = []
        for each in raw:
            _keys(each, {*_EXAMPLE, "size"}, "an example")
            texts = {name: _text(each[name], f"an example's {name}") for name in _EXAMPLE}
            if type(each["size"]) is not int or texts["symbol"] not in self._symbols[task]:
                raise NonsenseError(f"an example of no function of {task}")
            self._sentence(texts["says"])
            found.append(SmallestExample(**texts, size=each["size"]))
        return found

    def _sentence(self, text: Any) -> str:
        if not isinstance(text, str) or (text and text not in self.sentences):
            raise NonsenseError("a mistake that the course does not know")
        return text


def _keys(raw: Any, expected: Collection[str], what: str) -> None:
    if not isinstance(raw, dict) or raw.keys() != set(expected):
        raise NonsenseError(f"{what} has not the fields that it should have")


def _text(raw: Any, what: str) -> str:
    """Return a text that is safe to print: the grader's own are, so another one is no result."""
    if not isinstance(raw, str) or len(raw) > LONGEST_TEXT:
        raise NonsenseError(f"{what} is no text, or too long a one")
    if raw != clean(raw, LONGEST_TEXT):
        raise NonsenseError(f"{what} holds control codes, or what hides text")
    return raw


def _no_number(name: str) -> float:
    raise ValueError(name)
