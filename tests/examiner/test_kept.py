"""The same answers to the same questions are judged once, and as if the test had been run."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from examiner.boundary import wire
from examiner.candidate.host import Host
from examiner.judge import local
from examiner.judge import suite as suites
from examiner.judge.kept import Kept
from examiner.judge.local import on_file
from examiner.judge.runs import Terms
from examiner.judge.session import Judged, Session, package_of
from examiner.judge.suite import Suite, with_suite
from examiner.judge.wording import Source
from examiner.results import Verdict

SUITE = '''"""A suite that asks for all that there is."""

import itertools

import pytest

from examiner.suite import library_names, map_calls, ship

TIMES = itertools.count()


@pytest.fixture
def work(coursework):
    return coursework.work


@pytest.fixture(scope="module")
def before():
    return list(range(3))


@ship
def doubled(function, n):
    return 2 * function(n)


@pytest.mark.task("9.1")
def test_hidden(work, rng):
    """Any number is doubled."""
    n = int(rng.integers(100))
    assert work.double(n) == 2 * n
    assert [*map_calls(work.double, [(1,), (2,)])] == [2, 4]


@pytest.mark.task("9.1", visible=True)
def test_visible(work):
    """Two and two are four."""
    assert work.double(2) == 4


@pytest.mark.task("9.1", visible=True)
def test_visible_steps(work):
    """Two, three and four are doubled."""
    assert [work.double(n) for n in (2, 3, 4)] == [4, 6, 8]


@pytest.mark.task("9.1")
def test_hidden_steps(work):
    """Five, six and seven are doubled."""
    assert [work.double(n) for n in (5, 6, 7)] == [10, 12, 14]


@pytest.mark.task("9.1")
def test_refuses(work):
    """What is no number is refused."""
    assert work.double(1) == 2
    with pytest.raises(ValueError):
        work.double("a")


@pytest.mark.task("9.1")
def test_objects(work):
    """A counter counts, and has a helper beside it."""
    counter = work.Counter(3)
    assert isinstance(counter, work.Counter)
    assert [counter.step(), counter.step()] == [4, 5]
    assert [*counter] == [1, 2]
    assert doubled(work.double, 4) == 16


@pytest.mark.task("9.1")
def test_names(work):
    """What the file defines, and what it uses."""
    assert work.double(1) == 2
    assert not hasattr(work, "triple")
    assert "math" not in library_names(work.double)


@pytest.mark.task("9.1")
def test_by_chance(work):
    """It asks something else each time."""
    n = next(TIMES)
    assert work.double(n) == 2 * n


@pytest.mark.task("9.1")
def test_shared(work, before):
    """It has a fixture in common with others."""
    assert work.double(before[1]) == 2
'''

WORK = '''"""Work."""


def double(n):
    if isinstance(n, str):
        raise ValueError("no number")
    return 2 * n


class Counter:
    def __init__(self, start):
        self.now = start

    def step(self):
        self.now += 1
        return self.now

    def __iter__(self):
        return iter([1, 2])
'''


class Desk:
    """A suite, what is kept of it, and how often its tests were run."""

    def __init__(self, suite: Suite, folder: Path, runs: list[str]) -> None:
        self.suite, self.folder, self.runs = suite, folder, runs
        self.kept: Kept | None = Kept()

    def judge(self, source: str, *names: str) -> dict[str, Judged]:
        """Judge a submission by some tests; say in `runs` which were run for it."""
        self.runs.clear()
        (self.folder / "work.py").write_text(source, "utf-8")
        session = on_file(self.suite, self.folder / "work.py")
        assert isinstance(session, Session), session
        session = replace(session, kept=self.kept)
        wanted = [test for test in self.suite.tests if test.name in names or not names]
        return {test.name: session.run(test, Terms("s")) for test in wanted}

    def alone(self, source: str, *names: str) -> dict[str, Judged]:
        """Judge it with nothing kept."""
        kept, self.kept = self.kept, None
        try:
            return self.judge(source, *names)
        finally:
            self.kept = kept


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Run something at a desk: a suite stands only while pytest holds it."""
    folder = tmp_path / "tests" / "work" / "suite"
    folder.mkdir(parents=True)
    (folder / "test_work.py").write_text(SUITE, "utf-8")
    (tmp_path / "coursework").mkdir()
    runs: list[str] = []
    plain = Suite.run

    def counted(self: Suite, test: suites.SuiteTest, run: suites.Run) -> suites.Ran:
        runs.append(test.name)
        return plain(self, test, run)

    monkeypatch.setattr(Suite, "run", counted)

    def at_a_desk(do: Callable[[Desk], None]) -> None:
        with_suite(folder, tmp_path, lambda s: do(Desk(s, tmp_path / "coursework", runs)))

    return at_a_desk


STEADY = (
    "test_hidden",
    "test_visible",
    "test_visible_steps",
    "test_hidden_steps",
    "test_refuses",
    "test_objects",
    "test_names",
)


def test_a_test_is_run_twice_and_then_judged_by_what_was_said(desk) -> None:
    def do(desk: Desk) -> None:
        alone = desk.alone(WORK, *STEADY)
        for _ in range(2):  # once would not show that it asks the same each time
            desk.judge(WORK, *STEADY)
            assert desk.runs == [*STEADY]
        found = desk.judge(WORK, *STEADY)
        assert desk.runs == []
        assert {name: each.told for name, each in found.items()} == {
            name: each.told for name, each in alone.items()
        }
        assert {each.verdict for each in found.values()} == {Verdict.PASSED}

    desk(do)


