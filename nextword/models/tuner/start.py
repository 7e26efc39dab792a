"""The network that a tuning begins with: a run's, or one that the book ships.

Leaves out: reading a run (nextword.models.trainer.runs).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from torch import nn

from examiner.errors import UserError
from nextword.corpora import assistant, village
from nextword.given.batches import number_words
from nextword.models import low_rank, new_words, store
from nextword.models.ladder.rungs import transformers as rungs
from nextword.models.trainer import networks, runs
from nextword.models.trainer.config import OF_CHAPTER_6, Config
from nextword.models.trainer.tokenizers import Tokenizer

Chapters = Callable[[str], ModuleType]  # a chapter of the package under test, by its stem

# networks of the book that a tuning can begin with, where no run is named
SHIPPED = {"transformer": "ladder/transformer", "assistant": "after_training/assistant"}
LONGEST = 512  # tokens that a shipped network reads: whole dialogues of the village


@dataclass(frozen=True)
class Start:
    """A trained network, and all that is needed to read and write with it."""

    model: nn.Module
    config: Config
    tokenizer: Tokenizer
    corpus: str
    name: str  # as it was named

    @cached_property
    def number(self) -> dict[str, int]:
        """The id of each word."""
        return {word: k for k, word in enumerate(self.tokenizer.vocabulary)}

    @cached_property
    def marks(self) -> dict[str, int]:
        """The ids that open turns of a dialogue; `UserError` where the network knows none."""
        if not self.answers:
            raise UserError(
                f"{self.name} has not learned to answer: `nextword train --by instruction "
                f"--start {self.name}` teaches it"
            )
        return {role: self.number[mark] for role, mark in assistant.MARKS.items()}

    @cached_property
    def answers(self) -> bool:
        """Whether the network knows the marks of a dialogue."""
        return all(mark in self.number for mark in assistant.MARKS.values())

    @property
    def is_of_village(self) -> bool:
        """Whether it tells stories of the village."""
        return self.corpus == "village"

    def digest(self) -> str:
        """A hash of the weights: a tuning goes on from the very network that it began with."""
        found = hashlib.sha256()
        for name, tensor in sorted(self.model.state_dict().items()):
            found.update(name.encode())
            found.update(tensor.detach().contiguous().numpy().tobytes())
        return found.hexdigest()


def open_start(named: str, chapters: Chapters) -> Start:
    """The network of a run's folder, of a checkpoint, or a shipped one by its name.

    Raises `UserError` where there is none, and for networks that do not read words.
    """
    if named in SHIPPED and not Path(named).exists():
        return _shipped(named, chapters)
    try:
        run = runs.open_run(Path(named), chapters)
    except UserError as error:
        if Path(named).exists():
            raise
        known = " or ".join(SHIPPED)
        raise UserError(f"{error}; --start {known} takes a network of the book") from error
    if run.tokenizer.kind != "words":
        raise UserError(
            f"{named} reads {run.tokenizer.kind}, and tuning takes networks that read words: "
            "a mark for each role, and an end that was learned, are words there"
        )
    return Start(run.model, run.config, run.tokenizer, run.corpus, named)


def _shipped(name: str, chapters: Chapters) -> Start:
    number = number_words([*sorted({*village.VOCABULARY, village.EOS})])
    if name == "assistant":
        number = assistant.vocabulary()
    sizes = rungs.SIZES
    config = Config(*(sizes["D"], sizes["L"], sizes["H"]), T=LONGEST, positions="rotary")
    model = networks.build(chapters(networks.chapter(config.kind)), config, len(number))
    weights = store.load(SHIPPED[name]).tensors
    model.load_state_dict({key: tensor.float() for key, tensor in weights.items()})
    return Start(model.eval(), config, Tokenizer("words", tuple(number)), "village", name)


def with_words(start: Start, words: Iterable[str], chapters: Chapters, seed: int) -> Start:
    """The start with vectors for new words as well: the mean of the old ones, and a little noise.

    The ids of old words stay.
    """
    known = set(start.tokenizer.vocabulary)
    new = [word for word in dict.fromkeys(words) if word not in known]
    if not new:
        return start
    vocabulary = (*start.tokenizer.vocabulary, *new)
    course = chapters(networks.chapter(start.config.kind))
    model = networks.build(course, start.config, len(vocabulary))
    rng = torch.Generator().manual_seed(seed)
    old, wanted = start.model.state_dict(), model.state_dict()
    model.load_state_dict(
        {name: new_words.longer(old[name], tensor.shape, rng) for name, tensor in wanted.items()}
    )
    return replace(start, model=model.eval(), tokenizer=Tokenizer("words", vocabulary))


def reading(start: Start, n_tokens: int) -> Start:
    """The start as one that reads rows of so many tokens.

    Raises `UserError` where it has no positions for them.
    """
    config = start.config
    if n_tokens <= config.T:
        return start
    if config.positions == "learned" or config.kind == "attention":
        raise UserError(
            f"{start.name} has positions for {config.T} tokens, and a text here has {n_tokens}: "
            "take shorter texts, or begin with a network that was trained with more --context or "
            "with rotary positions"
        )
    return replace(start, config=replace(config, T=n_tokens))


def add_low_rank(start: Start, course: Any, rank: int, n_old: int, seed: int) -> None:
    """Put a LoRA of this rank beside each matrix of the network, in place.

    course: chapter 7. n_old: how many words the network had before; of the embedding only the rows
    of newer words learn. `UserError` for networks that have no such matrices.
    """
    if start.config.kind not in OF_CHAPTER_6:
        raise UserError(
            f"--rank puts a LoRA beside the matrices of a transformer; {start.name} is "
            f"{networks.described(start.config)}"
        )
    torch.manual_seed(seed)  # A is drawn
    low_rank.with_lora(course, start.model, rank, n_old)
