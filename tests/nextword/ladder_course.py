"""A small course folder with a ladder of its own, and the command in it."""

import pytest
from typer.testing import CliRunner

from nextword.cli import app
from nextword.models.ladder import measure

UNIFORM = """
import math
def count_ngrams(sentences, n):
    return [{(): {"a": 2}} for _ in range(n)]
class KneserNey:
    def __init__(self, tables, vocabulary):
        self.tables, self.n, self.vocabulary = tables, len(tables), list(vocabulary)

    def log_probs(self, sentences):
        return [-math.log(len(self.vocabulary))] * sum(len(s) + 1 for s in sentences)
    def distribution(self, context=()):
        return dict.fromkeys(self.vocabulary, 1 / len(self.vocabulary))

def generate(model, rng, max_words): return ["once", "there"]
"""


def text_file(path, n_sentences=200):
    lines = [f"The {('cat', 'dog')[i % 2]} number {i % 7} sat down." for i in range(n_sentences)]
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)


@pytest.fixture(name="course")
def ladder_course(tmp_path, monkeypatch):
    """A course folder whose `coursework/ngrams.py` is a uniform model, and few samples."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "coursework").mkdir()
    (tmp_path / "coursework" / "ngrams.py").write_text(UNIFORM, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(measure, "N_SAMPLES", 3)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(app, ["ladder", *arguments])


@pytest.fixture(name="count_trainings")
def counted_trainings(monkeypatch):
    """The names of the rungs that are trained, as they are."""
    trained = []
    real = measure.measure

    def counted(each, *rest):
        trained.append(each.name)
        return real(each, *rest)

    monkeypatch.setattr(measure, "measure", counted)
    return trained
