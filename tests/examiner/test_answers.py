"""Answers that are the same for a reader: tensors too, whether or not they require a gradient."""

import numpy as np
import torch

from examiner.judge.answers import rounded, same_answer


def test_a_gradient_makes_no_difference() -> None:
    plain, leaf = torch.tensor([[1.0, 2.0]]), torch.tensor([[1.0, 2.0]], requires_grad=True)
    assert same_answer([plain], [leaf])
    assert not same_answer(leaf, leaf + 1)
    assert rounded(leaf) == rounded(plain) == rounded(np.array([[1.0, 2.0]]))
    assert rounded(leaf) != rounded(leaf.mT)


def test_another_order_of_the_same_sum_is_the_same_answer() -> None:
    """Not for whole numbers, and not in double precision beyond what rounding makes."""
    x = torch.tensor([0.1, 1.0, 30.0])
    assert same_answer(x, x * (1 + 1e-6) + 1e-6)
    assert not same_answer(x, x * (1 + 1e-3))
    assert not same_answer(x.double(), x.double() * (1 + 1e-5))
    assert same_answer(x.tolist(), (x * (1 + 2e-7)).tolist())
    assert not same_answer([100_000_000], [100_000_001])
    assert not same_answer(torch.tensor([1e6, 1e6]).long(), torch.tensor([1e6, 1e6 + 2]).long())
