"""The game of the first page as a figure: its numbers, and what stands without JavaScript.

Leaves out: choosing the stories (nextword.models.home_game), playing (home.js).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from nextword.explorables.figure import Explorable, show
from nextword.plots.texts import Page

TITLE = "Which word comes next? You against two models and the truth"
BETS = {"5-gram": "5-gram", "transformer": "transformer", "village": "truth"}


def game(stories: Sequence[Mapping[str, Any]], start: str) -> Explorable:
    """The game with these stories; `start` is the address that its end leads to."""
    story, question = stories[0], stories[0]["questions"][0]
    alt = (
        f"The beginning of a story with a gap, and below it what the next word may be: "
        f"{', '.join(question['choices'])}. A table says how much each model bets on each word."
    )
    return show("home", TITLE, {"stories": stories, "start": start}, still=_still(story), alt=alt)


def _still(story: Mapping[str, Any]) -> Page:
    """The first question of a story with what each bets."""
    question = story["questions"][0]
    begun = " ".join(story["words"][: question["place"]])
    for sign in ".,":
        begun = begun.replace(f" {sign}", sign)
    head = "".join(f'<th scope="col">{name}</th>' for name in BETS.values())
    rows = "".join(
        f'<tr><th scope="row">{escape(word)}</th>'
        + "".join(f"<td>{100 * question['bets'][name][k]:.0f} %</td>" for name in BETS)
        + "</tr>"
        for k, word in enumerate(question["choices"])
    )
    html = (
        f'<p class="nw-x-text">{escape(begun)} <span class="nw-x-gap">?</span></p>'
        f'<table class="nw-x-table counts"><caption>What each bets on the next word</caption>'
        f'<thead><tr><th scope="col">word</th>{head}</tr></thead><tbody>{rows}</tbody></table>'
    )
    return Page(html, begun)
