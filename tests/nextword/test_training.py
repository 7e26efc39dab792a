"""How chapter 4's networks are trained and stand on the ladder. Leaves out: how good they get."""

import doctest
import math
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from nextword.corpora import names
from nextword.models import rnn_training, store, training
from nextword.models import train_models as make
from nextword.models.ladder.rungs import rnns as rungs
from nextword.models.recipes import rnns as translators
from nextword.models.recipes import rnns_forgetting, rnns_memory
from nextword.models.rnn_training import FeedForward
from nextword.models.training import Plan
from tests.reference import reference

pytestmark = pytest.mark.slow

rnns = reference("rnns")
STORIES = [[3, 4, 5], [3, 4], [3, 4, 5, 6], [4, 3]] * 4


def small(V=8):
    torch.manual_seed(0)
    return rnns.LanguageModel(V, 6, 8)


@pytest.mark.parametrize("module", [training, rnn_training])
def test_doctests(module):
    found = doctest.testmod(module)
    assert found.attempted
    assert not found.failed


# ---------------------------------------------------------------- training


def test_training_lowers_both_losses_and_returns_one_pair_per_epoch():
    curve = rnn_training.train(
        rnns, small(), STORIES, STORIES[:4], Plan(epochs=4, size=2, chunk=8, rate=0.03)
    )
    assert len(curve) == 4
    assert [curve[-1][k] < curve[0][k] for k in (0, 1)] == [True, True]


def test_the_same_seed_gives_the_same_curve_and_another_one_another():
    plan = Plan(epochs=2, size=2, chunk=8, rate=0.03)
    one, two, other = (
        rnn_training.train(rnns, small(), STORIES, STORIES[:4], plan, seed=seed)
        for seed in (0, 0, 1)
    )
    assert one == two != other


def test_training_reports_its_share_and_ends_at_one():
    shares: list[float] = []
    plan = Plan(epochs=2, size=4, chunk=8, rate=0.01)
    rnn_training.train(rnns, small(), STORIES, STORIES[:4], plan, report=shares.append)
    assert shares == pytest.approx([k / 8 for k in range(1, 9)])


def test_a_loss_that_is_no_number_stops_training_and_names_the_step():
    model = small()
    model.out.bias.data[:] = math.inf
    with pytest.raises(FloatingPointError, match="step 1: the loss is nan: try a smaller rate"):
        rnn_training.train(rnns, model, STORIES, STORIES[:4], Plan())


def test_the_rate_rises_stays_and_falls_to_nothing():
    rate = training.trapezoid(1.0, n_steps=100)
    shares = [rate(k - 1) for k in range(101)]  # after so many steps
    assert max(shares) == 1.0
    assert shares[0] == shares[-1] == 0.0
    assert shares[:3] == sorted(shares[:3])
    assert shares[50:] == sorted(shares[50:], reverse=True)


# ---------------------------------------------------------------- the window as a language model


def test_a_window_predicts_from_its_words_and_padding_before_them():
    torch.manual_seed(0)
    net = FeedForward(rnns, V=8, N=3, D=2, H=4)
    tokens = torch.tensor([[3, 4, 5, 6]])
    logits, _ = net(tokens)
    windows = torch.tensor([[0, 0, 3], [0, 3, 4], [3, 4, 5], [4, 5, 6]])
    assert torch.allclose(logits[0], rnns.feedforward(dict(net.p), windows)[2])


@pytest.mark.parametrize("cut", [1, 2, 3])
def test_a_window_read_in_two_parts_is_the_window_read_at_once(cut):
    torch.manual_seed(0)
    net = FeedForward(rnns, V=8, N=4, D=2, H=4)
    tokens = torch.tensor([[3, 4, 5, 6], [6, 5, 4, 3]])
    first, state = net(tokens[:, :cut])
    second, _ = net(tokens[:, cut:], state)
    assert torch.allclose(torch.cat([first, second], dim=1), net(tokens)[0])


# ---------------------------------------------------------------- rungs


@pytest.fixture(scope="module")
def texts():
    return names.load("village", 3_000, 1_000)


@pytest.mark.parametrize("rung", rungs.RUNGS, ids=lambda rung: rung.name)
def test_a_rung_trains_scores_and_writes(rung, texts, monkeypatch):
    build = rung.train.args[0]
    plan = Plan(epochs=1, size=8, chunk=32, rate=5e-3)
    shares: list[float] = []
    model = rungs.train(build, plan, SimpleNamespace(rnns=rnns), texts, shares.append)
    assert shares[-1] == 1.0
    log_probs = model.log_probs(texts.test)
    assert len(log_probs) == texts.n_predictions
    assert math.exp(-np.mean(log_probs)) < len(texts.vocabulary)
    samples = list(model.samples(3, np.random.default_rng(0), 5))
    assert len(samples) == 3
    assert {word for sample in samples for word in sample} <= set(texts.vocabulary)
    assert sum(t.numel() for t in rung.tensors(model).values()) == model.parameters
    read, surprise = zip(*rung.facts(model)["curve"], strict=True)
    assert list(read) == sorted(set(read))
    assert read[-1] == sum(len(story) + 1 for story in texts.train)
    assert surprise[-1] < surprise[0] < 1.2 * math.log(len(texts.vocabulary))


