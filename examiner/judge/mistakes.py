"""Answers to a chapter's tasks, each written as "the reference, but ...".

Misconceptions, tests/<chapter>/mistakes/*.txt, are mistakes with a sentence that says what went
wrong. Other answers, tests/<chapter>/answers/*.txt, show what the examiner makes of right and wrong
code that its suite was not written for. A file begins with remarks. Then each entry is a head, the
sentence and the code:

    == 2.1 windows | jumps_by_n | idea
    > Your windows do not overlap: each should start one token after the one before, not n tokens.
    return [tuple(tokens[i : i + n]) for i in range(0, len(tokens) - n + 1, n)]

The head names task, function and entry. Then follow a kind ("edge" if only a rare case shows the
mistake, "idea" if it misses what the task is about, "right" if it is none) and, for an answer, the
misconceptions that name it (`one,other`); both may be left out.

The code stands in place of the marked lines of the function (of its body, if none are marked). If
it begins with the function's own `def`, it is all of the function. A line `-- symbol` begins the
code of a further function. Where a few lines are changed, they alone are shown, as in a diff. A
line `...` parts two changes:

    == 2.3 MLE.estimate | gives_the_joint_probability | idea
    > You divided by the length of the text: that is the joint probability of context and word.
      row = self.row(context)
    - return row.get(word, 0) / self.total(context)
    + return row.get(word, 0) / self.total(())

Comments and empty lines do not count when the lines are looked for.

It is the reference's code that is changed, or that of a right answer above it in the file, whose
name the head gives: `== 2.3 MLE.estimate of with a loop | ...`.

What several entries call stands under `== helpers`, once in a file: it is added to their modules.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise, takewhile
from pathlib import Path
from types import ModuleType
from typing import NoReturn

from examiner.errors import SuiteError
from examiner.judge.located import located, without_comment
from examiner.judge.modules import Reference
from examiner.project import Project

KINDS = ("edge", "idea", "right")
HEAD = "== TASK FUNCTION [of ENTRY] | NAME [| edge, idea or right] [| MISCONCEPTIONS]"
_HEAD = re.compile(
    r"== (?P<task>\d\S*) (?P<symbol>\S+)(?: of (?P<of>[^|]*[^| ]))? \| (?P<name>[^|]*[^| ])"
    rf"(?: \| (?P<kind>{'|'.join(KINDS)}))?(?: \| (?P<named_by>[\w,]+))?"
)
_HELPERS = "== helpers"
_FURTHER = re.compile(r"-- (\S+)")
_APART = "..."


@dataclass(frozen=True)
class Answer:
    """The reference with other code in a function, or in a few that belong together."""

    task_id: str
    symbol: str  # the function that it is about: "windows" or "MLE.prob"
    name: str
    kind: str  # what a person judged it to be: one of KINDS, or "" for something between
    named_by: frozenset[str]  # misconceptions whose sentence is right, by name; none: no sentence
    bodies: Mapping[str, str]  # the code, by function
    reference: Reference = field(repr=False, compare=False)
    helpers: str = field(default="", repr=False)
    place: str = field(default="", repr=False, compare=False)  # file and line

    def __str__(self) -> str:
        return f"{self.task_id} {self.symbol} - {self.name}".replace("/", " over ")

    @property
    def text(self) -> str:
        """The module, as a student might have written it."""
        return self.reference.changed(self.bodies, self.helpers)

    def module(self) -> ModuleType:
        """Return it as a fresh module; raises SuiteError for code that is no Python."""
        name = f"wrong_{self.reference.path.stem}_{self.name}"
        try:
            return self.reference.module(name, self.bodies, self.helpers)
        except SyntaxError as error:
            raise SuiteError(f"{self.place}: {error.msg}") from error


@dataclass(frozen=True)
class Misconception(Answer):
    """A plausible wrong answer, with the sentence that a student reads."""

    says: str = ""


def load_misconceptions(project: Project, stem: str) -> tuple[Misconception, ...]:
    """Return a chapter's misconceptions, file by file.

    Raises SuiteError, with file and line, for what cannot be read or does not fit the reference.
    """
    found: dict[str, Misconception] = {}
    for entry, answer in _read(project, stem, project.mistake_files(stem)):
        if not entry.says:
            entry.refuse('a misconception needs a sentence, in a line that begins with "> "')
        if answer.kind == "right" or answer.named_by:
            entry.refuse("a misconception is wrong, and its own name")
        if answer.name in found:
            entry.refuse(f"{answer.name} is the name of {found[answer.name].place}, too")
        found[answer.name] = Misconception(**vars(answer), says=" ".join(entry.says))
    return tuple(found.values())


def load_answers(project: Project, stem: str) -> tuple[Answer, ...]:
    """Return a chapter's other right and wrong answers, file by file; raises SuiteError, too."""
    found: dict[str, Answer] = {}
    for entry, answer in _read(project, stem, project.answer_files(stem)):
        if entry.says:
            entry.refuse("the sentence of an answer is that of the misconceptions it names")
        if str(answer) in found:
            entry.refuse(f"{answer.name} is the name of {found[str(answer)].place}, too")
        found[str(answer)] = answer
    return tuple(found.values())


