"""Plausible mistakes in section 5.1: additive attention."""

import torch

from examiner.judge.misconceptions import misconception


def weigh(scores, h):
    """The context vector and the weights of scores."""
    weights = scores.softmax(-1)
    return torch.einsum("bs,bse->be", weights, h), weights


def scored(self, s, Uh):
    """The scores of all words."""
    return self.v(torch.tanh(self.W(s)[:, None] + Uh))[..., 0]


@misconception(
    "5.1",
    replaces="AdditiveAttention.forward",
    kind="idea",
    says="Words that are not allowed still have a weight: hide their scores before the softmax.",
)
def looks_at_padding(self, s, Uh, h, allowed):
    return weigh(scored(self, s, Uh), h)


@misconception(
    "5.1",
    replaces="AdditiveAttention.forward",
    kind="idea",
    says="The weights of a row no longer sum to 1: words were hidden after the softmax. Put -inf "
    "in place of their scores before it.",
)
def hides_after_the_softmax(self, s, Uh, h, allowed):
    weights = scored(self, s, Uh).softmax(-1) * allowed
    return torch.einsum("bs,bse->be", weights, h), weights


@misconception(
    "5.1",
    replaces="AdditiveAttention.forward",
    kind="idea",
    says="A score of 0 hides nothing, since exp(0) = 1: hidden words need the score -inf.",
)
def hides_with_zero(self, s, Uh, h, allowed):
    return weigh(scored(self, s, Uh) * allowed, h)


@misconception(
    "5.1",
    replaces="AdditiveAttention.forward",
    kind="idea",
    says="The tanh is missing. Without it the score is a number from the state plus a number from "
    "the word, and the state changes no weight.",
)
def forgets_the_tanh(self, s, Uh, h, allowed):
    scores = self.v(self.W(s)[:, None] + Uh)[..., 0]
    return weigh(scores.masked_fill(~allowed, -torch.inf), h)


@misconception(
    "5.1",
    replaces="AdditiveAttention.forward",
    kind="idea",
    says="The softmax runs over the sentences of the batch: it must run over the words, the last "
    "axis.",
)
def shares_among_sentences(self, s, Uh, h, allowed):
    weights = scored(self, s, Uh).masked_fill(~allowed, -torch.inf).softmax(0)
    return torch.einsum("bs,bse->be", weights, h), weights


@misconception(
    "5.1",
    replaces="AdditiveAttention.forward",
    kind="idea",
    says="The state plays no part in the scores: add W s to every word before the tanh.",
)
def forgets_the_state(self, s, Uh, h, allowed):
    scores = self.v(torch.tanh(Uh))[..., 0]
    return weigh(scores.masked_fill(~allowed, -torch.inf), h)


@misconception(
    "5.1",
    replaces="AdditiveAttention.forward",
    kind="idea",
    says="The mask is inverted: where `allowed` is True, a word may be looked at.",
)
def hides_what_is_allowed(self, s, Uh, h, allowed):
    return weigh(scored(self, s, Uh).masked_fill(allowed, -torch.inf), h)


@misconception(
    "5.1",
    replaces="AdditiveAttention.forward",
    kind="edge",
    says="U h is computed anew here. The caller hands it over as Uh, the same for all steps.",
)
def multiplies_the_words_again(self, s, Uh, h, allowed):
    return weigh(scored(self, s, self.U(h)).masked_fill(~allowed, -torch.inf), h)


@misconception(
    "5.1",
    replaces="AdditiveAttention.forward",
    kind="idea",
    says="The weights are bare scores: a softmax makes them positive, with sum 1.",
)
def takes_scores_for_weights(self, s, Uh, h, allowed):
    weights = scored(self, s, Uh).masked_fill(~allowed, 0.0)
    return torch.einsum("bs,bse->be", weights, h), weights


@misconception(
    "5.1",
    replaces="AdditiveAttention.forward",
    kind="idea",
    says="The context vector is the mean of all words: weigh them.",
)
def takes_a_plain_mean(self, s, Uh, h, allowed):
    scores = scored(self, s, Uh).masked_fill(~allowed, -torch.inf)
    return h.mean(1), weigh(scores, h)[1]


@misconception(
    "5.1",
    replaces="AdditiveAttention.forward",
    kind="idea",
    says="The context vector is made of U h; it is a mean of the vectors h themselves.",
)
def mixes_the_products(self, s, Uh, h, allowed):
    scores = scored(self, s, Uh).masked_fill(~allowed, -torch.inf)
    return torch.einsum("bs,bsa->ba", scores.softmax(-1), Uh), scores.softmax(-1)


@misconception(
    "5.1",
    replaces="AdditiveAttention.forward",
    kind="idea",
    says="W s and U h were multiplied; add them, as the name says.",
)
def multiplies_state_and_word(self, s, Uh, h, allowed):
    scores = self.v(torch.tanh(self.W(s)[:, None] * Uh))[..., 0]
    return weigh(scores.masked_fill(~allowed, -torch.inf), h)


@misconception(
    "5.1",
    replaces="AdditiveAttention.forward",
    says="The weights have an axis too many: their shape is (B, S).",
)
def keeps_an_axis_too_many(self, s, Uh, h, allowed):
    scores = scored(self, s, Uh).masked_fill(~allowed, -torch.inf)
    context, weights = weigh(scores, h)
    return context, weights[:, None]


@misconception(
    "5.1",
    replaces="AdditiveAttention.forward",
    says="Return the context vector first, then the weights.",
)
def returns_the_weights_first(self, s, Uh, h, allowed):
    scores = scored(self, s, Uh).masked_fill(~allowed, -torch.inf)
    return weigh(scores, h)[::-1]


@misconception(
    "5.1",
    replaces="AdditiveAttention.forward",
    kind="edge",
    says="squeeze() drops every axis of length 1, that of a sentence of one word too: name the "
    "axis.",
)
def squeezes_every_axis(self, s, Uh, h, allowed):
    scores = self.v(torch.tanh(self.W(s)[:, None] + Uh)).squeeze()
    return weigh(scores.masked_fill(~allowed, -torch.inf), h)


@misconception(
    "5.1",
    replaces="AdditiveAttention.forward",
    says="Uh has changed: `+=` works in place, and the caller needs U h at every step.",
)
def adds_the_state_in_place(self, s, Uh, h, allowed):
    Uh += self.W(s)[:, None]
    scores = self.v(torch.tanh(Uh))[..., 0]
    return weigh(scores.masked_fill(~allowed, -torch.inf), h)


@misconception(
    "5.1",
    replaces="AdditiveAttention.forward",
    says="A score of -10 hides too little: words that are not allowed need -inf.",
)
def hides_with_a_small_score(self, s, Uh, h, allowed):
    return weigh(scored(self, s, Uh).masked_fill(~allowed, -10.0), h)
