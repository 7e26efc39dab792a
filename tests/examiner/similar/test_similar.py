"""Submissions that are alike are found, in groups, whatever a copy is disguised by."""

import json
import random
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest
from typer.testing import Result

from examiner.errors import UserError
from examiner.grading.works import Entry
from examiner.similar.compare import Comparison, compare, opened
from examiner.similar.groups import Member, Pair, grouped, pairs_of
from examiner.similar.index import Limits, alike
from examiner.similar.known import Known, known, unique, without
from examiner.similar.pages import LONGEST, write_pages, write_text
from examiner.similar.tokens import words
from examiner.similar.winnowing import GRAM, WINDOW, fingerprints
from tests.course import COURSE
from tests.examiner.similar.disguises import DISGUISES

MINE = '''
def spread(values, centre):
    """How far they are."""
    total = 0.0
    for position, value in enumerate(values):
        difference = value - centre
        total += difference * difference / (position + 1)
    return total ** 0.5
'''
OTHER = """
def spread(values, centre):
    import numpy as np
    weights = 1 / np.arange(1, len(values) + 1)
    return float(np.sqrt(np.dot(weights, np.square(np.asarray(values) - centre))))
"""
STUB = """
def given(words, sizes):
    for word in words:
        sizes[word] = sizes.get(word, 0) + len(word) * 2 - 1
    return [word for word in words if sizes[word] > 3 and word.isalpha()]
"""
CLASS = Path("tests/ngrams/class")


def class_of(folder: Path, texts: Mapping[str, str], stem: str = "tiny") -> Path:
    for name, text in texts.items():
        (folder / name).mkdir(parents=True)
        (folder / name / f"{stem}.py").write_text(text, "utf-8")
    return folder


def compared(
    folder: Path, *past: Path, given: Known | None = None, limits: Limits | None = None
) -> Comparison:
    with opened(folder, past) as members:
        return compare(members, "tiny", given or Known(), limits or Limits())


def names(found: Comparison) -> list[list[str]]:
    return [[member.name for member in group.members] for group in found.groups]


# ------------------------------------------------------------------------- tokens, fingerprints


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a = (b + c)  # sum", "x=y+z"),
        ("def f(a: list[int], *b: int, c: str = 'x') -> None: ...", "def g(x, *y, z='other'): ..."),
        ("def f():\n    'Says what.'\n    return 1", "def f():\n    return 1"),
        ("f(a,\n  b,\n)", "f(a, b)"),
        ("total: float = 0.5", "total = 0.5"),
        ("a = b + \\\n    c", "a = b + c"),
        ('"""Doc."""\nx = f"{y}"', "x = ''"),
        ("return (\n    a\n)", "return a"),
    ],
)
def test_what_does_not_matter_is_left_out(one: str, other: str) -> None:
    assert words(one) == words(other) != []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a + b", "a - b"),
        ("f(a)", "f[a]"),
        ("return a", "yield a"),
        ("a = 1", "a = 2"),
        ("len(a)", "sum(a)"),
        ("x = lambda a: a + 1", "x = lambda: 1"),
        ("x[1:2]", "x[1, 2]"),
        ("f(())", "f()"),
    ],
)
def test_what_matters_is_kept(one: str, other: str) -> None:
    assert words(one) != words(other)


@pytest.mark.parametrize(
    "text", ["", "def f(:\n  return ((", "'''", "\\", "\0", "}{", "@@@\n" * 50]
)
def test_what_is_no_python_is_read_all_the_same(text: str) -> None:
    assert len(fingerprints(text).hashes) == len(fingerprints(text).starts)


@pytest.mark.parametrize("quote", ["'", '"'])
def test_quotes_without_an_end_are_read_at_once(quote: str) -> None:
    begun = time.process_time()
    assert len(words(quote + rf"\{quote}" * 100_000)) == 100_001
    assert time.process_time() - begun < 10


