"""Joins JavaScript files into one script that a page holds itself: from a disk, a browser loads no
module. Each file becomes a constant, so that names of two files never meet."""

import re
from functools import cache
from pathlib import Path

from examiner.errors import UserError

FOLDER = Path(__file__).parent
IMPORT = re.compile(r'^import \{ ([\w$, ]+) \} from "\./(\w+)\.js";\n', re.M)
EXPORT = re.compile(r"^export (?=(?:async )?(?:const|class|function\*?) ([\w$]+))", re.M)
COMMENT = re.compile(r"^ *(?://.*|/\*\*(?:[^*]|\*(?!/))*\*/)\n", re.M)
BREAKS_OUT = re.compile(r"</script|<!--", re.IGNORECASE)


@cache
def bundled(name: str) -> str:
    """Return the file `name`.js and all that it imports, the imported first.

    Raises UserError for a file that is missing, and for text that would end the script of a page.
    """
    text = "".join(_constant(each) for each in _order(name, ()))
    if BREAKS_OUT.search(text):
        raise UserError(f"{name}.js holds “{BREAKS_OUT.search(text)[0]}”, which ends a script")  # type: ignore[index]
    return text


def _read(name: str) -> str:
    path = FOLDER / f"{name}.js"
    if not path.is_file():
        known = ", ".join(sorted(p.stem for p in FOLDER.glob("*.js")))
        raise UserError(f"there is no explorable {path.name}: expected one of {known}")
    return path.read_text(encoding="utf-8")


def _order(name: str, importing: tuple[str, ...]) -> list[str]:
    """The names of the files, each after those that it imports."""
    if name in importing:
        raise UserError(f"JavaScript files import each other: {' -> '.join([*importing, name])}")
    found = [
        each
        for _, needed in IMPORT.findall(_read(name))
        for each in _order(needed, (*importing, name))
    ]
    return list(dict.fromkeys([*found, name]))


def _constant(name: str) -> str:
    """One file as a constant that holds what it exports; comments stay behind."""
    text = _read(name)
    exported = EXPORT.findall(text)
    text = IMPORT.sub(r"const { \1 } = file_\2;\n", text)
    text = COMMENT.sub("", EXPORT.sub("", text)).strip()
    return f"const file_{name} = (() => {{\n{text}\nreturn {{ {', '.join(exported)} }};\n}})();\n"
