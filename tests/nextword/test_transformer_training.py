"""How chapter 6's networks are trained and measured. Leaves out: how good they get."""

import doctest
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch import nn

from nextword.corpora import names, village
from nextword.given.batches import BOS
from nextword.models import training, transformer_training
from nextword.models.ladder.rungs import transformers as rungs
from nextword.models.recipes import (
    transformers_judging,
    transformers_projects,
    transformers_scaling,
    transformers_translating,
    transformers_trials,
)
from nextword.models.training import Plan
from tests.reference import reference

course = reference("transformers")
PACKAGE = SimpleNamespace(transformers=course)
STORIES = [[3, 4, 5], [3, 4], [3, 4, 5, 6], [4, 3]] * 4
SIZES = course.Sizes(V=8, D=16, L=1, H=2)


def quiet(done):
    pass


def stories_without_end(size=4):
    return transformer_training.without_end(STORIES, size, np.random.default_rng(0))


def test_doctests():
    found = doctest.testmod(transformer_training)
    assert found.attempted
    assert not found.failed


# ------------------------------------------------------------------------- training


@pytest.mark.parametrize("linear", [False, True])
def test_training_lowers_the_loss_and_repeats_itself(linear):
    found = []
    for _ in range(2):
        sizes = replace(SIZES, positions="none" if linear else "rotary")
        block = transformer_training.block_with(course, course.LinearAttention) if linear else None
        model = transformer_training.built(course, sizes, block)
        plan = Plan(steps=40, size=4, rate=0.02, warm_up=5, average=0.9)
        found.append(transformer_training.train(course, model, stories_without_end(), plan))
        assert not model.training
    assert np.mean(found[0][-5:]) < 0.5 * found[0][0]
    assert found[0] == found[1]


def test_a_loss_is_the_mean_of_log_probabilities_in_order():
    model = transformer_training.built(course, SIZES)
    found = transformer_training.log_probs(model, STORIES[:3], size=2)
    expected = []
    for story in STORIES[:3]:
        log_p = torch.log_softmax(model(torch.tensor([[1, *story]]))[0][0], -1)
        expected += [log_p[k, word].item() for k, word in enumerate([*story, 2])]
    assert found == pytest.approx(expected, abs=1e-5)
    assert transformer_training.loss(model, STORIES[:3]) == pytest.approx(
        -np.mean(expected), abs=1e-5
    )


def test_averaged_weights_are_the_mean_and_come_back():
    net = nn.Linear(1, 1, bias=False)
    average = training.Average(net, 0.5)
    seen = []
    for value in (1.0, 3.0, 7.0):
        net.weight.data.fill_(value)
        average.update()
        seen.append(value)
    with average.shown():
        shown = float(net.weight)
    assert 3.0 < shown < 7.0
    assert float(net.weight) == 7.0
    average.take()
    assert float(net.weight) == shown


def test_looks_see_the_averaged_weights_at_their_steps():
    model = transformer_training.built(course, SIZES)
    plan = Plan(steps=6, size=4, average=0.9, falls=False, looks=(2, 6))
    seen = []
    transformer_training.train(
        *(course, model, stories_without_end(), plan),
        look=lambda step: seen.append((step, transformer_training.loss(model, STORIES))),
    )
    assert [step for step, _ in seen] == [2, 6]
    assert seen[-1][1] == pytest.approx(transformer_training.loss(model, STORIES))


# ------------------------------------------------------------------------- the rungs


@pytest.mark.parametrize("rung", rungs.RUNGS, ids=lambda rung: rung.name)
def test_a_rung_trains_scores_and_tells_stories(rung, monkeypatch):
    for name in ("PLAN", "LINEAR", "CONVOLUTION"):
        monkeypatch.setattr(rungs, name, Plan(steps=3, size=2))
    monkeypatch.setattr(rungs, "SIZES", {"D": 16, "L": 1, "H": 2})
    texts = names.load("village", 2000, 400)
    model = rung.train(PACKAGE, texts, quiet)
    log_probs = model.log_probs(texts.test)
    assert len(log_probs) == texts.n_predictions
    assert max(log_probs) < 0
    told = list(model.samples(3, np.random.default_rng(0), 12))
    assert len(told) == 3
    assert {word for row in told for word in row} <= set(texts.vocabulary)
    if rung.tensors:
        assert sum(tensor.numel() for tensor in rung.tensors(model).values()) == model.parameters


def test_the_convolution_adds_parts_of_the_two_words_before():
    mixer = rungs.ConvolvedAttention(2, lambda x, past, mask: (x, past))
    mixer.a.data, mixer.b.data = torch.tensor([10.0, 20.0]), torch.tensor([100.0, 0.0])
    found, _ = mixer(torch.tensor([[[1.0, 1.0], [2.0, 0.0], [3.0, 5.0]]]))
    assert found.tolist() == [[[1, 1], [12, 20], [123, 5]]]


