"""`nextword install-torch` says how large PyTorch is, and never brings the large build unasked.

An index of our own stands for the usual one and for that of builds for processors.
"""

import base64
import hashlib
import http.server
import os
import sys
import threading
import zipfile
from pathlib import Path

import pytest

from examiner.check.needs import missing_package
from nextword import pytorch
from tests.course import COURSE

CUDA = "Requires-Dist: nvidia-cudnn-cu13==9.20; platform_system == 'Linux'\n"
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the usual build is small")


def wheel(folder: Path, version: str, needs: str = "") -> None:
    """Write a tiny wheel of torch with its metadata beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    about = f"torch-{version}.dist-info"
    told = f"Metadata-Version: 2.1\nName: torch\nVersion: {version}\n{needs}"
    files = {
        "torch/__init__.py": f"__version__ = {version!r}\n",
        f"{about}/METADATA": told,
        f"{about}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    rows = []
    for name, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=")
        rows.append(f"{name},sha256={digest.decode()},{len(text)}\n")
    files[f"{about}/RECORD"] = "".join([*rows, f"{about}/RECORD,,\n"])
    path = folder / f"torch-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    path.with_name(f"{path.name}.metadata").write_text(told, "utf-8")
    link = f'<a href="{path.name}" data-core-metadata="true" data-dist-info-metadata="true">'
    page = folder / "index.html"
    before = page.read_text("utf-8") if page.is_file() else ""
    page.write_text(f"{before}{link}{path.name}</a>\n", "utf-8")


class Indexes:
    """Two indexes on this machine, and what was fetched from them."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.fetched = folder, []
        fetched = self.fetched

        class Handler(http.server.SimpleHTTPRequestHandler):
            def __init__(self, *args):
                super().__init__(*args, directory=str(folder))

            def log_message(self, _, *args):
                if str(args[0]).startswith("GET"):
                    fetched.append(str(args[0]).split()[1])

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self.server.server_port}"

    @property
    def wheels(self):
        return [name for name in self.fetched if name.endswith(".whl")]


