"""More plausible mistakes in sections 3.9 and 3.10: means of windows, Huffman trees."""

import heapq

import torch
import torch.nn.functional as F  # noqa: N812 - torch's own custom

from examiner.judge.misconceptions import misconception

NONE = -1


def known(contexts, E):
    return (contexts != NONE).unsqueeze(-1).to(E.dtype)


def total(E, contexts):
    return (E[contexts.clamp(min=0)] * known(contexts, E)).sum(dim=1)


@misconception(
    "3.9",
    replaces="context_means",
    kind="idea",
    says="Word 0 stands for NONE in the mean: leave out the places where no word is.",
)
def takes_word_zero_for_none(E, contexts):
    return E[contexts.clamp(min=0)].mean(dim=1)


@misconception(
    "3.9",
    replaces="context_means",
    says="You divided by one more than the number of words: against a division by 0, clamp "
    "the number at 1.",
)
def counts_one_word_too_many(E, contexts):
    return total(E, contexts) / (known(contexts, E).sum(dim=1) + 1)


@misconception(
    "3.9",
    replaces="context_means",
    kind="idea",
    says="You took the mean over the batch: each row has its own.",
)
def averages_over_the_batch(E, contexts):
    means = total(E, contexts) / known(contexts, E).sum(dim=1).clamp(min=1)
    return means.mean(dim=0, keepdim=True)


@misconception(
    "3.9",
    replaces="context_means",
    kind="edge",
    says="A word that stands twice counted once: it counts at each place.",
)
def counts_repeated_words_once(E, contexts):
    rows = []
    for row in contexts.tolist():
        words = sorted({i for i in row if i != NONE})
        rows.append(E[words].mean(dim=0) if words else torch.zeros_like(E[0]))
    return torch.stack(rows)


@misconception(
    "3.9",
    replaces="context_means",
    kind="edge",
    says="Word 0 was left out: only NONE, which is -1, is no word.",
)
def takes_word_zero_for_nothing(E, contexts):
    mask = (contexts > 0).unsqueeze(-1).to(E.dtype)
    return (E[contexts.clamp(min=0)] * mask).sum(dim=1) / mask.sum(dim=1).clamp(min=1)


@misconception(
    "3.9",
    replaces="context_means",
    kind="idea",
    says="All rows were divided by one number: each has its own number of words.",
)
def divides_all_rows_alike(E, contexts):
    number = known(contexts, E).sum(dim=1)
    return total(E, contexts) / number.mean().clamp(min=1)


def spread(dh, contexts, V, *, to=None, parts=None):
    """Add the parts of dh to the rows of words; `to` says where NONE goes, None: nowhere."""
    real = contexts != NONE
    parts = dh / real.sum(dim=1, keepdim=True).clamp(min=1) if parts is None else parts
    rows, columns = (real if to is None else torch.ones_like(real)).nonzero(as_tuple=True)
    ids = contexts[rows, columns]
    ids = ids if to is None else torch.where(ids == NONE, to, ids)
    return dh.new_zeros(V, dh.shape[1]).index_add_(0, ids, parts[rows])


@misconception(
    "3.9",
    replaces="context_gradients",
    kind="idea",
    says="Of all the places where a word stands only the last counts: dE[ids] += … adds once "
    "to a row, also over all windows. Use index_add_.",
)
def lets_the_last_place_win(dh, contexts, V):
    real = contexts != NONE
    rows, columns = real.nonzero(as_tuple=True)
    dE = dh.new_zeros(V, dh.shape[1])
    dE[contexts[rows, columns]] += (dh / real.sum(dim=1, keepdim=True).clamp(min=1))[rows]
    return dE


@misconception(
    "3.9",
    replaces="context_gradients",
    kind="idea",
    says="NONE is -1, which is the last row: the last word got a part where no word stands.",
)
def gives_the_parts_of_none_to_the_last(dh, contexts, V):
    return spread(dh, contexts, V, to=V - 1)


