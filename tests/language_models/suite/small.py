"""Small inputs of chapter 1: what a wrong answer is shown on.

Leaves out drawing and beams (small_drawing.py), and other forms of the inputs (small_forms.py).
"""

import itertools
import math

import numpy as np

from examiner.counterexamples import Example, Small, example, small
from examiner.counterexamples.literals import Code, literal, size
from tests.language_models.suite import oracles as plain

SPECIAL = ("<s>", "</s>", "<unk>")
LOGITS = (0.0, 1.0, 2.0, -1.0, 3.0, -2.0)


def shares(draw: Small, V: int) -> Code:
    """A distribution in quarters, or in eighths: later where some are 0."""
    row = np.array(draw.shares(V, draw.choice([4, 4, 4, 8])))
    return Code(literal(row), V + 2 * int(np.sum(row % 1 == 0)))


def later(value: object, odd: object) -> Code:
    """A value that is tried after others of its size if there is something odd about it."""
    return Code(literal(value), size(value) + 2 * bool(odd))


def after_two(n: int) -> Code:
    """The length of an n-gram: pairs are the simplest."""
    return later(n, n != 2)


# ---------------------------------------------------------------- 1.1 and 1.2


@small("1.1", "build_vocabulary")
def sentences(draw: Small) -> Example:
    found = draw.sentences(3, longest=4)
    if draw.size > 1 and draw.integer(0, 2) == 0:
        found[0] = [*found[0], draw.choice([*SPECIAL, "A", "B"])]
    if not any(found):
        found = [[draw.word()]]
    found = later(found, "A" in str(found) or "B" in str(found))
    if draw.yes():
        return example("build_vocabulary(sentences)", sentences=found)
    code = "build_vocabulary(sentences, min_count=least)"
    return example(code, sentences=found, least=draw.integer(1, 2))


@small("1.1", "build_vocabulary", tries=5)
def sentences_of_characters(draw: Small) -> Example:
    found = [draw.text(4, 2, "ab")]
    return example("build_vocabulary(sentences)", sentences=Code(literal(found), 4))


def vocabulary(draw: Small) -> Code:
    words = draw.choice([["a"], ["a", "b"], ["b", "a"], ["b", "A", "a"]])
    return Code(f"SPECIAL + {words}", len(words))


@small("1.1", "to_ids", tries=60)
def words(draw: Small) -> Example:
    some = [*"abcab", "A", *SPECIAL] if draw.size else [*"abc"]
    found = [draw.choice(some) for _ in range(draw.length(draw.integer(0, 1), 4))]
    found = later(found, not found or set(found) & {"A", *SPECIAL})
    return example("to_ids(words, vocabulary)", words=found, vocabulary=vocabulary(draw))


@small("1.1", "to_words", tries=60)
def ids(draw: Small) -> Example:
    found = [draw.choice([3, 3, 0, 1, 2]) for _ in range(draw.length(draw.integer(0, 1), 4))]
    found = later(found, not found or min(found) < 3)
    return example("to_words(ids, vocabulary)", ids=found, vocabulary=vocabulary(draw))


@small("1.2", "inputs_and_targets", tries=40)
def texts_of_ids(draw: Small) -> Example:
    found = [draw.integer(3, 9) for _ in range(draw.length(0, 4))]
    return example("inputs_and_targets(ids)", ids=found)


@small("1.2", "batch")
def windows(draw: Small) -> Example:
    B, T = draw.choice([(1, 1), (2, 1), (1, 2), (2, 2), (2, 3), (3, 2)][: 2 + draw.size])
    L = T + max(B, draw.integer(1, 3))
    found = draw.rng.permutation(np.arange(3, 10))[:L]
    starts = draw.rng.permutation(L - T)[:B]
    return example("batch(ids, starts, T=T)", ids=found, starts=starts, T=T)


# ---------------------------------------------------------------- 1.3 and 1.4


@small("1.3", "log_softmax")
def scores(draw: Small) -> Example:
    shape = draw.choice([(2,), (1,), (3,), (2, 2), (1, 2), (2, 3), (2, 1, 2), (2, 2, 3)])
    return example("log_softmax(logits)", logits=draw.array(*shape, values=LOGITS))


@small("1.3", "log_softmax", tries=40)
def large_scores(draw: Small) -> Example:
    shape = draw.choice([(2,), (2,), (2, 2)])
    logits = draw.array(*shape, values=(0.0, 0.0, 1000.0, -1000.0, -math.inf))
    logits[..., draw.integer(0, 1)] = draw.choice([0.0, 1000.0, -1000.0])
    return example("log_softmax(logits)", logits=logits)


