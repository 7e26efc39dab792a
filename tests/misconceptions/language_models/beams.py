"""More plausible mistakes in section 1.12: what becomes of texts in a beam search."""

import math

import numpy as np

from examiner.judge.misconceptions import misconception

EOS = 1


def longer(beams, row_after):
    for text, total in beams:
        for w, log_p in enumerate(row_after(text)):
            if log_p > -math.inf:
                yield [*text, w], total + float(log_p)


def best(pairs, width):
    return sorted(pairs, key=lambda pair: -pair[1])[:width]


def found(model, history, width, max_tokens, **ways):
    """What the search finds, with a switch for each thing that can go wrong.

    Ways: `read` gives what the model reads; `each`: the width counts for every open text;
    `refill`: open texts take the places of finished ones; `finished_go_on`; `stay`: finished ones
    keep their places; `stop`: at the first finished one.
    """
    read = ways.get("read", lambda text: [*history, *text])
    beams, finished = [([], 0.0)], []
    for _ in range(max_tokens):
        grown = [list(longer([beam], lambda t: model.log_probs(read(t)))) for beam in beams]
        if ways.get("each"):
            ranked = [pair for pairs in grown for pair in best(pairs, width)]
        else:
            staying = finished if ways.get("stay") else []
            ranked = best([*staying, *(pair for pairs in grown for pair in pairs)], None)
        kept = ranked if ways.get("each") else ranked[:width]
        finished = [] if ways.get("stay") else finished
        finished += [pair for pair in kept if pair[0][-1] == EOS]
        beams = [pair for pair in kept if ways.get("finished_go_on") or pair[0][-1] != EOS]
        if ways.get("refill"):
            beams = [pair for pair in ranked if pair[0][-1] != EOS][:width]
        if ways.get("stop") and finished:
            break
    return finished + beams


def scored(pairs, width, alpha, length=len):
    return best([(text, total / length(text) ** alpha) for text, total in pairs], width)


@misconception(
    "1.12",
    replaces="beam_search",
    kind="idea",
    says="The score was divided by the length for every alpha: divide by the length to the power "
    "of alpha, which is 1 at alpha = 0.",
)
def always_divides_by_the_length(model, history, width, max_tokens, alpha=0.0):
    return scored(found(model, history, width, max_tokens), width, 1.0)


@misconception(
    "1.12",
    replaces="beam_search",
    says="EOS is missing in the number of tokens: it counts.",
)
def leaves_eos_out_of_the_length(model, history, width, max_tokens, alpha=0.0):
    pairs = found(model, history, width, max_tokens)
    return scored(pairs, width, alpha, lambda text: max(1, len(text) - (text[-1] == EOS)))


@misconception(
    "1.12",
    replaces="beam_search",
    says="The history was counted in the length: count the tokens that the search has added.",
)
def counts_the_history_in_the_length(model, history, width, max_tokens, alpha=0.0):
    pairs = found(model, history, width, max_tokens)
    return scored(pairs, width, alpha, lambda text: len(history) + len(text))


@misconception(
    "1.12",
    replaces="beam_search",
    kind="idea",
    says="Texts that ended in EOS went on: set them aside.",
)
def lets_finished_texts_go_on(model, history, width, max_tokens, alpha=0.0):
    return scored(found(model, history, width, max_tokens, finished_go_on=True), width, alpha)


@misconception(
    "1.12",
    replaces="beam_search",
    kind="idea",
    says="Finished texts kept their places and pushed open ones out of the beam: set them aside.",
)
def keeps_finished_texts_in_the_beam(model, history, width, max_tokens, alpha=0.0):
    return scored(found(model, history, width, max_tokens, stay=True), width, alpha)


@misconception(
    "1.12",
    replaces="beam_search",
    says="More than `width` texts were returned: cut the list once more at the end.",
)
def returns_all_finished_texts(model, history, width, max_tokens, alpha=0.0):
    return scored(found(model, history, width, max_tokens), None, alpha)


@misconception(
    "1.12",
    replaces="beam_search",
    says="The worst text stands first: sort from the largest score to the smallest.",
)
def puts_the_worst_text_first(model, history, width, max_tokens, alpha=0.0):
    return scored(found(model, history, width, max_tokens), width, alpha)[::-1]


@misconception(
    "1.12",
    replaces="beam_search",
    kind="idea",
    says="The model read the new tokens alone: the history stands before them.",
)
def reads_no_history(model, history, width, max_tokens, alpha=0.0):
    return scored(found(model, history, width, max_tokens, read=list), width, alpha)


@misconception(
    "1.12",
    replaces="beam_search",
    kind="idea",
    says="The model read the last token only: show it the history and the whole text.",
)
def reads_the_last_token(model, history, width, max_tokens, alpha=0.0):
    pairs = found(model, history, width, max_tokens, read=lambda t: [*history, *t][-1:])
    return scored(pairs, width, alpha)


