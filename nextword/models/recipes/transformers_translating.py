"""Chapter 6's encoder-decoder: village to dialect, and one network that does three tasks by name.

Leaves out: the translators of chapters 4 and 5.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from nextword.corpora import dialect
from nextword.corpora.dialect import Pair
from nextword.given.batches import PAD, batches
from nextword.models import transformer_training as training
from nextword.models.checkpoints.recipe import Recipe, Report, Trained
from nextword.models.recipes import rnns
from nextword.models.recipes.rnns import Words, by_length, exact, known
from nextword.models.transformer_training import Batch, Plan

PAIRS = ((20_000, 3), (8_000, 20))  # as in chapter 5: how many, and how long at least
D, L, H = 80, 2, 4  # a megabyte in half precision
PLAN = Plan(steps=1750, size=64, rate=3e-3, warm_up=200, average=0.99)
LONGEST = 45  # words of a translation

N_EACH, N_ASKED = 8_000, 200  # sentences of each task that are learned, and asked about
TASKS = ("translate", "back", "missing")
BLANK = "___"
TOGETHER = Plan(steps=1500, size=64, rate=3e-3, warm_up=200, average=0.99)


class Speaker:
    """An encoder-decoder as the facts of chapter 4 ask it: `translate` gives rows of ids."""

    def __init__(self, course: Any, model: nn.Module):
        self.course, self.model = course, model

    def translate(self, source: Tensor) -> list[list[int]]:
        """The likeliest words, one after the other, of each padded source (B, T)."""
        model, rng = partial(self.model, source), torch.Generator()
        rows: list[list[int]] = self.course.generate(
            model, [[]] * len(source), LONGEST, rng, temperature=0
        )
        return rows


def pairs_to_learn() -> list[Pair]:
    """Different sentences of all lengths with their translations, and more of the long ones."""
    found = [pair for asked in PAIRS for pair in dialect.pairs("train", *asked)]
    return list({" ".join(source): (source, target) for source, target in found}.values())


def built(course: Any, words: Words) -> nn.Module:
    """An encoder-decoder with its first weights."""
    source, target = (course.Sizes(len(ids), D, L, H) for ids in (words.source, words.target))
    model: nn.Module = course.EncoderDecoder(target, course.Encoder(source))
    made: nn.Module = course.initialise(model, torch.Generator().manual_seed(0), training.SPREAD)
    return made


def learn(
    course: Any, words: Words, pairs: Sequence[Pair], plan: Plan, report: Report
) -> nn.Module:
    """Train with teacher forcing; round the weights to half precision, as they are shipped."""
    torch.manual_seed(0)
    model = built(course, words)
    training.train(course, model, texts(words, pairs, plan.size), plan, report)
    model.load_state_dict({name: t.half().float() for name, t in model.state_dict().items()})
    return model


def texts(words: Words, pairs: Sequence[Pair], size: int) -> Iterator[Batch]:
    """Batches of sources, inputs and targets, without end; sources are of about equal lengths."""
    rng = np.random.default_rng(0)
    sources = [[words.source[w] for w in source] for source, _ in pairs]
    target_of = {
        tuple(row): [words.target[w] for w in target]
        for row, (_, target) in zip(sources, pairs, strict=True)
    }
    while True:
        for chosen in batches(sources, size, rng):
            rows = [torch.tensor(row) for row in chosen]
            source = nn.utils.rnn.pad_sequence(rows, True, PAD)
            yield source, *training.side_by_side([target_of[tuple(row)] for row in chosen])


def translator(package: SimpleNamespace, report: Report) -> Trained:
    """Train on chapter 5's pairs and measure by length."""
    course = package.transformers
    pairs = pairs_to_learn()
    words = Words(pairs)
    model = learn(course, words, pairs, PLAN, report)
    facts = {
        "pairs": len(pairs),
        "sizes": [len(words.source), len(words.target), D, L, H],
        "words": [list(words.source), list(words.target)],
        "parameters": sum(p.numel() for p in model.parameters()),
        "by_length": by_length(Speaker(course, model), words, "test"),
    }
    return Trained({name: t.half() for name, t in model.state_dict().items()}, facts)


def task_pairs(split: str, n_each: int) -> dict[str, list[Pair]]:
    """For each task pairs of texts; the first word of the source names the task.

    translate: into the dialect; back: into the village; missing: one word is a blank, say which.
    """
    rng = np.random.default_rng(len(split))
    found = dialect.pairs(split, n_each, 3, 16)
    blanks = []
    for sentence, _ in found:
        k = int(rng.integers(len(sentence) - 1))
        blanks.append(([*sentence[:k], BLANK, *sentence[k + 1 :]], [sentence[k]]))
    tasks = (found, [(target, source) for source, target in found], blanks)
    return {
        name: [([name, *source], target) for source, target in pairs]
        for name, pairs in zip(TASKS, tasks, strict=True)
    }


def text_to_text(package: SimpleNamespace, report: Report) -> Trained:
    """One network learns three tasks at once; the share of texts that it answers exactly."""
    course = package.transformers
    learned = task_pairs("train", N_EACH)
    pairs = [pair for task in TASKS for pair in learned[task]]
    words = Words(pairs)
    model = learn(course, words, pairs, TOGETHER, report)
    speaker, examples, right = Speaker(course, model), {}, {}
    target_words = list(words.target)
    for task, asked in task_pairs("test", N_ASKED).items():
        asked = [pair for pair in asked if known(words, pair)]
        right[task] = exact(speaker, words, asked)
        said = speaker.translate(words.rows(asked[:3])[0])
        examples[task] = [
            {
                "source": " ".join(source),
                "said": " ".join(target_words[k] for k in row),
                "expected": " ".join(target),
            }
            for (source, target), row in zip(asked[:3], said, strict=True)
        ]
    return Trained({}, {"exact": right, "examples": examples, "pairs": len(pairs)})


def _recipe(name: str, train: Any) -> Recipe:
    called = (
        *("Sizes", "Encoder", "EncoderDecoder", "initialise"),
        *("learning_rate", "train_step", "generate"),
    )
    modules = (training, dialect, rnns)
    return Recipe(
        name=f"transformers/{name}",
        train=train,
        uses={"transformers": called},
        sources=(Path(__file__), *(Path(str(module.__file__)) for module in modules)),
    )


RECIPES = (_recipe("translator", translator), _recipe("text-to-text", text_to_text))