def model_of(table: dict[tuple[int, ...], list[float]]) -> Code:
    """A model that looks P(w | u) up, with whole numbers written as such."""
    table = {u: [int(p) if p % 1 == 0 else p for p in row] for u, row in table.items()}
    certain = sum(1 in row for row in table.values())
    return Code(f"TableModel({table})", sum(map(len, table.values())) + 2 * certain)


@small("1.4", "token_log_probs", tries=90)
def texts(draw: Small) -> Example:
    some = [(2,), (2,), (0,), (0, 2), (0, 2), (1,), (2, 1)]
    endings = [draw.choice(some) for _ in range(draw.choice([0, 1, 1, 2]))]
    history = draw.choice([[0], [0], [0, 2]])
    text = [draw.choice([2, 1]) for _ in range(draw.length(1, 3) * (draw.integer(0, 9) > 0))]
    V = draw.choice([3, 3, 4])
    model = model_of({u: [0, *draw.shares(V - 1)] for u in [(), *endings]})
    return example("token_log_probs(model, history, text)", model=model, history=history, text=text)


# ---------------------------------------------------------------- 1.5 and 1.6


ROWS_OF = {
    2: [[0.5, 0.5], [0.25, 0.75], [0.75, 0.25]],
    3: [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5]],
}


@small("1.5", "cross_entropy", tries=60)
def predictions(draw: Small) -> Example:
    N, V = draw.choice([(1, 2), (2, 2), (2, 3), (3, 2)])
    table = Code(f"np.log({[draw.choice(ROWS_OF[V]) for _ in range(N)]})", N * V)
    if draw.integer(0, 3) == 0:
        table = np.where(np.eye(V) == 1, 0, -math.inf)[draw.integers(N, high=V - 1)]
    targets = draw.integers(N, high=V - 1)
    return example("cross_entropy(log_probs, targets)", log_probs=table, targets=targets)


def logs(draw: Small) -> Code:
    """The logarithms of a few probabilities, as a list."""
    found = [f"math.log({draw.choice([0.5, 0.25, 0.75])})" for _ in range(draw.length(1, 3))]
    return Code(f"[{', '.join(found)}]", len(found))


@small("1.5", "perplexity", tries=30)
def texts_of_probabilities(draw: Small) -> Example:
    return example("perplexity(log_probs)", log_probs=logs(draw))


# an impossible token, one text alone, a long text, a certain token, one token twice
RARE_LOGS = [
    "[math.log(0.5), -math.inf]",
    "[-math.inf]",
    "[math.log(0.5)] * 2000",
    "[math.log(0.5), 0.0]",
    "[math.log(0.5), math.log(0.5), math.log(0.25)]",
]


