"""What chapter 3 says of word vectors, tried again: with several seeds, one-sided windows, people.

Only numbers are kept. Leaves out: the vectors that the chapter ships (embeddings).
"""

import importlib.util
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from nextword.corpora import halves as true_halves
from nextword.corpora import judgements, lexicon, shakespeare, skewed_village, village
from nextword.corpora.village import likeness
from nextword.models import training, word2vec
from nextword.models.recipes import embeddings as shipped
from nextword.models.recipes.embeddings import RATE, TOKENS, USES, Sentences, read
from nextword.models.store import Recipe, Trained, files
from nextword.models.training import Report, padded
from nextword.models.word2vec import Settings

SEEDS = (0, 1, 2)
WINDOWS = (1, 2, 5)
Pairs = list[tuple[str, str, float]]


def rounded(values: Sequence[float]) -> list[float]:
    """Four digits after the point: further ones differ between processors."""
    return [round(float(value), 4) for value in values]


# ------------------------------------------------------------------ one-sided windows
def one_sided(course: Any, side: str) -> SimpleNamespace:
    """The functions of the chapter, with windows that keep one side (or both) of each word.

    >>> course = SimpleNamespace(NONE=-1, context_windows=lambda *_: np.array([[7, 9]]))
    >>> one_sided(course, "left").context_windows(np.array([8]), 1, None).tolist()
    [[7, -1]]
    """

    def windows(sentence: np.ndarray, window: int, rng: np.random.Generator) -> np.ndarray:
        found = course.context_windows(sentence, window, rng).copy()
        if side == "left":
            found[:, window:] = course.NONE
        if side == "right":
            found[:, :window] = course.NONE
        return found

    return SimpleNamespace(**{**vars(course), "context_windows": windows})


def sides(package: SimpleNamespace, report: Report) -> Trained:
    """How word2vec agrees with both halves of the truth, by side, window and seed."""
    course = package.embeddings
    words, counts, ids = read(course, village.split("train", TOKENS).stories())
    judged = [word for word in lexicon.CONTENT if word in set(words)]
    which = [words.index(word) for word in judged]
    upper = np.triu_indices(len(judged), 1)
    in_place, after = (half[upper] for half in true_halves.halves(judged))
    sharing = in_place > 0.01
    found: dict[str, dict[str, list[list[float]]]] = {
        side: {} for side in ("left", "right", "both")
    }
    runs = list(product(found, WINDOWS, SEEDS))
    for done, (side, window, seed) in enumerate(runs):
        how = Settings(rate=RATE, window=window)
        E = word2vec.train(one_sided(course, side), ids, counts, how, seed).E.numpy()[which]
        cosines = course.cosine(E, E)[upper]
        both = (
            course.spearman(cosines, after),
            course.spearman(cosines[sharing], in_place[sharing]),
        )
        found[side].setdefault(str(window), []).append(rounded(both))
        report((done + 1) / len(runs))
    return Trained({}, {"agreement": found})


# ------------------------------------------------------------------ the skewed village
def skew(package: SimpleNamespace, report: Report) -> Trained:
    """The places and neighbours of jobs in three texts, with several texts and seeds of each."""
    course = package.embeddings
    found = []
    for done, seed in enumerate(SEEDS):
        unfair, plain = skewed_village.stories(TOKENS, shipped.SKEW_SEED + seed)
        mended = [skewed_village.swapped(s) if i % 2 else s for i, s in enumerate(unfair)]
        texts: dict[str, Sentences] = {"plain": plain, "skewed": unfair, "mended": mended}
        found.append({name: jobs_of(course, text, seed) for name, text in texts.items()})
        report((done + 1) / len(SEEDS))
    return Trained({}, {"texts": found})


def jobs_of(course: Any, text: Sentences, seed: int) -> dict[str, float]:
    """Where the jobs of one text lie between men and women, and beside whom."""
    words, counts, ids = read(course, text)
    E = word2vec.train(course, ids, counts, Settings(rate=RATE, epochs=4), seed).E
    unit = torch.nn.functional.normalize(E, dim=1).numpy()
    she, he, job = (
        unit[[words.index(word) for word in lexicon.KINDS[kind]]]
        for kind in ("woman", "man", "job")
    )
    direction = she.mean(axis=0) - he.mean(axis=0)
    direction /= np.linalg.norm(direction)
    places = job @ direction
    womens = np.array([word in skewed_village.WOMENS_JOBS for word in lexicon.KINDS["job"]])
    without = job - np.outer(places, direction)
    measured = {
        "gap": places[womens].mean() - places[~womens].mean(),
        "between": places[womens].min() - places[~womens].max(),
        "same ten": own_ten(course, job, womens),
        "same ten, without the direction": own_ten(course, without, womens),
    }
    return {name: round(float(value), 4) for name, value in measured.items()}


