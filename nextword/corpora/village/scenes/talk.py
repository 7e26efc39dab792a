"""Scenes of talk: what people say of each other, and what the children learn at school."""

from nextword.corpora.village.kinds import WORLD, marked
from nextword.corpora.village.options import Options
from nextword.corpora.village.people import Speaking, Tale, newcomer
from nextword.corpora.village.world import World

MOODS = "tired 3 | hungry 2 | fast 2 | clever | small"  # of animals
TEMPERS = "kind 3 | happy 2 | busy | clever | proud | rich 2"  # of persons


def gossip(tale: Tale) -> Speaking[None]:
    """A subject, clauses hung on clauses, and at last the verb that agrees with the subject."""
    world = tale.world
    head = yield world.folk
    tale.remember(f"the gossip about the {head}")
    nouns = [head]
    weight = 13  # of a first clause, then of one more
    while True:
        more = f"{pronoun(world, nouns[-1])} {weight} | "
        bound = len(nouns) > (world.sizes.deepest_clause or len(nouns))
        heard = yield ("" if bound else more) + predicates(world, head)
        if heard not in ("who", "that"):
            break
        yield clause_verbs(world, nouns[-1])
        yield "the"
        nouns.append((yield world.folk.without(*nouns)))
        weight = 7
    yield from rest_of_predicate(world, head, heard)
    yield "."


def pronoun(world: World, noun: str) -> str:
    """The relative pronoun: "that" for animals, "who" for persons."""
    return "that" if noun in world.beasts else "who"


def clause_verbs(world: World, noun: str) -> str:
    """The verbs of a relative clause; they agree with the noun that was just said."""
    if noun in world.beasts:
        return (
            "follow/agreement 3 | see 2 | hear"
            if noun in world.many
            else "follows/agreement 3 | sees 2 | hears"
        )
    if noun in world.many:
        return "know/agreement 4 | help 3 | visit 2"
    return "knows/agreement 4 | helps 3 | visits 2"


def predicates(world: World, head: str) -> str:
    """The verbs that can follow the whole subject; they agree with its head, however far away."""
    several = head in world.many
    if head in world.job_of:
        return "are/agreement | work 3 | need 4" if several else "is/agreement | works 3 | needs 4"
    if head in world.beasts:
        return "are/agreement 3 | sleep 2" if several else "is/agreement 3 | sleeps 2"
    return "are/agreement 3 | sing 2"


def rest_of_predicate(world: World, head: str, verb: str) -> Speaking[None]:
    """What follows the verb; where someone works and what they need goes with the head too."""
    if verb in ("is", "are"):
        yield MOODS if head in world.beasts else TEMPERS
    elif verb in ("works", "work"):
        yield f"in the {world.workplace[world.job_of[head]]}/world"
    elif verb in ("needs", "need"):
        yield "a new"
        yield world.tools[world.job_of[head]]
    else:  # animals sleep, children sing
        yield "behind the | near the 2"
        yield world.landmarks


def lesson(tale: Tale) -> Speaking[None]:
    """What the children learn: capitals, languages, dishes, and what animals do."""
    world = tale.world
    topic = yield from fact(world)
    tale.remember(f"the lesson about {topic}")
    yield "and that"
    yield from fact(world, topic)
    yield "."


def question(tale: Tale) -> Speaking[None]:
    """A question of the teacher, and a child's answer."""
    world = tale.world
    country = yield world.countries
    tale.remember(f"the question about {country}")
    yield f'? " asked the teacher at school . " it is {world.capital[country]}/world'
    yield ', " said little'
    yield from newcomer(tale)
    yield "."


def fact(world: World, told: str = "") -> Speaking[str]:
    """One fact, not about what was told; gives back what it was about."""
    about = yield but(world.topics, told)
    if about == "the capital of":
        country = yield but(world.countries, told)
        yield f"is {world.capital[country]}/world"
        return country
    if about == "people in":
        place = yield but(world.towns_and_countries, told)
        country = world.country.get(place, place)
        yield f"speak {world.language[country]}/world | eat {world.dish[country]}/world"
        return place
    yield marked(world.nature[about], WORLD)
    return about


def but(options: Options, told: str) -> Options:
    """The options without what was told, if anything else is left."""
    is_left = told in options.places and len(options.places) > 1
    return options.without(told) if is_left else options
