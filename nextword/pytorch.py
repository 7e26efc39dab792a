"""Installs PyTorch, which chapters 3 to 7 compute with, and says before it loads how much it is.

    python -m nextword.pytorch            # also: nextword install-torch
    python -m nextword.pytorch --cuda     # the large build, for NVIDIA's graphics cards

The usual PyTorch for Linux brings several GB of libraries for graphics cards, which this course
does not need. So this looks first which file pip would load. If that is the large build, it looks
at PyTorch's own index for the build for processors; if that gives none either, nothing is loaded
until `--cuda` says so. `pip install --dry-run` would not do: from an index that keeps no metadata
beside its files, it loads them all. Needs nothing but Python and pip. Leaves out uv.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import re
import subprocess
import sys
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from urllib.parse import urlsplit

from examiner.errors import UserError

INDEX = "https://download.pytorch.org/whl/cpu"
SECONDS = 15  # that a server may take to answer
LARGE_MB = 300  # builds for processors have 80 to 250 MB
# measured for the version of constraints.txt, with all that it brings
SMALL = "about 200 MB to load, 0.9 GB of disk"
LARGE = "about 2.7 GB to load, 5.5 GB of disk"
# pip's own choice among all that it is set to look at; it has no command that only tells
FIND = """
import json, sys
from pip._internal.commands import create_command
from pip._vendor.packaging.specifiers import SpecifierSet
command = create_command("install")
options, _ = command.parse_args(sys.argv[2:])
with command.main_context():
    finder = command._build_package_finder(options, command.get_default_session(options))
    best = finder.find_best_candidate("torch", SpecifierSet(sys.argv[1])).best_candidate
    beside = best and best.link.metadata_link()
    print(json.dumps(best and {
        "version": str(best.version), "address": best.link.url_without_fragment,
        "beside": beside.url_without_fragment if beside else ""}))
