"""What students get: stubs, visible tests, a notebook without outputs, and nothing hidden."""

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from examiner.catalogue import Chapter
from examiner.catalogue.settings import Settings
from examiner.check.known import load
from examiner.errors import UserError
from examiner.project import Project, find_project
from examiner.release.library import library_files
from examiner.release.student import release_student, student_notebook
from examiner.release.suites import SuiteTexts, read_suite
from examiner.release.wheel import wheel_of
from tests.course import CHAPTERS, COURSE
from tests.examiner.small_course import write_files

Command = Callable[..., Result]


def visible_part(text: str, **helpers: str) -> dict[str, str]:
    """Cut a suite of one file and its helpers."""
    helper_files = {f"{name}.py": helper for name, helper in helpers.items()}
    return SuiteTexts({"test_demo.py": text}, helper_files).visible()


def test_hidden_tests_and_their_helpers_are_cut(demo_course: Path) -> None:
    visible = read_suite(find_project(demo_course), "demo").visible()["demo/suite/test_demo.py"]
    assert "test_small_sum" in visible
    assert "test_counter" in visible
    assert "def demo(coursework)" in visible
    for hidden in ("test_random_sums", "slow_sum", "import math", "oracle"):
        assert hidden not in visible
    compile(visible, "test_demo.py", "exec")


@pytest.mark.parametrize(
    "text",
    [
        "class TestAll:\n    def test_x(self): pass\n",
        "def test_x(): pass\n",
    ],
)
def test_a_test_of_unclear_visibility_is_refused(text: str) -> None:
    with pytest.raises(UserError, match=r"test_demo\.py:1"):
        visible_part(text)


def test_visibility_must_be_written_out() -> None:
    text = (
        'import pytest\nSHOW = True\n@pytest.mark.task("9.1", visible=SHOW)\ndef test_x(): pass\n'
    )
    assert not visible_part(text)


SUITE_WITH_HELPERS = """import pytest

from tests import oracles as plain
from tests.texts import LINES, letters


@pytest.mark.task("9.1", visible=True)
def test_x(demo):
    assert demo.f(LINES) == plain.shown(LINES)


@pytest.mark.task("9.1")
def test_y(demo):
    assert demo.f("abc") == plain.hidden(letters("abc"))
"""
ORACLES = '''"""Oracles."""

from tests.texts import ONE
from tests import secrets


def shown(lines):
    return half(lines) + [ONE]


def half(lines):
    return lines[::2]


# knows the answers
def hidden(text):
    return secrets.secret(also_hidden(text))


def also_hidden(text):
    return hidden(text[1:]) if text else half(text)
'''
HELPERS = {
    "oracles": ORACLES,
    "texts": "ONE = 1\nLINES = [ONE]\n\n\ndef letters(text):\n    return list(text)\n",
    "secrets": "def secret(text):\n    return 42\n",
}


def test_a_helper_goes_to_students_as_far_as_visible_tests_use_it() -> None:
    made = visible_part(SUITE_WITH_HELPERS, **HELPERS)
    assert sorted(made) == ["oracles.py", "test_demo.py", "texts.py"]
    assert "def shown" in made["oracles.py"]
    assert "def half" in made["oracles.py"]
    for secret in ("hidden", "knows the answers", "secrets"):  # also where two call each other
        assert secret not in made["oracles.py"]
    assert "letters" not in made["texts.py"] + made["test_demo.py"]
    assert "ONE = 1" in made["texts.py"]


@pytest.mark.parametrize(
    ("line", "used", "complaint"),
    [
        ("import tests.oracles", "tests", "test_demo.py:2: write `from tests"),
        ("from tests.oracles import *", "shown", "test_demo.py:2: write `from tests"),
        ("from . import oracles", "oracles", "test_demo.py:2: write `from tests"),
        ("from tests import oracles", "vars(oracles)", "test_demo.py:7: say which part"),
        ("from tests import oracles", "oracles.gone", "oracles.py has no gone"),
        ("from tests.oracles import gone", "gone", "oracles.py has no gone"),
    ],
)
def test_what_is_used_of_a_helper_must_be_plain(line: str, used: str, complaint: str) -> None:
    text = f"import pytest\n{line}\n\n\n@pytest.mark.task('9.1', visible=True)\n"
    with pytest.raises(UserError, match=complaint):
        visible_part(f"{text}def test_x(demo):\n    assert {used}\n", **HELPERS)


