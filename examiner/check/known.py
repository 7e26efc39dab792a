"""What `nextword check` knows of a chapter besides its visible tests: the docstrings' examples, and
sentences on frequent mistakes.

A sentence is locked with what its mistake answers in a visible test: only code that gives these
answers opens it. So the file tells neither mistakes nor solutions. `nextword sync` writes it.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from examiner.boundary.conversation import Asked
from examiner.judge.alike import canonical
from examiner.judge.diagnosis import readable

CHECK = 8  # bytes of a key that tell whether it fits


def known_path(root: Path, stem: str) -> Path:
    """Return where the file of a chapter lies in a course folder."""
    return root / "tests" / stem / "known.json"


@dataclass(frozen=True)
class Example:
    """A line of a docstring's example, and what it shows."""

    source: str
    want: str


@dataclass(frozen=True)
class Known:
    """The content of the file."""

    examples: dict[str, list[Example]] = field(default_factory=dict)  # by function
    sentences: dict[str, list[list[str]]] = field(default_factory=dict)  # by test

    def sentence(self, test: str, transcript: Sequence[Asked]) -> str:
        """Return the sentence of the mistake that answers like this, or ""."""
        if test not in self.sentences:
            return ""
        key = key_of(test, transcript)
        for check, locked in self.sentences[test]:
            if check == key[:CHECK].hex():
                return _mixed(base64.b64decode(locked), key).decode(errors="replace")
        return ""


def load(path: Path) -> Known:
    """Read the file; where there is none, or a broken one, nothing is known."""
    try:
        raw: dict[str, Any] = json.loads(path.read_text("utf-8"))
        examples = {
            name: [Example(**each) for each in rows] for name, rows in raw["examples"].items()
        }
        return Known(examples, dict(raw["sentences"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return Known()


def key_of(test: str, transcript: Iterable[Asked]) -> bytes:
    """Return the key that a test's questions and answers make."""
    text = canonical(list(readable(list(transcript))))
    return hashlib.sha256(f"{test}\0{text}".encode(errors="replace")).digest()


def lock(sentence: str, key: bytes) -> list[str]:
    """Return what `Known.sentence` opens with the same key."""
    return [key[:CHECK].hex(), base64.b64encode(_mixed(sentence.encode(), key)).decode()]


def _mixed(text: bytes, key: bytes) -> bytes:
    stream = hashlib.shake_256(key).digest(len(text))
    return bytes(a ^ b for a, b in zip(text, stream, strict=True))
