"""Tests of tasks 7.1 and 7.2: chats and their loss, low-rank layers."""

import math

import pytest
import torch

from examiner.suite import close, gradients, student_module
from tests.after_training.suite import oracles
from tests.after_training.suite.oracles import BOS, EOS, IGNORE, tensor

after_training = student_module("after_training")

MARKS = {"system": 5, "user": 3, "assistant": 4}


def plain(found):
    """A row and its answers as lists of Python's numbers."""
    row, answers = found
    return [int(word) for word in row], [bool(each) for each in answers]


# ------------------------------------------------------------------ 7.1
@pytest.mark.task("7.1", weight=1, visible=True)
def test_a_question_and_its_answer(after_training):
    """Of BOS, user 7 8 EOS, assistant 9 EOS the model learns 9 and the EOS behind it."""
    turns = [("user", [7, 8]), ("assistant", [9])]
    row, answers = plain(after_training.render_chat(turns, {"user": 3, "assistant": 4}))
    assert row == [BOS, 3, 7, 8, EOS, 4, 9, EOS]
    assert answers == [False, False, False, False, False, False, True, True]


def random_chat(rng, n, least=1):
    """Turns of any roles, with at least one answer, and marks."""
    numbers = rng.permutation(range(3, 9)).tolist()
    marks = dict(zip(("user", "assistant", "system"), numbers, strict=False))
    roles = [*rng.choice(list(marks), size=n).tolist(), "assistant"]
    order = rng.permutation(len(roles))
    words = [rng.integers(9, 30, size=rng.integers(least, 6)).tolist() for _ in roles]
    return [(roles[k], words[k]) for k in order], marks


@pytest.mark.task("7.1", weight=1.4)
def test_any_chat(after_training, rng):
    """Any number of turns in any order: all words of all answers are learned, and their ends."""
    for n in (2, 4, 7):
        turns, marks = random_chat(rng, n)
        turns = [("user", [9, 10]), *turns]
        assert plain(after_training.render_chat(turns, marks)) == oracles.chat(turns, marks)


@pytest.mark.task("7.1", weight=0.4)
def test_turns_without_words(after_training, rng):
    """Of an answer without words the EOS alone is learned; of a question without, nothing."""
    turns, marks = random_chat(rng, 3)
    assert plain(after_training.render_chat(turns, marks)) == oracles.chat(turns, marks)
    turns = [("user", []), ("assistant", []), *turns, ("assistant", [])]
    assert plain(after_training.render_chat(turns, marks)) == oracles.chat(turns, marks)


@pytest.mark.task("7.1", weight=0.2)
def test_words_that_look_like_marks(after_training, rng):
    """Who speaks is said by the turns alone: a user may write any id, also the assistant's mark."""
    turns, marks = random_chat(rng, 3)
    assert plain(after_training.render_chat(turns, marks)) == oracles.chat(turns, marks)
    said = rng.permutation([marks["assistant"], BOS, EOS, marks["user"], 9]).tolist()
    turns = [("user", said), ("assistant", said[::-1]), *turns]
    assert plain(after_training.render_chat(turns, marks)) == oracles.chat(turns, marks)


@pytest.mark.task("7.1", weight=1.2, visible=True)
def test_a_batch_of_two_rows(after_training):
    """A target is the next token, where that one belongs to an answer; short rows are filled up."""
    long = ([BOS, 3, 7, EOS, 4, 9, EOS], [False, False, False, False, False, True, True])
    short = ([BOS, 4, 8, EOS], [False, False, True, True])
    inputs, targets = after_training.answer_batch([long, short])
    assert inputs.tolist() == [[BOS, 3, 7, EOS, 4, 9], [BOS, 4, 8, 0, 0, 0]]
    no = IGNORE
    assert targets.tolist() == [[no, no, no, no, 9, EOS], [no, 8, EOS, no, no, no]]
    for each in (inputs, targets):
        assert not each.dtype.is_floating_point, "ids are integers: these are floating-point"


