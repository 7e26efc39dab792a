"""The board of a race: places by track, what each entry says of itself, and earlier boards.

Leaves out: racing (run.py).
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from examiner.errors import UserError, unwritable
from examiner.files import SHARED, locked, write_whole
from examiner.grading import page
from examiner.race.entry import Track
from examiner.race.judging import Estimate
from examiner.race.ranks import ranks
from examiner.race.rules import Ground
from examiner.templates import environment
from nextword.corpora.village.kinds import KINDS
from nextword.race.run import Options, Raced
from nextword.race.stories import digest_of

BOARD, PAGE = "board.json", "board.html"
MOST_HISTORY = 100  # boards that are kept
WHAT = {
    Track.SMALL: "at most 200,000 weights, and a million words of training text",
    Track.OPEN: "any weights that fit into 4 MB",
    Track.TEN_MINUTES: "trained from nothing, by ten minutes of two cores",
}


def perplexity(nats: Estimate) -> Estimate:
    """exp of an estimate in nats per word, and of its interval."""
    found = (
        math.exp(each) if each < 700 else math.inf for each in (nats.value, nats.low, nats.high)
    )
    return Estimate(*found)


@dataclass(frozen=True)
class Place:
    """An entry on the board."""

    raced: Raced
    rank: int = 0  # 0: it has none
    shared: bool = False  # whether luck could swap it with another one

    def to_json(self) -> dict[str, Any]:
        """The place as it stands in board.json."""
        handed, scores = self.raced.handed, self.raced.scores
        about = handed.about
        said = {"name": about.name, "by": about.by, "track": about.track.value}
        said |= {"about": about.about}
        found: dict[str, Any] = {
            "student": handed.student,
            **said,
            "training_words": about.words,
            "weights": self.raced.weights or handed.weights,
            "digest": handed.digest,
            "rank": self.rank or None,
            "problem": self.raced.problem,
            "remarks": list(handed.remarks),
        }
        if scores:
            found["perplexity"] = perplexity(scores.surprise).to_json()
            found |= scores.to_json()
        return found


@dataclass(frozen=True)
class Board:
    """All places of a race, and the boards before it."""

    places: tuple[Place, ...]
    ground: Ground
    options: Options
    raced_at: str  # in ISO 8601
    history: tuple[dict[str, Any], ...] = ()  # earlier boards, the oldest first

    @property
    def floor(self) -> float:
        """The true perplexity of the very stories of the race."""
        total = math.fsum(float(each.sum()) for each in self.ground.log_probs)
        return math.exp(-total / self.ground.words)

    def of_track(self, track: Track) -> list[Place]:
        """The ranked entries of a track, the best first."""
        ranked = [p for p in self.places if p.rank and p.raced.handed.about.track is track]
        return sorted(ranked, key=lambda p: (p.rank, _above(p.raced)))

    @property
    def apart(self) -> list[Place]:
        """The entries that know the village's program."""
        return [p for p in self.places if p.raced.scores and p.raced.scores.knows]

    @property
    def out(self) -> list[Place]:
        """The entries that could not be judged, or broke a rule."""
        return [p for p in self.places if not p.raced.scores]

    def earlier(self, place: Place) -> list[dict[str, Any]]:
        """What earlier boards say of the same entry, bit for bit; the oldest first."""
        digest = place.raced.handed.digest
        return [
            {"raced": board["raced"], "words": board["words"], **entry}
            for board in self.history
            for entry in board["entries"]
            if entry["digest"] == digest
        ]

    def to_json(self, *, reveal: bool = False) -> dict[str, Any]:
        """The board as plain values; `reveal`: with the secret that the stories were told from."""
        return {
            "raced": self.raced_at,
            "seed": digest_of(self.options.secret),
            **({"secret": self.options.secret} if reveal else {}),
            "words": self.ground.words,
            "stories": len(self.ground.texts),
            "floor": self.floor,
            "entries": [place.to_json() for place in self.places],
            "history": list(self.history),
        }


def made(raced: Sequence[Raced], ground: Ground, options: Options, before: list[Any]) -> Board:
    """The board of a race. before: the boards that an earlier board.json tells of."""
    found: dict[int, Place] = {}
    for track in Track:
        of_track = [
            k
            for k, each in enumerate(raced)
            if each.scores and not each.scores.knows and each.handed.about.track is track
        ]
        given = ranks([raced[k].scores.above for k in of_track])  # type: ignore[union-attr]
        for k, rank in zip(of_track, given, strict=True):
            found[k] = Place(raced[k], rank, given.count(rank) > 1)
    places = tuple(found.get(k, Place(each)) for k, each in enumerate(raced))
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return Board(places, ground, options, now, tuple(before))


