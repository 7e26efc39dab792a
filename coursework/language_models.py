"""What all language models share: tokens, evaluation, sampling and search. Leaves out: training.

(eq. 1.4) is an equation of chapter 1, and 1.4 alone is a section and its task. "Given" marks what
is complete. The letters are those of the chapter:

    w   a token, as its id                  V   the number of tokens in the vocabulary
    h   its history: all tokens before it   N   the number of predictions
    u   the last part of the history        B   the number of windows in a batch
    t   a position in a text, from 0 on     T   the number of tokens in a window
    z   the scores (logits) of all tokens   L   the number of tokens in one long text

Float[np.ndarray, "B T"] is an array of floats with the axes B and T. "*batch V" means any number
of axes, then V. Where a signature says float or int, return Python's own type: wrap a numpy number
in float(...) or int(...). Logarithms are natural, so results are in nats unless they say bits. The
given lines of a function raise a ValueError for arguments that make no sense: you need not check.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np
from jaxtyping import Float, Int

from nextword.given.checks import require, require_distribution, require_ids

SPECIAL = ["<s>", "</s>", "<unk>"]  # the first words of every vocabulary
BOS = 0  # the id of <s>: beginning of a text
EOS = 1  # the id of </s>: end of a text
UNK = 2  # the id of <unk>: any word that is not in the vocabulary


# ------------------------------------------------------------------ 1.1 Vocabulary
def build_vocabulary(sentences: Iterable[Sequence[str]], min_count: int = 1) -> list[str]:
    """List the special symbols, then the words that occur at least min_count times.

    The most frequent word is first, and equally frequent words are in alphabetical order. A word's
    place in the list is its id. No special symbol is listed twice, even if it occurs in a sentence.
    About 3 lines.

    Args:
        sentences: each is a list of words, or a string, whose words are its characters.
        min_count: how often a word must be seen to be listed.

    Raises:
        ValueError: if the sentences contain no words, or min_count is below 1.

    Example:
        >>> build_vocabulary([["b", "b", "d", "a"], ["c", "b", "a", "c"]], min_count=2)
        ['<s>', '</s>', '<unk>', 'b', 'a', 'c']
    """
    sentences = list(sentences)
    require("min_count", min_count, min_count >= 1, "at least 1")
    require("sentences", sentences, any(map(len, sentences)), "sentences with words in them")
    raise NotImplementedError("1.1 build_vocabulary: see section 1.1")


def to_ids(words: Iterable[str], vocabulary: Sequence[str]) -> list[int]:
    """Return the id of each word: its place in the vocabulary, or UNK if it is not there.

    The words may come from a generator, which has no length. About 2 lines.

    Example:
        >>> to_ids(["a", "zebra", "</s>"], ["<s>", "</s>", "<unk>", "a"])
        [3, 2, 1]
    """
    raise NotImplementedError("1.1 to_ids: see section 1.1")


def to_words(ids: Iterable[int], vocabulary: Sequence[str]) -> list[str]:
    """Return the words with these ids: the inverse of `to_ids`, but unknown words stay <unk>.

    About 1 line.

    Raises:
        ValueError: if an id is not from 0 to V - 1.

    Example:
        >>> to_words([3, 2, 1], ["<s>", "</s>", "<unk>", "a"])
        ['a', '<unk>', '</s>']
    """
    ids = require_ids("ids", ids, len(vocabulary))
    raise NotImplementedError("1.1 to_words: see section 1.1")


# ------------------------------------------------------------------ 1.2 Inputs and targets
def inputs_and_targets(ids: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return what a model reads, and what it must predict, for one text (eq. 1.2).

    The inputs are BOS followed by the text, and the targets are the text followed by EOS. So each
    target is the next input, and the end is predicted, too. Both are new lists. About 1 line.

    Example:
        >>> inputs_and_targets([7, 8])
        ([0, 7, 8], [7, 8, 1])
    """
    raise NotImplementedError("1.2 inputs_and_targets: see section 1.2, equation 1.2")


