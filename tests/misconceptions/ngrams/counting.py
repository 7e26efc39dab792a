"""Plausible mistakes in sections 2.1 to 2.5 and 2.11, with the sentence their author should read.

Every function replaces one function or method of the reference; some test must reject each.
"""

import math

import numpy as np

from examiner.judge.misconceptions import misconception

BOS, EOS = "<s>", "</s>"


def padded(sentence, n):
    return [BOS] * (n - 1) + list(sentence) + [EOS]


def slide(tokens, n):
    return [tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)]


def add(table, gram):
    row = table.setdefault(tuple(gram[:-1]), {})
    row[gram[-1]] = row.get(gram[-1], 0) + 1


@misconception(
    "2.1",
    replaces="pad",
    kind="idea",
    says="There is one begin symbol too many: the first word needs n - 1 tokens before it, not n.",
)
def pads_with_n_begin_symbols(sentence, n):
    return [BOS] * n + list(sentence) + [EOS]


@misconception(
    "2.1",
    replaces="pad",
    kind="idea",
    says="The end of the sentence is predicted, too, so one end symbol must stand after the words.",
)
def pads_the_beginning_only(sentence, n):
    return [BOS] * (n - 1) + list(sentence)


@misconception(
    "2.1",
    replaces="pad",
    says="One end symbol is enough for every n: after the first one, nothing is left to predict.",
)
def pads_both_sides_alike(sentence, n):
    return [BOS] * (n - 1) + list(sentence) + [EOS] * (n - 1)


@misconception(
    "2.1",
    replaces="windows",
    kind="idea",
    says="The last window is missing: T tokens hold T - n + 1 windows, and range excludes its end.",
)
def misses_the_last_window(tokens, n):
    return [tuple(tokens[i : i + n]) for i in range(len(tokens) - n)]


@misconception(
    "2.1",
    replaces="windows",
    kind="idea",
    says="Some windows at the end are shorter than n: stop where the last full window begins.",
)
def lets_windows_run_out(tokens, n):
    return [tuple(tokens[i : i + n]) for i in range(len(tokens))]


@misconception(
    "2.1",
    replaces="windows",
    kind="idea",
    says="The windows do not overlap: each one starts one token after the one before, not n.",
)
def jumps_by_n(tokens, n):
    return [tuple(tokens[i : i + n]) for i in range(0, len(tokens) - n + 1, n)]


@misconception(
    "2.2",
    replaces="count_ngrams",
    says="BOS is counted as a predicted word: contexts of k words need k begin symbols, not n - 1.",
)
def predicts_the_begin_symbol(sentences, n):
    tables = [{} for _ in range(n)]
    for sentence in sentences:
        for k in range(n):
            for gram in slide(padded(sentence, n), k + 1):
                add(tables[k], gram)
    return tables


@misconception(
    "2.2",
    replaces="count_ngrams",
    kind="idea",
    says="N-grams reach from one sentence into the next: pad and count each sentence on its own.",
)
def crosses_the_borders_of_sentences(sentences, n):
    sentences = list(sentences)
    text = [word for sentence in sentences for word in [*sentence, EOS]][:-1]
    tables = [{} for _ in range(n)]
    for k in range(n):
        for gram in slide(padded(text, k + 1), k + 1):
            add(tables[k], gram)
    return tables


@misconception(
    "2.2",
    replaces="count_ngrams",
    kind="idea",
    says="All n tables are one and the same dict: [{}] * n repeats a reference. "
    "Make n dicts with [{} for _ in range(n)].",
)
def shares_one_table(sentences, n):
    tables = [{}] * n
    for sentence in sentences:
        for k in range(n):
            for gram in slide(padded(sentence, k + 1), k + 1):
                add(tables[k], gram)
    return tables


@misconception(
    "2.2",
    replaces="count_ngrams",
    kind="idea",
    says="The ends of the sentences are missing: EOS is predicted and counted like a word.",
)
def never_counts_the_end(sentences, n):
    tables = [{} for _ in range(n)]
    for sentence in sentences:
        for k in range(n):
            for gram in slide(padded(sentence, k + 1)[:-1], k + 1):
                add(tables[k], gram)
    return tables


@misconception(
    "2.3",
    replaces="MLE.estimate",
    says="You divided by #(u), how often the context occurs. It also counts the u at the end of a "
    "text, which nothing follows, and knows no BOS. Divide by #(u•), the sum of the row.",
)
def divides_by_the_count_of_the_context(self, word, context):
    occurs = self.row(context[:-1]).get(context[-1], 0) if context else self.total(())
    return self.row(context).get(word, 0) / occurs if occurs else 0.0


@misconception(
    "2.3",
    replaces="MLE.estimate",
    kind="idea",
    says="You divided by the length of the text: that is the joint probability of context and "
    "word. Given the context, only the positions after this context count.",
)
def gives_the_joint_probability(self, word, context):
    return self.row(context).get(word, 0) / self.total(())


@misconception(
    "2.3",
    replaces="MLE.estimate",
    kind="idea",
    says="You divided by the number of different words in the row; add up their counts instead.",
)
def divides_by_the_number_of_words(self, word, context):
    row = self.row(context)
    return row.get(word, 0) / len(row) if row else 0.0


