"""The reference of chapter 7 against hand, loops, autograd and peft. Leaves out: expectations."""

import copy
import math
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from examiner.judge.modules import load_module
from examiner.suite import close, peak_bytes
from tests.reference import reference

ROOT = Path(__file__).parents[2]
BOS, EOS, PAD, IGNORE = 1, 2, 0, -100
KINDS = (torch.float32, torch.float64)
SIZES = [(1, 1, 1), (1, 4, 3), (3, 1, 2), (5, 7, 11)]  # B, T, V

after: Any = reference("after_training")
unchecked: Any = load_module(ROOT / "solutions" / "after_training.py", "unchecked_after_training")


def tensor(rng: Any, *shape: int, kind: Any = torch.float32) -> Tensor:
    return torch.tensor(rng.normal(size=shape), dtype=kind)


def some_targets(rng: Any, B: int, T: int, V: int) -> Tensor:
    """Targets, about half of them IGNORE, at least one in each row not."""
    targets = torch.tensor(rng.integers(V, size=(B, T)))
    ignored = torch.tensor(rng.random((B, T)) < 0.5)
    ignored[torch.arange(B), torch.tensor(rng.integers(T, size=B))] = False
    return targets.masked_fill(ignored, IGNORE)


def gradients(function: Callable, *inputs: Tensor) -> list[Tensor | None]:
    leaves = [each.detach().clone().requires_grad_() for each in inputs]
    function(*leaves).sum().backward()
    return [leaf.grad for leaf in leaves]


# ---------------------------------------------------------------- 7.1


def test_a_row_of_a_chat_learns_the_assistants_words_and_their_ends() -> None:
    rng = np.random.default_rng(1)
    marks = {"system": 3, "user": 4, "assistant": 5}
    for n in (1, 2, 6):
        roles = [*rng.choice(list(marks), size=n - 1).tolist(), "assistant"]
        turns = [(role, rng.integers(6, 20, size=rng.integers(4)).tolist()) for role in roles]
        row, answer = after.render_chat(turns, marks)
        pieces = [[marks[role], *words, EOS] for role, words in turns]
        assert row == [BOS] + [word for piece in pieces for word in piece]
        learned = [word for word, learn in zip(row, answer, strict=True) if learn]
        spoken = [[*words, EOS] for role, words in turns if role == "assistant"]
        assert learned == [word for words in spoken for word in words]
        assert not any(answer[t] for t, word in enumerate(row) if word in marks.values())


def test_a_batch_of_rows_is_that_of_loops() -> None:
    rng = np.random.default_rng(2)
    rows = []
    for length in (2, 9, 5):
        answer = (rng.random(length) < 0.5).tolist()
        answer[-1] = True
        rows.append((rng.integers(3, 20, size=length).tolist(), answer))
    for batch in (rows, rows[:1]):
        inputs, targets = after.answer_batch(batch)
        assert inputs.shape == targets.shape
        assert inputs.shape == (len(batch), max(len(row) for row, _ in batch) - 1)
        for b, (row, answer) in enumerate(batch):
            for t in range(inputs.shape[1]):
                there = t + 1 < len(row)
                assert inputs[b, t] == (row[t] if there else PAD)
                assert targets[b, t] == (row[t + 1] if there and answer[t + 1] else IGNORE)


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_the_loss_of_answers_is_that_of_loops(sizes: tuple, kind: Any) -> None:
    rng = np.random.default_rng(3)
    logits, targets = tensor(rng, *sizes, kind=kind), some_targets(rng, *sizes)

    def loops(logits: Tensor) -> Tensor:
        losses = [
            logits[b, t].logsumexp(0) - logits[b, t, targets[b, t]]
            for b, t in (targets != IGNORE).nonzero().tolist()
        ]
        return torch.stack(losses).mean()

    assert close(after.answer_loss(logits, targets), loops(logits))
    found = gradients(lambda logits: after.answer_loss(logits, targets), logits)
    assert close(found, gradients(loops, logits))
    assert found[0] is not None
    assert not found[0][targets == IGNORE].any()


@pytest.mark.slow
def test_the_loss_of_answers_is_that_of_hugging_face() -> None:
    field = pytest.importorskip("transformers")
    torch.manual_seed(1)
    config = field.GPT2Config(vocab_size=9, n_positions=8, n_embd=8, n_layer=1, n_head=2)
    model = field.GPT2LMHeadModel(config).eval()
    rng = np.random.default_rng(5)
    rows = torch.tensor(rng.integers(9, size=(4, 7)))
    labels = rows.where(some_targets(rng, 4, 7, 9) != IGNORE, IGNORE)
    labels[:, -1] = rows[:, -1]
    theirs = model(rows, labels=labels).loss  # it shifts rows and labels by itself
    assert close(after.answer_loss(model(rows).logits[:, :-1], labels[:, 1:]), theirs)


# ---------------------------------------------------------------- 7.2


