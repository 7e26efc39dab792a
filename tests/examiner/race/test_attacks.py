"""Attacks on a race: none gains anything, each that breaks a rule is named in one line.

Each case is an entry for the toy language and what the race says of it; an empty text: it is
judged, and exactly as the honest entry is.
"""

import os
import pickle
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from examiner.race import contest, runner
from examiner.race.judging import DIFFERS, KEEPS, Scores
from examiner.race.rules import OutError
from examiner.sandbox.servers import CandidateServer
from tests.examiner.grading.conftest import needs_sandbox
from tests.examiner.race.toy import HONEST, RULES, entry, ground, with_rows

CANARY = "the-secret-of-the-race"
pytestmark = [
    pytest.mark.slow,
    needs_sandbox,
]

PEEKS = """
import fcntl, os

def peek():
    for fd in range(3, 64):
        try:
            flags = fcntl.fcntl(fd, fcntl.F_GETFL)
            fcntl.fcntl(fd, fcntl.F_SETFL, flags | os.O_NONBLOCK)
            try:
                found = os.read(fd, 1 << 16)
            finally:
                fcntl.fcntl(fd, fcntl.F_SETFL, flags)
            if found:
                raise RuntimeError("a word ahead")
        except OSError:
            pass

class Peeking(Model):
    def begin(self, n):
        peek()
        return super().begin(n)

    def next(self, words):
        peek()
        return super().next(words)

def load(folder, vocabulary):
    return Peeking()
"""

LOOKS_FOR_THE_SEED = """
import os, sys
from pathlib import Path

def texts():
    yield repr(os.environ) + repr(sys.argv) + repr(sys.path)
    for place in ("/proc", "/", "/tmp", "/root", "/home", "/dev/shm", "/candidate"):
        for path in list(Path(place).glob("*")) + list(Path(place).glob("*/*")):
            try:
                if path.is_file() and "usr" not in str(path) and "lib" not in str(path):
                    yield path.read_bytes()[:1 << 16].decode("latin-1")
            except OSError:
                pass
    import gc
    for each in gc.get_objects():
        if type(each) in (dict, list, tuple) and len(each) < 1000:
            inside = each.values() if type(each) is dict else each
            yield "".join(e for e in inside if type(e) is str)

def look():
    wanted = "".join(reversed("ecar-eht-fo-terces-eht"))  # subtle: not itself in what it looks at
    assert len(list(texts())) > 100
    if any(wanted in text for text in texts()):
        raise RuntimeError("found it")

look()
"""

KEEPS_COUNTS = """
class Model:
    counts = np.ones((4, 4))
    def begin(self, n):
        self.last = np.full(n, 3)
        return self.rows()
    def next(self, words):
        np.add.at(self.counts, (self.last, words), 1)
        self.last = words
        return self.rows()
    def rows(self):
        return (self.counts / self.counts.sum(1, keepdims=True))[self.last]
"""

LOOKS_AT_NEIGHBOURS = """
class Model:
    def begin(self, n):
        return np.full((n, 4), 0.25)
    def next(self, words):
        share = np.bincount(words, minlength=4) + 1.0
        return np.tile(share / share.sum(), (len(words), 1))
"""

ALONE_OTHERWISE = """
class Model(Model):
    def begin(self, n):
        self.table = np.full((4, 4), 0.25) if n == 1 else Model.__mro__[1].table
        return super().begin(n)
"""

RECITES = """
class Model(Model):
    batches = 0
    def begin(self, n):
        Model.batches += 1
        if Model.batches == 2:
            self.table = np.eye(4)[[1, 3, 3, 0]]
        return super().begin(n)
"""

OTHER_PROCESS = """
import os
shift = os.urandom(1)[0] / 256 / 8 + np.array([0, 0.1, 0.2, 0.3])
Model.table = shift / shift.sum() * np.ones((4, 1))
"""

FORGES = """
from pathlib import Path
import json
for name in ("board.json", "grades/race/board.json", "/tmp/board.json", "/board.json"):
    try:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(json.dumps({"rank": 1}))
    except OSError:
        pass
"""

TAKES_THE_BOUNDARY = """
import sys
inside = next(m for name, m in sys.modules.items() if name.endswith(".inside"))
inside._plain = lambda rows: {answer}
"""