def batch(
    ids: Int[np.ndarray, "L"], starts: Int[np.ndarray, "B"], T: int
) -> tuple[Int[np.ndarray, "B T"], Int[np.ndarray, "B T"]]:
    """Cut B windows of T tokens out of one long text; return inputs x and targets y.

        x[b, t] = ids[starts[b] + t]
        y[b, t] = ids[starts[b] + t + 1]

    So each target is the token one position later. About 2 lines, without a loop:
    `starts[:, None] + np.arange(T)` is a (B, T) array with the positions of all inputs.

    Args:
        ids: the whole text, L tokens.
        starts: where each window begins.
        T: the length of a window.

    Raises:
        ValueError: if there is no window, or a window or its targets would leave the text.

    Example:
        >>> x, y = batch(np.array([5, 6, 7, 8, 9]), starts=np.array([2, 0]), T=2)
        >>> x.tolist(), y.tolist()
        ([[7, 8], [5, 6]], [[8, 9], [6, 7]])
    """
    require("T", T, 1 <= T < len(ids), f"at least 1 and below {len(ids)}, the length of the text")
    fits = len(starts) > 0 and min(starts) >= 0 and max(starts) + T < len(ids)
    require("starts", starts, fits, f"places from 0 to {len(ids) - T - 1}")
    raise NotImplementedError("1.2 batch: see section 1.2, equation 1.2")


# ------------------------------------------------------------------ 1.3 Stable log-softmax
def log_softmax(logits: Float[np.ndarray, "*batch V"]) -> Float[np.ndarray, "*batch V"]:
    """Turn scores z into log-probabilities, row by row over the last axis (eq. 1.3).

        ln P(w) = z[w] - ln(sum of exp(z[v]) over all v)

    Nothing may overflow, however large the scores are. A score of -inf means probability 0, so its
    log-probability is -inf. About 3 lines.

    Raises:
        ValueError: if the largest score of a row is not a finite number.

    Example:
        >>> log_softmax(np.array([1000.0, 1000.0, -np.inf])).round(4).tolist()
        [-0.6931, -0.6931, -inf]
    """
    sound = logits.size > 0 and np.all(np.isfinite(logits.max(axis=-1)))
    require("logits", logits, sound, "rows with a finite largest number")
    raise NotImplementedError("1.3 log_softmax: see section 1.3, equation 1.3")


# ------------------------------------------------------------------ 1.4 The chain rule
class TableModel:
    """A small language model that looks P(w | h) up in a table (given).

    rows[u] holds P(w | u) for all w, where the tuple u is the last part of a history. The model
    uses the longest last part that has a row. The empty tuple must have a row, for histories that
    find no other.

    Wherever a `TableModel` is asked for, any object with the same method `log_probs` will do.

    Example:
        >>> model = TableModel({(): [0.5, 0.5], (1,): [0.25, 0.75]})
        >>> np.exp(model.log_probs([0, 0, 1])).round(4).tolist()  # the row after 1
        [0.25, 0.75]
    """

    def __init__(self, rows: Mapping[tuple[int, ...], Sequence[float]]) -> None:
        self.rows = {tuple(u): np.asarray(row, float) for u, row in rows.items()}  # each: (V,)
        require("rows", sorted(self.rows), () in self.rows, "with a row for the empty tuple")
        V = len(self.rows[()])
        for u, row in self.rows.items():
            require_distribution(f"the row after {u}", row)
            require(f"the row after {u}", row, len(row) == V, f"{V} numbers, as after ()")

    def log_probs(self, history: Sequence[int]) -> Float[np.ndarray, "V"]:
        """Return ln P(w | h) for all w, with -inf where P is 0."""
        u = tuple(history)
        while u not in self.rows:
            u = u[1:]  # forget the oldest token
        with np.errstate(divide="ignore"):  # ln 0 = -inf is meant
            return np.log(self.rows[u])


def token_log_probs(model: TableModel, history: Sequence[int], text: Sequence[int]) -> list[float]:
    """Score each token w of a text that follows a history: return the list of ln P(w | h).

    Here h is the history, followed by the part of the text before w. By the chain rule (eq. 1.4),
    the sum of the list is ln P(text | history). A token with P = 0 has -inf. About 5 lines.

    Args:
        model: a `TableModel`, or anything else with its method `log_probs`.
        history: what is given before the text, usually [BOS]. It is not scored.
        text: the ids to score. For an empty text, the list is empty.

    Example:
        >>> model = TableModel({(): [0, 0.5, 0.5], (2,): [0, 0.25, 0.75]})
        >>> token_log_probs(model, [BOS], [2, 1])  # ln 1/2, then ln 1/4
        [-0.6931471805599453, -1.3862943611198906]
    """
    raise NotImplementedError("1.4 token_log_probs: see section 1.4, equation 1.4")


