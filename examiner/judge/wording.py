"""What a student is told of a test: their own line and the kind of error, nothing hidden.

A hidden test's message never carries text that was made while the test ran: no assertion, and no
message of an exception, which may quote the test's input.
"""

from __future__ import annotations

import ast
import contextlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from examiner.boundary.conversation import Changed, Conversation
from examiner.boundary.errors import CannotCrossError, MissingNameError, Stop
from examiner.boundary.memory import out_of_memory
from examiner.candidate.exceptions import WAITS
from examiner.judge.kept import Heard
from examiner.judge.library_names import Statement, names_of, statements
from examiner.judge.reading import TextError, read_here
from examiner.judge.runs import OverdueError
from examiner.judge.timelimit import TimeLimitError
from examiner.results import Verdict, lacks

SEE = "see the docstring"
OTHER_FORM = "your code's answer has another form than the test expects"
LONGEST = 1000  # characters of a message
# of pytest's explanation: whose attribute a function is, and what was compared once more
_NO_NEWS = re.compile(r" \+ +(?:where|and) +.*")
_PLACE = re.compile(r" \([^()\n]*, line \d+\)$")  # ends the text of a SyntaxError
_NOT_RAISED = re.compile(r"DID NOT RAISE (?:any of )?(?:<class ')?([^'>]+)(?:'>)?")
_CLOSENESS = re.compile(r"\n \+  where .* = close\(.*", re.DOTALL)
# control codes, terminal escapes, and marks that reverse or hide text
_HARMFUL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
)


def clean(text: str, longest: int = LONGEST) -> str:
    """Return text that is safe to print and to store: no control codes, not too long.

    >>> clean("a\\x1b[31mb")
    'a\ufffd[31mb'
    """
    text = _HARMFUL.sub("\ufffd", text[: 2 * longest].replace("\r\n", "\n"))
    return text if len(text) <= longest else text[:longest] + " …"


def one_line(text: str, longest: int = LONGEST) -> str:
    """Return text that is safe to show, on one line."""
    return " ".join(clean(text, longest).split())


@dataclass(frozen=True)
class Source:
    """A student's module as text, from which the examiner quotes lines."""

    name: str  # "sorting.py"
    text: str
    read: Callable[..., Any] = read_here  # how the text is taken to pieces; a grader does it apart
    # what was read of its names, once: tests ask of many functions, and a grader forks to read
    _read: list[Sequence[Statement]] = field(default_factory=list, repr=False, compare=False)

    def quote(self, lines: Sequence[int]) -> str:
        """Return "in line 3 of sorting.py: `return x`" for the innermost line, or ""."""
        if not lines:
            return ""
        own = self.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        last = lines[-1]
        if not 0 < last <= len(own):
            return f" in {self.name}"
        line = own[last - 1].strip()
        if not line or line.startswith("#"):
            # subtle: nothing can be raised there. A number made up by the student's code would say
            # something of a hidden input
            return f" in {self.name}"
        return f" in line {last} of {self.name}: `{clean(line, 120)}`"

    def library_names(self, symbol: str) -> frozenset[str]:
        """Return the names of libraries that a function leads to: library_names.py."""
        if not self._read:
            try:
                self._read.append(self.read(statements, self.text))
            except TextError:  # it may have been the machine's fault: another time it is read
                return frozenset()
        return names_of(self._read[0], symbol)

    def argument(self, changed: Changed) -> str:
        """Return "its argument `words`", by the name that the text gives it, or its place."""
        if isinstance(changed.argument, str):
            return f"its argument `{changed.argument}`"
        last = changed.function.rpartition(".")[2]
        with contextlib.suppress(TextError):
            if name := self.read(_parameter, self.text, last, changed.argument):
                return f"its argument `{name}`"
        return f"its argument number {changed.argument + 1}"


