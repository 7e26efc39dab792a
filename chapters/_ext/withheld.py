"""The book without solutions and last hints, where the environment says SOLUTIONS=no.

They are taken out before a page is read, so neither the pages nor what follows from them (search,
previews, print) hold them; addresses stay the same. Leaves out what is taken: examiner/release.
"""

import os
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.errors import ConfigError

from examiner.release.withheld import page_without_solutions

SWITCH = "SOLUTIONS"  # in the environment: `make book SOLUTIONS=no`


def is_withheld() -> bool:
    """Tell whether this copy of the book keeps solutions back; raises ConfigError for no answer."""
    said = os.environ.get(SWITCH, "") or "yes"
    if said not in ("yes", "no"):
        raise ConfigError(f"{SWITCH} is yes or no, not {said!r}")
    return said == "no"


def take_out(app: Sphinx, page: str, source: list[str]) -> None:
    """Take them out of a page that is a notebook."""
    if is_withheld() and Path(app.env.doc2path(page)).suffix == ".ipynb":
        source[0] = page_without_solutions(source[0])


def take_out_of_downloads(app: Sphinx, error: Exception | None) -> None:
    """Take them out of the notebooks that pages offer; Sphinx copies these as they are."""
    if error is None and is_withheld():
        for path in Path(app.outdir, "_sources").rglob("*.ipynb*"):  # Sphinx may add .txt
            path.write_text(page_without_solutions(path.read_text("utf-8")), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Take out first of all, and again at the end."""
    is_withheld()  # a wrong answer ends the build before it begins
    app.connect("source-read", take_out, priority=0)
    app.connect("build-finished", take_out_of_downloads)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