def own_ten(course: Any, job: np.ndarray, womens: np.ndarray) -> float:
    """The share of jobs whose nearest job is held by the same gender."""
    C = course.cosine(job, job)
    np.fill_diagonal(C, -1)
    return float((womens[C.argmax(axis=1)] == womens).mean())


# ------------------------------------------------------------------ words made from pieces
def pieces(word: str) -> list[str]:
    """The runs of three to five letters of a word with its borders.

    >>> pieces("hen")
    ['<he', 'hen', 'en>', '<hen', 'hen>', '<hen>']
    """
    marked = f"<{word}>"
    return [marked[i : i + n] for n in (3, 4, 5) for i in range(len(marked) - n + 1)]


def hidden(package: SimpleNamespace, report: Report, n_hidden: int = 60) -> Trained:
    """How often an unseen word is put beside its kind: trained, by spelling, by luck."""
    course = package.embeddings
    stories = village.split("train", 400_000).stories()[:2000]
    content = [word for word in lexicon.CONTENT if len(word) > 3]
    found: dict[str, list[float]] = {"trained": [], "spelling": [], "luck": []}
    for done, seed in enumerate(SEEDS):
        rng = np.random.default_rng(seed)
        told = {word for story in stories for word in story}
        candidates = [word for word in content if word in told]
        away = [candidates[i] for i in rng.choice(len(candidates), n_hidden, replace=False)]
        gone = set(away)
        words, counts, ids = read(course, [[w for w in s if w not in gone] for s in stories])
        number = {p: i for i, p in enumerate(sorted({p for word in words for p in pieces(word)}))}
        rows = {word: [number[p] for p in pieces(word) if p in number] for word in [*words, *away]}
        away = [word for word in away if rows[word]]
        vectors = from_pieces(
            course, ids, counts, [rows[word] for word in words], len(number), seed
        )
        known = course.context_means(vectors, padded([rows[w] for w in words], course.NONE))
        new = course.context_means(vectors, padded([rows[w] for w in away], course.NONE))
        trained = course.cosine(new.double().numpy(), known.double().numpy())
        incidence = [np.zeros((len(some), len(number))) for some in (away, words)]
        for table, some in zip(incidence, (away, words), strict=True):
            for k, word in enumerate(some):
                table[k, rows[word]] = 1
        shared = course.cosine(*incidence)
        chance = rng.random(shared.shape)
        for name, alike in (("trained", trained), ("spelling", shared), ("luck", chance)):
            found[name].append(round(hits(alike, away, words), 4))
        report((done + 1) / len(SEEDS))
    return Trained({}, {"share": found, "hidden": n_hidden})


def hits(alike: np.ndarray, away: Sequence[str], words: Sequence[str]) -> float:
    """The share of words with one of their own kind among the three nearest.

    >>> hits(np.array([[0.9, 0.1, 0.5, 0.7]]), ["goats"], ["paris", "ewes", "bread", "red"])
    0.0
    """
    near = np.argsort(-alike, axis=1, kind="stable")[:, :3]
    return float(
        np.mean(
            [
                any(lexicon.alike(word, words[j]) for j in row)
                for word, row in zip(away, near, strict=True)
            ]
        )
    )


def from_pieces(
    course: Any, ids: Any, counts: Sequence[int], rows: Sequence[Sequence[int]], n: int, seed: int
) -> Tensor:
    """Train a vector for each piece, as section 3.14 does."""
    spelling = padded(rows, course.NONE)
    generator = torch.Generator().manual_seed(seed)
    G = torch.randn(n, 32, generator=generator) / 32**0.5
    U = torch.zeros(len(rows), 32)
    optimizer = torch.optim.Adam([G, U], lr=0.01, fused=True)
    how = Settings(t=1e-3, window=3, batch=1024)
    noise = torch.from_numpy(course.noise_distribution(np.array(counts)))
    rng = np.random.default_rng(seed)
    for _ in range(2):
        for word, neighbour in word2vec.batches(course, ids, np.array(counts), how, rng):
            drawn = torch.multinomial(noise, 32, replacement=True, generator=generator)
            v = course.context_means(G, spelling[word])
            _, dv, du, dn = course.negative_sampling(v, U[neighbour], U[drawn], k=5)
            G.grad = course.context_gradients(dv, spelling[word], len(G))
            U.grad = torch.zeros_like(U).index_add_(0, neighbour, du).index_add_(0, drawn, dn)
            optimizer.step()
    return G


