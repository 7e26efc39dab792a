"""The tiny class of the clusters' tests."""

from tests.examiner.cluster.conftest import known

__all__ = ["known"]
