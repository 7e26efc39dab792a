"""Measures how long the models train, without training most of them to their end.

For each family and size of the study, for the split of the last rung and for the ways to come near
the floor, a few steps are timed, and the looks at validation and test text. All other models are
trained for a few seconds, or to their end where that comes first; the rest follows from the share
that is done by then. As many as there are processors are timed side by side, each with one thread,
as `nextword models --jobs N` trains them. The numbers stand in nextword/models/expected.py.

Leaves out: the stories that a network of the study tells; how much the steps of a training differ.
Usage: python benchmarks/training_time.py [--jobs N] [--steps N] [--enough SECONDS] [--json FILE]
"""

import argparse
import json
import multiprocessing
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import cache, partial
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from rich.console import Console
from rich.table import Table
from torch import nn

from examiner.judge.modules import load_module
from nextword.corpora import names
from nextword.models import expected, store, train_models, training, transformer_training
from nextword.models.ladder.climb import slug
from nextword.models.study import last_rung, nearest, plan, shelf
from nextword.models.study import training as study
from nextword.models.study.families import FAMILIES

ROOT = Path(__file__).parents[1]
SOLUTIONS, SHIPPED = ROOT / "solutions", ROOT / store.FOLDER
WARM, STORIES, SEED = 5, 32, 0  # steps before the clock starts; stories of a timed look
UNEVEN = ("transformers/scaling", "after_training/judges")  # later parts are larger: timed whole


@cache
def chapters() -> Any:
    """The chapters whose classes the networks are made of."""
    stems = ("attention", "transformers")
    return SimpleNamespace(**{s: load_module(SOLUTIONS / f"{s}.py", s) for s in stems})


@cache
def data() -> study.Data:
    """The texts of the study."""
    return study.data_of(names.load("village", plan.TOKENS, plan.ASKED))


def seconds_of(work: Callable[[], object]) -> float:
    """Seconds of the processor that a piece of work takes."""
    began = time.process_time()
    work()
    return time.process_time() - began


def of_family(number: int, size: str, n_steps: int) -> float:
    """Seconds of all trainings of a family at a size."""
    family, texts = FAMILIES[number], data()
    facts = store.load(f"{plan.FOLDER}/{slug(family.name)}-{size}").facts
    each = [run["passes"] for run in facts["tried"] + facts["runs"]]
    net = family.sized(chapters(), texts.V, plan.SIZES[size], SEED)
    rng = np.random.default_rng(SEED)
    source = transformer_training.without_end(texts.train, study.BATCH, rng)

    def fit(n: int) -> None:
        study.fit(net, islice(source, n), n, 1e-3, lambda done, loss: None)

    fit(WARM)
    step = seconds_of(lambda: fit(n_steps)) / n_steps
    story = seconds_of(lambda: study.surprise(net, texts.test[:STORIES])) / STORIES
    n_looks = sum(1 + sum(look < passes for look in study.LOOKS) for passes in each)
    looks = story * (n_looks * len(texts.validation) + len(each) * len(texts.test))
    return step * sum(each) * -(-len(texts.train) // study.BATCH) + looks


def of_plan(
    made: Callable[[], nn.Module], of: training.Plan, n_steps: int, **how: Any
) -> tuple[float, float]:
    """Seconds of a training by a plan of chapter 6, and of reading the test text once."""
    texts, net = data(), made()
    rng = np.random.default_rng(SEED)
    source = transformer_training.without_end(texts.train, of.size, rng)
    fit: Any = partial(transformer_training.train, chapters().transformers, net, source, **how)
    fit(replace(of, steps=WARM))
    step = seconds_of(lambda: fit(replace(of, steps=n_steps))) / n_steps
    story = seconds_of(lambda: transformer_training.loss(net, texts.test[:STORIES])) / STORIES
    return step * of.steps, story * len(texts.test)


def of_last_rung(n_steps: int) -> float:
    """Seconds of the split of the last rung: each way with each seed."""
    course = chapters().transformers
    rungs = last_rung.rungs
    made = partial(rungs.built, course, data().texts, rungs.convolved(course), SEED)
    each = sum(of_plan(made, last_rung.PLAN, n_steps))
    return each * len(last_rung.WAYS) * len(plan.SEEDS)


def of_nearest(n_steps: int) -> float:
    """Seconds of all ways to come near the floor, with each seed."""
    found = 0.0
    for way in nearest.WAYS:
        made = partial(nearest.built, chapters().transformers, data().texts, way.twice, SEED)
        found += sum(of_plan(made, way.plan, n_steps, optimizer_of=way.optimizer_of))
    return found * len(plan.SEEDS)


class Enough(BaseException):
    """Ends a training; no handler of errors stops it."""


def of_recipe(name: str, enough: float) -> float:
    """Seconds of a model's training, from its first seconds and the share that was done by then."""
    [recipe] = (each for each in train_models.everything() if each.name == name)
    shares: list[tuple[float, float]] = []  # seconds so far, and what is done by then
    began = time.process_time()

    def report(share: float) -> None:
        shares.append((time.process_time() - began, share))
        if name not in UNEVEN and shares[-1][0] > enough and share > shares[0][1]:
            raise Enough

    with tempfile.TemporaryDirectory() as folder:
        shelf.KEPT = Path(folder)  # nothing of a training that was done before
        try:
            store.train(recipe, SOLUTIONS, report)
        except Enough:
            (first, before), (now, share) = shares[0], shares[-1]
            return now + (now - first) / (share - before) * (1 - share)
    return time.process_time() - began


def works(n_steps: int, enough: float) -> Iterator[tuple[str, Callable[[], float]]]:
    """What is timed, by the names of the models; what takes longest comes first."""
    by_steps: dict[str, Callable[[], float]] = {
        nearest.NAME: partial(of_nearest, n_steps),
        last_rung.NAME: partial(of_last_rung, n_steps),
    }
    for size in reversed(plan.SIZES):
        for number, family in enumerate(FAMILIES):
            name = f"{plan.FOLDER}/{slug(family.name)}-{size}"
            by_steps[name] = partial(of_family, number, size, n_steps)
    yield from by_steps.items()
    for recipe in expected.longest_first(train_models.everything(), SHIPPED):
        if recipe.name not in by_steps:
            yield recipe.name, partial(of_recipe, recipe.name, enough)


def main() -> None:
    """Time all of them, and say how long they take side by side."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--enough", type=float, default=20, help="seconds of each other model")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"  # of the processes that are started now
    spawned = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(given.jobs, spawned, torch.set_num_threads, (1,)) as pool:
        started = {name: pool.submit(work) for name, work in works(given.steps, given.enough)}
        found = {name: round(each.result()) for name, each in started.items()}
    table = Table("model", "seconds", "said so far")
    said = {r.name: expected.seconds(r, SHIPPED) or 0 for r in train_models.everything()}
    for name, seconds in found.items():
        table.add_row(name, f"{seconds:,}", f"{said[name]:,.0f}")
    table.add_row("all", f"{sum(found.values()):,}", f"{sum(said.values()):,.0f}")
    Console().print(table)
    if given.json:
        given.json.write_text(json.dumps(found, indent=1), "utf-8")


if __name__ == "__main__":
    main()
