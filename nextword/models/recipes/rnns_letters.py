"""A network of letters learns English from Shakespeare: what it writes on the way (section 4.11).

An LSTM reads the plays and poems letter by letter, with the chapter's own batches and steps. After
0, 100, 1,000 and 10,000 steps it writes a piece. Only these texts and the losses are kept. Leaves
out: words, which it has to find by itself.
"""

import re
from collections.abc import Iterator, Sequence
from copy import deepcopy
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import torch

from nextword.corpora import shakespeare
from nextword.given import batches
from nextword.given.batches import Ids, number_words
from nextword.models import training
from nextword.models.store import Recipe, Trained, files
from nextword.models.training import Report, n_weights

CHUNK, PER_BATCH, SIDE_BY_SIDE = 50, 100, 16  # letters of a step, steps of a batch, its rows
BATCHES, LOOKS = 100, (0, 1, 2, 5, 10, 20, 50, 100)  # measured after so many batches
SHOWN = (0, 1, 10, 100)  # and made to write
D, H, RATE, CLIP = 48, 128, 4e-3, 1.0
N_WRITTEN, LETTERS = 32, 500  # texts that are judged, of which the longest is shown
N_VALIDATION = 32  # pieces of unseen plays
COOL = 0.5  # temperature of one more text at the end
WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")


def pieces(text: str, number: dict[str, int]) -> list[list[int]]:
    """The text in pieces, each as long as the steps of a batch; with its beginning a row is full.

    >>> len(pieces("to be", number_words("to be"))), PER_BATCH * CHUNK - 1
    (0, 4999)
    """
    length = PER_BATCH * CHUNK - 1
    letters = [number[letter] for letter in text]
    return [letters[k : k + length] for k in range(0, len(letters) - length + 1, length)]


def in_batches(all_pieces: Sequence[Ids]) -> Iterator[list[Ids]]:
    """All pieces in random order, again and again, in full batches."""
    rng = np.random.default_rng(0)
    while True:
        order = rng.permutation(len(all_pieces))
        for k in range(0, len(order) - SIDE_BY_SIDE + 1, SIDE_BY_SIDE):
            yield [all_pieces[piece] for piece in order[k : k + SIDE_BY_SIDE]]


def written(
    rnns: ModuleType, model: Any, number: dict[str, int], n: int, temperature: float = 1.0
) -> list[str]:
    """Texts that the model draws after a full stop and a new line, at a temperature."""
    model = deepcopy(model)
    for parameter in model.out.parameters():  # of the logits, which are divided by it
        parameter.data /= temperature
    letters = list(number)
    rows = rnns.generate(
        model, n, torch.Generator().manual_seed(0), LETTERS, [number[c] for c in ".\n\n"]
    )
    return ["".join(letters[k] for k in row) for row in rows]


def known_words(texts: Sequence[str], known: set[str]) -> float:
    """The share of the words in some texts that are known.

    >>> known_words(["To bee or"], {"to", "be", "or"})
    0.6667
    """
    words = [word for text in texts for word in WORD.findall(text.lower())]
    return round(sum(word in known for word in words) / max(1, len(words)), 4)


def letters_of_shakespeare(package: SimpleNamespace, report: Report) -> Trained:
    """Train the network; its losses in nats for each letter, and what it wrote on the way."""
    rnns = package.rnns
    text = shakespeare.characters("train")
    number, words = number_words(sorted(set(text))), set(WORD.findall(text.lower()))
    others = pieces(shakespeare.characters("validation"), number)[:N_VALIDATION]
    torch.manual_seed(0)
    model = rnns.LanguageModel(len(number), D, H)
    optimizer = training.adamw(model, RATE)
    facts: dict[str, Any] = {"losses": {}, "samples": {}, "known_words": {}}

    def look(n_done: int, loss: float = 0.0) -> None:
        n_steps = n_done * PER_BATCH
        if n_done in LOOKS:
            facts["losses"][n_steps] = round(-float(np.mean(rnns.log_probs(model, others))), 4)
        if n_done in SHOWN:
            texts = written(rnns, model, number, N_WRITTEN)
            facts["samples"][n_steps] = max(texts, key=len)
            facts["known_words"][n_steps] = known_words(texts, words)
        report(n_done / BATCHES)

    def step(chosen: list[Ids]) -> float:
        model.train()
        loss: float = rnns.train_batch(model, optimizer, rnns.make_batch(chosen), CHUNK, CLIP)
        return loss

    look(0)
    read = in_batches(pieces(text, number))
    rate = training.trapezoid(RATE, BATCHES)
    batches_read = (next(read) for _ in range(BATCHES))
    facts["training"] = [
        round(loss, 4) for loss in training.train(step, batches_read, optimizer, rate, after=look)
    ]
    facts["of_new_plays"] = known_words([shakespeare.characters("validation")], words)
    facts["cool"] = {"temperature": COOL, "text": written(rnns, model, number, 1, COOL)[0]}
    sizes = {"letters": len(text), "kinds": len(number), "sizes": [D, H], "chunk": CHUNK}
    read_at_once = {"side_by_side": SIDE_BY_SIDE, "parameters": n_weights(model)}
    return Trained({}, {**facts, **sizes, **read_at_once})


RECIPES = (
    Recipe(
        name="rnns/letters",
        train=letters_of_shakespeare,
        uses={
            "rnns": ("LanguageModel", "make_batch", "log_probs", "train_batch", "generate"),
        },
        sources=(Path(__file__), *files(training, batches)),
        corpora=("shakespeare",),
    ),
)
