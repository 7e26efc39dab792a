"""The documentation corpus: what it reads, keeps and drops, and that its splits share nothing."""

import sysconfig
from pathlib import Path

import pytest

from examiner.errors import UserError
from nextword.corpora import cache, pydocs, text

TOPICS = '''topics = {'if': """The "if" statement
******************

The "if" statement is used for conditional execution [1]:

   if_stmt ::= "if" assignment_expression ":" suite

It selects exactly one of the suites.

   if x:
       pass
"""}
'''
MODULE = '''"""Tools for heaps of hay.

This module is *quite* small; see `needle` and :func:`heapq.heappush`.

+------+-----+
| name | use |
+------+-----+
"""

raise SystemExit("this module was imported")


class Hay:
    """A heap of hay that can be searched."""

    async def find(self):
        """Return the needle as a new object.

        >>> Hay().find()
        """

        def inner():
            """Nobody outside can ever read this text."""
'''


@pytest.fixture
def library(tmp_path, monkeypatch):
    """A small standard library in place of the real one."""
    folder = tmp_path / "lib"
    (folder / "pydoc_data").mkdir(parents=True)
    (folder / "pydoc_data" / "topics.py").write_text(TOPICS, encoding="utf-8")
    (folder / "json" / "tests").mkdir(parents=True)
    (folder / "heapq.py").write_bytes(MODULE.replace("\n", "\r\n").encode())
    for path in ("json/__init__.py", "mine.py", "_weakrefset.py", "json/tests/a.py", "tkinter.py"):
        title = path.replace("/", " in ")
        source = (
            f'"""The docstring of this module is {title}.\n\nIt is one that all of them share."""'
        )
        (folder / path).write_text(source, encoding="utf-8")
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(folder))
    yield folder
    forget()


def forget():
    pydocs._all_documents.cache_clear()


@pytest.fixture(autouse=True)
def fresh():
    forget()
    yield
    forget()


def test_reads_prose_of_public_modules_and_topics_only(library):
    assert pydocs.documents() == (
        pydocs.Document(
            "module:heapq",
            (
                "Tools for heaps of hay.",
                "This module is quite small; see needle and heapq.heappush.",
                "A heap of hay that can be searched.",
                "Return the needle as a new object.",
            ),
        ),
        pydocs.Document(
            "module:json",
            (
                "The docstring of this module is json in __init__.py.",
                "It is one that all of them share.",
            ),
        ),
        pydocs.Document(
            "topic:if",
            (
                'The "if" statement is used for conditional execution:',
                "It selects exactly one of the suites.",
            ),
        ),
    )


def test_a_second_process_reads_the_stored_parse(library):
    first = pydocs.documents()
    (library / "pydoc_data" / "topics.py").unlink()
    forget()
    assert pydocs.documents() == first


def test_a_damaged_store_is_made_again(library):
    first = pydocs.documents()
    (stored,) = cache.folder("pydocs").glob("*.json")
    stored.write_text("[[", encoding="utf-8")
    forget()
    assert pydocs.documents() == first


@pytest.mark.parametrize("missing", ["pydoc_data/topics.py", "*.py"])
def test_a_python_without_sources_says_what_to_install(library, missing):
    for path in list(library.glob(missing)) + list(library.glob(f"json/{missing}")):
        path.unlink()
    with pytest.raises(UserError, match=r"needs Python's own source files, .* is missing; use a"):
        pydocs.documents()


def test_a_cache_folder_that_cannot_be_written_does_not_matter(library, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "file"))
    assert len(pydocs.documents()) == 3


@pytest.mark.parametrize(
    "block",
    [
        "x = f(x) is what it does here.",
        "    >>> print the words of it.",
        "match.group([group1, ...]) -> str or tuple.",
        "Three words only.",
        "This title has no full stop",
        "a  b\n-----\n1  2 of the old table.",
        "Takes (a, *b, **c, d_e, f.g, h[1]) always.",
        "name -- what is it called\nport -- where it is found\nhost -- which one it is.",
    ],
)
def test_code_tables_and_titles_are_no_prose(block):
    assert pydocs.prose(block) == []


