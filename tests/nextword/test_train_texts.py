"""What `nextword train` reads: files and folders, cut into words, characters or byte pairs."""

import json
import os

import numpy as np
import pytest
import torch

from examiner.errors import UserError
from nextword.models.trainer import disk, sources, streams, tokenizers
from nextword.models.trainer.config import Config
from nextword.models.trainer.parallel import Place
from solutions import language_models as chapter_1

TEXT = "The hens, naïve as ever, ran home.\nDon't run! said anna. The hens ran.\n\n" * 30


@pytest.fixture
def book(tmp_path):
    path = tmp_path / "My Book.txt"
    path.write_text(TEXT, "utf-8")
    return path


def read(paths, folder, **options):
    options = {"tokens_as": "characters", "language_models": chapter_1, **options}
    return streams.read(paths, folder=folder, **options)


def text_of(stream):
    return stream.tokenizer.decode([*stream.train.tolist(), *stream.validation.tolist()])


# ------------------------------------------------------------------------- cut in tokens


def test_characters_and_byte_pairs_give_the_text_back(book, tmp_path):
    for kind in ("characters", "bpe"):
        found = read(str(book), tmp_path / kind, tokens_as=kind, n_merges=20)
        assert text_of(found) == TEXT
        n = len(found.train) + len(found.validation)
        assert len(found.validation) == n // 10
        assert found.tokenizer.encode(TEXT) == [*found.train.tolist(), *found.validation.tolist()]
    assert found.vocabulary[3 + ord("T")] == "'T'"
    assert len(found.vocabulary) == len(set(found.vocabulary)) == 3 + 256 + 20
    assert [list(pair) for pair in found.tokenizer.merges] == [
        list(pair) for pair in chapter_1.train_bpe(TEXT, 20)
    ]


def test_characters_have_the_numbers_that_a_text_in_memory_gives_them(book, tmp_path):
    found = read(str(book), tmp_path)
    assert found.vocabulary == ("<pad>", "<s>", "</s>", *sorted(set(TEXT)))