def random_rows(rng, *lengths):
    """Rows of words, each with at least one that is learned."""
    rows = []
    for length in lengths:
        answers = (rng.random(length) < 0.5).tolist()
        answers[int(rng.integers(1, length))] = True
        rows.append((rng.integers(1, 30, size=length).tolist(), answers))
    return rows


def assert_batch(after_training, rows):
    inputs, targets = oracles.batch(rows)
    found = after_training.answer_batch(rows)
    assert close(found[0], inputs)
    assert close(found[1], targets)


@pytest.mark.task("7.1", weight=1.6)
def test_any_rows(after_training, rng):
    """Rows of any lengths, with answers anywhere, become inputs and targets of one shape."""
    for lengths in ((9, 4, 6), (3, 8), (5, 5, 2, 7)):
        assert_batch(after_training, random_rows(rng, *lengths))


@pytest.mark.task("7.1", weight=0.3)
def test_one_row(after_training, rng):
    """One row alone, or rows of one length, need nothing to fill them up."""
    for lengths in ((6, 3), (7,), (2,), (4, 4)):
        assert_batch(after_training, random_rows(rng, *lengths))


@pytest.mark.task("7.1", weight=0.3)
def test_words_that_look_like_padding(after_training, rng):
    """What is a word of an answer stays a target, whatever its id: only places are filled up."""
    rows = random_rows(rng, 7, 4)
    assert_batch(after_training, rows)
    assert_batch(after_training, [([BOS, 0, 6, 0, EOS], [False, True, True, True, True]), *rows])


@pytest.mark.task("7.1", weight=0.9, visible=True)
def test_every_answer_token_counts_alike(after_training):
    """One token at 1/2 in the first text, three at 1/8 in the second: (1 + 9) ln 2 / 4."""
    logs = torch.tensor([3 / 8, 1 / 2, 1 / 8]).log().expand(2, 4, 3)
    targets = torch.tensor([[IGNORE, IGNORE, 1, IGNORE], [2, 2, IGNORE, 2]])
    assert close(after_training.answer_loss(logs, targets), torch.tensor(2.5 * math.log(2)))


def mean_loss(logits, targets):
    """The loss, token by token."""
    logs = [log for text in oracles.token_logs(logits, targets) for log in text]
    return -sum(logs) / len(logs)


def assert_loss(after_training, logits, targets, atol=1e-5):
    expected = mean_loss(logits.double(), targets).float()
    assert close(after_training.answer_loss(logits, targets), expected, atol=atol)


@pytest.mark.task("7.1", weight=0.5)
def test_what_the_loss_teaches(after_training, rng):
    """Gradients reach the logits of all targets, and no others."""
    logits, targets = oracles.some_targets(rng, 5, 2, 3)
    leaf = logits.double().requires_grad_()
    mean_loss(leaf, targets).backward()
    _, (grad, _), _ = gradients(after_training.answer_loss, logits, targets)
    assert close(grad, leaf.grad.float())


@pytest.mark.task("7.1", weight=1.9)
def test_the_loss_of_any_batch(after_training, rng):
    """Texts with few targets and with many, wherever they stand."""
    for lengths in ((1, 5, 3), (7, 2)):
        assert_loss(after_training, *oracles.some_targets(rng, *lengths))


@pytest.mark.task("7.1", weight=0.2)
def test_the_loss_of_padding(after_training, rng):
    """Only IGNORE is not counted: an id of 0 is a target like any other."""
    assert_loss(after_training, *oracles.some_targets(rng, 4, 2))
    logits, targets = oracles.some_targets(rng, 4, 3, least=0)
    targets[0, targets[0] != IGNORE] = 0
    assert_loss(after_training, logits, targets)


