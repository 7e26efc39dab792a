"""The kinds of networks that `nextword train` takes: they learn, resume, write with a cache."""

from itertools import islice

import pytest
import torch

from examiner.errors import UserError
from nextword.models.trainer import networks, parallel, run, writing
from nextword.models.trainer.config import Config, of_kind
from nextword.models.trainer.run import Training
from nextword.models.trainer.streams import Stream
from nextword.models.trainer.tokenizers import Tokenizer
from nextword.models.training import n_weights
from solutions import attention, rnns, transformers

HERE = parallel.Place(torch.device("cpu"))
SIGNS = ("<pad>", "<s>", "</s>", *"abcdef")
CHARACTERS = Tokenizer("characters", SIGNS)
# not `reference`: checking the shapes of every call takes longer than training
CHAPTERS = {"rnns": rnns, "attention": attention, "transformers": transformers}
TINY = {"D": 8, "layers": 2, "heads": 2, "T": 12, "size": 4, "steps": 4, "every": 2, "warm_up": 1}
KINDS = {
    "transformer": {},
    "all sizes": {
        **{"G": 1, "F": 12, "feed": "swiglu", "norm": "rms", "pre": False, "tied": False},
        **{"bias": False, "positions": "alibi", "dropout": 0.1},
    },
    "learned places": {"positions": "learned"},
    "linear attention": {"kind": "linear-attention", "positions": "sinusoidal"},
    "attention": {"kind": "attention"},
    "rnn": {"kind": "rnn"},
    "lstm": {"kind": "lstm", "F": 10, "dropout": 0.1},
    "gru": {"kind": "gru", "tied": True},
}


def config(**changes):
    changes = {**TINY, **changes}
    return of_kind(changes.pop("kind", "transformer"), changes)


def course_of(plan):
    return CHAPTERS[networks.chapter(plan.kind)]


@pytest.fixture(autouse=True)
def short_samples(monkeypatch):
    monkeypatch.setitem(writing.SAMPLE, "characters", 5)


@pytest.fixture(scope="module")
def stream():
    tokens = torch.randint(3, 9, (300,), generator=torch.Generator().manual_seed(0))
    return Stream(tokens[:200], tokens[200:], SIGNS, tokenizer=CHARACTERS)


@pytest.mark.parametrize("changes", KINDS.values(), ids=KINDS)
def test_each_kind_resumes_bit_for_bit(stream, tmp_path, changes):
    plan = config(**changes)

    def training(folder):
        return Training(course_of(plan), stream, plan, HERE, tmp_path / folder)

    whole = training("whole")
    whole.run()
    stopped = training("parts")
    stopped.run(must_stop=lambda: len(stopped.losses) == 3)
    rest = training("parts")
    assert rest.resume()
    rest.run()
    assert (rest.losses, rest.looks) == (whole.losses, whole.looks)
    weights = rest.model.state_dict()
    assert all(torch.equal(w, weights[name]) for name, w in whole.model.state_dict().items())


@pytest.mark.parametrize("changes", KINDS.values(), ids=KINDS)
def test_with_the_cache_each_kind_writes_what_it_writes_without(changes):
    """Beyond what it sees, too: there it reads the last three quarters again."""
    plan = config(**changes)
    model = networks.build(course_of(plan), plan, len(SIGNS)).eval()
    with torch.no_grad():
        for p in model.parameters():  # away from where all is the same
            p.add_(torch.randn(p.shape, generator=torch.Generator().manual_seed(p.numel())))
    most = networks.sees_at_most(plan)
    rng = torch.Generator().manual_seed(0)
    prompt, taste = [3, 4, 5], writing.Taste()
    found = list(islice(writing.tokens(model, plan, CHARACTERS, prompt, taste, rng), 25))

    rng, row = torch.Generator().manual_seed(0), list(prompt)
    begin = 0  # where what it sees begins
    for token in found:
        if most and len(row) - begin > most:
            begin = len(row) - int(0.75 * most)
        with torch.no_grad():
            scores = model(torch.tensor([row[begin:]]))[0][0, -1]
        scores[:3] = -torch.inf
        assert taste.choose(scores, rng) == token
        row.append(token)


@pytest.mark.parametrize("kind", ["transformer", "lstm"])
def test_each_token_is_read_once(kind):
    """Until a transformer has seen all that it can: then it reads three quarters again."""
    plan = config(kind=kind)
    model = networks.build(course_of(plan), plan, len(SIGNS)).eval()
    read = []
    model.register_forward_pre_hook(lambda _, inputs: read.append(inputs[0].shape[1]))
    rng = torch.Generator().manual_seed(0)
    list(islice(writing.tokens(model, plan, CHARACTERS, [3, 4, 5], writing.Taste(), rng), 14))
    again = {"transformer": [9, 1, 1, 1], "lstm": [1, 1, 1, 1]}[kind]  # it sees 12
    assert read == [3, *[1] * 9, *again]


@pytest.mark.slow
def test_each_kind_learns(tmp_path):
    tokens = torch.arange(3, 9).repeat(60)
    text = Stream(tokens[:300], tokens[300:], SIGNS, tokenizer=CHARACTERS)
    for name, changes in KINDS.items():
        plan = config(**{**changes, "steps": 60, "every": 60, "rate": 0.03, "dropout": 0.0})
        now = Training(course_of(plan), text, plan, HERE, tmp_path / name)
        now.run()
        assert now.looks[-1].validation < 1.5, name  # ln 6 = 1.79 at the beginning


