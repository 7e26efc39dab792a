"""What suites ask of networks: gradients, copied weights, training steps.

Each works alike on the student's objects and on the test's own, such as an oracle's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from examiner.boundary.proxy import talk_of
from examiner.candidate import learning
from examiner.suite.closeness import Closeness, close

UNTOLD = 48 << 20  # bytes of a process that are no tensors: what it imported, what it freed


def _there(function: Any, *args: Any) -> Any:
    """Call a function of candidate/learning.py where the first argument lives."""
    talk = talk_of(args[0])
    return function(*args) if talk is None else talk.request("call", function, *args)


def gradients(
    function: Any, *inputs: Any, weights: Any = None, output: int | None = None
) -> tuple[Any, list[Any], dict[str, Any]]:
    """Return the value of `function(*inputs)` and the gradients of its weighted sum.

    The sum is over all entries of the value times `weights` (default: 1). Where the value is a
    tuple, `output` says which part counts, or `weights` holds one tensor or number for each part,
    None for those that do not count: a vector-Jacobian product. Gradients are given for each input
    that is a floating tensor (None for the others), and by name for each parameter of the module
    that `function` is, or belongs to. They stay in the parameters' `grad`, too, where an
    optimizer finds them.

    >>> import torch
    >>> gradients(torch.square, torch.tensor([1.0, 2.0]))[1]
    [tensor([2., 4.])]
    >>> gradients(lambda x: (x, x * x), torch.tensor([3.0]), weights=(None, 10.0))[1]
    [tensor([60.])]
    """
    found: tuple[Any, list[Any], dict[str, Any]] = _there(
        learning.gradients, function, list(inputs), weights, output
    )
    return found


def set_parameters(module: Any, values: Mapping[str, Any]) -> None:
    """Copy tensors into a module's parameters and buffers, by name; others stay as they are.

    Raises KeyError for a name that the module has not, ValueError for another shape.

    >>> import torch
    >>> layer = torch.nn.Linear(2, 1, bias=False)
    >>> set_parameters(layer, {"weight": torch.tensor([[1.0, 2.0]])})
    >>> layer(torch.tensor([1.0, 1.0])).item()
    3.0
    """
    _there(learning.set_parameters, module, dict(values))


def optimizer_steps(
    make: Any, parameters: Sequence[Any], gradients: Sequence[Sequence[Any]], **options: Any
) -> list[list[Any]]:
    """Return the parameters after each step of the optimizer `make(parameters, **options)`.

    Before step t the gradients are set to gradients[t]: one tensor for each parameter, or None.

    >>> import torch
    >>> optimizer_steps(torch.optim.SGD, [torch.tensor([1.0])], [[torch.tensor([2.0])]], lr=0.1)
    [[tensor([0.8000])]]
    """
    held = [list(step) for step in gradients]
    found: list[list[Any]] = _there(learning.optimizer_steps, make, list(parameters), held, options)
    return found


def same_training_step(
    make: Any,
    oracle: Any,
    parameters: Sequence[Any],
    gradients: Sequence[Sequence[Any]],
    **options: Any,
) -> Closeness:
    """Compare a student's optimizer with an oracle's, after each of some steps (see there).

    >>> import torch
    >>> sgd, adam, x = torch.optim.SGD, torch.optim.Adam, torch.tensor([1.0])
    >>> same_training_step(sgd, adam, [x], [[x]], lr=0.5)
    close
    >>> same_training_step(sgd, adam, [x], [[x], [2 * x]], lr=0.5)
    at [1][0][0]: -0.5, expected 0.01740911602973938
    """
    expected = optimizer_steps(oracle, parameters, gradients, **options)
    return close(optimizer_steps(make, parameters, gradients, **options), expected)


def peak_bytes(function: Any, *inputs: Any) -> int:
    """Return the most bytes that the tensors made by `function(*inputs)` take at the same time.

    The inputs do not count, the value does. Memory within an operation of torch, and that of
    arrays and lists, is not seen. No gradients are kept.

    >>> import torch
    >>> x = torch.zeros(1000)
    >>> peak_bytes(lambda x: (x + 1)[:10] * 2, x)
    4040
    >>> peak_bytes(lambda x: x[:10], x)
    0
    """
    return value_and_peak(function, *inputs)[1]


def value_and_peak(function: Any, *inputs: Any) -> tuple[Any, int]:
    """Return the value of a call, and its `peak_bytes`.

    A student's process counts its tensors itself. Where Linux tells how much memory that process
    has, it cannot say less than that, but for UNTOLD bytes: so much may lie unused in it.
    """
    talk = talk_of(function)
    meter, lender = getattr(talk, "meter", None), getattr(talk, "lender", None)
    if lender is not None:
        lender.peak = 0  # a part that is lent computes elsewhere, and is no way to save memory
    if talk is not None and meter is not None:
        talk.spoil()  # what is measured is no answer
        meter.forget_peak()
    try:
        value, told = _there(learning.value_and_peak, function, list(inputs))
        peak = int(told) + (lender.peak if lender is not None else 0)
    finally:
        if lender is not None:
            lender.peak = None
    had = meter.peak() if meter is not None else None
    return value, peak if had is None else max(peak, had - UNTOLD)
