"""The ladder: its numbers against plain loops and the true process, its cache, and wrong use."""

import importlib
import itertools
import json
import math
import shutil
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from nextword.corpora import names, village
from nextword.models.ladder import by_kind, climb, measure, rung, show
from nextword.models.ladder.rungs import ngrams as ngram_rungs
from nextword.models.store import importable
from tests.nextword.ladder_course import (  # noqa: F401 (fixtures, found by their names)
    UNIFORM,
    counted_trainings,
    ladder_course,
    run,
    text_file,
)

REPOSITORY = Path(__file__).parents[2]
KEYS = ["name", "perplexity", "bits_per_character", "gap_percent", "valid_samples", "parameters"]
KEYS += ["seconds", "excess_bits_by_kind"]
# ---------------------------------------------------------------- numbers


class Process:
    """The village itself as a model: what it knows is the floor."""

    parameters = 0

    def log_probs(self, sentences):
        tokens = [word for story in sentences for word in [*story, village.EOS]]
        return list(village.score(tokens).log_probs)

    def samples(self, n, rng, max_words):
        return village.sample(40 * n + 4_000, rng).stories()[:n]


@pytest.fixture(scope="module")
def village_texts():
    return names.load("village", 20_000, 3_000)


def fixed_rung(model):
    return rung.Rung("fixed", 1, lambda package, texts, report: model, {}, (Path(__file__),))


def test_the_true_process_stands_on_the_floor(village_texts, monkeypatch):
    monkeypatch.setattr(measure, "N_SAMPLES", 20)
    row = measure.measure(fixed_rung(Process()), None, village_texts, lambda *done: None)
    assert row.perplexity == pytest.approx(village_texts.floor, rel=1e-9)
    assert row.gap_percent == pytest.approx(0, abs=1e-6)
    assert row.valid_samples == 1.0
    assert set(row.excess_bits_by_kind) == set(village_texts.kinds)
    assert all(bits == pytest.approx(0, abs=1e-9) for bits in row.excess_bits_by_kind.values())


class Doubtful(Process):
    """The village itself, but it believes in each name half as much as it should."""

    def __init__(self, kinds, share):
        self.halved = iter(np.where(np.array(kinds) == "name", math.log(share), 0.0))

    def log_probs(self, sentences):
        return [log_p + next(self.halved) for log_p in super().log_probs(sentences)]


def test_what_a_model_misses_is_told_by_kind(village_texts, monkeypatch):
    monkeypatch.setattr(measure, "N_SAMPLES", 1)
    model = Doubtful(village_texts.kinds, share=0.5)
    row = measure.measure(fixed_rung(model), None, village_texts, lambda *done: None)
    assert row.excess_bits_by_kind.pop("name") == pytest.approx(1)
    assert all(bits == pytest.approx(0, abs=1e-9) for bits in row.excess_bits_by_kind.values())


def test_an_impossible_word_is_infinitely_costly_for_its_kind(village_texts, monkeypatch):
    monkeypatch.setattr(measure, "N_SAMPLES", 1)
    with np.errstate(divide="ignore"):
        model = Doubtful(village_texts.kinds, share=0.5)
        model.halved = iter(np.where(np.array(village_texts.kinds) == "count", -np.inf, 0.0))
        row = measure.measure(fixed_rung(model), None, village_texts, lambda *done: None)
    assert row.excess_bits_by_kind["count"] is None
    assert row.excess_bits_by_kind["name"] == pytest.approx(0, abs=1e-9)
    assert row.perplexity is None


def test_numbers_follow_their_definitions(course):
    result = climb.climb(course, "coursework", text_file(course / "cats.txt"), 100_000)
    texts = names.load(str(course / "cats.txt"))
    n_predictions = sum(len(line) + 1 for line in texts.test)
    n_characters = len("".join(" ".join(line) + "\n" for line in texts.test))
    V = len(texts.vocabulary)
    assert [row.name for row in result.rows] == [f"{n}-gram" for n in range(1, 6)]
    for n, row in enumerate(result.rows, start=1):
        assert row.perplexity == pytest.approx(V)
        bits = n_predictions * math.log2(V) / n_characters
        assert row.bits_per_character == pytest.approx(bits)
        assert row.gap_percent is None
        assert row.valid_samples is None
        assert row.parameters == n
        assert 0 <= row.seconds < 5
    assert result.floor is None


