"""What someone in a story wants, and the words that say so."""

from nextword.corpora.village.people import Person, Speaking, Tale, Wished
from nextword.corpora.village.wishes import contests, kitchen, letters, nights, savings
from nextword.corpora.village.wishes.turns import Wish

WISHES = {
    "wanted to bake a cake with": kitchen.CAKE,
    "planned to grow a pumpkin as big as": kitchen.PUMPKIN,
    "hoped that one of the": contests.PRIZE,
    "meant to win the race to the": contests.RACE,
    "got a letter from": letters.LETTER,
    "longed for peace with": letters.PEACE,
    "dreamed of seeing": nights.SIGHT,
    "wished for one quiet night because": nights.SLEEP,
    "could not forget the": savings.WARE,
}
# how what helps or hinders a wish begins: when it happens
WHEN = ("one day", "one afternoon", "a week later", "after a while")