def test_with_the_convolution_a_text_in_pieces_reads_as_at_once():
    model = transformer_training.built(course, replace(SIZES, L=2), rungs.convolved(course)).eval()
    tokens = torch.tensor([[1, 3, 4, 5, 6, 7], [1, 7, 6, 5, 4, 3]])
    whole, _ = model(tokens)
    first, past = model(tokens[:, :1])
    second, past = model(tokens[:, 1:4], past)
    third, _ = model(tokens[:, 4:], past)
    torch.testing.assert_close(torch.cat([first, second, third], dim=1), whole)
    changed = tokens.clone()
    changed[:, 4] = 2
    torch.testing.assert_close(model(changed)[0][:, :4], whole[:, :4])


# ------------------------------------------------------------------------- the recipes


def test_a_training_of_the_scaling_study_reads_each_of_its_stories_once(monkeypatch):
    run = transformers_scaling.Run(width=16, steps=1, seed=1)
    read = []
    source = transformer_training.without_end

    def noted(stories, size, rng):
        read.extend(stories)
        return source(stories, size, rng)

    monkeypatch.setattr(transformer_training, "without_end", noted)
    different = [[*STORIES[k], 3 + k % 5] for k in range(16)]
    texts = transformers_scaling.Texts(different, STORIES, V=8, floor=0.5)
    found = transformers_scaling.measured(course, run, texts)
    assert len({id(story) for story in read}) == len(read) == 8
    assert found["tokens"] == sum(len(story) + 1 for story in read)
    assert found["flops"] == 6 * found["parameters"] * found["tokens"]
    assert (found["width"], found["steps"], found["seed"]) == run


@pytest.mark.parametrize("steps", transformers_scaling.STEPS)
def test_a_training_of_the_scaling_study_warms_up_and_ends_at_nothing(steps):
    plan = transformers_scaling.plan(transformers_scaling.Run(16, steps, 0))
    assert plan.falls
    assert not plan.average
    assert plan.warm_up == max(10, steps / 20)
    assert plan.rate == pytest.approx(0.025)


def test_the_fits_of_the_scaling_study_use_ever_longer_trainings(monkeypatch):
    monkeypatch.setattr(transformers_scaling, "RESAMPLED", 3)
    runs = [
        {
            "steps": steps,
            "parameters": n,
            "tokens": 1300.0 * steps,
            "loss": 0.32 + 8 / n**0.35 + 300 / (1300 * steps) ** 0.6,
            "cpu": 1.5,
        }
        for n in (6e3, 2e4, 6e4, 2e5)
        for steps in transformers_scaling.STEPS
    ]
    found = transformers_scaling.facts(runs, 0.32)
    assert list(found["fits"]) == ["240", "480", "960", "1920", "3840"]
    assert found["seconds"] == 1.5 * len(runs)
    for limit, fit in found["fits"].items():
        assert fit["best"] == min(run["loss"] for run in runs if run["steps"] <= int(limit))
        assert fit["free"]["E"] == pytest.approx(0.32, abs=0.01)
        assert fit["known"]["spread"]["E"] == pytest.approx([0.32, 0.32])
        assert fit["known"]["b"] == pytest.approx(0.6, abs=0.01)


def test_excess_by_place_averages_where_it_should(monkeypatch):
    monkeypatch.setattr(transformers_trials, "BORDERS", (0, 1))
    monkeypatch.setattr(
        transformer_training, "log_probs", lambda model, stories: [-1.0, -2, -9, -1, -2, -9]
    )
    found = transformers_trials.by_place(None, [[5, 5], [5, 5]], np.zeros(6))
    assert found == [1.0, 2.0]


def test_pieces_are_cut_from_the_stories_behind_a_begin(monkeypatch):
    monkeypatch.setattr(transformers_trials, "SHORT", 5)
    inputs, targets = next(
        transformers_trials.pieces([list(range(3, 30)), [1, 2]], 6, np.random.default_rng(0))
    )
    assert inputs.shape == (6, 5)
    assert (inputs[:, 0] == BOS).all()
    assert torch.equal(inputs[:, 1:] + 1, targets[:, 1:])
    assert torch.equal(inputs[:, 1:], targets[:, :-1])
    assert (targets[::2, 0] == 3).all()  # every second one is a story's beginning
    assert (targets[1::2, 0] != 3).any()


def test_words_are_multiplied_before_waves_are_added():
    words = torch.tensor([[3, 4, 5]])
    plain, scaled = (
        transformers_trials.with_places(course, 8, "sinusoidal", factor, 0).embed(words)
        for factor in (1.0, 10.0)
    )
    waves = plain - (scaled - plain) / 9  # what is left without the words
    assert torch.allclose(waves[0], course.sinusoidal(3, transformers_trials.D), atol=1e-5)


