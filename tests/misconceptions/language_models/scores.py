"""More plausible mistakes in sections 1.3 to 1.6: softmax, chain rule, measures, divergences."""

import math

import numpy as np

from examiner.judge.misconceptions import misconception

EOS = 1


@misconception(
    "1.3",
    replaces="log_softmax",
    kind="edge",
    says="You subtracted the largest score of all rows: in a row far below it, exp gives nothing "
    "but 0. Each row needs its own maximum.",
)
def subtracts_one_maximum_for_all(logits):
    with np.errstate(all="ignore"):
        z = logits - logits.max()
        return z - np.log(np.exp(z).sum(axis=-1, keepdims=True))


@misconception(
    "1.3",
    replaces="log_softmax",
    kind="edge",
    says="You normalised over axis 1, which is not always the last: use axis=-1.",
)
def normalises_axis_one(logits):
    axis = min(1, logits.ndim - 1)
    z = logits - logits.max(axis=axis, keepdims=True)
    with np.errstate(all="ignore"):
        return z - np.log(np.exp(z).sum(axis=axis, keepdims=True))


@misconception(
    "1.3",
    replaces="log_softmax",
    kind="idea",
    says="The logarithm of the sum has the base 2; exp and ln belong together.",
)
def mixes_bases(logits):
    z = logits - logits.max(axis=-1, keepdims=True)
    return z - np.log2(np.exp(z).sum(axis=-1, keepdims=True))


def row_after(model, history):
    return np.asarray(model.log_probs(list(history)))


def of_text(model, history, text):
    return [float(row_after(model, [*history, *text[:t]])[w]) for t, w in enumerate(text)]


@misconception(
    "1.4",
    replaces="token_log_probs",
    kind="idea",
    says="The history was not used: it stands before the text in what the model reads.",
)
def reads_the_text_alone(model, history, text):
    return of_text(model, [], text)


@misconception(
    "1.4",
    replaces="token_log_probs",
    says="The model read the last token only: it may need all that stands before.",
)
def shows_the_last_token_only(model, history, text):
    before = [*history, *text]
    start = len(history)
    return [
        float(row_after(model, before[start + t - 1 : start + t])[w]) for t, w in enumerate(text)
    ]


@misconception(
    "1.4",
    replaces="token_log_probs",
    kind="idea",
    says="The history was predicted, too: it is given. Return one number per token of the text.",
)
def predicts_the_history_too(model, history, text):
    return of_text(model, [], [*history, *text])


@misconception(
    "1.4",
    replaces="token_log_probs",
    kind="idea",
    says="These are sums so far: return the number of each token by itself.",
)
def adds_up_so_far(model, history, text):
    return np.cumsum(of_text(model, history, text)).tolist()


@misconception(
    "1.4",
    replaces="token_log_probs",
    kind="idea",
    says="This is the sum, the logarithm of the whole text: return a list with one number per "
    "token.",
)
def returns_the_sum(model, history, text):
    return sum(of_text(model, history, text), 0.0)


@misconception(
    "1.4",
    replaces="token_log_probs",
    kind="idea",
    says="EOS was predicted after the text: return one number per token of the text, no more.",
)
def predicts_an_end_too(model, history, text):
    return of_text(model, history, [*text, EOS])


@misconception(
    "1.4",
    replaces="token_log_probs",
    says="The first token of the text is missing: the history predicts it.",
)
def leaves_the_first_token_out(model, history, text):
    return of_text(model, history, text)[1:]


def picked(log_probs, targets):
    return log_probs[np.arange(len(targets)), targets]


@misconception(
    "1.5",
    replaces="cross_entropy",
    kind="idea",
    says="The minus is missing: the cross-entropy is the mean of -ln P, which is never negative.",
)
def forgets_the_minus(log_probs, targets):
    return float(picked(log_probs, targets).mean())


@misconception(
    "1.5",
    replaces="cross_entropy",
    kind="idea",
    says="This cross-entropy is in bits: the course measures it in nats.",
)
def measures_cross_entropy_in_bits(log_probs, targets):
    return -float(picked(log_probs, targets).mean()) / math.log(2)


@misconception(
    "1.5",
    replaces="cross_entropy",
    kind="idea",
    says="You divided by the size of the vocabulary: the mean is over the rows.",
)
def divides_by_the_vocabulary(log_probs, targets):
    return -float(picked(log_probs, targets).sum()) / log_probs.shape[1]


@misconception(
    "1.5",
    replaces="cross_entropy",
    kind="edge",
    says="0 times -inf is nan: do not multiply by one-hot rows, pick the targets' numbers.",
)
def multiplies_by_one_hot_rows(log_probs, targets):
    with np.errstate(invalid="ignore"):
        rows = np.eye(log_probs.shape[1])[targets] * log_probs
    return -float(rows.sum()) / len(targets)


