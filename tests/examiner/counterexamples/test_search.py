"""The smallest input on which a wrong answer differs: which it is, and what is said of it."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

import pytest

from examiner.counterexamples.examples import find
from examiner.counterexamples.pool import Pool, from_json, pool_of, to_json, with_right
from examiner.counterexamples.search import Asked, ask
from examiner.errors import SuiteError
from examiner.judge.local import on_module
from examiner.judge.session import Session
from examiner.judge.wording import Source
from examiner.results import SmallestExample

REFERENCE = """from __future__ import annotations

import numpy as np


def shares(numbers):
    total = sum(numbers)
    return [number / total for number in numbers]


def table(rows) -> Float[np.ndarray, "B T"]:
    return np.array(rows, float)


def first(words):
    if not words:
        raise ValueError("no words")
    return words[0]


def flip(rng):
    return "heads" if rng.random() < 0.5 else "tails"
"""
SMALL = """
from examiner.counterexamples import example, small


@small("9.1", "shares")
def counts(draw):
    return example("shares(numbers)", numbers=draw.numbers(3, values=(1.0, 2.0, 3.0)))


@small("9.1", "shares", tries=1, last=True)
def a_tuple(draw):
    return example("shares((1.0, 3.0))")


@small("9.1", "table")
def rows(draw):
    return example("table(rows)", rows=draw.array(2, 3).tolist())


@small("9.1", "first")
def words(draw):
    return example("first(words)", words=draw.words(3))


@small("9.1", "flip")
def coins(draw):
    code = "Counter(flip(np.random.default_rng(seed)) for seed in range(400))"
    return example(code, chances={"heads": 0.5, "tails": 0.5})
"""
FUNCTIONS = {"shares": "numbers", "table": "rows", "first": "words", "flip": "rng"}


def session_of(text: str, folder: Path) -> Session:
    """A student's file in this process, with its lines known."""
    path = folder / "work.py"
    path.write_text(text, "utf-8")
    module = ModuleType("work")
    module.__file__ = str(path)
    exec(compile(text, str(path), "exec"), vars(module))
    session = on_module(None, "work", module)  # type: ignore[arg-type]
    return Session(session.suite, session.talk, Source("work.py", text), session.package)


@pytest.fixture
def pool(tmp_path: Path) -> Pool:
    """The pool of the functions above, with what is right."""
    suite = tmp_path / "tests" / "work" / "suite"
    suite.mkdir(parents=True)
    (suite / "small.py").write_text(SMALL, "utf-8")
    reference = tmp_path / "reference.py"
    reference.write_text(REFERENCE, "utf-8")
    session = session_of(REFERENCE, tmp_path)
    session.talk.begin(0, 100)
    return with_right(pool_of(suite, tmp_path, reference), session.talk)


def shown(pool: Pool, folder: Path, **bodies: str) -> Mapping[str, SmallestExample]:
    """What is said of the reference with other bodies in some functions."""
    text = REFERENCE
    for name, body in bodies.items():
        text += f"\n\ndef {name}({FUNCTIONS[name]}):\n"
        text += "".join(f"    {line}\n" for line in body.splitlines())
    opened = session_of(text, folder)
    found = find(pool, "9.1", [*FUNCTIONS], lambda: opened, lambda found, asked: "")
    return {each.symbol: each for each in found}


def test_right_code_has_no_example(pool: Pool, tmp_path: Path) -> None:
    assert shown(pool, tmp_path) == {}


def test_the_first_that_differs_is_the_smallest(pool: Pool, tmp_path: Path) -> None:
    found = shown(pool, tmp_path, shares="return [n / max(numbers) for n in numbers]")["shares"]
    assert found.size == 2, "one number alone has the right share"
    assert found.call.startswith("shares([")
    assert re.fullmatch(r"the numbers sum to [\d.]+, not to 1", found.where)


@pytest.mark.parametrize(
    ("function", "body", "gives", "where"),
    [
        ("shares", "return tuple(reversed(shares_(numbers)))", "NameError", "in line"),
        ("shares", "return [n for n in numbers][1:]", "[]", "1 item too few"),
        ("table", "return np.array(rows, float).T", "", "the shape is (T, B) = (3, 2)"),
        ("table", "x = np.array(rows, float)\nx[1, 2] += 1\nreturn x", "«", "1 place of 6 differs"),
        ("table", "return np.array(rows) + np.nan", "nan", "nan where there should be a number"),
        ("first", "return words.pop(0)", '"', "afterwards `words` is another than before"),
        ("first", "return words[0]", "IndexError", "in line"),
        ("first", "return words[0] if words else None", "None", ""),
        ("first", "return print", "an object of type", ""),
        ("first", "while True: pass", "no answer within", "in line"),
        ("flip", "return 'heads'", '"heads": 400', "of 400 draws, "),
        ("flip", "return rng.choice(['heads', 'edge'])", "", "it should never come"),
    ],
)
def test_what_is_told_of_a_wrong_answer(
    pool: Pool, tmp_path: Path, function: str, body: str, gives: str, where: str
) -> None:
    found = shown(pool, tmp_path, **{function: body})[function]
    assert gives in found.gives
    assert where in found.where


def test_an_error_is_told_with_the_line_and_the_values_there(pool: Pool, tmp_path: Path) -> None:
    body = "place = 7\nreturn words[place]"
    found = shown(pool, tmp_path, first=body)["first"]
    assert found.gives == "IndexError: list index out of range"
    assert "of work.py: `return words[place]`, where" in found.where
    assert "place = 7" in found.where


