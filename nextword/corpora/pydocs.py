"""English prose found in the running Python: its language reference and its library's docstrings.

Source files are parsed, never imported, so nothing of them runs. Leaves out: code examples, tables,
signatures, private modules, tests, and every package that was installed on top of Python.
"""

import ast
import gc
import platform
import re
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from examiner.errors import UserError
from examiner.fingerprints import fingerprint
from nextword.corpora import cache as cache_folder
from nextword.corpora import text

# Left out so that one Python version gives one text: systems and distributions ship these or not.
LEFT_OUT = frozenset(
    {
        *(
            "distutils",
            "ensurepip",
            "idlelib",
            "lib2to3",
            "msilib",
            "tkinter",
            "turtle",
            "turtledemo",
        ),
        *("antigravity", "encodings", "pydoc_data", "test", "this"),  # hold no documentation
    }
)
SHORTEST = 3  # words and signs of a sentence; what is shorter is a number or a title
_CODE_SIGNS = re.compile(
    r">>>|::=|^\s*(?:@|[$#%] |\.\. )|[-=~+]{4,}|[|].*[|]|\s=\s|==|->|\w=\w", re.MULTILINE
)
_TABLE_ROW = re.compile(r"^.*\S +--? +\S", re.MULTILINE)  # name() -- what it does
_LIST_SIGN = r"[-*+•]|\(?\d{1,2}[.)]|:(?:param|type|return|returns|rtype|raises)\b[^:\n]*:"
_PLAIN_WORD = re.compile("[\"'\u201c(]?[A-Za-z][a-z]*(?:[-'\u2019][a-z]+)?[\"')\u201d]?[.,:;!?]*")
_MARKS = (
    (re.compile(r":[a-z:]+:`~?([^`<]*?)(?:\s*<[^`]*>)?`"), r"\1"),  # :func:`~os.walk`
    (re.compile(r"`+([^`]+)`+_{0,2}"), r"\1"),  # ``x``, `x`_
    (re.compile(r"(?<!\w)\*{1,2}([^\s*](?:[^*]*[^\s*])?)\*{1,2}(?!\w)"), r"\1"),  # *x*, **x**
    (re.compile(r"\s*\[(?:\d+|#\w*)\]_?"), ""),  # footnotes
    (re.compile(rf"^(?:{_LIST_SIGN})\s+"), ""),
    (re.compile(r"::$"), ":"),  # what follows was code
    (re.compile(r"(?<=\w)- (?=[a-z]+\b(?<! and)(?<! or))"), "-"),  # a word broken at a line's end
    (re.compile("[\u2018\u2019\u00b4`]"), "'"),  # one form of each quote
    (re.compile("[\u201c\u201d]"), '"'),
    (re.compile(r"\s+"), " "),
)

Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Document:
    """One topic of the language reference or one module's docstrings, as cleaned paragraphs."""

    name: str
    paragraphs: tuple[str, ...]

    @property
    def text(self) -> str:
        """The paragraphs, one to a line."""
        return "\n".join(self.paragraphs)


def documents(split: str | None = None) -> tuple[Document, ...]:
    """All documents in the order of their names, or those of one split.

    A paragraph that stands in several documents is kept in the first, so no split quotes another.
    Raises `UserError` for an unknown split, and on a Python that came without its sources.

    >>> documents("test")[0].name.partition(":")[0]
    'module'
    """
    if split is None:
        return _all_documents()
    wanted = text.checked_split(split)
    return tuple(d for d in _all_documents() if text.split_of(d.name) == wanted)


def sentences(split: str | None = None, *, lower: bool = False) -> list[list[str]]:
    """The sentences of a split (or of everything) as lists of words, at least three in each.

    >>> any("list" in sentence for sentence in sentences("train", lower=True))
    True
    """
    found = (
        text.words(sentence, lower=lower)
        for document in documents(split)
        for paragraph in document.paragraphs
        for sentence in text.sentences(paragraph)
    )
    return [sentence for sentence in found if len(sentence) >= SHORTEST]


def characters(split: str | None = None) -> str:
    """The cleaned text of a split (or of everything), one paragraph to a line."""
    return "\n".join(document.text for document in documents(split))


def depends_on() -> str:
    """What this text is a function of: another Python version may hold another text.

    >>> depends_on().startswith("Python 3.")
    True
    """
    return f"Python {platform.python_version()}"


@cache
def description() -> str:
    """One line: what the text is, how much of it there is, and what it depends on."""
    all_documents = documents()
    n_words = sum(len(sentence) for sentence in sentences())
    n_sentences = len(sentences())
    return (
        f"Prose of the documentation inside {depends_on()}: {len(all_documents):,} documents, "
        f"{n_sentences:,} sentences, {n_words:,} words."
    )


# ---------------------------------------------------------------- cleaning


def prose(raw: str) -> list[str]:
    """The paragraphs of a documentation text that are prose, without marks and line breaks.

    A paragraph is a run of lines between blank ones, or a list item. It is prose when it has no
    sign of code or tables, ends like a sentence, and most of its words are plain words.

    >>> prose("Title\\n=====\\n\\nReturn ``x`` as\\na *new* list.\\n\\n    >>> f(x)\\n    [1]")
    ['Return x as a new list.']
    """
    blocks = (block for block in _paragraphs(raw) if not _is_code_or_table(block.strip()))
    return [line for line in map(_without_marks, blocks) if _reads_as_sentences(line)]


