"""Speed of the chapter's byte-pair encoding beside a plain recount and the tokenizers library.

All train on the same chunks of the same text; the library gets one character for each byte. The
script fails unless library and chapter find the same merges in the same order and cut a new text
into the same tokens. Times are seconds of the clock. The recount, which counts all pairs of all
different chunks again before each merge, does a part of the merges only.
"""

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from examiner.judge.modules import load_module
from nextword.corpora import pydocs, village

sys.path.remove(str(Path(__file__).parent))  # this file has the name of the library that it needs
from tokenizers import Tokenizer, models, trainers

SOLUTION = Path(__file__).parents[1] / "solutions" / "language_models.py"
lm: Any = load_module(SOLUTION, "language_models")
Merges = list[tuple[int, int]]


def real_text(n_bytes: int) -> tuple[str, str]:
    """Return Python's documentation and village stories, n_bytes in all, and as much again of new.

    The new text is a tenth as long. No document and no story stands in both.
    """
    stories = (" ".join(story) for story in village.split("train", n_bytes // 4).stories())
    old = (pydocs.characters("train") + "\n".join(stories))[:n_bytes]
    tales = (" ".join(story) for story in village.split("test", n_bytes // 40).stories())
    new = (pydocs.characters("test")[: n_bytes // 20] + "\n".join(tales))[: n_bytes // 10]
    return old, new


def as_characters(chunk: str) -> str:
    """Return one character, U+0000 to U+00FF, for each byte of a chunk."""
    return chunk.encode().decode("latin-1")


def recount(text: str, n_merges: int) -> Merges:
    """Count the pairs of all different chunks again before each merge."""
    words = [(list(chunk.encode()), weight) for chunk, weight in Counter(lm.chunks(text)).items()]
    merges: Merges = []
    while len(merges) < n_merges:
        counts: Counter[tuple[int, int]] = Counter()
        for word, weight in words:
            for pair in pairwise(word):
                counts[pair] += weight
        top = max(counts.values())
        best = min(pair for pair, count in counts.items() if count == top)
        words = [(lm.merge(word, best, 256 + len(merges)), weight) for word, weight in words]
        merges.append(best)
    return merges


def library(text: str, n_merges: int) -> Tokenizer:
    """Train the library's tokenizer on the same chunks."""
    tokenizer = Tokenizer(models.BPE())
    trainer = trainers.BpeTrainer(
        vocab_size=256 + n_merges,
        min_frequency=2,
        initial_alphabet=[chr(byte) for byte in range(256)],
        show_progress=False,
    )
    tokenizer.train_from_iterator(map(as_characters, lm.chunks(text)), trainer)
    return tokenizer


def library_merges(tokenizer: Tokenizer) -> Merges:
    """Return the library's merges as pairs of ids."""
    ids = tokenizer.get_vocab()
    found = json.loads(tokenizer.to_str())["model"]["merges"]
    return [(ids[left], ids[right]) for left, right in found]


def library_tokens(tokenizer: Tokenizer, text: str) -> list[int]:
    """Return the library's tokens of a text that is cut into the same chunks."""
    return tokenizer.encode([*map(as_characters, lm.chunks(text))], is_pretokenized=True).ids


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


def main() -> None:
    """Measure, compare, print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bytes", type=int, default=2_000_000)
    parser.add_argument("--merges", type=int, default=5_000)
    parser.add_argument("--recount-merges", type=int, default=50)
    options = parser.parse_args()
    text, new = real_text(options.bytes)
    merges, ours_s = timed(lambda: lm.train_bpe(text, options.merges))
    slow, slow_s = timed(lambda: recount(text, options.recount_merges))
    tokenizer, theirs_s = timed(lambda: library(text, options.merges))
    assert merges == library_merges(tokenizer), "the library finds other merges"
    assert slow == merges[: len(slow)], "the recount finds other merges"
    tokens, encode_s = timed(lambda: lm.encode(new, merges))
    other, their_encode_s = timed(lambda: library_tokens(tokenizer, new))
    assert tokens == other, "the library cuts the new text into other tokens"
    assert lm.decode(tokens, merges) == new
    table = Table("", "merges", "training", "merges per second", "encoding, bytes per second")
    rows: list[tuple[str, int, float, float | None]] = [
        ("the chapter's code", len(merges), ours_s, encode_s),
        ("recount before each merge", len(slow), slow_s, None),
        ("tokenizers (Rust)", len(merges), theirs_s, their_encode_s),
    ]
    for name, n, seconds, encoding in rows:
        rate = f"{len(new.encode()) / encoding:,.0f}" if encoding else ""
        table.add_row(name, f"{n:,}", f"{seconds:.2f} s", f"{n / seconds:,.0f}", rate)
    Console(width=110).print(table)
    print(f"{len(text.encode()):,} bytes, {len(set(lm.chunks(text))):,} different chunks;", end=" ")
    print(f"{len(new.encode()):,} new bytes are {len(tokens):,} tokens")


if __name__ == "__main__":
    main()