def test_a_common_stretch_leaves_a_fingerprint() -> None:
    """Schleimer et al.: GRAM + WINDOW - 1 tokens are enough, wherever they stand."""
    luck = random.Random(3)
    marks = ["+", "-", "*", "/", "%", "@", "1", "2", "3", "len", "sum", "max"]
    for _ in range(50):
        shared, *around = (
            " ".join(luck.choices(marks, k=n))
            for n in (GRAM + WINDOW - 1, *luck.choices(range(60), k=4))
        )
        one = unique([f"{around[0]} {shared} {around[1]}"])
        assert len(np.intersect1d(one, unique([f"{around[2]} {shared} {around[3]}"])))


def test_a_function_that_was_moved_has_the_same_fingerprints() -> None:
    one, other = unique([MINE + STUB]), unique([STUB + MINE])
    assert one.tolist() == other.tolist() != []
    assert len(one) == len(unique([MINE])) + len(unique([STUB]))


def test_a_fingerprint_says_where_it_stands() -> None:
    prints = fingerprints(STUB + MINE)
    for start, end in zip(prints.starts, prints.ends, strict=True):
        assert len(words((STUB + MINE)[start:end])) == pytest.approx(GRAM, abs=2)


# --------------------------------------------------------------------------------------- index


def by_hand(sets: list[list[int]], current: int, limits: Limits) -> set[tuple[int, int, int]]:
    times = Counter(x for each in sets for x in each)
    kept = [{x for x in each if times[x] <= limits.common} for each in sets]
    return {
        (n, m, len(one & other))
        for n, one in enumerate(kept[:current])
        for m, other in enumerate(kept)
        if m > n
        and len(one & other) >= limits.shared
        and len(one & other) >= limits.least * min(len(one), len(other))
    }


@pytest.mark.parametrize("seed", range(5))
def test_the_index_finds_what_all_pairs_would(seed: int) -> None:
    luck = random.Random(seed)
    sets = [sorted(luck.sample(range(40), luck.randrange(25))) for _ in range(30)]
    limits = Limits(least=0.5, shared=3, common=12)
    found = alike([np.array(each, np.uint64) for each in sets], 20, limits)
    assert {(p.one, p.other, p.shared) for p in found.pairs} == by_hand(sets, 20, limits) != set()


def test_nobody_to_compare() -> None:
    assert alike([], 0, Limits()).pairs == ()
    assert alike([np.array([1, 2], np.uint64)], 1, Limits()).pairs == ()
    assert alike([np.zeros(0, np.uint64)] * 3, 3, Limits()).pairs == ()


def test_what_is_known_does_not_count() -> None:
    one = unique([STUB + MINE])
    assert without(one, unique([STUB])).tolist() == unique([MINE]).tolist()


# ------------------------------------------------------------------------------ groups, a class


def member(name: str, past: str = "") -> Member:
    return Member(name, Entry(name), past)


def test_pairs_make_groups_and_the_strongest_comes_first() -> None:
    a, b, c, d, e = map(member, "abcde")
    pairs = [Pair(a, b, 0.7, 20), Pair(b, c, 0.8, 20), Pair(d, e, 0.9, 20)]
    one, other = grouped(pairs)
    assert [m.name for m in one.members] == ["d", "e"]
    assert [m.name for m in other.members] == ["a", "b", "c"]
    assert [pair.share for pair in other.pairs] == [0.8, 0.7]


def test_a_solution_that_goes_round_is_not_common_knowledge() -> None:
    """A hundred who hand in the same are found; a hundred lines that all share are not."""
    same = np.arange(50, dtype=np.uint64)
    members = [member(f"s{n:03d}") for n in range(100)]
    pairs, common = pairs_of(members, [same] * 100, Limits())
    assert len(pairs) == 99
    assert not len(common)
    own = [
        np.r_[same, np.arange(1000 * n + 1000, 1000 * n + 1010)].astype(np.uint64)
        for n in range(100)
    ]
    pairs, common = pairs_of(members, own, Limits())
    assert not pairs
    assert common.tolist() == same.tolist()


