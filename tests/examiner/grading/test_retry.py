"""A mistake is charged once: later tasks are tried again with earlier parts of the reference."""

from pathlib import Path
from types import ModuleType

import pytest

from examiner.catalogue import parse_chapter
from examiner.judge.diagnosis import Diagnosis
from examiner.judge.lending import describe
from examiner.results import SubmissionResult, Verdict
from tests.examiner.grading.chain_course import REFERENCE, SECRET, TASKS, ChainCourse
from tests.examiner.grading.conftest import CATALOGUE, TinyCourse

pytestmark = pytest.mark.slow

BODIES = {
    "9.1": "return text.split()",
    "9.2": "return self.counts[word]",
    "9.3": "return self.bag.count(word) / self.size()",
    "9.4": "return -math.log(model.share(word))",
    "9.5": "return x @ self.W.T + self.b",
    "9.6": "return torch.sigmoid(self.affine(x)) * x",
    "9.7": "return gate(x).square().sum()",
}
WRONG = {
    "9.1": "return [text]",
    "9.2": "return 7",
    "9.3": "return self.bag.count(word)",
    "9.4": "return math.log(model.share(word))",
    "9.5": "return x",
    "9.6": "return torch.tanh(self.affine(x)) * x",
    "9.7": "return gate(x).sum()",
}


def with_bodies(**bodies: str) -> str:
    """The reference with other bodies, by task: t9_1="return 1"."""
    text = REFERENCE
    for name, body in bodies.items():
        old = BODIES[name[1:].replace("_", ".")]
        assert old in text
        text = text.replace(old, body)
    return text


def wrong(*tasks: str) -> str:
    return with_bodies(**{f"t{task.replace('.', '_')}": WRONG[task] for task in tasks})


def without(symbol: str) -> str:
    """The reference with another name in place of this one, where it is defined."""
    old = f"def {symbol}(" if f"def {symbol}(" in REFERENCE else f"class {symbol}"
    return REFERENCE.replace(old, old.replace(symbol, "another"))


SOURCES = {
    "right": REFERENCE,
    **{f"wrong {task}": wrong(task) for task in TASKS},
    "wrong 9.1 9.3": wrong("9.1", "9.3"),
    "wrong 9.1 9.2 9.3 9.5 9.6": wrong("9.1", "9.2", "9.3", "9.5", "9.6"),
    "wrong everything": wrong(*TASKS),
    "without tokens": without("tokens"),
    "without Bag": without("Bag"),
    "without share": without("share"),
    "unwritten 9.1": with_bodies(t9_1="raise NotImplementedError"),
    "endless 9.1": with_bodies(t9_1="\n    while True: pass"),
    "dies in 9.1": with_bodies(t9_1="import os; os._exit(1)"),
    "itself": with_bodies(t9_1="return tokens"),
    "spoils its argument": with_bodies(t9_2="self.counts.clear(); return 0"),
    "an alias": REFERENCE.replace("class Bag", "split = tokens\n\n\nclass Bag").replace(
        "Bag(tokens(text))", "Bag(split(text))"
    ),
}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, SubmissionResult]:
    return ChainCourse(tmp_path_factory.mktemp("chain")).grade(SOURCES)


def failed(result: SubmissionResult) -> list[str]:
    return [task.task.id for task in result.tasks if task.score < task.task.points]


def said(result: SubmissionResult) -> dict[str, str]:
    tests = {task.task.id: task.tests[0] for task in result.tasks}
    return {task: test.message for task, test in tests.items() if test.verdict is Verdict.PASSED}


@pytest.mark.parametrize("task", TASKS)
def test_one_mistake_costs_one_task(results: dict[str, SubmissionResult], task: str) -> None:
    assert failed(results[f"wrong {task}"]) == [task]


@pytest.mark.parametrize(
    ("student", "tasks"),
    [
        ("right", []),
        ("wrong 9.1 9.3", ["9.1", "9.3"]),
        ("wrong 9.1 9.2 9.3 9.5 9.6", ["9.1", "9.2", "9.3", "9.5", "9.6"]),
        ("wrong everything", list(TASKS)),
        ("without tokens", ["9.1"]),
        ("without Bag", ["9.2"]),
        ("without share", ["9.3"]),
        ("unwritten 9.1", ["9.1"]),
        ("endless 9.1", ["9.1"]),
        ("dies in 9.1", ["9.1"]),
        ("itself", ["9.1"]),
        ("spoils its argument", ["9.2"]),
        ("an alias", []),
    ],
)
def test_each_mistake_costs_its_own_task(
    results: dict[str, SubmissionResult], student: str, tasks: list[str]
) -> None:
    assert failed(results[student]) == tasks


