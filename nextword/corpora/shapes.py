"""Shapes of tensors by short names, for the signatures of chapter 4. Leaves out: other chapters.

B sequences of T steps; V words; L layers. An input is D numbers, an output H, a state S. BTH is a
tensor of shape (B, T, H), XH one of shape (..., H); A is G H, the size of a = W x + b.
"""

from jaxtyping import Float, Int
from torch import Tensor

BH, BS, BV, BTD, BTH, BTV, BLS = (
    Float[Tensor, " ".join(name)] for name in ("BH", "BS", "BV", "BTD", "BTH", "BTV", "BLS")
)
XA, XH, XS = (Float[Tensor, f"*B {size}"] for size in "AHS")
Id, Ids = Int[Tensor, "B"], Int[Tensor, "B T"]
