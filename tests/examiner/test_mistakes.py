"""The format of mistakes and other answers: what it makes of a reference, and what it refuses."""

from collections.abc import Callable
from pathlib import Path

import pytest

from examiner.errors import SuiteError
from examiner.judge.mistakes import Answer, load_answers, load_misconceptions, nothing
from examiner.project import Project, find_project
from tests.course import CHAPTERS, COURSE

PROJECT = find_project(Path(__file__))
REFERENCE = '''"""Words. Leaves out: all others."""

from dataclasses import dataclass

SEPARATOR = " "


def split(text, separator=SEPARATOR):
    """Return the words."""
    if not text:
        return []
    # BEGIN SOLUTION
    words = []
    for word in text.split(separator):
        if word:
            words.append(word)
    return words
    # END SOLUTION


@dataclass
class Counter:
    """Counts."""

    count: int = 0

    def step(self):
        """Count one more."""
        self.count += 1
        return self.count


class Twice(Counter):
    """Counts by two."""

    def step(self):
        # BEGIN SOLUTION
        super().step()
        return super().step()
        # END SOLUTION
'''
REMARK = "Answers to chapter 9.\n\n"
RIGHT = "== 9.1 split | as a list | right\nwords = text.split()\nreturn words\n\n"
Load = Callable[..., tuple[Answer, ...]]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "solutions").mkdir()
    (tmp_path / "solutions" / "words.py").write_text(REFERENCE, "utf-8")
    return Project(tmp_path)


@pytest.fixture
def load(project: Project) -> Load:
    """Load texts as the files of a chapter's mistakes, or of its other answers."""

    def loaded(*texts: str, answers: bool = False) -> tuple[Answer, ...]:
        folder = project.root / "tests" / "words" / ("answers" if answers else "mistakes")
        folder.mkdir(parents=True, exist_ok=True)
        for number, text in enumerate(texts):
            (folder / f"part{number}.txt").write_text(text, "utf-8")
        return (load_answers if answers else load_misconceptions)(project, "words")

    return loaded


def test_no_file_is_no_mistake(project: Project) -> None:
    assert load_misconceptions(project, "words") == load_answers(project, "words") == ()


def test_a_body_stands_in_place_of_the_marked_lines(load: Load) -> None:
    head = "== 9.1 split | keeps_empty_words | idea\n> Two spaces in a row\n> hold no word.\n"
    (found,) = load(f"{REMARK}{head}return text.split(' ')\n")
    assert (found.task_id, found.symbol, found.kind) == ("9.1", "split", "idea")
    assert vars(found)["says"] == "Two spaces in a row hold no word."
    module = found.module()
    assert module.split("a  b") == ["a", "", "b"]
    assert module.split("") == []  # the given lines are kept
    namespace: dict[str, object] = {"__name__": "builtins"}
    exec(found.text, namespace)
    assert namespace["split"]("a  b") == ["a", "", "b"]  # type: ignore[operator]


def test_changed_lines_are_found_however_they_are_indented(load: Load) -> None:
    (found,) = load(
        "== 9.1 split | reads_from_the_end\n> From the end.\n"
        "- for word in text.split(separator):\n+ for word in text.split(separator)[::-1]:\n"
        "      if word:\n...\n- return words\n+ return words or None\n"
    )
    module = found.module()
    assert module.split("a  b") == ["b", "a"]
    assert module.split(" ") is None


def test_a_function_without_markers_and_a_whole_function(load: Load) -> None:
    by_ten, no_default = load(
        "== 9.2 Counter.step | by_ten\n> Ten.\nself.count += 10\nreturn self.count\n"
        "== 9.1 split | no_default\n> None.\ndef split(text, separator):\n    return [separator]\n"
    )
    assert by_ten.module().Twice().step() == 20
    with pytest.raises(TypeError):
        no_default.module().split("a")


def test_methods_that_call_super_and_further_functions_and_helpers(load: Load) -> None:
    found, other = load(
        "== helpers\nimport math\n\ndef third():\n    return math.floor(3.5)\n\n"
        "== 9.2 Twice.step | thrice\n> Thrice.\n"
        "- return super().step()\n+ super().step()\n+ return super().step() * third() // 3\n"
        "-- split\nreturn third()\n\n== 9.1 split | three\n> Three.\nreturn third()\n"
    )
    assert (found.module().Twice().step(), found.module().split("a")) == (3, 3)
    assert (other.module().Twice().step(), other.module().split("a")) == (2, 3)


def test_an_answer_may_change_a_right_one(load: Load) -> None:
    text = "== 9.1 split of as a list | sorted | edge | sorts,sorts_twice\n"
    right, wrong = load(RIGHT + text + "- return words\n+ return sorted(words)\n", answers=True)
    assert (right.kind, wrong.kind) == ("right", "edge")
    assert wrong.named_by == {"sorts", "sorts_twice"}
    assert wrong.module().split("b a") == ["a", "b"]
    assert str(wrong) == "9.1 split - sorted"


