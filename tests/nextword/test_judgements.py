"""Published judgements of likeness: the real files, as gensim carries them, never the web."""

import importlib.util
import shutil
from pathlib import Path

import pytest

from examiner.errors import UserError
from nextword.corpora import cache, downloads, judgements


@pytest.fixture
def fetched(monkeypatch, tmp_path):
    """The files of both collections in a cache folder, as a download would leave them."""
    gensim = importlib.util.find_spec("gensim")
    if gensim is None:
        pytest.skip("gensim carries the files")
    carried = Path(gensim.origin).parent / "test" / "test_data"
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path))
    for name in judgements.NAMES:
        file = downloads.DOWNLOADS[name].file_name
        folder = cache.folder("downloads") / name
        folder.mkdir(parents=True)
        shutil.copy(carried / file, folder / file)


@pytest.mark.parametrize(("name", "n_pairs"), [("wordsim353", 353), ("simlex999", 999)])
def test_every_pair_has_two_words_and_a_score(fetched, name, n_pairs):
    pairs = judgements.pairs(name)
    assert len(pairs) == n_pairs
    assert all(0 <= score <= 10 for _, _, score in pairs)
    assert all(word == word.lower() and word for *both, _ in pairs for word in both)


def test_related_is_not_similar(fetched):
    related = {pair[:2]: pair[2] for pair in judgements.pairs("wordsim353")}
    assert related["tiger", "cat"] == 7.35
    similar = {pair[:2]: pair[2] for pair in judgements.pairs("simlex999")}
    assert similar["old", "new"] == 1.58


def test_an_unknown_name_is_told_what_there_is():
    with pytest.raises(UserError, match="expected one of wordsim353, simlex999"):
        judgements.pairs("wordsim")
