# Chapter 2, my own way: every model turns a context into a whole row of probabilities,
# starting from the uniform row and adding one word of context at a time.
import math
from collections import defaultdict

BOS = "<s>"
EOS = "</s>"
FALLBACK_DISCOUNTS = (0.5, 1.0, 1.5)


def pad(sentence, n):
    if n < 1:
        raise ValueError("n must be positive")
    out = []
    while len(out) < n - 1:
        out.append(BOS)
    for token in sentence:
        out.append(token)
    return out + [EOS]


def windows(tokens, n):
    if n < 1:
        raise ValueError("n must be positive")
    found, window = [], []
    for token in tokens:
        window.append(token)
        if len(window) > n:
            window = window[1:]
        if len(window) == n:
            found.append(tuple(window))
    return found


def count_ngrams(sentences, n):
    return [count_one_length(sentences, k) for k in range(n)]


def count_one_length(sentences, k):
    table = defaultdict(lambda: defaultdict(int))
    for sentence in sentences:
        context = (BOS,) * k
        for token in [*sentence, EOS]:
            table[context][token] += 1
            context = (*context, token)[1:] if k else ()
    return {context: dict(row) for context, row in table.items()}


def perplexity(log_probs):
    cross_entropy = 0.0
    for log_prob in log_probs:
        cross_entropy -= log_prob / len(log_probs)
    return math.e**cross_entropy if cross_entropy < math.inf else math.inf


def endings(context):
    """(), last word, last two words, ..., everything."""
    for start in range(len(context), -1, -1):
        yield context[start:]


class NGramModel:
    """Subclasses say how a row changes when one more word of context becomes known."""

    def __init__(self, tables, vocabulary):
        self.tables = tables
        self.n = len(tables)
        self.vocabulary = list(vocabulary)
        self.cache = {}

    def counts(self, context):
        return self.tables[len(context)].get(tuple(context), {})

    def uniform(self):
        return {word: 1 / len(self.vocabulary) for word in self.vocabulary}

    def next_row(self, row, context):
        """A model whose tables hold probabilities already."""
        counts = self.counts(context)
        return {word: counts.get(word, 0) for word in self.vocabulary}

    def whole_row(self, context):
        if context not in self.cache:
            if context:
                start = self.whole_row(context[1:])
            else:
                start = self.uniform()
            self.cache[context] = self.next_row(start, context)
        return self.cache[context]

    def distribution(self, context=()):
        context = tuple(context)
        while len(context) > self.n - 1:
            context = context[1:]
        return dict(self.whole_row(context))

    def prob(self, word, context=()):
        return self.distribution(context).get(word, 0)

    def log_probs(self, sentences):
        found = []
        for sentence in sentences:
            history = [BOS] * (self.n - 1)
            for word in list(sentence) + [EOS]:
                p = self.prob(word, history)
                found.append(math.log(p) if p else -math.inf)
                history.append(word)
        return found


class MLE(NGramModel):
    def next_row(self, row, context):
        counts = self.counts(context)
        total = sum(counts.values()) or 1
        return {word: counts.get(word, 0) / total for word in self.vocabulary}


class Additive(NGramModel):
    def __init__(self, tables, vocabulary, alpha=1.0):
        super().__init__(tables, vocabulary)
        self.alpha = alpha

    def next_row(self, row, context):
        smoothed = {w: self.counts(context).get(w, 0) + self.alpha for w in self.vocabulary}
        total = sum(smoothed.values())
        return {word: count / total for word, count in smoothed.items()}


class Interpolated(NGramModel):
    def __init__(self, tables, vocabulary, weights):
        super().__init__(tables, vocabulary)
        self.weights = weights

    def next_row(self, row, context):
        used = [(self.weights[0], self.uniform())]
        for weight, ending in zip(self.weights[1:], endings(context)):
            counts = self.counts(ending)
            if counts:
                total = sum(counts.values())
                used.append((weight, {word: count / total for word, count in counts.items()}))
        whole = sum(weight for weight, _ in used)
        return {
            word: sum(weight * part.get(word, 0) for weight, part in used) / whole
            for word in self.vocabulary
        }


class AbsoluteDiscounting(NGramModel):
    def __init__(self, tables, vocabulary, discount=0.75):
        super().__init__(tables, vocabulary)
        self.discounts = [[0, discount, discount, discount] for _ in tables]

    def reduced(self, context):
        discounts = self.discounts[len(context)]
        return {w: c - discounts[min(c, 3)] for w, c in self.counts(context).items()}

    def saved(self, context):
        total = sum(self.counts(context).values())
        if total == 0:
            return 1.0
        return (total - sum(self.reduced(context).values())) / total

    def next_row(self, row, context):
        total = sum(self.counts(context).values())
        if total == 0:
            return row
        reduced, saved = self.reduced(context), self.saved(context)
        return {w: reduced.get(w, 0) / total + saved * row[w] for w in self.vocabulary}


class Backoff(NGramModel):
    def __init__(self, tables, vocabulary, discount=0.75):
        super().__init__(tables, vocabulary)
        self.discount = discount

    def backoff_weight(self, context):
        counts = self.counts(context)
        if not counts:
            return 1
        below = self.whole_row(context[1:]) if context else self.uniform()
        missing = sum(p for word, p in below.items() if word not in counts)
        if not set(self.vocabulary) - set(counts):
            return 0
        return self.discount * len(counts) / sum(counts.values()) / missing

    def next_row(self, row, context):
        counts = self.counts(context)
        total = sum(counts.values())
        weight = self.backoff_weight(context)
        result = {word: weight * row[word] for word in self.vocabulary}
        for word, count in counts.items():
            result[word] = (count - self.discount * (weight > 0)) / total
        return result


def continuation_counts(tables):
    result = []
    for k, table in enumerate(tables):
        new = {}
        for context, row in table.items():
            if context.count(BOS) > 1:
                continue
            if BOS in context or k + 1 == len(tables):
                new[context] = {word: count for word, count in row.items()}
        if k + 1 < len(tables):
            before = defaultdict(set)
            for context, row in tables[k + 1].items():
                if BOS not in context[1:]:
                    for word in row:
                        before[context[1:], word].add(context[0])
            for (context, word), neighbours in before.items():
                new.setdefault(context, {})[word] = len(neighbours)
        result.append(new)
    return result


class KneserNey(AbsoluteDiscounting):
    def __init__(self, tables, vocabulary, discount=0.75):
        super().__init__(continuation_counts(tables), vocabulary, discount)


def modified_discounts(table):
    how_many = {1: 0, 2: 0, 3: 0, 4: 0}
    for row in table.values():
        for count in row.values():
            if count in how_many:
                how_many[count] += 1
    try:
        y = how_many[1] / (how_many[1] + 2 * how_many[2])
        found = []
        for c in (1, 2, 3):
            found.append(c - (c + 1) * y * how_many[c + 1] / how_many[c])
    except ZeroDivisionError:
        return FALLBACK_DISCOUNTS
    return FALLBACK_DISCOUNTS if any(d < 0 for d in found) else tuple(found)


class ModifiedKneserNey(KneserNey):
    def __init__(self, tables, vocabulary):
        super().__init__(tables, vocabulary)
        self.discounts = [[0, *modified_discounts(table)] for table in self.tables]


def generate(model, rng, max_words=50):
    history = [BOS] * (model.n - 1)
    words = []
    for _ in range(max_words):
        point, word = rng.random(), None
        for word, p in model.distribution(history).items():
            point -= p
            if point < 0:
                break
        if word == EOS:
            break
        words.append(word)
        history.append(word)
    return words
