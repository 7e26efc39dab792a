"""`nextword train --by`: a network is tuned by chats, pairs or a reward, and goes on after a stop.

Leaves out: the losses themselves (tests/after_training), and how well the book's networks learn.
"""

import json

import pytest
import torch
from safetensors.torch import load_file

from examiner.errors import UserError
from nextword.models.trainer import parallel, runs, streams
from nextword.models.trainer.config import Config
from nextword.models.trainer.run import Training
from nextword.models.tuner import plan as plans
from nextword.models.tuner import run as tuner
from nextword.models.tuner import start as starts
from tests.reference import reference

HERE = parallel.Place(torch.device("cpu"))
SAID = "the hens see a goat . anna has three plums and feeds them all day long"
WORDS = SAID.split()
LINES = [" ".join(WORDS[k : k + 5]) for k in range(9)]
CHATS = [
    {
        "messages": [
            {"role": "user", "content": f"who has {word} ?"},
            {"role": "assistant", "content": f"anna has {word} ."},
        ]
    }
    for word in WORDS[:8] * 3
]
PAIRS = [
    {"prompt": "the hens", "chosen": f"{word} plums", "rejected": f"{word} goat"}
    for word in WORDS * 2
]
JUDGE = "def rewards(texts):\n    return [text.split().count('plums') for text in texts]\n"
# ways, with what is told of each: few steps, a checkpoint after every second
SHORT = {"steps": 5, "size": 4, "every": 2, "rate": 0.01}
WAYS = {
    "instruction": {"warm_up": 1},
    "preference": {"leash": 0.1, "pairs": 0},
    "reward": {"leash": 0.01, "judge": "judge.py"},
    "instruction, rank 2": {"rank": 2},
    "reward in groups, rank 1": {"judge": "judge.py", "group": 2, "rank": 1},
}


