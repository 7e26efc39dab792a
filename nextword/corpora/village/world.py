"""What the village is made of: a `World` holds every list that the stories choose from."""

from dataclasses import dataclass, field

from nextword.corpora.village import words
from nextword.corpora.village.options import Options, Phrasebook

WOMEN = frozenset(words.SHE.split())


def ranked(names: list[str], most: int | None = None) -> Options:
    """A choice with Zipf-like weights: the r-th name weighs about 1 / (r + 2)."""
    kept = names[:most]
    return Options({name: 1000 // (rank + 3) for rank, name in enumerate(kept)})


def table(text: str) -> list[list[str]]:
    """The rows of a table of words, cut at the bars."""
    return [[cell.strip() for cell in row.split("|")] for row in text.strip().splitlines()]


def with_article(noun: str) -> str:
    """The noun after "a" or "an"."""
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"


@dataclass(frozen=True, eq=False)
class World:
    """The sizes of a village; the defaults give the whole one, smaller numbers a part of it."""

    n_names: int = 24
    n_jobs: int = 20
    n_animals: int = 16
    n_foods: int = 28
    n_countries: int = 12
    n_colours: int = 9
    n_numbers: int = 7
    n_landmarks: int = 9
    n_characters: int = 12
    n_kin: int = 7
    n_hidden: int = 8
    scenes: dict[str, int] = field(default_factory=lambda: dict(words.SCENES))
    fewest_scenes: int = 1
    most_scenes: int = 3  # scenes between the opening and the end of a story
    next_scenes: dict[tuple[str, ...], Options] = field(init=False, default_factory=dict)
    longest_list: int = 5  # things on a shopping list, guests at a feast
    deepest_clause: int | None = None  # relative clauses inside each other; None: no bound
    limit: int | None = None  # how many alternatives of each choice written out in the story are kept
    phrasebook: Phrasebook = field(init=False)

    def __post_init__(self) -> None:
        def put(name: str, value: object) -> None:
            object.__setattr__(self, name, value)

        put("phrasebook", Phrasebook(self.limit))
        both = [n for pair in zip(words.SHE.split(), words.HE.split(), strict=True) for n in pair]
        put("names", ranked(both, self.n_names))
        jobs = table(words.JOBS)[: self.n_jobs]
        put("jobs", ranked([row[0] for row in jobs]))
        put("workplace", {row[0]: row[1] for row in jobs})
        put("tools", {row[0]: ranked(row[2].split()) for row in jobs})
        put("work", {row[0]: row[3] for row in jobs})
        animals = table(words.ANIMALS)[: self.n_animals]
        put("animals", ranked([row[0] for row in animals]))
        put("herds", ranked([row[1] for row in animals]))
        put("several", {row[0]: row[1] for row in animals})
        put("single", {row[1]: row[0] for row in animals})
        put("sound", {row[0]: row[2] for row in animals})
        put("foods", ranked(words.FOODS.split(), self.n_foods))
        countries = table(words.COUNTRIES)[: self.n_countries]
        put("countries", ranked([row[0] for row in countries]))
        put("capital", {row[0]: row[1] for row in countries})
        put("language", {row[0]: row[2] for row in countries})
        put("dish", {row[0]: row[3] for row in countries})
        put("colours", ranked(words.COLOURS.split(), self.n_colours))
        put("numbers", ranked(words.NUMBERS.split(), self.n_numbers))
        put("belonging", Options({"a": self.numbers.total} | self.numbers.weights))
        put("landmarks", ranked(words.LANDMARKS.split(), self.n_landmarks))
        characters = [part.strip() for part in words.CHARACTERS.split("|")]
        put("characters", ranked(characters, self.n_characters))
        put("women", Options({n: w for n, w in self.names.weights.items() if n in WOMEN}))
        put("men", Options({n: w for n, w in self.names.weights.items() if n not in WOMEN}))
        put("kin", ranked(words.KIN.split(), self.n_kin))
        put("hidden", ranked([part.strip() for part in words.HIDDEN.split("|")], self.n_hidden))
        put("folk", self._folk())
        put("beasts", frozenset([*self.several, *self.single]))
        groups = words.PEOPLE.split()
        put("many", frozenset([job + "s" for job in self.workplace] + [*self.single, *groups]))
        put("one", {name: job for job in self.workplace for name in (job, job + "s")})
        put("category", self._categories())
        put("things", Options({thing: 1 for thing in self.category}))

    def _folk(self) -> Options:
        """Those that people gossip about: one or several, persons or animals."""
        jobs = dict(list(self.jobs.weights.items())[:12])
        persons = {name: 2 * w for job, w in jobs.items() for name in (job, job + "s")}
        groups = ranked(words.PEOPLE.split(), self.n_jobs).weights
        return Options(persons | groups | self.animals.weights | self.herds.weights)

    def _categories(self) -> dict[str, str]:
        """What kind of thing something is: a hen is an animal."""
        tools = [tool for options in self.tools.values() for tool in options.weights]
        found = {with_article(animal): "an animal" for animal in self.animals.weights}
        found |= {with_article(tool): "a tool" for tool in tools}
        found |= {food: "food" for food in self.foods.weights if not food.endswith("s")}
        return found

    def what_next(self, told: tuple[str, ...]) -> Options:
        """The scenes that can be told after these, or the end of the story."""
        if told not in self.next_scenes:
            weights = {scene: w for scene, w in self.scenes.items() if scene not in told}
            if len(told) == self.most_scenes:
                weights = {}
            if len(told) >= self.fewest_scenes:
                weights[words.END] = sum(weights.values()) or 1
            self.next_scenes[told] = Options(weights)
        return self.next_scenes[told]

    names: Options = field(init=False)
    jobs: Options = field(init=False)
    workplace: dict[str, str] = field(init=False)
    tools: dict[str, Options] = field(init=False)
    work: dict[str, str] = field(init=False)
    animals: Options = field(init=False)  # one hen
    herds: Options = field(init=False)  # several hens
    several: dict[str, str] = field(init=False)
    single: dict[str, str] = field(init=False)
    sound: dict[str, str] = field(init=False)
    foods: Options = field(init=False)
    countries: Options = field(init=False)
    capital: dict[str, str] = field(init=False)
    language: dict[str, str] = field(init=False)
    dish: dict[str, str] = field(init=False)
    colours: Options = field(init=False)
    numbers: Options = field(init=False)
    belonging: Options = field(init=False)  # what is named first: a tool, or a number of animals
    landmarks: Options = field(init=False)
    characters: Options = field(init=False)
    women: Options = field(init=False)
    men: Options = field(init=False)
    kin: Options = field(init=False)
    hidden: Options = field(init=False)
    folk: Options = field(init=False)
    beasts: frozenset[str] = field(init=False)
    many: frozenset[str] = field(init=False)  # nouns of which there are several
    one: dict[str, str] = field(init=False)  # baker and bakers: baker
    category: dict[str, str] = field(init=False)
    things: Options = field(init=False)


VILLAGE = World()
