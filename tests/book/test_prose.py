"""The linter of the book's English: what it finds, and what it leaves alone."""

import contextlib
import importlib.util
import io
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SPEC = importlib.util.spec_from_file_location("lint_prose", ROOT / ".ci" / "lint_prose.py")
lint = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(lint)


def findings(tmp_path, capsys, text, name="page.md"):
    page = tmp_path / name
    page.write_text(text, encoding="utf-8")
    code = lint.main([str(page)])
    lines = capsys.readouterr().out.splitlines()
    assert code == bool(lines)
    return lines


BROKEN = [
    ("The word comes twice in the text.", "comes"),
    ("After *ann* never came *ben*.", "came"),
    ("Who has one has the other.", "Who has"),
    ("D(0) = 0, for where nothing is there is nothing to take.", "for where"),
    ("This is the the end.", "the the"),
    ("We do this in order to count.", "in order to"),
    (':::{admonition} Two habits for "how often u came"\n:class: warning\nRead.\n:::', "came"),
]
RIGHT = [
    "A plain sentence about a word that occurs twice.",
    "```python\nprint('the the word comes')\n```",
    "The option `comes in order to` is code.",
    "$$\n\\text{comes comes}\n$$",
    "The text to come is new.",  # an exception that prose.toml lists
]


@pytest.fixture(scope="module")
def linted(tmp_path_factory):
    """What is said of each text, by its name: all are read at once, for a start takes long."""
    folder = tmp_path_factory.mktemp("pages")
    broken = [f"A good sentence.\n\n{sentence}\n" for sentence, _ in BROKEN]
    for number, text in enumerate([*broken, *RIGHT]):
        (folder / f"{number:02}.md").write_text(text, encoding="utf-8")
    pages = sorted(folder.iterdir())
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        assert lint.main([*map(str, pages)]) == 1
    lines = said.getvalue().splitlines()
    found = [[line for line in lines if line.startswith(str(page))] for page in pages]
    assert sum(map(len, found)) == len(lines)
    return found


@pytest.mark.parametrize("number", range(len(BROKEN)))
def test_a_broken_rule_is_one_line_with_the_words(linted, number):
    _, words = BROKEN[number]
    assert any(words in line for line in linted[number])


@pytest.mark.parametrize("number", range(len(RIGHT)))
def test_good_english_code_and_exceptions_pass(linted, number):
    assert linted[len(BROKEN) + number] == []


def test_a_notebook_is_read_with_its_alternative_texts_but_without_its_code(tmp_path, capsys):
    image = {"mystnb": {"image": {"alt": "A line that comes from above and comes twice."}}}
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": ["Fine."]},
        {"cell_type": "code", "metadata": image, "source": ["comes = 1"], "outputs": []},
    ]
    found = findings(tmp_path, capsys, json.dumps({"cells": cells}), "page.ipynb")
    assert len(found) == 1
    assert "comes twice" in found[0]


def test_the_hints_of_a_catalogue_are_read(tmp_path, capsys):
    found = findings(tmp_path, capsys, '[[tasks]]\nhints = ["What came twice?"]\n', "c.toml")
    assert len(found) == 1