@pytest.mark.slow
def test_both_trials_run(monkeypatch):
    monkeypatch.setattr(transformers_trials, "TOKENS", 4000)
    monkeypatch.setattr(transformers_trials, "ASKED", 1000)
    monkeypatch.setattr(transformers_trials, "DEPTH", 2)
    for name in ("PLACES", "STEEP", "GENTLE"):
        plan = replace(getattr(transformers_trials, name), steps=10, size=2)
        monkeypatch.setattr(transformers_trials, name, plan)
    positions = transformers_trials.positions(PACKAGE, quiet).facts
    assert set(positions["excess"]) == set(transformers_trials.POSITIONS)
    for runs in positions["excess"].values():
        assert len(runs) == len(transformers_trials.SEEDS)
        assert all(len(row) == len(positions["from"]) for row in runs)
        assert runs[0] != runs[1]
    starts = transformers_trials.norms(PACKAGE, quiet).facts["curves"]
    for curves in starts.values():
        assert len(curves) == 4
        assert all(len(curve) == 1 for rows in curves.values() for curve in rows)
    assert starts["PyTorch"] != starts["GPT-2"]


def test_exchanged_words_leave_the_village_and_the_others_stay():
    stories = village.split("validation", 4000).stories()
    told = list(transformers_judging.beginnings(stories, np.random.default_rng(0)))
    assert [right for _, right in told[:4]] == [True, False, True, False]
    for (text, right), story in zip(told, stories, strict=True):
        assert (village.score(text).left_at is None) == right
        assert sum(a != b for a, b in zip(text, story, strict=False)) == (not right)


def test_judging_learns_and_measures(monkeypatch):
    plan = replace(transformers_judging.HIDING, steps=2, size=4)
    monkeypatch.setattr(transformers_judging, "HIDING", plan)
    values = {"TOKENS": 3000, "LABELLED": (8, 16), "SEEDS": (0, 1), "N_ASKED": 10}
    for name, value in (values | {"FEWEST": 1, "MOST": 2, "D": 16, "L": 1}).items():
        monkeypatch.setattr(transformers_judging, name, value)
    found = transformers_judging.finetuning(PACKAGE, quiet)
    assert [len(row) for row in found.facts["pretrained"]] == [2, 2]
    assert all(0 <= share <= 1 for row in found.facts["scratch"] for share in row)
    assert found.tensors["embed.words.weight"].dtype == torch.float16


def test_translating_runs_and_its_tasks_are_named(monkeypatch):
    tasks = transformers_translating.task_pairs("test", 5)
    assert list(tasks) == ["translate", "back", "missing"]
    for name, pairs in tasks.items():
        assert all(source[0] == name for source, _ in pairs)
    (source, target), whole = tasks["missing"][0], tasks["translate"][0][0][1:]
    filled = [target[0] if word == "___" else word for word in source[1:]]
    assert filled == whole


@pytest.mark.slow
def test_translating_learns_and_measures(monkeypatch):
    for name in ("PLAN", "TOGETHER"):
        monkeypatch.setattr(transformers_translating, name, Plan(steps=1, size=4))
    values = {"PAIRS": ((400, 3), (5, 20)), "N_EACH": 400, "N_ASKED": 40, "LONGEST": 8}
    for name, value in values.items():
        monkeypatch.setattr(transformers_translating, name, value)
    monkeypatch.setattr("nextword.models.recipes.rnns.N_PER_LENGTH", 5)
    monkeypatch.setattr("nextword.models.recipes.rnns.LENGTHS", (5,))
    found = transformers_translating.translator(PACKAGE, quiet)
    assert 0 <= found.facts["by_length"][5]["exact"] <= 1
    assert sum(tensor.numel() for tensor in found.tensors.values()) == found.facts["parameters"]
    facts = transformers_translating.text_to_text(PACKAGE, quiet).facts
    assert set(facts["exact"]) == {"translate", "back", "missing"}
    assert all(len(rows) == 3 for rows in facts["examples"].values())


@pytest.mark.slow
def test_the_projects_give_a_gap_for_each_arm_and_seed(monkeypatch):
    few = {"steps": 2, "size": 2}
    monkeypatch.setattr(transformers_projects, "ASKED", 500)
    monkeypatch.setattr(transformers_projects, "SIZE", 2)
    monkeypatch.setattr(transformers_projects, "SEEDS", (0, 1))
    for name in ("READ", "WARM"):
        plan = replace(getattr(transformers_projects, name), **few)
        monkeypatch.setattr(transformers_projects, name, plan)
    monkeypatch.setattr(transformers_projects, "TIMES", (1, 4))
    monkeypatch.setattr(transformers_projects, "RATES", (0.001, 1e9))
    again = transformers_projects.read_again(PACKAGE, quiet).facts
    assert {times: len(row) for times, row in again["gaps"].items()} == {"1": 2, "4": 2}
    assert min(again["gaps"]["1"]) > 0
    warm = transformers_projects.warm_up(PACKAGE, quiet).facts["gaps"]
    assert set(warm) == {"0", "50"}
    assert all(len(row) == 2 for rates in warm.values() for row in rates.values())
