"""What Python in the page is made of: numbers as numpy's, what it is given, how it is fetched.

Leaves out the page itself: tests/book/test_practice.py.
"""

import io
import json
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examiner.errors import UserError
from examiner.project import Project
from nextword.practice import bundle, offered, pyodide
from nextword.practice.inside import arrays, draws, small_numpy, work
from tests.local_server import use_an_empty_cache

PROJECT = Project(Path(__file__).parents[2])


# ---------------------------------------------------------------- draws
@settings(max_examples=40)
@given(seed=st.integers(0, 2**140), weights=st.lists(st.integers(0, 9), min_size=1, max_size=9))
def test_draws_are_those_of_numpy(seed, weights):
    total = sum(weights) or 1
    p = [w / total for w in weights] if sum(weights) else [1.0, *[0.0] * (len(weights) - 1)]
    n = len(p)
    many = list(range(20))
    programs = [
        lambda rng: rng.random(),
        lambda rng: rng.random(3).tolist(),
        lambda rng: rng.integers(7),
        lambda rng: rng.integers(-2, 5, size=3).tolist(),  # an odd number of halves of a word
        lambda rng: rng.integers(1 << 40, size=2).tolist(),
        lambda rng: rng.integers(3, 3, endpoint=True),
        lambda rng: rng.choice(n, p=p),
        lambda rng: rng.choice(n, size=5, p=p).tolist(),
        lambda rng: rng.choice(list("abc"), size=4).tolist(),
        lambda rng: rng.permutation(9).tolist(),
        lambda rng: rng.shuffle(many) or list(many),
        lambda rng: rng.uniform(2, 5),
        lambda rng: rng.zipf(1.5, size=5).tolist(),
        lambda rng: rng.bit_generator.advance(1 << 64) and rng.random(),
        lambda rng: rng.bit_generator.state,
    ]
    theirs, ours = np.random.default_rng(seed), draws.default_rng(seed)
    for number, program in enumerate(programs):
        many[:] = range(20)
        expected = program(theirs)
        many[:] = range(20)
        assert program(ours) == expected, number


def test_a_generator_goes_on_where_another_one_stands():
    theirs, ours = np.random.default_rng(5), draws.default_rng(0)
    theirs.integers(3)  # half of a word is left over
    ours.bit_generator.state = theirs.bit_generator.state
    assert [ours.integers(9) for _ in range(4)] == [theirs.integers(9) for _ in range(4)]


@pytest.mark.parametrize("p", [[0.5, 0.6], [-0.5, 1.5], [float("nan"), 1.0], [1.0]])
def test_what_numpy_refuses_as_chances_is_refused(p):
    for rng in (np.random.default_rng(0), draws.default_rng(0)):
        with pytest.raises(ValueError, match=r"[Pp]robabilities|size"):
            rng.choice(2, p=p)


# ---------------------------------------------------------------- arrays
TABLE = [[1.0, -2.0, 0.5], [4.0, 0.0, 3.0]]
USES = [
    lambda np: np.array(TABLE),
    lambda np: np.array(TABLE)[1],
    lambda np: np.array(TABLE)[:, 1],
    lambda np: np.array(TABLE)[[0, 1], [2, 0]],
    lambda np: np.array(TABLE)[1, 2],
    lambda np: np.array(TABLE)[-1][::-1],
    lambda np: np.array([3, 1, 2])[np.array([3, 1, 2]) > 1],
    lambda np: np.array(TABLE).T.reshape(-1),
    lambda np: np.array(TABLE) + np.array([1, 2, 3]),
    lambda np: 2 - np.array([1, 2]) * 3,
    lambda np: -np.array([1, 2]) / 4,
    lambda np: np.array(TABLE).sum(-1),
    lambda np: np.array(TABLE).max(0),
    lambda np: np.array([0.5, 0.25]).sum(),
    lambda np: np.array(TABLE) - np.array(TABLE).max(axis=-1, keepdims=True),
    lambda np: np.array([0.5, 0.25]).sum(keepdims=True),
    lambda np: np.stack([np.array([1, 2]), [3, 4]]),
    lambda np: np.argsort([3, 1, 2]),
    lambda np: np.log([1.0, 2.0]),
    lambda np: np.exp(np.array([0.0, -np.inf])),
    lambda np: np.isclose([1.0, 2.0, np.inf, np.nan], [1.0 + 1e-9, 2.1, np.inf, np.nan]),
    lambda np: np.allclose([1.0, 2.0], [1.0, 2.0 + 1e-9]),
    lambda np: np.argwhere(np.array(TABLE) > 0),
    lambda np: np.cumsum([1, 2, 3]),
    lambda np: np.concatenate([[1, 2], [3]]),
    lambda np: np.where(np.array([1, -1]) > 0, 1, 0),
    lambda np: np.arange(2, 5),
    lambda np: np.zeros((2, 2)),
    lambda np: np.frombuffer(np.array([1.5, 2.5]).tobytes(), np.dtype("float64")),
    lambda np: np.array2string(np.array([0.5, 1.0, 2.25]), separator=", ", precision=6),
]


@pytest.mark.parametrize("use", USES)
def test_arrays_are_those_of_numpy(use):
    expected, got = use(np), use(small_numpy)
    if isinstance(expected, str):
        assert got == expected
        return
    assert np.shape(expected) == getattr(got, "shape", ())
    assert np.asarray(expected).dtype.kind == small_numpy.asarray(got).dtype.kind
    np.testing.assert_array_equal(got.tolist() if hasattr(got, "tolist") else got, expected)


@pytest.mark.parametrize("ask", [lambda: small_numpy.linalg, lambda: arrays.array([1]).dot])
def test_what_is_missing_says_so(ask):
    with pytest.raises(AttributeError, match=r"the page's small numpy has no .*install the course"):
        ask()


