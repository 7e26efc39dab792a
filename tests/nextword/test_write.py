"""`nextword write`: which tokens are taken, how they are joined, and what the listener says."""

import pytest
import torch

from nextword.corpora import village
from nextword.models.trainer import tokenizers, writing
from nextword.models.trainer.tokenizers import Tokenizer
from nextword.models.trainer.writing import Taste
from solutions import language_models as chapter_1

LOGITS = torch.tensor([0.1, 0.4, 0.2, 0.3]).log()
SENTENCE = "The hens, naïve as ever, ran home.\n"
TRAINED = (
    *("--width", "32", "--layers", "1", "--context", "16", "--steps", "150", "--every", "150"),
    *("--batch", "8", "--device", "cpu", "--warm-up", "5", "--rate", "0.02"),
    *("--package", "solutions", "--merges", "30"),
)

# ------------------------------------------------------------------------- taste


def drawn(n=3000, **taste):
    rng = torch.Generator().manual_seed(0)
    found = torch.tensor([Taste(**taste).choose(LOGITS, rng) for _ in range(n)])
    return (torch.bincount(found, minlength=4) / n).tolist()


def test_tokens_are_drawn_by_their_probability():
    assert drawn() == pytest.approx([0.1, 0.4, 0.2, 0.3], abs=0.03)
    weights = torch.tensor([0.1, 0.4, 0.2, 0.3]) ** 2
    assert drawn(temperature=0.5) == pytest.approx((weights / weights.sum()).tolist(), abs=0.03)


@pytest.mark.slow
def test_of_the_likeliest_only():
    assert drawn(temperature=0.0, n=9) == [0, 1, 0, 0]
    assert drawn(top_k=1, n=9) == [0, 1, 0, 0]
    assert drawn(top_k=2) == pytest.approx([0, 4 / 7, 0, 3 / 7], abs=0.03)
    assert drawn(top_p=0.4, n=50) == [0, 1, 0, 0]  # the one that reaches it is kept, no more
    assert drawn(top_p=0.41)[0::2] == [0, 0]
    assert drawn(top_p=0.41)[3] > 0.3
    assert drawn(top_k=3, top_p=0.5)[0::2] == [0, 0]
    forbidden = LOGITS.clone()
    forbidden[1] = -torch.inf
    assert Taste(temperature=0.0).choose(forbidden, torch.Generator()) == 3


# ------------------------------------------------------------------------- joining


def test_what_is_shown_of_each_token_joins_to_the_text():
    merges = chapter_1.train_bpe(SENTENCE * 9, 12)
    pairs = tokenizers.byte_pairs(chapter_1, merges)
    shown = list(writing.pieces(pairs, [], pairs.encode(SENTENCE)))
    assert "".join(shown) == SENTENCE
    assert "\ufffd" not in "".join(shown)
    assert "ï" in [piece[-1:] for piece in shown]  # of two bytes, the first shows nothing


def test_bytes_that_are_no_text_are_shown_at_last():
    pairs = tokenizers.byte_pairs(chapter_1, [])
    shown = list(writing.pieces(pairs, [], [3 + 0xE9] * 4 + [3 + ord("a")]))
    assert "".join(shown) == "\ufffd" * 4 + "a"


def test_a_story_is_shown_as_prose_word_by_word():
    story = village.split("test", 100).stories()[0]
    number = {w: k for k, w in enumerate(["<pad>", "<s>", "</s>", *sorted(set(story))])}
    words, ids = Tokenizer("words", tuple(number)), [number[word] for word in story]
    shown = list(writing.pieces(words, ids[:3], [*ids[3:], 2], as_prose=True))
    begin = words.decode(ids[:3], as_prose=True)
    assert begin + "".join(shown) == village.prose(story) + "\n"
    assert len(shown) == len(ids) - 3 + 1


# ------------------------------------------------------------------------- the listener


def test_the_listener_says_where_it_stops_understanding():
    story = village.split("test", 100).stories()[0]
    prose = village.prose(story)
    accepted = writing.listened(prose, ended=True)
    assert accepted == f"the listener accepts this story: all {len(story)} words"
    goes_on = writing.listened(" ".join(story[:9]), ended=False)
    assert goes_on.startswith("the listener understands all 9 words; the story goes on: ")
    assert story[9] in goes_on or goes_on.endswith("…")
    wrong = writing.listened("Once purple", ended=False)
    assert wrong == (
        "the listener stops understanding at word 2, 'purple' after 'once': it expected a, an"
    )
    early = writing.listened(" ".join(story[:9]), ended=True)
    assert early.startswith("the listener stops understanding at word 10, the end after '")
    assert writing.listened("", ended=False) == "the listener heard nothing"


