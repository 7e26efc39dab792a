"""Small programs are taken with what is right from where `sync` put them, if they are of today."""

import json
from dataclasses import replace

import pytest

from examiner.counterexamples.pool import Outcome, Pool, from_json, to_json
from examiner.grading.stored import packed_pool
from examiner.release.known import known_text
from examiner.results import SmallestExample
from tests.examiner.grading.conftest import REFERENCE, TinyCourse

pytestmark = pytest.mark.slow
WRONG = REFERENCE.replace("/ len(numbers)", "/ max(1, len(numbers) - 1)")


def stored(tiny: TinyCourse, text: str) -> None:
    path = tiny.project.known("tiny")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def example(tiny: TinyCourse, out: str) -> SmallestExample:
    folder = tiny.hand_in({"ada": WRONG})
    [result] = tiny.run(folder, out=tiny.project.root / out).results
    [shown] = result.tasks[0].examples
    return shown


def changed(text: str) -> str:
    """The same file, in which every mean is 99."""
    raw = json.loads(text)
    pool = from_json(raw["pool"])
    cases = {
        task: [
            replace(case, right=Outcome("value", 99.0))
            if case.symbol == "mean" and case.right and case.right.kind == "value"
            else case
            for case in found
        ]
        for task, found in pool.cases.items()
    }
    return json.dumps({**raw, "pool": to_json(Pool(cases, pool.helpers, pool.axes))})


def test_stored_programs_are_used_while_they_are_of_the_same_sources(tiny: TinyCourse) -> None:
    alone = example(tiny, "alone")
    text = known_text(tiny.project, tiny.chapter)
    stored(tiny, text)
    assert packed_pool(tiny.project, tiny.chapter)
    assert example(tiny, "stored") == alone
    stored(tiny, changed(text))
    assert "99" in example(tiny, "changed").right  # so what is stored is what is taken
    other = json.loads(changed(text)) | {"of": "another day"}
    for broken in (json.dumps(other), text[:-99], "[]", ""):
        stored(tiny, broken)
        assert packed_pool(tiny.project, tiny.chapter) == {}
    assert example(tiny, "broken") == alone