def new_lora(rng: Any, n_in: int, n_out: int, R: int, kind: Any, bias: bool = True) -> Any:
    """A LoRA whose B is no longer 0."""
    layer = after.LoRA(nn.Linear(n_in, n_out, bias, dtype=kind), R, 1.7)
    layer.B.data = tensor(rng, n_out, R, kind=kind)
    return layer


@pytest.mark.parametrize("sizes", [(1, 1, 1), (3, 5, 2), (5, 3, 7), (4, 4, 4)], ids=str)
@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("bias", [True, False])
def test_a_lora_is_the_dense_layer_and_merged_it_is_one(
    sizes: tuple, kind: Any, bias: bool
) -> None:
    n_in, n_out, R = sizes
    rng = np.random.default_rng(4)
    layer = new_lora(rng, n_in, n_out, R, kind, bias)
    before = copy.deepcopy(layer.base)
    for lead in ((), (3,), (2, 3), (0, 2)):
        x = tensor(rng, *lead, n_in, kind=kind)

        def dense(A: Tensor, B: Tensor) -> Tensor:
            update = torch.stack([torch.stack([(b * a).sum() for a in A.T]) for b in B])
            weight = layer.base.weight + 1.7 / R * update
            return functional.linear(x, weight, layer.base.bias) ** 2  # noqa: B023

        assert close(layer(x) ** 2, dense(layer.A, layer.B))
        layer.zero_grad()
        (layer(x) ** 2).sum().backward()
        assert close([layer.A.grad, layer.B.grad], gradients(dense, layer.A, layer.B))
        merged = layer.merged()
        assert type(merged) is nn.Linear
        assert close(merged(x), layer(x))
        merged.weight.data.zero_()  # it shares no numbers with the layer
    assert layer.base.weight.equal(before.weight)
    assert layer.base.weight.grad is None


def test_a_lora_changes_nothing_at_first() -> None:
    x = torch.randn(5, 3)
    base = nn.Linear(3, 4)
    assert after.LoRA(base, 2, 16.0)(x).equal(base(x))


def test_a_lora_makes_no_matrix_as_large_as_its_base() -> None:
    layer = unchecked.LoRA(nn.Linear(1000, 1000), 4, 8.0)
    inputs = (torch.ones(1, 1000), *layer.parameters())
    assert peak_bytes(lambda x, *_: layer(x), *inputs) < 100_000  # the matrix has 4,000,000


def new_network() -> nn.Module:
    blocks = [
        nn.ModuleDict({"look": nn.Linear(4, 6), "norm": nn.LayerNorm(4), "up": nn.Linear(4, 3)})
        for _ in range(2)
    ]
    lookup = nn.Embedding(5, 4)
    return nn.ModuleDict({"up": lookup, "blocks": nn.ModuleList(blocks), "out": nn.Linear(4, 5)})


def test_add_lora_replaces_the_layers_of_these_names_only() -> None:
    model = new_network()
    learned = after.add_lora(model, ("look", "up"), 3, 6.0)
    sizes = [(3, 4), (6, 3), (3, 4), (3, 3)] * 2
    assert [tuple(each.shape) for each in learned] == sizes
    assert [id(each) for each in learned] == [
        id(each) for each in model.parameters() if each.requires_grad
    ]
    replaced = {name for name, part in model.named_modules() if isinstance(part, after.LoRA)}
    assert replaced == {f"blocks.{n}.{name}" for n in (0, 1) for name in ("look", "up")}
    assert isinstance(model.up, nn.Embedding)
    assert type(model.out) is nn.Linear


def test_add_lora_reaches_a_layer_of_the_model_itself() -> None:
    model = new_network()
    assert len(after.add_lora(model, ("out",), 1, 1.0)) == 2
    assert isinstance(model.out, after.LoRA)


def test_add_lora_leaves_a_model_without_such_layers_as_it_was() -> None:
    model = new_network()
    for names in (("norm",), ("blocks",), ("loo",), ()):
        with pytest.raises(ValueError, match="names"):
            after.add_lora(model, names, 1, 1.0)
    assert all(each.requires_grad for each in model.parameters())


@pytest.mark.slow
def test_lora_is_that_of_peft() -> None:
    peft = pytest.importorskip("peft", reason="an oracle: pip install peft")
    rng = np.random.default_rng(5)
    ours: Any = nn.Sequential(nn.Linear(5, 7), nn.Tanh(), nn.Linear(7, 3))
    settings = peft.LoraConfig(r=4, lora_alpha=10, target_modules=["0", "2"], lora_dropout=0.0)
    theirs = peft.get_peft_model(copy.deepcopy(ours), settings)
    learned = after.add_lora(ours, ("0", "2"), 4, 10.0)
    those = [each for each in theirs.parameters() if each.requires_grad]
    assert [each.shape for each in learned] == [each.shape for each in those]
    for mine, their in zip(learned, those, strict=True):
        mine.data = tensor(rng, *mine.shape)
        their.data = mine.data.clone()
    x = tensor(rng, 6, 5)
    assert close(ours(x), theirs(x))
    ours(x).square().sum().backward()
    theirs(x).square().sum().backward()
    assert close([each.grad for each in learned], [each.grad for each in those])
    plain = theirs.merge_and_unload()
    assert close(ours[0].merged().weight, plain[0].weight)
    assert close(ours[2].merged().weight, plain[2].weight)


