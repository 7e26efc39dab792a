"""What a model is told and when, and what its rows are worth: without any process."""

import math

import numpy as np
import pytest

from examiner.race import heat, judging
from examiner.race.judging import DIFFERS, KEEPS, Estimate, share
from examiner.race.ranks import ranks
from examiner.race.rows import require_rows
from examiner.race.rules import OutError
from tests.examiner.race.toy import CHAIN, END, RULES, Known, ground, true_rows

ALL = list(range(48))
EVEN = np.full((4, 4), 0.25)


def raced(model: Known, accepted: tuple[int, int] = (1, 2)) -> judging.Scores:
    race = ground()
    found = heat.run(model, race, RULES, ALL, keep=ALL)
    return judging.scores(
        race, found.surprises, accepted, 1.0, judging.true_share(race, found.rows)
    )


# ------------------------------------------------------------------------------ what is told


def test_a_word_is_told_only_after_the_row_for_its_place() -> None:
    """The k-th call that tells words tells those of place k, and no call tells a later one."""
    model, race = Known(), ground(n=5)
    heat.run(model, race, RULES, range(5))
    longest = max(map(len, race.texts))
    assert model.calls[0] == 5
    assert len(model.calls) == longest  # the last words of all are told to nobody
    for t, words in enumerate(model.calls[1:]):
        assert words == [int(text[t]) if t < len(text) else END for text in race.texts]


def test_texts_side_by_side_are_not_sorted() -> None:
    """Else the end of one would say how long its neighbours are."""
    model, race = Known(), ground()
    heat.run(model, race, RULES, ALL)
    sizes = [call for call in model.calls if isinstance(call, int)]
    assert sizes == [16, 16, 16]
    firsts = [model.calls[k + 1] for k, call in enumerate(model.calls) if call == 16]
    assert np.concatenate(firsts).tolist() == [int(text[0]) for text in race.texts]


def test_the_rows_of_texts_that_are_over_do_not_count() -> None:
    class Careless(Known):
        def follow(self, words: np.ndarray) -> np.ndarray:
            rows = super().follow(words)
            rows[words == END] = np.nan
            return rows

    assert raced(Careless()).surprise == raced(Known()).surprise


def test_written_texts_follow_the_model_s_own_rows() -> None:
    race, rng = ground(), np.random.default_rng(0)
    rows, written = heat.mixed(Known(), race, RULES, [3, 5], rng)
    assert len(written) == RULES.batch - 2
    assert all(race.accepts(text) for text in written)
    assert {k: each.tolist() for k, each in rows.items()} == {
        k: true_rows(race.texts[k]).astype(np.float32).tolist() for k in (3, 5)
    }
    endless = np.tile([0.5, 0.5, 0.0, 0.0], (4, 1))
    _, cut = heat.mixed(Known(endless), race, RULES, [3], rng)
    assert {len(text) for text in cut} == {RULES.longest}


def test_whoever_recites_where_it_may_write_says_other_things_of_the_race_s_texts() -> None:
    """Where a model writes, texts of the race stand beside: it cannot tell which is which."""

    class Recites(Known):
        def begin(self, n: int) -> np.ndarray:
            self.table = np.eye(4)[[1, 3, 3, 0]]  # from now on it says a, b and the end
            return super().begin(n)

    race = ground()
    whole = heat.run(Known(), race, RULES, ALL, keep=ALL)
    rows, written = heat.mixed(Recites(), race, RULES, [3, 5], np.random.default_rng(0))
    assert all(race.accepts(text) for text in written)
    with pytest.raises(OutError, match=DIFFERS):
        judging.require_the_same(whole.rows, rows, {}, RULES)


# ------------------------------------------------------------------------------ what it is worth


def test_the_truth_is_on_the_floor_and_even_rows_are_above_it() -> None:
    truth, even = raced(Known()), raced(Known(EVEN))
    assert truth.above.value == pytest.approx(0.0, abs=1e-4)
    assert truth.knows
    assert even.surprise.value == pytest.approx(math.log(4))
    race = ground()
    floor = -sum(each.sum() for each in race.log_probs) / race.words
    assert even.above.value == pytest.approx(100 * (4 / math.exp(floor) - 1))
    assert not even.knows


def test_bits_by_kind_are_means_over_the_words_of_a_kind() -> None:
    race, scores = ground(), raced(Known(EVEN))
    lost = [2 + each[0] / math.log(2) for each in race.log_probs]  # of first words, in bits
    assert scores.by_kind["first"].value == pytest.approx(np.mean(lost))
    later = [2 * (len(each) - 1) + each[1:].sum() / math.log(2) for each in race.log_probs]
    n_later = sum(len(each) - 1 for each in race.log_probs)
    assert scores.by_kind["later"].value == pytest.approx(sum(later) / n_later)


