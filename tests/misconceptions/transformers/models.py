"""Plausible mistakes in sections 6.6 and 6.7: the model, GPT-2's weights."""

import math

import torch

from nextword.corpora.transformer_parts import GPT2
from nextword.judge.misconceptions import misconception


# ------------------------------------------------------------------ 6.6
def go(self, tokens, past, look, **wrong):
    """Read with one thing changed."""
    past = None if "anew" in wrong else past
    start, states = past or (0, [None] * len(self.blocks))
    x, new = self.embed(tokens, 0 if "restarts" in wrong else start), []
    norms = wrong.get("norms", {True: "after", False: "before"})[self.sizes.pre]
    first = x = self.norm(x) if norms in ("before", "twice") else x
    state = states[0]
    blocks = reversed(self.blocks) if "reversed" in wrong else self.blocks
    for number, block in enumerate(blocks):
        given = states[wrong["state"]] if "state" in wrong else states[number]
        given = state if "handed_on" in wrong else given
        said = {} if "deaf" in wrong else look
        said = {k: v for k, v in look.items() if k == "mask"} if "half_deaf" in wrong else said
        if "short" in wrong and number == len(self.blocks) - 1:
            new.append(given)
            break
        y, state = block(first if "flat" in wrong else x, given, **said)
        x = x + y if "adds" in wrong else y
        x = self.norm(x) if norms == "each" else x
        new.append(state)
    x = self.norm(x) if norms in ("after", "twice") else x
    new = {"old": states, "last": [state] * len(new)}.get(wrong.get("kept", ""), new)
    n = {"texts": len(tokens), "all": tokens.numel()}.get(wrong.get("n", ""), tokens.shape[1])
    return x, (n if "no_sum" in wrong else start + n, new)


@misconception(
    "6.6",
    replaces="LanguageModel.read",
    kind="idea",
    says="The norm after the last block is missing.",
)
def forgets_the_last_norm(self, tokens, past=None, **look):
    return go(self, tokens, past, look, norms={True: "", False: "before"})


@misconception(
    "6.6",
    replaces="LanguageModel.read",
    says="In a post-norm model the norm is before the first block, not after the last one.",
)
def norms_last_in_any_case(self, tokens, past=None, **look):
    return go(self, tokens, past, look, norms={True: "after", False: "after"})


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
    return go(self, tokens, past, look, state=-1)


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


@misconception(
    "6.6",
    replaces="LanguageModel.read",
    says="There is no norm at all: one stands after the last block, in a post-norm model before "
    "the first.",
)
def leaves_the_norm_out(self, tokens, past=None, **look):
    return go(self, tokens, past, look, norms={True: "", False: ""})


@misconception(
    "6.6",
    replaces="LanguageModel.read",
    says="The norm always stands before the first block. That is its place in a post-norm model; "
    "else it follows the last one.",
)
def norms_first_in_any_case(self, tokens, past=None, **look):
    return go(self, tokens, past, look, norms={True: "before", False: "before"})


@misconception(
    "6.6",
    replaces="LanguageModel.read",
    says="A post-norm model gets a second norm after its last block. It has only the one before "
    "the first.",
)
def norms_a_post_norm_model_twice(self, tokens, past=None, **look):
    return go(self, tokens, past, look, norms={True: "after", False: "twice"})


@misconception(
    "6.6",
    replaces="LanguageModel.read",
    says="In a post-norm model the norm is missing: it stands before the first block.",
)
def forgets_the_norm_of_post_norm(self, tokens, past=None, **look):
    return go(self, tokens, past, look, norms={True: "after", False: ""})


@misconception(
    "6.6",
    replaces="LanguageModel.read",
    says="There is a norm after every block. It stands after the last one only.",
)
def norms_after_every_block(self, tokens, past=None, **look):
    return go(self, tokens, past, look, norms={True: "each", False: "before"})


@misconception(
    "6.6",
    replaces="LanguageModel.read",
    says="All blocks get the first block's state. Each block has a state of its own.",
)
def gives_the_first_state_to_all(self, tokens, past=None, **look):
    return go(self, tokens, past, look, state=0)


@misconception(
    "6.6",
    replaces="LanguageModel.read",
    says="Each block gets the state of the block before it. A block's past is its own, from the "
    "call before.",
)
def hands_the_state_on(self, tokens, past=None, **look):
    return go(self, tokens, past, look, handed_on=True)


