"""Two thousand submissions arrive in an inbox: how long does each wait, and is any lost?

500 students hand in four times each, spread evenly with luck's jitter over the given time, into a
folder or a table of PostgreSQL; `--kill N` ends the server with -9 every N seconds and starts it
again. Afterwards every hand-in must have exactly one record, each student's records must be in the
order of hand-in, and the last one must be the student's page.

--of tiny takes a course of two functions, most of whose submissions do not even import: what is
measured is the queue. --of ngrams takes the sample class of the chapter.
Waiting counts from the rename that hands in to the moment at which the page is written.

Usage: python benchmarks/inbox.py [--of tiny|ngrams] [--count N] [--over SECONDS] [--kill SECONDS]
       [--to postgresql://… [--hosts 2]] [--jobs N]
"""

import argparse
import json
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from examiner.errors import UserError
from examiner.grading.handed_in import gather
from examiner.grading.run import Options
from examiner.inbox.folder import FolderInbox
from examiner.inbox.postgres import PostgresInbox
from examiner.inbox.serving import Counter, serve
from examiner.project import Project, find_project
from tests.examiner.grading.conftest import CATALOGUE, REFERENCE, TinyCourse

HERE = Path(__file__).parents[1]


class Silent:
    """Prints what a person should know."""

    def say(self, line):
        print(line, file=sys.stderr, flush=True)

    def graded(self, arrival, result):
        pass


def course(of: str, root: Path):
    """Return the project and the chapter."""
    from examiner.catalogue import parse_chapter

    if of == "tiny":
        return Project(root), parse_chapter(CATALOGUE)
    project = find_project(HERE)
    return project, project.catalogue.chapter(of)


def open_inbox(to: str, chapter: str):
    if to.startswith("postgres"):
        return PostgresInbox(to, chapter, rate=10_000)
    return FolderInbox(Path(to), rate=10_000)


def child(given) -> None:
    """Serve until ended."""
    project, chapter = course(given.of, Path(given.root))
    out = Path(given.root) / f"out{given.child}"
    options = Options(out=out, jobs=given.jobs, seed="s")
    while True:
        try:
            inbox = open_inbox(given.to, chapter.stem)
            break
        except UserError as error:  # the lock of one that was just ended
            print(error, file=sys.stderr)
            time.sleep(0.2)
    counter = Counter(chapter, inbox, options)
    serve(project, [counter], Silent(), board=None, stopping=lambda: False)


class Servers:
    """The processes that serve."""

    def __init__(self, given, to: str, root: Path) -> None:
        self._given, self._to, self._root = given, to, root
        self._processes: list[subprocess.Popen] = []
        self.kills = 0

    def start(self) -> None:
        while len(self._processes) < self._given.hosts:
            words = [sys.executable, __file__, "--child", str(len(self._processes))]
            words += ["--of", self._given.of, "--to", self._to, "--root", str(self._root)]
            words += ["--jobs", str(self._given.jobs)]
            log = (self._root / "server.log").open("ab")
            self._processes.append(
                subprocess.Popen(words, start_new_session=True, stderr=log, stdout=log)
            )

    def kill(self) -> None:
        self._processes.pop(0).send_signal(signal.SIGKILL)
        self.kills += 1

    def close(self) -> None:
        for process in self._processes:
            process.kill()
            process.wait()


def sources(of: str, count: int) -> list[str]:
    """Return what is handed in, the code of each another one."""
    if of == "tiny":
        # one of ten is a whole submission, the others end with the first line
        works = [REFERENCE if n % 10 == 0 else "def mean(:\n" for n in range(count)]
        return [f"{work}\nNUMBER = {n}\n" for n, work in enumerate(works)]
    from examiner.release.samples import write_samples

    project = find_project(HERE)
    write_samples(project, of)
    found = gather(project, project.catalogue.chapter(of), HERE / "tests" / of / "class")
    texts = [each.source.text for each in found if each.source.text]
    return [f"{texts[n % len(texts)]}\nNUMBER = {n}\n" for n in range(count)]


def hand_in(inbox_folder: Path, student: str, n: int, text: str) -> None:
    part = inbox_folder / "incoming" / f".{student}-{n}.part"
    part.write_text(text, "utf-8")
    part.rename(inbox_folder / "incoming" / f"{student}--{n:05d}.py")