def test_the_feedback_says_so(results: dict[str, SubmissionResult]) -> None:
    assert said(results["right"]) == dict.fromkeys(TASKS, "")
    told = said(results["wrong 9.1"])
    assert told["9.3"] == told["9.4"] == "right, given a right 9.1"
    assert told["9.2"] == told["9.6"] == ""
    told = said(results["wrong 9.1 9.2 9.3 9.5 9.6"])
    assert told["9.4"] == "right, given a right 9.1 and 9.2 and 9.3"
    assert told["9.7"] == "right, given a right 9.5 and 9.6"


def test_pages_say_so(tmp_path: Path) -> None:
    ChainCourse(tmp_path).run({"ann": wrong("9.1")})
    for name in ("ann.html", "ann.md"):
        page = (tmp_path / "class-grades" / name).read_text("utf-8")
        assert "given a right 9.1" in page


# ------------------------------------------------------------------ what must not come of it

SEARCH = f'''
def search():
    """Look for a constant of the reference wherever a process can look."""
    import gc, inspect, sys, types
    wanted = "".join({list(SECRET)!r})
    seen, todo = set(), [*gc.get_objects(), *sys.modules.values(), tokens, Bag, Model, Gate]
    frame = sys._getframe()
    while frame:
        todo += [frame.f_code, frame.f_locals, frame.f_globals]
        frame = frame.f_back
    while todo:
        each = todo.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        if isinstance(each, str) and each == wanted and each is not wanted:
            return True
        if isinstance(each, types.CodeType):
            todo += each.co_consts
        elif isinstance(each, types.FunctionType):
            todo += [each.__code__, each.__dict__, *(each.__closure__ or ())]
        elif isinstance(each, types.CellType):
            try:
                todo.append(each.cell_contents)
            except ValueError:
                pass
        elif isinstance(each, (list, tuple, set, frozenset)):
            todo += list(each)
        elif isinstance(each, dict):
            todo += [*each.keys(), *each.values()]
    for part in (tokens, Bag, Model.share):
        try:
            if wanted in inspect.getsource(part):
                return True
        except (OSError, TypeError):
            pass
    return False
'''
ASKS = '''
def closure_of(part, name="ask"):
    cells = dict(zip(part.__code__.co_freevars, part.__closure__ or ()))
    return cells[name].cell_contents


def asks(question):
    """Whether the examiner gives an answer to what was never lent."""
    try:
        return closure_of(tokens)(question) is not None
    except BaseException:
        return False
'''
GIVES = "return -math.log(model.share(word)) if {found} else 0.0"
ANSWERS_ITSELF = [
    ["call", "surprise", [], ["m", "a"], {}, False],
    ["call", "tokens.__code__", [], [], {}, False],
    ["call", "tokens.__globals__.get", [], ["SECRET"], {}, False],
    ["call", "math.log", [], [2.0], {}, False],
    ["make", "Model", ["a b"], {}],
    ["get", 1 << 62 | 1, "counts"],
    ["get", 0, "x"],
    ["use", 1 << 62 | 1, "__init__", False, [], [[]], {}, False],
    ["pull", 1, []],
    ["eval", "1"],
]
MINE = REFERENCE.replace(SECRET, "mine").replace("class Bag", SEARCH + ASKS + "\n\nclass Bag", 1)
ATTACKS = {
    "searches": "search()",
    "reads the stand-in's code": f"{SECRET!r} in tokens.__code__.co_consts",
    **{f"asks {n}": f"asks({question!r})" for n, question in enumerate(ANSWERS_ITSELF)},
}


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> dict[str, SubmissionResult]:
    sources = {}
    for name, found in ATTACKS.items():
        text = MINE.replace(BODIES["9.1"], "return [text]")
        sources[name] = text.replace(BODIES["9.4"], GIVES.format(found=found))
    found = sources["searches"].replace(
        "class Bag", f"held = [''.join({list(SECRET)!r})]\n\n\nclass Bag", 1
    )
    sources["finds what is there"] = found
    sources["gives"] = MINE.replace(BODIES["9.1"], "return [text]")
    return ChainCourse(tmp_path_factory.mktemp("attacked")).grade(sources)


