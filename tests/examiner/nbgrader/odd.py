"""What comes in beside honest work: each changes a right submission of the n-gram assignment.

All but the last four are honest. None of them may cost its neighbours anything.
"""

import base64
import io
import json
import os
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PIL import Image

ESSAY = "why-not-longest"
BESIDE_THE_PAGE = '<div class="full-credit modal-backdrop fade" style="position: fixed">x</div>'


def picture(kind: str = "PNG", size: tuple[int, int] = (30, 20)) -> str:
    """A red picture in base64."""
    made = io.BytesIO()
    Image.new("RGB", size, "red").save(made, kind)
    return base64.b64encode(made.getvalue()).decode()


def edit(folder: Path, change: Callable[[dict[str, Any], dict[str, Any]], None]) -> None:
    """Change a submission's notebook: `change` gets it and its marked cells by their ids."""
    path = folder / "ngrams.ipynb"
    notebook = json.loads(path.read_text("utf-8"))
    marked = [cell for cell in notebook["cells"] if "nbgrader" in cell["metadata"]]
    change(notebook, {cell["metadata"]["nbgrader"]["grade_id"]: cell for cell in marked})
    path.write_text(json.dumps(notebook), "utf-8")


def _answer(code: str, name: str) -> Callable[[Path], None]:
    """Put code into an answer."""

    def change(_: dict[str, Any], cells: dict[str, Any]) -> None:
        cells[name]["source"] = code

    return lambda folder: edit(folder, change)


def strange_files(folder: Path) -> None:
    """Folders where files belong, a name that steers a terminal."""
    for name in ("timestamp.txt", "nbgrader_config.py", "coursework"):
        (folder / name).mkdir()
    (folder / "\x1b[31mred\x1b[0m.txt").write_text("x", "utf-8")
    for path in list(folder.rglob("*.json")):
        path.unlink()
        path.mkdir()
        (path / "mine.txt").write_text("mine", "utf-8")


def old_zip(folder: Path) -> None:
    """A notebook whose name is Latin-1, and a file where the folder of tests belongs."""
    (folder / "ngrams.ipynb").rename(os.fsdecode(os.fsencode(folder) + b"/\xdcbung.ipynb"))
    shutil.rmtree(folder / "tests")
    (folder / "tests").write_text("not a folder", "utf-8")


def pasted(folder: Path) -> None:
    """An answer with Markdown, a formula, a picture, and with classes of the marker's page."""

    def change(_: dict[str, Any], cells: dict[str, Any]) -> None:
        shown = "Like **this** $n_i$: ![mine](attachment:mine.png) ![no](attachment:no.png)"
        cells[ESSAY]["source"] = f"{shown}\n\n{BESIDE_THE_PAGE}"
        cells[ESSAY]["attachments"] = {"mine.png": {"image/png": picture()}}

    edit(folder, change)


def lost_marks(folder: Path) -> None:
    """A notebook that went through a program which keeps texts alone."""

    def change(notebook: dict[str, Any], _: dict[str, Any]) -> None:
        for cell in notebook["cells"]:
            cell["metadata"] = {}
        del notebook["metadata"]

    edit(folder, change)


def below_the_test(folder: Path) -> None:
    """An answer in a cell of the student's own at the end, and the cell for it left as it was."""

    def change(notebook: dict[str, Any], cells: dict[str, Any]) -> None:
        own = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
        notebook["cells"].append({**own, "source": cells["unseen"]["source"], "id": "mine"})
        cells["unseen"]["source"] = "# YOUR CODE HERE\nraise NotImplementedError()"

    edit(folder, change)


def flood(folder: Path) -> None:
    """More output than a notebook may hold, in many cells."""

    def change(notebook: dict[str, Any], _: dict[str, Any]) -> None:
        empty = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
        notebook["cells"] += [
            {**empty, "source": "print('x' * 1_000_000)", "id": f"more-{n}"} for n in range(20)
        ]

    edit(folder, change)


def equal_hashes(folder: Path) -> None:
    """Answers of notebook and module whose keys all share one hash."""
    _answer("unseen = {n * (2**61 - 1): 0.5 for n in range(3000)}", "unseen")(folder)
    with (folder / "ngrams.py").open("a", encoding="utf-8") as file:
        file.write("\n\ndef pad(*_):\n    return {n * (2**61 - 1) for n in range(1, 1000)}\n")


def zipped(folder: Path, files: dict[str, bytes]) -> None:
    """Replace a student's folder by a zip."""
    shutil.rmtree(folder.parent)
    with zipfile.ZipFile(folder.parent.with_suffix(".zip"), "w") as made:
        for name, data in files.items():
            made.writestr(name, data)


def broken_zip(folder: Path) -> None:
    """A zip that was cut off."""
    zipped(folder, {"ngrams.py": b"x = 1\n" * 1000})
    path = folder.parent.with_suffix(".zip")
    path.write_bytes(path.read_bytes()[:50])


def planted_zip(folder: Path) -> None:
    """A zip whose paths lead into a neighbour's folder, for who reads them carelessly."""
    zipped(folder, {"x/extracted/ada/ngrams.py": b"", "x/submitted/ada/ngrams/ngrams.py": b""})


def double_zip(folder: Path) -> None:
    """A zip with two modules, each in a folder of its own."""
    module = (folder / "ngrams.py").read_bytes()
    zipped(folder, {"old/ngrams.py": b"x = 1", "new/ngrams.py": module})


ODD: dict[str, Callable[[Path], None]] = {
    "strange-files": strange_files,
    "old-zip": old_zip,
    "pasted": pasted,
    "lost-marks": lost_marks,
    "below-the-test": below_the_test,
    "flood": flood,
    "endless": _answer("while True:\n    pass", "perplexities"),
    "quiet": _answer("get_ipython().showtraceback = lambda *a, **k: None\n1 / 0", "unseen"),
    "equal-hashes": equal_hashes,
    "broken-zip": broken_zip,
    "planted-zip": planted_zip,
    "double-zip": double_zip,
}
# points that are lost; the zips count for --gradebook alone
LOST = {
    "strange-files": 0,
    "old-zip": 0,
    "pasted": 0,
    "lost-marks": 0,
    "below-the-test": 0,
    "flood": 0,
    "endless": 4,
    "quiet": 3,
}
