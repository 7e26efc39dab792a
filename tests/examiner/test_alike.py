"""Answers that are the same for a reader: tensors too, whether or not they require a gradient."""

import numpy as np
import torch

from examiner.judge.alike import alike, canonical


def test_a_gradient_makes_no_difference() -> None:
    plain, leaf = torch.tensor([[1.0, 2.0]]), torch.tensor([[1.0, 2.0]], requires_grad=True)
    assert alike([plain], [leaf])
    assert not alike(leaf, leaf + 1)
    assert canonical(leaf) == canonical(plain) == canonical(np.array([[1.0, 2.0]]))
    assert canonical(leaf) != canonical(leaf.mT)


def test_another_order_of_the_same_sum_is_the_same_answer() -> None:
    """Not for whole numbers, and not in double precision beyond what rounding makes."""
    x = torch.tensor([0.1, 1.0, 30.0])
    assert alike(x, x * (1 + 1e-6) + 1e-6)
    assert not alike(x, x * (1 + 1e-3))
    assert not alike(x.double(), x.double() * (1 + 1e-5))
    assert alike(x.tolist(), (x * (1 + 2e-7)).tolist())
    assert not alike([100_000_000], [100_000_001])
    assert not alike(torch.tensor([1e6, 1e6]).long(), torch.tensor([1e6, 1e6 + 2]).long())
