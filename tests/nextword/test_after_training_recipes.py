"""How chapter 7's assistant is tuned and measured. Leaves out: the dialogues (test_assistant)."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from nextword.corpora import assistant, names, village
from nextword.given.batches import BOS, EOS, number_words
from nextword.models import tuning
from nextword.models.ladder.rungs.transformers import shipped_transformer
from nextword.models.recipes import after_training_assistant as recipe
from nextword.models.recipes import after_training_chosen as chosen
from nextword.models.recipes import after_training_lora as lora
from nextword.models.recipes.after_training_assistant import MARK, MASKS, Plan
from solutions import after_training, transformers

NEW = set(recipe.NAMES) - set(number_words(village.VOCABULARY))  # marks, and words of dialogues


@pytest.fixture(scope="module")
def told() -> list[recipe.Told]:
    return recipe.told(village.sample(1500, rng=5).stories(), seed=0)


def test_new_words_change_nothing_of_what_was_known(told):
    """Among the old words, the extended network says what the shipped one does."""
    old = shipped_transformer(transformers, names.load("village", 1000, 1000))
    story = torch.tensor([[BOS, *(old.number[word] for word in told[0].story)]])
    with torch.no_grad():
        before = old.model(story)[0]
        after = recipe.extended(transformers)(story)[0]
    assert after.shape[-1] - before.shape[-1] == lora.n_new() == len(NEW)
    torch.testing.assert_close(after[..., : before.shape[-1]], before)


def test_seeds_draw_other_rows_for_new_words():
    a, b = (recipe.extended(transformers, seed).state_dict() for seed in (0, 1))
    rows_a, rows_b = (each["embed.words.weight"] for each in (a, b))
    n_old = len(rows_a) - lora.n_new()
    assert torch.equal(rows_a[:n_old], rows_b[:n_old])
    assert not torch.equal(rows_a[n_old:], rows_b[n_old:])


ROW = [BOS, MARK["user"], 7, EOS, MARK["assistant"], 8, 9, EOS]
ROW += [MARK["user"], 7, EOS, MARK["assistant"], 8, EOS]
ANSWERS = [0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 1, 1]


@pytest.mark.parametrize(
    ("name", "flags"),
    [
        ("answers", ANSWERS),
        ("everything", [0] + 13 * [1]),
        ("marks too", [0, 1, 0, 0, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1]),
        ("not shifted", [0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 1]),
        ("after the story", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1]),
    ],
)
def test_masks(name, flags):
    row = (ROW, [bool(flag) for flag in ANSWERS])
    assert [int(flag) for flag in MASKS[name](row)] == flags


def test_batches_mix_plain_stories_in():
    """With mix 1 all batches are plain stories, every word learned; with 0 none is."""
    rows = [(ROW, [bool(flag) for flag in ANSWERS])] * 4
    stories = [[20, 21, 22]] * 4
    for mix, first in ((0.0, MARK["user"]), (1.0, 20)):
        plan = Plan(steps=1, size=2, mix=mix)
        inputs, targets = next(recipe.source(after_training, rows, stories, plan, seed=0))
        assert inputs[:, 1].tolist() == [first, first]
        assert (targets[0, 0] == 20) == (mix == 1)


def test_tuning_lowers_the_loss_of_answers(told):
    package = SimpleNamespace(after_training=after_training, transformers=transformers)
    rows = [after_training.render_chat(each.turns(), MARK) for each in told[:4]]
    model = recipe.extended(transformers)
    source = recipe.source(after_training, rows, [[20]], Plan(steps=8, size=2), seed=0)
    losses = recipe.tune(package, model, source, Plan(steps=8, rate=5e-3))
    assert losses[-1] < losses[0]
    assert not model.training


class Parrot(torch.nn.Module):
    """Answers every question with the word 8 and ends; the rest of a dialogue it does not know."""

    def forward(self, rows, past=None):
        logits = torch.zeros(*rows.shape, len(recipe.NUMBER))
        logits[..., 8] = (rows == MARK["assistant"]) * 9.0
        logits[..., EOS] = (rows == 8) * 9.0
        return logits, rows.float()


def test_an_answer_is_right_if_all_of_its_words_and_its_end_are():
    word = recipe.NAMES[8]
    question = assistant.Question("colour", ("what",), (word,))
    asked = [
        question,
        question._replace(answer=(word, word)),
        question._replace(answer=(recipe.NAMES[9],)),
    ]
    story = village.sample(100, rng=3).stories()[0]
    about = recipe.Told(story, recipe.Request("anna", "cook", "hens"), asked)
    found = recipe.right_answers(after_training, Parrot(), [about])
    assert found == {"colour": [True, False, False]}


def test_a_question_is_answered_again_and_again():
    past = torch.zeros(1, 3)
    rng = torch.Generator().manual_seed(0)
    given = chosen.continued(Parrot(), past, MARK["assistant"], 0.1, rng)
    assert given == [recipe.NAMES[8]] * chosen.ANSWERS


def test_what_an_answer_that_never_ends_is_worth(told):
    """A model that never ends has not followed any request."""

    class Endless(Parrot):
        def forward(self, rows, past=None):
            logits = torch.zeros(*rows.shape, len(recipe.NUMBER))
            logits[..., 8] = 50.0
            return logits, rows.float()

    verdicts = recipe.judged(Endless(), [told[0].request], torch.Generator().manual_seed(0))
    assert not verdicts[0].form
    assert not verdicts[0].accepted


def test_lora_learns_its_matrices_and_the_new_rows_alone(told):
    package = SimpleNamespace(after_training=after_training, transformers=transformers)
    model = recipe.extended(transformers)
    before = {name: p.clone() for name, p in model.named_parameters()}
    learned = lora.with_lora(after_training, model, 2, len(recipe.NUMBER) - lora.n_new())
    assert lora.n_learned(model, learned) == 2 * 3072 + len(NEW) * 64
    rows = [after_training.render_chat(each.turns(), MARK) for each in told[:2]]
    source = recipe.source(after_training, rows, [[20]], Plan(steps=2, size=2), seed=0)
    recipe.tune(package, model, source, Plan(steps=2, rate=1e-2))
    after = {name.replace(".base", ""): p for name, p in model.named_parameters()}
    changed = {name for name, p in before.items() if not torch.equal(p, after[name])}
    assert changed == {"embed.words.weight"}
    n_old = len(recipe.NUMBER) - len(NEW)
    assert torch.equal(after["embed.words.weight"][:n_old], before["embed.words.weight"][:n_old])


@pytest.mark.slow
def test_the_shipped_assistant_answers_as_it_is_measured(told):
    """What one pass calls right is what the network writes at a temperature near 0."""
    model = recipe.shipped(transformers)
    about = told[:3]
    right = recipe.right_answers(after_training, model, about)
    hits: dict[str, list[bool]] = {}
    for each in about:
        for n, question in enumerate(each.questions):
            turns = each._replace(questions=each.questions[: n + 1]).turns()[:-1]
            prompt = [*after_training.render_chat(turns, MARK)[0][1:], MARK["assistant"]]
            rng = torch.Generator().manual_seed(0)
            text = tuning.write(model, [prompt], rng, len(prompt) + 6, temperature=1e-4).texts[0]
            answer = [recipe.NAMES[k] for k in text[len(prompt) :]]
            hits.setdefault(question.kind, []).append(answer == [*question.answer, "</s>"])
    assert hits == right
    assert np.mean([hit for row in hits.values() for hit in row]) > 0.4
