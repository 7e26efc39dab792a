"""Plausible mistakes in section 6.12: counting operations and bytes."""

from examiner.judge.misconceptions import misconception


def count(s):
    """The matrices, rightly counted."""
    up = 2 if s.feed == "swiglu" else 1
    n = {"attention": s.L * ((s.H + 2 * s.G) * s.K + s.D) * s.D, "feed": s.L * (up + 1) * s.F * s.D}
    return n | {"unembed": 0 if s.tied else s.V * s.D}


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


def cost(s, T, n_bytes, weights=None, two=2, scores=4, cache=2, G=None, blocks=None):
    """Operations and bytes with one thing changed."""
    n = count(s)
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
