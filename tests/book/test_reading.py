"""Pages of human length, in whole sentences: what `.ci/measure_prose.py` counts."""

import importlib.util
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SPEC = importlib.util.spec_from_file_location("measure_prose", ROOT / ".ci" / "measure_prose.py")
measure = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(measure)

PAGES = [*sorted((ROOT / "chapters").glob("0*.ipynb")), ROOT / "chapters" / "ladder.ipynb"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_is_read_at_one_sitting_and_in_whole_sentences(page):
    assert measure.reading(page).faults == []


def written(tmp_path, *cells):
    page = tmp_path / "01-page.ipynb"
    page.write_text(json.dumps({"cells": list(cells)}), "utf-8")
    return page


def markdown(text, **metadata):
    return {"cell_type": "markdown", "source": text.splitlines(keepends=True), "metadata": metadata}


def code(lines, *tags):
    return {"cell_type": "code", "source": lines, "outputs": [], "metadata": {"tags": list(tags)}}


@pytest.mark.parametrize(
    ("text", "lengths"),
    [
        ("One two three. Four five?", [3, 2]),
        ("It costs 3.5 bits, e.g. here.", [6]),
        ("- first thing\n- the second thing\n\n1. third thing", [2, 3, 2]),
        ("## A heading of many words\n\nTwo words.", [2]),
        ("A formula $x = y$ counts as one word.", [7]),
        ("Above. $$\na + b\n$$ Below it.", [2]),
    ],
)
def test_a_sentence_has_its_words(text, lengths):
    assert measure.lengths(measure.lint_prose.prose(measure.visible(text))) == lengths


def test_what_is_folded_or_stands_in_the_catalogue_is_not_read(tmp_path):
    folded = '<details class="option"><summary>No</summary>\n\nNever read this.\n\n</details>'
    box = {"nextword": {"exercise": "1.1"}}
    page = written(
        tmp_path,
        markdown(f"Read these words.\n\n{folded}"),
        markdown("Write the function of this task.", **box),
        markdown("| a | b |\n|---|---|\n| in tables | nobody reads |"),
    )
    assert measure.reading(page).sentences == [3]


def test_code_takes_time_where_it_is_seen(tmp_path):
    many = ["x = 1\n"] * 40
    seen, hidden = (
        measure.reading(written(tmp_path, code(many, *t))) for t in ((), ["hide-input"])
    )
    assert seen.minutes == pytest.approx(2)
    assert hidden.minutes == 0


def test_each_limit_is_named(tmp_path, capsys):
    short = written(tmp_path, markdown("Too short. " * 2600))
    assert measure.main([str(short)]) == 1
    said = capsys.readouterr().out
    for fault in ("more than 5000 words", "mean sentence outside 15 to 19 words", "20% short"):
        assert fault in said
    long = written(tmp_path, code(["x = 1\n"] * 1000))
    assert measure.reading(long).faults[-1] == "more than 45 minutes"
    told = [f'<p class="tags">{minutes} minutes · easy</p>' for minutes in ("about 8", 4, 9)]
    wrong = written(tmp_path, markdown("\n".join(told)), code(["x = 1\n"] * 40))
    assert measure.reading(wrong).faults[-1] == "says 13 minutes, takes 2"
