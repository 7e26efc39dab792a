"""`nextword check` in a child process: nothing that a student writes hangs it."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
from typer.testing import Result

from examiner.check import apart

Command = Callable[..., Result]
ADD = "return a + b"
# numpy swallows the interrupt: only another process can end it
DEAF = "import numpy as np\n    while True: np.random.default_rng(0).choice(['a', 'b'] * 9999)"

DEAF_PRINTER = """while True:
        try:
            import time
            time.sleep(0.7)
            print('still here')
        except BaseException:
            pass"""


def write_work(course: Path, old: str, new: str) -> None:
    text = (course / "solutions" / "demo.py").read_text("utf-8")
    assert old in text
    (course / "coursework" / "demo.py").write_text(text.replace(old, new), "utf-8")


def quick(course: Path) -> None:
    suite = course / "tests" / "demo" / "suite" / "test_demo.py"
    text = suite.read_text("utf-8").replace("visible=True)", "visible=True, seconds=1)")
    suite.write_text(text, "utf-8")


def by_name(result: Result) -> dict[str, dict[str, Any]]:
    answer = json.loads(result.output)
    tasks = answer["submissions"][0]["tasks"]
    return {test["name"]: test for task in tasks for test in task["tests"]}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("new", "verdict", "message"),
    [
        (DEAF, "timeout", "took more than 1 s of computing time"),
        ("import os; os._exit(3)", "crashed", "your code ended the program (exit 3)"),
        ("import os; os.kill(os.getpid(), 9)", "crashed", "your code ended the program (signal 9)"),
        ("return len(bytearray(1 << 40))", "memory", "ran out of memory"),
        ("import json; json.dumps = None; return 0", "crashed", "your code ended the program"),
        (
            "import builtins; builtins.len = None; return 4",
            "crashed",
            "your code ended the program",
        ),
        ("return add", "failed", ""),
        (
            "import os\n    while True: os.write(1, b'x' * 99999)",
            "timeout",
            "took more than 1 s of",
        ),
        ("import time; time.sleep(99)", "timeout", "waited for more than 3 s: it sleeps"),
        (DEAF_PRINTER, "timeout", "waited for more than 3 s: it sleeps"),
    ],
)
def test_the_other_task_is_checked_all_the_same(
    demo_course: Path, nextword: Command, new: str, verdict: str, message: str
) -> None:
    quick(demo_course)
    write_work(demo_course, ADD, new)
    found = by_name(nextword("check", "demo", "--json"))
    assert found["test_small_sum"]["verdict"] == verdict
    assert message in found["test_small_sum"]["message"]
    assert found["test_counter"]["verdict"] == "passed"


@pytest.mark.parametrize(
    "said",
    [
        'import io, sys; sys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8")',
        'import os, sys; sys.stdout = os.fdopen(sys.stdout.fileno(), "w", buffering=1)',
        'import os, sys; sys.stderr = os.fdopen(sys.stderr.fileno(), "w", buffering=1)',
        "import faulthandler; faulthandler.enable()",
        "import sys; sys.stdout.close()",
    ],
)
def test_right_code_may_do_with_its_output_what_it_likes(
    demo_course: Path, nextword: Command, said: str
) -> None:
    write_work(demo_course, "def add", f"{said}\n\n\ndef add")
    work = demo_course / "coursework" / "demo.py"
    prints = f"print('adding', a) if sys.stdout and not sys.stdout.closed else None\n    {ADD}"
    work.write_text("import sys\n" + work.read_text("utf-8").replace(ADD, prints), "utf-8")
    done = nextword("check", "demo", "--json")
    assert {test["verdict"] for test in by_name(done).values()} == {"passed"}
    assert done.exit_code == 0


@pytest.mark.slow
def test_what_the_code_prints_is_shown_even_if_it_is_ended(
    demo_course: Path, nextword: Command
) -> None:
    quick(demo_course)
    noise = "import os, sys, threading\n    print('a is', a)\n    os.write(1, b'unseen')"
    noise += "\n    t = threading.Thread(target=print, args=('from a thread',))"
    noise += "\n    t.start()\n    t.join()"
    noise += (
        "\n    sys.stdout.buffer.write('Grüße \\x1b[31m'.encode())\n    while True: print('more')"
    )
    write_work(demo_course, ADD, noise)
    output = nextword("check", "demo").output
    (shown,) = output.split("Your code printed, while the tests ran:")[1:]
    lines = shown.partition("\n\n")[0].splitlines()
    assert lines[1].startswith("    a is ")
    assert lines[2:4] == ["    from a thread", "    Grüße [31mmore"], lines[:5]
    assert len(lines) == 42, "the results above are still on the screen"
    assert lines[-1] == "    … and more, which is not shown: only the first 40 lines"
    assert "unseen" not in output
    assert "\x1b[31mmore" not in output
    write_work(demo_course, ADD, f"print('b is', b, end='.')\n    {ADD}")
    shown = nextword("check", "demo").output.partition("Your code printed")[2]
    assert re.match(r", while the tests ran:\n    (b is -?\d+\.)+\n\n", shown), shown
    write_work(demo_course, ADD, ADD)
    assert "Your code printed" not in nextword("check", "demo").output


def test_what_is_printed_while_the_module_is_imported_is_shown_once(
    demo_course: Path, nextword: Command
) -> None:
    write_work(demo_course, ADD, "import os; os._exit(3)")  # the rest goes on in another child
    work = demo_course / "coursework" / "demo.py"
    hello = "import sys\nprint(f'hello from {sys.stdout.name}')\n"
    work.write_text(hello + work.read_text("utf-8"), "utf-8")
    output = nextword("check", "demo").output
    assert "your code ended the program" in output
    assert output.count("    hello from <stdout>\n") == 1, output


def test_long_and_odd_prints_lose_no_characters(demo_course: Path, nextword: Command) -> None:
    bar = "for i in range(3): print(f'\\rstep {i}', end='')"
    write_work(demo_course, ADD, f"print('→' * 400)\n    {bar}\n    {ADD}")
    output = nextword("check", "demo").output
    assert f"    {'→' * 400}\n    step 2\n" in output
    write_work(demo_course, ADD, f"print('x' * 3000)\n    {ADD}")
    assert f"    {'x' * 2000}…\n" in nextword("check", "demo").output


@pytest.mark.parametrize("asks", ["input('who? ')", "breakpoint()", "import pdb; pdb.set_trace()"])
def test_who_asks_for_input_is_told_at_once(
    demo_course: Path, nextword: Command, asks: str
) -> None:
    write_work(demo_course, ADD, f"{asks}\n    {ADD}")
    began = time.monotonic()
    found = by_name(nextword("check", "demo", "--json"))
    assert "it waits for somebody to type" in found["test_small_sum"]["message"]
    assert time.monotonic() - began < 60


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ("# Jörg\n".encode("latin-1"), "demo.py is not saved as UTF-8 (line 1); save it as UTF-8"),
        ("# coding: latin-1\n# Jörg\n".encode("latin-1"), "demo.py is not saved as UTF-8 (line 2)"),
        (b"\0", "demo.py is not a text file: save it as plain text, in UTF-8"),
    ],
)
def test_what_the_grader_cannot_read_is_not_called_done(
    demo_course: Path, nextword: Command, data: bytes, says: str
) -> None:
    write_work(demo_course, ADD, ADD)
    work = demo_course / "coursework" / "demo.py"
    work.write_bytes(data + work.read_bytes())
    found = by_name(nextword("check", "demo", "--json"))
    assert {test["verdict"] for test in found.values()} == {"failed"}
    assert all(says in test["message"] for test in found.values())


def test_memory_is_bounded_where_the_system_does_not(
    demo_course: Path, nextword: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apart, "MEMORY", 200 << 20)
    write_work(demo_course, ADD, "kept = []\n    while True: kept.append(bytes(1 << 20))")
    found = by_name(nextword("check", "demo", "--json"))
    assert found["test_small_sum"]["verdict"] == "memory"
    assert found["test_counter"]["verdict"] == "passed"


@pytest.mark.slow
def test_an_import_without_end(
    demo_course: Path, nextword: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("examiner.boundary.deadline.ASLEEP", 0.1)  # of 30 s: so long it may sleep
    write_work(demo_course, "def add", "import time; time.sleep(99)\ndef add")
    found = by_name(nextword("check", "demo", "--json"))
    assert {test["verdict"] for test in found.values()} == {"timeout"}


def test_a_class_without_the_method_gets_a_sentence(demo_course: Path, nextword: Command) -> None:
    write_work(demo_course, "def step", "def stride")
    test = by_name(nextword("check", "demo", "--json"))["test_counter"]
    assert test["verdict"] == "failed"
    assert "has no attribute 'step'" in test["message"]


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_ctrl_c_ends_a_check_at_once_and_leaves_nothing(demo_course: Path) -> None:
    # where a program starts in the background, as some services start tests, Ctrl-C is ignored
    program = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    program += "from nextword.cli import main; main()"
    write_work(demo_course, ADD, DEAF.replace("while", "open('begun', 'w').close()\n    while"))
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-c", program, "check", "demo"]
    process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
    while not (demo_course / "begun").exists():
        time.sleep(0.05)
    children = psutil.Process(process.pid).children(recursive=True)
    assert children
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=5)
    assert process.returncode == 130
    assert said.strip() == "nextword: stopped"
    assert not psutil.wait_procs(children, timeout=5)[1]


def test_a_failure_shows_the_call_what_came_and_what_should(
    demo_course: Path, nextword: Command
) -> None:
    write_work(demo_course, ADD, "return a - b")
    message = by_name(nextword("check", "demo", "--json"))["test_small_sum"]["message"]
    assert message == "add(1, 2)\n  got       -1\n  expected  3"


@pytest.mark.parametrize(
    ("asserts", "message"),
    [
        ("assert demo.add([1] * 99, [2]) == [3]", "add([1, 1, 1"),
        ("assert list(map(str, [demo.add(1, 2)])) == ['4']", "add(1, 2)\n  got       ['3']"),
        ("assert [demo.add(1, 1), demo.add(1, 2)] == [2, 4]", "add(1, 2)\n  got       3\n"),
        ("assert not demo.add(1, 2)", "add(1, 2)\n  the test expects: not demo.add(1, 2)"),
        ("assert demo.add(1, 2) < 3", "add(1, 2)\n  the test expects: 3 < 3"),
        ("assert demo.Counter() == 3", "got       <your object>"),
        (
            "assert close(demo.add(1.0, 2.0), 4.0)",
            "add(1.0, 2.0)\n  3.0, expected 4.0",
        ),
        (
            "assert demo.add(0.1, 0.2) == pytest.approx(0.4)",
            "add(0.1, 0.2)\n  got       0.3\n  expected  0.4",
        ),
        ("pytest.raises(ValueError, demo.add, 1, 2)", "ValueError was expected, and nothing"),
        ("assert iter(demo.add('a', 'b')) == 1", "got       <str_ascii_iterator object>"),
    ],
)
def test_what_a_failing_assertion_shows(
    demo_course: Path, nextword: Command, asserts: str, message: str
) -> None:
    suite = demo_course / "tests" / "demo" / "suite" / "test_demo.py"
    text = suite.read_text("utf-8").replace("assert demo.add(1, 2) == 3", asserts)
    text = text.replace("import pytest\n", "import pytest\nfrom examiner.suite import close\n")
    suite.write_text(text, "utf-8")
    write_work(demo_course, ADD, ADD)
    found = by_name(nextword("check", "9.1", "--json"))["test_small_sum"]["message"]
    assert message in found
    assert " at 0x" not in found
    assert "..." not in found


def test_the_command_loads_no_library_of_its_child() -> None:
    """The child loads numpy and pytest itself: in both they would cost each check a second time."""
    text = (
        "import sys; from examiner.check import chapter, firsts, hints, terminal, watch; "
        "print(*{'numpy', 'pytest', 'torch', 'msgpack'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
