"""How far back the cells of chapter 4 can learn to remember, measured on a task with one fact.

Leaves out: language. A sequence begins with one of four signs, noise of a given length follows, and
at its end the network must say which sign it was.
"""

from pathlib import Path
from types import ModuleType, SimpleNamespace

import torch
import torch.nn.functional as F  # noqa: N812 - torch's own custom
from torch import Tensor, nn

from nextword.models import training
from nextword.models.store import Recipe, Trained, files
from nextword.models.training import Report

SIGNS, NOISE = 4, 4  # how many signs there are, and how many kinds of noise
DISTANCES, SEEDS, STEPS = (5, 10, 20, 40, 80), (0, 1, 2), 600
BATCH, HIDDEN, RATE, REMEMBER = 32, 32, 5e-3, 4.0
CELLS = {
    "Elman": "ElmanCell",
    "LSTM": "LSTMCell",
    "LSTM, open gate": "LSTMCell",
    "GRU": "GRUCell",
    "GRU, open gate": "GRUCell",
}


def sequences(n: int, distance: int, rng: torch.Generator) -> tuple[Tensor, Tensor]:
    """`n` one-hot sequences of a sign and `distance` steps of noise, and which sign it was."""
    sign = torch.randint(SIGNS, (n, 1), generator=rng)
    noise = torch.randint(SIGNS, SIGNS + NOISE, (n, distance), generator=rng)
    return F.one_hot(torch.cat([sign, noise], dim=1), SIGNS + NOISE).float(), sign[:, 0]


def remembered(
    rnns: ModuleType, name: str, distance: int, seed: int, steps: int = STEPS, n_asked: int = 500
) -> float:
    """Train a cell to tell the sign after `distance` steps; return its share of right answers."""
    torch.manual_seed(seed)
    rng = torch.Generator().manual_seed(seed)
    cell = getattr(rnns, CELLS[name])(SIGNS + NOISE, HIDDEN)
    if name.endswith("open gate"):  # the second block of either cell says what is kept
        cell.W.bias.data[HIDDEN : 2 * HIDDEN] = REMEMBER
    out = nn.Linear(HIDDEN, SIGNS)
    optimizer = torch.optim.Adam([*cell.parameters(), *out.parameters()], RATE)

    def loss_of(batch: tuple[Tensor, Tensor]) -> Tensor:
        x, sign = batch
        return F.cross_entropy(out(rnns.run(cell, x)[0][:, -1]), sign)

    batches = (sequences(BATCH, distance, rng) for _ in range(steps))
    training.train(training.minimise(optimizer, loss_of, clip=1.0), batches, optimizer)
    with torch.no_grad():
        x, sign = sequences(n_asked, distance, rng)
        said = out(rnns.run(cell, x)[0][:, -1]).argmax(-1)
    return float((said == sign).float().mean())


def memory(package: SimpleNamespace, report: Report) -> Trained:
    """The share of right answers, in percent, for each cell, distance and seed."""
    found: dict[str, dict[int, list[float]]] = {}
    n_runs = len(CELLS) * len(DISTANCES) * len(SEEDS)
    for name in CELLS:
        for distance in DISTANCES:
            shares = []
            for seed in SEEDS:
                shares.append(round(100 * remembered(package.rnns, name, distance, seed), 1))
                n_done = sum(len(row) for rows in found.values() for row in rows.values())
                report((n_done + len(shares)) / n_runs)
            found.setdefault(name, {})[distance] = shares
    return Trained({}, {"right": found, "guessing": 100 / SIGNS, "steps": STEPS, "hidden": HIDDEN})


RECIPES = (
    Recipe(
        name="rnns/memory",
        train=memory,
        uses={"rnns": ("ElmanCell", "LSTMCell", "GRUCell", "run")},
        sources=(Path(__file__), *files(training)),
        corpora=(),
    ),
)
