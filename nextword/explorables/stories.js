// Written by `nextword sync` from nextword/corpora/village: do not edit.
import { $ } from "./python.js";
import { Options } from "./options.js";

const m_words = {"COUNT":"one two three four five six seven eight","FIRESIDE":"winter autumn","FLYING":"pigeons","LARGE":"cows horses donkeys pigs","MEN_KIN":"friend neighbour brother cousin uncle","WOMEN_KIN":"friend neighbour sister cousin aunt"};
const m_corpus = {"EOS":"</s>"};
const m_options = { Options };
const m_world = { WOMEN: new Set(["anna","clara","emma","greta","ida","karin","maja","olga","rosa","tilda","vera","wilma"]) };
const m_kinds = (() => {
const { EOS } = m_corpus;
const [PHRASE, CHOICE] = ["phrase", "choice"];
const [LIST, WORLD] = ["list", "world"];
const KINDS = new Map([[PHRASE, "the wording: the few words before leave nothing else to say"], [CHOICE, "a free choice: nobody can know"], ["agreement", "one or several: the verb goes with its subject"], ["pronoun", "who is meant by she, he or it"], ["sense", "the sense of a word: a bank of a river, or a bank for money"], [WORLD, "knowledge of the world: true in every story"], ["name", "a person who was named before"], ["thing", "a thing, an animal or a colour that was named before"], ["place", "where something or somebody is"], ["count", "how many there are"], [LIST, "a list to keep in mind: what was wanted, brought, or happened"], ["cause", "an earlier event that decides what happens now"], ["promise", "a promise that is kept, or a wish that comes true or not"]]);
const MARK = "/";
const END = `${EOS}${MARK}${PHRASE}`;
function marked(text, kind) {
return $.join(" ", $.iter($.split(text)).map((w) => (($.has(w, MARK)) ? w : `${w}${MARK}${kind}`)));
}
function unmarked(text) {
if ((!$.has(text, MARK))) {
return text;
}
return $.join(" ", $.at(read(text), 0));
}
function read(text, kind = PHRASE) {
let _, kinds, place, said, word, words;
words = $.split(text);
if ((!$.has(text, MARK))) {
return [words, $.times([kind], $.len(words))];
}
kinds = [];
for ([place, word] of $.iter($.enumerate(words))) {
[words[place], _, said] = (($.has(word, MARK)) ? $.rpartition(word, MARK) : [word, "", ""]);
$.append(kinds, ($.truth(said) ? said : kind));
}
return [words, kinds];
}
return { marked, unmarked, read, PHRASE, CHOICE, LIST, WORLD, KINDS, MARK, END };
})();
const m_people = (() => {
const words = m_words;
const { LIST, marked, unmarked } = m_kinds;
const { Options } = m_options;
const { WOMEN } = m_world;
const COUNT = $.split(words.COUNT);
class Person {
constructor(name, she, her, to_her, job = "") {
this.name = name;
this.she = she;
this.her = her;
this.to_her = to_her;
this.job = job;
}
toString() {
return `${this.name}/name`;
}
}
class Hero extends Person {
constructor(name, she, her, to_her, job, number = "", herd = "", colour = "", tool = "", kept = "", home = "") {
super(name, she, her, to_her, job);
this.number = number;
this.herd = herd;
this.colour = colour;
this.tool = tool;
this.kept = kept;
this.home = home;
}
get animals() {
return `${this.number}/count ${this.herd}/thing`;
}
get own_tool() {
return `${this.colour}/thing ${this.tool}/thing`;
}
}
class Wished {
constructor(name, wisher, other, thing = "", colour = "", number = "", place = "", coins = 0, price = 0, person = null, helper = null, turns = [], causes = [], comes_true = false) {
this.name = name;
this.wisher = wisher;
this.other = other;
this.thing = thing;
this.colour = colour;
this.number = number;
this.place = place;
this.coins = coins;
this.price = price;
this.person = person;
this.helper = helper;
this.turns = turns;
this.causes = causes;
this.comes_true = comes_true;
}
}
class Tale {
constructor(world, hero, friend, names, season = "", wish = null, memories = [], told = [], pending = new Map(), hour = 0, rained = false, is_muddy = false, gate_open = false, hungry = false, has_coins = false, coins = "", dish = "", bought = [], not_bought = "", finder = null, giver = null, gift = "", traveller = null, country = "", guest = null, origin = "", taken = "", contrast = "", friend_is_more = false) {
this.world = world;
this.hero = hero;
this.friend = friend;
this.names = names;
this.season = season;
this.wish = wish;
this.memories = memories;
this.told = told;
this.pending = pending;
this.hour = hour;
this.rained = rained;
this.is_muddy = is_muddy;
this.gate_open = gate_open;
this.hungry = hungry;
this.has_coins = has_coins;
this.coins = coins;
this.dish = dish;
this.bought = bought;
this.not_bought = not_bought;
this.finder = finder;
this.giver = giver;
this.gift = gift;
this.traveller = traveller;
this.country = country;
this.guest = guest;
this.origin = origin;
this.taken = taken;
this.contrast = contrast;
this.friend_is_more = friend_is_more;
}
begin(scene) {
$.put(this.pending, scene, $.len(this.told));
}
remember(memory) {
$.append(this.memories, marked(unmarked(memory), LIST));
}
other(someone) {
return ((someone === this.hero) ? this.friend : this.hero);
}
get is_cold() {
return (($.truth(this.rained) && (this.season !== "summer")) || ($.has($.split(words.FIRESIDE), this.season)));
}
}
function pronouns(name) {
let forms;
forms = (($.has(WOMEN, name)) ? ["she", "her", "her"] : ["he", "his", "him"]);
return [`${$.at(forms, 0)}/pronoun`, `${$.at(forms, 1)}/pronoun`, `${$.at(forms, 2)}/pronoun`];
}
function elsewhere(hero, world) {
return (($.has(world.cover.places, hero.home)) ? world.cover.without(hero.home) : world.cover);
}
function* newcomer(tale, names = null) {
let name, options;
options = ($.truth(names) ? names : tale.world.names);
name = (yield options.without(...$.iter($.iter(tale.names).filter((n) => ($.has(options.places, n))).map((n) => n))));
$.append(tale.names, name);
return new Person(name, ...$.iter(pronouns(name)));
}
function* one_of(first, second) {
let heard;
heard = (yield `${first} 2 | ${second}`);
return ((heard === first.name) ? first : second);
}
function* listed(things) {
let position, thing;
for ([position, thing] of $.iter($.enumerate(things))) {
if ($.truth(position)) {
(yield ((position === ($.len(things) - 1)) ? "and/list" : ",/list"));
}
(yield marked(thing, LIST));
}
}
function* chosen(options, most) {
let joint, things;
things = [(yield options)];
joint = ",";
while ((joint !== "and")) {
joint = (yield (($.len(things) === (most - 1)) ? "and" : ", | and 2"));
$.append(things, (yield options.without(...$.iter(things))));
}
return things;
}
return { Person, Hero, Wished, Tale, pronouns, elsewhere, newcomer, one_of, listed, chosen, words, COUNT };
})();
const m_parts = (() => {
const { marked } = m_kinds;
const { Tale, Wished } = m_people;
const [HELPS, HINDERS] = [13, 6];
class Turn {
constructor(helps, tell) {
this.helps = helps;
this.tell = tell;
}
}
class Wish {
constructor(weight, say, turns, ends, tell, anyone = true, in_winter = true, at_night = false) {
this.weight = weight;
this.say = say;
this.turns = turns;
this.ends = ends;
this.tell = tell;
this.anyone = anyone;
this.in_winter = in_winter;
this.at_night = at_night;
}
}
function beginnings(wish, told) {
let luck;
if ($.truth(told.turns)) {
luck = $.iter($.items(wish.turns)).filter(([b, turn]) => (turn.helps !== told.comes_true)).map(([b, turn]) => b);
return $.join(" | ", $.iter(luck).filter((begins) => (!$.has(told.turns, begins))).map((begins) => begins));
}
return $.join(" | ", $.iter($.items(wish.turns)).map(([b, t]) => `${b} ${($.truth(t.helps) ? HELPS : HINDERS)}`));
}
function in_spite(told) {
if (($.len(told.turns) === 1)) {
return "";
}
return `, in/cause spite of ${marked($.at(told.causes, 0), "list")} ,`;
}
function name(person) {
return `${person}`;
}
return { Turn, Wish, beginnings, in_spite, name, HELPS, HINDERS };
})();
const m_contests = (() => {
const { COUNT, Tale, Wished, elsewhere, newcomer } = m_people;
const { Turn, Wish, in_spite, name } = m_parts;
function* want_prize(tale, wish) {
wish.thing = $.at(tale.world.one_of, tale.hero.herd);
(yield `${tale.hero.animals} would win the first prize because ${wish.other}`);
(yield `had laughed about the ${tale.hero.herd}/thing 2 | had won it once`);
(yield ".");
}
function* soap(tale, wish) {
(yield `and a brush made the ${wish.thing}/thing as bright as the moon .`);
return "the warm water";
}
function* judge(tale, wish) {
(yield `came by and said that the ${wish.thing}/thing had the eyes of a queen .`);
return `the eyes of the ${wish.thing}`;
}
function* muddy(tale, wish) {
tale.is_muddy = true;
(yield `was muddy , and the ${wish.thing}/thing lay down on it .`);
return "the muddy road";
}
function* larger(tale, wish) {
wish.helper = (yield* newcomer(tale));
(yield `brought a ${wish.thing}/thing as big as a house .`);
return `the big ${wish.thing} of ${wish.helper.name}`;
}
function* prize(tale, wish) {
let _, animal, cause, young;
[cause, animal] = [$.at(wish.turns, -1), wish.thing];
(yield `${in_spite(wish)} the ${animal}/thing won`);
if ((cause === "warm water")) {
(yield `the/promise first prize because nobody/cause had seen such a ${animal}/thing`);
} else {
if ((cause === "a judge")) {
(yield "the/promise first prize because of its eyes/cause");
} else {
if ((cause === "the road")) {
(yield "nothing/promise because it was muddy/cause");
} else {
(yield `nothing/promise because of the big/cause ${animal}/thing of ${name(wish.helper)}`);
}
}
}
if ($.truth(wish.comes_true)) {
[young, _] = $.at(tale.world.young, tale.hero.herd);
(yield `, and ${wish.other}`);
(yield `gave it a ribbon 2 | asked for a ${young} 5`);
(yield ".");
} else {
(yield ", but it ate the prize 2 | , but it liked the fair");
(yield ".");
}
}
function* want_race(tale, wish) {
wish.place = (yield elsewhere(tale.hero, tale.world));
(yield `because ${wish.other} had won it`);
wish.number = (yield tale.world.numbers);
(yield "times .");
}
function* walks(tale, wish) {
(yield `over the hill was the first of many for ${wish.wisher} .`);
return "the long walks";
}
function* shoes(tale, wish) {
wish.helper = (yield* newcomer(tale));
(yield `lent ${wish.wisher} some light shoes .`);
return `the shoes of ${wish.helper.name}`;
}
function* sleeper(tale, wish) {
wish.thing = $.at(tale.world.one_of, tale.hero.herd);
(yield `${wish.thing}/thing lay on the road , and ${wish.wisher} fell over it and hurt a foot .`);
return `the sleepy ${wish.thing}`;
}
function* wedding(tale, wish) {
(yield `, and ${wish.wisher} ate all the cake .`);
return "the wedding";
}
function* race(tale, wish) {
let cause, more, other, to_her;
cause = $.at(wish.turns, -1);
(yield `${in_spite(wish)} ${wish.wisher} came to the ${wish.place}/place`);
if ((cause === "a walk")) {
(yield "first/promise thanks to the long/cause walks");
} else {
if ((cause === "an old neighbour named")) {
(yield `first/promise in the shoes/cause of ${name(wish.helper)}`);
} else {
if ((cause === "a sleepy")) {
(yield "last/promise because of the bad/cause foot .");
(yield `the ${wish.thing}/thing came first .`);
} else {
more = $.at(COUNT, $.add($.index(COUNT, wish.number), 1));
(yield `last/promise because of all the cake/cause . now ${wish.other} had won ${more}/count`);
(yield "times .");
}
}
}
if ($.truth(wish.comes_true)) {
[other, to_her] = [wish.other, wish.wisher.to_her];
(yield `, and ${other} gave ${to_her} roses . | , so ${other} bought new shoes .`);
}
}
const PRIZE = new Wish(10, want_prize, new Map([["warm water", new Turn(true, soap)], ["a judge", new Turn(true, judge)], ["the road", new Turn(false, muddy)], ["a rich farmer named", new Turn(false, larger)]]), "on the great day", prize, false);
const RACE = new Wish(10, want_race, new Map([["a walk", new Turn(true, walks)], ["an old neighbour named", new Turn(true, shoes)], ["a sleepy", new Turn(false, sleeper)], ["there was a wedding", new Turn(false, wedding)]]), "on the day of the race", race);
return { want_prize, soap, judge, muddy, larger, prize, want_race, walks, shoes, sleeper, wedding, race, PRIZE, RACE };
})();
const m_kitchen = (() => {
const { marked } = m_kinds;
const { Tale, Wished, newcomer } = m_people;
const { Turn, Wish, in_spite, name } = m_parts;
const FILLINGS = "cherries 3 | honey 3 | berries 2 | nuts 2 | plums 2 | raisins 2";
const SIZES = "a cow 3 | a stove 3 | a horse 2 | a door 2";
function* want_cake(tale, wish) {
wish.thing = (yield FILLINGS);
(yield `for the birthday of ${wish.other} because`);
(yield "the last one had been as hard as a stone 2 | nobody had forgotten the last one");
(yield ".");
}
function* bowl(tale, wish) {
wish.helper = (yield* newcomer(tale));
(yield `gave ${wish.wisher} a big bowl of ${wish.thing}/thing .`);
return `the ${wish.thing} from ${wish.helper.name}`;
}
function* old_book(tale, wish) {
(yield `taught ${wish.wisher}`);
(yield "two | three 2 | four");
(yield "ways to bake a light cake .");
return "the old book";
}
function* open_door(tale, wish) {
(yield `was open , so the ${tale.hero.herd}/thing came in and ate all the ${wish.thing}/thing .`);
return `the hungry ${tale.hero.herd}`;
}
function* burned(tale, wish) {
(yield "was forgotten in the stove and turned as black as the night .");
return "the black cake";
}
function* cake(tale, wish) {
let cause, other;
[cause, other] = [$.at(wish.turns, -1), wish.other];
(yield `${in_spite(wish)} the cake was`);
if ((cause === "a neighbour named")) {
(yield `full/promise of the ${wish.thing}/thing from ${name(wish.helper)} , and ${other} ate`);
} else {
if ((cause === "an old book")) {
(yield `as/promise light as the one in the book/cause , and ${other} ate`);
} else {
if ((cause === "the door")) {
(yield `nothing/promise but flour because the ${tale.hero.herd}/cause had eaten the`);
(yield `${wish.thing}/thing , but ${other}`);
(yield "ate it without a word 2 | asked for no more");
} else {
(yield `black/promise , so ${other}`);
(yield "put it behind the open door 2 | gave it to the pigs");
}
}
}
if ($.truth(wish.comes_true)) {
(yield "two pieces . | three pieces . 2 | three pieces and asked for more . 2");
} else {
(yield ".");
}
}
function* want_pumpkin(tale, wish) {
wish.thing = (yield SIZES);
(yield "because the last one had been as small as an egg .");
}
function* warm_rain(tale, wish) {
tale.is_muddy = true;
(yield "came , and it fell on the garden for");
(yield "three days 2 | a week");
(yield ".");
return "the warm rain";
}
function* earth(tale, wish) {
wish.helper = (yield* newcomer(tale));
(yield `brought ${wish.wisher} some good black earth from the field .`);
return `the black earth from ${wish.helper.name}`;
}
function* garden_gate(tale, wish) {
(yield `was open , so the ${tale.hero.herd}/thing came in and ate the leaves .`);
return `the ${tale.hero.herd} in the garden`;
}
function* cold_wind(tale, wish) {
(yield "turned half of the leaves");
(yield "brown 2 | black");
(yield ".");
return "the cold wind";
}
function* pumpkin(tale, wish) {
let cause;
(yield `${in_spite(wish)} the pumpkin was as`);
cause = marked($.at(wish.causes, -1), "cause");
if ($.truth(wish.comes_true)) {
(yield `big/promise as ${marked(wish.thing, "thing")} thanks to ${cause} , and`);
(yield "four | five 2 | six 2 | seven");
(yield "neighbours brought it to the feast .");
} else {
(yield `small/promise as an egg because of ${cause} , so ${wish.wisher}`);
(yield "made a soup for one 2 | gave it to a mouse");
(yield ".");
}
}
const CAKE = new Wish(10, want_cake, new Map([["a neighbour named", new Turn(true, bowl)], ["an old book", new Turn(true, old_book)], ["the door", new Turn(false, open_door)], ["the first cake", new Turn(false, burned)]]), "on the birthday", cake);
const PUMPKIN = new Wish(10, want_pumpkin, new Map([["a warm rain", new Turn(true, warm_rain)], ["a farmer named", new Turn(true, earth)], ["the garden gate", new Turn(false, garden_gate)], ["a cold wind", new Turn(false, cold_wind)]]), "on the day of the feast", pumpkin, undefined, false);
return { want_cake, bowl, old_book, open_door, burned, cake, want_pumpkin, warm_rain, earth, garden_gate, cold_wind, pumpkin, FILLINGS, SIZES, CAKE, PUMPKIN };
})();
const m_letters = (() => {
const { Tale, Wished, newcomer } = m_people;
const { Turn, Wish, in_spite, name } = m_parts;
function* want_letter(tale, wish) {
let capital, world;
world = tale.world;
wish.person = (yield* newcomer(tale));
(yield "in");
capital = (yield world.capitals);
wish.place = $.at(world.country, capital);
(yield `, the capital of ${wish.place}/world , but it was in ${$.at(world.language, wish.place)}/world`);
(yield `, and ${wish.wisher} longed to read it .`);
}
function* sailor(tale, wish) {
let language;
language = $.at(tale.world.language, wish.place);
(yield `from ${wish.place}/world came to the inn and spoke ${language}/world to the cat .`);
return `the sailor from ${wish.place}`;
}
function* big_book(tale, wish) {
let language;
language = $.at(tale.world.language, wish.place);
(yield `about ${wish.place}/world began to teach ${wish.wisher} ${language}/world ,`);
(yield "one word a day . | two words a day .");
return "the big book";
}
function* wind(tale, wish) {
wish.thing = $.at(tale.world.one_of, tale.hero.herd);
(yield `brought the letter to the ${tale.hero.herd}/thing , and one of them ate half of it .`);
return `the hungry ${wish.thing}`;
}
function* tea(tale, wish) {
(yield "of tea fell over , and half of the words of the letter were gone .");
return "the cup of tea";
}
function* letter(tale, wish) {
let capital, cause, country, harmed, helper, rest, sailor, world;
[cause, world, country] = [$.at(wish.turns, -1), tale.world, wish.place];
capital = `${$.at(world.capital, country)}/place`;
(yield `${in_spite(wish)} ${wish.wisher} could`);
if ($.truth(wish.comes_true)) {
harmed = (($.has(wish.turns, "the wind")) || ($.has(wish.turns, "a cup")));
rest = ($.truth(harmed) ? "half/cause of the letter" : "the letter");
sailor = `sailor/cause from ${country}/world at`;
helper = ((cause === "a sailor") ? sailor : "big/cause book on");
(yield `read/promise ${rest} with the ${helper} the table .`);
(yield `" come to ${capital} and eat ${$.at(world.dish, country)}/world with me , "`);
(yield `wrote ${name(wish.person)} .`);
} else {
if ((cause === "the wind")) {
(yield `not/promise read the letter because the ${wish.thing}/cause had eaten the`);
(yield `best half , so ${wish.wisher} sent a picture of the ${wish.thing}/thing to`);
(yield `${capital} .`);
} else {
(yield "not/promise read the letter because of the tea/cause ,");
(yield `so ${wish.wisher} sent the cup to ${capital} .`);
}
}
}
function* want_peace(tale, wish) {
let world;
world = tale.world;
wish.person = (yield* newcomer(tale));
(yield `, who had not said a word to ${wish.wisher.to_her} for`);
wish.number = (yield world.numbers);
(yield "weeks because of a");
wish.colour = (yield world.colours);
wish.thing = (yield world.wares);
(yield ".");
}
function* basket(tale, wish) {
let food;
food = (yield tale.world.snacks);
(yield `from ${wish.wisher} stood at the door of ${name(wish.person)} .`);
return `the bag of ${food}`;
}
function* boys(tale, wish) {
(yield `sang about the quarrel in the street , and ${name(wish.person)} had to laugh .`);
return "the two boys";
}
function* hat(tale, wish) {
let animal;
animal = $.at(tale.world.one_of, tale.hero.herd);
(yield `${animal}/thing ate the best hat of ${name(wish.person)} .`);
return `the hungry ${animal}`;
}
function* lost_letter(tale, wish) {
(yield `from ${wish.wisher} to ${name(wish.person)} fell into the`);
(yield "river 2 | well | lake");
(yield ".");
return "the lost letter";
}
function* peace(tale, wish) {
let came, cause, other;
[cause, other] = [$.at(wish.turns, -1), name(wish.person)];
(yield `${in_spite(wish)} ${other}`);
if ($.truth(wish.comes_true)) {
came = ((cause === "a bag of") ? "bag/cause" : "boys/cause");
(yield `came/promise in with the ${came} and the ${wish.colour}/thing ${wish.thing}/thing .`);
} else {
if ((cause === "a hungry")) {
(yield `walked/promise by without a word because of the hat/cause , so ${wish.wisher} sewed`);
(yield "a new one .");
} else {
(yield "walked/promise by without a word because no letter/cause had come ,");
(yield `so ${wish.wisher}`);
(yield "wrote another one . | sat down and wrote two .");
}
}
}
const LETTER = new Wish(14, want_letter, new Map([["a sailor", new Turn(true, sailor)], ["a big book", new Turn(true, big_book)], ["the wind", new Turn(false, wind)], ["a cup", new Turn(false, tea)]]), "in the end", letter);
const PEACE = new Wish(10, want_peace, new Map([["a bag of", new Turn(true, basket)], ["two boys", new Turn(true, boys)], ["a hungry", new Turn(false, hat)], ["a kind letter", new Turn(false, lost_letter)]]), "one bright day", peace);
return { want_letter, sailor, big_book, wind, tea, letter, want_peace, basket, boys, hat, lost_letter, peace, LETTER, PEACE };
})();
const m_nights = (() => {
const { COUNT, Tale, Wished, newcomer } = m_people;
const { Turn, Wish, in_spite, name } = m_parts;
function* want_sight(tale, wish) {
let seen;
seen = (yield "an owl 3 | a fox 3 | a hare 2");
wish.thing = $.at($.split(seen), 1);
(yield `because ${wish.other} had seen`);
wish.number = (yield tale.world.numbers);
(yield "of them and talked of nothing else .");
}
function* child(tale, wish) {
wish.helper = (yield* newcomer(tale));
(yield `found the home of the ${wish.thing}/thing behind the`);
wish.place = (yield tale.world.cover);
(yield `and told nobody but ${wish.wisher} .`);
return `little ${wish.helper.name}`;
}
function* blanket(tale, wish) {
(yield `lay by the window , and ${wish.wisher} sat under it every night .`);
return "the long nights";
}
function* noise(tale, wish) {
let herd, sound, world;
[herd, world] = [tale.hero.herd, tale.world];
sound = $.at(world.sound, $.at(world.one_of, herd));
(yield `${wish.thing}/thing went into the forest`);
(yield `because the ${herd}/thing ${sound}/world all day .`);
return `the ${herd}`;
}
function* cold(tale, wish) {
(yield `came to ${wish.wisher} , who had to sneeze from morning until night .`);
return "the bad cold";
}
function* sight(tale, wish) {
let animal, cause, more;
[cause, animal] = [$.at(wish.turns, -1), wish.thing];
(yield `${in_spite(wish)} ${wish.wisher} met`);
if ((cause === "little")) {
(yield `the/promise ${animal}/thing behind/cause the ${wish.place}/place`);
} else {
if ((cause === "a warm blanket")) {
(yield `the/promise ${animal}/thing at/cause the window`);
} else {
if ((cause === "every")) {
(yield `no/promise ${animal}/thing because of the ${tale.hero.herd}/cause`);
} else {
(yield `no/promise ${animal}/thing because ${wish.wisher} had to sneeze/cause`);
}
}
}
if ($.truth(wish.comes_true)) {
(yield ", and it looked back");
(yield ".");
} else {
more = $.at(COUNT, $.add($.index(COUNT, wish.number), 1));
(yield `. ${wish.other} met one more and now had seen ${more}/count .`);
}
}
function* want_sleep(tale, wish) {
let hero, sound, whose, world;
[hero, world] = [tale.hero, tale.world];
whose = ((wish.wisher === hero) ? "" : `of ${hero}`);
sound = $.at(world.sound, $.at(world.one_of, hero.herd));
(yield `the ${hero.herd}/thing ${whose} ${sound}/world under the window until sunrise .`);
}
function* wool(tale, wish) {
wish.helper = (yield* newcomer(tale));
(yield `gave ${wish.wisher} some wool for ${wish.wisher.her} ears .`);
return `the wool of ${wish.helper.name}`;
}
function* song(tale, wish) {
(yield `on the fiddle made the ${tale.hero.herd}/thing sleepy .`);
return "the old song";
}
function* crow(tale, wish) {
(yield `sat on the roof and sang with the ${tale.hero.herd}/thing .`);
return "the old crow";
}
function* drum(tale, wish) {
(yield "next door found a drum in the barn .");
return "the drum of the twins";
}
function* sleep(tale, wish) {
let cause;
cause = $.at(wish.turns, -1);
(yield `${in_spite(wish)} ${wish.wisher}`);
if ((cause === "a shepherd named")) {
(yield `slept/promise until noon thanks to the wool/cause of ${name(wish.helper)} .`);
} else {
if ((cause === "an old song")) {
(yield "slept/promise until noon thanks to the old/cause song .");
} else {
if ((cause === "an old crow")) {
(yield `could/promise not sleep because of the crow/cause , so ${wish.wisher} got up and`);
(yield "taught it a new song .");
} else {
(yield `could/promise not sleep because of the drum/cause , so ${wish.wisher}`);
(yield "got up and danced .");
}
}
}
}
const SIGHT = new Wish(10, want_sight, new Map([["little", new Turn(true, child)], ["a warm blanket", new Turn(true, blanket)], ["every", new Turn(false, noise)], ["a bad cold", new Turn(false, cold)]]), "under the full moon", sight, undefined, undefined, true);
const SLEEP = new Wish(10, want_sleep, new Map([["a shepherd named", new Turn(true, wool)], ["an old song", new Turn(true, song)], ["an old crow", new Turn(false, crow)], ["the twins", new Turn(false, drum)]]), "after midnight", sleep, undefined, undefined, true);
return { want_sight, child, blanket, noise, cold, sight, want_sleep, wool, song, crow, drum, sleep, SIGHT, SLEEP };
})();
const m_savings = (() => {
const { WORLD, marked } = m_kinds;
const { COUNT, Tale, Wished } = m_people;
const { Turn, Wish } = m_parts;
const SUMS = "one coin | two coins 5";
const LOSSES = "one coin 5 | two coins";
function* want_ware(tale, wish) {
let price;
wish.colour = (yield tale.world.colours);
wish.thing = (yield tale.world.wares);
(yield "in the window of the shop . it/pronoun cost");
price = (yield "five 3 | six 2 | seven");
wish.price = number(price);
(yield `coins , but ${wish.wisher} had only`);
wish.coins = number((yield `${$.at(COUNT, (wish.price - 2))} 3 | ${$.at(COUNT, (wish.price - 3))}`));
(yield ".");
}
function number(word) {
return $.add($.index(COUNT, word), 1);
}
function coins(n) {
return `${$.at(COUNT, (n - 1))}/count ${((n === 1) ? "coin" : "coins")}`;
}
function paid(wish, amount, sign = 1) {
wish.coins = $.add(wish.coins, (sign * number($.at($.split(amount), 0))));
wish.comes_true = (wish.coins >= wish.price);
}
function* singer(tale, wish) {
(yield `bought ${marked($.at(tale.world.product, wish.wisher.job), WORLD)} from ${wish.wisher} for`);
paid(wish, (yield SUMS));
(yield ".");
return "the singer";
}
function* coat(tale, wish) {
(yield `of ${wish.wisher} had`);
paid(wish, (yield SUMS));
(yield "in the pocket .");
return "the old coat";
}
function* hole(tale, wish) {
(yield `in the pocket cost ${wish.wisher}`);
paid(wish, (yield LOSSES), -1);
(yield ".");
return "the hole in the pocket";
}
function* price(tale, wish) {
(yield `of the ${wish.thing}/thing went up by one coin .`);
wish.price = $.add(wish.price, 1);
wish.comes_true = (wish.coins >= wish.price);
return `the price of the ${wish.thing}`;
}
function* ware(tale, wish) {
let few, what;
(yield `${wish.wisher} counted ${coins(wish.coins)} . that was`);
what = `for the ${wish.colour}/thing ${wish.thing}/thing`;
if ($.truth(wish.comes_true)) {
(yield `enough/promise ${what} ,`);
(yield `and ${wish.wisher} sang on the road home .`);
} else {
few = $.at(COUNT, ((wish.price - wish.coins) - 1));
(yield `${few}/promise too few ${what} , so ${wish.wisher} ate`);
(yield tale.world.snacks);
(yield "by the window of the shop .");
}
}
const WARE = new Wish(10, want_ware, new Map([["a singer", new Turn(true, singer)], ["an old coat", new Turn(true, coat)], ["a hole", new Turn(false, hole)], ["the price", new Turn(false, price)]]), "on market day", ware);
return { want_ware, number, coins, paid, singer, coat, hole, price, ware, SUMS, LOSSES, WARE };
})();
const m_wishes = (() => {
const { Person, Tale } = m_people;
const contests = m_contests;
const kitchen = m_kitchen;
const letters = m_letters;
const nights = m_nights;
const savings = m_savings;
const { beginnings } = m_parts;
const WISHES = new Map([["wanted to bake a cake with", kitchen.CAKE], ["wanted to grow a pumpkin as big as", kitchen.PUMPKIN], ["hoped that one of the", contests.PRIZE], ["hoped to win the race to the", contests.RACE], ["got a letter from", letters.LETTER], ["longed for peace with", letters.PEACE], ["longed to see", nights.SIGHT], ["wished for one quiet night because", nights.SLEEP], ["could not forget the", savings.WARE]]);
const WHEN = ["one day", "one afternoon", "a week later", "two days later", "some time later"];
function possible(tale, wisher) {
let chosen, names;
chosen = tale.world.sizes.wishes;
names = $.iter($.items(WISHES)).filter(([begins, wish]) => (((chosen === null) || ($.has(chosen, begins))) && ($.truth(wish.anyone) || (wisher === tale.hero)) && ($.truth(wish.in_winter) || (tale.season !== "winter")))).map(([begins, wish]) => begins);
if (($.len(names) === 1)) {
return $.at(names, 0);
}
return $.join(" | ", $.iter(names).map((begins) => `${begins} ${$.at(WISHES, begins).weight}`));
}
function* turn(tale) {
let begins, cause, told, wish;
told = tale.wish;
wish = $.at(WISHES, told.name);
begins = (yield beginnings(wish, told));
$.append(told.turns, begins);
told.comes_true = $.at(wish.turns, begins).helps;
cause = (yield* $.at(wish.turns, begins).tell(tale, told));
$.append(told.causes, cause);
tale.remember(cause);
}
function* outcome(tale) {
(yield* $.at(WISHES, tale.wish.name).tell(tale, tale.wish));
}
return { possible, turn, outcome, contests, kitchen, letters, nights, savings, WISHES, WHEN };
})();
const m_animals = (() => {
const words = m_words;
const { marked } = m_kinds;
const { COUNT, Tale } = m_people;
const COUNTED = "at sunset";
const TIRED = "tired 4 | hungry 4 | sleepy | weak";
const IS_TIRED = $.set($.split($.replace(TIRED, "|", "")));
const WAYS = new Map([["road", "wide 3 | busy"], ["street", "busy 3 | wide"], ["bridge", "narrow 2 | high 2"]]);
function* morning(tale) {
let hero, world;
[hero, world] = [tale.hero, tale.world];
(yield `the ${hero.animals} ${$.at(world.sound, $.at(world.one_of, hero.herd))}/world`);
(yield "loudly 2 | softly");
(yield `, so ${hero} gave them some ${$.at(world.fodder, hero.herd)}/world`);
tale.gate_open = ((yield "and closed 2 | but did not close 3") === "but did not close");
(yield "the gate .");
tale.begin(COUNTED);
}
function* counting(tale) {
let animal, behind, cover, fewer, friend, hero, world;
[hero, friend, world] = [tale.hero, tale.friend, tale.world];
animal = $.at(world.one_of, hero.herd);
(yield `${hero} counted the ${hero.herd}/thing`);
if (!$.truth(tale.gate_open)) {
tale.remember("the gate");
(yield `. all/cause ${hero.number}/count were there because the gate was closed/cause .`);
return;
}
tale.remember(`the missing ${animal}`);
fewer = $.at(COUNT, ($.index(COUNT, hero.number) - 1));
(yield `. there/cause were only ${fewer}/count because the gate was open/cause .`);
(yield `" where is the ${animal}/thing ? " asked ${hero} . " it is`);
behind = (yield "behind the 2 | near the");
cover = (yield world.cover);
(yield `, " said ${friend} . they looked ${$.at($.split(behind), 0)}/place the ${cover}/place`);
(yield "and found it there .");
}
function walks(tale) {
return (!$.has($.split(words.FLYING), tale.hero.herd));
}
function* crossing(tale) {
let animal, hero, reason, way, weather, what, world;
[hero, world] = [tale.hero, tale.world];
animal = $.at(world.one_of, hero.herd);
(yield `${hero} came to`);
way = $.at($.split((yield "the road 3 | the street 2 | the bridge 3")), 1);
(yield `with one of the ${hero.animals} .`);
(yield `the ${animal}/thing did not cross the ${way}/thing because it was too`);
weather = ($.truth(tale.is_muddy) ? "muddy 20" : ((tale.season === "winter") ? "icy 20" : ""));
reason = (yield `${TIRED} | ${($.truth(weather) ? weather : $.at(WAYS, way))}`);
(yield ". so | , so");
(yield `${hero}`);
what = (($.has(IS_TIRED, reason)) ? animal : way);
tale.remember(`the ${reason} ${what}`);
if ((reason === "hungry")) {
(yield `gave/sense it some ${$.at(world.fodder, hero.herd)}/world`);
} else {
if (($.has(IS_TIRED, reason))) {
(yield `let/sense the ${animal}/sense rest`);
} else {
(yield `turned/sense back at the ${way}/sense | looked for another ${way}/sense`);
}
}
(yield ".");
}
function* birth(tale) {
let came, hero, world, young;
[hero, world] = [tale.hero, tale.world];
[young, came] = $.at(world.young, hero.herd);
hero.number = $.at(COUNT, $.add($.index(COUNT, hero.number), 1));
tale.remember(`the little ${young}`);
(yield `a little ${young}/world ${marked(came, "world")} . now ${hero} had ${hero.animals} .`);
}
return { morning, counting, walks, crossing, birth, words, COUNTED, TIRED, IS_TIRED, WAYS };
})();
const m_company = (() => {
const { Tale, newcomer, one_of } = m_people;
const [REACH, LETTER, KEPT, JOURNEY] = ["one sunday", "a month later", "the next day", "at last"];
function* visitor(tale) {
let country, guest, hero, world;
[hero, world] = [tale.hero, tale.world];
(yield "sailor 3 | singer 2 | poet | dancer");
(yield "named");
guest = (yield* newcomer(tale));
(yield "came from");
country = (yield world.countries);
tale.remember(`${guest} from ${country}`);
(yield `. ${guest.she} spoke ${$.at(world.language, country)}/world and told ${hero} about`);
(yield `${$.at(world.capital, country)}/world 2 | life in ${$.at(world.capital, country)}/world | ${country}`);
(yield ". | , and");
(yield `${hero} gave ${guest}`);
[tale.guest, tale.origin] = [guest, country];
tale.taken = (yield world.snacks);
(yield `, and ${guest} gave ${hero} ${$.at(world.dish, country)}/world .`);
tale.begin(LETTER);
}
function* letter(tale) {
let country, guest, world;
[guest, country, world] = [tale.guest, tale.origin, tale.world];
tale.remember(`the letter from ${guest}`);
(yield `a letter came from ${guest} in`);
(yield `${$.at(world.capital, country)}/world 3 | ${country}`);
(yield `. " thank you for the ${tale.taken}/thing , " ${guest.she} wrote in`);
(yield `${$.at(world.language, country)}/world .`);
}
function* promise(tale) {
let giver;
tale.gift = (yield tale.world.snacks);
(yield ", \" said");
giver = tale.giver = (yield* one_of(tale.friend, tale.hero));
(yield `to ${tale.other(giver)} .`);
tale.begin(KEPT);
}
function* kept(tale) {
let gift, giver, receiver;
[giver, gift] = [tale.giver, tale.gift];
receiver = tale.other(giver);
tale.remember(`the promise of ${giver.name}`);
(yield `${giver.name}/promise brought ${receiver} the ${gift}/promise . `);
if (((yield `" thank you | ${receiver}`) === receiver.name)) {
(yield "was");
(yield "happy | glad | pleased");
} else {
(yield `, ${giver} , " said ${receiver}`);
}
(yield ".");
}
function* wish(tale) {
let capital, traveller, world;
world = tale.world;
capital = (yield world.capitals);
tale.country = $.at(world.country, capital);
(yield ", \" said");
traveller = tale.traveller = (yield* one_of(tale.hero, tale.friend));
(yield `. " it is the capital of ${tale.country}/world , " said ${tale.other(traveller)} .`);
tale.begin(JOURNEY);
}
function* journey(tale) {
let capital, country, traveller, world;
[traveller, country, world] = [tale.traveller, tale.country, tale.world];
capital = $.at(world.capital, country);
tale.remember(`the journey to ${capital}`);
(yield `${traveller.name}/promise went to`);
(yield `${capital}/promise in ${country}/world | ${country}/promise and came to ${capital}/world`);
(yield `. ${traveller.she}`);
(yield `ate ${$.at(world.dish, country)}/world | learned ${$.at(world.language, country)}/world 2`);
(yield "there and");
(yield "came home happy | came home in summer | brought home many pictures");
(yield ".");
}
const TROUBLES = new Map([["taller", ["a kite hung high in the tree 2 | a scarf hung high in the tree | a hat hung high in the tree", "reach/cause it", "the high tree"]], ["stronger", ["a stone lay on the road 2 | a stone lay on the bridge | a stone lay by the gate", "move/cause it", "the heavy stone"]], ["older", ["the children asked about the great storm 3 | the children asked about the long winter 2 | the twins asked about the first fair 2", "remember/cause it", ""]]]);
function* reach(tale) {
let deed, friend_can, hero_can, memory, trouble;
[trouble, deed, memory] = $.at(TROUBLES, tale.contrast);
if ($.truth(memory)) {
tale.remember(memory);
}
(yield trouble);
(yield ".");
[friend_can, hero_can] = ($.truth(tale.friend_is_more) ? ["", "not/cause ."] : ["not/cause", "./cause"]);
(yield `${tale.friend} could ${friend_can} ${deed} , but ${tale.hero} could ${hero_can}`);
}
function* rain(tale) {
let heard, hero;
hero = tale.hero;
tale.rained = tale.is_muddy = true;
tale.remember("the rain");
(yield `rained , so ${hero}`);
heard = (yield "closed the window | lit a fire | brought the");
(yield ((heard === "brought the") ? `${hero.animals} into the barn .` : "."));
}
return { visitor, letter, promise, kept, wish, journey, reach, rain, REACH, LETTER, KEPT, JOURNEY, TROUBLES };
})();
const m_food = (() => {
const { LIST, marked, unmarked } = m_kinds;
const { Options } = m_options;
const { Person, Tale, chosen, listed, newcomer } = m_people;
const [COOKED, LEFT] = ["in the evening", "in the afternoon"];
function is_several(food) {
return $.endswith(food, "s");
}
function was(food) {
return ($.truth(is_several(food)) ? "were/agreement" : "was/agreement");
}
function it(food) {
return ($.truth(is_several(food)) ? "them/pronoun" : "it/pronoun");
}
function* market(tale) {
let bought, friend, heard, hero, missing, none_left, things, world;
[hero, friend, world] = [tale.hero, tale.friend, tale.world];
tale.dish = (yield world.dishes);
(yield ", but i need");
things = (yield* chosen($.at(world.needed, tale.dish), world.sizes.longest_list));
(yield `, " said ${friend} . ${hero} took a`);
(yield "basket 2 | bag");
(yield `and walked from the ${hero.home}/place to the market`);
(yield ". there | , and there");
bought = `${unmarked(hero.she)} bought`;
none_left = new Map($.iter(things).map((thing) => [`${unmarked(was(thing))} no more ${thing}/list`, thing]));
heard = (yield $.join(" | ", [`${bought} ${(2 * $.len(things))}`, ...$.iter(none_left)]));
missing = $.get(new Map($.iter($.items(none_left)).map(([text, thing]) => [unmarked(text), thing])), heard, "");
if ($.truth(missing)) {
(yield `, so ${hero.she} bought only`);
}
tale.not_bought = missing;
tale.bought = $.iter(things).filter((thing) => (thing !== missing)).map((thing) => thing);
(yield* listed(tale.bought));
(yield ".");
tale.begin(COOKED);
}
function* supper(tale) {
let dish, friend, hero;
[hero, friend] = [tale.hero, tale.friend];
dish = $.at($.split(tale.dish), 1);
(yield `${friend} made a ${dish}/promise`);
if ($.truth(tale.not_bought)) {
(yield `without/cause ${tale.not_bought}/list .`);
tale.remember(`the ${dish} without ${tale.not_bought}`);
} else {
(yield "with/cause the");
(yield* listed(tale.bought));
(yield ".");
tale.remember(`the good ${dish}`);
}
if (((yield `" it is the best ${dish}/thing | the two of`) === "the two of")) {
(yield "them ate it all");
} else {
(yield "in the village , \"");
(yield `said ${hero}`);
}
(yield ".");
}
function* noon(tale) {
let busy, heard, hero;
hero = tale.hero;
(yield `${hero}`);
busy = ($.truth(hero.tool) ? "was busy with the | " : "");
heard = (yield `${busy}ate only an apple | ate two bowls of soup 2`);
tale.hungry = (!$.has(heard, "soup"));
(yield (($.has(heard, "busy")) ? `${hero.own_tool} and ate nothing .` : "."));
tale.begin(LEFT);
}
function* table(tale) {
let food, friend, hero;
[hero, friend] = [tale.hero, tale.friend];
(yield `${friend} left`);
food = (yield tale.world.snacks);
tale.remember(`the ${food} on the table`);
(yield `on the table . ${hero} was`);
if ($.truth(tale.hungry)) {
(yield `hungry/cause , so ${hero.she} ate ${it(food)} . when ${friend} came back ,`);
(yield `the ${food}/thing ${was(food)} gone/cause .`);
} else {
(yield `not/cause hungry and did not eat ${it(food)} . when ${friend} came back ,`);
(yield `the ${food}/thing ${was(food)} still/cause there .`);
}
}
function* swap(tale) {
let friend, from_friend, from_hero, hero, snacks;
[hero, friend, snacks] = [tale.hero, tale.friend, tale.world.snacks];
(yield `${hero} gave`);
from_hero = (yield* given(snacks, friend));
(yield `, and ${friend} gave`);
from_friend = (yield* given(snacks.without(from_hero), hero));
tale.remember(`the ${from_hero} and the ${from_friend}`);
(yield ".");
if (((yield `${friend} | ${hero}`) === friend.name)) {
(yield `ate the ${from_hero}/list , and ${hero} ate the ${from_friend}/list .`);
} else {
(yield `ate the ${from_friend}/list , and ${friend} ate the ${from_hero}/list .`);
}
}
function* given(things, receiver) {
let name_first, thing;
name_first = ((yield `${receiver.name} | some`) !== "some");
if ($.truth(name_first)) {
(yield "some");
}
thing = (yield things);
if (!$.truth(name_first)) {
(yield `to ${receiver}`);
}
return thing;
}
function* feast(tale) {
let brought, first, food, hero, one, other, other_food, second, world;
[hero, world] = [tale.hero, tale.world];
(yield `by the ${hero.home}/place .`);
first = (yield* newcomer(tale));
(yield "brought");
food = (yield world.snacks);
(yield "and");
second = (yield* newcomer(tale));
(yield "brought");
other_food = (yield world.snacks.without(food));
tale.remember(`the feast with ${first.name} and ${second.name}`);
brought = new Map([[first.name, food], [second.name, other_food]]);
(yield ". | , so");
(yield `${hero} thanked`);
one = (yield `${first} | ${second}`);
other = ((one === first.name) ? second.name : first.name);
(yield `for the ${$.at(brought, one)}/list and ${other}/name for the ${marked($.at(brought, other), LIST)} .`);
}
return { is_several, was, it, market, supper, noon, table, swap, given, feast, COOKED, LEFT };
})();
const m_talk = (() => {
const { WORLD, marked } = m_kinds;
const { Options } = m_options;
const { Tale, newcomer } = m_people;
const MOODS = "tired 3 | hungry 2 | fast 2 | clever | small";
const TEMPERS = "kind 3 | happy 2 | busy | clever | proud | rich 2";
function* gossip(tale) {
let bound, head, heard, more, nouns, weight, world;
world = tale.world;
head = (yield world.folk);
tale.remember(`the gossip about the ${head}`);
nouns = [head];
weight = 13;
while (true) {
more = `${pronoun(world, $.at(nouns, -1))} ${weight} | `;
bound = ($.len(nouns) > ($.truth(world.sizes.deepest_clause) ? world.sizes.deepest_clause : $.len(nouns)));
heard = (yield $.add(($.truth(bound) ? "" : more), predicates(world, head)));
if ((!$.has(["who", "that"], heard))) {
break;
}
(yield clause_verbs(world, $.at(nouns, -1)));
(yield "the");
$.append(nouns, (yield world.folk.without(...$.iter(nouns))));
weight = 7;
}
(yield* rest_of_predicate(world, head, heard));
(yield ".");
}
function pronoun(world, noun) {
return (($.has(world.beasts, noun)) ? "that" : "who");
}
function clause_verbs(world, noun) {
if (($.has(world.beasts, noun))) {
return (($.has(world.many, noun)) ? "follow/agreement 3 | see 2 | hear" : "follows/agreement 3 | sees 2 | hears");
}
if (($.has(world.many, noun))) {
return "know/agreement 4 | help 3 | visit 2";
}
return "knows/agreement 4 | helps 3 | visits 2";
}
function predicates(world, head) {
let several;
several = ($.has(world.many, head));
if (($.has(world.job_of, head))) {
return ($.truth(several) ? "are/agreement | work 3 | need 4" : "is/agreement | works 3 | needs 4");
}
if (($.has(world.beasts, head))) {
return ($.truth(several) ? "are/agreement 3 | sleep 2" : "is/agreement 3 | sleeps 2");
}
return "are/agreement 3 | sing 2";
}
function* rest_of_predicate(world, head, verb) {
if (($.has(["is", "are"], verb))) {
(yield (($.has(world.beasts, head)) ? MOODS : TEMPERS));
} else {
if (($.has(["works", "work"], verb))) {
(yield `in the ${$.at(world.workplace, $.at(world.job_of, head))}/world`);
} else {
if (($.has(["needs", "need"], verb))) {
(yield "a new");
(yield $.at(world.tools, $.at(world.job_of, head)));
} else {
(yield "behind the | near the 2");
(yield world.landmarks);
}
}
}
}
function* lesson(tale) {
let topic, world;
world = tale.world;
topic = (yield* fact(world));
tale.remember(`the lesson about ${topic}`);
(yield "and that");
(yield* fact(world, topic));
(yield ".");
}
function* question(tale) {
let country, world;
world = tale.world;
country = (yield world.countries);
tale.remember(`the question about ${country}`);
(yield `? " asked the teacher at school . " it is ${$.at(world.capital, country)}/world`);
(yield ", \" said little");
(yield* newcomer(tale));
(yield ".");
}
function* fact(world, told = "") {
let about, country, place;
about = (yield but(world.topics, told));
if ((about === "the capital of")) {
country = (yield but(world.countries, told));
(yield `is ${$.at(world.capital, country)}/world`);
return country;
}
if ((about === "people in")) {
place = (yield but(world.towns_and_countries, told));
country = $.get(world.country, place, place);
(yield `speak ${$.at(world.language, country)}/world | eat ${$.at(world.dish, country)}/world`);
return place;
}
(yield marked($.at(world.nature, about), WORLD));
return about;
}
function but(options, told) {
let is_left;
is_left = (($.has(options.places, told)) && ($.len(options.places) > 1));
return ($.truth(is_left) ? options.without(told) : options);
}
return { gossip, pronoun, clause_verbs, predicates, rest_of_predicate, lesson, question, fact, but, MOODS, TEMPERS };
})();
const m_things = (() => {
const { WORLD, marked } = m_kinds;
const { Person, Tale, newcomer } = m_people;
const [THANKED, FAIR] = ["some days later", "at the fair"];
function has_tool(tale) {
return (tale.hero.tool !== "");
}
function* lost(tale) {
let first, hero, second, world;
[hero, world] = [tale.hero, tale.world];
tale.remember(`the lost ${hero.tool}`);
(yield `${hero.own_tool} of ${hero} was gone . " where is my ${hero.tool}/thing ? " asked ${hero}`);
if ($.truth(hero.kept)) {
(yield `. it/pronoun was not ${marked(hero.kept, "place")} . ${hero} looked`);
} else {
(yield `. ${hero.she} looked`);
}
first = (yield world.hiding_places);
(yield "and");
second = (yield world.hiding_places.without(first));
(yield ". at last | , and at last");
tale.finder = (yield* finder(tale));
(yield `found the ${hero.own_tool}`);
(yield world.hiding_places.without(first, second));
(yield ".");
tale.begin(THANKED);
}
function* finder(tale) {
let friend, heard, world;
[friend, world] = [tale.friend, tale.world];
heard = (yield `${friend.name} 2 | a girl | a boy`);
if ((heard === friend.name)) {
return friend;
}
(yield "named");
return (yield* newcomer(tale, ((heard === "a girl") ? world.women : world.men)));
}
function* thanks(tale) {
let finder, hero;
[hero, finder] = [tale.hero, tale.finder];
(yield `${hero} gave ${finder.name}/cause`);
(yield tale.world.snacks);
(yield `because ${finder} had found the ${hero.tool}/thing .`);
}
function asks_for_coins(tale) {
return ((!$.has([tale.hero.job, tale.friend.job], "clerk")) && !$.truth(tale.wish.price));
}
function* bank(tale) {
let hero, watched, world;
[hero, world] = [tale.hero, tale.world];
(yield `${hero}`);
if (((yield "sat on the bank and watched the | went to the bank and asked for").slice(0, 3) === "sat")) {
watched = (yield "ducks 3 | frogs 2 | fishers | boats 2");
tale.remember(`the ${watched} on the bank`);
(yield ". the bank was");
(yield $.add("muddy/sense 2 | steep 3", ((tale.season === "winter") ? "" : " | green 3")));
(yield ", and the water/sense was");
(yield "clear 3 | cold 2 | deep 3");
} else {
tale.coins = (yield world.numbers);
(yield "coins . the bank was");
(yield "busy/sense 3 | quiet 2 | full");
(yield ", and the clerk/sense");
tale.has_coins = ((yield "gave 2 | had") === "gave");
(yield ($.truth(tale.has_coins) ? `${hero} the ${tale.coins}/count coins` : "no coins that day"));
tale.begin(FAIR);
}
(yield ".");
}
function* fair(tale) {
let colour, friend, hero, ware, world;
[hero, friend, world] = [tale.hero, tale.friend, tale.world];
(yield `${hero} liked a`);
colour = (yield world.colours);
ware = (yield world.wares);
tale.remember(`the ${colour} ${ware}`);
if ($.truth(tale.has_coins)) {
(yield `and/cause bought it for the ${tale.coins}/count coins .`);
} else {
(yield `but/cause had no coins , so ${friend} bought the ${ware}/thing for ${hero.to_her} .`);
}
}
function* visit(tale) {
let friend, hero, product, world;
[hero, friend, world] = [tale.hero, tale.friend, tale.world];
(yield `${hero} went to the ${$.at(world.workplace, friend.job)}/world .`);
if (($.has(world.has_door, friend.job))) {
(yield "the door was");
if (((yield "open 3 | not open 2") === "open")) {
(yield `, so ${hero.she} went/cause in`);
(yield "and sat down | and drank some tea");
} else {
(yield `, so ${hero.she}`);
(yield "waited/cause outside | knocked");
(yield "for an hour | until noon");
}
(yield ".");
}
product = $.at(world.product, friend.job);
tale.remember(`the ${$.at($.split(product), 1)} from ${friend.name}`);
(yield `" i have something for you , " said ${friend} and gave ${hero} ${marked(product, WORLD)} .`);
}
return { has_tool, lost, finder, thanks, asks_for_coins, bank, fair, visit, THANKED, FAIR };
})();
const m_scenes = (() => {
const wishes = m_wishes;
const { Tale } = m_people;
const animals = m_animals;
const company = m_company;
const food = m_food;
const talk = m_talk;
const things = m_things;
const [MORNING, NOON, AFTERNOON, SUNSET, EVENING, TOMORROW] = $.range(1, 7);
const ANOTHER_DAY = 7;
const RIPE = 45;
function always(tale) {
return true;
}
class Scene {
constructor(tell, weight = RIPE, hour = 0, length = 1, can_be_told = always) {
this.tell = tell;
this.weight = weight;
this.hour = hour;
this.length = length;
this.can_be_told = can_be_told;
}
}
const SCENES = new Map([["in the morning", new Scene(animals.morning, 15, MORNING, 2, animals.walks)], ["\" i will make", new Scene(food.market, 8, 0, 2)], ["then the", new Scene(things.lost, 15, 0, 2, things.has_tool)], ["at noon", new Scene(food.noon, 7, NOON, 2)], ["on monday", new Scene(things.bank, 12, ANOTHER_DAY, 2, things.asks_for_coins)], ["one morning a", new Scene(company.visitor, 16, ANOTHER_DAY, 2)], ["\" tomorrow i will bring you", new Scene(company.promise, 11, 0, 2)], ["\" one day i will see", new Scene(company.wish, 10, 0, 2)], ["that day", new Scene(animals.crossing, 17, 0, 1, animals.walks)], ["before sunrise", new Scene(animals.birth, 13, ANOTHER_DAY)], ["people say that the", new Scene(talk.gossip, 36)], ["\" what is the capital of", new Scene(talk.question, 8)], ["at school the children learned that", new Scene(talk.lesson, 14)], ["on saturday there was a feast", new Scene(food.feast, 6, ANOTHER_DAY)], ["later", new Scene(food.swap, 8)], ["soon after that", new Scene(things.visit, 14)], ["one night it", new Scene(company.rain, 16, ANOTHER_DAY)]]);
const EFFECTS = new Map([[food.LEFT, new Scene(food.table, undefined, AFTERNOON)], [animals.COUNTED, new Scene(animals.counting, undefined, SUNSET)], [food.COOKED, new Scene(food.supper, undefined, EVENING)], [company.KEPT, new Scene(company.kept, undefined, TOMORROW)], [things.THANKED, new Scene(things.thanks, undefined, ANOTHER_DAY)], [things.FAIR, new Scene(things.fair, undefined, ANOTHER_DAY)], [company.LETTER, new Scene(company.letter, undefined, ANOTHER_DAY)], [company.JOURNEY, new Scene(company.journey, undefined, ANOTHER_DAY)], [company.REACH, new Scene(company.reach, undefined, ANOTHER_DAY)]]);
const TURNS = new Map($.iter(wishes.WHEN).map((opens) => [opens, new Scene(wishes.turn, 30, ANOTHER_DAY)]));
const ALL = $.merge($.merge(SCENES, EFFECTS), TURNS);
function* tell(opens, tale) {
let hour;
hour = $.at(ALL, opens).hour;
if ($.truth(hour)) {
tale.hour = ((hour < TOMORROW) ? hour : 0);
}
$.pop(tale.pending, opens, null);
tale.told = $.add(tale.told, [opens]);
(yield* $.at(ALL, opens).tell(tale));
}
function turning(tale) {
let sizes, used;
[used, sizes] = [tale.wish.turns, tale.world.sizes];
if ((($.len(used) > 1) || ($.truth(used) && ($.add($.len(tale.told), $.len(tale.pending)) >= sizes.most_scenes)))) {
return [];
}
return $.iter(in_time($.list(TURNS), tale)).filter((opens) => (!$.has(tale.told, opens))).map((opens) => opens);
}
function tellable(tale) {
let ends, n_told, others, room, sizes;
[sizes, n_told] = [tale.world.sizes, $.len(tale.told)];
room = (((sizes.most_scenes - n_told) - $.len(tale.pending)) - !$.truth(tale.wish.turns));
others = $.iter(in_time($.list(SCENES), tale)).filter((opens) => (($.at(SCENES, opens).length <= room) && (!$.has(tale.told, opens)) && ((sizes.scenes === null) || ($.has(sizes.scenes, opens))) && $.truth($.at(SCENES, opens).can_be_told(tale)))).map((opens) => opens);
ends = in_time($.list(tale.pending), tale);
if (($.truth(others) || (!$.truth(tale.wish.turns) && $.truth(turning(tale))))) {
ends = $.iter(ends).filter((opens) => ($.at(tale.pending, opens) < n_told)).map((opens) => opens);
}
return [others, $.sorted(ends)];
}
function in_time(scenes, tale) {
let due, hours;
due = $.min($.iter(tale.pending).map((opens) => $.at(EFFECTS, opens).hour), ANOTHER_DAY);
if ((due === ANOTHER_DAY)) {
return $.list(scenes);
}
hours = $.set([0, ...$.iter($.range(tale.hour, $.add(due, 1)))]);
return $.iter(scenes).filter((opens) => ($.has(hours, $.at(ALL, opens).hour))).map((opens) => opens);
}
return { always, Scene, tell, turning, tellable, in_time, wishes, animals, company, food, talk, things, MORNING, NOON, AFTERNOON, SUNSET, EVENING, TOMORROW, ANOTHER_DAY, RIPE, SCENES, EFFECTS, TURNS, ALL };
})();
const m_endings = (() => {
const { EOS } = m_corpus;
const { CHOICE, END, MARK, marked } = m_kinds;
const { Tale } = m_people;
const STOPS = `${EOS}${MARK}${CHOICE}`;
class End {
constructor(weight, tell) {
this.weight = weight;
this.tell = tell;
}
}
function* put_back(tale) {
let hero;
hero = tale.hero;
if ($.truth(hero.tool)) {
(yield `and put the ${hero.own_tool}`);
if ($.truth(hero.kept)) {
(yield `back/place ${marked(hero.kept, "place")}`);
} else {
(yield tale.world.kept);
}
}
}
function by_the_fire(tale) {
return ($.truth(tale.is_cold) ? "by the fire/cause" : `by the ${tale.hero.home}/cause`);
}
function* work_done(tale) {
let fodder, friend, heard, hero, memory, position;
[hero, friend] = [tale.hero, tale.friend];
fodder = $.at(tale.world.fodder, hero.herd);
heard = (yield `${hero} fed the 2 | ${hero} gave the 3`);
(yield ($.truth($.endswith(heard, "gave the")) ? `${hero.animals} ${fodder}/world` : hero.animals));
(yield* put_back(tale));
if ($.truth($.endswith((yield `. then 3 | , and then 2 | . ${STOPS} 1`), EOS))) {
return;
}
(yield `${hero.she} and ${friend}`);
if (((yield "sat 2 | talked") === "sat")) {
(yield `${by_the_fire(tale)} and talked`);
}
(yield "about");
for ([position, memory] of $.iter($.enumerate(tale.memories))) {
if ($.truth(position)) {
(yield ((position === ($.len(tale.memories) - 1)) ? "and/list" : ",/list"));
}
(yield memory);
}
(yield `. ${END}`);
}
function* good_night(tale) {
let friend, hero, is_gossip, is_of_friend, memory, other, speaker;
[hero, friend, memory] = [tale.hero, tale.friend, $.at(tale.memories, -1)];
is_of_friend = ($.has($.split(memory), `${friend.name}/list`));
[speaker, other] = ($.truth(is_of_friend) ? [hero, friend] : [friend, hero]);
(yield `${friend} and ${hero} sat ${by_the_fire(tale)} . "`);
is_gossip = ($.has($.split(memory), "gossip/list"));
(yield $.add("we must not forget", ($.truth(is_gossip) ? "" : " | people will sing about 3")));
(yield `${memory} , " said ${speaker} . " sleep well , ${speaker} , " said ${other} .`);
(yield END);
}
function* dream(tale) {
let friend, hero;
[hero, friend] = [tale.hero, tale.friend];
(yield `${hero} dreamed of ${$.at(tale.memories, 0)}`);
if (($.truth(hero.tool) && (!$.has($.split($.at(tale.memories, 0)), `${hero.tool}/list`)))) {
(yield `and of the ${hero.own_tool}`);
}
(yield `. ${friend} dreamed of the ${hero.animals} . ${END}`);
}
const ENDINGS = new Map([["when night fell ,", new End(7, work_done)], ["the next evening ,", new End(9, work_done)], ["at the end of the day", new End(2, good_night)], ["that night", new End(3, dream)]]);
const BY_DAY = ["when night fell ,", "at the end of the day", "that night"];
const AFTER_NIGHT = ["the next evening ,", "that night"];
const SLEEPLESS = ["the next evening ,"];
return { End, put_back, by_the_fire, work_done, good_night, dream, STOPS, ENDINGS, BY_DAY, AFTER_NIGHT, SLEEPLESS };
})();
const m_opening = (() => {
const words = m_words;
const { Hero, Person, Tale, Wished, elsewhere, pronouns } = m_people;
const { REACH } = m_company;
const { WISHES, possible } = m_wishes;
function* opening(world) {
let begins, friend, hero, is_near, kin, season, tale;
hero = (yield* introduction(world));
[season, begins] = (yield* habit_or_season(hero, world));
begins = (yield* belongings(hero, begins, world));
[friend, kin] = (yield* companion(hero, begins, world));
tale = new Tale(world, hero, friend, [hero.name, friend.name], season);
is_near = ($.has(begins, " "));
if (((yield ($.truth(is_near) ? "." : ". 3 | , and 2")) !== ".")) {
(yield* contrast(tale, (!$.has(["aunt", "uncle"], kin))));
}
(yield* wishing(tale));
return tale;
}
function* wishing(tale) {
let friend, hero, name, wisher;
[hero, friend] = [tale.hero, tale.friend];
wisher = (((yield `${hero} 3 | ${friend}`) === hero.name) ? hero : friend);
name = (yield possible(tale, wisher));
tale.wish = new Wished(name, wisher, tale.other(wisher));
(yield* $.at(WISHES, name).say(tale, tale.wish));
}
function* introduction(world) {
let hero, home, job, name, way;
way = (yield "once 5 | by the 3 | everybody knew 2 | in the village lived 2");
home = "";
if ((way === "by the")) {
home = (yield world.landmarks);
(yield "lived");
}
if (($.has(["once", "in the village lived"], way))) {
(yield world.characters);
job = (yield world.jobs);
name = (yield* named(way, world));
} else {
name = (yield world.names);
(yield ",");
(yield world.characters);
job = (yield world.jobs);
}
hero = new Hero(name, ...$.iter(pronouns(name)), job);
if ((way === "once")) {
(yield "lived by the");
} else {
if ((way === "everybody knew")) {
(yield `. ${hero.she} lived by the`);
} else {
if ((way === "in the village lived")) {
(yield `, and ${hero.her} house stood by the`);
}
}
}
hero.home = ($.truth(home) ? home : (yield world.landmarks));
(yield ".");
return hero;
}
function* named(way, world) {
let her;
if ((way === "once")) {
(yield "named");
return (yield world.names);
}
her = (yield ". her | . his");
(yield "name was");
return (yield ((her === ". her") ? world.women : world.men));
}
function* habit_or_season(hero, world) {
let heard, owns, place, season, work;
owns = `${hero.she} had 4 | ${hero.she} shared ${hero.her} house with 3 | behind the house lived 3 | ${hero.she} loved nothing more than 2`;
heard = (yield `${owns} | every morning 5 | it was 6`);
if ((heard === "it was")) {
season = $.at($.split((yield world.weather)), 0);
return [season, (yield* after_stop(owns))];
}
if ((heard === "every morning")) {
[place, work] = [$.at(world.workplace, hero.job), $.split($.at(world.work, hero.job))];
(yield hero.she);
(yield `worked/world in the ${place}/world 2 | ${$.at(work, 0)}/world ${$.at(work, 1)}/world`);
return ["", (yield* after_stop(owns))];
}
return ["", heard];
}
function* after_stop(options) {
(yield ".");
return (yield options);
}
function* belongings(hero, begins, world) {
let first, friend, heard;
friend = `${hero.her} 5 | next door lived ${hero.her} 3 | behind the 2`;
if (($.has(["had", "than"], $.at($.split(begins), -1)))) {
first = (yield world.belongings);
if ((first === "a")) {
(yield* tool(hero, world));
(yield "and");
(yield* animals(hero, (yield world.numbers), world));
} else {
(yield* animals(hero, first, world));
(yield "and a");
(yield* tool(hero, world));
}
(yield ".");
heard = (yield `${friend} | ${hero.she} kept the 8`);
if (!$.truth($.endswith(heard, "kept the"))) {
return heard;
}
(yield hero.own_tool);
} else {
(yield* animals(hero, (yield world.numbers), world));
(yield ".");
heard = (yield `${friend} | a 7`);
if ((heard !== "a")) {
return heard;
}
(yield* tool(hero, world));
(yield "was kept");
}
hero.kept = (yield world.kept);
return (yield* after_stop(friend));
}
function* tool(hero, world) {
hero.colour = (yield world.colours);
hero.tool = (yield $.at(world.tools, hero.job));
}
function* animals(hero, number, world) {
let herds;
hero.number = number;
herds = $.at(world.herds, hero.job);
if ((!$.has(world.small_numbers.weights, number))) {
herds = herds.without(...$.iter($.iter(herds.weights).filter((herd) => ($.has($.split(words.LARGE), herd))).map((herd) => herd)));
}
hero.herd = (yield herds);
}
function* companion(hero, begins, world) {
let job, kin, name, names;
if ((begins === "behind the")) {
(yield elsewhere(hero, world));
(yield `lived ${hero.her}`);
}
kin = (yield world.kin);
names = world.names;
if ((!$.has($.split(words.WOMEN_KIN), kin))) {
names = world.men;
} else {
if ((!$.has($.split(words.MEN_KIN), kin))) {
names = world.women;
}
}
name = (yield (($.has(names.weights, hero.name)) ? names.without(hero.name) : names));
if (((yield (($.has(begins, " ")) ? ", a 2 | , who 3" : "was a")) === ", who")) {
job = $.at(world.job_by_work, (yield world.works.without($.at(world.work, hero.job))));
} else {
job = (yield world.jobs.without(hero.job));
}
return [new Person(name, ...$.iter(pronouns(name)), job), kin];
}
const OPPOSITE = new Map([["shorter", "taller"], ["weaker", "stronger"], ["younger", "older"]]);
function* contrast(tale, may_be_older) {
let ages, said;
(yield `${tale.friend.she} was`);
ages = ($.truth(may_be_older) ? " | older 2 | younger 2" : "");
said = (yield `taller 2 | shorter 2 | stronger 2 | weaker 2${ages}`);
(yield `than ${tale.hero} .`);
tale.contrast = $.get(OPPOSITE, said, said);
tale.friend_is_more = (!$.has(OPPOSITE, said));
tale.begin(REACH);
}
return { opening, wishing, introduction, named, habit_or_season, after_stop, belongings, tool, animals, companion, contrast, words, OPPOSITE };
})();
const m_story = (() => {
const { EOS } = m_corpus;
const { AFTER_NIGHT, BY_DAY, ENDINGS, SLEEPLESS, STOPS } = m_endings;
const { opening } = m_opening;
const { Options } = m_options;
const { Tale } = m_people;
const { ALL, tell, tellable, turning } = m_scenes;
const { WISHES, outcome } = m_wishes;
const FEWEST = 2;
const [FIRST, AFTER_LUCK, AFTER_MISFORTUNE] = [44, 4, 110];
const [LONG, STOP, STOP_AFTER_LONG] = [3, 5, 40];
function* story(world) {
let tale;
tale = (yield* opening(world));
(yield* goes_on(tale));
}
function* goes_on(tale) {
let at_night, ends, last, lasts, lucky, stop, what;
ends = $.at(WISHES, tale.wish.name).ends;
while (((what = (yield next_scenes(tale))) !== ends)) {
(yield* tell(what, tale));
}
(yield* outcome(tale));
[at_night, lucky] = [$.at(WISHES, tale.wish.name).at_night, tale.wish.comes_true];
lasts = (!$.truth(at_night) ? BY_DAY : ($.truth(lucky) ? AFTER_NIGHT : SLEEPLESS));
stop = (($.len(tale.told) > LONG) ? STOP_AFTER_LONG : STOP);
last = (yield $.join(" | ", [`${STOPS} ${stop}`, ...$.iter($.iter(lasts).map((end) => `${end} ${$.at(ENDINGS, end).weight}`))]));
if ((last !== EOS)) {
(yield* $.at(ENDINGS, last).tell(tale));
}
}
function next_scenes(tale) {
let begins, choices, ending, ends, key, luck, may_end, others, rest, weight, weights, wish;
wish = tale.wish;
[others, ends] = tellable(tale);
luck = turning(tale);
may_end = (($.len(wish.turns) > 0) && !$.truth(tale.pending) && (($.len(tale.told) >= FEWEST) || !$.truth(others)));
ending = ($.truth(may_end) ? $.at(WISHES, wish.name).ends : "");
weight = (!$.truth(wish.turns) ? FIRST : ($.truth(wish.comes_true) ? AFTER_LUCK : AFTER_MISFORTUNE));
key = [...$.iter(others), ...$.iter(ends), ...$.iter(luck), String(weight), ending];
choices = tale.world.scene_choices;
if ((!$.has(choices, key))) {
weights = new Map($.iter([...$.iter(others), ...$.iter(ends)]).map((opens) => [opens, $.at(ALL, opens).weight]));
rest = ($.truth($.sum($.values(weights))) ? $.sum($.values(weights)) : 20);
for (begins of $.iter(luck)) {
$.put(weights, begins, weight);
}
if ($.truth(may_end)) {
weights = $.merge(weights, new Map([[ending, (rest * 9)]]));
}
$.put(choices, key, new Options(weights));
}
return $.at(choices, key);
}
return { story, goes_on, next_scenes, FEWEST, FIRST, AFTER_LUCK, AFTER_MISFORTUNE, LONG, STOP, STOP_AFTER_LONG };
})();
export const tellStory = m_story.story;
export const KINDS = m_kinds.KINDS;
