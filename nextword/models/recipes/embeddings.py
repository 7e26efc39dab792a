"""The word vectors that chapter 3 ships: the village with several windows, a curve, maps, a skew.

Leaves out: training itself (`nextword.models.word2vec`, with the functions of the package under
test).
"""

from collections.abc import Sequence
from functools import partial
from itertools import permutations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

from nextword.corpora import lexicon, skewed, village
from nextword.models import word2vec
from nextword.models.checkpoints.recipe import Recipe, Report, Trained
from nextword.models.word2vec import Settings

TOKENS = 1_000_000
RATE = 0.01
PLAIN = Settings(rate=RATE)
THINNED = Settings(rate=RATE, t=1e-3, epochs=6)
SIZES = (62_500, 125_000, 250_000, 500_000, 1_000_000)
MAPPED = ("job", "animal", "food", "workplace", "woman", "man", "colour", "capital")
SKEW_SEED = 5
Sentences = list[list[str]]

USES: dict[str, tuple[str, ...]] = {
    "embeddings": (
        "frequent_words",
        "subsample",
        "context_windows",
        "noise_distribution",
        "negative_sampling",
    )
}
WITH_TABLES: dict[str, tuple[str, ...]] = {
    "embeddings": (*USES["embeddings"], "cooccurrence", "ppmi", "analogy")
}
SOURCES = (Path(__file__), Path(word2vec.__file__), Path(lexicon.__file__))


def read(course: Any, sentences: Sentences) -> tuple[list[str], list[int], list[np.ndarray]]:
    """The words of a text, the most frequent first, their counts, and the sentences as ids."""
    counts = course.frequent_words(sentences)
    words = list(counts)
    return words, list(counts.values()), word2vec.encode(sentences, words)


def vectors(settings: Settings, package: SimpleNamespace, report: Report) -> Trained:
    """Skip-gram vectors of the standard million words."""
    course = package.embeddings
    stories = village.split("train", TOKENS).stories()
    words, counts, ids = read(course, stories)
    found = word2vec.train(course, ids, counts, settings, report=report)
    return Trained({"E": found.E, "U": found.U}, {"words": words, "losses": list(found.losses)})


def solved(course: Any, E: np.ndarray, words: Sequence[str]) -> int:
    """How many of the 132 questions "paris - france + italy" are answered right."""
    capital = village.VILLAGE.capital
    number = {word: i for i, word in enumerate(words)}
    right = 0
    for b, c in permutations(capital, 2):
        question = [number[word] for word in (capital[b], b, c)]
        right += words[course.analogy(E, *question)] == capital[c]
    return right


def curve(package: SimpleNamespace, report: Report) -> Trained:
    """How many capitals are found, by the amount of text, for three methods."""
    course = package.embeddings
    lines: dict[str, dict[str, int]] = {"PPMI": {}, "skip-gram": {}, "skip-gram, thinned": {}}
    for done, size in enumerate(SIZES):
        words, counts, ids = read(course, village.split("train", size).stories())
        table = course.ppmi(course.cooccurrence(ids, len(words), 2), 0.75)
        lines["PPMI"][str(size)] = solved(course, table, words)
        for name, how in (("skip-gram", PLAIN), ("skip-gram, thinned", THINNED)):
            found = word2vec.train(course, ids, counts, how)
            lines[name][str(size)] = solved(course, found.E.numpy(), words)
        report((done + 1) / len(SIZES))
    return Trained({}, {"solved": lines})


def maps(package: SimpleNamespace, report: Report) -> Trained:
    """Words of eight kinds on the plane, by t-SNE and by UMAP."""
    from sklearn.manifold import TSNE
    from umap import UMAP

    plain = vectors(PLAIN, package, lambda share: report(0.8 * share))
    number = {word: i for i, word in enumerate(plain.facts["words"])}
    words = list(dict.fromkeys(word for kind in MAPPED for word in lexicon.KINDS[kind]))
    X = plain.tensors["E"][[number[word] for word in words]].numpy()
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    drawn = {
        "t-SNE": TSNE(perplexity=15, init="pca", random_state=0).fit_transform(X),
        "UMAP": UMAP(n_neighbors=15, random_state=0, n_jobs=1).fit_transform(X),
    }
    tensors = {name: torch.tensor(np.asarray(points)) for name, points in drawn.items()}
    return Trained(tensors, {"words": words})


def skew(package: SimpleNamespace, report: Report) -> Trained:
    """Vectors of jobs and names: from a plain text, a skewed one, and one with halves swapped."""
    course = package.embeddings
    chosen = [word for kind in ("job", "woman", "man") for word in lexicon.KINDS[kind]]
    unfair, plain = skewed.stories(TOKENS, SKEW_SEED)
    mended = [skewed.swapped(story) if i % 2 else story for i, story in enumerate(unfair)]
    tensors = {}
    for done, (name, text) in enumerate(
        {"plain": plain, "skewed": unfair, "mended": mended}.items()
    ):
        words, counts, ids = read(course, text)
        found = word2vec.train(course, ids, counts, Settings(rate=RATE, epochs=4))
        tensors[name] = found.E[[words.index(word) for word in chosen]].clone()
        report((done + 1) / 3)
    return Trained(tensors, {"words": chosen})


RECIPES = (
    *(
        Recipe(f"embeddings/{name}", partial(vectors, how), USES, SOURCES)
        for name, how in {
            "plain": PLAIN,
            "village": THINNED,
            "window-1": Settings(rate=RATE, window=1),
            "window-2": Settings(rate=RATE, window=2),
        }.items()
    ),
    Recipe("embeddings/curve", curve, WITH_TABLES, SOURCES),
    Recipe("embeddings/maps", maps, USES, SOURCES),
    Recipe("embeddings/skew", skew, USES, (*SOURCES, Path(skewed.__file__))),
)
