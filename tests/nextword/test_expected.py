"""How long trainings take: what is known of each, and when all are done."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from nextword.models import expected, store
from nextword.models import train_models as make
from nextword.models.store import Recipe, Trained

ROOT = Path(__file__).parents[2]


@pytest.fixture
def recipes(tmp_path: Path) -> list[Recipe]:
    """Three models: one took long, one was quick, and of one nobody knows."""
    some = make.everything()[:3]
    named = [replace(one, name=name) for one, name in zip(some, ("a", "b", "c"), strict=True)]
    for recipe, took in zip(named, (20.0, 300.0), strict=False):
        store.write(recipe.path(tmp_path), Trained({}, {"seconds": took}), "f")
    return named


def test_a_file_says_how_long_its_training_took(recipes: list[Recipe], tmp_path: Path) -> None:
    assert [expected.seconds(recipe, tmp_path) for recipe in recipes] == [20.0, 300.0, None]
    assert expected.seconds(recipes[0], tmp_path / "new", tmp_path) == 20.0, "the next folder"


def test_what_takes_longest_begins_first(recipes: list[Recipe], tmp_path: Path) -> None:
    assert [r.name for r in expected.longest_first(recipes, tmp_path)] == ["c", "b", "a"]


@pytest.mark.parametrize(
    ("each", "jobs", "seconds"), [([], 2, 0), ([9, 5, 4, 3], 2, 12), ([9, 5, 4, 3], 9, 9)]
)
def test_side_by_side(each: list[float], jobs: int, seconds: float) -> None:
    assert expected.until_all_are_done(each, jobs) == seconds


def test_nothing_is_shipped_whose_time_nobody_knows() -> None:
    everything = {recipe.name: recipe for recipe in make.everything()}
    assert set(expected.ON_A_CORE) <= set(everything)
    for name, recipe in everything.items():
        known = expected.seconds(recipe, ROOT / store.FOLDER)
        assert known, name
        assert known > 1, f"{name}: was it put together from other files? See ON_A_CORE"


def test_the_command_says_so_before_it_begins(nextword, tmp_path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    def trained(recipe: Recipe, *given: object) -> Path:
        (tmp_path / recipe.name.replace("/", "-")).write_text("x", "utf-8")
        return tmp_path / recipe.name.replace("/", "-")

    monkeypatch.setattr(make, "train", trained)
    said = nextword("models", "ladder/1-gram", "study/nearest", "--to", str(tmp_path))
    assert said.exit_code == 0
    hours = expected.ON_A_CORE["study/nearest"] // 3600
    assert f"2 models, one after another: {hours:.0f} hours" in said.stderr
    one = nextword("models", "ladder/2-gram", "--to", str(tmp_path))
    assert "one after another" not in one.stderr
