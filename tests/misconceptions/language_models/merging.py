"""More plausible mistakes in sections 1.9 and 1.10: merges, and tokens made with them."""

from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path

from examiner.judge.misconceptions import load_module, misconception

given = load_module(Path(__file__).parents[3] / "solutions" / "language_models.py", "given_parts")
chunks, merge, token_bytes = given.chunks, given.merge, given.token_bytes


def weighted(text):
    return [(list(chunk.encode()), weight) for chunk, weight in Counter(chunks(text)).items()]


def first(counts):
    top = max(counts.values())
    return min(pair for pair, count in counts.items() if count == top)


def trained(words, n_merges, choose=first, **ways):
    """The counts follow each merge, with a switch for each thing that can go wrong.

    Ways: `tally` gives the pairs of a word; `least`: how often a pair must occur; `begin`: the
    number of the first new token; what is forgotten after a merge: `take_off`, `weigh`, `note`.
    """
    tally, begin = ways.get("tally", pairwise), ways.get("begin", 256)
    counts, places, merges = Counter(), defaultdict(set), []
    for i, (word, weight) in enumerate(words):
        for pair in tally(word):
            counts[pair] += weight
            places[pair].add(i)
    while len(merges) < n_merges and counts:
        best = choose(counts)
        if counts[best] < ways.get("least", 2):
            break
        for i in list(places[best]):
            word, weight = words[i]
            weight = weight if ways.get("weigh", True) else 1
            for pair in tally(word):
                counts[pair] -= weight if ways.get("take_off", True) else 0
            words[i] = merge(word, best, begin + len(merges)), words[i][1]
            if not ways.get("take_off", True):
                counts[best] = 0
            for pair in tally(words[i][0]):
                counts[pair] += weight
                if ways.get("note", True):
                    places[pair].add(i)
        merges.append(best)
    return merges


@misconception(
    "1.9",
    replaces="train_bpe",
    kind="edge",
    says="Equally frequent pairs: you took the greatest. Take the smallest.",
)
def takes_the_greatest_of_equal_pairs(text, n_merges):
    return trained(
        weighted(text), n_merges, lambda counts: max(counts, key=lambda p: (counts[p], p))
    )


@misconception(
    "1.9",
    replaces="train_bpe",
    kind="edge",
    says="The training ended too early: a pair that occurs twice is still merged.",
)
def stops_below_three(text, n_merges):
    return trained(weighted(text), n_merges, least=3)


@misconception(
    "1.9",
    replaces="train_bpe",
    says="New tokens were numbered from 0, which are bytes already: the first merge makes 256.",
)
def numbers_tokens_from_zero(text, n_merges):
    return trained(weighted(text), n_merges, begin=0)


@misconception(
    "1.9",
    replaces="train_bpe",
    says="New tokens were numbered from 257: bytes end with 255, so the first merge makes 256.",
)
def numbers_tokens_one_too_high(text, n_merges):
    return trained(weighted(text), n_merges, begin=257)


@misconception(
    "1.9",
    replaces="train_bpe",
    says="There is one merge too few: n_merges is how many there are.",
)
def makes_one_merge_too_few(text, n_merges):
    return trained(weighted(text), max(0, n_merges - 1))


@misconception(
    "1.9",
    replaces="train_bpe",
    says="There is one merge too many: n_merges is how many there are.",
)
def makes_one_merge_too_many(text, n_merges):
    return trained(weighted(text), n_merges + 1)


@misconception(
    "1.9",
    replaces="train_bpe",
    kind="idea",
    says="You returned the bytes of the two tokens: return their numbers.",
)
def returns_bytes_for_numbers(text, n_merges):
    merges = trained(weighted(text), n_merges)
    tokens = token_bytes(merges)
    return [(tokens[a], tokens[b]) for a, b in merges]


@misconception(
    "1.9",
    replaces="train_bpe",
    kind="idea",
    says="In a run such as aaa a pair was counted once: count it at each place, though the two "
    "share a letter.",
)
def counts_runs_without_overlap(text, n_merges):
    def tally(word):
        last = None
        for place, pair in enumerate(pairwise(word)):
            if last == (place - 1, pair):
                last = None
            else:
                last = place, pair
                yield pair

    return trained(weighted(text), n_merges, tally=tally)


@misconception(
    "1.9",
    replaces="train_bpe",
    kind="idea",
    says="Where a chunk has changed, its new pairs were added, but its old ones not taken off.",
)
def leaves_old_pairs_in_the_counts(text, n_merges):
    return trained(weighted(text), n_merges, take_off=False)


@misconception(
    "1.9",
    replaces="train_bpe",
    kind="idea",
    says="After a merge a changed chunk counts once: it counts as often as it occurs, now as "
    "before.",
)
def forgets_the_weights_after_a_merge(text, n_merges):
    return trained(weighted(text), n_merges, weigh=False)


@misconception(
    "1.9",
    replaces="train_bpe",
    kind="idea",
    says="A pair that a merge has made was not found again: note the chunks in which new pairs "
    "stand.",
)
def forgets_where_new_pairs_stand(text, n_merges):
    return trained(weighted(text), n_merges, note=False)


