"""One try of the ladder's last rungs: other sizes, steps, batches or dropout, measured and noted.

Trains chapter 6's transformer on the standard million words, with the convolution of the last rung
or without (--plain), and says how far it is above the truth, in percent of the perplexity: on
stories that it was trained on, on the validation text, by which settings are chosen, and on the
test text. Leaves out: the stories that it tells.
Usage: python benchmarks/last_rung.py [--plain] [--plan steps=8000 rate=2e-3] [--sizes dropout=0.05]
           [--batches 4 8 16] [--looks 2000] [--tokens N]
           [--json FILE]
"""

from __future__ import annotations

import argparse
import ast
import json
import math
import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from examiner.judge.modules import load_module
from nextword.corpora import names
from nextword.given.batches import Ids, ids, number_words
from nextword.models import transformer_training
from nextword.models.ladder.measure import excess_by_kind
from nextword.models.ladder.rungs import transformers as rungs
from nextword.models.study.last_rung import above_truth

ROOT = Path(__file__).parents[1]
course: Any = load_module(ROOT / "solutions" / "transformers.py", "transformers")
N_ASKED = 200  # stories of the training text, and of the validation text on the way


def growing(
    stories: Sequence[Ids], sizes: list[int], steps: int
) -> Iterator[transformer_training.Batch]:
    """Batches of the first size, then of the next, each for the same number of steps."""
    rng = np.random.default_rng(0)
    for k, size in enumerate(sizes):
        source = transformer_training.without_end(stories, size, rng)
        for _ in range(k * steps // len(sizes), (k + 1) * steps // len(sizes)):
            yield next(source)


def settings(given: Sequence[str]) -> dict[str, Any]:
    """["steps=10"] as {"steps": 10}; what is no number is text."""

    def value(text: str) -> Any:
        try:
            return ast.literal_eval(text)
        except ValueError:
            return text

    return {name: value(text) for name, _, text in (each.partition("=") for each in given)}


def read_options() -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plain", action="store_true", help="without the convolution")
    parser.add_argument("--plan", nargs="*", default=[], help="other values of rungs.CONVOLUTION")
    parser.add_argument("--sizes", nargs="*", default=[], help="other values of rungs.SIZES")
    parser.add_argument("--batches", nargs="*", type=int, help="stories of a step, one by one part")
    parser.add_argument("--looks", nargs="*", type=int, default=[], help="measure there, too")
    parser.add_argument("--tokens", type=int, default=1_000_000)
    parser.add_argument("--json", type=Path, help="a file to which one line is added")
    return parser.parse_args()


def main() -> None:
    """Train, measure, print one line and add it to a file."""
    options = read_options()
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", os.cpu_count() or 1)))
    texts = names.load("village", options.tokens, 100_000)
    number = number_words(texts.vocabulary)
    plan = replace(rungs.CONVOLUTION, **settings(options.plan))
    sizes = course.Sizes(**{"V": len(number), **rungs.SIZES, **settings(options.sizes)})
    torch.manual_seed(0)
    model = transformer_training.built(
        course, sizes, None if options.plain else rungs.convolved(course)
    )
    source = growing(ids(texts.train, number), options.batches or [plan.size], plan.steps)
    looks: dict[int, float] = {}

    def look(step: int) -> None:
        looks[step] = above_truth(model, texts.validation[:N_ASKED], number)
        print(step, looks[step], flush=True)

    began, computed = time.perf_counter(), time.process_time()
    transformer_training.train(
        course, model, source, replace(plan, looks=tuple(options.looks)), look=look
    )
    seconds, processor = time.perf_counter() - began, time.process_time() - computed
    by_kind = excess_by_kind(transformer_training.log_probs(model, ids(texts.test, number)), texts)
    found = {
        "settings": " ".join(map(str, sys.argv[1:])),
        "threads": torch.get_num_threads(),
        "seconds": round(seconds, 1),
        "processor": round(processor, 1),
        "weights": sum(p.numel() for p in model.parameters()),
        "looks": looks,
        "trained_on": above_truth(model, texts.train[:N_ASKED], number),
        "validation": above_truth(model, texts.validation, number),
        "test": above_truth(model, texts.test, number),
        "kinds": {kind: round(bits or math.inf, 3) for kind, bits in by_kind.items()},
    }
    print(json.dumps(found), flush=True)
    if options.json:
        with options.json.open("a", encoding="utf-8") as file:
            file.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