# ---------------------------------------------------------------- lines of the reader's own
def test_lines_are_run_as_at_the_prompt():
    text = "def twice(x):\n    return 2 * x\n"
    assert (
        json.loads(work.run("mine", text, "y = twice(3)\nprint(y)\ny + 1", 5))["said"] == "6\n7\n"
    )
    said = json.loads(work.run("mine", text, "twice()", 5))
    assert said["failed"]
    assert said["said"].startswith("<your lines>, line 1: twice()\nTypeError: twice() missing")
    said = json.loads(work.run("mine", text, "twice(None)", 5))["said"]
    assert "mine.py, line 2: return 2 * x" in said


def test_only_the_beginning_of_what_is_printed_is_kept():
    said = json.loads(work.run("mine", "", "print('x' * 5000)", 5))["said"]
    assert said == "x" * work.MOST_PRINTED + "…"
    found = json.loads(work.run("mine", "", "print('x' * 5000)\n1 / 0", 5))
    assert found["failed"]  # and says why, however much was printed before
    said = found["said"].removeprefix("x" * work.MOST_PRINTED)
    assert said == "…\n<your lines>, line 2: 1 / 0\nZeroDivisionError: division by zero"


def test_what_is_printed_past_print_is_kept_too():
    lines = "import sys; sys.stdout.buffer.write('é'.encode()); print(end='!')"
    assert json.loads(work.run("mine", "", lines, 5))["said"] == "é!"


# ---------------------------------------------------------------- what the page is given
@pytest.mark.slow
def test_the_bundle_holds_what_students_get_and_no_more():
    data = bundle.bundle(PROJECT, offered.STEMS)
    assert data == bundle.bundle(PROJECT, offered.STEMS)  # a browser keeps it under its hash
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        texts = {name: archive.read(name).decode() for name in archive.namelist()}
    ours = {n: t for n, t in texts.items() if n.startswith(("coursework/", "tests/"))}
    assert not [name for name, text in ours.items() if "BEGIN SOLUTION" in text]
    assert not [
        n for n, t in ours.items() if t.count("pytest.mark.task") != t.count("visible=True")
    ]
    assert not [n for n in texts if n.startswith(("solutions/", "examiner/grading"))]
    assert "tests/ngrams/suite/test_counting.py" in texts
    for library in bundle.LIBRARIES:
        assert [n for n in texts if n.startswith(f"{library}-") and "licen" in n.lower()], library


def test_every_task_stands_where_the_page_looks_for_it():
    for chapter in PROJECT.catalogue.chapters:
        if chapter.stem not in offered.STEMS:
            continue
        facts = offered.described(PROJECT, chapter)
        lines = facts["stub"].splitlines()
        assert list(facts["tasks"]) == [
            task.id for task in chapter.tasks if offered.is_offered(chapter, task.id)
        ]
        for task_id, task in facts["tasks"].items():
            shown = [lines[part["begin"] : part["end"]] for part in task["parts"]]
            text = "\n".join(line for part in shown for line in part)
            assert f'raise NotImplementedError("{task_id} ' in text
            assert all(part[0].startswith(("def ", "class ")) for part in shown)


# ---------------------------------------------------------------- fetching
def test_pyodide_comes_from_the_registry_that_npm_uses(monkeypatch):
    for name in ("npm_config_registry", "NPM_CONFIG_REGISTRY"):
        monkeypatch.delenv(name, raising=False)
    ending = "/pyodide/-/pyodide-314.0.7.tgz"
    assert pyodide.download().url == f"https://registry.npmjs.org{ending}"
    monkeypatch.setenv("NPM_CONFIG_REGISTRY", "https://example.org/npm/")
    assert pyodide.download().url == f"https://example.org/npm{ending}"


def test_without_a_connection_the_book_is_built_and_told_why(monkeypatch, tmp_path, capsys):
    use_an_empty_cache(monkeypatch, tmp_path)
    monkeypatch.setenv("NPM_CONFIG_REGISTRY", "http://127.0.0.1:9")  # where nobody listens
    monkeypatch.delenv("npm_config_registry", raising=False)
    assert pyodide.main() == 0
    said = capsys.readouterr().err
    assert said.startswith("The book's tasks cannot be checked in its pages: http://127.0.0.1:9/")
    assert said.count("\n") == 1


def test_another_tarball_is_refused(monkeypatch, tmp_path):
    use_an_empty_cache(monkeypatch, tmp_path)
    pyodide.place().parent.mkdir(parents=True)
    pyodide.place().write_bytes(b"another")
    with pytest.raises(UserError, match="is not the expected file"):
        pyodide.fetch()


def test_what_a_page_loads_is_unpacked(tmp_path):
    with tarfile.open(tmp_path / "x.tgz", "w:gz") as archive:
        for name in (*pyodide.FILES, "README.md"):
            data = (
                b'{"info": 1, "packages": {"numpy": 1}}' if name == pyodide.LOCK else name.encode()
            )
            about = tarfile.TarInfo(f"package/{name}")
            about.size = len(data)
            archive.addfile(about, io.BytesIO(data))
    files = pyodide.unpack(tmp_path / "x.tgz", tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(pyodide.FILES)
    assert json.loads(files[-1].read_text()) == {"info": 1, "packages": {}}


@pytest.mark.parametrize("text", ["", "import math\n"])
def test_a_fresh_text_comes_from_the_box_and_no_folder(demo_course, text):
    """Where nothing was handed out, there is no folder or zip to take another one from."""
    told = []
    work.check(str(demo_course), "demo", "9.1", text, "{}", told.append)
    (said,) = [line["refused"] for line in map(json.loads, told) if "refused" in line]
    assert said.endswith(f": {work.FRESH}")
    assert "folder" not in said
