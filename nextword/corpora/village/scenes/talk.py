"""Scenes of talk: what people say of each other, and what the children learn at school."""

from nextword.corpora.village.people import Speaking, Tale
from nextword.corpora.village.world import World

MOODS = "tired 3 | hungry 2 | fast | clever | small"  # of animals
TEMPERS = "kind 3 | happy 2 | busy | clever | proud | rich"  # of persons


def gossip(tale: Tale) -> Speaking[None]:
    """A subject, clauses hung on clauses, and at last the verb that agrees with the subject."""
    world = tale.world
    head = yield world.folk
    tale.memories.append(f"the {head}")
    nouns = [head]
    weight = 8  # of a first clause, then of one more
    while True:
        more = f"{pronoun(world, nouns[-1])} {weight} | "
        bound = len(nouns) > (world.sizes.deepest_clause or len(nouns))
        heard = yield ("" if bound else more) + predicates(world, head)
        if heard not in ("who", "that"):
            break
        yield clause_verbs(world, nouns[-1])
        yield "the"
        nouns.append((yield world.folk.without(*nouns)))
        weight = 5
    yield from rest_of_predicate(world, head, heard)
    yield "."


def pronoun(world: World, noun: str) -> str:
    """The relative pronoun: "that" for animals, "who" for persons."""
    return "that" if noun in world.beasts else "who"


def clause_verbs(world: World, noun: str) -> str:
    """The verbs of a relative clause; they agree with the noun that was just said."""
    if noun in world.beasts:
        return "follow 3 | see 2 | hear" if noun in world.many else "follows 3 | sees 2 | hears"
    if noun in world.many:
        return "know 4 | help 3 | visit 2 | feed"
    return "knows 4 | helps 3 | visits 2 | feeds"


def predicates(world: World, head: str) -> str:
    """The verbs that can follow the whole subject; they agree with its head, however far away."""
    if head in world.many:
        return "are 2 | work 2 | need 2" if head in world.job_of else "are 3 | sleep | sing"
    return "is 2 | works 2 | needs 2" if head in world.job_of else "is 3 | sleeps | sings"


def rest_of_predicate(world: World, head: str, verb: str) -> Speaking[None]:
    """What follows the verb; where someone works and what they need goes with the head too."""
    if verb in ("is", "are"):
        yield MOODS if head in world.beasts else TEMPERS
    elif verb in ("works", "work"):
        yield f"in the {world.workplace[world.job_of[head]]}"
    elif verb in ("needs", "need"):
        yield "a new"
        yield world.tools[world.job_of[head]]
    else:
        yield "behind the | near the 2"
        yield world.landmarks


def lesson(tale: Tale) -> Speaking[None]:
    """Two facts that never change: capitals, languages, dishes, kinds of things."""
    topic = yield from fact(tale.world)
    tale.memories.append(f"the lesson about {topic}")
    yield "and that"
    yield from fact(tale.world)
    yield "."


def fact(world: World) -> Speaking[str]:
    """One fact; gives back what it was about."""
    topic = yield world.topics
    if topic == "the capital of":
        country = yield world.countries
        yield f"is {world.capital[country]}"
        return country
    if topic == "people in":
        country = yield world.countries
        yield f"speak {world.language[country]} | eat {world.dish[country]}"
        return country
    right = world.kind_of[topic]
    wrong = [kind for kind in ("an animal", "a tool", "food") if kind != right]
    yield f"is {right} 4 | is not {wrong[0]} | is not {wrong[1]}"
    return topic
