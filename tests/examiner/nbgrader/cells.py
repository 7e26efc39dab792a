"""Cells of an assignment, as they are handed out."""

import nbformat

ENTRY = {"schema_version": 3, "grade": True, "solution": False, "task": False, "locked": True}


def cell(name: str, source: str = "points()", **changes: object):
    """A cell that is graded and locked, but for what `changes` say of it."""
    entry = {**ENTRY, "grade_id": name, "points": 2, "cell_type": "code", **changes}
    return nbformat.v4.new_code_cell(source, metadata={"nbgrader": entry})


def answer(name: str, kind: str = "code"):
    """An answer as it was released."""
    entry = {"grade": kind != "code", "solution": True, "locked": False, "cell_type": kind}
    made = cell(name, "YOUR ANSWER", **entry)
    if kind == "code":
        return made
    return nbformat.v4.new_markdown_cell("YOUR ANSWER", metadata=made.metadata)