# ------------------------------------------------------------------ people's judgements
def carried(name: str) -> Pairs:
    """The pairs of a collection, from the copy that gensim carries."""
    gensim = importlib.util.find_spec("gensim")
    if gensim is None or gensim.origin is None:
        return judgements.pairs(name)
    file = "wordsim353.tsv" if name == "wordsim353" else "simlex999.txt"
    text = (Path(gensim.origin).parent / "test" / "test_data" / file).read_text(encoding="utf-8")
    return judgements.parsed(text)


def people(package: SimpleNamespace, report: Report, min_count: int = 5) -> Trained:
    """How vectors of Shakespeare's words agree with what people judged, with intervals."""
    course = package.embeddings
    sentences = shakespeare.sentences("train", lower=True)
    counts = course.frequent_words(sentences, min_count=min_count)
    words, totals = list(counts), list(counts.values())
    known = set(words)
    ids = word2vec.encode([[w for w in s if w in known] for s in sentences], words)
    number = {word: i for i, word in enumerate(words)}
    asked = {
        name: [(number[a], number[b], s) for a, b, s in carried(name) if a in known and b in known]
        for name in judgements.NAMES
    }
    found: dict[str, dict[str, list[float]]] = {name: {} for name in asked}

    def note(method: str, E: np.ndarray) -> None:
        norms = np.maximum(np.linalg.norm(E, axis=1, keepdims=True), 1e-12)
        for name, pairs in asked.items():
            a, b, score = (np.array(column) for column in zip(*pairs, strict=True))
            cosines = ((E[a] / norms[a]) * (E[b] / norms[b])).sum(axis=1)
            found[name][method] = rounded(interval(course, cosines, score))

    for done, window in enumerate((1, 10)):
        M = course.cooccurrence(ids, len(words), window, by_distance=True)[:, :1500]
        P = course.ppmi(M, smoothing=0.75)
        note(f"log counts, {window}", np.log1p(M))
        note(f"PPMI, {window}", P)
        note(f"SVD, {window}", course.svd_vectors(P, 200, 0.5)[0])
        how = Settings(window=window, epochs=5, t=1e-3)
        note(f"word2vec, {window}", word2vec.train(course, ids, totals, how).E.double().numpy())
        report((done + 1) / 2)
    facts = {name: {"known": len(asked[name]), "rho": found[name]} for name in asked}
    return Trained({}, {"lists": facts, "words": len(words)})


def interval(course: Any, x: np.ndarray, y: np.ndarray, draws: int = 1000) -> list[float]:
    """Spearman's correlation, and the middle 95 % of those of pairs drawn with replacement."""
    rng = np.random.default_rng(0)
    again = [
        course.spearman(x[chosen], y[chosen])
        for chosen in (rng.integers(len(x), size=len(x)) for _ in range(draws))
    ]
    return [course.spearman(x, y), *np.quantile(again, [0.025, 0.975])]


WITH_MEASURES = {"embeddings": (*USES["embeddings"], "cosine", "spearman")}
WITH_PIECES = {"embeddings": (*WITH_MEASURES["embeddings"], "context_means", "context_gradients")}
WITH_TABLES = {"embeddings": (*WITH_MEASURES["embeddings"], "cooccurrence", "ppmi", "svd_vectors")}
SOURCES = (Path(__file__), *files(shipped, word2vec, training, lexicon))

RECIPES = (
    Recipe("embeddings/sides", sides, WITH_MEASURES, (*SOURCES, *files(true_halves, likeness))),
    Recipe("embeddings/skew-seeds", skew, WITH_MEASURES, (*SOURCES, *files(skewed_village))),
    Recipe("embeddings/hidden", hidden, WITH_PIECES, SOURCES),
    Recipe(
        name="embeddings/people",
        train=people,
        uses=WITH_TABLES,
        sources=(*SOURCES, *files(judgements)),
        corpora=("shakespeare",),
    ),
)
