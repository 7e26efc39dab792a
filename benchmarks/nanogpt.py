"""Chapter 6's transformer beside nanoGPT: Shakespeare by characters, the same sizes and batches.

nanoGPT's setting for a processor: 4 layers, 4 heads, width 128, rows of 64 characters, 12 of them a
step, 2,000 steps. Both networks take turns, ten steps each, and what counts is the time of the
processor, so that other work on the machine changes little; the validation loss is the mean over
the whole held-out tenth. Judged at the end: a loss at most 1 % above nanoGPT's, and at least as
many tokens per second.

nanoGPT is not a package: `git clone https://github.com/karpathy/nanoGPT` first. Where the folder is
missing, the chapter's network runs alone, beside the loss that nanoGPT reached when it was there.
Leaves out: mixed precision and compilation, which nanoGPT's own setting for a processor lacks.
Usage: python benchmarks/nanogpt.py [--peer nanoGPT] [--steps 2000] [--text FILE] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 - torch's own custom

from examiner.judge.modules import load_module
from nextword.corpora import downloads
from nextword.models.training import parameter_groups

ROOT = Path(__file__).parents[1]
course: Any = load_module(ROOT / "solutions" / "transformers.py", "transformers")

LAYERS, HEADS, WIDTH, T, BATCH = 4, 4, 128, 64, 12
RATE, LAST_RATE, WARM_UP, BETAS, DECAY, CLIP = 1e-3, 1e-4, 100, (0.9, 0.99), 0.1, 1.0
TURN = 10  # steps before the other network goes on
NEAR = 0.01  # the share of nanoGPT's loss that ours may be above it
MEASURED = 1.9093  # nanoGPT's loss after 2,000 steps; its README says 1.88, estimated from batches

Step = Callable[[Tensor, Tensor, float], object]  # one step on inputs and targets at a rate


@dataclass
class Net:
    """A network, its step and what was measured of it."""

    name: str
    model: nn.Module
    step: Step
    logits: Callable[[Tensor], Tensor]
    seconds: float = 0.0  # of the processor, all threads together
    loss: float = float("nan")


def ours(V: int) -> Net:
    """The reference of chapter 6, in the sizes of nanoGPT."""
    sizes = course.Sizes(V, WIDTH, LAYERS, HEADS, T=T, positions="learned", bias=False)
    model = course.initialise(course.LanguageModel(sizes), torch.Generator().manual_seed(0))
    optimizer = torch.optim.AdamW(parameter_groups(model, DECAY), RATE, BETAS, fused=True)

    def step(inputs: Tensor, targets: Tensor, rate: float) -> None:
        set_rate(optimizer, rate)
        course.train_step(model, optimizer, [(inputs, targets)], CLIP)

    return Net("chapter 6", model, step, lambda inputs: model(inputs)[0])


def theirs(V: int, folder: Path) -> Net:
    """NanoGPT's own model, optimizer and step."""
    module: Any = load_module(folder / "model.py", "nanogpt_model")
    torch.manual_seed(0)
    config = module.GPTConfig(
        block_size=T,
        vocab_size=V,
        n_layer=LAYERS,
        n_head=HEADS,
        n_embd=WIDTH,
        dropout=0.0,
        bias=False,
    )
    model = module.GPT(config)
    optimizer = model.configure_optimizers(DECAY, RATE, BETAS, "cpu")

    def step(inputs: Tensor, targets: Tensor, rate: float) -> None:
        set_rate(optimizer, rate)
        _, loss = model(inputs, targets)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    return Net("nanoGPT", model, step, lambda inputs: model(inputs, inputs)[0])


def set_rate(optimizer: torch.optim.Optimizer, rate: float) -> None:
    """Give all groups a learning rate."""
    for group in optimizer.param_groups:
        group["lr"] = rate


@torch.no_grad()
def validation_loss(net: Net, held_out: Tensor) -> float:
    """The mean surprise per character of the whole held-out text, in rows of T characters."""
    net.model.eval()
    n_rows = (len(held_out) - 1) // T
    inputs, targets = (held_out[k : k + n_rows * T].view(n_rows, T) for k in (0, 1))
    total = 0.0
    for x, y in zip(inputs.split(64), targets.split(64), strict=True):
        total += float(F.cross_entropy(net.logits(x).flatten(0, 1), y.flatten(), reduction="sum"))
    net.model.train()
    return total / targets.numel()


def run(nets: list[Net], text: str, steps: int) -> None:
    """Train both, in turns, on the same batches; fill in times and losses."""
    signs = sorted(set(text))
    number = {sign: k for k, sign in enumerate(signs)}
    row = torch.tensor([number[sign] for sign in text])
    first_optimizer_loads_a_compiler()
    border = int(0.9 * len(row))
    learned, held_out = row[:border], row[border:]
    for first in range(0, steps, TURN):
        for net in nets:
            net.model.train()
            for step in range(first, min(first + TURN, steps)):
                starts = np.random.default_rng((0, step)).integers(len(learned) - T, size=BATCH)
                rows = learned[torch.from_numpy(starts)[:, None] + torch.arange(T + 1)]
                rate = course.learning_rate(step, RATE, WARM_UP, steps, LAST_RATE)
                began = time.process_time()
                net.step(rows[:, :-1], rows[:, 1:].contiguous(), rate)
                net.seconds += time.process_time() - began
    for net in nets:
        net.loss = validation_loss(net, held_out)


def first_optimizer_loads_a_compiler() -> None:
    """Make a step with something else, so that neither network pays for what torch loads then."""
    net = nn.Linear(1, 1)
    optimizer = torch.optim.AdamW(net.parameters())
    net(torch.ones(1)).backward()
    optimizer.step()


def faults(found: dict[str, Any]) -> list[str]:
    """What is wrong, in words."""
    mine, other = found["chapter 6"], found.get("nanoGPT", {"loss": MEASURED})
    wrong = []
    if mine["loss"] > other["loss"] * (1 + NEAR):
        wrong.append(f"the loss is more than {NEAR:.0%} above {other['loss']:.4f}")
    if mine["tokens_per_second"] < other.get("tokens_per_second", 0):
        wrong.append("nanoGPT is faster")
    return wrong


def main() -> None:
    """Measure, print a table and say whether the targets hold."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peer", type=Path, default=Path("nanoGPT"), help="a clone of nanoGPT")
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--text", type=Path, help="instead of the download tinyshakespeare")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", os.cpu_count() or 1)))
    text = options.text.read_text("utf-8") if options.text else downloads.read("tinyshakespeare")
    nets = [ours(len(set(text)))]
    if (options.peer / "model.py").is_file():
        nets.append(theirs(len(set(text)), options.peer))
    else:
        print(f"there is no {options.peer / 'model.py'}: the chapter's network runs alone")
    run(nets, text, options.steps)
    found: dict[str, Any] = {}
    for net in nets:
        speed = options.steps * BATCH * T / net.seconds
        n_weights = sum(p.numel() for p in net.model.parameters())
        found[net.name] = {"loss": net.loss, "tokens_per_second": speed, "weights": n_weights}
        print(
            f"{net.name:10} {n_weights:9,} weights  validation loss {net.loss:.4f}  "
            f"{speed:8,.0f} tokens per second of the processor"
        )
    wrong = faults(found)
    print("\n".join(wrong) or f"the loss is at most {NEAR:.0%} above, and the speed no lower")
    if options.json:
        found |= {"torch": torch.__version__, "threads": torch.get_num_threads(), "faults": wrong}
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
