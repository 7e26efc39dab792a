"""What suites ask of modules and optimizers, where those are: in the candidate, or in a test.

Holds no secret; whatever it answers in a candidate is the student's word (see examiner.suite).
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Mapping, Sequence
from typing import Any

M_MMAP_THRESHOLD, MMAP_THRESHOLD = -3, 128 << 10  # bytes: larger pieces have pages of their own


def gradients(
    function: Any, inputs: Sequence[Any], weights: Any = None, output: int | None = None
) -> tuple[Any, list[Any], dict[str, Any]]:
    """Do what examiner.suite.gradients says, in this process."""
    import torch

    leaves = [_leaf(each) for each in inputs]
    owner = getattr(function, "__self__", function)
    parameters = dict(owner.named_parameters()) if isinstance(owner, torch.nn.Module) else {}
    for parameter in parameters.values():
        parameter.grad = None
    value = function(*leaves)
    if output is not None:
        value = value[output]
    _weighted_sum(value, weights).backward()
    by_input = [each.grad if isinstance(each, torch.Tensor) else None for each in leaves]
    by_parameter = {name: parameter.grad for name, parameter in parameters.items()}
    return _detached(value), by_input, by_parameter


def _leaf(value: Any) -> Any:
    import torch

    if isinstance(value, torch.Tensor) and value.is_floating_point():
        return value.detach().clone().requires_grad_()
    return value


def _weighted_sum(value: Any, weights: Any) -> Any:
    if not isinstance(value, (tuple, list)):
        return value.sum() if weights is None else (value * weights).sum()
    if weights is None:
        raise TypeError(
            f"the value is {len(value)} tensors: say output=0, or give weights, one for each "
            "(None for those that do not count)"
        )
    pairs = zip(value, weights, strict=True)
    return sum((each * weight).sum() for each, weight in pairs if weight is not None)


def _detached(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return tuple(each.detach() for each in value)
    return value.detach()


def set_parameters(module: Any, values: Mapping[str, Any]) -> None:
    """Do what examiner.suite.set_parameters says, in this process."""
    import torch

    known = {**dict(module.named_buffers()), **dict(module.named_parameters())}
    for name, value in values.items():
        if name not in known:
            raise KeyError(f"there is no parameter {name!r}; there are {sorted(known)}")
        if known[name].shape != value.shape:
            expected = f"{tuple(value.shape)} expected"
            raise ValueError(f"{name} has the shape {tuple(known[name].shape)}, {expected}")
    with torch.no_grad():
        for name, value in values.items():
            known[name].copy_(value)


def optimizer_steps(
    make: Any,
    parameters: Sequence[Any],
    gradients: Sequence[Sequence[Any]],
    options: Mapping[str, Any],
) -> list[list[Any]]:
    """Do what examiner.suite.optimizer_steps says, in this process."""
    import torch

    held = [torch.nn.Parameter(each.detach().clone()) for each in parameters]
    optimizer = make(held, **options)
    found = []
    for step in gradients:
        for parameter, gradient in zip(held, step, strict=True):
            parameter.grad = None if gradient is None else gradient.clone()
        optimizer.step()
        found.append([parameter.detach().clone() for parameter in held])
    return found


def value_and_peak(function: Any, inputs: Sequence[Any]) -> tuple[Any, int]:
    """Do what examiner.suite.value_and_peak says, in this process."""
    import torch

    _give_back_memory()
    with torch.no_grad():
        return measured(function, inputs)


def _give_back_memory() -> None:
    """Have glibc return what is freed: holes between small pieces would count as memory in use.

    subtle: once a large piece was freed, glibc keeps even larger ones, unless a threshold is set.
    """
    with contextlib.suppress(OSError, AttributeError):  # another C library
        libc = ctypes.CDLL(None)
        libc.mallopt(M_MMAP_THRESHOLD, MMAP_THRESHOLD)
        libc.malloc_trim(0)


def measured(function: Any, inputs: Sequence[Any]) -> tuple[Any, int]:
    """Return the value of `function(*inputs)`, and the most bytes that it held."""
    import weakref

    import torch
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils._pytree import tree_leaves

    held = most = 0
    known: dict[int, Any] = {}  # by its address, what is held of each storage
    for each in tree_leaves(inputs):
        if isinstance(each, torch.Tensor):
            known[each.untyped_storage()._cdata] = None

    def count(storage: Any) -> None:
        nonlocal held, most
        key = storage._cdata
        if key in known:
            return  # a view of what was there before
        size = storage.nbytes()

        def freed(_: Any) -> None:
            nonlocal held
            held -= size
            del known[key]

        held += size
        if held > most:
            most = held
        known[key] = weakref.ref(storage, freed)

    class Watch(TorchDispatchMode):
        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            value = func(*args, **kwargs) if kwargs else func(*args)
            if isinstance(value, torch.Tensor):  # nearly always: looking for leaves takes longer
                count(value.untyped_storage())
                return value
            for each in tree_leaves(value):
                if isinstance(each, torch.Tensor):
                    count(each.untyped_storage())
            return value

    with Watch():
        value = function(*inputs)
    return value, most
