"""Plausible mistakes in sections 3.7 to 3.10: losses, gradients by hand, CBOW, trees."""

import torch
import torch.nn.functional as F  # noqa: N812 - torch's own custom

from examiner.judge.misconceptions import misconception

NONE = -1


def softmax_parts(v, U, targets):
    log_p = F.log_softmax(v @ U.T, dim=1)
    return log_p, log_p.exp() - F.one_hot(targets, len(U)), len(v)


@misconception(
    "3.7",
    replaces="softmax_loss",
    kind="idea",
    says="Loss and gradients are sums over the pairs: take the mean, that is, divide by B.",
)
def adds_the_pairs_up(v, U, targets):
    log_p, errors, _ = softmax_parts(v, U, targets)
    return F.nll_loss(log_p, targets, reduction="sum"), errors @ U, errors.T @ v


@misconception(
    "3.7",
    replaces="softmax_loss",
    kind="idea",
    says="The gradients point the wrong way: the error is the prediction less the truth.",
)
def turns_the_errors_around(v, U, targets):
    log_p, errors, B = softmax_parts(v, U, targets)
    return F.nll_loss(log_p, targets), -errors @ U / B, -errors.T @ v / B


@misconception(
    "3.7",
    replaces="softmax_loss",
    kind="idea",
    says="Only the right word's vector gets a gradient: the softmax pushes all other words, too.",
)
def moves_the_target_only(v, U, targets):
    log_p, errors, B = softmax_parts(v, U, targets)
    errors = errors * F.one_hot(targets, len(U))
    return F.nll_loss(log_p, targets), errors @ U / B, errors.T @ v / B


@misconception(
    "3.7",
    replaces="softmax_loss",
    kind="idea",
    says="The right word is not taken off: its error is P - 1, not P.",
)
def forgets_the_right_answer(v, U, targets):
    log_p, _, B = softmax_parts(v, U, targets)
    return F.nll_loss(log_p, targets), log_p.exp() @ U / B, log_p.exp().T @ v / B


@misconception(
    "3.7",
    replaces="softmax_loss",
    kind="edge",
    says="Large scores give infinity or NaN: use F.log_softmax instead of exp and log.",
)
def overflows(v, U, targets):
    weights = torch.exp(v @ U.T)
    p = weights / weights.sum(dim=1, keepdim=True)
    errors = (p - F.one_hot(targets, len(U))) / len(v)
    loss = -torch.log(p[torch.arange(len(v)), targets]).mean()
    return loss, errors @ U, errors.T @ v


def sampling(v, u, noise, each, sign=1.0):
    """The right answer, with the weight of a noise vector left open."""
    true, false = (v * u).sum(dim=1, keepdim=True), v @ noise.T
    loss = -(F.logsigmoid(true).sum() + each * F.logsigmoid(-false).sum()) / len(v)
    pull = (torch.sigmoid(true) - 1) / len(v)
    push = sign * torch.sigmoid(false) * (each / len(v))
    return loss, pull * u + push @ noise, pull * v, push.T @ v


@misconception(
    "3.8",
    replaces="negative_sampling",
    kind="idea",
    says="Each noise vector counts once: S of them stand for k, so each counts k/S times.",
)
def counts_noise_once(v, u, noise, k):
    return sampling(v, u, noise, 1.0)


@misconception(
    "3.8",
    replaces="negative_sampling",
    kind="idea",
    says="Each noise vector counts k times: all S together stand for k, so each counts k/S times.",
)
def counts_noise_k_times(v, u, noise, k):
    return sampling(v, u, noise, float(k))


@misconception(
    "3.8",
    replaces="negative_sampling",
    kind="idea",
    says="Noise is pulled near: the derivative of -ln s(-x) is s(x), with a plus sign.",
)
def pulls_the_noise(v, u, noise, k):
    return sampling(v, u, noise, k / len(noise), sign=-1.0)


@misconception(
    "3.8",
    replaces="negative_sampling",
    kind="idea",
    says="The word's vector gets a gradient from its neighbour only: noise pushes it, too.",
)
def spares_the_word_from_noise(v, u, noise, k):
    loss, _, du, dn = sampling(v, u, noise, k / len(noise))
    pull = (torch.sigmoid((v * u).sum(dim=1, keepdim=True)) - 1) / len(v)
    return loss, pull * u, du, dn


@misconception(
    "3.8",
    replaces="negative_sampling",
    kind="idea",
    says="Loss and gradients are sums over the pairs: take the mean, that is, divide by B.",
)
def adds_up_the_batch(v, u, noise, k):
    return tuple(part * len(v) for part in sampling(v, u, noise, k / len(noise)))


@misconception(
    "3.8",
    replaces="negative_sampling",
    kind="edge",
    says="Large scores give infinity or NaN: use F.logsigmoid instead of the log of a sigmoid.",
)
def takes_the_log_of_a_sigmoid(v, u, noise, k):
    _, dv, du, dn = sampling(v, u, noise, k / len(noise))
    true, false = (v * u).sum(dim=1), v @ noise.T
    each = k / len(noise)
    loss = -(torch.sigmoid(true).log().sum() + each * (1 - torch.sigmoid(false)).log().sum())
    return loss / len(v), dv, du, dn


@misconception(
    "3.9",
    replaces="context_means",
    kind="idea",
    says="NONE counts as a word: divide by the number of words in the row, not by its length.",
)
def divides_by_the_width(E, contexts):
    known = (contexts != NONE).unsqueeze(-1)
    return (E[contexts] * known).sum(dim=1) / contexts.shape[1]


