"""More plausible mistakes in section 2.4: one part of the right code is changed."""

import math

from examiner.judge.misconceptions import misconception

BOS, EOS = "<s>", "</s>"


def padded(sentence, n):
    return [BOS] * (n - 1) + list(sentence) + [EOS]


def slide(tokens, n):
    return [tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)]


def mistake(task_id, replaces, says, kind=""):
    return misconception(task_id, replaces=replaces, says=says, kind=kind)


@mistake(
    "2.4", "perplexity", "That is the cross-entropy in nats: perplexity is exp of it.", kind="idea"
)
def gives_the_cross_entropy(log_probs):
    return -sum(log_probs) / len(log_probs)


@mistake(
    "2.4",
    "perplexity",
    "The mean is taken of the logarithms, before exp, not of the inverse probabilities.",
    kind="idea",
)
def averages_the_inverses(log_probs):
    return sum(math.exp(-x) if x > -math.inf else math.inf for x in log_probs) / len(log_probs)


@mistake(
    "2.4",
    "perplexity",
    "The mean is taken of the logarithms, before exp, not of the probabilities.",
    kind="idea",
)
def inverts_the_mean_probability(log_probs):
    return len(log_probs) / sum(math.exp(x) for x in log_probs)


@mistake(
    "2.4",
    "perplexity",
    "A word of probability 0 may not be left out: it makes the perplexity infinite.",
    kind="edge",
)
def leaves_infinite_logs_out(log_probs):
    kept = [x for x in log_probs if x > -math.inf]
    return math.exp(-sum(kept) / len(kept))


@mistake("2.4", "perplexity", "Divide by the number of log-probabilities, not by one less.")
def divides_by_one_less(log_probs):
    return math.exp(-sum(log_probs) / max(1, len(log_probs) - 1))


def logs(self, sentences, zero=-math.inf, log=math.log):
    grams = [gram for s in sentences for gram in slide(padded(s, self.n), self.n)]
    probs = [self.prob(gram[-1], gram[:-1]) for gram in grams]
    return [log(p) if p > 0 else zero for p in probs]


@mistake(
    "2.4",
    "NGramModel.log_probs",
    "The logarithm of probability 0 is minus infinity; 0 is that of probability 1.",
    kind="edge",
)
def gives_zero_for_probability_zero(self, sentences):
    return logs(self, sentences, 0.0)


@mistake(
    "2.4",
    "NGramModel.log_probs",
    "A smallest probability of your own hides that the model gave 0: the answer is -inf there.",
    kind="edge",
)
def clips_probability_zero(self, sentences):
    return [max(x, math.log(1e-12)) for x in logs(self, sentences)]


@mistake(
    "2.4", "NGramModel.log_probs", "All sentences share one flat list: extend it, do not append."
)
def nests_the_logs(self, sentences):
    return [logs(self, [sentence]) for sentence in sentences]


@mistake(
    "2.4",
    "NGramModel.log_probs",
    "There is a number for each word and each end, not a sum for each sentence.",
    kind="idea",
)
def sums_each_sentence(self, sentences):
    return [sum(logs(self, [sentence])) for sentence in sentences]


@mistake(
    "2.4",
    "NGramModel.log_probs",
    "You asked for P(w) without its context: prob takes the words before as its second argument.",
    kind="idea",
)
def leaves_the_context_out(self, sentences):
    grams = [gram for s in sentences for gram in slide(padded(s, self.n), self.n)]
    probs = [self.prob(gram[-1]) for gram in grams]
    return [math.log(p) if p > 0 else -math.inf for p in probs]


@mistake(
    "2.4",
    "NGramModel.log_probs",
    "The sentences were read as one: each begins after begin symbols of its own.",
    kind="idea",
)
def reads_all_as_one_sentence(self, sentences):
    return logs(self, [[word for sentence in sentences for word in sentence]])


@mistake(
    "2.4",
    "NGramModel.log_probs",
    "The sign is turned around: the logarithm of a probability is at most 0.",
    kind="idea",
)
def gives_surprisals(self, sentences):
    return [-x for x in logs(self, sentences)]
