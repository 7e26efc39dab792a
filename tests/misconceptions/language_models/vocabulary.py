"""More plausible mistakes in sections 1.1 and 1.2: vocabulary, inputs and targets, batches."""

from collections import Counter

import numpy as np

from examiner.judge.misconceptions import misconception

SPECIAL = ["<s>", "</s>", "<unk>"]
BOS, EOS, UNK = range(3)


def listed(counts, min_count, order, head=SPECIAL):
    kept = [w for w in counts if counts[w] >= min_count and w not in SPECIAL]
    return head + sorted(kept, key=order(counts))


def counted(sentences):
    return Counter(word for sentence in sentences for word in sentence)


def most_frequent_first(counts):
    return lambda word: (-counts[word], word)


@misconception(
    "1.1",
    replaces="build_vocabulary",
    kind="idea",
    says="The rarest word stands first; the most frequent one should.",
)
def puts_the_rarest_first(sentences, min_count=1):
    return listed(counted(sentences), min_count, lambda counts: lambda w: (counts[w], w))


@misconception(
    "1.1",
    replaces="build_vocabulary",
    kind="edge",
    says="Equally frequent words stand against the alphabet: reverse=True turns them around, too. "
    "Sort by the negative count.",
)
def turns_the_alphabet_around(sentences, min_count=1):
    counts = counted(sentences)
    kept = [w for w in counts if counts[w] >= min_count and w not in SPECIAL]
    return SPECIAL + sorted(kept, key=lambda w: (counts[w], w), reverse=True)


@misconception(
    "1.1",
    replaces="build_vocabulary",
    kind="idea",
    says="min_count was not used: words that are seen less often are left out.",
)
def ignores_min_count(sentences, min_count=1):
    return listed(counted(sentences), 1, most_frequent_first)


@misconception(
    "1.1",
    replaces="build_vocabulary",
    kind="idea",
    says="The special symbols stand last; their ids 0, 1, 2 mean that they come first.",
)
def puts_the_special_symbols_last(sentences, min_count=1):
    return listed(counted(sentences), min_count, most_frequent_first, head=[]) + SPECIAL


@misconception(
    "1.1",
    replaces="build_vocabulary",
    kind="idea",
    says="You counted the sentences in which a word stands. Count each time that it occurs.",
)
def counts_sentences_for_words(sentences, min_count=1):
    return listed(counted(map(set, sentences)), min_count, most_frequent_first)


@misconception(
    "1.1",
    replaces="to_ids",
    kind="idea",
    says="Your ids begin with 1: the place of the first word is 0.",
)
def numbers_words_from_one(words, vocabulary):
    places = {word: i for i, word in enumerate(vocabulary, start=1)}
    return [places.get(word, UNK) for word in words]


@misconception(
    "1.1",
    replaces="to_ids",
    kind="idea",
    says="Unknown words got the id 0, which is that of the beginning: they get UNK.",
)
def gives_unknown_words_zero(words, vocabulary):
    places = {word: i for i, word in enumerate(vocabulary)}
    return [places.get(word, 0) for word in words]


@misconception(
    "1.1",
    replaces="to_ids",
    kind="idea",
    says="Unknown words became the symbol <unk>, a string; what is wanted is its id, UNK.",
)
def gives_the_symbol_for_its_id(words, vocabulary):
    places = {word: i for i, word in enumerate(vocabulary)}
    return [places.get(word, "<unk>") for word in words]


@misconception(
    "1.1",
    replaces="to_ids",
    kind="edge",
    says="The first word of the vocabulary was taken for an unknown one: its id is 0, which counts "
    "as false. Ask for None, or give UNK to get.",
)
def takes_id_zero_for_unknown(words, vocabulary):
    places = {word: i for i, word in enumerate(vocabulary)}
    return [places.get(word) or UNK for word in words]


@misconception(
    "1.1",
    replaces="build_vocabulary",
    kind="edge",
    says="Capital letters were made small: leave the words as they are.",
)
def makes_words_small(sentences, min_count=1):
    counts = Counter(word.lower() for sentence in sentences for word in sentence)
    return listed(counts, min_count, lambda counts: lambda word: (-counts[word], word))


@misconception(
    "1.1",
    replaces="to_ids",
    kind="edge",
    says="A word was looked up in small letters: look it up as it is.",
)
def looks_small_words_up(words, vocabulary):
    places = {word: i for i, word in enumerate(vocabulary)}
    return [places.get(word.lower(), UNK) for word in words]


@misconception(
    "1.1",
    replaces="to_words",
    kind="idea",
    says="The id of <unk> was left out on the way back: it gives the word <unk>.",
)
def leaves_unknown_ids_out(ids, vocabulary):
    return [vocabulary[i] for i in ids if i != UNK]


@misconception(
    "1.1",
    replaces="to_words",
    kind="idea",
    says="The special symbols were left out on the way back: each id gives one word.",
)
def leaves_special_ids_out(ids, vocabulary):
    return [vocabulary[i] for i in ids if i > UNK]


@misconception(
    "1.1",
    replaces="to_words",
    kind="idea",
    says="The words were joined to one text: return a list, one word for each id.",
)
def joins_the_words(ids, vocabulary):
    return " ".join(vocabulary[i] for i in ids)


@misconception(
    "1.2",
    replaces="inputs_and_targets",
    kind="idea",
    says="EOS is among the inputs: nothing follows it, so the model never reads it.",
)
def reads_the_end_too(ids):
    return [BOS, *ids, EOS], [*ids, EOS]


@misconception(
    "1.2",
    replaces="inputs_and_targets",
    kind="idea",
    says="BOS and EOS are missing: the first word is predicted from BOS, and the end is a target.",
)
def leaves_both_symbols_out(ids):
    return list(ids[:-1]), list(ids[1:])


@misconception(
    "1.2",
    replaces="inputs_and_targets",
    kind="edge",
    says="An empty sentence gave nothing, but its end is predicted, too: [BOS] and [EOS].",
)
def skips_an_empty_sentence(ids):
    return ([BOS, *ids], [*ids, EOS]) if len(ids) else ([], [])


@misconception(
    "1.2",
    replaces="batch",
    kind="idea",
    says="The targets are the inputs: they begin one place later.",
)
def gives_the_inputs_for_targets(ids, starts, T):
    x = ids[starts[:, None] + np.arange(T)]
    return x, x.copy()


@misconception(
    "1.2",
    replaces="batch",
    kind="idea",
    says="The batch lies on its side: each window is a row, so add an axis to the starts.",
)
def lays_the_batch_on_its_side(ids, starts, T):
    places = np.arange(T)[:, None] + starts
    return ids[places], ids[places + 1]


@misconception(
    "1.2",
    replaces="batch",
    says="The windows are in the order of their starts: row b belongs to starts[b].",
)
def sorts_the_starts(ids, starts, T):
    places = np.sort(starts)[:, None] + np.arange(T)
    return ids[places], ids[places + 1]


@misconception(
    "1.2",
    replaces="batch",
    kind="idea",
    says="The starts were not used: your windows follow each other from the beginning of the text.",
)
def cuts_from_the_beginning(ids, starts, T):
    places = np.arange(len(starts) * T).reshape(len(starts), T) % (len(ids) - 1)
    return ids[places], ids[places + 1]