def test_of_a_loop_that_does_not_end_its_head_is_told_wherever_it_was_cut_off(
    pool: Pool, tmp_path: Path
) -> None:
    """On which of its lines the time is up is luck, and pages are the same on every machine."""
    body = "n = 0\nwhile n < 2:\n    n = 1\n    for word in words:\n        n = min(n, 1)"
    found = shown(pool, tmp_path, first=body)["first"]
    assert found.gives.startswith("no answer within")
    assert re.fullmatch(r"in line \d+ of work\.py: `while n < 2:`", found.where)


def test_an_answer_that_differs_from_call_to_call_is_told_as_that(
    pool: Pool, tmp_path: Path
) -> None:
    body = "import random\nreturn random.choice(words) + str(random.random())"
    found = shown(pool, tmp_path, first=body)["first"]
    assert "and then" in found.gives
    assert found.where == "it gives another answer when it is called again with the same"


def test_what_is_asked_last_is_asked_of_those_alone_who_are_right_so_far(
    pool: Pool, tmp_path: Path
) -> None:
    lists_only = "return [n / sum(numbers + []) for n in numbers]"
    assert shown(pool, tmp_path, shares=lists_only)["shares"].call == "shares((1.0, 3.0))"
    cases = pool.of("9.1", "shares")
    assert [case.last for case in cases] == [False] * (len(cases) - 1) + [True]
    opened = session_of(REFERENCE.replace("sum(numbers)", "sum(numbers + [1.0])"), tmp_path)
    opened.talk.begin(0, 100)
    asked = ask(opened.talk, pool, cases)
    assert asked.first is not None
    assert not any(case.last for case, _ in asked.rows), "another mistake shows what it is alone"


def test_a_stored_pool_asks_the_same_last(pool: Pool) -> None:
    again = from_json(json.loads(json.dumps(to_json(pool))))
    cases = [(case.key, case.last) for case in pool.cases["9.1"]]
    assert [(case.key, case.last) for case in again.cases["9.1"]] == cases


def test_where_all_values_are_right_the_form_is_told(pool: Pool, tmp_path: Path) -> None:
    body = "total = sum(numbers)\nreturn tuple(n / total for n in numbers)"
    found = shown(pool, tmp_path, shares=body)["shares"]
    assert found.where.endswith("what differs is the form: a tuple where a list is expected")


def test_what_is_not_written_yet_has_no_example(pool: Pool, tmp_path: Path) -> None:
    assert shown(pool, tmp_path, shares="raise NotImplementedError") == {}


def test_the_pool_is_the_same_for_everybody(pool: Pool, tmp_path: Path) -> None:
    suite, reference = tmp_path / "tests" / "work" / "suite", tmp_path / "reference.py"
    again = pool_of(suite, tmp_path, reference)
    keys = {task: [case.key for case in cases] for task, cases in again.cases.items()}
    assert keys == {task: [case.key for case in cases] for task, cases in pool.cases.items()}


def test_a_parameter_is_not_taken_for_a_helper_of_the_suite(tmp_path: Path) -> None:
    """A program whose own function has a parameter `limit` is not given the suite's `limit`."""
    (tmp_path / "sorting.py").write_text(REFERENCE)
    (tmp_path / "small.py").write_text(
        """
from examiner.counterexamples import example, small


def limit(draw):
    return draw.integer(1, 3)


def doubled(numbers):
    return [2 * number for number in numbers]


@small("9.1", "shares")
def counts(draw):
    code = "def cut(each, limit): return each[:limit]\\nshares(cut(doubled(numbers), 2))"
    return example(code, numbers=draw.numbers(3, values=(1.0, 2.0, 3.0)))
"""
    )
    pool = pool_of(tmp_path, tmp_path, tmp_path / "sorting.py")
    for _, _, helpers in pool.programs(pool.cases["9.1"]):
        assert "def doubled" in helpers
        assert "def limit" not in helpers


def test_code_that_ends_the_program_is_told_as_that(pool: Pool, tmp_path: Path) -> None:
    found = shown(pool, tmp_path, first="raise SystemExit")["first"]
    assert found.gives == "SystemExit"
    assert "`raise SystemExit`" in found.where


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("1 / 0", "division by zero"),
        (
            "from examiner.counterexamples import example, small\n"
            '@small("9.1", "first")\ndef f(draw):\n    return "first()"\n',
            "gives str, which is no example",
        ),
        (
            "from examiner.counterexamples import example, small\n"
            '@small("9.1", "first")\ndef f(draw):\n    return example("x = 1")\n',
            "the last line of an example is an expression",
        ),
        (
            "from examiner.counterexamples import example, small\n"
            '@small("9.1", "first")\ndef f(draw):\n    return example("first(w)", w=object())\n',
            "object is no plain value",
        ),
    ],
)
def test_an_authors_mistake_is_named(tmp_path: Path, text: str, complaint: str) -> None:
    suite = tmp_path / "tests" / "work" / "suite"
    suite.mkdir(parents=True)
    (suite / "small.py").write_text(text, "utf-8")
    (tmp_path / "reference.py").write_text(REFERENCE, "utf-8")
    with pytest.raises(SuiteError, match=complaint):
        pool_of(suite, tmp_path, tmp_path / "reference.py")


def test_asked_tells_which_differ(pool: Pool) -> None:
    rows = [(case, case.right) for case in pool.of("9.1", "first")]
    asked = Asked(tuple((case, right) for case, right in rows if right is not None))
    assert not any(asked.wrong)
    assert asked.first is None
