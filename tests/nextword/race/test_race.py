"""`nextword race`: fresh stories, the board and its history, and what an entry cannot know."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from typer.testing import Result

from examiner.errors import UserError
from examiner.race import judging
from examiner.race.rules import Rules
from nextword.corpora import village
from nextword.race import board, stories
from nextword.race.run import Options, Race, hidden_folders, opened
from tests.browser import NEEDS_CHROMIUM, assert_open_to_everyone
from tests.examiner.grading.conftest import needs_sandbox

ROOT = Path(__file__).parents[3]

# the words of a story's beginning, counted; it knows nothing else
COUNTED = """
import numpy as np
from nextword.given.batches import number_words

class Model:
    def __init__(self, table):
        self.table = table

    def begin(self, n):
        return self.table[[self.table.shape[1]] * n]

    def next(self, words):
        return self.table[words]

def train(texts, vocabulary, folder, seconds):
    V = len(vocabulary)
    counts = np.full((V + 1, V), SMOOTH)
    for text in texts[:500]:
        np.add.at(counts, (np.array([V, *text[:-1]]), text), 1)
    np.save(folder / "counts.npy", (counts / counts.sum(1, keepdims=True)).astype(np.float16))

def load(folder, vocabulary):
    path = folder / "counts.npy"
    V = len(vocabulary)
    even = np.full((V + 1, V), 1 / V)
    table = np.load(path).astype(np.float64) if path.exists() else even
    return Model(table / table.sum(1, keepdims=True))
"""

# the village's own program, carried along: the folders that are out of sight are brought in a bag
PROGRAM = """
import numpy as np
from nextword.corpora import village

class Model:
    def begin(self, n):
        self.listeners = [village.Listener() for _ in range(n)]
        return self.rows()

    def next(self, words):
        for listener, word in zip(self.listeners, words):
            listener.hear(self.vocabulary[word])
        return self.rows()

    def rows(self):
        found = np.zeros((len(self.listeners), len(self.vocabulary)))
        for row, listener in zip(found, self.listeners):
            for word, p in listener.probabilities():
                row[self.number[word]] = p
        return found

def load(folder, vocabulary):
    model = Model()
    model.vocabulary = vocabulary
    model.number = {word: k for k, word in enumerate(vocabulary)}
    return model
"""

LOOKS = """
import importlib
for name in ("nextword.corpora.village", "nextword.models.store", "nextword.race.stories"):
    try:
        importlib.import_module(name)
    except ImportError:
        continue
    raise RuntimeError(f"{name} is in sight")
