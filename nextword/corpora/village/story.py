"""A whole story: the opening with its wish, scenes that lead to each other, and what came of it."""

from nextword.corpora.corpus import EOS
from nextword.corpora.village.endings import AFTER_NIGHT, BY_DAY, ENDINGS, SLEEPLESS, STOPS
from nextword.corpora.village.opening import opening
from nextword.corpora.village.options import Options
from nextword.corpora.village.people import Speaking, Tale
from nextword.corpora.village.scenes import ALL, tell, tellable, turning
from nextword.corpora.village.wishes import WISHES, outcome
from nextword.corpora.village.world import World

FEWEST = 2  # scenes, where there are that many
FIRST, AFTER_LUCK, AFTER_MISFORTUNE = 44, 4, 110  # weights of a turn of the wish
LONG, STOP, STOP_AFTER_LONG = 3, 5, 40  # scenes of a long story; how often no more is said


def story(world: World) -> Speaking[None]:
    """One story, most often 90 to 200 words long, ending with `</s>`."""
    tale = yield from opening(world)
    yield from goes_on(tale)


def goes_on(tale: Tale) -> Speaking[None]:
    """The scenes, the end of the wish, and the last words."""
    assert tale.wish is not None
    ends = WISHES[tale.wish.name].ends
    while (what := (yield next_scenes(tale))) != ends:
        yield from tell(what, tale)
    yield from outcome(tale)
    at_night, lucky = WISHES[tale.wish.name].at_night, tale.wish.comes_true
    lasts = BY_DAY if not at_night else AFTER_NIGHT if lucky else SLEEPLESS
    stop = STOP_AFTER_LONG if len(tale.told) > LONG else STOP
    last = yield " | ".join([f"{STOPS} {stop}", *[f"{end} {ENDINGS[end].weight}" for end in lasts]])
    if last != EOS:
        yield from ENDINGS[last].tell(tale)


def next_scenes(tale: Tale) -> Options:
    """The scenes that can be told now and, when all that was begun is ended, the wish's end."""
    wish = tale.wish
    assert wish is not None
    others, ends = tellable(tale)
    luck = turning(tale)
    may_end = len(wish.turns) > 0 and not tale.pending and (len(tale.told) >= FEWEST or not others)
    ending = WISHES[wish.name].ends if may_end else ""
    weight = FIRST if not wish.turns else AFTER_LUCK if wish.comes_true else AFTER_MISFORTUNE
    key = (*others, *ends, *luck, str(weight), ending)
    choices = tale.world.scene_choices
    if key not in choices:
        weights = {opens: ALL[opens].weight for opens in [*others, *ends]}
        rest = sum(weights.values()) or 20
        for begins in luck:
            weights[begins] = weight
        if may_end:
            weights |= {ending: rest * 9}
        choices[key] = Options(weights)
    return choices[key]
