"""Small inputs of chapter 5: what a wrong answer is shown on."""

import math

import torch

from examiner.counterexamples import Example, Small, example, small
from examiner.counterexamples.literals import Code
from tests.attention.suite.small_networks import FEW, MANY, allowed, different, lead

FAR = (0.0, 1000.0, 1001.0, -1000.0)
TS = [(1, 2), (1, 2), (1, 2), (2, 2), (1, 3), (2, 3), (2, 1), (1, 1)]  # queries and keys


# ------------------------------------------------------------------------------ 5.3, 5.4
@small("5.3", "dot_product_sum", tries=80)
def vectors(draw: Small) -> Example:
    T, D = draw.choice([(2, 1), (2, 2), (2, 1), (3, 1), (3, 2), (1, 2), (1, 1)])
    values = draw.choice([FEW, FEW, MANY, (0.0, 10.0, 1.0)])
    if T == 1:
        values = (1.0, 2.0, 10.0)  # a sum of 0 alone is no typical one
    return example("dot_product_sum(x)", x=draw.tensor(*lead(draw), T, D, values=values))


@small("5.3", "dot_product_sum", tries=2, last=True)
def double_vectors(draw: Small) -> Example:
    x = torch.tensor([[0.1], [draw.choice([0.7, 1.3])]])
    return example("y, weights = dot_product_sum(x.double())\ny", x=x, rtol=1e-10, atol=0.0)


@small("5.4", "soft_lookup", tries=90)
def lookups(draw: Small) -> Example:
    T, S = draw.choice([(1, 2), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3), (1, 1)])
    K, V = draw.choice([(1, 1), (1, 1), (1, 1), (2, 1), (1, 2), (4, 1)])
    head, values = lead(draw, 8), draw.choice([FEW, FEW, MANY])
    parts = {
        "q": draw.tensor(*head, T, K, values=values),
        "k": draw.tensor(*head, S, K, values=values),
        "v": different(draw, *head, S, V),
    }
    temperature = draw.choice([None, 0, 0, 2, 0.5])
    if temperature is None:
        return example("soft_lookup(q, k, v)", **parts)
    return example("soft_lookup(q, k, v, temperature)", **parts, temperature=temperature)


@small("5.4", "soft_lookup", tries=6)
def scores_that_hardly_differ(draw: Small) -> Example:
    q = Code(f"torch.tensor([[{draw.choice(['1e-12', '1e-15'])}]])")
    k = torch.tensor(draw.choice([[[1.0], [2.0]], [[2.0], [1.0]]]))
    v = different(draw, 2, 1)
    return example("soft_lookup(q, k, v, temperature)", q=q, k=k, v=v, temperature=0)


@small("5.4", "soft_lookup", tries=4)
def temperatures_next_to_zero(draw: Small) -> Example:
    small = draw.choice([1e-5, 1e-8])
    q, k = Code(f"torch.tensor([[{small}]])"), different(draw, 2, 1)
    v = different(draw, 2, 1)
    return example("soft_lookup(q, k, v, temperature)", q=q, k=k, v=v, temperature=small)


@small("5.4", "self_attention", tries=4, last=True)
def what_a_matrix_learns(draw: Small) -> Example:
    name = draw.choice(["W_v", "W_q", "W_k"])
    code = (
        f"{name}.requires_grad_()\nself_attention(x, W_q, W_k, W_v).sum().backward()\n{name}.grad"
    )
    W_q, W_k, W_v = (draw.tensor(1, 1, values=(1.0, 2.0)) for _ in range(3))
    return example(code, changes=[name], x=different(draw, 2, 1), W_q=W_q, W_k=W_k, W_v=W_v)


