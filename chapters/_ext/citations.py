"""Names of papers in the text, written without a search of all installed packages for each.

`sphinxcontrib.bibtex` asks pybtex for its plain writing at every citation, and pybtex looks for it
among the entry points of all that is installed: an eighth of the time that a book took.
"""

from pybtex.backends.plaintext import Backend
from pybtex.plugin import register_plugin
from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell pybtex where its plain writing is; what is registered is looked at first."""
    register_plugin("pybtex.backends", "plaintext", Backend, force=True)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