@misconception(
    "6.6",
    replaces="LanguageModel.read",
    kind="edge",
    says="Only the mask reaches the blocks. Pass on all that `read` gets by keyword: **look.",
)
def passes_the_mask_only(self, tokens, past=None, **look):
    return go(self, tokens, past, look, half_deaf=True)


@misconception(
    "6.6",
    replaces="LanguageModel.read",
    says="Texts are counted, not tokens: that is tokens.shape[1].",
)
def counts_texts(self, tokens, past=None, **look):
    return go(self, tokens, past, look, n="texts")


@misconception(
    "6.6",
    replaces="LanguageModel.read",
    says="The tokens of all texts are counted together. Those of one text are tokens.shape[1].",
)
def counts_all_texts_tokens(self, tokens, past=None, **look):
    return go(self, tokens, past, look, n="all")


@misconception(
    "6.6",
    replaces="LanguageModel.read",
    kind="idea",
    says="Every block reads the first vectors. Each reads what the one before it returned.",
)
def reads_the_embedding_in_each_block(self, tokens, past=None, **look):
    return go(self, tokens, past, look, flat=True)


@misconception(
    "6.6",
    replaces="LanguageModel.read",
    says="x is added to what a block returns. The block has done that already.",
)
def adds_to_the_blocks(self, tokens, past=None, **look):
    return go(self, tokens, past, look, adds=True)


@misconception(
    "6.6",
    replaces="LanguageModel.read",
    says="The states are those of the call before. Return what the blocks returned.",
)
def returns_old_states(self, tokens, past=None, **look):
    return go(self, tokens, past, look, kept="old")


@misconception(
    "6.6",
    replaces="LanguageModel.read",
    says="The state of the last block is returned for all of them. Collect one for each block.",
)
def returns_the_last_state_only(self, tokens, past=None, **look):
    return go(self, tokens, past, look, kept="last")


@misconception(
    "6.6",
    replaces="LanguageModel.read",
    says="The last block is left out.",
)
def leaves_the_last_block_out(self, tokens, past=None, **look):
    return go(self, tokens, past, look, short=True)


@misconception(
    "6.6",
    replaces="LanguageModel.read",
    says="The blocks are in the wrong order: the first one reads the words.",
)
def reads_blocks_backwards(self, tokens, past=None, **look):
    return go(self, tokens, past, look, reversed=True)


@misconception(
    "6.6",
    replaces="LanguageModel.read",
    kind="idea",
    says="The past is not used: every piece of a text is read as if it were the first.",
)
def reads_every_piece_anew(self, tokens, past=None, **look):
    return go(self, tokens, past, look, anew=True)


@misconception(
    "6.6",
    replaces="LanguageModel.logits",
    says="These are probabilities. Logits are the products themselves; the softmax comes later.",
)
def gives_probabilities(self, x):
    matrix = self.embed.words.weight if self.sizes.tied else self.out.weight
    return (x @ matrix.T).softmax(-1)


@misconception(
    "6.6",
    replaces="LanguageModel.logits",
    says="These are logarithms of probabilities. Logits are the products themselves.",
)
def gives_log_probabilities(self, x):
    matrix = self.embed.words.weight if self.sizes.tied else self.out.weight
    return (x @ matrix.T).log_softmax(-1)


@misconception(
    "6.6",
    replaces="LanguageModel.logits",
    says="The logits are divided by the root of D. They are the products themselves.",
)
def scales_the_logits(self, x):
    matrix = self.embed.words.weight if self.sizes.tied else self.out.weight
    return x @ matrix.T / x.shape[-1] ** 0.5


@misconception(
    "6.6",
    replaces="LanguageModel.logits",
    says="There are logits for the last token only. Every token needs its own: training asks for "
    "all.",
)
def answers_for_the_last_token(self, x):
    matrix = self.embed.words.weight if self.sizes.tied else self.out.weight
    return x[:, -1:] @ matrix.T


@misconception(
    "6.6",
    replaces="LanguageModel.logits",
    says="A norm is applied to the vectors. `read` has done that: the logits are plain products.",
)
def norms_before_the_logits(self, x):
    matrix = self.embed.words.weight if self.sizes.tied else self.out.weight
    return self.norm(x) @ matrix.T


@misconception(
    "6.6",
    replaces="LanguageModel.logits",
    says="No slope reaches the matrix of the words: do not detach it.",
)
def detaches_the_matrix(self, x):
    matrix = self.embed.words.weight if self.sizes.tied else self.out.weight
    return x @ matrix.detach().T