@pytest.fixture
def indexes(tmp_path, monkeypatch):
    made = Indexes(tmp_path)
    for name in [each for each in os.environ if each.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_INDEX_URL", f"{made.address}/usual")
    monkeypatch.setenv("PIP_TARGET", str(tmp_path / "installed"))
    monkeypatch.setenv("PIP_NO_CACHE_DIR", "1")
    monkeypatch.setattr(pytorch, "installed", str)
    yield made
    made.server.shutdown()
    made.server.server_close()


def run(indexes, *options, index=None, pin="2.13.0"):
    pins = indexes.folder / "constraints.txt"
    pins.write_text(f"numpy==2.4.6\ntorch=={pin}\n", "utf-8")
    where = index or f"{indexes.address}/cpu"
    return pytorch.main(["--constraint", str(pins), "--index", where, *options])


def brought(indexes):
    path = indexes.folder / "installed" / "torch" / "__init__.py"
    return path.read_text("utf-8").split("'")[1] if path.is_file() else None


@pytest.mark.slow
@LINUX
def test_where_only_the_large_build_can_be_had_nothing_is_loaded(indexes, capsys):
    wheel(indexes.folder / "usual" / "torch", "2.13.0", CUDA)
    assert run(indexes, index="http://127.0.0.1:9") == 2
    said = capsys.readouterr().err
    for part in ("2.7 GB to load", "Nothing was loaded", "does not answer", "--cuda"):
        assert part in said
    assert (indexes.wheels, brought(indexes)) == ([], None)


@pytest.mark.slow
@LINUX
@pytest.mark.parametrize("told", [True, False], ids=["by its metadata", "by its size alone"])
def test_the_index_of_small_builds_is_taken_where_the_usual_one_is_large(
    indexes, capsys, monkeypatch, told
):
    wheel(indexes.folder / "usual" / "torch", "2.13.0", CUDA if told else "")
    wheel(indexes.folder / "cpu" / "torch", "2.13.0+cpu")
    if not told:
        page = indexes.folder / "usual" / "torch" / "index.html"
        page.write_text('<a href="torch-2.13.0-py3-none-any.whl">torch</a>', "utf-8")
        monkeypatch.setattr(pytorch, "LARGE_MB", 0)
    assert run(indexes, *([] if told else ["--dry-run"])) == 0
    assert "PyTorch 2.13.0 for processors" in capsys.readouterr().out
    if not told:
        return
    assert indexes.wheels == ["/cpu/torch/torch-2.13.0%2Bcpu-py3-none-any.whl"]
    assert brought(indexes) == "2.13.0+cpu"


@pytest.mark.slow
def test_a_small_build_that_pip_finds_by_itself_is_taken_and_the_pinned_one(indexes, capsys):
    for version in ("2.13.0+cpu", "2.14.1+cpu"):
        wheel(indexes.folder / "usual" / "torch", version)
    assert run(indexes, "--dry-run", index="http://127.0.0.1:9") == 0
    assert "PyTorch 2.13.0 for processors" in capsys.readouterr().out
    assert (indexes.wheels, brought(indexes)) == ([], None)


@LINUX
def test_the_large_build_comes_when_it_is_asked_for(indexes, capsys):
    wheel(indexes.folder / "usual" / "torch", "2.13.0", CUDA)
    assert run(indexes, "--cuda", "--dry-run") == 0
    assert "for graphics cards: about 2.7 GB" in capsys.readouterr().out


@pytest.mark.slow
def test_a_python_without_the_pinned_build_gets_another_and_is_told(indexes, capsys):
    wheel(indexes.folder / "usual" / "torch", "2.15.0+cpu")
    assert run(indexes, "--dry-run") == 0
    said = capsys.readouterr().out
    assert "No PyTorch 2.13.0 for this Python: looking for another." in said
    assert "PyTorch 2.15.0 for processors" in said


@pytest.mark.slow
def test_where_there_is_none_it_says_so(indexes, capsys):
    assert run(indexes, index="http://127.0.0.1:9", pin="2.13.0") == 2
    said = capsys.readouterr().err
    assert "pip finds no PyTorch for Python" in said
    assert "does not answer" in said


def test_what_is_installed_stays(monkeypatch, capsys):
    monkeypatch.setattr(pytorch, "find", pytest.fail)
    assert pytorch.main([]) == 0
    assert "is installed" in capsys.readouterr().out


def test_a_python_of_uv_is_told_what_to_type(monkeypatch, capsys):
    monkeypatch.setattr(pytorch, "installed", str)
    monkeypatch.setattr(pytorch.importlib.util, "find_spec", lambda name: None)
    assert pytorch.main([]) == 2
    assert "uv sync --extra torch" in capsys.readouterr().err


# ── without PyTorch ─────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def without_torch(tmp_path, monkeypatch):
    """A Python in which torch cannot be found, here and in the processes that it starts."""
    block = (
        "import sys\n"
        "class Gone:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'torch':\n"
        "            raise ModuleNotFoundError(f'No module named {name!r}', name=name)\n"
        "sys.meta_path.insert(0, Gone())\n"
    )
    (tmp_path / "block").mkdir()
    (tmp_path / "block" / "sitecustomize.py").write_text(block, "utf-8")
    paths = [str(tmp_path / "block"), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, paths)))
    real = pytorch.importlib.util.find_spec
    monkeypatch.setattr(
        pytorch.importlib.util,
        "find_spec",
        lambda name, *rest: None if name == "torch" else real(name, *rest),
    )
    monkeypatch.chdir(Path(__file__).parents[2])


def test_a_chapter_that_needs_torch_says_so_in_one_line(without_torch, nextword):
    result = nextword("check", "3.1")
    assert result.exit_code == 2
    assert "chapter 3 needs torch, which is not installed: nextword install-torch" in result.output


def test_the_first_chapters_need_no_torch_and_the_later_ones_do(without_torch):
    from examiner.project import find_project

    project = find_project(Path(__file__))
    needs = [missing_package(project, chapter) for chapter in COURSE.catalogue.chapters]
    assert needs == ["", "", "torch", "torch", "torch", "torch", "torch"]


@pytest.mark.slow
@pytest.mark.parametrize("task", ["1.1", "2.1"])
def test_tasks_of_the_first_chapters_are_checked_without_torch(without_torch, nextword, task):
    result = nextword("check", task, "--package", "solutions")
    assert result.exit_code == 0, result.output


def test_progress_tells_which_chapters_wait(without_torch, nextword, demo_course):
    suite = demo_course / "tests" / "demo" / "suite" / "test_demo.py"
    suite.write_text("import torch\n" + suite.read_text("utf-8"), "utf-8")
    (demo_course / "coursework" / "demo.py").write_text("", "utf-8")
    assert "needs torch" in nextword("progress").output
    result = nextword("check")
    text = "Chapter 9 is left out, since it needs torch, which is not installed: "
    assert f"{text}nextword install-torch" in result.output
    assert result.exit_code == 1
    doctor = nextword("doctor")
    assert "chapter 9, Demo" in doctor.output
    assert "cannot be checked: torch is missing" in doctor.output
