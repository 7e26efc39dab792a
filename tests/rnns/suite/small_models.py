"""Small inputs of chapter 4: layers on layers, batches of stories, drawing. Leaves out training."""

import itertools
from dataclasses import replace

import torch

from examiner.counterexamples import Example, Small, example, small
from examiner.counterexamples.literals import Code
from tests.rnns.suite.small import SUM

BOS, EOS = 1, 2


# ------------------------------------------------------------------------------ layers
SUMS = """
cells = {cells}
for cell in {each}:
    for parameter, value in zip(cell.parameters(), (1.0, 0.0, {u})):
        parameter.data[:] = value
"""
STACK = """
outputs, states = stack({cells}, x{how})
(outputs, states)
"""


def sums(L: int, u: float) -> str:
    """Return code that makes cells, each of which adds up what it reads."""
    cells = f"[{', '.join(['Sum(D=1, H=1)'] * L)}]"
    return SUM + SUMS.format(cells=cells, each="cells", u=u)


@small("4.8", "stack", tries=50)
def layers_of_sums(draw: Small) -> Example:
    L, B, T = draw.choice([1, 2, 2, 3]), draw.integer(1, 2), draw.integer(1, 3)
    values = {"x": draw.tensor(B, T, 1, values=(1.0, 2.0, 3.0))}
    how = draw.choice(["", "", ", state", ", state", ", dropout=torch.neg", ", state, torch.neg"])
    if ", state" in how:
        values["state"] = draw.tensor(B, L, 1, values=(1.0, 2.0, 3.0))
    code = sums(L, draw.choice([1.0, 2.0])) + STACK.format(cells="cells", how=how)
    return example(code, **values)


@small("4.8", "stack", tries=6, last=True)
def layers_that_something_squares(draw: Small) -> Example:
    x = draw.tensor(1, draw.integer(1, 2), 1, values=(2.0, 3.0))
    how = ", dropout=torch.square"
    return example(sums(2, 1.0) + STACK.format(cells="cells", how=how), x=x)


@small("4.8", "stack", tries=2)
def layers_of_an_iterator(draw: Small) -> Example:
    x = draw.tensor(1, 3, 1, values=(1.0, 2.0, 3.0))
    return example(sums(2, 1.0) + STACK.format(cells="iter(cells)", how=""), x=x)


@small("4.8", "stack", tries=10)
def layers_of_several_numbers(draw: Small) -> Example:
    code = """
cells = [Sum(D=2, H=2), Sum(D=2, H=2)]
for cell in cells:
    cell.W.weight.data[:] = 1.0
    cell.W.bias.data[:] = 0.0
    cell.U.weight.data = U
"""
    how = {"U": draw.tensor(2, 2, values=(1.0, 0.0)), "x": draw.tensor(1, draw.integer(1, 2), 2)}
    code = SUM + code + STACK.format(cells="cells", how=", state")
    return example(code, **how, state=draw.tensor(1, 2, 2))


@small("4.8", "stack", tries=2, last=True)
def what_layers_learn(draw: Small) -> Example:
    code = """
x.requires_grad_()
outputs, states = stack(cells, x, state)
(outputs.sum() + states.sum()).backward()
(x.grad, [cell.W.weight.grad for cell in cells])
"""
    how = {"x": torch.ones(1, draw.integer(1, 2), 1), "state": torch.ones(1, 2, 1)}
    return example(sums(2, 1.0) + code, **how, changes=["x"])


TWO_WAYS = """
ahead = Sum(D=1, H={H})
back = Sum(D=1, H={H})
for cell, u in ((ahead, {one}), (back, {two})):
    for parameter, value in zip(cell.parameters(), (1.0, 0.0, u)):
        parameter.data[:] = value
bidirectional(ahead, back, x)
"""


@small("4.8", "bidirectional", tries=40)
def sums_from_both_ends(draw: Small) -> Example:
    B, T = draw.integer(1, 2), draw.integer(1, 3)
    H = draw.choice([1, 1, 2])
    code = SUM + TWO_WAYS.format(H=H, one=1.0, two=draw.choice([1.0, 1.0, 2.0]))
    return example(code, x=draw.tensor(B, T, 1, values=(1.0, 2.0, 3.0)))


