"""Where heads look, and windows: compared with what the chapter's network computes."""

import torch

from nextword.models.looking import looks, with_window
from solutions import transformers

TEXT = torch.tensor([1, 3, 4, 5, 3, 4])


def network():
    net = transformers.LanguageModel(transformers.Sizes(V=9, D=8, L=2, H=2))
    return transformers.initialise(net, torch.Generator().manual_seed(0), std=0.8).eval()


def test_looks_are_weights_that_see_no_later_word_and_give_the_layer_s_own_output():
    net = network()
    found = looks(net, TEXT)
    assert found.shape == (2, 2, 6, 6)
    assert torch.allclose(found.sum(-1), torch.ones(2, 2, 6))
    assert found.triu(1).eq(0).all()
    block = net.blocks[0]
    heads, x = block.mixer, block.norm1(net.embed(TEXT[None]))
    v = heads.W_qkv(x)[0].unflatten(-1, (3, 2, 4))[:, 2].transpose(0, 1)
    by_hand = heads.W_o((found[0] @ v).transpose(0, 1).flatten(1))
    assert torch.allclose(by_hand, heads(x)[0][0], atol=1e-5)


def test_a_wide_window_changes_nothing_and_a_narrow_one_leaves_the_model_itself_alone():
    net = network()
    before = net(TEXT[None])[0]
    assert torch.allclose(with_window(net, 6)(TEXT[None])[0], before, atol=1e-6)
    assert not torch.allclose(with_window(net, 1)(TEXT[None])[0], before, atol=1e-3)
    assert net(TEXT[None])[0].equal(before)


def test_a_window_of_one_key_forgets_the_text():
    narrow = with_window(network(), 1)
    other = torch.tensor([[1, 7, 7, 7, 7, 4]])
    a, b = narrow(TEXT[None])[0][0, -1], narrow(other)[0][0, -1]
    assert torch.allclose(a, b, atol=1e-5)
