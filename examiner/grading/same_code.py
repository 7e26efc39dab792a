"""Submissions whose code is the same, line by line, but for comments: one of them is judged.

What a module does follows from its code, and all of a class are judged by the same tests and draws.
So whoever has the code of a submission that has been judged gets its result, word for word: the
stub that nobody has filled in, or what went from hand to hand. Leaves out whose work it is
(nextword similar).

subtle: Python gives a module no comments, but a module may read its own file. One that goes by its
own comments gets the result of the first with its code; whoever writes such a module can gain
nothing by it that the same code with the other's comments would not have had.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import tokenize
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from examiner.grading.submissions import Submission
from examiner.judge.kept import JUDGED
from examiner.results import SubmissionResult

ROOM = 300  # results that are remembered of those that arrive one by one
CAN_DECLARE = 2  # lines in which a comment may tell Python how the file is encoded
LONGEST = 1 << 16  # letters of a text in which comments are looked for: many are not to take long


def outline(submission: Submission) -> bytes:
    """Return a hash that is the same for all that have the same code; b"" for what is not run.

    Others may have it, too: it takes each line for a comment that looks like one.
    """
    if submission.problem:
        return b""
    lines = submission.source.text.replace("\r\n", "\n").split("\n")
    text = "\n".join("" if line.lstrip().startswith("#") else line for line in lines)
    return _hash(submission, text.rstrip())


def code_in(text: str) -> str:
    r"""Return a module's text with its lines of comments emptied, as far as they can be told.

    What else stands in a line stays, since messages quote it, and so do the numbers of the lines.

    >>> code_in("x = 1  # one\n# two\ny = '''\n# no comment\n'''\n# the end\n")
    "x = 1  # one\n\ny = '''\n# no comment\n'''"
    """
    text = text.replace("\r\n", "\n")  # as Python reads it
    if len(text) > LONGEST or "\r" in text or "\f" in text:
        return text
    lines = text.split("\n")
    before: tokenize.TokenInfo | None = None
    whole = False
    with contextlib.suppress(tokenize.TokenError, SyntaxError):  # what was read until there, counts
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if before and before.type == tokenize.COMMENT and token.type == tokenize.NL:
                row, column = before.start
                declares = row <= CAN_DECLARE and "coding" in before.string
                if not declares and not lines[row - 1][:column].strip():
                    lines[row - 1] = ""
            before = token
        whole = True
    found = "\n".join(lines)
    return found.rstrip() if whole else found


class SameCode:
    """Who waits for the result of whom.

    `outlines`: of all submissions, None where each is to be judged; `numbers`: of those that are
    to be judged.
    """

    def __init__(
        self,
        submissions: Sequence[Submission],
        outlines: Sequence[bytes] | None,
        numbers: Sequence[int],
    ) -> None:
        self._submissions = submissions
        self.first: list[int] = []  # those that are judged at once
        self._others: dict[int, list[int]] = {}  # that look the same, by the first of them
        self._unlike: set[int] = set()
        leading: dict[bytes, int] = {}
        for number in numbers:
            seen = outlines[number] if outlines else b""
            lead = leading.setdefault(seen, number) if seen else number
            if lead == number:
                self.first.append(number)
            else:
                self._others.setdefault(lead, []).append(number)

    @property
    def left(self) -> list[int]:
        """Those who waited in vain: to be judged each by itself."""
        return sorted(self._unlike)

    def settled_by(
        self, number: int, result: SubmissionResult
    ) -> Iterator[tuple[int, SubmissionResult]]:
        """Yield the results of those who have the code of a submission that has been judged.

        Once more, where that is told another result. None of what answers alone do not decide: who
        had no time, or ended the process, may have met with an accident.
        """
        others = self._others.get(number, ())
        if not others or not _by_answers(result):
            self._unlike.update(others)
            return
        code = code_in(self._submissions[number].source.text)
        for other in others:
            submission = self._submissions[other]
            if submission.problem or code_in(submission.source.text) != code:
                self._unlike.add(other)
                continue
            self._unlike.discard(other)
            yield other, _as_of(submission, result)


class KnownCode:
    """The results of the last submissions, by their code: for those that arrive one by one."""

    def __init__(self, room: int = ROOM) -> None:
        self._room = room
        self._results: OrderedDict[bytes, SubmissionResult] = OrderedDict()

    def note(self, submission: Submission, result: SubmissionResult) -> None:
        """Take note of what a submission has earned, if answers alone have decided it."""
        if (key := _key(submission)) and _by_answers(result):
            self._results[key] = result
            self._results.move_to_end(key)
            if len(self._results) > self._room:
                self._results.popitem(last=False)

    def of(self, submission: Submission) -> SubmissionResult | None:
        """Return the result of a submission whose code is known."""
        key = _key(submission)
        if key not in self._results:
            return None
        self._results.move_to_end(key)
        return _as_of(submission, self._results[key])


def _key(submission: Submission) -> bytes:
    """Return a hash of a submission's code and what is told of it; b"" for what is not run."""
    return b"" if submission.problem else _hash(submission, code_in(submission.source.text))


def _hash(submission: Submission, code: str) -> bytes:
    about = repr((submission.source.name, submission.note, code))
    return hashlib.sha256(about.encode(errors="surrogatepass")).digest()


def _by_answers(result: SubmissionResult) -> bool:
    """Tell whether every test was judged by what the code answered, and by no accident."""
    return all(test.verdict in JUDGED for task in result.tasks for test in task.tests)


def _as_of(submission: Submission, result: SubmissionResult) -> SubmissionResult:
    return replace(result, student=submission.student, files=submission.files, of=submission.whose)
