"""What authors ask of a suite: hidden tests with tracebacks, many seeds, a table of tasks."""

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

Command = Callable[..., Result]

UNSTEADY = '''

@pytest.mark.task("9.2")
def test_unsteady(demo, rng):
    """Fails for one seed in two or so."""
    assert demo.add(int(rng.integers(2)), 0) == 1
'''


@pytest.fixture
def suite(demo_course: Path) -> Path:
    return demo_course / "tests" / "demo" / "suite" / "test_demo.py"


def test_each_task_is_listed_with_its_tests(suite: Path, nextword: Command) -> None:
    text = suite.read_text("utf-8")
    suite.write_text(text.replace('("9.2", weight=1, visible=True', '("9.2", weight=1'), "utf-8")
    result = nextword("suites", "demo", "--runs", "3")
    assert result.exit_code == 0, result.output
    rows = [line.split()[:5] for line in result.output.splitlines()]
    assert ["9.1", "4", "1", "1", "0"] in rows
    assert ["9.2", "6", "0", "1", "0"] in rows


def test_a_task_without_a_hidden_test_is_told(suite: Path, nextword: Command) -> None:
    result = nextword("suites", "demo")
    assert result.exit_code == 1
    assert "task 9.2 has no hidden test" in result.output


@pytest.mark.slow
def test_a_test_that_fails_for_some_seeds_is_found_and_can_be_repeated(
    suite: Path, nextword: Command
) -> None:
    suite.write_text(suite.read_text("utf-8") + UNSTEADY, "utf-8")
    result = nextword("suites", "demo", "--runs", "20")
    assert result.exit_code == 1
    line = next(each for each in result.output.splitlines() if "test_unsteady" in each)
    assert 0 < int(line.split(" of 20 runs")[0].split()[-1]) < 20
    seed = line.split('"')[1]
    repeated = nextword("check", "9.2", "--hidden", "--package", "solutions", "--seed", seed)
    assert repeated.exit_code == 1
    assert "9.2 test_unsteady: failed" in repeated.output
    assert "demo.add(int(rng.integers(2)), 0) == 1" in repeated.output
    assert "pluggy" not in repeated.output
    assert f'nextword check 9.2 --hidden --package solutions --seed "{seed}"' in result.output


@pytest.mark.slow
def test_processes_that_share_the_runs_find_the_same(suite: Path, nextword: Command) -> None:
    suite.write_text(suite.read_text("utf-8") + UNSTEADY, "utf-8")
    alone, shared = (nextword("suites", "demo", "--runs", "12", "--jobs", n) for n in ("1", "2"))
    lines = [
        [line for line in each.output.splitlines() if "unsteady" in line or "nextword" in line]
        for each in (alone, shared)
    ]
    assert lines[0] == lines[1]
    assert len(lines[0]) == 2


@pytest.mark.slow
def test_seeds_begin_as_asked(suite: Path, nextword: Command) -> None:
    suite.write_text(suite.read_text("utf-8") + UNSTEADY, "utf-8")
    result = nextword("suites", "demo", "--runs", "20", "--seed", "never used")
    assert 'first with --seed "never used ' in result.output
    assert nextword("suites", "demo", "--seed", " ").exit_code == 2


COUNTED = """

def note(name):
    with open("runs.txt", "a") as file:
        file.write(name + " ")


@pytest.mark.task("9.2")
def test_draws(demo, rng):
    note("draws")
    assert demo.add(1, 1) == 2


@pytest.mark.task("9.2")
def test_same(demo):
    note("same")
    assert demo.add(1, 1) == 2


@pytest.mark.task("9.2", visible=True)
def test_seen(demo, rng):
    note("seen")
    assert demo.add(1, 1) == 2
"""


@pytest.mark.parametrize("jobs", ["1", pytest.param("2", marks=pytest.mark.slow)])
def test_only_tests_that_draw_run_with_each_seed(suite: Path, nextword: Command, jobs: str) -> None:
    suite.write_text(suite.read_text("utf-8") + COUNTED, "utf-8")
    assert nextword("suites", "demo", "--runs", "5", "--jobs", jobs).exit_code == 0
    runs = Path("runs.txt").read_text("utf-8").split()
    assert sorted(runs) == ["draws"] * 5 + ["same", "seen"]


