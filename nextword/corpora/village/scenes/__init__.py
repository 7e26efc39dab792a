"""Every scene that a story can hold, with its opening."""

from collections.abc import Callable

from nextword.corpora.village.people import Speaking, Tale
from nextword.corpora.village.scenes import animals, company, talk, things

# opening -> scene; the opening says which scene it is
SCENES: dict[str, Callable[[Tale], Speaking[None]]] = {
    "on market day": things.market,
    "one day the": things.lost,
    "in the afternoon": things.bank,
    "at noon": things.table,
    "that day a": animals.crossing,
    "in the evening": animals.counting,
    "they say that the": animals.gossip,
    "one morning a": company.visitor,
    "then there was a feast :": company.feast,
    "later": company.swap,
    "at school the children learned that": talk.lesson,
    "at dawn": talk.door,
}
