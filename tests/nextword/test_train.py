"""`nextword train`: what it says, its checkpoints, resuming bit for bit, several processes."""

import os
import re
import shlex
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from torch import nn

from examiner.errors import UserError
from nextword.corpora import village
from nextword.models.trainer import log, parallel, saved, streams
from nextword.models.trainer.config import Config
from nextword.models.trainer.run import Training
from nextword.models.trainer.streams import Stream
from tests.reference import reference

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
course = reference("transformers")
SMALL = Config(D=16, layers=1, heads=2, T=8, size=4, steps=6, every=3, warm_up=2, dropout=0.1)
HERE = parallel.Place(torch.device("cpu"))
# of a plan, before there were other kinds than transformers
BEFORE = "D layers heads T size parts steps rate warm_up decay clip dropout positions seed every"


@pytest.fixture(scope="module")
def stream():
    tokens = torch.randint(3, 9, (300,), generator=torch.Generator().manual_seed(0))
    return Stream(tokens[:200], tokens[200:], tuple("abcdefghi"))


def training(stream, folder, **changes):
    return Training(course, stream, Config(**{**SMALL.to_json(), **changes}), HERE, folder)


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


def test_stopping_saves_the_step_and_the_rest_is_the_same_bit_for_bit(stream, tmp_path):
    whole = training(stream, tmp_path / "whole")
    whole.run()
    for n in (1, 3, 4):  # 3: where there is a look anyway
        folder = tmp_path / str(n)
        now = training(stream, folder)
        now.run(must_stop=lambda: len(now.losses) >= n)  # noqa: B023 - called at once
        assert now.stopped
        assert len(saved.read(now.path).notes["losses"]) == n
        rest = training(stream, folder)
        assert rest.resume()
        rest.run()
        assert (rest.losses, rest.looks) == (whole.losses, whole.looks)
        assert not rest.stopped
        one, two = weights(tmp_path / "whole"), weights(folder)
        assert all(torch.equal(one[name], two[name]) for name in one)


def test_a_finished_run_goes_on_with_more_steps_and_may_look_more_often(stream, tmp_path):
    first = training(stream, tmp_path)
    first.run()
    longer = training(stream, tmp_path, steps=10, every=1)
    assert longer.resume()
    longer.run()
    assert longer.losses[:6] == first.losses
    assert [look.step for look in longer.looks] == [3, 6, 7, 8, 9, 10]
    with pytest.raises(UserError, match=r"has made 10 steps: take more for --steps"):
        training(stream, tmp_path, steps=9).resume()


# ------------------------------------------------------------------------- what goes wrong


def test_another_plan_or_vocabulary_is_named(stream, tmp_path):
    training(stream, tmp_path).run()
    with pytest.raises(UserError, match=r"another plan \(D 16 -> 32, rate 0.003 -> 0.1\)"):
        training(stream, tmp_path, D=32, rate=0.1, steps=9).resume()
    other = Stream(stream.train, stream.validation, tuple("abcdefghijkl"))
    with pytest.raises(UserError, match=r"checkpoint \(9\) does not fit the text \(12 tokens"):
        training(other, tmp_path).resume()


def test_another_text_of_the_same_words_is_named(stream, tmp_path):
    training(replace(stream, digest="a"), tmp_path).run()
    assert training(stream, tmp_path).resume()  # nobody knows
    with pytest.raises(UserError, match="made from another text"):
        training(replace(stream, digest="b"), tmp_path).resume()


def test_a_checkpoint_from_before_there_were_kinds_fits_a_transformer(tmp_path):
    old = {key: value for key, value in SMALL.to_json().items() if key in BEFORE.split()}
    SMALL.check_same(old)
    assert Config.from_json({**old, "gone": 1}) == SMALL
    with pytest.raises(UserError, match="feed gelu -> swiglu"):
        Config(**{**SMALL.to_json(), "feed": "swiglu"}).check_same(old)


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
    assert {path.name for path in tmp_path.iterdir()} == {"last.safetensors", "log.jsonl"}
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
    found = streams.read(str(path), tokens_as="characters", folder=tmp_path)
    assert (len(found.train), len(found.validation)) == (90, 10)
    assert "".join(found.vocabulary[k] for k in found.train[:5].tolist()) == "abcab"
    village = streams.read("village", 1000)
    said = [village.vocabulary[k] for k in village.train.tolist()]
    assert (said[0], said[-1]) == ("<s>", "</s>")


def test_the_floor_is_that_of_the_words_that_are_asked():
    """Told again by the listener, word by word; the begin of a story surprises nobody."""
    found = streams.read("village", 2000)
    words = [found.vocabulary[k] for k in found.validation.tolist()]
    listener = village.Listener()
    surprises = [0.0 if word == "<s>" else -listener.hear(word) for word in words]
    assert len(surprises) == len(found.truth) > 60
    for longest in (40, 60, 10_000):
        n = streams.n_rows(found.validation, 16, longest) * 16
        expected = sum(surprises[1 : n + 1]) / n
        assert found.floor(16, longest) == pytest.approx(expected)


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


def logged(folder):
    """The steps that the log of a run tells of."""
    return [line["step"] for line in log.steps_of(log.read(folder / log.FILE))]


def losses(folder):
    return saved.read(folder / "last.safetensors").notes["losses"]


def started(*words, more=()):
    """The command in a process of its own; what is told in `more` is told last."""
    return subprocess.Popen(
        [sys.executable, "-m", *words, *OPTIONS, *more],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )


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
    assert logged(tmp_path / "killed") == logged(tmp_path / "whole") == [*range(1, 9)]
    one, two = weights(tmp_path / "killed"), weights(tmp_path / "whole")
    assert all(torch.equal(one[name], two[name]) for name in one)


def test_ctrl_c_ends_the_step_saves_it_and_says_how_to_go_on(nextword, tmp_path):
    words = ("nextword", "train", "village", "--to", str(tmp_path))
    process = started(*words, more=("--steps", "100000", "--again"))
    for line in process.stdout:
        if line.startswith("step 4:"):
            process.send_signal(signal.SIGINT)
            break
    rest, _ = process.communicate(timeout=100)
    assert process.returncode == 130, rest
    n = int(re.search(r"stopped after step ([\d,]+), all of it is in", rest)[1].replace(",", ""))
    assert len(losses(tmp_path)) == n
    assert logged(tmp_path) == [*range(1, n + 1)]
    command = shlex.join([*words, *OPTIONS, "--steps", "100000"])
    assert rest.rstrip().splitlines()[-1] == f"  {command}"
    assert (tmp_path / "curve.svg").is_file()


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


def test_all_processes_stop_at_the_same_step(tmp_path):
    """The launcher hands a SIGTERM on to each of them, at other moments."""
    launcher = ("torch.distributed.run", "--standalone", "--nproc-per-node", "2")
    words = ("-m", "nextword", "train", "village", "--to", str(tmp_path))
    two = started(*launcher, *words, more=("--steps", "100000"))
    for line in two.stdout:
        if line.startswith("step 4:"):
            two.send_signal(signal.SIGTERM)
            break
    said, _ = two.communicate(timeout=100)
    assert two.returncode != 0
    n = int(re.search(r"stopped after step ([\d,]+), all of it", said)[1].replace(",", ""))
    assert len(losses(tmp_path)) == n
    assert f"  torchrun --nproc-per-node 2 -m nextword train village --to {tmp_path} " in said