@misconception(
    "3.9",
    replaces="context_means",
    kind="idea",
    says="NONE is -1, and E[-1] is the vector of the last word: it slipped into the mean.",
)
def takes_the_last_word_for_none(E, contexts):
    return E[contexts].mean(dim=1)


@misconception(
    "3.9",
    replaces="context_means",
    kind="idea",
    says="These are sums: divide by the number of words in the row.",
)
def sums_the_window(E, contexts):
    return (E[contexts] * (contexts != NONE).unsqueeze(-1)).sum(dim=1)


@misconception(
    "3.9",
    replaces="context_means",
    kind="edge",
    says="A row without any word gives NaN: its mean is a vector of 0.",
)
def divides_by_no_word(E, contexts):
    known = (contexts != NONE).unsqueeze(-1)
    return (E[contexts] * known).sum(dim=1) / known.sum(dim=1)


def spread(dh, contexts, V, shares):
    rows, columns = (contexts != NONE).nonzero(as_tuple=True)
    moved = (dh / shares)[rows]
    return dh.new_zeros(V, dh.shape[1]).index_add_(0, contexts[rows, columns], moved)


@misconception(
    "3.9",
    replaces="context_gradients",
    kind="idea",
    says="Each word gets all of dh: the mean divides it by the number of words in the row.",
)
def gives_each_word_everything(dh, contexts, V):
    return spread(dh, contexts, V, torch.ones(len(dh), 1, dtype=dh.dtype))


@misconception(
    "3.9",
    replaces="context_gradients",
    kind="edge",
    says="A word that stands twice got one part only: dE[ids] += … adds once to a row. Use "
    "index_add_.",
)
def adds_once_to_a_row(dh, contexts, V):
    known = contexts != NONE
    parts = dh / known.sum(dim=1, keepdim=True).clamp(min=1)
    dE = dh.new_zeros(V, dh.shape[1])
    for row, part in zip(contexts, parts, strict=True):
        dE[row[row != NONE]] += part
    return dE


@misconception(
    "3.9",
    replaces="context_gradients",
    kind="idea",
    says="The last word of the vocabulary got the parts of NONE: -1 is no word.",
)
def moves_the_last_word(dh, contexts, V):
    parts = (dh / contexts.shape[1]).repeat_interleave(contexts.shape[1], dim=0)
    return dh.new_zeros(V, dh.shape[1]).index_add_(0, contexts.flatten() % V, parts)


def codes_of(counts, arrange):
    """Codes from trees that are joined two by two, always the first two of an arrangement."""
    trees, codes = [(count, [word]) for word, count in enumerate(counts)], [""] * len(counts)
    while len(trees) > 1:
        (a, left), (b, right), *rest = arrange(trees)
        for bit, words in (("0", left), ("1", right)):
            for word in words:
                codes[word] = bit + codes[word]
        trees = [(a + b, left + right), *rest]
    return codes


@misconception(
    "3.10",
    replaces="huffman_codes",
    kind="idea",
    says="All codes are equally long: frequent words need short codes, so join the smallest counts "
    "first.",
)
def numbers_the_words(counts):
    length = max(len(counts) - 1, 0).bit_length()
    return [format(word, f"0{length}b") if length else "" for word in range(len(counts))]


@misconception(
    "3.10",
    replaces="huffman_codes",
    kind="idea",
    says="Rare words got the short codes: join the two smallest counts first. They get the "
    "longest codes.",
)
def joins_the_largest_first(counts):
    return codes_of(counts, lambda trees: sorted(trees, key=lambda tree: -tree[0]))


@misconception(
    "3.10",
    replaces="huffman_codes",
    kind="idea",
    says="A joined tree has the sum of both counts. Put it back among the others by that sum, "
    "instead of joining it again at once.",
)
def grows_a_chain(counts):
    return codes_of(counts, lambda trees: sorted(trees, key=lambda tree: (-len(tree[1]), tree[0])))


@misconception(
    "3.10",
    replaces="huffman_codes",
    kind="idea",
    says="The codes read from the leaf to the root: a new choice stands nearer to the root, so it "
    "goes in front.",
)
def writes_codes_backwards(counts):
    return [code[::-1] for code in codes_of(counts, sorted)]


def fork_scores(v, N, forks):
    return torch.einsum("bd,bld->bl", v, N[forks])


@misconception(
    "3.10",
    replaces="tree_log_probs",
    kind="idea",
    says="Forks after the end of a path count: where the sign is 0, ln s(0) is not 0 but ln 1/2. "
    "Multiply by the absolute sign.",
)
def counts_forks_after_the_end(v, N, forks, signs):
    return F.logsigmoid(fork_scores(v, N, forks) * signs).sum(dim=1)


@misconception(
    "3.10",
    replaces="tree_log_probs",
    kind="idea",
    says="Left and right have the same probability here: the score must be multiplied by the sign.",
)
def ignores_the_turns(v, N, forks, signs):
    return (F.logsigmoid(fork_scores(v, N, forks)) * (signs != 0)).sum(dim=1)


@misconception(
    "3.10",
    replaces="tree_log_probs",
    kind="idea",
    says="These are probabilities: return their logarithms, the sum of ln s.",
)
def forgets_the_logarithm(v, N, forks, signs):
    chances = torch.sigmoid(fork_scores(v, N, forks) * signs)
    return torch.where(signs == 0, torch.ones_like(chances), chances).prod(dim=1)


@misconception(
    "3.10",
    replaces="tree_log_probs",
    kind="idea",
    says="The sign belongs inside the sigmoid: ln s(-x) is not -ln s(x).",
)
def puts_the_sign_outside(v, N, forks, signs):
    return (F.logsigmoid(fork_scores(v, N, forks)) * signs).sum(dim=1)
