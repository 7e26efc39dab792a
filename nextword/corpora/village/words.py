"""The word lists of the village and the facts that never change: who works where, who eats what."""

# Within a list the likelier words come first: the weights fall as in Zipf's law (see world.ranked).

SHE = "anna greta ida clara maja vera rosa tilda olga karin emma wilma"
HE = "nils hugo leo oskar felix axel jonas sven bo peter emil david"

# job | workplace | tools | what the job makes or does, past tense
JOBS = """
baker     | bakery   | whisk oven          | baked bread
farmer    | field    | plough rake         | grew corn
smith     | forge    | hammer anvil        | mended wheels
tailor    | shop     | needle thimble      | sewed coats
miller    | mill     | sieve sack          | ground flour
gardener  | garden   | spade hoe           | planted roses
fisher    | harbour  | net rod             | caught fish
carpenter | workshop | saw chisel          | built chairs
teacher   | school   | ruler globe         | taught children
shepherd  | meadow   | crook whistle       | guarded sheep
clerk     | bank     | pen ledger          | counted coins
doctor    | clinic   | thermometer bandage | healed people
cook      | inn      | ladle pan           | made soup
weaver    | cottage  | loom shuttle        | wove blankets
potter    | barn     | wheel kiln          | shaped bowls
painter   | studio   | brush easel         | painted pictures
fiddler   | hall     | fiddle drum         | played songs
watchmaker | tower   | lens pincers        | mended clocks
beekeeper | orchard  | hive veil           | gathered honey
librarian | library  | ladder lamp         | lent books
"""

# one animal | several | its sound
ANIMALS = """
hen    | hens    | clucked
goat   | goats   | bleated
duck   | ducks   | quacked
cow    | cows    | mooed
goose  | geese   | honked
pig    | pigs    | grunted
cat    | cats    | purred
horse  | horses  | neighed
dog    | dogs    | barked
donkey | donkeys | brayed
pony   | ponies  | whinnied
frog   | frogs   | croaked
owl    | owls    | hooted
mouse  | mice    | squeaked
pigeon | pigeons | cooed
crow   | crows   | cawed
"""

# those that end in s are several, the others a mass: "the plums were", "the bread was"
FOODS = """
bread cheese apples eggs butter honey milk onions soup pears carrots potatoes jam plums cabbage
flour nuts beans mushrooms cherries cake peas sausages tea berries cream garlic raisins
"""

# country | capital | language | dish
COUNTRIES = """
france   | paris     | french     | crepes
italy    | rome      | italian    | pasta
spain    | madrid    | spanish    | paella
germany  | berlin    | german     | pretzels
sweden   | stockholm | swedish    | buns
greece   | athens    | greek      | olives
norway   | oslo      | norwegian  | salmon
poland   | warsaw    | polish     | dumplings
japan    | tokyo     | japanese   | sushi
finland  | helsinki  | finnish    | pies
portugal | lisbon    | portuguese | sardines
egypt    | cairo     | arabic     | dates
"""

COLOURS = "red blue green white yellow brown grey black golden"
COUNT = "one two three four five six seven eight nine ten"  # in order
NUMBERS = "three four five six seven eight nine"  # of animals or coins, before any comes or goes
LANDMARKS = "river lake forest church hill bridge sea spring castle"
CHARACTERS = """
an old | a kind | a young | a shy | a cheerful | a clever | a brave | a quiet | a patient
| a proud | a busy | an honest
"""
WOMEN_KIN = "friend neighbour sister cousin aunt"
MEN_KIN = "friend neighbour brother cousin uncle"
KIN = "friend neighbour brother sister cousin uncle aunt"
GROUPS = "children neighbours sisters girls boys twins"  # of people without a job in common
HIDDEN = """
under the bed | behind the stove | in the well | on the roof | near the gate
| inside the cupboard | between the stones | above the door
"""
WEATHER = """
winter , and snow lay on the roofs | winter , and the nights were long
| spring , and the birds came back | spring , and the snow melted
| summer , and the sun was warm | summer , and the days were long
| autumn , and the leaves were falling | autumn , and the wind was strong
"""

# how the scenes of a story begin, and how often each is told
SCENES = {
    "on market day": 7,
    "one day the": 5,
    "in the afternoon": 5,
    "at noon": 5,
    "that day": 5,
    "in the evening": 5,
    "before sunrise": 3,
    "they say that the": 9,
    "one morning a": 6,
    "then there was a feast": 7,
    "later": 5,
    "at school the children learned that": 6,
    "at dawn": 4,
}
END = "when night fell ,"
