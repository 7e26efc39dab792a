"""Texts as rows of ids, for networks that train in batches. Leaves out: padding the rows."""

from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import TypeVar

import numpy as np

from nextword.given import vocabulary

PAD, BOS, EOS = 0, 1, 2  # ids: what fills up short rows, begin of a text, end of a text
SPREAD = 10.0  # tokens by which the lengths within a batch may differ by chance

Ids = Sequence[int]
Text = TypeVar("Text", bound=Sized)  # ids, or whatever else has the length of a text


def number_words(words: Iterable[str]) -> dict[str, int]:
    """Give each word of a vocabulary an id, from 3 on; `</s>` is EOS, `<s>` BOS, `<pad>` PAD.

    >>> number_words(["</s>", "hen", "the"])
    {'<pad>': 0, '<s>': 1, '</s>': 2, 'hen': 3, 'the': 4}
    """
    number = {"<pad>": PAD, vocabulary.BOS: BOS, vocabulary.EOS: EOS}
    for word in words:
        number.setdefault(word, len(number))
    return number


def batches(texts: Sequence[Text], size: int, rng: np.random.Generator) -> Iterator[list[Text]]:
    """Yield each text once, `size` at a time, of about equal lengths, in random order.

    Little of a batch is padding then, and no two passes have the same batches. Only the length of a
    text is asked for.
    >>> sorted(map(len, batches([[7], [7, 8], [9]], 2, np.random.default_rng(0))))
    [1, 2]
    """
    if size < 1:
        raise ValueError(f"size must be at least 1, got {size}")
    lengths = np.array([len(text) for text in texts]) + rng.uniform(0, SPREAD, len(texts))
    order = np.argsort(lengths)
    for start in size * rng.permutation(-(-len(texts) // size)):
        yield [texts[k] for k in order[start : start + size]]


def until_end(rows: Iterable[list[int]]) -> list[list[int]]:
    """Cut each row of ids before its first EOS.

    >>> until_end([[7, 8, 2, 9], [7]])
    [[7, 8], [7]]
    """
    return [row[: row.index(EOS)] if EOS in row else row for row in rows]