"""


def handed_in(folder: Path, name: str, code: str, track: str = "open") -> Path:
    """Write an entry into a folder of entries."""
    entry = folder / name
    entry.mkdir(parents=True)
    (entry / "model.py").write_text(code, "utf-8")
    (entry / "about.toml").write_text(
        f'name = "{name}"\ntrack = "{track}"\nwords = 1000\n', "utf-8"
    )
    return entry


# ------------------------------------------------------------------------------ the stories


def test_a_secret_tells_the_same_stories_and_another_one_others() -> None:
    one, same, other = (stories.ground(secret, 500) for secret in ("a", "a", "b"))
    assert [t.tolist() for t in one.texts] == [t.tolist() for t in same.texts]
    assert one.texts[0].tolist() != other.texts[0].tolist()
    assert one.texts[0].tolist() != one.texts[1].tolist()


def test_what_is_true_of_each_word_is_what_the_listener_says() -> None:
    ground = stories.ground("truth", 3000)
    for text, logs, kinds in zip(ground.texts, ground.log_probs, ground.kinds, strict=True):
        heard = village.score([stories.WORDS[word] for word in text])
        assert heard.complete
        assert logs == pytest.approx(heard.log_probs)
        assert [ground.kind_names[kind] for kind in kinds] == heard.kinds
        rows = ground.true_rows(text)
        assert rows.sum(axis=1) == pytest.approx(1.0, abs=1e-5)
        assert np.log(rows[np.arange(len(text)), text]) == pytest.approx(logs, abs=1e-5)
    assert ground.accepts(ground.texts[0])
    assert not ground.accepts(ground.texts[0][:-1])


def test_fresh_stories_are_as_likely_as_the_village_s_own() -> None:
    """Their floor is that of the test text: the stream of draws has no lean of its own."""
    ground = stories.ground("floor", 30_000)
    nats = -sum(each.sum() for each in ground.log_probs) / ground.words
    assert np.exp(nats) == pytest.approx(village.split("test", 100_000).perplexity, rel=0.01)


def test_draws_are_even_and_never_end() -> None:
    draws = stories.uniforms("even", 0)
    found = np.array([next(draws) for _ in range(5000)])
    assert found.min() >= 0
    assert found.max() < 1
    assert np.histogram(found, bins=10, range=(0, 1))[0] == pytest.approx(500, abs=110)


def test_a_secret_is_drawn_given_or_refused() -> None:
    assert stories.drawn_secret(None) != stories.drawn_secret(None)
    assert stories.drawn_secret("mine") == "mine"
    assert "mine" not in stories.digest_of("mine")
    with pytest.raises(UserError, match="--seed is empty"):
        stories.drawn_secret("  ")


def test_the_program_is_known_also_behind_something_mixed_in() -> None:
    ground = stories.ground("hidden", 1500)
    V = len(stories.WORDS)
    truth = {k: ground.true_rows(text) for k, text in enumerate(ground.texts)}
    mixed = {k: 0.7 * rows + 0.3 / V for k, rows in truth.items()}
    even = {k: np.full_like(rows, 1 / V) for k, rows in truth.items()}
    assert judging.true_share(ground, truth) == 1.0
    assert judging.true_share(ground, mixed) > 0.99
    assert judging.true_share(ground, even) < 0.3


# ------------------------------------------------------------------------------ a whole race


@pytest.fixture(scope="module")
def entries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of entries: twins, one that knows the program, one that trains, and broken ones."""
    folder = tmp_path_factory.mktemp("submissions")
    even = COUNTED.replace("SMOOTH", "1.0")
    handed_in(folder, "even", even)
    too = handed_in(folder, "even-too", even + "\n# by another one\n")
    with (too / "about.toml").open("a") as about:
        about.write('about = "<script>alert(1)</script>"\n')
    handed_in(folder, "trained", COUNTED.replace("SMOOTH", "0.01"), track="ten-minutes")
    handed_in(folder, "looks", even + LOOKS, track="small")
    bag = handed_in(folder, "program", PROGRAM) / "nextword"
    for part in ("corpora", "given"):
        shutil.copytree(
            ROOT / "nextword" / part,
            bag / part,
            ignore=shutil.ignore_patterns("__pycache__", "data"),
        )
    (bag / "__init__.py").write_text("", "utf-8")
    handed_in(folder, "broken", "def load(")
    handed_in(folder, "empty", even).joinpath("model.py").unlink()
    return folder


