"""The numbers of the transformer's figure: three models as few letters, the village, stories."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nextword.corpora import names
from nextword.explorables.counts import counted, packed_counts
from nextword.explorables.quantised import quantised
from nextword.explorables.stories import world
from nextword.given.batches import BOS, EOS, ids, number_words
from nextword.models import checkpoints

ORDER = 5  # of the n-gram model
READ = 1_000_000  # words that every model of the ladder has read
TRANSFORMER = {"D": 64, "L": 3, "H": 2, "eps": 1e-5}
SHOWN = (f"{ORDER}-gram", "LSTM", "transformer")


def explorer_numbers(stories: Sequence[Sequence[str]]) -> dict[str, Any]:
    """Return what transformer.js needs to show these stories.

    The transformer and the LSTM are those of the ladder, with weights of eight bits. Of the n-gram
    model the counts of its longest n-grams are enough: the page makes the model of chapter 2 of
    them. `measured` is the share of each model's stories that the village could have told.
    """
    texts = names.load("village", READ, 1_000)
    number = number_words(texts.vocabulary)
    read = ([*story, EOS] for story in ids(texts.train, number))
    rows = {row.name: row.valid_samples for row in checkpoints.ladder().rows}
    return {
        "world": world(),
        "stories": [[*story, "</s>"] for story in stories],
        "network": {
            "sizes": TRANSFORMER,
            "words": list(number),
            "tensors": quantised(checkpoints.load("ladder/transformer").tensors),
        },
        "lstm": {"tensors": quantised(checkpoints.load("ladder/lstm").tensors)},
        "ngrams": packed_counts(counted(read, ORDER, BOS)),
        "measured": {name: rows[name] for name in SHOWN},
    }
