"""What the village is made of: a `World` holds every list that the stories choose from."""

from dataclasses import dataclass

from nextword.corpora.village import words
from nextword.corpora.village.kinds import WORLD
from nextword.corpora.village.options import Options, Phrasebook, parse

WOMEN = frozenset(words.SHE.split())


@dataclass(frozen=True)
class VillageSizes:
    """How much of the village there is; the defaults give all of it."""

    names: int = 24
    jobs: int = 20
    herds: int = 3  # animals that somebody of a job may keep
    snacks: int = 13
    dishes: int = 3
    ingredients: int = 8
    countries: int = 12
    colours: int = 9
    numbers: int = 5
    landmarks: int = 9
    characters: int = 12
    kin: int = 7
    groups: int = 6
    hiding_places: int = 8
    weather: int = 8
    scenes: tuple[str, ...] | None = None  # how the scenes that may be told begin; None: all
    wishes: tuple[str, ...] | None = None  # how the wishes that may be told begin; None: all
    most_scenes: int = 4  # between the opening and the end of a story
    longest_list: int = 3  # things on a shopping list
    deepest_clause: int | None = None  # relative clauses hung on each other; None: no bound
    limit: int | None = None  # of each choice written out in a scene, keep the first few


def ranked(names: list[str], most: int = 99, kind: str = "", first: int = 3) -> Options:
    """The first `most` names with Zipf-like weights: 1 / first, 1 / (first + 1) and so on."""
    weights = {name: 1000 // (rank + first) for rank, name in enumerate(names[:most])}
    return Options(weights, kind)


def level(names: list[str], most: int) -> Options:
    """The first `most` names, all equally likely."""
    return Options(dict.fromkeys(names[:most], 1))


def table(text: str, most: int = 99) -> list[list[str]]:
    """The first `most` rows of a table of words, cut at the bars."""
    return [[cell.strip() for cell in row.split("|")] for row in text.strip().splitlines()[:most]]


class World:
    """Every list that the stories choose from, and the facts that hold in every story."""

    def __init__(self, sizes: VillageSizes = VillageSizes()):
        self.sizes = sizes
        self.phrasebook = Phrasebook(sizes.limit)
        self.scene_choices: dict[tuple[str, ...], Options] = {}  # filled as stories are told
        self._people(sizes)
        self._animals()
        self._facts(sizes)
        self.colours = ranked(words.COLOURS.split(), sizes.colours)
        self.landmarks = ranked(words.LANDMARKS.split(), sizes.landmarks)
        self.cover = ranked(words.COVER.split(), sizes.landmarks)
        self.wares = ranked(words.WARES.split(), sizes.landmarks)
        self.kept = ranked(list(parse(words.KEPT).weights), sizes.hiding_places)
        self.hiding_places = ranked(list(parse(words.HIDDEN).weights), sizes.hiding_places)
        self.weather = parse(words.WEATHER).first(sizes.weather)
        self.folk = self._folk(sizes)

    def _people(self, sizes: VillageSizes) -> None:
        pairs = zip(words.SHE.split(), words.HE.split(), strict=True)
        self.names = ranked([name for pair in pairs for name in pair], sizes.names)
        self.women = self.names.keep([n for n in self.names.weights if n in WOMEN])
        self.men = self.names.keep([n for n in self.names.weights if n not in WOMEN])
        self.kin = ranked(words.KIN.split(), sizes.kin)
        self.characters = ranked(list(parse(words.CHARACTERS).weights), sizes.characters)
        rows = table(words.JOBS, sizes.jobs)
        self.jobs = ranked([row[0] for row in rows], first=14)
        self.workplace = {row[0]: row[1] for row in rows}
        self.has_door = {job for job, at in self.workplace.items() if at not in words.OPEN_AIR}
        self.tools = {row[0]: ranked(row[2].split(), kind=WORLD) for row in rows}
        self.work = {row[0]: row[3] for row in rows}
        self.job_by_work = {work: job for job, work in self.work.items()}
        self.works = Options({work: self.jobs.weights[job] for job, work in self.work.items()})
        self.product = {row[0]: row[4] for row in rows}
        self.herds = {row[0]: ranked(row[5].split(), sizes.herds, WORLD, 6) for row in rows}

    def _animals(self) -> None:
        rows = table(words.ANIMALS)
        self.one_of = {row[1]: row[0] for row in rows}
        self.sound = {row[0]: row[2] for row in rows}
        self.fodder = {row[1]: row[3] for row in rows}
        self.young = {row[1]: (row[4], row[5]) for row in rows}
        wild = dict(zip(words.WILD_HERDS.split(), words.WILD.split(), strict=True))
        self.beasts = frozenset([*self.one_of, *self.sound, *wild, *wild.values()])
        self.herd_of = {one: many for many, one in (self.one_of | wild).items()}

    def _facts(self, sizes: VillageSizes) -> None:
        self.snacks = ranked(words.SNACKS.split(), sizes.snacks)
        dishes = table(words.DISHES, sizes.dishes)
        self.dishes = ranked([row[0] for row in dishes])
        self.needed = {row[0]: ranked(row[1].split(), sizes.ingredients, WORLD) for row in dishes}
        rows = table(words.COUNTRIES, sizes.countries)
        self.countries = level([row[0] for row in rows], sizes.countries)
        self.capitals = level([row[1] for row in rows], sizes.countries)
        self.capital = {country: capital for country, capital, _, _ in rows}
        self.country = {capital: country for country, capital, _, _ in rows}
        self.language = {country: language for country, _, language, _ in rows}
        self.dish = {country: dish for country, _, _, dish in rows}
        self.towns_and_countries = level([*self.capital, *self.country], 99)
        self.nature = {row[0]: row[1] for row in table(words.NATURE, sizes.countries)}
        n = len(self.nature)
        animals = dict.fromkeys(self.nature, 6)
        self.topics = Options({"the capital of": 4 * n, "people in": 6 * n} | animals)
        counts = words.NUMBERS.split()[: sizes.numbers]
        self.numbers = ranked(counts)
        self.small_numbers = ranked(counts[:3])  # of large animals
        # what is named first of someone's belongings: "a red hammer", or a number of animals
        self.belongings = Options({"a": self.numbers.total} | self.numbers.weights)

    def _folk(self, sizes: VillageSizes) -> Options:
        """Those that people gossip about: one or several, persons or animals."""
        groups = words.GROUPS.split()
        crafts = [job + "s" for job in self.jobs.weights]
        self.many = frozenset([*groups, *crafts, *self.herd_of.values()])
        # the job of a baker and of bakers
        self.job_of = {name: job for job in self.jobs.weights for name in (job, job + "s")}
        known = list(self.jobs.weights.items())[:12]
        persons = {name: 14 * weight for job, weight in known for name in (job, job + "s")}
        most = 99 if sizes.limit is None else 2
        weights = [300] * len(self.one_of) + [500] * len(words.WILD.split())
        animals = dict(list(zip(self.herd_of, weights, strict=True))[:most])
        herds = dict(list(zip(self.herd_of.values(), weights, strict=True))[:most])
        many = {name: 4 * weight for name, weight in ranked(groups, sizes.groups).weights.items()}
        return Options(persons | many | animals | herds)


VILLAGE = World()
