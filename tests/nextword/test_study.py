"""The study of the ladder: networks of any size, one way to train them, and what they recall."""

from __future__ import annotations

import json
import math
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch import nn

from nextword.corpora import names
from nextword.models import train_models
from nextword.models.study import plan, recall
from nextword.models.study.families import FAMILIES, Family, Recurrent, Window, operations
from nextword.models.study.shelf import Shelf
from nextword.models.study.training import Data, Found, cosine, data_of, fit, trained
from nextword.models.training import n_weights
from nextword.models.transformer_training import IGNORE
from solutions import attention, transformers

PACKAGE = SimpleNamespace(attention=attention, transformers=transformers)
NAMES = [family.name for family in FAMILIES]
V = 60


@pytest.fixture(scope="module")
def data() -> Data:
    """A little of the village."""
    return data_of(names.load("village", 3_000, 500))


def family(name: str) -> Family:
    return next(each for each in FAMILIES if each.name == name)


# ------------------------------------------------------------------ networks
@pytest.mark.parametrize("name", NAMES)
def test_sizes(name: str) -> None:
    """Every family comes within 6 % of a size, and its first weights follow from the seed."""
    net = family(name).sized(PACKAGE, 700, 200_000, seed=1)
    assert abs(n_weights(net) / 200_000 - 1) < 0.06
    one, same, other = (
        list(family(name).sized(PACKAGE, V, 9_000, seed).parameters()) for seed in (1, 1, 2)
    )
    assert all(torch.equal(p, q) for p, q in zip(one, same, strict=True))
    assert not all(torch.equal(p, q) for p, q in zip(one, other, strict=True))


@pytest.mark.parametrize("name", NAMES)
def test_no_look_ahead(name: str) -> None:
    """The logits of a word depend on no later word."""
    net = family(name).sized(PACKAGE, V, 20_000, seed=0).eval()
    tokens = torch.randint(3, V, (2, 9), generator=torch.Generator().manual_seed(0))
    other = tokens.clone()
    other[:, 5:] = 3 + (other[:, 5:] - 2) % (V - 3)
    with torch.no_grad():
        one, two = net(tokens)[0], net(other)[0]
    assert one.shape == (2, 9, V)
    assert torch.allclose(one[:, :5], two[:, :5], atol=1e-5)
    assert not torch.allclose(one[:, 5:], two[:, 5:], atol=1e-3)


@pytest.mark.parametrize("hidden", [0, 8])
def test_window(hidden: int) -> None:
    """A window sees four words and none before."""
    net = Window(V, 6, hidden)
    tokens = torch.arange(10, 20)[None]
    other = tokens.clone()
    other[0, 2] = 40
    changed = (net(tokens)[0] - net(other)[0]).abs().amax(-1)[0] > 1e-6
    assert changed.tolist() == [2 <= place < 6 for place in range(10)]


def test_log_bilinear_by_hand() -> None:
    """The log-bilinear score is the product with the weighted sum of the last words' vectors."""
    net = Window(V, 5)
    nn.init.normal_(net.places)
    tokens = torch.tensor([[7, 8, 9, 10, 11]])
    h = sum(net.places[k] * net.embed.weight[8 + k] for k in range(4))
    expected = net.out.weight @ h + net.out.bias
    assert torch.allclose(net(tokens)[0][0, -1], expected, atol=1e-5)


def test_first_weights_of_an_lstm() -> None:
    """Forget gates begin open, vectors have the spread that was asked for, the output its own."""
    net = Recurrent(nn.LSTM, 500, 32, spread=0.1)
    assert (net.net.bias_ih_l0 + net.net.bias_hh_l0)[32:64].tolist() == [2.0] * 32
    assert net.embed.weight.std().item() == pytest.approx(0.1, rel=0.05)
    tied = Recurrent(nn.LSTM, 500, 32, tied=True)
    assert n_weights(net) - n_weights(tied) == 500 * 32


def test_operations() -> None:
    """Six operations for each weight that multiplies; attention's grow with the story."""
    lstm = Recurrent(nn.LSTM, V, 8)
    assert operations(lstm, 100.0) == 6 * (n_weights(lstm) - V * 8)
    tied = Recurrent(nn.LSTM, V, 8, tied=True)
    assert operations(tied, 100.0) == 6 * n_weights(tied)
    blocks = family("transformer").build(PACKAGE, V, 16)
    assert operations(blocks, 100.0) == 6 * n_weights(blocks) + 12 * 3 * 16 * 50
    linear = family("linear attention").build(PACKAGE, V, 16)
    assert operations(linear, 100.0) == operations(linear, 200.0)
    heads = family("attention only").build(PACKAGE, V, 16)
    looked_up = (V + 400) * 16
    assert operations(heads, 100.0) == 6 * (n_weights(heads) - looked_up) + 12 * 2 * 16 * 50


# ------------------------------------------------------------------ training
def test_cosine() -> None:
    """The rate rises in a line, reaches its peak, and falls to 0 with the last step."""
    rate = cosine(2.0, n_steps=1000)
    assert rate(49) == pytest.approx(1.0)
    assert max(map(rate, range(1000))) == rate(99) == pytest.approx(2.0)
    assert rate(549) == pytest.approx(1.0)
    assert rate(999) == pytest.approx(0.0, abs=1e-9)
    assert rate(324) == pytest.approx(1 + math.cos(math.pi / 4))


