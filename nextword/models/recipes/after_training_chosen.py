"""Chapter 7's choices among samples: how many of the assistant's stories and answers are right.

Leaves out: choosing, which the page does with the chapter's own functions.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor

from nextword.given.batches import BOS, EOS, PAD
from nextword.models.recipes import after_training_assistant as assistant
from nextword.models.recipes.after_training_assistant import (
    MARK,
    NAMES,
    judged,
    village,
)
from nextword.models.store import Recipe, Trained
from nextword.models.training import Report

REQUESTS, TOLD = 32, 32  # requests, and stories told for each of them
QUESTIONS, ANSWERS = 150, 32  # questions, and answers given to each of them
TEMPERATURES = (0.5, 1.0, 1.5)
LONGEST = 6  # words of an answer to a question, its end among them


def stories(model: Any, report: Report) -> list[list[list[int]]]:
    """For each request for food and each story told: whether followed, and whether accepted."""
    rng = torch.Generator().manual_seed(0)
    found = []
    for n, wish in enumerate(village().food[:REQUESTS]):
        verdicts = judged(model, [wish] * TOLD, rng)
        found.append([[int(j.followed), int(j.accepted)] for j in verdicts])
        report((n + 1) / REQUESTS)
    return found


@torch.no_grad()
def answers(course: Any, model: Any, temperature: float, report: Report) -> list[dict[str, Any]]:
    """For each question: the right answer, and how often each answer was given.

    The model reads the true story once; then it answers many times. An answer that does not end
    within LONGEST words counts as none, "".
    """
    rng = torch.Generator().manual_seed(0)
    asked = [(each, q) for each in village().asked for q in each.questions][::3][:QUESTIONS]
    found = []
    for n, (each, question) in enumerate(asked):
        turns = each._replace(questions=[question]).turns()
        prompt = course.render_chat(turns[:-1], MARK)[0] + [MARK["assistant"]]
        _, past = model(torch.tensor([prompt[:-1]]))
        given = continued(model, past, prompt[-1], temperature, rng)
        counts = Counter(answer or "" for answer in given)  # JSON has no None among its keys
        found.append({"right": " ".join(question.answer), "given": dict(counts)})
        report((n + 1) / len(asked))
    return found


def repeated(past: Any, n: int) -> Any:
    """The past of one text, n times side by side."""
    if isinstance(past, Tensor):
        return past.expand(n, *past.shape[1:])
    return (
        type(past)(repeated(part, n) for part in past) if isinstance(past, list | tuple) else past
    )


def continued(
    model: Any, past: Any, last: int, temperature: float, rng: torch.Generator
) -> list[str | None]:
    """ANSWERS answers after a text that was read already, but for its last token."""
    past = repeated(past, ANSWERS)
    rows: list[list[int]] = [[] for _ in range(ANSWERS)]
    new, never = torch.full((ANSWERS, 1), last), torch.tensor([PAD, BOS])
    for _ in range(LONGEST):
        logits, past = model(new, past)
        p = (logits[:, -1] / temperature).index_fill(1, never, -torch.inf).softmax(-1)
        new = torch.multinomial(p, 1, generator=rng)
        for row, word in zip(rows, new[:, 0].tolist(), strict=True):
            if EOS not in row:
                row.append(word)
    return [" ".join(NAMES[k] for k in row[:-1]) if EOS in row else None for row in rows]


def chosen(package: SimpleNamespace, report: Report) -> Trained:
    """Let the shipped assistant answer again and again."""
    course, model = package.after_training, assistant.shipped(package.transformers)
    told = stories(model, lambda done: report(done / 2))
    given = {}
    for n, t in enumerate(TEMPERATURES):
        given[str(t)] = answers(course, model, t, lambda done: None)
        report(0.5 + (n + 1) / len(TEMPERATURES) / 2)
    return Trained({}, {"stories": told, "answers": given})


RECIPES = (
    Recipe(
        name="after_training/chosen",
        train=chosen,
        uses={"after_training": ("render_chat",), "transformers": assistant.CALLED},
        sources=(Path(__file__), *assistant.RECIPES[0].sources),
    ),
)
