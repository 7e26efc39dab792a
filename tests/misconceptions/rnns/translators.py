"""Plausible mistakes in section 4.12: encoder and decoder."""

import torch
from torch.nn.utils.rnn import pack_padded_sequence

from examiner.judge.misconceptions import misconception
from nextword.given.batches import until_end

PAD, BOS, EOS = 0, 1, 2


@misconception(
    "4.12",
    replaces="Seq2Seq.encode",
    kind="idea",
    says="The GRU went on reading PAD after the end of the shorter sentences: pack the rows, or "
    "take each row's state after its own last word.",
)
def reads_the_padding(self, source):
    return self.encoder(self.source(source))[1]


@misconception(
    "4.12",
    replaces="Seq2Seq.encode",
    kind="edge",
    says="The states came back in the order of the lengths. Each row's state must stand in its "
    "row: enforce_sorted=False sorts them back.",
)
def sorts_the_sentences(self, source):
    lengths, order = (source != PAD).sum(1).sort(descending=True)
    return self.encoder(pack_padded_sequence(self.source(source[order]), lengths, True))[1]


@misconception(
    "4.12",
    replaces="Seq2Seq.encode",
    kind="edge",
    says="pack_padded_sequence takes the rows to be in order of their lengths: give it "
    "enforce_sorted=False.",
)
def needs_sorted_sentences(self, source):
    lengths = (source != PAD).sum(1)
    return self.encoder(pack_padded_sequence(self.source(source), lengths, True))[1]


@misconception(
    "4.12",
    replaces="Seq2Seq.encode",
    says="An axis is gone: the decoder wants the state as nn.GRU returns it, (1, B, H).",
)
def drops_the_first_axis(self, source):
    return encoded(self, source)[0]


@misconception(
    "4.12",
    replaces="Seq2Seq.encode",
    kind="idea",
    says="The mean of all states is returned; the decoder begins in the last one.",
)
def averages_the_states(self, source):
    real = (source != PAD)[:, :, None]
    return ((self.encoder(self.source(source))[0] * real).sum(1) / real.sum(1))[None]


def encoded(self, source):
    lengths, x = (source != PAD).sum(1), self.source(source)
    return self.encoder(pack_padded_sequence(x, lengths, True, enforce_sorted=False))[1]


@misconception(
    "4.12",
    replaces="Seq2Seq.forward",
    kind="idea",
    says="The decoder begins with zeros, so it knows nothing of the source: hand it the encoder's "
    "last state.",
)
def decodes_from_nothing(self, source, inputs):
    return self.out(self.decoder(self.target(inputs))[0])


@misconception(
    "4.12",
    replaces="Seq2Seq.forward",
    kind="idea",
    says="These are probabilities. Return logits: the loss takes their softmax itself.",
)
def decodes_to_probabilities(self, source, inputs):
    states, _ = self.decoder(self.target(inputs), encoded(self, source))
    return self.out(states).softmax(-1)


def decoded(self, source, inputs, s=None, network=None):
    """The decoder's states for given words."""
    s = encoded(self, source) if s is None else s
    return (network or self.decoder)(self.target(inputs), s)[0]


@misconception(
    "4.12",
    replaces="Seq2Seq.forward",
    kind="idea",
    says="Each step reads the word that the model found likeliest. Teacher forcing reads the true "
    "words of `inputs`.",
)
def decodes_its_own_words(self, source, inputs):
    s, token, logits = encoded(self, source), inputs[:, :1], []
    for _ in range(inputs.shape[1]):
        states, s = self.decoder(self.target(token), s)
        logits.append(self.out(states))
        token = logits[-1].argmax(-1)
    return torch.cat(logits, dim=1)


@misconception(
    "4.12",
    replaces="Seq2Seq.forward",
    says="Only the logits after the last word are returned; asked for are those after each.",
)
def tells_the_last_logits(self, source, inputs):
    return self.out(decoded(self, source, inputs)[:, -1])


@misconception(
    "4.12",
    replaces="Seq2Seq.forward",
    says="These are the decoder's states: `out` makes logits of them.",
)
def forgets_the_output_layer(self, source, inputs):
    return decoded(self, source, inputs)