@small("5.4", "self_attention", tries=80)
def texts(draw: Small) -> Example:
    T = draw.choice([2, 2, 3, 1])
    D, K, V = draw.choice([(1, 1, 1), (1, 1, 1), (2, 1, 1), (2, 2, 1), (1, 2, 1), (2, 2, 2)])
    return example(
        "self_attention(x, W_q, W_k, W_v)",
        x=draw.tensor(*lead(draw, 8), T, D, values=FEW),
        W_q=draw.tensor(K, D, values=FEW),
        W_k=draw.tensor(K, D, values=FEW),
        W_v=draw.tensor(V, D, values=FEW),
    )


@small("5.4", "self_attention", tries=2, last=True)
def texts_on_two_batch_axes(draw: Small) -> Example:
    W_q, W_k, W_v = (draw.tensor(1, 1, values=(1.0, 2.0)) for _ in range(3))
    x = draw.tensor(1, draw.integer(1, 2), 2, 1, values=FEW)
    return example("self_attention(x, W_q, W_k, W_v)", x=x, W_q=W_q, W_k=W_k, W_v=W_v)


# ------------------------------------------------------------------------------ 5.5
@small("5.5", "softmax", tries=70)
def scores(draw: Small) -> Example:
    shape = draw.choice([(2,), (2,), (3,), (1,), (1, 2), (2, 1), (2, 2), (2, 2), (2, 2), (2, 3)])
    values = draw.choice([FEW, FEW, MANY, (0.0, 1.0, -math.inf), (0.0, -math.inf), FAR, FAR])
    return example("softmax(scores)", scores=draw.tensor(*shape, values=values))


@small("5.5", "softmax", tries=10)
def scores_in_double_precision(draw: Small) -> Example:
    return example("softmax(scores)", scores=draw.tensor(2, values=(0.0, 1.0, 0.5)).double())


@small("5.5", "softmax", tries=5)
def scores_very_far_below_zero(draw: Small) -> Example:
    return example("softmax(scores)", scores=draw.tensor(2, values=(-2e9, -math.inf, -3e38)))


@small("5.5", "softmax", tries=20, last=True)
def gradients_of_the_first_weight(draw: Small) -> Example:
    code = "scores.requires_grad_()\nsoftmax(scores)[..., 0].sum().backward()\nscores.grad"
    values = draw.choice([FEW, (0.0, -math.inf)])
    shape = draw.choice([(2,), (2,), (2, 2)])
    return example(code, changes=["scores"], scores=draw.tensor(*shape, values=values))


def attended(draw: Small, sizes: tuple[int, int]) -> dict[str, torch.Tensor]:
    """T queries, S keys and values, with vectors of various lengths."""
    T, S = sizes
    K, V = draw.choice([(1, 1), (1, 1), (4, 1), (2, 1), (1, 2)])
    head, values = lead(draw, 10), draw.choice([FEW, FEW, MANY])
    return {
        "q": draw.tensor(*head, T, K, values=values),
        "k": draw.tensor(*head, S, K, values=values),
        "v": different(draw, *head, S, V),
    }


@small("5.5", "attention", tries=24)
def attention_to_all(draw: Small) -> Example:
    return example("attention(q, k, v)", **attended(draw, draw.choice(TS)))


@small("5.5", "attention", tries=64)
def attention_with_a_mask(draw: Small) -> Example:
    parts = attended(draw, draw.choice([(1, 2), (1, 2), (2, 2), (1, 3), (2, 3)]))
    T, S = parts["q"].shape[-2], parts["k"].shape[-2]
    shape = draw.choice([(T, S), (T, S), (T, S), (T, S), (S,), (T, 1)])
    if draw.integer(1, 3) == 1:
        mask = draw.tensor(*shape, values=draw.choice([(0.0, -math.inf), (0.0, 1.0, -1.0)]))
    else:
        mask = allowed(draw, *shape, none=draw.integer(1, 3) == 1)
    return example("attention(q, k, v, mask)", **parts, mask=mask)


@small("5.5", "attention", tries=4)
def a_hidden_key_that_fits_best(draw: Small) -> Example:
    k, v = torch.tensor([[1.0], [400.0]]), different(draw, 2, 1)
    return example(
        "attention(q, k, v, mask)", q=torch.ones(1, 1), k=k, v=v, mask=torch.tensor([[True, False]])
    )