@pytest.mark.slow
def test_stories_that_the_village_cannot_tell_are_not_valid(course):
    result = climb.climb(course, "coursework", "village", 2_000)
    assert {row.valid_samples for row in result.rows} == {0.0}
    gap = 100 * (len(village.VOCABULARY) / result.floor - 1)
    assert result.rows[0].gap_percent == pytest.approx(gap, rel=0.01)


def test_stories_that_the_village_told_count_and_others_do_not(monkeypatch):
    texts = names.load("village", 3_000, 1_000)

    class Teller:
        def samples(self, n, rng, longest):
            assert longest >= max(map(len, texts.train))
            yield from [texts.test[0], ["the", "the"], texts.test[1], []][:n]

    monkeypatch.setattr(measure, "N_SAMPLES", 4)
    assert measure.valid_share(Teller(), texts) == 0.5


@pytest.mark.parametrize(
    ("log_probs", "complaint"),
    [
        ([-1.0], r"log_probs gave 20 numbers for \d+ words and ends"),
        (None, "no log-probability: above 0, or NaN"),
    ],
)
def test_numbers_that_are_no_log_probabilities_are_refused(village_texts, log_probs, complaint):
    class Wrong(Process):
        def log_probs(self, sentences):
            return log_probs or [math.nan] * sum(len(story) + 1 for story in sentences)

    with pytest.raises(ValueError, match=complaint):
        measure.measure(fixed_rung(Wrong()), None, village_texts, lambda *done: None)


def test_an_impossible_word_makes_the_perplexity_infinite_which_json_says_as_null(course):
    source = UNIFORM.replace("-math.log(len(self.vocabulary))", "-math.inf")
    (course / "coursework" / "ngrams.py").write_text(source, encoding="utf-8")
    result = run(
        "--corpus", text_file(course / "cats.txt"), "--json", "out.json", "--plot", "a.png"
    )
    assert result.exit_code == 0
    assert "∞" in result.stdout
    row = json.loads((course / "out.json").read_text(encoding="utf-8"))["rungs"][0]
    assert row["perplexity"] is None
    assert row["bits_per_character"] is None


@pytest.fixture(scope="module")
def solutions():
    with importable(REPOSITORY, "solutions"):
        yield importlib.import_module("solutions.ngrams")


@pytest.mark.slow
@pytest.mark.skipif(not (REPOSITORY / "solutions").is_dir(), reason="what students get has none")
def test_ngram_rungs_go_down_and_are_the_chapters_models(village_texts, solutions, monkeypatch):
    monkeypatch.setattr(measure, "N_SAMPLES", 1)
    package = SimpleNamespace(ngrams=solutions)
    rows = [
        measure.measure(each, package, village_texts, lambda *done: None)
        for each in ngram_rungs.RUNGS
    ]
    perplexities = [row.perplexity for row in rows]
    assert all(a > 1.02 * b for a, b in itertools.pairwise(perplexities[:4]))
    assert perplexities[4] > village_texts.floor
    tables = solutions.count_ngrams(village_texts.train, 2)
    model = solutions.KneserNey(tables, village_texts.vocabulary)
    direct = solutions.perplexity(model.log_probs(village_texts.test))
    assert perplexities[1] == pytest.approx(direct)


@pytest.mark.skipif(not (REPOSITORY / "solutions").is_dir(), reason="what students get has none")
def test_remembered_distributions_do_not_change_the_samples(village_texts, solutions):
    package = SimpleNamespace(ngrams=solutions)
    model = ngram_rungs.train(2, package, village_texts, lambda done: None)
    fast = list(model.samples(2, np.random.default_rng(5), 20))
    rng = np.random.default_rng(5)
    assert fast == [solutions.generate(model.model, rng, 20) for _ in range(2)]
    assert "distribution" not in vars(model.model)


# ---------------------------------------------------------------- cache


def test_a_second_call_measures_nothing_and_says_the_same(course, count_trainings):
    corpus = text_file(course / "cats.txt")
    first = climb.climb(course, "coursework", corpus, 1_000)
    assert len(count_trainings) == 5
    assert climb.climb(course, "coursework", corpus, 1_000) == first
    assert len(count_trainings) == 5