DEEP = "__import__('functools').reduce(lambda deep, _: [deep], range(200), [])"

CASES: dict[str, tuple[dict[str, bytes], str]] = {
    # reading what is hidden
    "peeks-through-the-channel": (entry(PEEKS), ""),
    "looks-for-the-seed": (entry(LOOKS_FOR_THE_SEED), ""),
    # rows that are none
    "sums-to-more": (with_rows("return rows * 1.01"), "a row sums to 1.01, not to 1"),
    "sums-to-nearly-one": (with_rows("return rows * 1.0005"), ""),
    "nan": (with_rows("rows[0, 0] = np.nan\nreturn rows"), "a row holds NaN"),
    "infinity": (with_rows("rows[0, 0] = np.inf\nreturn rows"), "a row holds infinity"),
    "negative": (
        with_rows("rows[:, 0] += rows[:, 1] + 0.1\nrows[:, 1] = -0.1\nreturn rows"),
        "a row holds a negative number, -0.1",
    ),
    "wrong-vocabulary": (
        with_rows("return np.hstack([rows, rows]) / 2"),
        "gave 16 by 8 numbers for 16 texts and a vocabulary of 4 words: expected 16 by 4",
    ),
    "one-row-for-all": (with_rows("return rows[:1]"), "gave 1 by 4 numbers for 16 texts"),
    "text-in-place-of-rows": (with_rows("return 'rows'"), "ValueError"),
    "an-object-of-its-own": (entry(TAKES_THE_BOUNDARY.format(answer="Model()")), "no array"),
    "a-list-of-numbers": (entry(TAKES_THE_BOUNDARY.format(answer="[1.0] * 64")), "no array"),
    "nested-without-end": (entry(TAKES_THE_BOUNDARY.format(answer=DEEP)), "no a"),
    # memory of what it must not remember
    "keeps-counts-between-texts": (entry(KEEPS_COUNTS), KEEPS),
    "looks-at-neighbours": (entry(LOOKS_AT_NEIGHBOURS), KEEPS),
    "another-one-when-alone": (entry(ALONE_OTHERWISE), KEEPS),
    "draws-its-rows": (
        with_rows(
            "import os\nshift = os.urandom(1)[0] / 512\nreturn rows * (1 - shift) + shift / 4"
        ),
        KEEPS,
    ),
    "recites-from-its-second-batch-on": (entry(RECITES), KEEPS),
    "another-one-in-each-process": (entry(OTHER_PROCESS), DIFFERS),
    # forging
    "writes-a-board": (entry(FORGES), ""),
    # exhausting
    "sleeps": (with_rows("import time\ntime.sleep(600)"), "slower than its budget"),
    "computes-without-end": (with_rows("while True: pass"), "slower than its budget"),
    "forks": (with_rows("import os\nos.fork()\nreturn rows"), "Error"),
    "starts-a-program": (
        with_rows("import subprocess\nsubprocess.run(['true'])\nreturn rows"),
        "Error",
    ),
    "takes-all-memory": (
        with_rows("global held\nheld = [np.ones(1 << 24) for _ in range(64)]"),
        "used more memory than 256 MB",
    ),
    "fills-the-disk": (
        with_rows("open('big', 'wb').write(bytes(1 << 27))\nreturn rows"),
        "model.py",
    ),
    "prints-megabytes": (
        with_rows("print('x' * (80 << 20), flush=True)\nreturn rows"),
        "OSError: more than 64 MB printed",
    ),
    "prints-a-little": (with_rows("print('I think')\nreturn rows"), ""),
    "ends-the-process": (with_rows("import os\nos._exit(0)"), "its process ended (exit 0)"),
    "leaves": (with_rows("raise SystemExit"), "SystemExit"),
    "closes-everything": (with_rows("import os\nos.closerange(0, 64)\nreturn rows"), "ended"),
    # broken
    "does-not-load": (
        entry("def load(folder, vocabulary):\n    return open(folder / 'weights')"),
        "FileNotFoundError",
    ),
    "no-load": ({"model.py": b"x = 1"}, "AttributeError"),
    "no-python": ({"model.py": b"def"}, "SyntaxError"),
    "a-package-that-is-not-there": ({"model.py": b"import keras"}, "No module named 'keras'"),
}


