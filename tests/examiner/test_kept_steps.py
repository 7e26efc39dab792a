"""What is kept of tests has bounds, and keys that nobody can forge; of which tests it is kept."""

from pathlib import Path

import pytest

from examiner.boundary import wire
from examiner.boundary.deadline import Deadline
from examiner.boundary.usage import Usage
from examiner.judge.kept import Kept, Step, heard_as
from examiner.judge.suite import Suite, with_suite
from tests.examiner.test_kept import SUITE

CLOCKS = (
    "import time",
    "from random import random",
    "from datetime import datetime as now",
    "from tests.work.suite.helper import seconds",
)


@pytest.mark.parametrize("line", ["import math", *CLOCKS])
def test_what_has_a_clock_or_luck_is_always_run(tmp_path: Path, line: str) -> None:
    folder = tmp_path / "tests" / "work" / "suite"
    folder.mkdir(parents=True)
    helper = '"""A helper."""\nimport time\nseconds = lambda: 1\n'
    (folder / "helper.py").write_text(helper, "utf-8")
    text = SUITE.replace("import itertools\n", f"import itertools\n{line}\n", 1)
    (folder / "test_work.py").write_text(text, "utf-8")
    found: dict[str, bool] = {}

    def look(suite: Suite) -> None:
        found.update({test.name: test.goes_by_answers for test in suite.tests})

    with_suite(folder, tmp_path, look)
    assert found["test_hidden"] is (line == "import math")
    assert not found["test_shared"]


class Used:
    def __init__(self, computed: float) -> None:
        self.computed = computed

    def used(self, *, closely: bool = True) -> Usage:
        return Usage(self.computed, None)


def test_a_deadline_tells_whether_more_may_be_computed() -> None:
    meter = Used(0.0)
    deadline = Deadline(10.0, meter)  # type: ignore[arg-type]
    assert deadline.allows(9.9)
    meter.computed, deadline._look_at = 6.0, 0.0  # as if some seconds had gone by
    assert not deadline.allows(4.1)
    assert not deadline.allows(10.0)


def test_what_is_kept_has_bounds() -> None:
    kept, key = Kept(room=10_000), Kept().root("a test")
    first = key
    for number in range(100):
        step = Step("ask", b"question" * 10)
        assert kept.note(first, key, step)
        key = step.after(key, b"%d" % number)
    assert kept._size <= 10_000
    assert len(kept._steps) < 20
    assert kept.at(first) is None


def test_keys_differ_by_every_byte_of_questions_and_answers() -> None:
    root = Kept(b"suite").root("test", "seed", 0)
    others = [Kept(b"suit").root("test", "seed", 0), Kept(b"suite").root("test", "seed", 1)]
    step = Step("ask", b"a")
    keys = [root, *others, step.after(root, b"b"), step.after(root, b"c")]
    keys += [Step("ask", b"ab").after(root, b""), Step("ask", b"").after(root, b"ab")]
    keys += [Step("reads", b"a").after(root, b"b"), step.after(keys[3], b"b")]
    assert len(set(keys)) == len(keys)


def test_lines_of_an_exception_do_not_count_and_a_broken_answer_does() -> None:
    def told(lines: object) -> tuple[bytes, tuple[int, ...] | None, bool]:
        return heard_as(b"", wire.encode(["error", ["ValueError", "no", lines]]))

    assert told([3, 4])[0] == told([5])[0]
    assert told([3, 4])[1:] == ((3, 4), True)
    for broken in (["x"], [-1], [1 << 40], None):  # of which a test would say: it is no answer
        assert told(broken)[1:] == (None, False)
    assert heard_as(b"", b"\x92\xa5error")[1:] == (None, False)
    # an answer that only looks like what is made of another's exception
    assert heard_as(b"", told([3])[0])[0] != told([3])[0]
    batch = wire.encode(["batch", [], {}, []])
    answer = wire.encode(["ok", [wire.encode(["error", ["ValueError", "no", [3]]])]])
    assert heard_as(batch, answer)[2] is False
    assert heard_as(b"", answer)[2] is True
