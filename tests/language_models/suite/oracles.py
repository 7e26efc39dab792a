"""Random inputs and plain loops for the hidden tests of chapter 1's suite.

Each oracle is written from the definition, without the tricks of the solution.
"""

import itertools
import math
import re
from collections import Counter

import numpy as np

from examiner.suite import ship

BOS, EOS, UNK = 0, 1, 2
SPECIAL = ["<s>", "</s>", "<unk>"]
WORDS = ["the", "goat", "hen", "saw", "milk", "zoë", "añil", "b", "a", "road"]


def sentences_of_unequal_counts(rng):
    """Sentences in which the words are seen 1, 2, 3, ... times: no two equally often."""
    words = [word for n, word in enumerate(rng.permutation(WORDS).tolist(), 1) for _ in range(n)]
    return [part.tolist() for part in np.array_split(rng.permutation(words), 12)]


def sentences_of_equal_counts(rng):
    """Sentences in which five words are seen once and five twice, but never in one sentence."""
    words = rng.permutation(WORDS).tolist()
    return [words[:3], words[3:], words[4::-1]]


def random_text(rng, n_words=160, letters="aAéx🐐"):
    """Words of a few letters, one of them of two bytes and one of four, with signs and gaps."""
    words = ["".join(rng.choice(list(letters), size=rng.integers(1, 6))) for _ in range(25)]
    chosen = rng.integers(25, size=n_words)
    gaps = rng.choice([" ", " ", " ", ", ", "  ", ".\n"], size=n_words)
    return "".join(words[i] + gap for i, gap in zip(chosen, gaps, strict=True))


def random_row(rng, V, zeros=0):
    """A distribution over V tokens with so many zeros, at random places."""
    row = rng.dirichlet([1.0] * V)
    row[rng.choice(V, size=zeros, replace=False)] = 0
    return row / row.sum()


def solid_row(rng, V):
    """A distribution without tiny probabilities."""
    return 0.8 * random_row(rng, V) + 0.2 / V


def random_table(rng, V=4, zeros=0):
    """Rows for each last token and each last two tokens; BOS is never predicted."""
    endings = [tuple(u) for k in range(3) for u in itertools.product(range(V), repeat=k)]
    return {u: [0.0, *random_row(rng, V - 1, zeros).tolist()] for u in endings}


def next_row(table, history):
    """The row of the longest ending of the history."""
    for start in range(len(history) + 1):
        if tuple(history[start:]) in table:
            return table[tuple(history[start:])]
    raise AssertionError("a table has a row for the empty history")


def log(p):
    """The natural logarithm; -inf of 0."""
    return math.log(p) if p > 0 else -math.inf


def text_log_probs(table, history, text):
    """One logarithm per token."""
    seen, found = list(history), []
    for w in text:
        found.append(log(next_row(table, seen)[w]))
        seen.append(w)
    return found


def log_softmax(row):
    """One row, with a sum that is exact."""
    top = max(row)
    total = math.fsum(math.exp(z - top) for z in row)
    return [z - top - math.log(total) for z in row]


def vocabulary(sentences, min_count):
    """Sorted in two steps: by alphabet, then by count."""
    words = [word for sentence in sentences for word in sentence]
    kept = sorted({w for w in words if words.count(w) >= min_count} - set(SPECIAL))
    return SPECIAL + sorted(kept, key=words.count, reverse=True)


def count_characters(texts, n):
    """Place by place."""
    counts = {}
    for text in texts:
        for start in range(len(text) - n + 1):
            u, c = text[start : start + n - 1], text[start + n - 1]
            counts.setdefault(u, {}).setdefault(c, 0)
            counts[u][c] += 1
    return counts


def character_log_prob(counts, text, n, V):
    """The logarithm of a product of fractions."""
    product = 1.0
    for start in range(len(text) - n + 1):
        row = counts.get(text[start : start + n - 1], {})
        product *= (row.get(text[start + n - 1], 0) + 1) / (sum(row.values()) + V)
    return math.log(product)


def chunks(text):
    """Words, signs and blanks, as the chapter cuts them."""
    return re.findall(r" ?\w+| ?[^\w\s]+|\s+(?!\S)|\s+", text)


def join(ids, pair, new):
    """Replace a pair from left to right."""
    found, left, right = [], *pair
    for i in ids:
        if found and i == right and found[-1] == left:
            found[-1] = new  # a new token, which is no part of the pair
        else:
            found.append(i)
    return found


def divergence(p, q):
    """KL(p || q) word by word, for a q that is nowhere 0."""
    both = zip(p.tolist(), q.tolist(), strict=True)
    return math.fsum(a * math.log(a / b) for a, b in both if a > 0)


def random_posterior(rng, size):
    """Log-likelihoods near `size`, priors, and the posterior of three classes."""
    logs = {name: float(size + rng.normal()) for name in "abc"}
    priors = dict(zip("abc", rng.dirichlet([3, 3, 3]).tolist(), strict=True))
    joint = {c: priors[c] * math.exp(logs[c] - size) for c in "abc"}
    return logs, priors, {c: value / sum(joint.values()) for c, value in joint.items()}


def pairs_in(text):
    """How often each pair of neighbouring bytes occurs inside chunks, at every place."""
    found = Counter()
    for chunk, times in Counter(chunks(text)).items():
        for pair in itertools.pairwise(chunk.encode()):
            found[pair] += times
    return found


