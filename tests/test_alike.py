"""Answers that are the same for a reader: tensors too, whether or not they require a gradient."""

import numpy as np
import torch

from nextword.judge.alike import alike, canonical


def test_a_gradient_makes_no_difference() -> None:
    plain, leaf = torch.tensor([[1.0, 2.0]]), torch.tensor([[1.0, 2.0]], requires_grad=True)
    assert alike([plain], [leaf])
    assert not alike(leaf, leaf + 1)
    assert canonical(leaf) == canonical(plain) == canonical(np.array([[1.0, 2.0]]))
    assert canonical(leaf) != canonical(leaf.mT)