def test_sizes_reach_the_network():
    plan = config(**KINDS["all sizes"], T=16)
    model = networks.build(CHAPTERS["transformers"], plan, len(SIGNS))
    s = model.sizes
    assert (s.V, s.D, s.L, s.H, s.G, s.F, s.T) == (9, 8, 2, 2, 1, 12, 16)
    assert (s.positions, s.feed, s.norm) == ("alibi", "swiglu", "rms")
    assert (s.pre, s.tied, s.bias, s.dropout) == (False, False, False, 0.1)
    assert n_weights(model) == sum(CHAPTERS["transformers"].count_parameters(s).values())
    lstm = networks.build(CHAPTERS["rnns"], config(**KINDS["lstm"]), len(SIGNS))
    assert [(cell.D, cell.H) for cell in lstm.cells] == [(8, 10), (10, 10)]
    biases = [cell.W.bias.unflatten(0, (4, 10)) for cell in lstm.cells]  # i, f, g, o
    assert all((b == networks.OPEN).all(1).tolist() == [False, True, False, False] for b in biases)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"kind": "cnn"}, "kind must be one of transformer, .*: 'cnn'"),
        ({"feed": "tanh"}, "feed must be one of relu, .*: 'tanh'"),
        ({"heads": 4, "G": 3}, "4 heads cannot share 3 heads of keys"),
        ({"kind": "lstm", "norm": "rms"}, "the kind lstm has no --norm: leave it out"),
        ({"kind": "gru", "G": 1}, "the kind gru has no --key-value-heads"),
        ({"kind": "rnn", "heads": 4}, "the kind rnn has no --heads"),
        ({"kind": "lstm", "tied": True, "F": 9}, "tied weights need a state as wide"),
        ({"kind": "gru", "parts": 2}, "leave out --accumulate"),
        ({"kind": "linear-attention", "positions": "rotary"}, "linear attention takes learned"),
        ({"kind": "attention", "dropout": 0.1}, "the kind attention has no --dropout"),
    ],
)
def test_sizes_that_a_kind_lacks_are_named(changes, said):
    with pytest.raises(UserError, match=said):
        config(**changes)


def test_a_network_is_told_in_words():
    assert networks.described(config(kind="lstm", F=12)) == "an LSTM of 2 layers, state 12, width 8"
    assert networks.described(config(kind="linear-attention")) == (
        "a transformer with linear attention of 2 blocks, 2 heads, width 8"
    )


def test_a_folder_for_each_plan():
    name = config().folder_name("village", "words", {})
    assert name == "village-words-transformer-2x8-2-heads-12-" + name[-6:]
    others = [{}, {"rate": 0.1}, {"kind": "gru"}, {"size": 8}, {"seed": 1}, {"feed": "relu"}]
    names = {config(**other).folder_name("village", "words", {}) for other in others}
    names.add(config().folder_name("village", "bpe", {}))
    names.add(config().folder_name("village", "words", {"n_tokens": 5}))
    assert len(names) == len(others) + 2
    # what may change from call to call does not
    assert config(steps=9, every=1).folder_name("village", "words", {}) == name
    assert Config().folder_name("a", "words", {}) == "a-words-transformer-3x64-2-heads-128"


def test_half_precision_is_taken_where_it_is_asked_for(stream, tmp_path):
    cpu = torch.device("cpu")
    assert run.chosen_precision(cpu, "auto") == ("float32", "")
    assert run.chosen_precision(cpu, "bfloat16") == ("bfloat16", "")
    chosen, why = run.chosen_precision(torch.device("mps"), "bfloat16")
    assert (chosen, why) == ("float32", "bfloat16 is not used: mps lacks it here; float32 instead")
    with pytest.raises(UserError, match="precision can be auto, float32, bfloat16, not 'int4'"):
        run.chosen_precision(cpu, "int4")
    found = {}
    for name in ("float32", "bfloat16"):
        plan = config()
        now = Training(course_of(plan), stream, plan, HERE, tmp_path / name, precision=name)
        now.run()
        found[name] = now.losses
    assert found["float32"] != found["bfloat16"]
    assert found["float32"] == pytest.approx(found["bfloat16"], abs=0.05)


def test_where_it_cannot_be_compiled_it_says_why(stream, tmp_path, monkeypatch):
    def broken(model):
        raise RuntimeError("no compiler here\nand much more")

    now = Training(transformers, stream, config(dropout=0.1), HERE, tmp_path)
    before = torch.get_rng_state()
    monkeypatch.setattr(torch, "compile", broken)
    assert now.compile() == "no compiler here"
    assert now.fast is now.model
    seen = []

    class Compiled(torch.nn.Module):
        def __init__(self, model):
            super().__init__()
            self.model = model

        def forward(self, tokens):
            seen.append(tuple(tokens.shape))
            return self.model(tokens)

    monkeypatch.setattr(torch, "compile", Compiled)
    assert now.compile() == ""
    assert torch.equal(before, torch.get_rng_state())
    assert all(p.grad is None for p in now.model.parameters())
    now.run()
    assert seen == [(4, 12)] * 5  # the trial and four steps, but not the looks and samples