ENDLESS = """

@pytest.mark.task("9.2", seconds=0.3)
def test_endless(demo):
    while True:
        demo.add(1, 1)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "command", [["suites", "demo"], ["check", "--hidden", "--package", "solutions"]]
)
def test_the_limits_are_those_of_a_class(
    suite: Path, nextword: Command, command: list[str]
) -> None:
    suite.write_text(suite.read_text("utf-8") + ENDLESS, "utf-8")
    result = nextword(*command)
    assert result.exit_code == 1
    assert "test_endless" in result.output
    assert "timeout" in result.output


@pytest.mark.slow
def test_hidden_tests_say_which_seed_they_drew_from(suite: Path, nextword: Command) -> None:
    suite.write_text(suite.read_text("utf-8") + UNSTEADY, "utf-8")
    command = ["check", "9.2", "--hidden", "--package", "solutions"]
    first = nextword(*command)
    seed = first.output.split('--seed "')[1].split('"')[0]
    assert seed
    assert nextword(*command, "--seed", seed).output == first.output
    others = {nextword(*command).output.split('--seed "')[1] for _ in range(3)}
    assert len(others) == 3, "each run draws another seed"
    assert nextword(*command, "--seed", " ").exit_code == 2


def test_authors_see_hidden_tests_pass(suite: Path, nextword: Command) -> None:
    result = nextword("check", "--hidden", "--package", "solutions")
    assert result.exit_code == 0, result.output
    assert "demo: good" in result.output


def test_students_have_no_hidden_tests(demo_course: Path, nextword: Command) -> None:
    (demo_course / "solutions" / "demo.toml").rename(demo_course / "coursework" / "demo.toml")
    (demo_course / "solutions").rename(demo_course / "elsewhere")
    result = nextword("check", "9.1", "--hidden")
    assert result.exit_code == 2
    assert "--hidden is for authors" in result.output


@pytest.mark.slow
@pytest.mark.parametrize(
    "command", [["suites"], ["check"], ["check", "--hidden"], ["grade", "demo"]]
)
def test_a_test_of_an_unknown_task_is_told(
    suite: Path, nextword: Command, command: list[str]
) -> None:
    nextword("sync")
    suite.write_text(suite.read_text("utf-8").replace('"9.2"', '"9.3"'), "utf-8")
    result = nextword(*command, "--package", "solutions")
    assert result.exit_code == 2
    assert "test_counter: demo has no task 9.3" in result.output


@pytest.mark.slow
def test_a_suite_of_several_files_is_one_suite(
    demo_course: Path, suite: Path, nextword: Command
) -> None:
    folder = demo_course / "tests" / "demo" / "suite"
    (folder / "oracles.py").write_text("def one():\n    return 1\n", "utf-8")
    parts = suite.read_text("utf-8").partition('@pytest.mark.task("9.2"')
    head = "import pytest\n\nfrom tests.demo.suite.oracles import one\n\n\n"
    fixture = "@pytest.fixture\ndef demo(coursework):\n    return coursework.demo\n\n\n"
    second = (head + fixture + "".join(parts[1:])).replace("[1, 2]", "[one(), 2]")
    (folder / "test_second.py").write_text(second, "utf-8")
    (folder / "test_first.py").write_text(parts[0], "utf-8")
    suite.unlink()
    mistakes = demo_course / "tests" / "demo" / "mistakes"
    mistakes.mkdir(parents=True)
    for number, name in (("1", "add"), ("2", "Counter.step")):
        text = f"== 9.{number} {name} | mistake{number}\n> No.\nreturn 0\n"
        (mistakes / f"part{number}.txt").write_text(text, "utf-8")
    result = nextword("suites")
    rows = [line.split()[:5] for line in result.output.splitlines()]
    assert ["9.1", "4", "1", "1", "1"] in rows
    assert ["9.2", "6", "1", "0", "1"] in rows
    nextword("sync")
    for package, code in (("coursework", 1), ("solutions", 0)):
        assert nextword("check", "demo", "--package", package).exit_code == code
        graded = nextword("grade", "demo", "--package", package, "--json", "grades.json")
        assert graded.exit_code == 0, graded.output
        assert '"score": 10' in (demo_course / "grades.json").read_text("utf-8") or code
    released = nextword("release", "demo", "--to", "handout")
    assert released.exit_code == 0, released.output
    shipped = demo_course / "handout" / "tests" / "demo" / "suite"
    assert sorted(path.name for path in shipped.iterdir()) == [
        "oracles.py",
        "test_first.py",
        "test_second.py",
    ]
