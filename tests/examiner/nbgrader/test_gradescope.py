"""The autograder zip, run in a folder that is laid out like Gradescope's."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from examiner.errors import UserError
from examiner.platforms.gradescope import release_gradescope, results
from examiner.project import Project
from examiner.sandbox import other_user
from tests.course import COURSE
from tests.examiner.nbgrader.conftest import ROOT

NGRAMS = COURSE.catalogue.chapter("ngrams")


@pytest.fixture(scope="module")
def autograder():
    """A folder like /autograder; not in /tmp, which is another one in the sandbox."""
    root = Path(tempfile.mkdtemp(prefix="autograder-", dir="/var/tmp"))
    root.chmod(0o755)
    (made,) = release_gradescope(Project(ROOT), [NGRAMS], root / "zips")
    assert made.name == "ngrams-autograder.zip"
    with zipfile.ZipFile(made) as archive:
        assert {"setup.sh", "run_autograder"} <= set(archive.namelist())
        assert archive.getinfo("run_autograder").external_attr >> 16 & 0o111
        archive.extractall(root / "source")
    shutil.copy(root / "source" / "run_autograder", root / "run_autograder")
    metadata = {"id": 1234, "users": [{"email": "ada@example.org", "id": 1, "name": "Ada"}]}
    (root / "submission_metadata.json").write_text(json.dumps(metadata))
    yield root
    shutil.rmtree(root)


def run(root: Path, files: dict[str, str], inside: Sequence[str] = (), own: bool = True) -> dict:
    for name in ("submission", "results"):
        shutil.rmtree(root / name, ignore_errors=True)
        (root / name).mkdir()
        (root / name).chmod(0o755 if own else 0o777)
    for name, text in files.items():
        (root / "submission" / name).write_text(text, "utf-8")
    environment = {**os.environ, "AUTOGRADER_ROOT": str(root), "AUTOGRADER_PYTHON": sys.executable}
    command = [*inside, "bash", str(root / "run_autograder")]
    subprocess.run(command, env=environment, timeout=200, check=True)
    return json.loads((root / "results" / "results.json").read_text("utf-8"))


def test_a_right_submission_gets_every_point(autograder, reference):
    found = run(autograder, {"ngrams.py": reference})
    assert found["score"] == NGRAMS.points
    assert {test["status"] for test in found["tests"] if test["max_score"]} == {"passed"}


def settled(root: Path) -> dict:
    path = root / "source" / "grader" / ".nextword" / "admitted-ngrams.json"
    return json.loads(path.read_text("utf-8")) if path.is_file() else {}


def test_the_image_settles_on_inputs_once(autograder, reference):
    setup = (autograder / "source" / "setup.sh").read_text("utf-8")
    command = setup.replace("\\\n", " ").strip().splitlines()[-1]
    command = command.replace("/autograder/venv/bin/python", sys.executable)
    command = command.replace("/autograder", str(autograder))
    before = autograder / "source" / "grader" / ".nextword" / "admitted-ngrams.json"
    before.unlink(missing_ok=True)
    subprocess.run(["bash", "-c", command], timeout=200, check=True)
    (entry,) = settled(autograder).values()
    assert entry["whole"]
    assert set(entry["attempts"].values()) <= set(range(5))
    assert run(autograder, {"ngrams.py": reference})["score"] == NGRAMS.points
    assert len(settled(autograder)) == 1, "it was found again, not settled under another name"


def test_results_have_what_gradescope_asks_for(autograder, reference):
    wrong = reference.replace("return [BOS] * (n - 1)", "return [BOS] * n")
    found = run(autograder, {"ngrams.py": wrong, "conftest.py": "raise SystemExit"})
    assert 0 < found["score"] < NGRAMS.points
    assert found["score"] == pytest.approx(sum(test["score"] for test in found["tests"]))
    assert found["stdout_visibility"] == "hidden"
    for test in found["tests"]:
        assert set(test) >= {"name", "score", "max_score", "status", "output", "visibility"}
        assert test["status"] in ("passed", "failed")
        assert test["visibility"] in ("visible", "hidden", "after_due_date", "after_published")
    first = found["tests"][0]
    assert first["status"] == "failed"
    assert "There are n - 1 begin symbols" in first["output"]


def test_nothing_handed_in_is_said(autograder):
    found = run(autograder, {"notes.txt": "none"})
    assert found["score"] == 0
    assert "there is no ngrams.py" in found["output"]


def test_a_task_becomes_one_entry():
    test = {"behaviour": "It adds.", "verdict": "failed", "message": "m", "misconception": "why"}
    task = {"id": "2.1", "title": "T", "score": 1, "max_score": 2, "verdict": "failed"}
    task |= {"tests": [test], "examples": []}
    result = {"score": 1, "notice": "", "provisional": True, "tasks": [task]}
    made = results(NGRAMS, result, ["no sandbox"])
    assert made["tests"][0]["output"] == "- It adds.\n  m\n  This looks like: why"
    assert made["tests"][1]["visibility"] == "hidden"
    assert "can only rise" in made["output"]


def test_an_entry_begins_with_the_smallest_example():
    test = {"behaviour": "It adds.", "verdict": "failed", "message": "m", "misconception": "why"}
    shown = {"symbol": "add", "call": "add(1, 2)", "gives": "2", "right": "3", "says": "why"}
    task = {"id": "2.1", "title": "T", "score": 1, "max_score": 2, "verdict": "failed"}
    task |= {"tests": [test], "examples": [shown]}
    result = {"score": 1, "notice": "", "provisional": False, "tasks": [task]}
    [entry] = results(NGRAMS, result)["tests"]
    example = "This looks like: why\nadd(1, 2)\n  gives     2\n  right is  3\n"
    assert entry["output"] == f"{example}\n- It adds."


# ------------------------------------------------------- containers that forbid namespaces

NOBODY = 65534
DOCKERS = ("CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "SETGID", "SETUID", "MKNOD")
needs_root = pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("bwrap") is None, reason="only root can make such a container"
)


def container(user: int = 0, more: Sequence[str] = ()) -> list[str]:
    """The start of a command that runs it with the powers of root in Docker, or of another user.

    Docker lets nobody make namespaces; bubblewrap is there, and fails. `more` are bubblewrap's.
    """
    python = Path(sys.base_prefix)
    command = ["bwrap", "--dev-bind", "/", "/", "--tmpfs", "/tmp", *more]
    for parent in [p for p in reversed(python.parents) if p.is_relative_to("/root")]:
        command += ["--perms", "0755", "--tmpfs" if parent == Path("/root") else "--dir"]
        command += [str(parent)]
    command += ["--ro-bind", str(python), str(python)]
    tried = [p for p in reversed(Path(sys.prefix).parents) if Path("/tmp") in p.parents]
    for parent in tried:  # the course was cloned there
        command += ["--perms", "0755", "--dir", str(parent)]
    command += ["--ro-bind", sys.prefix, sys.prefix] if tried else []
    command += ["--ro-bind", "/bin/false", shutil.which("bwrap") or ""]
    command += ["--cap-drop", "ALL", *(w for c in DOCKERS for w in ("--cap-add", f"CAP_{c}"))]
    command += ["--die-with-parent", "--"]
    if user:
        command += ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]
        command += ["--inh-caps=-all", "--bounding-set=-all"]
    return command


DEEDS = """
import ctypes, glob, os, pathlib, signal, socket, sys
ROOT = {root!r}
DONE = []

