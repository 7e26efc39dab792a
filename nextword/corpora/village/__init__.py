"""The village: short stories told by a program that knows the probability of every word it says."""

from importlib.resources import files

from nextword.corpora.corpus import EOS, Corpus
from nextword.corpora.village.floor import exact_floor, floor
from nextword.corpora.village.prose import prose
from nextword.corpora.village.telling import Listener, Score, next_words, sample, score, split
from nextword.corpora.village.world import VILLAGE, Sizes, World

# every word that a story can hold, in alphabetical order
VOCABULARY: tuple[str, ...] = tuple(
    files(__name__).joinpath("vocabulary.txt").read_text(encoding="utf-8").split()
)

__all__ = [
    "EOS",
    "VILLAGE",
    "VOCABULARY",
    "Corpus",
    "Listener",
    "Score",
    "Sizes",
    "World",
    "exact_floor",
    "floor",
    "next_words",
    "prose",
    "sample",
    "score",
    "split",
]
