"""Words of two senses: they are found, probed, and where heads look can be changed and put back."""

from pathlib import Path
from typing import Any

import pytest
import torch

from examiner.judge.modules import load_module
from examiner.suite import close
from nextword.corpora import village
from nextword.given.batches import BOS, number_words
from nextword.models import word_senses
from nextword.models.attention_only import AttentionOnly, AttentionSizes
from nextword.models.word_senses import Case

attention: Any = load_module(
    Path(__file__).parents[2] / "solutions" / "attention.py", "attention_of_senses"
)
STORIES = village.split("test", 90_000).stories()
NUMBER = number_words(village.VOCABULARY)
ANIMALS, WAYS = village.VILLAGE.beasts, {"road", "street", "bridge"}


def small(causal: bool = False) -> AttentionOnly:
    torch.manual_seed(0)
    return AttentionOnly(
        attention, AttentionSizes(len(NUMBER), D=8, H=2, L=2, causal=causal)
    ).eval()


def test_it_means_the_animal_where_the_story_goes_on_with_it() -> None:
    cases = word_senses.crossings(STORIES)
    assert len(cases) > 10
    for case in cases:
        nouns = case.words[case.right], case.words[case.wrong]
        animal, way = nouns if case.label else reversed(nouns)
        assert (animal in ANIMALS, way in WAYS) == (True, True)
        assert case.words[case.it] == "it"
        assert case.words[case.reason - 1] == "too"
        assert case.words[-1] == "."
        cared_for = {"let", "gave"} & set(case.words[case.reason :])
        assert bool(cared_for) == case.label
        if case.again is None:
            assert "gave" in cared_for  # "gave it some hay"
        else:
            assert case.words[case.again] == case.words[case.right]
            assert case.again > case.reason


def test_a_bank_is_told_by_what_is_there() -> None:
    cases = word_senses.banks(STORIES)
    assert len(cases) > 10
    for case in cases:
        assert case.words[case.it] == "bank"
        assert (case.words[case.reason] in {"green", "muddy", "steep"}) == case.label
        assert ("water" in case.words[case.reason :]) == case.label


def test_balanced_cases_have_each_label_equally_often() -> None:
    cases = [Case((), 0, 0, label) for label in (True, True, True, False)]
    assert [case.label for case in word_senses.balanced(cases)] == [True, False]


@pytest.mark.parametrize("causal", [False, True])
def test_the_vectors_are_those_of_the_word_in_its_own_story(causal: bool) -> None:
    net, cases = small(causal), word_senses.crossings(STORIES)[:3]
    found = word_senses.vectors(net, cases, NUMBER, size=2)
    assert [layer.shape for layer in found] == [(3, 8)] * 3
    for k, case in enumerate(cases):
        row = torch.tensor([[BOS] * causal + [NUMBER[w] for w in case.words]])
        for layer, expected in zip(found, net.vectors(row), strict=True):
            assert close(layer[k], expected[0, case.it + causal], atol=1e-5)


def test_a_probe_finds_what_is_there_and_nothing_else() -> None:
    torch.manual_seed(0)
    x, labels = torch.randn(400, 5), [k % 3 == 0 for k in range(400)]
    at = slice(0, 200), slice(200, 400)
    assert word_senses.probe(x[at[0]], labels[at[0]], x[at[1]], labels[at[1]]) < 0.75
    x[:, 2] += 6.0 * torch.tensor(labels)
    assert word_senses.probe(x[at[0]], labels[at[0]], x[at[1]], labels[at[1]]) > 0.98


def test_a_head_can_be_knocked_out_and_comes_back() -> None:
    net, tokens = small(), torch.tensor([[4, 5, 6]])
    before, looks = net(tokens), [layer.look for layer in net.layers]
    seen = word_senses.weights(net, tokens)
    assert seen.shape == (2, 1, 2, 3, 3)
    assert close(seen.sum(-1), torch.ones(2, 1, 2, 3), atol=1e-5)
    with torch.no_grad():
        layer = net.layers[0]
        with word_senses.changed_heads(net, {(0, 0): torch.zeros_like, (0, 1): torch.zeros_like}):
            assert close(layer(net.vectors(tokens)[0])[0], layer.W_o.bias.expand(1, 3, 8))
        assert not close(layer(net.vectors(tokens)[0])[0], layer.W_o.bias.expand(1, 3, 8))
    with (
        pytest.raises(KeyError),
        word_senses.changed_heads(net, {(1, 0): lambda found: {}["no weights"]}),
    ):
        net(tokens)
    assert [layer.look for layer in net.layers] == looks
    assert close(net(tokens), before)


def test_weights_moved_by_hand_change_that_head_alone() -> None:
    net, tokens = small(), torch.tensor([[4, 5, 6]])

    def to_the_first(found: torch.Tensor) -> torch.Tensor:
        moved = torch.zeros_like(found)
        moved[..., 0] = 1.0
        return moved

    plain = word_senses.weights(net, tokens)
    with word_senses.changed_heads(net, {(0, 1): to_the_first}):
        after = net.layers[0](net.vectors(tokens)[0])[1]
    assert close(after[:, 0], plain[0][:, 0])
    assert after[0, 1].tolist() == [[1.0, 0.0, 0.0]] * 3


@pytest.mark.parametrize("causal", [True, False])
def test_a_change_at_one_place_is_the_same_change_of_the_whole_table(causal: bool) -> None:
    net, tokens = small(causal=causal), torch.tensor([[4, 5, 6], [6, 4, 0]])
    places = torch.tensor([2, 1])
    here = torch.arange(2), places

    def halved(found: torch.Tensor) -> torch.Tensor:
        return found * 0.5

    def halved_there(found: torch.Tensor) -> torch.Tensor:
        found[here] = found[here] * 0.5
        return found

    usual = net(tokens)
    heads = [(0, 1), (1, 0)]
    with word_senses.changed_heads(net, dict.fromkeys(heads, halved_there)):
        whole = net(tokens)
    with word_senses.changed_heads(net, dict.fromkeys(heads, halved), places):
        quick = net(tokens)
    assert close(quick[here], whole[here], atol=1e-5)
    assert not close(quick[here], usual[here], atol=1e-3)
