"""The console blocks of a page: each command, and what the page shows of its output."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ELIDED = "…"  # a line of a page that stands for any lines
_GOES_ON = re.compile(r" *\\\n *")  # a command that goes on in the next line
_BLOCK = re.compile(r"^( *)```(?:console|text|)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Shown:
    """A command of a page and the lines below it."""

    page: str
    command: str
    lines: tuple[str, ...]

    @property
    def words(self) -> list[str]:
        """The command as a shell splits it, without a comment."""
        return shlex.split(self.command, comments=True)

    def __str__(self) -> str:
        return f"{self.page}: {self.command}"


def shown_on(path: Path) -> Iterator[Shown]:
    """Yield the commands of a page, in order, each with the output that the page shows."""
    for indent, text in _BLOCK.findall(path.read_text("utf-8")):
        command, lines = "", list[str]()
        for line in _GOES_ON.sub(" ", text).splitlines():
            if line.removeprefix(indent).startswith("$ "):
                if command:
                    yield Shown(path.name, command, tuple(lines))
                command, lines = line.removeprefix(indent)[2:], []
            else:
                lines.append(line.removeprefix(indent).rstrip())
        if command:
            yield Shown(path.name, command, tuple(lines))


def require_same(shown: tuple[str, ...], output: str) -> None:
    """Fail unless an output has a page's lines; a line `…` stands for any lines."""
    if said := _difference(shown, output):
        pytest.fail(said, pytrace=False)


def _difference(shown: tuple[str, ...], output: str) -> str:
    got = [line.rstrip() for line in output.strip("\n").splitlines()]
    at, pieces = 0, _pieces(shown)
    for number, piece in enumerate(pieces):
        places = range(at, len(got) - len(piece) + 1)
        places = places[:1] if number == 0 and shown[0] != ELIDED else places
        found = next((k for k in places if got[k : k + len(piece)] == piece), None)
        if found is None:
            return "\n".join(["the page shows:", *piece, "", "the command printed:", *got])
        at = found + len(piece)
    return ""


def _pieces(shown: tuple[str, ...]) -> list[list[str]]:
    pieces: list[list[str]] = [[]]
    for line in shown:
        if line == ELIDED:
            pieces.append([])
        else:
            pieces[-1].append(line)
    return [piece for piece in pieces if piece]