@misconception(
    "1.12",
    replaces="beam_search",
    says="`width` texts were kept for each open text: it is how many go on in all.",
)
def keeps_width_for_each_text(model, history, width, max_tokens, alpha=0.0):
    return scored(found(model, history, width, max_tokens, each=True), width, alpha)


@misconception(
    "1.12",
    replaces="beam_search",
    says="Finished texts gave their places to others: they were among the `width` best, so fewer "
    "go on.",
)
def gives_free_places_away(model, history, width, max_tokens, alpha=0.0):
    return scored(found(model, history, width, max_tokens, refill=True), width, alpha)


@misconception(
    "1.12",
    replaces="beam_search",
    kind="idea",
    says="The search ended with the first finished text: the open ones go on, up to max_tokens.",
)
def ends_with_the_first_finished_text(model, history, width, max_tokens, alpha=0.0):
    return scored(found(model, history, width, max_tokens, stop=True), width, alpha)


@misconception(
    "1.12",
    replaces="beam_search",
    says="The list is in the order of the sums: sort it by the scores, after the division.",
)
def sorts_by_the_sum(model, history, width, max_tokens, alpha=0.0):
    pairs = best(found(model, history, width, max_tokens), width)
    return [(text, total / len(text) ** alpha) for text, total in pairs]


@misconception(
    "1.12",
    replaces="beam_search",
    kind="idea",
    says="Only the last token's probability counts: add it to the sum of those before.",
)
def forgets_the_sum(model, history, width, max_tokens, alpha=0.0):
    beams, finished = [([], 0.0)], []
    for _ in range(max_tokens):
        fresh = [(text, 0.0) for text, _ in beams]
        kept = best(longer(fresh, lambda t: model.log_probs([*history, *t])), width)
        finished += [pair for pair in kept if pair[0][-1] == EOS]
        beams = [pair for pair in kept if pair[0][-1] != EOS]
    return scored(finished + beams, width, alpha)


@misconception(
    "1.12",
    replaces="beam_search",
    kind="idea",
    says="Only the best text was returned: return up to `width`.",
)
def returns_the_best_text_alone(model, history, width, max_tokens, alpha=0.0):
    return scored(found(model, history, width, max_tokens), width, alpha)[:1]


@misconception(
    "1.12",
    replaces="beam_search",
    says="You multiplied by the length to the power of alpha: divide.",
)
def multiplies_by_the_length(model, history, width, max_tokens, alpha=0.0):
    return scored(found(model, history, width, max_tokens), width, -alpha)


@misconception(
    "1.12",
    replaces="beam_search",
    says="There is one step too few: at most max_tokens tokens are added.",
)
def makes_one_step_too_few(model, history, width, max_tokens, alpha=0.0):
    return scored(found(model, history, width, max(1, max_tokens - 1)), width, alpha)


@misconception(
    "1.12",
    replaces="beam_search",
    says="EOS is missing in the texts: a finished text ends with it.",
)
def leaves_eos_out_of_the_texts(model, history, width, max_tokens, alpha=0.0):
    pairs = scored(found(model, history, width, max_tokens), width, alpha)
    return [([w for w in text if w != EOS], score) for text, score in pairs]


@misconception(
    "1.12",
    replaces="beam_search",
    kind="idea",
    says="The history is in the texts: return what continues it.",
)
def returns_the_history_too(model, history, width, max_tokens, alpha=0.0):
    pairs = scored(found(model, history, width, max_tokens), width, alpha)
    return [([*history, *text], score) for text, score in pairs]


@misconception(
    "1.12",
    replaces="beam_search",
    kind="edge",
    says="Impossible texts were kept where there are fewer possible ones than places: extend by "
    "tokens with P > 0.",
)
def keeps_impossible_texts(model, history, width, max_tokens, alpha=0.0):
    beams, finished = [([], 0.0)], []
    for _ in range(max_tokens):
        grown = [
            ([*text, w], total + float(log_p))
            for text, total in beams
            for w, log_p in enumerate(np.asarray(model.log_probs([*history, *text])))
        ]
        kept = best(grown, width)
        finished += [pair for pair in kept if pair[0][-1] == EOS]
        beams = [pair for pair in kept if pair[0][-1] != EOS]
    return scored(finished + beams, width, alpha)


@misconception(
    "1.12",
    replaces="beam_search",
    kind="idea",
    says="These scores are probabilities: return the logarithms.",
)
def returns_probabilities_for_scores(model, history, width, max_tokens, alpha=0.0):
    pairs = found(model, history, width, max_tokens)
    return best([(t, math.exp(total) / len(t) ** alpha) for t, total in pairs], width)
