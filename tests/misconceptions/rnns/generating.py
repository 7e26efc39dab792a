"""Plausible mistakes in section 4.11: generating."""

import torch

from examiner.judge.misconceptions import misconception
from nextword.given.batches import until_end

PAD, BOS, EOS = 0, 1, 2


def told_stories(model, n, rng, most, prompt=(), *, wrong=""):
    """Stories drawn with one thing changed."""
    if wrong != "trains":
        model.eval()
    begin = {"no prompt": [BOS], "last": [BOS, *prompt][-1:], "no BOS": list(prompt) or [BOS]}
    tokens, s = torch.tensor([begin.get(wrong, [BOS, *prompt])] * n), None
    rows, banned = tokens[:, :0], {"all": [], "BOS": [PAD], "EOS": [PAD, BOS, EOS]}
    most += {"longer": 1, "shorter": -1}.get(wrong, 0)
    with torch.no_grad():
        while rows.shape[1] < most and not ended(rows, wrong):
            logits, s = model(tokens, None if wrong in ("no state", "afresh") else s)
            chances = logits[:, 0 if wrong == "first column" else -1].softmax(-1)
            chances[:, banned.get(wrong, [PAD, BOS])] = 0.0
            if wrong == "greedy":
                drawn = chances.argmax(-1, keepdim=True)
            elif wrong == "one":
                drawn = torch.multinomial(chances[:1], 1, generator=rng).expand(n, 1)
            else:
                drawn = torch.multinomial(chances, 1, generator=rng)
            rows = torch.cat([rows, drawn], dim=1)
            tokens = torch.cat([tokens, drawn], dim=1) if wrong in ("again", "afresh") else drawn
    return rows.tolist() if wrong == "uncut" else until_end(rows.tolist())


def ended(rows, wrong):
    found = (rows == EOS).any(1)
    return wrong != "never stops" and bool(found.any() if wrong == "any" else found.all())


@misconception(
    "4.11",
    replaces="generate",
    kind="idea",
    says="The likeliest word was taken each time. Draw from the chances, with torch.multinomial.",
)
def takes_the_likeliest(model, n, rng, most, prompt=()):
    return told_stories(model, n, rng, most, prompt, wrong="greedy")


@misconception(
    "4.11",
    replaces="generate",
    says="All words are read again at each step, though the state holds them already: read only "
    "the new one.",
)
def reads_all_again(model, n, rng, most, prompt=()):
    return told_stories(model, n, rng, most, prompt, wrong="again")


@misconception(
    "4.11",
    replaces="generate",
    kind="idea",
    says="The state is not handed on, so each word is drawn as if it were the first.",
)
def hands_no_state_on(model, n, rng, most, prompt=()):
    return told_stories(model, n, rng, most, prompt, wrong="no state")


@misconception(
    "4.11",
    replaces="generate",
    kind="edge",
    says="PAD or BOS was drawn. They are no words: set their chances to 0 before drawing.",
)
def draws_padding(model, n, rng, most, prompt=()):
    return told_stories(model, n, rng, most, prompt, wrong="all")


@misconception(
    "4.11",
    replaces="generate",
    kind="idea",
    says="All stories got the same words: draw for each row by its own chances.",
)
def draws_once_for_all(model, n, rng, most, prompt=()):
    return told_stories(model, n, rng, most, prompt, wrong="one")


@misconception(
    "4.11",
    replaces="generate",
    says="EOS ends a story, but is no part of it, nor is anything after it: cut with until_end.",
)
def returns_the_end(model, n, rng, most, prompt=()):
    return told_stories(model, n, rng, most, prompt, wrong="uncut")


@misconception(
    "4.11",
    replaces="generate",
    kind="edge",
    says="BOS was drawn. It is no word: set its chance to 0 before drawing, as that of PAD.",
)
def draws_the_beginning(model, n, rng, most, prompt=()):
    return told_stories(model, n, rng, most, prompt, wrong="BOS")


@misconception(
    "4.11",
    replaces="generate",
    kind="idea",
    says="EOS is never drawn, so no story ends by itself: only PAD and BOS are ruled out.",
)
def never_draws_the_end(model, n, rng, most, prompt=()):
    return told_stories(model, n, rng, most, prompt, wrong="EOS")


