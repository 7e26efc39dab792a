"""Plausible mistakes in section 4.12: encoder and decoder."""

import torch
from torch.nn.utils.rnn import pack_padded_sequence

from nextword.corpora.batches import until_end
from nextword.judge.misconceptions import misconception

PAD, BOS, EOS = 0, 1, 2


@misconception(
    "4.12",
    replaces="Seq2Seq.encode",
    says="The GRU went on reading PAD after the end of the shorter sentences: pack the rows, or "
    "take each row's state after its own last word.",
)
def reads_the_padding(self, source):
    return self.encoder(self.source(source))[1]


@misconception(
    "4.12",
    replaces="Seq2Seq.encode",
    says="The states came back in the order of the lengths. Each row's state must stand in its "
    "row: enforce_sorted=False sorts them back.",
)
def sorts_the_sentences(self, source):
    lengths, order = (source != PAD).sum(1).sort(descending=True)
    return self.encoder(pack_padded_sequence(self.source(source[order]), lengths, True))[1]


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


def written(self, source, most, keep=True, stop="all", cut=until_end):
    """A greedy translation with one thing changed."""
    first = encoded(self, source)
    s, tokens, rows = first, torch.full_like(source[:, :1], BOS), source[:, :0]
    with torch.no_grad():
        while rows.shape[1] < most:
            states, after = self.decoder(self.target(tokens), s)
            s = after if keep else first
            tokens = self.out(states).argmax(-1)
            rows = torch.cat([rows, tokens], dim=1)
            ended = (rows == EOS).any(1)
            if ended.all() or (stop == "any" and ended.any()):
                break
    return cut(rows.tolist())


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
