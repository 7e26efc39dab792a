"""Chapter 7's comparison of full tuning with LoRA: the same dialogues, steps and batches.

Leaves out: the dialogues and what is measured (after_training_assistant.py).
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
from torch import nn

from nextword.models import low_rank
from nextword.models.low_rank import LAYERS, SCALE, with_lora
from nextword.models.recipes import after_training_assistant as assistant
from nextword.models.recipes.after_training_assistant import BRIEF, MARK, NUMBER, SEEDS, village
from nextword.models.store import Recipe, Trained, files
from nextword.models.training import Report

RANKS = (1, 4, 16)
RATE = 1e-2  # with 3e-2 one seed was no better; the rate of full tuning is that of BRIEF
BYTES = 2 * 4  # AdamW keeps two numbers of four bytes for each that learns


def n_new() -> int:
    """How many words the village does not have."""
    return len(assistant.assistant.MARKS) + len(assistant.assistant.NEW_WORDS)


def n_learned(model: nn.Module, learned: list[nn.Parameter]) -> int:
    """How many numbers learn: those of the LoRAs, and the rows of new words."""
    words: Any = model.get_submodule("embed.words")
    rows = n_new() * words.weight.shape[1]
    return rows + sum(p.numel() for p in learned if p is not words.weight)


def lora(package: SimpleNamespace, report: Report) -> Trained:
    """Tune with each rank and in full, with each seed."""
    ranks: dict[str, list[dict[str, float]]] = {}
    for n, R in enumerate((*RANKS, 0)):
        name = str(R) if R else "full"
        ranks[name] = []
        for seed in SEEDS:
            ranks[name].append(one(package, R, seed))
            report((n + len(ranks[name]) / len(SEEDS)) / (len(RANKS) + 1))
    facts = {"seeds": list(SEEDS), "steps": BRIEF.steps, "rate": RATE, "full_rate": BRIEF.rate}
    return Trained({}, facts | {"layers": list(LAYERS), "scale": SCALE, "ranks": ranks})


def one(package: SimpleNamespace, R: int, seed: int, rate: float = RATE) -> dict[str, float]:
    """What was measured of one tuning; R = 0 stands for full tuning."""
    course, about = package.after_training, village()
    torch.manual_seed(seed)  # A is drawn
    model = assistant.extended(package.transformers, seed)
    learned = list(model.parameters())
    n = sum(p.numel() for p in learned)
    if R:
        learned = with_lora(course, model, R, len(NUMBER) - n_new())
        n = n_learned(model, learned)
    plan = replace(BRIEF, rate=rate if R else BRIEF.rate)
    rows = [course.render_chat(each.turns(), MARK) for each in about.dialogues]
    batches = assistant.source(course, rows, about.stories, plan, seed)
    assistant.tune(package, model, batches, plan)
    return assistant.measured(course, model) | {"learned": n, "optimizer_bytes": BYTES * n}


RECIPES = (
    Recipe(
        name="after_training/lora",
        train=lora,
        uses={
            "after_training": (
                *("render_chat", "answer_batch", "answer_loss", "LoRA", "add_lora"),
            ),
            "transformers": assistant.CALLED,
        },
        sources=(Path(__file__), *files(low_rank), *assistant.RECIPES[0].sources),
    ),
)
