"""Attention, from the decoder that looks back to heads, blocks and windows. Leaves out: dropout.

Equations such as (5.4) are those of chapter 5. B sequences side by side have T steps or queries and
S words or keys; *B stands for any leading axes. Vectors of a model have D numbers, a query or key
K, a value V; H counts heads. Where a mask is True, a query may look. Wrong arguments: ValueError.
"""

import math

import torch
import torch.nn.functional as F  # noqa: N812 - torch's own custom
from einops import rearrange
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from nextword.corpora.batches import BOS, EOS, PAD, until_end  # the ids 1, 2, 0
from nextword.corpora.checks import require, require_ids
from nextword.corpora.shapes import require_attention

# XTK is a tensor of shape (..., T, K), with any leading axes; BTD one of shape (B, T, D)
XTK, XSK, XSV, XTV, XTS, XTD, XTT = (
    Float[Tensor, f"*#B {a} {b}"] for a, b in ("TK", "SK", "SV", "TV", "TS", "TD", "TT")
)
BA, BD, BE, BS, BSA, BSE, BTD, BHTK, BGSK, BGSV, BHTV, BHTS = (
    Float[Tensor, " ".join(f"B{name}")]
    for name in ("A", "D", "E", "S", "SA", "SE", "TD", "HTK", "GSK", "GSV", "HTV", "HTS")
)
Ids, Id, Mask = Int[Tensor, "B T"], Int[Tensor, "B"], Tensor | None


# ------------------------------------------------------------------ 5.1 Additive attention
class AdditiveAttention(nn.Module):
    """A small network that scores how well state and word fit (Bahdanau, Cho and Bengio 2015).

    Parameters: W.weight (A, D), U.weight (A, E), v.weight (1, A). A state has D numbers, a word E.
    """

    def __init__(self, D: int, E: int, A: int) -> None:
        super().__init__()
        sizes = (D, A), (E, A), (A, 1)
        self.W, self.U, self.v = (nn.Linear(*size, bias=False) for size in sizes)

    def forward(self, s: BD, Uh: BSA, h: BSE, allowed: Bool[Tensor, "B S"]) -> tuple[BE, BS]:
        """Return the context vector of each row and the weights of its words (5.1 to 5.3).

        s: the decoder's state; h: vectors of words; Uh = self.U(h), the same at all steps, is
        given. Where `allowed` is False, the weight is 0. About 3 lines; no loop, on your honour.
        """
        require("allowed", "a row without any", bool(allowed.any(1).all()), "True once in each row")
        # BEGIN SOLUTION
        scores = self.v(torch.tanh(self.W(s)[:, None] + Uh))[..., 0]
        weights = scores.masked_fill(~allowed, -math.inf).softmax(-1)
        return torch.einsum("bs,bse->be", weights, h), weights
        # END SOLUTION


