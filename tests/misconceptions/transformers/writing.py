"""Plausible mistakes in section 6.9: writing words one by one."""

import math

import torch

from examiner.judge.misconceptions import misconception
from nextword.given.batches import until_end

PAD, BOS, EOS = 0, 1, 2


# ------------------------------------------------------------------ 6.9
def write(model, prompts, most, rng, temperature, cached, **wrong):
    """Continue prompts with one thing changed."""
    begin = [] if "no_bos" in wrong else [BOS]
    rows = new = torch.tensor([[*begin, *prompt] for prompt in prompts])
    past, room = None, most - 1 + len(begin) + wrong.get("more", 0)
    room += len(prompts[0]) if "prompt_free" in wrong else 0
    rng = wrong["luck"]() if "luck" in wrong else rng
    while rows.shape[1] <= room or ("once" in wrong and past is None):
        ended = (new == EOS if "together" in wrong else rows == EOS).any(1)
        if wrong.get("stop", torch.all)(ended):
            break
        given = past if wrong.get("keeps") is None else wrong["keeps"]
        if cached or "always" in wrong:
            if "rereads" in wrong:
                logits, after = model(rows, past if wrong["rereads"] else None)
            else:
                logits, after = model(new, None if "alone" in wrong else given)
        elif "new_only" in wrong:
            logits, after = model(new, None)
        else:
            logits, after = model(rows, past if "goes_on" in wrong else None)
        past = past if "first_past" in wrong and past is not None else after
        scores = logits[:, 0 if "first_row" in wrong else -1].clone()
        if wrong.get("never", (PAD, BOS)):
            scores[:, wrong.get("never", (PAD, BOS))] = wrong.get("hidden", -math.inf)
        new = chosen(scores, temperature, rng, wrong)
        rows = torch.cat([rows, new], dim=1)
    if "last_too" in wrong and cached and rows.shape[1] > room:
        model(new, past)
    texts = rows[:, wrong.get("cut", lambda n: len(begin))(len(prompts[0])) :].tolist()
    return wrong.get("end", until_end)(texts)


def chosen(scores, temperature, rng, wrong):
    """The next words."""
    best = scores.argmax(-1, keepdim=True)
    if "greedy" in wrong or (not temperature and "drawn" not in wrong):
        return best
    scores = wrong.get("warm", lambda scores, tau: scores / (tau or 1.0))(scores, temperature)
    chances = scores.softmax(wrong.get("axis", -1)).nan_to_num()
    if "together_drawn" in wrong:
        return torch.multinomial(chances[:1], 1, generator=rng).expand(len(scores), 1)
    return torch.multinomial(chances, 1, generator=rng)


def with_end(texts):
    return [text[: text.index(EOS) + 1] if EOS in text else text for text in texts]


@misconception(
    "6.9",
    replaces="generate",
    says="With the past given, all tokens are read again, so the model believes that they occurred "
    "twice. Read the new column only.",
)
def reads_old_tokens_again(model, prompts, most, rng, temperature=1.0, cached=True):
    return write(model, prompts, most, rng, temperature, cached, rereads=True)


@misconception(
    "6.9",
    replaces="generate",
    says="The past is used also where cached is False. Then all tokens are read each time.",
)
def always_caches(model, prompts, most, rng, temperature=1.0, cached=True):
    return write(model, prompts, most, rng, temperature, cached, always=True)


@misconception(
    "6.9",
    replaces="generate",
    says="All texts end with the first one. Go on until every row has its EOS.",
)
def stops_with_the_first(model, prompts, most, rng, temperature=1.0, cached=True):
    return write(model, prompts, most, rng, temperature, cached, stop=torch.any)


@misconception(
    "6.9",
    replaces="generate",
    says="`most` counts new words here. It counts all words, those of the prompt as well.",
)
def counts_new_words_only(model, prompts, most, rng, temperature=1.0, cached=True):
    return write(model, prompts, most, rng, temperature, cached, prompt_free=True)


@misconception(
    "6.9",
    replaces="generate",
    says="PAD or BOS can be written. Give their logits -inf before anything is chosen.",
)
def writes_anything(model, prompts, most, rng, temperature=1.0, cached=True):
    return write(model, prompts, most, rng, temperature, cached, never=())


@misconception(
    "6.9",
    replaces="generate",
    says="`temperature` has no effect: divide the logits by it before the softmax.",
)
def ignores_the_temperature(model, prompts, most, rng, temperature=1.0, cached=True):
    return write(model, prompts, most, rng, temperature, cached, warm=lambda scores, tau: scores)


