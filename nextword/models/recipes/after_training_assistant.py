"""Chapter 7's assistant: the shipped transformer, tuned on requests and questions of the village.

Also what the chapter compares it with: fewer examples, wrong masks, answers without stories. Leaves
out: LoRA (after_training_lora.py), and choosing among samples (after_training_chosen.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache, partial
from itertools import islice, product
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from nextword.corpora import assistant, names
from nextword.corpora.assistant import FOOD, MARKS, MOST, Judged, Request
from nextword.given.batches import BOS, EOS, PAD, batches, ids
from nextword.models import new_words, store, training, transformer_training, tuning
from nextword.models.ladder.rungs import transformers as rungs
from nextword.models.store import Recipe, Trained, files
from nextword.models.training import BETAS, Report, half

WORDS, ASKED = 1_000_000, 20_000  # of stories that it was trained on, and of test stories
DIALOGUES, QUESTIONS = 3000, 8  # for tuning, and questions after each of their stories
REQUESTS, STORIES = 100, 60  # of the test: requests that are judged, stories that are asked about
SEEDS = (0, 1, 2)
CALLED = ("Sizes", "LanguageModel", "learning_rate")  # of chapter 6

Row = tuple[list[int], list[bool]]  # ids, and which of them are learned
Batch = tuple[Tensor, Tensor]  # inputs and targets
NUMBER = assistant.vocabulary()
NAMES = list(NUMBER)
MARK = {role: NUMBER[mark] for role, mark in MARKS.items()}


# ------------------------------------------------------------------ texts
class Told(assistant.Told):
    """A dialogue about one story, which can be had in ids."""

    def turns(self) -> list[tuple[str, list[int]]]:
        """The dialogue in ids."""
        return [(role, [NUMBER[word] for word in said]) for role, said in self.spoken()]


def told(stories: Sequence[list[str]], seed: int, n: int | None = QUESTIONS) -> list[Told]:
    """A dialogue about each story, with n of the questions that it answers, or with all."""
    return [Told(*each) for each in assistant.told(stories, seed, n)]


def wishes(stories: Sequence[list[str]], food: bool) -> list[Request]:
    """Requests for animals that the hero has, or for food, from the stories that have some."""
    rng, found = np.random.default_rng(2), []
    for story in stories:
        tale = assistant.facts(story)
        if food and not FOOD.intersection(story):
            continue
        found.append(assistant.request(story, tale, rng, food))
    return found


class Village(NamedTuple):
    """What a recipe reads: stories that the network knows, dialogues about them, and the test."""

    stories: list[list[int]]
    dialogues: list[Told]
    test: list[list[int]]
    floor: float
    asked: list[Told]  # about stories of the test
    animals: list[Request]  # for stories of the test
    food: list[Request]


@lru_cache(maxsize=1)
def village() -> Village:
    """The texts of all recipes of the assistant."""
    texts = names.load("village", WORDS, ASKED)
    assert texts.floor is not None
    return Village(
        ids(texts.train, NUMBER),
        told(texts.train[:DIALOGUES], 0),
        ids(texts.test, NUMBER),
        texts.floor,
        told(texts.test[:STORIES], 1, None),
        wishes(texts.test[:REQUESTS], food=False),
        wishes(texts.test, food=True)[:REQUESTS],
    )


# ------------------------------------------------------------------ the network
def extended(course: Any, seed: int = 0) -> nn.Module:
    """The shipped transformer with rows for the new words: the mean of the old ones and noise."""
    tensors = {k: v.float() for k, v in store.load("ladder/transformer").tensors.items()}
    old = tensors["embed.words.weight"]
    rng = torch.Generator().manual_seed(seed)
    tensors["embed.words.weight"] = new_words.longer(old, (len(NUMBER), old.shape[1]), rng)
    model = empty(course)
    model.load_state_dict(tensors)
    return model


def empty(course: Any) -> nn.Module:
    """A network of the assistant's sizes, which still has to get its weights."""
    model: nn.Module = course.LanguageModel(course.Sizes(V=len(NUMBER), **rungs.SIZES))
    return model.eval()


def shipped(course: Any) -> nn.Module:
    """The assistant that the book ships, for the reader's own network."""
    model = empty(course)
    tensors = store.load("after_training/assistant").tensors
    model.load_state_dict({name: tensor.float() for name, tensor in tensors.items()})
    return model


# ------------------------------------------------------------------ tuning
@dataclass(frozen=True)
class Plan:
    """How an assistant is tuned."""

    steps: int
    size: int = 8  # dialogues of a batch
    rate: float = 2e-3  # the highest; it rises over 50 steps and falls to 0
    mix: float = 0.0  # share of batches that are plain stories instead
    n: int = DIALOGUES  # different dialogues
    looks: tuple[int, ...] = ()  # steps after which the model is measured


