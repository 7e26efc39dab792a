"""A time limit in this process: what it stops, and the imports that it leaves alone."""

import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from examiner.boundary import deadline as rules
from examiner.judge import shelter
from examiner.judge.timelimit import TimeLimitError, time_limit

SLOW_LIBRARY = """
import time
end = time.process_time() + 0.5
while time.process_time() < end: pass
import slow_part
loaded = True
"""


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of a library that takes its time to import."""
    folder = tmp_path / "library"
    folder.mkdir()
    (folder / "slow_library.py").write_text(SLOW_LIBRARY, "utf-8")
    (folder / "slow_part.py").write_text("part = True", "utf-8")
    monkeypatch.syspath_prepend(str(folder))
    for name in ("slow_library", "slow_part"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return folder


def spin(seconds: float) -> None:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def test_a_library_is_imported_whole_and_does_not_count(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shelter, "_LIBRARIES", (str(library),))
    finders = list(sys.meta_path)
    with time_limit(0.2):
        import slow_library  # type: ignore[import-not-found]
    assert slow_library.loaded
    assert sys.meta_path == finders


@pytest.mark.slow
def test_what_comes_after_an_import_counts(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shelter, "_LIBRARIES", (str(library),))

    def work() -> None:
        import slow_library  # type: ignore[import-not-found]

        assert slow_library.loaded
        spin(5)

    with pytest.raises(TimeLimitError, match=r"more than 0\.2 s of computing"), time_limit(0.2):
        work()


def test_what_is_no_library_counts(library: Path) -> None:
    with pytest.raises(TimeLimitError), time_limit(0.2):
        import slow_library  # type: ignore[import-not-found]  # noqa: F401


def test_a_sleeper_is_ended_later(monkeypatch: pytest.MonkeyPatch) -> None:
    began = time.monotonic()
    with pytest.raises(TimeLimitError, match=r"waited for more than 0\.6 s"), time_limit(0.2):
        time.sleep(60)
    assert 0.6 <= time.monotonic() - began < 30
    monkeypatch.setattr(rules, "ASLEEP", 100.0)
    with time_limit(0.1):
        time.sleep(0.5)


def test_a_limit_within_another(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shelter, "_LIBRARIES", (str(library),))
    with time_limit(0.3):
        with time_limit(0.2):
            import slow_library  # type: ignore[import-not-found]
        assert slow_library.loaded


@pytest.mark.slow
def test_where_the_system_tells_nothing_more_computing_is_bounded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    code = """
    from examiner.boundary import usage
    usage.open_files = lambda pid: []  # as on macOS and Windows
    from examiner.judge.timelimit import TimeLimitError, time_limit
    import time
    for _ in range(5):  # a process that gets less than a tenth of a processor is ended by the clock
        try:
            with time_limit(0.3):
                while True: pass
        except TimeLimitError as error:
            said = str(error)
        if "computing" in said:
            break
    print(said)
    with time_limit(0.2):
        time.sleep(1)  # on the clock there is room
    try:
        with time_limit(0.05):
            time.sleep(60)
    except TimeLimitError as error:
        print(error)
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    first, second = done.stdout.splitlines()
    assert first.startswith("took more than 0.3 s of computing time")
    assert second.startswith("took longer than 0.5 s")


@pytest.mark.slow
def test_the_first_optimizer_does_not_count() -> None:
    """It imports torch._dynamo, which takes longer than this limit."""
    code = """
    import sys, torch
    from examiner.judge.timelimit import time_limit
    weight = torch.nn.Parameter(torch.ones(2))
    assert "torch._dynamo" not in sys.modules
    with time_limit(0.5):
        torch.optim.SGD([weight], 0.1).zero_grad()
    assert "torch._dynamo" in sys.modules
    print(torch._dynamo.config is not None)
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.stdout == "True\n", done.stderr
