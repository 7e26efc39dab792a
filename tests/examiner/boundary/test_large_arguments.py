"""Large arguments that a function changes in place are seen, and cost no copy."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from examiner.candidate.arguments import LARGE, Watched

SIZE = LARGE // 4 + 1


def change_array(x: np.ndarray) -> None:
    x[-1] += 1


def change_tensor(x: torch.Tensor) -> None:
    x[-1] += 1


def change_shape(x: torch.Tensor) -> None:
    x.unsqueeze_(0)


@pytest.mark.parametrize(
    ("make", "change"),
    [
        (lambda: np.zeros(SIZE, "float32"), change_array),
        (lambda: np.zeros((SIZE, 2), "float32")[:, 0], change_array),
        (lambda: np.array([[1]] * SIZE, dtype=object)[:, 0], change_array),
        (lambda: torch.zeros(SIZE), change_tensor),
        (lambda: torch.zeros(2 * SIZE, dtype=torch.bfloat16), change_tensor),
        (lambda: torch.zeros(SIZE), change_shape),
        (lambda: torch.zeros(SIZE), torch.Tensor.requires_grad_),
    ],
)
def test_a_change_in_a_large_argument_is_seen(
    make: Callable[[], object], change: Callable[[Any], object]
) -> None:
    value = make()
    watched = Watched([1, value], {})
    assert watched.changed() == []
    change(value)
    assert watched.changed() == [1]