def draw(model, rng, std, among, factor, zero=("bias",), **wrong):
    """First weights with one thing changed; factor: of the number of residual weights."""
    writes = wrong.get("writes", ("W_o.weight", "down.weight"))
    named = dict(model.named_parameters())
    n = sum(name.endswith(("W_o.weight", "down.weight")) for name in named)
    n = wrong["count"](model) if "count" in wrong else n
    least = std / math.sqrt(n) if "eager" in wrong else 0.0  # fails where there is none
    if "late" in wrong:
        named = dict(sorted(named.items(), key=lambda item: item[0].endswith(writes)))
    with torch.no_grad():
        for name, p in named.items():
            if name.endswith(zero):
                p.zero_()
            elif p.ndim > 1 and not name.startswith(wrong.get("skip", "-")):
                s = std * factor(n) if name.endswith(writes) else std
                old, s = p.clone(), max(s, least)
                if "uniform" in wrong:
                    p.uniform_(-s, s, generator=rng)
                else:
                    p.normal_(0, s, generator=rng)
                p += old if "adds" in wrong else 0
            elif among:
                p.normal_(0, std, generator=rng)
            elif p.ndim == 1 and "gains" in wrong:
                p.fill_(wrong["gains"])
    return None if "silent" in wrong else model


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


@misconception(
    "6.6",
    replaces="initialise",
    says="N is the number of all weights that write into the stream, not half of it: there are "
    "two in each block.",
)
def divides_by_the_root_of_half(model, rng, std=0.02):
    return draw(model, rng, std, False, lambda n: (n / 2) ** -0.5)


@misconception(
    "6.6",
    replaces="initialise",
    says="The writers get std times sqrt(N). Their answers add up, so each begins smaller: std / "
    "sqrt(N).",
)
def multiplies_by_the_root(model, rng, std=0.02):
    return draw(model, rng, std, False, lambda n: n**0.5)


@misconception(
    "6.6",
    replaces="initialise",
    says="The variance is given for the spread: p.normal_ wants std, not its square.",
)
def takes_the_variance(model, rng, std=0.02):
    return draw(model, rng, std**2, False, lambda n: 1 / n)


@misconception(
    "6.6",
    replaces="initialise",
    says="The gains become 0, so that nothing passes a norm. Leave them.",
)
def sets_gains_to_zero(model, rng, std=0.02):
    return draw(model, rng, std, False, lambda n: n**-0.5, gains=0.0)


@misconception(
    "6.6",
    replaces="initialise",
    kind="edge",
    says="The gains become 1. Leave them as they are.",
)
def sets_gains_to_one(model, rng, std=0.02):
    return draw(model, rng, std, False, lambda n: n**-0.5, gains=1.0)


@misconception(
    "6.6",
    replaces="initialise",
    says="Nothing is returned: end with `return model`.",
)
def returns_no_model(model, rng, std=0.02):
    return draw(model, rng, std, False, lambda n: n**-0.5, silent=True)


@misconception(
    "6.6",
    replaces="initialise",
    says="The generator that was given is not used: generator=rng.",
)
def draws_by_the_global_generator(model, rng, std=0.02):
    return draw(model, None, std, False, lambda n: n**-0.5)


@misconception(
    "6.6",
    replaces="initialise",
    says="The spread is 0.02 whatever `std` says.",
)
def fixes_the_spread(model, rng, std=0.02):
    return draw(model, rng, 0.02, False, lambda n: n**-0.5)


@misconception(
    "6.6",
    replaces="initialise",
    says="Only W_o gets the smaller spread. The feed-forward layer's down writes into the "
    "stream, too.",
)
def makes_w_o_small_only(model, rng, std=0.02):
    return draw(model, rng, std, False, lambda n: n**-0.5, writes=("W_o.weight",))


@misconception(
    "6.6",
    replaces="initialise",
    says="The matrix of the words is left as torch drew it. Draw it, too: it has two axes.",
)
def leaves_the_words(model, rng, std=0.02):
    return draw(model, rng, std, False, lambda n: n**-0.5, skip="embed")


@misconception(
    "6.6",
    replaces="initialise",
    kind="edge",
    says="N is taken to be 2 L. Count the names: cross-attention writes into the stream, too.",
)
def counts_blocks_for_writers(model, rng, std=0.02):
    return draw(
        model, rng, std, False, lambda n: n**-0.5, count=lambda model: 2 * len(model.blocks)
    )


