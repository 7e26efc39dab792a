"""The child process in which `nextword check` runs a suite on a student's code, and what it says.

Its parent (apart.py) can end it at any moment, whatever the student's code does. Each line that it
writes is JSON: which test begins, what became of one, or why there are none.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from examiner.candidate.host import PACKAGE
from examiner.check.contents import not_there, nothing_in
from examiner.check.example_names import name_of
from examiner.check.examples import SECONDS, blank, run_examples
from examiner.check.job import SHOWING, SHOWING_SECONDS, Job
from examiner.check.known import DocstringExample, load
from examiner.check.open_tasks import of_another
from examiner.check.printed import telling
from examiner.check.runner import Checked, run_suite
from examiner.counterexamples.causes import called, causes_alone
from examiner.counterexamples.examples import find
from examiner.ending import end_with_parent
from examiner.errors import MissingPackageError, SuiteError
from examiner.judge.local import on_file
from examiner.judge.session import Judged, Refusal, Session, describe
from examiner.judge.suite import Suite, SuiteTest
from examiner.judge.wording import Source
from examiner.results import SmallestExample, TestResult, Verdict

LESS = 1.0  # seconds for the other tests of a task, once one has used up its time
MAPPED = 4 << 30  # bytes beyond what is mapped before the student's code: libraries count here


class Teller:
    """Tells the parent what happens, in lines of JSON."""

    def __init__(self, write: Callable[[str], object]) -> None:
        self._write = write

    def tell(self, **line: Any) -> None:
        """Write one line."""
        self._write(json.dumps(line) + "\n")

    def begins(self, name: str, seconds: float) -> None:
        """Say that a test, or the import (""), begins, and how long it may take."""
        self.tell(begins=name, seconds=seconds)

    def result(self, task_id: str, result: TestResult) -> None:
        """Say what became of a test."""
        self.tell(task=task_id, result=asdict(result))

    def prints(self, text: str) -> None:
        """Say what the student's code prints."""
        self.tell(prints=text)


def main() -> None:
    """Run the suite that the command line names, then the examples."""
    # past whatever the student's code does to standard output
    lines = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    alone = threading.RLock()  # the student's threads may print while a result is told

    def write(line: str) -> None:
        with alone:
            lines.write(line)

    teller = Teller(write)
    work = Work(Job(**json.loads(sys.argv[1])), teller, telling(teller.prints))
    parent = os.dup(0)  # its end of it closes when it ends
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):  # whoever asks for input finds that there is none
        os.dup2(null, standard)
    _end_with_the_parent(parent)
    _bound_memory()
    work.do()
    os._exit(0)  # without the student's threads and atexit functions


