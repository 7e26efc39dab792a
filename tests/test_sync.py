"""Stubs follow from solutions, and bad markers are told with file and line."""

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from nextword.catalogue import Chapter
from nextword.errors import UserError
from nextword.release.stubs import make_stub

Command = Callable[..., Result]


def test_a_stub_keeps_everything_but_the_marked_bodies(
    demo_course: Path, demo_chapter: Chapter
) -> None:
    solution = (demo_course / "solutions" / "demo.py").read_text("utf-8")
    stub = make_stub(solution, demo_chapter, "demo.py")
    assert '    """Return the sum. About 1 line."""\n    raise NotImplementedError(' in stub
    assert 'NotImplementedError("9.1 add: see section 9.1")' in stub
    assert 'NotImplementedError("9.2 Counter.step: see section 9.2")' in stub
    assert "self.count = 0" in stub
    assert "return a + b" not in stub
    assert "SOLUTION" not in stub
    compile(stub, "demo.py", "exec")


def test_sync_writes_and_check_then_agrees(demo_course: Path, nextword: Command) -> None:
    stale = nextword("sync", "--check")
    assert stale.exit_code == 1
    assert "+    raise NotImplementedError" in stale.output
    assert not (demo_course / "coursework" / "demo.py").exists()
    assert nextword("sync").exit_code == 0
    assert nextword("sync", "--check").exit_code == 0
    assert "up to date" in nextword("sync").output


def test_an_edited_stub_is_found(demo_course: Path, nextword: Command) -> None:
    nextword("sync")
    with (demo_course / "coursework" / "demo.py").open("a", encoding="utf-8") as stub:
        stub.write("# by hand\n")
    result = nextword("sync", "--check")
    assert result.exit_code == 1
    assert "-# by hand" in result.output


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        ("def add():\n    # BEGIN SOLUTION\n    pass\n", "demo.py:2: .*never closed"),
        ("def add():\n    # BEGIN SOLUTION\n    # BEGIN SOLUTION\n", "demo.py:3: .*line 2"),
        ("def add():\n    pass\n    # END SOLUTION\n", "demo.py:3: .*without"),
        ("# BEGIN SOLUTION\nx = 1\n# END SOLUTION\n", "demo.py:1: .*outside a function"),
        ("def sub():\n    # BEGIN SOLUTION\n    pass\n    # END SOLUTION\n", "sub, which no task"),
        ("def add():\n    # BEGIN SOLUTION\n    pass\n    # END SOLUTION\n", "Counter.step"),
        ("def add(:\n", "demo.py:1: "),
    ],
)
def test_bad_markers_name_file_and_line(demo_chapter: Chapter, lines: str, complaint: str) -> None:
    with pytest.raises(UserError, match=complaint):
        make_stub(lines, demo_chapter, "demo.py")


def test_a_marker_in_a_string_is_text(demo_chapter: Chapter, demo_course: Path) -> None:
    solution = (demo_course / "solutions" / "demo.py").read_text("utf-8")
    text = 'NOTE = "write # BEGIN SOLUTION above it"\n' + solution
    assert "write # BEGIN SOLUTION above it" in make_stub(text, demo_chapter, "demo.py")


def test_the_committed_stubs_are_fresh(nextword: Command) -> None:
    assert nextword("sync", "--check").exit_code == 0
