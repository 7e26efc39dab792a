"""`nextword train --by` at the command line, and in the village. Leaves out: resuming."""

import json
from pathlib import Path

import pytest

from examiner.errors import UserError
from nextword.cli import tuning
from nextword.models.tuner import plan as plans
from nextword.models.tuner import start as starts
from nextword.models.tuner import texts
from tests.nextword.test_tune import CHATS, trained
from tests.reference import reference

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def in_course(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A small trained network, and chats."""
    root = tmp_path_factory.mktemp("tuning")
    trained(root)
    (root / "chats.jsonl").write_text("\n".join(map(json.dumps, CHATS)), "utf-8")
    return root


# ------------------------------------------------------------------ the village
@pytest.mark.slow
def test_the_villages_pairs_are_drawn_once_and_kept(tmp_path):
    start = starts.open_start("transformer", reference)
    plan = plans.of_way("preference", {"pairs": 6, "size": 2, "steps": 1})
    told = []
    first = texts.pairs(start, None, plan, tmp_path, told.append)
    assert len(first.train) + len(first.held_out) == len(
        Path(tmp_path / "pairs.jsonl").read_text().splitlines()
    )
    assert len(told) == 2
    again = texts.pairs(start, None, plan, tmp_path, told.append)
    assert again == first
    assert len(told) == 2


@pytest.mark.slow
def test_an_assistant_is_asked_for_stories():
    start = starts.open_start("assistant", reference)
    prompts = texts.prompts(start, None)
    with pytest.raises(UserError, match="has never seen 'zebra'"):
        texts.prompt(start, ["the", "zebra"])
    words = list(start.number)
    said = " ".join(words[k] for k in prompts[0])
    assert said.startswith("<user> tell a story about")
    assert said.endswith("</s> <assistant>")


@pytest.mark.slow
def test_a_tuning_is_told_stopped_and_spoken_with(folder, tmp_path, nextword):
    chats, run = str(folder / "chats.jsonl"), str(tmp_path / "run")
    command = ("train", chats, "--by", "instruction", "--start", str(folder / "start"), "--to", run)
    first = nextword(*command, "--steps", "2", "--every", "1")
    assert first.exit_code == 0, first.output
    assert "weights learn" in first.output
    assert "step 2: training" in first.output
    assert (tmp_path / "run" / "curve.svg").is_file()
    more = nextword(*command, "--steps", "60", "--every", "60", "--rate", "0.002")
    assert "goes on after step 2" in more.output, more.output
    said = nextword("write", run, "--ask", "who has hens?", "--words", "9", "--seed", "1")
    assert said.exit_code == 0, said.output
    assert "> who has hens?" in said.output
    kept = sorted(path.name for path in Path(run).iterdir())
    own = nextword("train", chats, "--by", "instruction", "--start", run, "--to", run, "--again")
    assert (own.exit_code, "take another --to folder" in own.output) == (2, True), own.output
    assert sorted(path.name for path in Path(run).iterdir()) == kept
    plain = nextword("write", str(folder / "start"), "--ask", "who?")
    assert plain.exit_code == 2
    assert "has not learned to answer" in plain.output


def test_a_start_is_taken_away_only_where_its_own_file_would_be(tmp_path):
    run = tmp_path / "runs" / "a"
    run.mkdir(parents=True)
    (run / "last.safetensors").touch()
    (run / "best.safetensors").touch()
    for start in (run, run / "last.safetensors"):
        with pytest.raises(UserError, match="take another --to folder"):
            tuning._require_elsewhere(run, str(start))
        tuning._require_elsewhere(run.parent, str(start))
    tuning._require_elsewhere(run, str(run / "best.safetensors"))
    tuning._require_elsewhere(run, "transformer")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--by", "reward", "--width", "8"), "--width cannot be used here"),
        (("--by", "reward", "--post-norm"), "--pre-norm/--post-norm cannot be used here"),
        (("--leash", "0.1"), "it is for tuning, --by instruction, preference or reward"),
        (("--by", "reward", "--start", "nowhere"), "--start transformer or assistant takes"),
        (("--by", "reward", "--device", "cuda"), "tuning runs on the processor"),
        (("a.txt", "--by", "reward"), "one file of JSON lines"),
        (("--by", "reward", "--reward", "love"), "unknown reward 'love'"),
        (("--by", "reward", "--reward", "followed"), "has not learned to answer"),
    ],
)
def test_options_that_mean_nothing_are_refused(nextword, tmp_path, options, said):
    found = nextword("train", *options, "--to", str(tmp_path))
    assert found.exit_code == 2
    assert said in " ".join(found.output.split())
