"""Trained models that the book ships, so that a page need not train for minutes.

`nextword models` (or `make models`) trains them with the chapters' own code and writes them to the
folder `checkpoints`; a page reads them with `load` and `ladder`. Each file carries a fingerprint of
the code and the data that it was made from.
"""

from nextword.models.checkpoints.measured import ladder
from nextword.models.checkpoints.recipe import Recipe, Trained
from nextword.models.shipped import load

__all__ = ["Recipe", "Trained", "ladder", "load"]
