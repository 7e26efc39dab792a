"""How much of what a function is worth is kept by a version of it that is wrong."""

from collections.abc import Collection, Mapping
from typing import NoReturn

from examiner.results import Verdict

EDGE_KEEPS, IDEA_KEEPS = 0.6, 0.4  # at least and at most, of an edge case and of the idea


def does_nothing(*args: object, **kwargs: object) -> NoReturn:
    """Stand in for a function, so that each test which needs it fails."""
    raise RuntimeError("this function does nothing")


def needing(verdicts: Mapping[str, Verdict]) -> list[str]:
    """Return the tests that need a function, by what they say where it does nothing."""
    return [name for name, verdict in verdicts.items() if verdict is not Verdict.PASSED]


def share_kept(
    tests: Collection[str], weights: Mapping[str, float], verdicts: Mapping[str, Verdict]
) -> float:
    """Return which share of the weight of these tests is passed."""
    kept = sum(weights[test] for test in tests if verdicts[test] is Verdict.PASSED)
    return kept / sum(weights[test] for test in tests)