@pytest.mark.slow
def test_a_change_of_code_corpus_or_size_is_measured_again(course, count_trainings):
    corpus = text_file(course / "cats.txt")
    climb.climb(course, "coursework", corpus, 1_000)
    climb.climb(course, "coursework", corpus, 2_000)
    assert len(count_trainings) == 10
    text_file(course / "cats.txt", n_sentences=201)
    climb.climb(course, "coursework", corpus, 1_000)
    assert len(count_trainings) == 15
    module = course / "coursework" / "ngrams.py"
    doubled = UNIFORM.replace("-math.log(", "-2 * math.log(")
    module.write_text(doubled, encoding="utf-8")
    changed = climb.climb(course, "coursework", corpus, 1_000)
    assert len(count_trainings) == 20
    n_words = len(names.load(corpus).vocabulary)
    assert changed.rows[0].perplexity == pytest.approx(n_words**2)


def test_the_recipe_of_the_village_covers_its_words_and_its_program():
    before = names.recipe("village")
    assert before == names.recipe("village") != names.recipe("pydocs")


# ---------------------------------------------------------------- the command


def test_the_command_prints_a_table_and_writes_json_and_a_picture(course):
    corpus = text_file(course / "cats.txt")
    result = run("--corpus", corpus, "--json", "out.json", "--plot", "ladder.png")
    assert result.exit_code == 0, result.output
    assert "5-gram" in result.stdout
    assert "…" not in result.stdout
    answer = json.loads((course / "out.json").read_text(encoding="utf-8"))
    assert list(answer) == ["corpus", "floor", "rungs"]
    assert (answer["corpus"], answer["floor"]) == (corpus, None)
    assert [list(row) for row in answer["rungs"]] == [KEYS] * 5
    assert (course / "ladder.png").read_bytes().startswith(b"\x89PNG")


def test_files_take_the_place_of_those_before_and_are_never_half_written(course):
    corpus = text_file(course / "cats.txt")
    for name in ("out.json", "ladder.svg"):
        (course / name).write_text("of the run before", encoding="utf-8")
        (course / f"{name}.linked").hardlink_to(course / name)
    result = run("--corpus", corpus, "--json", "out.json", "--plot", "ladder.svg")
    assert result.exit_code == 0, result.output
    assert len(json.loads((course / "out.json").read_text(encoding="utf-8"))["rungs"]) == 5
    assert "<svg" in (course / "ladder.svg").read_text(encoding="utf-8")
    for name in ("out.json", "ladder.svg"):
        assert (course / f"{name}.linked").read_text(encoding="utf-8") == "of the run before"


@pytest.mark.slow
def test_the_village_table_ends_with_the_floor(course):
    result = run("--tokens", "1000")
    assert result.exit_code == 0, result.output
    lines = [line for line in result.stdout.splitlines() if "│" in line]
    assert "floor" in lines[-1]
    assert "100.0 %" in lines[-1]
    assert "…" not in result.stdout


