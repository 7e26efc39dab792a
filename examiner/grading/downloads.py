"""Reads from a name in a learning platform's download whose it is. Leaves out reading the files.

Moodle ("Download all submissions", mod/assign/locallib.php) names folders, or files where folders
are switched off, `Ada Lovelace_12345_assignsubmission_file_`; the number is the participant's in
this assignment, and names have no underscore. A text typed online is
`…_assignsubmission_onlinetext_`. Since Moodle 4.1 a folder's last underscore is left out; a group's
name may stand before the student's.

Canvas ("Download Submissions", app/models/content_zipper.rb) names files
`lovelaceada_LATE_12345_67890_ngrams.py`: last and first name without spaces, whether it is late,
the user's number, the attachment's, and the file's own name. To that Canvas adds `-1`, `-2`, … when
a file of the same name is handed in again. Texts and links end in `_text.html` and `_link.html`.

Gradescope ("Export Submissions") names folders `submission_12345`; `submission_metadata.yml` beside
them says whose they are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

MOODLE, CANVAS, GRADESCOPE = "moodle", "canvas", "gradescope"
TITLES = {MOODLE: "Moodle", CANVAS: "Canvas", GRADESCOPE: "Gradescope"}

_MOODLE = re.compile(
    r"(?P<name>[^_]*)_(?P<key>[0-9]+)_assignsubmission_(?P<kind>[a-z0-9]+)(?:_(?P<file>.*))?",
    re.DOTALL,
)
_CANVAS = re.compile(
    r"(?P<name>.+?)_(?:(?P<late>late)_)?(?P<key>[0-9]+)_(?P<order>[0-9]+)_(?P<file>.+)",
    re.DOTALL | re.IGNORECASE,
)
_CANVAS_TEXT = re.compile(
    r"(?P<name>.+?)_(?:(?P<late>late)_)?(?P<key>[0-9]+)_(?P<file>(?:text|link|url)\.html)",
    re.DOTALL | re.IGNORECASE,
)
_GRADESCOPE = re.compile(r"submission_(?P<key>[0-9]+)")
_AGAIN = re.compile(r"-[0-9]+(?=\.[A-Za-z]+$)")
# what the platforms call the download of a whole class, with what a browser adds to it
_WHOLE = re.compile(r"(?:.*-[0-9]+|submissions|assignment_[0-9]+_export)(?: ?\([0-9]+\))?")


@dataclass(frozen=True)
class Sender:
    """Whose a folder or file of a download is."""

    platform: str
    key: str  # the platform's number of the student, of Gradescope's submission
    name: str = ""  # as the platform writes it: "Ada Lovelace", "lovelaceada"
    file: str = ""  # the file's own name; "" for a folder
    order: int = 0  # among files of one name the highest was handed in last
    late: bool = False
    typed: bool = False  # a text typed online, no file
    others: tuple[str, ...] = ()  # numbers that the name could be read to hold instead


def sender_of(name: str, *, folder: bool) -> Sender | None:
    """Return whose a folder or file is; None for a name that is not of a platform's making.

    >>> sender_of("Ada Lovelace_12345_assignsubmission_file_", folder=True).key
    '12345'
    >>> sender_of("lovelaceada_LATE_12345_67890_ngrams-1.py", folder=False).file
    'ngrams-1.py'
    """
    if found := _MOODLE.fullmatch(name):
        file = found["file"] or ""
        if folder == (not file):
            typed = found["kind"] != "file"
            return Sender(MOODLE, found["key"], found["name"].strip(), file, typed=typed)
    if folder:
        found = _GRADESCOPE.fullmatch(name)
        return Sender(GRADESCOPE, found["key"]) if found else None
    if found := _CANVAS_TEXT.fullmatch(name):
        late = bool(found["late"])
        return Sender(CANVAS, found["key"], found["name"], found["file"], late=late, typed=True)
    if found := _CANVAS.fullmatch(name):
        # subtle: a name that ends in a number, or a file that begins with one, can be read twice
        run = re.match(r"[0-9]+(?=_)", found["file"])
        return Sender(
            *(CANVAS, found["key"], found["name"], found["file"]),
            order=int(found["order"]),
            late=bool(found["late"]),
            others=(found["order"],) if run else (),
        )
    return None


def own_name(sender: Sender) -> str:
    """Return a file's name as the student gave it.

    >>> own_name(Sender(CANVAS, "1", file="ngrams-2.py"))
    'ngrams.py'
    """
    return _AGAIN.sub("", sender.file) if sender.platform == CANVAS else sender.file


def is_whole_class(name: str) -> bool:
    """Tell whether a platform calls the download of a whole class so (without its ending).

    >>> is_whole_class("NLP-Assignment 2-4711"), is_whole_class("ada")
    (True, False)
    """
    return bool(_WHOLE.fullmatch(name))