# ------------------------------------------------------------------ 5.2 A decoder that attends
class Translator(nn.Module):
    """Reads a sentence into one vector per word and looks back at them as it writes.

    Parts: `source` and `target` give words vectors, `encoder` is torch's GRU in both directions
    (E = 2 D), `start` makes the first state, `attend` is additive attention, `cell` torch's
    GRUCell, `out` gives logits. Sources have no BOS or EOS; PAD fills them up.
    """

    def __init__(self, V_source: int, V_target: int, W: int, D: int, A: int) -> None:
        super().__init__()
        self.source, self.target = nn.Embedding(V_source, W), nn.Embedding(V_target, W)
        self.encoder = nn.GRU(W, D, batch_first=True, bidirectional=True)
        self.start, self.attend = nn.Linear(D, D), AdditiveAttention(D, 2 * D, A)
        self.cell, self.out = nn.GRUCell(W + 2 * D, D), nn.Linear(W + 3 * D, V_target)

    def encode(self, source: Ids) -> tuple[tuple[BSA, BSE, Tensor], BD]:
        """Given: return what all steps look at, (Uh, h, allowed) as in 5.1, and the first state."""
        require_ids("source", source.unique().tolist(), self.source.num_embeddings)
        lengths, x = (source != PAD).sum(1), self.source(source)
        found, ends = self.encoder(pack_padded_sequence(x, lengths, True, enforce_sorted=False))
        h, _ = pad_packed_sequence(found, True, total_length=source.shape[1])
        return (self.attend.U(h), h, source != PAD), torch.tanh(self.start(ends[1]))

    def step(self, y: Id, s: BD, source: tuple) -> tuple[Tensor, BD, BS]:
        """Read one word y; return the logits of the next, the new state, the weights (5.4, 5.5).

        The old state s looks at the source; `cell` reads [word, context]; `out` reads [new state,
        context, word]. source: (Uh, h, allowed), as `encode` returns it. About 3 lines.
        """
        # BEGIN SOLUTION
        word, (context, weights) = self.target(y), self.attend(s, *source)
        s = self.cell(torch.cat([word, context], dim=-1), s)
        return self.out(torch.cat([s, context, word], dim=-1)), s, weights
        # END SOLUTION

    def forward(self, source: Ids, inputs: Int[Tensor, "B T2"]) -> tuple[Tensor, Tensor]:
        """Return logits (B, T2, V) and weights (B, T2, T): a step for each input. About 6 lines."""
        # BEGIN SOLUTION
        told, looked, (read, s) = [], [], self.encode(source)
        for y in inputs.unbind(1):
            logits, s, weights = self.step(y, s, read)
            told.append(logits)
            looked.append(weights)
        return torch.stack(told, dim=1), torch.stack(looked, dim=1)
        # END SOLUTION

    @torch.no_grad()
    def translate(self, source: Ids, most: int = 60) -> list[list[int]]:
        """Write the likeliest word each time, from BOS up to EOS or `most` words. About 7 lines."""
        # BEGIN SOLUTION
        read, s = self.encode(source)
        y, rows = torch.full_like(source[:, 0], BOS), source[:, :0]
        while rows.shape[1] < most and not (rows == EOS).any(1).all():
            logits, s, _ = self.step(y, s, read)
            y = logits.argmax(-1)
            rows = torch.cat([rows, y[:, None]], dim=1)
        return until_end(rows.tolist())
        # END SOLUTION


# ------------------------------------------------------------------ 5.3 The plain sum
def dot_product_sum(x: XTD) -> tuple[XTD, Float[Tensor, "*#B T T"]]:
    """Mix each vector with those that resemble it: y_i = sum_j softmax_j(x_i . x_j) x_j (5.6).

    Returns y and the weights, a row for each i. Learns nothing. 2 lines; on your honour, no loop.
    >>> dot_product_sum(torch.tensor([[0.0, 0.0], [4.0, 2.0]]))[0][0]
    tensor([2., 1.])
    """
    # BEGIN SOLUTION
    weights = torch.softmax(x @ x.mT, dim=-1)
    return weights @ x, weights
    # END SOLUTION


# ------------------------------------------------------------------ 5.4 Query, key, value
def soft_lookup(q: XTK, k: XSK, v: XSV, temperature: float = 1.0) -> XTV:
    """Look up values by softmax(q . k / temperature) (5.7); at 0 the best key decides (5.8).

    At temperature 0, where the formula would divide by 0, return its limit: the value whose key
    fits best, or the mean of these values if several keys fit equally well. About 5 lines.
    >>> k, v = torch.eye(2), torch.tensor([[10.0], [20.0]])
    >>> [soft_lookup(torch.tensor([[0.0, 1.0]]), k, v, t).item() for t in (1e9, 0)]
    [15.0, 20.0]
    """
    require_attention(q, k, v)
    require("temperature", temperature, temperature >= 0, "0 or above")
    # BEGIN SOLUTION
    scores = q @ k.mT
    if temperature == 0:
        best = (scores == scores.amax(-1, keepdim=True)).to(v.dtype)
        return best / best.sum(-1, keepdim=True) @ v
    return torch.softmax(scores / temperature, dim=-1) @ v
    # END SOLUTION


def self_attention(x: XTD, W_q: Float[Tensor, "K D"], W_k: Tensor, W_v: Tensor) -> Tensor:
    """Make q = W_q x, k = W_k x and v = W_v x of each row x, and look up (5.9). 1 or 2 lines."""
    # BEGIN SOLUTION
    return soft_lookup(x @ W_q.T, x @ W_k.T, x @ W_v.T)
    # END SOLUTION


