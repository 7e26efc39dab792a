"""A class on a cluster whose machines fail: is anything lost, or done twice, or judged otherwise?

Three machines (processes in folders and, where this may make them, networks of their own) and a
scheduler grade 300 submissions of a tiny course, and in the middle something happens:

    plain       nothing
    kill        every eight seconds one worker's process is ended with -9
    power       one machine loses its power for good
    hang        one machine stops in the middle of its work and never goes on
    nonsense    one machine answers with what is no result
    praise      one machine says that everybody passes everything
    pickle      one machine answers with a pickle that would run a program (also: object, error)
    scheduler   the scheduler is ended with -9 and started again after five seconds
    cut         the network of one machine is cut for a minute
    cut-all     that of all machines is
    killers     five submissions kill every worker that they touch

Each time, results, grades and pages must be those of one process, to the byte, and each student's
result must have come once. Usage: python benchmarks/cluster.py [TRIAL …] [--count N]
"""

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from examiner.cluster.elsewhere import Machines as Elsewhere
from examiner.cluster.grader import CHARGED, Way
from tests.examiner.cluster.machines import Machines, machines, networks_work
from tests.examiner.grading.conftest import REFERENCE, Quiet, TinyCourse

RIGHT = "return sum(numbers) / len(numbers)"
SLOW = "sum(i for i in range(10**6)); " + RIGHT
KINDS = {
    "right": REFERENCE,
    "slow": REFERENCE.replace(RIGHT, SLOW),
    "wrong": REFERENCE.replace(RIGHT, "return 0"),
    "leaves": REFERENCE.replace(RIGHT, "import os; os._exit(0)"),
    "loops": REFERENCE.replace(RIGHT, "\n    while True: pass"),
    "broken": "def mean(:",
}
# ends every ancestor up to Dask's own process and the house at home; works without walls alone, as
# if it had broken out of them
KILLER = REFERENCE.replace(
    RIGHT,
    """import os
    pid = os.getppid()
    house = 0
    while pid > 1:
        with open(f"/proc/{pid}/cmdline") as file:
            words = file.read()
        with open(f"/proc/{pid}/stat") as file:
            parent = int(file.read().rpartition(")")[2].split()[1])
        if "spawn_main" in words:
            os.kill(pid, 9)
            break
        if "cluster.house" in words:
            house = pid
        pid = parent
    else:
        os.kill(house, 9)  # at home; it has no other
    """
    + RIGHT,
)
LIES = ("nonsense", "praise", "pickle", "object", "error")
TRIALS = ("plain", "kill", "power", "hang", *LIES, "scheduler", "cut", "cut-all", "killers")


class Counted(Quiet):
    """Notes when each student's result came."""

    def __init__(self) -> None:
        super().__init__()
        self.at: list[float] = []

    def finished(self, result):
        super().finished(result)
        self.at.append(time.monotonic())


def class_of(course, count, killers):
    names = list(KINDS)
    luck = random.Random(count)
    weights = [30, 10, 20, 3, 1, 6]
    sources = {
        f"{n:04d}": KINDS[luck.choices(names, weights)[0]].replace('"""Tiny.', f'"""Tiny {n}.')
        for n in range(count)
    }
    for n in range(killers):
        sources[f"{n * 7:04d}"] = KILLER.replace('"""Tiny.', f'"""Tiny {n}.')
    return course.hand_in(sources)


def happening(trial: str, them: Machines, watcher: Counted, count: int) -> None:
    """Let it happen when a third of the class is done."""

    def wait(share: float) -> bool:
        while len(watcher.seen) < share * count and not over.is_set():
            time.sleep(0.02)
        return not over.is_set()

    over = them.over
    luck = random.Random(3)
    if trial == "kill":
        while wait(0.05) and not over.wait(8):
            worker = luck.choice(them.workers).daskworker
            if worker:
                worker.kill()
                them.kills += 1
    elif trial == "power" and wait(1 / 3):
        them.workers[0].kill()
    elif trial == "hang" and wait(1 / 3):
        them.workers[0].freeze()
    elif trial == "scheduler" and wait(1 / 3):
        them.kill_scheduler()
        time.sleep(5)
        them.start_scheduler()
    elif trial == "cut" and wait(1 / 4):
        them.workers[0].cut(off=True)
        over.wait(60)
        them.workers[0].cut(off=False)
    elif trial == "cut-all" and wait(1 / 3):
        for each in them.workers:
            each.cut(off=True)
        over.wait(60)
        for each in them.workers:
            each.cut(off=False)


def run(trial: str, count: int, networks: bool) -> dict:
    folder = Path(tempfile.mkdtemp(prefix="cluster-trial-"))
    trace = folder / "trace"
    confined = trial != "killers"
    try:
        (folder / "course").mkdir()
        course = TinyCourse(folder / "course")
        handed_in = class_of(course, count, 0 if confined else 5)
        lines: list[str] = []
        with machines(folder, 3, networks=networks) as them:
            them.over, them.kills = threading.Event(), 0
            if trial in LIES:
                os.environ.update(EXAMINER_LIE=trial, EXAMINER_TRACE=str(trace))
                preload = ("--preload", str(Path(__file__).with_name("cluster_liar.py")))
                them.add(3, *preload).start()
            way = Way(
                them.address,
                them.keys,
                overdue=20.0,
                patience=180.0,
                audit=0.2 if trial == "praise" else 0.02,
            )
            watcher = Counted()
            thread = threading.Thread(target=happening, args=(trial, them, watcher, count))
            thread.start()
            began = time.monotonic()
            outcome = course.run(
                handed_in,
                watcher,
                elsewhere=Elsewhere(way, lines.append),
                out=folder / "there",
                confined=confined,
            )
            seconds = time.monotonic() - began
            them.over.set()
            thread.join()
        opened = set(trace.read_text().split("\n")) if trace.exists() else set()
        opened = {"" if "spawn_main" in who else who for who in opened}  # the liar's own process
        charged = [r.student for r in outcome.results if r.notice == CHARGED]
        found = {
            "trial": trial,
            "seconds": round(seconds, 1),
            "results": len(outcome.results),
            "twice": sum(n > 1 for n in Counter(watcher.seen).values()),
            "lost": count - len(set(watcher.seen)),
            "longest pause": round(
                max(b - a for a, b in zip(watcher.at, watcher.at[1:], strict=False)), 1
            ),
            "kills": them.kills,
            "charged": len(charged),
            "said": len(lines),
            "opened by": sorted(opened - {""}),
        }
        if confined:
            alone = course.run(handed_in, out=folder / "here", jobs=2)
            found["same as one process"] = alone.to_json() == outcome.to_json() and all(
                page.read_bytes()
                == (folder / "here" / page.relative_to(folder / "there")).read_bytes()
                for page in (folder / "there").rglob("*.*")
                if page.suffix in (".md", ".html")
            )
        return {**found, "lines": lines[:6]}
    finally:
        if os.environ.get("KEEP"):
            print(folder)
        else:
            shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trials", nargs="*", default=list(TRIALS))
    parser.add_argument("--count", type=int, default=300)
    given = parser.parse_args()
    networks = networks_work()
    print("networks of their own:", networks, flush=True)
    for trial in given.trials:
        if trial.startswith("cut") and not networks:
            print("cut: skipped, needs root and `ip netns`")
            continue
        print(json.dumps(run(trial, given.count, networks)), flush=True)


if __name__ == "__main__":
    main()
