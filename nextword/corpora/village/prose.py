"""Stories as a reader likes to see them: capital letters, and no blank before a comma."""

from collections.abc import Iterable

from nextword.corpora.corpus import EOS
from nextword.corpora.village import words
from nextword.corpora.village.world import table

_ROWS = table(words.COUNTRIES)
_NAMES = [*words.SHE.split(), *words.HE.split(), *(cell for row in _ROWS for cell in row[:3])]
PROPER = frozenset([*_NAMES, "i", "monday", "saturday", "sunday"])
CLOSE_UP = frozenset({".", ",", "?"})  # no blank before these


def prose(tokens: Iterable[str]) -> str:
    """The tokens as printed text; a new paragraph begins after each `</s>`.

    >>> prose('" where is the cow ? " asked anna . she spoke french . </s>'.split())
    '"Where is the cow?" asked Anna. She spoke French.'
    """
    text, begins, quoted = "", True, False
    for token in tokens:
        if token == EOS:
            text, begins = text.rstrip() + "\n\n", True
        elif token in CLOSE_UP:
            text, begins = text.rstrip() + token + " ", token == "."
        elif token == '"':
            text = text.rstrip() + '" ' if quoted else text + '"'
            begins, quoted = not quoted, not quoted
        else:
            text += (token.capitalize() if begins or token in PROPER else token) + " "
            begins = False
    return text.rstrip()
