"""`nextword train`: the reader's own network, on any text, device and number of processes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from nextword.models.trainer.config import Config
    from nextword.models.trainer.parallel import Place
    from nextword.models.trainer.run import Training

RUNS = Path("runs")
TEXT, NET, PLAN, MACHINE, TUNE = "Text", "Network", "Plan", "Machine", "Tuning"


def train(
    ctx: typer.Context,
    corpus: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="CORPUS",
            help="village, pydocs, shakespeare, a download; or text files and folders of *.txt. "
            "With --by: a file of JSON lines, or the village's own.",
        ),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(
            help="instruction, preference or reward: tune a trained network.", rich_help_panel=TUNE
        ),
    ] = None,
    start: Annotated[
        str | None,
        typer.Option(
            help="The run to tune; transformer (default) or assistant: a network of the book.",
            rich_help_panel=TUNE,
        ),
    ] = None,
    reward: Annotated[
        str | None,
        typer.Option(
            help="accepted (default), followed, taste; or judge.py:function, of a list of texts.",
            rich_help_panel=TUNE,
        ),
    ] = None,
    leash: Annotated[
        float | None,
        typer.Option(
            help="What a nat away from the start costs (0.05), or beta of DPO (0.1).",
            rich_help_panel=TUNE,
        ),
    ] = None,
    pairs: Annotated[
        int | None,
        typer.Option(
            help="Pairs of its own stories that the judge prefers (1,000).", rich_help_panel=TUNE
        ),
    ] = None,
    group: Annotated[
        int | None,
        typer.Option(
            help="Answers to a prompt, compared with each other (GRPO); 0: a whole batch.",
            rich_help_panel=TUNE,
        ),
    ] = None,
    rank: Annotated[
        int | None,
        typer.Option(help="Of LoRA; 0 (default): all weights learn.", rich_help_panel=TUNE),
    ] = None,
    to: Annotated[
        Path | None,
        typer.Option(help="The folder of the run. Default: one in runs/ for corpus and plan."),
    ] = None,
    tokens: Annotated[
        int,
        typer.Option(min=1_000, help="Words of a corpus with a name.", rich_help_panel=TEXT),
    ] = 1_000_000,
    tokens_as: Annotated[
        str | None,
        typer.Option(help="words, characters or bpe (chapter 1's).", rich_help_panel=TEXT),
    ] = None,
    characters: Annotated[
        bool, typer.Option(help="The same as --tokens-as characters.", rich_help_panel=TEXT)
    ] = False,
    merges: Annotated[
        int, typer.Option(min=0, help="Byte pairs that bpe learns.", rich_help_panel=TEXT)
    ] = 500,
    kind: Annotated[
        str,
        typer.Option(
            help="transformer, linear-attention, attention, rnn, lstm or gru.", rich_help_panel=NET
        ),
    ] = "transformer",
    width: Annotated[
        int, typer.Option(help="Numbers of each token's vector.", rich_help_panel=NET)
    ] = 64,
    layers: Annotated[
        int, typer.Option(help="Blocks, or layers of cells.", rich_help_panel=NET)
    ] = 3,
    heads: Annotated[
        int, typer.Option(help="Heads of attention in a block.", rich_help_panel=NET)
    ] = 2,
    key_value_heads: Annotated[
        int,
        typer.Option(
            help="Heads of keys and values, shared by groups; 0: as many.", rich_help_panel=NET
        ),
    ] = 0,
    hidden: Annotated[
        int,
        typer.Option(
            help="Width inside a feed-forward layer (0: 4 x width), or of a recurrent state.",
            rich_help_panel=NET,
        ),
    ] = 0,
    feed_forward: Annotated[
        str, typer.Option(help="relu, gelu, gelu_tanh or swiglu.", rich_help_panel=NET)
    ] = "gelu",
    norm: Annotated[str, typer.Option(help="layer or rms.", rich_help_panel=NET)] = "layer",
    pre: Annotated[
        bool,
        typer.Option(
            "--pre-norm/--post-norm", help="Norms before or after layers.", rich_help_panel=NET
        ),
    ] = True,
    positions: Annotated[
        str | None,
        typer.Option(
            help="rotary (default), learned, sinusoidal, alibi or none.", rich_help_panel=NET
        ),
    ] = None,
    tied: Annotated[
        bool | None,
        typer.Option(
            "--tied/--untied",
            help="One matrix for reading and for predicting. Default: tied but for rnn, lstm, gru.",
            rich_help_panel=NET,
        ),
    ] = None,
    bias: Annotated[
        bool,
        typer.Option("--bias/--no-bias", help="Linear layers have biases.", rich_help_panel=NET),
    ] = True,
    context: Annotated[int, typer.Option(help="Tokens of a row.", rich_help_panel=NET)] = 128,
    dropout: Annotated[
        float, typer.Option(help="Share of numbers set to 0.", rich_help_panel=NET)
    ] = 0.0,
    batch: Annotated[
        int | None,
        typer.Option(help="Rows of a step, over all processes (16).", rich_help_panel=PLAN),
    ] = None,
    accumulate: Annotated[
        int, typer.Option(help="Parts of a step, one after another.", rich_help_panel=PLAN)
    ] = 1,
    steps: Annotated[
        int | None,
        typer.Option(help="Steps of the optimizer; may grow later (2,000).", rich_help_panel=PLAN),
    ] = None,
    rate: Annotated[
        float | None, typer.Option(help="The highest learning rate (0.003).", rich_help_panel=PLAN)
    ] = None,
    warm_up: Annotated[
        int | None,
        typer.Option(help="Steps until the rate is highest (100).", rich_help_panel=PLAN),
    ] = None,
    decay: Annotated[
        float, typer.Option(help="Weight decay of the matrices.", rich_help_panel=PLAN)
    ] = 0.1,
    seed: Annotated[
        int, typer.Option(help="Of the weights and the order of the text.", rich_help_panel=PLAN)
    ] = 0,
    every: Annotated[
        int | None,
        typer.Option(help="Steps between two looks and checkpoints (200).", rich_help_panel=PLAN),
    ] = None,
    device: Annotated[
        str, typer.Option(help="cpu, cuda, mps or auto.", rich_help_panel=MACHINE)
    ] = "auto",
    shard: Annotated[
        bool,
        typer.Option(
            "--shard",
            help="Split the weights over the processes of torchrun.",
            rich_help_panel=MACHINE,
        ),
    ] = False,
    precision: Annotated[
        str,
        typer.Option(help="float32, bfloat16 or auto: bfloat16 on cuda.", rich_help_panel=MACHINE),
    ] = "auto",
    compiled: Annotated[
        bool,
        typer.Option("--compile", help="Let PyTorch compile the network.", rich_help_panel=MACHINE),
    ] = False,
    package: Annotated[
        str | None,
        typer.Option(
            help="The network's package. Default: solutions, else coursework.",
            rich_help_panel=MACHINE,
        ),
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Begin anew.")] = False,
) -> None:
    """Train a network. Example: nextword train village --to runs/village

    It goes on from the checkpoint in the folder, if there is one, as if it had
    never stopped; Ctrl-C writes one. With more --steps, a finished run goes on.
    Beside it are a log, log.jsonl, and the curve; nextword write lets it write.

    Several processes, GPUs or machines share each batch:
    torchrun --nproc-per-node 2 -m nextword train village

    A trained network is tuned with chapter 7, by one of three ways:
    nextword train --by reward --start runs/village
    """
    from nextword.cli import tuning

    if by is not None:
        plan = {
            **{"steps": steps, "size": batch, "rate": rate, "warm_up": warm_up, "every": every},
            **{"leash": leash, "pairs": pairs, "judge": reward, "group": group, "rank": rank},
            "seed": seed,
        }
        tuning.refuse(ctx, tuning.OF_TRAINING, "the network of --start and its words stay")
        tuning.tune(by, start, plan, corpus, to, tokens, device, package, again)
        return
    tuning.refuse(ctx, tuning.OF_TUNING, "it is for tuning, --by instruction, preference or reward")
    from nextword.models.trainer import config as plans
    from nextword.models.trainer import parallel

    config = plans.of_kind(
        kind,
        {
            "D": width,
            "layers": layers,
            "heads": heads,
            "G": key_value_heads,
            "F": hidden,
            "feed": feed_forward,
            "norm": norm,
            "pre": pre,
            "positions": positions,
            "tied": tied,
            "bias": bias,
            "T": context,
            "dropout": dropout,
            "size": batch,
            "parts": accumulate,
            "steps": steps,
            "rate": rate,
            "warm_up": warm_up,
            "decay": decay,
            "seed": seed,
            "every": every,
        },
    )
    cut = _cut(tokens_as, characters)
    text = {"n_tokens": tokens, "tokens_as": cut, "n_merges": merges}
    with parallel.joined(device, shard=shard) as place:
        config.check_processes(place.n_processes)
        _train(
            config, corpus or ["village"], text, place, to, (precision, compiled), package, again
        )


def _cut(tokens_as: str | None, characters: bool) -> str:
    """What is a token."""
    from examiner.errors import UserError

    if characters and tokens_as not in (None, "characters"):
        raise UserError(f"--characters and --tokens-as {tokens_as} exclude each other")
    return "characters" if characters else tokens_as or "words"


def _train(
    config: Config,
    corpus: list[str],
    text: dict[str, Any],
    place: Place,
    to: Path | None,
    speed: tuple[str, bool],
    package: str | None,
    again: bool,
) -> None:
    """Build the package's network, train it and say how it goes."""
    from nextword.cli import stopping, training
    from nextword.cli.chapters import opened
    from nextword.models.trainer import hold, sources

    folder = to or RUNS / sources.folder_of(config, corpus, text)
    anew = again and not place.restarted
    with opened(package) as chapter, ExitStack() as stack:
        stack.enter_context(hold.alone(folder, place))  # before anything is written there
        made, notes = _prepared(config, corpus, text, place, folder, speed, chapter, anew=anew)
        if anew:
            made.forget()
        resumed = not anew and made.resume()
        if place.is_first:
            training.begin(made, resumed, notes)
        with training.TrainingTeller(made) as teller, stopping.politely() as asked:
            made.run(teller.after_step, lambda: bool(asked))
        if place.is_first:
            training.end(made, stopping.same_command(place.n_processes))
        if made.stopped and len(made.losses) < config.steps:
            raise typer.Exit(asked.exit_code)


def _prepared(
    config: Config,
    corpus: list[str],
    text: dict[str, Any],
    place: Place,
    folder: Path,
    speed: tuple[str, bool],
    chapter: Callable[[str], ModuleType],
    *,
    anew: bool,
) -> tuple[Training, list[str]]:
    """The training before its first step, and what is to be known of it."""
    from nextword.models.trainer import networks, run, streams

    course = chapter(networks.chapter(config.kind))
    chapter_1 = chapter("language_models") if text["tokens_as"] == "bpe" else None
    say = typer.echo if place.is_first else lambda line: None
    check = run.any_text if anew else run.as_before(folder)
    stream = streams.read_together(
        place, corpus, folder=folder, language_models=chapter_1, say=say, check=check, **text
    )
    precision, note = run.chosen_precision(place.device, speed[0])
    made = run.Training(course, stream, config, place, folder, precision=precision)
    notes = [note] if note else []
    if speed[1]:
        why = made.compile()
        notes.append(f"not compiled, since that fails here: {why}" if why else "compiled")
    return made, notes
