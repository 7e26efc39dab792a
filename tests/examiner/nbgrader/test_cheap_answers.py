"""In each assignment notebook a constant in place of an answer earns nothing."""

import math
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from examiner.platforms.nbgrader.check_cells import judge
from examiner.project import Project
from examiner.release import assignment as work
from examiner.release.nbgrader import assignment_of
from tests.course import COURSE
from tests.examiner.nbgrader.conftest import ROOT

INF, NAN = math.inf, math.nan
# what the references answered once; a test elsewhere proves that they get full marks now
RIGHT: dict[str, dict[str, Any]] = {
    "language_models": {
        "unknown": {1: 0.00188, 2: 0.00469, 5: 0.0296, 20: 0.1525},
        "unigram": 157.1,
        "excess": 4.744,
        "bytes_per_token": {"english": 2.788, "french": 1.663, "swedish": 1.574},
    },
    "ngrams": {
        "unseen": {1: 0.00096, 2: 0.0456, 3: 0.152, 4: 0.272, 5: 0.4008},
        "perplexities": {"mle": INF, "additive": 21.61, "kneser_ney": 5.648, "modified": 5.862},
        "by_order": {1: 156.3, 2: 13.18, 3: 5.862, 4: 5.012, 5: 4.868},
        "gap": 3.574,
    },
    "embeddings": {
        "first": {
            "counts": {"goat": "pig", "paris": "cairo", "the": "anna"},
            "ppmi": {"goat": "horse", "paris": "cairo", "the": "then"},
            "svd": {"goat": "horse", "paris": "lisbon", "the": "and"},
        },
        "asked": ["goat", "paris", "the"],
        "agreement": {"counts": 0.5419, "ppmi": 0.6584, "svd": 0.6535},
        "near": {"goat": "pig", "paris": "cairo", "baker": "farmer", "bread": "goat"},
        "learned": 0.75,
    },
    "rnns": {
        "padding": {"as they come": 0.6276, "sorted": 0.1132},
        "reach": {
            "elman": [1.373, 0.189, 0.000186],
            "lstm": [0.4197, 0.02696, 0.000237],
            "open lstm": [0.7231, 0.3444, 0.3409],
        },
        "perplexities": {"elman": 3.812, "lstm": 3.859},
    },
    "attention": {
        "spread": {4: 4.435, 16: 15.63, 64: 64.17, 256: 254.0, 1024: 1030.5},
        "sure": {
            4: (0.2772, 0.1104),
            16: (0.5707, 0.1039),
            64: (0.7827, 0.1061),
            256: (0.898, 0.1046),
            1024: (0.9602, 0.1102),
        },
        "copied": {"village": 0.1505, "pydocs": 0.195},
        "repeated": {"village": 0.5237, "pydocs": 0.5327},
        "longest": {32: 16384, 8: 65536, 1: 524288},
    },
    "transformers": {
        "mistral": {
            "parameters": 7_241_732_096,
            "feed": 0.7784,
            "cache": 1_073_741_824,
            "ungrouped": 4_294_967_296,
        },
        "read": {"with": 300, "without": 15_147},
        "losses": {"rotary": 1.193, "none": 1.211, "real": 6.225},
    },
    "after_training": {
        "learned": {"stories": 0.9205, "questions": 0.01363, "python": 0.5834},
        "weight": 0.1084,
        "passed": {1: (0.25, 0.25), 5: (0.4543, 0.439), 10: (0.5567, 0.5221)},
        "expected": {2: (0.19, 0.181), 5: (0.4095, 0.3485), 10: (0.6513, 0.4937)},
        "best": {2: (0.1814, 1.2832), 8: (1.1282, 2.0805), 32: (2.319, 2.6158)},
        "leash": {2: (1.546, 1.3363), 8: (0.5603, 2.1429), 32: (0.2869, 2.6297)},
        "tuned": {"dpo": (0.4446, 1.6446), "reinforced": (0.4159, 1.6218)},
    },
}
NUMBERS = (0, 1, -1, 2, 0.5, 1e-9, 1.0001, 1e9, True, False, NAN, INF, -INF)
CONSTANTS = (*NUMBERS, None, "", "a", [], [0], (), {}, {"a": 1})


def everywhere(right: Any, constant: Any) -> Any:
    """The form that is asked for, with one constant in place of each answer."""
    if isinstance(right, dict):
        return {key: everywhere(value, constant) for key, value in right.items()}
    if isinstance(right, (list, tuple)):
        return type(right)(everywhere(value, constant) for value in right)
    return constant


def cheap(right: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield answers that need no thought."""
    forms: tuple[Callable[[Any, Any], Any], ...] = (lambda _, constant: constant, everywhere)
    for constant in CONSTANTS:
        for form in forms:
            yield repr(constant), {name: form(each, constant) for name, each in right.items()}


@pytest.mark.parametrize("stem", RIGHT)
def test_constants_earn_nothing(stem: str) -> None:
    notebook = assignment_of(Project(ROOT), COURSE.catalogue.chapter(stem))
    assert set(RIGHT[stem]) == set(work.variables(notebook)), "what the checks read has changed"
    earned = [
        f"{said['check']}: {name}"
        for cell in notebook["cells"]
        if work.kind_of(cell) == "check"
        for said in [cell["metadata"]["nextword"]]
        for name, answers in cheap({name: RIGHT[stem][name] for name in said["reads"]})
        if judge(cell["source"], said["points"], {"REFERENCE": RIGHT[stem]} | answers, {}).points
    ]
    assert not earned, "\n".join(earned)


@pytest.mark.parametrize("stem", RIGHT)
def test_what_is_right_earns_all(stem: str) -> None:
    notebook = assignment_of(Project(ROOT), COURSE.catalogue.chapter(stem))
    for cell in notebook["cells"]:
        if work.kind_of(cell) == "check":
            said = cell["metadata"]["nextword"]
            names = {"REFERENCE": RIGHT[stem]} | {name: RIGHT[stem][name] for name in said["reads"]}
            assert judge(cell["source"], said["points"], names, {}).points == said["points"]
