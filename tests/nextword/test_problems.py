"""Problems with checkable answers: their chains, their scratches, and what is to be learned."""

import numpy as np
import pytest

from nextword.corpora import problems
from nextword.corpora.problems import CHAINS, LONGEST, Problem, drawn, lesson
from nextword.given.vocabulary import EOS


def followed(told: tuple[str, ...], start: str) -> list[str]:
    """The hands that a letter comes to, read off the sentences alone."""
    taker = dict(zip(told[::3], told[1::3], strict=True))
    hands = [start]
    while taker[hands[-1]] != "keeps":
        hands.append(taker[hands[-1]])
    return hands[1:]


@pytest.mark.parametrize("n_steps", range(1, LONGEST + 1))
def test_the_answer_follows_from_the_sentences(n_steps: int) -> None:
    found = drawn(n_steps, np.random.default_rng(n_steps))
    for start in found.starts:
        problem = found.problem(start)
        assert list(problem.path) == followed(found.told, start)
        assert len(problem.path) == n_steps
        assert problem.question[-2:] == ("letter", start)


def test_nothing_but_the_chain_tells_the_keepers_apart() -> None:
    found = drawn(3, np.random.default_rng(0))
    takers = list(found.taker.values())
    keepers = [name for name in takers if name not in found.taker]
    assert len(keepers) == CHAINS
    assert {len(found.problem(start).path) for start in found.starts} == {3}
    assert len(takers) == len(set(takers))


def test_sentences_stand_in_random_order() -> None:
    places = []
    for seed in range(300):
        found = drawn(2, np.random.default_rng(seed))
        places.append(found.told.index(found.starts[0]) // 3)
    assert set(places) == set(range(3 * CHAINS))


def test_a_filler_is_as_long_as_the_path_and_says_nothing() -> None:
    problem = Problem(("letter", "anna"), ("emil", "ida", "leo"))
    path, filler = problem.solution("path"), problem.solution("filler")
    assert len(path) == len(filler)
    assert not {"emil", "ida"} & set(filler)
    assert path[-2:] == filler[-2:] == ("answer", "leo")


def test_fillers_and_questions_are_not_learned() -> None:
    for kind in problems.SCRATCHES:
        words, learned = lesson(2, kind, 4, np.random.default_rng(0))
        counted = [word for word, counts in zip(words, learned, strict=True) if counts]
        assert len(words) == len(learned)
        assert counted.count(EOS) == words.count(EOS) == 4
        assert "letter" not in counted
        assert problems.FILLER not in counted
        assert len(counted) == {"none": 12, "filler": 12}.get(kind, len(counted))
    assert problems.FILLER in lesson(2, "filler", 1, np.random.default_rng(0))[0]


@pytest.mark.parametrize("n_steps", [0, LONGEST + 1])
def test_too_few_or_too_many_steps(n_steps: int) -> None:
    with pytest.raises(ValueError, match="n_steps must be 1 to"):
        drawn(n_steps, np.random.default_rng(0))


def test_an_unknown_scratch() -> None:
    with pytest.raises(ValueError, match="expected one of none, path, filler"):
        Problem((), ("anna",)).solution("thoughts")
