"""What the book ships of the ladder, what is climbed here, and how a climb tells of itself."""

import itertools
import json
import re
from pathlib import Path

import pytest

from nextword.cli.bar import Bar
from nextword.cli.ladder import Ascent
from nextword.models import store
from nextword.models.ladder import climb, known, measure
from tests.nextword.ladder_course import (  # noqa: F401 (fixtures, found by their names)
    UNIFORM,
    counted_trainings,
    ladder_course,
    run,
)

REPOSITORY = Path(__file__).parents[2]

SMALL = ("--tokens", "2000")


@pytest.fixture
def shipped(course, monkeypatch):
    """The course as if the book had measured two rungs on 2,000 tokens of the village."""
    monkeypatch.setattr(known, "TOKENS", 2_000)
    for step, name in ((2, "2-gram"), (9, "LSTM")):
        row = measure.RungResult(name, 10.0 + step, 1.0, 50.0, 0.5, 1_000, 90.0, {"name": 1.0})
        facts = {"step": step, "floor": 1.5, "unknown": 0.0, "row": row.to_json()}
        path = course / "checkpoints" / "ladder" / f"{climb.slug(name)}.safetensors"
        store.write(path, store.Trained({}, facts), "made long ago")
    return course


def rungs_in(path):
    """The rungs of a JSON file, and those that were shipped."""
    answer = json.loads(path.read_text(encoding="utf-8"))
    return [row["name"] for row in answer["rungs"]], answer.get("shipped")


def test_what_the_book_ships_is_shown_at_once(shipped, count_trainings):
    """Also where the reader's own chapter is broken: nothing of it is called."""
    (shipped / "coursework" / "ngrams.py").write_text("def (", encoding="utf-8")
    result = run(*SMALL, "--json", "out.json", "--plot", "out.png", "--by", "kind")
    assert result.exit_code == 0, result.output
    assert not count_trainings
    assert re.search(r"2-gram +│ +12\.000", result.stdout)
    assert "as it was measured when the book was made" in result.stdout
    assert "*" not in result.stdout
    assert rungs_in(shipped / "out.json") == (["2-gram", "LSTM"], ["2-gram", "LSTM"])
    assert (shipped / "out.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(("width", "last"), [("30", "│ +12.000 │"), ("80", "1,000 │ +90.0 │")])
def test_a_narrow_terminal_shows_fewer_columns_and_whole_numbers(shipped, monkeypatch, width, last):
    monkeypatch.setenv("COLUMNS", width)
    said = run(*SMALL).stdout
    assert re.search(rf"2-gram .*{last}\n", said), said
    assert "…" not in said


def test_a_named_rung_is_climbed_and_compared_with_the_books(shipped, count_trainings):
    result = run(*SMALL, "--rung", "2-gram", "--json", "out.json")
    assert result.exit_code == 0, result.output
    assert count_trainings == ["2-gram"]
    assert rungs_in(shipped / "out.json") == (["2-gram"], None)
    assert re.search(r"beside the book's: 2-gram \d+\.\d{3} here, 12\.000 there", result.stdout)
    assert result.stderr == "training 2-gram: took 2 minutes when the book was made\n"


@pytest.mark.slow
def test_what_was_measured_here_is_told_from_what_was_shipped(shipped, count_trainings):
    run(*SMALL, "--rung", "2-gram", "--rung", "1-gram")
    result = run(*SMALL, "--json", "out.json")
    assert rungs_in(shipped / "out.json") == (["1-gram", "2-gram", "LSTM"], ["LSTM"])
    assert [name in result.stdout for name in ("1-gram*", "2-gram*", "LSTM*")] == [1, 1, 0]
    assert "* measured here; the others when the book was made" in result.stdout
    module = shipped / "coursework" / "ngrams.py"
    module.write_text(UNIFORM.replace("-math.log(", "-2 * math.log("), encoding="utf-8")
    run(*SMALL, "--json", "out.json")
    assert rungs_in(shipped / "out.json") == (["2-gram", "LSTM"], ["2-gram", "LSTM"])
    assert count_trainings == ["1-gram", "2-gram"]


@pytest.mark.slow
def test_train_climbs_all_that_the_package_can(shipped, count_trainings):
    assert run(*SMALL, "--train", "--json", "out.json").exit_code == 0
    assert rungs_in(shipped / "out.json") == ([f"{n}-gram" for n in range(1, 6)], None)
    assert len(count_trainings) == 5
    assert run(*SMALL, "--no-train", "--rung", "lstm", "--json", "out.json").exit_code == 0
    assert rungs_in(shipped / "out.json") == (["LSTM"], ["LSTM"])
    assert len(count_trainings) == 5


@pytest.mark.skipif(not (REPOSITORY / "checkpoints" / "ladder").is_dir(), reason="not shipped")
def test_all_rungs_of_the_book_fit_into_a_terminal(course, monkeypatch):
    monkeypatch.chdir(REPOSITORY)
    result = run("--by", "kind")
    assert result.exit_code == 0
    assert "with convolution" in result.stdout
    assert "…" not in result.stdout


class Heard:
    """A bar that remembers what it was told."""

    def __init__(self):
        self.told = []

    def progress(self, model, doing, share):
        self.told.append((model, doing, round(share, 3)))


def test_progress_of_a_climb_weighs_rungs_by_what_they_took(capsys):
    bar = Heard()
    ascent = Ascent(bar, {"RNN": 300.0, "LSTM": 100.0})
    ascent.begin(["RNN", "LSTM"])
    assert capsys.readouterr().err.endswith("RNN, LSTM: took 7 minutes when the book was made\n")
    for told in (("RNN", "reading", 0.0), ("RNN", "training", 0.5), ("RNN", "scoring", 0.1)):
        ascent.progress(*told)
    ascent.progress("LSTM", "training", 0.2)
    whole = [(doing, share) for model, doing, share in bar.told if model == "all"]
    assert whole == [
        *(("rung 1 of 2", 0.0), ("rung 1 of 2", 0.375), ("rung 1 of 2", 0.75)),
        ("rung 2 of 2", 0.8),
    ]


def test_a_terminal_shows_the_time_that_is_left(capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr("time.monotonic", itertools.count(0, 10).__next__)
    with Bar() as bar:
        for share in (0.1, 0.2, 0.3):
            bar.progress("LSTM", "training", share)
    said = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", capsys.readouterr().err)
    assert re.search(r"LSTM: training .* \d:\d\d:\d\d left \d:\d\d:\d\d", said)