def test_a_fixture_that_acts_by_itself_or_by_name_stays() -> None:
    text = "import pytest\n"
    for name, options in (("quiet", "autouse=True"), ("named", ""), ("other", "")):
        text += f"@pytest.fixture({options})\ndef {name}():\n    pass\n"
    text += "@pytest.mark.usefixtures('named')\n@pytest.mark.task('9.1', visible=True)\n"
    made = visible_part(text + "def test_x():\n    pass\n")["test_demo.py"]
    assert "def quiet" in made
    assert "def named" in made
    assert "def other" not in made


def test_a_students_notebook_imports_coursework_and_has_no_outputs() -> None:
    cells = [
        {"cell_type": "markdown", "source": ["from solutions import it\n"]},
        {
            "cell_type": "code",
            "source": ["from solutions import ngrams\n", "solutions = 1\n"],
            "outputs": [{"text": "secret"}],
            "execution_count": 3,
        },
    ]
    cells[1]["metadata"] = {"tags": ["claims", "hide-input"]}
    made = json.loads(student_notebook(json.dumps({"cells": cells})))
    assert made["cells"][0] == cells[0]
    assert made["cells"][1]["metadata"]["jupyter"] == {"source_hidden": True}
    assert made["cells"][1]["source"] == ["from coursework import ngrams\n", "solutions = 1\n"]
    assert made["cells"][1]["outputs"] == []


PAGES = sorted((Path(__file__).parents[2] / "chapters").glob("[0-9]*.ipynb"))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_students_notebook_has_only_boxes_that_jupyterlab_shows(path: Path) -> None:
    book, made = path.read_text("utf-8"), student_notebook(path.read_text("utf-8"))
    texts = ["".join(c["source"]) for c in json.loads(made)["cells"] if c["cell_type"] != "code"]
    for text in texts:
        assert not re.search(r":::|\{\w[\w:]*\}`|^ *\([\w-]+\)=", text, re.M), text
        assert text.count("<div") == text.count("</div>"), text
        assert text.count("<details") == text.count("</details>"), text
    whole = "".join(texts)
    for hint in ("First hint: a nudge", "Second hint: the idea", "Third hint: nearly the code"):
        assert whole.count(f"<details><summary>{hint}</summary>") == book.count(f"}} {hint}")
    assert "literalinclude" not in whole
    assert "BEGIN SOLUTION" not in whole


def test_a_full_folder_is_never_overwritten(demo_course: Path, nextword: Command) -> None:
    target = demo_course / "handout"
    target.mkdir()
    (target / "mine.txt").write_text("work", "utf-8")
    result = nextword("release", "demo", "--to", str(target))
    assert result.exit_code == 2
    assert "exists already" in result.output
    assert (target / "mine.txt").read_text("utf-8") == "work"


def test_an_unknown_chapter_or_format_is_wrong_use(demo_course: Path, nextword: Command) -> None:
    assert nextword("release", "poems", "--to", "handout").exit_code == 2
    assert nextword("release", "demo", "--to", "handout", "--format", "pdf").exit_code == 2
    assert not (demo_course / "handout").exists()


