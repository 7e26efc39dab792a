"""The whole way by real processes: a launch, a file, a kill, a platform that was down, a grade."""

import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from examiner.platforms.lti import keys as tool_keys
from tests.course import COURSE
from tests.examiner.grading.conftest import sandbox_works
from tests.examiner.platforms.lti.platform import Platform
from tests.examiner.platforms.lti.test_door import Browser

SORTING = COURSE.root / "tests" / "examiner" / "sorting"
PATIENCE = 120  # seconds


class Served:
    """A course that is served, as the browser of the other tests knows it."""

    def __init__(self, platform: Platform, process: subprocess.Popen, address: str) -> None:
        self.platform, self.process, self.address = platform, process, address


@contextmanager
def served(course: Path, platform: Platform, log: Path) -> Iterator[Served]:
    """`nextword serve` with a door; ended by -9 where the block left it running."""
    words = ["-m", "nextword", "serve", "sorting", "inbox", "--lti", "lti/lti.toml"]
    words += ["--port", "-1", "--jobs", "1"]
    with log.open("wb") as file:
        process = subprocess.Popen([sys.executable, *words], cwd=course, stdout=file, stderr=file)
        try:
            found = until(lambda: re.search(r"port (\d+) of", log.read_text()), process)
            address = f"http://127.0.0.1:{found[1]}"
            platform.tool_keys = f"{address}/lti/jwks"
            yield Served(platform, process, address)
        finally:
            process.kill()
            process.wait()


def until(look, process):
    """Wait for something to be so; the process that is to make it so must live."""
    end = time.monotonic() + PATIENCE
    while not (found := look()):
        assert process.poll() is None, "the server has ended"
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.1)
    return found


@pytest.mark.thorough
def test_a_grade_survives_kills_and_a_platform_that_is_down(tmp_path) -> None:
    if not sandbox_works():
        pytest.skip("no sandbox here")
    course, platform = tmp_path / "course", Platform()
    shutil.copytree(SORTING, course)
    (course / "inbox").mkdir()
    tool_keys.make(course / "lti", "https://grader.example.org")
    toml = course / "lti" / "lti.toml"
    text = toml.read_text("utf-8").replace("port = 8766", "port = 0")
    toml.write_text(text + platform.settings, "utf-8")
    right = (SORTING / "solutions" / "sorting.py").read_bytes()
    first, second = tmp_path / "first.log", tmp_path / "second.log"

    with served(course, platform, first) as found:
        ada = Browser(found)
        assert ada.launch("ada").status_code == 200
        platform.down = 503
        assert "is being graded" in ada.hand_in(data=right).text
        until(lambda: "feedback/1" in ada.get("").text, found.process)
        until(lambda: "sent later" in first.read_text(), found.process)
        ada.hand_in(data=b"broken(")
        found.process.send_signal(signal.SIGKILL)
        found.process.wait()
    assert platform.scores == []

    platform.down = 0
    with served(course, platform, second) as found:
        until(lambda: platform.scores and platform.scores[-1]["scoreGiven"] == 0, found.process)
        # the session outlives the process
        ada.house = found
        ada.home = re.sub(r"http://[^/]+", found.address, ada.home)
        until(lambda: "<td>waits</td>" not in ada.get("").text, found.process)
    # the first may have been sent before the second was graded, or been replaced by it
    most = platform.scores[0]["scoreMaximum"]
    assert [each["scoreGiven"] for each in platform.scores] in ([most, 0], [0])
    told = first.read_text() + second.read_text()
    for secret in (*platform.tokens, "PRIVATE KEY", "eyJ"):
        assert secret not in told
    platform.close()