@misconception(
    "3.9",
    replaces="context_gradients",
    kind="idea",
    says="Word 0 got a part where no word stands: leave these places out.",
)
def gives_the_parts_of_none_to_the_first(dh, contexts, V):
    return spread(dh, contexts, V, to=0)


@misconception(
    "3.9",
    replaces="context_gradients",
    kind="idea",
    says="NONE counts in the division: divide by the number of words in the row.",
)
def divides_the_gradient_by_the_width(dh, contexts, V):
    return spread(dh, contexts, V, parts=dh / contexts.shape[1])


@misconception(
    "3.9",
    replaces="context_gradients",
    kind="idea",
    says="You divided by the number of rows, too: dh is the gradient in each row's mean already.",
)
def divides_by_the_batch_too(dh, contexts, V):
    parts = dh / (contexts != NONE).sum(dim=1, keepdim=True).clamp(min=1)
    return spread(dh, contexts, V, parts=parts / len(dh))


@misconception(
    "3.9",
    replaces="context_gradients",
    kind="idea",
    says="The sign is turned: a mean grows with its words.",
)
def turns_the_gradient_around(dh, contexts, V):
    return -spread(dh, contexts, V)


@misconception(
    "3.9",
    replaces="context_gradients",
    says="Words that stand in no window have no row: there are V rows, theirs with 0.",
)
def has_rows_for_seen_words_only(dh, contexts, V):
    return spread(dh, contexts, V)[: int(contexts.max()) + 1]


@misconception(
    "3.9",
    replaces="context_gradients",
    kind="edge",
    says="A window without words gave NaN: 0 times infinity. Divide by 1 at least.",
)
def divides_a_gradient_by_no_word(dh, contexts, V):
    real = contexts != NONE
    parts = dh / real.sum(dim=1, keepdim=True)
    values = (parts[:, None] * real[..., None]).flatten(0, 1)
    return dh.new_zeros(V, dh.shape[1]).index_add_(0, contexts.clamp(min=0).flatten(), values)


def joined(counts, together=lambda a, b: a + b, bits="01"):
    """Huffman's codes, but for what two trees are worth together, and the signs of the turns."""
    codes = [""] * len(counts)
    heap = [(count, word, [word]) for word, count in enumerate(counts)]
    heapq.heapify(heap)
    while len(heap) > 1:
        (a, number, left), (b, other, right) = heapq.heappop(heap), heapq.heappop(heap)
        for bit, words in zip(bits, (left, right), strict=True):
            for word in words:
                codes[word] = bit + codes[word]
        heapq.heappush(heap, (together(a, b), max(number, other), left + right))
    return codes


@misconception(
    "3.10",
    replaces="huffman_codes",
    kind="edge",
    says="One word alone needs no choice: its code is empty.",
)
def gives_a_lone_word_a_turn(counts):
    return joined(counts) if len(counts) > 1 else ["0"]


@misconception(
    "3.10",
    replaces="huffman_codes",
    says="The codes stand in the order of their lengths: code i belongs to word i.",
)
def lists_codes_by_rank(counts):
    return sorted(joined(counts), key=len)


@misconception(
    "3.10",
    replaces="huffman_codes",
    kind="idea",
    says="All turns are 0: the right branch has 1.",
)
def turns_to_the_left_always(counts):
    return joined(counts, bits="00")


@misconception(
    "3.10",
    replaces="huffman_codes",
    kind="idea",
    says="A joined tree has the larger of both counts: it has their sum.",
)
def takes_the_larger_of_two_counts(counts):
    return joined(counts, max)


@misconception(
    "3.10",
    replaces="huffman_codes",
    kind="edge",
    says="The codes are lists of numbers: return texts of 0 and 1.",
)
def returns_lists_of_bits(counts):
    return [[int(bit) for bit in code] for code in joined(counts)]


