"""Certificates that are old, damaged, another role's or another cluster's: a line, and at once."""

import asyncio
import shutil
import ssl
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("cryptography", reason="not installed: pip install '.[cluster]'")

from examiner.cluster.certificates import (
    AUTHORITY,
    GRADER,
    ROLES,
    make,
    require,
    stranger,
)
from examiner.errors import UserError


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    make(tmp_path / "keys")
    return tmp_path / "keys"


def test_new_certificates_are_good_for_each_role(keys: Path) -> None:
    for role in ROLES:
        require(keys, role)


def _junk(keys: Path, _: Path) -> None:
    (keys / "grader.pem").write_text("-----BEGIN CERTIFICATE-----\nx")


def _without_key(keys: Path, _: Path) -> None:
    text = (keys / "grader.pem").read_text()
    (keys / "grader.pem").write_text(text[: text.index("-----BEGIN PRIVATE KEY")])


def _of_a_worker(keys: Path, _: Path) -> None:
    shutil.copy(keys / "worker.pem", keys / "grader.pem")


def _of_another_cluster(keys: Path, other: Path) -> None:
    make(other)
    shutil.copy(other / "grader.pem", keys / "grader.pem")


def _old(keys: Path, other: Path) -> None:
    make(other, days=0)
    for name in (AUTHORITY, "grader.pem"):
        shutil.copy(other / name, keys / name)


@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (_junk, r"grader\.pem cannot be read as a certificate: make new ones, by `"),
        (_without_key, r"grader\.pem cannot be read as a certificate"),
        (_of_a_worker, "is the certificate of a worker: expected that of a grader"),
        (_of_another_cluster, r"is not of the same cluster as authority\.pem beside it"),
        (_old, r"held until \d{4}-\d\d-\d\d \d\d:\d\d UTC: make new ones, by `"),
    ],
)
def test_what_does_not_admit_is_one_line(
    spoil: Callable[[Path, Path], None], complaint: str, keys: Path, tmp_path: Path
) -> None:
    spoil(keys, tmp_path / "other")
    with pytest.raises(UserError, match=complaint) as found:
        require(keys, GRADER)
    assert "\n" not in str(found.value)


def _answered(server: Path, ours: Path) -> str:
    """Return what is said of a scheduler with the certificates of a folder."""

    async def ask() -> str:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(server / "scheduler.pem")
        listening = await asyncio.start_server(
            lambda _, writer: writer.close(), "127.0.0.1", 0, ssl=context
        )
        async with listening:
            port = listening.sockets[0].getsockname()[1]
            return await stranger(f"tls://127.0.0.1:{port}", str(ours))

    return asyncio.run(ask())


def test_who_answers_is_of_another_cluster(keys: Path, tmp_path: Path) -> None:
    """Nobody waits for five minutes to be told nothing."""
    make(tmp_path / "other")
    make(tmp_path / "old", days=0)
    assert _answered(keys, keys) == ""
    said = _answered(tmp_path / "other", keys)
    assert "shows a certificate that is not good here" in said
    assert said.endswith(f"are those in {keys} of another cluster, or old?")
    assert "expired" in _answered(tmp_path / "old", tmp_path / "old")
    assert asyncio.run(stranger("tls://127.0.0.1:9", str(keys))) == ""  # nobody is there
    assert asyncio.run(stranger("tcp://127.0.0.1:9", "")) == ""
