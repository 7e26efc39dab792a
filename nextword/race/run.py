"""A race from a folder of entries to a board: each entry is read, trained if it asks, and judged.

Leaves out: what a page and a terminal show of the board (board.py, cli/race.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import nextword
from examiner.errors import UserError
from examiner.grading.entries import open_class, shown_name
from examiner.grading.works import Entry
from examiner.race import contest, entry, runner
from examiner.race.entry import CODE, Handed, Track
from examiner.race.judging import Scores
from examiner.race.rules import Ground, OutError, Rules
from examiner.sandbox.servers import CandidateServer, ServerError
from examiner.sandbox.trial import Trial
from nextword.race import stories

LIBRARY = ("nextword.given",)
TRIES = 2  # of the walls, before an entry is not judged

Progress = Callable[[str, str, float], None]  # the entry, what is being done, and how much of it


@dataclass(frozen=True)
class Options:
    """How a race is held."""

    secret: str
    words: int = 100_000
    track: Track | None = None  # None: all
    confined: bool = True
    rules: Rules = field(default_factory=Rules)


@dataclass(frozen=True)
class Raced:
    """An entry and what came of it."""

    handed: Handed
    scores: Scores | None = None
    problem: str = ""  # why it is out
    fault: bool = False  # it could not be judged, and that is not its own doing
    weights: int = 0  # numbers in its files, as they were raced


def hidden_folders() -> list[Path]:
    """The folders of the library that entries must not see: all but `given`.

    The village's program is among them, and so is everything that was made with it.
    """
    root = Path(nextword.__file__).parent
    return [path for path in root.iterdir() if path.is_dir() and path.name != "given"]


@contextmanager
def opened(submissions: Path) -> Iterator[list[Entry]]:
    """The entries in a folder, or the one entry that it is; UserError for no such folder."""
    if (submissions / CODE).is_file():
        yield [Entry(shown_name(submissions.resolve().name), (submissions,))]
        return
    with open_class(submissions) as found:
        yield list(found.entries)


class Race:
    """The texts and the walls of a race; use it in a `with`."""

    def __init__(self, options: Options) -> None:
        self.options, self.rules = options, options.rules
        self.ground: Ground = stories.ground(options.secret, options.words)
        self._training: list[np.ndarray] = []
        self._server: CandidateServer | None = None

    def __enter__(self) -> Race:
        self._plan = runner.plan(
            self.rules,
            max(self.ground.words, self.rules.words_again),
            confined=self.options.confined,
            library=LIBRARY,
            hidden=hidden_folders(),
        )
        if self.options.confined:  # whether the walls hold here, found out by trying
            trial = Trial(self._plan)
            try:
                trial.finish()
            except UserError:
                trial.close()
                raise
            self._server = trial.servers[0]
        return self

    def __exit__(self, *error: object) -> None:
        if self._server:
            self._server.close()

    def hold(
        self,
        entries: list[Entry],
        progress: Progress = lambda name, doing, done: None,
        done: Callable[[Raced], object] = lambda raced: None,
    ) -> list[Raced]:
        """Race all entries of the track, one after the other; a broken one costs the others
        nothing."""
        found = []
        for each in entries:
            handed = entry.read(each, self.rules)
            if self.options.track in (None, handed.about.track):
                raced = self._race(handed, progress)
                done(raced)
                found.append(raced)
        return found

    def _race(self, handed: Handed, progress: Progress) -> Raced:
        if handed.problem:
            return Raced(handed, problem=handed.problem, fault=handed.fault)
        why = ""
        for _ in range(TRIES):
            try:
                files = self._files(handed, progress)
                scores = self._judge(handed.student, files, progress)
                return Raced(handed, scores, weights=entry.count_numbers(files))
            except OutError as out:
                return Raced(handed, problem=str(out))
            except ServerError as error:  # the walls', never the entry's
                why = f"not judged: {error}"
                if self._server:
                    self._server.close()
                    self._server = None
        return Raced(handed, problem=why, fault=True)

    @property
    def _walls(self) -> CandidateServer:
        if self._server is None:
            self._server = CandidateServer(self._plan)
        return self._server

    def _files(self, handed: Handed, progress: Progress) -> dict[str, bytes]:
        """The files that are raced: as handed in, or with those that its training wrote."""
        if handed.about.track is not Track.TEN_MINUTES:
            return handed.files
        progress(handed.student, "training", 0.0)
        self._training = self._training or stories.training_text()
        vocabulary = self.ground.vocabulary
        return contest.train(self._walls, handed.files, self._training, vocabulary, self.rules)

    def _judge(self, student: str, files: dict[str, bytes], progress: Progress) -> Scores:
        return contest.judge(
            self._walls,
            files,
            self.ground,
            self.rules,
            stories.number_from(self.options.secret, "what is asked again, and drawn"),
            lambda doing, share: progress(student, doing, share),
        )
