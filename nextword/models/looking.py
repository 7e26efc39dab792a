"""Where the heads of a trained transformer look, and what is left when they may look less far."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn


@torch.no_grad()
def looks(model: Any, tokens: Tensor) -> Tensor:
    """The weights of all heads of a model with rotary positions, (L, H, T, T), for one text (T,).

    The layers are run as they are; only their weights, which they do not return, are computed here.
    """
    x, found = model.embed(tokens[None]), []
    for block in model.blocks:
        heads = block.mixer
        parts = heads.W_qkv(block.norm1(x))[0].unflatten(-1, (3, heads.H, heads.K))
        q, k, _ = (part.transpose(0, 1) for part in parts.unbind(1))
        scores = heads.rotate(q) @ heads.rotate(k).mT / heads.K**0.5
        hidden = ~torch.ones_like(scores, dtype=torch.bool).tril()
        found.append(scores.masked_fill(hidden, -torch.inf).softmax(-1))
        x, _ = block(x)
    return torch.stack(found)


def near(T: int, S: int, window: int, first: int = 0) -> Tensor:
    """True where a query sees a key: one of the last `window` keys, or of the `first` of the text.

    The queries are the last T of S tokens.
    >>> near(4, 4, window=2, first=1).int()
    tensor([[1, 0, 0, 0],
            [1, 1, 0, 0],
            [1, 1, 1, 0],
            [1, 0, 1, 1]], dtype=torch.int32)
    """
    i = torch.arange(S - T, S)[:, None]
    j = torch.arange(S)
    return (j <= i) & ((i - j < window) | (j < first))


def with_window(model: nn.Module, window: int, first: int = 0) -> nn.Module:
    """A copy of a model of the chapter whose heads see the last `window` keys and the `first`."""
    limited = copy.deepcopy(model)
    visible: Callable[..., Tensor] = lambda T, S, mask, device: near(T, S, window, first)  # noqa: E731
    for block in limited.blocks:  # type: ignore[union-attr]
        block.mixer.visible = visible
    return limited