@pytest.mark.parametrize(
    ("block", "clean"),
    [
        ("Uses :class:`~os.PathLike` objects\n  and :ref:`that page <page>`.", None),
        ("1. Uses os.PathLike objects and that page.", None),
        (":param x: Uses os.PathLike objects and that page.", None),
        ("Uses os.PathLike objects and that page [#f1]_.", None),
        ("The **end** of ``the`` `list`_ is near::", "The end of the list is near:"),
        ("It\u2019s \u201cgood\u201d and run-\n  time only.", 'It\'s "good" and run-time only.'),
    ],
)
def test_marks_are_taken_off(block, clean):
    assert pydocs.prose(block) == [clean or "Uses os.PathLike objects and that page."]


def test_a_list_becomes_one_paragraph_per_item():
    raw = "There are two rules here:\n* the first rule is good.\n* the second rule is\n  better."
    assert pydocs.prose(raw)[1:] == ["the first rule is good.", "the second rule is better."]


@pytest.mark.slow
def test_the_real_library_gives_enough_text_and_says_what_it_depends_on():
    words = pydocs.sentences()
    assert sum(map(len, words)) > 150_000
    assert min(map(len, words)) >= pydocs.SHORTEST
    assert f"{sum(map(len, words)):,} words" in pydocs.description()
    assert pydocs.depends_on() in pydocs.description()
    common = {"the", "of", "is", "a", "to"}
    assert all(any(word in common for word in s) for s in words if len(s) > 150)
    printable = sum(c.isascii() for c in pydocs.characters()) / len(pydocs.characters())
    assert printable > 0.999


def test_splits_cover_everything_and_share_no_document_or_paragraph():
    parts = {split: pydocs.documents(split) for split in text.SPLITS}
    assert sorted(d.name for p in parts.values() for d in p) == [d.name for d in pydocs.documents()]
    paragraphs = [p for part in parts.values() for d in part for p in d.paragraphs]
    assert len(paragraphs) == len(set(paragraphs))
    sizes = {split: sum(map(len, pydocs.sentences(split))) for split in text.SPLITS}
    assert sizes["train"] > 4 * sizes["validation"] > 0
    assert sizes["train"] > 4 * sizes["test"] > 0
    assert min(sizes.values()) > 5_000


def test_lower_casing_is_an_option():
    upper, lower = pydocs.sentences("test"), pydocs.sentences("test", lower=True)
    assert [[w.lower() for w in s] for s in upper] == lower != upper


def test_an_unknown_split_lists_the_known_ones():
    with pytest.raises(UserError, match=r"unknown split 'dev': expected one of train, validation"):
        pydocs.documents("dev")


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ("It's re-read, e.g. by os.path.join().", "It's re-read , e.g. by os.path.join ( ) ."),
        ('He said: "1,000.5 or 3.11?"', 'He said : " 1,000.5 or 3.11 ? "'),
        ("wait... what--no!", "wait ... what -- no !"),
        ("x_1 + __init__ == 2", "x_1 + __init__ = = 2"),
        ("", ""),
    ],
)
def test_words(sentence, words):
    assert text.words(sentence) == words.split()


@pytest.mark.parametrize(
    ("paragraph", "expected"),
    [
        ("One. Two? Three!", ["One.", "Two?", "Three!"]),
        ("Mr. Smith has 3.5 apples, i.e. Many. of them", None),
        ('He said "No." She left.', ['He said "No."', "She left."]),
        ("Use (it). (Or do not.)", ["Use (it).", "(Or do not.)"]),
        ("", []),
    ],
)
def test_sentences(paragraph, expected):
    assert text.sentences(paragraph) == ([paragraph] if expected is None else expected)


def test_sentences_keep_every_word():
    for document in pydocs.documents("test"):
        for paragraph in document.paragraphs:
            assert " ".join(text.sentences(paragraph)) == paragraph


def test_a_split_depends_on_the_name_alone():
    names = [f"name {i}" for i in range(2_000)]
    found = [text.split_of(name) for name in names]
    assert found == [text.split_of(name) for name in names]
    assert 1_550 < found.count("train") < 1_650
    assert 150 < found.count("test") < 250
    assert {text.split_of(n, validation=0, test=0) for n in names} == {"train"}


def test_read_only_files_are_read_as_utf8(tmp_path):
    path = Path(tmp_path / "x.json")
    assert cache.write_json(path, ["å", 1])
    assert cache.read_json(path) == ["å", 1]
    assert list(tmp_path.iterdir()) == [path]
    assert cache.read_json(tmp_path) is None
