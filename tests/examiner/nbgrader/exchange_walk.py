"""A term of one assignment over nbgrader's exchange, between users of one system; prints a JSON.

Run by test_exchange.py as root, where /etc/passwd knows the users and /home and /srv are its own.
Everything is done as a user: a teacher releases, ada and ben fetch and hand in, cyd forges.
"""

import json
import os
import pwd
import shutil
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from tests.examiner.nbgrader.commands import run_forked

EXCHANGE, SETTINGS = Path("/srv/exchange"), Path("/srv/jupyter")
COURSE = Path("/home/teacher/course")
ASSIGNMENT = "sorting"
INBOUND, OUTBOUND, FEEDBACK = (
    EXCHANGE / "sorting-things" / name for name in ("inbound", "outbound", "feedback")
)


def become(user: str) -> None:
    """Be another user for good, with the mask that lets others read new files."""
    entry = pwd.getpwnam(user)
    os.setgroups([])
    os.setgid(entry.pw_gid)
    os.setuid(entry.pw_uid)
    os.umask(0o022)


def as_user(user: str, folder: Path, *command: str, status: int = 0) -> str:
    """Run a command as this user; return what it says."""
    home = pwd.getpwnam(user).pw_dir
    environment = {
        **{key: os.environ[key] for key in ("PATH", "PYTHONPATH") if key in os.environ},
        "HOME": home,
        "JUPYTER_CONFIG_PATH": str(SETTINGS),
        "LANG": "C.UTF-8",
        "OMP_NUM_THREADS": "1",
    }
    ended, said = run_forked(command, folder, environment, 300, partial(become, user))
    if ended != status:
        sys.exit(f"{user}: {command} ended with {ended}:\n{said[-4000:]}")
    return said


