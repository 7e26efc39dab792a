"""A seed that is empty is one line that says what to do, and never a silent default."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from examiner.errors import UserError
from examiner.grading.seeds import own_seed
from tests.examiner.grading.conftest import REFERENCE, TinyCourse


def test_the_command_says_what_is_wrong_with_a_seed(
    demo_course: Path, nextword: Callable[..., Any]
) -> None:
    command = ["grade", "demo", "--package", "solutions", "--sandbox", "none"]
    empty = nextword(*command, "--seed", "")
    assert empty.exit_code == 2
    assert "--seed is empty" in empty.output
    (demo_course / ".nextword").mkdir(exist_ok=True)
    (demo_course / ".nextword" / "grading-seed").touch()
    empty = nextword(*command)
    assert empty.exit_code == 2
    assert ".nextword/grading-seed is empty or no text" in empty.output.replace("\n", " ")


@pytest.mark.parametrize("seed", ["", "  ", "\n"])
def test_an_empty_seed_is_refused(tiny: TinyCourse, seed: str) -> None:
    with pytest.raises(UserError, match="--seed is empty: give a text"):
        tiny.run(tiny.hand_in({"ann": REFERENCE}), seed=seed)


def test_commands_that_begin_together_have_one_seed(tiny: TinyCourse) -> None:
    start = threading.Barrier(8)

    def drawn(_: int) -> str:
        start.wait()
        return own_seed(tiny.project)

    with ThreadPoolExecutor(8) as pool:
        (seed,) = set(pool.map(drawn, range(8)))
    folder = tiny.project.state("grading-seed").parent
    assert [path.read_text("utf-8") for path in folder.glob("grading-seed*")] == [seed]


@pytest.mark.parametrize("content", [b"", b" \n", b"\xff\xfe"])
def test_an_empty_seed_of_the_folder_is_said(tiny: TinyCourse, content: bytes) -> None:
    tiny.project.state("grading-seed").write_bytes(content)
    with pytest.raises(UserError, match="grading-seed is empty or no text: write the seed"):
        tiny.run(tiny.hand_in({"ann": REFERENCE}), seed=None)
    tiny.project.state("grading-seed").unlink()
    assert tiny.run(tiny.hand_in({"ann": REFERENCE}), seed=None).all_judged
    assert len(tiny.project.state("grading-seed").read_text("utf-8")) == 32
