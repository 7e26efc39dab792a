"""Corpora by name: sizes, splits and vocabularies; text files; wrong sizes."""

import numpy as np
import pytest

from examiner.errors import UserError
from nextword.corpora import names


@pytest.fixture(scope="module")
def village_texts():
    return names.load("village", 20_000, 3_000)


def test_village_splits_have_the_sizes_asked_for_and_share_no_story(village_texts):
    assert 3_000 <= village_texts.n_predictions < 3_400
    assert sum(len(story) + 1 for story in village_texts.train) >= 20_000
    stories = [set(map(tuple, part)) for part in (village_texts.train, village_texts.test)]
    assert not stories[0] & stories[1]
    assert all(village_texts.is_valid(story) for story in village_texts.test)
    assert not village_texts.is_valid(village_texts.test[0][:-1])
    assert {w for s in village_texts.test for w in s} <= set(village_texts.vocabulary)


def test_pydocs_is_lower_case_with_rare_words_replaced():
    texts = names.load("pydocs", 20_000, 2_000)
    assert 20_000 <= sum(len(s) + 1 for s in texts.train) < 20_400
    words = {word for sentence in texts.test for word in sentence}
    assert words <= set(texts.vocabulary)
    assert "<unk>" in words
    assert all(word == word.lower() for word in words)
    assert 0.02 < texts.unknown < 0.3


def test_a_file_keeps_its_order_and_ends_paragraphs_at_blank_lines(tmp_path):
    path = tmp_path / "a.txt"
    lines = [f"word{i // 26 * 'z'}{chr(97 + i % 26)} sat\ndown. It sat." for i in range(50)]
    path.write_text("\n\n".join(lines), encoding="utf-8")
    texts = names.load(str(path))
    assert [len(part) for part in (texts.train, texts.validation, texts.test)] == [80, 10, 10]
    assert texts.test[1] == ["it", "sat", "."]
    assert texts.test[0] == ["<unk>", "sat", "down", "."]


def test_sizes_below_one_are_refused():
    with pytest.raises(UserError, match="n_train must be at least 1, got 0"):
        names.load("village", 0)


def test_the_village_brings_the_truth_and_the_kind_of_each_test_word(village_texts):
    n = village_texts.n_predictions
    assert len(village_texts.truth) == len(village_texts.kinds) == n
    assert village_texts.floor == pytest.approx(float(np.exp(-village_texts.truth.mean())))
