"""Plain Python: lists and loops, nothing of numpy but what is handed in."""

import math
import re

import numpy as np

from nextword.given.checks import require, require_distribution

SPECIAL = ["<s>", "</s>", "<unk>"]
BOS, EOS, UNK = 0, 1, 2


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


def build_vocabulary(sentences, min_count=1):
    seen = {}
    for sentence in sentences:
        for word in sentence:
            seen[word] = seen.get(word, 0) + 1
    words = sorted(word for word in seen if word not in SPECIAL)
    words.sort(key=lambda word: seen[word], reverse=True)
    return SPECIAL + [word for word in words if seen[word] >= min_count]


def to_ids(words, vocabulary):
    found = []
    for word in words:
        found.append(vocabulary.index(word) if word in vocabulary else UNK)
    return found


def to_words(ids, vocabulary):
    return list(map(vocabulary.__getitem__, ids))


def inputs_and_targets(ids):
    whole = [BOS] + list(ids) + [EOS]
    return whole[:-1], whole[1:]


def batch(ids, starts, T):
    ids = ids.tolist()
    x = [ids[s : s + T] for s in starts.tolist()]
    y = [ids[s + 1 : s + 1 + T] for s in starts.tolist()]
    return x, y


def log_softmax(logits):
    if logits.ndim > 1:
        return [log_softmax(row) for row in logits]
    row = [float(z) for z in logits]
    top = max(row)
    total = math.fsum(math.exp(z - top) for z in row)
    return [z - top - math.log(total) for z in row]


def token_log_probs(model, history, text):
    h, found = list(history), []
    for token in text:
        found.append(model.log_probs(h)[token])
        h = h + [token]
    return found


def cross_entropy(log_probs, targets):
    surprises = [-row[w] for row, w in zip(log_probs.tolist(), targets.tolist())]
    return sum(surprises) / len(surprises)


def perplexity(log_probs):
    product = 0.0
    for value in log_probs:
        if value == -math.inf:
            return math.inf
        product += value
    return 1 / math.exp(product / len(log_probs))


def bits_per_byte(log_probs, text):
    return sum(-value * math.log2(math.e) for value in log_probs) / len(bytes(text, "utf-8"))


def entropy(p):
    return sum(x * math.log(1 / x) for x in p.tolist() if x)


def kl_divergence(p, q):
    total = 0.0
    for a, b in zip(p.tolist(), q.tolist()):
        if a and not b:
            return math.inf
        if a:
            total += a * (math.log(a) - math.log(b))
    return total


def count_characters(texts, n):
    rows = {}
    for text in texts:
        for start in range(len(text) - n + 1):
            piece = text[start : start + n]
            rows.setdefault(piece[:-1], {}).setdefault(piece[-1], 0)
            rows[piece[:-1]][piece[-1]] += 1
    return rows


def character_log_prob(counts, text, n, V):
    total = 0
    for start in range(len(text) - n + 1):
        row = counts.get(text[start : start + n - 1], {})
        total += math.log(row.get(text[start + n - 1], 0) + 1) - math.log(sum(row.values()) + V)
    return total


def posterior(log_likelihoods, priors):
    shares = {}
    for c, log_c in log_likelihoods.items():
        # one over the sum of all ratios, where a ratio may be infinite
        ratio = 0.0
        for d, log_d in log_likelihoods.items():
            gap = log_d + math.log(priors[d]) - log_c - math.log(priors[c])
            ratio += math.exp(gap) if gap < 700 else math.inf
        shares[c] = 1 / ratio
    return shares


def rerank(candidates, weight=1.0):
    def score(text):
        return candidates[text][0] + weight * candidates[text][1]

    return sorted(candidates, key=score, reverse=True)  # reverse keeps the order of equals


def chunks(text):
    return re.findall(r" ?\w+| ?[^\w\s]+|\s+(?!\S)|\s+", text)


def joined(ids, pair, new):
    found, skip = [], False
    for i, token in enumerate(ids):
        if skip:
            skip = False
        elif tuple(ids[i : i + 2]) == tuple(pair):
            found.append(new)
            skip = True
        else:
            found.append(token)
    return found


def train_bpe(text, n_merges):
    words = {}
    for chunk in chunks(text):
        key = tuple(chunk.encode())
        words[key] = words.get(key, 0) + 1
    merges = []
    for k in range(n_merges):
        counts = {}
        for word, weight in words.items():
            for pair in zip(word, word[1:]):
                counts[pair] = counts.get(pair, 0) + weight
        if not counts or max(counts.values()) < 2:
            return merges
        best = min(counts, key=lambda pair: (-counts[pair], pair))
        changed = {}
        for word, weight in words.items():
            new = tuple(joined(word, best, 256 + k)) if best[0] in word else word
            changed[new] = changed.get(new, 0) + weight
        words = changed
        merges.append(best)
    return merges


def encode(text, merges):
    tokens = []
    for chunk in chunks(text):
        ids = list(chunk.encode())
        for k, pair in enumerate(merges):
            ids = joined(ids, pair, 256 + k)
        tokens.extend(ids)
    return tokens


def decode(ids, merges):
    def spelled(i):
        if i < 256:
            return bytes([i])
        left, right = merges[i - 256]
        return spelled(left) + spelled(right)

    return b"".join(map(spelled, ids)).decode("utf-8", "replace")


def with_temperature(logits, temperature):
    row = logits.tolist()
    top = max(row)
    if temperature == 0:
        weights = [1 if z == top else 0 for z in row]
    else:
        weights = [math.exp((z - top) / temperature) for z in row]
    return [weight / sum(weights) for weight in weights]


def top_k(probs, k):
    order = sorted(range(len(probs)), key=lambda w: (-probs[w], w))[:k]
    total = sum(probs[w] for w in order)
    return [probs[w] / total if w in order else 0.0 for w in range(len(probs))]


def top_p(probs, p):
    kept, held = [], 0.0
    for w in sorted(range(len(probs)), key=lambda w: (-probs[w], w)):
        if held >= p:
            break
        kept.append(w)
        held += probs[w]
    return [probs[w] / held if w in kept else 0.0 for w in range(len(probs))]


def sample(probs, rng):
    left = rng.random() * sum(probs)
    for w, p in enumerate(probs):
        if p and left < p:
            return w
        left -= p
    return max(w for w, p in enumerate(probs) if p)


def beam_search(model, history, width, max_tokens, alpha=0.0):
    live, done = {(): 0.0}, {}
    for _ in range(max_tokens):
        grown = {}
        for text, total in live.items():
            row = model.log_probs([*history, *text])
            for w in range(len(row)):
                if row[w] != -math.inf:
                    grown[(*text, w)] = total + row[w]
        best = sorted(grown, key=grown.get, reverse=True)[:width]
        done.update({text: grown[text] for text in best if text[-1] == EOS})
        live = {text: grown[text] for text in best if text[-1] != EOS}
    done.update(live)
    ranked = sorted(done, key=lambda text: done[text] / len(text) ** alpha, reverse=True)
    return [(list(text), done[text] / len(text) ** alpha) for text in ranked[:width]]
