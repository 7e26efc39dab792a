"""By what the submissions of a run are graded: suite, reference, mistakes, inputs that are settled.

Leaves out the submissions, and what becomes of the results (run.py).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path

from examiner.candidate.server import ServerPlan
from examiner.catalogue import Chapter
from examiner.errors import SuiteError, UserError
from examiner.grading import admitted
from examiner.grading.admission import Admission, asking, settle
from examiner.grading.seeds import seed_for
from examiner.grading.store import Key, run_key
from examiner.grading.stored import packed_pool
from examiner.grading.submissions import read_package
from examiner.grading.workers import Course
from examiner.judge.mistakes import Misconception, load_misconceptions
from examiner.judge.runs import Terms
from examiner.judge.suite import Suite, with_suite
from examiner.project import Project
from examiner.sandbox import trial as sandbox
from examiner.sandbox.servers import CandidateServer

REFERENCE = "solutions"


@dataclass(frozen=True)
class Basis:
    """What all submissions of a run are graded by."""

    project: Project
    chapter: Chapter
    reference: Path | None
    plan: ServerPlan
    seed: str

    @property
    def stem(self) -> str:
        """The chapter's short name."""
        return self.chapter.stem

    @cached_property
    def key(self) -> Key:
        """Return what every result of the run depends on."""
        stem, of = self.stem, self.project
        parts = of.suite_files(stem) + of.suite_data(stem) + of.mistake_files(stem)
        tests = [*sorted(parts), self.reference]
        plan = replace(self.plan, outer_uid=None)  # whom candidates become changes no grade
        imported = (*plan.library, *of.settings.suites_use)
        return run_key(tests, asdict(self.chapter), self.seed, plan.to_json(), imported)


def basis_of(
    project: Project, chapter: Chapter, *, confined: bool, user: int | None, seed: str | None
) -> Basis:
    """Return by what a chapter is graded; a seed of None is the course folder's own."""
    path = project.root / REFERENCE / f"{chapter.stem}.py"
    reference = path if path.is_file() else None
    # import what students will import
    models = [reference] if reference else project.suite_files(chapter.stem)
    plan = sandbox.plan_for(
        models,
        confined=confined,
        user=user,
        library=project.settings.library,
    )
    return Basis(project, chapter, reference, plan, seed_for(project, seed))


def with_course(
    basis: Basis,
    servers: int,
    tick: Callable[[], None],
    work: Callable[[Suite, Course, Admission, sandbox.Trial], None],
) -> None:
    """Collect the suite, settle its inputs, and call `work` with what submissions are graded by."""
    trial = sandbox.Trial(basis.plan, servers)

    def collected(suite: Suite) -> None:
        suite.require_tasks_of(basis.chapter)
        trial.finish()  # the servers have started while the suite was collected
        mistakes = _misconceptions(basis)
        course = Course(
            basis.chapter,
            basis.reference,
            mistakes,
            basis.plan,
            Terms(basis.seed),
            json.dumps(basis.key, sort_keys=True).encode(),
            packed_pool(basis.project, basis.chapter),
        )
        admission = _admit(basis, suite, course, trial.servers, tick)
        work(suite, replace(course, terms=Terms(basis.seed, admission.attempts)), admission, trial)

    path = basis.project.suite(basis.stem)
    try:
        with_suite(path, basis.project.root, collected)
    except SuiteError as error:
        raise UserError(f"{path.name}: {error}") from error
    finally:
        trial.close()


def _admit(
    basis: Basis,
    suite: Suite,
    course: Course,
    servers: Sequence[CandidateServer],
    tick: Callable[[], None],
) -> Admission:
    """Return which draw of its inputs each test takes; the reference says what is new."""
    if basis.reference is None:
        return Admission({})
    key = basis.key
    known, _ = admitted.load(basis.project, basis.stem, key)
    reference = read_package(basis.reference.parent, basis.stem, REFERENCE)
    admission = settle(suite, asking(suite, course, reference, servers, tick), known)
    if admission.attempts != known:
        admitted.save(basis.project, basis.stem, key, admission)
    return admission


def _misconceptions(basis: Basis) -> tuple[Misconception, ...]:
    if basis.reference is None:
        return ()
    try:
        return load_misconceptions(basis.project, basis.stem)
    except SuiteError as error:
        raise UserError(str(error)) from error
