"""Looks at what students handed in before nbgrader does: renamed, unreadable, missing notebooks.

What was handed in is never changed or deleted, only added to.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import nbformat

from examiner.check.terminal import printable
from examiner.project import ENTRY

AS_SUBMITTED = ".as-submitted"  # ends the name of a notebook that could not be read
OLDEST = 3  # notebook format that is converted
AGAIN = "open it in JupyterLab, save it and hand it in again"
MAX_BYTES = 50 << 20  # a notebook with its figures
MAX_VALUES = 1_000_000  # numbers, texts, lists in it; each takes a hundred bytes or more to read
MAX_CELLS = 2_000
UNUSED = "The notebook that was handed in could not be used"
WITH_IDS = 5  # since nbformat 4.5 a cell has an id; before, it must not
PLACED = f"{ENTRY}_placed"  # in the metadata of a notebook that was put here, not handed in


def grade_ids(notebook: Any) -> set[str]:
    """Return the grade ids in a notebook's metadata, whatever shape it has."""
    found = set()
    cells = notebook.get("cells", []) if isinstance(notebook, dict) else []
    for cell in cells:
        try:
            found.add(str(cell["metadata"]["nbgrader"]["grade_id"]))
        except (KeyError, TypeError):
            continue
    return found


def read(path: Path) -> Any:
    """Return a notebook in today's format; raises ValueError with what is wrong with it."""
    try:
        if path.is_symlink():
            raise ValueError("it is a link to another file")
        if not path.is_file():
            raise ValueError("it is no plain file")
        if path.stat().st_size > MAX_BYTES:
            raise ValueError(f"it is larger than {MAX_BYTES >> 20} MB")
        text = path.read_text("utf-8-sig")
        _check_size(text)
        _check_format(_loaded(text))
        notebook = nbformat.reads(text, as_version=4)
        _complete(notebook)
        nbformat.validate(notebook)
    except json.JSONDecodeError:
        raise ValueError(f"it is not JSON; {AGAIN}") from None
    except UnicodeDecodeError:
        raise ValueError(f"it is not UTF-8; {AGAIN}") from None
    except nbformat.ValidationError as error:
        reason = (str(error).splitlines() or [""])[0][:200]
        raise ValueError(f"it is damaged ({reason}); {AGAIN}") from None
    except ValueError:
        raise
    except Exception as error:  # nbformat raises what it likes for what is no notebook
        raise ValueError(f"it is damaged ({type(error).__name__}); {AGAIN}") from None
    return notebook


def _complete(notebook: Any) -> None:
    """Put right what other programs leave out, or write too much of: no answer depends on it."""
    kernel = notebook.metadata.get("kernelspec")
    if isinstance(kernel, dict) and isinstance(kernel.get("name"), str):
        kernel.setdefault("display_name", kernel["name"])
    for cell in notebook.cells:
        if notebook.nbformat_minor < WITH_IDS:
            cell.pop("id", None)
        if cell.get("cell_type") == "code":
            cell.setdefault("execution_count", None)
            for output in cell.setdefault("outputs", []):
                if output.get("output_type") in ("display_data", "execute_result"):
                    output.setdefault("metadata", {})
                if output.get("output_type") == "execute_result":
                    output.setdefault("execution_count", None)


