"""What memory a student's code has is told by the system: a process that counts itself may lie."""

from pathlib import Path

import pytest

from examiner.grading.run import Options, grade
from examiner.judge.modules import Reference
from examiner.project import Project
from examiner.results import SubmissionResult, Verdict
from tests.course import COURSE
from tests.examiner.grading.conftest import Quiet, sandbox_works

ROOT = Path(__file__).parents[3]
REFERENCE = Reference(ROOT / "solutions" / "attention.py")
# answers of which every value is right, and that hold the table that they should not
WASTE = {
    "grouped_attention": "k, v = (z.repeat_interleave(q.shape[1] // z.shape[1], 1) "
    "for z in (k, v))\nreturn attention(q, k, v, mask)",
    "blockwise_attention": "mask = causal_mask(q.shape[-2], k.shape[-2]) if causal else None\n"
    "return attention(q, k, v, mask)[0]",
    "windowed_attention": "mask = causal_mask(q.shape[-2]).triu(1 - width)\n"
    "return attention(q, k, v, mask)[0]",
}
OF_MEMORY = {
    "test_shared_keys_are_not_copied",
    "test_little_memory",
    "test_memory_of_small_blocks",
    "test_causal_blocks",
    "test_work_grows_with_the_width",
}
LIES = """
from examiner.candidate import learning
learning.value_and_peak = lambda function, inputs: (function(*inputs), 0)
"""
# a reserve that is there before the call is no growth during the call
HOARDS = f"{LIES}\n_reserve = torch.ones(200 << 18)\ndel _reserve\n_kept = torch.ones(200 << 18)\n"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, SubmissionResult]:
    if not Path("/proc/self/clear_refs").exists():
        pytest.skip("this system does not tell how much memory a process had")
    root = tmp_path_factory.mktemp("memory")
    chapter = COURSE.catalogue.chapter("attention")
    wasteful = REFERENCE.changed(WASTE)
    for name, text in (
        ("honest", REFERENCE.text),
        ("wastes", wasteful),
        ("lies", wasteful + LIES),
        ("hoards", REFERENCE.text + HOARDS),
    ):
        (root / "class" / name).mkdir(parents=True)
        (root / "class" / name / "attention.py").write_text(text, "utf-8")
    options = Options(out=root / "out", jobs=1, seed="memory", confined=sandbox_works())
    outcome = grade(Project(ROOT), chapter, root / "class", options, Quiet())
    return {result.student: result for result in outcome.results}


def of_memory(result: SubmissionResult) -> dict[str, Verdict]:
    tests = [test for task in result.tasks for test in task.tests]
    return {test.name: test.verdict for test in tests if test.name in OF_MEMORY}


@pytest.mark.slow
def test_the_reference_is_thrifty(results):
    assert of_memory(results["honest"]) == dict.fromkeys(OF_MEMORY, Verdict.PASSED)


@pytest.mark.slow
@pytest.mark.parametrize("student", ["wastes", "lies"])
def test_no_table_is_hidden(results, student):
    found = of_memory(results[student])
    assert {name for name, verdict in found.items() if verdict is Verdict.PASSED} == set()


@pytest.mark.slow
def test_no_reserve_is_hidden(results):
    assert of_memory(results["hoards"])["test_little_memory"] is Verdict.FAILED
