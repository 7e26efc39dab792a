"""Keeps time limits away from imports of libraries: neither counted nor broken off in the middle.

A library that was interrupted while it was imported is broken for the rest of the process, and
what it takes to import (torch._dynamo, with the first optimizer: 1.3 s) is nobody's loop.
"""

from __future__ import annotations

import contextlib
import importlib.abc
import importlib.machinery
import sys
import sysconfig
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import ModuleType
from typing import Any

from examiner.library import library_folder

Shelter = Callable[[], AbstractContextManager[None]]
_OURS = (str(Path(__file__).parents[1]), str(library_folder()))
_LIBRARIES = (*(sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")), *_OURS)
_FILES = (importlib.machinery.SourceFileLoader, importlib.machinery.ExtensionFileLoader)


@contextlib.contextmanager
def sheltered_imports(shelter: Shelter) -> Iterator[None]:
    """Enter `shelter()` around each library that the main thread imports in the block."""
    finder = _Finder(shelter)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):  # the student's code has emptied the list
            sys.meta_path.remove(finder)


class _Finder(importlib.abc.MetaPathFinder):
    """Finds modules as the other finders do, and has libraries loaded in the shelter."""

    def __init__(self, shelter: Shelter) -> None:
        self._shelter = shelter
        self._inside = False  # a library imports others

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return what the first finder after this one finds."""
        if self._inside or threading.current_thread() is not threading.main_thread():
            return None
        others = sys.meta_path[sys.meta_path.index(self) + 1 :]
        found = (each.find_spec(fullname, path, target) for each in others)
        spec = next(filter(None, found), None)
        if spec and isinstance(spec.loader, _FILES) and _is_library(spec.origin):
            self._wrap(spec.loader)
        return spec

    def _wrap(self, loader: Any) -> None:
        load = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            loader.__dict__.pop("exec_module", None)  # the class's again, from here on
            self._inside = True
            try:
                with self._shelter():
                    load(module)
            finally:
                self._inside = False

        loader.exec_module = exec_module


def _is_library(origin: str | None) -> bool:
    return origin is not None and origin.startswith(_LIBRARIES)
