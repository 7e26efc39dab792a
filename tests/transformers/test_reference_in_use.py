"""The reference of chapter 6 against Hugging Face's models, and in use: writing, masking, counting.

The module `transformers` here is Hugging Face's, the oracle; `ours` is the chapter's.
"""

import math
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from nextword.given.batches import BOS, EOS, PAD
from tests.transformer_models import model_of, ours, randomise, rng, small, torch_weights

closely = partial(torch.testing.assert_close, rtol=1e-4, atol=1e-4)


@pytest.fixture(autouse=True)
def _same_draws() -> None:
    torch.manual_seed(6)


@pytest.fixture(scope="module")
def field() -> Any:
    """Hugging Face's transformers, which takes seconds to import."""
    return pytest.importorskip("transformers")


# ------------------------------------------------------------------ 6.7: GPT-2, Llama, BERT
@pytest.fixture(scope="module")
def gpt2(field: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any]:
    """A small random GPT-2 as a file on the disk, and our model with its weights."""
    torch.manual_seed(6)
    config = field.GPT2Config(vocab_size=31, n_positions=16, n_embd=12, n_layer=3, n_head=4)
    theirs = field.GPT2LMHeadModel(config).eval()
    randomise(theirs, 0.3)
    folder = tmp_path_factory.mktemp("gpt2")
    theirs.save_pretrained(folder)
    made = ours.Sizes(31, 12, 3, 4, T=16, positions="learned", feed="gelu_tanh")
    model = ours.LanguageModel(made).eval()
    model.load_state_dict(ours.from_gpt2(load_file(Path(folder) / "model.safetensors")))
    return theirs, model


@pytest.mark.slow
def test_gpt2_says_what_it_says_everywhere(gpt2: tuple[Any, Any]) -> None:
    theirs, model = gpt2
    for B, T in ((1, 1), (3, 16)):
        tokens = torch.randint(31, (B, T))
        closely(model(tokens)[0], theirs(tokens).logits)


@pytest.mark.slow
def test_the_likeliest_text_of_gpt2(gpt2: tuple[Any, Any]) -> None:
    theirs, model = gpt2
    options: dict[str, Any] = {
        "suppress_tokens": [PAD, BOS],
        "eos_token_id": EOS,
        "pad_token_id": PAD,
    }
    for prompt in ([], [7, 9, 30]):
        start = torch.tensor([[BOS, *prompt]])
        options["attention_mask"] = torch.ones_like(start)
        whole = theirs.generate(start, max_length=15, do_sample=False, **options)
        expected = [word for word in whole[0, 1:].tolist() if word != EOS]
        for cached in (True, False):
            assert ours.generate(model, [prompt], 14, rng(), 0.0, cached) == [expected]


@pytest.mark.slow
def test_old_files_and_names(gpt2: tuple[Any, Any]) -> None:
    weights = {f"transformer.{k}": w for k, w in gpt2[0].transformer.state_dict().items()}
    weights |= {
        "transformer.h.0.attn.bias": torch.ones(1, 1, 16, 16),
        "lm_head.weight": weights["transformer.wte.weight"],
        "transformer.h.2.attn.masked_bias": torch.tensor(-1e4),
    }
    assert ours.from_gpt2(weights).keys() == gpt2[1].state_dict().keys()


def neighbours(weight: Tensor, H: int) -> Tensor:
    """Rows of Llama's queries or keys, whose pairs are halves of a head, pairs side by side."""
    return weight.unflatten(0, (H, 2, -1)).transpose(1, 2).flatten(0, 2)