@misconception(
    "6.9",
    replaces="generate",
    kind="idea",
    says="The likeliest word is written also where `temperature` is above 0. There, draw words.",
)
def never_draws(model, prompts, most, rng, temperature=1.0, cached=True):
    return write(model, prompts, most, rng, temperature, cached, greedy=True)


@misconception(
    "6.9",
    replaces="generate",
    says="BOS is not read: the model gets it before the prompt.",
)
def begins_without_bos(model, prompts, most, rng, temperature=1.0, cached=True):
    return write(model, prompts, most, rng, temperature, cached, no_bos=True)


@misconception(
    "6.9",
    replaces="generate",
    says="BOS stands in the texts. It is read, but it is no word of them.",
)
def returns_bos(model, prompts, most, rng, temperature=1.0, cached=True):
    return write(model, prompts, most, rng, temperature, cached, cut=lambda n: 0)


@misconception(
    "6.9",
    replaces="generate",
    says="BOS is counted as a word, so the texts are one word too short.",
)
def counts_bos(model, prompts, most, rng, temperature=1.0, cached=True):
    return write(model, prompts, most, rng, temperature, cached, more=-1)


@misconception(
    "6.9",
    replaces="generate",
    says="The texts are one word too long. `most` counts the words, those of the prompt as well.",
)
def writes_one_word_too_many(model, prompts, most, rng, temperature=1.0, cached=True):
    return write(model, prompts, most, rng, temperature, cached, more=1)


@misconception(
    "6.9",
    replaces="generate",
    kind="edge",
    says="PAD can be written. Give its logit -inf, as that of BOS.",
)
def writes_pad(model, prompts, most, rng, temperature=1.0, cached=True):
    return write(model, prompts, most, rng, temperature, cached, never=(BOS,))


@misconception(
    "6.9",
    replaces="generate",
    kind="edge",
    says="BOS can be written. Give its logit -inf, as that of PAD.",
)
def writes_bos(model, prompts, most, rng, temperature=1.0, cached=True):
    return write(model, prompts, most, rng, temperature, cached, never=(PAD,))


@misconception(
    "6.9",
    replaces="generate",
    says="The logits of PAD and BOS are set to 0, which can still be the largest. Set them to "
    "-inf.",
)
def hides_by_zero(model, prompts, most, rng, temperature=1.0, cached=True):
    return write(model, prompts, most, rng, temperature, cached, hidden=0.0)


@misconception(
    "6.9",
    replaces="generate",
    kind="idea",
    says="EOS is never written, so no text ends. Only PAD and BOS are forbidden.",
)
def never_ends(model, prompts, most, rng, temperature=1.0, cached=True):
    return write(model, prompts, most, rng, temperature, cached, never=(PAD, BOS, EOS))


@misconception(
    "6.9",
    replaces="generate",
    says="The logits are multiplied by `temperature`. Divide by it: a high one makes words alike.",
)
def multiplies_by_the_temperature(model, prompts, most, rng, temperature=1.0, cached=True):
    return write(
        model, prompts, most, rng, temperature, cached, warm=lambda scores, tau: scores * tau
    )


@misconception(
    "6.9",
    replaces="generate",
    says="Words are drawn even with temperature 0, which asks for the likeliest.",
)
def always_draws(model, prompts, most, rng, temperature=1.0, cached=True):
    return write(model, prompts, most, rng, temperature, cached, drawn=True)


@misconception(
    "6.9",
    replaces="generate",
    says="EOS stands in the texts. They are cut before it: until_end.",
)
def leaves_the_end_in(model, prompts, most, rng, temperature=1.0, cached=True):
    return write(model, prompts, most, rng, temperature, cached, end=with_end)


@misconception(
    "6.9",
    replaces="generate",
    says="Texts are not cut at EOS: what follows it is no part of them. See until_end.",
)
def never_cuts(model, prompts, most, rng, temperature=1.0, cached=True):
    return write(model, prompts, most, rng, temperature, cached, end=list)


@misconception(
    "6.9",
    replaces="generate",
    says="The prompts are missing. A text begins with its prompt.",
)
def leaves_the_prompt_out(model, prompts, most, rng, temperature=1.0, cached=True):
    return write(model, prompts, most, rng, temperature, cached, cut=lambda n: n + 1)


