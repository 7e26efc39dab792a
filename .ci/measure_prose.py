"""Measures how the book's pages read: words, lengths of sentences, minutes.

    python .ci/measure_prose.py [PAGE ...]

Counts what a reader sees without unfolding anything: no answers to quick questions, hints or
solutions, no tables, formulas or code. Exit code 1 if a page is beyond the limits below.
"""

import importlib.util
import json
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
SPEC = importlib.util.spec_from_file_location(
    "lint_prose", Path(__file__).with_name("lint_prose.py")
)
lint_prose = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(lint_prose)

SHORT = 8  # words of a short sentence
MOST_WORDS = 5000  # of a page
MEAN = (15, 19)  # words of a sentence
MOST_SHORT = 0.20  # share of short sentences
MOST_MINUTES = 45
MINUTES_OFF = 6  # a page's head, and its sections together, may say so many more or fewer
WORDS_A_MINUTE = 200  # of a text that is studied; a novel takes 240
SECONDS_A_LINE = 3  # of visible code
SECONDS_A_FORMULA = 15
SECONDS_A_FIGURE = 10

SAID = re.compile(r'<p class="tags">(about )?(\d+) minute')
SENTENCE_END = re.compile('(?<=[.!?])["\u201d\u2019*_)]*\\s+(?=["\u201c\u2018*_(]*[A-Z#\u00a4])')
AUTHORS = re.compile(r"\{cite:t\}`[^`]*`")
FOLDED = [
    re.compile(r"<details.*?</details>", re.S),
    re.compile(r"^(:{3,}|`{3,})\{dropdown\}.*?^\1\s*$", re.S | re.M),
    re.compile(r"^(:{3,}|`{3,})\{exercise.*?^\1\s*$", re.S | re.M),
    re.compile(r'<p class="tags">.*?</p>', re.S),
    re.compile(r"^\|.*$", re.M),
    re.compile(r"^#+ .*$", re.M),
]


@dataclass(frozen=True)
class Reading:
    """What one page asks of its reader."""

    name: str
    sentences: list[int]
    minutes: float
    said: tuple[int, ...] = ()  # minutes: by the page's head, and by its sections together

    @property
    def words(self) -> int:
        """All words of its sentences."""
        return sum(self.sentences)

    @property
    def mean(self) -> float:
        """Words of a sentence."""
        return self.words / max(1, len(self.sentences))

    @property
    def short(self) -> float:
        """The share of sentences of at most eight words."""
        return sum(n <= SHORT for n in self.sentences) / max(1, len(self.sentences))

    @property
    def faults(self) -> list[str]:
        """What is beyond the limits."""
        found = []
        if self.words > MOST_WORDS:
            found.append(f"more than {MOST_WORDS} words")
        if not MEAN[0] <= self.mean <= MEAN[1]:
            found.append(f"mean sentence outside {MEAN[0]} to {MEAN[1]} words")
        if self.short > MOST_SHORT:
            found.append(f"more than {MOST_SHORT:.0%} short sentences")
        if self.minutes > MOST_MINUTES:
            found.append(f"more than {MOST_MINUTES} minutes")
        found += [
            f"says {said} minutes, takes {self.minutes:.0f}"
            for said in self.said
            if abs(said - self.minutes) > MINUTES_OFF
        ]
        return found


def lengths(text: str) -> list[int]:
    """The number of words of each sentence; headings, labels and lone words are none.

    >>> lengths("One two three. Four, five? \\n\\n- Six seven: eight\\n- nine ten")
    [3, 2, 3, 2]
    """
    found = []
    for block in re.split(r"\n\s*(?:[-*]|\d+\.) |\n\s*\n", "\n" + text):
        line = " ".join(block.split())
        for sentence in SENTENCE_END.split(line):
            words = [word for word in sentence.split() if re.search(r"[\w#¤]", word)]
            if len(words) > 1:
                found.append(len(words))
    return found


def visible(source: str) -> str:
    """A Markdown text without what is folded, tables and headings, and with names for works."""
    for pattern in FOLDED:
        source = pattern.sub("", source)
    return AUTHORS.sub("Authors", source)  # who may begin a sentence


def reading(path: Path) -> Reading:
    """Measure a notebook or Markdown page."""
    text = path.read_text(encoding="utf-8")
    lines = pictures = 0
    said: tuple[int, ...] = ()
    if path.suffix == ".ipynb":
        cells = json.loads(text)["cells"]
        said = minutes_said(line for cell in cells for line in cell["source"])
        shown = [c for c in cells if c["cell_type"] == "markdown" and not is_task(c)]
        text = "\n\n".join(visible("".join(cell["source"])) for cell in shown)
        for cell in (c for c in cells if c["cell_type"] == "code"):
            pictures += any("image/svg+xml" in o.get("data", {}) for o in cell["outputs"])
            if not {"hide-input", "remove-cell"} & set(cell["metadata"].get("tags", [])):
                lines += sum(bool(line.strip()) for line in "".join(cell["source"]).splitlines())
    else:
        text = visible(text)
    formulas = text.count("$$") / 2
    sentences = lengths(lint_prose.prose(text))
    seconds = SECONDS_A_LINE * lines + SECONDS_A_FORMULA * formulas + SECONDS_A_FIGURE * pictures
    return Reading(path.stem, sentences, sum(sentences) / WORDS_A_MINUTE + seconds / 60, said)


def minutes_said(lines: Iterable[str]) -> tuple[int, ...]:
    """The minutes that a page says it takes, and those of its sections together, where it has any.

    >>> head, section = '<p class="tags">about 30 minutes', '<p class="tags">7 minutes'
    >>> minutes_said([head, section, section])
    (30, 14)
    """
    found = [match.groups() for match in map(SAID.match, lines) if match]
    whole = [int(minutes) for about, minutes in found if about]
    sections = sum(int(minutes) for about, minutes in found if not about)
    return (*whole, *([sections] if sections else []))


def is_task(cell: dict) -> bool:
    """Whether a cell is the box of a task, which stands in the catalogue."""
    return "exercise" in cell["metadata"].get("nextword", {})


def main(arguments: list[str]) -> int:
    """Print a line for each page."""
    pages = [Path(name) for name in arguments] or sorted((ROOT / "chapters").glob("0*.ipynb"))
    bad = 0
    print(f"{'page':36} words  mean  short  minutes")
    for page in map(reading, pages):
        bad += bool(page.faults)
        figures = f"{page.words:5}  {page.mean:4.1f}  {page.short:5.0%}  {page.minutes:5.0f}"
        print(f"{page.name:36} {figures}    {'; '.join(page.faults)}")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