def _above(raced: Raced) -> float:
    return raced.scores.above.value if raced.scores else math.inf


# ------------------------------------------------------------------------------ earlier boards


def read_history(folder: Path) -> list[dict[str, Any]]:
    """What board.json in a folder says of its race and of those before it, the oldest first.

    Raises UserError for a file that is no board.
    """
    path = folder / BOARD
    if not path.exists():
        return []
    try:
        raw = json.loads(path.read_text("utf-8"))
        history = [*raw["history"], raw]
        return [_summary(board) for board in history][-MOST_HISTORY:]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(
            f"{path} is no board ({type(error).__name__}): move it away, or give another --out"
        ) from None


def _summary(board: dict[str, Any]) -> dict[str, Any]:
    """What is kept of a board: when it was, and each entry's name, digest, rank and percent."""
    entries = [
        {
            "name": str(each["name"]),
            "digest": str(each["digest"]),
            "rank": each["rank"],
            "above_percent": each.get("above_percent"),
        }
        for each in board["entries"]
    ]
    kept = {"raced": str(board["raced"]), "seed": str(board["seed"]), "words": int(board["words"])}
    return {**kept, "entries": entries}


# ------------------------------------------------------------------------------ the page


@dataclass(frozen=True)
class Bar:
    """A bar of a model's picture: a kind of fact, and the bits that are lost there."""

    kind: str
    what: str  # the kind, in words
    y: int
    bits: float
    said: str  # with the interval
    width: float
    low: float  # where the interval begins and ends
    high: float


WIDTH, TOP_BITS = 190.0, 4.0  # of the longest bar; bits lost by a model that knows little


def bars(place: Place) -> list[Bar]:
    """The bars of an entry's picture, in the order of the kinds; all pictures have one scale."""
    scores = place.raced.scores
    assert scores is not None
    found: list[Bar] = []
    for kind, lost in scores.by_kind.items():
        scale = [
            float(np.clip(WIDTH * each / TOP_BITS, 0.0, WIDTH))
            for each in (lost.value, lost.low, lost.high)
        ]
        y = 22 * len(found)
        found.append(Bar(kind, KINDS[kind], y, lost.value, said(lost, 2), *scale))
    return found


def said(estimate: Estimate, digits: int, factor: float = 1.0) -> str:
    """An estimate with its interval in words.

    >>> said(Estimate(1.234, 1.1, 1.36), 1)
    '1.2 (1.1 to 1.4)'
    """
    if not math.isfinite(estimate.value):
        return "infinite"
    value, low, high = (
        f"{factor * each + 0.0:,.{digits}f}"
        for each in (estimate.value, estimate.low, estimate.high)
    )
    return f"{value} ({low} to {high})"


def to_html(board: Board) -> str:
    """The page of a board: no script, nothing loaded, readable on a phone and on paper."""
    css, digest = page.style_sheet()
    templates = environment("nextword.race", "examiner.grading")
    tracks = [(track, WHAT[track], board.of_track(track)) for track in Track]
    return templates.get_template(PAGE).render(
        css=css,
        digest=digest,
        board=board,
        tracks=[each for each in tracks if each[2]],
        seed=digest_of(board.options.secret),
        bars=bars,
        said=said,
        perplexity=perplexity,
    )


def write(board: Board, folder: Path) -> None:
    """Write board.json and board.html. Raises UserError where that cannot be."""
    text = json.dumps(board.to_json(), indent=1, ensure_ascii=False) + "\n"
    try:
        write_whole(folder / PAGE, to_html(board).encode(), mode=SHARED)
        write_whole(folder / BOARD, text.encode(), mode=SHARED)
    except OSError as error:
        raise unwritable(folder, error) from error


def require_usable(folder: Path) -> None:
    """Raise UserError, before the race, where its board could not be kept in a folder."""
    with locked(folder / BOARD):
        read_history(folder)


def keep(raced: Sequence[Raced], ground: Ground, options: Options, folder: Path) -> Board:
    """Make the board of a race that is over, and write it: all that were kept before are earlier.

    Of two races at once the board of the first to end is one of them, too.
    """
    with locked(folder / BOARD):
        board = made(raced, ground, options, read_history(folder))
        write(board, folder)
    return board