def deed(what):
    try:
        what()
    except Exception:
        return
    DONE.append(what.__name__)

@deed
def reads_tests(): next(pathlib.Path(ROOT, "source/grader/tests").rglob("*.py")).read_bytes()
@deed
def lists_examiner(): os.listdir(ROOT + "/source/grader")
@deed
def reads_reference(): pathlib.Path(ROOT, "source/grader/solutions/ngrams.py").read_bytes()
@deed
def reads_earlier_results(): pathlib.Path(ROOT, "submission_metadata.json").read_bytes()
@deed
def writes_results(): pathlib.Path(ROOT, "results/results.json").write_text("{{}}")
@deed
def moves_results(): os.rename(ROOT + "/results", ROOT + "/other")
@deed
def plants_a_module(): pathlib.Path(ROOT, "source/library/numpy.py").write_text("")
@deed
def opens_the_graders_memory(): open(f"/proc/{{os.getppid()}}/mem", "rb")
@deed
def reads_the_graders_files(): os.listdir(f"/proc/{{os.getppid()}}/fd")
@deed
def reads_the_graders_environment(): open(f"/proc/{{os.getppid()}}/environ").read()
@deed
def reads_anybodys_files(): [os.readlink(p) for p in glob.glob("/proc/[0-9]*/fd/*")][0]
@deed
def kills_the_grader(): os.kill(os.getppid(), signal.SIGTERM)
@deed
def is_root_again(): os.setuid(0)
@deed
def forks(): os.fork() or os._exit(0)
@deed
def connects(): socket.socket()
@deed
def traces(): 1 / (ctypes.CDLL(None).ptrace(16, os.getppid(), 0, 0) == 0)
@deed
def looks_into_the_staging(): 1 / len(glob.glob("/tmp/nextword-*/*"))
@deed
def kills_each():
    for path in glob.glob("/proc/[0-9]*"):
        try:
            if int(path[6:]) != os.getpid():
                os.kill(int(path[6:]), signal.SIGKILL)
                return
        except PermissionError:
            pass
    raise OSError
