"""What lies beside hidden tests to be read by them goes where these go."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path

from typer.testing import Result

Command = Callable[..., Result]


def test_what_hidden_tests_read_goes_to_the_grader_and_to_nobody_else(
    demo_course: Path, nextword: Command
) -> None:
    """Without it the reference failed there, and no test was judged."""
    cells = [
        {
            "cell_type": "code",
            "metadata": {"nextword": {"task": task}},
            "source": [],
            "id": task[-1],
        }
        for task in ("9.1", "9.2")
    ]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (demo_course / "solutions" / "demo.ipynb").write_text(json.dumps(notebook), "utf-8")
    inside = Path("tests", "demo", "suite", "data", "words.npy")
    (demo_course / inside).parent.mkdir()
    (demo_course / inside).write_bytes(b"\x93NUMPY\xff")
    for kind in ("nbgrader", "gradescope", "student"):
        done = nextword("release", "demo", "--format", kind, "--to", kind)
        assert done.exit_code == 0, done.output
    found = [path for path in demo_course.rglob("words.npy") if path != demo_course / inside]
    assert found == [demo_course / "nbgrader" / "grader" / inside]
    assert found[0].read_bytes() == b"\x93NUMPY\xff"
    with zipfile.ZipFile(demo_course / "gradescope" / "demo-autograder.zip") as packed:
        assert packed.read(f"grader/{inside.as_posix()}") == b"\x93NUMPY\xff"
