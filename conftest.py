"""How the pages are run: with memory that is kept. What tests need stands in tests/conftest.py."""

import os

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Let a page's kernel keep freed memory for the next tensor.

    To ask the system for it anew takes a third of the time of a page that computes. Only what is
    started from now on does so, not this process: some of its tests bound its memory.
    """
    if item.path.suffix == ".ipynb":
        os.environ.setdefault("MALLOC_MMAP_THRESHOLD_", str(1 << 30))
        os.environ.setdefault("MALLOC_TRIM_THRESHOLD_", str(1 << 32))
