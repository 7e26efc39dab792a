"""What language models share: words and tokens, measures, choices. Leaves out: how to train one.

Signs and equations, such as (1.4), are those of chapter 1. w: a token, h: its history, all tokens
before it. V: tokens in the vocabulary, N: predictions, B: texts in a batch, T: tokens in each.
Logarithms are natural (nats). Arguments that make no sense: ValueError.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np
from jaxtyping import Float, Int

from nextword.corpora.bytepairs import chunks, merge, token_bytes
from nextword.corpora.checks import require, require_distribution, require_ids
from nextword.corpora.toy import TableModel

SPECIAL = ["<s>", "</s>", "<unk>"]  # the first words of every vocabulary
BOS, EOS, UNK = range(3)  # and their ids: begin of text, end of text, unknown word

Row = Float[np.ndarray, " V"]
Grid = Int[np.ndarray, "B T"]
Counts = dict[str, dict[str, int]]
Scores = Mapping[str, float]
Merges = Sequence[tuple[int, int]]  # merge number i makes the token 256 + i


# ------------------------------------------------------------------ 1.1 Vocabulary
def build_vocabulary(sentences: Iterable[Sequence[str]], min_count: int = 1) -> list[str]:
    """List the special symbols, then the words seen at least min_count times. About 4 lines.

    The most frequent word goes first, equally frequent ones by alphabet. A word's place is its id.
    A special symbol that stands in a sentence is not listed a second time.
    >>> build_vocabulary([["b", "a", "b"], ["c", "a"]], min_count=2)
    ['<s>', '</s>', '<unk>', 'a', 'b']
    """
    sentences = list(sentences)
    require("min_count", min_count, min_count >= 1, "at least 1")
    require("sentences", sentences, any(map(len, sentences)), "sentences with words in them")
    raise NotImplementedError("1.1 build_vocabulary: see section 1.1")


def to_ids(words: Iterable[str], vocabulary: Sequence[str]) -> list[int]:
    """Return each word's place in the vocabulary, and UNK for any other word. About 2 lines."""
    raise NotImplementedError("1.1 to_ids: see section 1.1")


def to_words(ids: Iterable[int], vocabulary: Sequence[str]) -> list[str]:
    """Return the words with these ids: the way back from `to_ids`. About 1 line."""
    ids = require_ids("ids", ids, len(vocabulary))
    raise NotImplementedError("1.1 to_words: see section 1.1")


