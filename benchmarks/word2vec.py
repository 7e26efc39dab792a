"""Speed and quality of the chapter's skip-gram beside gensim's, on the same text and settings.

Both read the standard million words of the village with 64 numbers, a dynamic window of five, five
noise words by count to the power 0.75. One thread, seconds of the processor. Quality: questions on
capitals, neighbours of the same kind, Spearman's correlation with the true similarity of pairs of
content words. It fails unless the chapter's code reads at least half as many words per second and
has no worse quality, within what seeds differ by.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gensim.models import Word2Vec
from rich.console import Console
from rich.table import Table

from examiner.judge.modules import load_module
from nextword.corpora import lexicon, village
from nextword.models import word2vec

course: Any = load_module(Path(__file__).parents[1] / "solutions" / "embeddings.py", "embeddings")
SETTINGS = {"as it stands": (None, 3), "thinned (t = 0.001)": (1e-3, 6)}
Stories = list[list[str]]


def ours(stories: Stories, t: float | None, epochs: int, seed: int) -> tuple[list[str], np.ndarray]:
    """The words and their vectors, by the chapter's functions."""
    counts = course.frequent_words(stories)
    words = list(counts)
    how = word2vec.Settings(t=t, epochs=epochs, rate=0.01)
    ids = word2vec.encode(stories, words)
    return words, word2vec.train(course, ids, list(counts.values()), how, seed).E.numpy()


def gensims(
    stories: Stories, t: float | None, epochs: int, seed: int
) -> tuple[list[str], np.ndarray]:
    """The words and their vectors, by gensim with its own learning rate."""
    model = Word2Vec(
        stories, sg=1, vector_size=64, window=5, negative=5, ns_exponent=0.75, min_count=1,
        sample=t or 0, epochs=epochs, seed=seed, workers=1,
    )  # fmt: skip
    return model.wv.index_to_key, model.wv.vectors


def quality(
    words: list[str], E: np.ndarray, truth: dict[tuple[str, str], float]
) -> dict[str, float]:
    """Capitals of 132, the share of neighbours of the same kind, agreement with the truth."""
    number = {word: i for i, word in enumerate(words)}
    capital = village.VILLAGE.capital
    right = sum(
        words[course.analogy(E, number[capital[b]], number[b], number[c])] == capital[c]
        for b, c in permutations(capital, 2)
    )
    alike = [
        lexicon.alike(word, words[course.nearest(E[number[word]], E, 1, [number[word]])[0]])
        for word in lexicon.CONTENT
    ]
    C = course.cosine(E, E)
    cosines = [C[number[v], number[w]] for v, w in truth]
    agreement = course.spearman(cosines, list(truth.values()))
    return {"capitals": right, "same kind": float(np.mean(alike)), "agreement": agreement}


def main() -> None:
    """Measure, print a table, write JSON if asked, and say whether the goals are reached."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tokens", type=int, default=1_000_000)
    parser.add_argument("--seeds", type=int, default=1, help="how many trainings of each")
    parser.add_argument("--json", type=Path, help="write the results here")
    options = parser.parse_args()
    torch.set_num_threads(1)
    stories = village.split("train", options.tokens).stories()
    n_words = sum(map(len, stories))
    truth = {pair: village.similarity(*pair) for pair in combinations(lexicon.CONTENT, 2)}
    rows = []
    for text, (t, epochs) in SETTINGS.items():
        for name, train in (("the chapter's code", ours), ("gensim", gensims)):
            for seed in range(options.seeds):
                began = time.process_time()
                words, E = train(stories, t, epochs, seed + 1)
                seconds = time.process_time() - began
                row = {"text": text, "by": name, "seconds": seconds}
                row["words per second"] = epochs * n_words / seconds
                rows.append(row | quality(words, E, truth))
    show(rows)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=2) + "\n", "utf-8")
    sys.exit(0 if good_enough(rows) else 1)


def good_enough(rows: list[dict[str, Any]]) -> bool:
    """Whether speed and quality reach the goals, on the mean over seeds."""
    verdicts = []
    for text in SETTINGS:
        means = [
            {key: np.mean([row[key] for row in rows if (row["text"], row["by"]) == (text, name)])
             for key in ("words per second", "capitals", "same kind", "agreement")}
            for name in ("the chapter's code", "gensim")
        ]  # fmt: skip
        mine, theirs = means
        verdicts += [
            mine["words per second"] >= theirs["words per second"] / 2,
            mine["capitals"] >= theirs["capitals"] - 6,
            mine["same kind"] >= theirs["same kind"] - 0.03,
            mine["agreement"] >= theirs["agreement"] - 0.05,
        ]
    return all(verdicts)


def show(rows: list[dict[str, Any]]) -> None:
    """Print the results as a table."""
    forms = {"seconds": "{:.1f}", "words per second": "{:,.0f}", "capitals": "{:.0f}"}
    table = Table("text", "by", title="skip-gram with negative sampling, one thread")
    columns = [*forms, "same kind", "agreement"]
    for column in columns:
        table.add_column(column, justify="right")
    for row in rows:
        cells = (forms.get(column, "{:.2f}").format(row[column]) for column in columns)
        table.add_row(row["text"], row["by"], *cells)
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
