"""A PostgreSQL server of a test's own."""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def server(folder: Path) -> Iterator[str]:
    """Start a server and give its address; skips the test where none can be had."""
    pytest.importorskip("psycopg", reason="the driver psycopg is not installed")
    programs = [shutil.which(name) for name in ("initdb", "postgres")]
    if not all(programs):
        pytest.skip("no PostgreSQL server is installed")
    prefix = []
    if os.geteuid() == 0:  # the server refuses to run as root
        if not shutil.which("runuser") or subprocess.run(["id", "postgres"]).returncode:
            pytest.skip("a PostgreSQL server cannot run as root, and there is no user postgres")
        prefix = ["runuser", "-u", "postgres", "--"]
        folder = Path("/var/tmp") / f"nextword-postgres-{os.getpid()}"
        folder.mkdir()
        shutil.chown(folder, "postgres")
    data = folder / "data"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    make_it = [*prefix, programs[0], "-D", data, "-U", "nextword", "-A", "trust"]
    subprocess.run(make_it, check=True, capture_output=True)
    options = ["-D", str(data), "-p", str(port), "-k", str(folder), "-h", "127.0.0.1", "-F"]
    process = subprocess.Popen([*prefix, str(programs[1]), *options], stderr=subprocess.DEVNULL)
    try:
        yield f"postgresql://nextword@127.0.0.1:{port}/postgres"
    finally:
        process.terminate()
        process.wait(30)
        shutil.rmtree(folder, ignore_errors=True)
