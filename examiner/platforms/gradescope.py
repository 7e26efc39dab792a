"""Makes the zip that Gradescope's autograder takes, and is what runs there for each submission."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from examiner.catalogue import Chapter
from examiner.check.needs import uses_package
from examiner.errors import UserError
from examiner.files import pack
from examiner.project import COMMAND, Project
from examiner.release.library import all_rooms, library_files
from examiner.release.nbgrader import GRADER, SEED, examiner_data, examiner_files, new_seed
from examiner.release.student import require_new_folder
from examiner.results import SmallestExample, Verdict

SETUP = """\
#!/usr/bin/env bash
# Run once, when the image is built. Choose Ubuntu 24.04 or newer: Python 3.11 is needed.
set -euo pipefail
apt-get update
apt-get install -y python3 python3-venv bubblewrap
python3 -m venv /autograder/venv
/autograder/venv/bin/pip install --no-cache-dir {torch}\\
  --constraint /autograder/source/library/constraints.txt "/autograder/source/library{extra}"
# Settles on which inputs the tests run, so that it is not done again for each submission.
PYTHONPATH=/autograder/source/library /autograder/venv/bin/python -P \\
  -m examiner.platforms.gradescope /autograder {stem} settle
"""

TORCH = "--extra-index-url https://download.pytorch.org/whl/cpu "

RUN = """\
#!/usr/bin/env bash
# Run for each submission: reads submission/, writes results/results.json.
set -u
ROOT="${{AUTOGRADER_ROOT:-/autograder}}"
PYTHON="${{AUTOGRADER_PYTHON:-/autograder/venv/bin/python}}"
export PYTHONPATH="$ROOT/source/library"
exec "$PYTHON" -P -m examiner.platforms.gradescope "$ROOT" {stem}
"""

OTHER_USER = (
    "This container does not allow namespaces, so submissions ran as another user, to whom the "
    "tests, the reference and the results are closed; every wall was tried before this submission. "
    "They could see other processes and the system's files."
)
NOT_JUDGED = (
    "Your work was not judged, through no fault of yours. Your course staff can see why and will "
    "run it again."
)


class RefusedError(Exception):
    """There is no way to lock a submission in: nothing is graded."""


def release_gradescope(project: Project, chosen: Sequence[Chapter], target: Path) -> list[Path]:
    """Write one autograder zip per chapter into a new folder; return the zips."""
    contents = {chapter: dict(_contents(project, chapter)) for chapter in chosen}
    require_new_folder(target)
    made = []
    for chapter, files in contents.items():
        path = target / f"{chapter.stem}-autograder.zip"
        path.write_bytes(pack(files, ("setup.sh", "run_autograder")))
        made.append(path)
    return made


def _contents(project: Project, chapter: Chapter) -> Iterator[tuple[str, bytes]]:
    torch, extra = (TORCH, "[torch]") if uses_package(project, chapter, "torch") else ("", "")
    yield "setup.sh", SETUP.format(stem=chapter.stem, torch=torch, extra=extra).encode()
    yield "run_autograder", RUN.format(stem=chapter.stem).encode()
    for place, path in library_files(project, all_rooms):
        yield f"library/{place.as_posix()}", path.read_bytes()
    for inside, text in examiner_files(project, chapter, Path(GRADER)).items():
        yield inside.as_posix(), text.encode()
    for inside, data in examiner_data(project, chapter, Path(GRADER)).items():
        yield inside.as_posix(), data
    yield f"{GRADER}/{SEED.as_posix()}", new_seed().encode()


# ------------------------------------------------------------------ in Gradescope's container


def grade_submission(root: Path, stem: str) -> dict[str, Any]:
    """Grade what lies in `root`/submission; return what results.json shall hold.

    Raises RefusedError where a submission cannot be locked in.
    """
    from examiner.grading.run import Options, grade
    from examiner.grading.terminal import fault_lines

    project = Project(root / "source" / GRADER)
    chapter = project.catalogue.chapter(stem)
    user, notes = _walls(root)
    with tempfile.TemporaryDirectory(prefix=f"{COMMAND}-one-") as name:
        stage = Path(name) / "class" / _student(root)
        shutil.copytree(root / "submission", stage, symlinks=True)
        options = Options(
            Path(name) / "out",
            jobs=1,
            confined=user is None,
            user=user,
            examples=project.settings.shows_examples(date.today()),
        )
        outcome = grade(project, chapter, stage.parent, options, _Quiet())
        made = results(chapter, options.told(outcome.results[0]).to_json(), notes)
        if outcome.faults:
            made["tests"].append(_for_staff("Tests at fault", fault_lines(outcome.faults)))
    return made


def settle(root: Path, stem: str) -> list[str]:
    """Settle on which inputs the tests run; return what to tell. It never stops an image.

    What cannot be settled now is settled with each submission.
    """
    from examiner.grading.run import Options, settle_ahead
    from examiner.grading.terminal import fault_lines

    project = Project(root / "source" / GRADER)
    try:
        user, _ = _walls(root)
        options = Options(root / "results", jobs=1, confined=user is None, user=user)
        return fault_lines(settle_ahead(project, project.catalogue.chapter(stem), options))
    except Exception as error:
        why = str(error) if isinstance(error, RefusedError | UserError) else repr(error)
        return [f"not settled, so each submission takes longer: {why}"]


def _walls(root: Path) -> tuple[int | None, list[str]]:
    """Return the user whom candidates become where namespaces are forbidden, and what to tell."""
    from examiner.sandbox import other_user
    from examiner.sandbox.trial import plan_for, require

    try:
        require(plan_for([], confined=True))
    except UserError as first:
        secret = (f"source/{GRADER}", "results", "submission", "submission_metadata.json")
        try:
            user = other_user.lock_in([root / each for each in secret])
        except UserError as second:
            raise RefusedError(f"{first}\n{second}") from None
        return user, [OTHER_USER, str(first)]
    return None, []


def _student(root: Path) -> str:
    """Return the submission's number by Gradescope's metadata; its users are not needed here."""
    try:
        metadata = json.loads((root / "submission_metadata.json").read_text("utf-8"))
        return f"submission-{int(metadata['id'])}"
    except (OSError, ValueError, KeyError, TypeError):
        return "submission"


def results(
    chapter: Chapter, result: Mapping[str, Any], notes: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the content of results.json for a submission as `grade --json` writes it."""
    tests = [_test(task) for task in result["tasks"]]
    said = [result["notice"]] if result["notice"] else []
    if result["provisional"]:
        said.append("Some tests could not be judged: the score can only rise.")
    made = {
        "score": result["score"],
        "output": "\n\n".join(said),
        "output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": tests,
    }
    if notes:
        made["tests"].append(_for_staff("Note on the sandbox", notes))
    return made


