"""Plausible mistakes in section 6.8: the learning rate."""

import math

from examiner.judge.misconceptions import misconception


def wave(share, peak, last):
    return last + (peak - last) * (1 + math.cos(math.pi * share)) / 2


def plan(step, peak, warmup, steps, last, fall=wave, done=None, rise=None):
    """The rate with one thing changed: the fall, the share that is done, or the warm-up."""
    if step < warmup:
        return (rise or (lambda: peak * (step + 1) / warmup))()
    return fall(done() if done else min(1, (step - warmup) / (steps - warmup)), peak, last)


@misconception(
    "6.8",
    replaces="learning_rate",
    kind="edge",
    says="After the last step the rate rises again. The share that is done is at most 1.",
)
def rises_again(step, peak, warmup, steps, last=0.0):
    if step < warmup:
        return peak * (step + 1) / warmup
    return wave((step - warmup) / (steps - warmup), peak, last)


@misconception(
    "6.8",
    replaces="learning_rate",
    says="The cosine is counted from step 0. It begins at the peak, where the warm-up ends.",
)
def waves_from_zero(step, peak, warmup, steps, last=0.0):
    if step < warmup:
        return peak * (step + 1) / warmup
    return wave(min(1, step / steps), peak, last)


@misconception(
    "6.8",
    replaces="learning_rate",
    says="The first step has the rate 0 and is lost: step 0 has peak / warmup.",
)
def loses_the_first_step(step, peak, warmup, steps, last=0.0):
    if step < warmup:
        return peak * step / warmup
    return wave(min(1, (step - warmup) / (steps - warmup)), peak, last)


@misconception(
    "6.8",
    replaces="learning_rate",
    says="The warm-up lasts one step too long, so the rate rises above the peak. It is for step "
    "< warmup.",
)
def warms_up_too_long(step, peak, warmup, steps, last=0.0):
    if warmup and step <= warmup:
        return peak * (step + 1) / warmup
    return plan(step, peak, warmup, steps, last)


@misconception(
    "6.8",
    replaces="learning_rate",
    says="There is no warm-up: at first the rate rises, as peak (step + 1) / warmup.",
)
def never_warms_up(step, peak, warmup, steps, last=0.0):
    return plan(max(step, warmup), peak, warmup, steps, last)


@misconception(
    "6.8",
    replaces="learning_rate",
    says="`last` is not used: the cosine ends at `last`, not at 0.",
)
def ignores_the_last_rate(step, peak, warmup, steps, last=0.0):
    return plan(step, peak, warmup, steps, 0.0)


@misconception(
    "6.8",
    replaces="learning_rate",
    says="`last` is added to a wave of full height, so the rate begins above the peak. The wave "
    "has the height peak - last.",
)
def adds_the_last_rate(step, peak, warmup, steps, last=0.0):
    return plan(step, peak, warmup, steps, last, lambda share, *_: last + wave(share, peak, 0.0))


@misconception(
    "6.8",
    replaces="learning_rate",
    says="The wave falls to 0, and is cut off at `last`. The cosine itself ends at `last`.",
)
def cuts_the_wave_off(step, peak, warmup, steps, last=0.0):
    return plan(
        step, peak, warmup, steps, last, lambda share, *_: max(last, wave(share, peak, 0.0))
    )


@misconception(
    "6.8",
    replaces="learning_rate",
    kind="edge",
    says="After the last step the rate is 0. It stays at `last`.",
)
def falls_to_zero_after_the_end(step, peak, warmup, steps, last=0.0):
    return 0.0 if step > steps else plan(step, peak, warmup, steps, last)


@misconception(
    "6.8",
    replaces="learning_rate",
    says="The wave is as long as all steps, so it does not reach its end. It takes steps - warmup.",
)
def waves_too_slowly(step, peak, warmup, steps, last=0.0):
    return plan(step, peak, warmup, steps, last, done=lambda: min(1, (step - warmup) / steps))


@misconception(
    "6.8",
    replaces="learning_rate",
    kind="idea",
    says="This is a whole wave, which ends at the peak again. It is half of one: cos from 0 to pi.",
)
def makes_a_whole_wave(step, peak, warmup, steps, last=0.0):
    return plan(step, peak, warmup, steps, last, lambda share, *_: wave(2 * share, peak, last))


@misconception(
    "6.8",
    replaces="learning_rate",
    says="This is a quarter of a wave. It is half of one, raised by 1 and halved.",
)
def makes_a_quarter_wave(step, peak, warmup, steps, last=0.0):
    return plan(
        step,
        peak,
        warmup,
        steps,
        last,
        lambda share, *_: last + (peak - last) * math.cos(math.pi * share / 2),
    )


@misconception(
    "6.8",
    replaces="learning_rate",
    kind="idea",
    says="The rate falls in a straight line. It falls as a cosine.",
)
def falls_in_a_line(step, peak, warmup, steps, last=0.0):
    return plan(
        step, peak, warmup, steps, last, lambda share, *_: last + (peak - last) * (1 - share)
    )


@misconception(
    "6.8",
    replaces="learning_rate",
    says="The wave is not halved: 1 + cos begins at 2.",
)
def forgets_to_halve(step, peak, warmup, steps, last=0.0):
    return plan(
        step,
        peak,
        warmup,
        steps,
        last,
        lambda share, *_: last + (peak - last) * (1 + math.cos(math.pi * share)),
    )


@misconception(
    "6.8",
    replaces="learning_rate",
    kind="idea",
    says="The angle is in degrees. Python's cosine wants radians: pi is half a turn.",
)
def waves_in_degrees(step, peak, warmup, steps, last=0.0):
    return plan(
        step, peak, warmup, steps, last, lambda share, *_: wave(180 * share / math.pi, peak, last)
    )


@misconception(
    "6.8",
    replaces="learning_rate",
    kind="idea",
    says="This is a sine. A cosine begins at its top.",
)
def waves_by_a_sine(step, peak, warmup, steps, last=0.0):
    return plan(
        step,
        peak,
        warmup,
        steps,
        last,
        lambda share, *_: last + (peak - last) * (1 + math.sin(math.pi * share)) / 2,
    )


@misconception(
    "6.8",
    replaces="learning_rate",
    says="The wave ends one step early. It reaches `last` at step = steps.",
)
def ends_one_step_early(step, peak, warmup, steps, last=0.0):
    return plan(
        step,
        peak,
        warmup,
        steps,
        last,
        done=lambda: min(1, (step - warmup) / max(1, steps - 1 - warmup)),
    )


@misconception(
    "6.8",
    replaces="learning_rate",
    kind="edge",
    says="The warm-up begins at `last`. It is peak (step + 1) / warmup.",
)
def warms_up_from_the_last_rate(step, peak, warmup, steps, last=0.0):
    return plan(
        step, peak, warmup, steps, last, rise=lambda: last + (peak - last) * (step + 1) / warmup
    )


@misconception(
    "6.8",
    replaces="learning_rate",
    kind="edge",
    says="The warm-up is cut to half of all steps. It is as long as was asked for.",
)
def caps_the_warm_up(step, peak, warmup, steps, last=0.0):
    return plan(step, peak, min(warmup, steps // 2), steps, last)


@misconception(
    "6.8",
    replaces="learning_rate",
    says="The warm-up is computed in whole numbers. Divide by /.",
)
def warms_up_in_whole_numbers(step, peak, warmup, steps, last=0.0):
    return plan(step, peak, warmup, steps, last, rise=lambda: peak * ((step + 1) // warmup))
