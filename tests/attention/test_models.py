"""How the shipped networks of chapter 5 learn: on a handful of sentences."""

from pathlib import Path
from typing import Any

import pytest
import torch

from examiner.judge.modules import load_module
from nextword.corpora import dialect
from nextword.given.batches import PAD
from nextword.models.recipes import attention as translating
from nextword.models.recipes import attention_reader as reading
from nextword.models.recipes import rnns
from nextword.models.recipes.rnns import Words
from nextword.models.training import Plan

pytestmark = pytest.mark.slow

SOLUTIONS = Path(__file__).parents[2] / "solutions"
attention: Any = load_module(SOLUTIONS / "attention.py", "attention_of_models")
chapter_4: Any = load_module(SOLUTIONS / "rnns.py", "rnns_of_models")


@pytest.mark.parametrize("looks_back", [True, False])
def test_a_translator_learns_its_sentences(looks_back: bool) -> None:
    torch.manual_seed(0)
    pairs = dialect.pairs("train", 4, 3, 7)
    words, plan = Words(pairs), Plan(epochs=60, size=4, rate=0.03)
    V = len(words.source), len(words.target)
    net = attention.Translator(*V, 8, 16, 8) if looks_back else chapter_4.Seq2Seq(*V, 8, 48)
    logits_of = (lambda net, *read: net(*read)[0]) if looks_back else lambda net, *read: net(*read)
    translating.learn(net, logits_of, words, pairs, plan, lambda done: None)
    assert rnns.exact(net, words, pairs) == 1


def test_only_hidden_words_are_guessed() -> None:
    class Blind(torch.nn.Module):
        """Sees each word as it is, and tells the word that it sees."""

        def vectors(self, tokens: torch.Tensor) -> list[torch.Tensor]:
            self.seen = tokens
            return [torch.nn.functional.one_hot(tokens, 20).float()]

        def out(self, x: torch.Tensor) -> torch.Tensor:
            self.asked = x.argmax(-1)
            return 50 * x

    net, stories = Blind(), [[5] * 400, [6] * 100]
    loss = reading.guess_loss(torch.Generator().manual_seed(0), net, stories)
    assert loss.item() > 49  # what it tells is the sign for a hidden word
    hidden = net.seen == reading.HIDDEN
    assert len(net.asked) == hidden.sum()
    assert (net.asked == reading.HIDDEN).all()
    assert 0.1 < hidden[0].double().mean() < 0.2
    assert (net.seen[1, 100:] == PAD).all()
