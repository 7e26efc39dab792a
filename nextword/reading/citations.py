"""What a citation says where no bibliography is built: "Kneser and Ney (1995)"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

ENTRY = re.compile(r"^@\w+\{([^,\s]+),(.*?)^\}", re.M | re.S)
FIELD = re.compile(r"^\s*(\w+)\s*=\s*[{\"](.*?)[}\"],?\s*$", re.M)
ROLE = re.compile(r"\{cite:([pt])\}`([^`]+)`")
MOST_NAMED = 2  # authors; of more, the first one and "et al."


def read_bibliography(path: Path) -> dict[str, tuple[str, str]]:
    """Return names and year of each work by its key; nothing where there is no such file."""
    if not path.is_file():
        return {}
    works = {}
    for key, body in ENTRY.findall(path.read_text("utf-8")):
        fields = {name.lower(): value for name, value in FIELD.findall(body)}
        people = fields.get("author") or fields.get("editor") or key
        works[key] = _named(people), fields.get("year", "")
    return works


def _named(people: str) -> str:
    """Return family names as a text cites them.

    >>> _named("Kneser, Reinhard and Ney, Hermann"), _named("A B and C D and E F")
    ('Kneser and Ney', 'B et al.')
    """
    plain = re.sub(r"\\.|[{}]", "", people)
    names = []
    for person in re.split(r"\s+and\s+", plain):
        family, comma, _ = person.partition(",")
        names.append(family.strip() if comma or "{" in people else family.split()[-1])
    return " and ".join(names) if len(names) <= MOST_NAMED else f"{names[0]} et al."


def with_citations(text: str, works: Mapping[str, tuple[str, str]]) -> str:
    """Return a page's Markdown with each citation in words; an unknown key stays a key.

    >>> with_citations("So {cite:t}`ney`, as before {cite:p}`ney`.", {"ney": ("Ney", "1994")})
    'So Ney (1994), as before (Ney, 1994).'
    """

    def words(role: re.Match[str]) -> str:
        keys = [key.strip() for key in role[2].split(",")]
        cited = [works.get(key, (key, "")) for key in keys]
        if role[1] == "t":
            return " and ".join(f"{who} ({year})" if year else who for who, year in cited)
        return f"({'; '.join(f'{who}, {year}' if year else who for who, year in cited)})"

    return ROLE.sub(words, text)
