"""The words a model may predict, and the signs for begin, end, unknown. Leaves out: numbering."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from itertools import chain

BOS, EOS, UNK = "<s>", "</s>", "<unk>"  # begin of sentence, end of sentence, unknown word


def build_vocabulary(sentences: Iterable[Sequence[Hashable]], min_count: int = 1) -> list[Hashable]:
    """List the words that a model may predict, EOS among them; given min_count > 1, UNK as well.

    The models of the course give probability 0 to a word outside their vocabulary. If the text to
    come may hold such words, keep only the words that were seen min_count = 2 times or more, and
    put UNK in the place of all others with `replace_unknown`: in the training text, so that models
    learn where rare words stand, and in the text to come.

    >>> build_vocabulary([["a", "b", "a"], ["b", "c"]])
    ['</s>', 'a', 'b', 'c']
    >>> build_vocabulary([["a", "b", "a"], ["b", "c"]], min_count=2)
    ['</s>', '<unk>', 'a', 'b']
    """
    if min_count < 1:
        raise ValueError(f"min_count must be at least 1, got {min_count}")
    counts = Counter(chain.from_iterable(sentences))
    kept = {word for word, count in counts.items() if count >= min_count}
    return sorted(kept | {EOS} | ({UNK} if min_count > 1 else set()), key=str)


def replace_unknown(
    sentences: Iterable[Sequence[Hashable]], vocabulary: Iterable[Hashable]
) -> list[list[Hashable]]:
    """Put UNK in the place of every word that is not in the vocabulary.

    >>> replace_unknown([["the", "zebra", "sat"]], ["the", "sat", "</s>", "<unk>"])
    [['the', '<unk>', 'sat']]
    """
    known = frozenset(vocabulary)
    return [[word if word in known else UNK for word in sentence] for sentence in sentences]
