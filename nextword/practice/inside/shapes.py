"""What `import jaxtyping` gives in the page: its names for annotations, which nobody checks."""

from __future__ import annotations

from typing import Any


class _Shaped:
    def __class_getitem__(cls, given: Any) -> Any:
        return given[0]


class Float(_Shaped):
    """Numbers with fractions."""


class Int(_Shaped):
    """Whole numbers."""


class Bool(_Shaped):
    """Truth values."""
