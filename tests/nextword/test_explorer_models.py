"""The explorer's models in JavaScript beside those of Python. Leaves out: the figure (test_explorer
in tests/book) and the transformer itself (test_explorables).
"""

import pytest
import torch

from nextword.corpora import village
from nextword.explorables.bundle import bundled
from nextword.explorables.counts import counted, packed_counts
from nextword.models import checkpoints
from solutions import ngrams
from tests.browser import NEEDS_CHROMIUM
from tests.explorable_pages import ids_of, numbers_of, torch_lstm

pytestmark = [pytest.mark.slow, NEEDS_CHROMIUM]

GIVEN = numbers_of("transformer")
STORY = GIVEN["stories"][0]


@pytest.fixture(scope="module")
def blank(browser):
    page = browser.new_page()
    page.goto("about:blank")
    yield page
    page.close()


def run(page, name, body, given):
    """Run JavaScript after a file and what it imports, with `given` as an argument."""
    return page.evaluate(f"async (given) => {{ {bundled(name)} {body} }}", given)


def test_the_lstm_in_the_page_computes_what_torch_does(blank):
    ids = ids_of(GIVEN["network"], STORY[:40])
    body = """
        const lstm = new file_lstm.Lstm(given.packed);
        lstm.logits([...given.ids.slice(0, 9), 5, 7]);  // another text first: its end is forgotten
        return given.ids.map((_, k) => Array.from(lstm.logits(given.ids.slice(0, k + 1))));
    """
    found = torch.tensor(run(blank, "lstm", body, {"packed": GIVEN["lstm"], "ids": ids}))
    with torch.no_grad():
        expected = torch_lstm(GIVEN)(torch.tensor([ids]))[0]
    assert (found - expected[0]).abs().max() < 1e-4


@pytest.mark.parametrize("n", [2, 5])
def test_the_n_gram_model_in_the_page_gives_the_chances_of_chapter_two(blank, n):
    words = GIVEN["network"]["words"]
    number = {word: k for k, word in enumerate(words)}
    stories = village.split("train", 2_000).stories()
    rows = [[number[w] for w in [*story, "</s>"]] for story in stories]
    packed = packed_counts(counted(rows, n, bos=1))
    model = ngrams.KneserNey(ngrams.count_ngrams(stories, n), village.VOCABULARY)
    texts = [[], STORY[:2], STORY[:30], ["the", "zebra"], stories[3][:7]]
    texts = [[w for w in text if w in number] for text in texts]
    body = """
        const model = await file_kneser_ney.KneserNey.from(given.packed, given.V - 2, given.V);
        return given.texts.map((ids) => Array.from(model.chances(ids)));
    """
    ids = [ids_of(GIVEN["network"], text) for text in texts]
    given = {"packed": packed, "V": len(words), "texts": ids}
    for text, row in zip(texts, run(blank, "kneser_ney", body, given), strict=True):
        expected = model.distribution(["<s>"] * (n - 1) + text)
        assert row[:2] == [0, 0]
        assert row[2:] == pytest.approx([expected[w] for w in words[2:]], abs=1e-12)


def test_the_shipped_counts_make_the_model_of_the_ladder(blank):
    body = """
        const { words } = given.network;
        const { KneserNey } = file_kneser_ney, V = words.length;
        const model = await KneserNey.from(given.ngrams, V - 2, V);
        const rows = model.rows.flatMap((table) => [...table.values()]);
        return rows.reduce((sum, { counts }) => sum + counts.size, 0);
    """
    (rung,) = (row for row in checkpoints.ladder().rows if row.name == "5-gram")
    assert run(blank, "kneser_ney", body, GIVEN) == rung.parameters


def test_a_story_is_accepted_when_the_village_could_have_told_it(blank):
    body = """
        const engine = new file_explorer_engine.Engine(given);
        const sampling = { temperature: 0.3, k: 2, p: 1 }, found = [];
        for (let k = 0; k < 12; k += 1)
            found.push(await engine.write({ model: "transformer", sampling }));
        found.push(await engine.write({ model: "LSTM", sampling, begin: given.stories[0] }));
        return found;
    """
    stories = run(blank, "explorer_engine", body, GIVEN)
    for told in stories:
        heard = village.score(told["words"])
        assert told["accepted"] == (heard.left_at is None and heard.complete)
        if not told["accepted"]:
            assert heard.left_at == len(told["words"]) - 1
            assert set(told["instead"]) <= set(heard.possible)
    assert stories[-1]["accepted"]


def test_the_longest_story_is_told_to_its_end(blank):
    """A text is cut only where it is longer than any story of a million words."""
    told = [*max(village.split("train", 20_000).stories(), key=len), "</s>"]
    assert len(told) == 270
    body = """
        const engine = new file_explorer_engine.Engine(given);
        return engine.write({ model: "LSTM", sampling: {}, begin: given.told });
    """
    found = run(blank, "explorer_engine", body, {**GIVEN, "told": told})
    assert found == {"words": told, "accepted": True}
