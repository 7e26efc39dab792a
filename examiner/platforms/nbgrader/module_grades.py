"""Has the examiner judge the modules of a class, in a process of its own.

Of its own, because nbgrader may run inside a Jupyter server, where forking is not safe. Results of
unchanged submissions are kept in the course folder, so that a second run costs little.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from examiner.catalogue import Chapter
from examiner.check.terminal import printable
from examiner.errors import UserError
from examiner.grading.run import Options, grade, processors
from examiner.grading.terminal import fault_lines
from examiner.platforms.nbgrader.background import Processes
from examiner.platforms.nbgrader.check_cells import CellScore
from examiner.platforms.nbgrader.course import examiner_project
from examiner.platforms.nbgrader.handed_in import is_placed
from examiner.platforms.nbgrader.plain_files import modules_in
from examiner.plural import count
from examiner.project import COMMAND, Project
from examiner.results import SmallestExample, SubmissionResult, Verdict

EXIT_USER_ERROR = 2
START_SECONDS, SECONDS_EACH = 120.0, 120.0  # of a run, and of each submission in it at most
MAX_SAID = 4000  # characters of what the examiner says when it fails


class EngineError(Exception):
    """The examiner did not run: the grader's fault."""


def module_results(
    course: Path,
    chapter: Chapter,
    folders: Mapping[str, Path],
    jobs: int = 0,
    processes: Processes | None = None,
) -> dict[str, dict[str, Any]]:
    """Return what each student's module earned, by student, as `grade --json` writes it.

    The entry `key` of each says by what it was judged, as in grading/store.py, and `faults` which
    tests the reference fails, in lines for the instructor. `folders` maps a student to the folder
    with the module; `jobs` of them are judged at once (0: one per processor), by one of the
    `processes` that end with the run of a class. Raises UserError or EngineError.
    """
    project = examiner_project(course)
    names = {_key(student): student for student in folders}
    with tempfile.TemporaryDirectory(prefix=f"{COMMAND}-class-") as name:
        stage = Path(name) / "class"
        for key, student in names.items():
            _stage(folders[student], stage / key, chapter.stem)
        answer = Path(name) / "results.json"
        command = [sys.executable, "-P", "-m", "examiner.platforms.nbgrader.module_grades"]
        command += [str(project.root), chapter.stem, str(stage), str(answer)]
        command += [str(jobs or processors())]
        limit = START_SECONDS + SECONDS_EACH * len(names)
        options: dict[str, Any] = {"text": True, "encoding": "utf-8"}
        options |= {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
        with (processes or Processes()).running(command, **options) as judging:
            try:
                _, said = judging.communicate(timeout=limit)
            except subprocess.TimeoutExpired:
                raise EngineError(f"the examiner did not end in {limit:g} s") from None
        if judging.returncode == EXIT_USER_ERROR:
            raise UserError(said.strip())
        if judging.returncode or not answer.is_file():
            raise EngineError(f"the examiner failed:\n{said.strip()[-MAX_SAID:]}")
        found = json.loads(answer.read_text("utf-8"))
    return {names[each["student"]]: each for each in found["submissions"]}


def _key(student: str) -> str:
    """Return a name under which a student's result is kept, whoever else is graded."""
    return hashlib.sha256(student.encode(errors="surrogateescape")).hexdigest()[:16]


def _stage(folder: Path, target: Path, stem: str) -> None:
    """Copy the module alone; what else lies in the folder has no effect.

    Where there is none, the names of other modules are kept: the student is told of them. So is a
    notebook that was handed in where there is no other.
    """
    target.mkdir(parents=True)
    found = modules_in(folder, stem)
    for source in found:
        if source.is_symlink() or source.is_file():
            shutil.copy(source, target / source.name, follow_symlinks=False)
    if found:
        return
    notebooks = (path for path in folder.glob("*.ipynb") if not is_placed(path))
    for other in list(folder.glob("*.py")) or notebooks:
        (target / other.name).touch()


def notices(results: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Return, by student, what is to be said of whole modules."""
    return {student: each["notice"] for student, each in results.items() if each["notice"]}


def class_faults(results: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return what is to be said of tests at fault, once for the class."""
    return list(dict.fromkeys(line for each in results.values() for line in each["faults"]))


def task_scores(chapter: Chapter, result: Mapping[str, Any]) -> dict[str, CellScore]:
    """Return the points and the message of each task, by its id."""
    return {task["id"]: _score(task) for task in result["tasks"]}


def _score(task: Mapping[str, Any]) -> CellScore:
    tests = task["tests"]
    passed = sum(test["verdict"] == Verdict.PASSED for test in tests)
    of = f"{task['score']:g} of {count(task['max_score'], 'point')}"
    head = f"{of} ({passed} of {count(len(tests), 'test')})"
    examples = [SmallestExample(**each) for each in task["examples"]]
    shown = [line for each in examples for line in each.said.splitlines()]
    said = dict.fromkeys(line for test in tests for line in _lines(test, briefly=bool(examples)))
    message = printable("\n".join([head, *shown, *said]))
    if task["verdict"] == Verdict.NOT_JUDGED:
        return CellScore(None, f"{message}\nA test could not be judged: a person will look at it.")
    return CellScore(float(task["score"]), message)


def _lines(test: Mapping[str, Any], *, briefly: bool) -> Iterable[str]:
    if test["verdict"] == Verdict.PASSED:
        if test["message"]:
            yield f"- {test['message']}: {test['behaviour']}"
        return
    word = Verdict(test["verdict"]).look.word
    yield f"- {word}: {test['behaviour']}"
    for text in () if briefly else (test["message"], test["misconception"]):
        if text != word:
            yield from (f"    {line}" for line in text.splitlines())


class _Silent:
    """Shows nothing: nbgrader has its own log."""

    def begin(self, total: int, known: int) -> None:
        """Ignore."""

    def finished(self, result: SubmissionResult) -> None:
        """Ignore."""

    def tick(self) -> None:
        """Ignore."""


def main() -> None:
    """Grade a staged class: ROOT CHAPTER STAGE ANSWER JOBS."""
    root, stem, stage, answer, jobs = sys.argv[1:]
    project = Project(Path(root))
    options = Options(
        out=project.state("graded") / stem,
        jobs=int(jobs),
        examples=project.settings.shows_examples(date.today()),
    )
    try:
        outcome = grade(project, project.catalogue.chapter(stem), Path(stage), options, _Silent())
    except UserError as error:
        sys.exit(_say(str(error)))
    faults = fault_lines(outcome.faults)
    rows = [
        {**options.told(result).to_json(), "key": key, "faults": faults}
        for result, key in zip(outcome.results, outcome.keys, strict=True)
    ]
    Path(answer).write_text(json.dumps({"submissions": rows}), encoding="utf-8")
    outcome.told()  # nbgrader shows no changes


def _say(text: str) -> int:
    print(text, file=sys.stderr)
    return EXIT_USER_ERROR


if __name__ == "__main__":
    main()