def test_a_renamed_copy_is_found_and_the_stub_does_not_count(tmp_path: Path) -> None:
    copied = MINE.replace("values", "xs").replace("total", "s").replace("difference", "d")
    texts = {
        "ann": STUB + MINE,
        "bo": copied + STUB,
        "cy": STUB + OTHER,
        "di": STUB,
        "ed": "def f(",
    }
    given = Known(stub=unique([STUB]))
    found = compared(class_of(tmp_path / "class", texts), given=given)
    assert names(found) == [["ann", "bo"]]
    assert (found.compared, found.short) == (3, 2)
    with opened(tmp_path / "class", []) as members:
        compare(members, "tiny", given, Limits())
        (path,) = write_pages(
            tmp_path / "page.html", COURSE.catalogue.chapters[0], found, given, most=10
        )
    text = path.read_text("utf-8")
    marked = "".join(part.split("</mark>")[0] for part in text.split("<mark>")[1:])
    assert "enumerate" in marked
    assert "isalpha" not in marked
    assert "<script" not in text


def test_years_past_are_compared_with_this_one_alone(tmp_path: Path) -> None:
    now = class_of(tmp_path / "now", {"ann": MINE, "bo": OTHER})
    past = class_of(tmp_path / "past", {"Ann": MINE, "zoe": MINE, "yan": STUB, "xi": STUB})
    found = compared(now, past)
    (group,) = found.groups
    old = past.as_posix()
    assert [each.name for each in group.members] == [f"{old}/Ann", f"{old}/zoe", "ann"]
    assert {pair.names[1]: pair.is_of_one_student for pair in group.pairs} == {
        f"{old}/Ann": True,
        f"{old}/zoe": False,
    }
    assert (found.compared, found.past) == (2, 4)


def test_documents_beside_the_works_are_named(tmp_path: Path) -> None:
    now = class_of(tmp_path / "now", {"ann": MINE, "bo": OTHER})
    past = class_of(tmp_path / "past", {"zoe": MINE})
    (now / "cy.py.txt").write_text(MINE, "utf-8")
    (past / "di.pdf").touch()
    notes: list[str] = []
    with opened(now, [past], None, notes.append):
        pass
    first, second = notes
    assert first.startswith("passed over: cy.py.txt")
    assert second.startswith(f"{past}: passed over: di.pdf")


def test_a_page_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(UserError, match=r"folder cannot be written: [^;]*$"):
        write_text(tmp_path / "folder", "text")


def test_bad_input_is_one_line(tmp_path: Path) -> None:
    now = class_of(tmp_path / "now", {"ann": MINE})
    with pytest.raises(UserError, match="there is no folder"), opened(now, [tmp_path / "2019"]):
        pass
    with pytest.raises(UserError, match="given twice"), opened(now, [tmp_path / "now" / "."]):
        pass
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match="holds no submissions"), opened(tmp_path / "empty", []):
        pass
    assert names(compared(now)) == []
    (tmp_path / "now" / "bo").mkdir()
    assert compared(now).unread[0][0] == "bo"


def test_many_groups_are_on_several_pages_and_old_ones_go(tmp_path: Path) -> None:
    def pages_of(count: int) -> list[Path]:
        pairs = [Pair(member(f"a{n}"), member(f"b{n}"), 1.0, 20) for n in range(count)]
        found = Comparison(
            "tiny", tuple(grouped(pairs)), (), 2 * count, 0, 0, (), np.zeros(0, np.uint64)
        )
        return write_pages(tmp_path / "s.html", COURSE.catalogue.chapters[0], found, Known(), 10)

    three = pages_of(110)
    assert [path.name for path in three] == ["s.html", "s-2.html", "s-3.html"]
    assert 'href="s-3.html#group-110"' in three[0].read_text("utf-8")
    assert 'id="group-110"' in three[2].read_text("utf-8")
    (tmp_path / "s-notes.html").write_text("mine")
    assert len(pages_of(60)) == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "s-2.html",
        "s-notes.html",
        "s.html",
    ]


