"""Who is in a story, and the small programs that every scene needs: names, pronouns, lists."""

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import TypeVar

from nextword.corpora.village import words
from nextword.corpora.village.options import Options
from nextword.corpora.village.world import WOMEN, World

T = TypeVar("T")
# A program that speaks phrases and hears which one was chosen; at its end it gives a T.
Speaking = Generator[str | Options, str, T]
COUNT = words.COUNT.split()


@dataclass(slots=True)
class Person:
    """Someone in a story, with what the story has said of them."""

    name: str
    job: str
    she: str  # she or he
    her: str  # her or his, before a noun
    to_her: str  # her or him
    number: str = ""  # how many animals they keep
    herd: str = ""  # of which kind: hens
    colour: str = ""  # of their tool
    tool: str = ""
    home: str = ""  # they live by the ...


@dataclass(slots=True)
class Tale:
    """What a story knows of itself while it is told."""

    world: World
    hero: Person
    friend: Person
    names: list[str]  # of everyone in the story so far
    memories: list[str] = field(default_factory=list)  # what will be talked about at the end


def person(name: str, job: str = "") -> Person:
    """A person with the pronouns that go with the name."""
    pronouns = ("she", "her", "her") if name in WOMEN else ("he", "his", "him")
    return Person(name, job, *pronouns)


def newcomer(tale: Tale) -> Speaking[Person]:
    """Names someone who was not in the story before."""
    name = yield tale.world.names.without(*tale.names)
    tale.names.append(name)
    return person(name)


def subject(someone: Person) -> Speaking[None]:
    """The person as the subject of a sentence: by name, or (twice as often) by pronoun."""
    yield f"{someone.name} | {someone.she} 2"


def listed(things: list[str]) -> Speaking[None]:
    """Things that are known already: "bread , milk and tea"."""
    for position, thing in enumerate(things):
        if position:
            yield "and" if position == len(things) - 1 else ","
        yield thing


def chosen(options: Options, most: int) -> Speaking[list[str]]:
    """A list of two to `most` different things: "and" says that the next one is the last."""
    things = [(yield options)]
    joint = ","
    while joint != "and":
        joint = yield "and" if len(things) == most - 1 else ", 3 | and 2"
        things.append((yield options.without(*things)))
    return things


def is_several(food: str) -> bool:
    """Whether a food is spoken of as several ("plums"), not as a mass ("bread")."""
    return food.endswith("s")