def test_other_sizes_are_llama(field: Any) -> None:
    config = field.LlamaConfig(
        vocab_size=31, hidden_size=24, intermediate_size=20, num_hidden_layers=2,
        num_attention_heads=6, num_key_value_heads=2, rms_norm_eps=1e-5, rope_theta=10000.0,
    )  # fmt: skip
    theirs = field.LlamaForCausalLM(config).eval()
    randomise(theirs, 0.1)
    given = theirs.state_dict()
    other = {"feed": "swiglu", "norm": "rms", "tied": False, "bias": False}
    model = ours.LanguageModel(ours.Sizes(31, 24, 2, 6, 2, 20, **other)).eval()
    found = {"embed.words.weight": given["model.embed_tokens.weight"]}
    found |= {"norm.weight": given["model.norm.weight"], "out.weight": given["lm_head.weight"]}
    for k in range(2):
        old, new = f"model.layers.{k}.", f"blocks.{k}."
        q, key, v, o = (given[f"{old}self_attn.{each}_proj.weight"] for each in "qkvo")
        qkv = torch.cat([neighbours(q, 6), neighbours(key, 2), v])
        found |= {f"{new}mixer.W_qkv.weight": qkv, f"{new}mixer.W_o.weight": o}
        for each in ("gate", "up", "down"):
            found[f"{new}feed.{each}.weight"] = given[f"{old}mlp.{each}_proj.weight"]
        found[f"{new}norm1.weight"] = given[f"{old}input_layernorm.weight"]
        found[f"{new}norm2.weight"] = given[f"{old}post_attention_layernorm.weight"]
    model.load_state_dict(found)
    tokens = torch.randint(31, (2, 13))
    closely(model(tokens)[0], theirs(tokens).logits)
    assert sum(ours.count_parameters(model.sizes).values()) == theirs.num_parameters()


def test_an_encoder_is_bert(field: Any) -> None:
    config = field.BertConfig(
        vocab_size=31, hidden_size=12, num_hidden_layers=2, num_attention_heads=3,
        intermediate_size=20, max_position_embeddings=9, pad_token_id=PAD,
    )  # fmt: skip
    theirs = field.BertModel(config, add_pooling_layer=False).eval()
    randomise(theirs, 0.3)
    given = theirs.state_dict()
    other = {"positions": "learned", "pre": False, "eps": config.layer_norm_eps}
    encoder = ours.Encoder(ours.Sizes(31, 12, 2, 3, F=20, T=9, **other)).eval()
    kind = given["embeddings.token_type_embeddings.weight"][0]  # all tokens belong to text 0
    found = {"embed.words.weight": given["embeddings.word_embeddings.weight"]}
    found["embed.places.weight"] = given["embeddings.position_embeddings.weight"] + kind
    for part in ("weight", "bias"):
        found[f"norm.{part}"] = given[f"embeddings.LayerNorm.{part}"]
        for k in range(2):
            old, new = f"encoder.layer.{k}.", f"blocks.{k}."
            each = [given[f"{old}attention.self.{n}.{part}"] for n in ("query", "key", "value")]
            found[f"{new}mixer.W_qkv.{part}"] = torch.cat(each)
            for theirs_name, name in (
                ("attention.output.dense", "mixer.W_o"), ("attention.output.LayerNorm", "norm1"),
                ("intermediate.dense", "feed.up"), ("output.dense", "feed.down"),
                ("output.LayerNorm", "norm2"),
            ):  # fmt: skip
                found[f"{new}{name}.{part}"] = given[f"{old}{theirs_name}.{part}"]
    encoder.load_state_dict(found)
    tokens = torch.randint(3, 31, (3, 9))
    tokens[0, 4:] = PAD
    mask = tokens != PAD
    expected = theirs(tokens, mask.long()).last_hidden_state
    closely(encoder(tokens)[1][mask], expected[mask])


def test_penalties_are_blooms(field: Any) -> None:
    from transformers.models.bloom.modeling_bloom import build_alibi_tensor

    theirs = build_alibi_tensor(torch.ones(1, 9), 8, torch.float32)  # slope times j, for any i
    found = ours.alibi(8, 9, 9)
    closely((found[:, 8] - found[:, 8, :1])[:, None], theirs - theirs[..., :1])


def test_turning_is_gpt_js(field: Any) -> None:
    from transformers.models.gptj import modeling_gptj as gptj

    x = torch.randn(2, 3, 7, 8)
    sin, cos = gptj.create_sinusoidal_positions(20, 8)[None, 5:12].chunk(2, dim=-1)
    expected = gptj.apply_rotary_pos_emb(x.transpose(1, 2), sin, cos).transpose(1, 2)
    closely(ours.rotate(x, 5), expected)


# ------------------------------------------------------------------ 6.9
@pytest.mark.slow
@pytest.mark.parametrize("positions", ["learned", "sinusoidal", "rotary", "alibi", "none"])
def test_a_cache_changes_no_word(positions: str) -> None:
    model, prompts = model_of(positions=positions), [[5, 3], [7, 7], [9, 4], [10, 3]]
    for temperature in (0.0, 1.0, 0.3):
        with_cache, without = (
            ours.generate(model, prompts, 18, rng(3), temperature, cached)
            for cached in (True, False)
        )
        assert with_cache == without
        assert all(
            text[:2] == prompt and len(text) <= 18 and not {PAD, BOS, EOS} & set(text)
            for text, prompt in zip(with_cache, prompts, strict=True)
        )
    assert len({len(text) for text in ours.generate(model, [[3]] * 50, 18, rng())}) > 1


