"""What a tuning is told: by what a network is tuned, how long, how fast, on how long a leash."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from examiner.errors import UserError
from nextword.models.trainer.config import MAY_CHANGE, check_same, told_apart

INSTRUCTION, PREFERENCE, REWARD = WAYS = ("instruction", "preference", "reward")
MAY_BE_0 = ("seed", "warm_up", "leash", "group", "rank", "pairs")
# what each way takes where nothing is said; those of a way's own are 0 or empty in the others
USUAL: dict[str, dict[str, Any]] = {
    INSTRUCTION: {"steps": 800, "size": 8, "rate": 2e-3, "warm_up": 50, "every": 100},
    PREFERENCE: {
        **{"steps": 60, "size": 32, "rate": 1e-4, "warm_up": 0, "every": 20},
        **{"leash": 0.1, "pairs": 1000},
    },
    REWARD: {
        **{"steps": 32, "size": 128, "rate": 1.5e-4, "warm_up": 0, "every": 8},
        **{"leash": 0.05, "judge": "accepted"},
    },
}
ONLY = {
    "leash": (PREFERENCE, REWARD),
    "pairs": (PREFERENCE,),
    "judge": (REWARD,),
    "group": (REWARD,),
}
SAID = {"judge": "--reward", "size": "--batch", "warm_up": "--warm-up"}
LORA_RATE = 5  # times as fast: two thin matrices have further to go than the whole


@dataclass(frozen=True)
class TuningPlan:
    """All numbers of a tuning; with the network, the texts and the seed they settle each weight."""

    way: str
    steps: int  # of the optimizer; of a reward, batches of fresh texts
    size: int  # rows, pairs or fresh texts of a step
    rate: float  # the highest learning rate
    warm_up: int  # steps until it is highest; then it falls, if there are any, else it stays
    every: int  # steps between two looks, each with a checkpoint
    seed: int = 0
    leash: float = 0.0  # beta: reward that a nat costs (7.22), or beta of DPO (7.30)
    pairs: int = 0  # of the network's own texts, judged by the hidden taste
    judge: str = ""  # what gives the reward
    group: int = 0  # texts for each prompt that are compared with each other; 0: the batch
    rank: int = 0  # of LoRA; 0: all weights learn
    clip: float = 1.0  # the largest norm of the gradient

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not isinstance(value, int | float):
                continue
            if not math.isfinite(value) or value < 0 or (value == 0 and name not in MAY_BE_0):
                least = "at least 0" if name in MAY_BE_0 else "more than 0"
                raise UserError(f"{said(name)} must be {least}, got {value}")
        if self.way == REWARD and self.size < 2:
            raise UserError("a reward needs at least 2 texts in a --batch: they are compared")
        if self.group == 1:
            raise UserError(
                "a group of one text has nothing to be compared with: --group 2 or more"
            )
        if self.group and self.size % self.group:
            raise UserError(f"--batch {self.size} must be a multiple of --group {self.group}")

    def to_json(self) -> dict[str, Any]:
        """The plan as plain values."""
        return asdict(self)

    def check_same(self, other: dict[str, Any], n_done: int) -> None:
        """Raise `UserError` where a checkpoint was made by another plan, or is further already."""
        check_same(self.to_json(), other, n_done, said)

    def folder_name(self, start: str, texts: str) -> str:
        """A folder for each start, way and plan.

        >>> of_way("reward", {}).folder_name("runs/village", "")
        'village-reward'
        """
        usual = of_way(self.way, {}).to_json()
        other = {
            key: value
            for key, value in self.to_json().items()
            if value != usual[key] and key not in MAY_CHANGE
        }
        return told_apart(f"{start.rstrip('/').split('/')[-1]}-{self.way}", other, texts)


def said(name: str) -> str:
    """What the command calls a number of the plan.

    >>> said("judge"), said("steps")
    ('--reward', '--steps')
    """
    return SAID.get(name, f"--{name}")


def of_way(way: str, told: dict[str, Any]) -> TuningPlan:
    """The plan of a way: what was told (not None), else what is usual for it."""
    if way not in WAYS:
        raise UserError(f"--by can be {', '.join(WAYS)}, not {way!r}")
    given = {name: value for name, value in told.items() if value is not None}
    for name, ways in ONLY.items():
        if name in given and way not in ways:
            raise UserError(f"{said(name)} is for tuning by {' or '.join(ways)}: leave it out")
    usual = dict(USUAL[way])
    if given.get("rank"):
        usual["rate"] *= LORA_RATE
    return TuningPlan(**{"way": way, **usual, **given})
