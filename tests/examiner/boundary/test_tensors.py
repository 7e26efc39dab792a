"""Tensors on the wire: what crosses with them, and that a test can only read the student's."""

import numpy as np
import pytest

from examiner.boundary import wire
from examiner.boundary.errors import ReadOnlyError, WireError
from examiner.boundary.wire import decode, encode

torch = pytest.importorskip("torch")
WRITES = [
    "a.zero_()",
    "a += 1",
    "a[0] = 1",
    "a[0].fill_(3)",
    "a.data.copy_(x)",
    "a.data = x",
    "a.detach().mul_(2)",
    "a.view(-1).mul_(2)",
    "a.unbind(0)[0].fill_(2)",
    "a.numpy()[0] = 3",
    "a.requires_grad = False",
    "a.register_hook(print)",
    "a.sum(0).backward(x) if a.requires_grad else a.backward()",
    "torch.add(x, 1, out=a)",
    "torch.nn.init.zeros_(a)",
    "torch.nn.init.normal_(a)",
    "torch.nn.functional.relu(a, inplace=True)",
    "torch._foreach_add_([a], [x])",
    "torch.optim.SGD([a], lr=1).step() if a.requires_grad else a.zero_()",
]


def test_tensors_cross() -> None:
    for name in wire.TORCH_DTYPES:
        tensor = torch.arange(6).reshape(2, 3).to(getattr(torch, name))
        for each in (tensor, tensor.T, tensor[0, 0], tensor[:0], tensor[:1, 1]):
            back = decode(encode(each))
            assert back.dtype == each.dtype
            assert back.shape == each.shape
            assert torch.equal(back, each)
    for tensor in (
        torch.ones(2),
        torch.ones(2, requires_grad=True),
        torch.nn.Parameter(torch.ones(2)),
    ):
        back = decode(encode(tensor), trusted=True)
        assert type(back) is type(tensor)
        assert back.requires_grad is tensor.requires_grad
        answer = decode(encode(tensor))
        assert answer.requires_grad is tensor.requires_grad
        assert isinstance(answer, torch.nn.Parameter) is isinstance(tensor, torch.nn.Parameter)


@pytest.mark.parametrize("writes", WRITES)
def test_an_answered_tensor_can_be_read_and_not_written(writes: str) -> None:
    before = torch.ones(2, 2)
    for tensor in (before.clone(), torch.nn.Parameter(before)):
        known = {"a": decode(encode(tensor)), "torch": torch, "x": torch.ones(2)}
        with pytest.raises((ReadOnlyError, ValueError), match=r"answer|read-only|non-leaf"):
            exec(writes, known)
        assert torch.equal(known["a"], before)


def test_an_answered_tensor_is_as_good_as_another() -> None:
    answer = decode(encode(torch.nn.Parameter(torch.ones(2, 2))))
    assert type(answer + 1) is type(answer.clone()) is torch.Tensor
    assert answer.clone().detach().zero_().sum() == 0
    assert repr(answer) == repr(torch.ones(2, 2))
    assert np.asarray(answer).tolist() == answer.tolist() == [[1, 1], [1, 1]]
    layer = torch.nn.Linear(2, 2)
    layer.load_state_dict({"weight": answer, "bias": torch.zeros(2)})
    torch.testing.assert_close(layer(answer), torch.full((2, 2), 2.0))
    gradient = torch.autograd.grad((answer**2).sum(), answer)[0]  # of the test's own calculation
    assert gradient.tolist() == [[2, 2], [2, 2]]
    with pytest.raises(ReadOnlyError, match="gradients"):
        (answer * 2).sum().backward()


def test_torch_generators_cross_to_a_candidate_only() -> None:
    generator = torch.Generator().manual_seed(5)
    back = decode(encode(generator), trusted=True)
    assert torch.equal(torch.rand(3, generator=back), torch.rand(3, generator=generator))
    with pytest.raises(WireError):
        decode(encode(generator))