# ------------------------------------------------------------------------- the command


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A run in characters and one in byte pairs, of one sentence that they know by heart."""
    from typer.testing import CliRunner

    from nextword.cli import app

    folder = tmp_path_factory.mktemp("runs")
    (folder / "text.txt").write_text(SENTENCE * 60, "utf-8")
    for kind in ("characters", "bpe"):
        words = ["train", str(folder / "text.txt"), "--to", str(folder / kind)]
        found = CliRunner().invoke(app, [*words, "--tokens-as", kind, *TRAINED])
        assert found.exit_code == 0, found.output
    (folder / "text.txt").unlink()  # a run needs nothing but its folder
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["characters", "bpe"])
def test_a_run_writes_what_it_knows_by_heart(nextword, runs, kind):
    words = ("--temperature", "0", "--words", "5", "--package", "solutions")
    found = nextword("write", str(runs / kind), "--prompt", "The hens,", *words)
    assert found.stdout.rstrip() == "The hens, naïve as ever, ran home."
    # without a prompt it begins a line; a file does as well as its folder
    found = nextword("write", str(runs / kind / "last.safetensors"), *words)
    assert found.stdout.rstrip() == "The hens, naïve as ever,"


def test_a_seed_gives_the_same_text_again(nextword, runs):
    def written(*words):
        options = ("--temperature", "4", "--words", "2", *words)
        return nextword("write", str(runs / "bpe"), *options).stdout

    assert written("--seed", "1") == written("--seed", "1") != written("--seed", "2")


def test_the_village_is_commented(nextword, tmp_path):
    short = ("--width", "16", "--steps", "2", "--tokens", "2000", "--layers", "1", "--context", "8")
    run = ("train", "village", "--to", str(tmp_path), *short, "--package", "solutions")
    assert nextword(*run).exit_code == 0
    found = nextword("write", str(tmp_path), "--prompt", "once a", "--words", "9", "--seed", "0")
    text, comment = found.stdout.rstrip().splitlines()
    assert text.startswith("Once a ")
    assert comment.startswith("(the listener stops understanding at word ")
    unknown = nextword("write", str(tmp_path), "--prompt", "once upon a zebra")
    assert unknown.exit_code == 2
    assert "the run has never seen 'upon', 'zebra'" in unknown.stderr


def test_unknown_words_of_real_text_are_named(nextword, tmp_path):
    (tmp_path / "text.txt").write_text(SENTENCE * 60, "utf-8")
    short = ("--width", "16", "--steps", "2", "--layers", "1", "--context", "8")
    words = ("train", str(tmp_path / "text.txt"), "--to", str(tmp_path / "run"), *short)
    assert nextword(*words, "--package", "solutions").exit_code == 0
    found = nextword("write", str(tmp_path / "run"), "--prompt", "the zebra ran", "--words", "2")
    assert found.exit_code == 0, found.output
    assert "not in the vocabulary, read as <unk>: 'zebra'" in found.stderr
    # a model of two steps may go on with a new line
    assert found.stdout.split()[:3] == ["the", "<unk>", "ran"]


def test_what_is_no_run_is_named(nextword, runs, tmp_path):
    for words, said in (
        ((str(tmp_path / "none"),), "there is no run "),
        ((str(runs / "bpa"),), f"did you mean {runs / 'bpe'} or "),
        ((str(runs / "bpe" / "log.jsonl"),), "is damaged or cut off"),
        ((str(runs / "bpe"), "--top-p", "0"), "--top-p must be more than 0"),
        ((str(runs / "characters"), "--prompt", "X"), "has never seen 'X'"),
    ):
        found = nextword("write", *words)
        assert found.exit_code == 2, found.output
        assert said in found.stderr


def test_an_open_task_is_named(nextword, runs):
    found = nextword("write", str(runs / "bpe"), "--package", "coursework")
    assert found.exit_code == 1
    assert "coursework: open task " in found.stderr