"""


@dataclass(frozen=True)
class Offer:
    """The file of torch that pip would load."""

    version: str
    address: str
    beside: str = ""  # where its metadata is, if it is beside the file
    index: str = ""  # asked instead of where pip looks by itself

    @property
    def large(self) -> bool:
        """Whether it is, or may be, the build for graphics cards."""
        build = self.version.partition("+")[2]
        if build or not sys.platform.startswith("linux"):  # elsewhere, the usual one is small
            return build.startswith(("cu", "rocm", "xpu"))
        needs = re.search(rb"^Requires-Dist: (nvidia|cuda)", _read(self.beside), re.M)
        return bool(needs) or not 0 < megabytes(self.address) < LARGE_MB

    def __str__(self) -> str:
        name = f"PyTorch {self.version.partition('+')[0]}"
        if self.large:
            return f"{name} for graphics cards: {LARGE}"
        known = megabytes(self.address)
        size = f"{known:.0f} MB to load, about 0.9 GB of disk" if known else SMALL
        return f"{name} for processors: {size}"


def installed() -> str:
    """Return the version of torch in this Python, or nothing."""
    try:
        return metadata.version("torch")
    except metadata.PackageNotFoundError:
        return ""


def pinned(constraints: Path | None) -> str:
    """Return what the constraints say of torch, such as "==2.13.0", or nothing."""
    text = constraints.read_text("utf-8") if constraints and constraints.is_file() else ""
    found = re.search(r"^torch(==\S+)", text, re.M)
    return found[1] if found else ""


def find(version: str, index: str = "") -> Offer | None:
    """Return the file that pip would load, or None; loads nothing. index: asked instead."""
    where = ["--index-url", index, "--retries", "0", "--timeout", str(SECONDS)] if index else []
    command = [sys.executable, "-c", FIND, version, *where, "torch"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        told = json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        return None
    return Offer(**told, index=index) if told else None


def choose(version: str, *, cuda: bool, index: str, consent: str) -> Offer:
    """Return the offer to take: the usual one if it is small or was asked for, else the index's.

    consent: what to type for the large build. Raises UserError where only that can be had, or none.
    """
    usual = find(version)
    if usual and (cuda or not usual.large):
        return usual
    small = None if cuda else find(version, index)
    if small and not small.large:
        return small
    if usual:
        raise UserError(
            f"only the large PyTorch can be had here. {usual}, most of it NVIDIA's libraries, "
            f"which this course does not need. Nothing was loaded.\n"
            f"The build for processors ({SMALL}) is at {index}, which {_complaint(index)}.\n"
            f"Try again where that address can be reached, or take the large one: {consent}"
        )
    if version:
        print(f"No PyTorch {version.strip('=')} for this Python: looking for another.", flush=True)
        return choose("", cuda=cuda, index=index, consent=consent)
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    raise UserError(
        f"pip finds no PyTorch for Python {python}, and {index} {_complaint(index)}. "
        f"Is there a connection? A new Python may be too new for PyTorch: take the one before it."
    )


def megabytes(address: str) -> float:
    """Return the size of a file, 0 where nobody says."""
    parts = urlsplit(address)
    try:
        if parts.scheme == "file":
            return Path(urllib.request.url2pathname(parts.path)).stat().st_size / 1e6
        asked = urllib.request.Request(address, method="HEAD")
        with urllib.request.urlopen(asked, timeout=SECONDS) as answer:
            return int(answer.headers.get("Content-Length") or 0) / 1e6
    except (OSError, ValueError):
        return 0


def _read(address: str) -> bytes:
    """Return the text of a small file, empty where it cannot be had."""
    try:
        with urllib.request.urlopen(address, timeout=SECONDS) as answer:
            return bytes(answer.read())
    except (OSError, ValueError):
        return b""


def _complaint(index: str) -> str:
    """Say what an index did that gave no build."""
    try:
        with urllib.request.urlopen(f"{index}/torch/", timeout=SECONDS):
            return "has none for this computer"
    except (OSError, ValueError) as error:
        return f"does not answer ({getattr(error, 'reason', error)})"


def install(offer: Offer) -> None:
    """Install what was offered; raises UserError where that fails, after pip said why."""
    # from the index comes torch alone, since nothing else there has this version
    where = ["--extra-index-url", offer.index] if offer.index else []
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    done = subprocess.run([*command, *where, f"torch=={offer.version}"], check=False)
    if done.returncode:
        raise UserError("pip could not install PyTorch; its lines above say why")


def bring(
    *,
    cuda: bool = False,
    dry_run: bool = False,
    index: str = INDEX,
    constraints: Path | None = None,
    consent: str = "nextword install-torch --cuda",
) -> None:
    """Install PyTorch, after saying its size; nothing where it is there already.

    Raises UserError where it cannot be had, or only the large build and `cuda` is not set.
    """
    if version := installed():
        print(f"PyTorch {version} is installed.", flush=True)
        return
    if importlib.util.find_spec("pip") is None:
        raise UserError("this Python has no pip; with uv: uv sync --extra torch")
    offer = choose(pinned(constraints), cuda=cuda, index=index.rstrip("/"), consent=consent)
    print(f"{offer}{'.' if dry_run else ' …'}", flush=True)
    if not dry_run:
        install(offer)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from a shell, before the course itself is installed."""
    parser = argparse.ArgumentParser(prog="python -m nextword.pytorch")
    parser.add_argument("--cuda", action="store_true")
    parser.add_argument("--dry-run", action="store_true")
    parser.add_argument("--index", default=INDEX)
    parser.add_argument("--constraint", type=Path, default=Path("constraints.txt"))
    parser.add_argument("--consent", default="python -m nextword.pytorch --cuda")
    given = parser.parse_args(arguments)
    try:
        bring(
            cuda=given.cuda,
            dry_run=given.dry_run,
            index=given.index,
            constraints=given.constraint,
            consent=given.consent,
        )
    except UserError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
