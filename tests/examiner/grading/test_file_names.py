"""No two students share a page, a stored result or a shown name, whatever they are called."""

import unicodedata
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examiner.grading.entries import shown_name
from examiner.grading.store import Store, file_name
from examiner.results import SubmissionResult
from tests.examiner.grading.conftest import REFERENCE, TinyCourse

ODD = "aA zZ.-_'09ée\u0301ßſK\u212a\u0130ıﬁ\x07\ud800\udc80#/\\"
NAMES = st.text(st.sampled_from(ODD) | st.characters(codec=None), max_size=60)


def same_file(name: str) -> str:
    """Return what two file names share if some system takes them for one file."""
    for form in ("NFKC", "NFKD"):  # capitals may come apart only then
        name = unicodedata.normalize(form, name).casefold()
    return name.rstrip(". ")


def sisters(name: str) -> Iterator[str]:
    """Names that are made to be taken for this one, or for its file."""
    yield from (name.upper(), name.lower(), name.title(), name.casefold())
    yield from (f"{name} ", f"{name}.", f" {name}", name.replace("'", "_"), name[:40])
    yield from (unicodedata.normalize(form, name) for form in ("NFC", "NFD", "NFKC", "NFKD"))
    yield from (file_name(name), file_name(name).upper(), file_name(file_name(name)))


@given(NAMES, NAMES)
def test_two_students_have_two_files(one: str, other: str) -> None:
    everyone = {one, other, *sisters(one), *sisters(other)}
    files = [same_file(f"{file_name(name)}.html") for name in everyone]
    assert len(set(files)) == len(everyone)


@given(NAMES)
def test_a_file_name_is_safe_everywhere(name: str) -> None:
    file = file_name(name)
    assert file == file.strip()
    assert not file.startswith((".", "-"))
    assert not file.endswith(".")
    assert not set(file) & set('/\\:*?"<>|\0\n\r\t\x7f')
    assert len(f"{file}.html".encode()) <= 255
    assert file.split(".")[0].strip().lower() not in {"con", "prn", "aux", "nul", "com1", "lpt9"}


@given(NAMES, NAMES)
def test_two_students_are_shown_by_two_names(one: str, other: str) -> None:
    everyone = {one, other, shown_name(one), shown_name(other), f"{one}\x07", f"{one}\x1b"}
    assert len({shown_name(name) for name in everyone}) == len(everyone)


@pytest.mark.parametrize("name", ["con", "CON.x", "nul .txt", "con ", "com1.tar", "O'Neil", "ANN"])
def test_names_that_cannot_stay(name: str) -> None:
    assert file_name(name) != name


@pytest.mark.parametrize("name", ["ann", "moodle-17", "ada lovelace", "x.y", "o_neil-a803dedb"])
def test_plain_names_stay(name: str) -> None:
    assert file_name(name) == name


def test_a_result_under_anothers_name_is_not_taken(tiny: TinyCourse) -> None:
    store = Store(tiny.project.root / "results", tiny.chapter)
    store.save({}, SubmissionResult("ann", (), ""))
    assert store.load("ann") is not None
    (tiny.project.root / "results" / "ann.json").rename(tiny.project.root / "results" / "ben.json")
    assert store.load("ben") is None


@pytest.mark.slow
def test_two_students_whose_names_were_one_file(tiny: TinyCourse) -> None:
    wrong = REFERENCE.replace("return sum(numbers)", "return 1 + sum(numbers)")
    names = {"O'Neil": REFERENCE, "O_Neil-a803dedb": wrong, file_name("O'Neil"): wrong}
    folder = tiny.hand_in(names)
    scores = {result.student: result.score for result in tiny.run(folder).results}
    again = tiny.run(folder)
    assert again.graded == 0
    assert {result.student: result.score for result in again.results} == scores
    assert scores == {"O'Neil": 10, "O_Neil-a803dedb": 7, file_name("O'Neil"): 7}
    pages = list((tiny.project.root / "grades").glob("*.html"))
    assert len(pages) == 3
