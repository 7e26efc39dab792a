"""The sentences for language identification: clean, distinct, enough to tell languages apart."""

import math
import statistics
import unicodedata
from collections import Counter

import pytest

from examiner.errors import UserError
from nextword.corpora import text, tongues

LETTERS = {
    "english": "",
    "swedish": "åäöÅÄÖé",
    "french": "àâçèéêëîïôùûüœÀÂÇÈÉ",
}
PLAIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ,.;:!?'-"


@pytest.mark.parametrize("language", tongues.LANGUAGES)
class TestOneLanguage:
    def test_uses_its_own_letters_and_all_of_them(self, language):
        used = set("".join(tongues.sentences(language)))
        assert used - set(PLAIN) <= set(LETTERS[language])
        assert set(LETTERS[language].lower()) - set("ëïü") <= used

    def test_a_line_is_one_sentence(self, language):
        for line in tongues.sentences(language):
            assert line == " ".join(line.split())
            assert line == unicodedata.normalize("NFC", line)
            assert line[0].isupper()
            assert line[-1] in ".!?"

    def test_there_are_enough_of_many_lengths(self, language):
        lengths = [len(line.split()) for line in tongues.sentences(language)]
        assert len(lengths) == 300
        assert min(lengths) <= 5
        assert max(lengths) >= 16
        assert statistics.stdev(lengths) > 2.5

    def test_openings_vary(self, language):
        openings = Counter(line.split()[0] for line in tongues.sentences(language))
        assert len(openings) > 75
        assert openings.most_common(1)[0][1] < 60

    def test_splits_cover_all_and_keep_the_order(self, language):
        parts = [tongues.sentences(language, split) for split in text.SPLITS]
        assert sorted(line for part in parts for line in part) == sorted(
            tongues.sentences(language)
        )
        assert parts[0] == [line for line in tongues.sentences(language) if line in set(parts[0])]
        assert len(parts[0]) > 170
        assert len(parts[2]) >= 60


def test_no_sentence_stands_twice():
    keys = [line.casefold().strip(".!? ") for line, _ in tongues.labelled()]
    assert [key for key, count in Counter(keys).items() if count > 1] == []


def test_labels_are_the_languages():
    assert Counter(label for _, label in tongues.labelled()) == dict.fromkeys(
        tongues.LANGUAGES, 300
    )
    assert set(tongues.labelled("test")) < set(tongues.labelled())


def trigrams(line):
    padded = f"  {line.lower()} "
    return [padded[i : i + 3] for i in range(len(padded) - 2)]


def test_character_trigrams_tell_the_languages_apart():
    counts = {name: Counter() for name in tongues.LANGUAGES}
    for line, label in tongues.labelled("train"):
        counts[label].update(trigrams(line))
    kinds = len(set().union(*counts.values()))

    def score(line, label):
        total = counts[label].total() + kinds
        return sum(math.log((counts[label][gram] + 1) / total) for gram in trigrams(line))

    test = tongues.labelled("test")
    right = sum(max(counts, key=lambda name: score(line, name)) == label for line, label in test)
    assert right / len(test) > 0.97


def test_the_first_letters_alone_do_not_tell():
    """The task is no trick: sentences cannot be told apart by an accent or by the first word."""
    swedish_plain = sum(line.isascii() for line in tongues.sentences("swedish"))
    french_plain = sum(line.isascii() for line in tongues.sentences("french"))
    assert swedish_plain > 15
    assert french_plain > 40


@pytest.mark.parametrize(("language", "split"), [("danish", None), ("english", "dev")])
def test_unknown_names_list_the_known_ones(language, split):
    with pytest.raises(
        UserError, match=r"unknown .*: expected one of (english, french|train, val)"
    ):
        tongues.sentences(language, split)
