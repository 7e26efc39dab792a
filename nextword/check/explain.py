"""Turns what happened in a test into a verdict and the words that help its author.

Leaves out hidden tests' secrecy: here everything may be shown, the tests are the student's own.
"""

from __future__ import annotations

import linecache
import re
import traceback
from pathlib import Path

import pytest

from nextword.check.timelimit import TimeLimitError
from nextword.results import Verdict

OTHER_FORM = "your code's answer has another form than the test expects"
SIDES = "\n  (left is your answer, right the expected one)"
LONGEST_MESSAGE = 2000  # characters; a printed list of a million words helps nobody
# of pytest's explanation: advice on options that this command does not have
_ADVICE = re.compile(r"^\s*Use -v+ to .*\n?|, use '?-v+'? to show", re.MULTILINE)
_TWO_SIDES = re.compile(r"^\s*(Left|Right) contains |^\s*Extra items in the ", re.MULTILINE)


class StudentImportError(Exception):
    """The student's module could not be imported; the cause is chained to it."""


class MissingModuleError(Exception):
    """The student's package has no such module."""


def judge(
    call: pytest.CallInfo[None], report: pytest.TestReport, *, suite: Path
) -> tuple[Verdict, str]:
    """Return the verdict of a test that was run on code in this process, and a message."""
    if report.passed:
        return Verdict.PASSED, ""
    if call.excinfo is None or report.skipped:
        return Verdict.NOT_JUDGED, "the test was skipped"
    error = call.excinfo.value
    if isinstance(error, NotImplementedError):
        return Verdict.MISSING, f"not written yet: {error}"
    if isinstance(error, MissingModuleError):
        return Verdict.MISSING, str(error)
    if isinstance(error, AttributeError) and isinstance(error.obj, type(pytest)):
        return Verdict.MISSING, f"{Path(error.obj.__file__ or '').name} has no {error.name}"
    if isinstance(error, TimeLimitError):
        return Verdict.TIMEOUT, f"{error}: an endless loop, or a much slower way than needed"
    if isinstance(error, MemoryError):
        return Verdict.MEMORY, "ran out of memory"
    if isinstance(error, StudentImportError) and error.__cause__ is not None:
        return Verdict.FAILED, describe(error.__cause__, suite)
    if report.when == "setup":
        return Verdict.NOT_JUDGED, f"the test could not be set up: {error!r}"
    return Verdict.FAILED, _shorten(_describe_failure(call, report, suite))


def _describe_failure(call: pytest.CallInfo[None], report: pytest.TestReport, suite: Path) -> str:
    assert call.excinfo is not None
    error = call.excinfo.value
    if isinstance(error, AssertionError):
        crash = getattr(report.longrepr, "reprcrash", None)
        text = crash.message if crash else str(error)
        return plain_assertion(text.removeprefix("AssertionError: "))
    return describe(error, suite)


def plain_assertion(text: str) -> str:
    """Return pytest's explanation of a failed assertion in the words of this course.

    >>> print(plain_assertion("assert [1] == [1, 2]\\n  Right contains one more item: 2"))
    assert [1] == [1, 2]
      Right contains one more item: 2
      (left is your answer, right the expected one)
    """
    text = _ADVICE.sub("", text).rstrip()
    return text + SIDES if _TWO_SIDES.search(text) else text


def describe(error: BaseException, suite: Path) -> str:
    """Return type and message of an exception with the last line of the student's own code."""
    said = "".join(traceback.format_exception_only(error)).strip()
    if isinstance(error, SyntaxError):
        return said
    library = str(Path(__file__).parents[1])
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if "coursework" in Path(frame.filename).parts and not frame.filename.startswith(library)
    ]
    if not frames:
        return f"{OTHER_FORM} ({said}): see the docstring"
    last = frames[-1]
    line = linecache.getline(last.filename, last.lineno or 0).strip()
    return f"{said}\nin {Path(last.filename).name}, line {last.lineno}: {line}"


def _shorten(text: str) -> str:
    return text if len(text) <= LONGEST_MESSAGE else text[:LONGEST_MESSAGE] + " …"