@misconception(
    "1.5",
    replaces="cross_entropy",
    kind="edge",
    says="Impossible targets were left out: one of them makes the cross-entropy infinite.",
)
def leaves_out_impossible_targets(log_probs, targets):
    found = picked(log_probs, targets)
    return -float(found[np.isfinite(found)].mean())


@misconception(
    "1.5",
    replaces="perplexity",
    kind="idea",
    says="You took exp of the sum: divide it by the number of tokens first.",
)
def takes_exp_of_the_sum(log_probs):
    return math.exp(-sum(log_probs))


@misconception(
    "1.5",
    replaces="perplexity",
    kind="idea",
    says="This is the geometric mean of the probabilities: perplexity is one over it, so a minus "
    "is missing in exp.",
)
def returns_the_mean_probability(log_probs):
    return math.exp(sum(log_probs) / len(log_probs))


@misconception(
    "1.5",
    replaces="perplexity",
    kind="edge",
    says="The product of many probabilities is 0 for any float: add up the logarithms instead.",
)
def multiplies_probabilities(log_probs):
    return math.prod(math.exp(each) for each in log_probs) ** (-1 / len(log_probs))


@misconception(
    "1.5",
    replaces="perplexity",
    kind="edge",
    says="An impossible token gave an error: the perplexity is infinite then.",
)
def refuses_impossible_tokens(log_probs):
    if min(log_probs) == -math.inf:
        raise ValueError("a token is impossible")
    return math.exp(-sum(log_probs) / len(log_probs))


@misconception(
    "1.5",
    replaces="bits_per_byte",
    kind="idea",
    says="You multiplied by ln 2: a bit is ln 2 nats, so divide.",
)
def multiplies_by_ln_two(log_probs, text):
    return -sum(log_probs) * math.log(2) / len(text.encode())


@misconception(
    "1.5",
    replaces="bits_per_byte",
    kind="idea",
    says="You divided by the bits of the text, 8 for each byte: divide by its bytes.",
)
def divides_by_the_bits_of_the_text(log_probs, text):
    return -sum(log_probs) / math.log(2) / (8 * len(text.encode()))


@misconception(
    "1.5",
    replaces="bits_per_byte",
    kind="idea",
    says="These are bits for the whole text: divide by its bytes.",
)
def leaves_the_length_out(log_probs, text):
    return -sum(log_probs) / math.log(2)


@misconception(
    "1.6",
    replaces="entropy",
    kind="idea",
    says="You divided by the number of words: the probabilities are weights already, and sum to 1.",
)
def averages_over_the_vocabulary(p):
    return -float((p[p > 0] * np.log(p[p > 0])).sum()) / len(p)


@misconception(
    "1.6",
    replaces="entropy",
    kind="idea",
    says="The minus is missing: entropy is never negative.",
)
def returns_a_negative_entropy(p):
    return float((p[p > 0] * np.log(p[p > 0])).sum())


def averaged(p, q, weights):
    here = p > 0
    if (q[here] == 0).any():
        return math.inf
    return float((weights[here] * np.log(p[here] / q[here])).sum())


@misconception(
    "1.6",
    replaces="kl_divergence",
    kind="idea",
    says="ln(p / q) was weighted by q: the words are drawn from p, so p weighs.",
)
def weighs_with_the_model(p, q):
    return averaged(p, q, q)


@misconception(
    "1.6",
    replaces="kl_divergence",
    kind="edge",
    says="A word with p = 0 and q = 0 made it infinite: words that never occur add nothing.",
)
def is_infinite_wherever_q_is_zero(p, q):
    return averaged(p, q, p) if (q > 0).all() else math.inf


@misconception(
    "1.6",
    replaces="kl_divergence",
    kind="edge",
    says="A word with p = 0 made it nan: 0 times ln 0 counts as 0, so leave such words out.",
)
def is_nan_where_p_is_zero(p, q):
    with np.errstate(all="ignore"):
        return float((p * np.log(p / q)).sum())


@misconception(
    "1.6",
    replaces="kl_divergence",
    kind="idea",
    says="You averaged both directions: KL(p || q) is one of them, and q pays.",
)
def averages_both_directions(p, q):
    return (averaged(p, q, p) + averaged(q, p, q)) / 2


@misconception(
    "1.6",
    replaces="kl_divergence",
    kind="idea",
    says="The sign is turned: the mean of ln(p / q) is never negative, that of ln(q / p) never "
    "positive.",
)
def turns_the_fraction_around(p, q):
    return -averaged(p, q, p)
