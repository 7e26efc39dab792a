"""The page of a report: whole for every kind of class, harmless, and honest about small ones."""

import re
from dataclasses import replace

import pytest

from examiner.report import page as pages
from examiner.report import splits as calls
from examiner.report.besides import Besides
from examiner.report.formulas import share
from examiner.report.mistakes import Mistake
from examiner.report.page import page
from examiner.report.report import Report
from examiner.report.splits import OTHER_ANSWERS, Splits
from examiner.results import Fault, SmallestExample, Whose
from tests.examiner.report.classes import SAYS, chapter_of, class_of, result_of

TWO = chapter_of(4, 6)


@pytest.mark.parametrize(
    "works",
    [[], ["++ ++"], [".. .."] * 3, ["++ ++"] * 30, ["?? ??"] * 2, ["+x ..", "++ xx"] * 15],
    ids=["nobody", "one", "stubs", "all right", "not judged", "mixed"],
)
def test_any_class_has_a_page(works: list[str]) -> None:
    text = page(Report.of(TWO, class_of(TWO, works)))
    assert "nan" not in re.findall(r"[a-z]+", re.sub("<style>.*?</style>", "", text, flags=re.S))
    assert "None</" not in text
    assert text.count("<svg") == text.count("</svg>")
    assert ("Nobody wrote anything" in text) == (not any("+" in each for each in works))


def test_names_and_texts_are_harmless() -> None:
    evil = "<script>alert(1)</script>"
    work = replace(result_of(TWO, "x", "+x ++", says=evil), of=Whose(evil))
    text = page(Report.of(TWO, [work]), faults=[Fault("9.1", evil, "", "")])
    assert "<script" not in text
    assert text.count("&lt;script&gt;") >= 3
    assert "default-src 'none'" in text
    assert " style=" not in text  # the page's policy would not let it through


def test_a_mistake_stands_with_its_share_its_example_and_what_to_say() -> None:
    works = [result_of(TWO, f"m{n}", "+x ++", says=SAYS) for n in range(3)]
    works += class_of(TWO, ["++ ++"] * 3 + [".. .."] * 9)
    splits = Splits(TWO)
    for each in works:
        splits.add(each)
    text = page(Report.of(TWO, works), splits.rows())
    assert "3 of 6 who wrote it, 50 % " in text
    assert f'<p class="thought">{SAYS}</p>' in text
    assert "<pre>f1([3.0])</pre>" in text
    assert "<strong>What to say:</strong> Section 9.1. a</p>" in text
    assert "9 students left the stubs as they were" in text
    assert "not written yet" not in text
    assert "m0, m1, m2" in text


def test_what_to_say_is_about_the_function_that_is_wrong() -> None:
    task = replace(TWO.tasks[0], symbols=("pad", "slide"), hints=("Write `pad` by hand.", "", ""))
    example = SmallestExample("pad", "pad()", "1", "2")
    mistake = Mistake(task, "It pads.", True, 2, 4, ("ann", "bo"), share(2, 4), example)
    assert mistake.hint == "Write `pad` by hand."
    other = replace(mistake, example=replace(example, symbol="slide"))
    assert other.hint == ""
    parts = replace(task, hints=("`pad`: write. `slide`: read.", "", ""))
    assert replace(other, task=parts).hint == "`slide`: read."
    assert replace(other, task=replace(task, hints=("Think.", "", ""))).hint == "Think."
    assert replace(mistake, example=None).hint == "Write `pad` by hand."


def test_what_counts_besides_the_tests_is_told() -> None:
    report = Report.of(TWO, class_of(TWO, ["++ ++"] * 3))
    assert "Dates and corrections" not in page(report, besides=Besides())
    rows = [("", "task 9.1: test_x was left out", ""), ("<b>", "the whole: 3 points by hand", "")]
    asked = [("ann", "9.1: please", "not answered yet")]
    text = page(report, besides=Besides("due: today", 2, 4.5, rows, asked))
    assert "Due: today. " in text
    assert "2 students handed in late, which cost 4.5 points in all" in text
    assert '<th scope="row">all</th><td>task 9.1: test_x was left out</td>' in text
    assert "&lt;b&gt;" in text
    assert "not answered yet" in text
    assert "Nobody is known to have handed in late" in page(report, besides=Besides("due: today"))


def test_paper_leaves_out_the_calls_of_one_student() -> None:
    splits = Splits(TWO)
    for name, call in (("a", "f1([1])"), ("b", "f1([1])"), ("c", "f1([2])")):
        each = result_of(TWO, name, "x+ ++")
        example = SmallestExample("f1", call, "0", "9")
        splits.add(replace(each, tasks=(replace(each.tasks[0], examples=(example,)),)))
    text = page(Report.of(TWO, class_of(TWO, ["x+ ++"] * 3)), splits.rows())
    assert text.count('class="keep lone"') == 1
    assert "Not on paper: 1 call on which one student alone is wrong" in text


def test_it_says_why_it_says_nothing() -> None:
    few = page(Report.of(TWO, class_of(TWO, ["+x ..", "++ xx"])))
    assert few.count("it takes 20 students") == 2
    alike = page(Report.of(TWO, class_of(TWO, ["++ ++"] * 20)))
    assert "all have the same score" in alike
    one = chapter_of(4)
    assert "it takes two tasks" in page(Report.of(one, class_of(one, ["++", "+x"] * 10)))


def test_a_large_class_is_shown_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    for where, name in ((pages, "MOST_CALLS"), (pages, "MOST_NAMES"), (calls, "MOST_ANSWERS")):
        monkeypatch.setattr(where, name, 2)
    splits, results = Splits(TWO), []
    for number, answer in enumerate("00012" + "0"):
        each = result_of(TWO, f"s{number}", "x+ ++")
        call = "f1([1])" if number < 5 else "f1([2])"
        example = SmallestExample("f1", call, answer, "9")
        results.append(replace(each, tasks=(replace(each.tasks[0], examples=(example,)),)))
        splits.add(results[-1])
    first, second = splits.rows()
    assert first.answers == (("0", ("s0", "s1", "s2")), ("1", ("s3",)), (OTHER_ANSWERS, ("s4",)))
    text = page(Report.of(TWO, results), [second, first, second])
    assert "s0, s1 and 1 more" in text
    assert "and 1 other call" in text
