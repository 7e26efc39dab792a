"""Where each model loses against the truth: a table and a picture of kinds of facts by rungs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Group
from rich.table import Table

from examiner.errors import UserError
from nextword.models.ladder.climb import Ladder
from nextword.models.ladder.measure import RungResult

if TYPE_CHECKING:  # a table alone should not wait for matplotlib
    from matplotlib.figure import Figure

ABREAST = 5  # rungs beside each other, which fit into 80 columns
CAPTION = "bits that a model loses against the truth, on average per word of a kind"


def kinds(ladder: Ladder) -> list[str]:
    """The kinds of fact in the test text. Raises UserError where nobody knows them."""
    found = [kind for row in ladder.rows for kind in row.excess_bits_by_kind]
    if not found:
        raise UserError(
            f"the kinds of facts are known for the village only, not for {ladder.corpus}: "
            "leave out --by kind"
        )
    return list(dict.fromkeys(found))


def table(ladder: Ladder) -> Group:
    """One line per kind, one column per rung: as many tables as fit below each other."""
    rows = [ladder.rows[k : k + ABREAST] for k in range(0, len(ladder.rows), ABREAST)]
    found = [_table(ladder, part) for part in rows]
    found[0].title = f"What depends on what: the ladder on {ladder.corpus} by kind"
    found[-1].caption = "\n".join(filter(None, (CAPTION, ladder.origin)))
    return Group(*found)


def _table(ladder: Ladder, rows: Sequence[RungResult]) -> Table:
    found = Table()
    found.add_column("kind", no_wrap=True)
    for row in rows:
        found.add_column(ladder.label(row), justify="right")
    for kind in kinds(ladder):
        excesses = [row.excess_bits_by_kind[kind] for row in rows]
        found.add_row(kind, *[_number(excess) for excess in excesses])
    return found


def plot(ladder: Ladder) -> Figure:
    """Kinds by rungs: the more bits are lost, the darker the cell."""
    import numpy as np
    from matplotlib.figure import Figure

    names = kinds(ladder)
    bits = np.array(
        [[_finite(row.excess_bits_by_kind[kind]) for row in ladder.rows] for kind in names]
    )
    figure = Figure(
        figsize=(1.8 + 0.85 * len(ladder.rows), 1.4 + 0.34 * len(names)), layout="constrained"
    )
    axes = figure.add_subplot()
    top = max(1.0, float(np.nanmax(bits, initial=0.0)))
    axes.imshow(bits, cmap="Blues", vmin=0, vmax=top, aspect="auto")
    for (line, column), value in np.ndenumerate(bits):
        colour = "white" if value > 0.55 * top else "black"
        axes.text(column, line, _number(value), ha="center", va="center", color=colour, fontsize=9)
    axes.set_xticks(
        range(len(ladder.rows)), [ladder.label(row) for row in ladder.rows], rotation=30
    )
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_title("\n".join(filter(None, (CAPTION, ladder.origin))), fontsize=10)
    return figure


def _finite(value: float | None) -> float:
    return float("nan") if value is None else value


def _number(value: float | None) -> str:
    if value is None or value != value:
        return "∞"
    return f"{max(value, 0):.2f}"
