"""Reads the book's English: proselint's rules and the house's own, over pages and hints.

    python .ci/lint_prose.py [FILE ...]

Leaves out code, formulas and what a program printed. Exit code 1 if a rule is broken; a finding is
one line: file, rule, the words, what to write instead.
"""

import json
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
RULES = tomllib.loads(Path(__file__).with_name("prose.toml").read_text(encoding="utf-8"))
AROUND = 30  # letters of a quotation on each side of the words
# What is not prose, and what stands in its place; the order matters.
NOT_PROSE = [
    (re.compile(r"(?ms)^(`{3,})(?!\{)[^\n]*\n.*?^\1\s*$"), ""),  # blocks of code
    (re.compile(r"(?ms)^(:{3,}|`{3,})\{(?:literalinclude|bibliography)\}.*?^\1\s*$"), ""),
    (re.compile(r"(?m)^\s*:{3,}\{(?:admonition|dropdown)\}(.*)$"), r"\1."),  # titles of boxes
    (re.compile(r"(?m)^\s*:{3,}.*$|^\s*:[\w-]+:.*$|^\(.*\)=$"), ""),  # marks of boxes, options
    (re.compile(r"(?s)\$\$.*?\$\$"), ""),
    (re.compile(r"\{(?:cite|term|doc|ref)[:\w]*\}`([^`<]*)[^`]*`"), r"\1"),
    (re.compile(r"\$[^$]+?\$"), "#"),
    (re.compile(r"`[^`\n]*`"), "¤"),
    (re.compile(r"<[^>]+>|\]\([^)]*\)|!?\["), ""),
    (re.compile(r"(?m)^\|.*-{3}.*$"), ""),
]


def prose(text: str) -> str:
    """Return a page's text with all that is not English taken out."""
    for pattern, instead in NOT_PROSE:
        text = pattern.sub(instead, text)
    return text


def sources(paths: list[Path]) -> Iterator[tuple[str, str]]:
    """Give name and prose of each page, notebook (with its alternative texts) and catalogue."""
    for path in paths:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".ipynb":
            cells = json.loads(text)["cells"]
            text = "\n\n".join(
                "".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"
            )
            alts = [c["metadata"].get("mystnb", {}).get("image", {}).get("alt") for c in cells]
            text += "\n\n" + "\n\n".join(filter(None, alts))
        elif path.suffix == ".toml":
            tasks = tomllib.loads(text)["tasks"]
            text = "\n\n".join(hint for task in tasks for hint in task["hints"])
        yield str(path.relative_to(ROOT) if path.is_relative_to(ROOT) else path), prose(text)


def house_findings(name: str, text: str) -> Iterator[str]:
    """Apply the rules of prose.toml."""
    for rule in RULES["rule"]:
        for found in re.finditer(rule["pattern"], text, re.IGNORECASE):
            if not is_excepted(text, *found.span(), rule.get("except", ())):
                around = quotation(text, *found.span())
                yield f"{name}: “{around}” (instead: {rule['instead']})"


def is_excepted(text: str, start: int, end: int, phrases: Iterable[str]) -> bool:
    """Say whether the words found overlap one of the phrases that are right."""
    for phrase in phrases:
        words = r"\s+".join(map(re.escape, phrase.split()))
        near = text[max(0, start - len(phrase)) : end + len(phrase)]
        offset = start - max(0, start - len(phrase))
        for right in re.finditer(words, near, re.IGNORECASE):
            if right.start() < offset + end - start and right.end() > offset:
                return True
    return False


def quotation(text: str, start: int, end: int) -> str:
    """Return the words of a finding with some letters before and after."""
    return " ".join(text[max(0, start - AROUND) : end + AROUND].split())


def proselint_findings(pages: dict[str, str]) -> Iterator[str]:
    """Run proselint over the prose of all pages, without what prose.toml lets pass."""
    passes = RULES["proselint"]
    with tempfile.TemporaryDirectory() as folder:
        files = {}
        for i, (name, text) in enumerate(pages.items()):
            files[Path(folder, f"{i}.txt")] = name
            Path(folder, f"{i}.txt").write_text(text, encoding="utf-8")
        tool = Path(sys.executable).with_name("proselint")
        command = [tool, "check", "-o", "json", *files]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        try:
            result = json.loads(done.stdout)["result"]
        except (ValueError, KeyError):
            said = (done.stderr or done.stdout)[-500:]
            raise SystemExit(f"proselint did not run: {said}") from None
        for uri, found in result.items():
            name = files[Path(uri.removeprefix("file://"))]
            for finding in found["diagnostics"]:
                start, end = finding["span"]
                around = quotation(pages[name], start - 1, end - 1)
                if finding["check_path"] in passes["off"]:
                    continue
                if is_excepted(pages[name], start - 1, end - 1, passes["except"]):
                    continue
                yield f"{name}: {finding['check_path']}: “{around}” ({finding['message']})"


def main(arguments: list[str]) -> int:
    """Lint the files named, or all pages and hints; return the exit code."""
    paths = [Path(a).resolve() for a in arguments] or [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        *sorted((ROOT / "chapters").glob("*.md")),
        *sorted((ROOT / "chapters").glob("*.ipynb")),
        *sorted((ROOT / "examiner" / "catalogue").glob("*.toml")),
    ]
    pages = dict(sources(paths))
    findings = [f for name, text in pages.items() for f in house_findings(name, text)]
    findings += proselint_findings(pages)
    print("\n".join(findings), end="\n" if findings else "")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
