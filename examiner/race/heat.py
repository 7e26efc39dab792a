"""One run of an entry over the texts of a race: told word by word, asked before each.

A model is given a word only after it has returned its whole row for that place. Texts stand side by
side in an order that has nothing to do with their lengths; one that is over is told its end again
and again, and its rows are ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from examiner.race.rows import require_rows
from examiner.race.rules import Ground, Rules, Text

Report = Callable[[float], None]  # called with the share of the work that is done, 0 to 1


class Model(Protocol):
    """What answers: a process behind walls (runner.py), or a model in a test."""

    def begin(self, n: int) -> object:
        """Return the rows of the first words of n texts."""

    def follow(self, words: np.ndarray) -> object:
        """Take one more word of each text; return the rows of the words after these."""


@dataclass
class Heat:
    """What a model said of some texts, each known by its place among those of the race."""

    surprises: dict[int, np.ndarray] = field(default_factory=dict)  # -ln P of each word
    rows: dict[int, np.ndarray] = field(default_factory=dict)  # (words, V), of those to be kept


def run(
    model: Model,
    ground: Ground,
    rules: Rules,
    chosen: Sequence[int],
    keep: Collection[int] = (),
    report: Report = lambda done: None,
    batch: int = 0,
) -> Heat:
    """Ask a model about the chosen texts; keep its rows for those in `keep`.

    batch: texts side by side; 0: as the rules say. Raises OutError for an answer that is no row.
    """
    heat, size = Heat(), batch or rules.batch
    kept = frozenset(keep)
    for start in range(0, len(chosen), size):
        side = chosen[start : start + size]
        told = [ground.texts[k] for k in side]
        rows: dict[int, list[np.ndarray]] = {k: [] for k in side if k in kept}
        found = np.zeros((len(side), max(map(len, told))))
        for t, (answer, words, live) in enumerate(_steps(model, told, ground, rules)):
            with np.errstate(divide="ignore"):  # a zero where the word came: infinite surprise
                found[:, t] = -np.log(answer[np.arange(len(side)), words])
            for place, k in enumerate(side):
                if k in rows and live[place]:
                    rows[k].append(answer[place].astype(np.float32))
        for k, line in zip(side, found, strict=True):
            heat.surprises[k] = line[: len(ground.texts[k])]
        heat.rows |= {k: np.stack(each) for k, each in rows.items()}
        report(min(1.0, (start + size) / len(chosen)))
    return heat


def _steps(
    model: Model, told: Sequence[Text], ground: Ground, rules: Rules
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Yield for each place the rows, the words that then came, and which texts go on there."""
    n, V = len(told), len(ground.vocabulary)
    lengths = np.array([len(text) for text in told])
    table = np.full((n, lengths.max()), ground.end, dtype=np.int64)
    for row, text in zip(table, told, strict=True):
        row[: len(text)] = text
    answer = model.begin(n)
    for t in range(table.shape[1]):
        live = lengths > t
        yield require_rows(answer, n, V, live, rules.off_one), table[:, t], live
        if t + 1 < table.shape[1]:
            answer = model.follow(table[:, t].copy())


def mixed(
    model: Model, ground: Ground, rules: Rules, told: Sequence[int], rng: np.random.Generator
) -> tuple[dict[int, np.ndarray], list[list[int]]]:
    """Ask about some texts again, and let the model write in the other places of the batch.

    Returns the rows for each of the texts, (words, V), and the written texts. For these the
    examiner draws each word from the model's row; one that has not ended after `rules.longest`
    words has no end. The model is not told which places are which, so it cannot keep for its own
    texts another answer than for those of the race.
    """
    n, V = rules.batch, len(ground.vocabulary)
    text_at = dict(zip(rng.permutation(n).tolist(), told, strict=False))  # of a place
    given = [ground.texts[text_at[k]] if k in text_at else None for k in range(n)]
    lengths = np.array([rules.longest if text is None else len(text) for text in given])
    rows: dict[int, list[np.ndarray]] = {k: [] for k in told}
    written: dict[int, list[int]] = {k: [] for k in range(n) if k not in text_at}
    over = np.zeros(n, dtype=bool)
    answer = model.begin(n)
    for t in range(lengths.max()):
        live = (lengths > t) & ~over
        said = require_rows(answer, n, V, live, rules.off_one)
        words = _drawn(said, rng.random(n))
        for k in np.flatnonzero(live).tolist():
            if (text := given[k]) is not None:
                rows[text_at[k]].append(said[k].astype(np.float32))
                words[k] = text[t]
            else:
                written[k].append(int(words[k]))
        words[~live] = ground.end
        over |= words == ground.end
        if over.all() or t + 1 == lengths.max():
            break
        answer = model.follow(words)
    return {k: np.stack(each) for k, each in rows.items()}, list(written.values())


def _drawn(rows: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Return a word for each row, by a number from [0, 1); never one of probability 0."""
    cumulative = rows.cumsum(axis=1)
    u = u * cumulative[:, -1]
    words: np.ndarray = (cumulative <= u[:, None]).sum(axis=1)
    return words.astype(np.int64)