def _parameter(text: str, function: str, place: int) -> str:
    """Return the name of a parameter, or "" where the text does not settle it."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    names = {names[place] for names in _parameters(tree, function, place)}
    return names.pop() if len(names) == 1 else ""


def _parameters(tree: ast.AST, function: str, place: int) -> Iterator[list[str]]:
    """Yield the parameters of functions of this name, and of the constructor of such a class."""
    for node in ast.walk(tree):
        methods = node.body if isinstance(node, ast.ClassDef) else []
        for each in [node, *methods]:
            if not isinstance(each, ast.FunctionDef):
                continue
            made = each.name == "__init__" and getattr(node, "name", "") == function
            names = [a.arg for a in (*each.args.posonlyargs, *each.args.args)]
            names = names[1:] if names[:1] == ["self"] else names
            if (each.name == function or made) and place < len(names):
                yield names


def _said_before(
    talk: Conversation | Heard, source: Source, visible: bool
) -> tuple[Verdict, str] | None:
    """The verdict that the conversation settles, however the test went on; None: there is none."""
    if talk.stopped is not None:
        return talk.stopped.verdict, talk.stopped.told(visible=visible)
    if talk.unwritten is not None:  # even if the test went on: a stub earns nothing
        said = f": {talk.unwritten}" if visible and talk.unwritten else ""
        return Verdict.MISSING, clean(f"not written yet{said}")
    if talk.changed is not None:
        argument = source.argument(talk.changed)
        return Verdict.FAILED, clean(f"your code changes {argument} in place: work on a copy of it")
    return None


def judge(
    error: BaseException | None,
    talk: Conversation | Heard,
    source: Source,
    *,
    shown: Callable[[BaseException], str] | None,
) -> tuple[Verdict, str]:
    """Return a test's verdict and message from what it raised and what was said in it.

    `shown` gives a failing assertion of a visible test in words; of a hidden one nothing is shown.
    """
    visible = shown is not None
    if settled := _said_before(talk, source, visible):
        return settled
    if error is None:
        if not talk.answers:  # it waited for an error, or for nothing, and who never answers passes
            return Verdict.FAILED, "your code gave no answer in this test"
        return Verdict.PASSED, ""
    if isinstance(error, Stop):
        return error.verdict, error.told(visible=visible)
    if isinstance(error, TimeLimitError):
        return Verdict.TIMEOUT, str(error)
    if isinstance(error, OverdueError):
        if not talk.kept:  # no answer has come yet that could have kept the test busy
            return Verdict.NOT_JUDGED, "the test itself took too long"
        return Verdict.TIMEOUT, "your code's answers kept the test busy until its time was up"
    if isinstance(error, MissingNameError):
        return Verdict.MISSING, lacks(source.name, error)
    if error is talk.raised:
        return _own_error(error, talk, source, visible)
    if isinstance(error, CannotCrossError):
        return Verdict.NOT_JUDGED, clean(str(error))
    if _is_outcome(error, "Skipped"):
        return Verdict.NOT_JUDGED, "the test was skipped"
    if isinstance(error, AssertionError) or _is_outcome(error, "Failed"):
        return Verdict.FAILED, clean(shown(error)) if shown else ""
    if talk.answers or talk.raised is not None:
        if out_of_memory(error):
            return Verdict.FAILED, "your code's answer needs too much memory"
        said = clean(f": {error}") if visible else ""
        return Verdict.FAILED, f"{OTHER_FORM} ({type(error).__name__}{said}): {SEE}"
    return Verdict.NOT_JUDGED, clean(f"the test is broken: {type(error).__name__}: {error}")


def is_closeness(text: str) -> bool:
    """Tell whether an assertion was one of `close`, which says itself what differs."""
    return bool(_CLOSENESS.search(text))


def plain_assertion(text: str) -> str:
    """Return pytest's explanation of a failed assertion without where its parts come from.

    >>> plain_assertion("assert 1 == 2\\n +  where 1 = f()\\n +    where f = <your module>.f")
    '1 == 2'
    """
    text = _CLOSENESS.sub("", text).removeprefix("assert ")
    text = _NOT_RAISED.sub(r"\1 was expected, and nothing was raised", text)
    return "\n".join(line for line in text.split("\n") if not _NO_NEWS.match(line)).rstrip()


def _is_outcome(error: BaseException, name: str) -> bool:
    """Tell whether pytest says so: pytest.fail, pytest.skip, a pytest.raises that saw nothing."""
    return type(error).__name__ == name and type(error).__module__ == "builtins"


def _own_error(
    error: BaseException, talk: Conversation | Heard, source: Source, visible: bool
) -> tuple[Verdict, str]:
    where = source.quote(talk.lines)
    if isinstance(error, MemoryError):
        return Verdict.MEMORY, f"ran out of memory{where}"
    text, said = f"{type(error).__name__}{where}", str(error)
    if isinstance(error, EOFError) and said == WAITS:  # our own sentence: hidden tests tell it, too
        visible = True
    if isinstance(error, SyntaxError) and " in line " in where:
        said = _PLACE.sub("", said)  # which stands in the line before
    return Verdict.FAILED, clean(f"{text}\n{said}" if visible and said else text)
