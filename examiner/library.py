"""The package of the course that students' code imports, beside the examiner's own."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

LIBRARY = "nextword"


def library_folder() -> Path:
    """Return the folder of the course's package; raises ImportError where it is not installed."""
    spec = find_spec(LIBRARY)
    if spec is None or spec.origin is None:
        raise ImportError(f"the course's package {LIBRARY} is not installed")
    return Path(spec.origin).parent
