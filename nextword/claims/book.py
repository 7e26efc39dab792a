"""All claims of the book, as its pages have stored them, and the page that lists them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nextword.claims.measured import MIME, Claim, capitalized

PAGE = Path("chapters") / "claims.md"
LABEL = re.compile(r"^\((sec-[\w-]+)\)=$", re.MULTILINE)
HEADING = re.compile(r"^(#{1,3}) (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Stated:
    """A claim and where it stands."""

    page: Path  # the notebook
    title: str  # of the page
    section: str  # its heading
    label: str  # what a link to the section names; "" where it has none
    claim: Claim


def stated(chapters: Path) -> Iterator[Stated]:
    """The claims of a folder of pages, in the order of the table of contents beside it."""
    contents = chapters.parent / "_toc.yml"
    listed = contents.read_text("utf-8").split() if contents.is_file() else []
    order = {name: place for place, name in enumerate(listed)}

    def place(path: Path) -> tuple[int, str]:
        return order.get(f"{chapters.name}/{path.stem}", len(order)), path.stem

    for path in sorted(chapters.glob("*.ipynb"), key=place):
        yield from _of_page(path, json.loads(path.read_text("utf-8")))


def _of_page(path: Path, notebook: dict[str, Any]) -> Iterator[Stated]:
    title = section = label = ""
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            text = "".join(cell["source"])
            for found in HEADING.finditer(text):
                heading = found[2].strip()
                title = title or heading
                if found[1] == "##":
                    section = heading
                    before = LABEL.findall(text[: found.start()])
                    label = before[-1] if before else ""
            continue
        for output in cell.get("outputs", []):
            if fields := output.get("data", {}).get(MIME):
                made = Claim(**{**fields, "values": tuple(fields["values"])})
                yield Stated(path, title, section or title, label, made)


def as_json(found: Stated) -> dict[str, Any]:
    """A claim with its place, effect and spread, for programs."""
    made = found.claim
    return {
        "page": found.page.stem,
        "section": found.section,
        "says": made.says,
        "measured": made.measured,
        "tried": len(made.values),
        "over": made.over,
        "effect": made.effect,
        "spread": [min(made.values), max(made.values)],
        "values": list(made.values),
        "above": made.above,
        "below": made.below,
        "unit": made.unit,
        "budget": made.budget,
        "control": made.control,
        "observation": made.is_observation,
    }


HEAD = """---
nosearch: true
myst:
  html_meta:
    description: Every claim of this book about a trained model, with seeds, effect and spread.
---

# What this book claims, and how it was measured

A sentence about a trained model is an experiment, and an experiment can come out by luck. So pages
show under a figure what was measured of such a sentence: the mean in bold letters, the smallest
and the largest value in brackets, what these are values of, and how often it was *tried*, in
trainings or draws. *Tested* is the bound that every value must keep, not only their mean: whenever
the book's tests run, they fail where one does not. A claim that rests on one training is an
observation, and you should expect less of it. `nextword claims` prints the same list; this page is
written from what the chapters have stored.
"""


def page(found: list[Stated]) -> str:
    """The page that lists all claims, in Markdown."""
    often = sum(not each.claim.is_observation for each in found)
    total = f"The book makes {len(found)} such claims. {often} of them were tried several times."
    parts = [HEAD, total]
    title = section = ""
    for each in found:
        if each.title != title:
            title, section = each.title, ""
            parts.append(f"## {title}")
        if each.section != section:
            section = each.section
            link = f"[{section}](#{each.label})" if each.label else section
            parts.append(f"**{link}**")
        parts.append(_item(each.claim))
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def _item(made: Claim) -> str:
    """A claim as an item of a list."""
    more = [f"Budget: {made.budget}."] if made.budget else []
    more += [f"Control: {made.control}."] if made.control else []
    lines = [
        made.says,
        f"{capitalized(made.measured)}: {made.found}. Tried: {made.tried}; tested: {made.bound}.",
        *more,
    ]
    return "- " + "\n  ".join(lines)