# ------------------------------------------------------------------ 6.10, 6.11
def test_masking_as_often_as_it_should_be() -> None:
    V, tokens = 40, torch.randint(3, 39, (400, 100))
    tokens[:, 0], tokens[:, -2], tokens[:, -1] = BOS, EOS, PAD
    inputs, targets = ours.mask_words(tokens, V, rng())
    chosen = targets != ours.IGNORE
    assert float(chosen[:, 1:-2].float().mean()) == pytest.approx(0.15, abs=0.01)
    assert not chosen[:, [0, -2, -1]].any()
    assert (targets[chosen] == tokens[chosen]).all()
    assert (inputs[~chosen] == tokens[~chosen]).all()
    seen, said = inputs[chosen], tokens[chosen]
    shares = [float(each.float().mean()) for each in (seen == V - 1, seen == said)]
    assert shares == pytest.approx([0.8, 0.1 + 0.1 / 36], abs=0.02)
    assert set(seen.tolist()) == set(range(3, V))


def test_padding_changes_no_vector() -> None:
    encoder = ours.initialise(ours.Encoder(small()), rng(), 0.3).eval()
    tokens = torch.tensor([[4, 5, 6, 7], [8, 9, PAD, PAD]])
    logits, x = encoder(tokens)
    closely(encoder(tokens[1:, :2]), (logits[1:, :2], x[1:, :2]))
    assert not torch.allclose(encoder(torch.tensor([[4, 5, 6, 8]]))[1][0, 0], x[0, 0], atol=1e-3)
    answers, vectors = ours.Classifier(encoder, 12, 3)(tokens)
    assert answers.shape == (2, 3)
    closely(vectors, x[:, 0])


def test_fine_tuning_is_two_optimizers_of_torch() -> None:
    """A new layer learns fast, an encoder slowly, or not at all."""
    tokens, labels = torch.tensor([[BOS, 4, 5], [BOS, 6, PAD]]), torch.tensor([0, 2])
    first = ours.Classifier(ours.initialise(ours.Encoder(small()), rng(), 0.3), 12, 3).eval()
    for rate in (0.01, 0.0):
        model, twin = deepcopy(first), deepcopy(first)
        losses = ours.fine_tune(model, [(tokens, labels)] * 4, rate, 0.05)
        slow = torch.optim.AdamW(twin.encoder.parameters(), rate, weight_decay=0)
        fast = torch.optim.AdamW(twin.head.parameters(), 0.05, weight_decay=0)
        for loss in losses:
            expected = nn.functional.cross_entropy(twin(tokens)[0], labels)
            assert loss == pytest.approx(expected.item(), rel=1e-4)
            twin.zero_grad()
            expected.backward()
            slow.step()
            fast.step()
        closely(list(model.parameters()), list(twin.parameters()))
        still = [
            torch.equal(*pair) for pair in zip(model.parameters(), first.parameters(), strict=True)
        ]
        assert sum(still) == (0 if rate else len(list(first.encoder.parameters())))
        assert losses == sorted(losses, reverse=True)


def test_an_encoder_decoder_is_torchs_transformer() -> None:
    net = nn.Transformer(12, 2, 2, 2, 10, 0.0, "gelu", batch_first=True, norm_first=True).eval()
    randomise(net, 0.3)
    made = small(positions="none")
    encoder = ours.Encoder(made)
    model = ours.EncoderDecoder(made, encoder).eval()
    for stack, part in ((encoder, net.encoder), (model, net.decoder)):
        for block, layer in zip(stack.blocks, part.layers, strict=True):
            block.load_state_dict(torch_weights(layer))
        stack.norm.load_state_dict(part.norm.state_dict())
    source = torch.tensor([[3, 4, 5], [6, PAD, PAD]])
    inputs = torch.randint(1, 11, (2, 5))
    hidden = torch.ones(5, 5).triu(1).bool()
    vectors = net(
        encoder.embed(source), model.embed(inputs), tgt_mask=hidden,
        src_key_padding_mask=source == PAD, memory_key_padding_mask=source == PAD,
    )  # fmt: skip
    expected = vectors @ model.embed.words.weight.T
    logits, _ = model(source, inputs)
    closely(logits, expected)
    first, past = model(source, inputs[:, :2])
    closely(torch.cat([first, model(source, inputs[:, 2:], past)[0]], dim=1), expected)


