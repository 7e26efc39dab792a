"""Assignments that differ: what a file of variants may say, who gets what, and what is released."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from examiner.errors import UserError
from examiner.release.variants import (
    AS_IT_STANDS,
    Drawing,
    read_variants,
    require_places,
    told,
    varied,
    varied_notebook,
)
from tests.conftest import DEMO_CATALOGUE

Command = Callable[..., Result]
SIZES = """
sizes = [
    ["For n = 1 and 2, set", "For n = 2 and 3, set", "For n = 3 and 4, set"],
    ["range(1, 3)", "range(2, 4)", "range(3, 5)"],
]
words = [["the cat", "the hen"]]
"""
TEXT = "For n = 1 and 2, set `lengths` for range(1, 3) of the cat."


def variants(folder: Path, text: str = SIZES):
    (folder / "demo.toml").write_text(text, "utf-8")
    return read_variants(folder / "demo.toml")


def notebook(text: str = TEXT):
    return {"cells": [{"cell_type": "markdown", "metadata": {}, "source": text}]}


def test_all_places_of_a_variant_change_together(tmp_path: Path) -> None:
    found = variants(tmp_path)
    texts = {
        varied_notebook(notebook(), Drawing(f"year {n}").edits(found, "demo"))["cells"][0]["source"]
        for n in range(60)
    }
    assert texts == {
        f"For n = {n} and {n + 1}, set `lengths` for range({n}, {n + 2}) of the {animal}."
        for n in (1, 2, 3)
        for animal in ("cat", "hen")
    }


def test_without_a_secret_everybody_gets_what_stands_in_the_source(tmp_path: Path) -> None:
    assert AS_IT_STANDS.edits(variants(tmp_path), "demo", "ada") == ()
    assert read_variants(tmp_path / "other.toml") == ()


def test_a_draw_follows_from_secret_chapter_variant_and_student_alone(tmp_path: Path) -> None:
    found = variants(tmp_path)
    ada = Drawing("s", {"ada": "ada"})
    assert ada.choices(found, "demo", "ada") == Drawing("s").choices(found, "demo", "ada")
    of_each = Counter(
        tuple(Drawing("s").choices(found, "demo", f"student {n}").values()) for n in range(600)
    )
    assert len(of_each) == 6
    assert min(of_each.values()) > 60, "each of six draws has a share of about a sixth"
    alone = Drawing("s").choices(found[1:], "demo", "ada")
    assert alone["words"] == Drawing("s").choices(found, "demo", "ada")["words"]
    assert told({"sizes": 2, "words": 0}, found) == "sizes 3 of 3, words 1 of 2"


def test_where_students_have_their_own_the_class_and_strangers_have_what_stands_there(
    tmp_path: Path,
) -> None:
    found = variants(tmp_path)
    for drawing in (Drawing(f"year {n}", {"ada": "ada"}) for n in range(20)):
        assert drawing.edits(found, "demo") == drawing.edits(found, "demo", "ben") == ()


def test_no_edit_meets_what_another_one_wrote() -> None:
    assert varied("a b a.b", (("a", "b"), ("b", "c"), ("a.b", "d"))) == "b c d"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("sizes = [", "demo.toml is no TOML"),
        ("sizes = 3", "sizes should be a list of rows"),
        ("sizes = []", "sizes should be a list of rows"),
        ('sizes = ["one", "two"]', "sizes should be a list of rows"),
        ('sizes = [["one", ""]]', "sizes should be a list of rows"),
        ('sizes = [["one"]]', "the same number of texts, two or more"),
        ('sizes = [["one", "two"], ["a", "b", "c"]]', "the same number of texts"),
        ('sizes = [["one", "two", "two"]]', "two of its choices are the same"),
    ],
)
def test_what_is_no_variant_is_refused(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(UserError, match=complaint) as said:
        variants(tmp_path, text)
    assert "\n" not in str(said.value)


@pytest.mark.parametrize(("text", "times"), [(TEXT * 2, 2), ("something else", 0)])
def test_a_place_stands_in_the_notebook_once(tmp_path: Path, text: str, times: int) -> None:
    with pytest.raises(UserError, match=rf"variant sizes of demo\.ipynb: .* {times} times"):
        require_places(notebook(text), variants(tmp_path), "demo.ipynb")


@pytest.fixture
def course(demo_course: Path) -> Path:
    """The demonstration course with an assignment that has variants; nothing to install."""
    cells = [
        {"cell_type": "markdown", "id": "a", "metadata": {}, "source": [TEXT]},
        *(
            {
                "cell_type": "code",
                "id": task,
                "metadata": {"nextword": {"task": task}},
                "source": [],
                "outputs": [],
                "execution_count": None,
            }
            for task in ("9.1", "9.2")
            if f'id = "{task}"' in DEMO_CATALOGUE
        ),
    ]
    whole = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    text = json.dumps(whole, indent=1, ensure_ascii=False) + "\n"
    (demo_course / "solutions" / "demo.ipynb").write_text(text, "utf-8")
    (demo_course / "solutions" / "variants").mkdir()
    variants(demo_course / "solutions" / "variants")
    (demo_course / "course.toml").write_text("files = []\n", "utf-8")
    (demo_course / "class.csv").write_text("id,name\nada,Ada Ace\nben/..,Ben Bee\n", "utf-8")
    return demo_course


def first_cell(path: Path) -> str:
    return "".join(json.loads(path.read_text("utf-8"))["cells"][0]["source"])


def test_a_class_gets_one_variant_and_the_command_says_which(
    course: Path, nextword: Command
) -> None:
    done = nextword("release", "demo", "--to", "handout", "--variant", "year 7")
    assert done.exit_code == 0, done.output
    drawn = Drawing("year 7")
    found = read_variants(course / "solutions" / "variants" / "demo.toml")
    assert f"demo: {told(drawn.choices(found, 'demo'), found)}" in done.output
    given = first_cell(course / "handout" / "coursework" / "demo.ipynb")
    assert given == varied(TEXT, drawn.edits(found, "demo"))
    assert not list((course / "handout").rglob("variants"))


def test_each_student_gets_an_own_notebook_apart_from_what_all_get(
    course: Path, nextword: Command
) -> None:
    done = nextword(
        *("release", "demo", "--to", "out", "--variant", "year 7", "--per-student", "class.csv")
    )
    assert done.exit_code == 0, done.output
    found = read_variants(course / "solutions" / "variants" / "demo.toml")
    ada, ben = sorted((course / "out" / "personal").iterdir())
    for folder, student in ((ada, "ada"), (ben, "ben/..")):
        assert first_cell(folder / "demo.ipynb") == varied(
            TEXT, Drawing("year 7").edits(found, "demo", student)
        )
    assert not (course / "out" / "handout" / "coursework" / "demo.ipynb").exists()
    assert "yours alone" in (course / "out" / "handout" / "README.md").read_text("utf-8")
    assert "2 notebooks in out/personal" in done.output


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--per-student", "class.csv"), "--per-student needs --variant SECRET"),
        (("--variant", "x", "--format", "gradescope"), "judges the module"),
    ],
)
def test_options_that_contradict_each_other_are_wrong_use(
    course: Path, nextword: Command, options: tuple[str, ...], complaint: str
) -> None:
    done = nextword("release", "demo", "--to", "out", *options)
    assert done.exit_code == 2
    assert complaint in done.output
    assert not (course / "out").exists()


def test_a_chapter_without_variants_cannot_be_drawn(course: Path, nextword: Command) -> None:
    (course / "solutions" / "variants" / "demo.toml").unlink()
    done = nextword("release", "demo", "--to", "out", "--variant", "x")
    assert done.exit_code == 2
    assert "solutions/variants/demo.toml" in done.output


def test_sync_refuses_variants_that_do_not_fit(course: Path, nextword: Command) -> None:
    assert nextword("sync").exit_code == 0
    (course / "solutions" / "variants" / "demo.toml").write_text('x = [["gone", "here"]]')
    done = nextword("sync", "--check")
    assert done.exit_code == 2
    assert "variant x of demo.ipynb: this text stands there 0 times" in done.output
