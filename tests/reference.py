"""The reference as the tests import it, with its signatures checked, and modules changed."""

import importlib
import sys
from operator import attrgetter
from types import ModuleType

from beartype import BeartypeConf, beartype
from jaxtyping import install_import_hook

checked = beartype(conf=BeartypeConf(is_pep484_tower=True))  # an int is a float, too


def reference(stem: str) -> ModuleType:
    """Return solutions/<stem>.py, imported so that beartype checks every call of its functions."""
    name = f"solutions.{stem}"
    sys.modules.pop(name, None)
    with install_import_hook(name, f"{__name__}.checked"):
        module = importlib.import_module(name)
    sys.modules.pop(name)  # whoever imports it next gets it unchecked, in either way
    vars(sys.modules["solutions"]).pop(stem, None)
    return module


def replace(module: ModuleType, symbol: str, value: object) -> None:
    """Put a value in the place of a function, such as "windows" or "MLE.prob"."""
    *owner, name = symbol.split(".")
    setattr(attrgetter(".".join(owner))(module) if owner else module, name, value)
