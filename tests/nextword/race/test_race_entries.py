"""The entries that the race ships say what the models of the ladder say, word by word."""

import importlib
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file

from nextword.corpora import names
from nextword.given.batches import ids, number_words
from nextword.models import attention_only, store
from nextword.models.attention_only import AttentionOnly, AttentionSizes
from nextword.models.ladder.rungs import rnns as rnn_rungs
from nextword.models.ladder.rungs import transformers as rungs
from nextword.models.ladder.rungs.embeddings import LogBilinear
from nextword.models.recipes.race import Recurrent, with_convolution
from nextword.models.transformer_training import block_with
from nextword.race import counted
from nextword.race.shipped import SHIPPED, WEIGHTS, write_entries
from nextword.race.stories import NUMBER, WORDS
from tests.reference import reference

ROOT = Path(__file__).parents[3]
TEXTS = names.load("village", 3000, 400)
STORIES = TEXTS.test[:3]
IDS = number_words(WORDS)
CHAPTER = {
    name: reference(name) for name in ("ngrams", "embeddings", "rnns", "attention", "transformers")
}


def said(code: str, folder: Path) -> list[float]:
    """ln P of each word and end of the stories, told side by side to an entry's model."""
    module = importlib.import_module(f"nextword.race.entries.{code}")
    with torch.no_grad():
        model = module.load(folder, WORDS)
        told = [[NUMBER[word] for word in [*story, "</s>"]] for story in STORIES]
        found: list[list[float]] = [[] for _ in told]
        rows = model.begin(len(told))
        for t in range(max(map(len, told))):
            rows = np.asarray(rows, dtype=np.float64)
            assert rows.shape == (len(told), len(WORDS))
            words = [story[min(t, len(story) - 1)] for story in told]
            for k, word in enumerate(words):
                if t < len(told[k]):
                    found[k].append(float(np.log(rows[k, word])))
            rows = model.next(np.array(words))
    return [each for story in found for each in story]


def rnn(cell: str) -> Any:
    return rnn_rungs.recurrent(cell, CHAPTER["rnns"], len(IDS))


def network(name: str) -> Any:
    """The network of a shipped model, built by the ladder and with its own way to score."""
    rnns, course = CHAPTER["rnns"], CHAPTER["transformers"]
    by_cell = {"rnn": "ElmanCell", "lstm": "LSTMCell", "gru": "GRUCell"}
    if name in by_cell:
        return rnn(by_cell[name]), rnns.log_probs
    if name == "feed-forward":
        return rnn_rungs.feedforward(rnns, len(IDS)), rnns.log_probs
    if name == "attention-only":
        net = AttentionOnly(CHAPTER["attention"], AttentionSizes(len(IDS)))
        return net, attention_only.log_probs
    score = rungs.transformer_training.log_probs
    if name == "lstm-tuned":
        return Recurrent(len(IDS)), score
    if name == "linear-attention":
        linear = block_with(course, course.LinearAttention)
        return rungs.built(course, TEXTS, linear, positions="none"), score
    block = rungs.convolved(course) if name == "with-convolution" else None
    return rungs.built(course, TEXTS, block), score


@pytest.fixture(scope="module")
def entries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All entries but the n-grams, which take a second each to count."""
    folder = tmp_path_factory.mktemp("entries")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("nextword.race.shipped._ngrams", lambda root, package: [])
        write_entries(folder, "solutions", ROOT)
    return folder


def test_an_entry_that_a_reader_has_changed_is_not_written_over(
    entries: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To call the page's two commands once more put the course's own in the place of one's own."""
    changed, gone = entries / "gru" / "about.toml", entries / "lstm" / "about.toml"
    before, lost = changed.read_bytes(), gone.read_bytes()
    changed.write_bytes(before + b"# mine")
    gone.unlink()
    heard: dict[str, bool] = {}
    monkeypatch.setattr("nextword.race.shipped._ngrams", lambda root, package: [])
    write_entries(entries, "solutions", ROOT, heard.__setitem__)
    assert changed.read_bytes() == before + b"# mine"
    assert gone.read_bytes() == lost
    assert [name for name, is_written in heard.items() if is_written] == ["lstm"]
    changed.write_bytes(before)


@pytest.mark.parametrize("name", [each.name for each in SHIPPED if each.name != "log-bilinear"])
def test_a_shipped_entry_says_what_its_rung_says(name: str, entries: Path) -> None:
    (shipped,) = (each for each in SHIPPED if each.name == name)
    net, score = network(name)
    tensors = store.load(shipped.model, ROOT / store.FOLDER).tensors
    net.load_state_dict({key: tensor.float() for key, tensor in tensors.items()})
    expected = score(net.eval(), ids(STORIES, IDS))
    # the entry leaves out the ids that are no words; a network gives them next to nothing
    assert said(shipped.code, entries / name) == pytest.approx(expected, abs=2e-3)


def test_the_log_bilinear_entry_says_what_its_rung_says(entries: Path) -> None:
    model = LogBilinear(WORDS)
    model.E, model.U, model.w = (store.load("ladder/log-bilinear").tensors[k] for k in "EUw")
    found = said("logbilinear", entries / "log-bilinear")
    assert found == pytest.approx(list(model.log_probs(STORIES)), abs=1e-4)


def test_an_entry_with_a_convolution_says_what_the_network_says(tmp_path: Path) -> None:
    """With first weights, made larger so that each matters."""
    net, _ = network("with-convolution")
    weights = {name: 3 * weight.numpy() for name, weight in net.state_dict().items()}
    save_file(weights, tmp_path / WEIGHTS)
    net.load_state_dict({name: torch.tensor(weight) for name, weight in weights.items()})
    with torch.no_grad():
        logits = [
            net(torch.tensor([[1, *story]]))[0][0, :, [IDS[word] for word in WORDS]]
            for story in ids(STORIES, IDS)
        ]
    words = [[NUMBER[word] for word in [*story, "</s>"]] for story in STORIES]
    expected = [
        float(row[word])
        for table, story in zip(logits, words, strict=True)
        for row, word in zip(table.log_softmax(-1), story, strict=True)
    ]
    assert said("transformer", tmp_path) == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_an_n_gram_entry_says_what_chapter_2_says(n: int, tmp_path: Path) -> None:
    chapter = CHAPTER["ngrams"]
    model = chapter.KneserNey(chapter.count_ngrams(TEXTS.train, n), WORDS)
    save_file(counted.table(model, WORDS), tmp_path / WEIGHTS)
    # the table holds probabilities in half precision
    assert said("ngram", tmp_path) == pytest.approx(model.log_probs(STORIES), abs=4e-3)


def test_the_best_transformer_is_trained_as_the_ladder_trains_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Here for two steps on a few stories: the whole takes a quarter of an hour."""
    monkeypatch.setattr(names, "load", lambda *sizes: TEXTS)
    monkeypatch.setattr(rungs, "CONVOLUTION", replace(rungs.CONVOLUTION, steps=2))
    package = SimpleNamespace(transformers=CHAPTER["transformers"])
    made = with_convolution(package, lambda done: None)
    net, _ = network("with-convolution")
    net.load_state_dict({name: tensor.float() for name, tensor in made.tensors.items()})


def test_an_entry_is_complete_and_small(entries: Path) -> None:
    for folder in entries.iterdir():
        assert {path.name for path in folder.iterdir()} == {"model.py", "about.toml", WEIGHTS}
        assert sum(path.stat().st_size for path in folder.iterdir()) <= 4 << 20
