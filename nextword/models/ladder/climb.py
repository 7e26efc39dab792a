"""Measure every rung that the package under test can build, or read what was measured before."""

import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from examiner.errors import UserError
from examiner.fingerprints import code_of, fingerprint
from nextword.corpora import cache, names
from nextword.models.ladder import measure
from nextword.models.ladder.measure import Row, RungError
from nextword.models.ladder.rung import Rung, all_rungs

Progress = Callable[[str, str, float], None]  # the rung, what is being done, the share done


@dataclass(frozen=True)
class Ladder:
    """The measured rungs above the floor, and why the others could not be measured."""

    corpus: str
    floor: float | None
    unknown: float  # share of the test words that are <unk>
    rows: tuple[Row, ...]
    missing: dict[str, str]

    def to_json(self) -> dict[str, Any]:
        """The ladder as plain values."""
        return {
            "corpus": self.corpus,
            "floor": self.floor,
            "rungs": [row.to_json() for row in self.rows],
        }


def climb(
    root: Path,
    package: str,
    corpus: str,
    n_tokens: int,
    progress: Progress = lambda rung, doing, share: None,
) -> Ladder:
    """Every rung on about `n_tokens` tokens of a corpus, scored on a tenth as many test tokens.

    `package` is a folder of the course folder `root`, such as "coursework". What was measured
    before with the same package, corpus and sizes is read from `root/.nextword/models/ladder`.
    """
    rungs = _standing(root, package)
    recipe = names.recipe(corpus)
    store = root / ".nextword" / "ladder"
    texts = _Lazy(corpus, n_tokens)
    rows: list[Row] = []
    missing: dict[str, str] = {}
    with importable(root, package):
        for rung in rungs:
            path = store / f"{_key(rung, root / package, recipe, n_tokens)}.json"
            stored = cache.read_json(path)
            if stored is None:
                try:
                    made = _measured(rung, package, texts, progress)
                except RungError as error:
                    missing[rung.name] = str(error)
                    continue
                stored = {"floor": texts.floor, "unknown": texts.unknown, "row": made.to_json()}
                cache.write_json(path, stored)
            rows.append(Row(**stored["row"]))
            texts.remember(stored)
    return Ladder(corpus, texts.floor, texts.unknown, tuple(rows), missing)


class _Lazy:
    """The texts of a corpus, made only when a rung needs them, and what is shown of them."""

    def __init__(self, corpus: str, n_tokens: int) -> None:
        self.corpus, self.n_tokens = corpus, n_tokens
        self.floor: float | None = None
        self.unknown = 0.0

    @cached_property
    def texts(self) -> names.Texts:
        made = names.load(self.corpus, self.n_tokens, n_test=max(1, self.n_tokens // 10))
        self.remember({"floor": made.floor, "unknown": made.unknown})
        return made

    def remember(self, facts: dict[str, Any]) -> None:
        self.floor, self.unknown = facts["floor"], facts["unknown"]


def _measured(rung: Rung, package: str, texts: _Lazy, progress: Progress) -> Row:
    """One rung, trained and scored now."""
    progress(rung.name, "reading", 0.0)
    loaded = texts.texts
    try:
        modules = {stem: importlib.import_module(f"{package}.{stem}") for stem in rung.chapters}
    except (Exception, SystemExit) as error:
        raise RungError(measure.reason(error)) from error
    return measure.measure(
        rung,
        SimpleNamespace(**modules),
        loaded,
        lambda doing, done: progress(rung.name, doing, done),
    )


def _standing(root: Path, package: str) -> list[Rung]:
    """The rungs whose chapters are files of the package."""
    if not (root / package).is_dir():
        raise UserError(
            f"there is no package {package!r} in {root}: expected a folder with chapters"
        )
    found = [
        rung
        for rung in all_rungs()
        if all((root / package / f"{stem}.py").is_file() for stem in rung.chapters)
    ]
    if not found:
        wanted = sorted({f"{stem}.py" for rung in all_rungs() for stem in rung.chapters})
        raise UserError(f"{package} has none of the chapters on the ladder: {', '.join(wanted)}")
    return found


def made_from(rung: Rung) -> tuple[Path, ...]:
    """The files that train and measure a rung, but for the chapters and the corpus."""
    return (rung.source, *rung.sources, Path(measure.__file__), Path(names.__file__))


def _key(rung: Rung, package: Path, recipe: str, n_tokens: int) -> str:
    """A fingerprint of all that a rung's numbers depend on."""
    parts = [rung.name, recipe, str(n_tokens), *map(code_of, made_from(rung))]
    parts += [code_of(package / f"{stem}.py", rung.calls) for stem in rung.chapters]
    return fingerprint(parts)


@contextmanager
def importable(root: Path, package: str) -> Iterator[None]:
    """Inside, `package` is the folder of this name in `root`, and its modules are read afresh.

    Whatever else is called so, in another folder or imported before, is out of sight until the end.
    """
    before = _taken_out(package)
    module = ModuleType(package)
    module.__path__ = [str(root / package)]
    sys.modules[package] = module
    importlib.invalidate_caches()
    try:
        yield
    finally:
        _taken_out(package)
        sys.modules.update(before)


def _taken_out(package: str) -> dict[str, ModuleType]:
    """Remove a package and its modules from the imported ones; return them."""
    names_in = [name for name in sys.modules if name.partition(".")[0] == package]
    return {name: sys.modules.pop(name) for name in names_in}
