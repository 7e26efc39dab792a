"""The ladder on a small text: what takes long is done less often there."""

import itertools
from dataclasses import replace
from types import SimpleNamespace

import pytest

from nextword.corpora import names
from nextword.models.ladder import climb
from tests.nextword.test_ladder import Process, fixed_rung


@pytest.mark.parametrize(("times", "stories"), [(1, 20), (20, 120), (40, 200)])
def test_who_has_read_little_tells_fewer_stories(times, stories):
    """All of what takes long on a small text is to tell stories, each as long as any other."""
    texts = names.load("village", 3_000, 1_000)
    read = replace(texts, train=times * texts.train)
    shares = []

    class Teller(Process):
        def samples(self, n, rng, longest):
            assert n == stories
            yield from itertools.islice(itertools.cycle([texts.test[0], ["the"]]), n)

    told = Teller()
    recipe = climb.recipe_of(
        replace(fixed_rung(told), facts=lambda model: {"is_told": model is told}),
        "folder",
        lambda: read,
        progress=lambda what, share: shares.append(share) if what == "sampling" else None,
    )
    facts = recipe.train(SimpleNamespace(), lambda done: None).facts
    assert facts["row"]["valid_samples"] == 0.5
    assert facts["is_told"]
    assert shares[-1] == pytest.approx(1.0)