@misconception(
    "4.11",
    replaces="generate",
    kind="edge",
    says="At each step the model reads everything from the start. The numbers are right, but "
    "the work grows with the square: hand the state on and read the new word only.",
)
def reads_from_the_start(model, n, rng, most, prompt=()):
    return told_stories(model, n, rng, most, prompt, wrong="afresh")


@misconception(
    "4.11",
    replaces="generate",
    kind="edge",
    says="The prompt is not read: after BOS the model must read its words.",
)
def forgets_the_prompt(model, n, rng, most, prompt=()):
    return told_stories(model, n, rng, most, prompt, wrong="no prompt")


@misconception(
    "4.11",
    replaces="generate",
    kind="edge",
    says="Of the prompt only the last word is read: read BOS and all of it.",
)
def reads_the_last_word_of_the_prompt(model, n, rng, most, prompt=()):
    return told_stories(model, n, rng, most, prompt, wrong="last")


@misconception(
    "4.11",
    replaces="generate",
    kind="edge",
    says="BOS is missing before the prompt: every story begins with it.",
)
def begins_without_bos(model, n, rng, most, prompt=()):
    return told_stories(model, n, rng, most, prompt, wrong="no BOS")


@misconception(
    "4.11",
    replaces="generate",
    kind="edge",
    says="There is one word too many: stop when `most` words are drawn.",
)
def draws_one_word_too_many(model, n, rng, most, prompt=()):
    return told_stories(model, n, rng, most, prompt, wrong="longer")


@misconception(
    "4.11",
    replaces="generate",
    kind="edge",
    says="There is one word too few: `most` words may be drawn.",
)
def draws_one_word_too_few(model, n, rng, most, prompt=()):
    return told_stories(model, n, rng, most, prompt, wrong="shorter")


@misconception(
    "4.11",
    replaces="generate",
    kind="edge",
    says="The model is still in training mode, so dropout disturbs what it draws: model.eval().",
)
def tells_with_dropout(model, n, rng, most, prompt=()):
    return told_stories(model, n, rng, most, prompt, wrong="trains")


@misconception(
    "4.11",
    replaces="generate",
    says="All stories stop when the first has ended: go on until each has drawn EOS.",
)
def stops_at_the_first_end(model, n, rng, most, prompt=()):
    return told_stories(model, n, rng, most, prompt, wrong="any")


@misconception(
    "4.11",
    replaces="generate",
    kind="edge",
    says="It goes on after all stories have ended: stop when each has drawn EOS.",
)
def never_notices_the_end(model, n, rng, most, prompt=()):
    return told_stories(model, n, rng, most, prompt, wrong="never stops")


@misconception(
    "4.11",
    replaces="generate",
    kind="edge",
    says="After a prompt the word was drawn from the logits of BOS: take those of the last column.",
)
def draws_from_the_first_column(model, n, rng, most, prompt=()):
    return told_stories(model, n, rng, most, prompt, wrong="first column")


@misconception(
    "4.11",
    replaces="generate",
    kind="edge",
    says="The prompt is told again; return the words after it.",
)
def tells_the_prompt(model, n, rng, most, prompt=()):
    return [[*prompt, *story] for story in told_stories(model, n, rng, most, prompt)]


@misconception(
    "4.11",
    replaces="generate",
    says="The words are drawn without `rng`: hand it on, torch.multinomial(..., generator=rng), so "
    "that whoever calls decides about the luck.",
)
def draws_without_the_generator(model, n, rng, most, prompt=()):
    return told_stories(model, n, None, most, prompt)


@misconception(
    "4.11",
    replaces="generate",
    says="The words are drawn with a generator of your own, which tells the same stories each "
    "time: use the one that is given.",
)
def draws_with_a_generator_of_its_own(model, n, rng, most, prompt=()):
    return told_stories(model, n, torch.Generator().manual_seed(0), most, prompt)


@misconception(
    "4.11",
    replaces="generate",
    kind="edge",
    says="The generator is set back to its seed at each call, so it tells the same stories again: "
    "draw from it as it is.",
)
def sets_the_generator_back(model, n, rng, most, prompt=()):
    own = torch.Generator().manual_seed(rng.initial_seed())
    return told_stories(model, n, own, most, prompt)
