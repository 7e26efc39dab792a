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
        raise NotImplementedError("5.1 AdditiveAttention.forward: see section 5.1, equations 5.1 to 5.3")


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
        raise NotImplementedError("5.2 Translator.step: see section 5.2, equations 5.4 and 5.5")

    def forward(self, source: Ids, inputs: Int[Tensor, "B T2"]) -> tuple[Tensor, Tensor]:
        """Return logits (B, T2, V) and weights (B, T2, T): a step for each input. About 6 lines."""
        raise NotImplementedError("5.2 Translator.forward: see section 5.2, equations 5.4 and 5.5")

    @torch.no_grad()
    def translate(self, source: Ids, most: int = 60) -> list[list[int]]:
        """Write the likeliest word each time, from BOS up to EOS or `most` words. About 7 lines."""
        raise NotImplementedError("5.2 Translator.translate: see section 5.2, equations 5.4 and 5.5")


# ------------------------------------------------------------------ 5.3 The plain sum
def dot_product_sum(x: XTD) -> tuple[XTD, Float[Tensor, "*#B T T"]]:
    """Mix each vector with those that resemble it: y_i = sum_j softmax_j(x_i . x_j) x_j (5.6).

    Returns y and the weights, a row for each i. Learns nothing. 2 lines; on your honour, no loop.
    >>> dot_product_sum(torch.tensor([[0.0, 0.0], [4.0, 2.0]]))[0][0]
    tensor([2., 1.])
    """
    raise NotImplementedError("5.3 dot_product_sum: see section 5.3, equation 5.6")


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
    raise NotImplementedError("5.4 soft_lookup: see section 5.4, equations 5.7 to 5.9")


def self_attention(x: XTD, W_q: Float[Tensor, "K D"], W_k: Tensor, W_v: Tensor) -> Tensor:
    """Make q = W_q x, k = W_k x and v = W_v x of each row x, and look up (5.9). 1 or 2 lines."""
    raise NotImplementedError("5.4 self_attention: see section 5.4, equations 5.7 to 5.9")


# ------------------------------------------------------------------ 5.5 Scaled dot products
def softmax(scores: Float[Tensor, "*B S"]) -> Float[Tensor, "*B S"]:
    """Return exp(e) / sum of exp(e) over the last axis (5.10), also where exp(e) would overflow.

    A score of -inf has weight 0, and a row of nothing else is all 0, with gradient 0, never NaN.
    About 4 lines; torch's own softmax and logsumexp are stopped here.
    >>> softmax(torch.tensor([[1000.0, 1000.0], [-math.inf, -math.inf]])).tolist()
    [[0.5, 0.5], [0.0, 0.0]]
    """
    require("scores", (*scores.shape,), scores.shape[-1] > 0, "of a shape with 1 score or more")
    raise NotImplementedError("5.5 softmax: see section 5.5, equations 5.10 and 5.11")


def attention(q: XTK, k: XSK, v: XSV, mask: Mask = None) -> tuple[XTV, XTS]:
    """Return softmax(q k^T / sqrt(K) + mask) v and the weights (Vaswani et al. 2017) (5.11).

    mask: boolean, True where a query may look, or numbers that are added to the scaled scores; it
    may lack leading axes, or have 1 in the place of T or S. Queries that may look nowhere get
    zeros. Equal to torch's attention and to `look`, which are stopped here. About 5 lines.
    """
    require_attention(q, k, v, mask)
    raise NotImplementedError("5.5 attention: see section 5.5, equations 5.10 and 5.11")


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
    raise NotImplementedError("5.6 causal_mask: see section 5.6, equations 5.12 and 5.13")


def padding_mask(lengths: Int[Tensor, "B"], S: int) -> Bool[Tensor, "B 1 {S}"]:
    """Return the boolean mask that hides the padding after each of B sentences (5.13). 1 line.

    >>> padding_mask(torch.tensor([2, 3]), 3).int().tolist()
    [[[1, 1, 0]], [[1, 1, 1]]]
    """
    require("lengths", lengths.tolist(), all(0 <= n <= S for n in lengths), f"from 0 to {S}")
    raise NotImplementedError("5.6 padding_mask: see section 5.6, equations 5.12 and 5.13")


