"""The reference of chapter 4 against autograd, torch.nn and plain loops. Leaves out: training."""

import math
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 - torch's own custom

from nextword.given.batches import BOS, EOS, PAD
from tests.reference import reference

rnns: Any = reference("rnns")
near = partial(torch.testing.assert_close, rtol=1e-6, atol=1e-9)
DTYPES = [torch.float32, torch.float64]
X = torch.ones(4, 1, 1)
SIZES = [(1, 1, 1, 1), (1, 5, 3, 2), (4, 1, 2, 3), (3, 7, 5, 4)]  # B, T, D, H


@pytest.fixture(autouse=True)
def _same_draws() -> None:
    torch.manual_seed(4)


def window_net(V: int = 7, N: int = 3, D: int = 4, H: int = 5) -> dict[str, Tensor]:
    shapes = {"E": (V, D), "W": (H, N * D), "b": (H,), "U": (V, H), "c": (V,)}
    return {name: torch.randn(shape, dtype=torch.float64) for name, shape in shapes.items()}


def twin(cell: Any, kind: type[nn.Module]) -> Any:
    """torch's own layer with the weights of a cell."""
    layer: Any = kind(cell.D, cell.H, batch_first=True).to(cell.W.weight.dtype)
    values = {
        "weight_ih_l0": cell.W.weight,
        "weight_hh_l0": cell.U.weight,
        "bias_ih_l0": cell.W.bias,
        "bias_hh_l0": torch.zeros_like(cell.W.bias) if cell.U.bias is None else cell.U.bias,
    }
    layer.load_state_dict({name: value.detach() for name, value in values.items()})
    return layer


KINDS = [("ElmanCell", nn.RNN), ("LSTMCell", nn.LSTM), ("GRUCell", nn.GRU)]


def run_twin(layer: nn.Module, cell: Any, x: Tensor, s: Tensor) -> tuple[Tensor, Tensor]:
    """What torch's layer says of x, its state put together as ours: (B, S)."""
    if isinstance(layer, nn.LSTM):
        h, c = s.chunk(2, dim=-1)
        y, ends = layer(x, (h[None].contiguous(), c[None].contiguous()))
        return y, torch.cat(ends, dim=-1)[0]
    y, end = layer(x, s[None])
    return y, end[0]


def test_a_window_by_hand() -> None:
    p = {
        "E": torch.tensor([[0.0], [1.0], [2.0]]),
        "W": torch.tensor([[1.0, 10.0]]),
        "b": torch.tensor([-12.0]),
        "U": torch.tensor([[1.0], [2.0], [3.0]]),
        "c": torch.tensor([0.0, 1.0, 0.0]),
    }
    e, h, z = rnns.feedforward(p, torch.tensor([[2, 1], [1, 0]]))
    assert e.tolist() == [[2.0, 1.0], [1.0, 0.0]]
    assert h[:, 0].tolist() == pytest.approx([0.0, math.tanh(-11)])
    assert z[0].tolist() == [0.0, 1.0, 0.0]


@pytest.mark.parametrize("B", [1, 2, 9])
def test_window_gradients_equal_autograd(B: int) -> None:
    p = window_net()
    contexts, targets = torch.randint(7, (B, 3)), torch.randint(7, (B,))
    contexts[0] = 2  # one word three times
    loss, found = rnns.loss_and_gradients(p, contexts, targets, *rnns.feedforward(p, contexts))
    leaves = {name: value.clone().requires_grad_() for name, value in p.items()}
    expected = F.cross_entropy(rnns.feedforward(leaves, contexts)[2], targets)
    expected.backward()
    near(loss, expected.detach())
    near(found, {name: leaf.grad for name, leaf in leaves.items()})
    torch.optim.SGD(list(leaves.values()), 0.3).step()
    near(rnns.sgd_step(p, found, 0.3), {name: leaf.detach() for name, leaf in leaves.items()})