def _for_staff(name: str, lines: Sequence[str]) -> dict[str, Any]:
    return {
        "name": name,
        "score": 0,
        "max_score": 0,
        "status": "failed",
        "output": "\n".join(lines),
        "output_format": "text",
        "visibility": "hidden",
    }


def _test(task: Mapping[str, Any]) -> dict[str, Any]:
    wrong = [test for test in task["tests"] if test["verdict"] != Verdict.PASSED]
    examples = [SmallestExample(**each) for each in task["examples"]]
    lines = [line for each in examples for line in (*each.said.splitlines(), "")]
    for test in wrong:
        lines.append(f"- {test['behaviour']}")
        if not examples:
            lines += [f"  {line}" for line in test["message"].splitlines()]
        if test["misconception"] and not examples:
            lines.append(f"  This looks like: {test['misconception']}")
    return {
        "number": task["id"],
        "name": f"{task['id']} {task['title']}",
        "score": task["score"],
        "max_score": task["max_score"],
        "status": "failed" if wrong else "passed",
        "output": "\n".join(lines) or "Every test passed.",
        "output_format": "text",
        "visibility": "visible",
        "tags": [task["verdict"]],
    }


class _Quiet:
    """Shows nothing: Gradescope shows results.json."""

    def begin(self, total: int, known: int) -> None:
        """Ignore."""

    def finished(self, result: Any) -> None:
        """Ignore."""

    def tick(self) -> None:
        """Ignore."""


def main(root: Path, stem: str) -> None:
    """Grade the submission and write results.json, also when the grader itself fails."""
    try:
        made = grade_submission(root, stem)
    except Exception as error:  # Gradescope shows nothing at all without results.json
        refused = isinstance(error, RefusedError)
        why = str(error) if refused else repr(error)
        made = {
            "score": 0,
            "output": NOT_JUDGED,
            "visibility": "visible",
            "stdout_visibility": "hidden",
            "tests": [_for_staff("Not judged: no sandbox" if refused else "Not judged", [why])],
        }
        print(why)
    folder = root / "results"
    folder.mkdir(exist_ok=True)
    text = json.dumps(made, indent=1, ensure_ascii=False)
    (folder / "results.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    import sys

    if sys.argv[3:] == ["settle"]:
        print(*settle(Path(sys.argv[1]), sys.argv[2]), sep="\n")
    else:
        main(Path(sys.argv[1]), sys.argv[2])
