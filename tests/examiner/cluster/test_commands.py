"""Wrong use of the commands: one line, exit code 2, and nothing begun."""

import contextlib
import socket
import ssl
import subprocess
import sys
import threading
import time

import pytest
from typer.testing import CliRunner

from examiner.cluster import certificates
from nextword.cli import app
from tests.course import COURSE

CLASS = str(COURSE.root / "tests" / "ngrams" / "class")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["grade", "ngrams", CLASS, "--jobs", "2", "--workers", "2"], "exclude each other"),
        (
            ["grade", "ngrams", CLASS, "--workers", "1", "--scheduler", "tls://h:1"],
            "exclude each other",
        ),
        (["grade", "ngrams", CLASS, "--certificates", "keys"], "--certificates goes with"),
        (["grade", "ngrams", CLASS, "--scheduler", "h:1"], "expected an address"),
        (["grade", "ngrams", CLASS, "--scheduler", "tls://h:1"], "needs --certificates"),
        (["grade", "ngrams", CLASS, "--scheduler", "tcp://h:99999"], "expected an address"),
        (["cluster", "worker"], "where is the scheduler?"),
        (["cluster", "worker", "tls://127.0.0.1:9"], "needs --certificates FOLDER"),
        (["grade", "ngrams", CLASS, "--kernels", "fast"], "expected native or common"),
        (["cluster", "supervisor"], "expected certificates, scheduler or worker"),
        (["cluster", "certificates"], "give one folder"),
        (["serve", "ngrams", "no-such-folder", "--port", "-1"], "there is no folder"),
        (["serve", "nograms", "."], "there is no chapter"),
    ],
)
def test_wrong_use_is_one_line(words: list[str], said: str, monkeypatch) -> None:
    pytest.importorskip("distributed")
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        monkeypatch.setenv(name, "1")
    monkeypatch.chdir(COURSE.root)
    found = CliRunner().invoke(app, words)
    assert found.exit_code == 2
    (line,) = found.stderr.strip().splitlines()
    assert said in line


def test_a_port_that_no_machine_has_is_refused(tmp_path) -> None:
    found = CliRunner().invoke(app, ["serve", "ngrams", str(tmp_path), "--port", "99999"])
    assert found.exit_code == 2
    assert not list(tmp_path.iterdir())


def test_certificates_are_written_where_they_are_wanted(tmp_path) -> None:
    pytest.importorskip("cryptography")
    found = CliRunner().invoke(app, ["cluster", "certificates", str(tmp_path / "keys")])
    assert found.exit_code == 0
    assert "a worker: authority.pem and worker.pem" in found.stdout
    assert (tmp_path / "keys" / "grader.pem").is_file()


def run(part: str, *words: str) -> tuple[int, list[str]]:
    """Run a part of a cluster in a process of its own; return its exit code and what it says."""
    command = [sys.executable, "-m", f"examiner.cluster.{part}", *words]
    found = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    return found.returncode, found.stderr.splitlines()


@pytest.mark.slow
def test_who_cannot_take_part_ends_with_a_line_and_tries_no_more(tmp_path) -> None:
    """A worker of another cluster wrote sixty lines of errors every three seconds, for ever."""
    pytest.importorskip("distributed")
    pytest.importorskip("cryptography")
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    certificates.make(ours)
    certificates.make(theirs)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(ours / "scheduler.pem")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]

        def answer() -> None:
            with contextlib.suppress(OSError), listening.accept()[0] as connection:
                context.wrap_socket(connection, server_side=True)

        threading.Thread(target=answer, daemon=True).start()
        address = f"tls://127.0.0.1:{port}"
        code, said = run("worker", "--certificates", str(theirs), address)
        assert (code, len(said)) == (2, 1)
        assert "are those in" in said[0]
        assert "of another cluster" in said[0]
        code, said = run("worker", "--certificates", str(ours), f"tcp://127.0.0.1:{port}")
        assert (code, len(said)) == (2, 1)
        words = ("--host", "127.0.0.1", "--port", str(port), "--dashboard-address", "127.0.0.1:0")
        code, said = run("scheduler", "--certificates", str(ours), *words)
        assert code == 2
        assert said[-1] == "nextword: no scheduler could be started: Address already in use"
        assert not any("Traceback" in line for line in said)


@pytest.mark.slow
def test_a_worker_that_is_told_to_stop_while_it_begins_stops(tmp_path) -> None:
    """It began another process after that, and waited for it for ever."""
    pytest.importorskip("distributed")
    pytest.importorskip("cryptography")
    certificates.make(tmp_path / "keys")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = f"tls://127.0.0.1:{listening.getsockname()[1]}"
        command = [sys.executable, "-m", "examiner.cluster.worker", "--certificates"]
        worker = subprocess.Popen([*command, str(tmp_path / "keys"), address])
        connection, _ = listening.accept()  # it asks who we are
        worker.terminate()
        time.sleep(1)
        connection.close()
        try:
            assert worker.wait(30) == 0
        finally:
            worker.kill()
            worker.wait()
