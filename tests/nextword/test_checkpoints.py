"""The models that the book ships: up to date, small, and their files whole or absent."""

import ast
import json
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from examiner import fingerprints
from examiner.errors import UserError
from nextword.corpora import names
from nextword.models import checkpoints, store
from nextword.models import train_models as make
from nextword.models.ladder.measure import RungResult
from nextword.models.store import FOLDER, TWICE, Recipe, Trained, TrainingError
from nextword.models.training import Report

ROOT = Path(__file__).parents[2]
MEGABYTE = 2**20
WEIGHTS = {"w": torch.arange(6.0).reshape(2, 3), "b": torch.zeros(3, dtype=torch.float16)}

# ------------------------------------------------------------------- what the book ships


@pytest.mark.slow
@pytest.mark.always
def test_every_shipped_model_is_made_from_today_s_code_and_text():
    """Where this fails: `make models`, look at the pages that show the models, commit."""
    written = [r for r in make.everything() if r.has_chapters(ROOT / "solutions")]
    assert not [
        f"{r.name}: {why}" for r, why in store.stale(written, ROOT / "solutions", ROOT / FOLDER)
    ]


@pytest.mark.parametrize("recipe", make.everything(), ids=lambda recipe: recipe.name)
def test_a_recipe_names_functions_that_are_there(recipe):
    for stem, called in recipe.uses.items():
        tree = ast.parse((ROOT / "solutions" / f"{stem}.py").read_text("utf-8"))
        assert set(called) <= {getattr(part, "name", "") for part in tree.body}


def test_nothing_is_shipped_that_no_recipe_makes():
    names = {recipe.name for recipe in make.everything()}
    files = (ROOT / FOLDER).rglob("*")
    found = {str(f.relative_to(ROOT / FOLDER).with_suffix("")) for f in files if f.is_file()}
    assert found <= names


def test_shipped_models_are_small():
    sizes = [path.stat().st_size for path in (ROOT / FOLDER).rglob("*.safetensors")]
    assert max(sizes) <= 1.1 * 10**6
    assert sum(sizes) <= 15 * MEGABYTE


def test_the_shipped_ladder_goes_down_to_the_floor():
    ladder = checkpoints.ladder()
    heights = [row.perplexity for row in ladder.rows if row.perplexity]
    assert len(heights) == len(ladder.rows) >= 5
    assert ladder.floor
    assert ladder.floor < min(heights)
    assert heights == sorted(heights, reverse=True)
    assert all(row.excess_bits_by_kind for row in ladder.rows)


def test_the_second_column_is_of_the_same_rungs_test_text_and_floor():
    first, second = (checkpoints.ladder(of=folder) for folder in make.TOKENS)
    assert {row.name for row in second.rows} == set(make.SECOND) < {row.name for row in first.rows}
    assert second.floor == first.floor
    better = {row.name: row.perplexity for row in first.rows}
    assert all(row.perplexity < better[row.name] for row in second.rows)
    assert not checkpoints.load(f"{TWICE}/transformer").tensors


# ------------------------------------------------------------------- one recipe, in a small course

MODULE = '''"""A chapter."""

SIZE = 3


def weights():
    """The weights of all tasks."""
    return [scale() * n for n in range(SIZE)]


def scale():
    return 2


def other():
    return 1
'''


@pytest.fixture
def course(tmp_path: Path) -> Path:
    (tmp_path / "solutions").mkdir()
    (tmp_path / "solutions" / "demo.py").write_text(MODULE, "utf-8")
    (tmp_path / "recipe.py").write_text("steps = 5\n", "utf-8")
    return tmp_path


def recipe(course: Path, corpora: tuple[str, ...] = ()) -> Recipe:
    def train(package: SimpleNamespace, report: Report) -> Trained:
        report(1.0)
        return Trained({"w": torch.tensor(package.demo.weights())}, {"reached": 0.5})

    uses = {"demo": ("weights",)}
    return Recipe("demo/small", train, uses, (course / "recipe.py",), corpora)


def made(course: Path) -> Path:
    heard: list[float] = []
    path = make.train(recipe(course), course / "solutions", course / "checkpoints", heard.append)
    assert heard == [1.0]
    return path


def why_stale(course: Path) -> list[str]:
    found = store.stale([recipe(course)], course / "solutions", course / "checkpoints")
    return [why for _, why in found]


def test_a_model_is_trained_with_the_package_s_own_code_and_read_back(course):
    path = made(course)
    found = checkpoints.load("demo/small", course / "checkpoints")
    assert found.tensors["w"].tolist() == [0, 2, 4]
    assert found.facts["reached"] == 0.5
    assert found.facts["seconds"] >= 0
    assert path == course / "checkpoints" / "demo" / "small.safetensors"
    assert [f.name for f in path.parent.iterdir()] == ["small.safetensors"]
    assert not why_stale(course)


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("The weights of all tasks.", "The weights, one per task.", False),
        ("SIZE = 3", "SIZE = 3  # a small one", False),
        ("def weights():", "def weights() -> list[int]:", False),
        ("return 1", "return 7", False),  # not used by the training
        ("return 2", "return 4", True),  # used by what the training calls
        ("SIZE = 3", "SIZE = 4", True),
        ("range(SIZE)", "range(SIZE - 1)", True),
    ],
)
def test_a_model_is_out_of_date_when_what_it_uses_changes(course, old, new, changed):
    made(course)
    path = course / "solutions" / "demo.py"
    path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")
    assert bool(why_stale(course)) == changed


