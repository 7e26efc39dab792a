"""Finds lines of code in a text without regard to its comments.

So a reference can be explained better without a change to what is written as "the reference, but".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

COMMENT = re.compile(r"(^|  )\s*#.*$")


def located(lines: Sequence[str], old: Sequence[str]) -> list[tuple[slice, str]]:
    """Return each place where the old lines stand, and by what they are indented there.

    Comments and empty lines count neither in the text nor among the old lines.

    >>> located(["if x:", "    # why", "    y = 1  # that", "    z = 2"], ["y = 1", "z = 2"])
    [(slice(2, 4, None), '    ')]
    """
    wanted = [text for text in map(without_comment, old) if text]
    numbered = [(number, without_comment(line)) for number, line in enumerate(lines)]
    standing = [(number, text) for number, text in numbered if text]
    found = []
    for start in range(len(standing) - len(wanted) + 1 if wanted else 0):
        part = standing[start : start + len(wanted)]
        indent = _indent([text for _, text in part], wanted)
        if indent is not None:
            found.append((slice(part[0][0], part[-1][0] + 1), indent))
    return found


def without_comment(line: str) -> str:
    """Return a line without the comment at its end, nothing of it if it is a comment.

    >>> without_comment("    y = x[0]  # the first one"), without_comment("# all of it")
    ('    y = x[0]', '')
    """
    return COMMENT.sub("", line).rstrip()


def _indent(lines: Sequence[str], old: Sequence[str]) -> str | None:
    """Return by what the lines are indented more than the old ones, None if they are others."""
    indent = lines[0].removesuffix(old[0]) if lines[0].endswith(old[0]) else None
    if indent is None or indent.strip():
        return None
    same = all(line == indent + text for line, text in zip(lines, old, strict=True))
    return indent if same else None
