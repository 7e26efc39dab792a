"""Problems in the village's words whose answers a program can check: a letter that is handed on.

Leaves out: networks that learn to solve them (nextword.models.recipes.after_training_thinking).
"""

from dataclasses import dataclass

import numpy as np

from nextword.given.vocabulary import EOS

NAMES = (
    *("anna", "axel", "clara", "david", "emil", "emma", "felix", "greta", "hugo", "ida", "jonas"),
    *("karin", "leo", "maja", "nils", "olga", "oskar", "peter", "rosa", "sven", "vera"),
)
CHAINS = (
    3  # of people who hand letters on, all of one length; so a guess is right one time in three
)
LONGEST = len(NAMES) // CHAINS - 1  # steps
MARK, FILLER = "answer", "and"  # before the answer; the word of a scratch that says nothing
SCRATCHES = ("none", "path", "filler")
WORDS = (*NAMES, "keeps", ",", "letter", FILLER, MARK)

Words = tuple[str, ...]


@dataclass(frozen=True)
class Problem:
    """A question, and each hand that the letter comes to: the last one keeps it."""

    question: Words
    path: Words  # one name for each step

    @property
    def answer(self) -> Words:
        """The right answer: who keeps the letter."""
        return self.path[-1:]

    def scratch(self, kind: str) -> Words:
        """What stands between the question and the mark; see `solution`."""
        if kind not in SCRATCHES:
            raise ValueError(f"scratch={kind!r}: expected one of {', '.join(SCRATCHES)}")
        return {"none": (), "path": self.path, "filler": (FILLER,) * len(self.path)}[kind]

    def solution(self, kind: str) -> Words:
        """The scratch, the mark and the answer.

        kind: "none"; "path", each hand in turn; "filler", as many words that say nothing. Others
        raise ValueError.

        >>> problem = Problem(("letter", "anna"), ("emil", "ida"))
        >>> problem.solution("path")
        ('emil', 'ida', 'answer', 'ida')
        >>> problem.solution("filler")
        ('and', 'and', 'answer', 'ida')
        """
        return (*self.scratch(kind), MARK, *self.answer)


@dataclass(frozen=True)
class Round:
    """Who hands letters to whom. Who keeps them is no giver."""

    taker: dict[str, str]  # by giver
    starts: Words  # the first of each chain
    told: Words  # all of this in words, its sentences in random order

    def problem(self, start: str) -> Problem:
        """Who keeps the letter that begins at a giver?"""
        path = [self.taker[start]]
        while path[-1] in self.taker:
            path.append(self.taker[path[-1]])
        return Problem((*self.told, "letter", start), tuple(path))


def drawn(n_steps: int, rng: np.random.Generator) -> Round:
    """CHAINS chains of n_steps + 1 people, n_steps from 1 to LONGEST.

    Nothing but the chain tells which of the CHAINS keepers is right: all chains have one length,
    and the sentences stand in random order.

    >>> found = drawn(2, np.random.default_rng(0))
    >>> found.told[:6]
    ('felix', 'keeps', ',', 'leo', 'david', ',')
    >>> len(found.problem(found.starts[0]).path)
    2
    """
    if not 1 <= n_steps <= LONGEST:
        raise ValueError(f"n_steps must be 1 to {LONGEST}, got {n_steps}")
    people = [NAMES[k] for k in rng.permutation(len(NAMES))[: CHAINS * (n_steps + 1)]]
    chains = [people[k::CHAINS] for k in range(CHAINS)]
    pairs = [pair for chain in chains for pair in zip(chain, [*chain[1:], "keeps"], strict=True)]
    told = [word for k in rng.permutation(len(pairs)) for word in (*pairs[k], ",")]
    taker = {giver: hand for giver, hand in pairs if hand != "keeps"}
    return Round(taker, tuple(chain[0] for chain in chains), tuple(told))


def lesson(
    n_steps: int, kind: str, n_questions: int, rng: np.random.Generator
) -> tuple[Words, list[bool]]:
    """A round and several questions about it with their solutions, each of which ends with EOS.

    kind: that of the scratch. The second list says which words are to be learned: the solutions,
    but no filler. n_questions givers are drawn, all of them if there are fewer.
    """
    found = drawn(n_steps, rng)
    givers = list(found.taker)
    words, learned = list(found.told), [False] * len(found.told)
    for k in rng.permutation(len(givers))[:n_questions]:
        problem = found.problem(givers[k])
        asked, solved = problem.question[len(found.told) :], (*problem.solution(kind), EOS)
        words += [*asked, *solved]
        learned += [False] * len(asked) + [word != FILLER for word in solved]
    return tuple(words), learned
