"""The village's transformer learns to be accepted: leashes, lengths, steps on one batch, pairs.

Only numbers are kept, and one tuned network. Leaves out: drawing them, and deceived judges.
"""

from __future__ import annotations

import math
from copy import deepcopy
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
from torch import nn

from nextword.corpora import names
from nextword.given.batches import ids
from nextword.models import preferring, transformer_training, tuning
from nextword.models.ladder.network import Network
from nextword.models.ladder.rungs import transformers as rungs
from nextword.models.preferring import Preferring
from nextword.models.store import Recipe, Trained, files
from nextword.models.training import Report, half
from nextword.models.tuning import Tuning, Written

SEEDS = (0, 1, 2)
ASKED = 20_000  # words of true stories on which the gap is measured
JUDGED = 512  # stories that are written to measure a tuned network
PLAN = Tuning(steps=32, size=128, rate=1.5e-4)
ARMS = {  # leash in reward for a nat; whether the line through length is taken away
    "plain": (0.0, False),
    "without length": (0.0, True),
    "without length, leash 0.02": (0.02, True),
    "without length, leash 0.05": (0.05, True),
}
SHIPPED = ("without length, leash 0.05", 0)
UPDATES = Tuning(steps=3, size=48, group=48, scaled=True, clipped=True, updates=6, rate=3e-4)
CLIPS = {"clipped at 0.2": 0.2, "not clipped": math.inf}
PAIRS, PREFERRING, LOOKS = 2000, Preferring(steps=40, beta=0.1, rate=1e-4), 10


def started(package: SimpleNamespace) -> tuple[Network, names.Texts]:
    """The book's transformer, and true stories."""
    texts = names.load("village", 1_000, ASKED)
    return rungs.shipped_transformer(package.transformers, texts), texts


def told(model: nn.Module, teller: Network, texts: names.Texts, n: int = JUDGED) -> dict[str, Any]:
    """What is measured of a tuned model: on its own stories, and on true ones."""
    rng = torch.Generator().manual_seed(99)  # of no training
    found = tuning.measure(model, teller.model, tuning.accepted, teller.words, [[]] * n, rng)
    assert texts.floor is not None
    gap = tuning.gap(model, ids(texts.test, teller.number), texts.floor)
    return {name: round(value, 4) for name, value in (found._asdict() | {"gap": gap}).items()}


# ------------------------------------------------------------------ leash and length
def arm(
    package: SimpleNamespace, name: str, seed: int, report: Report = lambda done: None
) -> tuple[nn.Module, dict[str, Any]]:
    """One training of one of the ARMS: the network, and what was seen on the way."""
    course, (teller, texts) = package.after_training, started(package)
    beta, flat = ARMS[name]
    model = deepcopy(teller.model)
    steps = tuning.reinforce(
        course,
        model,
        tuning.accepted,
        teller.words,
        replace(PLAN, beta=beta),
        seed,
        adjust=course.without_length if flat else None,
        report=report,
    )
    path = {
        key: [round(getattr(step, key), 4) for step in steps] for key in ("reward", "kl", "words")
    }
    return model, {"path": path, "after": told(model, teller, texts)}


def reinforced(package: SimpleNamespace, report: Report) -> Trained:
    """Every arm with each seed; one of the networks is kept."""
    arms: dict[str, list[dict[str, Any]]] = {name: [] for name in ARMS}
    kept: nn.Module | None = None
    for k, name in enumerate(ARMS):
        for seed in SEEDS:
            model, found = arm(package, name, seed)
            arms[name].append(found)
            if (name, seed) == SHIPPED:
                kept = model
            report((k + (seed + 1) / len(SEEDS)) / len(ARMS))
    assert kept is not None
    return Trained(half(kept), reinforced_facts(package, arms))


def reinforced_facts(
    package: SimpleNamespace, arms: dict[str, list[dict[str, Any]]]
) -> dict[str, Any]:
    """What is kept of all arms, and the same numbers of the network before."""
    teller, texts = started(package)
    before = told(teller.model, teller, texts, 4 * JUDGED)
    before["runs"] = told(teller.model, teller, texts)["runs"]  # falls with the number of stories
    return {
        "before": before,
        "arms": arms,
        "seeds": list(SEEDS),
        "plan": {"steps": PLAN.steps, "size": PLAN.size, "rate": PLAN.rate},
        "judged": JUDGED,
        "shipped": list(SHIPPED),
    }


