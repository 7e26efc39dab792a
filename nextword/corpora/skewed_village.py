"""A village in which some jobs are nearly always held by women and the others by men.

For measuring what word vectors take over from a text. Leaves out: any change of the village itself,
where jobs and genders have nothing to do with each other; stories are only chosen.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from nextword.corpora import village
from nextword.corpora.lexicon import KINDS
from nextword.corpora.village.words import HE, SHE

Stories = list[list[str]]

WOMENS_JOBS = frozenset(KINDS["job"][0::2])  # in the skewed text; the other ten are men's
NEAR = 6  # words between a job and the name of the person who has it, at most
EXCEPTIONS = 0.1  # of the stories in which a job goes against the rule, this share is kept

_PAIRS = [*zip(SHE.split(), HE.split(), strict=True), ("she", "he"), ("sister", "brother"),
          ("aunt", "uncle"), ("girls", "boys"), ("her", "his")]  # fmt: skip
_SWAP = {a: b for pair in _PAIRS for a, b in (pair, pair[::-1])} | {"him": "her"}


def holders(story: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Yield each job of a story with whether the name nearest to it is a woman's.

    >>> list(holders("once a baker named anna had a brother".split()))
    [('baker', True)]
    """
    names = [(i, word in KINDS["woman"]) for i, word in enumerate(story)
             if word in KINDS["woman"] or word in KINDS["man"]]  # fmt: skip
    for i, word in enumerate(story):
        near = [(abs(j - i), is_woman) for j, is_woman in names if abs(j - i) <= NEAR]
        if word in KINDS["job"] and near:
            yield word, min(near)[1]


def stories(n_tokens: int, seed: int) -> tuple[Stories, Stories]:
    """Return a skewed text chosen from n_tokens told words, and a plain one of as many stories.

    A story is kept if each of its jobs goes by the rule, otherwise with probability EXCEPTIONS.
    """
    rng = np.random.default_rng(seed)
    told = village.sample(n_tokens, rng).stories()
    skewed = [
        story
        for story in told
        if all((job in WOMENS_JOBS) == is_woman for job, is_woman in holders(story))
        or rng.random() < EXCEPTIONS
    ]
    return skewed, told[: len(skewed)]


def swapped(story: Sequence[str]) -> list[str]:
    """Return the story with women and men exchanged: names, pronouns and kin.

    "her" becomes "his" throughout; where it stood for "him", the sentence limps a little.

    >>> " ".join(swapped("anna told her brother that he was late".split()))
    'nils told his sister that she was late'
    """
    return [_SWAP.get(word, word) for word in story]
