"""What stands for an answer where both ends need to know only whether it is the same."""

from __future__ import annotations

import hashlib


def token_of(answer: bytes) -> bytes:
    """Return 16 bytes that no other answer has."""
    return hashlib.blake2b(answer, digest_size=16, person=b"token").digest()
