"""Memory gathered in huge pages: the same numbers at the same place, and forks as before."""

import subprocess
import sys
from pathlib import Path

import pytest

from examiner.candidate.huge_pages import HUGE, gather_in_huge_pages

# in a process of its own: this one's memory is left alone
PROGRAM = """
import os
import re
import sys
from pathlib import Path

from examiner.candidate.huge_pages import gather_in_huge_pages


def huge():
    text = Path("/proc/self/smaps_rollup").read_text()
    return int(re.search(r"AnonHugePages:\\s*(\\d+) kB", text)[1])


pattern = bytes(range(256))
numbers = bytearray(pattern * (32 << 12))  # 32 MiB
before = huge()
gathered = gather_in_huge_pages()
same = numbers == pattern * (32 << 12)
pid = os.fork()
if pid == 0:
    numbers[:] = bytes(32 << 20)  # of the fork alone
    os._exit(7)
forked = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
print(gathered, huge() - before, same and numbers[5] == 5, forked)
"""


def test_memory_is_gathered_and_stays_as_it_was() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
    )
    gathered, more, same, forked = ran.stdout.split()
    assert (same, forked) == ("True", "7")
    if not int(gathered):
        pytest.skip("this system gathers no memory in huge pages")
    assert int(gathered) >= 15
    assert int(more) >= 15 * HUGE >> 10


def test_a_system_that_tells_nothing_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: Path) -> str:
        raise OSError("no /proc here")

    monkeypatch.setattr(Path, "read_text", refuse)
    assert gather_in_huge_pages() == 0
