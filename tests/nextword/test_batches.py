"""Texts as rows of ids: numbers of words, batches, ends."""

import numpy as np
import pytest

from nextword.given.batches import BOS, EOS, PAD, batches, number_words, until_end

RNG = np.random.default_rng


def test_every_word_has_its_own_number() -> None:
    number = number_words(["the", "</s>", "hen", "<s>", "the"])
    assert (number["<pad>"], number["<s>"], number["</s>"]) == (PAD, BOS, EOS)
    assert (number["the"], number["hen"], len(number)) == (3, 4, 5)


@pytest.mark.parametrize("n_texts", [0, 1, 7, 8, 9])
def test_each_text_is_in_one_batch(n_texts: int) -> None:
    texts = [[k] * (1 + k % 5) for k in range(n_texts)]
    found = list(batches(texts, 4, RNG(0)))
    assert sorted(text for batch in found for text in batch) == sorted(texts)
    assert sum(len(batch) < 4 for batch in found) <= 1


def test_a_batch_holds_texts_of_about_equal_lengths() -> None:
    texts = [[0] * length for length in RNG(1).integers(1, 500, size=400)]
    spreads = [max(map(len, b)) - min(map(len, b)) for b in batches(texts, 8, RNG(2))]
    assert np.mean(spreads) < 25


def test_two_passes_are_not_the_same() -> None:
    texts, rng = [[k] * 9 for k in range(64)], RNG(3)
    assert list(batches(texts, 8, rng)) != list(batches(texts, 8, rng))
    assert list(batches(texts, 8, RNG(4))) == list(batches(texts, 8, RNG(4)))


def test_no_batch_is_empty() -> None:
    with pytest.raises(ValueError, match="size must be at least 1, got 0"):
        list(batches([[1]], 0, RNG(0)))


def test_rows_end_before_their_first_end() -> None:
    assert until_end([[], [EOS], [5, EOS, 6, EOS], [7]]) == [[], [], [5], [7]]
