"""`nextword train`: what it says, its checkpoints, resuming bit for bit, several processes."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from torch import nn

from examiner.errors import UserError
from nextword.models.trainer import parallel, saved, streams
from nextword.models.trainer.plan import Plan
from nextword.models.trainer.run import Training
from nextword.models.trainer.streams import Stream
from tests.reference import reference

ROOT = Path(__file__).parents[2]
course = reference("transformers")
SMALL = Plan(D=16, layers=1, heads=2, T=8, size=4, steps=6, every=3, warm_up=2, dropout=0.1)
HERE = parallel.Place(torch.device("cpu"))


@pytest.fixture(scope="module")
def stream():
    tokens = torch.randint(3, 9, (300,), generator=torch.Generator().manual_seed(0))
    return Stream(tokens[:200], tokens[200:], tuple("abcdefghi"))


def training(stream, folder, **changes):
    return Training(course, stream, Plan(**{**SMALL.to_json(), **changes}), HERE, folder)


def weights(folder):
    return load_file(folder / "last.safetensors")


# ------------------------------------------------------------------------- resuming


class KilledError(Exception):
    pass


@pytest.mark.parametrize("stopped_after", [3, 4, 5])
def test_a_resumed_training_is_the_same_bit_for_bit(stream, tmp_path, stopped_after):
    """Also where it stopped between two checkpoints, and where dropout draws numbers."""
    whole = training(stream, tmp_path / "whole")
    whole.run()

    def stop(now):
        if len(now.losses) == stopped_after:
            raise KilledError

    with pytest.raises(KilledError):
        training(stream, tmp_path / "parts").run(stop)
    torch.manual_seed(99)
    rest = training(stream, tmp_path / "parts")
    assert rest.resume()
    assert len(rest.losses) == 3
    rest.run()
    assert rest.losses == whole.losses
    one, two = weights(tmp_path / "whole"), weights(tmp_path / "parts")
    assert one.keys() == two.keys()
    assert all(torch.equal(one[name], two[name]) for name in one)


def test_parts_of_a_step_add_up_to_the_whole_step(stream, tmp_path):
    found = []
    for parts in (1, 2, 4):
        now = training(stream, tmp_path / str(parts), parts=parts, dropout=0.0)
        now.run()
        found.append(now.losses)
    for losses in found[1:]:
        torch.testing.assert_close(losses, found[0], rtol=1e-5, atol=1e-6)


def test_it_learns(tmp_path):
    tokens = torch.arange(3, 9).repeat(60)
    now = training(
        Stream(tokens[:300], tokens[300:], tuple("abcdefghi")), tmp_path, steps=60, rate=0.03
    )
    now.run()
    assert now.looks[-1].validation < 0.5 < now.looks[0].validation


# ------------------------------------------------------------------------- what goes wrong


def test_another_plan_or_vocabulary_is_named(stream, tmp_path):
    training(stream, tmp_path).run()
    with pytest.raises(UserError, match=r"another plan \(D 16 -> 32, steps 6 -> 9\): use another"):
        training(stream, tmp_path, D=32, steps=9).resume()
    other = Stream(stream.train, stream.validation, tuple("abcdefghijkl"))
    with pytest.raises(UserError, match=r"checkpoint \(9\) does not fit the text \(12 tokens"):
        training(other, tmp_path).resume()


def test_a_cut_off_checkpoint_is_named(stream, tmp_path):
    now = training(stream, tmp_path)
    now.run()
    whole = now.path.read_bytes()
    for share in (0.0, 0.4, 0.99):
        now.path.write_bytes(whole[: int(share * len(whole))])
        with pytest.raises(UserError, match=r"damaged or cut off .* move it away"):
            training(stream, tmp_path).resume()


def test_a_file_of_another_maker_is_not_taken(tmp_path):
    from safetensors.torch import save_file

    save_file({"w": torch.ones(2)}, tmp_path / "last.safetensors")
    with pytest.raises(UserError, match="not written by `nextword train`"):
        saved.read(tmp_path / "last.safetensors")
    with pytest.raises(UserError, match="there is no checkpoint"):
        saved.read(tmp_path / "other.safetensors")


def test_a_full_disk_leaves_the_last_good_checkpoint(stream, tmp_path, monkeypatch):
    now = training(stream, tmp_path)

    def fill_the_disk(training):
        if len(training.losses) == 4:

            def full(*_, **__):
                raise OSError(28, "No space left on device")

            monkeypatch.setattr("os.fsync", full)

    with pytest.raises(UserError, match=r"No space left on device; the checkpoint before it is wh"):
        now.run(fill_the_disk)
    monkeypatch.undo()
    assert [path.name for path in tmp_path.iterdir()] == ["last.safetensors"]
    again = training(stream, tmp_path)
    assert again.resume()
    assert len(again.losses) == 3


def test_a_loss_that_is_no_number_stops_before_it_is_saved(stream, tmp_path):
    now = training(stream, tmp_path)

    def spoil(training):
        if len(training.losses) == 4:
            next(iter(training.model.parameters())).data.fill_(float("nan"))

    with pytest.raises(UserError, match=r"step 5: .*nan.* is whole\. Try a lower --rate"):
        now.run(spoil)
    assert saved.read(now.path).notes["losses"] == now.losses[:3]


def test_weights_that_do_not_fit_are_named():
    net = nn.Linear(3, 2)
    wrong = {"weight": torch.ones(2, 4), "gain": torch.ones(2)}
    with pytest.raises(UserError) as caught:
        saved.fill(net, wrong)
    assert str(caught.value) == (
        "the weights do not fit the model: bias is missing, expected (2,); gain is (2,), "
        "expected no such tensor; weight is (2, 4), expected (2, 3)"
    )


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"D": 0}, "D must be more than 0, got 0"),
        ({"rate": -1.0}, "rate must be more than 0"),
        ({"decay": -0.1}, "decay must be at least 0"),
        ({"heads": 3}, "the width 16 must be divisible by 3 heads"),
        ({"dropout": 1.0}, "dropout must be below 1"),
        ({"positions": "circular"}, "positions must be one of rotary, .*: 'circular'"),
        ({"parts": 3}, r"4 rows cannot be shared by 1 processes x 3 parts"),
        ({"T": 250}, r"the training text has 200 tokens, but a row needs 251"),
    ],
)
def test_a_plan_that_cannot_be_says_why(stream, tmp_path, changes, said):
    with pytest.raises(UserError, match=said):
        training(stream, tmp_path, **changes)


def test_a_device_that_is_not_here_is_named():
    with pytest.raises(UserError, match=r"unknown device 'gpu': expected auto, cuda, mps, cpu"):
        parallel.device("gpu")
    if not torch.cuda.is_available():
        with pytest.raises(UserError, match=r"finds no cuda device here: use --device"):
            parallel.device("cuda")


# ------------------------------------------------------------------------- texts


def test_a_text_in_characters_and_a_corpus_in_words(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("abcab" * 20, "utf-8")
    found = streams.read(str(path), 1000, characters=True)
    assert (len(found.train), len(found.validation)) == (90, 10)
    assert "".join(found.vocabulary[k] for k in found.train[:5].tolist()) == "abcab"
    village = streams.read("village", 1000)
    said = [village.vocabulary[k] for k in village.train.tolist()]
    assert (said[0], said[-1]) == ("<s>", "</s>")
    with pytest.raises(UserError, match="there is no file nowhere: with --characters give"):
        streams.read("nowhere", 1000, characters=True)


def test_batches_follow_from_seed_and_step(stream):
    inputs, targets = streams.batch(stream.train, 4, 8, 0, 7)
    assert inputs.shape == targets.shape == (4, 8)
    assert torch.equal(inputs[:, 1:], targets[:, :-1])
    assert torch.equal(inputs, streams.batch(stream.train, 4, 8, 0, 7)[0])
    assert not torch.equal(inputs, streams.batch(stream.train, 4, 8, 0, 8)[0])


def test_validation_reads_each_token_once(stream):
    parts = streams.every_row(stream.validation, 4, 8, 1000)
    targets = torch.cat([targets.flatten() for _, targets in parts])
    assert targets.tolist() == stream.validation[1 : 1 + 12 * 8].tolist()


# ------------------------------------------------------------------------- the command

OPTIONS = (
    *("--width", "16", "--layers", "1", "--context", "8", "--steps", "8", "--every", "2"),
    *("--tokens", "2000", "--device", "cpu", "--warm-up", "2", "--dropout", "0"),
    *("--package", "solutions"),
)


def test_the_command_says_what_it_does_and_goes_on(nextword, tmp_path):
    first = nextword("train", "village", "--to", str(tmp_path), "--batch", "4", *OPTIONS)
    assert first.exit_code == 0, first.output
    assert "a transformer of 1 block, 2 heads, width 16:" in first.stdout
    assert "8 steps of 4 x 8 tokens on cpu, 1 process" in first.stdout
    assert len(re.findall(r"step \d: training \d\.\d{4}, validation", first.stdout)) == 4
    again = nextword("train", "village", "--to", str(tmp_path), "--batch", "4", *OPTIONS)
    assert "goes on after step 8" in again.stdout
    other = nextword("train", "village", "--to", str(tmp_path), "--batch", "8", *OPTIONS)
    assert other.exit_code == 2
    anew = nextword("train", "village", "--to", str(tmp_path), "--batch", "8", "--again", *OPTIONS)
    assert anew.exit_code == 0


def test_an_open_task_is_named(nextword, tmp_path):
    options = [*OPTIONS[:-1], "coursework"]
    said = nextword("train", "village", "--to", str(tmp_path), *options)
    assert said.exit_code == 1
    assert "coursework: open task 6." in said.stderr


def losses(folder):
    return saved.read(folder / "last.safetensors").notes["losses"]


def started(*words):
    """The command in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", *words, *OPTIONS],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )


