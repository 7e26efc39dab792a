"""Plausible mistakes in section 6.12: counting."""

from nextword.judge.misconceptions import misconception


# ------------------------------------------------------------------ 6.12
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
    replaces="count_costs",
    kind="idea",
    says="The scores and the weighted sums are missing: 4 T^2 D operations in each block.",
)
def forgets_the_scores(s, T, n_bytes=2):
    n = count(s)
    weights = n["attention"] + n["feed"] + s.V * s.D
    return 2 * T * weights, 2 * s.L * s.G * s.K * T * n_bytes


@misconception(
    "6.12",
    replaces="count_costs",
    says="Looking a word up is counted as a product with the whole matrix. It costs nothing; only "
    "the logits do.",
)
def charges_the_lookup(s, T, n_bytes=2):
    n = count(s)
    weights = n["attention"] + n["feed"] + 2 * s.V * s.D
    return 2 * T * weights + 4 * s.L * T**2 * s.D, 2 * s.L * s.G * s.K * T * n_bytes


@misconception(
    "6.12",
    replaces="count_costs",
    says="The cache holds keys only. It holds as many values.",
)
def caches_keys_only(s, T, n_bytes=2):
    n = count(s)
    weights = n["attention"] + n["feed"] + s.V * s.D
    return 2 * T * weights + 4 * s.L * T**2 * s.D, s.L * s.G * s.K * T * n_bytes


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


def cost(s, T, n_bytes, weights=None, two=2, scores=4, cache=2, G=None, blocks=None, **wrong):
    """Operations and bytes with one thing changed."""
    n = count(s, **wrong)
    W = n["attention"] + n["feed"] + s.V * s.D if weights is None else weights(n, s)
    L = s.L if blocks is None else blocks
    return two * T * W + scores * s.L * T**2 * s.D, cache * L * (G or s.G) * s.K * T * n_bytes


@misconception(
    "6.12",
    replaces="count_costs",
    says="A multiplication and an addition are two operations: everything is half of what it "
    "should be.",
)
def counts_products_only(s, T, n_bytes=2):
    return cost(s, T, n_bytes, two=1, scores=2)


@misconception(
    "6.12",
    replaces="count_costs",
    says="Each weight takes a multiplication and an addition for each token: two operations.",
)
def counts_weights_once(s, T, n_bytes=2):
    return cost(s, T, n_bytes, two=1)


@misconception(
    "6.12",
    replaces="count_costs",
    says="Attention has two products of T^2: the scores and the weighted sum, 4 T^2 D operations "
    "together.",
)
def forgets_the_weighted_sum(s, T, n_bytes=2):
    return cost(s, T, n_bytes, scores=2)


@misconception(
    "6.12",
    replaces="count_costs",
    says="Only the pairs that the mask leaves are counted. The masked ones count, too.",
)
def leaves_masked_pairs_out(s, T, n_bytes=2):
    return (cost(s, T, n_bytes, scores=0)[0] + 2 * s.L * T * (T + 1) * s.D, cost(s, T, n_bytes)[1])


@misconception(
    "6.12",
    replaces="count_costs",
    says="The scores of one block are counted. There are L blocks.",
)
def counts_scores_of_one_block(s, T, n_bytes=2):
    return cost(s, T, n_bytes, scores=4 / s.L)


@misconception(
    "6.12",
    replaces="count_costs",
    says="The products of all heads together take 4 T^2 D operations: each head has only K "
    "numbers.",
)
def counts_scores_for_each_head(s, T, n_bytes=2):
    return cost(s, T, n_bytes, scores=4 * s.H)


@misconception(
    "6.12",
    replaces="count_costs",
    kind="idea",
    says="Each of T queries meets each of T keys: the scores grow with T squared.",
)
def counts_scores_linearly(s, T, n_bytes=2):
    return cost(s, T, n_bytes, scores=4 / T)


@misconception(
    "6.12",
    replaces="count_costs",
    says="The logits are left out where the matrix is tied. The product is computed all the same.",
)
def spares_tied_logits(s, T, n_bytes=2):
    return cost(s, T, n_bytes, weights=lambda n, s: n["attention"] + n["feed"] + n["unembed"])


@misconception(
    "6.12",
    replaces="count_costs",
    says="The logits are missing: V D weights for each token.",
)
def forgets_the_cost_of_logits(s, T, n_bytes=2):
    return cost(s, T, n_bytes, weights=lambda n, s: n["attention"] + n["feed"])


@misconception(
    "6.12",
    replaces="count_costs",
    kind="idea",
    says="These are the operations of one token. Multiply those of the weights by T.",
)
def counts_one_token(s, T, n_bytes=2):
    return cost(s, T, n_bytes, two=2 / T)


@misconception(
    "6.12",
    replaces="count_costs",
    says="The cache holds keys and values of G heads, not of all H.",
)
def caches_all_heads(s, T, n_bytes=2):
    return cost(s, T, n_bytes, G=s.H)


@misconception(
    "6.12",
    replaces="count_costs",
    kind="edge",
    says="`n_bytes` is not used: a number has as many bytes as it says.",
)
def assumes_two_bytes(s, T, n_bytes=2):
    return cost(s, T, 2)


@misconception(
    "6.12",
    replaces="count_costs",
    says="These are numbers, not bytes: multiply by n_bytes.",
)
def counts_numbers_for_bytes(s, T, n_bytes=2):
    return cost(s, T, 1)


@misconception(
    "6.12",
    replaces="count_costs",
    says="The cache of one block is counted. There are L blocks.",
)
def caches_one_block(s, T, n_bytes=2):
    return cost(s, T, n_bytes, blocks=1)


@misconception(
    "6.12",
    replaces="count_costs",
    says="The cache of one token is counted. It holds T of them.",
)
def caches_one_token(s, T, n_bytes=2):
    return cost(s, T, n_bytes, cache=2 / T)


@misconception(
    "6.12",
    replaces="count_costs",
    says="The cache is that of the longest text, s.T. Count T tokens.",
)
def caches_the_longest_text(s, T, n_bytes=2):
    return cost(s, T, n_bytes, cache=2 * s.T / T)


@misconception(
    "6.12",
    replaces="count_costs",
    says="This is what training costs. One pass takes a third of it.",
)
def counts_training(s, T, n_bytes=2):
    return cost(s, T, n_bytes, two=6, scores=12)


@misconception(
    "6.12",
    replaces="count_costs",
    kind="edge",
    says="Shared keys save memory, not products: each head of queries still meets every key.",
)
def shares_the_products(s, T, n_bytes=2):
    return cost(s, T, n_bytes, scores=4 * s.G / s.H)


@misconception(
    "6.12",
    replaces="count_costs",
    kind="edge",
    says="SwiGLU has three matrices: a third product is missing.",
)
def forgets_the_product_of_the_gate(s, T, n_bytes=2):
    return (
        cost(s, T, n_bytes, two=2)
        if s.feed != "swiglu"
        else cost(
            s, T, n_bytes, weights=lambda n, s: n["attention"] + n["feed"] * 2 / 3 + s.V * s.D
        )
    )


@misconception(
    "6.12",
    replaces="count_costs",
    says="Operations and bytes are exchanged.",
)
def exchanges_operations_and_bytes(s, T, n_bytes=2):
    return cost(s, T, n_bytes)[::-1]
