"""Draws small tables of counts, with their vocabularies, for the small inputs of chapter 2."""

from collections.abc import Iterator

from examiner.counterexamples import Example, Small, example
from tests.ngrams.suite import oracles as plain

BOS, EOS = "<s>", "</s>"
LETTERS = "abcdefghi"


def in_order(words: list[str]) -> list[str]:
    """Return words with other letters: the first is an a, the next new one a b, and so on."""
    new = {old: LETTERS[place] for place, old in enumerate(dict.fromkeys(words))}
    return [new[word] for word in words]


def few_sentences(draw: Small, how_many: int, longest: int, least: int = 1) -> list[list[str]]:
    """Return sentences of a few words, of which the first is an a."""
    lengths = [draw.integer(least, longest) for _ in range(how_many)]
    words = iter(in_order([draw.word("aabc") for _ in range(sum(lengths))]))
    return [[next(words) for _ in range(length)] for length in lengths]


def positions(sentence: list[str], n: int) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the context and the word of each position of a padded sentence."""
    padded = [BOS] * (n - 1) + sentence + [EOS]
    for start in range(len(sentence) + 1):
        *context, word = padded[start : start + n]
        yield tuple(context), word


def counts(tokens: list[str], n: int) -> list[dict]:
    """Return the tables of a running text, in which nothing is padded."""
    tables: list[dict] = [{} for _ in range(n)]
    for k in range(n):
        for start in range(len(tokens) - k):
            *context, word = tokens[start : start + k + 1]
            row = tables[k].setdefault(tuple(context), {})
            row[word] = row.get(word, 0) + 1
    return tables


def words_of(tables: list[dict]) -> list[str]:
    """Return the words that were counted, the end of a sentence last."""
    found = {word for table in tables for row in table.values() for word in row}
    return sorted(found, key=lambda word: (word == EOS, word))


def with_new_word(draw: Small, words: list[str]) -> list[str]:
    """Return a vocabulary with one more word, which may be the end of a sentence."""
    if EOS not in words and draw.yes():
        return [*words, EOS]
    new = next(letter for letter in LETTERS if letter not in words)
    return sorted([*words, new], key=lambda word: (word == EOS, word))


def unigrams(draw: Small, most: int = 3) -> tuple[list[dict], list[str]]:
    """Return one table, and a vocabulary of two words or more, of which one may be new."""
    row = {letter: draw.integer(1, 3) for letter in LETTERS[: draw.length(1, most)]}
    words = [*row]
    return [{(): row}], with_new_word(draw, words) if draw.yes() or len(words) < 2 else words


def a_text(draw: Small, n: int) -> tuple[list[dict], list[str]]:
    """Return the tables of a running text, and a vocabulary that may be larger."""
    letters = "ab" if draw.size < 4 else "abc"
    tables = counts(in_order(draw.words(4, least=n, letters=letters)), n)
    words = words_of(tables)
    return tables, with_new_word(draw, words) if draw.yes() or len(words) < 2 else words


def padded_text(draw: Small, n: int) -> tuple[list[dict], list[str]]:
    """Return the tables of padded sentences, and a vocabulary that may be larger."""
    sentences = [["a"], ["b"], ["a", "b"], ["a", "a"]]
    tables = plain.count([draw.choice(sentences) for _ in range(draw.length(1, 2))], n)
    words = words_of(tables)
    return tables, with_new_word(draw, words) if draw.yes() else words


def a_context(draw: Small, tables: list[dict], words: list[str]) -> list[str]:
    """Return a context: in two of three cases one that was seen, else any words."""
    k = draw.integer(1, len(tables) - 1)
    if tables[k] and draw.integer(0, 2):
        return list(draw.choice([*tables[k]]))
    return [draw.choice([word for word in words if word != EOS]) for _ in range(k)]


def asked(call: str, context: list[str], **arguments: object) -> Example:
    """Return an example of a model and its distribution after a context."""
    code = f"{call}.distribution({'context' if context else ''})"
    return example(code, **arguments, **({"context": context} if context else {}))


def small_share(draw: Small) -> float:
    """Return a discount."""
    return draw.choice([0.5, 0.5, 0.25, 0.75])


def discounted(draw: Small, call: str, tables: list[dict], words: list[str]) -> Example:
    """Return an example of a model with a discount, after a context."""
    context = a_context(draw, tables, words)
    return asked(call, context, tables=tables, words=words, discount=small_share(draw))


def after_a_word(draw: Small, call: str) -> Example:
    """Return an example of a model of bigrams with a discount."""
    return discounted(draw, call, *draw.choice([a_text, a_text, padded_text])(draw, 2))


def after_two_words(draw: Small, call: str) -> Example:
    """Return an example of a model of trigrams with a discount."""
    return discounted(draw, call, *a_text(draw, 3))
