"""What `nextword check` prints: a line per task, what failed and why, and hints."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

from rich.console import Console
from rich.syntax import Syntax
from rich.text import Text

from examiner.catalogue import Chapter
from examiner.check.hints import CODE, HINTS_FILE, next_hints, open_function
from examiner.check.printed import MOST_PRINTED, MOST_ROWS
from examiner.project import Project
from examiner.results import (
    SmallestExample,
    SubmissionResult,
    TaskResult,
    TestResult,
    Verdict,
    says_that_it_lacks,
)


def printable(text: str) -> str:
    """Return the text without control characters, which could steer a terminal."""
    return "".join(c for c in text if c in "\n\t" or c.isprintable())


class CheckReport:
    """Prints a chapter's results as they come."""

    def __init__(self, chapter: Chapter, *, quiet: bool = False) -> None:
        self.chapter = chapter
        self.console = Console(quiet=quiet, highlight=False, soft_wrap=True)
        self._status = self.console.status("reading the tests …")
        self._printed = ""  # by the student's code

    def start(self, folder: Path) -> None:
        """Say what is checked."""
        shown = Path(folder.name) / f"{self.chapter.stem}.py"
        self.console.print(f"Chapter {self.chapter.number}, {self.chapter.title}: {shown}\n")
        self._status.start()

    def test(self, task_id: str, result: TestResult) -> None:
        """Say how far the run is."""
        self._status.update(f"{task_id}  {result.behaviour}")

    def prints(self, text: str) -> None:
        """Keep a piece of what the student's code prints."""
        if len(self._printed) < MOST_PRINTED:
            self._printed += text
        elif not self._printed.endswith("…"):
            self._printed += "…"

    def finish(self, result: SubmissionResult) -> None:
        """Print every task, what failed in it, and what the student's code printed."""
        self._status.stop()
        shown = any(task.examples for task in result.tasks)
        shared = result.notice or ("" if shown else result.shared_failure)
        for task in result.tasks:
            self._task(task, with_messages=not shared)
        if shared:
            self.console.print(f"\n{printable(shared)}", style="red", markup=False)
        if self._printed.strip():
            self._print("\nYour code printed, while the tests ran:", "bold")
            rows = self._printed.rstrip().split("\n")
            for row in rows[:MOST_ROWS]:
                last = row.rstrip().rpartition("\r")[2]  # of a line that was written over again
                self._print(f"    {printable(last)}")
            if len(rows) > MOST_ROWS:
                self._print(f"    … and more, which is not shown: only the first {MOST_ROWS} lines")
        done = sum(task.verdict is Verdict.PASSED for task in result.tasks)
        tasks = "task passes its" if len(result.tasks) == 1 else "tasks pass their"
        self.console.print(f"\n{done} of {len(result.tasks)} {tasks} visible tests.")
        if done < len(result.tasks) and not result.notice:
            self.console.print("For a hint on the first open task: add --hint", style="dim")

    def _task(self, result: TaskResult, *, with_messages: bool) -> None:
        passed = sum(test.verdict is Verdict.PASSED for test in result.tests)
        word = result.verdict.look.word if result.tests else "no visible test"
        colour = result.verdict.look.colour if result.tests else "dim"
        line = Text(f"{result.task.id:>5}  {result.task.title:<46} ")
        line.append(f"{word:<16}", style=colour).append(f"{passed} of {len(result.tests)}")
        self.console.print(line)
        if not with_messages:
            return
        if result.verdict is Verdict.MISSING:
            for said in dict.fromkeys(test.message for test in result.tests):
                if says_that_it_lacks(said, f"{self.chapter.stem}.py"):
                    self._print(f"         {printable(said)}")
            return
        for example in result.examples:
            self._example(example)
        shown = {example.symbol for example in result.examples}
        for test in result.tests:
            if test.verdict is not Verdict.PASSED:
                self._print(f"       {test.verdict.look.word}: {test.behaviour}", "bold")
                rows = printable(test.message).splitlines()
                for row in rows if not shown or test.verdict is not Verdict.FAILED else ():
                    self._print(f"         {row}")

    def _example(self, example: SmallestExample) -> None:
        """Print the smallest input on which a function is wrong."""
        if example.says:
            self._print(f"       This looks like: {printable(example.says)}", "cyan")
        for row in printable(example.lines).splitlines():
            self._print(f"         {row}")

    def _print(self, text: str, style: str = "") -> None:
        self.console.print(Text(text, style))


def show_hint(project: Project, result: SubmissionResult) -> bool:
    """Print the next hint for the first unfinished task; tell whether there is one."""
    console = Console(highlight=False, soft_wrap=True)
    unfinished = [task for task in result.tasks if task.verdict is not Verdict.PASSED]
    if not unfinished:
        return False
    if result.notice:  # no hint helps before the file can be read
        console.print(printable(result.notice), style="red", markup=False)
        return True
    task, symbol = unfinished[0].task, open_function(unfinished[0])
    hints = next_hints(project.state(HINTS_FILE), task, symbol)
    name = f"{task.title}, `{symbol}`" if len(task.symbols) > 1 else task.title
    console.print(f"Hints for {task.id} {name} ({len(hints)} of {len(task.hints)}):", markup=False)
    for number, text in enumerate(hints, start=1):
        console.print(_hint(number, text))
    more = len(hints) < len(task.hints)
    console.print(f"({'ask again for the next one' if more else f'that was all; {task.see}'})")
    return True


def _hint(number: int, hint: str) -> Text:
    """Return a hint as it is printed: prose indented by two columns, code by four, no fences."""
    python = Syntax("", "python", theme="ansi_light", background_color="default")
    gap = "\n\n" if CODE.match(hint) else " "
    shown = Text()
    for place, part in enumerate(CODE.split(f"{number}.{gap}{hint}")):  # prose and code, in turn
        if place % 2:
            shown.append_text(python.highlight(indent(part, "    ")))
        else:
            shown.append(indent(part, "  "))
    return shown
