"""The tests' import of the reference checks the shapes and types that its signatures promise."""

import sys
from pathlib import Path

import pytest
from jaxtyping import TypeCheckError

from tests.reference import reference

MODULE = '''
import torch
from jaxtyping import Float
from torch import Tensor


def scores(q: Float[Tensor, "t k"], k: Float[Tensor, "t k"]) -> Float[Tensor, "t t"]:
    """Compare each with each."""
    return q @ k.T


def wrong(q: Float[Tensor, "t k"]) -> Float[Tensor, "t"]:
    """Promise another shape than it returns."""
    return q


class Net:
    """A class is checked, too."""

    def scale(self, by: float) -> float:
        """Return it."""
        return by
'''


def test_a_call_with_other_shapes_than_promised_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    package = tmp_path / "solutions"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "shapes.py").write_text(MODULE, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    for name in [name for name in sys.modules if name.split(".")[0] == "solutions"]:
        monkeypatch.delitem(sys.modules, name)
    module = reference("shapes")
    assert module.scores(torch.ones(2, 3), torch.ones(2, 3)).shape == (2, 2)
    assert module.Net().scale(1) == 1
    for call in (
        lambda: module.scores(torch.ones(2, 3), torch.ones(4, 3)),
        lambda: module.wrong(torch.ones(2, 3)),
        lambda: module.Net().scale("much"),
    ):
        with pytest.raises(TypeCheckError):
            call()
    sys.modules.pop("solutions", None)