def additive_mask(mask: Bool[Tensor, "..."], dtype: torch.dtype = torch.float32) -> Tensor:
    """Return what to add to scores: 0 where a query may look, -inf elsewhere. 1 line."""
    require("mask", mask.dtype, mask.dtype == torch.bool, "boolean")
    raise NotImplementedError("5.6 additive_mask: see section 5.6, equations 5.12 and 5.13")


# ------------------------------------------------------------------ 5.7 Gradients by hand
@torch.no_grad()
def attention_gradients(
    q: XTK, k: XSK, v: XSV, weights: XTS, slopes: XTV
) -> tuple[Tensor, Tensor, Tensor]:
    """Return dL/dq, dL/dk, dL/dv, where slopes is dL/d(output) (5.14 to 5.17).

    weights: those of `attention`, 0 where a mask hid a key. Tests turn autograd off; 5 lines.
    """
    raise NotImplementedError("5.7 attention_gradients: see section 5.7, equations 5.14 to 5.17")


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
        raise NotImplementedError("5.8 MultiHead.forward: see section 5.8, equations 5.18 and 5.19")


# ------------------------------------------------------------------ 5.9 Cross-attention
class CrossAttention(MultiHead):
    """Heads whose queries come from one text and whose keys and values from another, the memory."""

    def remember(self, memory: Float[Tensor, "B S E"]) -> tuple[Tensor, Tensor]:
        """Return the keys and values of all heads, (B, H, S, K): once for all steps. 1-2 lines."""
        raise NotImplementedError("5.9 CrossAttention.remember: see section 5.9, equation 5.20")

    def forward(self, x: BTD, kv: tuple[Tensor, Tensor], mask: Mask = None) -> tuple[BTD, Tensor]:
        """Return the answers for x, (B, T, D), and the weights, (B, H, T, S) (5.20). 4 lines.

        kv: what `remember` returned. mask: (T, S), (B, T, S) or (B, 1, S).
        """
        raise NotImplementedError("5.9 CrossAttention.forward: see section 5.9, equation 5.20")


# ------------------------------------------------------------------ 5.10 Shared keys and values
def grouped_attention(q: BHTK, k: BGSK, v: BGSV, mask: Mask = None) -> tuple[BHTV, BHTS]:
    """Return attention of H heads of queries that share G heads of keys and values (5.21).

    The first H / G heads of q use head 0 of k and v, the next ones head 1 (Ainslie et al. 2023).
    mask: (T, S) or (B, T, S). Never copy k or v: lay the queries of a group in a row. 4 lines.
    """
    H, G, T = q.shape[1], k.shape[1], q.shape[2]
    require("H", H, G and H % G == 0, f"divisible into {G} groups")
    raise NotImplementedError("5.10 grouped_attention: see section 5.10, equations 5.21 and 5.22")


def cache_bytes(n_layers: int, G: int, K: int, T: int, n_bytes: int = 2) -> int:
    """Return the bytes of G keys and G values of K numbers for each of T words and layers (5.22).

    >>> cache_bytes(n_layers=80, G=8, K=128, T=4096) / 2**30  # Llama 2 70B, in GiB
    1.25
    """
    raise NotImplementedError("5.10 cache_bytes: see section 5.10, equations 5.21 and 5.22")


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
    raise NotImplementedError("5.11 blockwise_attention: see section 5.11, equations 5.23 to 5.25")


# ------------------------------------------------------------------ 5.12 Windows
def windowed_attention(q: XTK, k: XTK, v: XTV, width: int) -> XTV:
    """Return attention in which query i sees the keys j with i - width < j <= i (5.26).

    Work and memory grow with T times width: take `width` queries at a time, and of the keys only
    those that one of them sees. About 7 lines.
    """
    require_attention(q, k, v)
    require("width", width, width >= 1, "at least 1")
    require("T and S", (q.shape[-2], k.shape[-2]), q.shape[-2] == k.shape[-2], "equal")
    raise NotImplementedError("5.12 windowed_attention: see section 5.12, equations 5.26 and 5.27")


def receptive_field(width: int, n_layers: int) -> int:
    """Return how many words, its own included, can reach a vector through layers (5.27). 1 line.

    >>> receptive_field(width=3, n_layers=2)
    5
    """
    raise NotImplementedError("5.12 receptive_field: see section 5.12, equations 5.26 and 5.27")
