"""Buttons that open a page in a browser: none without an address, and links that fit with one."""

import json
import sys
from pathlib import Path

import pytest
import yaml

pytest.importorskip("sphinx_book_theme", reason="the book is built with pip install '.[book]'")
from bs4 import BeautifulSoup
from sphinx.application import Sphinx

ROOT = Path(__file__).parents[2]
EXT = str(ROOT / "chapters" / "_ext")
sys.path.insert(0, EXT)
import launch  # noqa: E402

REPOSITORY = "https://github.com/somebody/next-word"
CONF = """
import sys
sys.path.insert(0, {ext!r})
extensions = ["myst_nb", "launch"]
html_theme = "sphinx_book_theme"
nb_execution_mode = "off"
root_doc = "index"
launch_repository = {repository!r}
"""
EMPTY = {
    "cells": [{"cell_type": "markdown", "metadata": {}, "source": ["# A page\n"], "id": "a"}],
    "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}


def links_of(html):
    found = BeautifulSoup(html, "html.parser").select(".dropdown-launch-buttons a")
    return [link["href"] for link in found]


def built(folder, repository):
    """The addresses of a small book's buttons, by page."""
    (folder / "chapters").mkdir(parents=True)
    (folder / "conf.py").write_text(CONF.format(ext=EXT, repository=repository), "utf-8")
    (folder / "index.md").write_text("# Home\n\n```{toctree}\nchapters/02-ngrams\n```\n", "utf-8")
    (folder / "chapters" / "02-ngrams.ipynb").write_text(json.dumps(EMPTY), "utf-8")
    out = folder / "out"
    Sphinx(str(folder), str(folder), str(out), str(folder / "trees"), "html", status=None).build()
    pages = {name: (out / f"{name}.html") for name in ("index", "chapters/02-ngrams")}
    soup = {
        name: BeautifulSoup(path.read_text("utf-8"), "html.parser") for name, path in pages.items()
    }
    return {
        name: [a["href"] for a in page.select(".dropdown-launch-buttons a") if a["href"] != "#"]
        for name, page in soup.items()
    }


@pytest.mark.slow
def test_only_notebooks_of_a_book_with_an_address_have_buttons(tmp_path):
    with_address = built(tmp_path / "with", REPOSITORY)
    assert with_address["index"] == []
    assert with_address["chapters/02-ngrams"] == [
        "https://mybinder.org/v2/gh/somebody/next-word/main?urlpath=lab/tree/reading/02-ngrams.ipynb",
        "https://colab.research.google.com/github/somebody/next-word/blob/notebooks/02-ngrams.ipynb",
        "https://codespaces.new/somebody/next-word/tree/main?quickstart=1",
    ]
    assert not any(built(tmp_path / "without", "").values())


def test_the_book_that_is_shipped_names_no_address():
    settings = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))["sphinx"]
    assert settings["config"]["launch_repository"] == ""
    assert "launch" in settings["config"]["extensions"]


@pytest.mark.parametrize(
    ("repository", "binder"),
    [
        ("https://gitlab.com/a/b.git", "https://mybinder.org/v2/gl/a%2Fb/main"),
        ("https://git.example.org/a/b/", "https://mybinder.org/v2/git/https%3A%2F%2Fgit.example.org%2Fa%2Fb/main"),
    ],
)  # fmt: skip
def test_another_host_has_binder_alone(repository, binder):
    found = launch.links("chapters/ladder", repository, "main", "notebooks")
    assert found == {"Binder": f"{binder}?urlpath=lab/tree/reading/ladder.ipynb"}


def test_the_branch_for_colab_is_the_one_that_is_published():
    workflow = (ROOT / ".github" / "workflows" / "publish.yml").read_text("utf-8")
    assert "notebooks\n" in workflow.partition("git push")[2]
    assert "nextword read all" in workflow
