"""GPT-2's files from a server on this computer: whole, broken and resumed, wrong; never the web."""

import errno
import hashlib
import http.server
import re

import numpy as np
import pytest
import tokenizers
import torch
from safetensors.torch import save

from examiner.errors import UserError
from nextword.corpora.downloads import Download
from nextword.models import pretrained
from nextword.models.word_pieces import WordPieces, byte_signs, chunks
from tests.local_server import serving, use_an_empty_cache
from tests.reference import reference

course = reference("transformers")

BODY = save({"wte.weight": torch.arange(300_000.0)})


class Handler(http.server.BaseHTTPRequestHandler):
    """Sends `server.body`, from the asked place on if it may, and breaks off after `server.cut`."""

    def do_GET(self):
        asked = self.headers.get("Range")
        self.server.asked.append(asked)
        if self.server.error:
            self.send_error(self.server.error)
            return
        start = int(asked.removeprefix("bytes=").removesuffix("-")) if asked else 0
        start = start if self.server.resumes else 0
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(self.server.body) - start))
        self.end_headers()
        self.wfile.write(self.server.body[start : start + self.server.cut])

    def log_message(self, *args):
        pass


@pytest.fixture
def server():
    with serving(Handler) as found:
        found.body, found.cut, found.error, found.resumes, found.asked = (
            BODY,
            len(BODY),
            0,
            True,
            [],
        )
        yield found


@pytest.fixture
def path(server, monkeypatch, tmp_path):
    """Where the weights will be; the cache folder is empty."""
    use_an_empty_cache(monkeypatch, tmp_path)
    url = f"http://127.0.0.1:{server.server_port}/model.safetensors"
    digest = hashlib.sha256(BODY).hexdigest()
    entry = Download("Weights: for tests", url, "nowhere", "none", len(BODY), digest)
    monkeypatch.setitem(pretrained.FILES, "weights", entry)
    return tmp_path / "pretrained" / "gpt2" / "model.safetensors"


def test_weights_are_fetched_once_and_read(path, server):
    found = pretrained.weights(progress=False)
    assert found["wte.weight"].tolist() == list(range(300_000))
    assert pretrained.fetch("weights") == path
    assert server.asked == [None]
    assert [each.name for each in path.parent.iterdir()] == ["model.safetensors"]


def test_a_broken_transfer_goes_on_where_it_stopped(path, server):
    server.cut = 500_000
    with pytest.raises(UserError, match=r"broke before the end\. Try again \([\d,]+ of 1,200,0"):
        pretrained.fetch("weights", progress=False)
    kept = path.with_name("model.safetensors.part").stat().st_size
    assert 0 < kept <= 500_000
    assert not path.exists()
    assert not pretrained.is_here({"weights": pretrained.FILES["weights"]})
    server.cut = len(BODY)
    assert pretrained.fetch("weights", progress=False).read_bytes() == BODY
    assert server.asked == [None, f"bytes={kept}-"]


def test_a_server_that_cannot_go_on_sends_all_again(path, server):
    path.parent.mkdir(parents=True)
    path.with_name("model.safetensors.part").write_bytes(b"x" * 1000)
    server.resumes = False
    assert pretrained.fetch("weights", progress=False).read_bytes() == BODY


def test_a_bar_shows_what_is_here_and_reaches_the_end(path, capsys):
    pretrained.fetch("weights")
    assert "1.2/1.2 MB" in capsys.readouterr().err


def test_other_bytes_are_not_kept(path, server):
    server.body = BODY[:-1] + b"!"
    with pytest.raises(UserError, match="sent another file than expected"):
        pretrained.fetch("weights", progress=False)
    assert not list(path.parent.iterdir())


def test_a_file_cut_by_hand_is_named_and_left(path):
    path.parent.mkdir(parents=True)
    path.write_bytes(BODY[:1000])
    with pytest.raises(UserError, match=re.escape(f"{path} is not the expected file")):
        pretrained.fetch("weights")
    assert path.read_bytes() == BODY[:1000]


def test_errors_of_the_server_and_of_the_way_to_it_say_what_to_do(path, server, monkeypatch):
    server.error = 404
    with pytest.raises(UserError, match=r"answered with error 404\. Try again, or fetch the file"):
        pretrained.fetch("weights", progress=False)
    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as closed:
        port = closed.server_port
    gone = Download("W: x", f"http://127.0.0.1:{port}/w", "", "", 3, "0")
    monkeypatch.setitem(pretrained.FILES, "weights", gone)
    with pytest.raises(UserError, match="is this computer online"):
        pretrained.fetch("weights", progress=False)
    with pytest.raises(UserError, match="unknown file 'wieghts' of GPT-2: expected one of weights"):
        pretrained.fetch("wieghts")