# ------------------------------------------------------------------ 5.5 Scaled dot products
def softmax(scores: Float[Tensor, "*B S"]) -> Float[Tensor, "*B S"]:
    """Return exp(e) / sum of exp(e) over the last axis (5.10), also where exp(e) would overflow.

    A score of -inf has weight 0, and a row of nothing else is all 0, with gradient 0, never NaN.
    About 4 lines; torch's own softmax and logsumexp are stopped here.
    >>> softmax(torch.tensor([[1000.0, 1000.0], [-math.inf, -math.inf]])).tolist()
    [[0.5, 0.5], [0.0, 0.0]]
    """
    require("scores", (*scores.shape,), scores.shape[-1] > 0, "of a shape with 1 score or more")
    # BEGIN SOLUTION
    # subtle: not below the lowest finite number, since -inf - (-inf) is NaN
    top = scores.detach().amax(-1, keepdim=True).clamp(min=torch.finfo(scores.dtype).min)
    powers = torch.exp(scores - top)
    return powers / powers.sum(-1, keepdim=True).clamp(min=1)  # the top alone gives exp(0) = 1
    # END SOLUTION


def attention(q: XTK, k: XSK, v: XSV, mask: Mask = None) -> tuple[XTV, XTS]:
    """Return softmax(q k^T / sqrt(K) + mask) v and the weights (Vaswani et al. 2017) (5.11).

    mask: boolean, True where a query may look, or numbers that are added to the scaled scores; it
    may lack leading axes, or have 1 in the place of T or S. Queries that may look nowhere get
    zeros. Equal to torch's attention and to `look`, which are stopped here. About 5 lines.
    """
    require_attention(q, k, v, mask)
    # BEGIN SOLUTION
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    if mask is not None:
        boolean = mask.dtype == torch.bool
        scores = scores.masked_fill(~mask, -math.inf) if boolean else scores + mask
    weights = softmax(scores)
    return weights @ v, weights
    # END SOLUTION


def look(q: XTK, k: XSK, v: XSV, mask: Mask = None) -> tuple[XTV, XTS]:
    """Given: `attention` from torch's parts, so that a mistake above costs nothing below."""
    require_attention(q, k, v, mask)
    # torch returns no weights, but a look at the rows of a unit matrix brings them back
    unit = torch.eye(k.shape[-2], dtype=v.dtype).expand(*k.shape[:-1], -1)
    weights = F.scaled_dot_product_attention(q, k, unit, mask)
    return weights @ v, weights


# ------------------------------------------------------------------ 5.6 Masks
def causal_mask(T: int, S: int | None = None) -> Bool[Tensor, "{T} _"]:
    """Return the boolean mask in which query i sees key j if j <= i + S - T (5.12). 1 line.

    S = T if not given. With more keys than queries, the queries are the last T of the S words.
    >>> causal_mask(2, 3).int().tolist()
    [[1, 1, 0], [1, 1, 1]]
    """
    S = T if S is None else S
    require("T and S", (T, S), 1 <= T <= S, "1 or more, and S no less than T")
    # BEGIN SOLUTION
    return torch.arange(S) <= torch.arange(T)[:, None] + S - T
    # END SOLUTION


def padding_mask(lengths: Int[Tensor, "B"], S: int) -> Bool[Tensor, "B 1 {S}"]:
    """Return the boolean mask that hides the padding after each of B sentences (5.13). 1 line.

    >>> padding_mask(torch.tensor([2, 3]), 3).int().tolist()
    [[[1, 1, 0]], [[1, 1, 1]]]
    """
    require("lengths", lengths.tolist(), all(0 <= n <= S for n in lengths), f"from 0 to {S}")
    # BEGIN SOLUTION
    return torch.arange(S) < lengths[:, None, None]
    # END SOLUTION


def additive_mask(mask: Bool[Tensor, "..."], dtype: torch.dtype = torch.float32) -> Tensor:
    """Return what to add to scores: 0 where a query may look, -inf elsewhere. 1 line."""
    require("mask", mask.dtype, mask.dtype == torch.bool, "boolean")
    # BEGIN SOLUTION
    return torch.zeros(mask.shape, dtype=dtype).masked_fill(~mask, -math.inf)
    # END SOLUTION