@small("4.8", "bidirectional", tries=2, last=True)
def what_two_directions_learn(draw: Small) -> Example:
    code = """
x.requires_grad_()
bidirectional(ahead, back, x).sum().backward()
(x.grad, ahead.W.weight.grad, back.W.weight.grad)
"""
    cells = SUM + TWO_WAYS.format(H=1, one=1.0, two=1.0)
    code = cells.removesuffix("bidirectional(ahead, back, x)\n") + code
    return example(code, x=torch.ones(1, draw.integer(2, 3), 1), changes=["x"])


# ------------------------------------------------------------------------------ stories
def stories_of(draw: Small, most: int, longest: int, words: tuple = (3, 4, 5)) -> list[list[int]]:
    """Draw a few stories of a few words."""
    return [
        [draw.choice(words) for _ in range(draw.integer(0 if draw.size > 2 else 1, longest))]
        for _ in range(draw.length(1, most))
    ]


@small("4.9", "make_batch", tries=50)
def a_few_stories(draw: Small) -> Example:
    code = "inputs, targets = make_batch(stories)\n(inputs, targets)"
    return example(code, stories=stories_of(draw, 3, draw.choice([1, 2, 3])))


@small("4.9", "make_batch", tries=4)
def empty_stories(draw: Small) -> Example:
    code = "inputs, targets = make_batch(stories)\n(inputs, targets)"
    return example(code, stories=draw.choice([[[]], [[], [3]], [[3], []], [[], []]]))


BIGRAMS = """
class Model(nn.Module):
    def forward(self, tokens, s=None):
        return logits[tokens], torch.zeros(len(tokens), 1)
"""
KNOWS_NOTHING = """
class Model(nn.Module):
    def forward(self, tokens, s=None):
        return torch.zeros(*tokens.shape, 4), torch.zeros(len(tokens), 1)
"""
LOGS = """
[float(each) for each in log_probs(Model(), stories{size})]
"""


@small("4.9", "log_probs", tries=16)
def logs_of_a_model_that_knows_nothing(draw: Small) -> Example:
    how = {"stories": stories_of(draw, 3, 2, (3,)), "size": draw.integer(1, 3)}
    code = KNOWS_NOTHING + LOGS.format(size=", size=size")
    if draw.yes():
        how.pop("size")
        code = KNOWS_NOTHING + LOGS.format(size="")
    return example(code, **how, rtol=1e-3)


@small("4.9", "log_probs", tries=24)
def logs_of_pairs(draw: Small) -> Example:
    logits = draw.tensor(4, 4, values=(0.0, 1.0, 2.0))
    how = {"logits": logits, "stories": stories_of(draw, 4, 2, (3,)), "size": draw.integer(1, 3)}
    code = BIGRAMS + LOGS.format(size=", size=size")
    if draw.yes():
        how.pop("size")
        code = BIGRAMS + LOGS.format(size="")
    return example(code, **how, rtol=1e-3, atol=1e-4)


@small("4.9", "log_probs", tries=12)
def logs_of_a_model_that_repeats(draw: Small) -> Example:
    code = """
class Model(nn.Module):
    def forward(self, tokens, s=None):
        logits = nn.functional.one_hot(tokens, 4).float()
        return logits, torch.zeros(len(tokens), 1)
"""
    how = {"stories": stories_of(draw, 3, 2, (3,)), "size": draw.integer(1, 3)}
    code += LOGS.format(size=", size=size")
    return example(code, **how, rtol=1e-3, atol=1e-4)


@small("4.9", "log_probs", tries=3)
def logs_of_a_model_with_dropout(draw: Small) -> Example:
    code = """
class Model(nn.Module):
    def forward(self, tokens, s=None):
        logits = nn.functional.one_hot(tokens, 4).float()
        logits = nn.functional.dropout(logits, 1.0, self.training)
        return logits, torch.zeros(len(tokens), 1)
"""
    stories = [[3] * draw.integer(2, 3)]
    return example(code + LOGS.format(size=""), stories=stories, rtol=1e-3, atol=1e-4)


