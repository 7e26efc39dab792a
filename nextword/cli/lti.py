"""`nextword lti`: the keys by which learning platforms know this grader, and what to tell them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

PARTS = ("keys", "show")


def lti(
    part: Annotated[str, typer.Argument(metavar="PART", help="keys or show.")],
    place: Annotated[
        Path, typer.Argument(metavar="PLACE", help="keys: a new folder. show: the lti.toml in it.")
    ],
    address: Annotated[
        str | None,
        typer.Option(help="keys: where browsers reach this grader, such as https://…"),
    ] = None,
) -> None:
    """Make keys for LTI 1.3. Example: nextword lti keys lti --address https://grader.example.org

    Then `nextword lti show lti/lti.toml` says what to enter in the platform, and `nextword serve
    CHAPTER INBOX --lti lti/lti.toml` opens the door.
    """
    from examiner.errors import UserError

    if part not in PARTS:
        raise UserError(f"lti {part}: expected {' or '.join(PARTS)}")
    if part == "keys":
        _make(place, address)
    elif address:
        raise UserError("--address goes with `lti keys`: lti.toml holds it from then on")
    else:
        _show(place)


def _make(place: Path, address: str | None) -> None:
    from examiner.errors import UserError
    from examiner.platforms.lti.keys import make
    from examiner.platforms.lti.settings import is_place

    if not address:
        raise UserError("lti keys needs --address, such as https://grader.example.org")
    if not is_place(address):
        text = "expected where browsers reach this grader, such as https://grader.example.org"
        raise UserError(f"--address {address}: {text}")
    key, settings = make(place, address)
    typer.echo(f"wrote {key} (keep it secret) and {settings}")
    typer.echo(f"next: nextword lti show {settings}")


def _show(path: Path) -> None:
    from examiner.platforms.lti.keys import read
    from examiner.platforms.lti.settings import JWKS, LOGIN, read_settings

    settings = read_settings(path)
    read(settings.keys)  # whether they are good
    rows = {
        "tool address, target link": settings.target(),
        "redirect address": settings.target(),
        "login address": f"{settings.address}{LOGIN}",
        "key set (JWKS)": f"{settings.address}{JWKS}",
        "deep linking address": settings.target(),
    }
    typer.echo("enter in the platform:")
    for name, value in rows.items():
        typer.echo(f"  {name:<26} {value}")
    typer.echo("and allow: deep linking, names and roles, grades and columns (AGS)")
    for each in settings.platforms:
        deployments = ", ".join(each.deployments)
        typer.echo(f"registered: {each.name}, client {each.client_id}, deployments {deployments}")
    if not settings.platforms:
        typer.echo(f"then enter in {path} what the platform shows: no platform is in it yet")
