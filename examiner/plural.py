"""Says in words how many things there are and how long something takes."""

from __future__ import annotations


def count(number: float, what: str, several: str = "") -> str:
    """Return a number with its word; `several` is the plural where an s is not enough.

    >>> count(1, "task"), count(0.5, "point"), count(1200, "process", "processes")
    ('1 task', '0.5 points', '1,200 processes')
    """
    shown = f"{number:,}" if isinstance(number, int) else f"{number:g}"
    return f"{shown} {what if number == 1 else several or what + 's'}"


def duration(seconds: float) -> str:
    """Return how long that is: days and hours, or hours and minutes.

    >>> duration(97_200), duration(3_660), duration(20)
    ('1 day 3 hours', '1 hour 1 minute', 'less than a minute')
    """
    minutes = int(seconds // 60)
    days, hours = minutes // 1440, minutes // 60 % 24
    parts = [(days, "day"), (hours, "hour"), (0 if days else minutes % 60, "minute")]
    return " ".join(count(*part) for part in parts if part[0]) or "less than a minute"
