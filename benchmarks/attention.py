"""The chapter's forms of attention beside torch's: time, memory, difference; and layers by length.

Memory is the most that is held at once beyond the inputs: of the chapter's forms the tensors that
they make, of torch's what its allocator gave out. Leaves out: what the forms can learn.
"""

import argparse
import json
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

os.environ.setdefault("KINETO_LOG_LEVEL", "99")  # torch reads it once: no word about each profile

import torch
from rich.console import Console
from rich.table import Table
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention
from torch.profiler import ProfilerActivity, profile

from examiner.judge.modules import load_module
from examiner.suite import peak_bytes

attention: Any = load_module(Path(__file__).parents[1] / "solutions" / "attention.py", "attention")
MIB = 2**20
LENGTHS = (512, 2048, 8192)
WIDTH = 128  # words in a window
K = 64  # numbers in a query
Run = Callable[[], Tensor]
Pair = tuple[Run, Run, Sequence[Tensor]]  # the chapter's form, torch's, and what both are given


def allocated_mib(run: Run) -> float:
    """Return the most memory that is held at once while something runs, in MiB."""
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as found:
        run()
    events = [e for e in found.profiler.kineto_results.events() if e.name() == "[memory]"]
    held = most = 0
    for event in sorted(events, key=lambda e: e.start_ns()):
        held += event.nbytes()
        most = max(most, held)
    return most / MIB


def seconds(run: Run, least: float = 0.3) -> float:
    """Return the time of the fastest of several runs, after one to warm up."""
    run()
    times: list[float] = []
    while sum(times) < least or len(times) < 3:
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def near(T: int) -> Tensor:
    """The mask of windows."""
    i, j = torch.arange(T)[:, None], torch.arange(T)
    return (j <= i) & (j > i - WIDTH)


def heads(T: int) -> Pair:
    """Eight heads over T words, the chapter's and torch's, with the same weights."""
    ours, theirs = attention.MultiHead(8 * K, 8), nn.MultiheadAttention(8 * K, 8, batch_first=True)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([ours.W_q.weight, ours.W_k.weight, ours.W_v.weight]))
        theirs.in_proj_bias.copy_(torch.cat([ours.W_q.bias, ours.W_k.bias, ours.W_v.bias]))
        theirs.out_proj.load_state_dict(ours.W_o.state_dict())
    x = torch.randn(1, T, 8 * K)
    both = lambda: ours(x)[0], lambda: theirs.train()(x, x, x, need_weights=False)[0]
    return *both, (x, *ours.parameters())


def forms(T: int) -> dict[str, Pair]:
    """Each form at a length, and torch's function for the same."""
    q, k, v = (torch.randn(1, 1, T, K) for _ in range(3))
    many = torch.randn(1, 8, 1, K)

    def exact(**options: Any) -> Run:
        return lambda: scaled_dot_product_attention(q, k, v, **options)

    found = {
        "attention": (lambda: attention.attention(q, k, v)[0], exact()),
        "in blocks": (lambda: attention.blockwise_attention(q, k, v), exact()),
        "in blocks, causal": (
            lambda: attention.blockwise_attention(q, k, v, True),
            exact(is_causal=True),
        ),
        f"windows of {WIDTH}": (
            lambda: attention.windowed_attention(q, k, v, WIDTH),
            exact(attn_mask=near(T)),
        ),
        "one query, 8 heads share keys": (
            lambda: attention.grouped_attention(many, k, v)[0],
            lambda: scaled_dot_product_attention(many, k, v, enable_gqa=True),
        ),
    }
    pairs: dict[str, Pair] = {name: (*both, (q, k, v, many)) for name, both in found.items()}
    if T <= 2048:  # eight tables of 8,192 squared are 2 GiB
        pairs["8 heads"] = heads(T)
    return pairs


@torch.no_grad()
def compare() -> list[dict[str, Any]]:
    """Time, memory and difference of every form at every length."""
    rows = []
    for T in LENGTHS:
        for name, (ours, theirs, given) in forms(T).items():
            difference = (ours() - theirs()).abs().max().item()
            if difference > 1e-4:
                raise SystemExit(f"{name} at T = {T} differs from torch's by {difference}")
            rows.append(
                {
                    "form": name,
                    "T": T,
                    "ours_ms": 1e3 * seconds(ours),
                    "torch_ms": 1e3 * seconds(theirs),
                    "ours_mib": peak_bytes(lambda *_: ours(), *given) / MIB,  # noqa: B023
                    "torch_mib": allocated_mib(theirs),
                    "difference": difference,
                }
            )
    return rows


def layers(D: int) -> dict[str, Callable[[Tensor], Any]]:
    """Four layers of D numbers that read T words, (1, T, D)."""
    one_head, recurrent = attention.MultiHead(D, 1), nn.RNN(D, D, batch_first=True)
    one_head.look = attention.attention  # `look` finds the weights by a product of its own
    convolution = nn.Conv1d(D, D, 3, padding=1)
    return {
        "self-attention": lambda x: one_head(x),
        "recurrent": lambda x: recurrent(x),
        "convolution of 3": lambda x: convolution(x.mT),
        "windows of 32": lambda x: attention.windowed_attention(x, x, x, 32),
    }


@torch.no_grad()
def by_length(D: int = 128) -> list[dict[str, Any]]:
    """Milliseconds of each layer at each length."""
    return [
        {"layer": name, "D": D}
        | {f"T={T}": 1e3 * seconds(lambda: layer(torch.randn(1, T, D)), 0.1) for T in lengths}  # noqa: B023
        for lengths in [(32, 64, 128, 256, 512, 1024, 2048)]
        for name, layer in layers(D).items()
    ]


def show(title: str, rows: list[dict[str, Any]]) -> None:
    """Print rows as a table."""
    table = Table(title=title)
    for name in rows[0]:
        table.add_column(name, justify="left" if isinstance(rows[0][name], str) else "right")
    for row in rows:
        cells = (f"{v:.2g}" if isinstance(v, float) and v < 1e-3 else v for v in row.values())
        table.add_row(*(f"{v:,.2f}" if isinstance(v, float) else str(v) for v in cells))
    Console(width=140).print(table)


def main() -> None:
    """Measure, print, and write JSON where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    given = parser.parse_args()
    torch.manual_seed(0)
    found = {"forms": compare(), "layers": by_length()}
    show(f"forms of attention, one head of {K} numbers, float32", found["forms"])
    show("milliseconds of a layer", found["layers"])
    if given.json:
        given.json.write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