@small("1.5", "perplexity", tries=16)
def rare_logs(draw: Small) -> Example:
    found = draw.choice(RARE_LOGS)
    return example("perplexity(log_probs)", log_probs=Code(found, 4 + len(found) // 16))


@small("1.5", "bits_per_byte", tries=60)
def costs(draw: Small) -> Example:
    text = draw.choice(["ab", "abc", "a", "abcd", "é", "né", "a b", "a ", "東"])
    text = later(text, not text.isascii() or " " in text)
    return example("bits_per_byte(log_probs, text)", log_probs=logs(draw), text=text)


@small("1.6", "entropy", tries=50)
def sources(draw: Small) -> Example:
    return example("entropy(p)", p=shares(draw, draw.choice([2, 2, 3, 1, 4])))


@small("1.6", "kl_divergence")
def two_sources(draw: Small) -> Example:
    V = draw.choice([2, 2, 3])
    return example("kl_divergence(p, q)", p=shares(draw, V), q=shares(draw, V))


# ---------------------------------------------------------------- 1.7 and 1.8


@small("1.7", "count_characters", tries=90)
def texts_of_characters(draw: Small) -> Example:
    letters = "abA" if draw.size > 2 else "ab"
    found = [draw.text(4, draw.integer(0, 2), letters) for _ in range(draw.length(1, 3))]
    n = after_two(draw.choice([2, 2, 1, 3]))
    return example("count_characters(texts, n=n)", texts=found, n=n)


@small("1.7", "character_log_prob", tries=90)
def counted_texts(draw: Small) -> Example:
    n = draw.choice([2, 2, 1, 3])
    counts = plain.count_characters([draw.text(4, letters="ab", least=n)], n)
    text = draw.text(4, draw.integer(0, 2), "abc")
    code = "character_log_prob(counts, text, n=n, V=V)"
    return example(code, counts=counts, text=text, n=after_two(n), V=draw.integer(3, 5))


@small("1.7", "character_log_prob", tries=1)
def long_texts(draw: Small) -> Example:
    code = "character_log_prob(counts, text, n=n, V=V)"
    return example(code, counts={"a": {"a": 2}}, text=Code('"a" * 2000', 2), n=2, V=4)


@small("1.7", "posterior", tries=90)
def classes(draw: Small) -> Example:
    names = draw.choice([["en", "fr"], ["en", "fr", "sv"][: 2 + draw.size]])
    scale = draw.choice([1, 1, 1, 1000])
    logs = {name: -scale * draw.choice([1.0, 2.0, 3.0]) for name in names}
    parts = draw.choice([[1, 1], [1, 3], [3, 1]] if len(names) == 2 else [[1, 1, 2], [2, 1, 1]])
    priors = {name: part / sum(parts) for name, part in zip(names, parts, strict=True)}
    turned = draw.size > 1 and draw.yes()
    priors = later(dict(reversed(priors.items())) if turned else priors, turned)
    code = "posterior(log_likelihoods, priors)"
    return example(code, log_likelihoods=later(logs, scale > 1), priors=priors)


@small("1.8", "rerank", tries=110)
def candidates(draw: Small) -> Example:
    names = draw.rng.permutation(["a", "b", "cc"])[: draw.length(2, 3)].tolist()
    logs = [-3.0, -2.0, -1.0, -4.0]
    found = {name: (draw.choice(logs), draw.choice(logs)) for name in names}
    if draw.yes():
        return example("rerank(candidates)", candidates=found)
    weight = draw.choice([0.0, 2.0, 0.5, 3.0])
    return example("rerank(candidates, weight)", candidates=found, weight=weight)


# ---------------------------------------------------------------- 1.9 and 1.10


@small("1.9", "train_bpe", tries=130)
def texts_to_learn_from(draw: Small) -> Example:
    letters = draw.choice(["ab", "abc", "ab", "abc", "a", "aA", "éω"][: 2 + 5 * (draw.size > 0)])
    some = [draw.text(4, 1, letters) for _ in range(draw.length(1, 3))]
    found = [draw.choice(some) for _ in range(draw.length(1, 6))]
    text = draw.choice([" ", " ", "."]).join(found)
    odd = not text.isascii() or "." in text or "A" in text
    return example("train_bpe(text, n_merges)", text=later(text, odd), n_merges=draw.integer(1, 3))


def merges_of(draw: Small, letters: str, most: int) -> list[tuple[int, int]]:
    """A few different merges of letters, and of what was merged before."""
    tokens, found = sorted(letters.encode()), list[tuple[int, int]]()
    for _ in range(draw.length(1, most)):
        pair = draw.choice(tokens), draw.choice(tokens)
        if pair not in found:
            tokens.append(256 + len(found))
            found.append(pair)
    return found


@small("1.10", "encode", tries=120)
def texts_and_merges(draw: Small) -> Example:
    letters = draw.choice(["ab", "abc", "abc", "ab ", "é", "a ", "a."] if draw.size else ["ab"])
    text = draw.text(5, 1, letters)
    merges = merges_of(draw, letters, 3) if draw.integer(0, 3) == 0 else []
    if len(text) > 2 or draw.yes():  # those whose order matters
        pairs = sorted(set(itertools.pairwise(text.encode())))
        merges = draw.rng.permutation(pairs).tolist()[:3]
    text = later(text, not text.isascii() or "." in text)
    return example("encode(text, merges)", text=text, merges=listed([*map(tuple, merges)]))


def listed(merges: list[tuple[int, int]]) -> Code:
    """Merges as code: a pair is one thing to a reader, and no merges are simpler still."""
    return Code(literal(merges), len(merges))


# the shortest texts that show whether chunks are kept apart, and in which order merges are made
INSTRUCTIVE = [
    ("a b", [(97, 32)]),
    ("abc", [(98, 99), (97, 98)]),
    ("abc", [(98, 99), (97, 98), (97, 256)]),
    ("aabab", [(97, 97), (97, 98)]),
]


@small("1.10", "encode", tries=24)
def instructive_texts(draw: Small) -> Example:
    text, merges = draw.choice(INSTRUCTIVE)
    return example("encode(text, merges)", text=text, merges=Code(literal(merges), 1))


@small("1.10", "encode", tries=1)
def no_text(draw: Small) -> Example:
    return example("encode(text, merges)", text="", merges=[(97, 98)])


@small("1.10", "decode", tries=100)
def tokens_and_merges(draw: Small) -> Example:
    letters = draw.choice(["ab", "ab ", "aé", "é"])
    merges = merges_of(draw, letters, 3) if draw.size and draw.yes() else []
    tokens = [*letters.encode(), *range(256, 256 + len(merges))]
    found = [draw.choice(tokens) for _ in range(draw.length(0, 4))]
    data = b"".join(plain.bytes_of(i, merges) for i in found)
    odd = "\ufffd" in data.decode(errors="replace")
    return example("decode(ids, merges)", ids=later(found, odd or not found), merges=listed(merges))