def test_what_a_page_shows_of_a_pair_is_bounded(tmp_path: Path) -> None:
    long = "".join(MINE.replace("spread", f"f{n}").replace("+ 1", f"+ {n}") for n in range(300))
    folder = class_of(tmp_path / "class", {"ann": long, "bo": long})
    with opened(folder, []) as members:
        found = compare(members, "tiny", Known(), Limits())
        (path,) = write_pages(tmp_path / "p.html", COURSE.catalogue.chapters[0], found, Known(), 10)
    assert LONGEST < path.stat().st_size < 6 * LONGEST


def test_a_page_says_how_many_of_the_pairs_it_shows_side_by_side(tmp_path: Path) -> None:
    names = ["ann", "bo", "cy", "di", "ed"]
    folder = class_of(tmp_path / "class", dict.fromkeys(names, MINE))
    with opened(folder, []) as members:
        found = compare(members, "tiny", Known(), Limits())
        (path,) = write_pages(tmp_path / "p.html", COURSE.catalogue.chapters[0], found, Known(), 10)
    text = path.read_text("utf-8")
    assert len(found.groups[0].pairs) == 4  # of copies that are equal: each with the first
    assert text.count("<details") == 3
    assert "The first 3 of these pairs stand side by side:" in text


# ------------------------------------------------------------------------------------ disguises

KEEPS = {  # the share of the original's fingerprints that a disguised copy keeps, at least
    "comments and docstrings": 1.0,
    "no type hints": 1.0,
    "other names": 1.0,
    "functions in another order": 1.0,
    "lines split, parentheses": 1.0,
    "all of these": 1.0,
}
LESS = 0.25


@pytest.mark.parametrize("name", DISGUISES)
def test_a_disguised_copy_is_found(name: str) -> None:
    text = (COURSE.root / CLASS / "alice" / "ngrams.py").read_text("utf-8")
    stub = unique([(COURSE.root / "coursework" / "ngrams.py").read_text("utf-8")])
    one = without(unique([text]), stub)
    other = without(unique([DISGUISES[name](text, random.Random(1))]), stub)
    share = len(np.intersect1d(one, other)) / min(len(one), len(other))
    assert share >= KEEPS.get(name, LESS)
    independent = (COURSE.root / CLASS / "ines" / "ngrams.py").read_text("utf-8")
    alone = without(unique([independent]), stub)
    assert len(np.intersect1d(one, alone)) / min(len(one), len(alone)) < LESS


def test_the_command_lists_groups(tmp_path: Path, nextword: Callable[..., Result]) -> None:
    class_of(tmp_path / "class", {"ann": MINE, "bo": MINE, "cy": OTHER}, "ngrams")
    page, table = str(tmp_path / "page.html"), tmp_path / "groups.json"
    done = nextword(
        "similar", "ngrams", str(tmp_path / "class"), "--out", page, "--json", str(table)
    )
    assert done.exit_code == 0, done.output
    assert "group 1: ann, bo\n  100%  ann and bo\n" in done.output
    found = json.loads(table.read_text("utf-8"))
    (pair,) = found["groups"][0]["pairs"]
    assert (pair["students"], pair["share"]) == (["ann", "bo"], 1.0)
    assert Path(page).is_file()


def test_answers_of_the_reference_are_known() -> None:
    from examiner.project import find_project

    project = find_project(COURSE.root)
    text = project.module("solutions", "ngrams").read_text("utf-8")
    given = known(project, "ngrams")
    assert not len(without(without(unique([text]), given.stub), given.answers))
    assert len(without(unique([text]), known(project, "ngrams", reference=False).stub))
