"""Formulas without a network: puts MathJax from an installed package beside the pages.

It is the version that draws shapes, because some browsers block the fonts of a page on disk.
"""

from importlib.util import find_spec
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util.fileutil import copy_asset

SCRIPT = "tex-svg.js"


def copy_script(app: Sphinx) -> None:
    """Copy the one file of MathJax that the pages load."""
    package = find_spec("sphinx-mathjax-offline")
    if package is None or not package.submodule_search_locations:
        raise RuntimeError("formulas need sphinx-mathjax-offline: run pip install '.[book]'")
    script = Path(package.submodule_search_locations[0], "static", "mathjax", SCRIPT)
    copy_asset(script, Path(app.outdir, "_static"))


def setup(app: Sphinx) -> dict[str, bool]:
    """Let `sphinx.ext.mathjax` load the copy instead of one from the network."""
    app.setup_extension("sphinx.ext.mathjax")
    app.config.mathjax_path = SCRIPT
    app.connect("builder-inited", copy_script)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
