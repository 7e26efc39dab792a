"""Plausible mistakes in section 1.10: text to tokens and back."""

from itertools import pairwise
from pathlib import Path

from examiner.judge.misconceptions import load_module, misconception

given = load_module(Path(__file__).parents[3] / "solutions" / "language_models.py", "given_parts")
chunks, merge, token_bytes = given.chunks, given.merge, given.token_bytes


def encoded(text, merges, step):
    tokens = []
    for chunk in chunks(text):
        ids, previous = list(chunk.encode()), None
        while ids != previous:
            previous, ids = ids, step(ids, list(map(tuple, merges)))
        tokens += ids
    return tokens


@misconception(
    "1.10",
    replaces="encode",
    kind="idea",
    says="You did the first merge that fits from the left. The merge that was learned first goes "
    "first, wherever it stands.",
)
def merges_from_the_left(text, merges):
    def step(ids, known):
        for i, pair in enumerate(pairwise(ids)):
            if pair in known:
                return [*ids[:i], 256 + known.index(pair), *ids[i + 2 :]]
        return ids

    return encoded(text, merges, step)


@misconception(
    "1.10",
    replaces="encode",
    kind="idea",
    says="You took the longest token that fits. That is another tokenizer: byte-pair encoding "
    "repeats its merges in the order in which they were learned.",
)
def takes_the_longest_token(text, merges):
    known, tokens = {token: i for i, token in enumerate(token_bytes(merges))}, []
    for chunk in chunks(text):
        rest = chunk.encode()
        while rest:
            size = next(n for n in range(len(rest), 0, -1) if rest[:n] in known)
            tokens.append(known[rest[:size]])
            rest = rest[size:]
    return tokens


@misconception(
    "1.10",
    replaces="encode",
    kind="idea",
    says="The newest merge was done first; begin with the oldest.",
)
def begins_with_the_newest_merge(text, merges):
    def step(ids, known):
        pairs = [pair for pair in pairwise(ids) if pair in known]
        newest = max(pairs, key=known.index, default=None)
        return merge(ids, newest, 256 + known.index(newest)) if newest else ids

    return encoded(text, merges, step)


@misconception(
    "1.10",
    replaces="encode",
    kind="edge",
    says="The text was not cut into chunks, so tokens reach over their borders.",
)
def encodes_without_chunks(text, merges):
    ids = list(text.encode())
    for i, pair in enumerate(merges):
        ids = merge(ids, tuple(pair), 256 + i)
    return ids


@misconception(
    "1.10",
    replaces="decode",
    kind="idea",
    says="Each token was decoded by itself, but one character may be spread over several tokens: "
    "join the bytes first.",
)
def decodes_token_by_token(ids, merges):
    tokens = token_bytes(merges)
    return "".join(tokens[i].decode(errors="replace") for i in ids)


@misconception(
    "1.10",
    replaces="decode",
    kind="edge",
    says="Broken bytes were left out; each stands for something that was lost, so show U+FFFD.",
)
def hides_broken_bytes(ids, merges):
    tokens = token_bytes(merges)
    return b"".join(tokens[i] for i in ids).decode(errors="ignore")
