"""Shapes of tensors: short names for signatures of chapters 4 and 6, and what attention is given.

B sequences of T steps; V words; L layers. An input is D numbers, an output H, a state S. BTH is a
tensor of shape (B, T, H), XH one of shape (..., H); A is G H, the size of a = W x + b. In chapter 6
H heads have keys of K numbers and values of V.
"""

from typing import Any

from jaxtyping import Float, Int
from torch import Tensor

from nextword.corpora.checks import require

BH, BS, BV, BTD, BTH, BTV, BLS = (
    Float[Tensor, " ".join(name)] for name in ("BH", "BS", "BV", "BTD", "BTH", "BTV", "BLS")
)
BHT, BHKV, BHTK, BHTV = (Float[Tensor, " ".join(name)] for name in ("BHT", "BHKV", "BHTK", "BHTV"))
XA, XD, XH, XS, XTK = (Float[Tensor, f"*B {axes}"] for axes in ("A", "D", "H", "S", "T K"))
Vector = Float[Tensor, "D"]
Id, Ids = Int[Tensor, "B"], Int[Tensor, "B T"]
Rows = list[list[int]]  # ids, too, but each row is as long as it is


def require_attention(q: Any, k: Any, v: Any, mask: Any = None) -> None:
    """Raise ValueError unless q, k, v and the mask of an attention fit, and none is empty.

    q: (..., T, K), k: (..., S, K), v: (..., S, V). A mask is boolean or as precise as q, and its
    shape can be expanded to (..., T, S).
    """
    require("q", (*q.shape,), q.ndim >= 2 and q.shape[-1] == k.shape[-1], f"(..., {k.shape[-1]})")
    S = k.shape[-2]
    require("T and S", (q.shape[-2], S), q.shape[-2] and S, "at least 1")
    require("v", (*v.shape,), v.shape[-2] == S, f"as long as k, (..., {S}, V)")
    if mask is None:
        return
    kinds = ("torch.bool", str(q.dtype))
    require("mask", str(mask.dtype), str(mask.dtype) in kinds, f"{' or '.join(kinds)}")
    leading = k.shape[:-2] if k.ndim > q.ndim else q.shape[:-2]
    scores = (*leading, q.shape[-2], S)
    pairs = zip(reversed(mask.shape), reversed(scores), strict=False)
    fits = mask.ndim <= len(scores) and all(m in (1, n) or n == 1 for m, n in pairs)
    require("mask", (*mask.shape,), fits, f"of a shape that fits the scores, {scores}")
