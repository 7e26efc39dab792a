"""More plausible mistakes in sections 2.8 to 2.11: one part of the right code is changed."""

import random
from collections import Counter

import numpy as np

from examiner.judge.misconceptions import misconception

BOS, EOS = "<s>", "</s>"
FALLBACK = (0.5, 1.0, 1.5)


def mistake(task_id, replaces, says, kind=""):
    return misconception(task_id, replaces=replaces, says=says, kind=kind)


# ------------------------------------------------------------------ 2.8


@mistake(
    "2.8",
    "Backoff.backoff_weight",
    "A constant such as 0.4 is stupid back-off, whose scores do not sum to 1: alpha(u) follows "
    "from what was saved.",
    kind="idea",
)
def is_stupid_backoff(self, context):
    return 0.4


def weight(self, context, new=1.0, whole=0.0, saved=None, rest=None):
    """Equation 2.14 with one part changed."""
    row = self.row(context)
    if not row:
        return new
    if len(row) == len(self.vocabulary):
        return whole
    given = self.D * len(row) if saved is None else saved(self, row)
    seen = sum(self.shorter(word, context) for word in row)
    return given / self.total(context) / (1 - seen if rest is None else rest(seen))


@mistake(
    "2.8",
    "Backoff.backoff_weight",
    "After a context that was never seen, the shorter one decides alone: alpha(u) is 1, not 0.",
    kind="edge",
)
def weighs_new_contexts_with_zero(self, context):
    return weight(self, context, new=0.0)


@mistake(
    "2.8",
    "Backoff.backoff_weight",
    "You took D once; each different word after u gave up its own: N1+(u•) of them.",
    kind="idea",
)
def saves_d_once_in_backoff(self, context):
    return weight(self, context, saved=lambda self, row: self.D)


@mistake(
    "2.8",
    "Backoff.backoff_weight",
    "You divided by the share of the seen words; the unseen words have 1 minus that.",
)
def divides_by_the_seen_share(self, context):
    return weight(self, context, rest=lambda seen: seen)


@mistake(
    "2.8",
    "Backoff.backoff_weight",
    "Where the whole vocabulary was seen, nothing is left to save for: alpha(u) is 0 there.",
    kind="edge",
)
def weighs_complete_rows(self, context):
    return weight(self, context, whole=1.0)


def backed_off(self, word, context, seen=None, unseen=None):
    """Equation 2.13 with one part changed."""
    row = self.row(context)
    if word not in row:
        if unseen is not None:
            return unseen(self, word, context, row)
        return self.backoff_weight(context) * self.shorter(word, context)
    D = self.D if len(row) < len(self.vocabulary) else 0
    return (row[word] - (D if seen is None else seen)) / self.total(context)


@mistake(
    "2.8",
    "Backoff.estimate",
    "Seen words keep their whole count: take D off, or nothing is saved for the unseen ones.",
    kind="idea",
)
def backs_off_without_discount(self, word, context):
    return backed_off(self, word, context, seen=0)


@mistake(
    "2.8",
    "Backoff.estimate",
    "The weight alpha(u) is missing: multiply P(w | u') by it for unseen words.",
    kind="idea",
)
def forgets_the_backoff_weight(self, word, context):
    return backed_off(self, word, context, unseen=lambda self, w, u, row: self.shorter(w, u))


@mistake(
    "2.8",
    "Backoff.estimate",
    "Unseen words have probability 0: they get what was saved, alpha(u) P(w | u').",
    kind="idea",
)
def gives_zero_to_unseen_words(self, word, context):
    return backed_off(
        self, word, context, unseen=lambda self, w, u, row: 0.0 if row else self.shorter(w, u)
    )


@mistake(
    "2.8",
    "Backoff.estimate",
    "Unseen words do not share equally what was saved: the shorter context says who gets how much.",
    kind="idea",
)
def shares_the_rest_equally(self, word, context):
    def unseen(self, word, context, row):
        if not row:
            return self.shorter(word, context)
        rest = self.D * len(row) / self.total(context)
        return rest / (len(self.vocabulary) - len(row))

    return backed_off(self, word, context, unseen=unseen)


# ------------------------------------------------------------------ 2.9


def continued(tables, *, down=True, rest=lambda u: u[1:], skip=lambda u: False, last=True):
    """Equations 2.15 and 2.16 with one part changed."""
    new = [{} for _ in tables]
    for k, table in enumerate(tables):
        for u, row in table.items():
            if u[:2] == (BOS, BOS):
                continue
            if u[:1] == (BOS,) or (last and k == len(tables) - 1):
                new[k][u] = dict(row)
            if u and down and not skip(u):
                below = new[k - 1].setdefault(rest(u), {})
                for word in row:
                    below[word] = below.get(word, 0) + 1
    return new


@mistake(
    "2.9",
    "continuation_counts",
    "You counted the words that follow an n-gram; the words that stand before it count here.",
    kind="idea",
)
def counts_words_after(tables):
    new = [{} for _ in tables]
    for k, table in enumerate(tables):
        for u, row in table.items():
            if u[:2] == (BOS, BOS):
                continue
            kept = u[:1] == (BOS,) or k == len(tables) - 1
            found = {w: len(tables[k + 1].get((*u, w), {})) or 1 for w in row if not kept}
            new[k][u] = dict(row) if kept else found
    return new


@mistake(
    "2.9",
    "continuation_counts",
    "You took the wrong end of the context: its first word is the word before, so u[1:] is the "
    "context below.",
)
def drops_the_last_word_of_the_context(tables):
    return continued(tables, rest=lambda u: u[:-1], skip=lambda u: u[:-1][:1] == (BOS,))