@small("5.5", "attention", tries=10, last=True)
def gradients_of_attention(draw: Small) -> Example:
    code = "q.requires_grad_()\nattention(q, k, v)[0].sum().backward()\nq.grad"
    q, k, v = draw.tensor(1, 1, values=(1.0, 2.0)), different(draw, 2, 1), different(draw, 2, 1)
    return example(code, changes=["q"], q=q, k=k, v=v)


# ------------------------------------------------------------------------------ 5.6
@small("5.6", "causal_mask", tries=30)
def as_many_queries_as_keys(draw: Small) -> Example:
    return example("causal_mask(T)", T=draw.integer(1, 4))


@small("5.6", "causal_mask", tries=40)
def fewer_queries_than_keys(draw: Small) -> Example:
    T = draw.integer(1, 3)
    return example("causal_mask(T, S)", T=T, S=T + draw.integer(0, 2))


@small("5.6", "padding_mask", tries=60)
def lengths(draw: Small) -> Example:
    S = draw.integer(1, 3)
    found = draw.integers(draw.integer(1, 3), low=0 if draw.integer(1, 3) == 1 else 1, high=S)
    return example("padding_mask(lengths, S)", lengths=torch.tensor(found), S=S)


@small("5.6", "additive_mask", tries=40)
def masks(draw: Small) -> Example:
    shape = draw.choice([(1,), (2,), (2,), (1, 2), (2, 2), (2, 1, 2)])
    mask = draw.ids(*shape, high=1).bool()
    if draw.integer(1, 4) == 1:
        return example("additive_mask(mask, dtype)", mask=mask, dtype=Code("torch.float64"))
    return example("additive_mask(mask)", mask=mask)


# ------------------------------------------------------------------------------ 5.7
@small("5.7", "attention_gradients", tries=50)
def where_all_keys_fit_equally_well(draw: Small) -> Example:
    T, S = draw.choice([(1, 2), (1, 2), (2, 2), (1, 3), (2, 3)])
    K, V = draw.choice([(1, 1), (1, 1), (4, 1), (1, 2), (2, 1)])
    weights = torch.full((T, S), 0.5)
    if S == 3:  # one of them is hidden
        weights[:, draw.integer(0, 2)] = 0.0
    row = draw.tensor(1, K, values=(1.0, 2.0))
    return example(
        "attention_gradients(q, k, v, weights, grad)",
        q=draw.tensor(T, K, values=(1.0, 2.0)),
        k=row.expand(S, K),
        v=different(draw, S, V),
        weights=weights,
        grad=draw.tensor(T, V, values=(1.0, 2.0)),
    )


@small("5.7", "attention_gradients", tries=50)
def where_keys_differ(draw: Small) -> Example:
    parts = attended(draw, draw.choice(TS))
    code = "weights = torch.softmax(q @ k.mT / q.shape[-1] ** 0.5, dim=-1)\n"
    code += "attention_gradients(q, k, v, weights, grad)"
    shape = (*parts["q"].shape[:-1], parts["v"].shape[-1])
    return example(code, **parts, grad=draw.tensor(*shape, values=(1.0, 2.0)))


# ------------------------------------------------------------------------------ 5.10
@small("5.10", "grouped_attention", tries=90)
def groups(draw: Small) -> Example:
    H, G = draw.choice([(2, 1), (2, 1), (2, 2), (4, 2), (1, 1), (3, 1), (6, 2), (6, 3)])
    B, T, S = draw.choice([(1, 1, 1), (1, 1, 2), (1, 1, 2), (1, 2, 2), (1, 2, 2), (2, 1, 2)])
    K, V = draw.choice([(1, 1), (1, 1), (1, 2), (2, 1)]) if H < 4 else (1, 1)
    parts = {
        "q": draw.tensor(B, H, T, K, values=FEW),
        "k": draw.tensor(B, G, S, K, values=FEW),
        "v": different(draw, B, G, S, V),
    }
    if S == 1 or draw.integer(1, 3) == 1:
        return example("grouped_attention(q, k, v)", **parts)
    mask = allowed(draw, *draw.choice([(T, S), (B, T, S)]))
    return example("grouped_attention(q, k, v, mask)", **parts, mask=mask)


