"""A mended notebook on its way to points: run in the sandbox, judged, and made fit to be read.

Plain functions, called by the steps of `nbgrader autograde` (autograde_steps.py). They never take a
score from what the student's kernel said.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nbformat.notebooknode import NotebookNode, from_dict
from nbgrader import utils

from examiner.judge.wording import one_line
from examiner.platforms.nbgrader import module_grades
from examiner.platforms.nbgrader.background import Processes
from examiner.platforms.nbgrader.check_cells import CellScore, is_unset, judge, missing
from examiner.platforms.nbgrader.course import Assignment
from examiner.platforms.nbgrader.handed_in import UNUSED
from examiner.platforms.nbgrader.kernel import Executed, KernelStep, execute
from examiner.platforms.nbgrader.plain_files import clear_the_way, plain_files
from examiner.plural import count
from examiner.project import COMMAND, ENTRY
from examiner.release.assignment import without

SHARED = ENTRY  # the entry of metadata and resources that is ours
MAX_FILES = 64 << 20  # bytes of a student's files that a notebook may read


def id_of(cell: NotebookNode) -> str:
    """Return a cell's grade id, "" where it has none."""
    return str(cell.metadata.get("nbgrader", {}).get("grade_id", ""))


def hide_tests(nb: NotebookNode, of: Assignment) -> None:
    """Take the hidden tests out of the course's own test cells."""
    for cell in nb.cells:
        if of.kind(id_of(cell)) in ("task", "check"):
            cell.source = without(cell.source, "HIDDEN TESTS")


def stage_files(folder: Path, handed_in: Path, source: Path, kept: Sequence[str]) -> None:
    """Copy a student's files to `folder`, then the source's, which win unless named in `kept`.

    Notebooks are left out (those of the course hold hidden tests), and so are links, which could
    lead out of the student's folder, and whatever goes beyond MAX_FILES bytes. Where a student has
    a file in the place of a folder, or a folder in the place of a file, the source's wins as well.
    """
    left = MAX_FILES
    for origin in (handed_in, source):
        for path in plain_files(origin):
            inside = path.relative_to(origin)
            keeps = origin == source and inside.as_posix() in kept
            if keeps or path.suffix == ".ipynb" or path.stat().st_size > left:
                continue
            left -= path.stat().st_size
            clear_the_way(folder, inside)
            (folder / inside).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, folder / inside)


def steps_of(nb: NotebookNode, of: Assignment, seconds: float) -> list[KernelStep]:
    """Return what a kernel has to do for a notebook.

    Test cells of the course are not run: the kernel could change what they give. Their variables
    are fetched where they stand, and once more at the end: a student may set them below. A kernel
    that dies or hangs loses only what comes after.
    """
    steps, read = [], list[str]()
    for index, cell in enumerate(nb.cells):
        kind = of.kind(id_of(cell))
        if kind == "check":
            steps.append(KernelStep(index, fetch=tuple(of.said(id_of(cell)).get("reads", ()))))
            read += steps[-1].fetch
        elif cell.cell_type == "code" and kind != "task" and cell.source.strip():
            steps.append(KernelStep(index, str(cell.source), seconds))
    if read:
        steps.append(KernelStep(_end_of(nb), fetch=tuple(dict.fromkeys(read))))
    return steps


def _end_of(nb: NotebookNode) -> int:
    """The place behind the last cell, where variables are fetched a second time."""
    return len(nb.cells)


def run_steps(
    steps: Sequence[KernelStep],
    of: Assignment,
    handed_in: Path,
    kept: Sequence[str],
    processes: Processes | None = None,
) -> Executed:
    """Take the steps in the sandbox, beside the files that the student handed in."""
    with tempfile.TemporaryDirectory(prefix=f"{COMMAND}-files-") as name:
        stage_files(Path(name), handed_in, of.folder, kept)
        return execute(steps, Path(name), processes, of.library)


def show(nb: NotebookNode, steps: Sequence[KernelStep], executed: Executed) -> None:
    """Put the outputs into the notebook."""
    count, told = 0, False
    for step in steps:
        if step.fetch:
            continue
        cell = nb.cells[step.cell]
        if step.cell not in executed.outputs:
            why = executed.gone or "the kernel ended"
            name = "NotRun" if told else "KernelDied"
            cell.outputs = [_error(name, f"this cell was not finished: {why}")]
            told = True
            continue
        count += 1
        cell.execution_count = count
        cell.outputs = [from_dict(output) for output in executed.outputs[step.cell]]
        for output in cell.outputs:
            if output.output_type == "execute_result":
                output.execution_count = count
        if executed.status[step.cell] == "timeout":
            cell.outputs.append(_error("TimeLimit", f"stopped after {step.seconds:g} s"))
        elif executed.status[step.cell] != "ok" and not _tells_of_an_error(cell):
            # subtle: the student's code can keep an error from being shown, not from being one
            cell.outputs.append(_error("Error", "this cell ended with an error"))


