"""The rules of a race: what an entry may hold and use, and the texts that it is asked about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

MEGABYTE = 1 << 20
THREADS_IN_TRAINING = 2


class OutError(Exception):
    """An entry that cannot be judged, or breaks a rule; the message says which, in one line."""


@dataclass(frozen=True)
class Rules:
    """What an entry may hold, use and answer."""

    size: int = 4 * MEGABYTE  # bytes of all its files
    files: int = 200
    small_weights: int = 200_000  # numbers in the files of the track "small"
    small_words: int = 1_000_000  # of training text, the same
    code: int = 64 << 10  # bytes of code, in the tracks in which weights count or must not be there
    per_thousand: float = 1.0  # seconds of processor for 1,000 words
    to_load: float = 30.0  # seconds of processor until the first word
    memory: int = 1 << 30  # bytes, beyond what torch takes
    off_one: float = 1e-3  # by which the sum of a row may differ from 1
    apart: float = 1e-3  # total variation by which two answers to one place may differ
    batch: int = 128  # texts side by side
    again: int = 28  # texts that are asked again in each batch in which a model writes, too
    alone: int = 2  # of these, that are also asked alone
    written: int = 200  # texts that a model writes
    longest: int = 400  # words of a written text
    train_seconds: float = 600.0  # on each of two cores, in the track "ten-minutes"

    @property
    def again_in_batch(self) -> int:
        """How many texts are asked again in a batch in which a model writes: at most half."""
        return min(self.again, self.batch // 2)

    @property
    def batches_to_write(self) -> int:
        """In how many batches it writes."""
        return -(-self.written // (self.batch - self.again_in_batch))

    @property
    def words_again(self) -> int:
        """The most words that the second process is asked about; one batch more for those alone.

        >>> Rules().words_again
        153600
        """
        return self.longest * self.batch * (self.batches_to_write + 1)

    def seconds_for(self, words: int) -> float:
        """Return the seconds of processor that so many words may take, loading included.

        >>> Rules().seconds_for(10_000)
        40.0
        """
        return self.to_load + self.per_thousand * words / 1000


Text = np.ndarray  # the numbers of its words, int64, in order; the last one is `Ground.end`


@dataclass(frozen=True)
class Ground:
    """The texts of a race, and what is true of them; it never leaves the examiner's process."""

    vocabulary: tuple[str, ...]
    end: int  # the word that ends every text
    texts: tuple[Text, ...]
    log_probs: tuple[np.ndarray, ...]  # the true ln P of each word
    kinds: tuple[np.ndarray, ...]  # of each word, a number of `kind_names`
    kind_names: tuple[str, ...]
    true_rows: Callable[[Text], np.ndarray]  # (words, V): the true distribution at each place
    accepts: Callable[[Sequence[int]], bool]  # can the language say this text, its end included?

    @property
    def words(self) -> int:
        """How many words are predicted."""
        return sum(map(len, self.texts))
