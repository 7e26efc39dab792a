"""`benchmarks/at_size.py` still measures: a class of any size is found, stored and told."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.slow
def test_a_class_is_collected_and_then_nothing_is_new() -> None:
    command = [sys.executable, ROOT / "benchmarks" / "at_size.py", "--count", "12"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True)
    head, *rows = [line.split() for line in done.stdout.splitlines()]
    assert head[:2] == ["submissions", "run"]
    assert [row[:2] for row in rows] == [["12", "first"], ["12", "again"]]
    assert rows[0][-2] == rows[1][-2]  # as many files