# ------------------------------------------------------------------ 1.5 Measures
def cross_entropy(log_probs: Float[np.ndarray, "N V"], targets: Int[np.ndarray, "N"]) -> float:
    """Return the mean surprise at the tokens that really followed, in nats (eq. 1.5).

        H = -(1/N) sum of log_probs[i, targets[i]] over i

    H is infinite if one of these log-probabilities is -inf. About 1 line, without a loop.

    Args:
        log_probs: row i holds ln P of every token at prediction i.
        targets: targets[i] is the id of the token that really followed.

    Raises:
        ValueError: if there is no prediction, or not one target for each, or a target is not an id.

    Example:
        >>> log_probs = np.log([[0.5, 0.5], [0.125, 0.875]])
        >>> round(cross_entropy(log_probs, np.array([0, 0])), 4)  # (ln 2 + ln 8) / 2 = 2 ln 2
        1.3863
    """
    N, V = log_probs.shape
    require_ids("targets", targets, V)
    require("targets", targets, len(targets) == N > 0, f"{N} ids")
    raise NotImplementedError("1.5 cross_entropy: see section 1.5, equations 1.5 to 1.7")


def perplexity(log_probs: Sequence[float]) -> float:
    """Return the perplexity of a text: exp(-mean of its tokens' log-probabilities) (eq. 1.6).

    If one log-probability is -inf, return math.inf. About 1 line.

    Args:
        log_probs: ln P of each token of a text, as `token_log_probs` returns them.

    Raises:
        ValueError: if the list is empty.

    Example:
        >>> round(perplexity([math.log(1 / 6)] * 10), 4)  # ten rolls of a die
        6.0
    """
    require("log_probs", log_probs, len(log_probs) > 0, "at least one number")
    raise NotImplementedError("1.5 perplexity: see section 1.5, equations 1.5 to 1.7")


def bits_per_byte(log_probs: Sequence[float], text: str) -> float:
    """Return how many bits a text costs the model, per byte of its UTF-8 encoding (eq. 1.7).

    A nat is 1 / ln 2 bits. A character may take several bytes. About 2 lines.

    Args:
        log_probs: ln P of each token of the text, however it was cut into tokens.
        text: the text itself.

    Raises:
        ValueError: if the text is empty.

    Example:
        >>> round(bits_per_byte([-math.log(16)] * 2, "née"), 4)  # two tokens of 4 bits, four bytes
        2.0
    """
    require("text", text, text, "at least one character")
    raise NotImplementedError("1.5 bits_per_byte: see section 1.5, equations 1.5 to 1.7")


# ------------------------------------------------------------------ 1.6 Entropy and KL divergence
def entropy(p: Float[np.ndarray, "V"]) -> float:
    """Return the mean surprise, in nats, of a model that knows the true distribution p (eq. 1.8).

        H(p) = -sum of p(w) ln p(w) over all w, where 0 ln 0 = 0

    About 2 lines.

    Raises:
        ValueError: if p is not a distribution.

    Example:
        >>> round(entropy(np.array([0.5, 0.0, 0.5])), 4)  # a coin: ln 2
        0.6931
    """
    require_distribution("p", p)
    raise NotImplementedError("1.6 entropy: see section 1.6, equations 1.8 to 1.10")


def kl_divergence(p: Float[np.ndarray, "V"], q: Float[np.ndarray, "V"]) -> float:
    """Return the nats per word that a model q pays beyond the entropy of the true p (eq. 1.9).

        KL(p || q) = sum of p(w) ln(p(w) / q(w)) over all w

    Words with p(w) = 0 add nothing, whatever q(w) is. If a word has p(w) > 0 and q(w) = 0, the
    result is math.inf. About 5 lines.

    Raises:
        ValueError: if p or q is not a distribution, or their lengths differ.

    Example:
        >>> round(kl_divergence(np.array([0.5, 0.5]), np.array([0.25, 0.75])), 4)
        0.1438
        >>> kl_divergence(np.array([0.5, 0.5]), np.array([1.0, 0.0]))
        inf
    """
    require_distribution("p", p)
    require_distribution("q", q)
    require("q", q, len(p) == len(q), f"as long as p: {len(p)} numbers")
    raise NotImplementedError("1.6 kl_divergence: see section 1.6, equations 1.8 to 1.10")


# ------------------------------------------------------------------ 1.7 Which language is this?
Counts = dict[str, dict[str, int]]  # counts[u][c]: how often the character c followed u


