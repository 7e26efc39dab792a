"""Plausible mistakes in sections 2.6 to 2.10, from interpolation on. Leaves out: the others."""

import math
from collections import Counter

from examiner.judge.misconceptions import misconception

BOS = "<s>"
FALLBACK = (0.5, 1.0, 1.5)


@misconception(
    "2.6",
    replaces="Interpolated.estimate",
    kind="idea",
    says="The weights are in the wrong order: weights[0] belongs to the uniform distribution, and "
    "the last one to the longest context.",
)
def turns_the_weights_around(self, word, context):
    return mixture(self, word, context, self.weights[::-1])


@misconception(
    "2.6",
    replaces="Interpolated.estimate",
    kind="edge",
    says="After an unseen context the probabilities sum to less than 1: divide by the sum of the "
    "weights that were used.",
)
def loses_the_weight_of_unseen_contexts(self, word, context):
    return mixture(self, word, context, self.weights, rescale=False)


@misconception(
    "2.6",
    replaces="Interpolated.estimate",
    kind="idea",
    says="You shortened the context at the wrong side: the words next to the predicted one stay, "
    "so take the endings of u.",
)
def takes_the_beginnings_of_the_context(self, word, context):
    return mixture(self, word, context, self.weights, endings=False)


def mixture(self, word, context, weights, rescale=True, endings=True):
    found, used = weights[0] / len(self.vocabulary), weights[0]
    for k in range(len(context) + 1):
        part = context[len(context) - k :] if endings else context[:k]
        if self.total(part):
            found += weights[k + 1] * self.row(part).get(word, 0) / self.total(part)
            used += weights[k + 1]
    return found / used if rescale else found


@misconception(
    "2.7",
    replaces="AbsoluteDiscounting.saved",
    kind="idea",
    says="You took D once; every word of the row gave up its own D.",
)
def saves_one_discount(self, context):
    row = self.row(context)
    return self.discount(1, context) / self.total(context) if row else 1.0


@misconception(
    "2.7",
    replaces="AbsoluteDiscounting.saved",
    kind="idea",
    says="You took a discount for each single occurrence; it is taken once for each different "
    "word of the row.",
)
def saves_for_every_occurrence(self, context):
    return self.discount(1, context) if self.row(context) else 1.0


@misconception(
    "2.7",
    replaces="AbsoluteDiscounting.estimate",
    kind="idea",
    says="Only unseen words got a part of what was saved. In the interpolated form every word gets "
    "its part, and without that the probabilities do not sum to 1.",
)
def shares_among_unseen_words_only(self, word, context):
    row = self.row(context)
    if word not in row:
        return self.saved(context) * self.shorter(word, context)
    return (row[word] - self.discount(row[word], context)) / self.total(context)


@misconception(
    "2.7",
    replaces="AbsoluteDiscounting.estimate",
    kind="idea",
    says="You shared out what was saved equally among all words; the shorter context says how "
    "likely each of them is.",
)
def shares_equally(self, word, context):
    row, share = self.row(context), self.saved(context) / len(self.vocabulary)
    if not row:
        return self.shorter(word, context)
    if word not in row:
        return share
    return (row[word] - self.discount(row[word], context)) / self.total(context) + share


@misconception(
    "2.8",
    replaces="Backoff.backoff_weight",
    kind="idea",
    says="The probabilities sum to less than 1: what was saved goes to the unseen words only, so "
    "divide it by their share in the shorter context.",
)
def forgets_to_rescale(self, context):
    row = self.row(context)
    return self.D * len(row) / self.total(context) if row else 1.0


@misconception(
    "2.8",
    replaces="Backoff.backoff_weight",
    says="Your alpha(u) is 1 after every context: what was saved must be divided by 1 minus the "
    "sum of P(w | u') over the seen words, with the shorter context u', not with u itself.",
)
def sums_over_the_same_context(self, context):
    row = self.row(context)
    if not row:
        return 1.0
    saved = self.D * len(row) / self.total(context)
    rest = 1 - sum((count - self.D) / self.total(context) for count in row.values())
    return saved / rest


@misconception(
    "2.8",
    replaces="Backoff.estimate",
    kind="idea",
    says="A seen word got a part of what was saved as well: that is interpolation. In back-off "
    "a seen word has its discounted count and nothing else.",
)
def interpolates(self, word, context):
    row = self.row(context)
    lower = self.backoff_weight(context) * self.shorter(word, context)
    D = self.D if len(row) < len(self.vocabulary) else 0
    return (row[word] - D) / self.total(context) + lower if word in row else lower


