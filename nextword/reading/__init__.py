"""The chapters as notebooks of the reader's own: `nextword read`.

`choice` finds the pages that were asked for, `notebook` writes a page as JupyterLab shows it,
`shelf` puts it into the reader's folder, `lab` opens it. In such a notebook, `mine` makes
the reader's own functions take the place of the book's, as far as they are written.
"""

from nextword.reading.mine import mine

__all__ = ["mine"]
