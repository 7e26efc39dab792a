"""Scenes with animals: one that does not cross, one that is missing, and what people say."""

from nextword.corpora.village.people import NUMBER, Speaking, Tale
from nextword.corpora.village.world import World

TIRED = "tired 4 | hungry 2 | sleepy | lazy | weak"
WIDE = "wide 4 | muddy 2 | long | icy | steep"
IS_TIRED = frozenset(TIRED.replace("|", "").split())


def crossing(tale: Tale) -> Speaking[None]:
    """Too tired or too wide: the reason says whether "it" is the animal or the road."""
    hero, world = tale.hero, tale.world
    animal = yield world.animals
    yield "came to the"
    way = yield "road 3 | river 2 | lane | field | street"
    yield f". the {animal} did not cross the {way} because it was too"
    reason = yield f"{TIRED} | {WIDE}"
    if reason in IS_TIRED:
        tale.memories.append(f"the {reason} {animal}")
        yield f". so {hero.name} let the {animal} rest | . so {hero.name} gave the {animal} some food"
    else:
        tale.memories.append(f"the {reason} {way}")
        yield f". so {hero.name} went round the {way} | . so {hero.name} looked for another {way}"
    yield "."


def counting(tale: Tale) -> Speaking[None]:
    """One animal is missing: the number from the opening, less one."""
    hero, world = tale.hero, tale.world
    animal = world.single[hero.herd]
    fewer = NUMBER[NUMBER.index(hero.number) - 1]
    tale.memories.append(f"the missing {animal}")
    yield f"{hero.name} counted the {hero.herd} , and there were only {fewer} . the {animal}"
    yield "was asleep | was hiding | was eating grass"
    yield "behind the 2 | near the"
    yield world.landmarks
    yield f". it {world.sound[animal]}"
    yield "loudly 2 | softly | twice"
    yield f", and then there were {hero.number} {hero.herd} again ."


def gossip(tale: Tale) -> Speaking[None]:
    """A subject, clauses hung on clauses, and at last the verb that agrees with the subject."""
    world = tale.world
    head = yield world.folk
    tale.memories.append(f"the {head}")
    nouns = [head]
    weight = 7  # of a first clause, then of one more
    while True:
        more = "" if len(nouns) - 1 == world.deepest_clause else f"{_who(world, nouns[-1])} {weight} |"
        said = yield more + predicates(world, head)
        if not said.startswith(("who", "that")):
            break
        yield clause_verbs(world, nouns[-1])
        yield "the"
        nouns.append((yield world.folk.without(*nouns)))
        weight = 3
    if said in ("is", "are"):
        yield MOODS if head in world.beasts else TEMPERS
    elif said in ("works", "work"):
        yield f"in the {world.workplace[world.one[head]]}"
    elif said in ("needs", "need"):
        yield "a new"
        yield world.tools[world.one[head]]
    else:
        yield "behind the | near the 2"
        yield world.landmarks
    yield "."


MOODS = "tired 3 | hungry 2 | fast | clever | small"
TEMPERS = "kind 3 | happy 2 | busy | clever | proud | rich"


def _who(world: World, noun: str) -> str:
    return "that" if noun in world.beasts else "who"


def predicates(world: World, noun: str) -> str:
    """The verbs that can follow the whole subject; they agree with `noun` alone."""
    if noun in world.many:
        return "are 3 | work 2 | need" if noun in world.one else "are 3 | sleep | sing"
    return "is 3 | works 2 | needs" if noun in world.one else "is 3 | sleeps | sings"


def clause_verbs(world: World, noun: str) -> str:
    """The verbs of a relative clause; they agree with the noun just said."""
    if noun in world.beasts:
        return "follow 3 | see 2 | hear" if noun in world.many else "follows 3 | sees 2 | hears"
    if noun in world.many:
        return "know 4 | help 3 | visit 2 | feed"
    return "knows 4 | helps 3 | visits 2 | feeds"
