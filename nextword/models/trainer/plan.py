"""What `nextword train` is told: sizes of the network, and how long and how fast it learns."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from examiner.errors import UserError

MAY_BE_0 = ("decay", "dropout", "seed", "warm_up")
POSITIONS = ("rotary", "learned", "sinusoidal", "alibi", "none")


@dataclass(frozen=True)
class Plan:
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

    def __post_init__(self) -> None:
        for name, value in self.to_json().items():
            if name in MAY_BE_0 and value < 0:
                raise UserError(f"{name} must be at least 0, got {value}")
            if name not in (*MAY_BE_0, "positions") and value <= 0:
                raise UserError(f"{name} must be more than 0, got {value}")
        if self.positions not in POSITIONS:
            raise UserError(f"positions must be one of {', '.join(POSITIONS)}: {self.positions!r}")
        if self.D % self.heads:
            raise UserError(f"the width {self.D} must be divisible by {self.heads} heads")
        if self.dropout >= 1:
            raise UserError(f"dropout must be below 1, got {self.dropout}")

    def check_processes(self, n: int) -> None:
        """Raise `UserError` where the rows of a step cannot be shared evenly."""
        if self.size % (n * self.parts):
            raise UserError(
                f"{self.size} rows cannot be shared by {n} processes x {self.parts} parts: take a "
                f"multiple of {n * self.parts} for --batch"
            )

    def to_json(self) -> dict[str, Any]:
        """The plan as plain values."""
        return asdict(self)

    def check_same(self, other: dict[str, Any]) -> None:
        """Raise `UserError` where a checkpoint was made by another plan."""
        mine = self.to_json()
        changed = [
            f"{key} {other.get(key)} -> {mine[key]}" for key in mine if mine[key] != other.get(key)
        ]
        if changed:
            raise UserError(
                f"the checkpoint there was made by another plan ({', '.join(changed)}): "
                "use another --to folder, or --again to begin anew"
            )
