"""Numpy wherever it fits; answers are arrays, numpy numbers, tuples, Counters, generators."""

import heapq
import re
from collections import Counter, defaultdict

import numpy as np

from nextword.given.checks import require, require_distribution

SPECIAL = ("<s>", "</s>", "<unk>")
BOS, EOS, UNK = range(3)
CHUNK = re.compile(r" ?\w+| ?[^\w\s]+|\s+(?!\S)|\s+")


class TableModel:
    def __init__(self, rows):
        self.rows = {tuple(u): np.asarray(row, float) for u, row in rows.items()}  # each: (V,)
        require("rows", sorted(self.rows), () in self.rows, "with a row for the empty tuple")
        V = len(self.rows[()])
        for u, row in self.rows.items():
            require_distribution(f"the row after {u}", row)
            require(f"the row after {u}", row, len(row) == V, f"{V} numbers, as after ()")

    def log_probs(self, history):
        u = tuple(history)
        while u not in self.rows:
            u = u[1:]  # forget the oldest token
        with np.errstate(divide="ignore"):  # ln 0 = -inf is meant
            return np.log(self.rows[u])


def chunks(text):
    return CHUNK.findall(text)


def merge(ids, pair, new):
    merged = []
    i = 0
    while i < len(ids):
        if tuple(ids[i : i + 2]) == pair:
            merged.append(new)
            i += 2
        else:
            merged.append(ids[i])
            i += 1
    return merged


def token_bytes(merges):
    tokens = [bytes([i]) for i in range(256)]
    for i, pair in enumerate(merges):
        known = len(pair) == 2 and all(0 <= part < len(tokens) for part in pair)
        require(f"merge {i}", pair, known, f"two tokens from 0 to {len(tokens) - 1}")
        left, right = pair
        tokens.append(tokens[left] + tokens[right])
    return tokens


def build_vocabulary(sentences, min_count=1):
    words = np.array([w for s in sentences for w in s if w not in SPECIAL], dtype=object)
    found, counts = np.unique(words.astype(str), return_counts=True)
    order = np.lexsort((found, -counts))
    return (*SPECIAL, *(str(found[i]) for i in order if counts[i] >= min_count))


def to_ids(words, vocabulary):
    places = defaultdict(lambda: UNK, zip(vocabulary, range(len(vocabulary))))
    return (places[word] for word in words)


def to_words(ids, vocabulary):
    return (vocabulary[i] for i in ids)


def inputs_and_targets(ids):
    whole = np.concatenate([[BOS], np.asarray(ids, dtype=int), [EOS]])
    return whole[:-1], whole[1:]


def batch(ids, starts, T):
    windows = np.lib.stride_tricks.sliding_window_view(ids, T)
    return windows[starts].copy(), windows[starts + 1].copy()


def log_softmax(logits):
    z = np.asarray(logits, dtype=float)
    return z - np.logaddexp.reduce(z, axis=-1, keepdims=True)


def token_log_probs(model, history, text):
    whole = [*history, *text]
    start = len(history)
    return np.array([model.log_probs(whole[:t])[whole[t]] for t in range(start, len(whole))])


def cross_entropy(log_probs, targets):
    return -np.take_along_axis(log_probs, targets[:, None], axis=1).mean()


def perplexity(log_probs):
    return np.exp(-np.mean(log_probs))


def bits_per_byte(log_probs, text):
    return -np.sum(log_probs) / np.log(2) / len(text.encode("utf-8"))


def entropy(p):
    return -np.sum(p * np.log(p, out=np.zeros_like(p), where=p > 0))


def kl_divergence(p, q):
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(p > 0, p * (np.log(p) - np.log(q)), 0).sum()


def count_characters(texts, n):
    rows = defaultdict(Counter)
    for text in texts:
        for t in range(n - 1, len(text)):
            rows[text[t - n + 1 : t]][text[t]] += 1
    return rows


