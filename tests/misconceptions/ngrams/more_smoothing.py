"""More plausible mistakes in sections 2.5 to 2.7: one part of the right code is changed."""

from examiner.judge.misconceptions import misconception


def mistake(task_id, replaces, says, kind=""):
    return misconception(task_id, replaces=replaces, says=says, kind=kind)


# ------------------------------------------------------------------ 2.5


def smoothed(self, word, context, added, below):
    return (self.row(context).get(word, 0) + added) / (self.total(context) + below)


@mistake(
    "2.5",
    "Additive.estimate",
    "alpha is missing in the denominator: each of the V words got alpha, so the row grew by alpha "
    "V, not by V.",
    kind="idea",
)
def adds_v_without_alpha(self, word, context):
    return smoothed(self, word, context, self.alpha, len(self.vocabulary))


@mistake(
    "2.5",
    "Additive.estimate",
    "The denominator must grow, too: each of the V words got alpha, the row grew by alpha V.",
    kind="idea",
)
def leaves_the_denominator(self, word, context):
    return smoothed(self, word, context, self.alpha, 0 if self.total(context) else 1)


@mistake(
    "2.5",
    "Additive.estimate",
    "You counted one word too many: `vocabulary` holds EOS already, and BOS is never predicted.",
    kind="edge",
)
def counts_one_word_too_many(self, word, context):
    return smoothed(self, word, context, self.alpha, self.alpha * (len(self.vocabulary) + 1))


@mistake(
    "2.5",
    "Additive.estimate",
    "You counted one word too few: EOS is a word that can be predicted, and belongs to V.",
    kind="edge",
)
def counts_one_word_too_few(self, word, context):
    return smoothed(self, word, context, self.alpha, self.alpha * (len(self.vocabulary) - 1))


@mistake(
    "2.5",
    "Additive.estimate",
    "You always added 1: add self.alpha, which may be any number above 0.",
)
def adds_one_for_any_alpha(self, word, context):
    return smoothed(self, word, context, 1, len(self.vocabulary))


def rightly_smoothed(self, word, context):
    return smoothed(self, word, context, self.alpha, self.alpha * len(self.vocabulary))


@mistake(
    "2.5",
    "Additive.estimate",
    "After a context that was never seen, every count is 0 and gets alpha: each word has 1/V. No "
    "case of its own is needed.",
    kind="edge",
)
def gives_zero_after_unseen_contexts(self, word, context):
    return rightly_smoothed(self, word, context) if self.total(context) else 0.0


@mistake(
    "2.5",
    "Additive.estimate",
    "Additive smoothing does not look at shorter contexts: after an unseen one each word has 1/V.",
    kind="edge",
)
def backs_off_in_additive(self, word, context):
    found = self.total(context)
    return rightly_smoothed(self, word, context) if found else self.shorter(word, context)


@mistake(
    "2.5",
    "Additive.estimate",
    "Seen words get alpha as well: it is added to every count, not only to those of 0.",
    kind="idea",
)
def adds_to_unseen_words_only(self, word, context):
    count = self.row(context).get(word, 0) or self.alpha
    return count / (self.total(context) + self.alpha * len(self.vocabulary))


# ------------------------------------------------------------------ 2.6


def mixed(self, word, context, *, end=True, uniform=None, shift=1, only_seen=False, whole=True):
    """Equation 2.10 with one part changed."""
    start = self.weights[0] / len(self.vocabulary) if uniform is None else uniform(self)
    found, used = start, self.weights[0]
    for k in range(len(context) + (1 if whole else 0)):
        part = context[len(context) - k :] if end else context[-k:]
        row, total = self.row(part), self.total(part)
        if total and (word in row or not only_seen):
            found += self.weights[k + shift] * row.get(word, 0) / total
            used += self.weights[k + shift]
    return found / used


@mistake(
    "2.6",
    "Interpolated.estimate",
    "For k = 0 your ending is the whole context: context[-0:] is context[0:]. "
    "Use context[len(context) - k:].",
)
def slices_endings_with_minus_zero(self, word, context):
    return mixed(self, word, context, end=False)


@mistake(
    "2.6",
    "Interpolated.estimate",
    "The uniform part is missing: the mixture begins with weights[0] times 1/V.",
    kind="idea",
)
def leaves_the_uniform_part_out(self, word, context):
    return mixed(self, word, context, uniform=lambda self: 0.0)


@mistake(
    "2.6",
    "Interpolated.estimate",
    "The uniform part is weights[0] times 1/V: divide it by the size of the vocabulary.",
)
def forgets_to_divide_by_v(self, word, context):
    return mixed(self, word, context, uniform=lambda self: self.weights[0])


@mistake(
    "2.6",
    "Interpolated.estimate",
    "The longest context is left out: u itself is an ending, so k goes up to len(context).",
    kind="idea",
)
def leaves_the_whole_context_out(self, word, context):
    return mixed(self, word, context, whole=False)


