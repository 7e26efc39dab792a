"""Ready parts of byte-pair encoding: chunks of a text, one merge, the bytes of each token.

Leaves out what chapter 1 builds: which pairs to merge, and how to encode with what was found.
"""

import re
from collections.abc import Sequence

from nextword.corpora.checks import require

CHUNK = re.compile(r" ?\w+| ?[^\w\s]+|\s+(?!\S)|\s+")  # no sign is lost: any is one of the four


def chunks(text: str) -> list[str]:
    """Cut a text into words, signs and blanks; no token reaches over the border of two chunks.

    A blank stands with the word that follows it. Joined, the chunks are the text again.

    >>> chunks("Two words, and a  gap.")
    ['Two', ' words', ',', ' and', ' a', ' ', ' gap', '.']
    """
    return CHUNK.findall(text)


def merge(ids: Sequence[int], pair: tuple[int, int], new: int) -> list[int]:
    """Put the token `new` in the place of every `pair`, from left to right.

    >>> merge([1, 1, 1, 2, 1, 1], (1, 1), 9)
    [9, 1, 2, 9]
    """
    merged: list[int] = []
    i = 0
    while i < len(ids):
        found = tuple(ids[i : i + 2]) == pair
        merged.append(new if found else ids[i])
        i += 2 if found else 1
    return merged


def token_bytes(merges: Sequence[tuple[int, int]]) -> list[bytes]:
    """Return the bytes of every token: first the 256 single bytes, then one token for each merge.

    A merge of a token that is not there before it: ValueError.

    >>> token_bytes([(108, 111), (256, 119)])[256:]
    [b'lo', b'low']
    """
    tokens = [bytes([i]) for i in range(256)]
    for pair in merges:
        known = len(pair) == 2 and all(0 <= part < len(tokens) for part in pair)
        require(
            f"merge {len(tokens) - 256}", pair, known, f"two tokens from 0 to {len(tokens) - 1}"
        )
        tokens.append(tokens[pair[0]] + tokens[pair[1]])
    return tokens