def endless(rows: Sequence[Row], size: int, rng: np.random.Generator) -> Iterator[list[Row]]:
    """Batches of rows of about equal lengths, pass after pass."""
    whole = [Whole(row) for row in rows]
    while True:
        for chosen in batches(whole, size, rng):
            yield [each.row for each in chosen]


@dataclass(frozen=True)
class Whole:
    """A row whose length is that of its ids."""

    row: Row

    def __len__(self) -> int:
        return len(self.row[0])


def plain(story: Sequence[int]) -> Row:
    """A story as the network was trained on it: begin, words, end, all of them learned."""
    return [BOS, *story, EOS], [False, *[True] * (len(story) + 1)]


def source(
    course: Any, rows: Sequence[Row], stories: Sequence[Sequence[int]], plan: Plan, seed: int
) -> Iterator[Batch]:
    """Batches of dialogues and, for a share of them, of plain stories."""
    rng = np.random.default_rng(seed)
    dialogues = endless(rows, plan.size, rng)
    others = endless([plain(story) for story in stories], plan.size, rng)
    while True:
        yield course.answer_batch(next(others if rng.random() < plan.mix else dialogues))


def tune(
    package: SimpleNamespace,
    model: nn.Module,
    batches: Iterator[Batch],
    plan: Plan,
    look: Callable[[int], object] = lambda step: None,
) -> list[float]:
    """Tune what can learn of the model by the chapter's loss; return the losses."""
    learned = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(learned, plan.rate, BETAS, weight_decay=0.0)

    def loss_of(batch: Batch) -> Tensor:
        loss: Tensor = package.after_training.answer_loss(model(batch[0])[0], batch[1])
        return loss

    def rate(step: int) -> float:
        found: float = package.transformers.learning_rate(step, plan.rate, 50, plan.steps)
        return found

    def after(n_done: int, loss: float) -> None:
        if n_done in plan.looks:
            model.eval()
            look(n_done)
            model.train()

    model.train()
    step = training.minimise(optimizer, loss_of, 1.0)
    losses = training.train(step, islice(batches, plan.steps), optimizer, rate, after=after)
    model.eval()
    return losses


# ------------------------------------------------------------------ measuring
def measured(course: Any, model: nn.Module, seed: int = 0) -> dict[str, float]:
    """What the chapter tells of a model, shares between 0 and 1 but for `gap`, in percent."""
    about = village()
    found = {"gap": tuning.gap(model, about.test, about.floor)}
    found |= requests(model, about.animals, seed)
    found["food"] = requests(model, about.food, seed)["followed"]
    right = right_answers(course, model, about.asked)
    found["asks"] = begins_as_user(model)
    found["answers"] = float(np.mean([hit for row in right.values() for hit in row]))
    return {name: round(value, 4) for name, value in found.items()}


@torch.no_grad()
def begins_as_user(model: nn.Module) -> float:
    """The probability that the model begins a text with the mark of the user."""
    return float(model(torch.tensor([[BOS]]))[0][0, 0].softmax(-1)[MARK["user"]])


def asked_for(request: Request) -> list[int]:
    """The ids of a request, up to where the assistant begins to write; BOS is left out."""
    return [MARK["user"], *ids([request.words], NUMBER)[0], EOS, MARK["assistant"]]


def judged(model: nn.Module, wishes: Sequence[Request], rng: torch.Generator) -> list[Judged]:
    """Let the model answer requests side by side, at temperature 1, and judge the answers.

    An answer that did not end is judged as a longer one than any that may be.
    """
    prompts = [asked_for(wish) for wish in wishes]
    written = tuning.write(model, prompts, rng, MOST + max(map(len, prompts)) + 1)
    return [
        wish.judge_written([NAMES[k] for k in text[len(prompt) :]])
        for wish, prompt, text in zip(wishes, prompts, written.texts, strict=True)
    ]


def requests(model: nn.Module, wishes: Sequence[Request], seed: int) -> dict[str, float]:
    """The shares of answered requests that have each part of what is judged."""
    verdicts = judged(model, wishes, torch.Generator().manual_seed(seed))
    parts = {name: [getattr(j, name) for j in verdicts] for name in Judged._fields}
    parts["followed"] = [j.followed for j in verdicts]
    parts["both"] = [j.followed and j.accepted for j in verdicts]
    return {name: float(np.mean(row)) for name, row in parts.items()}


@torch.no_grad()
def right_answers(course: Any, model: nn.Module, asked: Sequence[Told]) -> dict[str, list[bool]]:
    """For each kind of question, whether each likeliest answer is right, in its whole.

    Words are likeliest one by one (temperature 0), and the model reads the true story and right
    answers to the questions before: as each word of an answer is then the likeliest after right
    ones, one pass over the whole dialogue tells what it would have written.
    """
    found: dict[str, list[bool]] = {}
    for chosen in tuning.batched(asked, 16):
        rows = [course.render_chat(each.turns(), MARK) for each in chosen]
        inputs, targets = course.answer_batch(rows)
        said = model(inputs)[0].index_fill(-1, torch.tensor([PAD, BOS]), -torch.inf).argmax(-1)
        for each, right, wanted in zip(chosen, (said == targets).tolist(), targets, strict=True):
            answers = _runs((wanted != transformer_training.IGNORE).tolist())[1:]  # not the story
            for question, (start, end) in zip(each.questions, answers, strict=True):
                found.setdefault(question.kind, []).append(all(right[start:end]))
    return found


