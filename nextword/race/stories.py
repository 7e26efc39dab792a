"""Stories that nobody has seen, told afresh from a secret, with what is true of each word.

Each story draws from a stream of its own, SHAKE-256 of the secret and the story's number: whoever
knows the program and has heard any number of stories cannot tell the next. (The village's own
generator is quick, and no secret: its streams can be told from each other.) Leaves out who is asked
about the stories (examiner/race).
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence

import numpy as np

from examiner.errors import UserError
from examiner.race.rules import Ground, Text
from nextword.corpora import village
from nextword.corpora.corpus import EOS
from nextword.corpora.village.kinds import KINDS
from nextword.corpora.village.story import story
from nextword.corpora.village.vocabulary import VOCABULARY
from nextword.corpora.village.world import VILLAGE

WORDS = tuple(sorted({*VOCABULARY, EOS}))  # the vocabulary, as the ladder's models know it
NUMBER = {word: k for k, word in enumerate(WORDS)}
DRAWS = 256  # numbers that are made at a time; few stories need more
FEWEST_STORIES = 2


def drawn_secret(given: str | None) -> str:
    """The secret of a race: as given, or drawn from the system. UserError for a blank one."""
    if given is None:
        return os.urandom(16).hex()
    if not given.strip():
        raise UserError("--seed is empty: give a text that nobody can guess, or leave --seed out")
    return given


def digest_of(secret: str) -> str:
    """What may be shown of a secret before it is revealed; the same secret shows the same."""
    return hashlib.sha256(f"shown {secret}".encode()).hexdigest()[:12]


def number_from(secret: str, purpose: str) -> int:
    """A number for a generator that serves one purpose."""
    return int.from_bytes(hashlib.sha256(f"{purpose} {secret}".encode()).digest()[:16], "big")


def uniforms(secret: str, number: int) -> Iterator[float]:
    """The endless draws of a story, evenly spread over [0, 1)."""
    block = 0
    while True:
        key = f"story {secret} {number} {block}".encode()
        bits = np.frombuffer(hashlib.shake_256(key).digest(8 * DRAWS), dtype="<u8")
        yield from ((bits >> np.uint64(11)) * 2.0**-53).tolist()
        block += 1


def told(secret: str, number: int) -> tuple[list[str], list[float], list[str]]:
    """A story: its words with `</s>`, the true ln P of each, and the kind of fact of each."""
    draws, program = uniforms(secret, number), story(VILLAGE)
    words: list[str] = []
    log_probs: list[float] = []
    kinds: list[str] = []
    options = next(program)
    try:
        while True:
            chance = VILLAGE.phrasebook[options] if isinstance(options, str) else options
            said, logs, facts, phrase = chance.draw(next(draws))
            words += said
            log_probs += logs
            kinds += facts
            options = program.send(phrase)
    except StopIteration:
        return words, log_probs, kinds


def ground(secret: str, n_words: int) -> Ground:
    """Fresh stories, at least `n_words` words of them, and what is true of them.

    >>> race = ground("any", 1000)
    >>> race.words >= 1000, race.accepts(race.texts[0])
    (True, True)
    """
    if n_words < 1:
        raise UserError(f"--words must be at least 1, got {n_words}")
    names = list(KINDS)
    texts: list[Text] = []
    log_probs: list[np.ndarray] = []
    kinds: list[np.ndarray] = []
    n = 0
    while n < n_words or len(texts) < FEWEST_STORIES:
        words, logs, facts = told(secret, len(texts))
        texts.append(np.array([NUMBER[word] for word in words]))
        log_probs.append(np.array(logs))
        kinds.append(np.array([names.index(kind) for kind in facts]))
        n += len(words)
    return Ground(
        vocabulary=WORDS,
        end=NUMBER[EOS],
        texts=tuple(texts),
        log_probs=tuple(log_probs),
        kinds=tuple(kinds),
        kind_names=tuple(names),
        true_rows=true_rows,
        accepts=accepts,
    )


def true_rows(text: Text) -> np.ndarray:
    """The true distribution at each place of a story, (words, V) in float32."""
    listener = village.Listener()
    rows = np.zeros((len(text), len(WORDS)), dtype=np.float32)
    for row, word in zip(rows, text, strict=True):
        for other, p in listener.probabilities():
            row[NUMBER[other]] = p
        listener.hear(WORDS[word])
    return rows


def accepts(text: Sequence[int]) -> bool:
    """Tell whether the village could have told this story, its end included."""
    return village.score([WORDS[word] for word in text]).complete


def training_text(n_words: int = 1_000_000) -> list[np.ndarray]:
    """The course's training stories as rows of numbers, each with its end."""
    stories = village.split("train", n_words).stories()
    return [np.array([NUMBER[word] for word in [*each, EOS]]) for each in stories]
