"""`nextword cluster`: the processes of a Dask cluster that grades, and what admits them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from examiner.grading.run import Options

# what Dask's own commands understand is passed on to them
SETTINGS = {"ignore_unknown_options": True, "allow_interspersed_args": False}
PARTS = ("certificates", "scheduler", "worker")


def cluster(
    part: Annotated[str, typer.Argument(metavar="PART", help="certificates, scheduler or worker.")],
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PLACE",
            help="certificates: a folder. Else: --certificates FOLDER, Dask's options.",
        ),
    ] = None,
) -> None:
    """Start a part of a cluster. Example: nextword cluster certificates keys

    Then `nextword cluster scheduler --certificates keys` on one machine, `nextword cluster worker
    --certificates keys tls://HOST:8786` on each of the others, and `nextword grade CHAPTER FOLDER
    --scheduler tls://HOST:8786 --certificates keys`.
    """
    from examiner.cluster.elsewhere import require_dask
    from examiner.errors import UserError

    if part not in PARTS:
        raise UserError(f"cluster {part}: expected {', '.join(PARTS[:-1])} or {PARTS[-1]}")
    require_dask()
    given = words or []
    if part == "certificates":
        _make_certificates(given)
    elif part == "scheduler":
        from examiner.cluster.scheduler import main as run_scheduler

        run_scheduler(given)
    else:
        from examiner.cluster.worker import main as run_worker

        run_worker(given)


def _make_certificates(given: list[str]) -> None:
    from examiner.cluster.certificates import AUTHORITY, DAYS, ROLES, make
    from examiner.errors import UserError

    if len(given) != 1 or given[0].startswith("-"):
        raise UserError("give one folder: nextword cluster certificates FOLDER")
    make(Path(given[0]))
    typer.echo(f"wrote certificates for {DAYS} days to {given[0]}; each machine needs two files:")
    for role in ROLES:
        typer.echo(f"  a {role}: {AUTHORITY} and {role}.pem")
    typer.echo("Keep them secret: whoever has the grader's may run programs on every worker.")


def require_one_way(
    *, jobs: int, workers: int, scheduler: str | None, certificates: Path | None
) -> None:
    """Raise UserError for options of which one leaves no room for the other."""
    from examiner.errors import UserError

    chosen = {"--jobs": jobs, "--workers": workers, "--scheduler": scheduler}
    given = [name for name, value in chosen.items() if value]
    if len(given) > 1:
        raise UserError(f"{' and '.join(given)} exclude each other: give one")
    if certificates and not scheduler:
        raise UserError("--certificates goes with --scheduler")


@contextmanager
def elsewhere(
    options: Options, workers: int, scheduler: str | None, certificates: Path | None, audit: float
) -> Iterator[Options]:
    """Give options by which other machines judge, where that is asked for."""
    if not workers and not scheduler:
        yield options
        return
    from examiner.cluster.elsewhere import Machines, local, require_dask
    from examiner.cluster.grader import Way

    require_dask()
    if scheduler:
        way = Way(scheduler, certificates, options.confined, audit=audit)
        yield replace(options, elsewhere=Machines(way, _tell))
        return
    with local(workers, _tell, confined=options.confined) as machines:
        yield replace(options, elsewhere=machines)


def _tell(line: str) -> None:
    typer.secho(f"nextword: {line}", fg="yellow", err=True)
