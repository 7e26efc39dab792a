"""Plausible mistakes in sections 6.10 and 6.11: an encoder, and a decoder that looks at it."""

import torch
import torch.nn.functional as F  # noqa: N812 - torch's own custom

from examiner.judge.misconceptions import misconception

PAD, BOS, EOS = 0, 1, 2


@misconception(
    "6.10",
    replaces="Encoder.forward",
    says="Padding is seen: pass mask=tokens != PAD to `read`.",
)
def sees_padding(self, tokens):
    x, _ = self.read(tokens)
    return self.logits(x), x


@misconception(
    "6.10",
    replaces="Encoder.forward",
    kind="idea",
    says="The mask is the wrong way round: it must be True where a token is not PAD.",
)
def sees_padding_only(self, tokens):
    x, _ = self.read(tokens, mask=tokens == PAD)
    return self.logits(x), x


@misconception(
    "6.10",
    replaces="Encoder.forward",
    says="Marks are hidden as well. Only PAD is: BOS and EOS are seen.",
)
def hides_marks(self, tokens):
    x, _ = self.read(tokens, mask=tokens > EOS)
    return self.logits(x), x


@misconception(
    "6.10",
    replaces="Encoder.forward",
    says="The vectors are returned first. The logits come first.",
)
def returns_vectors_first(self, tokens):
    x, _ = self.read(tokens, mask=tokens != PAD)
    return x, self.logits(x)


@misconception(
    "6.10",
    replaces="Encoder.forward",
    says="These are probabilities. Return the logits themselves.",
)
def returns_chances(self, tokens):
    x, _ = self.read(tokens, mask=tokens != PAD)
    return self.logits(x).softmax(-1), x


@misconception(
    "6.10",
    replaces="Encoder.forward",
    says="The states are returned for the vectors.",
)
def returns_states(self, tokens):
    x, states = self.read(tokens, mask=tokens != PAD)
    return self.logits(x), states


@misconception(
    "6.10",
    replaces="Encoder.forward",
    says="Only the vector of the first token is returned. Return those of all.",
)
def returns_the_first_vector(self, tokens):
    x, _ = self.read(tokens, mask=tokens != PAD)
    return self.logits(x), x[:, 0]


@misconception(
    "6.10",
    replaces="Encoder.forward",
    says="The vectors are those of the embedding. Return what `read` returned.",
)
def returns_the_embedding(self, tokens):
    x, _ = self.read(tokens, mask=tokens != PAD)
    return self.logits(x), self.embed(tokens)


@misconception(
    "6.10",
    replaces="Encoder.forward",
    says="The mask is moved by one place, so a text's last word is hidden. It is tokens != PAD.",
)
def moves_the_mask(self, tokens):
    x, _ = self.read(tokens, mask=F.pad(tokens[:, 1:], (0, 1)) != PAD)
    return self.logits(x), x


# ------------------------------------------------------------------ 6.11
@misconception(
    "6.11",
    replaces="EncoderDecoder.forward",
    says="The encoder reads the source again at each call. Keep its vectors in the past.",
)
def reads_the_source_again(self, source, inputs, past=None):
    vectors = self.encoder(source)[1]
    x, past = self.read(inputs, past and past[1], memory=(vectors, source != PAD))
    return self.logits(x), (vectors, past)


@misconception(
    "6.11",
    replaces="EncoderDecoder.forward",
    says="The decoder looks at the padding of the source. Its mask is source != PAD.",
)
def looks_at_padding_of_the_source(self, source, inputs, past=None):
    vectors, past = past or (self.encoder(source)[1], None)
    x, past = self.read(inputs, past, memory=(vectors, torch.ones_like(source, dtype=torch.bool)))
    return self.logits(x), (vectors, past)


@misconception(
    "6.11",
    replaces="EncoderDecoder.forward",
    says="The decoder forgets what it has written: pass on what `read` returned the time before.",
)
def forgets_what_it_wrote(self, source, inputs, past=None):
    vectors, _ = past or (self.encoder(source)[1], None)
    x, past = self.read(inputs, None, memory=(vectors, source != PAD))
    return self.logits(x), (vectors, past)


@misconception(
    "6.11",
    replaces="EncoderDecoder.forward",
    kind="idea",
    says="The decoder never looks at the source: pass memory= to `read`.",
)
def ignores_the_source(self, source, inputs, past=None):
    vectors, past = past or (self.encoder(source)[1], None)
    x, past = self.read(inputs, past)
    return self.logits(x), (vectors, past)


@misconception(
    "6.11",
    replaces="EncoderDecoder.forward",
    says="The mask of the source is given to self-attention, whose tokens are those of the target. "
    "It belongs to the memory.",
)
def masks_the_target(self, source, inputs, past=None):
    vectors, past = past or (self.encoder(source)[1], None)
    ones = torch.ones_like(source, dtype=torch.bool)
    n = inputs.shape[1]
    mask = F.pad(source != PAD, (0, max(0, n - source.shape[1])), value=True)[:, :n]
    x, past = self.read(inputs, past, mask=mask, memory=(vectors, ones))
    return self.logits(x), (vectors, past)


