"""What a network takes from its text alone: the texts, the new words, the intervals.

Leaves out: what the shipped networks answer (the page's own claims).
"""

import numpy as np
import pytest
import torch

from nextword.models import in_context
from nextword.models.in_context import NEW, Asked
from solutions import transformers

NUMBER = {word: k for k, word in enumerate(["<pad>", "<s>", "</s>", "ann", "ben", "slept"])}


def network():
    net = transformers.LanguageModel(transformers.Sizes(V=len(NUMBER), D=8, L=1, H=2))
    return transformers.initialise(net, torch.Generator().manual_seed(0), std=0.5).eval()


def test_a_name_counts_only_if_it_was_said_often_enough():
    story = ["ann", "and", "ann", "sat", ".", "so", "ann", "slept", ".", "so", "ann"]
    (once,) = in_context.said_again([story], ". so", ["ann"], 2)
    assert once == Asked(story[:6], "ann")
    (twice,) = in_context.said_again([story], ". so", ["ann"], 3)
    assert len(twice.text) == 10
    assert in_context.said_again([story], ". so", ["ben"], 0) == []


def test_an_exchanged_word_is_exchanged_everywhere():
    asked = in_context.exchanged(Asked(["ann", "saw", "ann"], "ann"), "ben")
    assert asked == Asked(["ben", "saw", "ben"], "ben")
    rng = np.random.default_rng(0)
    assert in_context.another(asked, ["ann", "ben"], rng) == "ann"


def test_new_words_change_nothing_for_texts_without_them():
    net, texts = network(), [["ann", "slept"], ["ben"], ["ann", "ben", "ann"]]
    plain = in_context.next_of(net, NUMBER, texts, len(NUMBER))
    assert torch.equal(plain[:, -1], torch.zeros(3))
    larger = in_context.with_new_words(transformers, net, torch.randn(3, 8))
    found = in_context.next_of(larger, NUMBER, texts, len(NUMBER), size=2)
    known = found[:, :-1] / found[:, :-1].sum(1, keepdim=True)
    assert torch.allclose(known, plain[:, :-1], atol=1e-6)


def test_each_text_has_a_new_word_of_its_own():
    net = network()
    vectors = torch.randn(2, 8, generator=torch.Generator().manual_seed(1))
    both = in_context.with_new_words(transformers, net, vectors)
    texts = [[NEW, "slept"], [NEW, "slept"]]
    together = in_context.next_of(both, NUMBER, texts, len(NUMBER))
    for k in range(2):
        alone = in_context.with_new_words(transformers, net, vectors[k : k + 1])
        assert torch.allclose(
            in_context.next_of(alone, NUMBER, texts[:1], len(NUMBER))[0], together[k], atol=1e-6
        )


def test_new_vectors_are_as_far_from_the_middle_as_the_known_ones():
    table = torch.tensor([[1.0, 0.0], [-1.0, 0.0]]) + 5
    vectors = in_context.new_vectors(table, 10, torch.Generator().manual_seed(0))
    assert torch.allclose((vectors - 5).norm(dim=1), torch.ones(10))


def test_a_rule_shows_a_man_and_a_woman_and_asks_for_a_third_person():
    rng = np.random.default_rng(0)
    for _ in range(50):
        text, answer = in_context.rule(rng)
        people = [word for word in text if word in (*in_context.MEN, *in_context.WOMEN)]
        kind = in_context.MEN if people[2] in in_context.MEN else in_context.WOMEN
        (like,) = [p for p in people[:2] if p in kind]
        assert len(set(people)) == 3
        assert text[text.index(like) + 3] == answer


def test_a_false_fact_names_another_capital_and_asks_for_it():
    stories = [
        ["the", "capital", "of", "japan", "is", "tokyo"],
        ["the", "capital", "of", "italy", "is", "rome"],
    ]
    for text, answer in in_context.false_facts(stories, 20):
        assert {"japan": "rome", "italy": "tokyo"}[text[-2]] == answer
        assert text.count(answer) == 1


@pytest.mark.parametrize(("hits", "n"), [(0, 20), (10, 20), (20, 20)])
def test_an_interval_holds_the_share_and_shrinks_with_more_texts(hits, n):
    low, high = in_context.interval(hits, n)
    assert 0 <= low <= hits / n <= high <= 1
    small_low, small_high = in_context.interval(100 * hits, 100 * n)
    assert small_high - small_low < high - low
