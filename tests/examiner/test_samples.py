"""Sample submissions that are kept as edits of another module."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from examiner.errors import UserError
from examiner.project import Project, find_project
from examiner.release.samples import edited, write_samples

Command = Callable[..., Result]
ROOT = find_project(Path(__file__)).root
EDIT = '[[edits]]\nold = "a + b"\nnew = "a - b"\n'


@pytest.fixture
def keep(demo_course: Path) -> Callable[[str, str], None]:
    """Keep a student's edits."""

    def write(student: str, text: str) -> None:
        path = demo_course / "tests" / "demo" / "class" / student / "edits.toml"
        path.parent.mkdir(parents=True)
        path.write_text(text, "utf-8")

    return write


def test_edits_follow_each_other(demo_course: Path, keep: Callable[[str, str], None]) -> None:
    keep("ada", EDIT)
    keep("ben", 'of = "ada"\n[[edits]]\nold = "a - b"\nnew = "a * b"\n')
    project = Project(demo_course)
    solution = (demo_course / "solutions" / "demo.py").read_text("utf-8")
    assert edited(project, "demo", "ada").decode() == solution.replace("a + b", "a - b")
    assert edited(project, "demo", "ben").decode() == solution.replace("a + b", "a * b")
    assert len(write_samples(project, "demo")) == 2
    assert write_samples(project, "demo") == []


def test_comments_of_the_module_do_not_count(
    demo_course: Path, keep: Callable[[str, str], None]
) -> None:
    path = demo_course / "solutions" / "demo.py"
    plain = path.read_text("utf-8")
    whole = next(line for line in plain.splitlines() if line.endswith("a + b"))
    path.write_text(plain.replace(whole, f"    # explained\n\n{whole}  # better"), "utf-8")
    keep(
        "ada",
        f"[[edits]]\nold = '''\n    # as it was\n{whole}\n'''\nnew = '''\n    return 0\n'''\n",
    )
    made = edited(Project(demo_course), "demo", "ada").decode()
    assert made == plain.replace(whole, "    # explained\n\n    return 0")


def test_stubs_encodings_and_line_ends_can_be_asked_for(
    demo_course: Path, keep: Callable[[str, str], None], nextword: Command
) -> None:
    nextword("sync")
    keep("ada", 'of = "coursework"\nencoding = "utf-8-sig"\nnewline = "\\r\\n"\n')
    stub = (demo_course / "coursework" / "demo.py").read_text("utf-8")
    expected = ("\ufeff" + stub.replace("\n", "\r\n")).encode()
    assert edited(Project(demo_course), "demo", "ada") == expected


@pytest.mark.slow
def test_grading_the_class_writes_it_first(
    demo_course: Path, keep: Callable[[str, str], None], nextword: Command
) -> None:
    keep("ada", EDIT)
    result = nextword("grade", "demo", "tests/demo/class", "--json", "grades.json")
    assert result.exit_code == 0, result.output
    assert '"score": 6.0' in (demo_course / "grades.json").read_text("utf-8")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('[[edits]]\nold = "nowhere"\nnew = ""\n', "ada/edits.toml: .* edit 1 stands 0 times"),
        ('[[edits]]\nold = "self.count"\nnew = ""\n', "edit 1 stands 3 times"),
        ('[[edits]]\nold = "a + b"\n', "edit 1 needs `old` and `new`"),
        ('of = "nobody"\n', "ada/edits.toml: there is no student 'nobody'"),
        ('of = "ada"\n', "ada/edits.toml: it follows from itself"),
        ('like = "ada"\n', "ada/edits.toml: unknown key 'like'"),
        ('encoding = "klingon"\n', "ada/edits.toml: unknown encoding: klingon"),
        ("[[edits", "ada/edits.toml is no TOML"),
    ],
)
def test_edits_that_cannot_be_made_are_named(
    demo_course: Path, keep: Callable[[str, str], None], text: str, complaint: str
) -> None:
    keep("ada", text)
    with pytest.raises(UserError, match=complaint):
        write_samples(Project(demo_course), "demo")


def test_git_keeps_the_edits_and_not_what_follows_from_them() -> None:
    kept = sorted(ROOT.glob("tests/*/class/*/edits.toml"))
    assert kept
    modules = [str(path.with_name(f"{path.parts[-4]}.py")) for path in kept]
    listed = subprocess.run(
        ["git", "check-ignore", "--no-index", *modules],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode == 128:
        pytest.skip("git does not know this folder")
    left = sorted(set(modules) - set(listed.stdout.split("\n")))
    assert not left, f"add these to tests/.gitignore: {left}"


def test_a_class_from_elsewhere_needs_no_course_that_can_be_written_to(
    demo_course: Path, nextword, monkeypatch
) -> None:
    written: list[str] = []
    monkeypatch.setattr(
        "examiner.release.samples.write_samples", lambda _, stem: written.append(stem)
    )
    nextword("grade", "demo", str(demo_course.parent / "handed-in"))
    assert written == []
    nextword("grade", "demo", str(demo_course / "tests" / "demo" / "class"))
    assert written == ["demo"]
