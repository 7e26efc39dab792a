"""Plausible mistakes in section 6.7: GPT-2's weights."""

import torch

from examiner.judge.misconceptions import misconception

GPT2 = {
    "transformer.": "",
    "wte": "embed.words",
    "wpe": "embed.places",
    "h.": "blocks.",
    "ln_1": "norm1",
    "ln_2": "norm2",
    "ln_f": "norm",
    "attn.c_attn": "mixer.W_qkv",
    "attn.c_proj": "mixer.W_o",
    "mlp.c_fc": "feed.up",
    "mlp.c_proj": "feed.down",
}
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
