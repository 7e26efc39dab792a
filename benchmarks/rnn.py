"""Measures the chapter's own LSTM beside torch.nn.LSTM: tokens per second, and the same loss curve.

Both get the same weights, stories and optimizer; so every loss must agree, and the script fails
where it does not. A layer alone and a whole language model are timed, reading only and training.

Leaves out: other cells and other libraries. Usage: python benchmarks/rnn.py [--json FILE]
"""

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from rich.table import Table
from torch import Tensor, nn

from examiner.judge.modules import load_module
from nextword.corpora import names
from nextword.given.batches import PAD, number_words

rnns: Any = load_module(Path(__file__).parents[1] / "solutions" / "rnns.py", "rnns")
D, H, SIZE, CHUNK, STEPS = 64, 128, 16, 64, 30
CLOSE = 1e-3  # by how much two losses may differ after all steps


class Torchs(nn.Module):
    """The chapter's language model with torch's own LSTM in it, and the same weights."""

    def __init__(self, ours: nn.Module, V: int):
        super().__init__()
        self.embed, self.out = nn.Embedding(V, D), nn.Linear(H, V)
        self.net = nn.LSTM(D, H, batch_first=True)
        self.embed.load_state_dict(ours.embed.state_dict())
        self.out.load_state_dict(ours.out.state_dict())
        cell = ours.cells[0]
        self.net.load_state_dict(
            {
                "weight_ih_l0": cell.W.weight,
                "weight_hh_l0": cell.U.weight,
                "bias_ih_l0": cell.W.bias,
                "bias_hh_l0": torch.zeros_like(cell.W.bias),
            }
        )
        self.net.bias_hh_l0.requires_grad_(
            False
        )  # ours has one bias; two would learn twice as fast

    def forward(self, tokens: Tensor, s: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """tokens (B, T) and a state (B, 1, 2 H) -> logits (B, T, V) and the next state."""
        state = None
        if s is not None:
            h, c = s.transpose(0, 1).chunk(2, dim=-1)
            state = (h.contiguous(), c.contiguous())
        x, (h, c) = self.net(self.embed(tokens), state)
        return self.out(x), torch.cat([h, c], dim=-1).transpose(0, 1)


def curve(model: nn.Module, batches: list[tuple[Tensor, Tensor]]) -> tuple[list[float], float]:
    """Train on the batches; the losses, and the tokens per second."""
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], 4e-3)
    model.train()
    start = time.perf_counter()
    losses = [rnns.train_batch(model, optimizer, batch, CHUNK, 1.0) for batch in batches]
    n_tokens = sum(int((targets != PAD).sum()) for _, targets in batches)
    return losses, n_tokens / (time.perf_counter() - start)


@torch.no_grad()
def reading(model: nn.Module, batches: list[tuple[Tensor, Tensor]]) -> float:
    """Tokens per second without any training."""
    model.eval()
    start = time.perf_counter()
    for inputs, _ in batches:
        model(inputs)
    n_tokens = sum(int((targets != PAD).sum()) for _, targets in batches)
    return n_tokens / (time.perf_counter() - start)


def made(build: Callable[[], nn.Module], batches: list[tuple[Tensor, Tensor]]) -> dict[str, Any]:
    """All that is measured of one model."""
    model = build()
    read = reading(model, batches)
    losses, trained = curve(model, batches)
    return {"reading": round(read), "training": round(trained), "losses": losses}


def main() -> None:
    """Measure, print a table, and write JSON if asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", type=Path, help="write the results here")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    texts = names.load("village", 150_000, 10_000)
    number = number_words(texts.vocabulary)
    stories = [[number[word] for word in story] for story in texts.train[: SIZE * STEPS]]
    batches = [rnns.make_batch(stories[k : k + SIZE]) for k in range(0, len(stories), SIZE)]

    def ours() -> nn.Module:
        torch.manual_seed(0)
        return rnns.LanguageModel(len(number), D, H)

    found = {
        "the chapter's LSTM": made(ours, batches),
        "torch.nn.LSTM": made(lambda: Torchs(ours(), len(number)), batches),
    }
    table = Table(
        "", "reading", "training", "loss at first", "at the end", title="tokens per second"
    )
    for name, row in found.items():
        first, last = row["losses"][0], row["losses"][-1]
        table.add_row(
            name, f"{row['reading']:,}", f"{row['training']:,}", f"{first:.4f}", f"{last:.4f}"
        )
    Console(width=100).print(table)
    pairs = zip(*(row["losses"] for row in found.values()), strict=True)
    apart = max(abs(a - b) for a, b in pairs)
    print(f"the two curves of {len(batches)} batches differ by {apart:.1e} at most")
    if options.json:
        options.json.write_text(json.dumps({**found, "apart": apart}, indent=1) + "\n", "utf-8")
    sys.exit(0 if apart < CLOSE else 1)


if __name__ == "__main__":
    main()
