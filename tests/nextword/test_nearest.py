"""How near to the floor one comes: the second convolution, the ways, and trainings that ended."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
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
from nextword.models.study.nearest import BESIDE, WAYS
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


def test_two_speak_as_one(texts: Texts) -> None:
    """Their probabilities' geometric mean, made to sum to one; all at once and word by word."""
    pair = [nearest.built(transformers, texts, twice=True, seed=k).eval() for k in (0, 1)]
    with torch.no_grad():
        for part in pair[1].parameters():
            part.mul_(3)  # so that the two disagree
    tokens = torch.randint(3, 40, (2, 7), generator=torch.Generator().manual_seed(3))
    each = [torch.softmax(model(tokens)[0], dim=-1) for model in pair]
    both = nearest.AsOne(*pair)
    found = torch.softmax(both(tokens)[0], dim=-1)
    assert (each[0] - each[1]).abs().max() > 0.01
    mean = (each[0] * each[1]).sqrt()
    torch.testing.assert_close(found, mean / mean.sum(-1, keepdim=True))
    past, parts = None, []
    for k in range(tokens.shape[1]):
        logits, past = both(tokens[:, k : k + 1], past)
        parts.append(torch.softmax(logits, dim=-1))
    torch.testing.assert_close(torch.cat(parts, dim=1), found, atol=1e-5, rtol=1e-4)
    assert training.n_weights(both) == 2 * training.n_weights(pair[0])


@pytest.mark.slow
def test_all_ways(texts: Texts, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Every way with each seed, by the plan; what was trained is not trained again."""
    asked: list[int] = []

    def loaded(n_words: int) -> Texts:
        asked.append(n_words)
        return texts

    monkeypatch.setattr(nearest, "_texts", loaded)
    ways = [replace(way, steps=2) for way in WAYS]
    for name, some in (("WAYS", ways), ("BESIDE", ways[5:]), ("SHIPPED", ways[2])):
        monkeypatch.setattr(nearest, name, some)
    monkeypatch.setattr(nearest, "PLAN", replace(nearest.PLAN, size=2))
    monkeypatch.setattr(nearest, "SEEDS", (0, 1))
    monkeypatch.setattr(measure, "N_SAMPLES", 2)
    told: list[float] = []
    made = nearest.all_ways(PACKAGE, Shelf(tmp_path), told.append)
    runs = made.facts["runs"]
    assert [(run["way"], run["seed"]) for run in runs] == [
        (way.name, seed) for way in WAYS for seed in (0, 1)
    ]
    assert asked == [w.n_words for w in WAYS for _ in (0, 1)] + [w.n_words for w in BESIDE]
    assert told == sorted(told)
    assert told[-1] == 1.0
    assert made.facts["stories"] == 2
    assert {run["steps"] for run in runs} == {2}
    assert len({run["test"] for run in runs if run["seed"] == 0}) == 4, (
        "some differ in their text or their steps alone"
    )
    pairs = made.facts["pairs"]
    assert [(pair["way"], pair["seeds"]) for pair in pairs] == [(w.name, [0, 1]) for w in BESIDE]
    for pair in pairs:
        own = [run for run in runs if run["way"] == pair["way"]]
        assert pair["weights"] == 2 * own[0]["weights"]
        assert pair["test"] < np.mean([run["test"] for run in own]), "never worse"
    assert all(run["valid"] == 0 for run in runs)
    shown = nearest.trained(ways[2], transformers, texts, 0, told.append)
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
    assert facts["stories"] == nearest.PLAN.size
    assert [(run["way"], run["seed"], run["steps"]) for run in facts["runs"]] == [
        (way.name, seed, way.steps) for way in WAYS for seed in SEEDS
    ]
    assert [(pair["way"], tuple(pair["seeds"]), pair["steps"]) for pair in facts["pairs"]] == [
        (way.name, seeds, way.steps) for way in BESIDE for seeds in combinations(SEEDS, 2)
    ]
