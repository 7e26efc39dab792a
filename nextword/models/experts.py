"""A feed-forward layer in parts, the experts, of which each word uses a few (mixture of experts).

Leaves out: training one beside dense layers (nextword.models.recipes.transformers_experts).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 - torch's own custom

STEP = 0.01  # by which a bias moves after each batch


class Experts(nn.Module):
    """A wide feed-forward layer, cut into n experts; a router chooses `top` of them for each word.

        shares = softmax(router(x))
        output = sum over the chosen experts e of shares[e] down_e(gelu(up_e(x)))

    A bias for each expert is added to the shares when experts are chosen, and only then. After each
    batch of training it rises for experts that had too few words and falls for the others (Wang et
    al., 2024): so all are used, without a second loss. Here all experts are computed and what was
    not chosen is multiplied by 0, which is simple, but saves no time.
    """

    bias: Tensor  # of each expert, (n,): a buffer, no weight

    def __init__(self, D: int, width: int, n: int, top: int = 1, *, balanced: bool = True) -> None:
        """width: hidden numbers of one expert. balanced: the biases move."""
        super().__init__()
        self.n, self.top, self.balanced = n, top, balanced
        self.router = nn.Linear(D, n, bias=False)
        self.up = nn.Linear(D, n * width)  # all experts, one after the other
        self.down = nn.Linear(n * width, D)
        self.register_buffer("bias", torch.zeros(n))

    def gates(self, x: Tensor) -> Tensor:
        """The share of each expert, (B, T, D) -> (B, T, n); 0 where it is not chosen."""
        shares = self.router(x).softmax(-1)
        chosen = (shares + self.bias).topk(self.top).indices
        return torch.zeros_like(shares).scatter(-1, chosen, shares.gather(-1, chosen))

    def forward(self, x: Tensor) -> Tensor:
        """The output of the layer, (B, T, D) -> (B, T, D); in training the biases move, too.

        >>> layer = Experts(D=8, width=16, n=4)
        >>> layer(torch.zeros(2, 3, 8)).shape
        torch.Size([2, 3, 8])
        """
        gates = self.gates(x)
        if self.training and self.balanced:
            load = (gates > 0).float().mean((0, 1))
            self.bias += STEP * torch.sign(self.top / self.n - load)
        hidden = F.gelu(self.up(x)).unflatten(-1, (self.n, -1))
        out: Tensor = self.down((gates[..., None] * hidden).flatten(-2))
        return out