@mistake(
    "2.9",
    "continuation_counts",
    "BOS is a word before, too: a word that begins a sentence has it in front of it.",
)
def forgets_bos_as_a_word_before(tables):
    return continued(tables, skip=lambda u: u[0] == BOS)


@mistake(
    "2.9",
    "continuation_counts",
    "The last table lost its counts: the longest n-grams keep them as they are.",
)
def empties_the_last_table(tables):
    return continued(tables, last=False)


# ------------------------------------------------------------------ 2.10


def discounts(table, weigh=lambda n: n, judge=lambda d: d if min(d) >= 0 else FALLBACK):
    """Equation 2.18 with one part changed."""
    counts = Counter(count for row in table.values() for count in row.values())
    n1, n2, n3, n4 = weigh([counts[c] for c in (1, 2, 3, 4)])
    if not (n1 and n2 and n3):
        return FALLBACK
    y = n1 / (n1 + 2 * n2)
    return judge((1 - 2 * y * n2 / n1, 2 - 3 * y * n3 / n2, 3 - 4 * y * n4 / n3))


@mistake(
    "2.10",
    "modified_discounts",
    "A discount of exactly 0 is no reason to fall back: only one below 0 is.",
    kind="edge",
)
def falls_back_at_zero(table):
    return discounts(table, judge=lambda d: d if min(d) > 0 else FALLBACK)


@mistake(
    "2.10",
    "modified_discounts",
    "Do not set a negative discount to 0 alone: return FALLBACK_DISCOUNTS, all three.",
    kind="edge",
)
def clips_negative_discounts(table):
    return discounts(table, judge=lambda d: tuple(max(0.0, each) for each in d))


@mistake(
    "2.10",
    "modified_discounts",
    "n2 is the number of n-grams seen twice, not of their occurrences: do not multiply it by 2.",
    kind="idea",
)
def counts_occurrences(table):
    return discounts(table, weigh=lambda n: [c * n[c - 1] for c in (1, 2, 3, 4)])


@mistake(
    "2.10",
    "modified_discounts",
    "Y alone is the one discount of plain Kneser-Ney: D1, D2 and D3 are computed from it.",
    kind="idea",
)
def takes_y_for_all_three(table):
    counts = Counter(count for row in table.values() for count in row.values())
    if not (counts[1] and counts[2] and counts[3]):
        return FALLBACK
    return (counts[1] / (counts[1] + 2 * counts[2]),) * 3


# ------------------------------------------------------------------ 2.11


def told(model, rng, most, *, start=None, grows=True, stops=True, draw=None):
    """Equation 2.20 with one part changed; returns the history from its beginning on."""
    history = [BOS] * (model.n - 1) if start is None else list(start)
    words = []
    for _ in range(most):
        chances = model.distribution(history)
        choose = draw or (lambda keys, p: keys[rng.choice(len(keys), p=p)])
        word = choose(list(chances), list(chances.values()))
        if word == EOS:
            if stops:
                break
            history = [BOS] * (model.n - 1)
            continue
        words.append(word)
        history += [word] if grows else []
    return words


@mistake(
    "2.11",
    "generate",
    "The begin symbols do not belong to the words that are returned: cut off the first n - 1.",
)
def returns_the_begin_symbols(model, rng, max_words=50):
    return [BOS] * (model.n - 1) + told(model, rng, max_words)


@mistake(
    "2.11",
    "generate",
    "Begin symbols are no words: max_words counts what was drawn, not the whole history.",
)
def counts_begin_symbols_as_words(model, rng, max_words=50):
    return told(model, rng, max_words - (model.n - 1))


@mistake(
    "2.11", "generate", "You drew one word too many: at most max_words are drawn.", kind="edge"
)
def draws_one_word_too_many(model, rng, max_words=50):
    return told(model, rng, max_words + 1)


@mistake(
    "2.11",
    "generate",
    "The history must begin with n - 1 begin symbols: without them the first context was never "
    "seen.",
    kind="idea",
)
def begins_without_begin_symbols(model, rng, max_words=50):
    return told(model, rng, max_words, start=())


@mistake(
    "2.11",
    "generate",
    "The context never changes: append each word that was drawn to the history.",
    kind="idea",
)
def never_moves_the_context(model, rng, max_words=50):
    return told(model, rng, max_words, grows=False)


@mistake(
    "2.11",
    "generate",
    "The sentence is over at EOS: stop there, and do not begin another one.",
)
def goes_on_after_the_end(model, rng, max_words=50):
    return told(model, rng, max_words, stops=False)


@mistake(
    "2.11",
    "generate",
    "You drew with np.random, the generator of the whole program: draw with the `rng` you got.",
    kind="idea",
)
def draws_from_the_global_generator(model, rng, max_words=50):
    return told(model, rng, max_words, draw=lambda keys, p: keys[np.random.choice(len(keys), p=p)])


@mistake(
    "2.11",
    "generate",
    "You drew with Python's random module: draw with the `rng` you are given, `rng.choice`.",
    kind="idea",
)
def draws_with_the_random_module(model, rng, max_words=50):
    return told(model, rng, max_words, draw=lambda keys, p: random.choices(keys, p)[0])


@mistake(
    "2.11",
    "generate",
    "You made a generator with a fixed seed, 0: draw with the `rng` you are given.",
    kind="idea",
)
def fixes_the_seed(model, rng, max_words=50):
    return told(model, np.random.default_rng(0), max_words)
