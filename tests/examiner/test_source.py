"""A student's module as text: it is taken to pieces once, whatever tests ask of it."""

from typing import Any

from examiner.judge.reading import TextError
from examiner.judge.wording import Source
from examiner.results import Verdict

TEXT = """import math


def double(x):
    return math.fsum([x, x])


def plain(x):
    return x
"""


def test_names_are_read_once() -> None:
    read: list[str] = []

    def reader(take: Any, text: str) -> Any:
        read.append(text)
        return take(text)

    source = Source("work.py", TEXT, reader)
    for _ in range(3):
        assert "fsum" in source.library_names("double")
        assert not source.library_names("plain")
    assert read == [TEXT]
    assert source == Source("work.py", TEXT, reader)  # what was read is no part of what it is


def test_what_could_not_be_read_is_read_again() -> None:
    troubles = [TextError(Verdict.TIMEOUT, "the machine is busy")]

    def reader(take: Any, *args: Any) -> Any:
        if troubles:
            raise troubles.pop()
        return take(*args)

    source = Source("work.py", TEXT, reader)
    assert not source.library_names("double")
    assert "fsum" in source.library_names("double")
