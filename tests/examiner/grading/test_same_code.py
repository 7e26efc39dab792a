"""Who has the code of another, but for comments, gets that one's result; nobody else does."""

import marshal
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from examiner.catalogue import parse_chapter
from examiner.grading.same_code import LONGEST, Code, KnownCode, SameCode, outline
from examiner.grading.submissions import Submission
from examiner.grading.workers import KEPT, RUN, WorkerPool
from examiner.judge.encoding import EncodingError, module_text
from examiner.judge.kept import JUDGED
from examiner.judge.wording import Source
from examiner.results import SubmissionResult, TestResult, Verdict, Whose, group_by_task
from tests.examiner.grading.conftest import CATALOGUE, REFERENCE, TinyCourse

SAME = {
    "at the end": ("x = 1\n# a\n", "x = 1\n# b\n"),
    "more of them at the end": ("x = 1\n", "x = 1\n\n# b\n\n#c"),
    "at the beginning": ('# Ada\n"""Doc."""\n', '# Ben\n"""Doc."""\n'),
    "none at the beginning": ('# Ada\n"""Doc."""\n', '\n"""Doc."""\n'),
    "in a function": ("def f():\n    # a\n    return 1\n", "def f():\n  # b\n    return 1\n"),
    "in a call": ("f(1,\n  # a\n  2)\n", "f(1,\n  # b\n  2)\n"),
    "after a string": ('x = """\n"""\n# a\ny = 1\n', 'x = """\n"""\n# b\ny = 1\n'),
    "of a bracket that never closes": ("def f((:\n    # a\n", "def f((:\n    # b\n"),
    "with other ends of lines": ("x = 1\n# a\n", "x = 1\r\n# b\r\n"),
}
OTHER = {
    "another number": ("x = 1\n", "x = 2\n"),
    "one line lower": ("x = 1\n", "# a\nx = 1\n"),
    "quoted with its line": ("x = 1  # a\n", "x = 1  # b\n"),
    "in a string": ('x = """\n# a\n"""\n', 'x = """\n# b\n"""\n'),
    "in a string of another kind": ("x = '''\n# a\n'''\n", "x = '''\n# b\n'''\n"),
    "in a string in an f-string": ('f"{\'#\'}" """\n# a\n"""\n', 'f"{\'#\'}" """\n# b\n"""\n'),
    "in a string that never closes": ('x = """\n# a\n', 'x = """\n# b\n'),
    "in a string over two lines": ("x = 'a\\\n# a'\n", "x = 'a\\\n# b'\n"),
    "after a backslash": ("x = 1 + \\\n# a\n2\n", "x = 1 + \\\n# b\n2\n"),
    "after a backslash that ends the text": ("x = 1 \\", "x = 1 \\\n# b\n"),
    "behind a carriage return": ("# a\rx = 1\n", "# a\rx = 2\n"),
    "how the file is encoded": ("# coding: utf-8\nx = 1\n", "# coding: nonsense\nx = 1\n"),
    "the same in the second line": ("\n#-*- coding: ascii\n", "\n#-*- coding: nonsense\n"),
    "at the end of a string in brackets": ('f("""\n# a"""\n)\n', 'f("""\n# b"""\n)\n'),
    "an empty line of a string": ('x = """\n\n"""\n', 'x = """\n# b\n"""\n'),
    "a comment in place of code": ("x = 1\ny = 2\n", "x = 1\n# y\n"),
    "more after a string that never closes": ('x = """\n', 'x = """\n\n'),
    "code at the end": ("x = 1\n", "x = 1\n# a\ny = 2\n"),
    "a comment of two lines for Python": ("x = 1\n# a\n", "x = 1\n# a\ry = 1\n"),
    "a page break": ("x = 1\n\f# a\n", "x = 1\n\f# b\n"),
    "too long": ("x = 1\n" * LONGEST + "# a\n", "x = 1\n" * LONGEST + "# b\n"),
}


@pytest.mark.parametrize(("one", "other"), SAME.values(), ids=SAME)
def test_comments_in_lines_of_their_own_do_not_count(one: str, other: str) -> None:
    assert Code(one).is_that_of(other)
    assert Code(other).is_that_of(one)
    assert outline(submission("ada", one)) == outline(submission("ben", other)) != b""