def test_training_is_measured(data: Data) -> None:
    """A training is measured on the way, and the same again from the same seed."""
    heard: list[float] = []

    def once() -> Found:
        net = family("GRU").sized(PACKAGE, data.V, 30_000, seed=0)
        return trained(net, data, 1e-2, 0, 2.0, heard.append)

    found, again = once(), once()
    assert found.curve == again.curve
    assert found.test == again.test
    assert [n for n, _ in found.curve] == sorted({n for n, _ in found.curve})
    assert found.curve[-1][0] == 2 * data.n_words
    assert found.validation == found.curve[-1][1] < found.curve[0][1]
    floor = -float(data.texts.truth.mean())  # type: ignore[union-attr]
    assert found.test > floor
    lost = sum(found.kinds.values()) / len(found.kinds)  # type: ignore[arg-type]
    assert lost > 1
    assert heard[-1] == 1.0
    assert Found.of(json.loads(json.dumps(found.to_json()))) == found


# ------------------------------------------------------------------ what is kept
def test_shelf(tmp_path: Path) -> None:
    """What was measured is not measured again, unless it was not finished."""
    shelf = Shelf(tmp_path / "kept")

    def ended() -> dict[str, float]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        shelf.find("one", ended)
    assert shelf.find("one", lambda: {"test": 1.5}) == {"test": 1.5}
    assert Shelf(tmp_path / "kept").find("one", ended) == {"test": 1.5}


def test_rate_is_chosen(data: Data, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rate with the lowest validation loss is the one that all seeds train with."""
    monkeypatch.setattr(plan, "CHOOSING", 0.5)
    monkeypatch.setattr(plan, "PASSES", 0.5)
    told: list[float] = []
    facts = plan.studied(
        family("feed-forward"), 20_000, PACKAGE, data, Shelf(tmp_path), told.append
    ).facts
    best = min(facts["tried"], key=lambda found: found["curve"][-1][1])
    rates = [found["rate"] for found in facts["tried"]]
    assert rates == [*plan.RATES, *plan.BEYOND][: len(rates)]
    assert best["rate"] != rates[-1] or rates[-1] == plan.BEYOND[-1], "a larger one may be better"
    assert [found["rate"] for found in facts["runs"]] == [best["rate"]] * 3
    assert [found["seed"] for found in facts["runs"]] == [0, 1, 2]
    assert told[-1] == pytest.approx(1.0)
    assert told == sorted(told)


def test_asked_for_by_name() -> None:
    """All of the study is shipped, and each part of it is trained where it is asked for."""
    of_study = {recipe.name for recipe in train_models.chosen(["study"])}
    assert {"study/lstm-small", "study/lstm-large", "study/recall-lstm"} <= of_study
    assert {"study/last-rung", "study/nearest"} <= of_study
    assert len(of_study) == 2 * len(FAMILIES) + len(recall.TRIED) + 2
    assert of_study <= {recipe.name for recipe in train_models.chosen([])}
    assert train_models.chosen(["study/lstm-small"])[0].name == "study/lstm-small"


# ------------------------------------------------------------------ recall
def test_texts_of_the_trial() -> None:
    """Every question has the answer that stood behind its key, and no key is there twice."""
    inputs, targets = recall.texts(50, pairs=8, gap=5, rng=np.random.default_rng(0))
    for row, wanted in zip(inputs.tolist(), targets.tolist(), strict=True):
        pairs = dict(zip(row[1:17:2], row[2:18:2], strict=True))
        assert len(pairs) == 8
        asked = [(row[k], wanted[k]) for k in range(len(row)) if wanted[k] != IGNORE]
        assert len({key for key, _ in asked}) == recall.QUESTIONS
        assert all(pairs[key] == value for key, value in asked)
        assert all(each >= recall.FIRST_IDLE for each in row[17:22])


def test_share_right() -> None:
    """Whoever knows all answers is right, whoever knows one value is right by chance."""

    class Knows(nn.Module):
        def forward(self, tokens: torch.Tensor) -> tuple[torch.Tensor, None]:
            logits = torch.zeros(*tokens.shape, recall.V)
            following = tokens.roll(-1, dims=1)
            return logits.scatter(2, following[..., None], 1.0), None

    class Guesses(nn.Module):
        def forward(self, tokens: torch.Tensor) -> tuple[torch.Tensor, None]:
            logits = torch.zeros(*tokens.shape, recall.V)
            logits[..., recall.FIRST_VALUE] = 1.0
            return logits, None

    batch = recall.texts(400, pairs=4, gap=3, rng=np.random.default_rng(0))
    inputs, targets = batch
    shown = inputs.clone()
    assert recall.share_right(Guesses(), batch) == pytest.approx(1 / 32, abs=0.025)
    assert bool((shown.roll(-1, dims=1) == targets)[:, :-1][targets[:, :-1] != IGNORE].all())
    assert recall.share_right(Knows(), batch) == pytest.approx(1.0, abs=0.01)


@pytest.mark.slow
def test_one_pair_is_learned() -> None:
    """A small network learns to recall one pair, where a window of four words cannot."""

    def taught(name: str) -> float:
        net = family(name).sized(PACKAGE, recall.V, 20_000, seed=0)
        rng = np.random.default_rng(0)
        source = iter(lambda: recall.texts(32, 1, 6, rng), None)
        fit(net, source, 150, 1e-2, lambda n_done, loss: None)
        return recall.share_right(net, recall.texts(200, 1, 6, np.random.default_rng(1)))

    assert taught("GRU") > 0.9
    assert taught("feed-forward") < 0.2
