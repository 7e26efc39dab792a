"""`nextword check`: verdicts, messages and hints in the student's own process."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import Result

from examiner.catalogue import Chapter
from examiner.check.examples import blank
from examiner.check.hints import for_function, next_hints, open_function
from examiner.check.watch import wait_for_save, watch
from examiner.judge.timelimit import TimeLimitError, time_limit
from examiner.project import find_project
from examiner.results import TaskResult, Verdict
from tests.course import CHAPTERS, COURSE

Command = Callable[..., Result]


def write_work(course: Path, text: str) -> None:
    (course / "coursework" / "demo.py").write_text(text, "utf-8")


def verdicts(result: Result) -> dict[str, str]:
    answer = json.loads(result.output)
    return {task["id"]: task["verdict"] for task in answer["submissions"][0]["tasks"]}


def solution(course: Path) -> str:
    return (course / "solutions" / "demo.py").read_text("utf-8")


@pytest.mark.slow
def test_stubs_are_missing_and_the_solution_passes(demo_course: Path, nextword: Command) -> None:
    nextword("sync")
    stubs = nextword("check", "demo", "--json")
    assert stubs.exit_code == 1
    assert verdicts(stubs) == {"9.1": "missing", "9.2": "missing"}
    whole = nextword("check", "demo", "--json", "--package", "solutions")
    assert whole.exit_code == 0
    assert verdicts(whole) == {"9.1": "passed", "9.2": "passed"}


def test_only_visible_tests_are_run(demo_course: Path, nextword: Command) -> None:
    answer = json.loads(nextword("check", "demo", "--json", "--package", "solutions").output)
    names = [test["name"] for task in answer["submissions"][0]["tasks"] for test in task["tests"]]
    assert names == ["test_small_sum", "test_counter"]


@pytest.mark.parametrize(
    ("old", "new", "verdict", "message"),
    [
        ("return a + b", "return a - b", "failed", "add(1, 2)\n  got       -1\n  expected  3"),
        ("return a + b", "return a / 0", "failed", "ZeroDivisionError"),
        ("return a + b", "return {}[a]", "failed", "in line 7 of demo.py: `return {}[a]`"),
        ("return a + b", "raise MemoryError", "memory", "out of memory"),
        ("def add", "def plus", "missing", "demo.py has no add"),
        ("def add(", "def add(:", "failed", "SyntaxError"),
        ("def add(", "import nowhere\ndef add(", "failed", "No module named 'nowhere'"),
        ("def add(", "raise SystemExit\ndef add(", "crashed", "SystemExit"),
    ],
)
def test_a_failure_is_explained(
    demo_course: Path, nextword: Command, old: str, new: str, verdict: str, message: str
) -> None:
    write_work(demo_course, solution(demo_course).replace(old, new))
    answer = json.loads(nextword("check", "9.1", "--json").output)
    (task,) = answer["submissions"][0]["tasks"]
    assert task["verdict"] == verdict
    assert message in task["tests"][0]["message"]


@pytest.mark.slow
def test_an_endless_loop_costs_only_its_own_task(demo_course: Path, nextword: Command) -> None:
    work = solution(demo_course).replace("self.count += 1", "while True: pass")
    write_work(demo_course, work)
    assert verdicts(nextword("check", "demo", "--json")) == {"9.1": "passed", "9.2": "timeout"}


@pytest.mark.slow
def test_a_second_check_sees_the_edited_file(demo_course: Path, nextword: Command) -> None:
    write_work(demo_course, solution(demo_course))
    assert nextword("check", "9.1").exit_code == 0
    write_work(demo_course, solution(demo_course).replace("a + b", "a * b"))
    assert nextword("check", "9.1").exit_code == 1


def test_no_coursework_is_missing_work(demo_course: Path, nextword: Command) -> None:
    result = nextword("check", "demo")
    assert result.exit_code == 1
    assert "there is no coursework/demo.py" in result.output


def test_what_a_person_reads(demo_course: Path, nextword: Command) -> None:
    work = solution(demo_course).replace("return a + b", "print('noise'); return 'x\\x1b[2Jy'")
    write_work(demo_course, work)
    output = nextword("check", "demo").output
    assert "One and two are three." in output
    assert "1 of 2 tasks pass" in output
    assert "--hint" in output
    assert "Use -v" not in output
    assert output.count("noise") == 1
    assert "Your code printed, while the tests ran:\n    noise\n" in output
    assert "\x1b[2J" not in output


@pytest.mark.slow
def test_hints_come_one_by_one(demo_course: Path, nextword: Command) -> None:
    nextword("sync")
    first, second, third, fourth = (nextword("check", "9.1", "--hint").output for _ in range(4))
    assert "What is a sum?" in first
    assert "operator" not in first
    assert "operator" in second
    assert "a plus b" in third
    assert "that was all" in fourth
    assert "not written yet" not in first  # the hint, and nothing else


def test_one_hint_for_each_function(tmp_path: Path) -> None:
    task = replace(
        COURSE.catalogue.task("2.1"), hints=("Both. `pad`: a. `windows`: b.", "c", "`pad`: d.")
    )
    test = blank("pad")
    wrong = replace(test, verdict=Verdict.FAILED)
    pad = TaskResult(task, (wrong,))
    assert open_function(pad) == "pad"
    windows = TaskResult(task, (replace(test, verdict=Verdict.PASSED), replace(wrong, name="x")))
    assert open_function(replace(windows, tests=(*windows.tests, blank("windows")))) == "windows"
    named = replace(wrong, name="test", message="windows([1], 1)\n  got  []")
    assert open_function(replace(windows, tests=(named,))) == "windows"
    path = tmp_path / "hints.json"
    assert next_hints(path, task, "windows") == ["Both. `windows`: b."]
    assert next_hints(path, task, "pad") == ["Both. `pad`: a."]
    assert next_hints(path, task, "windows") == ["Both. `windows`: b.", "c"]
    assert next_hints(path, task, "windows")[2] == "`pad`: d."  # it has no part of its own


def test_methods_of_one_name_are_called_with_their_class() -> None:
    symbols = ("A.forward", "B.forward", "pad")
    hint = "`A.forward`: a. `B.forward`: b. `pad`: p."
    assert [for_function(hint, each, symbols) for each in symbols] == [
        "`A.forward`: a.",
        "`B.forward`: b.",
        "`pad`: p.",
    ]


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.stem)
def test_the_last_hint_of_a_task_has_a_part_for_each_function(chapter: Chapter) -> None:
    for task in chapter.tasks:
        parts = {for_function(task.hints[2], each, task.symbols) for each in task.symbols}
        assert len(parts) == len(task.symbols), task.id


@pytest.mark.slow
def test_watching_goes_from_task_to_task(
    demo_course: Path,
    demo_chapter: Chapter,
    nextword: Command,
    capsys: pytest.CaptureFixture[str],
) -> None:
    nextword("sync")
    saves = [
        solution(demo_course).replace("a + b", "a - b").replace("+= 1", "+= 2"),
        solution(demo_course).replace("+= 1", "+= 2"),
        solution(demo_course),
    ]

    def save(path: Path, before: tuple[int, int]) -> None:
        write_work(demo_course, saves.pop(0))

    watch(find_project(), [(demo_chapter, demo_chapter.tasks)], "coursework", save)
    assert not saves
    told = capsys.readouterr().out
    order = ["not written yet", "add(", "9.1 is done.", "Counter", "9.2 is done.", "All of"]
    places = [told.index(each) for each in order]
    assert places == sorted(places)


def test_a_save_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "work.py"
    path.write_text("a", "utf-8")
    contents = ["gone", "anew"]

    def sleep(seconds: float) -> None:
        path.unlink() if contents.pop(0) == "gone" else path.write_text("abc", "utf-8")

    monkeypatch.setattr("examiner.check.watch.time.sleep", sleep)
    about = path.stat()
    wait_for_save(path, (about.st_mtime_ns, about.st_size))
    assert not contents


@pytest.mark.slow
def test_a_damaged_hint_file_is_no_obstacle(demo_course: Path, nextword: Command) -> None:
    nextword("sync")
    (demo_course / ".nextword").mkdir()
    (demo_course / ".nextword" / "hints.json").write_text("[broken", "utf-8")
    assert "What is a sum?" in nextword("check", "9.1", "--hint").output


@pytest.mark.parametrize("name", ["poems", "9.7", "7", "9.x"])
def test_an_unknown_name_is_wrong_use(demo_course: Path, nextword: Command, name: str) -> None:
    result = nextword("check", name)
    assert result.exit_code == 2
    assert len(result.output.strip().splitlines()) == 1


def test_outside_a_course_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nextword: Command
) -> None:
    monkeypatch.chdir(tmp_path)
    result = nextword("check")
    assert result.exit_code == 2
    assert "no course folder" in result.output


def test_the_time_limit_lets_quick_work_pass_and_stops_slow_work() -> None:
    with time_limit(5):
        pass
    with pytest.raises(TimeLimitError, match=r"0\.05 s of computing time"), time_limit(0.05):
        _run_forever()


def test_the_time_limit_is_silent_off_the_main_thread() -> None:
    finished = []

    def work() -> None:
        with time_limit(0.001):
            finished.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert finished


def test_check_needs_nothing_that_windows_has_not() -> None:
    code = (
        "import signal, sys; sys.modules['resource'] = sys.modules['fcntl'] = None; "
        "sys.modules['psutil'] = type(sys)('psutil'); del signal.SIGALRM; "
        "import examiner.check.child, examiner.check.apart; "
        "assert not [name for name in sys.modules if name.startswith('examiner.grading')]"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_argument_that_was_changed_is_named(demo_course: Path, nextword: Command) -> None:
    suite = demo_course / "tests" / "demo" / "suite" / "test_demo.py"
    old = "assert demo.add(1, 2) == 3"
    suite.write_text(suite.read_text("utf-8").replace(old, "demo.add([1], [2])"), "utf-8")
    write_work(demo_course, solution(demo_course).replace("return a + b", "a += b"))
    answer = json.loads(nextword("check", "9.1", "--json").output)
    (test,) = answer["submissions"][0]["tasks"][0]["tests"]
    assert (test["verdict"], test["message"]) == (
        "failed",
        "your code changes its argument `a` in place: work on a copy of it",
    )


def _run_forever() -> None:
    while True:
        pass