def records(to: str, chapter: str) -> list[dict]:
    if to.startswith("postgres"):
        import psycopg

        with psycopg.connect(to) as connection:
            rows = connection.execute(
                "select record from grading_inbox where chapter = %s and state = 'done'", (chapter,)
            )
            return [row[0] for row in rows]
    return [json.loads(p.read_text("utf-8")) for p in Path(to, "done").glob("*/record.json")]


def count_waiting(to: str, chapter: str) -> int:
    """Return how many are in the inbox and not yet graded, when our patience is at its end."""
    if to.startswith("postgres"):
        return open_inbox(to, chapter).overview().count
    return sum(1 for where in ("incoming", "work") for _ in Path(to, where).iterdir())


def count_done(to: str, chapter: str) -> int:
    return len(records(to, chapter))


def measure(given) -> dict:
    root = Path(tempfile.mkdtemp(prefix="inbox-load-"))
    if given.of == "tiny":
        TinyCourse(root)
    _, chapter = course(given.of, root)
    to = given.to or str(root / "inbox")
    if given.to:
        import psycopg

        with psycopg.connect(to, autocommit=True) as connection:
            connection.execute("drop table if exists grading_inbox")
        table = PostgresInbox(to, chapter.stem, rate=10_000)
    else:
        Path(to).mkdir()
    servers = Servers(given, to, root)
    servers.start()
    while not given.to and not Path(to, "incoming").is_dir():
        time.sleep(0.1)
    time.sleep(given.ahead)
    texts = sources(given.of, given.count)
    luck, began = random.Random(1), time.time()
    times = sorted(luck.uniform(0, given.over) for _ in texts)
    students = [f"s{n % max(1, given.count // 4):04d}" for n in range(given.count)]
    handed: dict[str, float] = {}
    over = threading.Event()

    def killing() -> None:
        while servers.kills < given.kills and not over.wait(given.kill):
            servers.kill()
            servers.start()

    if given.kill:
        threading.Thread(target=killing, daemon=True).start()
    for n, (at, student, text) in enumerate(zip(times, students, texts, strict=True)):
        time.sleep(max(0.0, began + at - time.time()))
        if given.to:
            table.put(student, f"{n}.py", text.encode())
        else:
            hand_in(Path(to), student, n, text)
        handed[f"{student} {n}"] = time.time()
    last = time.time()
    while count_done(to, chapter.stem) < given.count and time.time() - last < given.patience:
        time.sleep(0.2)
    over.set()
    servers.close()
    found = sorted(records(to, chapter.stem), key=lambda each: each["ticket"])
    by_student: dict[str, list[dict]] = {}
    for each in found:
        by_student.setdefault(each["student"], []).append(each)
    waits, disorder = [], 0
    for student in dict.fromkeys(students):
        mine = [n for n, each in enumerate(students) if each == student]
        graded = [each["graded"] for each in by_student.get(student, [])]
        disorder += graded != sorted(graded)
        for n, when in zip(mine, graded, strict=False):
            waits.append(when - handed[f"{student} {n}"])
    waits.sort()
    tickets = {each["ticket"] for each in found}
    return {
        "of": given.of,
        "to": "table" if given.to else "folder",
        "handed in": given.count,
        "over": given.over,
        "records": len(found),
        "twice": len(found) - len(tickets),
        "still waiting": (waiting := count_waiting(to, chapter.stem)),
        "lost": given.count - len(tickets) - waiting,
        "students out of order": disorder,
        "kills": servers.kills,
        "p50": round(waits[len(waits) // 2], 2),
        "p99": round(waits[int(len(waits) * 0.99)], 2),
        "most": round(waits[-1], 2),
        "after the last": round(max(each["graded"] for each in found) - last, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--of", default="tiny")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--over", type=float, default=600.0)
    parser.add_argument("--kill", type=float, default=0.0)
    parser.add_argument("--kills", type=int, default=1_000, help="how often at most")
    parser.add_argument("--to", default="")
    parser.add_argument("--hosts", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--ahead", type=float, default=15.0, help="seconds until the first arrives")
    parser.add_argument("--patience", type=float, default=300.0)
    parser.add_argument("--child", default="")
    parser.add_argument("--root", default="")
    given = parser.parse_args()
    if given.child:
        child(given)
    else:
        print(json.dumps(measure(given)), flush=True)


if __name__ == "__main__":
    main()
