"""Plausible mistakes in section 6.12: counting parameters."""

from examiner.judge.misconceptions import misconception


def count(s, **wrong):
    """Count with one thing changed."""
    G = s.H if "all_heads" in wrong else s.G
    K = s.D if "wide" in wrong else s.K
    qkv, up = (s.H + 2 * G) * K, 2 if s.feed == "swiglu" and "two" not in wrong else 1
    inner = 4 * s.D if "four" in wrong else s.F
    n_norms = {"no_last": 2 * s.L, "one_each": s.L + 1}.get(wrong.get("norms", ""), 2 * s.L + 1)
    both = s.norm != "rms" and (s.bias or "bare_norms" not in wrong)
    each = wrong.get("each", 2 if both else 1)
    gates = 1 if "bare_gate" in wrong else up
    ends = {"W_o": s.D}.get(wrong.get("bare", ""), 2 * s.D)
    biased = wrong.get("biased", s.bias)
    kinds = wrong.get("kinds", ("learned",))
    places = s.T * s.D if s.positions in kinds else 0
    L = 1 if "one_block" in wrong else s.L
    out = s.D if "no_out" not in wrong else 0
    n = {"embed": s.V * s.D, "attention": L * (qkv + out) * (s.K if "thin" in wrong else s.D)}
    n |= {
        "feed": L * (up + 1) * inner * s.D,
        "unembed": 0 if wrong.get("tied", s.tied) else s.V * s.D,
    }
    biases = s.L * (qkv + gates * s.F + ends) if biased else 0
    n["rest"] = n_norms * s.D * each + places + biases
    if "extra" in wrong:  # the gains alone of the last norm
        n["rest"] -= s.D if s.norm != "rms" else 0
    if "placed" in wrong:
        n["embed"], n["rest"] = n["embed"] + places, n["rest"] - places
    if "joined" in wrong and s.bias:
        n["attention"] += s.L * (qkv + s.D)
        n["feed"] += s.L * (up * s.F + s.D)
        n["rest"] -= biases
    return n | ({"rest": 0} if "bare_all" in wrong else {})


@misconception(
    "6.12",
    replaces="count_parameters",
    says="Keys and values are counted for all H heads. There are only G of them.",
)
def counts_all_heads(s):
    return count(s, all_heads=True)


@misconception(
    "6.12",
    replaces="count_parameters",
    says="SwiGLU has three matrices: gate is missing.",
)
def forgets_the_gate(s):
    return count(s, two=True)


@misconception(
    "6.12",
    replaces="count_parameters",
    says="There are 2 L + 1 norms: the model's own is missing.",
)
def forgets_the_models_norm(s):
    return count(s, norms="no_last")


@misconception(
    "6.12",
    replaces="count_parameters",
    says='A tied matrix is counted twice. It is the same one: "unembed" is 0.',
)
def counts_tied_twice(s):
    return count(s, tied=False)


@misconception(
    "6.12",
    replaces="count_parameters",
    says="RMS norms have a gain only, no bias.",
)
def gives_rms_a_bias(s):
    return count(s, each=2)


@misconception(
    "6.12",
    replaces="count_parameters",
    kind="idea",
    says="W_o is missing: after the heads have answered, a matrix of D x D merges them.",
)
def forgets_the_output_matrix(s):
    return count(s, no_out=True)


@misconception(
    "6.12",
    replaces="count_parameters",
    kind="edge",
    says="The gate of SwiGLU has biases, too: F more in each block.",
)
def forgets_the_biases_of_the_gate(s):
    return count(s, bare_gate=True)


@misconception(
    "6.12",
    replaces="count_parameters",
    says='"unembed" is 0 here even if the matrix is not tied. Then it has V D weights.',
)
def never_counts_the_logits(s):
    return count(s, tied=True)


@misconception(
    "6.12",
    replaces="count_parameters",
    says='Tied and untied are exchanged: "unembed" is 0 if the matrix is tied.',
)
def exchanges_tied_and_untied(s):
    return count(s, tied=not s.tied)


@misconception(
    "6.12",
    replaces="count_parameters",
    says="Biases are counted even if the sizes have none.",
)
def always_counts_biases(s):
    return count(s, biased=True)


@misconception(
    "6.12",
    replaces="count_parameters",
    says="The biases of the matrices are missing: those of W_qkv, W_o, up (and gate) and down.",
)
def never_counts_biases(s):
    return count(s, biased=False)


@misconception(
    "6.12",
    replaces="count_parameters",
    says="Each block has two norms.",
)
def counts_one_norm_in_a_block(s):
    return count(s, norms="one_each")


@misconception(
    "6.12",
    replaces="count_parameters",
    says="A layer norm has a gain and a bias: 2 D numbers.",
)
def forgets_the_bias_of_norms(s):
    return count(s, each=1)


@misconception(
    "6.12",
    replaces="count_parameters",
    kind="edge",
    says="Without `bias`, the linear layers have no biases. A layer norm keeps its own.",
)
def takes_the_bias_from_norms(s):
    return count(s, bare_norms=True)


@misconception(
    "6.12",
    replaces="count_parameters",
    says="Places are counted for every kind of positions. Only learned ones are parameters.",
)
def counts_all_places(s):
    return count(s, kinds=("learned", "sinusoidal", "rotary", "alibi", "none"))


@misconception(
    "6.12",
    replaces="count_parameters",
    says="Learned places are missing: T D numbers.",
)
def never_counts_places(s):
    return count(s, kinds=())


@misconception(
    "6.12",
    replaces="count_parameters",
    kind="edge",
    says="Waves are computed, not learned: they are no parameters.",
)
def counts_waves(s):
    return count(s, kinds=("learned", "sinusoidal"))


@misconception(
    "6.12",
    replaces="count_parameters",
    says="F is taken to be 4 D. The sizes say what it is.",
)
def assumes_four_d(s):
    return count(s, four=True)


@misconception(
    "6.12",
    replaces="count_parameters",
    says='Learned places are counted with the words. They belong to "rest".',
)
def puts_places_with_the_words(s):
    return count(s, placed=True)


@misconception(
    "6.12",
    replaces="count_parameters",
    says='Biases are counted with their matrices. They belong to "rest".',
)
def puts_biases_with_the_matrices(s):
    return count(s, joined=True)


@misconception(
    "6.12",
    replaces="count_parameters",
    says="W_o or down has no biases here: both have D in each block.",
)
def forgets_the_biases_of_w_o(s):
    return count(s, bare="W_o")


@misconception(
    "6.12",
    replaces="count_parameters",
    kind="idea",
    says="The matrices of one block are counted. There are L blocks.",
)
def counts_one_block(s):
    return count(s, one_block=True)


@misconception(
    "6.12",
    replaces="count_parameters",
    kind="idea",
    says="A head has K = D / H numbers, not D.",
)
def takes_d_for_k(s):
    return count(s, wide=True)


@misconception(
    "6.12",
    replaces="count_parameters",
    kind="idea",
    says="The matrices of attention have D columns, not K.",
)
def takes_k_for_d(s):
    return count(s, thin=True)


@misconception(
    "6.12",
    replaces="count_parameters",
    says="The last norm has a bias, too.",
)
def forgets_the_bias_of_the_last_norm(s):
    return count(s, extra=True)


@misconception(
    "6.12",
    replaces="count_parameters",
    says='"rest" is 0: norms, biases and learned places are missing.',
)
def leaves_the_rest_out(s):
    return count(s, bare_all=True)