@pytest.mark.parametrize(("one", "other"), OTHER.values(), ids=OTHER)
def test_all_else_counts(one: str, other: str) -> None:
    assert not Code(one).is_that_of(other)
    assert not Code(other).is_that_of(one)
    assert Code(one).is_that_of(one)


PIECES = """
    \'\'\' \' f\' f\'{ } !r} f\'{a[\'#\']} r\' b # # \\ ( ) [ ] : = é a 1
    return if␣a: def␣f(): lambda:␣ ␣ ␣␣␣␣ ⏎ ⏎ ⏎ ⏎
    \t \r \f #! #␣b #␣coding:␣ascii #␣coding:␣nope ⏎#␣c⏎ ⏎⏎ \\⏎
""".replace("'", '"')


def some_text(luck: random.Random) -> str:
    """Return a text that has much of what makes a comment hard to tell."""
    pieces = [*PIECES.split(), *PIECES.replace('"', "'").split()]
    chosen = "".join(luck.choices(pieces, k=luck.randint(1, 25)))
    return chosen.replace("␣", " ").replace("⏎", "\n")


def with_other_comments(text: str, luck: random.Random) -> str:
    """Return a text in which lines that look like comments are others, and more of them follow."""
    others = ["# b", "#", "", "  # z", '\t#"""', "# '''", "# \\", "# coding: latin-1"]
    lines = [
        luck.choice(others) if line.strip()[:1] in ("#", "") and luck.random() < 0.6 else line
        for line in text.split("\n")
    ]
    return "\n".join([*lines, *luck.choices(others, k=luck.randint(0, 2))])


def compiled(text: str) -> bytes | None:
    """Return what Python makes of a module; None for no code."""
    try:
        return marshal.dumps(compile(module_text(text.encode(), "tiny.py"), "tiny.py", "exec"))
    except (SyntaxError, EncodingError):
        return None


@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")
def test_what_is_taken_for_the_same_code_is_the_same_for_python() -> None:
    luck, same = random.Random(7), 0
    for _ in range(6_000):
        one = some_text(luck)
        other = with_other_comments(one, luck)
        if one != other and Code(one).is_that_of(other) and (code := compiled(one)):
            assert compiled(other) == code, (one, other)
            same += 1
    assert same > 100


def submission(student: str, text: str, **more: Any) -> Submission:
    whose = Whose(student)
    return Submission(whose, Source("tiny.py", text), text.encode(), (f"{student}.py",), **more)


def judged(student: str, *verdicts: Verdict) -> SubmissionResult:
    chapter = parse_chapter(CATALOGUE)
    tests = [(chapter.tasks[0].id, TestResult("test", "", verdict)) for verdict in verdicts]
    return SubmissionResult(student, group_by_task(chapter, tests), files=(f"{student}.py",))


def same_code(*texts: str, alike: bool = True, **more: Any) -> SameCode:
    handed_in = [submission(f"s{number}", text, **more) for number, text in enumerate(texts)]
    outlines = {number: outline(each) for number, each in enumerate(handed_in) if alike}
    return SameCode(handed_in, outlines, range(len(texts)))


def test_the_first_is_judged_and_the_others_get_its_result() -> None:
    found = same_code("x = 1", "x = 2", "x = 1\n# mine", "x = 1\n\n")
    assert found.order == [0, 1]
    assert [found.sharing(number) for number in found.order] == [3, 1]
    result = judged("s0", *JUDGED)
    assert [*found.settled_by(0, result)] == [
        (number, replace(result, student=f"s{number}", files=(f"s{number}.py",)))
        for number in (2, 3)
    ]
    assert not [*found.settled_by(1, judged("s1", Verdict.CRASHED))]
    assert found.order == [0, 1]


@pytest.mark.parametrize("verdict", sorted(set(Verdict) - set(JUDGED)))
def test_what_may_have_been_an_accident_is_nobody_elses(verdict: Verdict) -> None:
    found = same_code("x = 1", "x = 1")
    accident = judged("s0", Verdict.PASSED, verdict)
    assert not [*found.settled_by(0, accident), *found.settled_by(0, accident)]
    assert found.order == [0, 1]