def _tells_of_an_error(cell: NotebookNode) -> bool:
    return any(output.output_type == "error" for output in cell.outputs)


def _error(name: str, text: str) -> NotebookNode:
    shown = {"ename": name, "evalue": text, "traceback": [f"{name}: {text}"]}
    return from_dict({"output_type": "error", **shown})


def score(
    nb: NotebookNode,
    of: Assignment,
    module: Mapping[str, Any] | None,
    executed: Executed | None,
) -> dict[str, CellScore]:
    """Return the points of the course's test cells by grade id, and write them below the cells.

    `module` is what the examiner says of the student's module, `executed` what the kernel gave.
    """
    scores: dict[str, CellScore] = {}
    if of.chapter is not None and module is not None:
        tasks = module_grades.task_scores(of.chapter, module)
        scores = {name: tasks[of.said(name)["task"]] for name in of.ids("task")}
        shared = nb.metadata.setdefault(SHARED, NotebookNode())
        shared.notice, shared.tasks = module["notice"], from_dict(module["tasks"])
    stopped = ""
    for index, cell in enumerate(nb.cells):
        if of.kind(id_of(cell)) == "check":
            places = index, _end_of(nb)
            scores[id_of(cell)] = _judge(of, id_of(cell), places, executed, stopped)
            stopped = ""
        elif of.kind(id_of(cell)) != "task":
            stopped = stopped or _error_of(cell)
    for cell in nb.cells:
        if id_of(cell) in scores:
            _write_below(cell, scores[id_of(cell)], of)
    if not any(_is_own(cell, of) for cell in nb.cells):
        assigned = [cell for cell in nb.cells if utils.is_task(cell)]
        scores |= {id_of(cell): CellScore(0.0, "nothing was handed in") for cell in assigned}
    return scores


def _is_own(cell: NotebookNode, of: Assignment) -> bool:
    """Tell whether a student added a cell, which may be a piece of work that was asked for."""
    text = cell.source.strip()
    return bool(text) and not id_of(cell) and text not in of.texts and not text.startswith(UNUSED)


def _judge(
    of: Assignment, name: str, places: tuple[int, int], executed: Executed | None, stopped: str
) -> CellScore:
    """Judge a check by what was fetched at its place; what was not set there yet, at the end."""
    source, said = of.cells[name]["source"], of.said(name)
    worth, (index, end) = float(said["points"]), places
    if executed is None or index not in executed.answers:
        why = executed.gone if executed else "it was not run"
        return judge(source, worth, {}, missing(list(said.get("reads", ())), why))
    answers, faults = dict(executed.answers[index]), dict(executed.faults[index])
    for each in [each for each, why in faults.items() if is_unset(why)]:
        if each in executed.answers.get(end, {}):
            answers[each] = executed.answers[end][each]
            del faults[each]
    return judge(source, worth, answers, faults, stopped)


def _error_of(cell: NotebookNode) -> str:
    """The error that a cell shows, in one line; "" for none.

    >>> from nbformat.v4 import new_code_cell, new_output
    >>> silent = new_output("error", ename="NotImplementedError", evalue="", traceback=[])
    >>> _error_of(new_code_cell(outputs=[silent]))
    'NotImplementedError'
    """
    for output in cell.get("outputs", []):
        if output.output_type == "error":
            said = filter(None, (output.get("ename"), output.get("evalue")))
            return one_line(": ".join(map(str, said)), 200)
    return ""


def _write_below(cell: NotebookNode, found: CellScore, of: Assignment) -> None:
    text = found.message
    if of.kind(id_of(cell)) == "check":
        worth = of.said(id_of(cell))["points"]
        of_all = count(worth, "point")
        head = "not judged" if found.points is None else f"{found.points:g} of {of_all}"
        text = f"{head}\n{text}".strip()
    cell.outputs = [from_dict({"output_type": "stream", "name": "stdout", "text": text + "\n"})]
    cell.execution_count = None
    cell.metadata[SHARED] = from_dict({"points": found.points, "message": found.message})


def automatic_score(cell: NotebookNode, scores: Mapping[str, CellScore]) -> float | None:
    """Return the points of a graded cell; None where a person has to give them."""
    if id_of(cell) in scores:
        return scores[id_of(cell)].points
    return plain_score(cell)


def plain_score(cell: NotebookNode) -> float | None:
    """Return the points of a cell that is not the course's, by its outputs, as nbgrader does.

    But what stands on stderr costs nothing, and a result that was sent before the cell's end does
    not hide an error: the last result counts, an error gives 0.
    """
    if not utils.is_solution(cell) and cell.cell_type == "code":
        if _tells_of_an_error(cell):
            return 0.0
        results = [output for output in cell.outputs if output.output_type == "execute_result"]
        cell = from_dict({**cell, "outputs": results[-1:]})
    points, _ = utils.determine_grade(cell)
    return None if points is None else float(points)
