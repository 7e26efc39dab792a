"""A text as one long row of numbers, and batches cut out of it that follow from seed and step.

Leaves out: stories that are read one by one, as the ladder does.
"""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import torch
from torch import Tensor

from examiner.errors import UserError
from nextword.corpora import downloads, names, village
from nextword.given.batches import BOS, EOS, number_words
from nextword.models.trainer import disk, sources
from nextword.models.trainer.disk import Say
from nextword.models.trainer.parallel import Place
from nextword.models.trainer.sources import WORDS
from nextword.models.trainer.tokenizers import KINDS, Tokenizer

Batch = tuple[Tensor, Tensor]  # inputs and targets, each (B, T)
Row = Tensor | np.ndarray  # in memory, or mapped from a file


@dataclass(frozen=True)
class Stream:
    """A text in numbers: what is trained on, what is held out, and the signs of the numbers."""

    train: Row  # (N,)
    validation: Row
    vocabulary: tuple[str, ...]
    name: str = "text"
    tokenizer: Tokenizer | None = None
    digest: str = ""  # of both rows
    truth: np.ndarray | None = None  # ln P of each number that is held out, where it is known

    def check(self, T: int) -> None:
        """Raise `UserError` where a split is too short for one row of T numbers and the next."""
        for name, tokens in (("training", self.train), ("validation", self.validation)):
            if len(tokens) <= T:
                in_words = self.tokenizer is not None and self.tokenizer.kind == "words"
                raise UserError(
                    f"the {name} text has {len(tokens)} tokens, but a row needs {T + 1}: "
                    "take more text or a smaller --context"
                    + (", or read it as --characters" if in_words else "")
                )

    def floor(self, T: int, longest: int) -> float | None:
        """The loss that no model can beat on what `every_row` reads, in nats; None: unknown.

        The begin of a story is a token, too, and surprises nobody.
        """
        if self.truth is None:
            return None
        return -float(self.truth[1 : 1 + n_rows(self.validation, T, longest) * T].mean())

    def notes(self) -> dict[str, Any]:
        """What a checkpoint keeps of the text, as plain values."""
        return {
            "corpus": self.name,
            "text": self.digest,
            "tokenizer": self.tokenizer.to_json() if self.tokenizer else None,
        }


def read(
    corpus: str | Sequence[str],
    n_tokens: int = WORDS,
    *,
    tokens_as: str = "words",
    n_merges: int = 500,
    folder: Path = Path("runs"),
    language_models: ModuleType | None = None,
    say: Say = lambda line: None,
    check: disk.Check = lambda digest: None,
) -> Stream:
    """The stream of a corpus by name, of text files or folders of them.

    corpus: a name, or paths. n_tokens: of a corpus with a name. tokens_as: words, characters or
    bpe, with `n_merges`, learned by the functions of `language_models`. folder: where the tokens of
    text files are kept, if `check` does not refuse them. Raises `UserError` for what is missing,
    empty or no text.
    """
    given = [corpus] if isinstance(corpus, str) else list(corpus)
    if tokens_as not in KINDS:
        raise UserError(f"tokens can be {', '.join(KINDS)}, not {tokens_as!r}")
    if in_memory(given, tokens_as):
        return _village(n_tokens) if given[0] == "village" else _real(given[0], n_tokens)
    source = sources.find(given, n_tokens)
    found = disk.tokens(
        *(source, tokens_as, folder),
        n_merges=n_merges,
        language_models=language_models,
        say=say,
        check=check,
    )
    tokenizer = found.tokenizer
    rows = (found.train, found.validation)
    return Stream(*rows, tokenizer.vocabulary, source.name, tokenizer, found.digest)


def in_memory(given: Sequence[str], tokens_as: str) -> bool:
    """Whether a corpus is small and has words of its own, so that no file is made of it."""
    by_name = not sources.is_file_or_folder(given) and given[0] not in downloads.TEXTS
    return by_name and tokens_as == "words"


def read_together(place: Place, corpus: Sequence[str], tokens_as: str, **more: Any) -> Stream:
    """`read` by several processes: the first of each machine makes the files, the others wait."""
    if in_memory(corpus, tokens_as):
        return read(corpus, tokens_as=tokens_as, **more)
    found, error = None, None
    if os.environ.get("LOCAL_RANK", "0") == "0" or place.n_processes == 1:
        try:
            found = read(corpus, tokens_as=tokens_as, **more)
        except (UserError, NotImplementedError) as caught:
            error = caught
    if place.n_processes > 1 and place.mean(float(error is not None)) and error is None:
        error = UserError("another process could not read the text")
    if error is not None:
        raise error
    return found or read(corpus, tokens_as=tokens_as, **more)


def _village(n_tokens: int) -> Stream:
    """The village in words; the truth of its validation text is known."""
    held_out = village.split("validation", max(1, n_tokens // 10))
    number = number_words(sorted({*village.VOCABULARY, village.EOS}))
    stories = held_out.stories()
    rows = (_row(village.split("train", n_tokens).stories(), number), _row(stories, number))
    truth, done = [], 0
    for story in stories:
        n = len(story) + 1
        truth += [np.zeros(1), held_out.log_probs[done : done + n]]
        done += n
    return _in_memory("village", *rows, number, np.concatenate(truth))


def _real(name: str, n_tokens: int) -> Stream:
    texts = names.load(name, n_tokens, max(1, n_tokens // 10))
    number = number_words(texts.vocabulary)
    return _in_memory(name, _row(texts.train, number), _row(texts.validation, number), number)


def _in_memory(
    name: str,
    train: Tensor,
    validation: Tensor,
    number: dict[str, int],
    truth: np.ndarray | None = None,
) -> Stream:
    found = hashlib.sha256()
    for row in (train, validation):
        found.update(row.numpy().tobytes())
    tokenizer = Tokenizer("words", tuple(number))
    return Stream(train, validation, tuple(number), name, tokenizer, found.hexdigest(), truth)


def _row(sentences: Iterable[list[str]], number: dict[str, int]) -> Tensor:
    """BOS, the words and EOS of each sentence, one sentence after another."""
    return torch.tensor([i for s in sentences for i in (BOS, *(number[word] for word in s), EOS)])


def batch(tokens: Row, size: int, T: int, seed: int, step: int) -> Batch:
    """`size` rows of T numbers from random places, and what follows each number.

    The same seed and step give the same rows in every process, so that nothing need be stored for
    a resumed training, and several processes can share the rows of one batch.
    """
    starts = np.random.default_rng((seed, step)).integers(len(tokens) - T, size=size)
    rows = _at(tokens, starts[:, None] + np.arange(T + 1))
    return rows[:, :-1], rows[:, 1:]


def _at(tokens: Row, places: np.ndarray) -> Tensor:
    if isinstance(tokens, Tensor):
        return tokens[torch.from_numpy(places)]
    return torch.from_numpy(tokens[places].astype(np.int64))


def n_rows(tokens: Row, T: int, longest: int) -> int:
    """How many rows of T numbers are read of the first `longest`: at least one."""
    return max(1, min(longest, len(tokens) - 1) // T)


def every_row(tokens: Row, size: int, T: int, longest: int) -> list[Batch]:
    """The first `longest` tokens at most, cut into rows side by side: for validation."""
    starts = T * np.arange(n_rows(tokens, T, longest))
    rows = _at(tokens, starts[:, None] + np.arange(T + 1))
    return [(part[:, :-1], part[:, 1:]) for part in rows.split(size)]


def perplexity(loss: float) -> float:
    """exp of a loss in nats; infinite where that is too large for a number."""
    return math.exp(loss) if loss < 700 else math.inf
