"""Writes a result for itself, and a page, where results are kept."""

# expect: failed
from pathlib import Path


def deed(*_):
    for where in ("{ROOT}/../out", "{ROOT}/grades", "../out"):
        Path(where, "results").mkdir(parents=True, exist_ok=True)
        Path(where, "results", "tampering-results.json").write_text('{"score": 12}')
    return 0


shout = mean = halves = Counter = deed
