"""The kinds of fact that a word can depend on, and how a word is marked with its kind."""

from nextword.corpora.corpus import EOS

PHRASE, CHOICE = "phrase", "choice"
LIST, WORLD = "list", "world"

# what a reader must know to predict the word; the order is that of every table and picture
KINDS = {
    PHRASE: "the wording: the few words before leave nothing else to say",
    CHOICE: "a free choice: nobody can know",
    "agreement": "one or several: the verb goes with its subject",
    "pronoun": "who is meant by she, he or it",
    "sense": "the sense of a word: a bank of a river, or a bank for money",
    WORLD: "knowledge of the world: true in every story",
    "name": "a person who was named before",
    "thing": "a thing, an animal or a colour that was named before",
    "place": "where something or somebody is",
    "count": "how many there are",
    LIST: "a list to keep in mind: what was wanted, brought, or happened",
    "cause": "an earlier event that decides what happens now",
    "promise": "a promise that is kept, or a wish that comes true or not",
}
MARK = "/"  # "spade/thing": the word and its kind
END = f"{EOS}{MARK}{PHRASE}"  # `</s>` holds the sign of a mark, so it is always written with one


def marked(text: str, kind: str) -> str:
    """The text with every word marked; a mark that is already there stays.

    >>> marked("the feast with anna/name", "list")
    'the/list feast/list with/list anna/name'
    """
    return " ".join(w if MARK in w else f"{w}{MARK}{kind}" for w in text.split())


def unmarked(text: str) -> str:
    """The text without its marks.

    >>> unmarked("the feast/list with anna/name")
    'the feast with anna'
    """
    if MARK not in text:
        return text
    return " ".join(read(text)[0])


def read(text: str, kind: str = PHRASE) -> tuple[list[str], list[str]]:
    """The words of a text and their kinds; `kind` is that of words without a mark."""
    words = text.split()
    if MARK not in text:
        return words, [kind] * len(words)
    kinds = []
    for place, word in enumerate(words):
        words[place], _, said = word.rpartition(MARK) if MARK in word else (word, "", "")
        kinds.append(said or kind)
    return words, kinds