@pytest.mark.task("7.1", weight=0.3)
def test_a_text_without_targets(after_training, rng):
    """A text of the batch may have no target: it adds nothing."""
    assert_loss(after_training, *oracles.some_targets(rng, 4, 2))
    assert_loss(after_training, *oracles.some_targets(rng, 0, 3, 1))


@pytest.mark.task("7.1", weight=0.4)
def test_words_that_are_out_of_the_question(after_training, rng):
    """The loss is right where logits are in the hundreds and the likelihood of a target is 0."""
    logits, targets = oracles.some_targets(rng, 4, 2)
    assert_loss(after_training, logits, targets)
    assert_loss(after_training, 100 * logits, targets, atol=1e-3)  # differences of floats


# ------------------------------------------------------------------ 7.2
W, BIAS = torch.tensor([[1.0, 0.0], [0.0, 1.0], [2.0, 0.0]]), torch.tensor([10.0, 20.0, 30.0])
A, B = torch.tensor([[1.0, 1.0], [0.0, 1.0]]), torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, -1.0]])


@pytest.mark.task("7.2", weight=1, visible=True)
def test_a_low_rank_layer_by_hand(after_training):
    """From (1, 2), A makes (3, 2) and B of it (3, 2, 1); alpha / R = 3 times that is added."""
    layer = oracles.with_weights(after_training.LoRA, W, BIAS, A, B, 6.0)
    assert close(layer(torch.tensor([1.0, 2.0])), torch.tensor([20.0, 28.0, 35.0]))


def random_layer(after_training, rng, n_in, n_out, R, has_bias=True, kind=torch.float32):
    """A student's layer of random weights, and these."""
    bias = tensor(rng, n_out, kind=kind) if has_bias else None
    shapes = (n_out, n_in), (R, n_in), (n_out, R)
    W, A, B = (tensor(rng, *shape, kind=kind) for shape in shapes)
    alpha = float(rng.uniform(3, 9))
    layer = oracles.with_weights(after_training.LoRA, W, bias, A, B, alpha)
    return layer, (W, bias, A, B, alpha)


def assert_answers(after_training, rng, shape, n_out, R, **other):
    layer, weights = random_layer(after_training, rng, shape[-1], n_out, R, **other)
    x = tensor(rng, *shape, kind=weights[0].dtype)
    assert close(layer(x), oracles.low_rank(x, *weights), rtol=1e-3, atol=1e-4)


@pytest.mark.task("7.2", weight=1)
def test_answers_of_any_layer(after_training, rng):
    """Layers of any sizes and ranks answer W x + b + (alpha / R) B A x."""
    for shape, n_out, R in (((4, 5), 3, 2), ((6, 2), 7, 1), ((3, 4), 4, 3)):
        assert_answers(after_training, rng, shape, n_out, R)


@pytest.mark.task("7.2", weight=0.5)
def test_vectors_of_any_axes(after_training, rng):
    """Any axes may stand before the numbers of a vector, or none; a rank may be large."""
    assert_answers(after_training, rng, (4, 5), 3, 2)
    for shape in ((5,), (2, 3, 4), (2, 1, 3, 2), (1, 1)):
        assert_answers(after_training, rng, shape, 3, 4)


@pytest.mark.task("7.2", weight=0.4)
def test_layers_without_bias(after_training, rng):
    """The layer may have no bias, and may be in double precision."""
    for other in ({}, {"has_bias": False}, {"kind": torch.float64}):
        assert_answers(after_training, rng, (3, 5), 4, 2, **other)


@pytest.mark.task("7.2", weight=0.8)
def test_what_a_layer_learns(after_training, rng):
    """Gradients reach A, B and what the layer reads, but not W and b."""
    layer, (W, bias, A, B, alpha) = random_layer(after_training, rng, 4, 3, 2)
    x, pull = tensor(rng, 5, 4), tensor(rng, 5, 3)
    leaves = [each.clone().requires_grad_() for each in (x, A, B)]
    (oracles.low_rank(leaves[0], W, bias, *leaves[1:], alpha) * pull).sum().backward()
    _, (by_x,), by_name = gradients(layer, x, weights=pull)
    found = [by_x, by_name["A"], by_name["B"]]
    assert close(found, [each.grad for each in leaves], rtol=1e-3, atol=1e-4)
    assert all(oracles.nothing_or_zero(by_name[f"base.{name}"]) for name in ("weight", "bias"))


