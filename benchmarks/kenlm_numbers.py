"""Makes the numbers of KenLM that tests/ngrams/test_reference.py compares with. Leaves out: timing.

KenLM's estimator `lmplz` is built from the source package on PyPI (it needs cmake, a C++ compiler
and Boost; on Debian: apt-get install cmake g++ libboost-all-dev zlib1g-dev):

    pip download --no-binary :all: --no-deps kenlm==0.3.0 && tar xzf kenlm-0.3.0.tar.gz
    cmake -S kenlm-0.3.0 -B kenlm-build -DCMAKE_BUILD_TYPE=Release
    cmake --build kenlm-build --target lmplz
    python benchmarks/kenlm_numbers.py kenlm-build/bin/lmplz
"""

import argparse
import subprocess
import tempfile
from pathlib import Path

DATA = Path(__file__).parents[1] / "tests" / "data" / "kenlm"
FEW = 3  # sentences: so few that no discounts can be estimated from them

# file: (order, whether words are characters, how many lines, options of lmplz)
MODELS = {
    "words-1.arpa": (1, False, None, []),
    "words-4.arpa": (4, False, None, []),
    "characters-4.arpa": (4, True, None, []),
    "few-3.arpa": (3, False, FEW, ["--discount_fallback"]),
}


def spelled(line: str) -> str:
    """Return a line with its characters as words; KenLM splits at blanks, so they become _."""
    return " ".join(line.replace(" ", "_"))


def main() -> None:
    """Write one ARPA file per model beside the text."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("lmplz", type=Path, nargs="?", help="the program, built as said above")
    lmplz = parser.parse_args().lmplz
    if lmplz is None:
        print(__doc__)
        return
    text = (DATA / "text.txt").read_text("utf-8").splitlines()
    for name, (order, characters, lines, options) in MODELS.items():
        chosen = [spelled(line) if characters else line for line in text[:lines]]
        with tempfile.TemporaryDirectory() as scratch:
            made = subprocess.run(
                [lmplz, "-o", str(order), "-S", "10%", "-T", scratch, *options],
                input="".join(f"{line}\n" for line in chosen),
                capture_output=True,
                text=True,
                check=True,
            )
        (DATA / name).write_text(made.stdout, "utf-8")
        print(f"{name}: {len(made.stdout.splitlines())} lines")


if __name__ == "__main__":
    main()
