"""The page about nbgrader, walked from its first command to its last: what it shows is printed.

Leaves out the page's pictures.
"""

import json
import re
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("nbgrader", reason="it comes with pip install '.[instructor]'")

from nbgrader.api import Gradebook

from examiner.judge.modules import Reference
from tests.console_blocks import Shown, require_same, shown_on
from tests.examiner.nbgrader.conftest import Course, cells_by_id

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "chapters" / "nbgrader.md"
CLASS = {"ada": "Ada Lovelace", "ben": "Ben Bitdiddle", "chen": "Chen Li"}
ESSAY, DRAWN = "why-not-longest", "learning-curve"
ANSWER = (
    "Most long contexts of a new text were never seen: `unseen` grows from 0.1 % at n = 1 to "
    "about a third at n = 5. For those the model only knows what the shorter context says. With "
    "a hundred times more text the best n would be larger."
)
DOT = (  # a picture of one pixel
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg=="
)
COMMENT = "Right. Say also why an estimate from a context that was seen once is unsure."
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="the sandbox needs bubblewrap"),
]


class Walk:
    """The commands of the page, one after the other, in the folders where a reader is."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.course = Course(folder / "course")
        self.left = [each for each in shown_on(PAGE) if self._is_walked(each)]

    @staticmethod
    def _is_walked(shown: Shown) -> bool:
        words = shown.words
        return words[0] in ("nextword", "nbgrader") and words[1] != "release_feedback"

    def next(self, beginning: str, at: Path | None = None, status: int = 0) -> None:
        """Run the page's next command, which begins like this; it prints what the page shows."""
        shown = self.left.pop(0)
        assert shown.command.startswith(beginning), f"the page goes on with {shown.command}"
        said = Course(at or self.course.root).run(*shown.words, status=status, seconds=600)
        require_same(tuple(map(_settled, shown.lines)), _settled(self._as_shown(said)))

    def _as_shown(self, said: str) -> str:
        return said.replace(f"{self.folder}/by-hand", "course").replace(f"{self.folder}/", "")


def _settled(text: str) -> str:
    """Leave out what differs from day to day: sizes of files, and the end of a long line."""
    text = re.sub(r"\b\d+ bytes\b", "some bytes", text)
    return re.sub(r", (?:…|'email'.*)\}", ", …}", text)


def _block_after(command: str) -> str:
    """Return the lines that the page shows of a file."""
    (found,) = [each for each in shown_on(PAGE) if each.command == command]
    return "\n".join(found.lines) + "\n"


def _unfinished() -> str:
    """Return ben's module: pad has one start symbol too many, and generate is still a stub."""
    stub = Reference(ROOT / "coursework" / "ngrams.py").body("generate")
    line = stub[stub.index("raise NotImplementedError") :]
    reference = Reference(ROOT / "solutions" / "ngrams.py")
    wrong = reference.body("pad").replace("[BOS] * (n - 1)", "[BOS] * n")
    assert wrong != reference.body("pad")
    return reference.changed({"pad": wrong, "generate": line})


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Walk:
    """The page's beginning, in an empty folder."""
    return Walk(tmp_path_factory.mktemp("page"))


def _hand_in(walk: Walk) -> None:
    """Let ada do all, ben most and chen nothing; pack each as the page says, and all as Moodle."""
    course = walk.course
    modules = {
        "ada": (ROOT / "solutions" / "ngrams.py").read_text("utf-8"),
        "ben": _unfinished(),
        "chen": (ROOT / "coursework" / "ngrams.py").read_text("utf-8"),
    }
    for name, module in modules.items():
        folder = walk.folder / "homes" / name
        shutil.copytree(course.root / "release" / "ngrams", folder)
        (folder / "ngrams.py").write_text(module, "utf-8")
        notebook = course.notebook("release") if name == "chen" else _answers(course, name == "ada")
        (folder / "ngrams.ipynb").write_text(json.dumps(notebook), "utf-8")
        if name == "ben":
            walk.next("nextword submit", folder, status=1)
        else:
            Course(folder).run("nextword", "submit", "ngrams", status=int(name == "chen"))
    with zipfile.ZipFile(course.root / "moodle.zip", "w") as download:
        for number, (name, full) in enumerate(CLASS.items(), 11):
            path = walk.folder / "homes" / name / "ngrams.zip"
            download.write(path, f"{full}_{number}_assignsubmission_file_/ngrams.zip")


def _answers(course: Course, essay: bool) -> dict[str, Any]:
    notebook: dict[str, Any] = course.solved()
    empty = cells_by_id(course.notebook("release"))[ESSAY]["source"]
    cells_by_id(notebook)[ESSAY]["source"] = ANSWER if essay else empty
    shown = {"output_type": "display_data", "metadata": {}, "data": {"image/png": DOT}}
    source = "import matplotlib.pyplot as plt\n\nplt.plot([1, 2, 3], [13, 6, 5]);"
    picture = {"cell_type": "code", "execution_count": 1, "id": "my-picture", "metadata": {}}
    notebook["cells"].append({**picture, "source": source, "outputs": [shown]})
    return notebook


def _mark(walk: Walk) -> None:
    """Mark ada's answers, as an instructor does in the formgrader."""
    with Gradebook(f"sqlite:///{walk.course.root / 'gradebook.db'}", "nextword") as book:
        for cell, mark in ((ESSAY, 3.0), (DRAWN, 4.0)):
            grade = book.find_grade(cell, "ngrams", "ngrams", "ada")
            grade.manual_score, grade.needs_manual_grade = mark, False
        book.find_comment(ESSAY, "ngrams", "ngrams", "ada").manual_comment = COMMENT
        book.db.commit()


def test_the_whole_page(walk: Walk) -> None:
    """It is one way: each command needs what those before it left."""
    root = walk.course.root
    shown = walk.left.pop(0)
    assert shown.command == "nextword release ngrams --format nbgrader --to course"
    said = Course(ROOT).run(*shown.words[:-1], str(root))
    require_same(shown.lines, said.replace(str(root), "course"))
    assert _block_after("ls").split() == sorted(path.name for path in root.iterdir())
    walk.next("nbgrader generate_assignment")
    walk.next("nbgrader db assignment add")
    (root / "class.csv").write_text(_block_after("cat class.csv"), "utf-8")
    walk.next("nbgrader db student import")
    _hand_in(walk)
    by_hand = root.with_name("by-hand")
    shutil.copytree(root, by_hand)
    walk.next("nextword grade")
    _collect_by_hand(walk, by_hand)
    _mark(walk)
    walk.next("nbgrader generate_feedback")
    walk.next("nextword feedback")
    walk.next("nbgrader export")
    walk.next("nbgrader export --exporter")
    assert (root / "canvas.csv").read_text("utf-8") == _block_after("cat canvas.csv")
    assert not walk.left


def _collect_by_hand(walk: Walk, copy: Path) -> None:
    """The other way of the page, in a copy of the folder: it gives the same points."""
    archive = copy / "downloaded" / "ngrams" / "archive"
    archive.mkdir(parents=True)
    for name in CLASS:
        shutil.copy(walk.folder / "homes" / name / "ngrams.zip", archive / f"{name}.zip")
    (listed,) = _block_after("ls downloaded/ngrams/archive").splitlines()
    assert listed.split() == sorted(path.name for path in archive.iterdir())
    original, walk.course = walk.course, Course(copy)
    walk.next("nbgrader zip_collect")
    walk.next("nbgrader autograde")
    ours, theirs = original.grades(), walk.course.grades()
    walk.course = original
    assert ours == theirs
