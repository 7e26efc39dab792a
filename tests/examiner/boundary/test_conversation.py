"""What a hostile candidate can say to a test: nothing of its own choice gets into a message."""

import socket
import struct
from typing import Any

import numpy as np
import pytest

from examiner.boundary import wire
from examiner.boundary.channel import Channel
from examiner.boundary.conversation import Changed, Conversation
from examiner.boundary.deadline import Deadline
from examiner.boundary.errors import ChangedArgumentError, MissingNameError, Stop, WireError
from examiner.boundary.proxy import Changes, Module
from examiner.judge import chains
from examiner.judge.ways import told_of_a_class


def module_that_answers(*answer: Any) -> Module:
    talk = Conversation(lambda *_: wire.encode(list(answer)))
    talk.begin(1, 5.0)
    return Module(talk, {"f": "callable"})


def test_a_changed_argument_is_known_by_its_place_or_its_keyword() -> None:
    for key, expected in ((1, Changed("f", 0)), ("words", Changed("f", "words"))):
        module = module_that_answers("ok", 3, [key], [])
        with pytest.raises(ChangedArgumentError):
            module.f([1], words=[2])
        assert module._talk.changed == expected


@pytest.mark.parametrize("key", ["SECRET", 0, 9, -1, 1 << 70, [1], None, {"words": 1}, 1.5])
def test_a_candidate_cannot_name_what_is_no_argument(key: Any) -> None:
    module = module_that_answers("ok", 3, [key], [])
    assert module.f([1], words=[2]) == 3
    assert module._talk.changed is None


def test_a_test_that_does_not_watch_lets_a_change_pass() -> None:
    module = module_that_answers("ok", 3, [1], [])
    module._talk.begin(1, 1.0, watching=False)
    assert module.f([1]) == 3
    assert module._talk.changed is None


@pytest.mark.parametrize("values", [[], [1, 2], 3, None])
def test_new_values_are_as_many_as_were_asked_for(values: Any) -> None:
    module = module_that_answers("ok", 3, [], values)
    with pytest.raises(Stop):
        module.f(Changes([1]))


def test_the_tests_own_value_stays_as_it_is() -> None:
    given = [2, 1]
    wanted = Changes(given)
    module_that_answers("ok", None, [1], [["SECRET"]]).f(wanted)
    assert wanted.value == ["SECRET"]
    assert given == [2, 1]


TWO_ROWS = np.zeros((2, 2))  # which can be unpacked, and does not say whether it equals a text
NO_ANSWERS = [
    [TWO_ROWS],
    ["ok"],
    [TWO_ROWS, 1],
    [7, 1],
    ["missing", 1 << 60_000],
    ["missing", TWO_ROWS],
    ["unsendable", ["SECRET"]],
    ["error", TWO_ROWS],
    ["error", [TWO_ROWS, "text", []]],
    ["error", ["ValueError", 1 << 60_000, []]],
    ["error", ["ValueError", "text", [float("inf")]]],
    ["error", ["ValueError", "text", [1 << 60_000]]],
    ["error", ["ValueError", "text", TWO_ROWS]],
]


@pytest.mark.parametrize("answer", NO_ANSWERS, ids=map(repr, range(len(NO_ANSWERS))))
def test_what_is_no_answer_ends_the_conversation(answer: Any) -> None:
    module = module_that_answers(*answer)
    with pytest.raises(Stop, match="something that is no answer"):
        module.f([1])
    assert not module._talk.transcript, "nothing that others would have to read"
    body = wire.encode(answer)
    assert chains.answers(body, [b"", b""]) is None
    assert told_of_a_class(wire.encode(["describe", [1], {}, []]), body) is None


def test_of_names_only_those_can_be_missing_that_were_asked_for() -> None:
    with pytest.raises(MissingNameError, match=r"^f$"):
        module_that_answers("missing", "f").f([1])
    with pytest.raises(Stop, match="something that is no answer"):
        module_that_answers("missing", "SECRET").f([1])


def test_changes_may_hold_anything() -> None:
    module = module_that_answers("ok", 3, [TWO_ROWS, 1], [])
    with pytest.raises(ChangedArgumentError):
        module.f([1])


def test_an_answer_that_is_longer_than_it_may_be_is_not_read() -> None:
    for size, number, said in ((101, 1, "an answer of 101 bytes"), (5, 2, "expected 1")):
        ours, theirs = socket.socketpair()
        with theirs:
            theirs.sendall(struct.pack(">II", size, number) + b"x" * size)
            channel = Channel(ours, most=100)
            with pytest.raises(WireError, match=said):
                channel.ask(1, 0, [], b"", Deadline(5.0))
            channel.close()