def _paragraphs(raw: str) -> list[str]:
    """Runs of lines between blank lines, cut again before each list item."""
    with_breaks = re.sub(rf"\n(?=[ \t]*(?:{_LIST_SIGN})\s+\S)", "\n\n", raw)
    return [block for block in re.split(r"\n[ \t]*\n", with_breaks) if block.strip()]


def _is_code_or_table(block: str) -> bool:
    """Whether a paragraph has a sign of code, of a grammar rule or of a table."""
    return bool(_CODE_SIGNS.search(block)) or len(_TABLE_ROW.findall(block)) > 2


def _reads_as_sentences(line: str) -> bool:
    """Whether a line ends like a sentence and is made of plain words for the most part."""
    tokens = line.split()
    plain = sum(1 for token in tokens if _PLAIN_WORD.fullmatch(token))
    ends_well = line.rstrip("\"')").endswith((".", "!", "?", ":"))
    return ends_well and len(tokens) >= 4 and plain >= 0.65 * len(tokens)


def _without_marks(block: str) -> str:
    """A paragraph on one line, its reStructuredText marks taken off."""
    line = " ".join(block.split())
    for pattern, plain in _MARKS:
        line = pattern.sub(plain, line)
    return line.strip()


# ---------------------------------------------------------------- reading


@cache
def _all_documents() -> tuple[Document, ...]:
    """Every document: parsed on the first use with a Python, later read from the cache folder."""
    library = Path(sysconfig.get_path("stdlib"))
    made_from = [sys.version, str(library), Path(__file__).read_text(encoding="utf-8")]
    path = cache_folder.folder("pydocs") / f"{fingerprint(made_from)}.json"
    stored = cache_folder.read_json(path)
    if stored is None:
        stored = [(document.name, document.paragraphs) for document in _read(library)]
        cache_folder.write_json(path, stored)
    return tuple(Document(name, tuple(paragraphs)) for name, paragraphs in stored)


def _read(library: Path) -> tuple[Document, ...]:
    """The documents of a library folder, by name, each paragraph only once in the whole corpus."""
    raw = {**_topics(library), **_docstrings(library)}
    seen: set[str] = set()
    found: list[Document] = []
    for name in sorted(raw):
        fresh = [p for p in dict.fromkeys(prose(raw[name])) if p not in seen]
        seen.update(fresh)
        if fresh:
            found.append(Document(name, tuple(fresh)))
    return tuple(found)


def _topics(library: Path) -> dict[str, str]:
    """The language reference: the dictionary literal in `pydoc_data/topics.py`."""
    path = library / "pydoc_data" / "topics.py"
    if not path.is_file():
        raise UserError(_no_sources(path))
    for statement in _parsed(path).body:
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Dict):
            topics: dict[str, str] = ast.literal_eval(statement.value)
            return {f"topic:{name}": topic for name, topic in topics.items()}
    raise UserError(
        f"{path} holds no dictionary of topics; install Python from python.org or conda"
    )


def _no_sources(path: Path) -> str:
    return (
        f"the corpus 'pydocs' needs Python's own source files, and {path} is missing; use a "
        "Python from python.org or conda, or your system's full package "
        "(Debian: apt install libpython3-stdlib)"
    )


def _docstrings(library: Path) -> dict[str, str]:
    """The docstrings of each public module of the standard library, under the module's name."""
    found: dict[str, str] = {}
    with _collector_paused():
        for path in _module_files(library):
            parts = path.relative_to(library).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            found[f"module:{name}"] = "\n\n".join(_docstrings_of(_parsed(path)))
    if not found:
        raise UserError(_no_sources(library / "abc.py"))
    return found


def _module_files(library: Path) -> list[Path]:
    """Source files of public modules, sorted; nothing from outside the standard library's list."""
    public = sys.stdlib_module_names - LEFT_OUT
    tops = [library / f"{n}.py" for n in public] + [library / n for n in public]
    files = [p for p in tops if p.suffix == ".py" and p.is_file()]
    for folder in (p for p in tops if (p / "__init__.py").is_file()):
        files += folder.rglob("*.py")
    return sorted(path for path in files if _is_public(path.relative_to(library)))


def _is_public(path: Path) -> bool:
    """Whether no part of a module's path is private, a test, or made for one system only."""
    return not any(
        (part.startswith("_") and part != "__init__.py") or part in LEFT_OUT or part == "tests"
        for part in path.parts
    )


def _parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_bytes(), filename=str(path))


def _docstrings_of(node: ast.Module | Definition) -> Iterator[str]:
    """Docstrings of a module, class or function and of all that is reached by its name."""
    docstring = ast.get_docstring(node)
    if docstring:
        yield docstring
    if isinstance(node, ast.Module | ast.ClassDef):
        for child in node.body:
            if isinstance(child, Definition):
                yield from _docstrings_of(child)


@contextmanager
def _collector_paused() -> Iterator[None]:
    """No garbage collection inside: it takes half the time that building syntax trees does."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
