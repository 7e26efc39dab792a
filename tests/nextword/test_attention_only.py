"""Networks of heads alone: what they may see, how they learn, what they write."""

from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from examiner.judge.modules import load_module
from examiner.suite import close
from nextword.corpora.names import load
from nextword.given.batches import BOS, EOS, PAD
from nextword.models import attention_only, training
from nextword.models.attention_only import AttentionOnly, AttentionSizes
from nextword.models.ladder.rungs import attention as rungs
from nextword.models.training import Plan

attention: Any = load_module(
    Path(__file__).parents[2] / "solutions" / "attention.py", "attention_of_nets"
)


def small(**options: Any) -> AttentionOnly:
    torch.manual_seed(0)
    return AttentionOnly(attention, AttentionSizes(9, D=8, H=2, L=2, longest=6, **options)).eval()


def test_a_word_does_not_see_what_follows() -> None:
    net, tokens = small(), torch.tensor([[1, 4, 5, 6, 7]])
    other = torch.tensor([[1, 4, 5, 8, 3]])
    assert close(net(tokens)[:, :3], net(other)[:, :3])
    assert not close(net(tokens)[:, 3:], net(other)[:, 3:])


def test_a_reader_sees_both_sides_and_no_padding() -> None:
    net, tokens = small(causal=False), torch.tensor([[4, 5, 6]])
    assert not close(net(tokens)[:, 0], net(torch.tensor([[4, 5, 7]]))[:, 0])
    assert close(net(torch.tensor([[4, 5, 6, PAD, PAD]]))[:, :3], net(tokens))


def test_words_beyond_the_last_place_can_be_read() -> None:
    net = small()
    assert net(torch.tensor([[1, *[4] * 20]])).shape == (1, 21, 9)
    assert [len(each[0]) for each in net.vectors(torch.tensor([[1, 4]]))] == [2, 2, 2]


def test_log_probs_are_those_of_each_story_alone() -> None:
    net, stories = small(), [[4, 5, 6], [7], []]
    expected = []
    for story in stories:
        told = net(torch.tensor([[BOS, *story]]))[0].log_softmax(-1)
        expected += [told[k, word].item() for k, word in enumerate([*story, EOS])]
    for size in (1, 2, 32):
        assert close(attention_only.log_probs(net, stories, size), expected, atol=1e-5)


def test_training_makes_the_loss_smaller_and_says_how_far_it_is() -> None:
    net, done = small(), []
    stories = [[4, 5, 6, 7]] * 40
    before = attention_only.next_word_loss(net, stories).item()
    plan = Plan(epochs=5, size=4, rate=0.03)
    training.train_on_texts(
        net, stories, partial(attention_only.next_word_loss, net), plan, done.append
    )
    assert attention_only.next_word_loss(net, stories).item() < before / 4
    assert len(done) == 50
    assert done[-1] == 1
    found = attention_only.generate(net, 3, torch.Generator().manual_seed(0), 10)
    assert all(len(row) <= 10 for row in found)
    assert not {PAD, BOS} & {word for row in found for word in row}


@pytest.mark.parametrize("causal", [False, True])
def test_the_quick_way_gives_the_same_and_ends(causal: bool) -> None:
    net, tokens = small(causal=causal), torch.tensor([[4, 5, 6], [7, 8, PAD]])
    before = net(tokens)
    with attention_only.fused_attention(net):
        assert close(net(tokens), before, atol=1e-5)
        assert net.layers[0](net.vectors(tokens)[0])[1].numel() == 0
    assert net.layers[0].look is attention.look


def test_each_written_story_follows_from_its_own_words() -> None:
    """With logits that know one successor of each word, all rows write the same."""
    net = small()
    with torch.no_grad():
        for p in net.parameters():
            p.zero_()
        net.embed.weight[:, :8] = 9.0 * torch.eye(9, 8)
        for word, successor in ((BOS, 5), (5, 7), (7, EOS)):
            net.out.weight[successor, word] = 9.0
    written = attention_only.generate(net, 4, torch.Generator().manual_seed(0), 10)
    assert written == [[5, 7, EOS]] * 4
    assert attention_only.generate(net, 2, torch.Generator(), 1) == [[5], [5]]


def test_a_loss_that_is_no_number_stops_the_training() -> None:
    net = small()
    with torch.no_grad():
        net.out.bias[4] = float("nan")
    loss_of = partial(attention_only.next_word_loss, net)
    with pytest.raises(FloatingPointError, match="step 1: the loss is nan"):
        training.train_on_texts(net, [[4]], loss_of, Plan(), print)


def test_the_rung_learns_from_the_training_text_and_writes_its_words() -> None:
    texts = load("village", 1_500, 300)
    model = rungs.train(SimpleNamespace(attention=attention), texts, lambda done: None)
    logs = model.log_probs(texts.test)
    assert len(logs) == texts.n_predictions
    assert max(logs) <= 0
    assert model.parameters == sum(t.numel() for t in rungs.RUNGS[0].tensors(model).values())
    written = list(model.samples(2, np.random.default_rng(0), 5))
    assert len(written) == 2
    assert all(len(row) <= 5 and set(row) <= set(model.words) for row in written)
