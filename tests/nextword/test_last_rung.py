"""The split of the last rung's gap: its texts, its measures, and trainings that were ended."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from nextword.corpora import names, village
from nextword.corpora.names import Texts
from nextword.given.batches import BOS, EOS, ids, number_words
from nextword.models import checkpoints
from nextword.models.ladder.rungs import transformers as rungs
from nextword.models.study import last_rung
from nextword.models.study.last_rung import ENDLESS, ONE, WAYS, Way
from nextword.models.study.shelf import Shelf
from solutions import transformers

PACKAGE = SimpleNamespace(transformers=transformers)
STEPS = 3


@pytest.fixture(scope="module")
def texts() -> Texts:
    """A little of the village."""
    return names.load("village", 3_000, 1_000)


def test_endless_text(texts: Texts, monkeypatch: pytest.MonkeyPatch) -> None:
    """No story comes twice, none is of the training or the test text, and all are the village's."""
    monkeypatch.setattr(last_rung, "PART", 2_000)
    number = number_words(texts.vocabulary)
    words = {k: word for word, k in number.items()}
    told = []
    for inputs, targets in islice(last_rung.fresh(number, 4, np.random.default_rng(5)), 12):
        for row, wanted in zip(inputs.tolist(), targets.tolist(), strict=True):
            n = sum(target >= 0 for target in wanted)
            assert row[1:n] == wanted[: n - 1]
            told.append(tuple(words[k] for k in row[1:n]))
    assert len(told) > 2 * 2_000 / 250, "more than one part was told"
    assert len(told) == len(set(told))
    assert not set(told) & {tuple(story) for story in [*texts.train, *texts.test]}
    assert all(village.score([*story, village.EOS]).complete for story in told)


def test_gaps_by_hand(texts: Texts) -> None:
    """The gap is the perplexity of the model, divided by the truth's on the same words, less 1."""
    number = number_words(texts.vocabulary)
    convolved = rungs.convolved(transformers)
    model = rungs.built(transformers, texts, convolved).eval()
    found = last_rung.measured(model, texts)

    def gap(stories: list[list[str]]) -> float:
        ratio = []
        for story, row in zip(stories, ids(stories, number), strict=True):
            logits = model(torch.tensor([[BOS, *row]]))[0].log_softmax(-1)
            own = [logits[0, place, word].item() for place, word in enumerate([*row, EOS])]
            truth = village.score([*story, village.EOS]).log_probs
            ratio += [p - q for p, q in zip(truth, own, strict=True)]
        return float(100 * np.expm1(np.mean(ratio)))

    assert found["test"] == pytest.approx(gap(list(texts.test)), rel=1e-4)
    assert found["new"] == found["test"], "there are fewer than 600 stories"
    assert found["read"] == pytest.approx(gap(list(texts.train)), rel=1e-4)


@pytest.mark.slow
def test_split(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Every way with each seed, from equal first weights; what was trained is kept."""
    ways = tuple(replace(way, n_words=way.n_words and 3_000) for way in WAYS)
    monkeypatch.setattr(last_rung, "PLAN", replace(last_rung.PLAN, steps=STEPS))
    monkeypatch.setattr(last_rung, "PART", 2_000)
    monkeypatch.setattr(last_rung, "ASKED", 1_000)
    monkeypatch.setattr(last_rung, "SEEDS", (0, 1))
    monkeypatch.setattr(last_rung, "WAYS", ways)
    last_rung._texts.cache_clear()
    told: list[float] = []
    try:
        made = last_rung.split(PACKAGE, Shelf(tmp_path), told.append)
        asked = [(run["way"], run["seed"]) for run in made.facts["runs"]]
        assert asked == [(way.name, seed) for way in ways for seed in (0, 1)]
        assert told == sorted(told)
        assert told[-1] == 1.0
        losses = {run["way"]: run["test"] for run in made.facts["runs"] if run["seed"] == 0}
        assert losses[ONE.name] != losses[ENDLESS.name], "they read different texts"
        read = names.load("village", 3_000, 1_000)
        first = rungs.built(transformers, read, rungs.convolved(transformers))
        for way in ways:
            for name, weight in first.state_dict().items():
                moved = (made.tensors[f"{way.name}/{name}"].float() - weight).abs().max()
                assert moved < 0.02, "three steps of at most 0.003, from the same first weights"

        kept = sorted(tmp_path.iterdir())
        assert len(kept) == 4
        kept[0].unlink()
        again = last_rung.split(PACKAGE, Shelf(tmp_path), lambda done: None)
    finally:
        last_rung._texts.cache_clear()
    assert again.facts == made.facts
    assert all(torch.equal(again.tensors[name], made.tensors[name]) for name in made.tensors)


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)
def test_shipped_weights_are_what_was_measured(way: Way) -> None:
    """The networks that the page loads have the gap that the file tells of them."""
    texts = names.load("village", 20_000, 100_000)
    runs = checkpoints.load(last_rung.NAME).facts["runs"]
    run = next(run for run in runs if (run["way"], run["seed"]) == (way.name, 0))
    network = last_rung.shipped(transformers, texts, way)
    asked = texts.test[: last_rung.N_STORIES]
    truth = np.concatenate([village.score([*s, village.EOS]).log_probs for s in asked])
    gap = 100 * np.expm1(np.mean(truth - np.array(network.log_probs(asked))))
    assert gap == pytest.approx(run["new"], abs=0.02)


def test_ways_differ_in_their_text_alone() -> None:
    """The endless text is compared at equal steps."""
    assert ENDLESS.n_words is None
    assert replace(ENDLESS, name=ONE.name, n_words=ONE.n_words) == ONE
