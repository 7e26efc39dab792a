"""How tensors cross, and what an examiner gets: an Answer, which can be read but not written.

Leaves out numpy's arrays, which can be made read-only without more.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch

from examiner.boundary.errors import ReadOnlyError
from examiner.boundary.limits import check_array
from examiner.boundary.marks import MARKS, TENSOR, TORCH_RNG
from examiner.boundary.structures import plain_device, plain_dtype

NO_GRADIENT, GRADIENT, PARAMETER = range(3)  # what a tensor was, beyond its numbers
_INPLACE_OPERATORS = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift"
_WRITING = {f"__i{name}__" for name in _INPLACE_OPERATORS.split(" ")}
_WRITING |= {"__set__", "__delete__", "__setitem__", "__delitem__", "backward", "register_hook"}
_WRITING |= {"retain_grad", "set_data", "share_memory"}
COPIES = (
    "what your code answered is a copy, and this would change the copy alone: use "
    "examiner.suite.set_parameters or a shipped helper to change the student's object, "
    "or change answer.clone()"
)
NO_BACKWARD = (
    "a gradient cannot flow back through an answer, which is a copy: use examiner.suite.gradients"
)


def plain(obj: Any, names: Iterable[str]) -> Any:
    """Return what msgpack can write for something of torch's, or `obj` itself for nothing."""
    if isinstance(obj, torch.dtype):
        return plain_dtype(obj, "torch")
    if isinstance(obj, torch.device):
        return plain_device(obj)
    if isinstance(obj, torch.Generator):
        return [MARKS[TORCH_RNG], bytes(obj.get_state().numpy())]
    if not isinstance(obj, torch.Tensor) or obj.device.type == "meta":
        return obj
    tensor = obj.detach().as_subclass(torch.Tensor)
    name = str(tensor.dtype).removeprefix("torch.")
    if name not in names or tensor.layout is not torch.strided:
        return obj
    check_array(tensor.shape, tensor.nbytes)
    tensor = tensor.cpu().resolve_conj().resolve_neg().contiguous()
    row = tensor.reshape(-1)
    # subtle: a row of one number counts as contiguous whatever its stride, which view() refuses
    row = row if row.stride(-1) == 1 else row.clone(memory_format=torch.contiguous_format)
    data = row.view(torch.uint8).numpy().tobytes()
    was = GRADIENT if obj.requires_grad else NO_GRADIENT
    if isinstance(obj, torch.nn.Parameter):
        was = PARAMETER if was else NO_GRADIENT
    return [MARKS[TENSOR], name, list(tensor.shape), data, was]


def build(name: str, shape: list[int], data: bytes, was: int, *, trusted: bool) -> torch.Tensor:
    """Return the tensor of a message whose parts were checked: an Answer, if not trusted."""
    dtype = getattr(torch, name)
    if data:
        tensor = torch.frombuffer(bytearray(data), dtype=dtype).reshape(shape)
    else:
        tensor = torch.empty(shape, dtype=dtype)
    if was and not (dtype.is_floating_point or dtype.is_complex):
        raise TypeError("whole numbers have no gradient")
    if not trusted:
        return _answer(tensor, was)
    if was == PARAMETER:
        return torch.nn.Parameter(tensor)
    return tensor.requires_grad_(was == GRADIENT)


def build_generator(items: list) -> torch.Generator:
    """Return a generator in the state of the message's."""
    generator = torch.Generator()
    generator.set_state(torch.frombuffer(bytearray(items[1]), dtype=torch.uint8))
    return generator


def _answer(tensor: torch.Tensor, was: int) -> torch.Tensor:
    if was:
        tensor = _Crossed.apply(tensor.requires_grad_())
    answer = tensor.as_subclass(Answer)
    if was == PARAMETER:
        answer._is_param = True  # then it counts as an instance of nn.Parameter
    return answer


class _Crossed(torch.autograd.Function):
    """The identity, through which no gradient flows back: its source is in another process."""

    @staticmethod
    def forward(ctx: Any, tensor: torch.Tensor) -> torch.Tensor:
        """Return the tensor."""
        return tensor.view_as(tensor)

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> Any:
        """Say what to do instead."""
        raise ReadOnlyError(NO_BACKWARD)


class Answer(torch.Tensor):
    """A tensor that came from a student's code. What would change it raises ReadOnlyError.

    What is computed from it is an ordinary tensor; what shares its memory is an Answer, too.
    """

    @classmethod
    def __torch_function__(
        cls, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        """Do what `func` does, unless it writes to an Answer."""
        kwargs = kwargs or {}
        if _writes(func.__name__, args, kwargs):
            raise ReadOnlyError(NO_BACKWARD if func.__name__ == "backward" else COPIES)
        with torch._C.DisableTorchFunctionSubclass():
            found = func(*args, **kwargs)
            return _shared(found, {_memory(each) for each in args if isinstance(each, Answer)})

    def plain(self) -> torch.Tensor:
        """Return it as an ordinary tensor without a gradient; the memory is shared."""
        with torch._C.DisableTorchFunctionSubclass():
            return self.detach().as_subclass(torch.Tensor)

    def numpy(self, *, force: bool = False) -> Any:
        """Return it as a read-only array."""
        array = self.plain().numpy(force=force)
        array.setflags(write=False)
        return array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        array = self.numpy()
        return array if dtype is None else array.astype(dtype)

    def __deepcopy__(self, memo: Any) -> torch.Tensor:
        return self.plain().clone()

    def __repr__(self, *, tensor_contents: Any = None) -> str:  # type: ignore[override]
        return repr(self.plain())


def _memory(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage().data_ptr()


def _shared(found: Any, memories: set[int]) -> Any:
    """Return a result, in which tensors that share memory with an Answer are Answers."""
    if isinstance(found, torch.Tensor):
        if type(found) is torch.Tensor and found.numel() and _memory(found) in memories:
            return found.as_subclass(Answer)
        return found
    if type(found) in (tuple, list):
        return type(found)(_shared(each, memories) for each in found)
    return found


def _writes(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Tell whether a function of this name writes to an Answer among its arguments."""
    outputs = kwargs.get("out", ())
    if any(isinstance(each, Answer) for each in (outputs if type(outputs) is tuple else [outputs])):
        return True
    in_place = name in _WRITING or (name.endswith("_") and not name.endswith("__"))
    if not in_place and kwargs.get("inplace") is not True:
        return False
    targets = [*args[:1], *kwargs.values()]
    targets += [each for target in targets if type(target) in (list, tuple) for each in target]
    return any(isinstance(each, Answer) for each in targets)
