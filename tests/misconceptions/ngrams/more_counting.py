"""More plausible mistakes in sections 2.1 to 2.3: one part of the right code is changed."""

from examiner.judge.misconceptions import misconception

BOS, EOS = "<s>", "</s>"


def padded(sentence, n):
    return [BOS] * (n - 1) + list(sentence) + [EOS]


def slide(tokens, n):
    return [tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)]


def tables_of(sentences, n, context, place=lambda k, n: k):
    """Count with another context of k words; `context(gram, k)` of a whole n-gram."""
    tables = [{} for _ in range(n)]
    for sentence in sentences:
        for gram in slide(padded(sentence, n), n):
            for k in range(n):
                row = tables[place(k, n)].setdefault(context(gram, k), {})
                row[gram[-1]] = row.get(gram[-1], 0) + 1
    return tables


def ending(gram, k):
    return gram[len(gram) - 1 - k : -1]


def mistake(task_id, replaces, says, kind=""):
    return misconception(task_id, replaces=replaces, says=says, kind=kind)


# ------------------------------------------------------------------ 2.1


@mistake(
    "2.1",
    "pad",
    "There is one begin symbol for every n: an n-gram model needs n - 1 of them, none for n = 1.",
)
def pads_with_one_begin_symbol(sentence, n):
    return [BOS, *sentence, EOS]


@mistake(
    "2.1",
    "pad",
    "A string is a sentence, too, whose words are its characters: list(sentence) serves both.",
    kind="edge",
)
def takes_a_string_for_a_word(sentence, n):
    return padded([sentence] if isinstance(sentence, str) else sentence, n)


@mistake(
    "2.1",
    "pad",
    "The sentence is one item in your list: put its words there, with list(sentence) or *sentence.",
    kind="idea",
)
def nests_the_sentence(sentence, n):
    return [BOS] * (n - 1) + [sentence] + [EOS]


@mistake(
    "2.1",
    "pad",
    "The two symbols are swapped: BOS stands before the words, EOS after them.",
    kind="idea",
)
def swaps_the_symbols(sentence, n):
    return [EOS] * (n - 1) + list(sentence) + [BOS]


@mistake(
    "2.1",
    "windows",
    "Your n-grams are lists: make tuples of them, since a list can be no key of a dict.",
)
def gives_lists_for_tuples(tokens, n):
    return [list(gram) for gram in slide(tokens, n)]


@mistake(
    "2.1",
    "windows",
    "A slice of a string is a string, and a slice of a list a list: make a tuple of each window.",
)
def gives_slices_for_tuples(tokens, n):
    return [tokens[i : i + n] for i in range(len(tokens) - n + 1)]


@mistake("2.1", "windows", "The first window is missing: it begins at place 0, not 1.")
def misses_the_first_window(tokens, n):
    return slide(tokens, n)[1:]


@mistake(
    "2.1",
    "windows",
    "A sequence of fewer than n tokens holds no n-gram: return no window.",
    kind="edge",
)
def gives_a_short_sequence(tokens, n):
    return slide(tokens, n) or [tuple(tokens)]


@mistake(
    "2.1", "windows", "Nothing is padded here: `windows` lists the n-grams of what it is given."
)
def pads_in_windows(tokens, n):
    return slide(padded(tokens, n), n)


# ------------------------------------------------------------------ 2.2


@mistake(
    "2.2",
    "count_ngrams",
    "All sentences were glued together as one: each has its own begin symbols and its own end.",
    kind="idea",
)
def glues_sentences_together(sentences, n):
    return tables_of([[word for sentence in sentences for word in sentence]], n, ending)


@mistake(
    "2.2",
    "count_ngrams",
    "You counted types, not tokens: an n-gram that occurs three times adds 3, not 1.",
    kind="idea",
)
def counts_types(sentences, n):
    tables = [{} for _ in range(n)]
    for gram in {gram for s in sentences for gram in slide(padded(s, n), n)}:
        for k in range(n):
            row = tables[k].setdefault(ending(gram, k), {})
            row[gram[-1]] = row.get(gram[-1], 0) + 1
    return tables


@mistake(
    "2.2",
    "count_ngrams",
    "A shorter context gathers the counts of several n-grams: add to what is there, do not replace "
    "it.",
    kind="idea",
)
def adds_one_per_type(sentences, n):
    tables = [{} for _ in range(n)]
    counts = {}
    for sentence in sentences:
        for gram in slide(padded(sentence, n), n):
            counts[gram] = counts.get(gram, 0) + 1
    for gram, count in counts.items():
        for k in range(n):
            tables[k].setdefault(ending(gram, k), {})[gram[-1]] = count
    return tables