def test_a_learning_curve_changes_nothing_of_the_training(texts, monkeypatch):
    build, plan = rungs.RUNGS[1].train.args[0], Plan(epochs=1, size=8, chunk=32, rate=5e-3)
    package = SimpleNamespace(rnns=rnns)
    one = rungs.train(build, plan, package, texts, lambda done: None)
    monkeypatch.setattr(rungs, "PLACES", ())
    other = rungs.train(build, plan, package, texts, lambda done: None)
    assert one.curve
    assert not other.curve
    torch.testing.assert_close(one.model.state_dict(), other.model.state_dict())


# ---------------------------------------------------------------- what is shipped besides

ELSEWHERE = ("rnns/memory", "attention/bottleneck")  # taught without these batches
TAUGHT = [r for r in make.everything() if "rnns" in r.uses and r.name not in ELSEWHERE]


@pytest.mark.parametrize("each", TAUGHT, ids=lambda each: each.name)
def test_a_model_is_out_of_date_when_the_order_of_its_batches_changes(each, monkeypatch):
    package = Path(__file__).parents[2] / "solutions"
    before, code_of = each.fingerprint(package), store.code_of
    monkeypatch.setattr(
        store,
        "code_of",
        lambda path, *names: code_of(path, *names) + "#" * (path.name == "batches.py"),
    )
    assert each.fingerprint(package) != before


def test_a_sentence_with_two_translations_is_trained_on_both(monkeypatch):
    monkeypatch.setattr(translators, "EPOCHS", 2)
    pairs = [(["a", "b"], ["x"]), (["a", "b"], ["y"]), (["b"], ["x"])]
    taught: list[list[int]] = []

    def make_batch(rows):
        taught.extend(rows)
        return rnns.make_batch(rows)

    words = translators.Words(pairs)
    package = SimpleNamespace(Seq2Seq=rnns.Seq2Seq, make_batch=make_batch)
    translators.train_translator(package, words, pairs, lambda done: None)
    assert sorted(taught) == sorted(2 * [[words.target[w] for w in target] for _, target in pairs])


def test_forgetting_is_measured_for_each_bias_and_seed(monkeypatch):
    monkeypatch.setattr(rnns_forgetting, "TOKENS", 3_000)
    heard: list[float] = []
    facts = rnns_forgetting.forgetting(SimpleNamespace(rnns=rnns), heard.append).facts
    assert {bias: len(found) for bias, found in facts["perplexity"].items()} == {"0.0": 2, "2.0": 2}
    assert len({x for found in facts["perplexity"].values() for x in found}) == 4
    assert heard == sorted(heard)
    assert heard[-1] == 1.0


def test_a_memory_run_returns_a_share_of_right_answers():
    share = rnns_memory.remembered(rnns, "GRU", distance=1, seed=0, steps=60, n_asked=50)
    assert share > 0.9
    assert rnns_memory.remembered(rnns, "Elman", distance=30, seed=0, steps=0) < 0.6


def test_a_gru_learns_to_remember_further_if_its_gate_begins_open():
    usual, opened = (
        rnns_memory.remembered(rnns, name, distance=30, seed=0, steps=150)
        for name in ("GRU", "GRU, open gate")
    )
    assert opened > usual + 0.2


def test_signs_stand_first_and_noise_never_looks_like_one():
    x, sign = rnns_memory.sequences(20, 3, torch.Generator().manual_seed(0))
    assert torch.equal(x[:, 0].argmax(-1), sign)
    assert (x[:, 1:].argmax(-1) >= rnns_memory.SIGNS).all()


class Parrot:
    """Knows every translation, but running free it says "x" (id 3) for each second word."""

    def __init__(self, right):
        self.right = right

    def translate(self, source):
        return [[row[0], 3, *row[2:]] for row in self.right]

    def __call__(self, source, inputs):
        _, targets = rnns.make_batch(self.right)
        return torch.nn.functional.one_hot(targets, 20).float()


def test_errors_by_place_count_the_model_s_own_words_and_the_true_ones():
    pairs = [(["a", "b"], ["x", "y", "z"]), (["b"], ["y", "x", "z"])]
    words = translators.Words(pairs)
    _, right = words.rows(pairs)
    found = translators.errors_by_place(rnns, Parrot(right), words, pairs)
    assert found["teacher forcing"] == [0.0, 0.0, 0.0, 0.0]
    assert found["free running"] == [0.0, 0.5, 0.0, 0.0]


def test_exact_asks_for_every_word():
    pairs = [(["a", "b"], ["x", "y", "z"]), (["b"], ["y", "x", "z"])]
    words = translators.Words(pairs)
    _, right = words.rows(pairs)
    assert translators.exact(Parrot(right), words, pairs) == 0.5
