"""A course folder through a term: chapters come to it, and are written anew."""

import shutil
from pathlib import Path

import pytest
from traitlets.config import PyFileConfigLoader

from examiner.errors import UserError
from examiner.project import Project
from examiner.release.nbgrader import DRAWN, GRADER, SEED, release_nbgrader
from examiner.release.variants import Drawing
from tests.course import COURSE

SORTING = COURSE.root / "tests" / "examiner" / "sorting"
MINE = "c.Execute.timeout = 45  # an instructor's own line\n"
DRAWN_FOR_EACH = Drawing("a secret", {"ada": "ada"})


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The course on sorting, whose one chapter is put into a folder again and again."""
    root = tmp_path_factory.mktemp("sorting") / "course"
    shutil.copytree(SORTING, root)
    shutil.copytree(COURSE.root / "coursework" / "known", root / "coursework" / "known")
    return Project(root)


@pytest.fixture
def folder(project: Project, tmp_path: Path) -> Path:
    """A course folder that an instructor has used: with a config and tests of its own."""
    there = tmp_path / "folder"
    release_nbgrader(project, project.catalogue.chapters, there)
    with (there / "nbgrader_config.py").open("a", encoding="utf-8") as config:
        config.write(MINE)
    (there / "gradebook.db").write_text("grades", "utf-8")
    (there / GRADER / "tests" / "sorting" / "suite" / "test_of_last_year.py").write_text("")
    return there


def test_a_chapter_comes_to_a_folder_and_nothing_else_changes(project, folder):
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    folder.chmod(0o750)  # a team's
    shutil.move(folder / "source" / "sorting", folder / "last-year")
    written = release_nbgrader(project, project.catalogue.chapters, folder)
    assert {path.relative_to(folder).parts[0] for path in written} == {
        *("source", "grader", "students")
    }
    kept = ("gradebook.db", "nbgrader_config.py", "README.md", Path(GRADER, SEED))
    for name in kept:
        assert (folder / name).read_bytes() == before[folder / name]
    assert folder.stat().st_mode & 0o777 == 0o750
    assert (folder / "source" / "sorting" / "sorting.ipynb").is_file()
    assert not list(folder.glob(f"{GRADER}/tests/sorting/suite/test_of_last_year.py"))


def test_students_modules_are_kept_in_chapters_that_come_later(folder):
    (folder / "source" / "later").mkdir()
    config = PyFileConfigLoader("nbgrader_config.py", path=str(folder)).load_config()
    kept = config.Autograde.exclude_overwriting
    assert kept == {"sorting": ["sorting.py"], "later": ["later.py"]}


@pytest.mark.parametrize("named", [True, False])
def test_a_config_that_names_modules_must_name_the_new_one(project, folder, named):
    shutil.rmtree(folder / "source")
    module = {"sorting": ["sorting.py"]} if named else {"other": ["other.py"]}
    text = f"c = get_config()\nc.Autograde.exclude_overwriting = {module}\n".replace("'", '"')
    (folder / "nbgrader_config.py").write_text(text, "utf-8")
    if named:
        release_nbgrader(project, project.catalogue.chapters, folder)
    else:
        with pytest.raises(UserError, match=r'stubs .* add "sorting": \["sorting.py"\]'):
            release_nbgrader(project, project.catalogue.chapters, folder)
    assert (folder / "source").exists() == named


def test_a_chapter_that_is_there_is_not_written_over(project, folder):
    mine = folder / "source" / "sorting" / "sorting.ipynb"
    mine.write_text("edited", "utf-8")
    with pytest.raises(UserError, match=r"source/sorting exists already: move it away"):
        release_nbgrader(project, project.catalogue.chapters, folder)
    assert mine.read_text("utf-8") == "edited"


def test_what_was_drawn_for_each_student_is_drawn_alike_again(project, folder):
    for drawing in (DRAWN_FOR_EACH, DRAWN_FOR_EACH):
        shutil.rmtree(folder / "source")
        release_nbgrader(project, project.catalogue.chapters, folder, drawing)
    before = (folder / GRADER / DRAWN).read_bytes()
    shutil.rmtree(folder / "source")
    for other in (Drawing(), Drawing("another secret", {"ada": "ada"})):
        with pytest.raises(UserError, match="was drawn for each student: give the same"):
            release_nbgrader(project, project.catalogue.chapters, folder, other)
    assert (folder / GRADER / DRAWN).read_bytes() == before


def test_a_folder_of_something_else_stays_as_it_is(project, tmp_path):
    (tmp_path / "nbgrader_config.py").write_text("c = get_config()\n")
    with pytest.raises(UserError, match="give a new or empty folder"):
        release_nbgrader(project, project.catalogue.chapters, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["nbgrader_config.py"]
