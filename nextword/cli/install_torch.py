"""`nextword install-torch`: PyTorch, which chapters 3 to 7 need, in its small build."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def install_torch(
    cuda: Annotated[
        bool, typer.Option("--cuda", help="Take the build for graphics cards, several GB.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be loaded, and load nothing.")
    ] = False,
    index: Annotated[
        str | None, typer.Option(help="Where builds for processors are, if not at PyTorch's own.")
    ] = None,
) -> None:
    """Install PyTorch and say first how large it is. Example: nextword install-torch"""
    from examiner.errors import UserError
    from examiner.project import find_project
    from nextword.pytorch import INDEX, bring

    try:
        pins = find_project().root / "constraints.txt"
    except UserError:  # the library of an assignment is no course folder
        pins = Path("constraints.txt")
    bring(cuda=cuda, dry_run=dry_run, index=index or INDEX, constraints=pins)
