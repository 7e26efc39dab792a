"""Plausible mistakes in sections 6.6 and 6.7: the model, GPT-2's weights."""

import torch

from nextword.corpora.transformer_parts import GPT2
from nextword.judge.misconceptions import misconception


# ------------------------------------------------------------------ 6.6
def go(self, tokens, past, look, **wrong):
    """Read with one thing changed."""
    start, states = past or (0, [None] * len(self.blocks))
    x, new = self.embed(tokens, 0 if "restarts" in wrong else start), []
    if not self.sizes.pre and "no_first" not in wrong:
        x = self.norm(x)
    shared = states[-1]
    for block, state in zip(self.blocks, states, strict=True):
        state = shared if "one_state" in wrong else state
        x, state = block(x, state, **({} if "deaf" in wrong else look))
        new.append(state)
    if (self.sizes.pre and "no_last" not in wrong) or "no_first" in wrong:
        x = self.norm(x)
    n = tokens.shape[1]
    return x, (n if "no_sum" in wrong else start + n, new)


@misconception(
    "6.6",
    replaces="LanguageModel.read",
    kind="idea",
    says="The norm after the last block is missing.",
)
def forgets_the_last_norm(self, tokens, past=None, **look):
    return go(self, tokens, past, look, no_last=True)


@misconception(
    "6.6",
    replaces="LanguageModel.read",
    says="In a post-norm model the norm is before the first block, not after the last one.",
)
def norms_last_in_any_case(self, tokens, past=None, **look):
    return go(self, tokens, past, look, no_first=True)


@misconception(
    "6.6",
    replaces="LanguageModel.read",
    says="Later pieces of a text begin at place 0 again: self.embed(tokens, start).",
)
def counts_places_anew(self, tokens, past=None, **look):
    return go(self, tokens, past, look, restarts=True)


@misconception(
    "6.6",
    replaces="LanguageModel.read",
    says="All blocks get the last block's state. Each block has a state of its own.",
)
def shares_one_state(self, tokens, past=None, **look):
    return go(self, tokens, past, look, one_state=True)


@misconception(
    "6.6",
    replaces="LanguageModel.read",
    says="Only the tokens of this call are counted. Add those that were read before.",
)
def counts_this_call_only(self, tokens, past=None, **look):
    return go(self, tokens, past, look, no_sum=True)


@misconception(
    "6.6",
    replaces="LanguageModel.read",
    says="What `read` gets by keyword, such as a mask, does not reach the blocks: pass on **look.",
)
def tells_blocks_nothing(self, tokens, past=None, **look):
    return go(self, tokens, past, look, deaf=True)


@misconception(
    "6.6",
    replaces="LanguageModel.logits",
    says="The logits use the words' vectors even where the sizes are not tied: then self.out has a "
    "matrix of its own.",
)
def always_ties(self, x):
    return x @ self.embed.words.weight.T


def draw(model, rng, std, among, factor, zero=("bias",)):
    """First weights with one thing changed; factor: of the number of residual weights."""
    named = dict(model.named_parameters())
    n = sum(name.endswith(("W_o.weight", "down.weight")) for name in named)
    with torch.no_grad():
        for name, p in named.items():
            if name.endswith(zero):
                p.zero_()
            elif p.ndim > 1:
                less = name.endswith(("W_o.weight", "down.weight"))
                p.normal_(0, std * factor(n) if less else std, generator=rng)
            elif among:
                p.normal_(0, std, generator=rng)
    return model


@misconception(
    "6.6",
    replaces="initialise",
    kind="idea",
    says="Weights that write into the stream are drawn as wide as all others. There are N of them, "
    "so theirs is std / sqrt(N).",
)
def draws_all_alike(model, rng, std=0.02):
    return draw(model, rng, std, False, lambda n: 1.0)


@misconception(
    "6.6",
    replaces="initialise",
    says="The N writers get std / N. The sum of N independent answers is sqrt(N) times as "
    "large as one, so use std / sqrt(N).",
)
def divides_by_n(model, rng, std=0.02):
    return draw(model, rng, std, False, lambda n: 1 / n)


@misconception(
    "6.6",
    replaces="initialise",
    says="The gains of the norms are drawn at random. Leave them: they begin at 1.",
)
def draws_the_gains(model, rng, std=0.02):
    return draw(model, rng, std, True, lambda n: n**-0.5)


@misconception(
    "6.6",
    replaces="initialise",
    says="The biases keep what torch drew for them. Set them to 0.",
)
def keeps_the_biases(model, rng, std=0.02):
    return draw(model, rng, std, False, lambda n: n**-0.5, zero=("no such name",))


# ------------------------------------------------------------------ 6.7
MASKS = (".attn.bias", ".attn.masked_bias", "lm_head.weight")


def rename(weights, skip=MASKS, turn=lambda name: ".c_" in name, names=None):
    """Names and shapes with one thing changed."""
    found = {}
    for name, weight in weights.items():
        turned = weight.T if turn(name) and name.endswith(".weight") else weight
        if not name.endswith(skip):
            for old, new in (names or GPT2).items():
                name = name.replace(old, new)
            found[name] = turned
    return found


@misconception(
    "6.7",
    replaces="from_gpt2",
    kind="idea",
    says="No weight is transposed: GPT-2's layers compute x W + b, torch's compute x W^T + b.",
)
def turns_nothing(weights):
    return rename(weights, turn=lambda name: False)


@misconception(
    "6.7",
    replaces="from_gpt2",
    says="The embeddings are transposed, too. Only the weights of c_attn, c_proj and c_fc are.",
)
def turns_the_embeddings(weights):
    return rename(weights, turn=lambda name: ".c_" in name or "w" in name.split(".")[-2][:1])


@misconception(
    "6.7",
    replaces="from_gpt2",
    says="c_proj is not transposed. Its weight may be square, so the shape does not show it.",
)
def turns_by_shape(weights):
    found = rename(weights, turn=lambda name: False)
    return {
        name: w.T if "blocks" in name and w.ndim == 2 and w.shape[0] != w.shape[1] else w
        for name, w in found.items()
    }


@misconception(
    "6.7",
    replaces="from_gpt2",
    says="Everything that ends with bias and belongs to attention is left out. c_attn.bias and "
    "c_proj.bias are true biases; only h.0.attn.bias and the like are masks.",
)
def drops_true_biases(weights):
    return {
        name: weight
        for name, weight in rename(weights).items()
        if not ("mixer" in name and name.endswith("bias"))
    }


@misconception(
    "6.7",
    replaces="from_gpt2",
    says="The masks of old files are kept. They are no weights: leave them out.",
)
def keeps_the_masks(weights):
    return rename(weights, skip=("lm_head.weight",))


@misconception(
    "6.7",
    replaces="from_gpt2",
    says="lm_head.weight is kept. It is the matrix of the words' vectors once more: leave it out.",
)
def keeps_the_head(weights):
    return rename(weights, skip=MASKS[:2])
