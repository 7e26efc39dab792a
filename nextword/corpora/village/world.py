"""What the village is made of: a `World` holds every list that the stories choose from."""

from dataclasses import dataclass

from nextword.corpora.village import words
from nextword.corpora.village.options import Options, Phrasebook, parse

WOMEN = frozenset(words.SHE.split())


@dataclass(frozen=True)
class Sizes:
    """How much of the village there is; the defaults give all of it."""

    names: int = 24
    jobs: int = 20
    animals: int = 16
    foods: int = 28
    countries: int = 12
    colours: int = 9
    numbers: int = 7
    landmarks: int = 9
    characters: int = 12
    kin: int = 7
    groups: int = 6
    hiding_places: int = 8
    weather: int = 8
    scenes: tuple[str, ...] = tuple(words.SCENES)  # how the scenes that may be told begin
    fewest_scenes: int = 1  # between the opening and the end of a story
    most_scenes: int = 3
    longest_list: int = 4  # things on a shopping list, guests at a feast
    deepest_clause: int | None = None  # relative clauses hung on each other; None: no bound
    limit: int | None = None  # of each choice written out in a scene, keep the first few


def ranked(names: list[str], most: int) -> Options:
    """The first `most` names with Zipf-like weights: the r-th weighs about 1 / (r + 2)."""
    return Options({name: 1000 // (rank + 3) for rank, name in enumerate(names[:most])})


def table(text: str, most: int) -> list[list[str]]:
    """The first `most` rows of a table of words, cut at the bars."""
    return [[cell.strip() for cell in row.split("|")] for row in text.strip().splitlines()[:most]]


def with_article(noun: str) -> str:
    """The noun after "a" or "an"."""
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"


class World:
    """Every list that the stories choose from, and the facts that hold in every story."""

    def __init__(self, sizes: Sizes = Sizes()):
        self.sizes = sizes
        self.phrasebook = Phrasebook(sizes.limit)
        self._next_scenes: dict[tuple[str, ...], Options] = {}
        self._people(sizes)
        self._animals(sizes)
        self._facts(sizes)
        self.colours = ranked(words.COLOURS.split(), sizes.colours)
        self.numbers = ranked(words.NUMBERS.split(), sizes.numbers)
        self.landmarks = ranked(words.LANDMARKS.split(), sizes.landmarks)
        self.hiding_places = ranked(list(parse(words.HIDDEN).weights), sizes.hiding_places)
        self.weather = parse(words.WEATHER).first(sizes.weather)
        # what is named first of someone's belongings: "a red hammer", or a number of animals
        self.belongings = Options({"a": self.numbers.total} | self.numbers.weights)
        self.folk = self._folk(sizes)

    def _people(self, sizes: Sizes) -> None:
        pairs = zip(words.SHE.split(), words.HE.split(), strict=True)
        self.names = ranked([name for pair in pairs for name in pair], sizes.names)
        self.women = Options({n: w for n, w in self.names.weights.items() if n in WOMEN})
        self.men = Options({n: w for n, w in self.names.weights.items() if n not in WOMEN})
        self.kin = ranked(words.KIN.split(), sizes.kin)
        self.characters = ranked(list(parse(words.CHARACTERS).weights), sizes.characters)
        rows = table(words.JOBS, sizes.jobs)
        self.jobs = ranked([row[0] for row in rows], sizes.jobs)
        self.workplace = {job: place for job, place, _, _ in rows}
        self.tools = {job: ranked(tools.split(), 2) for job, _, tools, _ in rows}
        self.work = {job: work for job, _, _, work in rows}

    def _animals(self, sizes: Sizes) -> None:
        rows = table(words.ANIMALS, sizes.animals)
        self.animals = ranked([with_article(row[0]) for row in rows], sizes.animals)  # a hen
        self.herds = ranked([row[1] for row in rows], sizes.animals)  # hens
        self.one_of = {herd: animal for animal, herd, _ in rows}
        self.sound = {animal: sound for animal, _, sound in rows}
        self.beasts = frozenset([*self.one_of, *self.sound])

    def _facts(self, sizes: Sizes) -> None:
        self.foods = ranked(words.FOODS.split(), sizes.foods)
        rows = table(words.COUNTRIES, sizes.countries)
        self.countries = ranked([row[0] for row in rows], sizes.countries)
        self.capital = {country: capital for country, capital, _, _ in rows}
        self.language = {country: language for country, _, language, _ in rows}
        self.dish = {country: dish for country, _, _, dish in rows}
        self.kind_of = dict.fromkeys(self.animals.weights, "an animal")
        for tools in self.tools.values():
            self.kind_of |= {with_article(tool): "a tool" for tool in tools.weights}
        self.kind_of |= {food: "food" for food in self.foods.weights if not food.endswith("s")}
        n = len(self.kind_of)
        things = dict.fromkeys(self.kind_of, 1)
        self.topics = Options({"the capital of": n, "people in": n} | things)

    def _folk(self, sizes: Sizes) -> Options:
        """Those that people gossip about: one or several, persons or animals."""
        groups = words.GROUPS.split()
        self.many = frozenset([*groups, *self.one_of, *(job + "s" for job in self.jobs.weights)])
        # the job of a baker and of bakers
        self.job_of = {name: job for job in self.jobs.weights for name in (job, job + "s")}
        known = list(self.jobs.weights.items())[:12]
        persons = {name: 3 * weight for job, weight in known for name in (job, job + "s")}
        animals = {animal.split()[1]: w for animal, w in self.animals.weights.items()}
        return Options(
            persons | ranked(groups, sizes.groups).weights | animals | self.herds.weights
        )

    def next_scenes(self, told: tuple[str, ...]) -> Options:
        """The scenes that can be told after these, or the end of the story."""
        if told not in self._next_scenes:
            weights = {s: words.SCENES[s] for s in self.sizes.scenes if s not in told}
            if len(told) >= self.sizes.most_scenes or not weights:
                weights = {words.END: 1}
            elif len(told) >= self.sizes.fewest_scenes:
                weights[words.END] = Options(weights).total
            self._next_scenes[told] = Options(weights)
        return self._next_scenes[told]


VILLAGE = World()
