"""The village's transformer learns to please judges of its stories, while the truth is known.

By best of n, reinforcement and pairs, and by what should help: a leash, rewards without length,
several judges, more preferences. Only numbers and a few stories are kept. Leaves out: the judges
(nextword.models.judges) and drawing what was found.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor, nn

from nextword.corpora import names, taste, village
from nextword.given import batches
from nextword.given.batches import ids
from nextword.models import judges, preferring, training, transformer_training, tuning
from nextword.models.judges import Pool
from nextword.models.ladder.network import Network
from nextword.models.ladder.rungs import transformers as rungs
from nextword.models.preferring import Preferring
from nextword.models.store import Recipe, Trained, files
from nextword.models.training import Report
from nextword.models.tuning import Tuning, Written

SEEDS = (0, 1, 2)
READ = 480  # stories of the model that preferences are about, and as many for the best of n
ASKED = 10_000  # words of true stories on which the gap is measured
SAMPLES = (1, 2, 4, 8, 16, 32, 64)
PLAN = Tuning(steps=12, size=32, rate=6e-4)
WINDOW = 2  # steps whose stories are measured together
FEW, MANY, JUDGES, CAUTION = 50, 400, 3, 1.0
PREFERRING = Preferring(steps=24, size=16, beta=0.1, rate=2e-4)
WRITTEN = 64  # stories that are written to measure a network tuned by pairs

Row = dict[str, float]


@dataclass(frozen=True)
class Arm:
    """One way to tune: who judges, and what holds the model back."""

    preferences: int = FEW
    judges: int = 1
    beta: float = 0.0  # the leash: reward for a nat
    flat: bool = False  # the line through length is taken away


ARMS = {
    "one judge": Arm(),
    "leash": Arm(beta=0.5),
    "without length": Arm(flat=True),
    "three judges": Arm(judges=JUDGES),
    "more preferences": Arm(preferences=MANY),
}


@dataclass(frozen=True)
class Base:
    """What all trainings begin with."""

    teller: Network  # the book's transformer
    true_stories: Sequence[Sequence[int]]
    floor: float
    read: Written  # its stories, which preferences are about
    held: Written  # others

    def pool(self) -> Pool:
        """The first stories as judges read them."""
        return Pool(self.read.texts, self.truth(self.read).numpy(), len(self.teller.words))

    def truth(self, written: Written) -> Tensor:
        """The hidden taste's rewards, (B,)."""
        return torch.from_numpy(judges.true_rewards(written.words(self.teller.words)))


