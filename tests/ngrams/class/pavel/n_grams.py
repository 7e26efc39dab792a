"""N-gram language models, from counting to modified Kneser-Ney. Leaves out: pruning, fast storage.

Signs and numbers of equations, such as (2.5), are those of chapter 2. w is a word, u the words
before it (the context, a tuple), u' is u without its first word. #(uw) is how often w followed u,
#(u•) how often any word did, and N1+(u•) how many different words did. A sentence is a list of
words or a string, whose words are its characters. Arguments that make no sense: ValueError.
"""

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from functools import cache
from itertools import chain

import numpy as np

from nextword.given.vocabulary import BOS, EOS  # <s> and </s>: begin and end of a sentence

Word = Hashable
Words = Iterable[Word]
Context = tuple[Word, ...]
Table = dict[Context, dict[Word, int]]  # table[u][w] = #(uw); its contexts have the same length
Tables = Sequence[Table]


def _require(name: str, value: object, holds: object, expected: str) -> None:
    if not holds:
        raise ValueError(f"{name} must be {expected}, got {value!r:.60}")


# ------------------------------------------------------------------ 2.1 Padding and sliding windows
def pad(sentence: Sequence[Word], n: int) -> list[Word]:
    _require("n", n, n >= 1, "at least 1")
    padded = [BOS] * (n - 1)
    padded.extend(sentence)
    padded.append(EOS)
    return padded


def windows(tokens: Sequence[Word], n: int) -> list[tuple[Word, ...]]:
    _require("n", n, n >= 1, "at least 1")
    return [tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)]
