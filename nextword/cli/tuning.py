"""`nextword train --by`: what it refuses, what it prints, and where it ends."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from nextword.cli.training import Teller, told_to_go_on

if TYPE_CHECKING:
    from nextword.models.tuner.run import Tuned

RUNS = Path("runs")
# options that belong to one of both
OF_TRAINING = (
    *("tokens_as", "characters", "merges", "kind", "width", "layers", "heads"),
    *("key_value_heads", "hidden", "feed_forward", "norm", "pre", "positions", "tied", "bias"),
    *("context", "dropout", "accumulate", "decay", "shard", "precision", "compiled"),
)
OF_TUNING = ("start", "reward", "leash", "pairs", "group", "rank")
# what is told of steps and looks: how it is called, and how it is written
TOLD = {
    "training": ("training", "{:.4f}"),
    "validation": ("validation", "{:.4f} nats"),
    "followed": ("requests followed", "{:.0%}"),
    "right": ("pairs in order", "{:.0%}"),
    "reward": ("reward", "{:.3f}"),
    "kl": ("KL", "{:.2f} nats"),
    "words": ("words", "{:.0f}"),
    "ended": ("ended", "{:.0%}"),
    "gap": ("above the floor", "{:.1f} %"),
}


def refuse(ctx: typer.Context, names: Sequence[str], why: str) -> None:
    """Raise `UserError` for an option that was given and means nothing here."""
    from examiner.errors import UserError

    for name in names:
        source = ctx.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            option = next(p for p in ctx.command.params if p.name == name)
            said = "/".join([*option.opts, *option.secondary_opts])
            raise UserError(f"{said} cannot be used here: {why}")


def tune(
    by: str,
    start: str | None,
    told: dict[str, Any],
    corpus: list[str] | None,
    to: Path | None,
    n_tokens: int,
    device: str,
    package: str | None,
    again: bool,
) -> None:
    """Tune a network and say how it goes."""
    from nextword.cli import stopping
    from nextword.cli.chapters import opened
    from nextword.models.trainer import hold
    from nextword.models.tuner import plan as plans
    from nextword.models.tuner import run
    from nextword.models.tuner import start as starts

    plan, path = plans.of_way(by, told), _file(corpus)
    _check_machine(device)
    with opened(package) as chapter, ExitStack() as stack:
        found = starts.open_start(start or "transformer", chapter)
        folder = to or RUNS / plan.folder_name(found.name, str(path or ""))
        stack.enter_context(hold.alone(folder))
        if again:
            _require_elsewhere(folder, found.name)
            _forget(folder)
        made = run.prepare(found, plan, chapter, folder, path, n_tokens, typer.echo)
        resumed = made.resume()
        _begin(made, resumed)
        with TuningTeller(made) as teller, stopping.politely() as asked:
            made.run(teller.after_step, lambda: bool(asked))
        _end(made, stopping.same_command(1))
        if made.stopped and len(made.losses) < plan.steps:
            raise typer.Exit(asked.exit_code)


def _file(corpus: list[str] | None) -> Path | None:
    """The file of chats, pairs or prompts; None for the village's own."""
    from examiner.errors import UserError

    if not corpus or corpus == ["village"]:
        return None
    if len(corpus) > 1 or Path(corpus[0]).suffix not in (".jsonl", ".json", ".ndjson"):
        raise UserError(
            f"tuning takes one file of JSON lines, such as chats.jsonl, or the village's own, "
            f"not {' '.join(corpus)}"
        )
    return Path(corpus[0])


def _check_machine(device: str) -> None:
    """Raise `UserError` where several processes or another device are asked for."""
    import os

    from examiner.errors import UserError

    if int(os.environ.get("WORLD_SIZE", "1")) > 1:
        raise UserError("tuning runs in one process: start it without torchrun")
    if device not in ("auto", "cpu"):
        raise UserError(f"tuning runs on the processor: leave out --device {device}")


def _require_elsewhere(folder: Path, start: str) -> None:
    """Raise `UserError` where to begin again would take away the network from which it begins."""
    from examiner.errors import UserError
    from nextword.models.trainer.run import FILE

    path = Path(start)
    checkpoint = path / FILE if path.is_dir() else path
    if checkpoint.exists() and checkpoint.resolve() == (folder / FILE).resolve():
        raise UserError(
            f"--again would take away what is in {folder}, and the tuning starts from it: "
            "take another --to folder"
        )


def _forget(folder: Path) -> None:
    """Take away what an earlier tuning has left in a folder."""
    from nextword.models.trainer.run import FILE
    from nextword.models.tuner.texts import PAIRS_FILE

    for name in (FILE, PAIRS_FILE):
        (folder / name).unlink(missing_ok=True)


# ------------------------------------------------------------------ what is printed
class TuningTeller(Teller):
    """Says how a tuning goes."""

    def __init__(self, tuned: Tuned) -> None:
        super().__init__(tuned, tuned.plan.steps)
        self.tuned = tuned

    def look(self) -> str:
        """All that was measured, and what the network writes."""
        if not self.tuned.looks or self.tuned.looks[-1]["step"] != len(self.tuned.losses):
            return ""
        look = self.tuned.looks[-1]
        parts = [
            f"{name} {form.format(look[key])}" for key, (name, form) in TOLD.items() if key in look
        ]
        return f"step {look['step']:,}: {', '.join(parts)}\n  {look['sample']}"


def _begin(tuned: Tuned, resumed: bool) -> None:
    """Say in two lines what is tuned, and how."""
    from nextword.models.trainer.networks import described

    plan, model = tuned.plan, tuned.start.model
    learning = sum(p.numel() for p in model.parameters() if p.requires_grad)
    everything = sum(p.numel() for p in model.parameters())
    typer.echo(
        f"{tuned.start.name}, {described(tuned.start.config)}, tuned by {plan.way}: "
        f"{learning:,} of {everything:,} weights learn"
    )
    leash = f", leash {plan.leash:g}" if plan.leash else ""
    typer.echo(
        f"{plan.steps:,} steps of {plan.size}, rate {plan.rate:g}{leash}; "
        f"checkpoints in {tuned.path}"
    )
    if resumed:
        typer.echo(f"goes on after step {len(tuned.losses):,}")


def _end(tuned: Tuned, command: str) -> None:
    """Say where everything is; where it was stopped, how to go on."""
    from nextword.models.tuner import curve

    if told_to_go_on(tuned, tuned.plan.steps, command):
        return
    typer.echo(f"done: {tuned.path}; the curve is in {curve.draw(tuned)}")
    typer.echo(f"  nextword write {tuned.folder}" + _asking(tuned))


def _asking(tuned: Tuned) -> str:
    """How to speak with a network that answers."""
    from nextword.corpora.assistant import Request

    if not tuned.start.answers:
        return ""
    example = " ".join(Request("anna", "cook", "plums").words)
    return f' --ask "{example if tuned.start.is_of_village else "…"}"'