def test_a_model_is_out_of_date_when_its_recipe_changes(course):
    made(course)
    (course / "recipe.py").write_text("steps = 6\n", "utf-8")
    assert why_stale(course) == ["its code or its text has changed since it was trained"]


def test_a_file_gets_today_s_fingerprint_without_training(course):
    path = made(course)
    before = store.read(path)
    (course / "recipe.py").write_text("steps = 6\n", "utf-8")
    folders = course / "solutions", course / "checkpoints"
    assert store.restamp([recipe(course)], *folders) == ["demo/small"]
    assert not why_stale(course)
    after = store.read(path)
    assert after.facts == before.facts
    assert torch.equal(after.tensors["w"], before.tensors["w"])
    assert store.restamp([recipe(course)], *folders) == []


def test_a_package_that_cannot_train_a_model_is_told_why(course):
    path = course / "solutions" / "demo.py"
    path.write_text(MODULE.replace("return 2", "raise NotImplementedError('1.1 scale')"), "utf-8")
    with pytest.raises(TrainingError, match=r"open task 1\.1 scale"):
        made(course)


def test_a_model_is_out_of_date_when_its_corpus_changes(course, monkeypatch):
    before = recipe(course, ("village",)).fingerprint(course / "solutions")
    monkeypatch.setattr("nextword.corpora.names.recipe", lambda corpus: f"another {corpus}")
    assert recipe(course, ("village",)).fingerprint(course / "solutions") != before


def test_code_without_a_name_that_was_asked_for_has_a_fingerprint_too(course):
    """A student's file may lack it, or not be Python."""
    path = course / "solutions" / "demo.py"
    assert "scale" in fingerprints.code_of(path, ["weights", "lost"])
    assert "other" not in fingerprints.code_of(path, ["weights", "lost"])
    path.write_text("def (:\n", "utf-8")
    assert fingerprints.code_of(path, ["weights"]) == "def (:\n"


def test_a_missing_model_says_how_to_train_it(course):
    assert why_stale(course) == ["not trained yet"]
    with pytest.raises(UserError, match="run `nextword models demo/small` to train it"):
        checkpoints.load("demo/small", course / "checkpoints")


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
def test_a_damaged_file_says_so(course, share):
    path = made(course)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(UserError, match=r"cannot be read .* trains it again"):
        checkpoints.load("demo/small", course / "checkpoints")
    assert "cannot be read" in why_stale(course)[0]


def test_a_file_of_another_maker_is_not_taken(course):
    from safetensors.torch import save_file

    path = course / "checkpoints" / "demo" / "small.safetensors"
    path.parent.mkdir(parents=True)
    save_file(WEIGHTS, path)
    with pytest.raises(UserError, match="not written by `nextword models`"):
        checkpoints.load("demo/small", course / "checkpoints")


def test_a_failed_write_leaves_the_last_good_file(course, monkeypatch):
    path = made(course)
    before = path.read_bytes()

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", full)
    with pytest.raises(UserError, match="No space left on device"):
        store.write(path, Trained(WEIGHTS), "f")
    assert path.read_bytes() == before
    assert [f.name for f in path.parent.iterdir()] == ["small.safetensors"]


def test_tensors_come_back_as_they_were(tmp_path):
    views = {**WEIGHTS, "view": WEIGHTS["w"].T, "leaf": torch.ones(2, requires_grad=True)}
    store.write(tmp_path / "a" / "b.safetensors", Trained(views, {"text": "ö"}), "f")
    found = checkpoints.load("a/b", tmp_path)
    for name, tensor in views.items():
        assert found.tensors[name].dtype == tensor.dtype
        np.testing.assert_array_equal(found.tensors[name], tensor.detach())
    assert found.facts == {"text": "ö"}


def test_rungs_are_shipped_with_their_numbers_and_without_weights_where_they_have_none():
    found = checkpoints.load("ladder/2-gram")
    assert not found.tensors
    assert RungResult(**found.facts["row"]).name == "2-gram"
    assert json.dumps(found.facts)


# ------------------------------------------------------------------- the command


@pytest.mark.slow
def test_the_command_says_what_is_out_of_date_and_trains_it(nextword, tmp_path, monkeypatch):
    small = names.load("village", 5_000, 500)
    monkeypatch.setattr(make, "_village", lambda n_tokens: small)
    place = ["--to", str(tmp_path)]
    asked = nextword("models", "ladder/1-gram", "--check", *place)
    assert (asked.exit_code, asked.stdout) == (1, "ladder/1-gram: not trained yet\n")
    said = nextword("models", "ladder/1-gram", *place)
    assert said.exit_code == 0
    assert re.fullmatch(r"ladder/1-gram: \d KB\n", said.stdout)
    assert nextword("models", "ladder/1-gram", "--check", *place).exit_code == 0
    assert nextword("models", "ladder/1-gram", *place).stdout == ""


def test_the_command_names_the_models_it_knows(nextword):
    wrong = nextword("models", "ladder/9-gram")
    assert wrong.exit_code == 2
