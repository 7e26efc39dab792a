"""The village: short stories told by a program that knows the probability of every word it says."""

from nextword.corpora.corpus import EOS, Corpus
from nextword.corpora.village.floor import exact_floor, floor
from nextword.corpora.village.kinds import KINDS
from nextword.corpora.village.likeness import similarity
from nextword.corpora.village.prose import prose
from nextword.corpora.village.telling import Listener, TextScore, next_words, sample, score, split
from nextword.corpora.village.vocabulary import VOCABULARY
from nextword.corpora.village.world import VILLAGE, VillageSizes, World

__all__ = [
    "EOS",
    "KINDS",
    "VILLAGE",
    "VOCABULARY",
    "Corpus",
    "Listener",
    "TextScore",
    "VillageSizes",
    "World",
    "exact_floor",
    "floor",
    "next_words",
    "prose",
    "sample",
    "score",
    "similarity",
    "split",
]