@misconception(
    "2.3",
    replaces="MLE.estimate",
    kind="edge",
    says="After a context that was never seen, maximum likelihood knows nothing and gives 0. "
    "Falling back to another distribution is smoothing, from section 2.5 on.",
)
def is_uniform_after_unseen_contexts(self, word, context):
    total = self.total(context)
    return self.row(context).get(word, 0) / total if total else 1 / len(self.vocabulary)


@misconception(
    "2.4",
    replaces="perplexity",
    says="The logarithms are natural ones, so the inverse is exp, not a power of 2.",
)
def takes_a_power_of_two(log_probs):
    return 2 ** (-sum(log_probs) / len(log_probs))


@misconception(
    "2.4",
    replaces="perplexity",
    kind="idea",
    says="You did not divide by the number of log-probabilities: perplexity is per word, and so "
    "it is the same for ten throws of a die and for a thousand.",
)
def forgets_the_mean(log_probs):
    return math.exp(-sum(log_probs))


@misconception(
    "2.4",
    replaces="perplexity",
    kind="idea",
    says="The minus sign is missing: this is the mean probability, one over the perplexity.",
)
def forgets_the_minus_sign(log_probs):
    return math.exp(sum(log_probs) / len(log_probs))


@misconception(
    "2.4",
    replaces="NGramModel.log_probs",
    says="These are logarithms to base 2 (bits); the course measures in nats, with math.log.",
)
def takes_logarithms_to_base_two(self, sentences):
    grams = [gram for s in sentences for gram in slide(padded(s, self.n), self.n)]
    probs = [self.prob(gram[-1], gram[:-1]) for gram in grams]
    return [math.log2(p) if p > 0 else -math.inf for p in probs]


@misconception(
    "2.4",
    replaces="NGramModel.log_probs",
    kind="idea",
    says="The ends of the sentences are missing: their probabilities belong to the text, too.",
)
def leaves_out_the_ends(self, sentences):
    grams = [gram for s in sentences for gram in slide(padded(s, self.n), self.n)]
    probs = [self.prob(gram[-1], gram[:-1]) for gram in grams if gram[-1] != EOS]
    return [math.log(p) if p > 0 else -math.inf for p in probs]


@misconception(
    "2.4",
    replaces="NGramModel.log_probs",
    kind="edge",
    says="Words of probability 0 were left out, which makes a bad model look good: they are -inf.",
)
def skips_probability_zero(self, sentences):
    grams = [gram for s in sentences for gram in slide(padded(s, self.n), self.n)]
    probs = [self.prob(gram[-1], gram[:-1]) for gram in grams]
    return [math.log(p) for p in probs if p > 0]


@misconception(
    "2.5",
    replaces="Additive.estimate",
    kind="idea",
    says="The probabilities sum to more than 1: each of the V words got alpha, so the sum of the "
    "row grew by alpha V, not by alpha.",
)
def adds_alpha_once(self, word, context):
    return (self.row(context).get(word, 0) + self.alpha) / (self.total(context) + self.alpha)


@misconception(
    "2.5",
    replaces="Additive.estimate",
    kind="idea",
    says="Words that were not seen after u still have probability 0: they get alpha, too.",
)
def adds_to_seen_words_only(self, word, context):
    row = self.row(context)
    if word not in row:
        return 0.0
    return (row[word] + self.alpha) / (self.total(context) + self.alpha * len(row))


@misconception(
    "2.5",
    replaces="Additive.estimate",
    kind="idea",
    says="V is the size of the whole vocabulary, not the number of words seen after u.",
)
def takes_the_row_for_the_vocabulary(self, word, context):
    row = self.row(context)
    V = len(row) or len(self.vocabulary)
    return (row.get(word, 0) + self.alpha) / (self.total(context) + self.alpha * V)


@misconception(
    "2.11",
    replaces="generate",
    kind="idea",
    says="You always took the most likely word: draw one, with the probabilities as chances.",
)
def takes_the_most_likely_word(model, rng, max_words=50):
    return draw(model, max_words, lambda chances: max(chances, key=chances.get))


@misconception(
    "2.11",
    replaces="generate",
    kind="idea",
    says="You drew each word with the same chance: pass the probabilities to rng.choice as p.",
)
def draws_uniformly(model, rng, max_words=50):
    return draw(model, max_words, lambda chances: list(chances)[rng.integers(len(chances))])


@misconception(
    "2.11",
    replaces="generate",
    says="EOS ends the sentence, but does not belong to the words that are returned.",
)
def returns_the_end(model, rng, max_words=50):
    words = generated(model, rng, max_words)
    return [*words, EOS] if len(words) < max_words else words


@misconception(
    "2.11",
    replaces="generate",
    kind="idea",
    says="You made a generator of your own: only `rng` may decide, so that a run can be repeated.",
)
def ignores_the_generator(model, rng, max_words=50):
    return generated(model, np.random.default_rng(12345), max_words)


def generated(model, rng, max_words):
    return draw(
        model,
        max_words,
        lambda chances: list(chances)[rng.choice(len(chances), p=list(chances.values()))],
    )


def draw(model, max_words, choose):
    history = [BOS] * (model.n - 1)
    for _ in range(max_words):
        word = choose(model.distribution(history))
        if word == EOS:
            break
        history.append(word)
    return history[model.n - 1 :]