class KilledError(Exception):
    pass


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A small trained network, and a file for each way."""
    root = tmp_path_factory.mktemp("tuning")
    trained(root)
    for name, rows in {"chats": CHATS, "pairs": PAIRS, "prompts": [{"prompt": "anna"}]}.items():
        write(root / f"{name}.jsonl", rows)
    (root / "judge.py").write_text(JUDGE, "utf-8")
    return root


@pytest.fixture(autouse=True)
def in_folder(folder, monkeypatch):
    """A reward is named as on the command line."""
    monkeypatch.chdir(folder)


def trained(root, **changes):
    """The folder of a run on a few sentences."""
    file = root / "text.txt"
    file.write_text("\n".join(LINES * 20), "utf-8")
    kind = changes.get("kind", "transformer")
    config = {"D": 16, "layers": 1, "heads": 2, "T": 12, "size": 4, "steps": 30, "every": 30}
    stream = streams.read(str(file), folder=root)
    plan = Config(**{**config, "tied": kind == "transformer", **changes})
    course = reference("rnns" if kind == "lstm" else "transformers")
    Training(course, stream, plan, HERE, root / "start").run()
    return root / "start"


def write(path, rows):
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    return path


def prepared(root, way, to, file=None, start=None, **told):
    """A tuning before its first step."""
    way, _, _ = way.partition(",")
    way = way.split()[0]
    plan = plans.of_way(way, {**SHORT, **told})
    named = {"instruction": "chats", "preference": "pairs", "reward": "prompts"}
    file = file or root / f"{named[way]}.jsonl"
    found = starts.open_start(str(start or root / "start"), reference)
    return tuner.prepare(found, plan, reference, to, file, 1000, lambda line: None)


def weights(tuned):
    return {n: t for n, t in load_file(tuned.path).items() if n.startswith("model.")}


# ------------------------------------------------------------------ going on
@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("after", [1, 3])
def test_a_tuning_that_was_killed_goes_on_bit_for_bit(folder, tmp_path, way, after):
    whole = prepared(folder, way, tmp_path / "whole", **WAYS[way])
    whole.run()

    def kill(now):
        if len(now.losses) == after:
            raise KilledError

    with pytest.raises(KilledError):
        prepared(folder, way, tmp_path / "parts", **WAYS[way]).run(kill)
    torch.manual_seed(99)
    rest = prepared(folder, way, tmp_path / "parts", **WAYS[way])
    assert rest.resume()
    assert len(rest.losses) == after - after % 2
    rest.run()
    assert rest.losses == whole.losses
    assert rest.looks == whole.looks
    one, two = weights(whole), weights(rest)
    assert one.keys() == two.keys()
    assert all(torch.equal(one[name], two[name]) for name in one)


@pytest.mark.slow
def test_one_that_was_asked_to_stop_keeps_the_very_step(folder, tmp_path):
    whole = prepared(folder, "reward", tmp_path / "whole", **WAYS["reward"])
    whole.run()
    now = prepared(folder, "reward", tmp_path / "parts", **WAYS["reward"])
    now.run(must_stop=lambda: len(now.losses) == 3)
    assert now.stopped
    rest = prepared(folder, "reward", tmp_path / "parts", **WAYS["reward"])
    assert rest.resume()
    assert len(rest.losses) == 3
    rest.run()
    assert rest.losses == whole.losses


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"seed": 1}, "another plan (--seed 0 -> 1)"),
        ({"leash": 0.2}, "another plan (--leash 0.1 -> 0.2)"),
        ({"steps": 4}, "has made 5 steps"),
        ({"file": PAIRS[:9]}, "learned from other texts"),
        ({"start": {"seed": 5}}, "began with another network"),
    ],
)
def test_it_goes_on_with_what_it_began_with(folder, tmp_path, changed, said):
    told = {"leash": 0.1, **changed}
    prepared(folder, "preference", tmp_path / "run", leash=0.1).run()
    if "file" in changed:
        told["file"] = write(tmp_path / "few.jsonl", changed["file"])
    if "start" in changed:
        (tmp_path / "other").mkdir()
        told["start"] = trained(tmp_path / "other", **changed["start"])
    with pytest.raises(UserError, match=said.replace("(", r"\(").replace(")", r"\)")):
        prepared(folder, "preference", tmp_path / "run", **told).resume()


@pytest.mark.slow
def test_more_steps_go_on_after_the_last_one(folder, tmp_path):
    prepared(folder, "preference", tmp_path).run()
    longer = prepared(folder, "preference", tmp_path, steps=8)
    assert longer.resume()
    longer.run()
    assert len(longer.losses) == 8


def test_a_training_is_not_taken_for_a_tuning(folder):
    with pytest.raises(UserError, match="is a training, not a tuning"):
        prepared(folder, "reward", folder / "start", judge="judge.py").resume()


# ------------------------------------------------------------------ what is learned
@pytest.mark.slow
def test_chats_teach_answers_and_new_words(folder, tmp_path):
    tuned = prepared(folder, "instruction", tmp_path, steps=60, every=60, rate=0.03, warm_up=5)
    tuned.run()
    first, last = tuned.looks
    assert last["validation"] < 0.3 * first["validation"]
    found = runs.open_run(tmp_path, reference)
    assert {"who", "?", "<user>", "<assistant>"} <= set(found.tokenizer.vocabulary)


@pytest.mark.slow
@pytest.mark.parametrize("rank", [0, 2])
def test_pairs_teach_what_was_preferred(folder, tmp_path, rank):
    told = {"steps": 30, "every": 30, "rate": 0.05 if rank else 0.01, "rank": rank}
    tuned = prepared(folder, "preference", tmp_path, **told)
    tuned.run()
    assert tuned.looks[0]["right"] == 0.5
    assert tuned.looks[-1]["right"] == 1
    assert tuned.looks[-1]["validation"] < tuned.looks[0]["validation"] - 0.01


@pytest.mark.slow
def test_a_function_of_ones_own_gives_the_reward(folder, tmp_path):
    told = {"steps": 30, "every": 30, "size": 32, "rate": 0.02, "leash": 0.0, "judge": "judge.py"}
    tuned = prepared(folder, "reward", tmp_path, **told)
    tuned.run()
    assert tuned.looks[-1]["reward"] > tuned.looks[0]["reward"] + 0.5
    assert tuned.looks[-1]["kl"] > 0.1


@pytest.mark.slow
def test_a_leash_keeps_the_network_near(folder, tmp_path):
    told = {"steps": 20, "every": 20, "size": 32, "rate": 0.02, "judge": "judge.py"}
    found = []
    for leash in (0.0, 1.0):
        tuned = prepared(folder, "reward", tmp_path / str(leash), leash=leash, **told)
        tuned.run()
        found.append(tuned.looks[-1]["kl"])
    assert found[1] < 0.5 * found[0]


@pytest.mark.slow
def test_lora_leaves_all_old_weights_as_they_were(folder, tmp_path):
    before = load_file(folder / "start" / "last.safetensors")
    tuned = prepared(folder, "instruction", tmp_path, rank=2)
    tuned.run()
    kept = weights(tuned)
    old = before["model.embed.words.weight"]
    words = kept["model.embed.words.weight"]
    assert torch.equal(words[: len(old)], old)
    plain = [n for n in before if n.startswith("model.") and n in kept and "embed" not in n]
    assert plain
    assert all(torch.equal(kept[n], before[n]) for n in plain)


@pytest.mark.slow
def test_a_network_tuned_with_lora_is_read_as_a_plain_one(folder, tmp_path):
    tuned = prepared(folder, "instruction", tmp_path, rank=2, steps=8)
    tuned.run()
    found = runs.open_run(tmp_path, reference)
    rows = torch.tensor([[1, 4, 5, 6]])
    torch.testing.assert_close(found.model(rows)[0], tuned.start.model(rows)[0])
    assert not any("base" in name for name, _ in found.model.named_modules())
    again = prepared(folder, "preference", tmp_path / "more", start=tmp_path)
    assert all(p.requires_grad for p in again.start.model.parameters())
    again.run()


@pytest.mark.slow
def test_an_lstm_is_tuned_too(folder, tmp_path):
    start = trained(tmp_path, kind="lstm", heads=2)
    tuned = prepared(folder, "instruction", tmp_path / "tuned", start=start, steps=30, rate=0.02)
    tuned.run()
    assert tuned.looks[-1]["validation"] < 0.7 * tuned.looks[0]["validation"]
    with pytest.raises(UserError, match="beside the matrices of a transformer"):
        prepared(folder, "instruction", tmp_path / "rank", start=start, rank=2)


# ------------------------------------------------------------------ bad input
BAD = {
    "instruction": {
        "{": "line 1: Expecting property name",
        "[1]": "expected an object",
        '{"messages": 3}': 'expected "messages"',
        '{"messages": [{"role": "system", "content": "be good"}]}': '"role" must be "user"',
        '{"messages": [{"role": "user", "content": "who?"}]}': "the assistant says nothing",
        '{"messages": [{"role": "assistant", "content": " "}]}': '"content" is empty',
    },
    "preference": {
        '{"chosen": "anna"}': 'needs two answers, "chosen" and "rejected": rejected is missing',
        '{"chosen": "anna", "rejected": "anna"}': "the same answer",
        '{"chosen": "anna", "rejected": 7}': 'expected a text as "rejected", got 7',
        '{"prompt": 1, "chosen": "anna", "rejected": "hens"}': 'expected a text as "prompt"',
    },
    "reward": {'{"text": "anna"}': 'expected a text as "prompt", got null', "": "is empty"},
}


@pytest.mark.parametrize(
    ("way", "line", "said"),
    [(way, line, said) for way, lines in BAD.items() for line, said in lines.items()],
)
def test_a_line_that_is_wrong_is_named(folder, tmp_path, way, line, said):
    file = tmp_path / "bad.jsonl"
    file.write_text(f"{line}\n", "utf-8")
    told = {"judge": "judge.py"} if way == "reward" else {}
    with pytest.raises(UserError) as error:
        prepared(folder, way, tmp_path, file, **told)
    assert said in str(error.value)
    assert "bad.jsonl" in str(error.value)


def test_one_line_is_too_few_since_one_is_held_out(folder, tmp_path):
    with pytest.raises(UserError, match="at least 2, since one is held out"):
        prepared(folder, "instruction", tmp_path, write(tmp_path / "one.jsonl", CHATS[:1]))


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("def rewards(texts): return [1.0]", "of shape (1,) for 4 texts"),
        ("def rewards(texts): return [float('nan')] * len(texts)", "gave nan for the text"),
        ("def rewards(texts): return 'good'", "failed"),
        ("def rewards(texts): raise KeyError('x')", "failed: KeyError"),
        ("reward = 1", "has no function 'rewards'"),
        ("import nothing_like_it", "cannot be imported: ModuleNotFoundError"),
    ],
)
def test_a_reward_that_is_wrong_stops_with_one_line(folder, tmp_path, code, said):
    (tmp_path / "mine.py").write_text(code, "utf-8")
    with pytest.raises(UserError) as error:
        prepared(folder, "reward", tmp_path / "run", judge=str(tmp_path / "mine.py")).run()
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("way", "told", "said"),
    [
        ("reward", {"group": 1}, "nothing to be compared with"),
        ("reward", {"size": 5, "group": 2}, "must be a multiple of --group 2"),
        ("reward", {"size": 1}, "at least 2 texts"),
        ("reward", {"rate": 0.0}, "--rate must be more than 0"),
        ("reward", {"leash": float("nan")}, "--leash must be at least 0"),
        ("instruction", {"leash": 0.1}, "--leash is for tuning by preference or reward"),
        ("preference", {"judge": "taste"}, "--reward is for tuning by reward"),
        ("obedience", {}, "--by can be instruction, preference, reward"),
    ],
)
def test_a_plan_that_makes_no_sense_is_refused(way, told, said):
    with pytest.raises(UserError, match=said):
        plans.of_way(way, told)


@pytest.mark.slow
def test_texts_longer_than_positions_are_refused(folder, tmp_path):
    start = trained(tmp_path, positions="learned")
    long = [{"messages": [{"role": "assistant", "content": " ".join(WORDS * 2)}]}] * 2
    with pytest.raises(UserError, match="has positions for 12 tokens, and a text here has"):
        prepared(folder, "instruction", tmp_path, write(tmp_path / "l.jsonl", long), start)


@pytest.mark.parametrize("way", ["instruction", "preference", "reward"])
def test_the_villages_own_texts_are_for_networks_of_the_village(folder, tmp_path, way):
    found = starts.open_start(str(folder / "start"), reference)
    plan = plans.of_way(way, {})
    with pytest.raises(UserError, match="trained"):
        tuner.prepare(found, plan, reference, tmp_path, None, 1000, lambda line: None)


@pytest.mark.slow
def test_a_network_of_characters_is_not_tuned(folder, tmp_path):
    file = tmp_path / "text.txt"
    file.write_text("\n".join(LINES * 20), "utf-8")
    stream = streams.read(str(file), tokens_as="characters", folder=tmp_path)
    small = Config(D=8, layers=1, heads=2, T=8, size=2, steps=1, every=1)
    Training(reference("transformers"), stream, small, HERE, tmp_path / "run").run()
    with pytest.raises(UserError, match="reads characters, and tuning takes networks that read w"):
        starts.open_start(str(tmp_path / "run"), reference)
