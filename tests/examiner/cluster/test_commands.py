"""Wrong use of the commands: one line, exit code 2, and nothing begun."""

import pytest
from typer.testing import CliRunner

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


def test_certificates_are_written_where_they_are_wanted(tmp_path) -> None:
    pytest.importorskip("cryptography")
    found = CliRunner().invoke(app, ["cluster", "certificates", str(tmp_path / "keys")])
    assert found.exit_code == 0
    assert "a worker: authority.pem and worker.pem" in found.stdout
    assert (tmp_path / "keys" / "grader.pem").is_file()