@pytest.fixture(scope="module")
def server() -> Iterator[CandidateServer]:
    os.environ["RACE_SEED"] = CANARY
    plan = runner.plan(RULES, 1000, confined=True)
    found = CandidateServer(plan)
    yield found
    found.close()
    del os.environ["RACE_SEED"]


def judged(server: CandidateServer, files: dict[str, bytes]) -> Scores:
    return contest.judge(server, files, ground(), RULES, secret=7)


@pytest.fixture(scope="module")
def honest(server: CandidateServer) -> Scores:
    return judged(server, {"model.py": HONEST.encode()})


@pytest.mark.parametrize("name", CASES)
def test_an_attack_gains_nothing_and_is_named(
    name: str, server: CandidateServer, honest: Scores
) -> None:
    files, expected = CASES[name]
    if not expected:
        found = judged(server, files)
        assert found.surprise.value == pytest.approx(honest.surprise.value, rel=1e-6)
        assert found.accepted == honest.accepted
        return
    with pytest.raises(OutError) as out:
        judged(server, files)
    assert expected in str(out.value)
    assert "\n" not in str(out.value)


def test_a_row_with_minus_zero_is_a_row_with_zero(server: CandidateServer) -> None:
    """What is never said may be written -0.0; where it comes, the surprise is infinite."""
    zero, minus = (
        judged(server, with_rows(f"rows[:] = [1, 0, 0, {z}]\nreturn rows")) for z in ("0.0", "-0.0")
    )
    assert minus.impossible == zero.impossible > 0
    assert minus.surprise.value == float("inf")
    assert minus.surprise.to_json()["value"] is None


TRUE = """
Model.table = np.array([[1, 6, 2, 1], [3, 1, 5, 1], [4, 4, 0, 2], [5, 5, 0, 0]]) / 10
"""


def test_the_program_that_tells_the_texts_is_no_learned_model(
    server: CandidateServer, honest: Scores
) -> None:
    found = judged(server, entry(TRUE))
    assert found.knows
    assert found.above.value == pytest.approx(0.0, abs=1e-4)
    assert not honest.knows


def test_nothing_is_unpickled_where_the_race_is_judged(
    server: CandidateServer, honest: Scores, tmp_path: Path
) -> None:
    mark = tmp_path / "unpickled"

    class Writes:
        def __reduce__(self) -> tuple[object, ...]:
            return os.mkdir, (str(mark),)

    data = pickle.dumps(Writes())
    reads = textwrap.dedent(
        """
        import pickle
        def load(folder, vocabulary):
            try:
                pickle.loads((folder / "weights.pt").read_bytes())
            except OSError:
                pass
            return Model()
        """
    )
    found = judged(server, {**entry(reads), "weights.pt": data})
    assert found.surprise == honest.surprise
    assert not mark.exists()


def test_time_is_counted_from_outside(server: CandidateServer) -> None:
    """An entry that stops every clock in its own process still pays for what it computes."""
    stops = "import time\ntime.process_time = time.time = time.monotonic = lambda: 0.0\n"
    busy = f"{stops}sum(range(400_000))\nreturn rows"
    found = judged(server, with_rows(busy))
    assert found.seconds > 0.1


def test_training_is_given_its_files_back(server: CandidateServer, honest: Scores) -> None:
    """What train() wrote is raced; it cannot leave its folder, nor change what was handed in."""
    trains = textwrap.dedent(
        """
        def train(texts, vocabulary, folder, seconds):
            counts = np.ones((4, 4))
            for text in texts:
                np.add.at(counts, (np.array([3, *text[:-1]]), text), 1)
            np.save(folder / "counts.npy", counts)
            (folder / "model.py").write_text("raise ValueError")
        def load(folder, vocabulary):
            counts = np.load(folder / "counts.npy")
            Model.table = counts / counts.sum(1, keepdims=True)
            return Model()
        """
    )
    files, texts = entry(trains), list(ground(seed=1).texts)
    trained = contest.train(server, files, texts, ground().vocabulary, RULES)
    assert trained.keys() == {"model.py", "counts.npy"}
    assert trained["model.py"] == files["model.py"]
    assert judged(server, trained).above.value < honest.above.value
