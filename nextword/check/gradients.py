"""Gradients of a student's function or module, for suites that ask whether learning is right.

In a test, `gradients` works alike on a module of this process and on a stand-in for one that lives
in another process.
"""

from __future__ import annotations

from typing import Any


def gradients(function: Any, *inputs: Any, weights: Any = None) -> tuple[Any, list[Any], dict]:
    """Return the value of `function(*inputs)` and the gradients of its weighted sum.

    The sum is over all entries of the value times `weights` (default: 1). Gradients come for each
    input that is a floating tensor (None for the others), and by name for each parameter of the
    module that `function` is, or belongs to. They stay in the parameters' `grad` as well, where
    an optimiser finds them.

    >>> import torch
    >>> gradients(torch.square, torch.tensor([1.0, 2.0]))[1]
    [tensor([2., 4.])]
    """
    remote = getattr(type(function), "remote_gradients", None)
    if remote is not None:
        found: tuple[Any, list[Any], dict] = remote(function, inputs, weights)
        return found
    return local_gradients(function, inputs, weights)


def local_gradients(
    function: Any, inputs: tuple[Any, ...], weights: Any = None
) -> tuple[Any, list[Any], dict]:
    """Do what `gradients` says, in this process."""
    import torch

    leaves = [_leaf(each) for each in inputs]
    owner = getattr(function, "__self__", function)
    parameters = dict(owner.named_parameters()) if isinstance(owner, torch.nn.Module) else {}
    for parameter in parameters.values():
        parameter.grad = None
    value = function(*leaves)
    total = value.sum() if weights is None else (value * weights).sum()
    total.backward()
    by_input = [each.grad if isinstance(each, torch.Tensor) else None for each in leaves]
    by_parameter = {name: parameter.grad for name, parameter in parameters.items()}
    return value.detach(), by_input, by_parameter


def _leaf(value: Any) -> Any:
    import torch

    if isinstance(value, torch.Tensor) and value.is_floating_point():
        return value.detach().clone().requires_grad_()
    return value