@pytest.mark.slow
def test_an_interval_holds_the_truth_about_as_often_as_it_says() -> None:
    """Of 60 races of other texts, the intervals of even rows hold the value of a very long race."""
    longer = raced_on(4000, 1000)
    held = [raced_on(48, seed) for seed in range(60)]
    good = sum(each.low <= longer.value <= each.high for each in held)
    assert good >= 50


def raced_on(n: int, seed: int) -> Estimate:
    race = ground(n, seed)
    found = heat.run(Known(EVEN), race, RULES, range(n))
    return judging.scores(race, found.surprises, (1, 2), 1.0, 0.0).above


def test_the_same_answers_give_the_same_intervals() -> None:
    assert raced(Known(EVEN)) == raced(Known(EVEN))


def test_a_zero_where_the_word_came_is_infinite_and_counted() -> None:
    never_b = np.tile([0.5, 0.0, 0.2, 0.3], (4, 1))
    scores = raced(Known(never_b))
    came = sum(int((text == 1).sum()) for text in ground().texts)
    assert scores.impossible == came > 0
    assert scores.above.value == math.inf
    assert scores.to_json()["above_percent"] == {"value": None, "low": None, "high": None}


def test_shares_have_intervals_at_both_ends() -> None:
    assert share(200, 200).low == pytest.approx(0.981, abs=1e-3)
    assert share(100, 200).low < 0.5 < share(100, 200).high


# ------------------------------------------------------------------------------ rules


def rows(*numbers: float) -> np.ndarray:
    return np.array([numbers], dtype=np.float32)


LIVE = np.array([True])


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (rows(0.5, 0.5, 0.1), "sums to 1.1"),
        (rows(0.5, 0.6, -0.1), "negative number, -0.1"),
        (rows(0.5, np.nan, 0.5), "NaN"),
        (rows(0.5, np.inf, 0.5), "infinity"),
        (rows(0.5, 0.5), "1 by 2 numbers for 1 texts"),
        (rows(0.5, 0.5, 0.0)[0], "gave 3 numbers"),
        (np.array(0.5, np.float32), "gave one number"),
        (rows(0.5, 0.5, 0.0).astype(object), "no array of numbers"),
        ([[0.5, 0.5, 0.0]], "no array of numbers"),
        (None, "no array of numbers"),
    ],
)
def test_what_is_no_distribution_is_named(answer: object, said: str) -> None:
    with pytest.raises(OutError, match=said):
        require_rows(answer, 1, 3, LIVE, 1e-3)


def test_a_row_is_made_whole_and_minus_zero_is_zero() -> None:
    found = require_rows(rows(0.5, 0.4995, -0.0), 1, 3, LIVE, 1e-3)
    assert found.sum() == pytest.approx(1.0, abs=1e-12)
    assert not np.signbit(found).any()


def test_a_program_with_something_mixed_in_evenly_is_found_out() -> None:
    race = ground()
    hidden = {k: 0.8 * true_rows(race.texts[k]) + 0.2 / 4 for k in ALL}
    open_and_full = [t for text in race.texts for t in [END, *text[:-1]] if (CHAIN[t] > 0).all()]
    n = sum((CHAIN[t] > 0).sum() > 1 for text in race.texts for t in [END, *text[:-1]])
    assert judging.true_share(race, hidden) == pytest.approx(1 - len(open_and_full) / n)


def test_who_says_something_else_is_named() -> None:
    one, other = {0: EVEN}, {0: np.eye(4)}
    judging.require_the_same(one, one, one, RULES)
    with pytest.raises(OutError, match=DIFFERS):
        judging.require_the_same(one, other, other, RULES)
    with pytest.raises(OutError, match=KEEPS):
        judging.require_the_same(one, one, other, RULES)
    near = {0: EVEN + np.array([4e-4, -4e-4, 0, 0])}
    judging.require_the_same(one, near, near, RULES)


def test_places_that_luck_could_swap_are_shared() -> None:
    a, b, c = Estimate(2, 1, 3), Estimate(3, 2.5, 4), Estimate(4, 3.5, 5)
    assert ranks([a, b, c]) == [1, 1, 3]  # c overlaps with b, but not with the best
    assert ranks([c, a]) == [2, 1]
    infinite = Estimate(math.inf, math.inf, math.inf)
    assert ranks([infinite, a, infinite]) == [2, 1, 2]
    assert ranks([]) == []
