"""Plausible mistakes in sections 6.9 to 6.11: generating, masked words, translating."""

import math

import torch
import torch.nn.functional as F  # noqa: N812 - torch's own custom

from nextword.corpora.batches import until_end
from nextword.judge.misconceptions import misconception

PAD, BOS, EOS, IGNORE = 0, 1, 2, -100


# ------------------------------------------------------------------ 6.9
def write(model, prompts, most, rng, heat, cached, **wrong):
    """Continue prompts with one thing changed."""
    rows = new = torch.tensor([[BOS, *prompt] for prompt in prompts])
    past, room = None, most + (len(prompts[0]) if "more" in wrong else 0)
    while rows.shape[1] <= room:
        ended = (rows == EOS).any(1)
        if ended.any() if "first" in wrong else ended.all():
            break
        if "rereads" in wrong and cached:
            logits, past = model(rows, past)
        else:
            logits, past = model(new, past) if cached or "always" in wrong else model(rows)
        scores = logits[:, -1].clone()
        if "any" not in wrong:
            scores[:, [PAD, BOS]] = -math.inf
        scores = scores / heat if heat and "warm" not in wrong else scores
        new = scores.argmax(-1, keepdim=True)
        if heat and "greedy" not in wrong:
            new = torch.multinomial(scores.softmax(-1), 1, generator=rng)
        rows = torch.cat([rows, new], dim=1)
    return until_end(rows[:, 1:].tolist())


@misconception(
    "6.9",
    replaces="generate",
    says="With the past given, all tokens are read again, so the model believes that they occurred "
    "twice. Read the new column only.",
)
def reads_old_tokens_again(model, prompts, most, rng, heat=1.0, cached=True):
    return write(model, prompts, most, rng, heat, cached, rereads=True)


@misconception(
    "6.9",
    replaces="generate",
    says="The past is used also where cached is False. Then all tokens are read each time.",
)
def always_caches(model, prompts, most, rng, heat=1.0, cached=True):
    return write(model, prompts, most, rng, heat, cached, always=True)


@misconception(
    "6.9",
    replaces="generate",
    says="All texts end with the first one. Go on until every row has its EOS.",
)
def stops_with_the_first(model, prompts, most, rng, heat=1.0, cached=True):
    return write(model, prompts, most, rng, heat, cached, first=True)


@misconception(
    "6.9",
    replaces="generate",
    says="`most` counts new words here. It counts all words, those of the prompt as well.",
)
def counts_new_words_only(model, prompts, most, rng, heat=1.0, cached=True):
    return write(model, prompts, most, rng, heat, cached, more=True)


@misconception(
    "6.9",
    replaces="generate",
    says="PAD or BOS can be written. Give their logits -inf before anything is chosen.",
)
def writes_anything(model, prompts, most, rng, heat=1.0, cached=True):
    return write(model, prompts, most, rng, heat, cached, any=True)


@misconception(
    "6.9",
    replaces="generate",
    says="`heat` is not used: divide the logits by it before the softmax.",
)
def ignores_the_heat(model, prompts, most, rng, heat=1.0, cached=True):
    return write(model, prompts, most, rng, heat, cached, warm=True)


@misconception(
    "6.9",
    replaces="generate",
    says="The likeliest word is written also where heat is above 0. There, words are drawn.",
)
def never_draws(model, prompts, most, rng, heat=1.0, cached=True):
    return write(model, prompts, most, rng, heat, cached, greedy=True)


# ------------------------------------------------------------------ 6.10
def hide(tokens, V, rng, share, least=EOS, fates=(0.8, 0.9), words=(3, -1), everywhere=False):
    """Choose and hide words with one thing changed."""
    chosen = (torch.rand(tokens.shape, generator=rng) < share) & (tokens > least)
    fate = torch.rand(tokens.shape, generator=rng)
    other = torch.randint(words[0], V + words[1], tokens.shape, generator=rng)
    changed = torch.where(fate < fates[0], V - 1, torch.where(fate < fates[1], other, tokens))
    targets = tokens if everywhere else torch.where(chosen, tokens, IGNORE)
    return torch.where(chosen, changed, tokens), targets


@misconception(
    "6.10",
    replaces="mask_words",
    says="BOS, EOS or PAD can be chosen. Only words can: ids above EOS.",
)
def chooses_any_token(tokens, V, rng, share=0.15):
    return hide(tokens, V, rng, share, least=-1)


@misconception(
    "6.10",
    replaces="mask_words",
    kind="idea",
    says="All chosen words become MASK. Only 80 % do; 10 % become another word, and 10 % stay.",
)
def hides_all(tokens, V, rng, share=0.15):
    return hide(tokens, V, rng, share, fates=(1.1, 1.1))


@misconception(
    "6.10",
    replaces="mask_words",
    kind="idea",
    says="Every word is a target. Only the chosen ones are: the others can simply be copied.",
)
def asks_for_every_word(tokens, V, rng, share=0.15):
    return hide(tokens, V, rng, share, everywhere=True)


@misconception(
    "6.10",
    replaces="mask_words",
    says="The words that replace others may be PAD, BOS or EOS. Draw from EOS + 1 on.",
)
def draws_special_tokens(tokens, V, rng, share=0.15):
    return hide(tokens, V, rng, share, words=(0, -1))


@misconception(
    "6.10",
    replaces="mask_words",
    kind="edge",
    says="The last word of the vocabulary is never drawn: torch.randint leaves its upper end out.",
)
def leaves_a_word_out(tokens, V, rng, share=0.15):
    return hide(tokens, V, rng, share, words=(3, -2))


@misconception(
    "6.10",
    replaces="mask_words",
    says="The 10 % of other words and the 10 % that stay are taken from what 80 % left over, one "
    "after the other. Compare one number with 0.8 and with 0.9.",
)
def takes_shares_of_the_rest(tokens, V, rng, share=0.15):
    return hide(tokens, V, rng, share, fates=(0.8, 0.82))


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
