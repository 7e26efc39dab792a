"""Networks that answer at once and networks that write the steps first, on problems with an answer.

Then a half-trained one learns from the verdicts of a program alone. Only numbers are kept. Leaves
out: the problems (nextword.corpora.problems), and drawing what was found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from nextword.corpora import problems
from nextword.corpora.problems import Problem
from nextword.given import batches
from nextword.given.batches import BOS, number_words
from nextword.models import store, training, transformer_training, tuning
from nextword.models.recipes import transformers_copying as copying
from nextword.models.store import Recipe, Trained, files
from nextword.models.training import Plan, Report, padded
from nextword.models.transformer_training import IGNORE, Batch
from nextword.models.tuning import Tuning

NUMBER = number_words(problems.WORDS)
NAMES_OF = list(NUMBER)  # the word of each id
TAUGHT = 4  # steps of the longest problems that are trained on
STEPS = tuple(range(1, problems.LONGEST + 1))
QUESTIONS = 6  # about one round, side by side in a row
PLAN = Plan(steps=200, size=24, rate=1e-3, average=0.99)
ARMS = {  # the scratch, and how many times as many steps
    "path": ("path", 1),
    "none": ("none", 1),
    "none, long": ("none", 2),
    "filler": ("filler", 2),
}
SEEDS = (0, 1, 2)
ASKED = 150  # problems of each number of steps
VOTES = (1, 3, 5, 9)  # answers that vote on one problem
VOTED_ON, VOTERS = 4, 120  # steps of the problems that are voted on, and how many problems
HALF = 76  # training steps of the network that reinforcement begins with
REINFORCED = Tuning(steps=20, size=128, group=8, scaled=True, clipped=True, rate=1e-4, most=80)
REWARDS = ("verified", "shuffled")

Answers = list[tuple[str, ...] | None]


# ------------------------------------------------------------------ texts
def rows(kind: str, size: int, rng: np.random.Generator) -> Batch:
    """Inputs and targets of `size` rounds; only solutions are targets."""
    lessons = [
        problems.lesson(int(rng.integers(1, TAUGHT + 1)), kind, QUESTIONS, rng) for _ in range(size)
    ]
    numbered = [([NUMBER[word] for word in words], learned) for words, learned in lessons]
    targets = [
        [k if counts else IGNORE for k, counts in zip(row, learned, strict=True)]
        for row, learned in numbered
    ]
    return padded([[BOS, *row[:-1]] for row, _ in numbered]), padded(targets, IGNORE)


def asked(n_steps: int, n: int, seed: int) -> list[Problem]:
    """Problems of so many steps that no training has seen."""
    rng = np.random.default_rng((seed, n_steps, 710))
    rounds = [problems.drawn(n_steps, rng) for _ in range(n)]
    return [found.problem(found.starts[0]) for found in rounds]


def prompt(problem: Problem, kind: str) -> list[int]:
    """What the network is given; fillers cost nothing to write, so they are given, too."""
    given = problem.scratch(kind) if kind == "filler" else ()
    return [NUMBER[word] for word in (*problem.question, *given)]


# ------------------------------------------------------------------ asking
def share_right(
    package: SimpleNamespace,
    model: nn.Module,
    kind: str,
    n_steps: int,
    rng: torch.Generator | None = None,
) -> float:
    """The share of problems that are solved, each word the likeliest one; or drawn with `rng`."""
    found = asked(n_steps, ASKED, seed=0)
    prompts = [prompt(problem, kind) for problem in found]
    most = len(prompts[0]) + 2 * problems.LONGEST + 3
    texts = package.transformers.generate(model, prompts, most, rng, 1.0 if rng else 0)
    words = [[NAMES_OF[k] for k in text] for text in texts]
    answers = [problem.answer for problem in found]
    return float(package.after_training.verified(words, answers).mean())


def by_steps(package: SimpleNamespace, model: nn.Module, kind: str) -> list[float]:
    """`share_right` for each number of steps."""
    return [round(share_right(package, model, kind, n), 4) for n in STEPS]


def both_ways(package: SimpleNamespace, model: nn.Module, seed: int) -> dict[str, list[float]]:
    """`share_right` with a scratch for each number of steps: of the likeliest words, and drawn."""
    rng = torch.Generator().manual_seed(seed)
    drawn = [round(share_right(package, model, "path", n, rng), 4) for n in STEPS]
    return {"likeliest": by_steps(package, model, "path"), "drawn": drawn}


def voted(package: SimpleNamespace, model: nn.Module, seed: int) -> dict[str, list[float]]:
    """Several drawn answers to each problem: the vote, one right among them, and the words of all.

    For each number of VOTES.
    """
    course, found = package.after_training, asked(VOTED_ON, VOTERS, seed=1)
    rng = torch.Generator().manual_seed(seed)
    prompts = [prompt(problem, "none") for problem in found for _ in range(max(VOTES))]
    written = tuning.write(model, prompts, rng, len(prompts[0]) + 2 * problems.LONGEST + 3)
    said = [course.final_answer(_ended(text)) for text in written.words(NAMES_OF)]
    lengths = written.lengths() - 1  # without the end
    groups = list(zip(found, np.array_split(np.arange(len(said)), len(found)), strict=True))

    def share(right: Callable[[Answers, tuple[str, ...]], bool], k: int) -> float:
        of_each = [right([said[i] for i in group[:k]], p.answer) for p, group in groups]
        return round(float(np.mean(of_each)), 4)

    return {
        "vote": [share(lambda given, best: course.majority(given) == best, k) for k in VOTES],
        "any": [share(lambda given, best: best in given, k) for k in VOTES],
        "words": [round(k * lengths.mean().item(), 2) for k in VOTES],
    }


def _ended(text: Sequence[str]) -> list[str]:
    """The words before the end."""
    return [word for word in text if word != problems.EOS]


# ------------------------------------------------------------------ learning from solutions
def new_network(package: SimpleNamespace) -> nn.Module:
    """The network of section 6.8, which has learned to look up what followed a letter before.

    Its letters become the words of the problems; without that skill, all would have to learn it.
    """
    course = package.transformers
    model: nn.Module = course.LanguageModel(course.Sizes(**copying.SIZES))
    tensors = store.load("transformers/copier").tensors
    model.load_state_dict({name: tensor.float() for name, tensor in tensors.items()})
    return model


def taught(
    package: SimpleNamespace, kind: str, n_steps: int, seed: int
) -> tuple[nn.Module, dict[str, int]]:
    """A network after so many steps on solutions, and what it has read."""
    rng = np.random.default_rng(seed)
    read = {"words": 0, "rounds": 0, "learned": 0}

    def source() -> Iterator[Batch]:
        while True:
            inputs, targets = rows(kind, PLAN.size, rng)
            read["words"] += int((inputs > 0).sum())
            read["learned"] += int((targets != IGNORE).sum())
            read["rounds"] += PLAN.size
            yield inputs, targets

    plan = replace(PLAN, steps=n_steps)
    model = new_network(package)
    transformer_training.train(package.transformers, model, source(), plan)
    return model, read


def example(package: SimpleNamespace, models: dict[str, nn.Module]) -> dict[str, Any]:
    """One problem, and what each network writes below it."""
    problem = asked(VOTED_ON, 1, seed=2)[0]
    told = {}
    for name, model in models.items():
        start = prompt(problem, ARMS[name][0])
        text = package.transformers.generate(model, [start], len(start) + 12, None, 0)[0]
        told[name] = " ".join(NAMES_OF[k] for k in text[len(problem.question) :])
    return {"question": " ".join(problem.question), "answer": problem.answer[0], "written": told}


def thinking(package: SimpleNamespace, report: Report) -> Trained:
    """Each of the ARMS with each seed: solved by number of steps, and votes at equal words."""
    found: dict[str, Any] = {name: {"right": [], "voted": []} for name in ARMS}
    last: dict[str, nn.Module] = {}
    for done, (name, (kind, times)) in enumerate(ARMS.items()):
        for seed in SEEDS:
            model, read = taught(package, kind, times * PLAN.steps, seed)
            found[name]["right"].append(by_steps(package, model, kind))
            if kind != "filler":
                found[name]["voted"].append(voted(package, model, seed))
            found[name] |= read
            report((done + (seed + 1) / len(SEEDS)) / len(ARMS))
        last[name] = model
    facts = {
        "arms": found,
        "example": example(package, last),
        "steps": list(STEPS),
        "taught": TAUGHT,
        "seeds": list(SEEDS),
        "votes": list(VOTES),
        "voted_on": VOTED_ON,
        "asked": ASKED,
        "training_steps": {name: times * PLAN.steps for name, (_, times) in ARMS.items()},
        "weights": training.n_weights(last["path"]),
    }
    return Trained({}, facts)


# ------------------------------------------------------------------ learning from verdicts
def to_try(seed: int) -> list[Problem]:
    """Problems without their solutions: as many as reinforcement draws."""
    rng = np.random.default_rng((seed, 711))
    n = REINFORCED.steps * REINFORCED.size // REINFORCED.group
    rounds = [problems.drawn(int(rng.integers(1, TAUGHT + 1)), rng) for _ in range(n)]
    return [found.problem(str(rng.choice(found.starts))) for found in rounds]


def judge(course: Any, tried: Sequence[Problem], kind: str, seed: int) -> tuning.Reward:
    """1 for a right answer; "shuffled" deals the same rewards out by chance."""
    answers = {problem.question: problem.answer for problem in tried}
    rng = torch.Generator().manual_seed(seed)

    def reward(texts: list[list[str]]) -> Tensor:
        asked_for = [answers[tuple(text[: text.index("letter") + 2])] for text in texts]
        rewards: Tensor = course.verified([_ended(text) for text in texts], asked_for)
        return rewards if kind == "verified" else rewards[torch.randperm(len(texts), generator=rng)]

    return reward


def reinforced(package: SimpleNamespace, report: Report) -> Trained:
    """From a half-trained network, with verified rewards and with the same rewards shuffled."""
    course, begun = package.after_training, []
    found: dict[str, list[dict[str, Any]]] = {kind: [] for kind in REWARDS}
    for done, seed in enumerate(SEEDS):
        start, _ = taught(package, "path", HALF, seed)
        begun.append(both_ways(package, start, seed))
        tried = to_try(seed)
        prompts = [prompt(problem, "path") for problem in tried]
        for kind in REWARDS:
            model = deepcopy(start)
            reward = judge(course, tried, kind, seed)
            steps = tuning.reinforce(
                *(course, model, reward, NAMES_OF, REINFORCED, seed), prompts=prompts
            )
            told = {"rewards": [round(step.reward, 4) for step in steps]}
            found[kind].append(told | both_ways(package, model, seed))
        report((done + 1) / len(SEEDS))
    facts = {
        "before": begun,
        "after": found,
        "half": HALF,
        "seeds": list(SEEDS),
        "steps": list(STEPS),
        "taught": TAUGHT,
        "plan": {
            key: getattr(REINFORCED, key) for key in ("steps", "size", "group", "rate", "eps")
        },
    }
    return Trained({}, facts)


_CHAPTER_6 = ("Sizes", "LanguageModel", "generate", "learning_rate", "train_step")
_SOURCES = (
    Path(__file__),
    *files(problems, tuning, copying, transformer_training, training, batches),
)
RECIPES = (
    Recipe(
        name="after_training/thinking",
        train=thinking,
        uses={
            "after_training": ("verified", "final_answer", "majority"),
            "transformers": _CHAPTER_6,
        },
        sources=_SOURCES,
    ),
    Recipe(
        name="after_training/verified",
        train=reinforced,
        uses={
            "after_training": ("verified", "group_advantages", "tune_step", "kl_estimates"),
            "transformers": _CHAPTER_6,
        },
        sources=_SOURCES,
    ),
)
