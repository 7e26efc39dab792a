"""Plausible mistakes in section 6.10: hidden words."""

import torch

from examiner.judge.misconceptions import misconception

PAD, BOS, EOS, IGNORE = 0, 1, 2, -100


# ------------------------------------------------------------------ 6.10
def hide(tokens, V, rng, share, words=(3, -1), **wrong):
    """Choose and hide words with one thing changed."""
    rng = wrong["luck"]() if "luck" in wrong else rng
    size = wrong.get("places", lambda shape: shape)(tokens.shape)
    luck = torch.rand(size, generator=rng)
    share = wrong.get("always", share)
    lucky = luck >= share if "turned" in wrong else luck < share
    if "exact" in wrong:
        lucky = luck.flatten().argsort().argsort().view(size) < round(share * tokens.numel())
    candidates = wrong.get("among", lambda tokens: tokens > EOS)(tokens)
    chosen = lucky & candidates
    fate = torch.rand(wrong.get("fate_shape", tokens.shape), generator=rng)
    other = torch.randint(words[0], V + words[1], wrong.get("n", tokens.shape), generator=rng)
    hidden, swapped = wrong.get("fates", (0.8, 0.9))
    changed = torch.where(fate < swapped, other, tokens)
    changed = torch.where(fate < hidden, wrong.get("mask", lambda V: V - 1)(V), changed)
    inputs = torch.where(chosen, changed, tokens)
    asked = wrong.get("asked", lambda chosen, inputs: chosen)(chosen, inputs != tokens)
    asked = asked & (inputs == V - 1) if "masks_only" in wrong else asked
    said = inputs if "seen" in wrong else tokens
    targets = torch.where(asked, said, wrong.get("else_", IGNORE))
    return (targets, inputs) if "exchanged" in wrong else (inputs, targets)


@misconception(
    "6.10",
    replaces="mask_words",
    says="BOS, EOS or PAD can be chosen. Only words can: ids above EOS.",
)
def chooses_any_token(tokens, V, rng, share=0.15):
    return hide(tokens, V, rng, share, among=lambda tokens: tokens >= 0)


@misconception(
    "6.10",
    replaces="mask_words",
    kind="idea",
    says="All chosen words become MASK. Only 80 % do; 10 % become another word, and 10 % stay.",
)
def hides_all(tokens, V, rng, share=0.15):
    return hide(tokens, V, rng, share, fates=(1.1, 1.1))


@misconception(
    "6.10",
    replaces="mask_words",
    kind="idea",
    says="Every word is a target. Only the chosen ones are: the others can simply be copied.",
)
def asks_for_every_word(tokens, V, rng, share=0.15):
    return hide(tokens, V, rng, share, asked=lambda chosen, new: torch.ones_like(chosen))


@misconception(
    "6.10",
    replaces="mask_words",
    says="The words that replace others may be PAD, BOS or EOS. Draw from EOS + 1 on.",
)
def draws_special_tokens(tokens, V, rng, share=0.15):
    return hide(tokens, V, rng, share, words=(0, -1))


@misconception(
    "6.10",
    replaces="mask_words",
    kind="edge",
    says="The last word of the vocabulary is never drawn: torch.randint leaves its upper end out.",
)
def leaves_a_word_out(tokens, V, rng, share=0.15):
    return hide(tokens, V, rng, share, words=(3, -2))


@misconception(
    "6.10",
    replaces="mask_words",
    says="The 10 % of other words and the 10 % that stay are taken from what 80 % left over, one "
    "after the other. Compare one number with 0.8 and with 0.9.",
)
def takes_shares_of_the_rest(tokens, V, rng, share=0.15):
    return hide(tokens, V, rng, share, fates=(0.8, 0.82))


@misconception(
    "6.10",
    replaces="mask_words",
    says="PAD can be chosen. Only words can: ids above EOS.",
)
def chooses_padding(tokens, V, rng, share=0.15):
    return hide(tokens, V, rng, share, among=lambda tokens: (tokens != BOS) & (tokens != EOS))


@misconception(
    "6.10",
    replaces="mask_words",
    kind="edge",
    says="EOS can be chosen. Only words can: ids above EOS.",
)
def chooses_eos(tokens, V, rng, share=0.15):
    return hide(tokens, V, rng, share, among=lambda tokens: tokens > BOS)


@misconception(
    "6.10",
    replaces="mask_words",
    kind="edge",
    says="BOS can be chosen. Only words can: ids above EOS.",
)
def chooses_bos(tokens, V, rng, share=0.15):
    return hide(tokens, V, rng, share, among=lambda tokens: (tokens != PAD) & (tokens != EOS))


@misconception(
    "6.10",
    replaces="mask_words",
    kind="edge",
    says="The word EOS + 1 is never chosen. All ids above EOS are words.",
)
def never_chooses_the_first_word(tokens, V, rng, share=0.15):
    return hide(tokens, V, rng, share, among=lambda tokens: tokens > EOS + 1)


@misconception(
    "6.10",
    replaces="mask_words",
    says="No chosen word becomes another one: 10 % do.",
)
def never_swaps(tokens, V, rng, share=0.15):
    return hide(tokens, V, rng, share, fates=(0.8, 0.8))


@misconception(
    "6.10",
    replaces="mask_words",
    says="No chosen word stays: 10 % do.",
)
def keeps_none(tokens, V, rng, share=0.15):
    return hide(tokens, V, rng, share, fates=(0.8, 1.1))


