"""The word lists of the village and the facts that never change: who works where, keeps what."""

# Within a list the likelier words come first: the weights fall as in Zipf's law (see world.ranked).

SHE = "anna greta ida clara maja vera rosa tilda olga karin emma wilma"
HE = "nils hugo leo oskar felix axel jonas sven bo peter emil david"

# job | workplace | tools | what the job makes or does | what it gives | animals that they keep
JOBS = """
baker     | bakery   | whisk tray         | baked bread      | some bread   | hens cows ducks
farmer    | field    | rake fork          | grew corn        | some corn    | cows hens horses
smith     | forge    | hammer file        | mended wheels    | a key        | goats horses dogs
tailor    | shop     | needle thimble     | sewed coats      | a scarf      | cats ewes geese
miller    | mill     | sieve scoop        | ground flour     | some flour   | pigs donkeys cats
gardener  | garden   | spade hoe          | planted roses    | some roses   | ducks pigs turkeys
fisher    | harbour  | net rod            | caught fish      | a fish       | cats geese ducks
carpenter | workshop | saw chisel         | built chairs     | a chair      | dogs donkeys pigeons
teacher   | school   | ruler globe        | taught children  | a map        | hens cats pigeons
shepherd  | meadow   | crook whistle      | guarded sheep    | some wool    | ewes goats dogs
clerk     | bank     | pen stamp          | counted money    | a pencil     | cats pigeons hens
doctor    | clinic   | thermometer mirror | healed people    | some medicine | cows horses dogs
cook      | inn      | ladle pan          | fried fish       | some soup    | pigs hens turkeys
weaver    | cottage  | shuttle comb       | wove blankets    | a blanket    | ewes goats cats
potter    | barn     | sponge apron       | shaped bowls     | a bowl       | goats donkeys ducks
painter   | studio   | brush palette      | painted pictures | a picture    | pigeons cats geese
fiddler   | hall     | fiddle drum        | played songs     | a ribbon     | dogs goats turkeys
watchmaker | tower   | lens screwdriver   | mended watches   | a clock      | pigeons dogs cats
beekeeper | orchard  | veil jar           | gathered honey   | some honey   | geese goats hens
librarian | library  | lamp bell          | lent books       | a book       | cats pigeons dogs
"""
OPEN_AIR = "field garden harbour meadow orchard"  # workplaces without a door

# one | several | its sound | its food | its young | how the young come
ANIMALS = """
hen    | hens    | clucked  | corn   | chick    | hatched
goat   | goats   | bleated  | hay    | kid      | was born
duck   | ducks   | quacked  | seeds  | duckling | hatched
cow    | cows    | mooed    | hay    | calf     | was born
goose  | geese   | honked   | grass  | gosling  | hatched
pig    | pigs    | grunted  | peels  | piglet   | was born
cat    | cats    | purred   | fish   | kitten   | was born
horse  | horses  | neighed  | oats   | foal     | was born
dog    | dogs    | barked   | meat   | puppy    | was born
donkey | donkeys | brayed   | oats   | foal     | was born
pigeon | pigeons | cooed    | seeds  | chick    | hatched
turkey | turkeys | gobbled  | corn   | chick    | hatched
ewe    | ewes    | bleated  | grass  | lamb     | was born
"""
FLYING = "pigeons"  # they are stopped by no road
LARGE = "cows horses donkeys pigs"  # nobody keeps more than a few
WILD = "frog mouse crow owl fox hare"  # nobody keeps them; in the plural below
WILD_HERDS = "frogs mice crows owls foxes hares"

# those that end in s are several, the others a mass: "the plums were", "the bread was"
SNACKS = """
bread cheese apples pears plums cake nuts berries cherries honey jam sausages raisins
"""
# what is made | what is needed for it
DISHES = """
a soup | onions potatoes carrots beans peas cabbage mushrooms garlic
a cake | flour eggs butter milk honey cream raisins nuts
a pie  | apples plums cherries berries pears flour butter eggs
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
finland  | helsinki  | finnish    | pasties
portugal | lisbon    | portuguese | sardines
egypt    | cairo     | arabic     | dates
"""
# animals and what is true of them: taught at school
NATURE = """
hens    | lay eggs
cows    | give milk
cats    | can climb
frogs   | can swim
pigeons | can fly
pigs    | can not fly
horses  | can not climb
ducks   | can swim and fly
goats   | give milk
owls    | sleep by day
foxes   | hunt by night
mice    | can climb
"""

COLOURS = "red blue green white yellow brown grey black purple"
COUNT = "one two three four five six seven eight"  # in order
NUMBERS = "three four five six seven"  # of animals or coins, before any comes or goes
LANDMARKS = "river lake forest church hill bridge sea spring castle"  # where people live
COVER = "church hill mill bridge castle school inn"  # behind these an animal can be hidden
CHARACTERS = """
an old | a kind | a young | a shy | a cheerful | a clever | a brave | a quiet | a patient
| a proud | a busy | an honest
"""
WOMEN_KIN = "friend neighbour sister cousin aunt"
MEN_KIN = "friend neighbour brother cousin uncle"
KIN = "friend neighbour brother sister cousin uncle aunt"
GROUPS = "children neighbours sisters girls boys twins"  # of people without a job in common
KEPT = """
in the chest | on the shelf | beside the bed | under the stairs | on its hook | behind the door
"""
HIDDEN = """
under the bed | behind the stove | in the well | on the roof | near the gate
| inside the cupboard | between the stones | above the window
"""
WARES = "kite lantern mug basket vase candle doll"  # what is sold at the fair
WEATHER = """
winter , and snow lay on the roofs 2 | winter , and the nights were long 2
| spring , and the birds came back | spring , and the flowers opened
| summer , and the sun was warm | summer , and the days were long
| autumn , and the leaves were falling | autumn , and the apples were ripe
"""
FIRESIDE = "winter autumn"  # seasons in which people sit by the fire
