"""A text as one long row of numbers, and batches cut out of it that follow from seed and step.

Leaves out: stories that are read one by one, as the ladder does.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from examiner.errors import UserError
from nextword.corpora import downloads, names
from nextword.given.batches import BOS, EOS, number_words

Batch = tuple[Tensor, Tensor]  # inputs and targets, each (B, T)
HELD_OUT = 10  # one part in so many of a text in characters is for validation


@dataclass(frozen=True)
class Stream:
    """A text in numbers: what is trained on, what is held out, and the signs of the numbers."""

    train: Tensor  # (N,)
    validation: Tensor
    vocabulary: tuple[str, ...]

    def check(self, T: int) -> None:
        """Raise `UserError` where a split is too short for one row of T numbers and the next."""
        for name, tokens in (("training", self.train), ("validation", self.validation)):
            if len(tokens) <= T:
                raise UserError(
                    f"the {name} text has {len(tokens)} tokens, but a row needs {T + 1}: "
                    "take more text or a smaller --context"
                )


def read(corpus: str, n_tokens: int, *, characters: bool = False) -> Stream:
    """The stream of a corpus, a download or a text file, in words or in characters.

    Raises `UserError` for a name that is none of these.
    """
    if characters:
        return _characters(_text(corpus))
    texts = names.load(corpus, n_tokens, max(1, n_tokens // 10))
    number = number_words(texts.vocabulary)
    return Stream(_row(texts.train, number), _row(texts.validation, number), tuple(number))


def _row(sentences: Iterable[list[str]], number: dict[str, int]) -> Tensor:
    """BOS, the words and EOS of each sentence, one sentence after another."""
    return torch.tensor([i for s in sentences for i in (BOS, *(number[word] for word in s), EOS)])


def _text(corpus: str) -> str:
    if corpus in downloads.DOWNLOADS:
        return downloads.read(corpus)
    if not Path(corpus).is_file():
        known = ", ".join(downloads.DOWNLOADS)
        raise UserError(
            f"there is no file {corpus}: with --characters give a text file or one of {known}"
        )
    try:
        return Path(corpus).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{corpus} cannot be read as UTF-8 text: {error}") from error


def _characters(text: str) -> Stream:
    """Each character is a token; the last tenth is held out, as nanoGPT does."""
    number = number_words(sorted(set(text)))
    row = torch.tensor([number[sign] for sign in text])
    border = len(row) - len(row) // HELD_OUT
    return Stream(row[:border], row[border:], tuple(number))


def batch(tokens: Tensor, size: int, T: int, seed: int, step: int) -> Batch:
    """`size` rows of T numbers from random places, and what follows each number.

    The same seed and step give the same rows in every process, so that nothing need be stored for
    a resumed training, and several processes can share the rows of one batch.
    """
    starts = np.random.default_rng((seed, step)).integers(len(tokens) - T, size=size)
    places = torch.from_numpy(starts)[:, None] + torch.arange(T + 1)
    rows = tokens[places]
    return rows[:, :-1], rows[:, 1:]


def every_row(tokens: Tensor, size: int, T: int, longest: int) -> list[Batch]:
    """The first `longest` tokens at most, cut into rows side by side: for validation."""
    n_rows = max(1, min(longest, len(tokens) - 1) // T)
    rows = torch.stack([tokens[k * T : (k + 1) * T + 1] for k in range(n_rows)])
    return [(part[:, :-1], part[:, 1:]) for part in rows.split(size)]
