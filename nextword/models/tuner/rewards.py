"""What gives a tuning its reward: the village's listener, its judge, or a function of the reader's.

Leaves out: models of rewards that are learned from preferences (nextword.models.judges).
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType

import torch
from torch import Tensor

from examiner.errors import UserError
from nextword.corpora import village
from nextword.corpora.assistant import MARKS, Request
from nextword.models import judges, tuning
from nextword.models.tuner import texts
from nextword.models.tuner.start import Start

OF_VILLAGE = ACCEPTED, FOLLOWED, TASTE = ("accepted", "followed", "taste")
FUNCTION = "rewards"  # in a reader's file, where no other name is said

Words = Sequence[str]


def reward(start: Start, judge: str) -> tuning.Reward:
    """The reward of whole texts, prompts among them, in words; "</s>" last where they ended.

    judge: accepted, followed or taste, of the village; or FILE.py:FUNCTION. `UserError` says what
    does not fit.
    """
    if judge not in OF_VILLAGE:
        return _of_reader(judge)
    if not start.is_of_village:
        raise UserError(
            f"the reward {judge!r} judges stories of the village, on which {start.name} was not "
            f"trained: give a function of yours, --reward judge.py:{FUNCTION}"
        )
    if judge == FOLLOWED:
        _ = start.marks  # raises where it answers nobody
        return lambda told: torch.tensor([_story_followed(text) for text in told])
    if judge == TASTE:
        return lambda told: torch.tensor(
            judges.true_rewards([answer(text) for text in told]), dtype=torch.float
        )
    return lambda told: tuning.accepted([answer(text) for text in told])


def answer(text: Words) -> list[str]:
    """What the network wrote of a text: all after the last mark of its own turns.

    >>> answer("<user> who found it ? </s> <assistant> anna </s>".split())
    ['anna', '</s>']
    """
    words = list(text)
    mark = MARKS["assistant"]
    return words[len(words) - words[::-1].index(mark) :] if mark in words else words


def followed(start: Start, requests: Sequence[Request]) -> list[float]:
    """Let a network answer requests for stories: 1 for each that was followed, else 0."""
    asked = [texts.prompt(start, each.words) for each in requests]
    written = tuning.write(start.model, asked, torch.Generator().manual_seed(0), start.config.T)
    named = list(start.number)
    return [
        float(wish.judge_written(answer([named[k] for k in text])).followed)
        for wish, text in zip(requests, written.texts, strict=True)
    ]


def _story_followed(text: Words) -> float:
    """1 where a request for a story is followed by one that the listener accepts."""
    words = list(text)
    found = request_of(words[1 : words.index(village.EOS)]).judge_written(answer(words))
    return float(found.followed and found.accepted)


def request_of(said: Words) -> Request:
    """The request that was spoken.

    >>> request_of("tell a story about anna , a cook , with plums".split())
    Request(name='anna', job='cook', thing='plums')
    """
    try:
        found = Request(said[4], said[7], said[-1])
    except IndexError:
        found = None
    if found is None or found.words != list(said):
        example = " ".join(Request("anna", "cook", "plums").words)
        raise UserError(
            f"the reward {FOLLOWED!r} judges requests such as '{example}', not '{' '.join(said)}'"
        )
    return found


# ------------------------------------------------------------------ the reader's own
def _of_reader(judge: str) -> tuning.Reward:
    """The reward of a function in a file: of a list of texts, one number for each."""
    file, _, name = judge.partition(":")
    path = Path(file)
    if path.suffix != ".py":
        raise UserError(
            f"unknown reward {judge!r}: expected {', '.join(OF_VILLAGE)}, or a function of yours, "
            f"such as judge.py:{FUNCTION}"
        )
    function = getattr(_module(path), name or FUNCTION, None)
    if not callable(function):
        raise UserError(f"{path} has no function {name or FUNCTION!r}")

    def rewards(written: Sequence[Words]) -> Tensor:
        told = [" ".join(word for word in answer(text) if word != village.EOS) for text in written]
        return _checked(function, told, judge)

    return rewards


def _module(path: Path) -> ModuleType:
    """The reader's file as a module; `UserError` says where it fails."""
    if not path.is_file():
        raise UserError(f"there is no file {path}")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise UserError(f"{path} cannot be imported: {type(error).__name__}: {error}") from error
    return module


def _checked(function: Callable[[list[str]], object], told: list[str], name: str) -> Tensor:
    """What the function gives, as numbers; `UserError` where it fails or gives something else."""
    try:
        found = torch.as_tensor(function(told), dtype=torch.float)
    except Exception as error:  # whatever the reader's code does
        raise UserError(f"{name} failed: {type(error).__name__}: {error}") from error
    if found.shape != (len(told),):
        shape = tuple(found.shape)
        raise UserError(f"{name} gave numbers of shape {shape} for {len(told)} texts: one for each")
    wrong = (~found.isfinite()).nonzero()
    if len(wrong):
        k = int(wrong[0])
        raise UserError(f"{name} gave {found[k].item()} for the text '{told[k][:60]}'")
    return found
