"""A command that runs a program among users who exist for it alone: a passwd, /home and /srv of its
own, in a namespace of mounts. Needs root; leaves nothing on the machine."""

import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

FIRST = 41_000  # the number of the first user; a machine's own users have smaller ones


def can_be_made() -> bool:
    """Tell whether such a command can run here."""
    return os.geteuid() == 0 and shutil.which("bwrap") is not None


def among_users(folder: Path, names: Sequence[str], open_home: str) -> list[str]:
    """Return the start of a command; `folder` will hold the homes and what lies in /srv.

    One home is open to all, as `useradd` leaves homes on many systems; the others are closed.
    """
    users = {name: FIRST + k for k, name in enumerate(names)}
    passwd = Path("/etc/passwd").read_text() + "".join(
        f"{name}:x:{number}:{number}::/home/{name}:/bin/sh\n" for name, number in users.items()
    )
    group = Path("/etc/group").read_text() + "".join(f"{n}:x:{k}:\n" for n, k in users.items())
    for name, text in (("passwd", passwd), ("group", group)):
        (folder / name).write_text(text)
    for name, number in users.items():
        home = folder / "home" / name
        home.mkdir(parents=True)
        home.chmod(0o755 if name == open_home else 0o700)
        os.chown(home, number, number)
    (folder / "srv").mkdir()
    command = ["bwrap", "--dev-bind", "/", "/", *open_to_all((*_python(), _checkout()))]
    for name in ("passwd", "group"):
        command += ["--ro-bind", str(folder / name), f"/etc/{name}"]
    for name in ("home", "srv"):
        (folder / name).chmod(0o755)
        command += ["--bind", str(folder / name), f"/{name}"]
    return [*command, "--die-with-parent", "--"]


def _python() -> tuple[Path, Path]:
    return Path(sys.base_prefix), Path(sys.prefix)


def _checkout() -> Path:
    return Path(__file__).parents[3]


def open_to_all(paths: Iterable[Path]) -> list[str]:
    """Return options that show paths to every user, also those that lie in a closed folder.

    Nothing else of such a folder is seen.
    """
    options: list[str] = []
    made: set[Path] = set()
    for path in paths:
        closed = [each for each in path.parents if not each.stat().st_mode & 0o001]
        if not closed:
            continue
        for parent in reversed(path.parents):
            if parent == closed[-1] and parent not in made:
                options += ["--perms", "0755", "--tmpfs", str(parent)]
            elif parent.is_relative_to(closed[-1]) and parent not in made:
                options += ["--perms", "0755", "--dir", str(parent)]
            made.add(parent)
        options += ["--ro-bind", str(path), str(path)]
    return options