def _read(project: Project, stem: str, files: list[Path]) -> Iterator[tuple[_Entry, Answer]]:
    """Yield what the files hold, each entry with the answer that it makes of the reference."""
    if not files:
        return  # perhaps there is no reference either
    reference = Reference(project.module("solutions", stem))
    for path in files:
        for entry in _entries(path, project.root):
            yield entry, entry.answer(reference)


def nothing(reference: Reference, task_id: str, symbols: Iterable[str]) -> Answer:
    """Return the answer whose functions do nothing: what it loses is what they are worth."""
    bodies = dict.fromkeys(symbols, 'raise RuntimeError("this function does nothing")')
    return Answer(task_id, next(iter(bodies)), "does nothing", "", frozenset(), bodies, reference)


@dataclass
class _Entry:
    """What a file says of one answer."""

    place: str
    head: re.Match[str]
    says: list[str]
    code: dict[str, list[str]]  # by function, unindented
    helpers: str
    others: dict[tuple[str, str], _Entry]  # of the file so far, by function and name

    def refuse(self, why: str) -> NoReturn:
        raise SuiteError(f"{self.place}: {why}")

    def answer(self, reference: Reference) -> Answer:
        """Return it with its changes made."""
        bodies = {symbol: self._body(symbol, reference) for symbol in self.code}
        names = frozenset((self.head["named_by"] or "").split(",")) - {""}
        task_id, symbol, name = self.head["task"], self.head["symbol"], self.head["name"]
        kind = self.head["kind"] or ""
        known = task_id, symbol, name, kind, names, bodies, reference, self.helpers, self.place
        return Answer(*known)

    def _body(self, symbol: str, reference: Reference) -> str:
        code = self.code[symbol]
        if symbol not in reference:
            self.refuse(f"{reference.path.name} has no function {symbol}")
        edited = code[0][:2] in ("- ", "+ ", "  ")
        if not (edited or self.head["of"]):
            return "\n".join(code)
        body = reference.body(symbol)
        if self.head["of"]:
            base = self.others.get((symbol, self.head["of"]))
            if base is None or base.head["kind"] != "right":
                self.refuse(f"no right answer {self.head['of']!r} of {symbol} stands above it")
            body = base._body(symbol, reference)
        lines = body.splitlines()
        found = [self._located(lines, *change) for change in self._changes(code)]
        for place, new in sorted(found, key=lambda each: each[0].start, reverse=True):
            lines[place] = new
        return "\n".join(lines)

    def _changes(self, code: list[str]) -> Iterator[tuple[list[str], list[str]]]:
        """Yield the old and the new lines of each change."""
        old, new = list[str](), list[str]()
        for line in [*code, _APART]:
            sign, text = line[:2].rstrip(), line[2:]
            if line == _APART:
                yield old, new
                old, new = [], []
            elif sign not in ("", "-", "+"):
                self.refuse(f'a changed line begins with "- ", "+ " or two spaces, not {line!r}')
            else:
                old += [text] if sign != "+" else []
                new += [text] if sign != "-" else []

    def _located(self, lines: list[str], old: list[str], new: list[str]) -> tuple[slice, list[str]]:
        """Return where the old lines stand, and the new ones indented as they are."""
        if not any(map(without_comment, old)):
            self.refuse("a change needs a line that stands there: begin it with two spaces")
        found = located(lines, old)
        if len(found) != 1:
            self.refuse(f"this stands there {len(found)} times, not once: {old[0].strip()!r}")
        [(place, indent)] = found
        return place, [indent + line if line else "" for line in new]


def _entries(path: Path, root: Path) -> Iterator[_Entry]:
    """Yield the entries of a file; raises SuiteError where it is malformed."""
    shown = path.relative_to(root).as_posix()
    try:
        lines = path.read_text("utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise SuiteError(f"{shown} is no UTF-8: {error}") from error
    heads = [number for number, line in enumerate(lines) if line.startswith("==")]
    sections = list(pairwise([*heads, len(lines)]))
    helpers, others = "", dict[tuple[str, str], _Entry]()
    for start, end in sections:
        if lines[start] == _HELPERS:
            helpers += "\n".join(lines[start + 1 : end]).strip("\n")
    for start, end in sections:
        if lines[start] == _HELPERS:
            continue
        place, head = f"{shown}:{start + 1}", _HEAD.fullmatch(lines[start])
        if head is None:
            raise SuiteError(f"{place}: a head is {HEAD}, not {lines[start]!r}")
        says, code = _parted(lines[start + 1 : end], head["symbol"])
        entry = _Entry(place, head, says, code, helpers, others)
        if empty := [symbol for symbol, each in code.items() if not each]:
            entry.refuse(f"there is no code for {empty[0]}")
        others[head["symbol"], head["name"]] = entry
        yield entry


def _parted(lines: list[str], symbol: str) -> tuple[list[str], dict[str, list[str]]]:
    """Return an entry's sentence, by line, and its code, by function."""
    says = [line[2:].strip() for line in takewhile(lambda line: line.startswith("> "), lines)]
    code: dict[str, list[str]] = {symbol: []}
    for line in lines[len(says) :]:
        if further := _FURTHER.fullmatch(line):
            symbol = further[1]
            code[symbol] = []
        elif line or code[symbol]:
            code[symbol].append(line)
    for each in code.values():
        while each and not each[-1]:
            each.pop()
    return says, code
