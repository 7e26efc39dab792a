"""Every attack case, graded in one batch with honest submissions: no attack gains a point, none
reads a secret, changes a thing outside or harms a neighbour.

A case is a file in cases/<group>/. Its docstring names the deed and what it would gain; the line
`# expect:` gives the verdicts of the three tasks, or one for all (a|b: it depends on the machine's
speed). A deed that gets through a wall answers with a canary, so that it would be seen in the
feedback. supply.py holds what some cases bring beside their module.
"""

import ctypes
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from rich.console import Console

from examiner.grading import candidates
from examiner.grading.outcome import Outcome
from examiner.grading.run import Options, grade
from examiner.grading.store import file_name
from examiner.grading.terminal import show
from examiner.grading.workers import BOTH
from examiner.results import SubmissionResult
from tests.examiner.attacks.supply import BESIDE, INSIDE, MADE
from tests.examiner.attacks.vault import CANARY, HONEST, Vault
from tests.examiner.attacks.zips import ZIPS
from tests.examiner.grading.conftest import Quiet, needs_sandbox

CASES = Path(__file__).parent / "cases"
BYSTANDERS = ("aaa-honest", "m-honest", "zzz-honest")
HALF = HONEST.replace("return sum(numbers)", "return 1 + sum(numbers)")
HALF_SCORE = 10
PR_SET_CHILD_SUBREAPER = 36

pytestmark = [
    pytest.mark.slow,
    pytest.mark.always,
    needs_sandbox,
]


@dataclass(frozen=True)
class Case:
    """One attack."""

    group: str
    name: str
    path: Path

    @property
    def student(self) -> str:
        return f"{self.group}-{self.name}"

    @property
    def source(self) -> str:
        return self.path.read_text("utf-8", errors="replace")

    @property
    def expected(self) -> list[str]:
        found = re.search(r"^# expect: (.+)$", self.source, re.MULTILINE)
        assert found, f"{self.path} has no line '# expect: failed'"
        verdicts = found.group(1).split()
        return verdicts * 3 if len(verdicts) == 1 else verdicts


def all_cases() -> Iterator[Case]:
    for group in sorted(CASES.iterdir()):
        for path in sorted(group.iterdir()):
            if path.suffix == ".py":
                yield Case(group.name, path.stem, path)


ALL = [*all_cases()]


@dataclass(frozen=True)
class Batch:
    """What a run over all cases left behind."""

    outcome: Outcome
    results: dict[str, SubmissionResult]
    written: dict[str, str]  # everything that was written or shown
    changed: list[str]  # files outside of the grades that are not as before
    left: list[str]  # processes that are still there


def hand_in(vault: Vault) -> Path:
    folder = vault.root / "class"
    for case in ALL:
        student = folder / case.student
        place = student / os.fsdecode(INSIDE.get(case.name, b""))
        place.mkdir(parents=True)
        source = MADE.get(case.name) or case.path.read_bytes()
        source = source.replace(b"{ROOT}", str(vault.root).encode())
        (place / "vault.py").write_bytes(source.replace(b"{HOME}", str(vault.home).encode()))
        for name, content in BESIDE.get(case.name, {}).items():
            (student / name).parent.mkdir(parents=True, exist_ok=True)
            (student / name).write_bytes(content)
    for name in BYSTANDERS:
        (folder / name).mkdir()
        (folder / name / "vault.py").write_text(f"{HONEST}# {CANARY}-neighbour\n", "utf-8")
    (folder / "mmm-half").mkdir()
    (folder / "mmm-half" / "vault.py").write_text(HALF, "utf-8")
    for name, make in ZIPS.items():
        make(folder / f"zips-{name}.zip")
    return folder


