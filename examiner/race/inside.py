"""Runs beside an entry's code, behind the walls: unpacks it, loads it, hands its rows over.

Nothing in here is trusted by the examiner, which checks every answer. A text in place of an answer
says what went wrong. Leaves out every text of the race: one word of each arrives at a time.
"""

from __future__ import annotations

import importlib.util
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

HOME = Path.cwd()  # the candidate's own folder, the only one that can be written
FOLDER = HOME / "entry"
MODULE = "model"
_held: dict[str, Any] = {}


def unpack(files: dict[str, bytes]) -> None:
    """Write the files of the entry into its folder."""
    for name, data in files.items():
        path = FOLDER / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def open_module() -> str | None:
    """Import model.py."""
    return _tried(_import)


def load(vocabulary: list[str]) -> str | None:
    """Load the model."""
    return _tried(lambda: _held.update(model=_held["module"].load(FOLDER, tuple(vocabulary))))


def begin(n: int) -> np.ndarray | str:
    """Return the rows of the first words of n texts, (n, V)."""
    return _tried(lambda: _plain(_held["model"].begin(n)))


def follow(words: np.ndarray) -> np.ndarray | str:
    """Tell one more word of each text, (n,), and return the rows of the words after these."""
    return _tried(lambda: _plain(_held["model"].next(words)))


def train(
    words: np.ndarray, lengths: np.ndarray, vocabulary: list[str], seconds: float, threads: int
) -> str | None:
    """Let the entry train on texts, which stand one after the other in `words`."""
    texts = np.split(words.astype(np.int64), np.cumsum(lengths)[:-1])
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(threads)
        sys.modules["torch"].set_grad_enabled(True)
    folder = HOME / "trained"
    folder.mkdir()
    arguments = (texts, tuple(vocabulary), folder, seconds)
    return _tried(lambda: _none(_held["module"].train(*arguments)))


def trained() -> dict[str, bytes]:
    """Return the files that the training has written."""
    folder = HOME / "trained"
    paths = [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def _none(value: Any) -> None:
    """Forget what a function returned."""


def _import() -> None:
    path = FOLDER / f"{MODULE}.py"
    if "torch" in sys.modules:  # an entry that predicts needs no gradients
        sys.modules["torch"].set_grad_enabled(False)
    sys.path.insert(0, str(FOLDER))  # an entry may have several files
    spec = importlib.util.spec_from_file_location(MODULE, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[MODULE] = module
    spec.loader.exec_module(module)
    _held["module"] = module


def _plain(rows: Any) -> np.ndarray:
    """Return rows of torch's or numpy's as float32 of numpy's."""
    if hasattr(rows, "detach"):
        rows = rows.detach().cpu().numpy()
    return np.ascontiguousarray(rows, dtype=np.float32)


def _tried(act: Callable[[], Any]) -> Any:
    """Return what comes of it, or the error in one line with its place in the entry's files."""
    try:
        return act()
    except MemoryError:
        return "MemoryError"
    except BaseException as error:
        kind, text = type(error).__name__, " ".join(str(error).split())
        own = [
            frame
            for frame in traceback.extract_tb(error.__traceback__)
            if frame.filename.startswith(str(FOLDER))
        ]
        where = f"{Path(own[-1].filename).name}, line {own[-1].lineno}: " if own else ""
        return f"{where}{kind}: {text}"[:500]
