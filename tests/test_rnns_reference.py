"""The reference of chapter 4 against values by hand and the field's libraries."""

from typing import Any

import numpy as np
import pytest

from tests.reference import reference

rnns: Any = reference("rnns")


@pytest.mark.parametrize("size", [1, 2, 7])
def test_shares_are_those_of_numpy(size: int) -> None:
    counts = np.random.default_rng(size).integers(1, 100, size=size)
    assert rnns.shares(counts.tolist()) == pytest.approx(counts / counts.sum())


def test_counts_of_nothing_are_refused() -> None:
    with pytest.raises(ValueError, match=r"sum above 0, got \[0, 0\]"):
        rnns.shares([0, 0])