def _loaded(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise
    except ValueError:  # Python reads no number of more than 4300 digits
        raise ValueError(f"it is damaged (a number is too long); {AGAIN}") from None


def _check_size(text: str) -> None:
    """Raise ValueError for what would take too much memory, before anything is made of it."""
    if text.count(",") + text.count("[") + text.count("{") > MAX_VALUES:  # in texts, perhaps
        plain = text.replace("\\\\", "").replace('\\"', "")
        texts = plain.count('"') // 2
        between = plain.split('"')[::2] if texts <= 2 * MAX_VALUES else []
        values = sum(each.count(",") + each.count("[") + each.count("{") for each in between)
        if max(texts // 2, values) > MAX_VALUES or not between:
            raise ValueError(f"it holds more than {MAX_VALUES:,} values; clear its outputs")


def _check_format(raw: Any) -> None:
    """Raise ValueError for what is no notebook, or one of a format that cannot be converted."""
    form = raw.get("nbformat") if isinstance(raw, dict) else None
    if not isinstance(form, int):
        raise ValueError(f"it is no Jupyter notebook; {AGAIN}")
    if len(raw.get("cells") or ()) > MAX_CELLS:
        raise ValueError(f"it has more than {MAX_CELLS} cells")
    if form < OLDEST:
        raise ValueError(f"it is of the old notebook format {form}; {AGAIN}")
    if form > nbformat.current_nbformat:
        raise ValueError(
            f"it is of the notebook format {form}, newer than {nbformat.current_nbformat}; {AGAIN}"
        )


def is_placed(path: Path) -> bool:
    """Tell whether `place` wrote this file, so that nothing was handed in under its name.

    A student who writes the mark has the notebook passed over, and gains nothing.
    """
    try:
        return bool(read(path).metadata.get(PLACED))
    except ValueError:
        return False


def renamed(folder: Path, wanted: Sequence[str], ids: set[str]) -> dict[str, Path]:
    """Return which file was handed in for each wanted notebook that is missing.

    It must hold at least one of the released cells; of several the one with most of them counts,
    and of equal ones the newest.
    """
    absent = [name for name in wanted if not _handed_in(folder / f"{name}.ipynb")]
    others = [path for path in folder.glob("*.ipynb") if path.stem not in wanted]
    ranked = []
    for path in others:
        try:
            shared = len(grade_ids(read(path)) & ids)
        except ValueError:
            continue
        if shared:
            ranked.append((shared, path.stat().st_mtime, path))
    found = {}
    for name in absent:
        if ranked:
            best = max(ranked)
            ranked.remove(best)
            found[name] = best[2]
    return found


def _handed_in(path: Path) -> bool:
    return (path.exists() or path.is_symlink()) and not is_placed(path)


def find_notebook(folder: Path, source: Path, name: str) -> tuple[Any, str]:
    """Return a student's notebook, or None, and a line on what had to be done about it.

    The same on every run, whatever an earlier one has put into the folder.
    """
    path, note = folder / f"{name}.ipynb", ""
    original = path.with_name(path.name + AS_SUBMITTED)
    if not _handed_in(path):
        wanted = [each.stem for each in sorted(source.glob("*.ipynb"))]
        ids = released_ids(source)
        if other := renamed(folder, wanted, ids).get(name):
            path, note = other, f"{printable(other.name)} is taken as {path.name}"
        elif original.exists() or original.is_symlink():
            path = original
        else:
            return None, f"there is no {path.name}: only the module is graded"
    try:
        return read(path), note
    except ValueError as error:
        return None, f"{path.name.removesuffix(AS_SUBMITTED)} cannot be read: {error}"


def released_ids(source: Path) -> set[str]:
    """Return the grade ids of all notebooks of an assignment."""
    notebooks = (nbformat.read(path, as_version=4) for path in sorted(source.glob("*.ipynb")))
    return set().union(*map(grade_ids, notebooks))


def blank(notebook: Any, why: str) -> Any:
    """Put a line into a released, or empty, notebook that says what became of the student's."""
    notebook.cells.insert(0, nbformat.v4.new_markdown_cell(f"{UNUSED}: {why}"))
    return notebook


def prepare(folder: Path, source: Path, released: Path) -> tuple[list[Path], dict[str, str]]:
    """Make sure that the notebooks of the assignment are in `folder` and can be read.

    Returns the notebooks to grade, and by name a line on each that is not what was handed in. Where
    one was renamed, cannot be read, or none came at all, a copy is written under the right name,
    and what was handed in stays beside it.
    """
    paths = [folder / path.name for path in sorted(source.glob("*.ipynb"))]
    looked = {path: find_notebook(folder, source, path.stem) for path in paths}
    nothing = all(nb is None for nb, _ in looked.values())
    ready, notes = [], {}
    for path, (nb, note) in looked.items():
        unreadable = nb is None and (path.exists() or path.is_symlink())
        if nb is None and not unreadable and not nothing:
            continue  # nbgrader gives 0 for one of several that is missing
        ready.append(path)
        if not note:
            continue
        notes[path.stem] = note
        if nb is None:
            if unreadable and not is_placed(path):
                path.rename(path.with_name(path.name + AS_SUBMITTED))
            nb = blank(nbformat.read(released / path.name, as_version=4), note)
        place(nb, path)
    return ready, notes


def place(notebook: Any, path: Path) -> None:
    """Write a notebook that was not handed in under this name, marked as such."""
    notebook.metadata[PLACED] = True
    nbformat.write(notebook, path)