@pytest.mark.parametrize(
    "change",
    [
        ("return 2 * n", "return 2 * n + 1"),
        ("return 2 * n", "return 2 * n if n != 2 else 5"),  # the first answers are as before
        ("return 2 * n", "return 2.0 * n"),
        ("return 2 * n", "raise KeyError(n)"),
        ("return 2 * n", "raise NotImplementedError('not yet')"),
        ('raise ValueError("no number")', "raise KeyError"),
        ("self.now += 1", "self.now += 2"),
        ("def double", "def triple"),
        ("def double(n):", "import math\n\n\ndef triple(n):\n    return 3 * n\n\n\ndef double(n):"),
        ("    return 2 * n", "    import math\n\n    return 2 * n"),
        ("return iter([1, 2])", "return iter([1])"),
        ("class Counter", "class Other"),
    ],
)
def test_other_answers_are_judged_as_without_others(desk, change: tuple[str, str]) -> None:
    def do(desk: Desk) -> None:
        for _ in range(3):
            desk.judge(WORK, *STEADY)
        other = WORK.replace(*change)
        assert other != WORK
        alone = {name: each.told for name, each in desk.alone(other, *STEADY).items()}
        for _ in range(3):
            found = desk.judge(other, *STEADY)
            assert {name: each.told for name, each in found.items()} == alone
        assert desk.runs == []
        assert {each.verdict for each in desk.judge(WORK, *STEADY).values()} == {Verdict.PASSED}

    desk(do)


def test_what_else_a_class_has_does_not_count(desk) -> None:
    """A student's helper beside the methods that a test asks for is nothing to the test."""

    def do(desk: Desk) -> None:
        for _ in range(2):
            desk.judge(WORK, "test_objects")
        more = "class Counter:\n    def help(self):\n        pass\n"
        found = desk.judge(WORK.replace("class Counter:", more), "test_objects")["test_objects"]
        assert found.verdict is Verdict.PASSED
        assert desk.runs == []
        no_method = WORK.replace("def step(self)", "step = 3\n\n    def walk(self)")
        assert desk.judge(no_method, "test_objects")["test_objects"].verdict is Verdict.FAILED
        assert desk.runs == ["test_objects"]

    desk(do)


def test_whoever_answers_all_with_the_same_fails_whether_questions_go_together_or_not(
    desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def do(desk: Desk) -> None:
        for _ in range(3):
            desk.judge(WORK, "test_objects")
        yes = wire.encode(["ok", True])
        monkeypatch.setattr(Host, "_answer", lambda *_: (yes, True))
        host = Host(desk.folder)
        host.use(ModuleType("work"))
        talk = local._talk_to(host, Source("work.py", ""))
        directory = {"Counter": "callable", "double": "callable"}
        package = package_of(talk, "work", directory)
        [test] = [test for test in desk.suite.tests if test.name == "test_objects"]
        session = Session(desk.suite, talk, Source("work.py", ""), package, directory=directory)
        alone = session.run(test, Terms("s"))
        found = replace(session, kept=desk.kept).run(test, Terms("s"))
        assert found.told == alone.told
        assert found.verdict is Verdict.FAILED

    desk(do)


def test_a_message_quotes_the_students_own_line(desk) -> None:
    """Another student's exception is raised in another line: the verdict is kept, not the words."""

    def do(desk: Desk) -> None:
        wrong = WORK.replace("return 2 * n", "return n.doubled  # {}")
        for student in ("first", "second"):
            desk.judge(wrong.format(student), "test_hidden")
        found = desk.judge("\n\n\n" + wrong.format("third"), "test_hidden")["test_hidden"]
        assert desk.runs == []
        assert found.verdict is Verdict.FAILED
        assert found.result.message == (
            "AttributeError in line 10 of work.py: `return n.doubled  # third`"
        )

    desk(do)


def test_what_asks_something_else_each_time_is_always_run(desk) -> None:
    def do(desk: Desk) -> None:
        for _ in range(4):
            found = desk.judge(WORK, "test_by_chance", "test_shared")
            assert desk.runs == ["test_by_chance", "test_shared"]
            assert {each.verdict for each in found.values()} == {Verdict.PASSED}

    desk(do)


def test_a_test_that_strays_from_what_is_kept_is_run_anew(desk) -> None:
    """Were a question kept that the test does not ask, the answers would not count."""

    def do(desk: Desk) -> None:
        for _ in range(2):
            desk.judge(WORK, "test_hidden")
        assert desk.kept is not None
        steps = [s for s in desk.kept._steps.values() if s.what == "ask"]
        last = next(s for s in desk.kept._steps.values() if s.ending)
        last.sure = False
        steps[0].question = steps[0].question.replace(b"double", b"trebly")
        found = desk.judge(WORK, "test_hidden")["test_hidden"]
        assert found.told == desk.alone(WORK, "test_hidden")["test_hidden"].told
        assert len(desk.kept.unsteady) == 1
        desk.judge(WORK, "test_hidden")
        assert desk.runs == ["test_hidden"]

    desk(do)


def test_a_test_whose_own_work_might_use_up_its_time_is_run(desk) -> None:
    def do(desk: Desk) -> None:
        for _ in range(3):
            desk.judge(WORK, "test_hidden")
        assert desk.runs == []
        assert desk.kept is not None
        last = next(s for s in desk.kept._steps.values() if s.ending)
        assert last.ending is not None
        last.ending = replace(last.ending, computed=11.0)
        assert desk.judge(WORK, "test_hidden")["test_hidden"].verdict is Verdict.PASSED
        assert desk.runs == ["test_hidden"]

    desk(do)