# ---------------------------------------------------------------- 7.3


def test_the_majority_is_that_of_a_count() -> None:
    rng = np.random.default_rng(6)
    for _ in range(300):
        answers = [(None, "a", "b", ("c", 1))[k] for k in rng.integers(4, size=rng.integers(8))]
        given = [answer for answer in answers if answer is not None]
        expected = None
        for answer in given:  # a later answer must have more votes than the best so far
            if expected is None or given.count(answer) > given.count(expected):
                expected = answer
        assert after.majority(answers) == expected


def test_pass_at_k_is_that_of_all_choices() -> None:
    for n in range(1, 7):
        for c in range(n + 1):
            for k in range(1, n + 1):
                chosen = list(combinations(range(n), k))  # the first c are right
                right = Fraction(sum(min(each) < c for each in chosen), len(chosen))
                assert close(after.pass_at_k(n, c, k), float(right))


def test_pass_at_k_has_no_bias() -> None:
    n, p = 9, Fraction(1, 5)
    for k in (1, 4, 9):
        chances = [math.comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)]
        mean = sum(float(q) * after.pass_at_k(n, c, k) for c, q in enumerate(chances))
        assert close(mean, float(1 - (1 - p) ** k))


def test_pass_at_k_of_ten_thousand_samples() -> None:
    none = Fraction(5_000 * 4_999 * 4_998, 10_000 * 9_999 * 9_998)  # all 3 among the 5,000 others
    assert close(after.pass_at_k(10_000, 3, 5_000), float(1 - none))
    assert after.pass_at_k(10_000, 0, 7) == 0
    assert after.pass_at_k(10_000, 5_001, 5_000) == 1
    assert close(after.pass_at_k(10_000, 1, 1), 1e-4)


# ---------------------------------------------------------------- 7.4


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize(("B", "T", "D"), [(1, 1, 1), (4, 6, 3), (3, 5, 2)])
def test_a_reward_is_read_off_the_last_token(B: int, T: int, D: int, kind: Any) -> None:
    rng = np.random.default_rng(7)
    rows = torch.tensor(rng.integers(1, 9, size=(B, T)))
    lengths = rng.integers(1, T + 1, size=B)
    for row, length in zip(rows, lengths, strict=True):
        row[length:] = PAD
    vectors = tensor(rng, B, T, D, kind=kind)
    model = after.RewardModel(lambda _: vectors, D).to(kind)
    last = torch.stack([vectors[b, n - 1] for b, n in enumerate(lengths)])
    rewards = model(rows)
    assert close(rewards, last @ model.head.weight[0] + model.head.bias)
    rewards.sum().backward()
    assert close(model.head.weight.grad[0], last.sum(0))


@pytest.mark.slow
def test_rewards_are_those_of_hugging_faces_classifier() -> None:
    field = pytest.importorskip("transformers")
    torch.manual_seed(2)
    sizes = {"vocab_size": 9, "n_positions": 8, "n_embd": 8, "n_layer": 1, "n_head": 2}
    config = field.GPT2Config(**sizes, num_labels=1, pad_token_id=PAD)
    theirs = field.GPT2ForSequenceClassification(config).eval()
    model = after.RewardModel(lambda rows: theirs.transformer(rows).last_hidden_state, 8)
    model.head.weight.data = theirs.score.weight.data
    model.head.bias.data.zero_()
    rows = torch.tensor([[1, 5, 6, 7, 2], [1, 8, 2, 0, 0], [1, 0, 0, 0, 0]])
    assert close(model(rows), theirs(rows).logits[:, 0])


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("B", [1, 6])
def test_the_loss_of_preferences_is_cross_entropy(B: int, kind: Any) -> None:
    rng = np.random.default_rng(8)
    chosen, rejected = tensor(rng, B, kind=kind), tensor(rng, B, kind=kind)

    def theirs(chosen: Tensor, rejected: Tensor) -> Tensor:
        logits = 2.5 * (chosen - rejected)
        return functional.binary_cross_entropy_with_logits(logits, torch.ones_like(logits))

    assert close(after.preference_loss(chosen, rejected, 2.5), theirs(chosen, rejected))
    found = gradients(lambda c, r: after.preference_loss(c, r, 2.5), chosen, rejected)
    assert close(found, gradients(theirs, chosen, rejected))
    by_hand = -2.5 * torch.sigmoid(-2.5 * (chosen - rejected)) / B
    assert close(found, [by_hand, -by_hand])


def test_the_loss_of_preferences_is_finite_where_rewards_are_far_apart() -> None:
    far, near = torch.tensor([1e4, -1e4]), torch.zeros(2)
    assert close(after.preference_loss(far, near), torch.tensor(5e3))
    found = gradients(after.preference_loss, far, near)
    assert close(found[0], torch.tensor([0.0, -0.5]))