@pytest.mark.task("7.2", weight=0.2)
def test_a_layer_whose_weights_change(after_training, rng):
    """Each answer is that of A and B as they are then, and not as they were at first."""
    layer, (W, bias, A, B, alpha) = random_layer(after_training, rng, 4, 3, 2)
    x, other = tensor(rng, 5, 4), tensor(rng, 3, 2)
    found = oracles.answered_twice(layer, x, other)
    expected = [oracles.low_rank(x, W, bias, A, each, alpha) for each in (B, other)]
    assert close(list(found), expected, rtol=1e-3, atol=1e-4)


@pytest.mark.task("7.2", weight=1, visible=True)
def test_a_merged_layer_by_hand(after_training):
    """The merged matrix is W + 3 B A; the layer that it was made of still has W."""
    layer = oracles.with_weights(after_training.LoRA, W, BIAS, A, B, 6.0)
    x = torch.tensor([1.0, 2.0])
    is_plain, answers, weight, own = oracles.merged(layer, x, spoil=False)
    assert is_plain
    assert close(weight, torch.tensor([[4.0, 3.0], [0.0, 4.0], [5.0, 0.0]]))
    assert close(answers, torch.tensor([20.0, 28.0, 35.0]))
    assert close(own, torch.tensor([11.0, 22.0, 32.0])), "the base is as it was"


def assert_merges(after_training, rng, n_in, n_out, R, spoil=False, **other):
    layer, weights = random_layer(after_training, rng, n_in, n_out, R, **other)
    x = tensor(rng, 3, n_in, kind=weights[0].dtype)
    is_plain, answers, _, own = oracles.merged(layer, x, spoil)
    assert is_plain
    assert close(answers, oracles.low_rank(x, *weights), rtol=1e-3, atol=1e-4)
    W, bias = weights[:2]
    assert close(own, x @ W.T + (0 if bias is None else bias), rtol=1e-3, atol=1e-4)


@pytest.mark.task("7.2", weight=1)
def test_merged_layers_of_any_size(after_training, rng):
    """A merged layer answers the same, whatever its sizes; the base answers as before."""
    for sizes in ((4, 3, 2), (2, 6, 1), (3, 3, 5)):
        assert_merges(after_training, rng, *sizes)


@pytest.mark.task("7.2", weight=0.4)
def test_merged_layers_without_bias(after_training, rng):
    """The merged layer has a bias if the base has one, and the base's precision."""
    for other in ({}, {"has_bias": False}, {"kind": torch.float64}):
        assert_merges(after_training, rng, 4, 3, 2, **other)


@pytest.mark.task("7.2", weight=0.3)
def test_a_merged_layer_is_a_layer_of_its_own(after_training, rng):
    """Who changes the new layer's weights changes nothing in the old one."""
    for spoil in (False, True):
        assert_merges(after_training, rng, 4, 3, 2, spoil=spoil)


def linear_sizes(n_blocks):
    """The inputs and outputs of each linear layer of `oracles.stacked`, by its path."""
    of_block = {"look": (4, 4), "up": (4, 6), "down": (6, 4)}
    found = {f"blocks.{k}.{name}": of_block[name] for k in range(n_blocks) for name in of_block}
    return found | {"up.lookup": (4, 3), "out": (4, 7)}