@misconception(
    "3.10",
    replaces="huffman_codes",
    kind="edge",
    says="Words of equal counts have the same code: each word needs its own.",
)
def shares_codes_between_equal_counts(counts):
    kinds = list(dict.fromkeys(counts))
    return [joined(kinds)[kinds.index(count)] for count in counts]


@misconception(
    "3.10",
    replaces="huffman_codes",
    says="You halved the words from the top, as Shannon and Fano did. Some codes are longer "
    "than they need to be: join the two smallest from below.",
)
def halves_from_the_top(counts):
    codes = [""] * len(counts)

    def split(words):
        total, held, cut = sum(counts[i] for i in words), 0, 0
        while cut < len(words) - 1 and 2 * (held + counts[words[cut]]) <= total:
            held += counts[words[cut]]
            cut += 1
        for bit, part in (("0", words[: max(cut, 1)]), ("1", words[max(cut, 1) :])):
            for i in part:
                codes[i] += bit if len(words) > 1 else ""
            if len(part) > 1:
                split(part)

    split(sorted(range(len(counts)), key=lambda i: -counts[i]))
    return codes


def scores(v, N, forks):
    return torch.einsum("bd,bld->bl", v, N[forks])


def log_probs(v, N, forks, signs):
    return (F.logsigmoid(scores(v, N, forks) * signs) * (signs != 0)).sum(dim=1)


@misconception(
    "3.10",
    replaces="tree_log_probs",
    kind="idea",
    says="Left and right are exchanged: the sign 1 is s(n . v), -1 is s(-n . v).",
)
def exchanges_left_and_right(v, N, forks, signs):
    return log_probs(v, N, forks, -signs)


@misconception(
    "3.10",
    replaces="tree_log_probs",
    kind="idea",
    says="You took the mean over the path: the logarithms of the turns are added up.",
)
def averages_over_the_path(v, N, forks, signs):
    return log_probs(v, N, forks, signs) / (signs != 0).sum(dim=1).clamp(min=1)


@misconception(
    "3.10",
    replaces="tree_log_probs",
    kind="idea",
    says="The sign is turned: return ln P, which is never positive.",
)
def returns_the_loss(v, N, forks, signs):
    return -log_probs(v, N, forks, signs)


@misconception(
    "3.10",
    replaces="tree_log_probs",
    kind="idea",
    says="You added up the whole batch: each row has its own ln P.",
)
def adds_up_all_words(v, N, forks, signs):
    return log_probs(v, N, forks, signs).sum()


@misconception(
    "3.10",
    replaces="tree_log_probs",
    kind="idea",
    says="Only turns to the left count: the path ends where the sign is 0, not where it is -1.",
)
def counts_left_turns_only(v, N, forks, signs):
    chances = F.logsigmoid(scores(v, N, forks) * signs)
    return (chances * (signs > 0)).sum(dim=1)


@misconception(
    "3.10",
    replaces="tree_log_probs",
    kind="idea",
    says="Fork 0 was taken for the end of the path: it is the root. The path ends where the "
    "sign is 0.",
)
def leaves_the_root_out(v, N, forks, signs):
    chances = F.logsigmoid(scores(v, N, forks) * signs)
    return (chances * (forks != 0)).sum(dim=1)


@misconception(
    "3.10",
    replaces="tree_log_probs",
    kind="edge",
    says="Large scores give ln 0: use F.logsigmoid instead of the log of a sigmoid.",
)
def takes_the_logarithm_of_a_sigmoid(v, N, forks, signs):
    return (torch.sigmoid(scores(v, N, forks) * signs).log() * (signs != 0)).sum(dim=1)


@misconception(
    "3.10",
    replaces="tree_log_probs",
    kind="idea",
    says="All rows went the path of the first: each has its own.",
)
def takes_the_first_path_for_all(v, N, forks, signs):
    first = forks[:1].expand(len(v), -1)
    return log_probs(v, N, first, signs)