# ------------------------------------------------------------------ 1.2 Inputs and targets
def inputs_and_targets(ids: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return what a model reads, from BOS on, and what it must predict, up to EOS (1.2). 1 line.

    >>> inputs_and_targets([7, 8])
    ([0, 7, 8], [7, 8, 1])
    """
    raise NotImplementedError("1.2 inputs_and_targets: see section 1.2, equation 1.2")


def batch(ids: Int[np.ndarray, " N"], starts: Int[np.ndarray, " B"], T: int) -> tuple[Grid, Grid]:
    """Cut windows out of one long text: x[b, t] = ids[starts[b] + t], and y one place later.

    x are inputs, y targets: y[b, t] = ids[starts[b] + t + 1]. About 2 lines, without a loop.
    >>> [part.tolist() for part in batch(np.array([5, 6, 7, 8, 9]), np.array([2, 0]), 2)]
    [[[7, 8], [5, 6]], [[8, 9], [6, 7]]]
    """
    require("T", T, 1 <= T < len(ids), f"at least 1 and below {len(ids)}, the length of the text")
    fits = len(starts) and min(starts) >= 0 and max(starts) + T < len(ids)
    require("starts", starts, fits, f"places from 0 to {len(ids) - T - 1}")
    raise NotImplementedError("1.2 batch: see section 1.2, equation 1.2")


# ------------------------------------------------------------------ 1.3 Stable log-softmax
def log_softmax(logits: Float[np.ndarray, "*any V"]) -> Float[np.ndarray, "*any V"]:
    """Turn scores z into log-probabilities, z - ln(sum of exp(z)), over the last axis (1.3).

    Exact for scores of any size; a score of -inf has probability 0. About 2 lines.
    >>> log_softmax(np.array([1000.0, 1000.0, -np.inf])).round(4).tolist()
    [-0.6931, -0.6931, -inf]
    """
    sound = logits.size and np.all(np.isfinite(logits.max(axis=-1)))
    require("logits", logits, sound, "rows with a finite largest number")
    raise NotImplementedError("1.3 log_softmax: see section 1.3, equation 1.3")


# ------------------------------------------------------------------ 1.4 The chain rule
def token_log_probs(model: TableModel, history: Sequence[int], text: Sequence[int]) -> list[float]:
    """Return ln P(w | h) of each token w of a text that follows a history. About 3 lines.

    h is the history and after it the text before w; `model.log_probs(h)` is the row of all ln P.
    By the chain rule (1.4), the sum of the list is ln P(text | history).
    >>> token_log_probs(TableModel({(): [0, 0.5, 0.5], (2,): [0, 0.25, 0.75]}), [BOS], [2, 1])
    [-0.6931471805599453, -1.3862943611198906]
    """
    raise NotImplementedError("1.4 token_log_probs: see section 1.4, equation 1.4")


# ------------------------------------------------------------------ 1.5 Measures
def cross_entropy(log_probs: Float[np.ndarray, "N V"], targets: Int[np.ndarray, " N"]) -> float:
    """Return the mean of -log_probs[i, targets[i]], in nats (1.5). About 1 line, without a loop.

    >>> round(cross_entropy(np.log([[0.5, 0.5], [0.125, 0.875]]), np.array([0, 0])), 4)  # 2 ln 2
    1.3863
    """
    N, V = log_probs.shape
    require("targets", targets, len(require_ids("targets", targets, V)) == N > 0, f"{N} ids")
    raise NotImplementedError("1.5 cross_entropy: see section 1.5, equations 1.5 to 1.7")


def perplexity(log_probs: Sequence[float]) -> float:
    """Return exp(-mean of the tokens' log-probabilities) (1.6); infinite if one is -inf. 1 line."""
    require("log_probs", log_probs, len(log_probs) > 0, "at least one number")
    raise NotImplementedError("1.5 perplexity: see section 1.5, equations 1.5 to 1.7")


def bits_per_byte(log_probs: Sequence[float], text: str) -> float:
    """Return the bits that the tokens of a text cost, per byte of its UTF-8 (1.7). About 2 lines.

    >>> round(bits_per_byte([-math.log(16)] * 2, "née"), 4)  # two tokens of 4 bits, four bytes
    2.0
    """
    require("text", text, text, "at least one character")
    raise NotImplementedError("1.5 bits_per_byte: see section 1.5, equations 1.5 to 1.7")


# ------------------------------------------------------------------ 1.6 Entropy and KL divergence
def entropy(p: Row) -> float:
    """Return H(p), the mean of -ln p(w) over w ~ p, where 0 ln 0 = 0 (1.8). About 2 lines."""
    require_distribution("p", p)
    raise NotImplementedError("1.6 entropy: see section 1.6, equations 1.8 to 1.10")


def kl_divergence(p: Row, q: Row) -> float:
    """Return KL(p || q), the mean of ln(p(w) / q(w)) over w ~ p: what q loses (1.9). 4 lines.

    Words with p = 0 add nothing. A word with p > 0 and q = 0 makes it infinite.
    >>> round(kl_divergence(np.array([0.5, 0.5]), np.array([0.25, 0.75])), 4)
    0.1438
    """
    require_distribution("p", p)
    require_distribution("q", q)
    require("q", q, len(p) == len(q), f"as long as p: {len(p)} numbers")
    raise NotImplementedError("1.6 kl_divergence: see section 1.6, equations 1.8 to 1.10")


# ------------------------------------------------------------------ 1.7 Which language is this?
def count_characters(texts: Iterable[str], n: int) -> Counts:
    """Return counts[u][c]: how often the character c followed the n - 1 characters u. 6 lines.

    Each text is counted by itself. Its first n - 1 characters are never predicted.
    >>> count_characters(["aba", "ab"], 2)
    {'a': {'b': 2}, 'b': {'a': 1}}
    """
    require("n", n, n >= 1, "at least 1")
    raise NotImplementedError("1.7 count_characters: see section 1.7, equations 1.11 and 1.12")


def character_log_prob(counts: Counts, text: str, n: int, V: int) -> float:
    """Return the sum of ln (#(uc) + 1) / (#(u•) + V) from the n-th character on (1.11). 3 lines.

    #(u•) is how often any character followed u. V is the number of different characters.
    >>> round(math.exp(character_log_prob({"a": {"b": 2}}, "ab", n=2, V=3)), 4)  # (2 + 1) / (2 + 3)
    0.6
    """
    require("n and V", (n, V), min(n, V) >= 1, "at least 1")
    raise NotImplementedError("1.7 character_log_prob: see section 1.7, equations 1.11 and 1.12")


def posterior(log_likelihoods: Scores, priors: Scores) -> Scores:
    """Return P(class | text) from ln P(text | class) and P(class) by Bayes' rule (1.12). 4 lines.

    A page has a likelihood near exp(-5000), which no float can hold: mind the exp. Priors are > 0.
    >>> posterior({"en": -5000.0, "fr": -5000.0}, {"en": 0.5, "fr": 0.5})
    {'en': 0.5, 'fr': 0.5}
    """
    require("priors", priors, priors.keys() == log_likelihoods.keys(), "one for each class")
    require_distribution("priors", np.array([*priors.values()]))
    raise NotImplementedError("1.7 posterior: see section 1.7, equations 1.11 and 1.12")


# ------------------------------------------------------------------ 1.8 Plausibility
def rerank(candidates: Mapping[str, tuple[float, float]], weight: float = 1.0) -> list[str]:
    """Sort candidates by ln P(text) + weight * ln P(signal | text), best first (1.13). 2 lines.

    candidates[text] = (ln P(text), ln P(signal | text)). Equal scores keep their order.
    >>> rerank({"wreck a nice beach": (-30.0, -1.0), "recognise speech": (-20.0, -2.0)})
    ['recognise speech', 'wreck a nice beach']
    """
    require("weight", weight, weight >= 0, "at least 0")
    raise NotImplementedError("1.8 rerank: see section 1.8, equation 1.13")


# ------------------------------------------------------------------ 1.9 Training a tokenizer
def train_bpe(text: str, n_merges: int) -> list[tuple[int, int]]:
    """List merges; each joins the pair of neighbours that is then most frequent (1.14). 20 lines.

    Tokens 0 to 255 are the bytes of UTF-8. Pairs are counted at every place inside each chunk; of
    equally frequent ones the smaller goes first, (97, 98) before (97, 99). Ends when none occurs
    twice. Count equal chunks once, update changed ones only: 300 merges of 400 kB take seconds.
    >>> train_bpe("low lower lowest", 3)
    [(108, 111), (256, 119), (32, 257)]
    """
    require("n_merges", n_merges, n_merges >= 0, "at least 0")
    require("text", text, text, "at least one character")
    raise NotImplementedError("1.9 train_bpe: see section 1.9, equation 1.14")


# ------------------------------------------------------------------ 1.10 Encoding and decoding
def encode(text: str, merges: Merges) -> list[int]:
    """Turn text into tokens: in each chunk, do the oldest merge that applies, and repeat. 8 lines.

    >>> encode("slow lower", [(108, 111), (256, 119), (32, 257)])
    [115, 257, 258, 101, 114]
    """
    raise NotImplementedError("1.10 encode: see section 1.10, equation 1.15")


def decode(ids: Iterable[int], merges: Merges) -> str:
    """Turn tokens back into text. Bytes that are not UTF-8 become the sign U+FFFD. About 1 line.

    >>> decode([115, 257, 258, 101, 114], [(108, 111), (256, 119), (32, 257)])
    'slow lower'
    """
    tokens = token_bytes(merges)  # tokens[i] are the bytes of token i
    ids = require_ids("ids", ids, len(tokens))
    raise NotImplementedError("1.10 decode: see section 1.10, equation 1.15")


# ------------------------------------------------------------------ 1.11 Sampling
def with_temperature(logits: Row, temperature: float) -> Row:
    """Return the softmax of logits / temperature (1.16). About 3 lines.

    Temperature 0 is the limit: the largest logits share everything evenly, the others get 0.
    >>> with_temperature(np.log([0.1, 0.3, 0.6]), 0.5).round(4).tolist()  # squares, sum 1
    [0.0217, 0.1957, 0.7826]
    """
    require("temperature", temperature, temperature >= 0, "at least 0")
    raise NotImplementedError("1.11 with_temperature: see section 1.11, equations 1.16 and 1.17")


def top_k(probs: Row, k: int) -> Row:
    """Keep the k most likely tokens, of equals the smaller id, and let them sum to 1. 4 lines."""
    require_distribution("probs", probs)
    require("k", k, 1 <= k <= len(probs), f"from 1 to {len(probs)}, the size of the vocabulary")
    raise NotImplementedError("1.11 top_k: see section 1.11, equations 1.16 and 1.17")


def top_p(probs: Row, p: float) -> Row:
    """Keep the fewest most likely tokens that hold p or more; let them sum to 1 (1.17). 6 lines.

    Of equally likely tokens, the smaller id goes first. The token that reaches p is kept, too.
    >>> top_p(np.array([0.25, 0.5, 0.125, 0.125]), 0.6).round(4).tolist()
    [0.3333, 0.6667, 0.0, 0.0]
    """
    require_distribution("probs", probs)
    require("p", p, 0 < p <= 1, "above 0 and at most 1")
    raise NotImplementedError("1.11 top_p: see section 1.11, equations 1.16 and 1.17")


def sample(probs: Row, rng: np.random.Generator) -> int:
    """Draw a token with these probabilities. Only `rng` decides. About 1 line."""
    require_distribution("probs", probs)
    raise NotImplementedError("1.11 sample: see section 1.11, equations 1.16 and 1.17")


# ------------------------------------------------------------------ 1.12 Beam search
def beam_search(
    model: TableModel, history: Sequence[int], width: int, max_tokens: int, alpha: float = 0.0
) -> list[tuple[list[int], float]]:
    """Return up to `width` continuations and their scores, the best first. About 14 lines.

    Begin with one empty text. At most max_tokens times, extend each open text by every possible
    token (P > 0), and keep the `width` most likely results. Those that end in EOS are finished and
    set aside; the others are open in the next step, and finished after the last. The score is
    ln P(text | history) / (number of tokens, EOS included)**alpha (1.18).
    >>> beam_search(TableModel({(): [0, 0.4, 0.6], (2,): [0, 0.9, 0.1]}), [BOS], 1, 2)[0][0]
    [2, 1]
    """
    require("width", width, width >= 1, "at least 1")
    require("max_tokens", max_tokens, max_tokens >= 1, "at least 1")
    raise NotImplementedError("1.12 beam_search: see section 1.12, equation 1.18")
