"""What sets the course up: pip, uv, a container, a Binder service and make agree."""

import json
import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from nextword.pytorch import INDEX, pinned

ROOT = Path(__file__).parents[1]


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_every_way_takes_the_pytorch_for_processors():
    settings = tomllib.loads(text("pyproject.toml"))
    uv = settings["tool"]["uv"]
    (index,) = uv["index"]
    assert (index["url"], index["explicit"]) == (INDEX, True)
    assert uv["sources"]["torch"][0]["index"] == index["name"]
    for name in ("binder/postBuild", "Containerfile", ".github/workflows/student.yml"):
        assert "nextword install-torch" in text(name), name
    assert "-m nextword.pytorch" in text("Makefile")


def test_nothing_asks_for_pytorch_but_its_own_step():
    """Else pip brings the usual one for Linux, of several GB, without a word."""
    settings = tomllib.loads(text("pyproject.toml"))["project"]
    extras = settings["optional-dependencies"]
    assert [need for need in settings["dependencies"] if need.startswith("torch")] == []
    asking = [name for name, needs in extras.items() if any(n.startswith("torch") for n in needs)]
    assert asking == ["torch"]
    for name in ("Makefile", "binder/postBuild", "Containerfile", "requirements.txt"):
        lines = [line for line in text(name).splitlines() if not line.lstrip().startswith("#")]
        code = "\n".join(lines)
        assert not re.search(r"pip install[^\n]*\btorch\b|index-url|\[torch\]", code, re.I), name


def test_the_step_takes_the_version_that_is_tested():
    assert pinned(ROOT / "constraints.txt").startswith("==2.")


def test_students_install_with_one_command_which_all_pages_name():
    lines = [line for line in text("requirements.txt").splitlines() if not line.startswith("#")]
    assert lines == ["."]
    assert text("chapters/setup.md").count("pip install -r requirements.txt") == 4
    for name in ("README.md", "examiner/release/student.py", ".github/workflows/student.yml"):
        assert "pip install -r requirements.txt" in text(name), name
        assert "install-torch" in text(name), name
    for name in ("README.md", "chapters/setup.md", "chapters/instructors.md"):
        assert not re.search(r"pip install \.(?:$|[ `])", text(name), re.M), name


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ("", '-m nextword.pytorch --consent "make TORCH=cuda book"'),
        ("TORCH=cuda", "-m nextword.pytorch --cuda"),
        ("TORCH=none", "Without PyTorch: chapters 1 and 2 work"),
    ],
)
def test_make_asks_before_it_takes_the_large_build(choice, expected, tmp_path):
    command = ["make", "-f", str(ROOT / "Makefile"), "torch", "GOALS=book", "--dry-run"]
    done = subprocess.run(
        [*command, *filter(None, [choice])], cwd=tmp_path, capture_output=True, text=True
    )
    value = choice.partition("=")[2] or "cpu"
    (branch,) = re.findall(rf"^\s*{value}\) (.*);;", done.stdout, re.M)
    assert expected in branch
    assert f'case "{value}" in' in done.stdout


def test_container_and_binder_are_built_from_the_constraints():
    container = json.loads(text(".devcontainer/devcontainer.json"))
    assert "make setup" in container["onCreateCommand"]  # which pins by constraints.txt
    assert "--constraint constraints.txt" in text("Makefile")
    for name in ("binder/postBuild", "Containerfile"):
        script = text(name)
        assert script.count("--constraint constraints.txt") == script.count("pip install"), name
    assert os.access(ROOT / "binder" / "postBuild", os.X_OK)
    version = text("binder/runtime.txt").strip().removeprefix("python-")
    assert f":{version}-" in container["image"]
    assert f"python:{version}-" in text("Containerfile")


def test_the_grader_holds_the_sample_classes_whole():
    """It runs read-only: what a sample student's edits make has to be written before."""
    grader = text("Containerfile").partition("AS grader")[2].partition("\nFROM ")[0]
    assert grader.index("COPY --chown=reader:reader . .") < grader.index("RUN nextword sync")


def test_whoever_opens_the_course_in_a_browser_finds_readable_notebooks():
    container = json.loads(text(".devcontainer/devcontainer.json"))
    for script in (container["onCreateCommand"], text("binder/postBuild"), text("Containerfile")):
        assert "nextword read all --no-open" in script


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


def test_the_grading_machines_image_has_the_sandbox_and_no_root():
    page = text("chapters/grading-machines.md")
    assert "podman build --target grader" in page
    (stage,) = re.findall(
        r"^FROM course AS grader\n(.*?)^FROM ", text("Containerfile"), re.M | re.S
    )
    assert "bubblewrap" in stage
    assert re.findall(r"^USER (\w+)", stage, re.M)[-1] == "reader"
