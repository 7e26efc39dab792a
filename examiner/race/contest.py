"""One entry in a race, from its files to its scores: two processes, one after the other.

The first is asked about every text. The second is asked about some of them again, in another
company and alone, and writes texts of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from examiner.race import heat, judging
from examiner.race.rules import Ground, OutError, Rules
from examiner.race.runner import Runner
from examiner.sandbox.servers import CandidateServer

Progress = Callable[[str, float], None]  # what is being done, and which share of it is done


def judge(
    server: CandidateServer,
    files: Mapping[str, bytes],
    ground: Ground,
    rules: Rules,
    secret: int,
    progress: Progress = lambda doing, done: None,
) -> judging.Scores:
    """Race an entry. Its secret decides which texts are asked again, and what is drawn.

    Raises OutError, which says why an entry is out, and ServerError where the walls fail.
    """
    rng = np.random.default_rng(secret)
    first, company, alone = _asked_again(len(ground.texts), rules, rng)
    progress("loading", 0.0)
    with Runner(server, files, rules) as runner:
        runner.load(ground.vocabulary, ground.words)
        before = runner.seconds
        every = list(range(len(ground.texts)))
        whole = heat.run(runner, ground, rules, every, first, lambda d: progress("racing", d))
        seconds = runner.seconds - before
    with Runner(server, files, rules) as runner:
        words = sum(len(ground.texts[k]) for k in (*company, *alone))
        runner.load(ground.vocabulary, words + rules.written * rules.longest)
        progress("asked again", 0.0)
        again = heat.run(runner, ground, rules, company, first)
        by_itself = heat.run(runner, ground, rules, alone, alone, batch=1)
        judging.require_the_same(whole.rows, again.rows, by_itself.rows, rules)
        written = heat.write(runner, ground, rules, rng, lambda d: progress("writing", d))
    good = sum(text[-1] == ground.end and ground.accepts(text) for text in written)
    truth = judging.true_share(ground, whole.rows)
    return judging.scores(ground, whole.surprises, (good, len(written)), seconds, truth)


def train(
    server: CandidateServer,
    files: Mapping[str, bytes],
    texts: Sequence[np.ndarray],
    vocabulary: Sequence[str],
    rules: Rules,
) -> dict[str, bytes]:
    """Let an entry train from nothing; return its files with those that the training wrote."""
    with Runner(server, files, rules) as runner:
        trained = runner.train(texts, vocabulary)
    every = {**trained, **files}  # its code stays what was handed in
    size = sum(map(len, every.values()))
    if size > rules.size:
        raise OutError(f"has {size / 2**20:.1f} MB after its training, at most {rules.size >> 20}")
    return every


def _asked_again(
    n: int, rules: Rules, rng: np.random.Generator
) -> tuple[list[int], list[int], list[int]]:
    """Choose which texts are asked again, in which company, and which of them also alone.

    Most come from the end of the race, where a process that keeps something has kept the most. The
    company is of the size of a first batch, so that an entry cannot tell the two runs apart.
    """
    order = rng.permutation(n)
    late = order[order >= n - max(rules.again, rules.batch)]
    again = [int(k) for k in late[: rules.again]]
    others = [int(k) for k in order if k not in set(again)]
    n_others = max(0, min(rules.batch, n) - len(again))
    if n <= rules.batch:  # there are no others than the first time: leave some out
        n_others //= 2
    company = [int(k) for k in rng.permutation([*again, *others[:n_others]])]
    return again, company, again[: rules.alone]
