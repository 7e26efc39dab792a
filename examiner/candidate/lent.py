"""What stands in a student's module for a part of the course's: each use of it is a question to the
examiner, who has the part.

Its source and its code never come here. Leaves out the messages (host.py) and who answers them
(judge/lending.py).
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from types import ModuleType
from typing import Any

LENT = 1 << 62  # set in the number of an object that the examiner holds

STAND_INS: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()

Ask = Callable[[list[Any]], Any]


def lend(module: ModuleType, parts: list[dict[str, Any]], ask: Ask) -> None:
    """Put stand-ins into a module: where it lacks the class of a method, there is nothing to do."""
    for part in parts:
        stand_in = _stand_in(part, ask)
        if part["kind"] in ("staticmethod", "classmethod", "property"):
            stand_in = {"staticmethod": staticmethod, "property": property}.get(
                part["kind"], classmethod
            )(stand_in)
        put(module, part["name"], stand_in)


def put(module: ModuleType, name: str, part: Any) -> None:
    """Put a part in its place in a module, if the class is there that it belongs to."""
    *outer, last = name.split(".")
    owner: Any = module
    for each in outer:
        owner = getattr(owner, each, None)
    if owner is not None:
        setattr(owner, last, part)


def _stand_in(part: dict[str, Any], ask: Ask) -> Any:
    return _class(part, ask) if part["kind"] == "class" else _function(part["name"], ask)


def _wants_gradients(values: list[Any]) -> bool:
    """Tell whether gradients may be asked of a call with these arguments."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.is_grad_enabled():
        return False
    from examiner.boundary.gradients import tensors_in

    _, args, kwargs = values
    return any(tensor.requires_grad for tensor in tensors_in(values)) or any(
        isinstance(each, torch.nn.Module) for each in [*args, *kwargs.values()]
    )


def _asked(ask: Ask, question: list[Any], values: list[Any]) -> Any:
    """Ask, and let gradients flow back through the answer where they may be wanted.

    `values` are the weights, the arguments and the named arguments.
    """
    if not _wants_gradients(values):
        return ask([*question, *values, False])
    from examiner.boundary.gradients import joined, tensors_in

    leaves = [tensor for tensor in tensors_in(values) if tensor.requires_grad]
    answer = ask([*question, *values, True])
    return joined(answer, leaves, lambda number, found: ask(["pull", number, found]))


def _function(name: str, ask: Ask) -> Callable[..., Any]:
    def lent(*args: Any, **kwargs: Any) -> Any:
        return _asked(ask, ["call", name], [[], list(args), kwargs])

    lent.__name__ = name.rpartition(".")[2]
    return lent


def _class(part: dict[str, Any], ask: Ask) -> type:
    """Return a class whose objects live with the examiner."""
    namespace = {name: _method(name, ask) for name in part["methods"]}
    if part["module"]:
        return _network(part, namespace, ask)

    class Lent:
        """An object of the course's own class."""

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            _remember(self, ask(["make", part["name"], list(args), kwargs])[0])

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            return ask(["get", self.__dict__["lent"], name])

        def __setattr__(self, name: str, value: Any) -> None:
            ask(["set", self.__dict__["lent"], name, value])

    return type(part["name"], (Lent,), namespace)


def _method(name: str, ask: Ask) -> Callable[..., Any]:
    def lent(self: Any, *args: Any, **kwargs: Any) -> Any:
        known = vars(self)
        weights = [*self.parameters(), *self.buffers()] if "_parameters" in known else []
        question = ["use", known["lent"], name, known.get("training", False)]
        return _asked(ask, question, [weights, list(args), kwargs])

    lent.__name__ = name
    return lent


def _network(part: dict[str, Any], namespace: dict[str, Any], ask: Ask) -> type:
    """Return a module of torch that has the parameters of the course's, and asks for the rest."""
    torch = sys.modules["torch"]

    class Lent(torch.nn.Module):  # type: ignore[name-defined]
        """A module of the course's own class."""

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__()
            number, weights, buffers = ask(["make", part["name"], list(args), kwargs])
            _remember(self, number)
            for name, value in weights.items():
                owner, last = _inside(torch, self, name)
                owner.register_parameter(last, torch.nn.Parameter(value.detach().clone()))
            for name, value in buffers.items():
                owner, last = _inside(torch, self, name)
                owner.register_buffer(last, value.detach().clone())

    return type(part["name"], (Lent,), namespace)


def _inside(torch: Any, module: Any, name: str) -> tuple[Any, str]:
    """Return the module in which a parameter of this dotted name belongs, made if need be."""
    *outer, last = name.split(".")
    for each in outer:
        if each not in module._modules:
            module.add_module(each, torch.nn.Module())
        module = module._modules[each]
    return module, last


def _remember(obj: Any, number: int) -> None:
    obj.__dict__["lent"] = number
    STAND_INS[number] = obj


def object_number(obj: Any) -> int | None:
    """Return the examiner's number of a lent object, or None for anything else."""
    found = getattr(obj, "__dict__", None)
    known = type(found) is dict and type(obj).__mro__[1].__name__ == "Lent"
    return found.get("lent") if known else None  # type: ignore[union-attr]
