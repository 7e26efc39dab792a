"""Functions and classes that both sides have, by name: `torch.relu`, `math.tanh`, `nn.LayerNorm`.

Only an examiner's names are looked up, never a candidate's: but for the class of an object.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
from types import ModuleType
from typing import Any

_PACKAGES = frozenset(("torch", "numpy", "einops", "math", "cmath", "operator", "builtins"))
_PACKAGES |= {"itertools", "functools", "collections", "string", "statistics", "random"}
LEARNING = "examiner.candidate.learning"
# where a function without a module of its own, such as torch.relu, may be known
_PLACES = ("torch", "torch.nn.functional", "torch.Tensor", "torch.special", "numpy", "builtins")


def library_name(obj: Any) -> str | None:
    """Return the dotted name under which `find` gives this function or class, or None.

    >>> import math
    >>> library_name(math.tanh), library_name(lambda x: x)
    ('math.tanh', None)
    """
    name = getattr(obj, "__qualname__", None) or getattr(obj, "__name__", None)
    if not callable(obj) or not isinstance(name, str):
        return None
    home = getattr(obj, "__module__", None)
    known = isinstance(home, str) and (home.split(".")[0] in _PACKAGES or home == LEARNING)
    for place in [home, *_PLACES] if known else _PLACES:
        if str(place).split(".")[0] in sys.modules:
            for short in dict.fromkeys((name, name.split(".")[-1])):
                with contextlib.suppress(AttributeError, ImportError):
                    if find(f"{place}.{short}") is obj:
                        return f"{place}.{short}"
    return None


def module_name(module: ModuleType) -> str | None:
    """Return the name of a library's module that a candidate can import as well, or None."""
    root = module.__name__.split(".")[0]
    allowed = root in _PACKAGES or root in sys.stdlib_module_names
    return module.__name__ if allowed else None


def find(name: str) -> Any:
    """Return the module, function or class of this dotted name, importing what it needs.

    Raises ImportError or AttributeError where there is none.
    """
    first, *rest = name.split(".")
    found: Any = importlib.import_module(first)
    path = first
    for part in rest:
        path = f"{path}.{part}"
        if isinstance(found, ModuleType) and not hasattr(found, part):
            importlib.import_module(path)
        found = getattr(found, part)
    return found


def class_of(obj: Any) -> str | None:
    """Return the name of the nearest class of torch that an object, or a class, derives from."""
    kind = obj if isinstance(obj, type) else type(obj)
    for each in kind.__mro__:
        if str(each.__module__).split(".")[0] == "torch":
            return f"{each.__module__}.{each.__qualname__}"
    return None


def known_class(name: Any) -> type | None:
    """Return the class that a candidate says its object has: a module's, an optimizer's, or None.

    subtle: nothing is imported, and no other class is believed. An object that passed as a list
    or a tensor would be taken for a plain value.
    """
    torch: Any = sys.modules.get("torch")
    if torch is None or not isinstance(name, str) or not name.startswith("torch."):
        return None
    found: Any = torch
    for part in name.split(".")[1:]:
        found = vars(found).get(part) if isinstance(found, ModuleType) else None
    harmless = (torch.nn.Module, torch.optim.Optimizer, torch.utils.data.Dataset)
    return found if isinstance(found, type) and issubclass(found, harmless) else None