@misconception(
    "6.9",
    replaces="generate",
    kind="idea",
    says="All tokens are read again at each call, without a past. With a cache, read the new "
    "ones and pass on the past.",
)
def never_caches(model, prompts, most, rng, temperature=1.0, cached=True):
    return write(model, prompts, most, rng, temperature, cached, rereads=False)


@misconception(
    "6.9",
    replaces="generate",
    says="Without a cache, only the new token is read. Read all of them, each time.",
)
def forgets_the_text_without_a_cache(model, prompts, most, rng, temperature=1.0, cached=True):
    return write(model, prompts, most, rng, temperature, cached, new_only=True)


@misconception(
    "6.9",
    replaces="generate",
    kind="edge",
    says="Without a cache, the past is passed on as well, so the model reads all tokens twice.",
)
def passes_a_past_without_a_cache(model, prompts, most, rng, temperature=1.0, cached=True):
    return write(model, prompts, most, rng, temperature, cached, goes_on=True)


@misconception(
    "6.9",
    replaces="generate",
    kind="idea",
    says="The past is not passed on: the model sees the new token alone.",
)
def forgets_the_past(model, prompts, most, rng, temperature=1.0, cached=True):
    return write(model, prompts, most, rng, temperature, cached, alone=True)


@misconception(
    "6.9",
    replaces="generate",
    says="The logits of the first token that was read decide. Those of the last one do: "
    "logits[:, -1].",
)
def takes_the_first_logits(model, prompts, most, rng, temperature=1.0, cached=True):
    return write(model, prompts, most, rng, temperature, cached, first_row=True)


@misconception(
    "6.9",
    replaces="generate",
    says="The past of the first call is passed on each time. Take what the last call returned.",
)
def keeps_the_first_past(model, prompts, most, rng, temperature=1.0, cached=True):
    return write(model, prompts, most, rng, temperature, cached, first_past=True)


@misconception(
    "6.9",
    replaces="generate",
    kind="edge",
    says="The last word is read, too, although nothing follows it.",
)
def reads_the_last_word(model, prompts, most, rng, temperature=1.0, cached=True):
    return write(model, prompts, most, rng, temperature, cached, last_too=True)


@misconception(
    "6.9",
    replaces="generate",
    kind="edge",
    says="The loop goes on when all texts have ended. Stop when every row has its EOS.",
)
def never_stops_early(model, prompts, most, rng, temperature=1.0, cached=True):
    return write(model, prompts, most, rng, temperature, cached, stop=lambda ended: False)


@misconception(
    "6.9",
    replaces="generate",
    kind="edge",
    says="The loop stops only when all texts end with the same step. A row that has had its EOS "
    "has ended.",
)
def waits_for_a_common_end(model, prompts, most, rng, temperature=1.0, cached=True):
    return write(model, prompts, most, rng, temperature, cached, together=True)


@misconception(
    "6.9",
    replaces="generate",
    says="The softmax goes over the texts. It goes over the words, the last axis.",
)
def takes_the_softmax_over_texts(model, prompts, most, rng, temperature=1.0, cached=True):
    return write(model, prompts, most, rng, temperature, cached, axis=0)


@misconception(
    "6.9",
    replaces="generate",
    says="One word is drawn for all texts. Draw for each row.",
)
def draws_one_word_for_all(model, prompts, most, rng, temperature=1.0, cached=True):
    return write(model, prompts, most, rng, temperature, cached, together_drawn=True)


@misconception(
    "6.9",
    replaces="generate",
    kind="idea",
    says="The words are drawn by the global generator. Use rng.",
)
def draws_texts_by_the_global_generator(model, prompts, most, rng, temperature=1.0, cached=True):
    return write(model, prompts, most, rng, temperature, cached, luck=lambda: None)


@misconception(
    "6.9",
    replaces="generate",
    kind="idea",
    says="The words are drawn by a generator of its own, always the same. Use rng.",
)
def draws_texts_by_its_own_generator(model, prompts, most, rng, temperature=1.0, cached=True):
    return write(
        model,
        prompts,
        most,
        rng,
        temperature,
        cached,
        luck=lambda: torch.Generator().manual_seed(0),
    )


@misconception(
    "6.9",
    replaces="generate",
    kind="edge",
    says="A prompt that is as long as a text may be gets one word more.",
)
def writes_at_least_one_word(model, prompts, most, rng, temperature=1.0, cached=True):
    return write(model, prompts, most, rng, temperature, cached, once=True)
