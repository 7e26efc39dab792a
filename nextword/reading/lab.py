"""Opens a notebook in JupyterLab, with the Python that runs this command."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import webbrowser
from pathlib import Path
from urllib.parse import quote

from examiner.errors import UserError

MISSING = (
    "JupyterLab is not installed in this Python: pip install jupyterlab, or open {path} with "
    "another program that reads notebooks"
)


def require_lab(path: Path) -> None:
    """Raise UserError where JupyterLab is missing."""
    if importlib.util.find_spec("jupyterlab") is None:
        raise UserError(MISSING.format(path=path))


def command(path: Path, root: Path) -> list[str]:
    """Return what starts JupyterLab on a notebook; its files are those below `root`."""
    return [
        *(sys.executable, "-m", "jupyterlab"),
        f"--ServerApp.root_dir={root}",
        f"--LabApp.default_url=/lab/tree/{_address(path, root)}",
    ]


def open_in_lab(path: Path, root: Path) -> str:
    """Open a notebook, in a JupyterLab that runs on `root` already or in a new one.

    A new one runs until it is stopped; then nothing is returned, and else the address.
    """
    if running := _running(root):
        address = f"{running['url']}lab/tree/{_address(path, root)}"
        if token := running.get("token"):
            address += f"?token={token}"
        webbrowser.open(address)
        return address
    environment = {**os.environ, "JUPYTER_PREFER_ENV_PATH": "1"}  # its kernel is this Python
    subprocess.run(command(path, root), env=environment, check=False)
    return ""


def _address(path: Path, root: Path) -> str:
    return quote(path.relative_to(root).as_posix())


def _running(root: Path) -> dict[str, str] | None:
    """Return what is known of a JupyterLab that serves this folder, or None."""
    try:
        from jupyter_server.serverapp import list_running_servers
    except ImportError:
        return None
    for server in list_running_servers():
        if Path(str(server.get("root_dir", ""))) == root:
            return {key: str(value) for key, value in server.items()}
    return None
