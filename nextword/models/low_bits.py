"""The weights of a trained network with 8 or 4 bits each. Leaves out: computing with whole numbers.

Each weight is a whole number times a scale; what shares a scale is a tensor, a row or a group.
"""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor

SCALE_BITS = 16  # of a scale, and of what stays as it was trained: gains and biases


def grouped(W: Tensor, share: str | int) -> Tensor:
    """A matrix as rows of numbers with one scale each: all of it, its rows, or pieces of rows.

    >>> import torch
    >>> W = torch.zeros(4, 6)
    >>> [tuple(grouped(W, share).shape) for share in ("tensor", "row", 3)]
    [(1, 24), (4, 6), (8, 3)]
    """
    if share == "tensor":
        return W.reshape(1, -1)
    return W if share == "row" else W.reshape(-1, int(share))


def rounded(W: Tensor, bits: int, share: str | int) -> Tensor:
    """A matrix as a computer sees it again that kept `bits` bits of each number.

        s = max |w| / (2^(bits - 1) - 1),    w becomes s round(w / s)

    share: which numbers have one scale s: "tensor", "row", or so many neighbours of a row.
    >>> import torch
    >>> rounded(torch.tensor([[7.0, 1.4], [0.7, 0.1]]), 4, "row")
    tensor([[7.0000, 1.0000],
            [0.7000, 0.1000]])
    """
    rows = grouped(W, share)
    largest = 2 ** (bits - 1) - 1
    s = rows.abs().amax(1, keepdim=True) / largest
    s[s == 0] = 1
    return (s * (rows / s).round()).reshape(W.shape)


def all_rounded(
    tensors: Mapping[str, Tensor], bits: int, share: str | int
) -> tuple[dict[str, Tensor], float]:
    """All matrices of a network rounded, and the kilobytes (1,000 bytes) that the network takes.

    Vectors, such as the gains of norms, stay as they are.
    >>> import torch
    >>> whole, kilobytes = all_rounded({"W": torch.ones(10, 100), "b": torch.ones(4)}, 4, "row")
    >>> kilobytes
    0.528
    """
    found, n_bits = {}, 0
    for name, tensor in tensors.items():
        W = tensor.float()
        if W.ndim < 2:
            found[name], size = W, SCALE_BITS * W.numel()
        else:
            found[name] = rounded(W, bits, share)
            size = bits * W.numel() + SCALE_BITS * len(grouped(W, share))
        n_bits += size
    return found, n_bits / 8000