@pytest.mark.parametrize("name", ATTACKS)
def test_nothing_of_the_reference_gets_to_the_students_code(
    attacked: dict[str, SubmissionResult], name: str
) -> None:
    assert failed(attacked["gives"]) == ["9.1"]  # the search itself breaks nothing
    assert failed(attacked["finds what is there"]) == ["9.1"]
    assert failed(attacked[name]) == ["9.1", "9.4"]


HOSTILE = {
    "answers in the examiner's place": 'return __import__("os").write(3, b"x" * 99)',
    "asks without end": "\n    while True: tokens('a')",
    "calls within calls": "return Model('a').share(word) + surprise(model, word)",
    "hands over an endless list": "return tokens(iter(int, 1))",
    "hands over gigabytes": "return tokens('a ' * (200 << 20))",
    "hands over itself": "return tokens(Model)",
    "in a thread": "import threading; t = threading.Thread(target=tokens, args=('a',)); "
    "t.start(); t.join(); return 0",
}


def test_hostile_use_of_lent_parts_costs_only_its_own_task(tmp_path: Path) -> None:
    sources = {name: with_bodies(t9_1="return [text]", t9_4=body) for name, body in HOSTILE.items()}
    for name, result in ChainCourse(tmp_path).grade({**sources, "right": REFERENCE}).items():
        assert failed(result) == ([] if name == "right" else ["9.1", "9.4"]), name
        assert not result.provisional, name


def test_a_name_that_the_reference_lacks_is_not_lent() -> None:
    module = ModuleType("reference")
    exec("def tokens(text): return text", vars(module))
    assert [part["name"] for part in describe(module, ["tokens", "Bag", "Bag.count"])] == ["tokens"]


def test_a_fault_in_second_tries_leaves_the_first_ones_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> object:
        raise RuntimeError("a fault of the grader")

    monkeypatch.setattr(Diagnosis, "lender", broken)
    result = ChainCourse(tmp_path).grade({"ann": wrong("9.1")})["ann"]
    assert failed(result) == ["9.1", "9.3", "9.4"]
    assert not result.provisional


# ------------------------------------------------------------------ failing on purpose

GIFTS = {  # what task 9.2 is, and a suite for it that an earlier part alone can pass
    "an earlier part does the work": (
        '["double"]',
        "assert tiny.mean([1, 2]) == 1.5",
        "def double(x):\n    return 2 * x\n",
    ),
    "a class has the later task's method": (
        '["Shape.area"]',
        "assert tiny.Shape(3).area() == 9",
        "class Shape:\n    def __init__(self, a):\n        self.a = a\n\n"
        "    def area(self):\n        return self.a**2\n",
    ),
}

# as if it could not do without its own function: it ends where that is taken away
PRETENDS = """

def watch():
    import os, sys
    while True:
        if sys.modules[__name__].double.__name__ != "double":
            os._exit(1)


import threading
threading.Thread(target=watch, daemon=True).start()
"""


@pytest.mark.parametrize("name", GIFTS)
def test_a_lent_part_that_does_all_the_work_earns_nothing(tmp_path: Path, name: str) -> None:
    symbols, asks, code = GIFTS[name]
    course = TinyCourse(tmp_path)
    earlier = '["mean", "Shape"]' if "class" in name else '["mean"]'
    catalogue = CATALOGUE.replace('["Bag"]', symbols).replace('["mean"]', earlier)
    course.chapter = parse_chapter(catalogue)
    reference = f'"""Tiny."""\n\n\ndef mean(x):\n    return sum(x) / len(x)\n\n\n{code}'
    tests = f"""import pytest
@pytest.fixture
def tiny(coursework):
    return coursework.tiny
@pytest.mark.task("9.1")
def test_mean(tiny):
    assert tiny.mean([2]) == 2
@pytest.mark.task("9.2")
def test_later(tiny):
    {asks}
"""
    for path, text in {
        "solutions/tiny.py": reference,
        "tests/tiny/suite/test_tiny.py": tests,
        "tests/tiny/mistakes/mean.txt": "",
    }.items():
        (tmp_path / path).write_text(text, "utf-8")
    wrong = reference.replace("sum(x) /", "0 *").replace("self.a**2", "0").replace("2 * x", "0")
    cheat = wrong + PRETENDS.replace("double", "double" if "double" in code else "Shape")
    result = course.grade({"ann": wrong, "right": reference, "cheat": cheat})
    assert failed(result["right"]) == []
    assert failed(result["ann"]) == failed(result["cheat"]) == ["9.1", "9.2"]
