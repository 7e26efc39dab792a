"""`nextword write`: a trained model writes, word by word."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from nextword.models.trainer.runs import Run
    from nextword.models.trainer.writing import Taste

TOKENS_A_WORD = 40  # at most, so that a text without spaces ends, too


def write(
    run: Annotated[
        Path, typer.Argument(metavar="RUN", help="The folder of a run, or its checkpoint.")
    ],
    prompt: Annotated[str, typer.Option(help="How the text begins.")] = "",
    ask: Annotated[
        list[str] | None,
        typer.Option(help="Say this to a network that was tuned to answer; again for more turns."),
    ] = None,
    words: Annotated[int, typer.Option(min=1, help="Words to write, at most.")] = 200,
    temperature: Annotated[
        float, typer.Option(min=0.0, help="Below 1 likely words become likelier; 0: no chance.")
    ] = 1.0,
    top_p: Annotated[
        float,
        typer.Option(min=0.0, max=1.0, help="Choose among the likeliest with this share together."),
    ] = 1.0,
    top_k: Annotated[
        int, typer.Option(min=0, help="Choose among so many of the likeliest; 0: among all.")
    ] = 0,
    seed: Annotated[
        int | None, typer.Option(help="The same text again. Default: a new one.")
    ] = None,
    package: Annotated[
        str | None, typer.Option(help="The model's package. Default: solutions, else coursework.")
    ] = None,
) -> None:
    """Let a trained model write. Example: nextword write runs/village --prompt "once there was"

    RUN is what `nextword train` has made; tokens are joined as it cut them. In
    the village a story is written to its end, and the listener says whether it
    is one, or at which word it stops understanding. After tuning by instruction:
    --ask "tell a story about anna, a cook, with plums" --ask "who is the story about?"
    """
    import torch

    from examiner.errors import UserError
    from nextword.cli.chapters import opened
    from nextword.models.trainer.runs import open_run
    from nextword.models.trainer.writing import Taste

    if top_p == 0:
        raise UserError("--top-p must be more than 0")
    if ask and prompt:
        raise UserError("--ask and --prompt exclude each other: an answer has no other beginning")
    rng = torch.Generator()
    if seed is None:
        rng.seed()
    else:
        rng.manual_seed(seed)
    with opened(package) as chapter:
        found = open_run(run, chapter)
        taste = Taste(temperature, top_k, top_p)
        if ask:
            _answer(found, ask, words, taste, rng)
        else:
            _write(found, prompt, words, taste, rng)


def _write(run: Run, prompt: str, words: int, taste: Taste, rng: object) -> None:
    """Print the prompt and the text as it is made; then what the listener says of it."""
    from nextword.models.trainer import writing

    _name_unknown(run, prompt)
    in_village = run.corpus == "village"
    ids = run.tokenizer.encode(prompt)
    begin = (
        run.tokenizer.decode(ids, as_prose=in_village) if run.tokenizer.kind == "words" else prompt
    )
    typer.echo(begin, nl=False)
    made = writing.tokens(run.model, run.config, run.tokenizer, ids, taste, rng)  # type: ignore[arg-type]
    pieces = writing.pieces(run.tokenizer, ids, made, as_prose=in_village)
    text, ended = begin, False
    for piece in _until(pieces, words, by_token=run.tokenizer.kind == "words"):
        if in_village and "\n" in piece:  # the end of a story
            text, ended = text + piece.split("\n")[0], True
            break
        typer.echo(piece, nl=False)
        text += piece
    typer.echo()
    if in_village:
        typer.secho(f"({writing.listened(text, ended=ended)})", fg="cyan")


def _answer(run: Run, asked: list[str], words: int, taste: Taste, rng: object) -> None:
    """Print each question and its answer; the network reads all that was said before."""
    from examiner.errors import UserError
    from nextword.corpora.assistant import MARKS
    from nextword.given.batches import EOS
    from nextword.models.trainer import writing

    vocabulary = run.tokenizer.vocabulary
    if run.tokenizer.kind != "words" or not set(MARKS.values()) <= set(vocabulary):
        raise UserError(
            "this run has not learned to answer: `nextword train --by instruction --start …` "
            "teaches it; --prompt lets it continue a text"
        )
    user, assistant = (vocabulary.index(MARKS[role]) for role in ("user", "assistant"))
    row: list[int] = []
    for said in asked:
        _name_unknown(run, said)
        row += [user, *run.tokenizer.encode(said), EOS, assistant]
        typer.secho(f"> {said}", bold=True)
        made = writing.tokens(run.model, run.config, run.tokenizer, row, taste, rng)  # type: ignore[arg-type]
        answer = list(islice(takewhile(lambda token: token != EOS, made), words))
        typer.echo(run.tokenizer.decode(answer, as_prose=run.corpus == "village"))
        row += [*answer, EOS]


def _until(pieces: Iterator[str], n: int, *, by_token: bool) -> Iterator[str]:
    """The pieces of n words; a word that would be cut is left out."""
    if by_token:
        yield from islice(pieces, n)
        return
    n_words, inside = 0, False
    for piece in islice(pieces, TOKENS_A_WORD * n):
        for sign in piece:
            n_words += not sign.isspace() and not inside
            inside = not sign.isspace()
        if n_words > n:
            return
        yield piece


def _name_unknown(run: Run, prompt: str) -> None:
    """Say which words of the prompt the model reads as unknown ones."""
    unknown = run.tokenizer.unknown(prompt)
    if unknown and "<unk>" in run.tokenizer.vocabulary:
        names = ", ".join(map(repr, unknown))
        typer.secho(f"not in the vocabulary, read as <unk>: {names}", fg="yellow", err=True)