@pytest.fixture(scope="module")
def raced(entries: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a board on which two races were held; the first's is old.json."""
    out = tmp_path_factory.mktemp("race")
    rules = Rules(written=10, longest=400, again=4, alone=1, train_seconds=30.0)
    for secret in ("first", "second"):
        options = Options(secret, words=1200, rules=rules)
        with opened(entries) as found, Race(options) as race:
            board.keep(race.hold(found), race.ground, options, out)
        if secret == "first":
            shutil.copy(out / "board.json", out / "old.json")
    return out


def of(path: Path) -> dict[str, dict]:
    """The entries of a board.json, by their names."""
    return {each["student"]: each for each in json.loads(path.read_text("utf-8"))["entries"]}


@needs_sandbox
@pytest.mark.slow
def test_the_board_says_what_came_of_each_entry(raced: Path) -> None:
    found = of(raced / "board.json")
    assert found["even"]["perplexity"]["value"] == pytest.approx(len(stories.WORDS), rel=1e-4)
    assert found["even"]["rank"] == found["even-too"]["rank"] == 1  # twins share a place
    assert found["even"]["accepted"]["value"] == 0
    assert set(found["even"]["excess_bits_by_kind"]) <= set(village.KINDS)
    assert 1.5 < found["trained"]["perplexity"]["value"] < 60  # it has learned something in here
    assert found["trained"]["rank"] == 1  # on a track of its own
    assert found["trained"]["weights"] > 735 * 735  # what it wrote is counted
    assert found["even"]["weights"] == 0
    assert found["looks"]["problem"] == ""  # no file of the village's program is in sight
    assert "SyntaxError" in found["broken"]["problem"]
    assert found["empty"]["problem"].startswith("there is no model.py")


@needs_sandbox
@pytest.mark.slow
def test_who_knows_the_program_has_no_place(raced: Path) -> None:
    """It may bring the program along, and reaches the floor; no learned model does."""
    program = of(raced / "board.json")["program"]
    assert program["problem"] == ""
    assert program["knows_the_program"]
    assert program["rank"] is None
    assert program["above_percent"]["value"] == pytest.approx(0.0, abs=1e-3)
    assert program["accepted"]["value"] == 1


@needs_sandbox
@pytest.mark.slow
def test_earlier_boards_are_kept_and_told_by_digest(raced: Path) -> None:
    old, new = (
        json.loads((raced / name).read_text("utf-8")) for name in ("old.json", "board.json")
    )
    assert old["history"] == []
    (before,) = new["history"]
    assert (before["raced"], before["seed"]) == (old["raced"], old["seed"])
    assert old["seed"] != new["seed"]
    assert "secret" not in new
    assert of(raced / "old.json")["even"]["digest"] == of(raced / "board.json")["even"]["digest"]
    page = (raced / "board.html").read_text("utf-8")
    assert page.count("On earlier boards") == 5  # of all that were judged
    assert "know the program" in page
    assert "tie" in page
    assert "<script" not in page  # what an entry says of itself is text
    assert "&lt;script&gt;" in page


@needs_sandbox
@pytest.mark.slow
@NEEDS_CHROMIUM
@pytest.mark.parametrize(("theme", "width"), [("light", 1300), ("dark", 390)])
def test_the_board_is_a_page_for_everyone(
    raced: Path, show: Callable, theme: str, width: int
) -> None:
    page = show(raced / "board.html", theme, width)
    assert_open_to_everyone(page, width)
    assert page.locator("svg[role=img]").count() == 5


# ------------------------------------------------------------------------------ the command


@needs_sandbox
@pytest.mark.slow
def test_one_entry_is_raced_by_the_command(
    entries: Path, tmp_path: Path, nextword: Callable[..., Result]
) -> None:
    said = tmp_path / "all.json"
    options = ["--words", "300", "--seed", "mine", "--reveal", "--json", said, "--out", tmp_path]
    result = nextword("race", str(entries / "even"), *map(str, options))
    assert result.exit_code == 0, result.output
    assert "% above the floor" in result.output
    assert json.loads(said.read_text("utf-8"))["secret"] == "mine"
    assert (tmp_path / "board.html").is_file()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "which entries?"),
        (["nowhere"], "there is no folder nowhere"),
        (["."], "holds no submissions"),
        ([".", "--out", "board"], "--out board lies among the submissions"),
        ([".", "--track", "fast"], "--track fast: expected small, open, ten-minutes"),
        ([".", "--seed", " "], "--seed is empty"),
        ([".", "--sandbox", "docker"], "expected bubblewrap or none"),
        ([".", "--entries", "mine"], "leave out ., or --entries"),
        ([".", "--words", "0"], "greater than or equal to 1"),
    ],
)
def test_wrong_use_is_said_in_one_line(
    arguments: list[str],
    said: str,
    tmp_path: Path,
    nextword: Callable[..., Result],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    result = nextword("race", "--out", "../board", *arguments)
    assert result.exit_code == 2
    assert said in result.output.replace("\n", " ")


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", '{"history": 3}', '{"history": [], "entries": [1]}']
)
def test_a_broken_board_is_refused_before_the_race(text: str, tmp_path: Path) -> None:
    (tmp_path / "board.json").write_text(text, "utf-8")
    with pytest.raises(UserError, match=r"board.json is no board .* move it away"):
        board.require_usable(tmp_path)


def test_of_two_races_at_once_both_boards_are_kept(tmp_path: Path) -> None:
    ground = stories.ground("here", 100)
    processes = []
    for number in range(8):
        if not (child := os.fork()):
            board.keep([], ground, Options(f"secret {number}"), tmp_path)
            os._exit(0)
        processes.append(child)
    assert [os.waitpid(child, 0)[1] for child in processes] == [0] * 8
    made = [each["seed"] for each in board.read_history(tmp_path)]
    assert sorted(made) == sorted(stories.digest_of(f"secret {n}") for n in range(8))


def test_a_folder_that_cannot_be_written_is_told_before_the_race(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match="cannot be locked: Not a directory"):
        board.require_usable(tmp_path / "file" / "race")


def test_all_of_the_library_but_what_is_given_is_hidden() -> None:
    names = {path.name for path in hidden_folders()}
    assert {"corpora", "models", "race", "explorables", "plots"} <= names
    assert "given" not in names
