"""What the recipes of chapter 7's last page ask, count and reward, on the smallest inputs."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from nextword.corpora import problems
from nextword.given.batches import PAD
from nextword.models import tuning
from nextword.models.recipes import after_training_goodhart as goodhart
from nextword.models.recipes import after_training_thinking as thinking
from nextword.models.transformer_training import IGNORE
from solutions import after_training, transformers

PACKAGE = SimpleNamespace(after_training=after_training, transformers=transformers)
NAMES = ["<pad>", "<s>", "</s>", "plums", "storm", "the"]


@pytest.mark.parametrize("kind", problems.SCRATCHES)
def test_targets_are_the_solutions_and_nothing_else(kind):
    inputs, targets = thinking.rows(kind, 3, np.random.default_rng(0))
    assert inputs.shape == targets.shape
    counted = {thinking.NAMES_OF[k] for k in targets[targets != IGNORE].tolist()}
    assert problems.MARK in counted
    assert not {"letter", ",", "keeps", problems.FILLER} & counted
    for words, wanted in zip(inputs.tolist(), targets.tolist(), strict=True):
        for now, after in zip(wanted, words[1:], strict=False):
            assert now == IGNORE or now == after or after == PAD  # PAD: the row's last target


def test_fillers_are_given_and_no_other_scratch():
    problem = thinking.asked(3, 1, seed=0)[0]
    filler = thinking.prompt(problem, "filler")
    assert filler[-3:] == [thinking.NUMBER[problems.FILLER]] * 3
    assert thinking.prompt(problem, "path") == filler[:-3]


def test_an_attempt_is_rewarded_for_its_answer_alone():
    problem = thinking.asked(2, 1, seed=0)[0]
    reward = thinking.judge(after_training, [problem], "verified", seed=0)
    other = next(name for name in problems.NAMES if name not in problem.answer)
    wrong_way = [*problem.question, other, problems.MARK, *problem.answer, problems.EOS]
    wrong_answer = [*problem.question, *problem.path, problems.MARK, other, problems.EOS]
    assert reward([wrong_way, wrong_answer]).tolist() == [1.0, 0.0]


def test_shuffled_rewards_are_as_many_and_elsewhere():
    tried = thinking.asked(2, 40, seed=0)
    texts = [[*p.question, problems.MARK, *p.answer, problems.EOS] for p in tried[:20]]
    texts += [[*p.question, problems.EOS] for p in tried[20:]]
    reward = thinking.judge(after_training, tried, "shuffled", seed=0)
    rewards = reward(texts)
    assert rewards.sum() == 20
    assert 0 < rewards[:20].sum() < 20


def written(*texts):
    """Texts of ids as if a model had written them."""
    return tuning.as_written(list(texts), [[]] * len(texts), [[-1.0] * len(t) for t in texts])


def start():
    """A start whose stories are worth 2 and 0."""
    held = written([3, 2], [5, 2])
    teller = SimpleNamespace(
        words=NAMES, model=None, number={name: k for k, name in enumerate(NAMES)}
    )
    return goodhart.Base(teller, [], 1.0, held, held)


def test_true_rewards_are_counted_from_the_mean_of_the_start():
    found = goodhart.row(start(), written([3, 3, 2], [4, 2]), torch.tensor([1.0, 3.0]))
    assert found["truth"] == (4 - 1) / 2 - 1
    assert found["proxy"] == 2
    assert found["words"] == 1.5
    assert found["accepted"] == 0


def test_weights_choose_among_stories():
    weights = torch.tensor([1.0, 0.0])
    found = goodhart.row(start(), written([3, 3, 2], [4, 2]), torch.tensor([1.0, 3.0]), weights)
    assert (found["truth"], found["proxy"], found["words"]) == (3, 1, 2)


def test_the_story_that_pleases_most_is_shown_with_what_it_is_worth():
    shown = goodhart.pleasing(start(), written([3, 3, 2], [4, 2]), torch.tensor([1.0, 3.0]))
    assert shown["text"] == "storm </s>"
    assert (shown["proxy"], shown["truth"], shown["left_at"]) == (3, -2, 0)


def test_several_judges_are_asked_with_caution():
    def judge(value):
        return lambda rows: torch.full((len(rows),), value)

    reward = goodhart.reward_of(PACKAGE, [judge(1.0), judge(3.0)], start().teller.number, zero=0.5)
    assert reward([["plums", "</s>"]]).tolist() == [2 - goodhart.CAUTION * 1 - 0.5]
