"""How `nextword train` turns a large text into tokens on disk: seconds of a processor, memory.

The text is prose of the village, told once and repeated; each kind of token is made in a process of
its own, whose peak of memory is measured beside that after its imports.
Leaves out: training on it.
Usage: python benchmarks/token_files.py [--megabytes 100] [--kinds characters bpe words]
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
MERGES = 200


def make_text(path: Path, megabytes: int) -> None:
    from nextword.corpora import village

    told = "\n".join(village.prose(s) for s in village.split("train", 200_000).stories()) + "\n"
    with path.open("w", encoding="utf-8") as file:
        while file.tell() < megabytes * 1e6:
            file.write(told)


def measure(path: Path, kind: str) -> dict[str, float | int | str]:
    from nextword.models.trainer import streams
    from solutions import language_models

    def peak() -> float:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3

    before, began = peak(), time.process_time()
    folder = path.parent / kind
    found = streams.read(
        str(path), tokens_as=kind, folder=folder, n_merges=MERGES, language_models=language_models
    )
    made, took = peak(), time.process_time() - began
    began = time.process_time()
    streams.read(
        str(path), tokens_as=kind, folder=folder, n_merges=MERGES, language_models=language_models
    )
    return {
        "kind": kind,
        "tokens": len(found.train) + len(found.validation),
        "seconds": round(took, 1),
        "megabytes_per_second": round(path.stat().st_size / 1e6 / took, 1),
        "memory_megabytes": round(made - before),
        "seconds_again": round(time.process_time() - began, 4),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--kinds", nargs="+", default=["characters", "bpe", "words"])
    parser.add_argument("--measure", nargs=2, metavar=("FILE", "KIND"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    if options.measure:
        print(json.dumps(measure(Path(options.measure[0]), options.measure[1])))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text.txt"
        make_text(path, options.megabytes)
        print(f"{path.stat().st_size / 1e6:.0f} MB of text")
        for kind in options.kinds:
            command = [sys.executable, __file__, "--measure", str(path), kind]
            found = subprocess.run(command, check=True, capture_output=True, text=True)
            print(found.stdout, end="")


if __name__ == "__main__":
    main()