def test_a_result_that_is_told_again_counts_for_the_others_too() -> None:
    """A machine of a cluster that is no longer believed: what it has judged is judged again."""
    found = same_code("x = 1", "x = 1")
    assert [*found.settled_by(0, judged("s0", Verdict.PASSED))]
    again = judged("s0", Verdict.FAILED)
    assert [*found.settled_by(0, again)] == [(1, replace(again, student="s1", files=("s1.py",)))]
    assert not [*found.settled_by(0, judged("s0", Verdict.TIMEOUT))]
    assert found.order == [0, 1]


def test_who_only_looks_the_same_is_judged() -> None:
    one, other = OTHER["in a string"]
    found = same_code(one, other)
    assert found.order == [0]
    assert not [*found.settled_by(0, judged("s0", Verdict.PASSED))]
    assert found.order == [0, 1]


def test_what_cannot_be_imported_is_read_again() -> None:
    """Where a function has no body, Python names the last line, and be it a comment."""
    found = same_code("def f():\n# a\n", "def f():\n\n")
    result = replace(judged("s0", Verdict.FAILED), notice="tiny.py cannot be imported")
    assert not [*found.settled_by(0, result)]
    assert found.order == [0, 1]


def test_what_is_not_run_and_what_is_told_of_it_count() -> None:
    assert same_code("", "", problem="there is no tiny.py").order == [0, 1]
    assert same_code("x = 1", "x = 1", alike=False).order == [0, 1]
    noted = submission("ada", "x = 1", note="only tiny.py is graded; left out: more.py")
    assert outline(noted) != outline(submission("ada", "x = 1"))


def test_of_those_that_arrive_one_by_one_the_last_are_remembered() -> None:
    ada, ben = submission("ada", "x = 1"), submission("ben", "x = 1\n# mine")
    other, broken = submission("cleo", "x = 2"), submission("dan", "", problem="empty")
    known, result = KnownCode(room=1), judged("ada", *JUDGED)
    assert known.of(ben) is None
    known.note(ada, judged("ada", Verdict.TIMEOUT))
    assert known.of(ben) is None
    known.note(ada, result)
    assert known.of(ben) == replace(result, student="ben", files=("ben.py",))
    known.note(broken, judged("dan", Verdict.FAILED))
    assert known.of(broken) is None
    known.note(other, judged("cleo", Verdict.FAILED))
    assert known.of(ben) is None
    assert known.of(other) is not None


CLASS = {
    "ada": REFERENCE,
    "ben": REFERENCE + "\n# that was hard\n",
    "cleo": REFERENCE.replace("/ len(numbers)", "/ max(1, len(numbers) - 1)"),
    "dan": "# Dan\n" + REFERENCE,
    "eve": REFERENCE.replace("return self.counts[word]", "import os; os._exit(0)"),
    "fay": "def mean(:\n# Fay\n",
    "gus": "def mean(:\n# Gus\n",
}
CLASS |= {"hal": CLASS["cleo"] + "# Hal", "ida": CLASS["eve"] + "# Ida"}


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_class_is_graded_alike_and_less_is_run(
    tiny: TinyCourse, monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    students, run, judged_last = sorted(CLASS), WorkerPool.run, list[str]()

    def noted(self: WorkerPool, order: Sequence[int], *rest: Any) -> None:
        run(self, order, *rest)
        judged_last[:] = [students[number] for number in order]

    monkeypatch.setattr(WorkerPool, "run", noted)
    folder, told, pages, who = tiny.hand_in(CLASS), [], [], []
    for judging in (RUN, KEPT):
        out = tiny.project.root / judging
        outcome = tiny.run(folder, out=out, judging=judging, jobs=jobs)
        told.append(outcome.to_json())
        who.append([*judged_last])
        written = sorted(each for each in out.rglob("*") if each.suffix in (".html", ".md"))
        pages.append([(each.relative_to(out), each.read_bytes()) for each in written])
    assert told[0] == told[1]
    assert pages[0] == pages[1] != []
    assert who[0] == students
    assert who[1][:5] == ["ada", "cleo", "dan", "eve", "fay"]
    assert sorted(who[1][5:]) == ["gus", "ida"]
