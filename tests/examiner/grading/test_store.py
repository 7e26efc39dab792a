"""What a stored result depends on: the grader's own files and how this machine computes."""

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from examiner.catalogue import parse_chapter
from examiner.catalogue.settings import Settings
from examiner.grading import store
from examiner.grading.basis import basis_of
from examiner.grading.records import Records
from examiner.grading.store import Store
from examiner.grading.submissions import Submission
from examiner.grading.untold import FILE, Before, Untold
from examiner.judge.wording import Source
from examiner.results import SubmissionResult, TaskResult, TestResult, Verdict, Whose
from tests.course import COURSE
from tests.examiner.grading.conftest import CATALOGUE, REFERENCE, TinyCourse

KEY = {"tests": "t", "seed": "s", "grader": "g"}
LIBRARY = COURSE.settings.library[0].rpartition(".")[2]  # a folder


def grader_key() -> str:
    return store.run_key([], {}, "s", "p", COURSE.settings.library)["grader"]


@pytest.mark.parametrize(
    "room", ["boundary", "candidate", "check", "grading", "judge", "sandbox", LIBRARY]
)
def test_another_text_of_any_room_is_another_grader(
    room: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, read = grader_key(), store.Path.read_bytes

    def changed(path: store.Path) -> bytes:
        return read(path) + b"#" * (path.parent.name == room)

    monkeypatch.setattr(store.Path, "read_bytes", changed)
    assert grader_key() != before


def test_another_text_that_a_library_or_a_suite_reads_is_another_key(
    tmp_path: Path, tiny: TinyCourse, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "givenhere" / "data").mkdir(parents=True)
    (tmp_path / "givenhere" / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    settings = Settings(library=("givenhere",))
    project = replace(tiny.project)
    vars(project)["settings"] = settings

    def key() -> store.Key:
        basis = basis_of(project, tiny.chapter, confined=False, user=None, seed="s")
        return dict(basis.key)

    before = key()
    for junk in (tmp_path / "givenhere" / ".DS_Store", project.suite("tiny") / "a.pyc"):
        junk.write_text("left by a system")
    (project.suite("tiny") / ".#test_tiny.py").symlink_to("ada@machine.1")  # an open editor's
    assert key() == before
    (tmp_path / "givenhere" / "data" / "words.txt").write_text("one two")
    with_words = key()
    assert with_words["grader"] != before["grader"]
    (project.suite("tiny") / "cases.json").write_text("[1]")
    assert key()["tests"] != with_words["tests"]
    (project.suite("tiny") / "cases.json").write_text("[2]")
    assert key()["grader"] == with_words["grader"]


@pytest.mark.parametrize("name", ["english.txt", "text.py", "languages.py"])
def test_all_that_the_suites_of_this_course_read_counts(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sentences of a test lie in a file of their own, and are parted by another module."""
    read = store.Path.read_bytes

    def now() -> str:
        return store.run_key([], {}, "s", "p", COURSE.settings.suites_use)["grader"]

    def changed(path: store.Path) -> bytes:
        return read(path) + b"#" * (path.name == name)

    before = now()
    monkeypatch.setattr(store.Path, "read_bytes", changed)
    assert now() != before


def test_of_work_that_is_judged_again_in_part_what_was_not_judged_is_taken_too(
    tmp_path: Path,
) -> None:
    chapter = parse_chapter(CATALOGUE)

    def result(**verdicts: Verdict) -> SubmissionResult:
        tasks = zip(chapter.tasks, verdicts.items(), strict=True)
        return SubmissionResult(
            "ben", tuple(TaskResult(t, (TestResult(name, "", v),)) for t, (name, v) in tasks)
        )

    work = Submission(Whose("ben"), Source("tiny.py", ""), b"x")
    asked: frozenset[str] = frozenset()
    for ran, kept in (
        ((Verdict.PASSED, Verdict.NOT_JUDGED), (Verdict.PASSED, Verdict.NOT_JUDGED)),
        ((Verdict.FAILED, Verdict.PASSED), (Verdict.FAILED, Verdict.PASSED)),
        ((Verdict.PASSED, Verdict.FAILED), (Verdict.PASSED, Verdict.PASSED)),
    ):
        records = Records(
            [work], Store(tmp_path, chapter), KEY, regrade=False, again=lambda _, asked=asked: asked
        )
        assert records.todo == [0]
        records.add(0, result(mean=ran[0], bag=ran[1]))
        assert tuple(task.verdict for task in records.results[0].tasks) == kept
        asked = frozenset({"9.1"})


def test_another_processor_or_setting_of_torch_is_another_grader(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("ATEN_CPU_CAPABILITY", raising=False)
    before = grader_key()
    assert grader_key() == before
    monkeypatch.setenv("ATEN_CPU_CAPABILITY", "default")
    with_setting = grader_key()
    features = {"SIMD Extensions": {"found": ["NONE"]}}
    monkeypatch.setattr(store.np, "show_config", lambda mode: features)
    assert len({before, with_setting, grader_key()}) == 3


def _of_ben(**test: object) -> dict[str, object]:
    """A kept result with one test, some of whose fields are others."""
    made = {"name": "t", "behaviour": "", "verdict": "passed", "weight": 1.0} | test
    result = {"student": "ben", "notice": "", "files": ["tiny.py"], "tasks": {"9.1": [made]}}
    return {"key": KEY, "score": 4.0, "scores": {"9.1": 4.0}, "result": result | {"examples": {}}}


EXAMPLE = {"symbol": "mean", "call": "mean([])", "gives": "0", "right": "1"}


@pytest.mark.parametrize(
    "damaged",
    [
        _of_ben(weight="1"),
        _of_ben(weight=None),
        _of_ben(weight=True),
        _of_ben(weight=math.nan),
        _of_ben(name=7),
        _of_ben(message=["a", "b"]),
        _of_ben(visible="yes"),
        _of_ben(verdict=["passed"]),
        _of_ben() | {"score": "4"},
        _of_ben() | {"score": 10**400},
        _of_ben() | {"scores": []},
        _of_ben() | {"scores": {"9.1": math.inf}},
        _of_ben() | {"key": None},
        *(
            _of_ben() | {"result": {**_of_ben()["result"], **part}}  # type: ignore[dict-item]
            for part in (
                {"notice": None},
                {"files": [1]},
                {"files": 5},
                {"tasks": []},
                {"tasks": {"9.1": 5}},
                {"examples": {"9.1": [EXAMPLE | {"call": 5}]}},
                {"examples": {"9.1": [EXAMPLE | {"size": "1"}]}},
                {"examples": {"9.1": EXAMPLE}},
            )
        ),
        [[]],
        None,
    ],
    ids=range(23),
)
def test_a_kept_result_of_odd_types_is_none(damaged: object, tmp_path: Path) -> None:
    kept = Store(tmp_path, parse_chapter(CATALOGUE))
    path = tmp_path / "ben.json"
    path.write_text(json.dumps(_of_ben()))
    assert kept.load("ben") is not None
    path.write_text(json.dumps(damaged))
    assert kept.load("ben") is None
    assert kept.holds("ben")
    path.write_text("[" * 100_000)
    assert kept.load("ben") is None


@pytest.mark.slow
def test_work_whose_kept_result_is_damaged_is_judged_anew_and_a_line_says_so(
    tiny: TinyCourse,
) -> None:
    folder = tiny.hand_in({"ada": REFERENCE, "ben": REFERENCE})
    assert tiny.run(folder).notes == ()
    path = tiny.project.root / "grades" / "results" / "ben.json"
    path.write_text(path.read_text("utf-8").replace('"weight": ', '"weight": "x", "w": '))
    outcome = tiny.run(folder)
    assert (outcome.graded, [each.score for each in outcome.results]) == (1, [10, 10])
    assert outcome.notes == ("kept results cannot be read, and their works were judged anew: ben",)
    assert tiny.run(folder).notes == ()


@pytest.mark.parametrize(
    "line",
    [
        b"5",
        b"null",
        b"[]",
        b"\xff\xfe",
        b"\0" * 100,
        b"[" * 100_000,
        b'{"student": "ada", "score": "x", "scores": {}, "reasons": []}',
        b'{"student": "ada", "score": 1, "scores": 5, "reasons": []}',
    ],
    ids=range(8),
)
def test_a_line_of_a_bad_disk_is_passed_over(line: bytes, tmp_path: Path) -> None:
    """What is untold of others is told all the same, and the class is graded."""
    before = Before(7.0, {"9.1": 7.0}, ("another submission",))
    untold = Untold(tmp_path)
    untold.note("ben", before)
    (tmp_path / FILE).write_bytes((tmp_path / FILE).read_bytes() + b"\n" + line)
    untold.note("cleo", before)
    assert untold.read() == {"ben": before, "cleo": before}
