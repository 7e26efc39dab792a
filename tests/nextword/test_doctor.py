"""`nextword doctor` tells good from bad."""

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

Command = Callable[..., Result]


@pytest.mark.slow
def test_a_complete_machine_is_ready(demo_course: Path, nextword: Command) -> None:
    nextword("sync")
    result = nextword("doctor")
    assert result.exit_code == 0, result.output
    assert "ready for" in result.output
    assert "coursework/demo.py" in result.output


def test_a_broken_stub_is_named(demo_course: Path, nextword: Command) -> None:
    (demo_course / "coursework" / "demo.py").write_text("def (:", "utf-8")
    result = nextword("doctor")
    assert result.exit_code == 1
    assert "BAD     coursework/demo.py" in result.output
