"""What sets the course up: pip, uv, a container, a Binder service and make agree."""

import json
import os
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
INDEX = "https://download.pytorch.org/whl/cpu"


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_every_way_takes_the_pytorch_for_processors():
    uv = tomllib.loads(text("pyproject.toml"))["tool"]["uv"]
    (index,) = uv["index"]
    assert (index["url"], index["explicit"]) == (INDEX, True)
    assert uv["sources"]["torch"][0]["index"] == index["name"]
    for name in ("requirements.txt", "binder/postBuild", "Makefile"):
        assert INDEX in text(name), name


def test_students_install_with_one_command_which_all_pages_name():
    lines = [line for line in text("requirements.txt").splitlines() if not line.startswith("#")]
    assert lines == [f"--extra-index-url {INDEX}", "."]
    assert text("chapters/setup.md").count("pip install -r requirements.txt") == 3
    for name in ("README.md", "examiner/release/student.py", ".github/workflows/student.yml"):
        assert "pip install -r requirements.txt" in text(name), name
    for name in ("README.md", "chapters/setup.md", "chapters/instructors.md"):
        assert not re.search(r"pip install \.(?:$|[ `])", text(name), re.M), name


def test_container_and_binder_are_built_from_the_constraints():
    container = json.loads(text(".devcontainer/devcontainer.json"))
    assert "make setup" in container["onCreateCommand"]  # which pins by constraints.txt
    assert "--constraint constraints.txt" in text("Makefile")
    script = text("binder/postBuild")
    assert script.count("--constraint constraints.txt") == script.count("pip install") == 3
    assert os.access(ROOT / "binder" / "postBuild", os.X_OK)
    version = text("binder/runtime.txt").strip().removeprefix("python-")
    assert f":{version}-" in container["image"]


def test_what_the_tests_need_is_pinned():
    pins = {
        line.partition("==")[0].lower().replace("_", "-")
        for line in text("constraints.txt").splitlines()
    }
    extras = tomllib.loads(text("pyproject.toml"))["project"]["optional-dependencies"]
    wanted = {
        re.match(r"[\w-]+", need)[0].lower().replace("_", "-")
        for needs in extras.values()
        for need in needs
    }
    assert wanted - pins == set()