def count_characters(texts: Iterable[str], n: int) -> Counts:
    """Return counts[u][c]: how often the character c followed the n - 1 characters u.

    Each text is counted by itself. Its first n - 1 characters have no full context, so they are
    not counted as c. For n = 1, u is the empty string. The table consists of plain dicts and holds
    only what was seen. About 8 lines.

    Raises:
        ValueError: if n is below 1.

    Example:
        >>> count_characters(["aba", "ab"], n=2)
        {'a': {'b': 2}, 'b': {'a': 1}}
    """
    require("n", n, n >= 1, "at least 1")
    raise NotImplementedError("1.7 count_characters: see section 1.7, equations 1.11 and 1.12")


def character_log_prob(counts: Counts, text: str, n: int, V: int) -> float:
    """Return the log-probability of a text, with 1 added to every count (eq. 1.11).

        ln P(text) = sum of ln( (#(uc) + 1) / (#(u•) + V) ) over the characters c

    c runs from the n-th character of the text to its last, and u is the n - 1 characters before c.
    #(uc) is how often c followed u in `counts`, and #(u•) how often any character did. Both are 0
    for what was never seen. A text of fewer than n characters has the sum 0. About 7 lines.

    Args:
        counts: as `count_characters` returns them for the same n.
        V: the number of different characters that there are, seen or not.

    Raises:
        ValueError: if n or V is below 1.

    Example:
        >>> log_prob = character_log_prob({"a": {"b": 2}}, "ab", n=2, V=3)
        >>> round(math.exp(log_prob), 4)  # (2 + 1) / (2 + 3)
        0.6
    """
    require("n and V", (n, V), min(n, V) >= 1, "at least 1")
    raise NotImplementedError("1.7 character_log_prob: see section 1.7, equations 1.11 and 1.12")


def posterior(
    log_likelihoods: Mapping[str, float], priors: Mapping[str, float]
) -> dict[str, float]:
    """Return P(class | text) for each class, by Bayes' rule (eq. 1.12).

        P(class | text) = P(class) P(text | class) / (sum of the same product over all classes)

    The likelihood of a page may be near exp(-5000), which is too small for a float. So work with
    the logarithm of each product, and subtract the largest before exp. About 5 lines.

    Args:
        log_likelihoods: ln P(text | class) by class.
        priors: P(class) by class, all above 0. The classes may be in another order.

    Raises:
        ValueError: if the classes are not the same, or the priors are not a distribution.

    Example:
        >>> found = posterior({"en": -5000.0, "fr": -5000.0}, {"en": 0.75, "fr": 0.25})
        >>> {language: round(p, 4) for language, p in sorted(found.items())}
        {'en': 0.75, 'fr': 0.25}
    """
    require("priors", priors, priors.keys() == log_likelihoods.keys(), "one for each class")
    require_distribution("priors", np.array([*priors.values()]))
    raise NotImplementedError("1.7 posterior: see section 1.7, equations 1.11 and 1.12")


# ------------------------------------------------------------------ 1.8 Plausibility
def rerank(candidates: Mapping[str, tuple[float, float]], weight: float = 1.0) -> list[str]:
    """Sort texts by how plausible they are and how well they explain a signal (eq. 1.13).

        score = ln P(text) + weight * ln P(signal | text)

    The text with the highest score is first. Texts with equal scores keep the order in which they
    were given. About 2 lines.

    Args:
        candidates: candidates[text] = (ln P(text), ln P(signal | text)).
        weight: lambda in the chapter, how much the channel counts beside the language model.

    Raises:
        ValueError: if the weight is below 0.

    Example:
        >>> rerank({"wreck a nice beach": (-30.0, -1.0), "recognise speech": (-20.0, -2.0)})
        ['recognise speech', 'wreck a nice beach']
    """
    require("weight", weight, weight >= 0, "at least 0")
    raise NotImplementedError("1.8 rerank: see section 1.8, equation 1.13")


# ------------------------------------------------------------------ 1.9 Training a tokenizer
Pair = tuple[int, int]  # two tokens that stand side by side
Merges = Sequence[Pair]  # merges[i] are the two older tokens that make the token 256 + i

# words and punctuation, each with at most one space before it, then the spaces that are left
CHUNK = re.compile(r" ?\w+| ?[^\w\s]+|\s+(?!\S)|\s+")


def chunks(text: str) -> list[str]:
    """Cut a text into words, punctuation and spaces (given): no token reaches across a cut.

    A space belongs to the word that follows it. Joined, the chunks are the text again.

    Example:
        >>> chunks("Two words, and a  gap.")
        ['Two', ' words', ',', ' and', ' a', ' ', ' gap', '.']
    """
    return CHUNK.findall(text)


