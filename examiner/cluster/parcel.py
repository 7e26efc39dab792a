"""What a machine needs to grade a chapter, as one zip that is known by its content.

It holds the suite, the reference, the mistakes and the terms: the seed, the draw of each test, the
limits. It also says by what the grader grades, and a machine that has anything else refuses it:

    versions    of Python and of the packages that can change a digit or a message
    examiner    the text of all its programs
    library     the text of what of the course students' code and suites import
    arithmetic  what this machine's kernels make of fixed numbers, to the last bit
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
import platform
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from examiner.candidate.server import ServerPlan
from examiner.catalogue import Chapter, Task
from examiner.catalogue.settings import files_of, place_of
from examiner.errors import UserError
from examiner.files import pack
from examiner.grading.store import PACKAGES
from examiner.grading.workers import Course
from examiner.judge.mistakes import load_misconceptions
from examiner.judge.runs import Terms
from examiner.project import Project
from examiner.sandbox import bubblewrap
from examiner.sandbox.servers import EXAMINERS_PLACE, KERNEL_SETTINGS, chosen_kernels

TERMS = "terms.json"


@dataclass(frozen=True)
class Parcel:
    """The course's parts for one chapter."""

    data: bytes  # the zip

    @property
    def digest(self) -> str:
        """A name that another content cannot have."""
        return hashlib.sha256(self.data).hexdigest()


def packed(project: Project, course: Course) -> Parcel:
    """Return the parcel of a course folder's chapter, graded on these terms."""
    stem = course.chapter.stem
    paths = [
        *project.suite_files(stem),
        *project.suite_data(stem),
        *project.mistake_files(stem),
        *([course.reference] if course.reference else []),
    ]
    files = {path.relative_to(project.root).as_posix(): path.read_bytes() for path in paths}
    uses = sorted({*project.settings.library, *project.settings.suites_use})
    terms = {
        "chapter": asdict(course.chapter),
        "reference": course.reference and course.reference.relative_to(project.root).as_posix(),
        "plan": replace(course.plan, outer_uid=None).to_json(),
        "seed": course.terms.seed,
        "attempts": dict(sorted(course.terms.attempts.items())),
        "basis": course.basis.decode(),
        "uses": uses,
        "kernels": chosen_kernels(),
        "here": by_what(uses, arithmetic(course.plan)),
    }
    files[TERMS] = json.dumps(terms, sort_keys=True).encode()
    return Parcel(pack(dict(sorted(files.items()))))


@dataclass(frozen=True)
class Unpacked:
    """A parcel in a folder."""

    root: Path
    terms: Mapping[str, Any]

    @property
    def stem(self) -> str:
        """The chapter's short name."""
        return str(self.terms["chapter"]["stem"])

    def course(self) -> Course:
        """Return what to grade by."""
        raw = self.terms["chapter"]
        tasks = tuple(
            Task(**{**t, "symbols": tuple(t["symbols"]), "hints": tuple(t["hints"])})
            for t in raw["tasks"]
        )
        chapter = Chapter(**{**raw, "tasks": tasks})
        reference = self.terms["reference"]
        plan = ServerPlan.from_json(self.terms["plan"])
        plan = replace(
            plan,
            outer_uid=bubblewrap.outer_uid() if plan.confined else None,
            preload=tuple(plan.preload),
            library=tuple(plan.library),
            hidden=tuple(plan.hidden),
        )
        mistakes = load_misconceptions(Project(self.root), chapter.stem) if reference else ()
        terms = Terms(self.terms["seed"], self.terms["attempts"])
        return Course(
            chapter,
            self.root / reference if reference else None,
            mistakes,
            plan,
            terms,
            self.terms["basis"].encode(),
        )

    def environment(self) -> dict[str, str]:
        """Return the environment in which this is graded: the grader's choice of kernels."""
        own = {name: text for name, text in os.environ.items() if name not in KERNEL_SETTINGS}
        return {**own, **self.terms["kernels"]}

    def unlike(self, plan: ServerPlan) -> str:
        """Return in what this machine differs from the grader's; "" if in nothing."""
        there = self.terms["here"]
        try:
            here = by_what(self.terms["uses"], arithmetic(plan))
        except UserError as error:
            return str(error)
        for name, text in there.items():
            if here.get(name) != text:
                return _difference(name, here.get(name, "none"), text)
        return ""


