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
const KINDS = new Map([[PHRASE, "the wording: the few words before leave nothing else to say"], [CHOICE, "a free choice: nobody can know"], ["agreement", "one or several: the verb goes with its subject"], ["pronoun", "who is meant by she, he or it"], ["sense", "the sense of a word: a bank of a river, or a bank for money"], [WORLD, "knowledge of the world: true in every story"], ["name", "a person who was named before"], ["thing", "a thing, an animal or a colour that was named before"], ["place", "where something or somebody is"], ["count", "how many there are"], [LIST, "a list to keep in mind: what was wanted, brought, or happened"], ["cause", "an earlier event that decides what happens now"], ["promise", "a promise or a wish that is kept"]]);
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
class Tale {
constructor(world, hero, friend, names, season = "", memories = [], told = [], pending = new Map(), hour = 0, rained = false, gate_open = false, hungry = false, has_coins = false, coins = "", dish = "", bought = [], not_bought = "", finder = null, giver = null, gift = "", traveller = null, country = "", guest = null, origin = "", taken = "", contrast = "", friend_is_more = false) {
this.world = world;
this.hero = hero;
this.friend = friend;
this.names = names;
this.season = season;
this.memories = memories;
this.told = told;
this.pending = pending;
this.hour = hour;
this.rained = rained;
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
return ($.truth(this.rained) ? this.rained : ($.has($.split(words.FIRESIDE), this.season)));
}
}
function pronouns(name) {
let forms;
forms = (($.has(WOMEN, name)) ? ["she", "her", "her"] : ["he", "his", "him"]);
return [`${$.at(forms, 0)}/pronoun`, `${$.at(forms, 1)}/pronoun`, `${$.at(forms, 2)}/pronoun`];
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
return { Person, Hero, Tale, pronouns, newcomer, one_of, listed, chosen, words, COUNT };
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
tale.gate_open = ((yield "and closed | but did not close") === "but did not close");
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
(yield `one of the ${hero.animals} came to`);
way = $.at($.split((yield "the road 3 | the street 2 | the bridge 3")), 1);
(yield `. the ${animal}/thing did not cross the ${way}/thing because it was too`);
weather = ($.truth(tale.rained) ? "muddy 9" : ((tale.season === "winter") ? "icy 9" : ""));
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
(yield "happy 2 | glad | pleased");
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
(yield `${traveller.name}/promise sailed to`);
(yield `${capital}/promise in ${country}/world | ${country}/promise and came to ${capital}/world`);
(yield `. ${traveller.she}`);
(yield `ate ${$.at(world.dish, country)}/world | learned ${$.at(world.language, country)}/world`);
(yield "there and");
(yield "came home happy | came home in summer | brought home many pictures");
(yield ".");
}
const TROUBLES = new Map([["taller", ["a kite hung high in the tree 2 | a scarf hung high in the tree", "reach/cause it", "the high tree"]], ["stronger", ["a stone lay on the road 2 | a stone lay on the bridge", "move/cause it", "the heavy stone"]], ["older", ["the teacher asked about the great storm | the children asked about the great storm", "remember/cause it", "the great storm"]]]);
function* reach(tale) {
let deed, friend_can, hero_can, memory, trouble;
[trouble, deed, memory] = $.at(TROUBLES, tale.contrast);
tale.remember(memory);
(yield trouble);
(yield ".");
[friend_can, hero_can] = ($.truth(tale.friend_is_more) ? ["", "not/cause ."] : ["not/cause", "./cause"]);
(yield `${tale.friend} could ${friend_can} ${deed} , but ${tale.hero} could ${hero_can}`);
}
function* rain(tale) {
let heard, hero;
hero = tale.hero;
tale.rained = true;
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
let heard, hero;
hero = tale.hero;
(yield `${hero}`);
heard = (yield "was busy with the | ate only an apple | ate two bowls of soup 2");
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
const { Tale, newcomer } = m_people;
const MOODS = "tired 3 | hungry 2 | fast | clever | small";
const TEMPERS = "kind 3 | happy 2 | busy | clever | proud | rich";
function* gossip(tale) {
let bound, head, heard, more, nouns, weight, world;
world = tale.world;
head = (yield world.folk);
tale.remember(`the gossip about the ${head}`);
nouns = [head];
weight = 8;
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
weight = 6;
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
return ($.truth(several) ? "are/agreement 2 | work 2 | need 2" : "is/agreement 2 | works 2 | needs 2");
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
(yield* fact(world));
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
function* fact(world) {
let about, country, place;
about = (yield world.topics);
if ((about === "the capital of")) {
country = (yield world.countries);
(yield `is ${$.at(world.capital, country)}/world`);
return country;
}
if ((about === "people in")) {
place = (yield world.towns_and_countries);
country = $.get(world.country, place, place);
(yield `speak ${$.at(world.language, country)}/world | eat ${$.at(world.dish, country)}/world`);
return place;
}
(yield marked($.at(world.nature, about), WORLD));
return about;
}
return { gossip, pronoun, clause_verbs, predicates, rest_of_predicate, lesson, question, fact, MOODS, TEMPERS };
})();
const m_things = (() => {
const { WORLD, marked } = m_kinds;
const { Person, Tale, newcomer } = m_people;
const [THANKED, FAIR] = ["some days later", "at the fair"];
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
function nobody_is_clerk(tale) {
return (!$.has([tale.hero.job, tale.friend.job], "clerk"));
}
function* bank(tale) {
let hero, watched, world;
[hero, world] = [tale.hero, tale.world];
(yield `${hero}`);
if (((yield "sat on the bank and watched the | went to the bank and asked for").slice(0, 3) === "sat")) {
watched = (yield "ducks 3 | frogs 2 | fishers | boats 2");
tale.remember(`the ${watched} on the bank`);
(yield ". the bank was");
(yield "green/sense 3 | muddy 2 | steep");
(yield ", and the water/sense was");
(yield "clear 2 | cold | deep");
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
return { lost, finder, thanks, nobody_is_clerk, bank, fair, visit, THANKED, FAIR };
})();
const m_scenes = (() => {
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
const SCENES = new Map([["in the morning", new Scene(animals.morning, 8, MORNING, 2)], ["\" i will make", new Scene(food.market, 9, 0, 2)], ["then the", new Scene(things.lost, 7, 0, 2)], ["at noon", new Scene(food.noon, 7, NOON, 2)], ["on monday", new Scene(things.bank, 8, ANOTHER_DAY, 2, things.nobody_is_clerk)], ["one morning a", new Scene(company.visitor, 12, ANOTHER_DAY, 2)], ["\" tomorrow i will bring you", new Scene(company.promise, 7, 0, 2)], ["\" one day i will see", new Scene(company.wish, 10, 0, 2)], ["that day", new Scene(animals.crossing, 8, 0, 1, animals.walks)], ["before sunrise", new Scene(animals.birth, 5, ANOTHER_DAY)], ["people say that the", new Scene(talk.gossip, 12)], ["\" what is the capital of", new Scene(talk.question, 4)], ["at school the children learned that", new Scene(talk.lesson, 6)], ["on saturday there was a feast", new Scene(food.feast, 6, ANOTHER_DAY)], ["later", new Scene(food.swap, 5)], ["soon after that", new Scene(things.visit, 5)], ["one night it", new Scene(company.rain, 8, ANOTHER_DAY)]]);
const EFFECTS = new Map([[food.LEFT, new Scene(food.table, undefined, AFTERNOON)], [animals.COUNTED, new Scene(animals.counting, undefined, SUNSET)], [food.COOKED, new Scene(food.supper, undefined, EVENING)], [company.KEPT, new Scene(company.kept, undefined, TOMORROW)], [things.THANKED, new Scene(things.thanks, undefined, ANOTHER_DAY)], [things.FAIR, new Scene(things.fair, undefined, ANOTHER_DAY)], [company.LETTER, new Scene(company.letter, undefined, ANOTHER_DAY)], [company.JOURNEY, new Scene(company.journey, undefined, ANOTHER_DAY)], [company.REACH, new Scene(company.reach, undefined, ANOTHER_DAY)]]);
const ALL = $.merge(SCENES, EFFECTS);
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
function tellable(tale) {
let ends, n_told, others, room, sizes;
[sizes, n_told] = [tale.world.sizes, $.len(tale.told)];
room = ((sizes.most_scenes - n_told) - $.len(tale.pending));
others = $.iter(in_time($.list(SCENES), tale)).filter((opens) => (($.at(SCENES, opens).length <= room) && (!$.has(tale.told, opens)) && ((sizes.scenes === null) || ($.has(sizes.scenes, opens))) && $.truth($.at(SCENES, opens).can_be_told(tale)))).map((opens) => opens);
ends = in_time($.list(tale.pending), tale);
if ($.truth(others)) {
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
return { always, Scene, tell, tellable, in_time, animals, company, food, talk, things, MORNING, NOON, AFTERNOON, SUNSET, EVENING, TOMORROW, ANOTHER_DAY, RIPE, SCENES, EFFECTS, ALL };
})();
const m_endings = (() => {
const { END, marked } = m_kinds;
const { Tale } = m_people;
class End {
constructor(weight, tell) {
this.weight = weight;
this.tell = tell;
}
}
function* put_back(tale) {
let hero;
hero = tale.hero;
(yield `put the ${hero.own_tool}`);
if ($.truth(hero.kept)) {
(yield `back/place ${marked(hero.kept, "place")}`);
} else {
(yield tale.world.kept);
}
}
function by_the_fire(tale) {
return ($.truth(tale.is_cold) ? "by the fire/cause" : `by the ${tale.hero.home}/cause`);
}
function* work_done(tale) {
let friend, hero, memory, position;
[hero, friend] = [tale.hero, tale.friend];
(yield `${hero} fed the ${hero.animals} and`);
(yield* put_back(tale));
(yield ". then | , and then");
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
let friend, hero;
[hero, friend] = [tale.hero, tale.friend];
(yield `${friend} and ${hero} sat ${by_the_fire(tale)} . " we must not forget`);
(yield `${$.at(tale.memories, -1)} , " said ${friend} . " sleep well , ${friend} , " said ${hero} and`);
(yield* put_back(tale));
(yield `. ${END}`);
}
function* dream(tale) {
let friend, hero;
[hero, friend] = [tale.hero, tale.friend];
(yield `${hero} dreamed of ${$.at(tale.memories, 0)} and of the ${hero.own_tool} . ${friend} dreamed of`);
(yield `the ${hero.animals} . ${END}`);
}
const ENDINGS = new Map([["when night fell ,", new End(5, work_done)], ["at the end of the day", new End(3, good_night)], ["that night", new End(2, dream)]]);
return { End, put_back, by_the_fire, work_done, good_night, dream, ENDINGS };
})();
const m_opening = (() => {
const words = m_words;
const { Hero, Person, Tale, pronouns } = m_people;
const { REACH } = m_company;
function* opening(world) {
let friend, hero, kin, season, tale;
hero = (yield* introduction(world));
season = (yield* habit_or_season(hero, world));
(yield* belongings(hero, world));
[friend, kin] = (yield* companion(hero, world));
tale = new Tale(world, hero, friend, [hero.name, friend.name], season);
if (((yield ". 3 | , and 2") !== ".")) {
(yield* contrast(tale, (!$.has(["aunt", "uncle"], kin))));
}
return tale;
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
let heard, place, season, work;
heard = (yield `${hero.she} had 3 | every morning 2 | it was 3`);
if ((heard === "it was")) {
season = $.at($.split((yield world.weather)), 0);
} else {
season = "";
if ((heard === "every morning")) {
[place, work] = [$.at(world.workplace, hero.job), $.split($.at(world.work, hero.job))];
(yield hero.she);
(yield `worked/world in the ${place}/world 2 | ${$.at(work, 0)}/world ${$.at(work, 1)}/world`);
}
}
if (($.has(["it was", "every morning"], heard))) {
(yield `. ${hero.she} had`);
}
return season;
}
function* belongings(hero, world) {
let first;
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
if ($.truth($.endswith((yield `${hero.she} kept the 2 | ${hero.her}`), "kept the"))) {
(yield hero.own_tool);
hero.kept = (yield world.kept);
(yield `. ${hero.her}`);
}
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
function* companion(hero, world) {
let job, kin, name, names;
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
(yield "was a");
job = (yield world.jobs.without(hero.job));
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
return { opening, introduction, named, habit_or_season, belongings, tool, animals, companion, contrast, words, OPPOSITE };
})();
const m_story = (() => {
const { ENDINGS } = m_endings;
const { opening } = m_opening;
const { Options } = m_options;
const { Tale } = m_people;
const { ALL, tell, tellable } = m_scenes;
const FEWEST = 2;
function* story(world) {
let tale, what;
tale = (yield* opening(world));
while ((!$.has(ENDINGS, (what = (yield next_scenes(tale)))))) {
(yield* tell(what, tale));
}
(yield* $.at(ENDINGS, what).tell(tale));
}
function next_scenes(tale) {
let choices, ends, key, may_end, others, rest, weights;
[others, ends] = tellable(tale);
may_end = (!$.truth(tale.pending) && (($.len(tale.told) >= FEWEST) || !$.truth(others)));
key = [...$.iter(others), ...$.iter(ends), String(may_end)];
choices = tale.world.scene_choices;
if ((!$.has(choices, key))) {
weights = new Map($.iter([...$.iter(others), ...$.iter(ends)]).map((opens) => [opens, $.at(ALL, opens).weight]));
if ($.truth(may_end)) {
rest = ($.truth($.sum($.values(weights))) ? $.sum($.values(weights)) : 1);
weights = $.merge(weights, new Map($.iter($.items(ENDINGS)).map(([opens, end]) => [opens, (rest * end.weight)])));
}
$.put(choices, key, new Options(weights));
}
return $.at(choices, key);
}
return { story, next_scenes, FEWEST };
})();
export const tellStory = m_story.story;
export const KINDS = m_kinds.KINDS;