def merge(ids: Sequence[int], pair: Pair, new: int) -> list[int]:
    """Replace every `pair` by the token `new`, from left to right, in a new list (given).

    Example:
        >>> merge([1, 1, 1, 2, 1, 1], (1, 1), 9)
        [9, 1, 2, 9]
    """
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


def train_bpe(text: str, n_merges: int) -> list[Pair]:
    """Learn merges from a text: join its most frequent pair into one token, and repeat (eq. 1.14).

    Tokens 0 to 255 are the bytes of UTF-8. Begin with the bytes of each chunk. Then, n_merges
    times:

    1. Find the most frequent pair of neighbours inside the chunks. Of equally frequent pairs, the
       smaller is taken, (97, 98) before (97, 99). If no pair occurs twice, stop early.
    2. Merge this pair wherever it occurs. The first new token is 256, the next 257, and so on.

    Pairs are counted at every position, even where two overlap: "aaa" contains (a, a) twice.

    To be fast, keep each distinct chunk once, with its count, and after a merge update only the
    chunks that have changed. Then 300 merges on 400 kB take seconds. About 25 lines.

    Raises:
        ValueError: if the text is empty, or n_merges is below 0.

    Example:
        >>> train_bpe("low lower lowest", 3)  # l o, then lo w, then a space before low
        [(108, 111), (256, 119), (32, 257)]
    """
    require("n_merges", n_merges, n_merges >= 0, "at least 0")
    require("text", text, text, "at least one character")
    raise NotImplementedError("1.9 train_bpe: see section 1.9, equation 1.14")


# ------------------------------------------------------------------ 1.10 Encoding and decoding
def encode(text: str, merges: Merges) -> list[int]:
    """Turn text into tokens, by the merges that were learned.

    1. Cut the text into chunks. Each begins as the list of its UTF-8 bytes.
    2. Among the pairs of neighbours in a chunk, find the one with the oldest merge, that is, the
       one that was learned first. Merge this pair wherever it occurs in the chunk.
    3. Repeat step 2 until no pair in the chunk has a merge.

    An empty text has no tokens. About 10 lines.

    Example:
        >>> encode("slow lower", [(108, 111), (256, 119), (32, 257)])
        [115, 257, 258, 101, 114]
    """
    raise NotImplementedError("1.10 encode: see section 1.10, equation 1.15")


def token_bytes(merges: Merges) -> list[bytes]:
    """Given: return the bytes of every token, first the 256 single bytes (eq. 1.15).

    Raises:
        ValueError: if a merge joins a token that does not exist yet.

    Example:
        >>> token_bytes([(108, 111), (256, 119)])[256:]
        [b'lo', b'low']
    """
    tokens = [bytes([i]) for i in range(256)]
    for i, pair in enumerate(merges):
        known = len(pair) == 2 and all(0 <= part < len(tokens) for part in pair)
        require(f"merge {i}", pair, known, f"two tokens from 0 to {len(tokens) - 1}")
        left, right = pair
        tokens.append(tokens[left] + tokens[right])
    return tokens


def decode(ids: Iterable[int], merges: Merges) -> str:
    """Turn tokens back into text: the inverse of `encode`.

    One character may be spread over several tokens. Bytes that are not valid UTF-8 become U+FFFD,
    the replacement character. About 2 lines.

    Raises:
        ValueError: if an id is not a token of these merges.

    Example:
        >>> decode([115, 257, 258, 101, 114], [(108, 111), (256, 119), (32, 257)])
        'slow lower'
    """
    tokens = token_bytes(merges)  # tokens[i]: the bytes of token i
    ids = require_ids("ids", ids, len(tokens))
    raise NotImplementedError("1.10 decode: see section 1.10, equation 1.15")


# ------------------------------------------------------------------ 1.11 Sampling
def with_temperature(logits: Float[np.ndarray, "V"], temperature: float) -> Float[np.ndarray, "V"]:
    """Return the softmax of logits / temperature (eq. 1.16).

    Subtract the largest logit before you divide: then nothing overflows, however low the
    temperature. Temperature 0 means the limit: the tokens with the largest logit share the
    probability evenly, and the others get 0. About 5 lines.

    Raises:
        ValueError: if the temperature is below 0.

    Example:
        >>> with_temperature(np.log([0.1, 0.3, 0.6]), 0.5).round(4).tolist()  # 0.1² : 0.3² : 0.6²
        [0.0217, 0.1957, 0.7826]
    """
    require("temperature", temperature, temperature >= 0, "at least 0")
    raise NotImplementedError("1.11 with_temperature: see section 1.11, equations 1.16 and 1.17")