def base(package: SimpleNamespace) -> Base:
    """Load the transformer and let it write."""
    texts = names.load("village", 1_000, ASKED)
    teller = rungs.shipped_transformer(package.transformers, texts)
    rng = torch.Generator().manual_seed(7)
    parts = [tuning.write(teller.model, [[]] * (READ // 4), rng) for _ in range(8)]
    read, held = tuning.together(parts[:4]), tuning.together(parts[4:])
    assert texts.floor is not None
    return Base(teller, ids(texts.test, teller.number), texts.floor, read, held)


# ------------------------------------------------------------------ judges
def trained(package: SimpleNamespace, pool: Pool, arm: Arm, seed: int) -> list[nn.Module]:
    """The judges of an arm; all of a seed learn from the same preferences, or begin with them."""
    one = partial(judges.judge_of, package, pool, arm.preferences, data=seed)
    return [one(seed=10 * seed + k) for k in range(arm.judges)]


def reward_of(
    package: SimpleNamespace, panel: Sequence[nn.Module], number: Any, zero: float = 0.0
) -> tuning.Reward:
    """What a panel of judges says, carefully where there are several, less `zero`."""
    asked = [judges.reward_of(judge, number) for judge in panel]

    def reward(texts: list[list[str]]) -> Tensor:
        scores = torch.stack([ask(texts) for ask in asked])
        found: Tensor = package.after_training.cautious(scores, CAUTION) - zero
        return found

    return reward


def counted(
    package: SimpleNamespace, start: Base, panel: Sequence[nn.Module]
) -> tuple[tuning.Reward, float]:
    """A panel's reward, 0 for the mean story of the start; and the mean of the truth there."""
    said = reward_of(package, panel, start.teller.number)
    zero = said(start.held.words(start.teller.words)).mean().item()
    shifted = reward_of(package, panel, start.teller.number, zero)
    return shifted, start.truth(start.held).mean().item()


# ------------------------------------------------------------------ what is measured
def row(
    start: Base, written: Written, proxy: Tensor, weights: Tensor | None = None, kl: float = 0.0
) -> Row:
    """What is told of some stories, each with its weight; all weigh the same by default.

    proxy, truth: what judge and taste give, more than to the mean story of the start. heard: what
    the taste gives to the words until a story breaks; followed: their share of all. runs: the share
    of different ones among all runs of eight words.
    """
    texts = written.words(start.teller.words)
    w = torch.full((len(texts),), 1 / len(texts)) if weights is None else weights
    heads = heard(texts)
    worth = [torch.from_numpy(judges.true_rewards(part)).float() for part in (texts, heads)]
    lengths = written.lengths()
    found = {
        "kl": kl,
        "proxy": float(w @ proxy),
        "truth": float(w @ worth[0]) - start.truth(start.held).mean().item(),
        "heard": float(w @ worth[1]),
        "followed": float(w @ (torch.tensor([float(len(head)) for head in heads]) / lengths)),
        "accepted": float(w @ tuning.accepted(texts)),
        "words": float(w @ lengths) - 1,
        "runs": tuning.distinct(texts, 8) if weights is None else math.nan,
    }
    return {name: round(value, 4) for name, value in found.items() if not math.isnan(value)}


def heard(texts: Sequence[list[str]]) -> list[list[str]]:
    """Each text up to the first word at which it is no story of the village any more."""
    return [text[: village.score(text).left_at] for text in texts]


def drift(start: Base, written: Written) -> float:
    """KL from the start in nats a story, k1."""
    log_q = tuning.log_probs(start.teller.model, written.inputs, written.targets)
    return (written.log_p - log_q).sum(1).mean().item()


def gap(start: Base, model: nn.Module) -> float:
    """Percent above the floor on true stories."""
    return round(tuning.gap(model, start.true_stories, start.floor), 3)


def pleasing(start: Base, written: Written, proxy: Tensor) -> dict[str, Any]:
    """The story that a judge likes best, its true worth, and where it leaves the village."""
    k = int(proxy.argmax())
    text = written.words(start.teller.words)[k]
    score, worth = village.score(text), judges.true_rewards([text])[0]
    mean = start.truth(start.held).mean().item()
    return {
        "text": " ".join(text),
        "proxy": round(proxy[k].item(), 3),
        "truth": round(float(worth) - mean, 3),
        "left_at": None if score.complete else score.left_at,
    }


# ------------------------------------------------------------------ three ways to please
def best_of(package: SimpleNamespace, start: Base, arm: Arm, seed: int) -> list[Row]:
    """The best of n of the start's stories by a panel, exactly, for each number of SAMPLES."""
    course = package.after_training
    reward, _ = counted(package, start, trained(package, start.pool(), arm, seed))
    proxy = reward(start.held.words(start.teller.words))
    log_p = torch.full((len(proxy),), -math.log(len(proxy)))
    found = []
    for n in SAMPLES:
        weights = course.best_of_n(log_p, proxy, n).exp()
        found.append(row(start, start.held, proxy, weights, course.best_of_n_kl(n)) | {"n": n})
    return found


def tuned(
    package: SimpleNamespace,
    start: Base,
    arm: Arm,
    seed: int,
    report: Report = lambda done: None,
) -> dict[str, Any]:
    """Reinforcement by a panel: a row for each WINDOW of steps, measured on their own stories."""
    course = package.after_training
    panel = trained(package, start.pool(), arm, seed)
    reward, _ = counted(package, start, panel)
    model, last = deepcopy(start.teller.model), list[tuple[Written, Tensor]]()
    rows, shown = list[Row](), list[dict[str, Any]]()

    def look(step: int, seen: tuning.Step, written: Written, rewards: Tensor) -> None:
        last.append((written, rewards))
        if step % WINDOW == 0:
            both = tuning.together([part for part, _ in last])
            proxy = torch.cat([of_part for _, of_part in last])
            found = row(start, both, proxy, kl=drift(start, both))
            rows.append(found | {"gap": gap(start, model)})
            shown.append(pleasing(start, both, proxy))
            last.clear()

    tuning.reinforce(
        *(course, model, reward, start.teller.words, replace(PLAN, beta=arm.beta), seed),
        reference=start.teller.model,
        adjust=course.without_length if arm.flat else None,
        report=report,
        after=look,
    )
    return {"rows": rows, "shown": shown if seed == SEEDS[0] else []}


def preferred(
    package: SimpleNamespace, start: Base, seed: int, report: Report = lambda done: None
) -> dict[str, Any]:
    """DPO on the very preferences from which the one judge of this seed learned."""
    course, pool = package.after_training, start.pool()
    reward, _ = counted(package, start, trained(package, pool, ARMS["one judge"], seed))
    pairs = judges.preferred(pool.truth, FEW, seed).tolist()
    model, rows = deepcopy(start.teller.model), list[Row]()
    rng = torch.Generator().manual_seed(seed)

    def look(step: int, seen: preferring.Step) -> None:
        if step % (PREFERRING.steps // 4) == 0:
            written = tuning.write(model, [[]] * WRITTEN, rng)
            proxy = reward(written.words(start.teller.words))
            found = row(start, written, proxy, kl=drift(start, written))
            rows.append(found | {"gap": gap(start, model)})

    log_q = start.read.log_p.sum(1)
    preferring.prefer(
        course, model, start.read, log_q, pairs, PREFERRING, seed, report=report, after=look
    )
    return {"rows": rows}


# ------------------------------------------------------------------ all of it
def facts_of(
    start: Base,
    arms: dict[str, list[dict[str, Any]]],
    pairs: list[dict[str, Any]],
    best: dict[str, list[list[Row]]],
) -> dict[str, Any]:
    """What is kept."""
    before = row(start, start.held, torch.zeros(len(start.held.texts)))
    several = start.held.words(start.teller.words)[: WINDOW * PLAN.size]  # more would repeat more
    runs = round(tuning.distinct(several, 8), 4)
    return {
        "before": before | {"runs": runs, "gap": gap(start, start.teller.model)},
        "spread": round(start.truth(start.held).std().item(), 3),
        "arms": arms,
        "pairs": pairs,
        "best": best,
        "seeds": list(SEEDS),
        "preferences": [FEW, MANY],
        "judges": JUDGES,
        "caution": CAUTION,
        "plan": {key: getattr(PLAN, key) for key in ("steps", "size", "rate")} | {"window": WINDOW},
        "preferring": asdict(PREFERRING),
        "stories": READ,
        "leash": ARMS["leash"].beta,
        "samples": list(SAMPLES),
    }


def goodhart(package: SimpleNamespace, report: Report) -> Trained:
    """Every arm, the best of n and DPO with each seed."""
    start = base(package)
    arms: dict[str, list[dict[str, Any]]] = {name: [] for name in ARMS}
    best: dict[str, list[list[Row]]] = {"one judge": []}
    pairs = []
    for done, seed in enumerate(SEEDS):
        for name, arm in ARMS.items():
            arms[name].append(tuned(package, start, arm, seed))
            if name in best:
                best[name].append(best_of(package, start, arm, seed))
        pairs.append(preferred(package, start, seed))
        report((done + 1) / len(SEEDS))
    return Trained({}, facts_of(start, arms, pairs, best))


RECIPES = (
    Recipe(
        name="after_training/goodhart",
        train=goodhart,
        uses={
            "after_training": (
                *("RewardModel", "preference_loss", "cautious", "without_length", "leashed"),
                *("leave_one_out", "policy_loss", "text_log_probs", "kl_estimates"),
                *("best_of_n", "best_of_n_kl", "dpo_loss"),
            ),
            "transformers": ("Sizes", "LanguageModel", "initialise", "generate"),
        },
        sources=(
            Path(__file__),
            *files(judges, taste, tuning, preferring, rungs),
            *files(transformer_training, training, batches),
        ),
    ),
)