def train_bpe(text, n_merges):
    """Count all pairs of the whole text again for each merge."""
    words, merges = [list(chunk.encode()) for chunk in chunks(text)], []
    while len(merges) < n_merges:
        pairs = [pair for word in words for pair in itertools.pairwise(word)]
        counts = Counter(pairs)
        best = min(counts, key=lambda pair: (-counts[pair], pair), default=None)
        if best is None or counts[best] < 2:
            break
        words = [join(word, best, 256 + len(merges)) for word in words]
        merges.append(best)
    return merges


def encode(text, merges):
    """Do all merges in the order in which they were learned, in each of the different chunks."""
    tokens = {chunk: list(chunk.encode()) for chunk in chunks(text)}
    for chunk, ids in tokens.items():
        for i, pair in enumerate(merges):
            ids = join(ids, pair, 256 + i)
        tokens[chunk] = ids
    return [i for chunk in chunks(text) for i in tokens[chunk]]


def bytes_of(i, merges):
    """The bytes of a token: those of its two parts, if it was merged."""
    return bytes([i]) if i < 256 else b"".join(bytes_of(part, merges) for part in merges[i - 256])


def from_the_left(text, merges):
    """Do the first merge that fits from the left: wrong."""
    tokens = []
    for chunk in chunks(text):
        ids, start = list(chunk.encode()), 0
        while start < len(ids) - 1:
            pair = tuple(ids[start : start + 2])
            if pair in merges:
                ids[start : start + 2], start = [256 + merges.index(pair)], 0
            else:
                start += 1
        tokens += ids
    return tokens


def by_length(text, merges):
    """Take the longest token that fits from the left: wrong."""
    known = {bytes([i]): i for i in range(256)}
    parts = dict(enumerate(known))
    for i, (a, b) in enumerate(merges, 256):
        parts[i] = parts[a] + parts[b]
        known.setdefault(parts[i], i)
    tokens = []
    for chunk in chunks(text):
        rest = chunk.encode()
        while rest:
            size = next(n for n in range(len(rest), 0, -1) if rest[:n] in known)
            tokens.append(known[rest[:size]])
            rest = rest[size:]
    return tokens


def tangled(rng):
    """Merges and a new text in which it matters which of them are done first."""
    while True:
        merges = train_bpe(random_text(rng, 80, letters="abc"), 40)
        text = random_text(rng, 60, letters="abc").strip()
        right, wrong = encode(text, merges), (from_the_left(text, merges), by_length(text, merges))
        if right not in wrong:
            return merges, text


def with_temperature(logits, temperature):
    """Term by term; temperature 0 shares among the largest."""
    top = max(logits)
    if temperature == 0:
        weights = [float(z == top) for z in logits]
    else:
        weights = [math.exp((z - top) / temperature) for z in logits]
    return [weight / sum(weights) for weight in weights]


def only(probs, kept):
    """These tokens alone, with a sum of 1."""
    total, kept = sum(probs[w] for w in kept), {*kept}
    return [p / total if w in kept else 0.0 for w, p in enumerate(probs)]


def by_likelihood(probs):
    """Ids, the most likely first; of equals the smaller."""
    return sorted(range(len(probs)), key=lambda w: (-probs[w], w))


def top_p(probs, p):
    """Take tokens until they hold p."""
    kept, held = [], 0.0
    for w in by_likelihood(probs):
        if held < p:
            kept.append(w)
            held += probs[w]
    return only(probs, kept)


def all_texts(table, history, max_tokens, alpha):
    """Every text that ends in EOS or has max_tokens tokens: (text, score), the best first."""
    found = []
    V = len(table[()])
    for length in range(1, max_tokens + 1):
        for text in itertools.product(range(V), repeat=length):
            ends = text[-1] == EOS
            if EOS in text[:-1] or (length < max_tokens and not ends):
                continue
            total = sum(text_log_probs(table, history, text))
            if total > -math.inf:
                found.append((list(text), total / length**alpha))
    return sorted(found, key=lambda pair: pair[1], reverse=True)


def beam(table, history, width, max_tokens, alpha):
    """The beam, one open text after the other; None where two scores are too near to tell apart."""
    live, done = [()], []
    for _ in range(max_tokens):
        grown = [(*text, w) for text in live for w in range(len(table[()]))]
        scores = {text: sum(text_log_probs(table, history, text)) for text in grown}
        ranked = sorted(scores.values(), reverse=True)
        if any(a - b < 1e-9 for a, b in itertools.pairwise(ranked) if b > -math.inf):
            return None
        best = sorted(grown, key=lambda text: scores[text], reverse=True)[:width]
        best = [text for text in best if scores[text] > -math.inf]
        done += [text for text in best if text[-1] == EOS]
        live = [text for text in best if text[-1] != EOS]
    score = {t: sum(text_log_probs(table, history, t)) / len(t) ** alpha for t in done + live}
    ranked = sorted(score, key=lambda text: score[text], reverse=True)
    if any(score[a] - score[b] < 1e-9 for a, b in itertools.pairwise(ranked)):
        return None
    return [(list(text), score[text]) for text in ranked[:width]]


@ship
def counting(kind):
    """A model without a table: the longer the history, the likelier the end. Token 3 is rare."""

    class Counting(kind):
        def __init__(self):
            pass

        def log_probs(self, history):
            n = len(history)
            return np.array([-np.inf, *np.log([n / (n + 2), 2 / (n + 2), 1e-12 / (n + 2)])])

    return Counting()


@ship
def scored_by_counting(token_log_probs, kind, history, text):
    """The log-probabilities of a text's tokens, by a model without a table."""
    return [float(each) for each in token_log_probs(counting(kind), history, text)]


@ship
def searched_by_counting(beam_search, kind, history, width, most):
    """What a beam search finds with a model without a table."""
    found = beam_search(counting(kind), history, width, most)
    return [([int(w) for w in text], float(score)) for text, score in found]