@small("4.9", "log_probs", tries=2)
def logs_of_what_is_next_to_impossible(draw: Small) -> Example:
    logits = torch.tensor([0.0, 0.0, 0.0, -200.0])
    code = """
class Model(nn.Module):
    def forward(self, tokens, s=None):
        return logits.expand(*tokens.shape, 4), torch.zeros(len(tokens), 1)
"""
    code += LOGS.format(size="")
    return example(code, logits=logits, stories=[[3] * (1 + draw.integer(0, 1))], rtol=1e-3)


@small("4.9", "log_probs", tries=2, last=True)
def logs_of_what_is_certain(draw: Small) -> Example:
    logits = torch.zeros(4, 4)
    logits[BOS, 3] = logits[3, EOS] = 200.0
    code = BIGRAMS + LOGS.format(size="")
    return example(code, logits=logits, stories=[[3]] * draw.integer(1, 2), atol=1e-6)


@small("4.9", "log_probs", tries=1, last=True)
def the_mode_that_stays(draw: Small) -> Example:
    code = "model = Model().eval()\nlog_probs(model, stories)\nmodel.training\n"
    return example(KNOWS_NOTHING + code, stories=[[3]])


@small("4.9", "log_probs", tries=3)
def stories_that_are_read_at_once(draw: Small) -> Example:
    code = """
class Model(nn.Module):
    def forward(self, tokens, s=None):
        rows.append(len(tokens))
        return torch.zeros(*tokens.shape, 4), torch.zeros(len(tokens), 1)

rows = []
log_probs(Model(), stories, size=1)
max(rows)
"""
    return example(code, stories=[[3]] * draw.integer(2, 3))


# ------------------------------------------------------------------------------ drawing
# which word comes next depends on the sum of all ids that were read: that is its state
SPEAKS = """
class Model(nn.Module):
    def forward(self, tokens, s=None):
        total = tokens.cumsum(1) + (0 if s is None else s)
        logits = 99.0 * nn.functional.one_hot(following[total % 5], 5)
        return logits, total[:, -1:]
"""
DRAWS = """
class Model(nn.Module):
    def forward(self, tokens, s=None):
        logits = probs.log().expand(*tokens.shape, {V})
        return logits, torch.zeros(len(tokens), 1)
"""
TELL = """
stories = generate(Model(), {n}, torch.Generator(), most={most}{prompt})
[list(story) for story in stories]
"""
COUNT = """
rng = torch.Generator().manual_seed({seed})
stories = generate(Model(), 300, rng, most={most})
Counter(tuple(story) for story in stories)
"""
LATER = 9  # the size of what is shown to those alone who are right on all simpler programs


def said(following: list[int], prompt: list[int], most: int) -> list[int]:
    """Return what the model says of which each next word depends on a sum."""
    total, story = sum([BOS, *prompt]), []
    while len(story) < most and following[total % 5] != EOS:
        story.append(following[total % 5])
        total += story[-1]
    return story


@small("4.11", "generate", tries=32)
def stories_without_luck(draw: Small) -> Example:
    prompt = draw.choice([[], [], [3], [4], [3, 4], [4, 3]])
    n, most = draw.integer(1, 2), draw.integer(1, 4)
    following = [EOS] * 5
    while not said(following, prompt, most):
        following = [draw.choice([EOS, 3, 4]) for _ in range(5)]
    how = {"following": torch.tensor(following)}
    if prompt:
        how["prompt"] = prompt
    code = SPEAKS + TELL.format(n=n, most=most, prompt=", prompt=prompt" if prompt else "")
    return example(code, **how)


@small("4.11", "generate", tries=9)
def stories_by_chance(draw: Small) -> Example:
    V, most = draw.choice([4, 5]), draw.integer(1, 2)
    one = draw.choice([0.5, 0.25, 0.125])
    probs = [0.0, 0.0, one, 1 - one] if V == 4 else [0.0, 0.0, 0.5, one / 2, (1 - one) / 2]
    size = 6
    if draw.integer(0, 2) == 0:
        probs, size = [0.25, 0.25, *(p / 2 for p in probs[2:])], 7
    begin = DRAWS.format(V=V) + COUNT.format(seed=draw.integer(0, 9), most=most)
    known = Code(f"torch.tensor({probs})", size)
    return example(begin, probs=known, chances=chances_of_stories(probs, most))