@misconception(
    "6.11",
    replaces="EncoderDecoder.forward",
    says="The mask of the source is the wrong way round: it is True for words.",
)
def sees_the_padding_of_the_source(self, source, inputs, past=None):
    vectors, past = past or (self.encoder(source)[1], None)
    x, past = self.read(inputs, past, memory=(vectors, source == PAD))
    return self.logits(x), (vectors, past)


@misconception(
    "6.11",
    replaces="EncoderDecoder.forward",
    says="The mask is that of the inputs. It must hide the padding of the source.",
)
def masks_by_the_inputs(self, source, inputs, past=None):
    vectors, past = past or (self.encoder(source)[1], None)
    x, past = self.read(inputs, past, memory=(vectors, inputs != PAD))
    return self.logits(x), (vectors, past)


@misconception(
    "6.11",
    replaces="EncoderDecoder.forward",
    says="The encoder's logits are the memory. Its vectors are: self.encoder(source)[1].",
)
def looks_at_logits(self, source, inputs, past=None):
    vectors, past = past or (self.encoder(source)[0], None)
    x, past = self.read(inputs, past, memory=(vectors, source != PAD))
    return self.logits(x), (vectors, past)


@misconception(
    "6.11",
    replaces="EncoderDecoder.forward",
    says="The past is only what `read` returned, so the vectors are lost: keep both.",
)
def loses_the_vectors(self, source, inputs, past=None):
    vectors, past = past or (self.encoder(source)[1], None)
    x, past = self.read(inputs, past, memory=(vectors, source != PAD))
    return self.logits(x), past


@misconception(
    "6.11",
    replaces="EncoderDecoder.forward",
    says="The memory is passed in the first call only. Every call needs it.",
)
def shows_the_source_once(self, source, inputs, past=None):
    first = past is None
    vectors, past = past or (self.encoder(source)[1], None)
    memory = (vectors, source != PAD) if first else None
    x, past = self.read(inputs, past, memory=memory)
    return self.logits(x), (vectors, past)


@misconception(
    "6.11",
    replaces="EncoderDecoder.forward",
    says="Only the logits are returned. Return the past as well.",
)
def returns_logits_alone(self, source, inputs, past=None):
    vectors, past = past or (self.encoder(source)[1], None)
    x, past = self.read(inputs, past, memory=(vectors, source != PAD))
    return self.logits(x)


@misconception(
    "6.11",
    replaces="EncoderDecoder.forward",
    kind="idea",
    says="The memory is made of the words of the source. Let the encoder read them.",
)
def looks_at_plain_words(self, source, inputs, past=None):
    vectors, past = past or (self.embed(source), None)
    x, past = self.read(inputs, past, memory=(vectors, source != PAD))
    return self.logits(x), (vectors, past)


@misconception(
    "6.11",
    replaces="EncoderDecoder.forward",
    says="The logits are those of the last place only. Return all.",
)
def answers_at_the_last_place(self, source, inputs, past=None):
    vectors, past = past or (self.encoder(source)[1], None)
    x, past = self.read(inputs, past, memory=(vectors, source != PAD))
    return self.logits(x[:, -1:]), (vectors, past)


@misconception(
    "6.11",
    replaces="EncoderDecoder.forward",
    kind="edge",
    says="Padding among the inputs is hidden. No word looks forward, so that is not needed; and "
    "with a past the mask does not fit.",
)
def masks_the_inputs(self, source, inputs, past=None):
    vectors, past = past or (self.encoder(source)[1], None)
    x, past = self.read(inputs, past, mask=inputs != PAD, memory=(vectors, source != PAD))
    return self.logits(x), (vectors, past)


@misconception(
    "6.11",
    replaces="EncoderDecoder.forward",
    says="Marks of the source are hidden. Only PAD is: BOS and EOS are seen.",
)
def hides_marks_of_the_source(self, source, inputs, past=None):
    vectors, past = past or (self.encoder(source)[1], None)
    x, past = self.read(inputs, past, memory=(vectors, source > EOS))
    return self.logits(x), (vectors, past)


@misconception(
    "6.11",
    replaces="EncoderDecoder.forward",
    says="The encoder does not learn: do not detach its vectors.",
)
def detaches_the_encoder(self, source, inputs, past=None):
    vectors, past = past or (self.encoder(source)[1].detach(), None)
    x, past = self.read(inputs, past, memory=(vectors, source != PAD))
    return self.logits(x), (vectors, past)


@misconception(
    "6.11",
    replaces="EncoderDecoder.forward",
    says="Probabilities are returned. Return the logits.",
)
def translates_into_chances(self, source, inputs, past=None):
    vectors, past = past or (self.encoder(source)[1], None)
    x, past = self.read(inputs, past, memory=(vectors, source != PAD))
    return self.logits(x).softmax(-1), (vectors, past)


@misconception(
    "6.11",
    replaces="EncoderDecoder.forward",
    kind="edge",
    says="The vectors are kept in the model, so another source gets those of the first one. Keep "
    "them in the past.",
)
def keeps_vectors_in_the_model(self, source, inputs, past=None):
    if not hasattr(self, "kept"):
        self.kept = self.encoder(source)[1]
    x, read = self.read(inputs, past and past[1], memory=(self.kept, source != PAD))
    return self.logits(x), (self.kept, read)
