"""Small inputs of chapter 2 with words that are no texts: numbers, and words with spaces."""

from examiner.counterexamples import Example, Small, example, small
from tests.ngrams.suite.small_tables import EOS


@small("2.2", "count_ngrams", tries=2, last=True)
def words_that_are_no_texts(draw: Small) -> Example:
    sentences = draw.choice([[[7]], [["New York"]]])
    return example("list(count_ngrams(sentences, n))", sentences=sentences, n=2)


@small("2.11", "generate", tries=1, last=True)
def numbers_to_draw(draw: Small) -> Example:
    code = "list(generate(NGramModel(tables, words), np.random.default_rng(0), max_words))"
    return example(code, tables=[{(): {7: 1}}], words=[7, EOS], max_words=2)