def encoded(text, merges, step, split=chunks, begin=256):
    tokens = []
    known = {tuple(pair): i for i, pair in enumerate(merges)}
    for chunk in split(text):
        ids = list(chunk.encode())
        while ages := [known[pair] for pair in pairwise(ids) if pair in known]:
            ids = step(ids, ages, merges, begin)
        tokens += ids
    return tokens


def oldest(ids, ages, merges, begin):
    return merge(ids, tuple(merges[min(ages)]), begin + min(ages))


@misconception(
    "1.10",
    replaces="encode",
    kind="idea",
    says="One merge was done in each chunk: repeat until none applies.",
)
def merges_once_per_chunk(text, merges):
    known, tokens = {tuple(pair): i for i, pair in enumerate(merges)}, []
    for chunk in chunks(text):
        ids = list(chunk.encode())
        ages = [known[pair] for pair in pairwise(ids) if pair in known]
        tokens += oldest(ids, ages, merges, 256) if ages else ids
    return tokens


@misconception(
    "1.10",
    replaces="encode",
    says="New tokens begin with 256: merge number i makes the token 256 + i.",
)
def writes_tokens_one_too_high(text, merges):
    known, tokens = {tuple(pair): i for i, pair in enumerate(merges)}, []
    for chunk in chunks(text):
        ids = list(chunk.encode())
        while ages := [known[pair] for pair in pairwise(ids) if pair in known]:
            ids = oldest(ids, ages, merges, 257)
        tokens += ids
    return tokens


@misconception(
    "1.10",
    replaces="encode",
    kind="idea",
    says="The pair that is most frequent in the chunk was merged first: that is how merges are "
    "learned. Now the one that was learned first goes first.",
)
def merges_the_most_frequent_pair(text, merges):
    def step(ids, ages, merges, begin):
        age = Counter(ages).most_common(1)[0][0]
        return merge(ids, tuple(merges[age]), begin + age)

    return encoded(text, merges, step)


@misconception(
    "1.10",
    replaces="encode",
    kind="edge",
    says="The text begins as the bytes of UTF-8: ord gives the numbers of characters, which are "
    "tokens of another kind beyond 127.",
)
def encodes_characters(text, merges):
    known, tokens = {tuple(pair): i for i, pair in enumerate(merges)}, []
    for chunk in chunks(text):
        ids = [ord(c) for c in chunk]
        while ages := [known[pair] for pair in pairwise(ids) if pair in known]:
            ids = oldest(ids, ages, merges, 256)
        tokens += ids
    return tokens


@misconception(
    "1.10",
    replaces="encode",
    says="Of several equal pairs in a chunk only the first was merged.",
)
def merges_the_first_of_equal_pairs(text, merges):
    tokens = []
    for chunk in chunks(text):
        ids = list(chunk.encode())
        for i, pair in enumerate(map(tuple, merges)):
            if pair in (found := list(pairwise(ids))):
                place = found.index(pair)
                ids[place : place + 2] = [256 + i]
        tokens += ids
    return tokens


@misconception(
    "1.10",
    replaces="encode",
    kind="idea",
    says="There is a list for each chunk: return one list for the whole text.",
)
def nests_the_chunks(text, merges):
    return [encoded(chunk, merges, oldest, split=lambda chunk: [chunk]) for chunk in chunks(text)]


@misconception(
    "1.10",
    replaces="encode",
    kind="idea",
    says="The blanks are gone: text.split() loses them. Cut with chunks(text).",
)
def loses_blanks(text, merges):
    return encoded(text, merges, oldest, split=str.split)


@misconception(
    "1.10",
    replaces="decode",
    kind="edge",
    says="Broken bytes gave an error: they become U+FFFD, with errors='replace'.",
)
def stops_at_broken_bytes(ids, merges):
    tokens = token_bytes(merges)
    return b"".join(tokens[i] for i in ids).decode()


@misconception(
    "1.10",
    replaces="decode",
    kind="idea",
    says="The bytes are UTF-8, in which one character may take several: yours became one each.",
)
def reads_each_byte_as_a_character(ids, merges):
    tokens = token_bytes(merges)
    return b"".join(tokens[i] for i in ids).decode("latin-1")


@misconception(
    "1.10",
    replaces="decode",
    kind="edge",
    says="Blanks at the ends were cut off: they belong to the text.",
)
def strips_the_text(ids, merges):
    tokens = token_bytes(merges)
    return b"".join(tokens[i] for i in ids).decode(errors="replace").strip()


@misconception(
    "1.10",
    replaces="decode",
    kind="idea",
    says="There are blanks between the tokens: the blanks of a text are tokens, or parts of them.",
)
def puts_blanks_between_tokens(ids, merges):
    tokens = token_bytes(merges)
    return b" ".join(tokens[i] for i in ids).decode(errors="replace")


@misconception(
    "1.10",
    replaces="decode",
    kind="idea",
    says="These are bytes: decode them to text.",
)
def returns_bytes(ids, merges):
    tokens = token_bytes(merges)
    return b"".join(tokens[i] for i in ids)