def test_large_logits_do_not_overflow() -> None:
    p = window_net()
    p["c"][3] = 1e4
    contexts = torch.tensor([[0, 1, 2]])
    known = rnns.feedforward(p, contexts)
    loss, found = rnns.loss_and_gradients(p, contexts, torch.tensor([3]), *known)
    assert loss.item() == 0.0
    assert all(bool(each.isfinite().all()) for each in found.values())


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(("name", "kind"), KINDS)
@pytest.mark.parametrize("size", SIZES)
def test_cells_equal_torch_forward_and_backward(
    size: tuple[int, ...], name: str, kind: type[nn.Module], dtype: torch.dtype
) -> None:
    B, T, D, H = size
    cell = getattr(rnns, name)(D, H).to(dtype)
    layer = twin(cell, kind)
    x = torch.randn(B, T, D, dtype=dtype, requires_grad=True)
    y = x.detach().clone().requires_grad_()
    s = torch.randn(B, cell.S, dtype=dtype)
    ours, theirs = rnns.run(cell, x, s), run_twin(layer, cell, y, s)
    same = near if dtype == torch.float64 else torch.testing.assert_close
    same(ours, theirs)
    pull = torch.randn_like(ours[0])
    (ours[0] * pull).sum().backward()
    (theirs[0] * pull).sum().backward()
    same(x.grad, y.grad)
    found = [cell.W.weight.grad, cell.U.weight.grad, cell.W.bias.grad]
    same(found, [layer.weight_ih_l0.grad, layer.weight_hh_l0.grad, layer.bias_ih_l0.grad])
    if cell.U.bias is not None:
        same(cell.U.bias.grad, layer.bias_hh_l0.grad)


@pytest.mark.parametrize(("name", "kind"), KINDS)
def test_zeros_are_the_first_state(name: str, kind: type[nn.Module]) -> None:
    cell = getattr(rnns, name)(2, 3)
    x = torch.randn(4, 5, 2)
    torch.testing.assert_close(rnns.run(cell, x), rnns.run(cell, x, torch.zeros(4, cell.S)))
    _, s = rnns.run(cell, x[:, :2])
    torch.testing.assert_close(rnns.run(cell, x)[0][:, 2:], rnns.run(cell, x[:, 2:], s)[0])


@pytest.mark.parametrize(("T", "chunk"), [(1, 0), (1, 1), (5, 0), (6, 1), (7, 3), (6, 3), (4, 9)])
def test_backpropagation_by_hand_equals_autograd(T: int, chunk: int) -> None:
    cell = rnns.ElmanCell(3, 4).double()
    x, grad = torch.randn(2, T, 3).double(), torch.randn(2, T, 4).double()
    outputs, s = [], torch.zeros(2, 4).double()
    for k in range(0, T, chunk or T):
        part, s = rnns.run(cell, x[:, k : k + (chunk or T)], s.detach())
        outputs.append(part)
    h = torch.cat(outputs, dim=1)
    expected = torch.autograd.grad((h * grad).sum(), [*cell.parameters()])
    found = rnns.bptt(cell, x, h.detach(), grad, chunk)
    names = {"W": "W.weight", "b": "W.bias", "U": "U.weight"}
    near(
        {names[name]: value for name, value in found.items()},
        dict(zip(dict(cell.named_parameters()), expected, strict=True)),
    )


@pytest.mark.parametrize(("name", "kind"), KINDS)
@pytest.mark.parametrize("T", [1, 6])
def test_norms_equal_autograd_from_each_state(T: int, name: str, kind: type[nn.Module]) -> None:
    cell = getattr(rnns, name)(3, 4).double()
    x, s = torch.randn(T, 3).double(), torch.randn(cell.S).double()
    found, expected = rnns.gradient_norms(cell, x, s), []
    for t in range(T):
        jacobian = torch.autograd.functional.jacobian(
            lambda state, t=t: rnns.run(cell, x[None, t:], state[None])[1][0, :4], s
        )
        expected.append(torch.linalg.svdvals(jacobian)[0])
        s = rnns.run(cell, x[None, t : t + 1], s[None])[1][0].detach()
    near(found, torch.stack([*expected, torch.tensor(1.0).double()]))


def test_norms_of_a_linear_memory_by_hand() -> None:
    """With h near 0, tanh is the identity, and each step multiplies by U."""
    cell = rnns.ElmanCell(1, 1).double()
    for parameter in cell.parameters():
        parameter.data.zero_()
    cell.U.weight.data.fill_(0.5)
    norms = rnns.gradient_norms(cell, torch.zeros(3, 1).double(), torch.zeros(1).double())
    assert norms.tolist() == [0.125, 0.25, 0.5, 1.0]