@misconception(
    "2.8",
    replaces="Backoff.estimate",
    kind="edge",
    says="Where every word of the vocabulary was seen, nobody needs what is saved, and the "
    "probabilities sum to less than 1: take no discount there.",
)
def discounts_complete_rows(self, word, context):
    row = self.row(context)
    if word not in row:
        return self.backoff_weight(context) * self.shorter(word, context)
    return (row[word] - self.D) / self.total(context)


@misconception(
    "2.9",
    replaces="continuation_counts",
    kind="idea",
    says="These are still the counts: each different word before an n-gram counts once, however "
    "often it stands there.",
)
def adds_up_the_counts(tables):
    return continuations(tables, lambda count: count)


@misconception(
    "2.9",
    replaces="continuation_counts",
    says="Contexts that begin with BOS must keep their counts: nothing stands before a sentence, "
    "so the number of words before it says nothing about them.",
)
def treats_the_beginning_like_the_rest(tables):
    return continuations(tables, lambda count: 1, keep_bos=False)


@misconception(
    "2.9",
    replaces="continuation_counts",
    kind="edge",
    says="Contexts that begin with two BOS are still there: leave them out of every table.",
)
def keeps_two_begin_symbols(tables):
    return continuations(tables, lambda count: 1, skip_two=False)


@misconception(
    "2.9",
    replaces="continuation_counts",
    says="The last table must keep its counts: no longer n-gram says what stood before.",
)
def sets_the_longest_to_one(tables):
    counts = continuations(tables, lambda count: 1)
    ones = {u: dict.fromkeys(row, 1) for u, row in counts[-1].items()}
    return [*counts[:-1], ones]


def continuations(tables, value, keep_bos=True, skip_two=True):
    counts = [{} for _ in tables]
    for k, table in enumerate(tables):
        for u, row in table.items():
            if skip_two and u[:2] == (BOS, BOS):
                continue
            if k == len(tables) - 1 or (keep_bos and u[:1] == (BOS,)):
                counts[k][u] = dict(row)
            if u and not (keep_bos and u[1:2] == (BOS,)):
                below = counts[k - 1].setdefault(u[1:], {})
                for word, count in row.items():
                    below[word] = below.get(word, 0) + value(count)
    return counts


@misconception(
    "2.10",
    replaces="modified_discounts",
    kind="idea",
    says="Y has 2 n2 in its denominator, not n2: each of the n2 pairs holds two occurrences.",
)
def forgets_the_two_in_y(table):
    return three_discounts(table, lambda n1, n2: n1 / (n1 + n2))


@misconception(
    "2.10",
    replaces="modified_discounts",
    kind="edge",
    says="A discount below 0 would add to the counts: return FALLBACK_DISCOUNTS then, too.",
)
def allows_negative_discounts(table):
    return three_discounts(table, lambda n1, n2: n1 / (n1 + 2 * n2), smallest=-math.inf)


@misconception(
    "2.10",
    replaces="modified_discounts",
    kind="edge",
    says="n4 may be 0: D3 is 3 then. Only n1, n2 and n3 stand in a denominator.",
)
def falls_back_without_n4(table):
    return three_discounts(table, lambda n1, n2: n1 / (n1 + 2 * n2), needed=4)


@misconception(
    "2.10",
    replaces="modified_discounts",
    says="n3 and n4 are the numbers of n-grams seen exactly 3 and 4 times, not that often or more.",
)
def counts_larger_ones_as_four(table):
    return three_discounts(table, lambda n1, n2: n1 / (n1 + 2 * n2), largest=4)


def three_discounts(table, find_y, smallest=0.0, needed=3, largest=math.inf):
    counts = Counter(min(count, largest) for row in table.values() for count in row.values())
    n1, n2, n3, n4 = n = [counts[c] for c in (1, 2, 3, 4)]
    if 0 in n[:needed]:
        return FALLBACK
    y = find_y(n1, n2)
    found = (1 - 2 * y * n2 / n1, 2 - 3 * y * n3 / n2, 3 - 4 * y * n4 / n3)
    return found if min(found) >= smallest else FALLBACK
