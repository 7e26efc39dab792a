"""Mutants of the references: small mistakes made by a machine, which some test must notice."""

import ast
import os
from pathlib import Path

import pytest

from examiner.catalogue import Chapter
from examiner.judge.mutants import SEEDS, hunt, known_survivors, mutants
from examiner.project import Project, find_project
from tests.course import CHAPTERS

PROJECT = find_project(Path(__file__))
SAMPLE = 20  # one of so many mutants is tried here; `nextword suites --mutants` tries them all
MOST_ALIVE = 0.05
pytestmark = pytest.mark.skipif(os.name != "posix", reason="mutants may never end")


def test_a_mutant_changes_one_thing_inside_a_solution(
    demo_course: Path, demo_chapter: Chapter
) -> None:
    path = demo_course / "solutions" / "demo.py"
    made = list(mutants(path, demo_chapter))
    changes = {(each.symbol, each.change) for each in made}
    assert changes == {
        ("add", "a + b -> a - b"),
        ("Counter.step", "self.count += 1 -> self.count -= 1"),
        ("Counter.step", "self.count += 1 -> self.count += 2"),
        ("Counter.step", "self.count += 1 -> self.count += 0"),
    }
    original = ast.unparse(ast.parse(path.read_text("utf-8")))
    assert all(ast.unparse(each.tree) != original for each in made)


def test_a_weak_suite_lets_mutants_live_and_a_reason_excuses_them(
    demo_course: Path, demo_chapter: Chapter
) -> None:
    chapter, project = demo_chapter, Project(demo_course)
    assert not hunt(project, chapter, seeds=SEEDS[:2]).survivors
    suite = demo_course / "tests" / "demo" / "suite" / "test_demo.py"
    text = suite.read_text("utf-8")
    suite.write_text(text.replace("== [1, 2]", "!= [0, 0]").replace("== 3", "in (3, -1)"), "utf-8")
    found = hunt(project, chapter, seeds=SEEDS[:2])
    alive = {(each.mutant.symbol, each.mutant.change) for each in found.survivors}
    assert alive == {
        ("Counter.step", "self.count += 1 -> self.count -= 1"),
        ("Counter.step", "self.count += 1 -> self.count += 2"),
    }
    assert found.killed("9.2") == (1, 3)
    assert found.killed("9.1") == (1, 1)  # by the hidden test
    known = demo_course / "tests" / "mutants" / "demo.toml"
    known.parent.mkdir()
    known.write_text(
        '[["Counter.step"]]\nchange = "self.count += 1 -> self.count += 2"\nwhy = "as good"\n',
        "utf-8",
    )
    assert hunt(project, chapter, seeds=SEEDS[:1]).killed("9.2") == (1, 2)


@pytest.mark.slow
def test_what_never_ends_is_noticed(
    demo_course: Path, demo_chapter: Chapter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("examiner.judge.mutants.SECONDS", 0.2)
    path = demo_course / "solutions" / "demo.py"
    loop = "n = 1\n        while n < 1:\n            n = n\n        self.count += n"
    text = path.read_text("utf-8")
    path.write_text(text.replace("self.count += 1", loop), "utf-8")
    found = hunt(Project(demo_course), demo_chapter, seeds=SEEDS[:1])
    alive = {each.mutant.change for each in found.survivors}
    assert not any("while" in change for change in alive)


@pytest.mark.slow
@pytest.mark.turns("chapter")
@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.stem)
def test_nearly_all_of_a_sample_are_noticed(chapter: Chapter) -> None:
    found = hunt(PROJECT, chapter, seeds=SEEDS[:1], every=SAMPLE)
    alive = [each for each in found.survivors if not each.reason]
    told = [f"{each.mutant.symbol}: {each.mutant.change}" for each in alive]
    assert len(alive) <= max(1, MOST_ALIVE * sum(found.made.values())), told


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.stem)
def test_each_known_survivor_is_a_mutant_with_a_reason(chapter: Chapter) -> None:
    reference = PROJECT.module("solutions", chapter.stem)
    made = {(each.symbol, each.change) for each in mutants(reference, chapter)}
    for survivor, why in known_survivors(PROJECT, chapter.stem).items():
        assert survivor in made
        assert why.endswith(".")
