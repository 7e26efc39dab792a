"""What `nextword train` is told: sizes of the network, and how long and how fast it learns."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from typing import Any

from examiner.errors import UserError

MAY_BE_0 = ("decay", "dropout", "seed", "warm_up", "G", "F")
MAY_CHANGE = ("steps", "every")  # from one call to the next, with the same checkpoint
CHOICES = {
    "kind": ("transformer", "linear-attention", "attention", "rnn", "lstm", "gru"),
    "positions": ("rotary", "learned", "sinusoidal", "alibi", "none"),
    "feed": ("relu", "gelu", "gelu_tanh", "swiglu"),
    "norm": ("layer", "rms"),
}
OF_CHAPTER_6 = ("transformer", "linear-attention")  # kinds that have all sizes below
RECURRENT = ("rnn", "lstm", "gru")  # kinds of chapter 4
ONLY_6 = ("G", "positions", "feed", "norm", "pre", "bias")
# which sizes mean nothing to a kind, and must be left as they are
UNUSED = {
    "linear-attention": ("G",),
    "attention": (*ONLY_6, "F", "tied", "dropout"),
    **dict.fromkeys(RECURRENT, (*ONLY_6, "heads")),
}

SAID = {  # how the command calls what formulas call by a letter, and what is yes or no
    "G": "--key-value-heads",
    "F": "--hidden",
    "feed": "--feed-forward",
    "pre": "--post-norm",
    "tied": "--untied",
    "bias": "--no-bias",
}


@dataclass(frozen=True)
class Config:
    """All numbers of a training; with the text and the seed they settle every weight."""

    D: int = 64  # width
    layers: int = 3
    heads: int = 2
    T: int = 128  # tokens of a row: as far as the model sees
    size: int = 16  # rows of a step, over all processes and parts
    parts: int = 1  # in which the rows of a step are worked off, to save memory
    steps: int = 2000
    rate: float = 3e-3  # the highest learning rate
    warm_up: int = 100  # steps
    decay: float = 0.1  # of the matrices
    clip: float = 1.0  # the largest norm of the gradient
    dropout: float = 0.0
    positions: str = "rotary"
    seed: int = 0
    every: int = 200  # steps between two looks at the validation text, each with a checkpoint
    kind: str = "transformer"
    G: int = 0  # heads of keys and values; 0: as many as heads
    F: int = 0  # numbers inside a feed-forward layer (0: 4 D), or of a recurrent state (0: D)
    feed: str = "gelu"
    norm: str = "layer"
    pre: bool = True  # norms before the layers of a block; False: after them
    tied: bool = True  # the logits use the matrix of the tokens' vectors
    bias: bool = True  # linear layers have biases

    def __post_init__(self) -> None:
        for name, value in self.to_json().items():
            if name in CHOICES:
                if value not in CHOICES[name]:
                    raise UserError(f"{name} must be one of {', '.join(CHOICES[name])}: {value!r}")
            elif name in MAY_BE_0 and value < 0:
                raise UserError(f"{name} must be at least 0, got {value}")
            elif name not in MAY_BE_0 and not isinstance(value, bool) and value <= 0:
                raise UserError(f"{name} must be more than 0, got {value}")
        if self.dropout >= 1:
            raise UserError(f"dropout must be below 1, got {self.dropout}")
        self._check_kind()

    def _check_kind(self) -> None:
        """Raise `UserError` for sizes that this kind of network does not have, or that clash."""
        start = plain(self.kind)
        for name in UNUSED.get(self.kind, ()):
            if getattr(self, name) != start.get(name, DEFAULTS[name]):
                said = SAID.get(name, f"--{name}")
                raise UserError(f"the kind {self.kind} has no {said}: leave it out")
        if self.kind in RECURRENT:
            if self.parts > 1:
                raise UserError("chapter 4 makes a step of one batch: leave out --accumulate")
            if self.tied and self.F not in (0, self.D):
                raise UserError(f"tied weights need a state as wide as the vectors, {self.D}")
            return
        if self.D % self.heads:
            raise UserError(f"the width {self.D} must be divisible by {self.heads} heads")
        if self.kind == "linear-attention" and self.positions in ("rotary", "alibi"):
            raise UserError("linear attention takes learned, sinusoidal or no positions")
        if self.G and self.heads % self.G:
            raise UserError(f"{self.heads} heads cannot share {self.G} heads of keys and values")

    def check_processes(self, n: int) -> None:
        """Raise `UserError` where the rows of a step cannot be shared evenly."""
        if self.size % (n * self.parts):
            raise UserError(
                f"{self.size} rows cannot be shared by {n} processes x {self.parts} parts: take a "
                f"multiple of {n * self.parts} for --batch"
            )

    def to_json(self) -> dict[str, Any]:
        """The configuration as plain values."""
        return asdict(self)

    @classmethod
    def from_json(cls, plan: dict[str, Any]) -> Config:
        """The configuration of a checkpoint; what it does not say is as it was before."""
        known = {field.name for field in fields(cls)}
        return cls(**{name: value for name, value in plan.items() if name in known})

    def check_same(self, other: dict[str, Any], n_done: int = 0) -> None:
        """Raise `UserError` where a checkpoint was made by another plan.

        It may have had other `steps`, if no more than these are done, and looked more often.
        """
        check_same(self.to_json(), {**DEFAULTS, **other}, n_done)

    def folder_name(self, corpus: str, tokens_as: str, rest: dict[str, Any]) -> str:
        """A folder for each corpus and plan: what is most often changed can be read off its name.

        All else, and `rest`, is told apart by some letters at the end.

        >>> Config().folder_name("village", "words", {})
        'village-words-transformer-3x64-2-heads-128'
        """
        heads = "" if self.kind in RECURRENT else f"-{self.heads}-heads"
        name = f"{corpus}-{tokens_as}-{self.kind}-{self.layers}x{self.D}{heads}-{self.T}"
        in_name = ("kind", "layers", "D", "heads", "T", *MAY_CHANGE)
        start = {**DEFAULTS, **plain(self.kind)}
        other = {k: v for k, v in self.to_json().items() if k not in in_name and v != start[k]}
        return told_apart(name, other, rest)


def check_same(
    mine: dict[str, Any],
    before: dict[str, Any],
    n_done: int,
    called: Callable[[str], str] = lambda key: key,
) -> None:
    """Raise `UserError` where a checkpoint's plan was another one, or is further than this one.

    called: the name of a number of the plan in messages.
    """
    changed = [
        f"{called(key)} {before.get(key)} -> {mine[key]}"
        for key in mine
        if mine[key] != before.get(key) and key not in MAY_CHANGE
    ]
    if changed:
        raise UserError(
            f"the checkpoint there was made by another plan ({', '.join(changed)}): "
            "use another --to folder, or --again to begin anew"
        )
    if n_done > mine["steps"]:
        raise UserError(
            f"the run there has made {n_done:,} steps: take more for --steps, another --to "
            "folder, or --again to begin anew"
        )


def told_apart(name: str, *rest: Any) -> str:
    """A folder's name, with some letters at the end for what the name does not say, if anything."""
    if not any(rest):
        return name
    text = json.dumps(rest, sort_keys=True)
    return f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:6]}"


DEFAULTS: dict[str, Any] = {field.name: field.default for field in fields(Config)}


def plain(kind: str) -> dict[str, Any]:
    """What is said of a kind where nothing else is, and differs from a transformer's.

    >>> plain("lstm")
    {'tied': False}
    """
    if kind == "linear-attention":
        return {"positions": "none"}
    return {"tied": False} if kind in RECURRENT else {}


def of_kind(kind: str, told: dict[str, Any]) -> Config:
    """The configuration of a kind: what was told (not None), else what is usual for the kind."""
    if kind not in CHOICES["kind"]:
        raise UserError(f"kind must be one of {', '.join(CHOICES['kind'])}: {kind!r}")
    given = {name: value for name, value in told.items() if value is not None}
    return Config(**{**plain(kind), "kind": kind, **given})
