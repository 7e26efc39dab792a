"""Tasks in any order: a check of one task says which other one it meets that is not written yet."""

import importlib.util
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType

import pytest
from typer.testing import Result

from examiner.catalogue import Chapter, Task
from examiner.check.examples import run_examples
from examiner.check.known import load
from examiner.check.open_tasks import of_another
from examiner.judge.wording import Source
from examiner.project import find_project
from examiner.results import Verdict
from examiner.stubs import marked_regions
from tests.course import CHAPTERS

Command = Callable[..., Result]
PROJECT = find_project(Path(__file__))
TASKS = [(chapter, task) for chapter in CHAPTERS for task in chapter.tasks]
# examples of what is made of an earlier task's function: nothing of it works without
BUILT_ON = {
    ("2.2", "count_ngrams"): "pad",
    ("2.4", "NGramModel.log_probs"): "pad",
    ("4.5", "gradient_norms"): "ElmanCell.step",
    ("4.8", "stack"): "run",
    ("4.8", "bidirectional"): "run",
    ("4.11", "generate"): "stack",
    ("5.2", "Translator.step"): "AdditiveAttention.forward",
    ("5.2", "Translator.forward"): "AdditiveAttention.forward",
    ("5.2", "Translator.translate"): "AdditiveAttention.forward",
    ("6.6", "LanguageModel.read"): "Block.forward",
    ("6.10", "Encoder.forward"): "LanguageModel.read",
    ("7.7", "tune_step"): "text_log_probs",
}


def with_one_task(chapter: Chapter, task: Task) -> str:
    """Return the reference with stubs in place of all other tasks' functions."""
    text = (PROJECT.root / "solutions" / f"{chapter.stem}.py").read_text("utf-8")
    lines = text.splitlines()
    regions = marked_regions(text, chapter.stem)
    for symbol, region in sorted(regions.items(), key=lambda pair: -pair[1].begin):
        other = chapter.task_of(symbol)
        assert other
        if other.id != task.id:
            marker = lines[region.begin - 1]
            indent = marker[: len(marker) - len(marker.lstrip())]
            stub = f'{indent}raise NotImplementedError("{other.id} {symbol}")'
            lines[region.begin - 1 : region.end] = [stub]
    return "\n".join(lines) + "\n"


def imported(text: str, path: Path) -> ModuleType:
    path.write_text(text, "utf-8")
    name = f"one_task_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec
    assert spec.loader
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules[name]
    return module


@pytest.mark.parametrize(("chapter", "task"), TASKS, ids=[task.id for _, task in TASKS])
def test_an_example_needs_no_other_task(chapter: Chapter, task: Task, tmp_path: Path) -> None:
    """But for those that are built on one, which is named."""
    examples = load(PROJECT.known(chapter.stem)).examples
    own = [symbol for symbol in task.symbols if symbol in examples]
    if not own:
        pytest.skip("no example")
    text = with_one_task(chapter, task)
    module = imported(text, tmp_path / f"{chapter.stem}.py")
    tasks = {symbol: each.id for each in chapter.tasks for symbol in each.symbols}

    def met(lines: Sequence[int]) -> str:
        return of_another(task.id, text, lines, tasks)

    for symbol in own:
        source = Source(f"{chapter.stem}.py", text)
        found = run_examples(symbol, examples[symbol], module, source, met)
        if base := BUILT_ON.get((task.id, symbol)):
            assert found.verdict is Verdict.NOT_JUDGED
            named = f"it calls {base} ({tasks[base]}), which is not written yet"
            assert found.message == f"not judged yet: {named}"
        else:
            assert found.verdict is Verdict.PASSED, found.message


USES_ADD = '''"""Return how many steps were taken.

        >>> Counter().step()
        1
        """
        '''


@pytest.fixture
def course(demo_course: Path, nextword: Command) -> Path:
    solution = demo_course / "solutions" / "demo.py"
    text = solution.read_text("utf-8")
    text = text.replace('"""Return how many steps were taken."""\n        ', USES_ADD)
    text = text.replace("self.count += 1", "self.count = add(self.count, 1)")
    assert "add(self.count" in text
    solution.write_text(text, "utf-8")
    assert nextword("sync").exit_code == 0
    return demo_course


@pytest.mark.slow
def test_a_check_names_the_open_task_that_a_call_meets(course: Path, nextword: Command) -> None:
    text = (course / "solutions" / "demo.py").read_text("utf-8")
    open_add = text.replace("return a + b", "raise NotImplementedError('anything')")
    (course / "coursework" / "demo.py").write_text(open_add, "utf-8")
    tasks = json.loads(nextword("check", "demo", "--json").output)["submissions"][0]["tasks"]
    assert {test["verdict"] for test in tasks[0]["tests"]} == {"missing"}
    named = "not judged yet: it calls add (9.1), which is not written yet"
    assert {test["name"]: (test["verdict"], test["message"]) for test in tasks[1]["tests"]} == {
        "example_of_Counter.step": ("not_judged", named),
        "test_counter": ("not_judged", named),
    }
    shown = nextword("check", "9.2").output
    assert named in shown
    assert "not written yet  " not in shown


@pytest.mark.slow
def test_a_stub_within_the_task_is_not_written_yet(course: Path, nextword: Command) -> None:
    text = (course / "solutions" / "demo.py").read_text("utf-8")
    stub = text.replace("self.count = add", "raise NotImplementedError; self.count = add")
    (course / "coursework" / "demo.py").write_text(stub, "utf-8")
    tasks = json.loads(nextword("check", "9.2", "--json").output)["submissions"][0]["tasks"]
    assert {test["verdict"] for test in tasks[0]["tests"]} == {"missing"}


@pytest.mark.parametrize("text", ["def f(:", "x = 1\n\n\n\n\n\n", "\0"])
def test_where_nothing_can_be_read_nothing_is_named(text: str) -> None:
    assert of_another("9.2", text, [3], {"f": "9.1"}) == ""
    assert of_another("9.2", text, [], {"f": "9.1"}) == ""
