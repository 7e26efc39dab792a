"""Training on several processes: the same losses as one, split weights, kills and restarts."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from examiner.errors import UserError
from nextword.models.trainer import parallel, saved
from tests.nextword import many_processes as many
from tests.nextword.many_processes import together

ROOT = Path(__file__).parents[2]
ALONE = parallel.Place(torch.device("cpu"))


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """The losses of one process, and its folder."""
    folder = tmp_path_factory.mktemp("alone")
    return many.train(ALONE, folder, {}), folder


def same(found, expected, atol=1e-5):
    """Assert that losses, or weights, are those of another training but for rounding.

    AdamW divides by the size of a gradient: a weight that hardly learns feels rounding most.
    """
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=atol)


def weights(folder):
    return saved.read(folder / "last.safetensors").weights()


# ------------------------------------------------------------------ the same as one process


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "parts", "shard"),
    [(2, 1, False), (4, 4, False), (2, 4, True), (4, 1, True)],
    ids=["2", "4-in-parts", "2-in-parts-sharded", "4-sharded"],
)
def test_the_losses_are_those_of_one_process(alone, tmp_path, n, parts, shard):
    """20 steps, all rows at once and in parts; torch's mean of rows needs no more care."""
    found = together(n, many.train, tmp_path, {"parts": parts}, shard=shard)
    assert len(found[0]) == 20
    for losses in found:
        same(losses, alone[0])
    same(weights(tmp_path), weights(alone[1]), atol=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "shard"),
    [
        ({"kind": "attention", "parts": 2}, False),
        ({"kind": "lstm", "tied": False}, False),
        ({"kind": "linear-attention", "positions": "none", "parts": 2}, True),
    ],
    ids=["attention", "lstm", "linear-attention-sharded"],
)
def test_networks_of_other_kinds_are_shared_in_the_same_way(tmp_path, changes, shard):
    """Chapter 5's parts have one backward pass together, chapter 4 makes a step of its own."""
    plan = {**changes, "steps": 6}
    found = together(2, many.train, tmp_path / "2", plan, shard=shard)
    same(found[0], many.train(ALONE, tmp_path / "1", plan))


@pytest.mark.slow
def test_gradients_are_added_up_once_in_a_step_of_many_parts(tmp_path):
    """All weights of so small a network travel in one bucket."""
    for parts in (1, 4):
        assert together(2, many.sums_in_a_step, tmp_path / str(parts), parts) == [1, 1]


@pytest.mark.slow
def test_a_sharded_process_holds_its_part_only(tmp_path):
    whole, state = many.held(ALONE, tmp_path / "1")
    found = together(2, many.held, tmp_path / "2", shard=True)
    assert sum(weights for weights, _ in found) == whole
    assert sum(moments for _, moments in found) == state == 2 * whole
    assert max(weights for weights, _ in found) < 0.6 * whole


@pytest.mark.slow
def test_dropout_differs_between_processes_and_steps_and_can_be_repeated():
    one, other = together(2, many.masks)
    assert one[0] == one[2]
    assert other[0] == other[2]
    assert one[0] != one[1]
    assert one[0] != other[0]


# ------------------------------------------------------------------ checkpoints


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((2, True), (1, False)),
        ((1, False), (2, True)),
    ],
)
def test_any_number_of_processes_goes_on_from_a_checkpoint(alone, tmp_path, before, after):
    """The first 10 steps by some processes, the others by some others, split or whole."""
    _, folder = alone
    stopped = together(before[0], stop_after_10, tmp_path, shard=before[1])
    assert stopped == [10] * before[0]
    found = together(after[0], many.train, tmp_path, {}, shard=after[1])
    same(found[0], alone[0])
    same(weights(tmp_path), weights(folder), atol=1e-4)


class StopError(Exception):
    pass


def stop_after_10(place, folder):
    """Train until the first checkpoint; the steps that were done."""
    training = many.prepared(place, folder)

    def stop(now):
        if len(now.losses) == 10:
            raise StopError

    with pytest.raises(StopError):
        training.run(stop)
    return len(training.losses)


@pytest.mark.slow
def test_only_the_first_process_needs_to_see_the_checkpoint(alone, tmp_path):
    together(2, stop_after_10, tmp_path)
    same(together(2, many.from_one_disk, tmp_path)[1], alone[0])


