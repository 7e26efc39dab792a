"""What `nextword train` tells: its log, its curve, its lines, how it stops and how to go on."""

import json
import math
import signal
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from examiner.errors import UserError
from nextword.cli import stopping
from nextword.models.trainer import curve, hold, log

OPTIONS = (
    *("--width", "16", "--layers", "1", "--context", "8", "--every", "4", "--batch", "2"),
    *("--tokens", "2000", "--device", "cpu", "--warm-up", "2", "--package", "solutions"),
)


def steps(n, **more):
    return [
        {"step": k, "loss": 6.0 - k, "seconds": k / 2, "tokens": 10 * k, **more}
        for k in range(1, n + 1)
    ]


# ------------------------------------------------------------------------- the log


def test_a_log_goes_on_after_the_checkpoint_and_tells_no_step_twice(tmp_path):
    path = tmp_path / "log.jsonl"
    first = log.Log(path)
    assert first.begin(0) == 0.0
    for line in steps(5):
        first.write(line)
    first.flush()
    with path.open("a", encoding="utf-8") as file:
        file.write('{"step": 6, "lo')  # a kill in the middle of a line
    again = log.Log(path)
    assert again.begin(3) == 1.5  # seconds that the three steps took
    again.write({"step": 4, "loss": 9.0})
    again.flush()
    assert [(line["step"], line["loss"]) for line in log.read(path)] == [
        *((1, 5.0), (2, 4.0), (3, 3.0), (4, 9.0))
    ]
    log.Log(path).begin(0)
    assert log.read(path) == []


def test_many_lines_are_written_before_they_are_asked_for(tmp_path):
    one = log.Log(tmp_path / "log.jsonl")
    one.begin(0)
    for line in steps(log.KEPT + 1):
        one.write(line)
    assert len(log.read(one.path)) == log.KEPT


def test_a_log_is_json_also_where_a_number_is_none(tmp_path):
    one = log.Log(tmp_path / "log.jsonl")
    one.begin(0)
    one.write({"step": 1, "loss": math.inf})
    one.flush()
    assert json.loads(one.path.read_text("utf-8")) == {"step": 1, "loss": None}


def test_other_processes_and_missing_files_tell_nothing(tmp_path):
    silent = log.Log(None)
    assert silent.begin(3) == 0.0
    silent.write({"step": 1})
    silent.flush()
    assert log.read(tmp_path / "none.jsonl") == []
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot be written"):
        log.Log(tmp_path / "file" / "log.jsonl").begin(0)


# ------------------------------------------------------------------------- the curve


def test_the_curve_has_tokens_on_its_axis_and_the_floor(tmp_path):
    lines = [*steps(3), {"step": 2, "validation": math.log(7.0), "training": 4.5}]
    path = tmp_path / log.FILE
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    found = curve.redraw(tmp_path, 1.5)
    assert found["training"] == pytest.approx({10.0: math.e**5, 20.0: math.e**4, 30.0: math.e**3})
    assert found["validation"] == pytest.approx({20.0: 7.0})
    picture = ET.parse(tmp_path / curve.FILE).getroot()
    written = "".join(picture.itertext())
    for said in ("tokens read (thousands)", "perplexity", "floor 1.50", "training", "validation"):
        assert said in written


def test_a_long_curve_is_a_mean_of_its_parts():
    found = curve.curves(
        [{"step": k, "loss": float(k % 2), "tokens": k} for k in range(1, 50 * curve.POINTS + 1)]
    )
    assert len(found["training"]) == curve.POINTS
    assert [*found["training"].values()] == pytest.approx([math.exp(0.5)] * curve.POINTS)


def test_no_steps_draw_no_curve(tmp_path):
    assert curve.redraw(tmp_path, None) == {"training": {}, "validation": {}}
    assert not (tmp_path / curve.FILE).exists()
    assert curve.in_characters({}, None) == []


def test_the_curve_in_a_terminal_begins_at_the_floor():
    shown = curve.in_characters({1000.0: 16.0, 2000.0: 4.0}, 1.0, width=2)
    assert shown[0] == "   16.00 ┤█ "
    assert shown[-1] == "    1.00 └── 2,000 tokens; the axis begins at the floor"
    # the second column stands where half of the way down, in logarithms, is gone: at 8 of 16
    assert sum(line.endswith("█") for line in shown) == 6


# ------------------------------------------------------------------------- stopping


def test_signals_wait_and_a_second_ctrl_c_does_not():
    before = signal.getsignal(signal.SIGINT)
    with stopping.politely() as asked:
        assert not asked
        signal.raise_signal(signal.SIGTERM)
        assert (bool(asked), asked.exit_code) == (True, 143)
        signal.raise_signal(signal.SIGINT)  # torchrun sends both
        assert asked.exit_code == 143
    assert signal.getsignal(signal.SIGINT) is before
    with stopping.politely() as asked:
        signal.raise_signal(signal.SIGINT)
        assert asked.exit_code == 130
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert stopping.Asked().exit_code == 143  # another process was told to stop


def test_the_command_that_goes_on(monkeypatch):
    words = ["train", "my book.txt", "--again", "--steps", "9"]
    assert stopping.same_command(1, words) == "nextword train 'my book.txt' --steps 9"
    assert stopping.same_command(4, words).startswith("torchrun --nproc-per-node 4 -m nextword tr")
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "2")
    assert stopping.same_command(4, words).startswith("the same torchrun on every machine, with ")


