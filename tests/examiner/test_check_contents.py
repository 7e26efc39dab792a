"""What `nextword check` says of a file that is empty, misplaced or never read to its end, and of
what most often goes wrong in one."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from typer.testing import Result

from examiner.candidate.one_thread import NO_COMPILER
from examiner.check.child import LESS, Work
from examiner.check.contents import newer_copies, not_there, nothing_in
from examiner.check.job import Job
from examiner.judge import local
from examiner.judge.session import Refusal
from examiner.judge.suite import Suite
from examiner.sandbox.servers import environment

Command = Callable[..., Result]
FRESH = "take a fresh one"
ANOTHER_TEST = '''

@pytest.mark.task("9.1", visible=True)
def test_another_sum(demo):
    """Two and three are five."""
    assert demo.add(2, 3) == 5
'''


def solution(course: Path) -> str:
    return (course / "solutions" / "demo.py").read_text("utf-8")


def write_work(course: Path, text: str) -> None:
    (course / "coursework" / "demo.py").write_text(text, "utf-8")


EMPTY, NOTHING = "is empty", "defines no function of this chapter"


@pytest.mark.parametrize(
    ("text", "names", "what"),
    [
        ("", [], EMPTY),
        ("\n \n", [], EMPTY),
        ("import math\n", ["math"], NOTHING),
        ("ad = None\n", ["ad"], NOTHING),
    ],
)
def test_what_a_file_holds_instead_of_the_chapter(text: str, names: list[str], what: str) -> None:
    said = nothing_in(Path("coursework/demo.py"), text, names, ["add", "Counter.step"])
    assert said.startswith(f"coursework/demo.py {what}: {FRESH}")


@pytest.mark.slow
@pytest.mark.parametrize(("text", "what"), [("\ufeff", EMPTY), ("ad = None\n", NOTHING)])
def test_a_file_without_the_chapter_is_one_line(
    demo_course: Path, nextword: Command, text: str, what: str
) -> None:
    write_work(demo_course, text)
    found = nextword("check", "demo")
    assert found.exit_code == 1
    assert found.output.count(f"coursework/demo.py {what}: {FRESH}") == 1
    assert "NameError" not in found.output
    assert "--hint" not in found.output
    tasks = json.loads(nextword("check", "demo", "--json").output)["submissions"][0]["tasks"]
    assert {task["verdict"] for task in tasks} == {"missing"}
    assert what in nextword("check", "9.1", "--hint").output


@pytest.mark.slow
def test_no_hint_is_spent_on_a_file_that_cannot_be_read(
    demo_course: Path, nextword: Command
) -> None:
    write_work(demo_course, solution(demo_course).replace("def add(", "def add(:"))
    for _ in range(2):
        assert "SyntaxError in line" in nextword("check", "9.1", "--hint").output
    write_work(demo_course, solution(demo_course).replace("a + b", "a - b"))
    assert "(1 of 3)" in nextword("check", "9.1", "--hint").output


def test_a_function_that_is_missing_is_named(demo_course: Path, nextword: Command) -> None:
    nextword("sync")
    write_work(demo_course, solution(demo_course).replace("def add", "def plus"))
    said = nextword("check", "demo").output
    assert said.count("demo.py has no add") == 1
    assert "NameError" not in said


def test_a_chapter_may_be_called_by_its_file(demo_course: Path, nextword: Command) -> None:
    write_work(demo_course, solution(demo_course))
    for name in ("demo.py", "coursework/demo.py"):
        assert nextword("check", name).exit_code == 0


@pytest.mark.parametrize("name", ["demo (1).py", "Demo.py", "demo.py.txt", "demos.py", "my_demo"])
def test_a_file_of_another_name_is_found(tmp_path: Path, name: str) -> None:
    (tmp_path / "other.py").touch()
    (tmp_path / "demo.ipynb").touch()
    assert FRESH in not_there(tmp_path / "demo.py")
    (tmp_path / name).touch()
    said = not_there(tmp_path / "demo.py")
    assert f"there is `{name}`: if that is your work, rename it to demo.py" in said


def test_a_newer_copy_is_named_and_no_older_one(tmp_path: Path) -> None:
    module, copy = tmp_path / "demo.py", tmp_path / "demo (1).py"
    assert not list(newer_copies(module))
    module.write_text("x = 1", "utf-8")
    copy.write_text("x = 1", "utf-8")
    os.utime(module, (9, 9))
    assert not list(newer_copies(module))  # it holds the same
    copy.write_text("x = 2", "utf-8")
    (said,) = newer_copies(module)
    assert "`demo (1).py` is newer than demo.py and was not looked at" in said
    os.utime(copy, (8, 8))
    assert not list(newer_copies(module))


def test_another_chapter_is_no_copy(tmp_path: Path) -> None:
    """To rename it would take away the work in one of both."""
    module, chapters = tmp_path / "demo.py", ["demo", "demo_more", "demos"]
    for name in ("demo_more.py", "demo_more (1).py", "demos.py"):
        (tmp_path / name).write_text("x = 2", "utf-8")
    assert FRESH in not_there(module, chapters)
    module.write_text("x = 1", "utf-8")
    os.utime(module, (9, 9))
    assert not list(newer_copies(module, chapters))
    (tmp_path / "demo_mine.py").write_text("x = 2", "utf-8")
    assert len(list(newer_copies(module, chapters))) == 1


def test_a_copy_that_cannot_be_read_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, copy = tmp_path / "demo.py", tmp_path / "demo (1).py"
    for path in (module, copy):
        path.write_text(path.name, "utf-8")
    os.utime(module, (9, 9))
    read = Path.read_bytes

    def closed(path: Path) -> bytes:
        if path == copy:
            raise PermissionError(13, "Permission denied")
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", closed)
    assert not list(newer_copies(module))


@pytest.mark.parametrize("head", ["if __name__ == '__main__':", "class Solution:"])
def test_work_that_stands_inside_something_else_is_not_to_be_thrown_away(head: str) -> None:
    text = f"{head}\n    def other(): ...\n\n    def add(a, b):\n        return a + b\n"
    said = nothing_in(Path("c/demo.py"), text, ["Solution"], ["add", "Counter.step"])
    assert "c/demo.py defines add inside something else (line 4)" in said
    assert "`def add` begin at the left margin" in said
    assert FRESH not in said


def test_a_name_of_the_chapter_is_enough() -> None:
    assert not nothing_in(Path("c/demo.py"), "", ["add"], ["add", "Counter.step"])
    assert not nothing_in(Path("c/demo.py"), "", ["Counter"], ["add", "Counter.step"])
    assert nothing_in(Path("c/demo.py"), "", ["step"], ["add", "Counter.step"])


def test_an_import_without_end_names_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "IMPORT_SECONDS", 0.2)
    (tmp_path / "demo.py").write_text("x = 0\nwhile True:\n    x = 1 - x\n", "utf-8")
    found = local.on_file(cast("Suite", None), tmp_path / "demo.py")
    assert isinstance(found, Refusal)
    assert "demo.py cannot be imported in line" in found.message
    assert "`while True:`" in found.message or "`x = 1 - x`" in found.message


@pytest.mark.slow
def test_the_other_tests_of_a_task_that_is_too_slow_get_little_time(
    demo_course: Path, nextword: Command
) -> None:
    suite = demo_course / "tests" / "demo" / "suite" / "test_demo.py"
    text = suite.read_text("utf-8").replace("visible=True)", "visible=True, seconds=1)")
    suite.write_text(text + ANOTHER_TEST, "utf-8")
    work = solution(demo_course).replace("return a + b", "while True: pass")
    write_work(demo_course, work)
    found = json.loads(nextword("check", "demo", "--json").output)["submissions"][0]
    first, second = found["tasks"][0]["tests"]
    assert first["message"].startswith("took more than 1 s")
    assert "all of its time" not in first["message"]
    assert second["verdict"] == "timeout"
    assert "more than 1 s" in second["message"]
    assert second["message"].endswith("(another test of 9.1 had all of its time)")
    assert found["tasks"][1]["verdict"] == "passed"


def test_a_task_is_cut_short_only_after_it_used_up_its_time() -> None:
    job = Job("suite", "demo.py", "root", None, slow=["9.1"])
    work = Work(job, cast("Any", None))
    assert work._limit("9.1", 10.0) == LESS
    assert work._limit("9.1", LESS / 2) == LESS / 2
    assert work._limit("9.2", 10.0) == 10.0


def test_a_forgotten_return_is_named(demo_course: Path, nextword: Command) -> None:
    nextword("sync")
    write_work(demo_course, solution(demo_course).replace("return a + b", "print(a + b)"))
    said = nextword("check", "9.1").output
    assert "your code returned None: a function gives nothing back without `return`" in said


def test_a_failure_in_a_function_that_is_called_names_both_lines(
    demo_course: Path, nextword: Command
) -> None:
    nextword("sync")
    text = solution(demo_course).replace("return a + b", "return half(a, b)")
    write_work(demo_course, f"{text}\n\ndef half(c, d):\n    return c / 0\n")
    said = nextword("check", "9.1").output
    assert "of demo.py: `return c / 0`" in said
    assert "; called in line 7: `return half(a, b)`" in said


def test_what_is_to_be_compiled_is_run_as_it_is() -> None:
    assert NO_COMPILER.items() <= environment().items()  # a candidate may start no compiler
    program = "import torch; f = lambda x: x; assert torch.compile(f) is f; "
    program += "m = torch.nn.Linear(1, 1); assert torch.compile(mode='max-autotune')(m) is m; "
    program += "assert torch.compile(f, fullgraph=True) is f"
    subprocess.run([sys.executable, "-c", program], env={**os.environ, **NO_COMPILER}, check=True)


def test_where_the_syntax_is_wrong_is_said_once(demo_course: Path, nextword: Command) -> None:
    write_work(demo_course, "def add(:\n    pass\n")
    said = nextword("check", "9.1").output
    assert "SyntaxError in line 1 of demo.py: `def add(:`\ninvalid syntax\n" in said
    write_work(demo_course, "# nothing\n\n\n(")
    said = nextword("check", "9.1").output
    assert said.count("line 4") == 1
