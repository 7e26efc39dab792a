"""A whole story: the opening, scenes that lead to each other, and an end that remembers."""

from nextword.corpora.village.endings import ENDINGS
from nextword.corpora.village.opening import opening
from nextword.corpora.village.options import Options
from nextword.corpora.village.people import Speaking, Tale
from nextword.corpora.village.scenes import ALL, tell, tellable
from nextword.corpora.village.world import World

FEWEST = 2  # scenes, where there are that many


def story(world: World) -> Speaking[None]:
    """One story, most often 90 to 200 words long, ending with `</s>`."""
    tale = yield from opening(world)
    while (what := (yield next_scenes(tale))) not in ENDINGS:
        yield from tell(what, tale)
    yield from ENDINGS[what].tell(tale)


def next_scenes(tale: Tale) -> Options:
    """The scenes that can be told now and, when all that was begun is ended, the story's ends."""
    others, ends = tellable(tale)
    may_end = not tale.pending and (len(tale.told) >= FEWEST or not others)
    key = (*others, *ends, str(may_end))
    choices = tale.world.scene_choices
    if key not in choices:
        weights = {opens: ALL[opens].weight for opens in [*others, *ends]}
        if may_end:
            rest = sum(weights.values()) or 1
            weights |= {opens: rest * end.weight for opens, end in ENDINGS.items()}
        choices[key] = Options(weights)
    return choices[key]