@pytest.mark.parametrize("most", [1e-3, 0.7, 1e3])
def test_clipping_equals_torch(most: float) -> None:
    ours, theirs = ([nn.Parameter(torch.ones(2, 3)), nn.Parameter(torch.ones(4))] for _ in "ab")
    for one, other in zip(ours, theirs, strict=True):
        one.grad = torch.randn_like(one)
        other.grad = one.grad.clone()
    ours.insert(1, nn.Parameter(torch.ones(1)))  # no gradient
    found = rnns.clip_gradients(iter(ours), most)
    assert found == pytest.approx(float(nn.utils.clip_grad_norm_(theirs, most)), rel=1e-5)
    torch.testing.assert_close([ours[0].grad, ours[2].grad], [other.grad for other in theirs])


def test_clipping_nothing_is_harmless() -> None:
    parameter = nn.Parameter(torch.ones(2))
    assert rnns.clip_gradients([parameter], 1.0) == 0.0
    parameter.grad = torch.zeros(2)
    assert rnns.clip_gradients([parameter], 1.0) == 0.0
    assert parameter.grad.tolist() == [0.0, 0.0]


@pytest.mark.parametrize(("name", "kind"), KINDS)
@pytest.mark.parametrize("L", [1, 3])
def test_stacks_equal_torch(L: int, name: str, kind: Any) -> None:
    cells = [getattr(rnns, name)(4 if k else 2, 4).double() for k in range(L)]
    layer = kind(2, 4, num_layers=L, batch_first=True).double()
    for k, cell in enumerate(cells):
        for key, value in twin(cell, kind).state_dict().items():
            layer.state_dict()[key.replace("l0", f"l{k}")].copy_(value)
    x, s = torch.randn(3, 5, 2).double(), torch.randn(3, L, cells[0].S).double()
    states = [each.transpose(0, 1).contiguous() for each in s.chunk(cells[0].S // 4, dim=-1)]
    y, ends = layer(x, tuple(states) if kind is nn.LSTM else states[0])
    end = torch.cat(ends, dim=-1) if kind is nn.LSTM else ends
    near(rnns.stack(cells, x, s), (y, end.transpose(0, 1)))


def test_dropout_stands_between_layers() -> None:
    cells = [rnns.GRUCell(2, 4), rnns.GRUCell(4, 4), rnns.GRUCell(4, 4)]
    seen = []

    def blot(x: Tensor) -> Tensor:
        seen.append(x)
        return torch.zeros_like(x)

    x = torch.randn(1, 3, 2)
    y, _ = rnns.stack(cells, x, dropout=blot)
    assert len(seen) == 2
    torch.testing.assert_close(seen[0], rnns.run(cells[0], x)[0])
    torch.testing.assert_close(y, rnns.run(cells[2], torch.zeros(1, 3, 4))[0])


def test_both_directions_equal_torch() -> None:
    ahead, back = rnns.LSTMCell(3, 2).double(), rnns.LSTMCell(3, 2).double()
    layer = nn.LSTM(3, 2, batch_first=True, bidirectional=True).double()
    for cell, ending in ((ahead, "l0"), (back, "l0_reverse")):
        for key, value in twin(cell, nn.LSTM).state_dict().items():
            layer.state_dict()[key.replace("l0", ending)].copy_(value)
    x = torch.randn(2, 6, 3).double()
    near(rnns.bidirectional(ahead, back, x), layer(x)[0])


def model(**options: Any) -> Any:
    return rnns.LanguageModel(9, 4, 4, **options)


def test_a_batch_by_hand() -> None:
    inputs, targets = rnns.make_batch([[7], [], [8, 3]])
    assert inputs.tolist() == [[BOS, 7, PAD], [BOS, PAD, PAD], [BOS, 8, 3]]
    assert targets.tolist() == [[7, EOS, PAD], [EOS, PAD, PAD], [8, 3, EOS]]


def test_log_probs_equal_one_story_at_a_time() -> None:
    stories = [[3, 4, 5, 6], [7], [], [8, 8]]
    net = model(L=2, dropout=0.5)
    expected = []
    for story in stories:
        logits = net.eval()(torch.tensor([[BOS, *story]]))[0][0]
        expected += logits.log_softmax(-1)[range(len(story) + 1), [*story, EOS]].tolist()
    for size in (1, 2, 3, 9):
        assert rnns.log_probs(net.train(), stories, size) == pytest.approx(expected, abs=1e-5)
    assert rnns.log_probs(net, []) == []


@pytest.mark.parametrize("chunk", [1, 2, 3, 50])
def test_training_steps_equal_plain_ones(chunk: int) -> None:
    ours, theirs = model(), model()
    theirs.load_state_dict(ours.state_dict())
    batch = rnns.make_batch([[3, 4, 5, 6, 7], [8, 3]])
    found = rnns.train_batch(ours, torch.optim.SGD(ours.parameters(), 0.5), batch, chunk, 0.1)
    optimizer, s, losses = torch.optim.SGD(theirs.parameters(), 0.5), None, []
    for k in range(0, 6, chunk):
        logits, s = theirs(batch[0][:, k : k + chunk], s)
        s, targets = s.detach(), batch[1][:, k : k + chunk]
        told = -logits.log_softmax(-1).gather(-1, targets[:, :, None])[:, :, 0]
        real = told[targets != PAD]
        losses += real.tolist()
        optimizer.zero_grad()
        real.mean().backward()
        nn.utils.clip_grad_norm_(theirs.parameters(), 0.1)
        optimizer.step()
    assert found == pytest.approx(sum(losses) / 9)
    torch.testing.assert_close(ours.state_dict(), theirs.state_dict())


def test_a_loss_that_is_no_number_stops_before_a_step() -> None:
    net = model()
    net.out.bias.data[5] = math.nan
    before = {name: value.clone() for name, value in net.state_dict().items()}
    batch, optimizer = rnns.make_batch([[3, 4]]), torch.optim.SGD(net.parameters(), 0.5)
    with pytest.raises(FloatingPointError, match="the loss is nan: try a smaller rate"):
        rnns.train_batch(net, optimizer, batch, 9, 1.0)
    torch.testing.assert_close(net.state_dict(), before, equal_nan=True)


@pytest.mark.parametrize(
    ("losses", "most", "patience", "stopped", "best"),
    [
        ([3.0, 2.0, 2.5, 1.0], 9, 1, 3, 2),
        ([3.0, 2.0, 2.5, 1.0, 1.5, 1.5], 9, 2, 6, 4),
        ([3.0, 2.0, 1.0], 2, 1, 2, 2),
        ([3.0, 3.0, 1.0], 9, 1, 2, 1),
        ([math.nan, 1.0], 9, 1, 0, 0),
        ([], 0, 1, 0, 0),
    ],
)
def test_early_stopping(losses: list, most: int, patience: int, stopped: int, best: int) -> None:
    net, left = nn.Linear(1, 1), iter(losses)
    start = net.weight.item()

    def epoch() -> float:
        net.weight.data += 1.0
        return 0.25

    curve = rnns.stop_early(net, epoch, lambda: next(left), most, patience)
    if not (losses and math.isnan(losses[0])):
        assert curve == [(0.25, loss) for loss in losses[:stopped]]
    assert net.weight.item() == pytest.approx(start + best)


def test_tied_weights_are_one_matrix() -> None:
    net = model(tied=True)
    assert net.embed.weight is net.out.weight
    n_weights = sum(parameter.numel() for parameter in net.parameters())
    assert n_weights == sum(parameter.numel() for parameter in model().parameters()) - 9 * 4


def test_generating_draws_as_the_model_says() -> None:
    """Among 4000 stories of two words each pair has the share that the model says."""
    net, n = model(cell=rnns.ElmanCell), 4000
    for parameter in net.parameters():
        parameter.data *= 3  # so that it matters what was said before

    def chances(*words: int) -> Tensor:
        found = net(torch.tensor([[BOS, *words]]))[0][0, -1].softmax(-1).detach()
        found[[PAD, BOS]] = 0
        return found / found.sum()

    for prompt in ((), (5, 3)):
        counts = np.zeros((9, 9))
        for story in rnns.generate(net, n, torch.Generator().manual_seed(1), 2, prompt):
            counts[tuple([*story, EOS, EOS][:2])] += 1
        first = chances(*prompt)
        expected = [first[k] * chances(*prompt, k) for k in range(9)]
        expected[EOS] = F.one_hot(torch.tensor(EOS), 9) * first[EOS]
        assert counts / n == pytest.approx(torch.stack(expected).numpy(), abs=0.02)


def test_generating_reads_nothing_twice() -> None:
    net, read = model(), []
    net.register_forward_pre_hook(lambda _, inputs: read.append(inputs[0].shape))
    stories = rnns.generate(net, 3, torch.Generator().manual_seed(2), 6, [4, 5])
    assert read == [(3, 3)] + [(3, 1)] * (len(read) - 1)
    assert all(EOS not in story and len(story) <= 6 for story in stories)


def test_padding_changes_no_translation() -> None:
    net = rnns.Seq2Seq(9, 8, 4, 5)
    rows = [[3, 4, 5], [6], [7, 8]]
    source = torch.tensor([[3, 4, 5, 0, 0], [6, 0, 0, 0, 0], [7, 8, 0, 0, 0]])
    inputs = torch.tensor([[BOS, 3], [BOS, 4], [BOS, 5]])
    together, states, said = net(source, inputs), net.encode(source), net.translate(source, 7)
    for k, row in enumerate(rows):
        alone = torch.tensor([row])
        torch.testing.assert_close(net.encode(alone), states[:, k : k + 1])
        torch.testing.assert_close(net(alone, inputs[k : k + 1]), together[k : k + 1])
        assert net.translate(alone, 7) == [said[k]]


def test_greedy_words_are_the_likeliest_under_teacher_forcing() -> None:
    source = torch.tensor([[3, 4], [5, 6], [7, 0], [8, 8], [4, 0]])
    for _ in range(300):
        net = rnns.Seq2Seq(9, 8, 4, 5)
        said = net.translate(source, 6)
        lengths = sorted(map(len, said))
        if lengths[0] < 4 < lengths[-1]:
            break
    assert lengths[0] < 4 < lengths[-1] == 6, "some end early, and others go on"
    for row, words in zip(source, said, strict=True):
        row = row[row != PAD][None]
        logits = net(row, torch.tensor([[BOS, *words]]))[0]
        assert logits.argmax(-1).tolist()[: len(words)] == words
        assert len(words) == 6 or logits[-1].argmax() == EOS


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: rnns.run(rnns.GRUCell(2, 3), torch.ones(1, 0, 2)),
            r"x must be \(B, 1 or more, 2\)",
        ),
        (lambda: rnns.run(rnns.GRUCell(2, 3), torch.ones(1, 4, 5)), r"got \(1, 4, 5\)"),
        (lambda: rnns.run(rnns.LSTMCell(1, 3), X, torch.ones(4, 3)), r"be \(4, 6\), got \(4, 3\)"),
        (lambda: model()(torch.tensor([[9]])), "tokens must be between 0 and 8"),
        (lambda: model()(torch.tensor([[3, -1]])), "tokens must be between 0 and 8"),
        (lambda: rnns.feedforward(window_net(), torch.tensor([[0, 7, 0]])), "between 0 and 6"),
        (lambda: rnns.Seq2Seq(9, 8, 4, 5).encode(torch.tensor([[9]])), "source must be between"),
        (lambda: rnns.Seq2Seq(9, 8, 4, 5).encode(torch.tensor([[3], [0]])), "each source must be"),
        (lambda: rnns.Seq2Seq(9, 8, 4, 5)(torch.tensor([[3]]), torch.tensor([[8]])), "inputs must"),
        (lambda: rnns.make_batch([]), "stories must be at least one"),
        (lambda: rnns.clip_gradients([], 0.0), "most must be above 0"),
        (lambda: rnns.generate(model(), 2, torch.Generator(), 0), "most must be at least 1, got 0"),
    ],
)
def test_arguments_that_make_no_sense(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