def tries(user: str, **deeds: Callable[[], Any]) -> list[str]:
    """Return the names of the deeds that this user can do."""
    read, write = os.pipe()
    pid = os.fork()
    if not pid:
        become(user)
        done = []
        for name, deed in deeds.items():
            try:
                deed()
                done.append(name)
            except OSError:
                continue
        os.write(write, json.dumps(done).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as answer:
        found: list[str] = json.loads(answer.read() or '["died"]')
    os.waitpid(pid, 0)
    return found


def write_as(user: str, path: Path, text: str) -> None:
    """Write a file, and the folder that it is in, as this user."""

    def deed() -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")

    assert tries(user, deed=deed) == ["deed"], f"{user} cannot write {path}"


def set_up() -> None:
    """Do what an administrator does: a place for the exchange, and one line of settings."""
    EXCHANGE.mkdir()
    EXCHANGE.chmod(0o1777)
    SETTINGS.mkdir()
    lines = (
        f"c.Exchange.root = {str(EXCHANGE)!r}",
        'c.CourseDirectory.course_id = "sorting-things"',
    )
    (SETTINGS / "nbgrader_config.py").write_text("\n".join(("c = get_config()", *lines)))


def release(origin: Path) -> str:
    """Let the teacher make the course and release it."""
    clone = Path("/home/teacher/clone")
    shutil.copytree(origin, clone)
    for path in (clone, *clone.rglob("*")):
        shutil.chown(path, "teacher", "teacher")
    as_user("teacher", clone, "nextword", "sync")
    made = ("--format", "nbgrader", "--to", str(COURSE))
    as_user("teacher", clone, "nextword", "release", ASSIGNMENT, *made)
    as_user("teacher", COURSE, "nbgrader", "generate_assignment", ASSIGNMENT)
    return as_user("teacher", COURSE, "nbgrader", "release_assignment", ASSIGNMENT)


def hand_in(user: str, module: str) -> None:
    """Let a student fetch the assignment, write the module and hand it in."""
    home = Path("/home", user)
    as_user(user, home, "nbgrader", "fetch_assignment", ASSIGNMENT)
    write_as(user, home / ASSIGNMENT / f"{ASSIGNMENT}.py", module)
    as_user(user, home, "nbgrader", "submit", ASSIGNMENT)


def forge(user: str, module: str) -> None:
    """Hand in by hand: as ada, and as oneself with an early time and a link to the reference."""
    folder = INBOUND / f"ada+{ASSIGNMENT}+2100-01-01 00:00:00 UTC+forged"
    write_as(user, folder / f"{ASSIGNMENT}.py", module)
    write_as(user, folder / "timestamp.txt", "2100-01-01 00:00:00 UTC")
    own = INBOUND / f"{user}+{ASSIGNMENT}+2100-01-01 00:00:00 UTC+linked"
    write_as(user, own / f"{ASSIGNMENT}.py", module)
    write_as(user, own / "timestamp.txt", "2020-01-01 00:00:00 UTC")
    secret = COURSE / "grader" / "solutions" / f"{ASSIGNMENT}.py"
    link = partial(os.symlink, secret, own / "reference.py")
    assert tries(user, link=link) == ["link"]


def forbidden() -> dict[str, Callable[[], Any]]:
    """Return what no student may do, by name."""
    cache = Path("/home/ada/.local/share/jupyter/nbgrader_cache")
    released = OUTBOUND / ASSIGNMENT / f"{ASSIGNMENT}.ipynb"
    return {
        "reads_the_reference": (COURSE / "grader/solutions/sorting.py").read_bytes,
        "reads_the_seed": (COURSE / "grader/.nextword/grading-seed").read_bytes,
        "reads_the_hidden_tests": (COURSE / "source/sorting/sorting.ipynb").read_bytes,
        "reads_the_gradebook": (COURSE / "gradebook.db").read_bytes,
        "lists_the_course": lambda: list(COURSE.iterdir()),
        "lists_what_was_handed_in": lambda: list(INBOUND.iterdir()),
        "lists_the_feedback": lambda: list(FEEDBACK.iterdir()),
        "reads_collected_work": (COURSE / "submitted/ada/sorting/sorting.py").read_bytes,
        "reads_a_neighbours_secret": lambda: list(cache.iterdir()),
        "changes_the_assignment": lambda: released.open("a"),
        "moves_the_course_away": lambda: INBOUND.parent.rename(EXCHANGE / "gone"),
    }


def main(origin: Path) -> None:
    """Walk, and print what was found."""
    found: dict[str, Any] = {}
    work = {name: (origin / "class" / name / "sorting.py").read_text() for name in ("ada", "ben")}
    set_up()
    found["released"] = release(origin)
    for name, module in work.items():
        hand_in(name, module)
    forge("cyd", work["ben"])
    found["collected"] = as_user("teacher", COURSE, "nbgrader", "collect", ASSIGNMENT)
    handed = COURSE / "submitted"
    found["files"] = sorted(str(p.relative_to(handed)) for p in handed.rglob("*") if p.is_file())
    found["ada's"] = (handed / "ada" / ASSIGNMENT / "sorting.py").read_text() == work["ada"]
    found["graded"] = as_user("teacher", COURSE, "nbgrader", "autograde", ASSIGNMENT)
    as_user("teacher", COURSE, "nbgrader", "generate_feedback", ASSIGNMENT)
    found["given back"] = as_user("teacher", COURSE, "nbgrader", "release_feedback", ASSIGNMENT)
    for name in work:
        as_user(name, Path("/home", name), "nbgrader", "fetch_feedback", ASSIGNMENT)
        pages = Path("/home", name, ASSIGNMENT, "feedback").rglob("*.html")
        found[f"{name} reads"] = [page.read_text() for page in pages]
    found["forbidden"] = tries("cyd", **forbidden())
    as_user("teacher", COURSE, "nbgrader", "export", "--to", str(COURSE / "grades.csv"))
    found["grades"] = (COURSE / "grades.csv").read_text()
    print(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