@misconception(
    "6.10",
    replaces="mask_words",
    says="Too many become another word, too few stay: 10 % each.",
)
def swaps_too_many(tokens, V, rng, share=0.15):
    return hide(tokens, V, rng, share, fates=(0.8, 0.95))


@misconception(
    "6.10",
    replaces="mask_words",
    says="Too many become MASK: 80 % do.",
)
def hides_too_many(tokens, V, rng, share=0.15):
    return hide(tokens, V, rng, share, fates=(0.9, 0.95))


@misconception(
    "6.10",
    replaces="mask_words",
    says="One draw decides what becomes of all chosen words. Each has its own.",
)
def draws_one_fate(tokens, V, rng, share=0.15):
    return hide(tokens, V, rng, share, fate_shape=(1,))


@misconception(
    "6.10",
    replaces="mask_words",
    says="All are replaced by the same word. Draw one for each place.",
)
def draws_one_word(tokens, V, rng, share=0.15):
    return hide(tokens, V, rng, share, n=(1,))


@misconception(
    "6.10",
    replaces="mask_words",
    says="The same places are chosen in each text. Draw for each place of each text.",
)
def chooses_the_same_places(tokens, V, rng, share=0.15):
    return hide(tokens, V, rng, share, places=lambda shape: shape[1:])


@misconception(
    "6.10",
    replaces="mask_words",
    says="Exactly a share of all places is chosen. Each place is chosen by chance for itself.",
)
def chooses_an_exact_share(tokens, V, rng, share=0.15):
    return hide(tokens, V, rng, share, exact=True)


@misconception(
    "6.10",
    replaces="mask_words",
    says="`share` is not used: 0.15 is written into the comparison.",
)
def fixes_the_share(tokens, V, rng, share=0.15):
    return hide(tokens, V, rng, share, always=0.15)


@misconception(
    "6.10",
    replaces="mask_words",
    says="The others are chosen: compare with <, so that a share is chosen.",
)
def chooses_the_rest(tokens, V, rng, share=0.15):
    return hide(tokens, V, rng, share, turned=True)


@misconception(
    "6.10",
    replaces="mask_words",
    says="Only words that were changed are targets. Those that stay are targets, too.",
)
def asks_for_changed_words_only(tokens, V, rng, share=0.15):
    return hide(tokens, V, rng, share, asked=lambda chosen, new: chosen & new)


@misconception(
    "6.10",
    replaces="mask_words",
    says="Only hidden words are targets. Those that were replaced, or stay, are targets, too.",
)
def asks_for_hidden_words_only(tokens, V, rng, share=0.15):
    return hide(tokens, V, rng, share, masks_only=True)


@misconception(
    "6.10",
    replaces="mask_words",
    says="Where nothing was chosen, the target is PAD. It is IGNORE.",
)
def asks_for_pad(tokens, V, rng, share=0.15):
    return hide(tokens, V, rng, share, else_=PAD)


@misconception(
    "6.10",
    replaces="mask_words",
    kind="idea",
    says="The targets are the words that were not chosen.",
)
def asks_for_the_others(tokens, V, rng, share=0.15):
    return hide(tokens, V, rng, share, asked=lambda chosen, new: ~chosen)


@misconception(
    "6.10",
    replaces="mask_words",
    kind="idea",
    says="The targets are what the encoder sees. They are the words that stood there before.",
)
def asks_for_what_is_seen(tokens, V, rng, share=0.15):
    return hide(tokens, V, rng, share, seen=True)


@misconception(
    "6.10",
    replaces="mask_words",
    says="MASK is V here, which no matrix knows. It is V - 1.",
)
def hides_by_v(tokens, V, rng, share=0.15):
    return hide(tokens, V, rng, share, mask=lambda V: V)


@misconception(
    "6.10",
    replaces="mask_words",
    says="Words are hidden by PAD. MASK is V - 1.",
)
def hides_by_pad(tokens, V, rng, share=0.15):
    return hide(tokens, V, rng, share, mask=lambda V: PAD)


@misconception(
    "6.10",
    replaces="mask_words",
    kind="edge",
    says="The other words may be MASK. Draw up to V - 2.",
)
def swaps_with_mask(tokens, V, rng, share=0.15):
    return hide(tokens, V, rng, share, words=(3, 0))


@misconception(
    "6.10",
    replaces="mask_words",
    kind="edge",
    says="The other words may be EOS. Draw from EOS + 1 on.",
)
def swaps_with_eos(tokens, V, rng, share=0.15):
    return hide(tokens, V, rng, share, words=(2, -1))


@misconception(
    "6.10",
    replaces="mask_words",
    kind="idea",
    says="The places are drawn by the global generator. Use rng.",
)
def chooses_by_the_global_generator(tokens, V, rng, share=0.15):
    return hide(tokens, V, rng, share, luck=lambda: None)


@misconception(
    "6.10",
    replaces="mask_words",
    kind="idea",
    says="The places are drawn by a generator of its own, always the same. Use rng.",
)
def chooses_by_its_own_generator(tokens, V, rng, share=0.15):
    return hide(tokens, V, rng, share, luck=lambda: torch.Generator().manual_seed(0))


@misconception(
    "6.10",
    replaces="mask_words",
    says="Targets and inputs are exchanged: return inputs first.",
)
def exchanges_inputs_and_targets(tokens, V, rng, share=0.15):
    return hide(tokens, V, rng, share, exchanged=True)