@pytest.mark.slow
def test_a_killed_training_goes_on_as_if_it_had_never_stopped(nextword, tmp_path):
    process = started("nextword", "train", "village", "--to", str(tmp_path / "killed"))
    for line in process.stdout:
        if line.startswith("step 4:"):
            process.send_signal(signal.SIGKILL)
            break
    process.communicate()
    assert 4 <= len(losses(tmp_path / "killed")) < 8
    for folder in ("killed", "whole"):
        said = nextword("train", "village", "--to", str(tmp_path / folder), *OPTIONS)
        assert said.exit_code == 0
    assert losses(tmp_path / "killed") == losses(tmp_path / "whole")
    one, two = weights(tmp_path / "killed"), weights(tmp_path / "whole")
    assert all(torch.equal(one[name], two[name]) for name in one)


@pytest.mark.slow
def test_two_processes_are_one_with_twice_the_batch(nextword, tmp_path):
    """The losses of all steps; torch's own launcher starts the two."""
    alone = nextword("train", "village", "--to", str(tmp_path / "1"), *OPTIONS)
    assert alone.exit_code == 0
    launcher = ("torch.distributed.run", "--standalone", "--nproc-per-node", "2")
    two = started(*launcher, "-m", "nextword", "train", "village", "--to", str(tmp_path / "2"))
    said, _ = two.communicate(timeout=200)
    assert two.returncode == 0, said
    assert "on cpu, 2 processes" in said
    assert said.count("done:") == 1
    torch.testing.assert_close(losses(tmp_path / "2"), losses(tmp_path / "1"), rtol=1e-5, atol=1e-6)