class Work:
    """What is to be run on one module; what it prints in tests goes to `printed`, if anywhere."""

    def __init__(self, job: Job, teller: Teller, printed: TextIO | None = None) -> None:
        self.job, self.teller, self.printed = job, teller, printed
        self.module = Path(job.module)
        self.known = load(Path(job.known))
        self.wrong = set(job.wrong)  # tasks
        self.slow = set(job.slow)  # tasks
        self.shown: dict[str, SmallestExample | None] = {}  # by function
        self.opened: Session | Refusal | None = None
        self.examples = {
            symbol: (task_id, self.known.examples[symbol])
            for symbol, task_id in job.symbols.items()
            if symbol in self.known.examples
            and (not job.task_ids or task_id in job.task_ids)
            and name_of(symbol) not in job.skip
        }

    def do(self) -> None:
        """Run everything but what is to be skipped, and tell what comes of it."""
        try:
            self._run()
        except (SuiteError, MissingPackageError) as error:
            self.teller.tell(problem=str(error))
        self.teller.tell(done=True)

    def _run(self) -> None:
        checked = run_suite(
            Path(self.job.suite),
            self._open,
            root=Path(self.job.root),
            task_ids=self.job.task_ids,
            visible_only=self.job.visible_only,
            skip=self.job.skip,
            planned=self._plan,
            seconds=lambda test: self._limit(test.mark.id, test.mark.seconds),
            begins=self.teller.begins,
            report=self._report,
            printed=self.printed,
        )
        for symbol, (task_id, examples) in self.examples.items():
            limit = self._limit(task_id, SECONDS)
            self.teller.begins(name_of(symbol), limit)
            result = self._example(symbol, examples, checked, limit)
            passed = result.verdict is Verdict.PASSED
            if passed or not self._another_is_wrong(symbol, checked):
                self._tell(task_id, result)
        if checked.refusal is None:
            self.teller.begins(SHOWING, SHOWING_SECONDS)
            self._show()

    def _limit(self, task_id: str, seconds: float) -> float:
        """Return what a test gets of its time: little in a task that is too slow already.

        Such a task is not done, whatever comes of its other tests, and they would be waited for.
        """
        return min(seconds, LESS) if task_id in self.slow else seconds

    def _show(self) -> None:
        """Say of each task that is wrong on which smallest inputs."""
        for task_id in sorted(self.wrong, key=list(self.job.symbols.values()).index):
            symbols = [each for each, task in self.job.symbols.items() if task == task_id]
            found = [example for each in symbols if (example := self._smallest(each))]
            for example in causes_alone(found, Source(self.module.name, self._text())):
                self.teller.tell(task=task_id, example=asdict(self._with_cause(example)))

    def _smallest(self, symbol: str) -> SmallestExample | None:
        """Return the smallest example on which a function is wrong, if it is."""
        if symbol not in self.shown:
            self.shown[symbol] = None
            opened = self._session()
            if isinstance(opened, Refusal) or symbol.partition(".")[0] not in opened.directory:
                return None
            with contextlib.suppress(Exception):  # whatever the answers are
                task_id = self.job.symbols[symbol]
                found = find(self.known.pool, task_id, [symbol], self._session, self.known.says)
                self.shown[symbol] = next(found, None)
        return self.shown[symbol]

    def _session(self) -> Session | Refusal:
        assert self.opened is not None
        return self.opened

    def _with_cause(self, example: SmallestExample) -> SmallestExample:
        """Return an example with the functions of other tasks that are behind it."""
        tasks = self.job.symbols
        others = [each for each in tasks if tasks[each] != tasks[example.symbol]]
        used = called(self._text(), example.symbol, others)
        wrong = [f"`{each}` ({tasks[each]})" for each in used if self._smallest(each)]
        if not wrong:
            return example
        said = f"it calls {' and '.join(wrong)}, not right yet either: mend that first"
        return replace(example, where=said, says="")

    def _tell(self, task_id: str, result: TestResult) -> None:
        if result.calls_for_an_example:
            self.wrong.add(task_id)
        if result.verdict is Verdict.TIMEOUT:
            if task_id in self.slow:
                said = f"{result.message} (another test of {task_id} had all of its time)"
                result = replace(result, message=said)
            self.slow.add(task_id)
        self.teller.result(task_id, result)

    def _open(self, suite: Suite) -> Session | Refusal:
        self.opened = self._import(suite)
        if isinstance(self.opened, Refusal):
            self.teller.tell(refused=self.opened.message)
        return self.opened

    def _import(self, suite: Suite) -> Session | Refusal:
        if not self.module.is_file():
            return Refusal(Verdict.MISSING, not_there(self.module, self.job.chapters))
        opened = on_file(suite, self.module)
        if isinstance(opened, Refusal):
            return opened
        text, names = opened.source.text, opened.directory
        said = nothing_in(self.module, text, names, self.job.symbols, self.job.fresh)
        return Refusal(Verdict.MISSING, said) if said else opened

    def _plan(self, tests: list[SuiteTest]) -> None:
        rows = [(test.mark.id, describe(test, Verdict.NOT_JUDGED, "", 0.0)) for test in tests]
        rows += [(task_id, blank(symbol)) for symbol, (task_id, _) in self.examples.items()]
        self.teller.tell(planned=[{"task": task, "result": asdict(each)} for task, each in rows])

    def _report(self, task_id: str, judged: Judged) -> None:
        self._tell(task_id, self._in_words(task_id, judged))

    def _in_words(self, task_id: str, judged: Judged) -> TestResult:
        """Return a test's result, or the task that it waits for."""
        result = judged.result
        if judged.unwritten and (said := self._of_another(task_id, judged.lines)):
            return replace(result, verdict=Verdict.NOT_JUDGED, message=said)
        return result

    def _of_another(self, task_id: str, lines: Sequence[int]) -> str:
        return of_another(task_id, self._text(), lines, self.job.symbols)

    def _text(self) -> str:
        return self.module.read_text("utf-8-sig", errors="replace")

    def _another_is_wrong(self, symbol: str, checked: Checked) -> bool:
        """Tell whether an example may fail through a function of another task that it uses."""
        text = " ".join(each.source for each in self.known.examples[symbol])
        used = set(re.findall(r"\w+", text))
        for other, examples in self.known.examples.items():
            elsewhere = self.job.symbols.get(other) != self.job.symbols[symbol]
            if elsewhere and used & {other, other.rpartition(".")[2]}:
                self.teller.begins(name_of(symbol), SECONDS)  # each has its own time
                if self._example(other, examples, checked, SECONDS).verdict is not Verdict.PASSED:
                    return True
        return False

    def _example(
        self,
        symbol: str,
        examples: list[DocstringExample],
        checked: Checked,
        seconds: float,
    ) -> TestResult:
        if refusal := checked.refusal:
            return replace(blank(symbol), verdict=refusal.verdict, message=refusal.message)
        loaded = sys.modules[f"{PACKAGE}.{self.module.stem}"]
        source = Source(self.module.name, self._text())
        met = partial(self._of_another, self.job.symbols.get(symbol, ""))
        return run_examples(symbol, examples, loaded, source, met, seconds)


def _end_with_the_parent(parent: int) -> None:
    """End when the parent does: its end of this pipe closes then."""

    def wait() -> None:
        with contextlib.suppress(OSError):
            while os.read(parent, 1):
                pass
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
    end_with_parent()  # code that never lets go of Python's lock would not hear the pipe


def _bound_memory() -> None:
    """Let the student's code get a MemoryError, which says where; the parent bounds it, too."""
    if sys.platform == "linux":
        import resource

        from examiner.candidate.confinement import mapped_memory

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (mapped_memory() + MAPPED, hard))