def top_k(probs: Float[np.ndarray, "V"], k: int) -> Float[np.ndarray, "V"]:
    """Keep the k most likely tokens, set all others to 0, and renormalise: the kept ones sum to 1.

    Of equally likely tokens, those with the smaller ids are kept. About 4 lines.

    Raises:
        ValueError: if probs is not a distribution, or k is not from 1 to V.

    Example:
        >>> top_k(np.array([0.25, 0.5, 0.25]), 2).round(4).tolist()
        [0.3333, 0.6667, 0.0]
    """
    require_distribution("probs", probs)
    require("k", k, 1 <= k <= len(probs), f"from 1 to {len(probs)}, the size of the vocabulary")
    raise NotImplementedError("1.11 top_k: see section 1.11, equations 1.16 and 1.17")


def top_p(probs: Float[np.ndarray, "V"], p: float) -> Float[np.ndarray, "V"]:
    """Keep the nucleus: the fewest tokens whose probabilities sum to p or more (eq. 1.17).

    Go from the most likely token to the least, and of equally likely ones take the smaller id
    first. Keep tokens until their sum reaches p, the one that reaches it included. Set all others
    to 0, and renormalise. If rounding keeps the sum of all below p, keep all. About 6 lines.

    Raises:
        ValueError: if probs is not a distribution, or p is not above 0 and at most 1.

    Example:
        >>> top_p(np.array([0.25, 0.5, 0.125, 0.125]), 0.6).round(4).tolist()
        [0.3333, 0.6667, 0.0, 0.0]
    """
    require_distribution("probs", probs)
    require("p", p, 0 < p <= 1, "above 0 and at most 1")
    raise NotImplementedError("1.11 top_p: see section 1.11, equations 1.16 and 1.17")


def sample(probs: Float[np.ndarray, "V"], rng: np.random.Generator) -> int:
    """Draw the id of a token with these probabilities, with `rng` as the only source of chance.

    Divide by the sum first: rng.choice is stricter about it than the check below. About 1 line.

    Raises:
        ValueError: if probs is not a distribution.

    Example:
        >>> sample(np.array([0.0, 1.0, 0.0]), np.random.default_rng(0))  # there is no choice
        1
    """
    require_distribution("probs", probs)
    raise NotImplementedError("1.11 sample: see section 1.11, equations 1.16 and 1.17")


# ------------------------------------------------------------------ 1.12 Beam search
def beam_search(
    model: TableModel, history: Sequence[int], width: int, max_tokens: int, alpha: float = 0.0
) -> list[tuple[list[int], float]]:
    """Search for likely continuations of a history; return (text, score) pairs, the best first.

    A text is open until it ends in EOS. Begin with one open text, the empty one. Then, max_tokens
    times:

    1. Extend each open text by every token that can follow it (P > 0).
    2. Of all the longer texts together, keep the `width` with the largest ln P(text | history).
    3. Set those that end in EOS aside, as finished. The others are open in the next round.

    After the last round, texts that are still open count as finished, too. Only now score each
    finished text (eq. 1.18), and return the `width` best, or all if there are fewer:

        score = ln P(text | history) / (number of its tokens, EOS included) ** alpha

    About 14 lines.

    Args:
        model: a `TableModel`, or anything else with its method `log_probs`.
        history: what is given before the text, usually [BOS]. It is not returned.
        width: how many texts are kept in each round.
        max_tokens: how many tokens a text may have.
        alpha: with 0, a text's score is the sum of its log-probabilities, with 1 their mean.

    Raises:
        ValueError: if width or max_tokens is below 1.

    Example:
        >>> model = TableModel({(): [0, 0.4, 0.6], (2,): [0, 0.9, 0.1]})
        >>> [(text, score)] = beam_search(model, [BOS], width=1, max_tokens=2)
        >>> text, round(math.exp(score), 4)  # 0.6 * 0.9
        ([2, 1], 0.54)
    """
    require("width", width, width >= 1, "at least 1")
    require("max_tokens", max_tokens, max_tokens >= 1, "at least 1")
    raise NotImplementedError("1.12 beam_search: see section 1.12, equation 1.18")