@mistake(
    "2.6",
    "Interpolated.estimate",
    "A weight is left out where the *context* was never seen. After a seen context an unseen word "
    "has the share 0, and the weight counts.",
)
def uses_weights_of_seen_words_only(self, word, context):
    return mixed(self, word, context, only_seen=True)


@mistake(
    "2.6",
    "Interpolated.estimate",
    "The weights are shifted by one: weights[0] is that of 1/V, so an ending of k words has "
    "weights[k + 1].",
    kind="idea",
)
def shifts_the_weights(self, word, context):
    return mixed(self, word, context, shift=0)


@mistake(
    "2.6",
    "Interpolated.estimate",
    "You took the longest context alone: all estimates are mixed, each with its own weight.",
    kind="idea",
)
def takes_the_longest_context_alone(self, word, context):
    if self.total(context):
        return self.row(context).get(word, 0) / self.total(context)
    return self.shorter(word, context)


# ------------------------------------------------------------------ 2.7


@mistake(
    "2.7",
    "AbsoluteDiscounting.saved",
    "After a context that was never seen, everything is left to the shorter one: lambda(u) is 1.",
    kind="edge",
)
def saves_nothing_after_unseen_contexts(self, context):
    row = self.row(context)
    given = sum(self.discount(count, context) for count in row.values())
    return given / self.total(context) if row else 0.0


@mistake(
    "2.7",
    "AbsoluteDiscounting.saved",
    "lambda(u) is a share: divide the sum of the discounts by #(u•).",
    kind="idea",
)
def saves_counts_not_shares(self, context):
    row = self.row(context)
    return sum(self.discount(count, context) for count in row.values()) if row else 1.0


@mistake(
    "2.7",
    "AbsoluteDiscounting.saved",
    "Only words that were seen after u give up a discount, not the whole vocabulary.",
    kind="idea",
)
def saves_for_the_whole_vocabulary(self, context):
    if not self.row(context):
        return 1.0
    return self.discount(1, context) * len(self.vocabulary) / self.total(context)


@mistake(
    "2.7",
    "AbsoluteDiscounting.saved",
    "You took the discount of a count of 1 for every count: ask self.discount for each one.",
)
def saves_the_first_discount_for_all(self, context):
    row = self.row(context)
    return self.discount(1, context) * len(row) / self.total(context) if row else 1.0


def discounted(self, word, context, cut=None, saved=None, lower=None, new=None):
    """Equation 2.11 with one part changed."""
    row = self.row(context)
    if not row:
        return self.shorter(word, context) if new is None else new(self)
    count = row.get(word, 0)
    given = self.discount(count, context) if cut is None else cut(self, count, context)
    rest = self.saved(context) if saved is None else saved
    below = self.shorter(word, context) if lower is None else lower(self, word, context)
    return (count - given) / self.total(context) + rest * below


@mistake(
    "2.7",
    "AbsoluteDiscounting.estimate",
    "You took a discount off a count of 0: D(0) is 0, as self.discount(0, context) says.",
)
def discounts_zero_counts(self, word, context):
    return discounted(self, word, context, cut=lambda self, count, u: self.discount(1, u))


@mistake(
    "2.7",
    "AbsoluteDiscounting.estimate",
    "Every count got the discount of a count of 1: ask self.discount(count, context) for each.",
)
def takes_one_discount_for_all(self, word, context):
    return discounted(
        self, word, context, cut=lambda self, count, u: self.discount(1, u) if count else 0
    )


@mistake(
    "2.7",
    "AbsoluteDiscounting.estimate",
    "The discount was never taken off the count, so the probabilities sum to more than 1.",
    kind="idea",
)
def forgets_the_discount(self, word, context):
    return discounted(self, word, context, cut=lambda self, count, u: 0)


@mistake(
    "2.7",
    "AbsoluteDiscounting.estimate",
    "After a context that was never seen, the shorter one decides: P(w | u) = P(w | u'), not 0.",
    kind="edge",
)
def gives_zero_after_new_contexts(self, word, context):
    return discounted(self, word, context, new=lambda self: 0.0)


@mistake(
    "2.7",
    "AbsoluteDiscounting.estimate",
    "After a context that was never seen, the shorter one decides: P(w | u) = P(w | u'), not 1/V.",
    kind="edge",
)
def is_uniform_after_new_contexts(self, word, context):
    return discounted(self, word, context, new=lambda self: 1 / len(self.vocabulary))


@mistake(
    "2.7",
    "AbsoluteDiscounting.estimate",
    "lambda(u) is missing: the shorter context shares out only what was saved.",
    kind="idea",
)
def forgets_lambda(self, word, context):
    return discounted(self, word, context, saved=1.0)


@mistake(
    "2.7",
    "AbsoluteDiscounting.estimate",
    "You jumped from u to the unigrams: the next shorter context is u without its first word.",
    kind="idea",
)
def jumps_to_unigrams(self, word, context):
    def lower(self, word, context):
        return self.estimate(word, ()) if context else self.shorter(word, context)

    return discounted(self, word, context, lower=lower)
