"""Shows students' code to a marker, in colours where that takes no time to speak of.

Leaves out what is shown, and where (marking_page.py).
"""

from __future__ import annotations

import html
from typing import Any

from nbconvert.filters import Highlight2HTML

from examiner.platforms.nbgrader.student_markdown import shortened

LONGEST_LINE = 1_000  # characters; for some lines Pygments takes time that grows with the square


def coloured(code: str, lexer: str = "python3") -> str:
    """Return code as HTML, all of it escaped.

    >>> coloured("a < b" + 1000 * " ")[:38]
    '<div class="highlight"><pre>a &lt; b  '
    """
    text = shortened(code)
    if any(len(line) > LONGEST_LINE for line in text.split("\n")):
        return f'<div class="highlight"><pre>{html.escape(text)}</pre></div>'
    return str(Highlight2HTML(pygments_lexer=lexer)(text))


def code_of_cell(source: str, metadata: Any = None) -> str:
    """Do as `coloured` does, in a template of nbconvert's."""
    return coloured(source, "ipython3")
