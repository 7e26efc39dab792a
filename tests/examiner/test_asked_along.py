"""Which questions of a test reach a candidate together, in a class in which others have passed."""

from collections.abc import Callable
from typing import Any

import pytest

from examiner.boundary import wire
from examiner.candidate.host import Host
from examiner.results import Verdict
from tests.examiner import test_kept
from tests.examiner.test_kept import WORK, Desk

desk = test_kept.desk
VISIBLE, HIDDEN = "test_visible_steps", "test_hidden_steps"
WRONG = WORK.replace("return 2 * n", "return 2 * n if n != {} else 1")
At = Callable[[Callable[[Desk], None]], None]


@pytest.fixture
def messages(monkeypatch: pytest.MonkeyPatch) -> list[list[int]]:
    """What each message asks to be doubled."""
    found: list[list[int]] = []
    handle = Host.handle

    def asked(body: bytes) -> list[int]:
        operation, args, *_ = wire.decode(body, lambda _, key: key, trusted=True)
        if operation == "chain":
            return [n for each in args[0] for n in asked(each)]
        return args[1:] if operation == "call" else []

    def noted(self: Host, test: int, released: list[int], body: bytes) -> bytes:
        found.append(asked(body))
        return handle(self, test, released, body)

    monkeypatch.setattr(Host, "handle", noted)
    return found


def said(desk: Desk, messages: list[list[int]], source: str, *names: str) -> list[list[int]]:
    """Judge a submission and return what its messages asked, without its import."""
    messages.clear()
    desk.judge(source, *names)
    return [each for each in messages if each]


def test_a_visible_test_goes_over_in_one_message_once_somebody_has_passed(
    desk: At,
    messages: list[Any],
) -> None:
    def do(desk: Desk) -> None:
        for _ in range(2):
            assert said(desk, messages, WORK, VISIBLE) == [[2], [3], [4]]
        assert said(desk, messages, WORK, VISIBLE) == [[2, 3, 4]]

    desk(do)


def test_of_a_hidden_test_no_question_comes_before_the_answer_to_the_last(
    desk: At,
    messages: list[Any],
) -> None:
    def do(desk: Desk) -> None:
        for _ in range(4):
            assert said(desk, messages, WORK, HIDDEN) == [[5], [6], [7]]

    desk(do)


@pytest.mark.parametrize("wrong", [2, 3, 4])
def test_nothing_is_asked_twice_of_whoever_answers_otherwise(
    desk: At,
    messages: list[Any],
    wrong: int,
) -> None:
    def do(desk: Desk) -> None:
        for _ in range(3):
            desk.judge(WORK, VISIBLE)
        asked = said(desk, messages, WRONG.format(wrong), VISIBLE)
        assert asked[0] == [2, 3, 4]  # it stops by itself at the wrong answer
        assert asked[1:] == [[n] for n in range(wrong + 1, 5)]
        found = desk.judge(WRONG.format(wrong), VISIBLE)[VISIBLE]
        assert found.told == desk.alone(WRONG.format(wrong), VISIBLE)[VISIBLE].told
        assert found.verdict is Verdict.FAILED

    desk(do)


def test_what_only_those_answer_who_fail_asks_for_nothing_along(
    desk: At,
    messages: list[Any],
) -> None:
    def do(desk: Desk) -> None:
        for _ in range(4):
            assert said(desk, messages, WRONG.format(4), VISIBLE) == [[2], [3], [4]]

    desk(do)


def test_what_was_answered_after_a_hidden_test_is_told_to_nobody(
    desk: At,
    messages: list[Any],
) -> None:
    """Whoever has seen a hidden test could say something of it in a visible one's answers."""

    def do(desk: Desk) -> None:
        for _ in range(4):
            assert [2] in said(desk, messages, WORK, "test_hidden", VISIBLE)
        for _ in range(2):
            assert said(desk, messages, WORK, VISIBLE) == [[2], [3], [4]]

    desk(do)


def test_what_most_have_answered_is_what_others_go_on_after(
    desk: At,
    messages: list[Any],
) -> None:
    """One who passes with answers of his own costs others nothing."""
    own = WORK.replace("return 2 * n", "return 2.0 * n")

    def do(desk: Desk) -> None:
        for _ in range(4):
            desk.judge(WORK, VISIBLE)
        assert said(desk, messages, own, VISIBLE)[0] == [2, 3, 4]
        assert said(desk, messages, WORK, VISIBLE) == [[2, 3, 4]]

    desk(do)