# ------------------------------------------------------------------------- the command


def test_piped_it_tells_plain_lines_and_keeps_log_and_curve(nextword, tmp_path, monkeypatch):
    monkeypatch.setattr("nextword.cli.training.EVERY", 0.0)
    first = nextword("train", "--to", str(tmp_path), "--steps", "8", *OPTIONS)
    assert first.exit_code == 0, first.output
    lines = first.stdout.splitlines()
    assert [line for line in lines if line.startswith("step 1 of 8 (12%): loss 6.")]
    assert [line for line in lines if "tokens/s, 0:0" in line and line.endswith(" left")]
    (look,) = (k for k, line in enumerate(lines) if line.startswith("step 4: training "))
    assert ", floor 1." in lines[look]
    assert len(lines[look + 1].split()) > 3  # a sample
    told = log.read(tmp_path / "log.jsonl")
    assert [line["step"] for line in log.steps_of(told)] == [*range(1, 9)]
    assert [line["step"] for line in log.looks_of(told)] == [4, 8]
    assert all(line["sample"] for line in log.looks_of(told))
    assert told[-2]["tokens"] == 8 * 2 * 8
    assert [line["rate"] for line in log.steps_of(told)][:2] == [0.0015, 0.003]
    assert (tmp_path / "curve.svg").read_text("utf-8").startswith("<svg")
    assert f"nextword write {tmp_path}" in lines[-1]
    place = lines.index("training perplexity:")  # two looks are no curve
    assert set(lines[place + 1]) & set("▆▇█")  # the top of the curve

    longer = nextword("train", "--to", str(tmp_path), "--steps", "12", *OPTIONS)
    assert "goes on after step 8" in longer.stdout
    told = log.read(tmp_path / "log.jsonl")
    assert [line["step"] for line in log.steps_of(told)] == [*range(1, 13)]
    seconds = [line["seconds"] for line in log.steps_of(told)]
    assert seconds == sorted(seconds)


def test_without_a_folder_each_plan_gets_its_own(nextword, tmp_path, monkeypatch):
    import nextword.cli.train as command

    monkeypatch.setattr(command, "RUNS", tmp_path)
    for kind in ("transformer", "gru"):
        heads = () if kind == "gru" else ("--heads", "2")
        options = (*OPTIONS, "--kind", kind, *heads, "--steps", "1")
        assert nextword("train", "village", *options).exit_code == 0
    names = sorted(path.name for path in tmp_path.iterdir())
    assert [name[:-7] for name in names] == [
        "village-words-gru-1x16-8",
        "village-words-transformer-1x16-2-heads-8",
    ]


def test_what_cannot_be_is_said_in_one_line(nextword, tmp_path):
    for words, said in (
        (("nowhere.txt",), "unknown corpus 'nowhere.txt'"),
        (("village", "--characters", "--tokens-as", "bpe"), "exclude each other"),
        (("village", "--tokens-as", "bytes"), "tokens can be words, characters, bpe"),
        (("village", "--precision", "half"), "precision can be auto, float32, bfloat16"),
        (("village", "--kind", "gru", "--norm", "rms"), "the kind gru has no --norm"),
    ):
        found = nextword("train", *words, "--to", str(tmp_path), *OPTIONS)
        assert found.exit_code == 2, found.output
        assert said in found.stderr
        assert found.stderr.count("\n") == 1


def test_a_refused_training_leaves_the_folder_as_it_was(nextword, tmp_path):
    texts = []
    for name in ("one", "two"):
        texts.append(str(tmp_path / f"{name}.txt"))
        Path(texts[-1]).write_text(f"The {name} hen ran. " * 200, "utf-8")
    run = tmp_path / "run"
    command = ("--to", str(run), "--characters", *OPTIONS, "--steps", "4")
    assert nextword("train", texts[0], *command).exit_code == 0
    files = {path.name: path.read_bytes() for path in run.iterdir()}
    found = nextword("train", texts[1], *command)
    assert (found.exit_code, found.stderr.count("\n")) == (2, 1), found.output
    assert "made from another text" in found.stderr
    assert {path.name: path.read_bytes() for path in run.iterdir()} == files
    new = tmp_path / "deep" / "er"
    assert nextword("train", "nowhere.txt", "--to", str(new), *OPTIONS).exit_code == 2
    assert not new.parent.exists()


@pytest.mark.parametrize("more", [(), ("--by", "reward")])
def test_a_folder_is_trained_in_by_one_command_at_a_time(nextword, tmp_path, more):
    folder = tmp_path / "run"
    with hold.alone(folder):
        found = nextword("train", *more, "--to", str(folder), *(() if more else OPTIONS))
        assert found.exit_code == 2, found.output
        assert f"another command is training in {folder}: wait until" in found.stderr
        assert [path.name for path in folder.iterdir()] == [hold.LOCK]
    assert not folder.exists()  # nothing was written to it
    (folder / "deep").mkdir(parents=True)
    with hold.alone(folder):
        pass
    with hold.alone(folder):  # what a command has left does not keep the next one out
        pass
    in_the_way = tmp_path / "file"
    in_the_way.touch()
    with pytest.raises(UserError, match="nothing can be written to"), hold.alone(in_the_way):
        pass
