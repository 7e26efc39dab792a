"""What a tuning learns from: chats, pairs of texts, or prompts; the reader's or the village's."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from examiner.errors import UserError, unwritable
from examiner.files import SHARED, write_whole
from nextword.corpora import assistant, village
from nextword.corpora.assistant import Request
from nextword.given.batches import EOS
from nextword.given.vocabulary import UNK
from nextword.models import judges, tuning
from nextword.models.tuner import lines
from nextword.models.tuner.lines import Turns
from nextword.models.tuner.plan import TuningPlan
from nextword.models.tuner.start import Start

PAIRS_FILE = "pairs.jsonl"  # in a run's folder: the pairs that it learned from
QUESTIONS = 8  # after each story of the village
HELD_OUT = 20  # one of so many chats or pairs is held out
ASKED = 48  # of the village's held-out stories that are asked for
STORIES = 0.8  # stories that are written for each pair, where they have no prompts
TOGETHER = 128  # stories that are written side by side
LONG = 300  # words of a story at most, about
PROMPTS = 2000  # requests that batches draw from
FEWEST = 2

Say = Callable[[str], object]


# ------------------------------------------------------------------ chats
@dataclass(frozen=True)
class Chats:
    """Chats to learn from, and some that are held out."""

    train: Sequence[Turns]
    held_out: Sequence[Turns]
    requests: Sequence[Request] = ()  # of the village's held-out stories: judged by the program

    def words(self) -> list[str]:
        """All words and marks of the chats to learn from, each once."""
        said = (word for chat in self.train for _, words in chat for word in words)
        return [*assistant.MARKS.values(), *dict.fromkeys(said)]


def chats(start: Start, path: Path | None, n_tokens: int) -> Chats:
    """The chats of a file, or dialogues about so many words of stories."""
    if path is not None:
        return Chats(*_held_out(lines.read(path, lines.turns), path))
    if not start.is_of_village:
        raise UserError(
            f"{start.name} was not trained on the village: name a file of chats, such as "
            "nextword train chats.jsonl --by instruction"
        )
    told = assistant.told(village.split("train", n_tokens).stories(), 0, QUESTIONS)
    asked = assistant.told(village.split("validation", n_tokens).stories()[:ASKED], 1, QUESTIONS)
    return Chats(
        [each.spoken() for each in told],
        [each.spoken() for each in asked],
        [each.request for each in asked],
    )


# ------------------------------------------------------------------ pairs
class Pair(NamedTuple):
    """Two answers to a prompt, in words, of which the first was preferred."""

    prompt: list[str]
    chosen: list[str]
    rejected: list[str]

    def line(self) -> str:
        """The pair as a line of a file."""
        return json.dumps({key: " ".join(words) for key, words in self._asdict().items()})


@dataclass(frozen=True)
class Pairs:
    """Pairs to learn from, and some that are held out."""

    train: Sequence[Pair]
    held_out: Sequence[Pair]


def pairs(start: Start, path: Path | None, plan: TuningPlan, folder: Path, say: Say) -> Pairs:
    """The pairs of a file; or of the network's own stories, as the hidden taste prefers them.

    The latter are drawn once and kept in the run's folder.
    """
    if path is None:
        path = folder / PAIRS_FILE
        if not path.is_file():
            _draw_pairs(start, plan, path, say)
    return Pairs(*_held_out(lines.read(path, _pair), path))


def _pair(line: dict[str, Any]) -> Pair:
    """The pair of a line; `ValueError` says what is wrong with it."""
    missing = [key for key in ("chosen", "rejected") if key not in line]
    if missing:
        raise ValueError(
            f'a pair needs two answers, "chosen" and "rejected": {missing[0]} is missing'
        )
    prompt = lines.words({"prompt": "", **line}, "prompt", may_be_empty=True)
    found = Pair(prompt, lines.words(line, "chosen"), lines.words(line, "rejected"))
    if found.chosen == found.rejected:
        raise ValueError('"chosen" and "rejected" are the same answer: nothing was preferred')
    return found


def _draw_pairs(start: Start, plan: TuningPlan, path: Path, say: Say) -> None:
    """Let the network write stories, and the judge with the hidden taste choose among them."""
    if not start.is_of_village:
        raise UserError(
            f"{start.name} was not trained on the village, whose judge prefers stories: name a "
            "file of pairs, such as nextword train pairs.jsonl --by preference"
        )
    if plan.pairs < FEWEST:
        raise UserError(f"--pairs must be at least {FEWEST}, got {plan.pairs}")
    n = 2 * plan.pairs if start.answers else max(FEWEST, round(STORIES * plan.pairs))
    say(f"{start.name} writes {n:,} stories; of each pair the judge prefers one …")
    rng, luck = torch.Generator().manual_seed(plan.seed), np.random.default_rng(plan.seed)
    asked = requests(plan.pairs, plan.seed) if start.answers else []
    prompts = [prompt(start, each.words) for each in asked for _ in range(2)] or [[]] * n
    told = _stories(start, prompts, rng)
    if asked:
        places = [(k, k + 1) for k in range(0, n, 2)]
    else:
        places = luck.integers(n, size=(plan.pairs, 2)).tolist()
    whole = {k: tuple(story) for k, story in enumerate(told) if story}
    known = [(a, b) for a, b in places if a in whole and b in whole and whole[a] != whole[b]]
    if len(known) < FEWEST:
        raise UserError(
            f"{start.name} ended {len(whole)} of {n} stories, too few for pairs: train it longer"
        )
    preferred = judges.TASTE.judge([(whole[a], whole[b]) for a, b in known], luck)
    drawn = [
        Pair(asked[k // 2].words if asked else [], list(each.chosen), list(each.rejected))
        for (k, _), each in zip(known, preferred, strict=True)
    ]
    try:
        write_whole(path, "".join(f"{p.line()}\n" for p in drawn).encode(), mode=SHARED)
    except OSError as error:
        raise unwritable(path, error) from error
    say(f"{len(drawn):,} pairs are in {path}")


def _stories(
    start: Start, prompts: Sequence[list[int]], rng: torch.Generator
) -> list[list[str] | None]:
    """What the network writes after each prompt; None where it found no end."""
    named, found = list(start.number), list[list[str] | None]()
    for some in tuning.batched(prompts, TOGETHER):
        written = tuning.write(start.model, some, rng, start.config.T)
        for before, text in zip(some, written.texts, strict=True):
            ended = text[-1] == EOS and len(text) > len(before) + 1
            found.append([named[k] for k in text[len(before) : -1]] if ended else None)
    return found


# ------------------------------------------------------------------ prompts
def prompts(start: Start, path: Path | None) -> list[list[int]]:
    """What the network continues: the prompts of a file, requests for stories, or nothing at all.

    A network that answers gets each prompt as what a user says.
    """
    if path is None:
        if start.answers and start.is_of_village:
            return [prompt(start, each.words) for each in requests(PROMPTS, 0)]
        return [[]]
    read = lines.read(path, lambda line: lines.words(line, "prompt"))
    return [prompt(start, each) for each in read]


def requests(n: int, seed: int) -> list[Request]:
    """Requests for stories, as those that the village tells; other ones under another seed."""
    stories = village.sample(LONG * n, rng=seed).stories()[:n]
    return [each.request for each in assistant.told(stories, seed, 0)]


def prompt(start: Start, said: Sequence[str]) -> list[int]:
    """The ids that a network continues, without BOS; `UserError` names words that it lacks."""
    found = known(start, said)
    if not start.answers:
        return found
    return [start.marks["user"], *found, EOS, start.marks["assistant"]]


def known(start: Start, said: Sequence[str]) -> list[int]:
    """The ids of words; `UserError` names those that the network has never seen."""
    number = start.number
    unknown = [word for word in dict.fromkeys(said) if word not in number]
    if unknown and UNK not in number:
        shown = ", ".join(map(repr, unknown[:5])) + (", …" if len(unknown) > 5 else "")
        raise UserError(f"{start.name} has never seen {shown}: its words are those of its text")
    return [number.get(word, number.get(UNK, EOS)) for word in said]


# ------------------------------------------------------------------ both
def _held_out(found: Sequence[Any], path: Path) -> tuple[Sequence[Any], Sequence[Any]]:
    """Those to learn from, and every twentieth, which is held out."""
    if len(found) < FEWEST:
        raise UserError(f"{path} has {len(found)} line: at least {FEWEST}, since one is held out")
    kept = [each for k, each in enumerate(found) if k % HELD_OUT]
    return kept, found[::HELD_OUT]


def digest(found: Chats | Pairs | list[list[int]]) -> str:
    """A hash of what is learned from."""
    values = found if isinstance(found, list) else [found.train, found.held_out]
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()
