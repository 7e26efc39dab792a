"""How near to the floor one comes: the second convolution, the ways, and trainings that ended."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from nextword.corpora import names, village
from nextword.corpora.names import Texts
from nextword.models import checkpoints, training
from nextword.models.ladder import measure
from nextword.models.study import last_rung, nearest
from nextword.models.study.nearest import WAYS
from nextword.models.study.plan import SEEDS
from nextword.models.study.shelf import Shelf
from solutions import transformers

PACKAGE = SimpleNamespace(transformers=transformers)


@pytest.fixture(scope="module")
def texts() -> Texts:
    """A little of the village."""
    return names.load("village", 3_000, 1_000)


def test_second_convolution(texts: Texts) -> None:
    """Word by word is as all at once, and no word sees those after it."""
    model = nearest.built(transformers, texts, twice=True, seed=0).eval()
    tokens = torch.randint(3, 40, (2, 9), generator=torch.Generator().manual_seed(3))
    whole = model(tokens)[0]
    past, parts = None, []
    for k in range(tokens.shape[1]):
        logits, past = model(tokens[:, k : k + 1], past)
        parts.append(logits)
    torch.testing.assert_close(torch.cat(parts, dim=1), whole, atol=1e-4, rtol=1e-4)
    other = tokens.clone()
    other[:, 6:] = 5
    torch.testing.assert_close(model(other)[0][:, :6], whole[:, :6])
    once = nearest.built(transformers, texts, twice=False, seed=0)
    more = training.n_weights(model) - training.n_weights(once)
    assert more == 3 * 2 * 64, "two vectors in each of three blocks"


def test_second_convolution_by_hand(texts: Texts) -> None:
    """Without weights for the words before, a block is chapter 6's own."""
    model = nearest.built(transformers, texts, twice=True, seed=1).eval()
    convolved: Any = model.blocks[0]  # type: ignore[index]
    x = torch.randn(1, 5, 64, generator=torch.Generator().manual_seed(2))
    with torch.no_grad():
        convolved.a.zero_()
        convolved.b.zero_()
        assert torch.allclose(convolved(x)[0], convolved.block(x)[0], atol=1e-6)
        convolved.a.fill_(0.5)
        mixed = x + convolved.block.mixer(convolved.block.norm1(x), None, None)[0]
        normed = convolved.block.norm2(mixed)
        reads = normed[:, 2] + 0.5 * normed[:, 1]
        assert torch.allclose(
            convolved(x)[0][:, 2], mixed[:, 2] + convolved.block.feed(reads), atol=1e-5
        )


@pytest.mark.slow
def test_all_ways(texts: Texts, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Every way with each seed, by the plan; what was trained is not trained again."""
    asked: list[int] = []

    def loaded(n_words: int) -> Texts:
        asked.append(n_words)
        return texts

    monkeypatch.setattr(nearest, "_texts", loaded)
    monkeypatch.setattr(nearest, "PLAN", replace(nearest.PLAN, steps=2, size=2))
    monkeypatch.setattr(nearest, "SEEDS", (0, 1))
    monkeypatch.setattr(measure, "N_SAMPLES", 2)
    told: list[float] = []
    made = nearest.all_ways(PACKAGE, Shelf(tmp_path), told.append)
    runs = made.facts["runs"]
    assert [(run["way"], run["seed"]) for run in runs] == [
        (way.name, seed) for way in WAYS for seed in (0, 1)
    ]
    assert asked == [way.n_words for way in WAYS for _ in (0, 1)]
    assert told == sorted(told)
    assert told[-1] == 1.0
    assert (made.facts["steps"], made.facts["stories"]) == (2, 2)
    assert len({run["test"] for run in runs if run["seed"] == 0}) == 4, (
        "one differs in its text alone"
    )
    assert all(run["valid"] == 0 for run in runs)
    shown = nearest.trained(nearest.SHIPPED, transformers, texts, 0, told.append)
    assert made.tensors.keys() == shown.state_dict().keys()
    for name, weight in shown.state_dict().items():
        assert torch.equal(made.tensors[name].float(), weight)
    kept = sorted(tmp_path.iterdir())
    assert len(kept) == 2 * len(WAYS)
    kept[0].unlink()
    monkeypatch.setattr(nearest, "run", lambda *given: pytest.fail("trained again"))
    with pytest.raises(pytest.fail.Exception, match="trained again"):
        nearest.all_ways(PACKAGE, Shelf(tmp_path), told.append)


@pytest.mark.slow
def test_shipped_weights_are_what_was_measured() -> None:
    """The network that the page loads has the gap that the file tells of it."""
    texts = names.load("village", 20_000, 100_000)
    runs = checkpoints.load(nearest.NAME).facts["runs"]
    run = next(run for run in runs if (run["way"], run["seed"]) == (nearest.SHIPPED.name, 0))
    network = nearest.shipped(transformers, texts)
    asked = texts.test[: last_rung.N_STORIES]
    truth = np.concatenate([village.score([*s, village.EOS]).log_probs for s in asked])
    gap = 100 * np.expm1(np.mean(truth - np.array(network.log_probs(asked))))
    assert gap == pytest.approx(run["new"], abs=0.02)


def test_shipped() -> None:
    """What the page shows was made by the plan, from three seeds of each way."""
    facts = checkpoints.load(nearest.NAME).facts
    assert (facts["steps"], facts["stories"]) == (nearest.PLAN.steps, nearest.PLAN.size)
    assert [(run["way"], run["seed"]) for run in facts["runs"]] == [
        (way.name, seed) for way in WAYS for seed in SEEDS
    ]