@pytest.fixture(scope="module")
def batch(tmp_path_factory: pytest.TempPathFactory) -> Batch:
    vault = Vault(tmp_path_factory.mktemp("attacks"))
    folder = hand_in(vault)
    before, processes = vault.contents(), descendants()
    out = vault.base / "out"
    os.environ["VAULT_TOKEN"] = f"{CANARY}-environment"
    home, os.environ["HOME"] = os.environ["HOME"], str(vault.home)
    adopt = ctypes.CDLL(None).prctl
    adopt(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)  # a daemon, too, stays a descendant of this process
    patience = candidates.IMPORT_SECONDS
    candidates.IMPORT_SECONDS = 10.0  # for an import without end
    compiles, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # our own files are no attack
    try:
        # what is judged by the answers of earlier attacks is also run, to see that it ends alike
        options = Options(out=out, jobs=2, seed=vault.seed, confined=True, judging=BOTH)
        outcome = grade(vault.project, vault.chapter, folder, options, Quiet())
    finally:
        candidates.IMPORT_SECONDS, sys.dont_write_bytecode = patience, compiles
        adopt(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
        os.environ["HOME"] = home
        del os.environ["VAULT_TOKEN"]
    shown = io.StringIO()
    show(Console(file=shown, width=200, force_terminal=True), outcome)
    written = {"json": json.dumps(outcome.to_json(), ensure_ascii=False), "shown": shown.getvalue()}
    for path in out.rglob("*"):
        if path.is_file():
            written[path.name] = path.read_text("utf-8")
    after = vault.contents()
    changed = [name for name in before.keys() | after.keys() if before.get(name) != after.get(name)]
    results = {result.student: result for result in outcome.results}
    return Batch(outcome, results, written, changed, sorted(descendants() - processes))


def descendants() -> set[str]:
    """Return the processes that run and that this one, or one of its descendants, has started."""
    children: dict[str, list[str]] = {}
    lines: dict[str, str] = {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            state, parent = (path / "stat").read_text().rpartition(")")[2].split()[:2]
            lines[path.name] = f"{path.name} {(path / 'cmdline').read_bytes()!r}"
        except OSError:  # it has just ended
            continue
        if state != "Z":
            children.setdefault(parent, []).append(path.name)
    found, left = set[str](), [str(os.getpid())]
    while left:
        below = children.get(left.pop(), [])
        found |= {lines[pid] for pid in below}
        left += below
    return found


@pytest.mark.parametrize("case", ALL, ids=lambda case: case.student)
def test_the_attack_gains_nothing(batch: Batch, case: Case) -> None:
    result = batch.results[case.student]
    for task, expected in zip(result.tasks, case.expected, strict=True):
        assert task.verdict.value in expected.split("|"), task
    gained = sum(t.task.points for t in result.tasks if t.verdict == "passed")
    if case.group == "harmless":
        assert result.score == 12 or "missing" in case.expected
    assert result.score == gained


@pytest.mark.parametrize("case", ALL, ids=lambda case: case.student)
def test_the_attack_leaks_nothing(batch: Batch, case: Case) -> None:
    name = file_name(case.student)
    for file in (f"{name}.html", f"{name}.md", f"{name}.json"):
        assert CANARY.lower() not in batch.written[file].lower()


@pytest.mark.parametrize("name", sorted(ZIPS))
def test_the_archive_is_refused(batch: Batch, name: str) -> None:
    result = batch.results[f"zips-{name}"]
    assert result.score == 0
    assert re.search(rf"zips-{name}\.zip|vault", result.notice), "it names no file"
    assert "\n" not in result.notice


def test_no_canary_is_in_anything_written_or_shown(batch: Batch) -> None:
    found = [name for name, text in batch.written.items() if CANARY.lower() in text.lower()]
    assert found == []


def test_nothing_outside_has_changed(batch: Batch) -> None:
    assert batch.changed == []


def test_no_process_is_left(batch: Batch) -> None:
    assert batch.left == []
    mine = subprocess.Popen([sys.executable, "-c", "input()", "mine"], stdin=subprocess.PIPE)
    assert any("mine" in line for line in descendants())  # one that is left would be seen
    mine.communicate()
    assert not any("mine" in line for line in descendants())


def test_no_number_is_told_that_a_hidden_test_ended_with(batch: Batch) -> None:
    tasks = batch.results["reading-exits_with_the_input"].tasks
    said = {test.message for task in tasks for test in task.tests if not test.visible}
    assert said == {"your code ended the program"}
    shown = {test.message for task in tasks for test in task.tests if test.visible}
    assert shown == {"your code ended the program (exit 7)"}


def test_no_neighbour_is_harmed(batch: Batch) -> None:
    assert [batch.results[name].score for name in BYSTANDERS] == [12, 12, 12]
    half = batch.results["mmm-half"]
    assert half.score == HALF_SCORE
    assert len(batch.results) == len(ALL) + len(ZIPS) + len(BYSTANDERS) + 1


def test_every_attack_was_judged(batch: Batch) -> None:
    assert batch.outcome.all_judged


def test_no_page_holds_a_traceback_of_ours(batch: Batch) -> None:
    for name, text in batch.written.items():
        if name.endswith((".html", ".md")):
            assert "Traceback (most recent call last)" not in text
            assert "examiner/grading/" not in text


def test_nothing_can_harm_the_reader(batch: Batch) -> None:
    for name, text in batch.written.items():
        if name.endswith(".html"):
            assert not re.search(r"<(script|img|iframe|a [^>]*javascript)", text, re.IGNORECASE)
            assert text.count("<style>") == 1
        if name != "shown":
            assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text)
    # the terminal's own colours are all that is left of escape codes
    assert not re.search("\x1b(?!\\[[0-9;]*m)", batch.written["shown"])


def test_there_are_many_cases_in_every_group() -> None:
    groups = {group: sum(case.group == group for case in ALL) for group in {c.group for c in ALL}}
    assert sum(groups.values()) + len(ZIPS) >= 80
    assert min(groups.values()) >= 5