@misconception(
    "4.12",
    replaces="Seq2Seq.forward",
    says="The encoder's state was cut off from the graph, so the encoder learns nothing: do not "
    "detach it.",
)
def detaches_the_encoder(self, source, inputs):
    return self.out(decoded(self, source, inputs, encoded(self, source).detach()))


@misconception(
    "4.12",
    replaces="Seq2Seq.forward",
    kind="idea",
    says="Every step begins in the encoder's state: carry the decoder's own state on.",
)
def decodes_each_step_anew(self, source, inputs):
    columns = inputs.split(1, dim=1)
    return self.out(torch.cat([decoded(self, source, column) for column in columns], dim=1))


@misconception(
    "4.12",
    replaces="Seq2Seq.forward",
    kind="idea",
    says="The encoder reads the target, too: that is the decoder's part.",
)
def decodes_with_the_encoder(self, source, inputs):
    return self.out(decoded(self, source, inputs, network=self.encoder))


def written(self, source, most, keep=True, stop="all", cut=until_end, first=BOS, read="new"):
    """A greedy translation with one thing changed."""
    begin, opening = self.encode(source), torch.full_like(source[:, :1], first)
    s, tokens, rows = begin, opening, source[:, :0]
    with torch.no_grad():
        while rows.shape[1] < most:
            states, after = self.decoder(self.target(tokens), s)
            s = after if keep else begin
            said = self.out(states)[:, -1:].argmax(-1)
            rows = torch.cat([rows, said], dim=1)
            tokens = {"new": said, "first": opening, "all": torch.cat([tokens, said], 1)}[read]
            ended = (rows == EOS).any(1)
            if ended.all() or (stop == "any" and ended.any()):
                break
    return cut(rows.tolist())


def up_to_the_end(rows):
    return [row[: row.index(EOS) + 1] if EOS in row else row for row in rows]


@misconception(
    "4.12",
    replaces="Seq2Seq.translate",
    kind="idea",
    says="Each word was decoded from the encoder's state alone. Carry the decoder's state on.",
)
def begins_each_word_anew(self, source, most=60):
    return written(self, source, most, keep=False)


@misconception(
    "4.12",
    replaces="Seq2Seq.translate",
    says="All rows stop when the first has said EOS; go on until every row has.",
)
def stops_with_the_first(self, source, most=60):
    return written(self, source, most, stop="any")


@misconception(
    "4.12",
    replaces="Seq2Seq.translate",
    says="EOS and what was written after it still stand in the rows: cut them with until_end.",
)
def translates_the_end(self, source, most=60):
    return written(self, source, most, cut=list)


@misconception(
    "4.12",
    replaces="Seq2Seq.translate",
    says="The first word that is read must be BOS; here it is EOS.",
)
def opens_with_the_end(self, source, most=60):
    return written(self, source, most, first=EOS)


@misconception(
    "4.12",
    replaces="Seq2Seq.translate",
    kind="idea",
    says="Each step reads BOS again: it must read the word that was just written.",
)
def reads_bos_each_time(self, source, most=60):
    return written(self, source, most, read="first")


@misconception(
    "4.12",
    replaces="Seq2Seq.translate",
    kind="idea",
    says="Each step reads all words again, though the state holds them: read the last one only.",
)
def reads_all_words_again(self, source, most=60):
    return written(self, source, most, read="all")


@misconception(
    "4.12",
    replaces="Seq2Seq.translate",
    kind="edge",
    says="`most` is ignored: a row has at most so many words.",
)
def has_no_limit(self, source, most=60):
    return written(self, source, 60)


@misconception(
    "4.12",
    replaces="Seq2Seq.translate",
    kind="edge",
    says="A row has one word too many: stop when `most` words are written.",
)
def writes_one_word_too_many(self, source, most=60):
    return written(self, source, most + 1)


@misconception(
    "4.12",
    replaces="Seq2Seq.translate",
    says="EOS ends a sentence but is no part of it: cut each row before it.",
)
def keeps_the_end(self, source, most=60):
    return written(self, source, most, cut=up_to_the_end)