@pytest.fixture(scope="module")
def handout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The real release of every chapter that stands."""
    target = tmp_path_factory.mktemp("release") / "handout"
    release_student(find_project(Path(__file__)), CHAPTERS, target)
    return target


@pytest.fixture(scope="module")
def library(handout: Path) -> Path:
    """The library of that release, installed."""
    return installed(handout, handout.parent / "site")


@pytest.mark.slow
def test_the_real_release_holds_no_solution_and_no_hidden_test(handout: Path) -> None:
    project = find_project(Path(__file__))
    for chapter in CHAPTERS:
        stub = (handout / "coursework" / f"{chapter.stem}.py").read_text("utf-8")
        assert "SOLUTION" not in stub
        assert stub.count("raise NotImplementedError") == sum(len(t.symbols) for t in chapter.tasks)
        whole = texts(project.suite_files(chapter.stem))
        visible = texts(Project(handout).suite_files(chapter.stem))
        assert visible.count("visible=True") == whole.count("visible=True") > 0
        assert visible.count("pytest.mark.task(") == visible.count("visible=True")
    assert not list(handout.rglob("mistakes/*"))
    assert not (handout / "solutions").exists()


def texts(paths: list[Path]) -> str:
    return "\n".join(path.read_text("utf-8") for path in paths)


def installed(folder: Path, to: Path) -> Path:
    """Install a released folder's library as its README says, but nothing from the internet."""
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "install"]
    options = ["--requirement", "requirements.txt", "--no-index", "--no-deps", "--target", str(to)]
    subprocess.run([*pip, *options], cwd=folder, check=True)
    return to