# ------------------------------------------------------------------ several steps on one batch
def updated(package: SimpleNamespace, eps: float, seed: int) -> dict[str, Any]:
    """Several optimizer steps on each of a few batches: how far each one moves the network.

    After each step, of the batch's own words: KL(old || new) in nats a story, the share of ratios
    that have left 0.8 to 1.2, and the largest ratio.
    """
    course, (teller, texts) = package.after_training, started(package)
    model, rng = deepcopy(teller.model), torch.Generator().manual_seed(seed)
    optimizer, moved = tuning.adamw(model, UPDATES.rate), []
    for _ in range(UPDATES.steps):
        written = tuning.write(model, [[]] * UPDATES.size, rng)
        rewards = tuning.accepted(written.words(teller.words))
        advantages = course.group_advantages(rewards[None], UPDATES.scaled)[0]
        model.train()
        seen = []
        for _ in range(UPDATES.updates):
            batch = (written.inputs, written.targets, written.log_p, advantages)
            course.tune_step(model, teller.model, optimizer, *batch, 0.0, eps, UPDATES.clip)
            seen.append(ratios(model, written))
            model.train()
        moved.append({"accepted": round(rewards.mean().item(), 4), "updates": seen})
    return {"batches": moved, "after": told(model, teller, texts, JUDGED // 2)}


def ratios(model: nn.Module, written: Written) -> list[float]:
    """KL(old || new), the share of ratios outside 0.8 to 1.2, and the largest ratio."""
    change = tuning.log_probs(model, written.inputs, written.targets) - written.log_p
    rho = change[written.targets != tuning.IGNORE].exp()
    outside = ((rho < 0.8) | (rho > 1.2)).float().mean().item()
    return [round(x, 4) for x in (-change.sum(1).mean().item(), outside, rho.max().item())]


def updates(package: SimpleNamespace, report: Report) -> Trained:
    """The same batches' worth of steps, with the clip and without."""
    arms: dict[str, list[dict[str, Any]]] = {}
    for k, (name, eps) in enumerate(CLIPS.items()):
        arms[name] = []
        for seed in SEEDS:
            arms[name].append(updated(package, eps, seed))
            report((k + (seed + 1) / len(SEEDS)) / len(CLIPS))
    return Trained({}, updates_facts(arms))


def updates_facts(arms: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """What is kept of them."""
    plan = {key: getattr(UPDATES, key) for key in ("steps", "size", "updates", "rate")}
    return {"arms": arms, "seeds": list(SEEDS), "plan": plan, "judged": JUDGED // 2}


# ------------------------------------------------------------------ pairs
def preferred(package: SimpleNamespace, seed: int) -> dict[str, Any]:
    """DPO on pairs of stories that the network wrote before, as many as a reinforcement writes."""
    course, (teller, texts) = package.after_training, started(package)
    rng = torch.Generator().manual_seed(seed)
    parts = [tuning.write(teller.model, [[]] * PLAN.size, rng) for _ in range(PLAN.steps)]
    written = tuning.together(parts)
    rewards = tuning.accepted(written.words(teller.words))
    pairs = preferring.by_reward(rewards, PAIRS, rng)
    model, looks = deepcopy(teller.model), []

    def look(step: int, seen: preferring.Step) -> None:
        if step % LOOKS == 0:
            looks.append({"step": step} | told(model, teller, texts, JUDGED // 2))
            model.train()

    log_q = written.log_p.sum(1)
    steps = preferring.prefer(course, model, written, log_q, pairs, PREFERRING, seed, after=look)
    path = {
        key: [round(getattr(step, key), 4) for step in steps]
        for key in ("loss", "chosen", "rejected", "right")
    }
    words = written.lengths() - 1
    return {
        "accepted": int(rewards.sum()),
        "words": [round(words[rewards == kind].mean().item(), 2) for kind in (0, 1)],
        "path": path,
        "looks": looks,
    }


def pairs(package: SimpleNamespace, report: Report) -> Trained:
    """DPO with each seed."""
    runs = []
    for seed in SEEDS:
        runs.append(preferred(package, seed))
        report((seed + 1) / len(SEEDS))
    return Trained({}, pairs_facts(runs))


def pairs_facts(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """What is kept of them."""
    written = PLAN.steps * PLAN.size
    plan = asdict(PREFERRING) | {"pairs": PAIRS, "written": written}
    return {"runs": runs, "seeds": list(SEEDS), "plan": plan, "judged": JUDGED // 2}


_VILLAGE: dict[str, tuple[str, ...]] = {"transformers": ("Sizes", "LanguageModel", "generate")}
_SOURCES = (Path(__file__), *files(tuning, preferring, rungs, transformer_training))


def _recipe(name: str, train: Any, *called: str) -> Recipe:
    """A recipe of this page. called: what it uses of the chapter."""
    return Recipe(f"after_training/{name}", train, _VILLAGE | {"after_training": called}, _SOURCES)


RECIPES = (
    _recipe(
        *("reinforced", reinforced, "leave_one_out", "leashed", "policy_loss", "text_log_probs"),
        *("kl_estimates", "without_length"),
    ),
    _recipe("updates", updates, "group_advantages", "tune_step"),
    _recipe("pairs", pairs, "dpo_loss", "text_log_probs"),
)
