"""What `nextword check` knows of a chapter besides its visible tests: the docstrings' examples, the
programs on which a wrong answer is shown, with what is right, and sentences on frequent mistakes.

A sentence is locked with what its mistake answers: only code that is wrong in the same way opens
it. So the file tells neither mistakes nor solutions. `nextword sync` writes it.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from examiner.counterexamples.naming import signature, unlocked
from examiner.counterexamples.pool import Pool, from_json
from examiner.counterexamples.search import Asked, Found


@dataclass(frozen=True)
class DocstringExample:
    """A line of a docstring's example, and what it shows."""

    source: str
    want: str


@dataclass(frozen=True)
class Known:
    """The content of the file."""

    examples: Mapping[str, list[DocstringExample]] = field(default_factory=dict)  # by function
    pool: Pool = field(default_factory=lambda: Pool({}, {}))
    sentences: Mapping[str, list[list[str]]] = field(default_factory=dict)  # by function

    def says(self, found: Found, asked: Asked) -> str:
        """Return the sentence of the mistake that is wrong like this, or ""."""
        return unlocked(self.sentences.get(found.case.symbol, ()), signature(asked))


def load(path: Path) -> Known:
    """Read the file; where there is none, or a broken one, nothing is known."""
    try:
        raw: dict[str, Any] = json.loads(path.read_text("utf-8"))
        examples = {
            name: [DocstringExample(**each) for each in rows]
            for name, rows in raw["examples"].items()
        }
        return Known(examples, from_json(raw["pool"]), dict(raw["sentences"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, zlib.error):
        return Known()