def checked(folder: Path, library: Path) -> list[dict[str, Any]]:
    """What `nextword check` of a released folder says of untouched stubs."""
    run = subprocess.run(
        [sys.executable, "-P", "-m", "nextword", "check", "--json"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(library)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1, run.stderr
    return json.loads(run.stdout)


@pytest.mark.slow
def test_a_release_of_one_chapter_is_checked_without_a_word_of_the_others(tmp_path: Path) -> None:
    project, one = find_project(Path(__file__)), COURSE.catalogue.chapter("ngrams")
    files = release_student(project, [one], tmp_path / "handout")
    page = (project.root / "chapters" / "instructors.md").read_text("utf-8")
    assert f"wrote {len(files)} files to handout" in page
    library = installed(tmp_path / "handout", tmp_path / "site")
    assert [each["chapter"] for each in checked(tmp_path / "handout", library)] == [one.stem]


@pytest.mark.slow
def test_what_students_see_of_a_release_is_little(handout: Path) -> None:
    assert sorted(path.name for path in handout.iterdir()) == [
        "README.md",
        "chapters",
        "checkpoints",
        "constraints.txt",
        "course.toml",
        "coursework",
        "library",
        "requirements.txt",
        "tests",
    ]
    assert len(list((handout / "library").iterdir())) == 1


@pytest.mark.slow
def test_students_install_the_part_of_the_library_that_checks(library: Path) -> None:
    rooms = {path.name for path in (library / "examiner").iterdir()}
    assert {"check", "judge", "errors.py"} < rooms
    assert not {"grading", "platforms", "release", "sandbox"} & rooms
    names = "\n".join(path.as_posix() for path in library.rglob("*"))
    assert "solutions" not in names
    assert "mistakes/" not in names


@pytest.mark.slow
def test_the_real_release_can_be_checked_by_itself(handout: Path, library: Path) -> None:
    answers = checked(handout, library)
    assert [each["chapter"] for each in answers] == [each.stem for each in CHAPTERS]
    for answer in answers:
        tasks = answer["submissions"][0]["tasks"]
        assert {task["verdict"] for task in tasks} == {"missing"}
        assert all(task["tests"] for task in tasks), "every task has a visible test"


@pytest.mark.slow
def test_a_release_holds_all_that_its_checker_imports(library: Path) -> None:
    """What is missing would be found elsewhere here, where the whole course is installed."""
    missing = set()
    for path in (library / "examiner").rglob("*.py"):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("examiner"):
                place = library / str(node.module).replace(".", "/")
                if not (place.is_dir() or place.with_suffix(".py").is_file()):
                    missing.add(node.module)
    assert missing == set()


@pytest.mark.slow
def test_a_corrected_library_has_another_version_and_the_same_one_the_same() -> None:
    files = {
        "pyproject.toml": b'[project]\nname = "few"\nversion = "1.0"\n',
        "few/__init__.py": b"",
    }
    first, again = wheel_of(files), wheel_of(dict(reversed(files.items())))
    assert first == again
    corrected = wheel_of({**files, "few/__init__.py": b"more = 1\n"})
    assert re.fullmatch(r"few-1\.0\+[0-9a-f]{8}-py3-none-any\.whl", corrected.name)
    assert corrected.name != first.name


def test_a_library_that_cannot_be_packed_says_why_in_one_line() -> None:
    with pytest.raises(
        UserError, match=r"^pyproject\.toml: the library cannot be packed .*"
    ) as said:
        wheel_of({"pyproject.toml": b'[project]\nname = "no name"\nversion = "1.0"\n'})
    assert "\n" not in str(said.value)


def test_a_course_that_is_not_installable_gives_its_packages_as_they_are(
    demo_course: Path, demo_chapter: Chapter, tmp_path: Path
) -> None:
    (demo_course / "course.toml").write_text("files = []\n", "utf-8")
    release_student(Project(demo_course), [demo_chapter], tmp_path / "handout")
    assert (tmp_path / "handout" / "examiner" / "check").is_dir()
    assert not (tmp_path / "handout" / "library").exists()


def test_what_systems_leave_in_a_package_is_not_released(
    demo_course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(tmp_path / "lent", {"__init__.py": "", "words.txt": "a", ".DS_Store": "x"})
    write_files(tmp_path / "lent", {"desktop.ini": "x", "__pycache__/a.pyc": "", "b/.c/d": ""})
    monkeypatch.syspath_prepend(tmp_path)
    project = Project(demo_course)
    vars(project)["settings"] = Settings(library=("lent",))
    released = {str(inside) for inside, _ in library_files(project, lambda room: False)}
    assert {p for p in released if "lent" in p} == {"lent/__init__.py", "lent/words.txt"}


def test_a_release_holds_every_page_of_a_chapter(
    demo_course: Path, demo_chapter: Chapter, tmp_path: Path
) -> None:
    for name in ("09-demo", "09-demo-more"):
        text = json.dumps({"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
        (demo_course / "chapters" / f"{name}.ipynb").write_text(text, "utf-8")
    release_student(Project(demo_course), [demo_chapter], tmp_path / "handout")
    pages = sorted(path.name for path in (tmp_path / "handout" / "chapters").iterdir())
    assert pages == ["09-demo-more.ipynb", "09-demo.ipynb"]


def test_the_last_hints_can_be_kept_back(demo_course: Path, nextword: Command) -> None:
    hint = ":::::{dropdown} Third hint: nearly the code\nLAST\n:::::"
    box = f"::::::{{exercise}} 9.1 Adding\n{hint}\n::::::"
    cell = {"cell_type": "markdown", "metadata": {}, "source": [box]}
    page = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (demo_course / "chapters" / "09-demo.ipynb").write_text(json.dumps(page), "utf-8")
    (demo_course / "course.toml").write_text("files = []\n", "utf-8")
    last = demo_course / "solutions" / "demo.toml"
    last.write_text(last.read_text("utf-8").replace("Return a plus b.", "LAST"), "utf-8")
    for option, kept in (("--last-hints", True), ("--no-last-hints", False)):
        done = nextword("release", "demo", "--to", f"with{option}", option)
        assert done.exit_code == 0, done.output
        for name in ("coursework/demo.toml", "chapters/09-demo.ipynb"):
            text = (demo_course / f"with{option}" / name).read_text("utf-8")
            assert ("LAST" in text) is kept, name
    assert (
        nextword(
            "release", "demo", "--to", "x", "--no-last-hints", "--format", "nbgrader"
        ).exit_code
        == 2
    )


@pytest.mark.slow
@pytest.mark.parametrize(("when", "programs"), [("at once", True), ("never", False)])
def test_students_get_the_small_programs_where_examples_are_shown_at_once(
    demo_course: Path, nextword: Command, when: str, programs: bool
) -> None:
    (demo_course / "course.toml").write_text(f'examples = "{when}"\n', "utf-8")
    assert nextword("sync").exit_code == 0
    assert nextword("release", "demo", "--to", "handout").exit_code == 0
    known = load(demo_course / "handout" / "coursework" / "known" / "demo.json")
    assert bool(known.pool.cases.get("9.1")) is programs