# ------------------------------------------------------------------ 5.7 Gradients by hand
@torch.no_grad()
def attention_gradients(
    q: XTK, k: XSK, v: XSV, weights: XTS, slopes: XTV
) -> tuple[Tensor, Tensor, Tensor]:
    """Return dL/dq, dL/dk, dL/dv, where slopes is dL/d(output) (5.14 to 5.17).

    weights: those of `attention`, 0 where a mask hid a key. Tests turn autograd off; 5 lines.
    """
    # BEGIN SOLUTION
    d_v = weights.mT @ slopes
    d_weights = slopes @ v.mT
    d_scores = weights * (d_weights - (weights * d_weights).sum(-1, keepdim=True))
    d_products = d_scores / math.sqrt(q.shape[-1])
    return d_products @ k, d_products.mT @ q, d_v
    # END SOLUTION


# ------------------------------------------------------------------ 5.8 Heads
class MultiHead(nn.Module):
    """H heads look at once, each with queries, keys and values of its own, K = D / H numbers wide.

    Parameters: W_q, W_k, W_v, W_o, each with weight (D, D) and bias (D); head h owns rows h K to
    (h + 1) K of the first three. E: the length of a vector that is looked at, if it is not D.
    """

    def __init__(self, D: int, H: int, E: int | None = None) -> None:
        super().__init__()
        require("D", D, H >= 1 and D % H == 0, f"divisible by {H} heads")
        self.D, self.H, self.look = D, H, look
        self.W_q, self.W_o = nn.Linear(D, D), nn.Linear(D, D)
        self.W_k, self.W_v = (nn.Linear(E or D, D) for _ in range(2))

    def forward(self, x: BTD, mask: Mask = None) -> tuple[BTD, Float[Tensor, "B H T T"]]:
        """Return W_o applied to the merged heads, and the weights of each head (5.18, 5.19).

        mask: as in `attention`, (T, T) or (B, T, T), the same for all heads: give it an axis for
        them. `self.look(q, k, v, mask)` is attention, einops moves the axes. About 5 lines.
        """
        # BEGIN SOLUTION
        asked = (self.W_q(x), self.W_k(x), self.W_v(x))
        q, k, v = (rearrange(each, "b t (h k) -> b h t k", h=self.H) for each in asked)
        y, weights = self.look(q, k, v, mask if mask is None else mask[..., None, :, :])
        return self.W_o(rearrange(y, "b h t k -> b t (h k)")), weights
        # END SOLUTION


# ------------------------------------------------------------------ 5.9 Cross-attention
class CrossAttention(MultiHead):
    """Heads whose queries come from one text and whose keys and values from another, the memory."""

    def remember(self, memory: Float[Tensor, "B S E"]) -> tuple[Tensor, Tensor]:
        """Return the keys and values of all heads, (B, H, S, K): once for all steps. 1-2 lines."""
        # BEGIN SOLUTION
        k, v = self.W_k(memory), self.W_v(memory)
        return tuple(rearrange(x, "b s (h k) -> b h s k", h=self.H) for x in (k, v))
        # END SOLUTION

    def forward(self, x: BTD, kv: tuple[Tensor, Tensor], mask: Mask = None) -> tuple[BTD, Tensor]:
        """Return the answers for x, (B, T, D), and the weights, (B, H, T, S) (5.20). 4 lines.

        kv: what `remember` returned. mask: (T, S), (B, T, S) or (B, 1, S).
        """
        # BEGIN SOLUTION
        q = rearrange(self.W_q(x), "b t (h k) -> b h t k", h=self.H)
        y, weights = self.look(q, *kv, mask if mask is None else mask[..., None, :, :])
        return self.W_o(rearrange(y, "b h t k -> b t (h k)")), weights
        # END SOLUTION


