"""Claims of the pages: every value keeps its bounds, and pages, command and list say the same."""

import json

import nbformat
import numpy as np
import pytest
from typer.testing import CliRunner

from nextword.claims import Claim, claim
from nextword.claims.book import as_json, page, stated
from nextword.claims.measured import MIME, shown
from nextword.cli import app
from tests.course import COURSE

MADE = Claim(
    "The gate remembers.",
    "share right, LSTM minus RNN",
    (0.5, 0.25, 0.375),
    above=0.2,
    budget="600 steps",
    control="an RNN of the same size",
)


def test_a_line_says_effect_spread_seeds_and_bounds():
    assert MADE.line == (
        "share right, LSTM minus RNN: 0.375 (0.25 to 0.5); tried: 3 seeds; tested: above 0.2"
    )
    both = Claim("x", "loss", (1.5,), above=1, below=2, unit="nats")
    assert both.line == "loss: 1.5 nats; tried: once, an observation; tested: above 1 and below 2"
    assert both.is_observation
    assert Claim("x", "width", (1.0,), above=0, unit="times").mean == "1.00 times"
    parts = Claim("x", "loss", (1.0, 2.0), over="layers of one network", once=True, below=3)
    assert parts.line == (
        "loss: 1.5 (1 to 2); tried: 2 layers of one network, an observation; tested: below 3"
    )


def test_a_page_shows_the_number_then_what_it_is_then_small_how_sure_that_is():
    made = Claim("x", "weight of *hen* & co", (0.5, 0.25), above=0.2, unit="more")
    assert made.html == (
        '<p class="nw-claim"><b>0.375 more</b> <span>(0.25 to 0.5)</span> '
        "<span>Weight of <em>hen</em> &amp; co</span> "
        "<small>Tried: 2 seeds; tested: above 0.2</small></p>"
    )
    once = Claim("x", "loss", (1.5,), below=2)
    assert "<b>1.5</b> <span>Loss</span> <small>Tried: once, an observation;" in once.html


@pytest.mark.parametrize("values", [(0.5, 0.2), (0.5, 0.1), (0.1, 0.9)])
def test_one_value_outside_its_bounds_is_enough(values):
    with pytest.raises(AssertionError, match=r"The gate remembers\. share: .* tested: above 0\.2"):
        claim("The gate remembers.", "share", values, above=0.2)


@pytest.mark.parametrize("values", [[], [float("nan")], [1.0, float("inf")]])
def test_no_number_no_claim(values):
    with pytest.raises(ValueError, match="one or more finite numbers"):
        claim("x", "share", values, above=0)


def test_a_claim_without_a_bound_is_none():
    with pytest.raises(ValueError, match="a claim needs a bound"):
        claim("x", "share", 1.0)


@pytest.mark.parametrize("values", [np.array([1.0, 2.0]), [1, 2], (np.float32(1), 2.0)])
def test_rows_of_any_kind(values, capsys):
    claim("x", "share", values, above=0)
    assert capsys.readouterr().out == "share: 1.5 (1 to 2); tried: 2 seeds; tested: above 0\n"


@pytest.mark.parametrize("value", [1, 1.0, np.float64(1), np.array(1.0)])
def test_a_number_of_any_kind(value, capsys):
    claim("x", "share", value, above=0)
    assert capsys.readouterr().out == "share: 1; tried: once, an observation; tested: above 0\n"


def test_numbers_are_written_for_readers():
    numbers = (0.5, 100.0, 99.96, -0.00123, 1e12, 2.0, 0.999)
    assert [*map(shown, numbers)] == ["0.5", "100", "100", "-0.00123", "1e+12", "2", "0.999"]


def notebook(*cells):
    return nbformat.writes(nbformat.v4.new_notebook(cells=[*cells]))


def stored(made):
    data = made._repr_mimebundle_()
    output = nbformat.v4.new_output("display_data", data=data)
    return nbformat.v4.new_code_cell("claim(...)", outputs=[output])


def text(source):
    return nbformat.v4.new_markdown_cell(source)


@pytest.fixture
def chapters(tmp_path):
    folder = tmp_path / "chapters"
    folder.mkdir()
    later = Claim("Last.", "gap", (1.0,), above=0, below=2)
    cells = (
        text("# 4 Gates\n\nWhy."),
        text("(sec-4-7)=\n## 4.7 GRU\n\n### A part"),
        stored(MADE),
    )
    (folder / "04-gates.ipynb").write_text(notebook(*cells), "utf-8")
    (folder / "ladder.ipynb").write_text(notebook(text("# The ladder"), stored(later)), "utf-8")
    return folder


def test_claims_are_read_back_whole_and_in_order(chapters):
    first, last = stated(chapters)
    assert first.claim == MADE
    assert last.claim.above == 0
    assert (first.title, first.section, first.label) == ("4 Gates", "4.7 GRU", "sec-4-7")
    assert (last.title, last.section, last.label) == ("The ladder", "The ladder", "")
    assert as_json(first)["spread"] == [0.25, 0.5]
    assert as_json(last)["observation"] is True


def test_the_table_of_contents_says_in_which_order_pages_are_read(chapters):
    (chapters.parent / "_toc.yml").write_text(
        "- file: chapters/ladder\n- file: chapters/04-gates\n"
    )
    assert [each.title for each in stated(chapters)] == ["The ladder", "4 Gates"]


def test_the_page_links_each_section_and_counts(chapters):
    made = page(list(stated(chapters)))
    assert "The book makes 2 such claims. 1 of them were tried several times." in made
    assert "**[4.7 GRU](#sec-4-7)**" in made
    assert "Budget: 600 steps." in made
    assert "Control: an RNN of the same size." in made


def test_the_command_lists_what_the_book_claims(tmp_path):
    found = CliRunner().invoke(app, ["claims", "--json", str(tmp_path / "claims.json")])
    assert found.exit_code == 0, found.output
    listed = json.loads((tmp_path / "claims.json").read_text("utf-8"))
    assert len(listed) == len([*stated(COURSE.root / "chapters")])
    assert f"{len(listed)} claims, " in found.stdout


def test_what_is_stored_has_the_mime_type_that_is_read():
    assert json.loads(json.dumps(MADE._repr_mimebundle_()[MIME]))["values"] == [0.5, 0.25, 0.375]
