"""`nextword serve`: grades what arrives."""

from __future__ import annotations


def serve() -> None:
    """Grade what arrives."""
