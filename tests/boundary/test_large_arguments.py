"""Large arguments that a function changes in place are seen, and cost no copy."""

import numpy as np
import pytest
import torch

from nextword.candidate.arguments import LARGE, Watched

SIZE = LARGE // 4 + 1


def change_array(x: np.ndarray) -> None:
    x[-1] += 1


def change_tensor(x: torch.Tensor) -> None:
    x[-1] += 1


def change_shape(x: torch.Tensor) -> None:
    x.unsqueeze_(0)


@pytest.mark.parametrize(
    ("value", "change"),
    [
        (np.zeros(SIZE, "float32"), change_array),
        (np.zeros((SIZE, 2), "float32")[:, 0], change_array),
        (np.array([[1]] * SIZE, dtype=object)[:, 0], change_array),
        (torch.zeros(SIZE), change_tensor),
        (torch.zeros(2 * SIZE, dtype=torch.bfloat16), change_tensor),
        (torch.zeros(SIZE), change_shape),
        (torch.zeros(SIZE), torch.Tensor.requires_grad_),
    ],
)
def test_a_change_in_a_large_argument_is_seen(value: object, change: object) -> None:
    watched = Watched([1, value], {})
    assert watched.changed() == []
    change(value)  # type: ignore[operator]
    assert watched.changed() == [1]