@pytest.mark.slow
def test_by_kind_adds_a_table_and_draws_it(course):
    result = run("--tokens", "1000", "--by", "kind", "--plot", "kinds.png", "--json", "out.json")
    assert result.exit_code == 0, result.output
    rows = json.loads((course / "out.json").read_text(encoding="utf-8"))["rungs"]
    kinds = rows[0]["excess_bits_by_kind"]
    assert {"phrase", "choice", "name"} <= set(kinds) <= set(village.KINDS)
    for kind, bits in kinds.items():
        line = next(line for line in result.stdout.splitlines() if f" {kind} " in line)
        assert f"{bits:.2f}" in line
    assert "bits that a model loses against the truth" in result.stdout
    assert (course / "kinds.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_the_picture_of_kinds_has_a_number_for_each_kind_and_rung(course):
    ladder = climb.climb(course, "coursework", "village", 1_000)
    axes = by_kind.plot(ladder).axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == by_kind.kinds(ladder)
    assert len(axes.texts) == 5 * len(by_kind.kinds(ladder))


def test_by_kind_needs_a_corpus_whose_kinds_are_known(course):
    result = run("--corpus", text_file(course / "cats.txt"), "--by", "kind")
    assert result.exit_code == 2
    assert "the kinds of facts are known for the village only" in result.stderr


@pytest.mark.slow
def test_the_picture_shows_every_rung_and_the_floor(course):
    figure = show.plot(climb.climb(course, "coursework", "village", 1_000))
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert len([text for text in texts if text.endswith(" %")]) == 5
    assert any(text.startswith("floor 1.") for text in texts)


def test_rare_words_are_said_in_the_caption(course):
    path = course / "rare.txt"
    lines = [f"Word{'x' * i} is here again today." for i in range(100)]
    path.write_text("\n".join(lines), encoding="utf-8")
    result = run("--corpus", str(path))
    texts = names.load(str(path))
    assert texts.unknown == pytest.approx(1 / 6)
    assert {sentence[0] for sentence in texts.test} == {"<unk>"}
    assert "16.7 % of the test words" in " ".join(result.stdout.split())


def test_solutions_are_the_default_where_they_are(course):
    (course / "solutions").mkdir()
    result = run("--corpus", text_file(course / "cats.txt"))
    assert result.exit_code == 2
    assert "solutions has none of the chapters on the ladder: " in result.stderr
    assert "ngrams.py" in result.stderr


@pytest.mark.skipif(not (REPOSITORY / "coursework" / "ngrams.py").is_file(), reason="no stubs yet")
def test_open_tasks_are_named_and_exit_with_1(course):
    shutil.copy(REPOSITORY / "coursework" / "ngrams.py", course / "coursework" / "ngrams.py")
    result = run("--corpus", text_file(course / "cats.txt"), "--json", "out.json")
    assert result.exit_code == 1
    assert "coursework: open task 2.2 count_ngrams: see " in result.stderr
    assert result.stderr.endswith("; no 1-gram, 2-gram, 3-gram, 4-gram, 5-gram\n")
    assert not (course / "out.json").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("def (", "SyntaxError: invalid syntax (ngrams.py, line 1); no"),
        ("raise SystemExit('bye')", "SystemExit: bye (ngrams.py, line 1)"),
        (
            UNIFORM.replace("[-math", "1 / 0 * [-math"),
            "ZeroDivisionError: division by zero (ngrams",
        ),
        (UNIFORM.replace("def generate", "def draw"), "has no attribute 'generate'"),
    ],
)
def test_broken_code_is_named_with_its_line(course, source, complaint):
    (course / "coursework" / "ngrams.py").write_text(source, encoding="utf-8")
    result = run("--tokens", "1000")
    assert result.exit_code == 1
    assert complaint in result.stderr


def test_one_open_rung_does_not_hide_the_others(course):
    source = UNIFORM.replace(
        "    return [{()",
        "    if n == 3:\n        raise NotImplementedError('2.2 x')\n    return [{()",
    )
    (course / "coursework" / "ngrams.py").write_text(source, encoding="utf-8")
    result = run("--corpus", text_file(course / "cats.txt"))
    assert result.exit_code == 1
    assert "2-gram" in result.stdout
    assert "5-gram" in result.stdout
    assert result.stderr == "coursework: open task 2.2 x; no 3-gram\n"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--corpus", "brown"], "unknown corpus 'brown': expected village, pydocs, shakespeare"),
        (["--corpus", "no/such.txt"], "(there is no file no"),
        (["--corpus", "latin.txt"], "latin.txt is not UTF-8 text (byte 3 is not): save it as UTF"),
        (["--corpus", "short.txt"], "short.txt holds 2 sentences; a corpus needs 50 or more"),
        (["--corpus", "coursework"], "unknown corpus 'coursework'"),
        (["--rung", "lstn"], "there is no rung 'lstn': expected some of 1-gram, 2-gram,"),
        (["--rung", "lstm"], "coursework has no rnns.py, which LSTM is built from"),
        (["--no-train"], "nothing is known of the ladder on 1,000,000 tokens of village: leave"),
        (["--no-train", "--rung", "RNN"], "nothing is known of RNN on 1,000,000 tokens of vill"),
        (["--package", "nowhere"], "there is no package 'nowhere' in"),
        (["--json", "no/out.json"], "cannot be written: there is no folder"),
        (["--plot", "no/out.png"], "cannot be written: there is no folder"),
        (["--plot", "out.xyz"], "cannot be drawn as '.xyz': use .png, .svg or .pdf"),
    ],
)
def test_wrong_use_is_one_line_and_exit_2(course, arguments, complaint):
    (course / "latin.txt").write_bytes(b"abc\xe9")
    (course / "short.txt").write_text("One. Two.", encoding="utf-8")
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert complaint in result.stderr
    assert result.stderr.count("\n") == 1