@deed
def reads_by_the_graders_root(): os.listdir(f"/proc/{{os.getppid()}}/root/")
@deed
def changes_what_runs(): open(ROOT + "/run_autograder", "a")
@deed
def changes_the_setup(): open(ROOT + "/source/setup.sh", "a")
@deed
def links_the_reference(): os.link(ROOT + "/source/grader/solutions/ngrams.py", "here.py")
"""
LEAK = """

def pad(sentence, n):
    return DONE
"""


@needs_root
def test_where_namespaces_are_forbidden_submissions_run_as_another_user(autograder, reference):
    deeds = DEEDS.format(root=str(autograder))
    found = run(autograder, {"ngrams.py": reference + deeds + LEAK}, container())
    got = [line for line in found["tests"][0]["output"].splitlines() if "gives" in line]
    assert got, found
    assert got[0].split(maxsplit=1)[1] == "[]"
    points = NGRAMS.tasks[0].points
    assert NGRAMS.points - points <= found["score"] < NGRAMS.points  # the rest is right
    note = found["tests"][-1]
    assert note["visibility"] == "hidden"
    assert "ran as another user" in note["output"]


APT = "#!/bin/sh\nexit 0\n"
PYTHON = """\
#!/bin/sh
[ "$1 $2" = "-m venv" ] || exit 3
mkdir -p "$3/bin"
printf '#!/bin/sh\\nexec {python} "$@"\\n' > "$3/bin/python"
printf '#!/bin/sh\\necho "$@" > /autograder/installed\\n' > "$3/bin/pip"
chmod +x "$3/bin/pip" "$3/bin/python"
"""


@needs_root
@pytest.mark.slow
def test_setup_and_run_go_through_at_gradescopes_own_place(autograder, reference):
    """All steps of both scripts, verbatim; the network's part, apt-get and pip, does nothing."""
    tools = autograder / "tools"
    tools.mkdir()
    for name, text in (("apt-get", APT), ("python3", PYTHON.format(python=sys.executable))):
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    (autograder / "submission").mkdir(exist_ok=True)
    (autograder / "submission" / "ngrams.py").write_text(reference + LEAK.replace("DONE", "[]"))
    (autograder / "results").mkdir(exist_ok=True)
    script = "set -e; bash source/setup.sh; chmod +x run_autograder; ./run_autograder"
    place = ("--bind", str(autograder), "/autograder", "--chdir", "/autograder")
    command = [*container(more=place), "env", f"PATH=/autograder/tools:{os.environ['PATH']}"]
    subprocess.run([*command, "bash", "-c", script], timeout=200, check=True)
    found = json.loads((autograder / "results" / "results.json").read_text("utf-8"))
    points = NGRAMS.tasks[0].points
    assert NGRAMS.points - points <= found["score"] < NGRAMS.points
    asked = (autograder / "installed").read_text()
    assert asked.strip().endswith("/autograder/source/library")  # no PyTorch: nothing needs it
    assert "--constraint /autograder/source/library/constraints.txt" in asked


def test_pytorch_is_installed_for_chapters_that_use_it_alone(tmp_path):
    """It takes a gigabyte, and minutes of the image's time."""
    chapters = [NGRAMS, COURSE.catalogue.chapter("attention")]
    scripts = {}
    for made in release_gradescope(Project(ROOT), chapters, tmp_path / "zips"):
        with zipfile.ZipFile(made) as archive:
            scripts[made.name.partition("-")[0]] = archive.read("setup.sh").decode()
    assert "torch" not in scripts["ngrams"]
    assert '/autograder/source/library[torch]"' in scripts["attention"]
    assert "--extra-index-url https://download.pytorch.org/whl/cpu" in scripts["attention"]


@needs_root
def test_where_nothing_holds_nothing_is_graded(autograder, reference):
    for path in autograder.rglob("*"):  # the user's own, so that nothing can be closed to it
        os.chown(path, NOBODY, NOBODY)
    found = run(autograder, {"ngrams.py": reference}, container(NOBODY), own=False)
    assert found["score"] == 0
    assert "was not judged" in found["output"]
    (said,) = found["tests"]
    assert said["visibility"] == "hidden"
    assert "sandbox" in said["output"]
    assert "only root can run submissions as another user" in said["output"]


@needs_root
def test_a_door_that_does_not_close_is_seen(tmp_path, monkeypatch):
    """As on a file system that knows no owners."""
    place = Path(tempfile.mkdtemp(dir="/var/tmp"))
    place.chmod(0o777)
    monkeypatch.setattr(Path, "chmod", lambda *_: None)
    (place / "secret").write_text("x")
    with pytest.raises(UserError, match=r"unread: could: True.* unwritten: could: True"):
        other_user.lock_in([place])
    shutil.rmtree(place)
