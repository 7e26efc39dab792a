"""Judges that learn from preferences: the pairs, what they read, and what they learn in seconds."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from nextword.corpora.taste import Taste
from nextword.models import judges
from nextword.models.judges import Pool
from nextword.models.recipes import after_training_judges as recipe
from solutions import after_training, transformers

PACKAGE = SimpleNamespace(after_training=after_training, transformers=transformers)


def test_preferences_have_the_probabilities_of_bradley_and_terry():
    truth = np.array([0.0, 1.0])
    pairs = judges.preferred(truth, 20_000, seed=0, scale=2.0)
    assert (pairs[:, 0] != pairs[:, 1]).all()
    assert (pairs[:, 0] == 1).mean() == pytest.approx(1 / (1 + np.exp(-2)), abs=0.02)


def test_a_far_better_text_is_always_preferred_and_the_seed_decides_the_rest():
    truth = np.array([0.0, 1e4])
    assert (judges.preferred(truth, 100, seed=1)[:, 0] == 1).all()
    drawn = [judges.preferred(np.zeros(50), 40, seed=k).tolist() for k in (3, 3, 4)]
    assert drawn[0] == drawn[1] != drawn[2]


def test_the_true_reward_is_that_of_the_hidden_taste():
    texts = [["ida", "lost", "the", "plums", "</s>"], ["a", "feast", "and", "cake"]]
    assert judges.true_rewards(texts).tolist() == [0.0, 2.0]
    assert judges.true_rewards(texts, Taste({"a": -1.0}, 1.0)).tolist() == [0.0, -1.0]


def short_texts(n, V=12, seed=0):
    """Random texts of 3 to 8 words with EOS; word 5 is worth 1 and word 6 is worth -1."""
    rng = np.random.default_rng(seed)
    texts = [[*map(int, rng.integers(3, V, size=rng.integers(3, 9))), 2] for _ in range(n)]
    return Pool(texts, np.array([text.count(5) - text.count(6) for text in texts], float), V)


@pytest.mark.slow
def test_a_judge_learns_a_simple_taste_and_its_weights_depend_on_the_seed():
    found = [judges.judge_of(PACKAGE, short_texts(300), 1200, seed) for seed in (0, 0, 1)]
    asked = short_texts(200, seed=9)
    said = [judges.rewards(judge, asked.texts) for judge in found]
    assert torch.equal(said[0], said[1])
    assert not torch.equal(said[0], said[2])
    for one in (said[0], said[2]):
        assert recipe.agreement(one.numpy(), asked.truth)["accuracy"] > 0.85


def test_a_judge_says_the_same_of_a_text_whatever_stands_beside_it():
    judge = judges.new_judge(PACKAGE, V=12, seed=0).eval()
    texts = short_texts(100).texts
    together = judges.rewards(judge, texts)
    alone = torch.cat([judges.rewards(judge, [text]) for text in texts[:10]])
    assert torch.allclose(together[:10], alone, atol=1e-5)
    number = {f"w{k}": k for k in range(12)}
    asked = judges.reward_of(judge, number)([[f"w{k}" for k in texts[0]]])
    assert torch.allclose(asked, together[:1], atol=1e-5)


class Counting(torch.nn.Module):
    """A judge that is known: a text is worth 3 for each word 5, and nothing after a word 7."""

    def forward(self, rows):
        after = (rows == 7).cumsum(1) > 0
        return 3.0 * ((rows == 5) & ~after).sum(1)


def test_a_words_worth_is_told_at_the_end_and_in_its_place():
    texts = [[5, 6, 5, 3, 2], [5, 7, 5, 3, 2], [6, 3, 2]]
    assert judges.worth_at_the_end(Counting(), texts, 5) == pytest.approx(2)  # 3, 0, 3
    assert judges.worth_in_place(Counting(), texts, 5) == pytest.approx(9 / 4)
    assert judges.worth_in_place(Counting(), texts, 7) == pytest.approx(-3)
    with pytest.raises(ValueError, match="none of the 3 texts holds the word 9"):
        judges.worth_in_place(Counting(), texts, 9)


# ---------------------------------------------------------------- measures
def test_agreement_of_hand_made_rewards():
    truth = np.array([0.0, 1.0, 2.0, 2.0])
    perfect = recipe.agreement(truth / 2 + 7, truth)
    assert perfect["accuracy"] == perfect["correlation"] == 1
    assert perfect["gain"] == pytest.approx(2)
    one_pair_wrong = recipe.agreement(np.array([1.0, 0.0, 2.0, 3.0]), truth)
    assert one_pair_wrong["accuracy"] == pytest.approx(4 / 5)  # of five pairs that differ


def test_calibration_of_a_judge_that_knows_the_truth_is_perfect():
    truth = np.random.default_rng(0).normal(size=60)
    rows = recipe.calibration(truth, truth, scale=1.0)
    assert all(said == true for said, true, _ in rows)
    assert sum(share for *_, share in rows) == pytest.approx(1, abs=1e-3)
    bold = recipe.calibration(5 * truth, truth, scale=1.0)
    assert bold[0][0] < bold[0][1]
    assert bold[-1][0] > bold[-1][1]


def test_best_of_says_what_was_promised_and_what_was_got():
    truth = np.zeros(32)
    said = np.zeros(32)
    truth[3], truth[20], said[5], said[20] = 4.0, 2.0, 1.0, 1.0
    found = recipe.best_of(said, truth)  # of each 16: places 5 and 20 are chosen
    assert found["said"] == pytest.approx(1 - 2 / 32, abs=1e-3)
    assert found["true"] == pytest.approx(1 - 6 / 32, abs=1e-3)
    assert found["possible"] == pytest.approx(3 - 6 / 32, abs=1e-3)


def test_texts_from_elsewhere_are_worth_what_they_should():
    stories = [[5, 6, 7, 3, 2], [8, 3, 2]]
    assert recipe.doubled(stories) == [[5, 6, 7, 3, 8, 3, 2], [8, 3, 5, 6, 7, 3, 2]]
    for before, after in zip(
        stories, recipe.shuffled(stories, np.random.default_rng(0)), strict=True
    ):
        assert sorted(before) == sorted(after)
        assert after[-1] == 2
    assert recipe.with_word(stories, 9, 2) == [[5, 6, 7, 9, 9, 3, 2], [8, 9, 9, 3, 2]]
