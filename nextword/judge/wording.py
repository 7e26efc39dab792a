"""What a student is told of a test: their own line and the kind of error, nothing hidden.

A hidden test's message never carries text that was made while the test ran: no assertion, and no
message of an exception, which may quote the test's input.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from nextword.boundary.proxy import Conversation, MissingNameError, Stop
from nextword.check.explain import OTHER_FORM, plain_assertion
from nextword.judge.suite import OverdueError
from nextword.results import Verdict

LONGEST = 1000  # characters of a message
# control codes, terminal escapes, and marks that reverse or hide text
_HARMFUL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)


def clean(text: str, longest: int = LONGEST) -> str:
    """Return text that is safe to print and to store: no control codes, not too long.

    >>> clean("a\\x1b[31mb")
    'a\ufffd[31mb'
    """
    text = _HARMFUL.sub("\ufffd", text[: 2 * longest].replace("\r\n", "\n"))
    return text if len(text) <= longest else text[:longest] + " …"


_NO_NEWS = re.compile(r" \+ +(?:where|and) +\w+ = <your \w+>\.\w+$")


@dataclass(frozen=True)
class Source:
    """A student's module as text, from which the examiner quotes lines."""

    name: str  # "ngrams.py"
    text: str

    def quote(self, lines: Sequence[int]) -> str:
        """Return "in line 3 of ngrams.py: `return x`" for the innermost line, or ""."""
        if not lines:
            return ""
        own = self.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        last = lines[-1]
        if not 0 < last <= len(own):
            return f" in {self.name}"
        return f" in line {last} of {self.name}: `{clean(own[last - 1].strip(), 120)}`"


def judge(
    error: BaseException | None, talk: Conversation, source: Source, *, visible: bool
) -> tuple[Verdict, str]:
    """Return a test's verdict and message from what it raised and what was said in it."""
    if talk.stopped is not None:
        return talk.stopped.verdict, talk.stopped.message
    if talk.unwritten is not None:  # even if the test went on: a stub earns nothing
        return Verdict.MISSING, "not written yet"
    if error is None:
        return Verdict.PASSED, ""
    if isinstance(error, Stop):
        return error.verdict, error.message
    if isinstance(error, OverdueError):
        if not talk.kept:  # no answer has come yet that could have kept the test busy
            return Verdict.NOT_JUDGED, "the test itself took too long"
        return Verdict.TIMEOUT, "your code's answers kept the test busy until its time was up"
    if isinstance(error, MissingNameError):
        return Verdict.MISSING, f"{source.name} has no {error}"
    if error is talk.raised:
        return _own_error(error, talk, source, visible)
    if isinstance(error, AssertionError) or _is_failed(error):
        return Verdict.FAILED, clean(plain_assertion(_shorten(str(error)))) if visible else ""
    if talk.answers or talk.raised is not None:
        if isinstance(error, MemoryError):
            return Verdict.FAILED, "your code's answer needs too much memory"
        said = clean(f": {error}") if visible else ""
        return Verdict.FAILED, f"{OTHER_FORM} ({type(error).__name__}{said}): see the docstring"
    return Verdict.NOT_JUDGED, clean(f"the test is broken: {type(error).__name__}: {error}")


def _shorten(assertion: str) -> str:
    """Leave out lines of pytest's explanation that only say whose attribute a function is.

    >>> _shorten("assert 1 == 2\\n +  where 1 = f()\\n +    where f = <your module>.f")
    'assert 1 == 2\\n +  where 1 = f()'
    """
    return "\n".join(line for line in assertion.split("\n") if not _NO_NEWS.match(line))


def _is_failed(error: BaseException) -> bool:
    """Tell whether pytest says so: pytest.fail, or pytest.raises that saw no exception."""
    return type(error).__name__ == "Failed" and type(error).__module__ == "builtins"


def _own_error(
    error: BaseException, talk: Conversation, source: Source, visible: bool
) -> tuple[Verdict, str]:
    where = source.quote(talk.lines)
    if isinstance(error, MemoryError):
        return Verdict.MEMORY, f"ran out of memory{where}"
    text = f"{type(error).__name__}{where}"
    return Verdict.FAILED, clean(f"{text}\n{error}" if visible and str(error) else text)
