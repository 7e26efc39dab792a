"""Many inputs in one message: the same values, exceptions and order as a loop of calls."""

from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from examiner.boundary import wire
from examiner.boundary.batch import map_calls
from examiner.boundary.conversation import Conversation
from examiner.boundary.errors import ChangedArgumentError, Stop
from examiner.boundary.proxy import Changes, Module
from examiner.candidate.host import Host
from examiner.judge.transcripts import readable

SOURCE = """
class Bag:
    def __init__(self, word):
        self.word = word

    def times(self, n):
        return self.word * n


def half(n):
    calls.append(n)
    if n % 2:
        raise ValueError(f"{n} is odd")
    return n // 2

def sort(words):
    words.sort()

def draw(rng):
    return int(rng.integers(1 << 40))

calls = []
"""


def module_behind_messages() -> tuple[Any, Conversation, ModuleType]:
    module = ModuleType("tiny")
    exec(SOURCE, vars(module))
    host = Host(Path())
    host.use(module)
    talk = Conversation(lambda _, test, gone, body, __: host.handle(test, gone, body))
    talk.begin(1, 10)
    return Module(talk, host.directory()), talk, module


def test_one_message_carries_many_inputs() -> None:
    remote, talk, module = module_behind_messages()
    before = talk.number
    assert list(map_calls(remote.half, [(2,), (4,), (6,)])) == [1, 2, 3]
    assert talk.number == before + 1
    bags = list(map_calls(remote.Bag, [("a",), ("b",)]))
    assert [bag.word for bag in bags] == ["a", "b"]
    assert list(map_calls(bags[1].times, [(1,), (3,)])) == ["b", "bbb"]
    assert list(map_calls(remote.half, [])) == []
    assert list(map_calls(module.half, [(2,), (4,)])) == [1, 2]


def test_a_generator_gives_other_numbers_to_each_call() -> None:
    remote, _, _ = module_behind_messages()
    rng = np.random.default_rng(1)
    first, second = map_calls(remote.draw, [(rng,), (rng,)])
    (third,) = map_calls(remote.draw, [(rng,)])
    assert len({first, second, third}) == 3


@pytest.mark.parametrize("remote", [True, False])
def test_an_exception_is_raised_in_its_place_and_ends_the_calls(remote: bool) -> None:
    stand_in, talk, module = module_behind_messages()
    values = map_calls((stand_in if remote else module).half, [(2,), (3,), (4,)])
    assert next(values) == 1
    with pytest.raises(ValueError, match="3 is odd") as caught:
        next(values)
    assert module.calls == [2, 3]
    if remote:
        assert caught.value is talk.raised  # so that the verdict blames the student's line


def test_a_changed_argument_is_seen_and_may_be_expected() -> None:
    remote, talk, _ = module_behind_messages()
    expected = Changes([3, 1, 2])
    assert list(map_calls(remote.sort, [(expected,)])) == [None]
    assert expected.value == [1, 2, 3]
    with pytest.raises(ChangedArgumentError):
        list(map_calls(remote.sort, [([1, 2],), ([2, 1],)]))
    assert talk.changed is not None
    assert talk.changed.function == "sort"


@pytest.mark.parametrize("forged", [[], [b"\x91"], 3, [b"", b"", b""], [7, 7]])
def test_a_forged_answer_ends_the_test(forged: Any) -> None:
    remote, talk, _ = module_behind_messages()
    talk.ask = lambda *_: wire.encode(["ok", forged])
    with pytest.raises(Stop) as caught:
        list(map_calls(remote.half, [(2,), (4,)]))
    assert talk.stopped is caught.value


def test_a_transcript_tells_each_value_that_was_asked_for() -> None:
    batched, single = module_behind_messages(), module_behind_messages()
    bags = list(islice(map_calls(batched[0].Bag, [("a",), ("b",), ("c",)]), 2))
    bags += [single[0].Bag(word) for word in "ab"]
    one, other = (list(readable(talk.transcript)) for _, talk, _ in (batched, single))
    assert one == other
    assert len(one) == len(bags) / 2