# ------------------------------------------------------------------ 5.10 Shared keys and values
def grouped_attention(q: BHTK, k: BGSK, v: BGSV, mask: Mask = None) -> tuple[BHTV, BHTS]:
    """Return attention of H heads of queries that share G heads of keys and values (5.21).

    The first H / G heads of q use head 0 of k and v, the next ones head 1 (Ainslie et al. 2023).
    mask: (T, S) or (B, T, S). Never copy k or v: lay the queries of a group in a row. 4 lines.
    """
    H, G, T = q.shape[1], k.shape[1], q.shape[2]
    require("H", H, G and H % G == 0, f"divisible into {G} groups")
    # BEGIN SOLUTION
    q = rearrange(q, "b (g r) t k -> b g (r t) k", g=G)
    mask = mask if mask is None else mask.tile(H // G, 1)[..., None, :, :]
    y, weights = (rearrange(x, "b g (r t) s -> b (g r) t s", t=T) for x in look(q, k, v, mask))
    return y, weights
    # END SOLUTION


def cache_bytes(n_layers: int, G: int, K: int, T: int, n_bytes: int = 2) -> int:
    """Return the bytes of G keys and G values of K numbers for each of T words and layers (5.22).

    >>> cache_bytes(n_layers=80, G=8, K=128, T=4096) / 2**30  # Llama 2 70B, in GiB
    1.25
    """
    # BEGIN SOLUTION
    return 2 * n_layers * G * K * T * n_bytes
    # END SOLUTION


# ------------------------------------------------------------------ 5.11 Attention in blocks
def blockwise_attention(q: XTK, k: XSK, v: XSV, causal: bool = False, block: int = 256) -> XTV:
    """Return what `attention` returns, without ever holding T x S numbers (5.23 to 5.25).

    For each `block` of queries, go once through the keys, a block at a time, and keep the largest
    score so far, the sum of the powers, and the sum of powers times values (Dao et al. 2022).
    causal: query i sees key j if j <= i + S - T; one that sees none gets zeros. About 18 lines.
    """
    require_attention(q, k, v)
    require("block", block, block >= 1, "at least 1")
    T, S = q.shape[-2], k.shape[-2]
    # BEGIN SOLUTION
    done = []
    for i in range(0, T, block):
        ask, rows = q[..., i : i + block, :], torch.arange(i, min(i + block, T))[:, None] + S - T
        top, total, mixed = torch.finfo(q.dtype).min, 0.0, 0.0
        for j in range(0, S, block):
            if causal and j > max(0, rows[-1]):
                break  # all later keys are hidden from these queries
            keys, values = k[..., j : j + block, :], v[..., j : j + block, :]
            scores = ask @ keys.mT / math.sqrt(q.shape[-1])
            if causal:
                scores = scores.masked_fill(torch.arange(S)[j : j + block] > rows, -math.inf)
            higher = scores.detach().amax(-1, keepdim=True).clamp(min=top)
            shrink, powers = torch.exp(top - higher), torch.exp(scores - higher)
            total = total * shrink + powers.sum(-1, keepdim=True)
            mixed, top = mixed * shrink + powers @ values, higher
        done.append(mixed / total.clamp(min=1))  # as in `softmax`
    return torch.cat(done, dim=-2)
    # END SOLUTION


# ------------------------------------------------------------------ 5.12 Windows
def windowed_attention(q: XTK, k: XTK, v: XTV, width: int) -> XTV:
    """Return attention in which query i sees the keys j with i - width < j <= i (5.26).

    Work and memory grow with T times width: take `width` queries at a time, and of the keys only
    those that one of them sees. About 7 lines.
    """
    require_attention(q, k, v)
    require("width", width, width >= 1, "at least 1")
    require("T and S", (q.shape[-2], k.shape[-2]), q.shape[-2] == k.shape[-2], "equal")
    # BEGIN SOLUTION
    done, T = [], q.shape[-2]
    for i in range(0, T, width):
        here, near = slice(i, i + width), slice(max(0, i - width + 1), i + width)
        rows, columns = torch.arange(T)[here, None], torch.arange(T)[near]
        mask = (columns <= rows) & (columns > rows - width)
        done.append(look(q[..., here, :], k[..., near, :], v[..., near, :], mask)[0])
    return torch.cat(done, dim=-2)
    # END SOLUTION


def receptive_field(width: int, n_layers: int) -> int:
    """Return how many words, its own included, can reach a vector through layers (5.27). 1 line.

    >>> receptive_field(width=3, n_layers=2)
    5
    """
    # BEGIN SOLUTION
    return n_layers * (width - 1) + 1
    # END SOLUTION
