"""What `nextword train` prints: a bar in a terminal, plain lines elsewhere, a curve at the end."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import typer

from examiner.plural import count

if TYPE_CHECKING:
    from rich.progress import TaskID

    from nextword.models.trainer.run import Look, Training

EVERY, SHARE = 5.0, 0.01  # seconds, and part of all steps, between two plain lines
LOOKS = 10  # that make a curve; where there were fewer, the losses of training are drawn
RECENT = 30.0  # seconds over which the speed is measured


class Teller:
    """Says how a training goes; nothing in all processes but the first."""

    def __init__(self, training: Training) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        self.training, self.is_first = training, training.place.is_first
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
        steps, done = self.training.config.steps, len(self.training.losses)
        self._task = self._bar.add_task("", total=steps, completed=done)
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.stop()

    def after_step(self, training: Training) -> None:
        """Show how far it is; after a look at the validation text, lines that stay."""
        if not self.is_first:
            return
        done = len(training.losses)
        self._marks.append((training.seconds, done))
        while len(self._marks) > 2 and self._marks[0][0] < training.seconds - RECENT:
            self._marks.pop(0)
        line = f"loss {training.losses[-1]:.3f}, {self._speed()}"
        if self._task is not None:
            self._bar.update(self._task, completed=done, description=line)
        looked = bool(training.looks) and training.looks[-1].step == done
        if looked:
            typer.echo(self._look(training.looks[-1]))
        elif not self._has_bar and self._is_time(done):
            share = 100 * done / training.config.steps
            typer.echo(f"step {done:,} of {training.config.steps:,} ({share:.0f}%): {line}")
        else:
            return
        self._told = (time.monotonic(), done)

    def _is_time(self, done: int) -> bool:
        """Whether a plain line is due: the first soon, later ones when some steps are done."""
        when, before = self._told
        few = before >= 0 and done - before < SHARE * self.training.config.steps
        return not few and time.monotonic() - when >= EVERY

    def _speed(self) -> str:
        """Tokens per second over the last half minute, and the time that is left at that speed."""
        (first, n_first), (last, n_last) = self._marks[0], self._marks[-1]
        config = self.training.config
        if n_last == n_first or last <= first:
            return "just begun"
        per_step = (last - first) / (n_last - n_first)
        left = (config.steps - n_last) * per_step
        return f"{config.size * config.T / per_step:,.0f} tokens/s, {clock(left)} left"

    def _look(self, look: Look) -> str:
        from nextword.models.trainer.streams import perplexity

        floor = self.training.floor
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
    done = len(training.losses)
    if training.stopped and done < training.config.steps:
        typer.echo(f"stopped after step {done:,}, all of it is in {training.path}; to go on:")
        typer.echo(f"  {command}")
        return
    typer.echo(f"done: {training.path}; the curve is in {training.folder / curve.FILE}")
    typer.echo(f"  nextword write {training.folder}")
