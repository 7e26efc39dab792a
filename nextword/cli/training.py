"""What `nextword train` prints: a bar in a terminal, plain lines elsewhere, a curve at the end."""

from __future__ import annotations

import sys
import time
from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import typer

from examiner.plural import count

if TYPE_CHECKING:
    from rich.progress import TaskID

    from nextword.models.trainer.run import Training

EVERY, SHARE = 5.0, 0.01  # seconds, and part of all steps, between two plain lines
LOOKS = 10  # that make a curve; where there were fewer, the losses of training are drawn
RECENT = 30.0  # seconds over which the speed is measured


class UnderWay(Protocol):
    """What a training, or a tuning, has done so far."""

    losses: list[float]  # of each step
    seconds: float  # of all steps
    stopped: bool  # before the last step, since somebody asked for it

    @property
    def path(self) -> Path:
        """Where the checkpoint is."""


class Teller(ABC):
    """Says how a training or a tuning of so many steps goes, in the first process alone."""

    def __init__(self, under_way: UnderWay, n_steps: int, *, is_first: bool = True) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        self.under_way, self.n_steps, self.is_first = under_way, n_steps, is_first
        console = Console(stderr=True)
        self._has_bar = console.is_terminal and self.is_first
        self._bar = Progress(
            TextColumn("step {task.completed:,.0f} of {task.total:,.0f}"),
            BarColumn(),
            TextColumn("{task.description}"),
            console=console,
            transient=True,
            disable=not self._has_bar,
            redirect_stdout=sys.stdout.isatty(),
        )
        self._task: TaskID | None = None
        self._told = (time.monotonic(), -1)  # when the last plain line was, and of which step
        self._marks: list[tuple[float, int]] = []  # seconds of training, steps done

    def __enter__(self) -> Teller:
        self._bar.start()
        done = len(self.under_way.losses)
        self._task = self._bar.add_task("", total=self.n_steps, completed=done)
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.stop()

    def after_step(self, under_way: UnderWay) -> None:
        """Show how far it is; after a look at held-out texts, lines that stay."""
        if not self.is_first:
            return
        done = len(under_way.losses)
        self._marks.append((under_way.seconds, done))
        while len(self._marks) > 2 and self._marks[0][0] < under_way.seconds - RECENT:
            self._marks.pop(0)
        line = self._line()
        if self._task is not None:
            self._bar.update(self._task, completed=done, description=line)
        if look := self.look():
            typer.echo(look)
        elif not self._has_bar and self._is_time(done):
            share = 100 * done / self.n_steps
            typer.echo(f"step {done:,} of {self.n_steps:,} ({share:.0f}%): {line}")
        else:
            return
        self._told = (time.monotonic(), done)

    def _is_time(self, done: int) -> bool:
        """Whether a plain line is due: the first soon, later ones when some steps are done."""
        when, before = self._told
        few = before >= 0 and done - before < SHARE * self.n_steps
        return not few and time.monotonic() - when >= EVERY

    def _line(self) -> str:
        """The last loss, the speed over the last half minute, and the time left at that speed."""
        said = f"loss {self.under_way.losses[-1]:.3f}" if self.under_way.losses else "measured"
        (first, n_first), (last, n_last) = self._marks[0], self._marks[-1]
        if n_last == n_first or last <= first:
            return f"{said}, just begun"
        per_step = (last - first) / (n_last - n_first)
        left = clock((self.n_steps - n_last) * per_step)
        return ", ".join([said, *self.speed(per_step), f"{left} left"])

    def speed(self, per_step: float) -> list[str]:
        """What is done in a second, in words; per_step: the seconds of a step."""
        return []

    @abstractmethod
    def look(self) -> str:
        """What a look after the last step has found; empty where there was none."""


class TrainingTeller(Teller):
    """Says how a training goes."""

    def __init__(self, training: Training) -> None:
        super().__init__(training, training.config.steps, is_first=training.place.is_first)
        self.training = training

    def speed(self, per_step: float) -> list[str]:
        """Tokens in a second."""
        config = self.training.config
        return [f"{config.size * config.T / per_step:,.0f} tokens/s"]

    def look(self) -> str:
        """The losses, the floor, and what the network writes."""
        from nextword.models.trainer.streams import perplexity

        if not self.training.looks or self.training.looks[-1].step != len(self.training.losses):
            return ""
        look, floor = self.training.looks[-1], self.training.floor
        known = f", floor {floor:.3f}" if floor is not None else ""
        return (
            f"step {look.step:,}: training {look.training:.4f}, validation {look.validation:.4f} "
            f"nats per token (perplexity {perplexity(look.validation):.3f}{known})\n"
            f"  {look.sample}"
        )


def clock(seconds: float) -> str:
    """A time as a clock shows it.

    >>> clock(75), clock(3_725)
    ('1:15', '1:02:05')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def begin(training: Training, resumed: bool, notes: list[str]) -> None:
    """Say in two lines what will be trained, on what and where; then what is to be known of it."""
    from nextword.models.trainer.networks import described
    from nextword.models.training import n_weights

    config, place = training.config, training.place
    typer.echo(
        f"{described(config)}: {n_weights(training.model):,} weights; "
        f"{len(training.stream.train):,} tokens of {len(training.stream.vocabulary)} kinds"
    )
    where = place.device.type
    if training.precision != "float32":
        where += f" in {training.precision}"
    typer.echo(
        f"{config.steps:,} steps of {config.size} x {config.T} tokens on {where}, "
        f"{count(place.n_processes, 'process', 'processes')}, checkpoints in {training.path}"
    )
    for note in notes:
        typer.echo(note)
    if resumed:
        typer.echo(f"goes on after step {len(training.losses):,}")


def told_to_go_on(under_way: UnderWay, n_steps: int, command: str) -> bool:
    """Where it was stopped before its last step, say how to go on; tell whether that is so."""
    done = len(under_way.losses)
    if not under_way.stopped or done == n_steps:
        return False
    typer.echo(f"stopped after step {done:,}, all of it is in {under_way.path}; to go on:")
    typer.echo(f"  {command}")
    return True


def end(training: Training, command: str) -> None:
    """Say where everything is, with the curve; where it was stopped, say how to go on."""
    from nextword.models.trainer import curve

    found = curve.redraw(training.folder, training.floor)
    which = "validation" if len(found["validation"]) >= LOOKS else "training"
    shown = curve.in_characters(found[which], training.floor)
    if shown:
        typer.echo(f"{which} perplexity:")
    for line in shown:
        typer.echo(line)
    if told_to_go_on(training, training.config.steps, command):
        return
    typer.echo(f"done: {training.path}; the curve is in {training.folder / curve.FILE}")
    typer.echo(f"  nextword write {training.folder}")
