"""What a test draws does not change what a module in the same process draws."""

import random
from pathlib import Path
from types import ModuleType

import numpy as np
import torch

from examiner.boundary.proxy import Named
from examiner.candidate.host import Host
from examiner.judge.local import _talk_to

SOURCE = """
import random
import numpy as np
import torch

def draw():
    return [random.random(), float(np.random.random()), torch.rand(1).item()]
"""


def draws(*, disturbed: bool) -> list[float]:
    module = ModuleType("lucky")
    exec(SOURCE, vars(module))
    host = Host(Path())
    host.use(module)
    talk, found = _talk_to(host), []
    talk.begin(3, 9.0)
    for _ in range(3):
        found += talk.request("call", Named(talk, "draw"))
        if disturbed:
            random.random()
            np.random.random()
            torch.rand(5)
    return found


def test_a_module_has_luck_of_its_own() -> None:
    before = torch.get_rng_state()
    assert draws(disturbed=True) == draws(disturbed=False)
    torch.set_rng_state(before)
    draws(disturbed=False)
    assert torch.equal(torch.get_rng_state(), before)