def test_what_does_nothing_raises(project: Project, load: Load) -> None:
    (right,) = load(RIGHT, answers=True)
    idle = nothing(right.reference, "9.2", ["Counter.step", "Twice.step"]).module()
    with pytest.raises(RuntimeError, match="nothing"):
        idle.Counter().step()


HEAD = "== 9.1 split | wrong\n"
SAID = f"{HEAD}> No.\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("== 9.1 split\n> No.\nreturn 1\n", "1: a head is == TASK FUNCTION .* not '== 9.1 split'"),
        ("== 9.1 split | a | rare\n> No.\nreturn 1\n| x\n", "1: a misconception is wrong, and its"),
        ("==9.1 split | a\n> No.\nreturn 1\n", "1: a head is"),
        ("Remark\n\n== helper\nimport math\n", "3: a head is"),
        (f"{HEAD}return 1\n", "1: a misconception needs a sentence"),
        ("== 9.1 split | a | right\n> No.\nreturn 1\n", "1: a misconception is wrong"),
        (SAID, "1: there is no code for split"),
        (f"{SAID}return 1\n-- Counter.step\n", "1: there is no code for Counter.step"),
        ("== 9.1 join | a\n> No.\nreturn 1\n", "1: words.py has no function join"),
        (f"{SAID}- return word\n+ return 1\n", "1: this stands there 0 times, not once: 'return w"),
        (f"{SAID}- words\n+ 1\n", "1: this stands there 0 times"),
        (f"{SAID}+ return 1\n", "1: a change needs a line that stands there"),
        (f"{SAID}- return words\nreturn 1\n", "1: a changed line begins with .* not 'return 1'"),
        (f"{SAID}return 1\n\n{SAID}return 2\n", "5: wrong is the name of .*part0.txt:1, too"),
        (
            "== 9.1 split of b | a\n> No.\n- x\n+ y\n",
            "1: no right answer 'b' of split stands above",
        ),
    ],
)
def test_what_is_malformed_is_refused_with_file_and_line(load: Load, text: str, said: str) -> None:
    with pytest.raises(SuiteError, match=rf"^tests/words/mistakes/part0.txt:{said}"):
        load(text)


def test_comments_do_not_count_when_lines_are_looked_for(project: Project, load: Load) -> None:
    path = project.root / "solutions" / "words.py"
    explained = REFERENCE.replace(
        "        if word:\n", "        # empty ones are left out\n\n        if word:  # any\n"
    )
    path.write_text(explained, "utf-8")
    [wrong] = load(
        f"{SAID}  for word in text.split(separator):  # each\n-     if word:\n"
        "-         words.append(word)\n+     words.append(word)\n"
    )
    assert wrong.bodies["split"].splitlines() == [
        "words = []",
        "for word in text.split(separator):  # each",
        "    words.append(word)",
        "return words",
    ]


def test_old_lines_that_stand_there_twice_are_refused(project: Project, load: Load) -> None:
    path = project.root / "solutions" / "words.py"
    path.write_text(REFERENCE.replace("words = []", "words = []\n    words = []"), "utf-8")
    with pytest.raises(SuiteError, match="stands there 2 times, not once: 'words = "):
        load(f"{SAID}- words = []\n+ words = ['']\n")


def test_a_name_counts_in_all_files_of_a_chapter(load: Load) -> None:
    with pytest.raises(SuiteError, match=r"part1.txt:1: wrong is the name of .*part0.txt:1, too"):
        load(f"{SAID}return 1\n", f"{SAID}return 2\n")


def test_an_answer_has_no_sentence_of_its_own(load: Load) -> None:
    with pytest.raises(SuiteError, match="1: the sentence of an answer is"):
        load(f"{SAID}return 1\n", answers=True)


def test_code_that_is_no_python_is_told_when_it_is_compiled(load: Load) -> None:
    (found,) = load(f"{SAID}return 1 +\n")
    with pytest.raises(SuiteError, match=r"part0.txt:1: invalid syntax"):
        found.module()


@pytest.mark.slow
@pytest.mark.parametrize("stem", [chapter.stem for chapter in CHAPTERS])
def test_other_answers_are_of_their_tasks_and_named_by_misconceptions(stem: str) -> None:
    misconceptions = {each.name for each in load_misconceptions(PROJECT, stem)}
    for answer in load_answers(PROJECT, stem):
        assert answer.symbol in COURSE.catalogue.task(answer.task_id).symbols, answer.place
        assert answer.named_by <= misconceptions, answer.place
        assert not (answer.kind == "right" and answer.named_by), answer.place
        compile(answer.text, answer.place, "exec")