@misconception(
    "6.6",
    replaces="initialise",
    kind="edge",
    says="Where nothing writes into the stream, N is 0: divide only where there is a writer.",
)
def divides_by_no_writers(model, rng, std=0.02):
    return draw(model, rng, std, False, lambda n: n**-0.5, eager=True)


@misconception(
    "6.6",
    replaces="initialise",
    kind="edge",
    says="The writers are drawn after all others. Draw in the order of named_parameters().",
)
def draws_writers_last(model, rng, std=0.02):
    return draw(model, rng, std, False, lambda n: n**-0.5, late=True)


@misconception(
    "6.6",
    replaces="initialise",
    says="The numbers are uniform. Draw them from a normal distribution: p.normal_.",
)
def draws_uniform_numbers(model, rng, std=0.02):
    return draw(model, rng, std, False, lambda n: n**-0.5, uniform=True)


@misconception(
    "6.6",
    replaces="initialise",
    says="Noise is added to the numbers that were there. Replace them.",
)
def adds_to_old_weights(model, rng, std=0.02):
    return draw(model, rng, std, False, lambda n: n**-0.5, adds=True)


# ------------------------------------------------------------------ 6.7
MASKS = (".attn.bias", ".attn.masked_bias", "lm_head.weight")


def rename(weights, skip=MASKS, turn=lambda name: ".c_" in name, names=None, flip=torch.t):
    """Names and shapes with one thing changed."""
    found = {}
    for name, weight in weights.items():
        turned = flip(weight) if turn(name) and name.endswith(".weight") else weight
        if not name.endswith(skip):
            for old, new in (GPT2 if names is None else names).items():
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


@misconception(
    "6.7",
    replaces="from_gpt2",
    says="Only c_attn is transposed. All of c_attn, c_proj and c_fc are.",
)
def turns_c_attn_only(weights):
    return rename(weights, turn=lambda name: "c_attn" in name)


@misconception(
    "6.7",
    replaces="from_gpt2",
    says="The matrices are reshaped, which mixes their rows. Transpose them: weight.T.",
)
def reshapes_for_transposing(weights):
    return rename(weights, flip=lambda w: w.reshape(w.shape[::-1]))


@misconception(
    "6.7",
    replaces="from_gpt2",
    kind="edge",
    says="The masks that are named .attn.masked_bias are kept. Leave them out, too.",
)
def keeps_masked_bias(weights):
    return rename(weights, skip=(".attn.bias", "lm_head.weight"))


@misconception(
    "6.7",
    replaces="from_gpt2",
    says="c_attn.bias is taken for a mask: it ends with attn.bias as well. The masks end with "
    ".attn.bias, with a dot before it.",
)
def drops_the_bias_of_c_attn(weights):
    return rename(weights, skip=("attn.bias", ".attn.masked_bias", "lm_head.weight"))


@misconception(
    "6.7",
    replaces="from_gpt2",
    kind="edge",
    says="lm_head.weight becomes out.weight. GPT-2's matrix is tied, so there is no out: leave "
    "it out.",
)
def renames_the_head(weights):
    return {
        "out.weight" if name == "lm_head.weight" else name: w
        for name, w in rename(weights, skip=MASKS[:2]).items()
    }


@misconception(
    "6.7",
    replaces="from_gpt2",
    kind="idea",
    says="The names are those of the file. Replace the parts that GPT2 lists.",
)
def keeps_the_names(weights):
    return rename(weights, names={})


@misconception(
    "6.7",
    replaces="from_gpt2",
    says="The prefix transformer. stays in the names. It is one of the parts in GPT2: replace it "
    "by nothing.",
)
def keeps_the_prefix(weights):
    return rename(weights, names={k: v for k, v in GPT2.items() if v})


@misconception(
    "6.7",
    replaces="from_gpt2",
    says="The two norms of a block are exchanged: ln_1 is norm1.",
)
def exchanges_the_norms(weights):
    return rename(
        weights, names={k: {"norm1": "norm2", "norm2": "norm1"}.get(v, v) for k, v in GPT2.items()}
    )


@misconception(
    "6.7",
    replaces="from_gpt2",
    says="Only one part of each name is replaced. Go through all parts of GPT2: a name holds "
    "several.",
)
def replaces_one_part(weights):
    found = {}
    for name, weight in rename(weights, names={}).items():
        part = next((old for old in GPT2 if old in name), "")
        found[name.replace(part, GPT2[part]) if part else name] = weight
    return found