def test_words_that_training_saw_once_are_unknown(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("a b c.\n" * 40 + "rare.\n" + "a b late late c.\n" * 3, "utf-8")
    found = read(str(path), tmp_path, tokens_as="words")
    assert found.vocabulary == ("<pad>", "<s>", "</s>", ".", "<unk>", "a", "b", "c")
    lines = text_of(found).splitlines()
    assert lines[:2] == ["a b c .", "a b c ."]
    assert lines[40] == "<unk> ."
    assert lines[-1] == "a b <unk> <unk> c ."
    assert found.train[:5].tolist() == [1, 5, 6, 7, 3]  # begin, a, b, c, full stop


def test_sentences_do_not_depend_on_the_pieces_that_are_read():
    whole = list(disk.sentences([TEXT]))
    assert whole[0] == ["the", "hens", ",", "naïve", "as", "ever", ",", "ran", "home", "."]
    lines = TEXT.splitlines(keepends=True)
    assert list(disk.sentences(["".join(lines[:4]), *lines[4:]])) == whole


def test_a_paragraph_without_end_is_cut_between_words(monkeypatch):
    monkeypatch.setattr(disk, "LONGEST", 20)
    found = list(disk.sentences(["hen cow " * 3] * 4))
    assert len(found) > 1
    assert [word for sentence in found for word in sentence] == ["hen", "cow"] * 12


@pytest.mark.parametrize("kind", tokenizers.KINDS)
def test_a_text_in_small_pieces_has_the_same_tokens(book, tmp_path, monkeypatch, kind):
    whole = read(str(book), tmp_path / "whole", tokens_as=kind, n_merges=5)
    monkeypatch.setattr(sources, "PIECE", 50)
    monkeypatch.setattr(disk, "BLOCK", 7)
    pieces = read(str(book), tmp_path / "pieces", tokens_as=kind, n_merges=5)
    assert pieces.vocabulary == whole.vocabulary
    assert pieces.train.tolist() == whole.train.tolist()
    assert pieces.digest == whole.digest


def test_ids_take_two_bytes_or_four(tmp_path):
    for V, n_bytes in ((2**16, 2), (2**16 + 1, 4)):
        disk._store([np.array([0, V - 1]), np.array([5])], tmp_path, V)
        assert (tmp_path / disk.FILE).stat().st_size == 3 * n_bytes


def test_batches_are_the_same_from_memory_and_from_disk(book, tmp_path):
    found = read(str(book), tmp_path)
    assert isinstance(found.train, np.memmap)
    in_memory = torch.from_numpy(found.train.astype(np.int64))
    for one, two in zip(
        streams.batch(found.train, 4, 8, 0, 7), streams.batch(in_memory, 4, 8, 0, 7), strict=True
    ):
        assert one.dtype == torch.int64
        assert torch.equal(one, two)


def test_the_village_in_characters_is_prose(tmp_path):
    found = read("village", tmp_path, n_tokens=1000)
    assert found.name == "village"
    assert text_of(found)[:3] in ("Onc", "By ", "Eve", "In ")


# ------------------------------------------------------------------------- made once


def test_tokens_are_made_once_and_again_where_the_text_has_changed(book, tmp_path):
    said = []
    first = read(str(book), tmp_path / "run", say=said.append)
    assert said == ["reading the text, once"]
    for change in (lambda: None, lambda: os.utime(book, (1, 1))):  # another time, the same text
        change()
        assert read(str(book), tmp_path / "run", say=said.append).digest == first.digest
        assert len(said) == 1
    book.write_text(TEXT + "More.\n", "utf-8")
    assert read(str(book), tmp_path / "run", say=said.append).digest != first.digest
    read(str(book), tmp_path / "run", tokens_as="words", say=said.append)
    assert len(said) == 3


@pytest.mark.parametrize("kind", tokenizers.KINDS)
def test_tokens_stay_where_others_are_refused(book, tmp_path, kind):
    folder = tmp_path / "run"
    before = read(str(book), folder).digest
    files = {path.name: path.read_bytes() for path in folder.iterdir()}

    def check(digest):
        if digest != before:
            raise UserError("another text")

    other = tmp_path / "other.txt"
    other.write_text(TEXT + "Something else.\n", "utf-8")
    with pytest.raises(UserError, match="another text"):
        read(str(other), folder, tokens_as=kind, check=check)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == files
    assert read(str(book), folder, check=check).digest == before


def test_a_damaged_note_makes_them_again(book, tmp_path):
    first = read(str(book), tmp_path)
    (tmp_path / disk.NOTES).write_text("{", "utf-8")
    assert read(str(book), tmp_path).digest == first.digest
    (tmp_path / disk.FILE).unlink()
    assert read(str(book), tmp_path).train.tolist() == first.train.tolist()
    data = (tmp_path / disk.FILE).read_bytes()
    (tmp_path / disk.FILE).write_bytes(data[:-2])
    assert read(str(book), tmp_path).digest == first.digest
    assert (tmp_path / disk.FILE).read_bytes() == data
    assert json.loads((tmp_path / disk.NOTES).read_text("utf-8"))["kind"] == "characters"


# ------------------------------------------------------------------------- files and folders


def test_a_folder_is_all_its_texts_in_order(tmp_path):
    folder = tmp_path / "books"
    (folder / "b").mkdir(parents=True)
    for name in ("c.txt", "a.txt", "b/z.txt", "not.md"):
        (folder / name).write_text(f"{name}\n" * 20, "utf-8")
    expected = "a.txt\n" * 20 + "b/z.txt\n" * 20 + "c.txt\n" * 20
    assert text_of(read(str(folder), tmp_path)) == expected
    several = [str(folder / "c.txt"), str(folder / "b")]
    found = read(several, tmp_path)
    assert text_of(found) == "c.txt\n" * 20 + "b/z.txt\n" * 20
    assert found.name == "c-and-1-more"


def test_what_is_no_text_is_named(tmp_path):
    folder = tmp_path / "books"
    folder.mkdir()
    with pytest.raises(UserError, match=r"the folder .*books holds no text: no file in it ends"):
        read(str(folder), tmp_path)
    (folder / "empty.txt").write_text(" \n")
    (folder / "good.txt").write_text("good\n" * 20)
    (folder / "photo.txt").write_bytes(b"\xff\xd8\0\0")
    with pytest.raises(UserError, match=r"empty.txt is empty; .*photo.txt is binary: leave such"):
        read(str(folder), tmp_path)
    latin = tmp_path / "latin.txt"
    latin.write_bytes("naïve\n".encode("latin-1") * 50)
    with pytest.raises(UserError, match=r"latin.txt is not UTF-8 text .*: save it as UTF-8"):
        read(str(latin), tmp_path)
    for name in ("nowhere", "wordsim353"):  # a download, but a test set
        with pytest.raises(UserError, match=rf"'{name}': expected village, .*text8, a text file"):
            read(name, tmp_path)
    with pytest.raises(UserError, match=r"tokens can be words, characters, bpe, not 'bytes'"):
        read(str(latin), tmp_path, tokens_as="bytes")
    assert not list(tmp_path.glob(".*.part"))


@pytest.mark.parametrize("kind", ["characters", "words", "bpe"])
@pytest.mark.parametrize("added", ["The hens ran.\n", "\u2603\n"])
def test_a_text_that_changes_while_it_is_read_is_named(book, tmp_path, monkeypatch, kind, added):
    digest = sources.Source.digest

    def growing(source):
        found = digest(source)
        numbers = disk._characters
        monkeypatch.setattr(disk, "_characters", lambda s: (numbers(s), grow())[0])
        if kind != "characters":
            grow()
        return found

    def grow():
        with book.open("a", encoding="utf-8") as file:
            file.write(added)

    with monkeypatch.context() as patched:
        patched.setattr(sources.Source, "digest", growing)
        with pytest.raises(UserError, match=r"changed while it was read: try again"):
            read(str(book), tmp_path / "tokens", tokens_as=kind, n_merges=5)


def test_a_folder_that_cannot_be_written_is_named(book, tmp_path):
    with pytest.raises(UserError, match=r"no tokens can be written to .*My Book.txt: File exists"):
        read(str(book), book)


def test_unknown_signs_of_a_prompt_are_named(book, tmp_path):
    found = read(str(book), tmp_path).tokenizer
    with pytest.raises(UserError, match=r"has never seen 'X', 'Y': its characters are those of"):
        found.encode("The XYX")
    words = read(str(book), tmp_path, tokens_as="words").tokenizer
    assert words.unknown("The zebra ran.") == ["zebra"]
    assert words.decode(words.encode("The zebra ran.")) == "the <unk> ran ."


def test_a_run_without_a_tokenizer_is_told_by_its_signs():
    """As runs were written before they kept it."""
    for signs, kind in ((("a", "\n"), "characters"), (("a", "hen"), "words")):
        notes = {"vocabulary": ["<pad>", "<s>", "</s>", *signs]}
        assert tokenizers.of_run(notes).kind == kind


def test_a_text_that_is_too_short_is_named(tmp_path):
    path = tmp_path / "short.txt"
    path.write_text("short text", "utf-8")
    said = "the {} text has {} tokens, but a row needs 129: take more text or a smaller --context"
    with pytest.raises(UserError, match=f"{said.format('training', 4)}, or read it as --char"):
        read(str(path), tmp_path, tokens_as="words").check(128)
    with pytest.raises(UserError, match=f"{said.format('training', 9)}$"):
        read(str(path), tmp_path).check(128)


def test_the_folder_of_a_run_follows_from_corpus_and_plan(book, tmp_path):
    text = {"n_tokens": 1_000_000, "tokens_as": "words", "n_merges": 500}
    name = sources.folder_of(Config(), ["village"], text)
    assert name == "village-words-transformer-3x64-2-heads-128"
    mine = sources.folder_of(Config(), [str(book)], text)
    assert mine.startswith("my-book-words-transformer-3x64-2-heads-128-")
    other = tmp_path / "other" / "My Book.txt"
    assert sources.folder_of(Config(), [str(other)], text) != mine  # no two corpora in one


def test_processes_wait_for_the_first_one_and_hear_of_its_error(book, tmp_path, monkeypatch):
    cpu = torch.device("cpu")
    waited = []

    def mean(self, value):
        waited.append(value)
        return 0.5

    monkeypatch.setattr(Place, "mean", mean)
    monkeypatch.setenv("LOCAL_RANK", "1")
    with pytest.raises(UserError, match="another process could not read the text"):
        streams.read_together(Place(cpu, 1, 2), [str(book)], "characters", folder=tmp_path)
    assert not list(tmp_path.glob("tokens.*"))  # it has not read the text itself
    monkeypatch.setenv("LOCAL_RANK", "0")
    with pytest.raises(UserError, match="unknown corpus 'nowhere'"):
        streams.read_together(Place(cpu, 0, 2), ["nowhere"], "characters", folder=tmp_path)
    assert waited == [0.0, 1.0]
    assert streams.read_together(Place(cpu, 1, 2), ["village"], "words", n_tokens=1000).truth.size
    assert len(waited) == 2  # nobody waits where there is no file
