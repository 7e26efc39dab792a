"""What a page needs to tell and follow stories: the village's programs, and the world's lists."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import re
from typing import Any

from nextword.corpora.corpus import EOS
from nextword.corpora.village import words
from nextword.corpora.village.options import Options
from nextword.corpora.village.world import VILLAGE, WOMEN, VillageSizes
from nextword.explorables.translate import translated

PACKAGE = "nextword.corpora.village"
MODULES = [
    "kinds", "people", "wishes.parts", "wishes.contests", "wishes.kitchen", "wishes.letters",
    "wishes.nights", "wishes.savings", "wishes", "scenes.animals", "scenes.company",
    "scenes.food", "scenes.talk", "scenes.things", "scenes", "endings", "opening", "story",
]  # fmt: skip
HEAD = """\
// Written by `nextword sync` from nextword/corpora/village: do not edit.
import { $ } from "./python.js";
import { Options } from "./options.js";

"""


def program() -> str:
    """The story programs as a JavaScript module that exports `story` and `KINDS`."""
    sources = {
        name.rpartition(".")[2]: inspect.getsource(importlib.import_module(f"{PACKAGE}.{name}"))
        for name in MODULES
    }
    used = sorted({w for text in sources.values() for w in re.findall(r"\bwords\.([A-Z_]+)", text)})
    lists = {name: getattr(words, name) for name in used}
    given = {"words": lists, "corpus": {"EOS": EOS}}
    lines = [f"const m_{name} = {_compact(value)};" for name, value in given.items()]
    lines += [
        "const m_options = { Options };",
        f"const m_world = {{ WOMEN: new Set({_compact(sorted(WOMEN))}) }};",
    ]
    body = translated(sources, given=["words", "corpus", "options", "world"])
    end = "export const tellStory = m_story.story;\nexport const KINDS = m_kinds.KINDS;\n"
    return HEAD + "\n".join(lines) + "\n" + body + end


def world() -> dict[str, Any]:
    """The lists of the village's world that the story programs use, ready for JSON.

    Options are written {"o": [[phrase, weight], ...], "k": kind}, dicts {"m": pairs}, sets
    {"s": [...]}.
    """
    names = set()
    for name in MODULES:
        tree = ast.parse(inspect.getsource(importlib.import_module(f"{PACKAGE}.{name}")))
        names |= {n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute)}
    held = {k: v for k, v in vars(VILLAGE).items() if k in names}
    for made_anew in ("phrasebook", "scene_choices"):
        held.pop(made_anew, None)
    return {name: _plain(value) for name, value in sorted(held.items())}


def _plain(value: object) -> object:
    match value:
        case Options():
            pairs = [[value.texts[phrase], weight] for phrase, weight in value.weights.items()]
            return {"o": pairs, "k": value.kind}
        case dict():
            return {"m": [[key, _plain(item)] for key, item in value.items()]}
        case set() | frozenset():
            return {"s": sorted(value)}
        case VillageSizes():
            return {"f": vars(value)}
    return value


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