def test_a_full_disk_is_said_and_what_came_is_kept(path, monkeypatch):
    def full(self, n_bytes):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("nextword.corpora.downloads.Bar.update", full)
    with pytest.raises(UserError, match=r"cannot be saved: No space left on device\. Make room"):
        pretrained.fetch("weights", progress=False)
    assert not path.exists()


@pytest.mark.parametrize("name", pretrained.FILES)
def test_each_file_is_pinned(name):
    entry = pretrained.FILES[name]
    assert re.fullmatch(r"[0-9a-f]{64}", entry.sha256)
    assert re.search(r"/resolve/[0-9a-f]{40}/", entry.url)


# ------------------------------------------------------------------------- the network


def gpt2(V=50, D=128, T=16, L=2):
    """Random tensors under the names of GPT-2's file."""
    rng = torch.Generator().manual_seed(0)
    wide = {"attn.c_attn": (D, 3 * D), "attn.c_proj": (D, D), "mlp.c_fc": (D, 4 * D)}
    shapes = {"wte.weight": (V, D), "wpe.weight": (T, D), "ln_f.weight": (D,), "ln_f.bias": (D,)}
    for k in range(L):
        for name, shape in (wide | {"mlp.c_proj": (4 * D, D)}).items():
            shapes |= {f"h.{k}.{name}.weight": shape, f"h.{k}.{name}.bias": shape[1:]}
        for name in ("ln_1", "ln_2"):
            shapes |= {f"h.{k}.{name}.weight": (D,), f"h.{k}.{name}.bias": (D,)}
    return {name: 0.1 * torch.randn(shape, generator=rng) for name, shape in shapes.items()}


def test_the_chapters_network_takes_gpt2s_tensors():
    tensors = gpt2()
    network = pretrained.model(course, tensors)
    assert not network.training
    assert torch.equal(network.blocks[1].feed.up.weight, tensors["h.1.mlp.c_fc.weight"].T)
    logits, _ = network(torch.tensor([[1, 2, 3]]))
    assert logits.shape == (1, 3, 50)
    assert pretrained.sizes_of(course, tensors).H == 2


def test_the_downloaded_file_becomes_a_network(path, server, monkeypatch):
    server.body = save(gpt2())
    server.cut = len(server.body)
    url, digest = pretrained.FILES["weights"].url, hashlib.sha256(server.body).hexdigest()
    entry = Download("W: t", url, "", "", server.cut, digest)
    monkeypatch.setitem(pretrained.FILES, "weights", entry)
    assert pretrained.model(course)(torch.tensor([[4]]))[0].isfinite().all()


def test_tensors_that_do_not_fit_are_named():
    short = gpt2() | {"h.0.mlp.c_fc.weight": torch.ones(128, 3)}
    with pytest.raises(UserError, match=r"feed\.up\.weight is \(3, 128\), expected \(512, 1"):
        pretrained.model(course, short)
    lost = {name: t for name, t in gpt2().items() if name != "ln_f.bias"}
    with pytest.raises(UserError, match=r"norm\.bias is missing, expected \(128,\)"):
        pretrained.model(course, lost)
    with pytest.raises(UserError, match=r"not of GPT-2's kind: expected wte\.weight"):
        pretrained.model(course, {"embeddings.weight": torch.ones(2)})


# ------------------------------------------------------------------------- the word pieces

TEXT = """They're said to've cost £21.50 (½ of 43²)…  Naïve café;
\tdef f(x):  # 東京 'tis 'S, 1000000   end  """


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A small tokenizer in GPT-2's files, trained by the field's library, and our reading of it."""
    folder = tmp_path_factory.mktemp("pieces")
    oracle = tokenizers.ByteLevelBPETokenizer()
    oracle.train_from_iterator([TEXT * 3, "the hen and the fox and the hen"] * 3, vocab_size=400)
    oracle.save_model(str(folder))
    return oracle, WordPieces.read(folder / "vocab.json", folder / "merges.txt")


def test_pieces_are_those_of_the_fields_library(trained):
    oracle, ours = trained
    rng = np.random.default_rng(0)
    signs = list(TEXT) + list("aé東½٣ _-\n'")
    texts = [TEXT, "", " ", "the hen", *("".join(rng.choice(signs, 30)) for _ in range(200))]
    for text in texts:
        assert ours.encode(text) == oracle.encode(text).ids, text
        assert ours.decode(ours.encode(text)) == text


def test_chunks_and_signs_lose_nothing():
    assert "".join(chunks(TEXT)) == TEXT
    assert len(set(byte_signs().values())) == 256


def test_damaged_pieces_are_named(tmp_path):
    (tmp_path / "vocab.json").write_text("{")
    (tmp_path / "merges.txt").write_text("")
    with pytest.raises(UserError, match=r"vocab\.json or .* cannot be read"):
        WordPieces.read(tmp_path / "vocab.json", tmp_path / "merges.txt")
