"""Who is in a story, what the story knows, and the small programs that every scene needs."""

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import TypeVar

from nextword.corpora.village import words
from nextword.corpora.village.kinds import LIST, marked, unmarked
from nextword.corpora.village.options import Options
from nextword.corpora.village.world import WOMEN, World

T = TypeVar("T")
# A program that speaks phrases and hears which one was chosen; at its end it gives a T.
Speaking = Generator[str | Options, str, T]
COUNT = words.COUNT.split()


@dataclass(slots=True)
class Person:
    """Someone in a story. Inside a phrase, f"{person}" is the name, marked as named before."""

    name: str
    she: str  # she or he, marked as a pronoun; likewise the next two
    her: str  # her or his, before a noun
    to_her: str  # her or him
    job: str = ""

    def __str__(self) -> str:
        return f"{self.name}/name"


@dataclass(slots=True)
class Hero(Person):
    """The one whom the story is about, with what belongs to that person."""

    number: str = ""  # how many animals
    herd: str = ""  # of which kind: hens
    colour: str = ""  # of the tool
    tool: str = ""
    kept: str = ""  # where the tool is kept: in the chest; "" if it was not said
    home: str = ""  # they live by the ...

    @property
    def animals(self) -> str:
        """How many and which: five hens."""
        return f"{self.number}/count {self.herd}/thing"

    @property
    def own_tool(self) -> str:
        """The tool with its colour: red whisk."""
        return f"{self.colour}/thing {self.tool}/thing"


@dataclass(slots=True)
class Wished:
    """What someone wants in a story, what has helped or hindered it, and whether it comes true."""

    name: str  # of the wish, as in WISHES
    wisher: Person
    other: Person  # of the two whom the story is about
    thing: str = ""  # what is wanted, or what it depends on
    colour: str = ""
    number: str = ""
    place: str = ""
    coins: int = 0  # that the wisher has
    price: int = 0
    person: Person | None = None  # whom the wish is about, if it is someone else
    helper: Person | None = None  # who came and helped, or hindered
    turns: list[str] = field(default_factory=list)  # how what helped or hindered begins
    causes: list[str] = field(default_factory=list)  # the same, as the end speaks of it
    comes_true: bool = False


@dataclass(slots=True)
class Tale:
    """What a story knows of itself while it is told."""

    world: World
    hero: Hero
    friend: Person
    names: list[str]  # of everyone in the story so far
    season: str = ""
    wish: Wished | None = None
    memories: list[str] = field(default_factory=list)  # what will be talked about at the end
    told: tuple[str, ...] = ()  # how the scenes so far began
    # what was begun and must be brought to its end: how that scene begins -> when it was begun
    pending: dict[str, int] = field(default_factory=dict)
    hour: int = 0  # of the day that is told of; 0: not said
    rained: bool = False  # at night, so that people sit by the fire
    is_muddy: bool = False
    gate_open: bool = False
    hungry: bool = False
    has_coins: bool = False
    coins: str = ""  # how many were asked for
    dish: str = ""  # what the friend will make
    bought: list[str] = field(default_factory=list)  # for the dish
    not_bought: str = ""
    finder: Person | None = None  # of the lost tool
    giver: Person | None = None  # who promised something
    gift: str = ""  # what was promised
    traveller: Person | None = None  # who wants to go far away
    country: str = ""  # where to
    guest: Person | None = None  # who came from far away
    origin: str = ""  # the country of the guest
    taken: str = ""  # the food that the guest was given
    contrast: str = ""  # taller, older or stronger
    friend_is_more: bool = False  # taller, older or stronger than the hero

    def begin(self, scene: str) -> None:
        """From now on the scene that begins with these words must be told."""
        self.pending[scene] = len(self.told)

    def remember(self, memory: str) -> None:
        """Something that can be talked about at the end."""
        self.memories.append(marked(unmarked(memory), LIST))

    def other(self, someone: Person) -> Person:
        """The friend of the hero, the hero of the friend."""
        return self.friend if someone is self.hero else self.hero

    @property
    def is_cold(self) -> bool:
        """Whether people sit by the fire: it rained, but not in summer, or it is cold."""
        return (self.rained and self.season != "summer") or self.season in words.FIRESIDE.split()


def pronouns(name: str) -> tuple[str, str, str]:
    """The pronouns that go with a name: as a subject, before a noun, as an object."""
    forms = ("she", "her", "her") if name in WOMEN else ("he", "his", "him")
    return (f"{forms[0]}/pronoun", f"{forms[1]}/pronoun", f"{forms[2]}/pronoun")


def elsewhere(hero: Hero, world: World) -> Options:
    """Places of the village where the hero does not live."""
    return world.cover.without(hero.home) if hero.home in world.cover.places else world.cover


def newcomer(tale: Tale, names: Options | None = None) -> Speaking[Person]:
    """Names someone who was not in the story before."""
    options = names or tale.world.names
    name = yield options.without(*[n for n in tale.names if n in options.places])
    tale.names.append(name)
    return Person(name, *pronouns(name))


def one_of(first: Person, second: Person) -> Speaking[Person]:
    """Names one of two people of whom either will do."""
    heard = yield f"{first} 2 | {second}"
    return first if heard == first.name else second


def listed(things: list[str]) -> Speaking[None]:
    """Things that are known already: "bread , milk and tea"."""
    for position, thing in enumerate(things):
        if position:
            yield "and/list" if position == len(things) - 1 else ",/list"
        yield marked(thing, LIST)


def chosen(options: Options, most: int) -> Speaking[list[str]]:
    """A list of two to `most` different things: "and" says that the next one is the last."""
    things = [(yield options)]
    joint = ","
    while joint != "and":
        joint = yield "and" if len(things) == most - 1 else ", | and 2"
        things.append((yield options.without(*things)))
    return things
