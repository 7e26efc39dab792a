"""Of functions that are wrong together, the one is shown that the others call."""

import pytest

from examiner.counterexamples.causes import called, causes_alone
from examiner.judge.wording import Source
from examiner.results import SmallestExample

MODEL = """
class Model:
    def weight(self): return 1
    def estimate(self): return {estimate}

def total(model): return {total}
"""


@pytest.mark.parametrize(
    ("estimate", "total", "kept"),
    [
        ("self.weight()", "2", ["Model.weight", "total"]),
        ("3", "2", ["Model.weight", "Model.estimate", "total"]),
        ("self.weight()", "model.estimate()", ["Model.weight"]),
        ("total(self)", "model.estimate()", ["Model.weight", "Model.estimate", "total"]),
        ("(", "2", ["Model.weight", "Model.estimate", "total"]),  # which cannot be read
    ],
)
def test_what_calls_a_wrong_function_is_not_shown(
    estimate: str, total: str, kept: list[str]
) -> None:
    source = Source("work.py", MODEL.format(estimate=estimate, total=total))
    symbols = ("Model.weight", "Model.estimate", "total")
    examples = [SmallestExample(symbol, "f()", "1", "2") for symbol in symbols]
    assert [each.symbol for each in causes_alone(examples, source)] == kept


FAMILY = """
class Base:
    def prob(self): return self.estimate()
    def estimate(self): ...

class One(Base):
    def estimate(self): return self.shorter()
    def shorter(self): return self.prob()

class Two(Base):
    def estimate(self): return helper(self)

def helper(model): return Three()

class Three:
    def __init__(self): self.rows = 1
    def first(self): ...
"""


@pytest.mark.parametrize(
    ("symbol", "reached"),
    [
        ("One.estimate", ["One.shorter", "Base.prob"]),  # and not Two.estimate
        ("Two.prob", []),
        ("Two.estimate", ["helper", "Three.__init__", "Three.first"]),
        ("Base.prob", ["Base.estimate"]),
        ("nobody", []),
    ],
)
def test_methods_are_looked_up_in_the_class_of_self(symbol: str, reached: list[str]) -> None:
    others = ["helper", "Base.prob", "Base.estimate", "One.estimate", "One.shorter"]
    others += ["Two.estimate", "Three.__init__", "Three.first"]
    assert sorted(called(FAMILY, symbol, others)) == sorted(reached)
