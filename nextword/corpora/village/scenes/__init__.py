"""Every scene that a story can hold, under the words that it begins with."""

from collections.abc import Callable

from nextword.corpora.village.people import Speaking, Tale
from nextword.corpora.village.scenes import animals, company, talk, things

SCENES: dict[str, Callable[[Tale], Speaking[None]]] = {
    "on market day": things.market,
    "one day the": things.lost,
    "in the afternoon": things.bank,
    "at noon": things.table,
    "that day": animals.crossing,
    "in the evening": animals.counting,
    "before sunrise": animals.birth,
    "they say that the": talk.gossip,
    "one morning a": company.visitor,
    "then there was a feast": company.feast,
    "later": company.swap,
    "at school the children learned that": talk.lesson,
    "at dawn": company.door,
}
