"""A real cluster of two workers: what one process gives, while a worker is killed; and who may not.

benchmarks/cluster.py tries what takes minutes: power and network cuts, workers that lie.
"""

import asyncio
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
import pytest

pytest.importorskip("distributed", reason="Dask is not installed: pip install '.[cluster]'")
from examiner.cluster.elsewhere import Machines as Elsewhere
from examiner.cluster.elsewhere import local
from examiner.cluster.grader import Way
from examiner.errors import UserError
from tests.browser import THOROUGH
from tests.examiner.cluster.conftest import SOURCES
from tests.examiner.cluster.machines import Machines, machines
from tests.examiner.grading.conftest import Quiet, TinyCourse, sandbox_works

COUNT = 24 if THOROUGH else 8
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory):
    """Two machines in folders of their own."""
    with machines(tmp_path_factory.mktemp("cluster"), 2) as them:
        yield them


class Killer(Quiet):
    """Ends a worker with -9 after some results."""

    def __init__(self, them: Machines) -> None:
        super().__init__()
        self.them, self.killed = them, 0

    def tick(self) -> None:
        if len(self.seen) >= COUNT // 3 and not self.killed:
            worker = self.them.workers[0].daskworker
            if worker:
                worker.kill()
                self.killed += 1


def test_a_class_is_graded_as_by_one_process_though_a_worker_is_killed(
    cluster: Machines, tmp_path
) -> None:
    course = TinyCourse(tmp_path)
    kinds = list(SOURCES)
    folder = course.hand_in({f"{n:02d}": SOURCES[kinds[n % 4]] for n in range(COUNT)})
    lines: list[str] = []
    way = Way(cluster.address, cluster.keys, confined=sandbox_works())
    watcher = Killer(cluster)
    there = course.run(folder, watcher, elsewhere=Elsewhere(way, lines.append), out=tmp_path / "a")
    here = course.run(folder, out=tmp_path / "b")
    assert watcher.killed
    assert there.to_json() == here.to_json()
    assert sorted(watcher.seen) == sorted(result.student for result in here.results)
    pages = [path for path in (tmp_path / "b").rglob("*") if path.suffix in (".md", ".html")]
    assert len(pages) == 2 * COUNT + 1
    for page in pages:
        assert page.read_bytes() == (tmp_path / "a" / page.relative_to(tmp_path / "b")).read_bytes()
    again = course.run(folder, elsewhere=Elsewhere(way, lines.append), out=tmp_path / "b")
    assert again.graded == 0  # what was graded here counts there, and the other way round


def client(cluster: Machines, role: str):
    """Try to be the grader with a certificate of a role; return what the scheduler says."""
    from distributed import Client
    from distributed.security import Security

    own = str(cluster.keys / f"{role}.pem")
    security = Security(
        require_encryption=True,
        tls_ca_file=str(cluster.keys / "authority.pem"),
        tls_client_cert=own,
        tls_client_key=own,
    )

    async def ask() -> object:
        given = {"security": security, "asynchronous": True, "timeout": 3}
        async with Client(cluster.address, set_as_default=False, **given) as found:
            return await found.run_on_scheduler(lambda: 7)

    return asyncio.run(asyncio.wait_for(ask(), 20))


def test_a_workers_certificate_orders_nobody_about(cluster: Machines) -> None:
    assert client(cluster, "grader") == 7
    with pytest.raises((OSError, TimeoutError)):
        client(cluster, "worker")


def test_a_scheduler_that_does_not_answer_is_one_line(tmp_path) -> None:
    course = TinyCourse(tmp_path)
    folder = course.hand_in({"ada": SOURCES["right"]})
    way = Way("tcp://127.0.0.1:1", confined=sandbox_works(), patience=2.0)
    began, lines = time.monotonic(), []
    with pytest.raises(UserError, match=r"tcp://127\.0\.0\.1:1 does not answer") as raised:
        course.run(folder, elsewhere=Elsewhere(way, lines.append))
    assert "\n" not in str(raised.value)
    assert lines == ["tcp://127.0.0.1:1 does not answer: trying for 2 s"]  # said at once, and once
    assert time.monotonic() - began < 60


@pytest.mark.parametrize(
    ("way", "said"),
    [
        (Way("localhost:8786"), "expected an address such as"),
        (Way("tls://host:1"), "needs --certificates"),
        (Way("tcp://host:1", certificates="keys"), "is not encrypted"),
    ],
)
def test_a_way_that_leads_nowhere_is_one_line(way: Way, said: str) -> None:
    with pytest.raises(UserError, match=said):
        Elsewhere(way, print)


def test_a_cluster_of_this_machine_leaves_nothing_among_the_temporary_files(
    tmp_path, monkeypatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with local(1, print, confined=False):
        assert list(tmp_path.iterdir())
    assert not list(tmp_path.iterdir())


ALONE = """
import time
from examiner.cluster.elsewhere import local
with local(1, print, confined=False) as machines:
    print(machines.way.certificates, flush=True)
    time.sleep(600)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="by a service of Linux")
def test_no_cluster_outlives_a_grader_that_is_killed() -> None:
    """Its workers hold what students handed in, and would stay for as long as the machine runs."""
    with subprocess.Popen(
        [sys.executable, "-c", ALONE], stdout=subprocess.PIPE, text=True
    ) as grader:
        assert grader.stdout
        keys = Path(grader.stdout.readline().strip())
        family = psutil.Process(grader.pid).children(recursive=True)
        assert len(family) >= 2
        grader.kill()
    _, alive = psutil.wait_procs(family, timeout=60)
    for each in alive:
        each.kill()
    shutil.rmtree(keys.parent)
    assert not alive
