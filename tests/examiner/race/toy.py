"""A small language with a known truth, entries for it, and a race that lasts a moment."""

from collections.abc import Sequence

import numpy as np

from examiner.race.rules import Ground, Rules

WORDS = ("a", "b", "c", "</s>")
END = 3
# P(next word | last word); before a text the last word is its end, which is never said at once
CHAIN = np.array(
    [[0.1, 0.6, 0.2, 0.1], [0.3, 0.1, 0.5, 0.1], [0.4, 0.4, 0.0, 0.2], [0.5, 0.5, 0, 0]]
)
RULES = Rules(
    per_thousand=1.0,
    to_load=1.0,
    batch=16,
    again=6,
    alone=2,
    written=20,
    longest=60,
    memory=256 << 20,
)
KINDS = ("first", "later")


def true_rows(text: Sequence[int]) -> np.ndarray:
    """The truth at each place of a text."""
    return CHAIN[[END, *text[:-1]]]


def accepts(text: Sequence[int]) -> bool:
    """Whether the chain can say a text."""
    rows = true_rows(text)
    return text[-1] == END and bool((rows[np.arange(len(text)), list(text)] > 0).all())


def ground(n: int = 48, seed: int = 0) -> Ground:
    """Some texts of the chain."""
    rng = np.random.default_rng(seed)
    texts = []
    for _ in range(n):
        text = [int(rng.choice(4, p=CHAIN[END]))]
        while text[-1] != END:
            text.append(int(rng.choice(4, p=CHAIN[text[-1]])))
        texts.append(np.array(text))
    rows = [true_rows(text) for text in texts]
    return Ground(
        vocabulary=WORDS,
        end=END,
        texts=tuple(texts),
        log_probs=tuple(np.log(r[np.arange(len(t)), t]) for r, t in zip(rows, texts, strict=True)),
        kinds=tuple(np.minimum(np.arange(len(text)), 1) for text in texts),
        kind_names=KINDS,
        true_rows=true_rows,
        accepts=accepts,
    )


HONEST = '''
import numpy as np

class Model:
    """Knows roughly how often a word follows another one."""
    table = np.array([[2, 5, 2, 1], [3, 1, 4, 2], [4, 4, 1, 1], [4, 4, 1, 1]]) / 10

    def begin(self, n):
        return self.table[[3] * n]

    def next(self, words):
        return self.table[words]

def load(folder, vocabulary):
    return Model()
'''


def with_rows(code: str) -> dict[str, bytes]:
    """An entry whose rows are changed on the way out: `code` is the body of change(rows)."""
    body = "\n    ".join(code.strip().splitlines())
    text = f"{HONEST}\n\ndef change(rows):\n    {body}\n"
    for call in ("self.table[[3] * n]", "self.table[words]"):
        text = text.replace(f"return {call}", f"return change({call}.copy())")
    return {"model.py": text.encode()}


def entry(code: str) -> dict[str, bytes]:
    """An honest entry with more code at its end."""
    return {"model.py": (HONEST + code).encode()}


class Known:
    """A model in this process: what it was told, and the honest rows."""

    def __init__(self, table: np.ndarray = CHAIN) -> None:
        self.table, self.calls = table, list[object]()

    def begin(self, n: int) -> np.ndarray:
        """The first rows."""
        self.calls.append(n)
        return self.table[[END] * n].astype(np.float32)

    def follow(self, words: np.ndarray) -> np.ndarray:
        """The next rows."""
        self.calls.append(words.tolist())
        return self.table[words].astype(np.float32)
