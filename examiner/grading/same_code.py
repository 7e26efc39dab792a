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
import re
import tokenize
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise, zip_longest

from examiner.grading.submissions import Submission
from examiner.judge.kept import JUDGED
from examiner.results import SubmissionResult

ROOM = 300  # results that are remembered of those that arrive one by one
CAN_DECLARE = 2  # lines in which a comment may tell Python how the file is encoded
LONGEST = 1 << 16  # letters of a text in which comments are looked for: many are not to take long
_FREE = re.compile(r"[ \t]*(#|$)")  # how a line begins that may be a comment, or is empty


def outline(submission: Submission) -> bytes:
    """Return a hash that is the same for all that have the same code; b"" for what is not run.

    Others may have it, too: it takes each line for a comment that looks like one.
    """
    if submission.problem:
        return b""
    lines = ["" if _FREE.match(line) else line for line in _lines(submission.source.text)]
    about = repr((submission.source.name, submission.note, "\n".join(lines).rstrip()))
    return hashlib.sha256(about.encode(errors="surrogatepass")).digest()


class Code:
    r"""What of a module's text is not a comment in a line of its own.

    All else that stands in a line counts, since messages quote it, and so do the lines' numbers.

    >>> code = Code("x = 1  # one\n# two\ny = '''\n# three\n'''\n")
    >>> code.is_that_of("x = 1  # one\n# 2\ny = '''\n# three\n'''\n# the end\n")
    True
    >>> code.is_that_of("x = 1  # one\n# two\ny = '''\n# 3\n'''\n")
    False
    """

    def __init__(self, text: str) -> None:
        self._text = text

    def is_that_of(self, text: str) -> bool:
        """Tell whether a text has this code.

        An empty line and a comment leave whatever reads Python as it was. So up to the first line
        of code in which two texts differ, what is a comment in one is no part of a string in the
        other.
        """
        own, lines = _lines(self._text), _lines(text)
        if lines == own:
            return True
        end = len(own)
        if _odd(lines) or (len(lines) != end and end not in self._free):
            return False
        return all(
            _is_free(number, line) and min(number, end) in self._free
            for number, (before, line) in enumerate(zip_longest(own, lines, fillvalue=""))
            if before != line
        )

    @cached_property
    def _free(self) -> set[int]:
        """Numbers of the lines that are empty or comments, as far as the text can be read.

        The number of lines is among them if it could be read to its end, where comments may follow.
        """
        lines, free = _lines(self._text), set[int]()
        if len(self._text) > LONGEST or _odd(lines):
            return free
        before: tokenize.TokenInfo | None = None
        # subtle: what was read until an error counts, whatever it is. The tokenizer of Python 3.13
        # raises SystemError of some texts
        with contextlib.suppress(Exception):
            for token in tokenize.generate_tokens(io.StringIO("\n".join(lines)).readline):
                if token.type == tokenize.NL:
                    is_comment = before is not None and before.type == tokenize.COMMENT
                    row, column = before.start if before and is_comment else token.start
                    line = lines[row - 1]
                    if not line[:column].strip() and _is_free(row - 1, line):
                        free.add(row - 1)
                before = token
            free.add(len(lines))
            if not lines[-1]:  # no token tells of it
                free.add(len(lines) - 1)
        return free


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").split("\n")  # as Python reads it


def _odd(lines: Sequence[str]) -> bool:
    """Tell whether Python may see other lines than we do, or a comment that goes on a line."""
    if any("\r" in line or "\f" in line for line in lines):
        return True
    return any(line.endswith("\\") and _FREE.match(after) for line, after in pairwise([*lines, ""]))


def _is_free(number: int, line: str) -> bool:
    """Tell whether a line is empty, or a comment that tells Python nothing of the encoding."""
    return bool(_FREE.match(line)) and not (number < CAN_DECLARE and "coding" in line)


class SameCode:
    """Who waits for the result of whom.

    `outlines`: by number; who has none is judged. `numbers`: of all that are new.
    """

    def __init__(
        self,
        submissions: Sequence[Submission],
        outlines: Mapping[int, bytes],
        numbers: Sequence[int],
    ) -> None:
        self._submissions = submissions
        self.order: list[int] = []  # those that are to be judged; others follow, who waited in vain
        self._others: dict[int, list[int]] = {}  # that look the same, by the first of them
        self._alone: set[int] = set()  # of these, those that are judged themselves
        leading: dict[bytes, int] = {}
        for number in numbers:
            seen = outlines.get(number, b"")
            lead = leading.setdefault(seen, number) if seen else number
            if lead == number:
                self.order.append(number)
            else:
                self._others.setdefault(lead, []).append(number)

    def sharing(self, number: int) -> int:
        """Return how many may get the result of a submission that is judged, itself included."""
        return 1 + len(self._others.get(number, ()))

    def settled_by(
        self, number: int, result: SubmissionResult
    ) -> Iterator[tuple[int, SubmissionResult]]:
        """Yield the results of those who have the code of a submission that has been judged.

        Once more, where that is told another result. None of what answers alone do not decide: who
        had no time, or ended the process, may have met with an accident. They go into `order`.
        """
        others = self._others.get(number, ())
        if not others:
            return
        judged = self._submissions[number]
        shared = not judged.problem and _by_answers(judged, result)
        code = Code(judged.source.text) if shared else None
        for other in others:
            submission = self._submissions[other]
            if code and not submission.problem and code.is_that_of(submission.source.text):
                yield other, _as_of(submission, result)
            elif other not in self._alone:
                self._alone.add(other)
                self.order.append(other)


class KnownCode:
    """The results of the last submissions, by their code: for those that arrive one by one."""

    def __init__(self, room: int = ROOM) -> None:
        self._room = room
        self._known: OrderedDict[bytes, tuple[Code, SubmissionResult]] = OrderedDict()

    def note(self, submission: Submission, result: SubmissionResult) -> None:
        """Take note of what a submission has earned, if answers alone have decided it."""
        if (key := outline(submission)) and _by_answers(submission, result):
            self._known[key] = Code(submission.source.text), result
            self._known.move_to_end(key)
            if len(self._known) > self._room:
                self._known.popitem(last=False)

    def of(self, submission: Submission) -> SubmissionResult | None:
        """Return the result of a submission whose code is known."""
        key = outline(submission)
        if key not in self._known:
            return None
        self._known.move_to_end(key)
        code, result = self._known[key]
        return _as_of(submission, result) if code.is_that_of(submission.source.text) else None


def _by_answers(submission: Submission, result: SubmissionResult) -> bool:
    """Tell whether every test was judged by what the code answered, and by no accident.

    What cannot be imported is read again for each: a syntax error may be told of the last line,
    and be it a comment.
    """
    return result.notice == submission.note and all(
        test.verdict in JUDGED for task in result.tasks for test in task.tests
    )


def _as_of(submission: Submission, result: SubmissionResult) -> SubmissionResult:
    return replace(result, student=submission.student, files=submission.files, of=submission.whose)
