"""Reads a notebook as it was handed in, and puts in order what other programs leave in disorder.

Knows no more than JSON, so that students and the grader read alike. Leaves out older formats, which
only nbformat converts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

FORMATS = (3, 4)  # that can be read; 3 is converted
MAX_BYTES = 50 << 20  # a notebook with its figures
MAX_VALUES = 1_000_000  # numbers, texts, lists in it; each takes a hundred bytes or more to read
MAX_CELLS = 2_000
AGAIN = "open it in JupyterLab, save it and hand it in again"
EARLIER = "hand in an earlier copy, such as that in .ipynb_checkpoints, or " + AGAIN
SMALLER = "clear its outputs, save it and hand it in again"
FEWER = "delete those that hold no answer, and hand it in again"
# escaped backslashes and whole pairs stay, in group 1; what else is found is half of a pair
_PAIRS = re.compile(
    r"(\\\\|\\u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w)|\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
)
KINDS = ("code", "markdown", "raw")


def looks_like_a_notebook(name: str) -> bool:
    """Tell whether a file is a notebook by its name, as browsers and people change it.

    >>> [*map(looks_like_a_notebook, ["A.IPYNB", "a.ipynb.json", "a.py"])]
    [True, True, False]
    """
    return ".ipynb" in name.casefold()


def usable(path: Path) -> dict[str, Any]:
    """Return what can be used of a notebook; raises ValueError with what is wrong and what to do.

    It is of the form that `in_order` gives.
    """
    return in_order(parsed(text_in(bytes_of(path))))


def bytes_of(path: Path) -> bytes:
    """Return a notebook's bytes; raises ValueError with what is wrong and what to do."""
    if path.is_symlink():
        raise ValueError("it is a link to another file")
    if not path.is_file():
        raise ValueError("it is no plain file")
    if path.stat().st_size > MAX_BYTES:
        raise ValueError(f"it is larger than {MAX_BYTES >> 20} MB; {SMALLER}")
    return path.read_bytes()


def text_in(data: bytes) -> str:
    """Return the text of a notebook; raises ValueError with what is wrong and what to do.

    Half of a pair of surrogates, as where an emoji was cut in two, becomes a question mark in a
    diamond: nothing could be written that holds it.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"it is not UTF-8; {AGAIN}") from None
    return _PAIRS.sub(lambda found: found[1] or "\\ufffd", text)


def parsed(text: str) -> dict[str, Any]:
    """Return the notebook in a text, of whatever format can be read.

    Raises ValueError with what is wrong and what to do.
    """
    _check_size(text)
    try:
        raw = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"it is not JSON ({_line(error)}); {EARLIER}") from None
    except ValueError:  # Python reads no number of more than 4300 digits
        raise ValueError(f"it is damaged (a number is too long); {AGAIN}") from None
    except RecursionError:
        raise ValueError(f"it is damaged (RecursionError); {AGAIN}") from None
    if not isinstance(raw, dict) or not {"nbformat", "cells"} & set(raw):
        raise ValueError(f"it is no Jupyter notebook; {AGAIN}")
    form, cells = raw.get("nbformat", max(FORMATS)), raw.get("cells")
    if not isinstance(form, int):
        raise ValueError(f"it is no Jupyter notebook; {AGAIN}")
    if isinstance(cells, list) and len(cells) > MAX_CELLS:
        raise ValueError(f"it has more than {MAX_CELLS} cells; {FEWER}")
    if form < min(FORMATS):
        raise ValueError(f"it is of the old notebook format {form}; {AGAIN}")
    if form > max(FORMATS):
        raise ValueError(f"it is of the notebook format {form}, newer than {max(FORMATS)}; {AGAIN}")
    return raw


def _line(error: json.JSONDecodeError) -> str:
    return f"line {error.lineno}: {error.msg}"


def in_order(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return a notebook of format 4 with what can be used of another one, and nothing else.

    Its cells have no ids, no metadata but nbgrader's, and outputs only where these are whole; no
    answer depends on the rest. Raises ValueError where there are no cells.

    >>> in_order({"cells": [{"cell_type": "raw", "source": ["a = 1\\n", "a"], "id": 3}]})["cells"]
    [{'cell_type': 'raw', 'metadata': {}, 'source': 'a = 1\\na'}]
    """
    cells = raw.get("cells")
    if not isinstance(cells, list):
        raise ValueError(f"it is damaged (it has no list of cells); {AGAIN}")
    metadata = raw.get("metadata")
    return {
        "nbformat": 4,
        "nbformat_minor": 4,  # the last one in which a cell needs no id
        "metadata": _without_kernel(metadata) if isinstance(metadata, dict) else {},
        "cells": [_cell(each) for each in cells if isinstance(each, dict)],
    }


def _without_kernel(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """The metadata of a notebook that have no prescribed form."""
    prescribed = ("kernelspec", "language_info", "authors", "title", "orig_nbformat")
    return {name: said for name, said in metadata.items() if name not in prescribed}


def _cell(raw: Mapping[str, Any]) -> dict[str, Any]:
    kind = raw.get("cell_type")
    kind = kind if kind in KINDS else "markdown"
    metadata, attachments = raw.get("metadata"), raw.get("attachments")
    nbgrader = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    made: dict[str, Any] = {
        "cell_type": kind,
        "metadata": {"nbgrader": nbgrader} if isinstance(nbgrader, dict) else {},
        "source": _text(raw.get("source")),
    }
    if kind == "code":
        outputs = raw.get("outputs")
        listed = outputs if isinstance(outputs, list) else []
        return made | {"execution_count": None, "outputs": [*filter(None, map(_output, listed))]}
    if isinstance(attachments, dict):
        made["attachments"] = {name: said for name, said in attachments.items() if _is_bundle(said)}
    return made


def _text(source: object) -> str:
    lines = source if isinstance(source, list) else [source]
    return "".join(line for line in lines if isinstance(line, str))


def _output(raw: object) -> dict[str, Any] | None:
    """An output that shows something; None for what has not the form of one."""
    if not isinstance(raw, dict):
        return None
    kind, data = raw.get("output_type"), raw.get("data")
    if kind in ("display_data", "execute_result") and isinstance(data, dict) and _is_bundle(data):
        return {"output_type": "display_data", "data": data, "metadata": {}}
    if kind == "stream":
        return {"output_type": "stream", "name": "stdout", "text": _text(raw.get("text"))}
    return None


def _is_bundle(said: object) -> bool:
    """Tell whether this is data by media type, as attachments and outputs hold it."""
    return isinstance(said, dict) and all(
        isinstance(value, str) or _is_list_of_texts(value) for value in said.values()
    )


def _is_list_of_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(line, str) for line in value)


def _check_size(text: str) -> None:
    """Raise ValueError for what would take too much memory, before anything is made of it."""
    if text.count(",") + text.count("[") + text.count("{") > MAX_VALUES:  # in texts, perhaps
        plain = text.replace("\\\\", "").replace('\\"', "")
        texts = plain.count('"') // 2
        between = plain.split('"')[::2] if texts <= 2 * MAX_VALUES else []
        values = sum(each.count(",") + each.count("[") + each.count("{") for each in between)
        if max(texts // 2, values) > MAX_VALUES or not between:
            raise ValueError(f"it holds more than {MAX_VALUES:,} values; {SMALLER}")
