"""One entry in a race, from its files to its scores: two processes, one after the other.

The first is asked about every text. The second is asked about some of them again, in another
company and alone, and writes texts of its own beside them.
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
    again, alone = _asked_again(len(ground.texts), rules, rng)
    first = [k for batch in again for k in batch]
    progress("loading", 0.0)
    with Runner(server, files, rules) as runner:
        runner.load(ground.vocabulary, ground.words)
        before = runner.seconds
        every = list(range(len(ground.texts)))
        whole = heat.run(runner, ground, rules, every, first, lambda d: progress("racing", d))
        seconds = runner.seconds - before
    with Runner(server, files, rules) as runner:
        runner.load(ground.vocabulary, rules.words_again)
        company: dict[int, np.ndarray] = {}
        written: list[list[int]] = []
        for number, told in enumerate(again):
            progress("asked again, and writing", number / len(again))
            rows, texts = heat.mixed(runner, ground, rules, told, rng)
            company |= rows
            written += texts
        by_itself = heat.run(runner, ground, rules, alone, alone, batch=1)
    judging.require_the_same(whole.rows, company, by_itself.rows, rules)
    written = written[: rules.written]
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
) -> tuple[list[list[int]], list[int]]:
    """Choose which texts are asked again, in batches, and which of them also alone.

    Most stand at the end of the race, where a process that keeps something has kept the most. The
    batches are as large as those of the race, so that an entry cannot tell the two runs apart.
    """
    order = rng.permutation(n)
    late = order[order >= n - max(2 * rules.again, rules.batch)].tolist()
    each = min(rules.again_in_batch, max(1, len(late) // rules.batches_to_write))
    again = [late[k * each : (k + 1) * each] for k in range(rules.batches_to_write)]
    return again, late[: rules.alone]