@small("4.11", "generate", tries=1)
def one_word_of_four(draw: Small) -> Example:
    probs = [0.0, 0.0, 0.25, 0.25, 0.25, 0.25]
    begin = DRAWS.format(V=6) + COUNT.format(seed=draw.integer(0, 9), most=1)
    known = Code(f"torch.tensor({probs})", size=8)
    return example(begin, probs=known, chances=chances_of_stories(probs, 1))


def chances_of_stories(probs: list[float], most: int) -> dict[tuple[int, ...], float]:
    """Return the chances of all stories of a model that forgets what it has read."""
    words = {word: p / sum(probs[EOS:]) for word, p in enumerate(probs) if word >= EOS and p > 0}
    going, found = {(): 1.0}, {}
    for _ in range(most):
        found |= {story: p * words[EOS] for story, p in going.items()}
        longer = itertools.product(going.items(), words.items())
        going = {(*story, w): p * q for (story, p), (w, q) in longer if w != EOS}
    return found | going


EVEN = Code("torch.tensor([0.0, 0.0, 0.5, 0.5])", size=LATER)
TWO_GENERATORS = """
one = generate(Model(), 20, torch.Generator().manual_seed({one}), most=3)
two = generate(Model(), 20, torch.Generator().manual_seed({two}), most=3)
one == two
"""
ONE_GENERATOR = """
rng = torch.Generator().manual_seed(1)
one = generate(Model(), 20, rng, most=3)
two = generate(Model(), 20, rng, most=3)
one == two
"""


@small("4.11", "generate", tries=1)
def stories_of_equal_generators(draw: Small) -> Example:
    return example(DRAWS.format(V=4) + TWO_GENERATORS.format(one=1, two=1), probs=EVEN)


@small("4.11", "generate", tries=1)
def stories_of_other_generators(draw: Small) -> Example:
    return example(DRAWS.format(V=4) + TWO_GENERATORS.format(one=1, two=2), probs=EVEN)


@small("4.11", "generate", tries=1)
def stories_of_one_generator(draw: Small) -> Example:
    return example(DRAWS.format(V=4) + ONE_GENERATOR, probs=replace(EVEN, size=LATER + 1))


@small("4.11", "generate", tries=2)
def words_that_are_read_at_a_time(draw: Small) -> Example:
    code = """
class Model(nn.Module):
    def forward(self, tokens, s=None):
        columns.append(tokens.shape[1])
        total = tokens.cumsum(1) + (0 if s is None else s)
        logits = 99.0 * nn.functional.one_hot(following[total % 5], 5)
        return logits, total[:, -1:]

columns = []
generate(Model(), 1, torch.Generator(), most=5)
columns
"""
    following = [EOS] * 5
    while not 1 < len(said(following, [], 9)) < 4:
        following = [draw.choice([EOS, 3, 4]) for _ in range(5)]
    return example(code, following=Code(f"torch.tensor({following})", size=LATER))


@small("4.11", "generate", tries=1)
def stories_of_a_model_with_dropout(draw: Small) -> Example:
    code = """
class Model(nn.Module):
    def forward(self, tokens, s=None):
        logits = 99.0 * nn.functional.one_hot(following[tokens], 5)
        logits = nn.functional.dropout(logits, 1.0, self.training)
        return logits, torch.zeros(len(tokens), 1)
"""
    following = [0, 3, 0, 4, EOS]
    known = Code(f"torch.tensor({following})", size=LATER)
    return example(code + TELL.format(n=5, most=3, prompt=""), following=known)


@small("4.11", "generate", tries=2, last=True)
def a_prompt_that_is_a_tuple(draw: Small) -> Example:
    following = torch.tensor([EOS, 3, 4, EOS, 3])
    prompt = (3, 4)[: draw.integer(1, 2)]
    code = SPEAKS + TELL.format(n=1, most=2, prompt=", prompt=prompt")
    return example(code, following=following, prompt=prompt)


@small("4.11", "generate", tries=1, last=True)
def the_mode_that_stays_while_telling(draw: Small) -> Example:
    code = "model = Model().eval()\ngenerate(model, 1, torch.Generator(), most=1)\nmodel.training\n"
    return example(DRAWS.format(V=4) + code, probs=EVEN)