def character_log_prob(counts, text, n, V):
    steps = range(n - 1, len(text))
    rows = [counts.get(text[t - n + 1 : t], {}) for t in steps]
    above = np.array([row.get(text[t], 0) for row, t in zip(rows, steps)]) + 1.0
    below = np.array([sum(row.values()) for row in rows]) + V
    return np.log(above / below).sum()


def posterior(log_likelihoods, priors):
    names = list(priors)
    joint = np.array([log_likelihoods[c] + np.log(priors[c]) for c in names])
    return dict(zip(names, np.exp(joint - np.logaddexp.reduce(joint))))


def rerank(candidates, weight=1.0):
    texts = list(candidates)
    scores = np.array([candidates[text] for text in texts]) @ np.array([1.0, weight])
    return [texts[i] for i in np.argsort(-scores, kind="stable")]


def train_bpe(text, n_merges):
    frequency = Counter(chunks(text))
    words, weights = [list(chunk.encode()) for chunk in frequency], list(frequency.values())
    counts, places = Counter(), defaultdict(set)
    for i, word in enumerate(words):
        for pair in zip(word, word[1:]):
            counts[pair] += weights[i]
            places[pair].add(i)
    queue = [(-count, pair) for pair, count in counts.items()]
    heapq.heapify(queue)
    merges = []
    while queue and len(merges) < n_merges:
        count, best = heapq.heappop(queue)
        if -count != counts[best]:  # an old entry: ask again with the count of today
            if counts[best] > 0:
                heapq.heappush(queue, (-counts[best], best))
            continue
        if counts[best] < 2:
            break
        touched = set()
        for i in places.pop(best):
            for pair in zip(words[i], words[i][1:]):
                counts[pair] -= weights[i]
            words[i] = merge(words[i], best, 256 + len(merges))
            for pair in zip(words[i], words[i][1:]):
                counts[pair] += weights[i]
                places[pair].add(i)
                touched.add(pair)
        for pair in touched:
            heapq.heappush(queue, (-counts[pair], pair))
        merges.append(best)
    return merges


def encode(text, merges):
    age = {tuple(pair): i for i, pair in enumerate(merges)}
    known = {}
    for chunk in chunks(text):
        if chunk not in known:
            ids = list(chunk.encode())
            while len(ids) > 1:
                pair = min(zip(ids, ids[1:]), key=lambda pair: age.get(pair, np.inf))
                if pair not in age:
                    break
                ids = merge(ids, pair, 256 + age[pair])
            known[chunk] = ids
        yield from known[chunk]


def decode(ids, merges):
    spelled = token_bytes(merges)
    return str(b"".join([spelled[i] for i in ids]), "utf-8", "replace")


def with_temperature(logits, temperature):
    if temperature == 0:
        best = logits == logits.max()
        return best / best.sum()
    z = (logits - logits.max()) / temperature
    return np.exp(z - np.logaddexp.reduce(z))


def kept(probs, order):
    mask = np.zeros(len(probs))
    mask[order] = 1
    return probs * mask / (probs * mask).sum()


def top_k(probs, k):
    return kept(probs, np.lexsort((np.arange(len(probs)), -probs))[:k])


def top_p(probs, p):
    order = np.lexsort((np.arange(len(probs)), -probs))
    return kept(probs, order[: np.searchsorted(np.cumsum(probs[order]), p) + 1])


def sample(probs, rng):
    return np.searchsorted(np.cumsum(probs), rng.random(), side="right")


def beam_search(model, history, width, max_tokens, alpha=0.0):
    live, done = [((), 0.0)], []
    for _ in range(max_tokens):
        options = []
        for text, total in live:
            row = np.asarray(model.log_probs([*history, *text]))
            options += [((*text, int(w)), total + row[w]) for w in np.flatnonzero(row > -np.inf)]
        best = heapq.nlargest(width, options, key=lambda option: option[1])
        done.extend(option for option in best if option[0][-1] == EOS)
        live = [option for option in best if option[0][-1] != EOS]
    scored = [(text, total / len(text) ** alpha) for text, total in [*done, *live]]
    return tuple(heapq.nlargest(width, scored, key=lambda option: option[1]))
