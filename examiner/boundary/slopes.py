"""Gradients through a call that is computed in another process: both sides of it.

The side that computes keeps what it computed; the side that asked gets tensors whose gradients are
asked for, by the number under which it was kept, when its own backward pass comes there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch

from examiner.boundary.tensors import Answer

Ask = Callable[[list[Any]], Any]


def tensors_in(value: Any) -> Iterator[torch.Tensor]:
    """Yield the floating tensors in lists, tuples and dicts, in their order."""
    if isinstance(value, torch.Tensor):
        if value.is_floating_point():
            yield value
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from tensors_in(each)
    elif isinstance(value, dict):
        for each in value.values():
            yield from tensors_in(each)


def with_tensors(value: Any, change: Callable[[torch.Tensor], Any]) -> Any:
    """Return the value with another tensor in place of each floating one, in the same order."""
    if isinstance(value, torch.Tensor):
        return change(value) if value.is_floating_point() else value
    if type(value) in (list, tuple):
        return type(value)(with_tensors(each, change) for each in value)
    if type(value) is dict:
        return {key: with_tensors(each, change) for key, each in value.items()}
    return value


def own(value: Any) -> Any:
    """Return the value with tensors that may be written to; those that wanted gradients do."""

    def copied(tensor: torch.Tensor) -> torch.Tensor:
        plain = tensor.plain() if isinstance(tensor, Answer) else tensor.detach()
        return plain.clone().requires_grad_(tensor.requires_grad)

    return with_tensors(value, copied)


class Kept:
    """What was computed here for the other side, as long as a test runs."""

    def __init__(self) -> None:
        self._kept: list[tuple[list[torch.Tensor], list[torch.Tensor]]] = []

    def keep(self, value: Any, leaves: list[torch.Tensor]) -> list[Any]:
        """Return what the other side gets: a number, the value, and which tensors have slopes."""
        outputs = list(tensors_in(value))
        flags = [each.requires_grad for each in outputs]
        if not any(flags):
            return [0, value, []]
        self._kept.append((outputs, leaves))
        return [len(self._kept), with_tensors(value, torch.Tensor.detach), flags]

    def pull(self, number: int, slopes: list[Any]) -> list[Any]:
        """Return the slopes of the leaves for those of the outputs; parameters keep their own."""
        outputs, leaves = self._kept[number - 1]
        pairs = [
            (out, own(slope))
            for out, slope in zip(outputs, slopes, strict=True)
            if out.requires_grad and slope is not None
        ]
        for leaf in leaves:
            leaf.grad = None
        if pairs:
            values, wanted = (list(each) for each in zip(*pairs, strict=True))
            torch.autograd.backward(values, wanted, retain_graph=True)
        return [leaf.grad for leaf in leaves]


class _Elsewhere(torch.autograd.Function):
    """A node of the graph whose inside is in the other process."""

    @staticmethod
    def forward(ctx: Any, pull: Ask, outputs: list[Any], flags: list[Any], *leaves: Any) -> Any:
        ctx.pull = pull
        found = [each.clone() for each in outputs]
        ctx.mark_non_differentiable(*(t for t, flag in zip(found, flags, strict=True) if not flag))
        return tuple(found)

    @staticmethod
    def backward(ctx: Any, *slopes: Any) -> Any:
        found = ctx.pull(list(slopes))
        return None, None, None, *found, None


def joined(answer: Any, leaves: list[torch.Tensor], pull: Callable[[int, list[Any]], Any]) -> Any:
    """Return what `Kept.keep` gave the other side as a part of this side's graph."""
    number, value, flags = answer
    if not number:
        return value
    anchor = torch.zeros((), requires_grad=True)  # a graph is made even where no leaf is ours
    outputs = list(tensors_in(own(value)))
    found = iter(
        _Elsewhere.apply(lambda slopes: own(pull(number, slopes)), outputs, flags, *leaves, anchor)
    )
    return with_tensors(value, lambda _: next(found))
