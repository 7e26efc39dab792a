"""Muon: its steps, beside torch's own, and which weights it moves."""

from __future__ import annotations

import doctest
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch import nn

from nextword.models import muon, transformer_training
from nextword.models.muon import Muon, Together, muon_and_adamw, orthogonal
from nextword.models.training import Plan
from solutions import transformers

STORIES = [[3, 4, 5], [3, 4], [3, 4, 5, 6], [4, 3]] * 4
SIZES = transformers.Sizes(V=8, D=16, L=1, H=2)


def small_model(seed: int = 0) -> nn.Module:
    """A transformer of one block."""
    return transformer_training.built(transformers, SIZES, seed=seed)


def test_doctests() -> None:
    """The examples are true."""
    found = doctest.testmod(muon)
    assert found.attempted
    assert not found.failed


@pytest.mark.parametrize("shape", [(3, 24, 12), (2, 8, 30), (1, 40, 10)])
def test_orthogonal_part(shape: tuple[int, int, int]) -> None:
    """All singular values are near 1, and the directions are those of the matrix."""
    matrices = torch.randn(shape, generator=torch.Generator().manual_seed(shape[1]))
    found = orthogonal(matrices)
    U, _, V = torch.linalg.svd(matrices, full_matrices=False)
    sizes = torch.linalg.svdvals(found)
    assert found.shape == shape
    assert 0.5 < float(sizes.quantile(0.1)) <= float(sizes.max()) < 1.3
    nearest = U @ V
    alike = (found * nearest).sum((1, 2)) / (found.norm(dim=(1, 2)) * nearest.norm(dim=(1, 2)))
    assert float(alike.min()) > 0.96


def test_zero_gradient_moves_nothing() -> None:
    """A matrix whose gradient is 0 only decays."""
    p = nn.Parameter(torch.ones(4, 4))
    p.grad = torch.zeros(4, 4)
    Muon([p], rate=0.1, weight_decay=0.5).step()
    assert torch.allclose(p, torch.full((4, 4), 0.95))


@pytest.mark.skipif(not hasattr(torch.optim, "Muon"), reason="torch before 2.9 has no Muon")
def test_as_torch() -> None:
    """The same steps as torch.optim.Muon, up to its bfloat16."""
    rng = torch.Generator().manual_seed(1)
    first = [torch.randn(shape, generator=rng) for shape in ((8, 8), (24, 8), (8, 24), (8, 8))]
    ours, theirs = ([nn.Parameter(p.clone()) for p in first] for _ in range(2))
    optimizers = (
        Muon(ours, rate=0.02, weight_decay=0.1),
        torch.optim.Muon(theirs, lr=0.02, weight_decay=0.1, adjust_lr_fn="match_rms_adamw"),
    )
    for _ in range(4):
        for p, q in zip(ours, theirs, strict=True):
            p.grad = torch.randn(p.shape, generator=rng)
            q.grad = p.grad.clone()
        for optimizer in optimizers:
            optimizer.step()
    for p, q, start in zip(ours, theirs, first, strict=True):
        away, gone = (p - q).detach().norm(), (p - start).detach().norm()
        assert float(away / gone) < 0.05


def test_each_weight_has_one_optimizer() -> None:
    """Muon moves the matrices of the blocks; AdamW the vectors of words, norms and biases."""
    model = small_model()
    optimizer = muon_and_adamw(model, Plan(rate=0.01, decay=0.1))
    assert isinstance(optimizer, Together)
    by_muon, by_adamw = (
        {id(p) for group in part.param_groups for p in group["params"]} for part in optimizer.parts
    )
    named = dict(model.named_parameters())
    assert by_muon == {id(p) for name, p in named.items() if p.ndim == 2 and "embed" not in name}
    assert by_muon | by_adamw == {id(p) for p in named.values()}
    assert not by_muon & by_adamw
    decays = {
        name: group["weight_decay"]
        for group in optimizer.param_groups
        for name, p in named.items()
        if any(p is each for each in group["params"])
    }
    assert all(decays[name] == (0.1 if p.ndim > 1 else 0.0) for name, p in named.items())


def test_one_rate_for_all() -> None:
    """A rate that is set on the whole is that of the parts; at 0 nothing moves."""
    model = small_model()
    before = [p.detach().clone() for p in model.parameters()]
    optimizer = muon_and_adamw(model, Plan(rate=0.01))
    model(torch.tensor([[1, 3, 4]]))[0].sum().backward()
    for group in optimizer.param_groups:
        group["lr"] = 0.0
    optimizer.step()
    assert all(torch.equal(p, q) for p, q in zip(model.parameters(), before, strict=True))
    for group in optimizer.param_groups:
        group["lr"] = 0.01
    optimizer.step()
    moved = [not torch.equal(p, q) for p, q in zip(model.parameters(), before, strict=True)]
    assert all(moved)
    optimizer.zero_grad()
    assert all(p.grad is None for p in model.parameters())


def test_training_with_it() -> None:
    """The chapter's step trains with both optimizers as with one, and repeats itself."""
    losses = []
    for _ in range(2):
        source = transformer_training.without_end(STORIES, 4, np.random.default_rng(0))
        plan = Plan(steps=40, size=4, rate=0.02, warm_up=5)
        losses.append(
            transformer_training.train(
                SimpleNamespace(**vars(transformers)),
                small_model(),
                source,
                plan,
                optimizer_of=muon_and_adamw,
            )
        )
    assert losses[0] == losses[1]
    assert np.mean(losses[0][-5:]) < 0.5 * losses[0][0]