def assert_adapts(after_training, n_blocks, names, R, alpha):
    """Check which layers of a network are replaced, what is left to learn, what is returned."""
    module = after_training
    found = oracles.adapted(module.add_lora, module.LoRA, n_blocks, names, R, alpha)
    layers, learning, returned, others = found
    net = dict(oracles.stacked(n_blocks).named_modules())
    chosen = {path: n for path, n in linear_sizes(n_blocks).items() if path.split(".")[-1] in names}
    assert sorted(layers) == sorted(chosen)
    for path, (n_in, n_out) in chosen.items():
        sizes, weight = layers[path]
        assert close(sizes, [[R, n_in], [n_out, R], alpha / R])
        assert close(weight, net[path].weight)
    new = [f"{path}.{name}" for path in chosen for name in "AB"]
    assert sorted(learning) == sorted(new), "only A and B can learn"
    assert returned == new
    assert others == [path for path in net if path not in chosen]


@pytest.mark.task("7.2", weight=1, visible=True)
def test_layers_of_one_name(after_training):
    """Each layer `up` of three blocks has its own A and B, which alone are left to learn."""
    assert_adapts(after_training, 3, ("up",), 2, 8.0)


@pytest.mark.task("7.2", weight=1)
def test_layers_of_several_names(after_training, rng):
    """Names may stand anywhere in the network; A and B of each are returned in its order."""
    R, alpha = int(rng.integers(1, 4)), float(rng.uniform(1, 9))
    for names in (("down", "look"), ("lookup", "up"), ("look", "up", "down")):
        assert_adapts(after_training, int(rng.integers(1, 4)), names, R, alpha)


@pytest.mark.task("7.2", weight=0.5)
def test_a_layer_of_the_model_itself(after_training, rng):
    """A layer may stand in the model itself; other layers, and parts of names, do not count."""
    for names in (("up",), ("out",), ("words", "norm", "look", "loo", "out"), ("down", "0")):
        assert_adapts(after_training, 2, names, int(rng.integers(1, 4)), 4.0)


@pytest.mark.task("7.2", weight=0.3)
def test_names_that_no_layer_has(after_training):
    """A ValueError says that no linear layer has such a name, also where another module has it."""
    assert_adapts(after_training, 1, ("up", "nobody"), 2, 8.0)
    for names in (("norm", "words"), ("ups", "blocks.0.up"), ()):
        with pytest.raises(ValueError):  # noqa: PT011 - which words it says is the student's choice
            oracles.adapted(after_training.add_lora, after_training.LoRA, 2, names, 2, 8.0)


@pytest.mark.task("7.2", weight=0.2)
def test_a_refusal_changes_nothing(after_training):
    """Where no layer has such a name, all parameters can learn as before."""
    assert_adapts(after_training, 1, ("up",), 2, 8.0)
    refused, learning = oracles.refused_names(after_training.add_lora, ("nobody",))
    assert refused
    assert learning == [True] * 4


@pytest.mark.task("7.2", weight=0.3)
def test_merging_again(after_training, rng):
    """Each merged layer is a new one, of the weights as they are then."""
    layer, (W, bias, A, B, alpha) = random_layer(after_training, rng, 4, 3, 2)
    x, other = tensor(rng, 5, 4), tensor(rng, 3, 2)
    found = oracles.merged_twice(layer, x, other)
    before, after = (oracles.low_rank(x, W, bias, A, each, alpha) for each in (B, other))
    assert close(list(found), [before, after, before], rtol=1e-3, atol=1e-4)
    layer = random_layer(after_training, rng, 4, 3, 2)[0]
    before, after = oracles.answered_around(layer, x)
    assert close(after, before), "merged() leaves its own layer as it is"


@pytest.mark.task("7.2", weight=0.2)
def test_each_lora_has_a_start_of_its_own(after_training):
    """Layers of one size start at different A; whoever draws afterwards draws by their own luck."""
    assert_adapts(after_training, 3, ("up",), 2, 8.0)
    found = oracles.started(after_training.add_lora)
    assert list(found) == [0, 0], "no seed is set, and no A is used twice"
