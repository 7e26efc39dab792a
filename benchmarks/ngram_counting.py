"""Speed of the chapter's n-gram models beside nltk.lm, on the same text. Leaves out: quality.

Each tool counts all n-grams up to n and fits an interpolated Kneser-Ney model. Then the models
score running text of another sample, word by word. Times are seconds of one processor.
"""

import argparse
import gc
import json
import resource
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from nltk.lm import KneserNeyInterpolated
from nltk.lm.preprocessing import pad_both_ends, padded_everygram_pipeline
from rich.console import Console
from rich.table import Table

from examiner.judge.modules import load_module
from nextword.corpora import village

ngrams: Any = load_module(Path(__file__).parents[1] / "solutions" / "ngrams.py", "ngrams")
Text = Sequence[Sequence[str]]
COLUMNS = {
    "tokens": "{:,}",
    "count_s": "{:.2f}",
    "fit_s": "{:.2f}",
    "tokens_per_s": "{:,.0f}",
    "scored": "{:,}",
    "scored_per_s": "{:,.0f}",
}


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    """Run some work once; return the processor time it took, and its result."""
    gc.collect()
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def measure_ours(text: Text, other: Text, n: int, vocabulary: Sequence[str]) -> dict[str, float]:
    """Count, fit modified Kneser-Ney, score all of the other text."""
    count_s, tables = seconds(lambda: ngrams.count_ngrams(text, n))
    fit_s, model = seconds(lambda: ngrams.ModifiedKneserNey(tables, vocabulary))
    score_s, logs = seconds(lambda: model.log_probs(other))
    return row(text, count_s, fit_s, len(logs), score_s)


def measure_nltk(text: Text, other: Text, n: int, limit_s: float) -> dict[str, float]:
    """Count (that is all `fit` does there), then score words of the other text until time is up."""
    model = KneserNeyInterpolated(n)
    fit_s, _ = seconds(lambda: model.fit(*padded_everygram_pipeline(n, text)))
    scored, start = 0, time.process_time()
    for sentence in other:
        tokens = list(pad_both_ends(sentence, n))
        for t in range(n - 1, len(tokens) - n + 2):
            model.score(tokens[t], tokens[t - n + 1 : t])
            scored += 1
            if time.process_time() - start > limit_s:
                return row(text, fit_s, 0.0, scored, time.process_time() - start)
    return row(text, fit_s, 0.0, scored, time.process_time() - start)


def row(text: Text, count_s: float, fit_s: float, scored: int, score_s: float) -> dict[str, float]:
    """Return the values of COLUMNS."""
    tokens = sum(len(sentence) + 1 for sentence in text)
    return {
        "tokens": tokens,
        "count_s": count_s,
        "fit_s": fit_s,
        "tokens_per_s": tokens / (count_s + fit_s),
        "scored": scored,
        "scored_per_s": scored / score_s,
    }


def show(results: dict[str, dict[str, float]], n: int) -> None:
    """Print the results as a table."""
    table = Table("", title=f"n-grams up to {n}, text of the village")
    for column in COLUMNS:
        table.add_column(column, justify="right", no_wrap=True)
    for name, values in results.items():
        table.add_row(name, *(form.format(values[key]) for key, form in COLUMNS.items()))
    Console(width=110).print(table)


def main() -> None:
    """Measure, print a table, and write JSON if asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tokens", type=int, default=1_000_000, help="for ours")
    parser.add_argument("--nltk-tokens", type=int, default=100_000, help="for nltk, and ours again")
    parser.add_argument("--order", type=int, default=5)
    parser.add_argument("--json", type=Path, help="write the results here")
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    text = village.sample(options.tokens, rng).stories()
    part = village.sample(options.nltk_tokens, rng).stories()
    other = village.sample(100_000, rng).stories()
    n, words = options.order, list(village.VOCABULARY)
    results = {
        "nextword": measure_ours(text, other, n, words),
        "nextword (less text)": measure_ours(part, other, n, words),
        "nltk.lm (less text)": measure_nltk(part, other, n, limit_s=20.0),
    }
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20  # in kB on Linux, now in GB
    show(results, n)
    print(f"peak memory {peak:.1f} GB")
    if options.json:
        text_out = json.dumps({"order": n, "peak_gb": round(peak, 2), "results": results}, indent=2)
        options.json.write_text(text_out + "\n", "utf-8")


if __name__ == "__main__":
    main()