def _runs(marked: Sequence[bool]) -> list[tuple[int, int]]:
    """Where runs of True begin, and where they are over."""
    edges = np.flatnonzero(np.diff([0, *marked, 0])).tolist()
    return list(zip(edges[::2], edges[1::2], strict=True))


# ------------------------------------------------------------------ what is compared
Flags = Callable[[Row], list[bool]]  # which tokens of a row are learned
MASKS: dict[str, Flags] = {
    "answers": lambda row: row[1],
    "everything": lambda row: [False, *[True] * (len(row[0]) - 1)],
    "marks too": lambda row: [
        learned or token in MARK.values() for token, learned in zip(*row, strict=True)
    ],
    # the flags of the inputs, where those of the targets are meant: each is one token late
    "not shifted": lambda row: [False, *row[1][:-1]],
    "after the story": lambda row: _after_the_story(row),
}


def _after_the_story(row: Row) -> list[bool]:
    """Answers to questions alone are learned, not the story before them."""
    start, end = _runs(row[1])[0]
    return [learned and not start <= k < end for k, learned in enumerate(row[1])]


class Trial(NamedTuple):
    """One tuning: what is learned of each dialogue, and how."""

    plan: Plan
    mask: str = "answers"


Looks = dict[str, dict[str, float]]  # what was measured, by the number of steps
Trials = dict[str, Trial]


def run(
    package: SimpleNamespace, trial: Trial, seed: int, report: Report = lambda done: None
) -> tuple[nn.Module, Looks]:
    """Tune the shipped network once; return it, and what was measured after each look."""
    course, about, plan = package.after_training, village(), trial.plan
    rows = [course.render_chat(each.turns(), MARK) for each in about.dialogues[: plan.n]]
    rows = [(row, MASKS[trial.mask]((row, flags))) for row, flags in rows]
    model = extended(package.transformers, seed)
    found: Looks = {}

    def look(step: int) -> None:
        found[str(step)] = measured(course, model)
        report(step / plan.steps)

    if 0 in plan.looks:
        look(0)
    tune(package, model, source(course, rows, about.stories, plan, seed), plan, look)
    if plan.steps not in plan.looks:
        look(plan.steps)
    return model, found


# ------------------------------------------------------------------ recipes
FULL = Plan(steps=800, looks=(0, 100, 200, 400))
BRIEF = Plan(steps=250)  # of all that is compared with each other
LOOKED_AT = replace(BRIEF, looks=(50, 100, 150))
ASSISTANT = {"assistant": Trial(FULL)}
COMPARED = {
    "as it should be": Trial(LOOKED_AT),
    "100 dialogues": Trial(replace(BRIEF, n=100)),
    "1000 dialogues": Trial(replace(BRIEF, n=1000)),
    "everything": Trial(BRIEF, "everything"),
    "marks too": Trial(BRIEF, "marks too"),
    "not shifted": Trial(BRIEF, "not shifted"),
    "no stories": Trial(LOOKED_AT, "after the story"),
    "no stories, but plain ones": Trial(replace(LOOKED_AT, mix=0.25), "after the story"),
}


def facts(trials: Trials, runs: dict[str, list[Looks]]) -> dict[str, Any]:
    """What a file tells of tunings: for each name, each seed and each look what was measured."""
    plans = {name: asdict(trial.plan) for name, trial in trials.items()}
    return {"seeds": list(SEEDS), "plans": plans, "requests": REQUESTS, "runs": runs}


def compared(trials: Trials, package: SimpleNamespace, report: Report) -> Trained:
    """Tune with each seed in each way; the weights of the assistant's first seed are kept."""
    runs: dict[str, list[Looks]] = {name: [] for name in trials}
    tensors: dict[str, Tensor] = {}
    for n, (name, seed) in enumerate(product(trials, SEEDS)):
        model, found = run(package, trials[name], seed)
        runs[name].append(found)
        if name == "assistant" and seed == SEEDS[0]:
            tensors = half(model)
        report((n + 1) / len(SEEDS) / len(trials))
    return Trained(tensors, facts(trials, runs))


RECIPES = tuple(
    Recipe(
        name=f"after_training/{name}",
        train=partial(compared, trials),
        uses={
            "after_training": ("render_chat", "answer_batch", "answer_loss"),
            "transformers": CALLED,
        },
        sources=(
            Path(__file__),
            *files(assistant, new_words, tuning, training, transformer_training, rungs),
        ),
    )
    for name, trials in (("assistant", ASSISTANT), ("compared", COMPARED))
)
