"""The rung of chapter 3: the log-bilinear model learns order, and is a distribution."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from nextword.models.ladder.rungs import embeddings as rung
from nextword.models.ladder.rungs.embeddings import CONTEXT, LogBilinear
from tests.reference import reference

COURSE = reference("embeddings")
WORDS = ["</s>", "a", "b", "x", "y"]
# what follows depends on the order of the two words before, which a mean of vectors cannot tell
STORIES = [["a", "b", "x"], ["b", "a", "y"]] * 300


@pytest.fixture(scope="module")
def trained():
    model = LogBilinear(WORDS)
    with pytest.MonkeyPatch.context() as smaller:
        smaller.setattr(rung, "BATCH", 64)  # more steps on little text
        rung.fit(model, COURSE, STORIES * 3, lambda share: None)
    return model


def test_it_learns_what_depends_on_the_order_of_the_words_before(trained):
    log_p = trained.log_probs([["a", "b", "x"], ["b", "a", "y"]])
    surprise = [-value for value in log_p]
    assert surprise[0] == pytest.approx(math.log(2), abs=0.1)  # a or b: a free choice
    assert max(surprise[1:4] + surprise[5:]) < 0.05


def test_probabilities_of_all_words_add_up_to_one(trained):
    # the first word of a story is scored after the same empty context, whatever it is
    total = sum(math.exp(trained.log_probs([[word]])[0]) for word in WORDS[1:])
    assert total + math.exp(trained.log_probs([[]])[0]) == pytest.approx(1, abs=1e-5)


def test_samples_are_stories_that_it_has_learned(trained):
    told = list(trained.samples(20, np.random.default_rng(0), max_words=9))
    assert sum(story in STORIES for story in told) >= 18
    assert all("</s>" not in story for story in told)
    assert all(len(story) <= 9 for story in told)


def test_the_step_goes_down_the_gradient_that_autograd_finds():
    model = LogBilinear(WORDS)
    contexts, targets = model.windows([["a", "b", "x"]])
    assert contexts.shape == (4, CONTEXT)
    before = [part.clone().requires_grad_() for part in (model.E, model.U, model.w)]
    h = torch.cat([(before[0][contexts] * before[2]).sum(1), torch.ones(4, 1)], dim=1)
    torch.nn.functional.cross_entropy(h @ before[1].T, targets).backward()
    rung.fit(model, COURSE, [["a", "b", "x"]], lambda share: None)
    for part, start in zip((model.E, model.U, model.w), before, strict=True):
        moved = part - start.detach()
        used = start.grad.abs() > 1e-6
        # the first step of Adam moves each weight by about the rate, against its gradient's sign
        assert (torch.sign(moved[used]) == -torch.sign(start.grad[used])).float().mean() > 0.97
        assert not moved[~used].abs().gt(1e-2).any()


def test_its_size_and_its_weights_are_told():
    model = LogBilinear(WORDS)
    tensors = rung.RUNGS[0].tensors(model)
    assert model.parameters == sum(part.numel() for part in tensors.values())
    assert SimpleNamespace(**tensors).E.shape == (len(WORDS) + 1, rung.D)
