"""The words of the village, from vocabulary.txt; run as a program, this file writes it anew."""

from importlib.resources import files
from pathlib import Path

from nextword.corpora.village.telling import sample

# every word that a story can hold, `</s>` among them, in alphabetical order
VOCABULARY: tuple[str, ...] = tuple(
    files("nextword.corpora.village").joinpath("vocabulary.txt").read_text(encoding="utf-8").split()
)


def spoken(n_tokens: int = 5_000_000) -> list[str]:
    """The words that many stories speak, in alphabetical order."""
    return sorted(set(sample(n_tokens, rng=0).tokens))


if __name__ == "__main__":
    text = "\n".join(spoken()) + "\n"
    Path(__file__).with_name("vocabulary.txt").write_text(text, encoding="utf-8", newline="\n")
