"""The transformer of the ladder on twice the text: the second column of the last page.

Leaves out: the other rungs, which gain less from more text.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

from nextword.checkpoints.recipe import Recipe, Report, Trained
from nextword.corpora import names
from nextword.ladder import measure
from nextword.ladder.rungs import transformers as rungs

TOKENS, ASKED = 2_000_000, 100_000  # the test text is that of the ladder
NAME = "transformer"


def more(package: SimpleNamespace, report: Report) -> Trained:
    """Train and measure the rung as always, for as many steps, on more stories."""
    (rung,) = (rung for rung in rungs.RUNGS if rung.name == NAME)
    texts = names.load("village", TOKENS, ASKED)
    row = measure.measure(rung, package, texts, lambda _, done: report(done))
    return Trained({}, {"tokens": TOKENS, "row": row.to_json(), "floor": texts.floor})


RECIPES = (
    Recipe(
        name="transformers/more",
        train=more,
        uses={"transformers": rungs.RUNGS[-1].calls},
        sources=(
            *(Path(__file__), rungs.RUNGS[-1].source, *rungs.RUNGS[-1].sources),
            Path(measure.__file__),
        ),
    ),
)
