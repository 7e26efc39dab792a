"""Notebooks that are hard to read are refused with a line, in little memory and time."""

import json
import time
import tracemalloc
from pathlib import Path

import pytest

from examiner.check.notebooks import MAX_BYTES
from examiner.platforms.nbgrader.handed_in import read

CELL = '{"cell_type":"raw","id":"a","metadata":{},"source":""}'
END = '],"metadata":{},"nbformat":4,"nbformat_minor":5}'


def with_cells(cells: str) -> str:
    return f'{{"cells":[{cells}{END}'


HARD = {
    "a million cells": (with_cells(",".join([CELL[:-1] + "}"] * 900_000)), "more than"),
    "too many cells": (with_cells(",".join([CELL] * 3_000)), "more than 2000 cells"),
    "nested": (with_cells("[" * 100_000 + "]" * 100_000), "damaged .RecursionError"),
    "millions of lists": (with_cells(",".join(["[]"] * 10_000_000)), "more than 1,000,000 values"),
    "millions of texts": (with_cells(",".join(['""'] * 9_000_000)), "more than 1,000,000 values"),
    "an open text": (with_cells('"' + "," * 9_000_000), "not JSON"),
    "a huge number": (with_cells("9" * 100_000), "damaged"),
    "no cells": ('{"cells": 5, "nbformat": 4}', "damaged"),
}


@pytest.mark.parametrize("name", HARD)
def test_a_hard_notebook_is_one_line(name: str, tmp_path: Path) -> None:
    text, says = HARD[name]
    path = tmp_path / "tiny.ipynb"
    path.write_text(text[:MAX_BYTES], "utf-8")
    began = time.process_time()
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=says) as caught:
            read(path)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(str(caught.value)) < 300
    assert most < 800 << 20
    assert time.process_time() - began < 30


def test_a_picture_and_a_table_are_not_hard(tmp_path: Path) -> None:
    html = '<td>1,2,[3],{4},\\"5\\"</td>' * 300_000
    data = {"image/png": "iVBOR" * 1_000_000, "text/html": html}
    output = {"output_type": "display_data", "metadata": {}, "data": data}
    cell = {"cell_type": "code", "id": "a", "metadata": {}, "source": "", "outputs": [output]}
    text = with_cells(json.dumps({**cell, "execution_count": 1}))
    (tmp_path / "tiny.ipynb").write_text(text, "utf-8")
    assert len(read(tmp_path / "tiny.ipynb").cells) == 1
