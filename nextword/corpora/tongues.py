"""Three hundred sentences each of English, Swedish and French, written for this course.

They are not translations of each other. Leaves out: speech, names of places and people for the most
part, and everything longer than a sentence.
"""

from functools import cache
from importlib import resources

from examiner.errors import UserError
from nextword.corpora import text

LANGUAGES = ("english", "french", "swedish")
TEST_PERCENT = 25
VALIDATION_PERCENT = 10


def sentences(language: str, split: str | None = None) -> list[str]:
    """The sentences of a language in one split, or all of them, in the order of the file.

    A sentence's split depends on its own text alone. Raises `UserError` for an unknown language or
    split, which lists the known ones.

    >>> sentences("swedish")[2]
    'Har du sett min andra vante?'
    >>> [len(sentences("french", split)) for split in text.SPLITS]
    [193, 23, 84]
    """
    if language not in LANGUAGES:
        raise UserError(f"unknown language {language!r}: expected one of {', '.join(LANGUAGES)}")
    lines = _lines(language)
    if split is None:
        return list(lines)
    wanted = text.checked_split(split)
    return [line for line in lines if _split_of(line) == wanted]


def labelled(split: str | None = None) -> list[tuple[str, str]]:
    """Pairs of a sentence and its language, all three languages, in a fixed order.

    >>> labelled()[0]
    ('The kettle began to sing before anyone in the house was awake.', 'english')
    """
    return [(line, language) for language in LANGUAGES for line in sentences(language, split)]


def description() -> str:
    """One line: how much text there is.

    >>> description()
    '900 original sentences: 300 in English, 300 in French, 300 in Swedish.'
    """
    counts = {language: len(_lines(language)) for language in LANGUAGES}
    parts = ", ".join(f"{count} in {name.capitalize()}" for name, count in counts.items())
    return f"{sum(counts.values())} original sentences: {parts}."


@cache
def _lines(language: str) -> tuple[str, ...]:
    """The lines of a language's file."""
    path = resources.files("nextword.corpora") / "data" / f"{language}.txt"
    return tuple(path.read_text(encoding="utf-8").split("\n")[:-1])


def _split_of(line: str) -> text.Split:
    return text.split_of(line, validation=VALIDATION_PERCENT, test=TEST_PERCENT)