@mistake(
    "2.2",
    "count_ngrams",
    "You shortened the context at the wrong end: the last k words before the predicted one count.",
    kind="idea",
)
def takes_the_beginning_of_the_context(sentences, n):
    return tables_of(sentences, n, lambda gram, k: gram[:k])


@mistake(
    "2.2",
    "count_ngrams",
    "For k = 0 your context is not empty: context[-0:] is context[0:], all of it. "
    "Use context[len(context) - k:].",
)
def slices_with_minus_zero(sentences, n):
    return tables_of(sentences, n, lambda gram, k: gram[:-1][-k:])


@mistake(
    "2.2",
    "count_ngrams",
    "Only the last table is filled: each position counts in every table, with contexts of 0, 1, "
    "..., n - 1 words.",
    kind="idea",
)
def fills_the_last_table_only(sentences, n):
    whole = tables_of(sentences, n, ending)
    return [*({} for _ in whole[1:]), whole[-1]]


@mistake(
    "2.2",
    "count_ngrams",
    "The last table is empty: contexts of n - 1 words are counted, too, so k goes from 0 to n - 1.",
)
def misses_the_last_order(sentences, n):
    return [*tables_of(sentences, n, ending)[:-1], {}]


@mistake(
    "2.2",
    "count_ngrams",
    "The sentences are not padded: the first words need contexts of begin symbols.",
    kind="idea",
)
def never_pads(sentences, n):
    tables = [{} for _ in range(n)]
    for sentence in sentences:
        for k in range(n):
            for gram in slide([*sentence, EOS], k + 1):
                row = tables[k].setdefault(gram[:-1], {})
                row[gram[-1]] = row.get(gram[-1], 0) + 1
    return tables


@mistake(
    "2.2",
    "count_ngrams",
    "A context of one word is a tuple, too: ('a',), not 'a'.",
)
def unpacks_contexts_of_one(sentences, n):
    tables = tables_of(sentences, n, ending)
    return [
        {u[0]: row for u, row in table.items()} if k == 1 else table
        for k, table in enumerate(tables)
    ]


@mistake(
    "2.2",
    "count_ngrams",
    "The tables are in the wrong order: tables[0] has the empty context, the last one the longest.",
)
def turns_the_tables_around(sentences, n):
    return tables_of(sentences, n, ending, lambda k, n: n - 1 - k)


@mistake(
    "2.2",
    "count_ngrams",
    "An empty sentence counts as well: after its begin symbols comes its end.",
    kind="edge",
)
def skips_empty_sentences(sentences, n):
    return tables_of([sentence for sentence in sentences if len(sentence)], n, ending)


# ------------------------------------------------------------------ 2.3


def share(self, word, context, total, otherwise=0.0):
    return self.row(context).get(word, 0) / total if total else otherwise


@mistake(
    "2.3",
    "MLE.estimate",
    "Backing off to a shorter context is smoothing, from section 2.5 on: after a context that was "
    "never seen, maximum likelihood gives 0.",
    kind="edge",
)
def backs_off_after_unseen_contexts(self, word, context):
    total = self.total(context)
    return share(self, word, context, total) if total else self.shorter(word, context)


@mistake(
    "2.3", "MLE.estimate", "That is the count: divide it by the sum of the row, #(u•).", kind="idea"
)
def gives_the_count(self, word, context):
    return float(self.row(context).get(word, 0))


@mistake(
    "2.3",
    "MLE.estimate",
    "After a context that was never seen, every word has probability 0, not 1.",
    kind="edge",
)
def is_certain_after_unseen_contexts(self, word, context):
    return share(self, word, context, self.total(context), 1.0)


@mistake(
    "2.3", "MLE.estimate", "A share is no whole number: divide with /, not with //.", kind="idea"
)
def divides_in_whole_numbers(self, word, context):
    total = self.total(context)
    return self.row(context).get(word, 0) // total if total else 0.0


@mistake(
    "2.3",
    "MLE.estimate",
    "You left the context out: count and sum are those of the row after u, not of all words.",
    kind="idea",
)
def ignores_the_context(self, word, context):
    return share(self, word, (), self.total(()))


@mistake(
    "2.3",
    "MLE.estimate",
    "You divided by the size of the vocabulary; divide by the sum of the counts in the row.",
    kind="idea",
)
def divides_by_the_vocabulary(self, word, context):
    return self.row(context).get(word, 0) / len(self.vocabulary)


@mistake(
    "2.3",
    "MLE.estimate",
    "Only the last word of the context counted: take the whole context that you are given.",
    kind="idea",
)
def ignores_all_but_the_last_word(self, word, context):
    return share(self, word, context[-1:], self.total(context[-1:]))
