"""Stories as a reader likes to see them: capital letters, and no blank before a comma."""

from collections.abc import Iterable

from nextword.corpora.corpus import EOS
from nextword.corpora.village import words
from nextword.corpora.village.world import table

_ROWS = table(words.COUNTRIES, 99)
PROPER = frozenset(
    [*words.SHE.split(), *words.HE.split(), *(cell for row in _ROWS for cell in row[:3])]
)


def prose(tokens: Iterable[str]) -> str:
    """The tokens as printed text; a new paragraph begins after each `</s>`.

    >>> prose("once there was an old baker named anna . she spoke french . </s>".split())
    'Once there was an old baker named Anna. She spoke French.'
    """
    text, begins = "", True
    for token in tokens:
        if token == EOS:
            text, begins = text.rstrip() + "\n\n", True
        elif token in {".", ",", ":"}:
            text, begins = text.rstrip() + token + " ", token == "."
        else:
            text += (token.capitalize() if begins or token in PROPER else token) + " "
            begins = False
    return text.rstrip()
