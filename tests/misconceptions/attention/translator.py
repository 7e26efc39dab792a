"""Plausible mistakes in sections 5.1 and 5.2: additive attention, and the decoder that attends."""

import torch

from nextword.judge.misconceptions import misconception

BOS, EOS = 1, 2


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


def forced(self, source, inputs, start=None, carry=True):
    """Teacher forcing, step by step."""
    read, first = self.encode(source)
    s = first if start is None else start(first)
    steps = []
    for y in inputs.unbind(1):
        logits, new, weights = self.step(y, s, read)
        s = new if carry else s
        steps.append((logits, weights))
    return [torch.stack(each, dim=1) for each in zip(*steps, strict=True)]


@misconception(
    "5.2",
    replaces="Translator.forward",
    kind="idea",
    says="Every step starts from the first state: start it from the state of the step before.",
)
def begins_anew_at_each_step(self, source, inputs):
    return tuple(forced(self, source, inputs, carry=False))


@misconception(
    "5.2",
    replaces="Translator.forward",
    says="The first state is zeros: `encode` returns the state to begin with.",
)
def begins_with_zeros(self, source, inputs):
    return tuple(forced(self, source, inputs, start=torch.zeros_like))


@misconception(
    "5.2",
    replaces="Translator.forward",
    says="The steps were stacked along the first axis: sentences come first, then steps (dim=1).",
)
def puts_the_steps_first(self, source, inputs):
    return tuple(each.transpose(0, 1) for each in forced(self, source, inputs))


@misconception(
    "5.2",
    replaces="Translator.forward",
    kind="idea",
    says="Each step reads the word that the model found likeliest. Teacher forcing reads the true "
    "words of `inputs`.",
)
def reads_its_own_words(self, source, inputs):
    read, s = self.encode(source)
    y, steps = inputs[:, 0], []
    for _ in range(inputs.shape[1]):
        logits, s, weights = self.step(y, s, read)
        y = logits.argmax(-1)
        steps.append((logits, weights))
    return tuple(torch.stack(each, dim=1) for each in zip(*steps, strict=True))


def one_step(self, y, s, source, parts="word context", told="state context word", late=False):
    """A step of the decoder whose parts are laid side by side in the order of the names."""
    found = {"word": self.target(y), "old": s}
    if late:  # the cell reads a mean of the words, and the new state looks
        found["context"] = source[1].mean(1)
    else:
        found["context"], weights = self.attend(s, *source)
    s = self.cell(torch.cat([found[name] for name in parts.split()], -1), s)
    found["state"] = s
    if late:
        found["context"], weights = self.attend(s, *source)
    return self.out(torch.cat([found[name] for name in told.split()], -1)), s, weights


@misconception(
    "5.2",
    replaces="Translator.step",
    says="The cell reads the context before the word. Parameters are set from outside, so the "
    "order matters: word, then context.",
)
def swaps_word_and_context(self, y, s, source):
    return one_step(self, y, s, source, parts="context word")


@misconception(
    "5.2",
    replaces="Translator.step",
    says="The logits read the old state: give `out` the state that the cell returned.",
)
def tells_from_the_old_state(self, y, s, source):
    return one_step(self, y, s, source, told="old context word")


@misconception(
    "5.2",
    replaces="Translator.step",
    says="The new state looks at the source. The old state must look, since the cell needs the "
    "context to make the new one.",
)
def looks_with_the_new_state(self, y, s, source):
    return one_step(self, y, s, source, late=True)


@misconception(
    "5.2",
    replaces="Translator.step",
    kind="idea",
    says="The step returns the state that it was given, so the decoder never moves on.",
)
def returns_the_old_state(self, y, s, source):
    logits, _, weights = one_step(self, y, s, source)
    return logits, s, weights


@misconception(
    "5.2",
    replaces="Translator.step",
    says="`out` reads new state, context and word, in this order.",
)
def tells_in_another_order(self, y, s, source):
    return one_step(self, y, s, source, told="word context state")


@torch.no_grad()
def say(self, source, most, first=BOS, stop=all, cut=True):
    """Write the likeliest words, with one thing or another wrong."""
    read, s = self.encode(source)
    y, rows = torch.full_like(source[:, 0], first), source[:, :0]
    while rows.shape[1] < most and not stop((rows == EOS).any(1).tolist()):
        logits, s, _ = self.step(y, s, read)
        y = logits.argmax(-1)
        rows = torch.cat([rows, y[:, None]], dim=1)
    rows = rows.tolist()
    if not cut:
        return rows
    return [row[: row.index(EOS)] if EOS in row else row for row in rows]


@misconception(
    "5.2",
    replaces="Translator.translate",
    says="All sentences stop as soon as one of them has written EOS: go on until each of them has.",
)
def stops_with_the_first_end(self, source, most=60):
    return say(self, source, most, stop=any)


@misconception(
    "5.2",
    replaces="Translator.translate",
    says="EOS, or what follows it, is still there: cut each row before its first EOS, with "
    "`until_end`.",
)
def keeps_what_follows_the_end(self, source, most=60):
    return say(self, source, most, cut=False)


@misconception(
    "5.2",
    replaces="Translator.translate",
    says="The first word that is read must be BOS; here it is EOS.",
)
def begins_with_the_end(self, source, most=60):
    return say(self, source, most, first=EOS)
