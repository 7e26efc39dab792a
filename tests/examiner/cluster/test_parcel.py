"""What a machine needs to grade, and the machines that refuse it."""

import subprocess
import sys

import pytest

from examiner.cluster import parcel as parcels
from examiner.cluster.grader import same
from examiner.cluster.keeper import House, HouseError, RefusedError
from examiner.cluster.parcel import arithmetic, by_what, unpacked
from examiner.cluster.plain import job_of
from examiner.sandbox.servers import EXAMINERS_PLACE
from tests.examiner.cluster.conftest import Known, place


def test_a_parcel_holds_the_course_and_is_known_by_its_content(known: Known, tmp_path) -> None:
    laid_out = unpacked(known.parcel.data, known.parcel.digest, place(tmp_path, "a"))
    course = laid_out.course()
    assert course.chapter == known.course.chapter
    assert course.terms.seed == "s"
    assert [each.says for each in course.misconceptions]
    with pytest.raises(ValueError, match="announced"):
        unpacked(known.parcel.data + b" ", known.parcel.digest, place(tmp_path, "b"))


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("Python", "3.9.1", "it has Python 3.9.1, the grader 3."),
        ("torch", "1.0", "it has torch 1.0, the grader "),
        ("examiner", "another", "its examiner is another version than the grader's"),
        ("arithmetic", "another", "its processor computes other last digits"),
    ],
)
def test_another_machine_refuses_in_one_line(
    known: Known, tmp_path, monkeypatch, name: str, value: str, said: str
) -> None:
    laid_out = unpacked(known.parcel.data, known.parcel.digest, place(tmp_path, "a"))
    plan = laid_out.course().plan
    assert laid_out.unlike(plan) == ""
    monkeypatch.setattr(parcels, "by_what", lambda *args: {**by_what(*args), name: value})
    why = laid_out.unlike(plan)
    assert why.startswith(said)
    assert "\n" not in why


def test_another_library_is_refused(known: Known, tmp_path) -> None:
    laid_out = unpacked(known.parcel.data, known.parcel.digest, place(tmp_path, "a"))
    terms = {**laid_out.terms, "uses": [], "here": {**laid_out.terms["here"], "library x": "1"}}
    other = parcels.Unpacked(laid_out.root, terms)
    assert other.unlike(laid_out.course().plan) == "its x is another version than the grader's"


@pytest.mark.slow
def test_arithmetic_tells_kernels_apart(known: Known, tmp_path) -> None:
    """The same processor with other instructions gives other digits, and the digest shows it."""
    plan = unpacked(known.parcel.data, known.parcel.digest, place(tmp_path, "a")).course().plan
    here = arithmetic(plan)
    assert arithmetic(plan) == here
    program = (
        "from examiner.candidate.server import ServerPlan; from examiner.cluster.parcel import *;"
        f"print(arithmetic(ServerPlan.from_json({plan.to_json()!r})))"
    )
    env = {"PYTHONPATH": str(EXAMINERS_PLACE), "OPENBLAS_CORETYPE": "Prescott"}
    said = subprocess.run(
        [sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True
    )
    if said.stdout.strip() == here:
        pytest.skip("this machine's numpy has one kernel only")


@pytest.mark.slow
def test_a_house_grades_and_says_why_it_does_not(known: Known, tmp_path) -> None:
    laid_out = unpacked(known.parcel.data, known.parcel.digest, place(tmp_path, "a"))
    house = House(laid_out.root, laid_out.environment(), 2)
    try:
        for number, submission in enumerate(known.submissions.values()):
            house.send(number, job_of(submission))  # before it is ready: nothing is lost
        found: dict[int, str] = {}
        while len(found) < len(known.submissions):
            found |= dict(house.receive(1.0))
        for number, (name, submission) in enumerate(known.submissions.items()):
            assert same(known.form.read(found[number], submission), known.results[name])
    finally:
        house.close()
    with pytest.raises(HouseError):
        house.send(9, job_of(submission))
    terms = (laid_out.root / "terms.json").read_text()
    here = laid_out.terms["here"]["numpy"]
    (laid_out.root / "terms.json").write_text(terms.replace(f'"numpy": "{here}"', '"numpy": "0"'))
    other = House(laid_out.root, laid_out.environment())
    try:
        with pytest.raises(RefusedError, match=f"it has numpy {here}, the grader 0"):
            other.wait()
    finally:
        other.close()
