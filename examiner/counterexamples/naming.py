"""Names the mistake behind an example: a known one that is wrong on the same programs of the pool,
and gives the same answers there. Where two sentences fit, none is said.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence

from examiner.counterexamples.pool import Outcome
from examiner.counterexamples.search import Asked
from examiner.judge.answers import rounded

CHECK = 8  # bytes of a key that tell whether it fits
MOST_NUMBERS = 40  # fractions that are compared: the more, the sooner rounding tells two apart


def signature(asked: Asked) -> str:
    """Return what two wrong modules share if they are wrong alike.

    Which programs are wrong, and what the first of them give, in three digits: what rounding makes
    of the same mistake, written otherwise, is the same.
    """
    places = [number for number, each in enumerate(asked.wrong) if each]
    outcomes, fractions = list[str](), 0
    for number in places:
        outcomes.append(_told(asked.rows[number][1]))
        fractions += outcomes[-1].count(".")
        if fractions > MOST_NUMBERS:
            break
    return f"{len(asked.wrong)} {places} {outcomes}"


def _told(outcome: Outcome) -> str:
    text = rounded(outcome.value) if outcome.kind == "value" else str(outcome.value)
    return f"{outcome.kind} {text} {sorted(outcome.changed)}"


def alone(found: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the sentence of each signature, from pairs of both; none where two have the same."""
    sentences: dict[str, set[str]] = {}
    for key, says in found:
        sentences.setdefault(key, set()).add(says)
    return {key: says.pop() for key, says in sentences.items() if len(says) == 1}


def locked(sentences: Mapping[str, str]) -> list[list[str]]:
    """Return sentences that only their signatures open: so they tell no mistakes."""
    return sorted(_lock(says, _key(each)) for each, says in sentences.items())


def unlocked(rows: Sequence[Sequence[str]], text: str) -> str:
    """Return the sentence that a signature opens, or ""."""
    key = _key(text)
    for check, body in rows:
        if check == key[:CHECK].hex():
            return _mixed(base64.b64decode(body), key).decode(errors="replace")
    return ""


def _lock(says: str, key: bytes) -> list[str]:
    return [key[:CHECK].hex(), base64.b64encode(_mixed(says.encode(), key)).decode()]


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode(errors="replace")).digest()


def _mixed(text: bytes, key: bytes) -> bytes:
    stream = hashlib.shake_256(key).digest(len(text))
    return bytes(a ^ b for a, b in zip(text, stream, strict=True))