def test_translating_word_by_word() -> None:
    made = small()
    model = ours.EncoderDecoder(made, ours.Encoder(made)).eval()
    ours.initialise(model, rng(2), 0.3)
    source = torch.tensor([[3, 4, 5], [6, PAD, PAD]])
    texts = [
        ours.generate(partial(model, source), [[], []], 9, rng(), 0.0, cached)
        for cached in (True, False)
    ]
    assert texts[0] == texts[1]
    alone = ours.generate(partial(model, source[1:, :1]), [[]], 9, rng(), 0.0)
    assert alone[0] == texts[0][1]


# ------------------------------------------------------------------ 6.12
def test_known_sizes() -> None:
    gpt3 = ours.count_parameters(ours.Sizes(50257, 12288, 96, 96, tied=False))
    assert sum(gpt3.values()) - gpt3["rest"] == 175_181_291_520
    names = {"F": 14336, "feed": "swiglu", "norm": "rms", "tied": False, "bias": False}
    known = {
        124_439_808: ours.Sizes(50257, 768, 12, 12, positions="learned"),
        8_030_261_248: ours.Sizes(128256, 4096, 32, 32, 8, **names),
        6_738_415_616: ours.Sizes(32000, 4096, 32, 32, **(names | {"F": 11008})),
    }
    for expected, sizes in known.items():
        assert sum(ours.count_parameters(sizes).values()) == expected
    llama2_70b = ours.Sizes(32000, 8192, 80, 64, 8, **(names | {"F": 28672}))
    assert ours.count_costs(llama2_70b, 4096)[1] == 1.25 * 2**30


@pytest.mark.parametrize("feed", ["relu", "swiglu"])
@pytest.mark.parametrize("positions", ["learned", "rotary"])
@pytest.mark.parametrize("other", [{}, {"norm": "rms", "bias": False}, {"tied": False, "G": 1}])
def test_counts_are_those_of_a_model(feed: str, positions: str, other: dict[str, Any]) -> None:
    model = ours.LanguageModel(small(feed=feed, positions=positions, **other))
    n = sum(p.numel() for p in model.parameters())
    assert sum(ours.count_parameters(model.sizes).values()) == n


def test_operations_are_those_that_torch_counts() -> None:
    model = model_of(feed="swiglu", G=1)
    plain = sdpa_kernel(SDPBackend.MATH)  # the fused kernels' products are not counted
    with plain, FlopCounterMode(display=False) as counter, torch.no_grad():
        model(torch.randint(11, (1, 9)))
    assert counter.get_total_flops() == ours.count_costs(model.sizes, 9)[0]


# ------------------------------------------------------------------ 6.13
@pytest.mark.parametrize(("B", "H", "T", "K"), [(1, 1, 1, 1), (2, 3, 40, 5)])
def test_both_forms_and_their_gradients(B: int, H: int, T: int, K: int) -> None:
    q, k, v = (torch.randn(B, H, T, K, dtype=torch.float64) for _ in range(3))
    for log_a in (-torch.rand(B, H, T).double(), torch.zeros(B, H, T).double()):
        leaves = [each.clone().requires_grad_() for each in (q, k, v, log_a)]
        found = []
        for form in (ours.recurrent, ours.parallel):
            y, S = form(*leaves)
            slopes = torch.autograd.grad((y**2).sum() + (S**3).sum(), leaves)
            found.append((y, S, *slopes))
        torch.testing.assert_close(found[0], found[1], rtol=1e-8, atol=1e-8)
    plain = (q @ k.mT).tril() @ v  # linear attention, without a softmax
    torch.testing.assert_close(found[0][0], plain)


def test_nothing_overflows_in_a_long_text() -> None:
    q, k, v = (torch.randn(1, 1, 500, 2) for _ in range(3))
    log_a = torch.full((1, 1, 500), -math.log(8))
    for each in zip(ours.parallel(q, k, v, log_a), ours.recurrent(q, k, v, log_a), strict=True):
        closely(*each)
