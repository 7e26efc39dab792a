"""More plausible mistakes in sections 3.1 and 3.2: lookup and counts of neighbours."""

import numpy as np

from examiner.judge.misconceptions import misconception


@misconception(
    "3.1",
    replaces="one_hot",
    kind="idea",
    says="The 1 stands everywhere but at the place of the id: there it belongs, and 0 elsewhere.",
)
def exchanges_ones_and_zeros(ids, V):
    return 1 - np.eye(V)[ids]


@misconception(
    "3.1",
    replaces="one_hot",
    kind="idea",
    says="All ids share one vector: each gets a row of its own.",
)
def puts_all_ids_in_one_vector(ids, V):
    row = np.zeros(V)
    row[ids] = 1
    return row


@misconception(
    "3.1",
    replaces="one_hot",
    kind="edge",
    says="Ids may come in a table: keep their shape, and put the V numbers of each id last.",
)
def makes_one_long_table(ids, V):
    return np.eye(V)[np.ravel(ids)]


@misconception(
    "3.1",
    replaces="one_hot",
    says="There are as many numbers as the greatest id needs: there must be V, whatever ids "
    "there are.",
)
def stops_at_the_greatest_id(ids, V):
    return np.eye(np.max(ids, initial=-1) + 1)[ids]


@misconception(
    "3.1",
    replaces="one_hot",
    kind="idea",
    says="The id itself stands at its place: a one-hot vector has a 1 there.",
)
def writes_the_id_for_one(ids, V):
    return np.eye(V)[ids] * np.asarray(ids)[..., None]


@misconception(
    "3.1",
    replaces="lookup",
    kind="idea",
    says="E[:, ids] picks columns: the vector of a word is a row.",
)
def picks_columns(ids, E):
    return E[:, ids]


@misconception(
    "3.1",
    replaces="lookup",
    kind="idea",
    says="The rows are one off: word 0 has the first row.",
)
def looks_up_the_row_before(ids, E):
    return E[np.asarray(ids) - 1]


@misconception(
    "3.1",
    replaces="lookup",
    kind="idea",
    says="You returned the mean of the rows: each id gets its own.",
)
def averages_the_rows(ids, E):
    return E[ids].mean(axis=0)


@misconception(
    "3.1",
    replaces="lookup",
    kind="idea",
    says="Each word was looked up once, in the order of the ids: keep repeated ids, and "
    "their order.",
)
def looks_up_each_word_once(ids, E):
    return E[np.unique(ids)]


@misconception(
    "3.1",
    replaces="logits",
    kind="idea",
    says="E must be turned round: h @ E.T gives a dot product with each row.",
)
def multiplies_without_turning(h, E):
    return h @ E


@misconception(
    "3.1",
    replaces="logits",
    kind="idea",
    says="You divided by the root of D: a score is the plain dot product.",
)
def divides_by_the_root_of_d(h, E):
    return h @ E.T / np.sqrt(E.shape[1])


@misconception(
    "3.1",
    replaces="logits",
    says="The words are the first axis: they must be the last, so that each row has its scores.",
)
def puts_the_words_first(h, E):
    return E @ np.asarray(h).T


def counted(sentences, V, window, worth=lambda d: 1.0):
    """The right counts, but for how far the window reaches and what a pair at a distance adds."""
    M = np.zeros((V, V))
    for sentence in sentences:
        for d in range(1, min(window, len(sentence) - 1) + 1):
            np.add.at(M, (sentence[:-d], sentence[d:]), worth(d))
            np.add.at(M, (sentence[d:], sentence[:-d]), worth(d))
    return M


def rule(by_distance):
    return (lambda d: 1 / d) if by_distance else (lambda d: 1.0)


@misconception(
    "3.2",
    replaces="cooccurrence",
    says="The window is one too large: a word counts that stands at most `window` places away.",
)
def looks_one_place_too_far(sentences, V, window, by_distance=False):
    return counted(sentences, V, window + 1, rule(by_distance))


@misconception(
    "3.2",
    replaces="cooccurrence",
    says="The window was shared by both sides: `window` places count on each.",
)
def halves_the_window(sentences, V, window, by_distance=False):
    return counted(sentences, V, window // 2, rule(by_distance))


@misconception(
    "3.2",
    replaces="cooccurrence",
    kind="idea",
    says="The window was not used: all words of a sentence count as neighbours.",
)
def takes_the_whole_sentence(sentences, V, window, by_distance=False):
    return counted(sentences, V, max(map(len, sentences)), rule(by_distance))


@misconception(
    "3.2",
    replaces="cooccurrence",
    says="by_distance was not used: with it, a pair d places apart adds 1/d.",
)
def ignores_by_distance(sentences, V, window, by_distance=False):
    return counted(sentences, V, window)


@misconception(
    "3.2",
    replaces="cooccurrence",
    says="A pair added 1/d though by_distance was False: it adds 1 then.",
)
def always_counts_by_distance(sentences, V, window, by_distance=False):
    return counted(sentences, V, window, rule(True))


@misconception(
    "3.2",
    replaces="cooccurrence",
    says="By distance, a pair added d: it adds 1/d, so that near words count more.",
)
def weighs_far_words_more(sentences, V, window, by_distance=False):
    return counted(sentences, V, window, (lambda d: d) if by_distance else rule(False))


@misconception(
    "3.2",
    replaces="cooccurrence",
    says="By distance, a pair added 1/d**2: it adds 1/d.",
)
def squares_the_distance(sentences, V, window, by_distance=False):
    return counted(sentences, V, window, (lambda d: 1 / d**2) if by_distance else rule(False))


@misconception(
    "3.2",
    replaces="cooccurrence",
    kind="edge",
    says="A word beside itself was counted from one side only: both sides count, as for any pair.",
)
def counts_a_pair_of_one_word_once(sentences, V, window, by_distance=False):
    M = counted(sentences, V, window, rule(by_distance))
    M[np.diag_indices(V)] /= 2
    return M


@misconception(
    "3.2",
    replaces="cooccurrence",
    kind="edge",
    says="A word beside itself was left out: it counts like any other pair.",
)
def leaves_out_pairs_of_one_word(sentences, V, window, by_distance=False):
    M = counted(sentences, V, window, rule(by_distance))
    M[np.diag_indices(V)] = 0
    return M


@misconception(
    "3.2",
    replaces="cooccurrence",
    kind="idea",
    says="You noted which pairs occur: count how often they do.",
)
def notes_pairs_without_counting(sentences, V, window, by_distance=False):
    return (counted(sentences, V, window) > 0).astype(float)


@misconception(
    "3.2",
    replaces="cooccurrence",
    kind="idea",
    says="Only the last sentence was counted: begin the table once, before the first.",
)
def counts_the_last_sentence_only(sentences, V, window, by_distance=False):
    return counted(sentences[-1:], V, window, rule(by_distance))