@small("5.10", "cache_bytes", tries=30)
def caches(draw: Small) -> Example:
    numbers = draw.rng.permutation([1, 2, 3, 5]).tolist()
    sizes = dict(zip(("n_layers", "G", "K", "T"), numbers, strict=True))
    call = "cache_bytes(n_layers={n_layers}, G={G}, K={K}, T={T}".format(**sizes)
    other = draw.choice(["", "", ", n_bytes=1", ", n_bytes=4"])
    return example(f"{call}{other})")


# ------------------------------------------------------------------------------ 5.11
@small("5.11", "blockwise_attention", tries=80)
def blocks(draw: Small) -> Example:
    T, S = draw.choice([(1, 2), (1, 2), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3), (3, 2), (1, 1)])
    K, V = draw.choice([(1, 1), (1, 1), (1, 1), (4, 1), (1, 2)])
    far = draw.integer(1, 4) == 1
    values = draw.choice([(0.0, 1000.0), (-100.0, -101.0), (100.0, 0.0)]) if far else FEW
    head = lead(draw, 12)
    parts = {
        "q": draw.tensor(*head, T, K, values=(1.0,) if far else (1.0, 2.0, 0.0)),
        "k": draw.tensor(*head, S, K, values=values),
        "v": different(draw, *head, S, V),
    }
    causal = ", causal=True" if T > 1 and draw.yes() else ""
    block = draw.choice(["", ", block=1", ", block=1", ", block=1", ", block=2"])
    return example(f"blockwise_attention(q, k, v{causal}{block})", **parts)


@small("5.11", "blockwise_attention", tries=20)
def causal_blocks(draw: Small) -> Example:
    T, S = draw.choice([(2, 2), (3, 3), (2, 4), (4, 4), (3, 2)])
    code = f"blockwise_attention(q, k, v, causal=True, block={draw.integer(1, 2)})"
    q, k = draw.tensor(T, 1, values=(1.0, 2.0, 0.0)), draw.tensor(S, 1, values=FEW)
    return example(code, q=q, k=k, v=different(draw, S, 1))


# ------------------------------------------------------------------------------ 5.12
@small("5.12", "windowed_attention", tries=50)
def means_of_windows(draw: Small) -> Example:
    T = draw.choice([1, 2, 2, 3, 3, 4, 4, 5])
    code = f"windowed_attention(q, q, v, width={draw.integer(1, 4)})"
    return example(code, q=torch.zeros(T, 1), v=different(draw, T, 1))


@small("5.12", "windowed_attention", tries=50)
def windows(draw: Small) -> Example:
    T = draw.choice([2, 2, 3, 3, 4])
    K, V = draw.choice([(1, 1), (1, 1), (2, 1), (1, 2)])
    head = lead(draw, 6)
    return example(
        f"windowed_attention(q, k, v, width={draw.integer(1, 3)})",
        q=draw.tensor(*head, T, K, values=FEW),
        k=draw.tensor(*head, T, K, values=FEW),
        v=different(draw, *head, T, V),
    )


@small("5.12", "windowed_attention", tries=4)
def windows_in_double_precision(draw: Small) -> Example:
    x = different(draw, draw.integer(1, 3), 1).double()
    return example("windowed_attention(x, x, x, width=2).dtype", x=x)


@small("5.12", "receptive_field", tries=40)
def layers(draw: Small) -> Example:
    width, n_layers = (draw.integer(1, 2 + min(draw.size, 2)) for _ in range(2))
    return example(f"receptive_field(width={width}, n_layers={n_layers})")
