"""`nextword train`: the reader's transformer, on any text, device and number of processes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from examiner.plural import count

if TYPE_CHECKING:
    from nextword.cli.bar import Bar
    from nextword.models.trainer.config import Config
    from nextword.models.trainer.parallel import Place
    from nextword.models.trainer.run import Training
    from nextword.models.trainer.streams import Stream


def train(
    corpus: Annotated[
        str,
        typer.Argument(help="village, pydocs, shakespeare, a file; with --characters a download."),
    ] = "village",
    to: Annotated[Path, typer.Option(help="The folder of the checkpoint.")] = Path("runs/village"),
    tokens: Annotated[int, typer.Option(min=1_000, help="Tokens to train on.")] = 1_000_000,
    characters: Annotated[bool, typer.Option(help="Characters are the tokens, not words.")] = False,
    width: Annotated[int, typer.Option(help="Numbers of each token's vector.")] = 64,
    layers: Annotated[int, typer.Option(help="Blocks.")] = 3,
    heads: Annotated[int, typer.Option(help="Heads of attention in a block.")] = 2,
    context: Annotated[int, typer.Option(help="Tokens of a row.")] = 128,
    batch: Annotated[int, typer.Option(help="Rows of a step, over all processes.")] = 16,
    accumulate: Annotated[int, typer.Option(help="Parts of a step, one after another.")] = 1,
    steps: Annotated[int, typer.Option(help="Steps of the optimizer.")] = 2_000,
    rate: Annotated[float, typer.Option(help="The highest learning rate.")] = 3e-3,
    warm_up: Annotated[int, typer.Option(help="Steps until the rate is highest.")] = 100,
    decay: Annotated[float, typer.Option(help="Weight decay of the matrices.")] = 0.1,
    dropout: Annotated[float, typer.Option(help="Share of numbers set to 0.")] = 0.0,
    positions: Annotated[
        str, typer.Option(help="rotary, learned, sinusoidal, alibi or none.")
    ] = "rotary",
    seed: Annotated[int, typer.Option(help="Of the weights and the order of the text.")] = 0,
    every: Annotated[int, typer.Option(help="Steps between two checkpoints.")] = 200,
    device: Annotated[str, typer.Option(help="cpu, cuda, mps or auto.")] = "auto",
    shard: Annotated[
        bool, typer.Option("--shard", help="Split the weights over the processes of torchrun.")
    ] = False,
    package: Annotated[
        str | None, typer.Option(help="The model's package. Default: solutions, else coursework.")
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Begin anew.")] = False,
) -> None:
    """Train a transformer. Example: nextword train village --to runs/village

    It goes on from the checkpoint in the folder, if there is one, as if it had
    never stopped. Several processes, GPUs or machines share each batch:
    torchrun --nproc-per-node 2 -m nextword train village
    """
    from nextword.models.trainer import parallel, streams
    from nextword.models.trainer.config import Config

    config = Config(
        *(width, layers, heads, context, batch, accumulate, steps, rate, warm_up, decay),
        dropout=dropout,
        positions=positions,
        seed=seed,
        every=every,
    )
    with parallel.joined(device, shard=shard) as place:
        config.check_processes(place.n_processes)
        stream = streams.read(corpus, tokens, characters=characters)
        _train(config, stream, place, to, package, again)


def _train(
    config: Config, stream: Stream, place: Place, to: Path, package: str | None, again: bool
) -> None:
    """Build the package's model, train it and say how it goes."""
    import importlib

    from examiner.project import find_project
    from nextword.cli.bar import Bar
    from nextword.models.store import importable
    from nextword.models.trainer import parallel
    from nextword.models.trainer.run import Training

    project = find_project()
    chosen = package or project.best_package
    project.module(chosen, "transformers")  # raises where it is missing
    with importable(project.root, chosen):
        course = importlib.import_module(f"{chosen}.transformers")
        try:
            training = Training(course, stream, config, place, to)
        except NotImplementedError as error:
            _stop(chosen, error)
        resumed = (parallel.restarted() or not again) and training.resume()
        if place.is_first:
            _say_what(training, resumed)
        with Bar() as bar:
            try:
                training.run(lambda now: _report(now, bar))
            except NotImplementedError as error:
                _stop(chosen, error)
    if place.is_first:
        typer.echo(f"done: {training.path}")


def _stop(package: str, error: NotImplementedError) -> None:
    typer.secho(f"{package}: open task {error}", fg="red", err=True)
    raise typer.Exit(1) from None


def _say_what(training: Training, resumed: bool) -> None:
    """Say in two lines what will be trained, on what and where."""
    config, place = training.config, training.place
    n_weights = sum(p.numel() for p in training.model.parameters())
    processes = count(place.n_processes, "process", "processes")
    typer.echo(
        f"a transformer of {count(config.layers, 'block')}, {count(config.heads, 'head')}, "
        f"width {config.D}: {n_weights:,} weights; {len(training.stream.train):,} tokens of "
        f"{len(training.stream.vocabulary)} kinds"
    )
    typer.echo(
        f"{config.steps:,} steps of {config.size} x {config.T} tokens on {place.device.type}, "
        f"{processes}, checkpoints in {training.path}"
    )
    if resumed:
        typer.echo(f"goes on after step {len(training.losses):,}")


def _report(training: Training, bar: Bar) -> None:
    """Show how far it is; after a look at the validation text, one line that stays."""
    from nextword.models.trainer.run import perplexity

    if not training.place.is_first:
        return
    done = len(training.losses)
    bar.progress("train", f"loss {training.losses[-1]:.3f}", done / training.config.steps)
    if training.looks and training.looks[-1].step == done:
        look = training.looks[-1]
        typer.echo(
            f"step {done:,}: training {look.training:.4f}, validation {look.validation:.4f} nats "
            f"per token (perplexity {perplexity(look.validation):.3f})"
        )
