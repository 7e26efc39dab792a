"""What a course says of itself besides its tasks: the file course.toml at its root.

Leaves out reading it from a course folder (project.py).
"""

from __future__ import annotations

import importlib.util
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, fields
from datetime import date
from pathlib import Path
from typing import Any

from examiner.errors import UserError
from examiner.junk import files_in

FILE = "course.toml"
AT_ONCE, NEVER = "at once", "never"  # when examples are shown


@dataclass(frozen=True)
class Settings:
    """The settings of a course; a course without the file has these."""

    title: str = "The course"  # as pages and READMEs name it
    id: str = ""  # nbgrader's name of the course; "": the slug
    # packages, or parts of packages, that students' code may import; candidates see the packages
    # that hold them, a release carries these, and a new text of the parts is a reason to regrade
    library: tuple[str, ...] = ()
    # what else the suites import: a new text of it is a reason to regrade, too
    suites_use: tuple[str, ...] = ()
    # what makes the library installable, and its licences; a release carries them
    files: tuple[str, ...] = (
        *("pyproject.toml", "requirements.txt", "constraints.txt"),
        *("LICENSE", "LICENSE-TEXT"),
    )
    # folders that a chapter's pages read, such as "data/{stem}"; they go to students with the pages
    with_pages: tuple[str, ...] = ()
    # how to install what pages import and requirements.txt cannot ask for, each with pip's words,
    # such as "install --no-deps plays==0.6"; a README names those that its pages mention
    pages_install: tuple[str, ...] = ()
    # modules that make further products of `sync`: release/sync.py says how
    products: tuple[str, ...] = ()
    # when students see the smallest examples of what is wrong: "at once", "never", or from a day
    # on, such as "2026-12-01"
    examples: str = AT_ONCE
    # what lateness costs, such as "10 % a day, at most 50 %, 3 days in hand" (term/dates.py)
    late: str = ""
    # where students' pages send them who think that a mark is wrong: mailto:ADDRESS, https://…
    second_look: str = ""

    def shows_examples(self, day: date) -> bool:
        """Tell whether students see on a day on which inputs their work is wrong."""
        if self.examples in (AT_ONCE, NEVER):
            return self.examples == AT_ONCE
        return day >= date.fromisoformat(self.examples)

    @property
    def slug(self) -> str:
        """The title as it stands in file names.

        >>> Settings("Two Wings").slug
        'two-wings'
        """
        return re.sub(r"[^a-z0-9]+", "-", self.title.lower()).strip("-") or "course"

    @property
    def packages(self) -> list[Path]:
        """The folders of the packages that the library is in."""
        return packages_of(self.library)


def read_settings(path: Path) -> Settings:
    """Read course.toml; without the file, the defaults hold.

    Raises UserError, one line with the file, for what is no such file.
    """
    if not path.is_file():
        return Settings()
    try:
        raw = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{path.name} is no TOML: {error}") from None
    several = {each.name: isinstance(each.default, tuple) for each in fields(Settings)}
    for key, value in raw.items():
        if key not in several:
            text = f"{path.name}: unknown key {key!r}; the keys are {', '.join(sorted(several))}"
            if (path.parent / "library").is_dir():  # students': they may have an earlier one's
                text += "; a newer folder than what is installed? pip install -r requirements.txt"
            raise UserError(text)
        texts = value if several[key] else [value]
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            wanted = "a list of texts" if several[key] else "a text"
            raise UserError(f"{path.name}: {key} should be {wanted}, it is {value!r}")
    values: dict[str, Any] = {k: tuple(raw[k]) if several[k] else raw[k] for k in raw}
    require_a_time(values.get("examples", AT_ONCE), path.name)
    return Settings(**values)


def require_a_time(examples: str, where: str) -> None:
    """Raise UserError for what says no time from which examples are shown."""
    try:
        examples in (AT_ONCE, NEVER) or date.fromisoformat(examples)
    except ValueError:
        kinds = f'"{AT_ONCE}", "{NEVER}" or a day such as "2026-12-01"'
        raise UserError(
            f"{where}: the time of examples should be {kinds}, it is {examples!r}"
        ) from None


def packages_of(names: Iterable[str]) -> list[Path]:
    """Return the folders of the packages that these packages, or parts of packages, are in."""
    return list(dict.fromkeys(place_of(name.partition(".")[0]) for name in names))


def place_of(name: str) -> Path:
    """Return the folder of a package, or the file of a module; raises UserError for neither.

    >>> place_of("json").name, place_of("json.decoder").name
    ('json', 'decoder.py')
    """
    try:
        spec = importlib.util.find_spec(name)
    except ModuleNotFoundError:
        spec = None
    places = spec.submodule_search_locations if spec else None
    if places:
        return Path(next(iter(places)))
    if spec is None or not spec.origin:
        raise UserError(f"{FILE}: there is no package {name}, which it names")
    return Path(spec.origin)


def files_of(place: Path) -> list[Path]:
    """Return the file of a module, or those of a package: its programs and what they read.

    Left out is what Python and systems leave among them.
    """
    return files_in(place) if place.is_dir() else [place]