def _difference(name: str, here: str, there: str) -> str:
    if name == "arithmetic":
        return (
            "its processor computes other last digits than the grader's: start the grader with "
            "--kernels common"
        )
    if name == "examiner":
        return "its examiner is another version than the grader's: install the same"
    if name.startswith("library "):
        return f"its {name.removeprefix('library ')} is another version than the grader's"
    return f"it has {name} {here}, the grader {there}"


def unpacked(data: bytes, digest: str, folder: Path) -> Unpacked:
    """Lay a parcel out in an empty folder; raises ValueError where it is not the one named."""
    if hashlib.sha256(data).hexdigest() != digest:
        raise ValueError("the course's parts are not those that were announced")
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        archive.extractall(folder)
    return Unpacked(folder, json.loads((folder / TERMS).read_text("utf-8")))


def opened(folder: Path) -> Unpacked:
    """Return the parcel that was laid out in a folder."""
    return Unpacked(folder, json.loads((folder / TERMS).read_text("utf-8")))


# ------------------------------------------------------------------- by what is graded here


def by_what(uses: Iterable[str], sums: str) -> dict[str, str]:
    """Return by what this machine grades, name by name."""
    found = {"Python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package).partition("+")[0]
        except PackageNotFoundError:
            found[package] = "none"
    place = EXAMINERS_PLACE / "examiner"
    found["examiner"] = _text_of(place, sorted(place.rglob("*.py")))
    for name in uses:
        place = place_of(name)
        found[f"library {name}"] = _text_of(place, files_of(place))
    found["arithmetic"] = sums
    return found


def _text_of(place: Path, paths: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        name = path.relative_to(place).as_posix() if place.is_dir() else path.name
        digest.update(hashlib.sha256(name.encode()).digest())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def arithmetic(plan: ServerPlan) -> str:
    """Return a digest of what this process computes from fixed numbers.

    Sums, products, exponentials and the like, by Python, numpy and (where students' code imports
    it) torch. Two machines with the same digest are taken to give a test the same digits, whatever
    their processors are called; features of processors would part those that compute alike, and
    join those whose libraries differ.
    """
    digest = hashlib.sha256()
    for part in (_pythons(), *_numpys()):
        digest.update(part)
    if any(name.split(".")[0] == "torch" for name in plan.preload):
        for part in _torches():
            digest.update(part)
    return digest.hexdigest()


def _numbers(count: int) -> list[float]:
    """Return numbers between -4 and 4 that are the same everywhere: no library draws them."""
    state, found = 20_261_123, []
    for _ in range(count):
        state = (1_103_515_245 * state + 12_345) % (1 << 31)
        found.append(8 * state / (1 << 31) - 4)
    return found


def _pythons() -> bytes:
    made = [
        f(abs(x) + 1e-3) for x in _numbers(2000) for f in (math.exp, math.log, math.sqrt, math.sin)
    ]
    made += [abs(x) ** 1.7 for x in _numbers(2000)]
    return repr(made).encode()


def _numpys() -> Iterable[bytes]:
    import numpy as np

    for form in (np.float32, np.float64):
        x: Any = np.array(_numbers(12_000), form)
        a, b = x[:6000].reshape(60, 100), x[6000:].reshape(100, 60)
        for made in (a @ b, np.exp(x), np.log(np.abs(x) + 1), np.tanh(x), np.sin(x), x * x + x):
            yield np.ascontiguousarray(made).tobytes()
        yield repr([float(x.sum()), float(x.mean()), float(x.std()), float(x @ x)]).encode()
        yield np.linalg.norm(a, axis=1).tobytes()
        yield np.einsum("ij,jk->ik", a, b).tobytes()
    yield np.random.default_rng(7).normal(size=500).tobytes()


def _torches() -> Iterable[bytes]:
    import torch
    from torch.nn import functional

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        for form in (torch.float32, torch.float64):
            x = torch.tensor(_numbers(12_000), dtype=form)
            a, b = x[:6000].reshape(60, 100), x[6000:].reshape(100, 60)
            made = [a @ b, x.exp(), x.tanh(), x.sigmoid(), functional.gelu(x), a.softmax(-1)]
            made += [a.logsumexp(-1), functional.layer_norm(a, (100,)), x.sum(), x.cumsum(0)]
            made += [
                functional.linear(a, b.T[:, :100]),
                torch.baddbmm(a[None, :, :60], a[None], b[None]),
            ]
            w = a[:20].clone().requires_grad_()
            functional.cross_entropy(w, torch.arange(20)).backward()
            assert w.grad is not None
            for each in (*made, w.grad):
                yield each.detach().contiguous().numpy().tobytes()
    finally:
        torch.set_num_threads(before)