@pytest.mark.slow
def test_all_are_told_of_a_checkpoint_that_does_not_fit(tmp_path):
    together(2, stop_after_10, tmp_path)
    for said in together(2, many.refused, tmp_path):
        assert said.startswith("UserError: the checkpoint there was made by another plan (D 16")
    (tmp_path / "last.safetensors").write_bytes(b"cut off")
    for said in together(2, many.refused, tmp_path):
        assert re.match("UserError: .*last.safetensors is damaged or cut off", said)


def killed_at(folder, place):
    """Train on, and kill this process where it calls a function of os for the checkpoint."""
    training = many.prepared(ALONE, folder)
    training.resume()
    real = getattr(os, place)

    def kill(*given, **named):
        if place == "fsync" or str(given[-1]).endswith("last.safetensors"):
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*given, **named)

    setattr(os, place, kill)
    training.run()


@pytest.mark.slow
@pytest.mark.parametrize("place", ["fsync", "replace"])
def test_a_process_killed_while_it_writes_leaves_the_checkpoint_before(tmp_path, place):
    with pytest.raises(StopError):
        many.prepared(ALONE, tmp_path).run(raise_after_10)
    before = (tmp_path / "last.safetensors").read_bytes()
    process = many.FORKS.Process(target=killed_at, args=(tmp_path, place))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    assert (tmp_path / "last.safetensors").read_bytes() == before
    assert len(list(tmp_path.glob(".*.part"))) == 1  # what it had begun to write
    assert len(many.train(ALONE, tmp_path, {})) == 20
    assert not list(tmp_path.glob(".*.part"))


def raise_after_10(now):
    if len(now.losses) == 10:
        raise StopError


# ------------------------------------------------------------------ torchrun

OPTIONS = (
    *("--width", "16", "--layers", "1", "--context", "8", "--steps", "12", "--every", "3"),
    *("--tokens", "2000", "--device", "cpu", "--warm-up", "2", "--package", "solutions"),
)
KILLED = "tests.nextword.killed_worker"


def torchrun(*words):
    """torch's launcher with two processes; what it said, and its exit code."""
    launcher = (sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2")
    return subprocess.run(
        [*launcher, *words, *OPTIONS],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "more", [("--again",), pytest.param(("--shard",), marks=pytest.mark.thorough)]
)
def test_a_job_goes_on_after_one_of_its_processes_was_killed(nextword, tmp_path, more):
    """Killed with -9 in its eighth step; torchrun starts both again, and they go on after six."""
    elastic = ("--max-restarts", "1", "--rdzv-backend", "c10d", "--rdzv-endpoint", "localhost:0")
    done = torchrun(*elastic, "-m", KILLED, "train", "village", "--to", str(tmp_path / "2"), *more)
    assert done.returncode == 0, done.stderr
    assert "killed in step 8" in done.stdout
    assert "goes on after step 6" in done.stdout
    assert done.stdout.count("done:") == 1
    alone = nextword("train", "village", "--to", str(tmp_path / "1"), *OPTIONS)
    assert alone.exit_code == 0, alone.output
    one, two = (saved.read(tmp_path / n / "last.safetensors").notes["losses"] for n in "12")
    assert len(two) == 12
    same(two, one)


# ------------------------------------------------------------------ what cannot be


def test_one_process_cannot_share_its_weights(nextword, tmp_path):
    said = nextword("train", "village", "--shard", "--to", str(tmp_path), *OPTIONS)
    assert said.exit_code == 2
    assert "--shard splits a model over several processes, and this is one: start" in said.stderr


def test_more_processes_than_graphics_cards_are_named(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert parallel.device("auto", 1) == torch.device("cuda", 1)
    with pytest.raises(UserError, match=r"process 3 of this machine has no graphics card .* 2: gi"):
        parallel.device("cuda", 2)


def test_a_process_alone_asks_nobody(tmp_path):
    assert ALONE.any(True)
    assert not ALONE.any(False)
    assert ALONE.mean(0.3) == 0.3
    assert ALONE.from_first(lambda: "read") == "read"
    torch.manual_seed(5)
    before = torch.get_rng_state()
    ALONE.draw_anew(0, 1)
    assert torch.equal(torch.get_rng_state(), before)
