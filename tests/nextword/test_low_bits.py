"""Weights of few bits: what moves, by how much, and what it takes. Leaves out: any network."""

import pytest
import torch

from nextword.models.low_bits import all_rounded, rounded

WEIGHTS = torch.randn(8, 32, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("share", ["tensor", "row", 16])
@pytest.mark.parametrize("bits", [3, 4, 8])
def test_no_weight_moves_by_more_than_half_a_step_of_the_largest(bits, share):
    step = WEIGHTS.abs().max() / (2 ** (bits - 1) - 1)
    assert (rounded(WEIGHTS, bits, share) - WEIGHTS).abs().max() <= step / 2 + 1e-6


def test_fewer_weights_with_one_scale_are_rounded_better():
    errors = [(rounded(WEIGHTS, 4, share) - WEIGHTS).square().mean() for share in ("tensor", "row")]
    assert errors[0] > errors[1] > (rounded(WEIGHTS, 4, 16) - WEIGHTS).square().mean()


def test_a_row_of_zeros_stays_zero():
    assert rounded(torch.zeros(2, 4), 4, "row").eq(0).all()


def test_vectors_are_kept_and_counted_with_16_bits():
    gain = torch.tensor([0.123, 4.0])
    whole, kilobytes = all_rounded({"W": WEIGHTS, "gain": gain}, 4, 16)
    assert whole["gain"].equal(gain)
    assert kilobytes == (4 * 256 + 16 * 16 + 16 * 2) / 8000
