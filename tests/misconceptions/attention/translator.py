"""Plausible mistakes in section 5.2: the decoder that attends."""

import torch

from examiner.judge.misconceptions import misconception

PAD, BOS, EOS = 0, 1, 2


def forced(self, source, inputs, start=None, carry=True, cut=False):
    """Teacher forcing, step by step."""
    read, first = self.encode(source)
    s = first if start is None else start(first)
    steps = []
    for y in inputs.unbind(1):
        logits, new, weights = self.step(y, s.detach() if cut else s, read)
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


def one_step(self, y, s, source, cell="word context", out="state context word", late=False):
    """A step of the decoder whose parts are laid side by side in the order of the names."""
    found = {"word": self.target(y), "old": s}
    if late:  # the cell reads a mean of the words, and the new state looks
        found["context"] = source[1].mean(1)
    else:
        found["context"], weights = self.attend(s, *source)
    s = self.cell(torch.cat([found[name] for name in cell.split()], -1), s)
    found["state"] = s
    if late:
        found["context"], weights = self.attend(s, *source)
    return self.out(torch.cat([found[name] for name in out.split()], -1)), s, weights


@misconception(
    "5.2",
    replaces="Translator.step",
    says="The cell reads the context before the word. Parameters are set from outside, so the "
    "order matters: word, then context.",
)
def swaps_word_and_context(self, y, s, source):
    return one_step(self, y, s, source, cell="context word")


@misconception(
    "5.2",
    replaces="Translator.step",
    kind="idea",
    says="The logits read the old state: give `out` the state that the cell returned.",
)
def tells_from_the_old_state(self, y, s, source):
    return one_step(self, y, s, source, out="old context word")


@misconception(
    "5.2",
    replaces="Translator.step",
    kind="idea",
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
    return one_step(self, y, s, source, out="word context state")


@torch.no_grad()
def say(self, source, most, first=BOS, stop=all, cut=True, carry=True, again=False):
    """Write the likeliest words, with one thing or another wrong."""
    read, s = self.encode(source)
    y, rows = torch.full_like(source[:, 0], first), source[:, :0]
    while rows.shape[1] < most and not stop((rows == EOS).any(1).tolist()):
        logits, new, _ = self.step(y, s, read)
        s, said = new if carry else s, logits.argmax(-1)
        y = y if again else said
        rows = torch.cat([rows, said[:, None]], dim=1)
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


@misconception(
    "5.2",
    replaces="Translator.step",
    says="The new state looks as well. One look, by the old state, serves the cell and the logits.",
)
def looks_twice(self, y, s, source):
    word = self.target(y)
    context, _ = self.attend(s, *source)
    s = self.cell(torch.cat([word, context], -1), s)
    context, weights = self.attend(s, *source)
    return self.out(torch.cat([s, context, word], -1)), s, weights


@misconception(
    "5.2",
    replaces="Translator.step",
    says="`out` reads the context before the word: new state, context, word.",
)
def tells_the_word_before_the_context(self, y, s, source):
    return one_step(self, y, s, source, out="state word context")


@misconception(
    "5.2",
    replaces="Translator.step",
    says="These are probabilities. Return logits: the loss takes their softmax itself.",
)
def steps_to_probabilities(self, y, s, source):
    logits, s, weights = one_step(self, y, s, source)
    return logits.softmax(-1), s, weights


@misconception(
    "5.2",
    replaces="Translator.step",
    kind="idea",
    says="The cell begins with zeros at every step: give it the old state.",
)
def gives_the_cell_no_state(self, y, s, source):
    word = self.target(y)
    context, weights = self.attend(s, *source)
    s = self.cell(torch.cat([word, context], -1))
    return self.out(torch.cat([s, context, word], -1)), s, weights


@misconception(
    "5.2",
    replaces="Translator.forward",
    says="Only the last step's weights are returned; asked for are those of every step.",
)
def returns_the_last_weights(self, source, inputs):
    logits, weights = forced(self, source, inputs)
    return logits, weights[:, -1]


@misconception(
    "5.2",
    replaces="Translator.forward",
    says="The state was detached at each step, so the decoder cannot learn what to remember.",
)
def cuts_the_state_from_the_graph(self, source, inputs):
    return tuple(forced(self, source, inputs, cut=True))


@misconception(
    "5.2",
    replaces="Translator.translate",
    kind="idea",
    says="Each word was written from the first state alone: carry the state on.",
)
def carries_no_state(self, source, most=60):
    return say(self, source, most, carry=False)


@misconception(
    "5.2",
    replaces="Translator.translate",
    kind="idea",
    says="Each step reads BOS: it must read the word that was just written.",
)
def reads_bos_at_each_step(self, source, most=60):
    return say(self, source, most, again=True)


@misconception(
    "5.2",
    replaces="Translator.translate",
    kind="edge",
    says="`most` is ignored: a row has at most so many words.",
)
def has_no_limit(self, source, most=60):
    return say(self, source, 60)


@misconception(
    "5.2",
    replaces="Translator.translate",
    kind="edge",
    says="A row has one word too many: stop when `most` words are written.",
)
def writes_one_word_too_many(self, source, most=60):
    return say(self, source, most + 1)


@misconception(
    "5.2",
    replaces="Translator.translate",
    says="The first word that is read must be BOS; here it is PAD.",
)
def begins_with_padding(self, source, most=60):
    return say(self, source, most, first=PAD)


@misconception(
    "5.2",
    replaces="Translator.translate",
    says="EOS ends a sentence but is no part of it: cut each row before it.",
)
def keeps_the_end(self, source, most=60):
    rows = say(self, source, most, cut=False)
    return [row[: row.index(EOS) + 1] if EOS in row else row for row in rows]
