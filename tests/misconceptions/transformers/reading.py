"""Plausible mistakes in section 6.6: reading a text, and logits."""

from examiner.judge.misconceptions import misconception


def go(self, tokens, past, look, **wrong):
    """Read with one thing changed."""
    past = None if "anew" in wrong else past
    start, states = past or (0, [None] * len(self.blocks))
    x, new = self.embed(tokens, 0 if "restarts" in wrong else start), []
    norms = wrong.get("norms", {True: "after", False: "before"})[self.sizes.pre]
    first = x = self.norm(x) if norms in ("before", "twice") else x
    state = states[0]
    blocks = reversed(self.blocks) if "reversed" in wrong else self.blocks
    for number, block in enumerate(blocks):
        given = states[wrong["state"]] if "state" in wrong else states[number]
        given = state if "handed_on" in wrong else given
        said = {} if "deaf" in wrong else look
        said = {k: v for k, v in look.items() if k == "mask"} if "half_deaf" in wrong else said
        if "short" in wrong and number == len(self.blocks) - 1:
            new.append(given)
            break
        y, state = block(first if "flat" in wrong else x, given, **said)
        x = x + y if "adds" in wrong else y
        x = self.norm(x) if norms == "each" else x
        new.append(state)
    x = self.norm(x) if norms in ("after", "twice") else x
    new = {"old": states, "last": [state] * len(new)}.get(wrong.get("kept", ""), new)
    n = {"texts": len(tokens), "all": tokens.numel()}.get(wrong.get("n", ""), tokens.shape[1])
    return x, (n if "no_sum" in wrong else start + n, new)


@misconception(
    "6.6",
    replaces="LanguageModel.read",
    kind="idea",
    says="The norm after the last block is missing.",
)
def forgets_the_last_norm(self, tokens, past=None, **look):
    return go(self, tokens, past, look, norms={True: "", False: "before"})


@misconception(
    "6.6",
    replaces="LanguageModel.read",
    says="In a post-norm model the norm is before the first block, not after the last one.",
)
def norms_last_in_any_case(self, tokens, past=None, **look):
    return go(self, tokens, past, look, norms={True: "after", False: "after"})


@misconception(
    "6.6",
    replaces="LanguageModel.read",
    says="Later pieces of a text begin at place 0 again: self.embed(tokens, start).",
)
def counts_places_anew(self, tokens, past=None, **look):
    return go(self, tokens, past, look, restarts=True)


@misconception(
    "6.6",
    replaces="LanguageModel.read",
    says="All blocks get the last block's state. Each block has a state of its own.",
)
def shares_one_state(self, tokens, past=None, **look):
    return go(self, tokens, past, look, state=-1)


@misconception(
    "6.6",
    replaces="LanguageModel.read",
    says="Only the tokens of this call are counted. Add those that were read before.",
)
def counts_this_call_only(self, tokens, past=None, **look):
    return go(self, tokens, past, look, no_sum=True)


@misconception(
    "6.6",
    replaces="LanguageModel.read",
    says="What `read` gets by keyword, such as a mask, does not reach the blocks: pass on **look.",
)
def tells_blocks_nothing(self, tokens, past=None, **look):
    return go(self, tokens, past, look, deaf=True)


@misconception(
    "6.6",
    replaces="LanguageModel.logits",
    says="The logits use the words' vectors even where the sizes are not tied: then self.out has a "
    "matrix of its own.",
)
def always_ties(self, x):
    return x @ self.embed.words.weight.T


@misconception(
    "6.6",
    replaces="LanguageModel.read",
    says="There is no norm at all: one stands after the last block, in a post-norm model before "
    "the first.",
)
def leaves_the_norm_out(self, tokens, past=None, **look):
    return go(self, tokens, past, look, norms={True: "", False: ""})


@misconception(
    "6.6",
    replaces="LanguageModel.read",
    says="The norm always stands before the first block. That is its place in a post-norm model; "
    "else it follows the last one.",
)
def norms_first_in_any_case(self, tokens, past=None, **look):
    return go(self, tokens, past, look, norms={True: "before", False: "before"})


@misconception(
    "6.6",
    replaces="LanguageModel.read",
    says="A post-norm model gets a second norm after its last block. It has only the one before "
    "the first.",
)
def norms_a_post_norm_model_twice(self, tokens, past=None, **look):
    return go(self, tokens, past, look, norms={True: "after", False: "twice"})


@misconception(
    "6.6",
    replaces="LanguageModel.read",
    says="In a post-norm model the norm is missing: it stands before the first block.",
)
def forgets_the_norm_of_post_norm(self, tokens, past=None, **look):
    return go(self, tokens, past, look, norms={True: "after", False: ""})


@misconception(
    "6.6",
    replaces="LanguageModel.read",
    says="There is a norm after every block. It stands after the last one only.",
)
def norms_after_every_block(self, tokens, past=None, **look):
    return go(self, tokens, past, look, norms={True: "each", False: "before"})


@misconception(
    "6.6",
    replaces="LanguageModel.read",
    says="All blocks get the first block's state. Each block has a state of its own.",
)
def gives_the_first_state_to_all(self, tokens, past=None, **look):
    return go(self, tokens, past, look, state=0)


@misconception(
    "6.6",
    replaces="LanguageModel.read",
    says="Each block gets the state of the block before it. A block's past is its own, from the "
    "call before.",
)
def hands_the_state_on(self, tokens, past=None, **look):
    return go(self, tokens, past, look, handed_on=True)


@misconception(
    "6.6",
    replaces="LanguageModel.read",
    kind="edge",
    says="Only the mask reaches the blocks. Pass on all that `read` gets by keyword: **look.",
)
def passes_the_mask_only(self, tokens, past=None, **look):
    return go(self, tokens, past, look, half_deaf=True)


@misconception(
    "6.6",
    replaces="LanguageModel.read",
    says="Texts are counted, not tokens: that is tokens.shape[1].",
)
def counts_texts(self, tokens, past=None, **look):
    return go(self, tokens, past, look, n="texts")


@misconception(
    "6.6",
    replaces="LanguageModel.read",
    says="The tokens of all texts are counted together. Those of one text are tokens.shape[1].",
)
def counts_all_texts_tokens(self, tokens, past=None, **look):
    return go(self, tokens, past, look, n="all")


@misconception(
    "6.6",
    replaces="LanguageModel.read",
    kind="idea",
    says="Every block reads the first vectors. Each reads what the one before it returned.",
)
def reads_the_embedding_in_each_block(self, tokens, past=None, **look):
    return go(self, tokens, past, look, flat=True)


@misconception(
    "6.6",
    replaces="LanguageModel.read",
    says="x is added to what a block returns. The block has done that already.",
)
def adds_to_the_blocks(self, tokens, past=None, **look):
    return go(self, tokens, past, look, adds=True)


@misconception(
    "6.6",
    replaces="LanguageModel.read",
    says="The states are those of the call before. Return what the blocks returned.",
)
def returns_old_states(self, tokens, past=None, **look):
    return go(self, tokens, past, look, kept="old")


@misconception(
    "6.6",
    replaces="LanguageModel.read",
    says="The state of the last block is returned for all of them. Collect one for each block.",
)
def returns_the_last_state_only(self, tokens, past=None, **look):
    return go(self, tokens, past, look, kept="last")


@misconception(
    "6.6",
    replaces="LanguageModel.read",
    says="The last block is left out.",
)
def leaves_the_last_block_out(self, tokens, past=None, **look):
    return go(self, tokens, past, look, short=True)


@misconception(
    "6.6",
    replaces="LanguageModel.read",
    says="The blocks are in the wrong order: the first one reads the words.",
)
def reads_blocks_backwards(self, tokens, past=None, **look):
    return go(self, tokens, past, look, reversed=True)


@misconception(
    "6.6",
    replaces="LanguageModel.read",
    kind="idea",
    says="The past is not used: every piece of a text is read as if it were the first.",
)
def reads_every_piece_anew(self, tokens, past=None, **look):
    return go(self, tokens, past, look, anew=True)


@misconception(
    "6.6",
    replaces="LanguageModel.logits",
    says="These are probabilities. Logits are the products themselves; the softmax comes later.",
)
def gives_probabilities(self, x):
    matrix = self.embed.words.weight if self.sizes.tied else self.out.weight
    return (x @ matrix.T).softmax(-1)


@misconception(
    "6.6",
    replaces="LanguageModel.logits",
    says="These are logarithms of probabilities. Logits are the products themselves.",
)
def gives_log_probabilities(self, x):
    matrix = self.embed.words.weight if self.sizes.tied else self.out.weight
    return (x @ matrix.T).log_softmax(-1)


@misconception(
    "6.6",
    replaces="LanguageModel.logits",
    says="The logits are divided by the root of D. They are the products themselves.",
)
def scales_the_logits(self, x):
    matrix = self.embed.words.weight if self.sizes.tied else self.out.weight
    return x @ matrix.T / x.shape[-1] ** 0.5


@misconception(
    "6.6",
    replaces="LanguageModel.logits",
    says="There are logits for the last token only. Every token needs its own: training asks for "
    "all.",
)
def answers_for_the_last_token(self, x):
    matrix = self.embed.words.weight if self.sizes.tied else self.out.weight
    return x[:, -1:] @ matrix.T


@misconception(
    "6.6",
    replaces="LanguageModel.logits",
    says="A norm is applied to the vectors. `read` has done that: the logits are plain products.",
)
def norms_before_the_logits(self, x):
    matrix = self.embed.words.weight if self.sizes.tied else self.out.weight
    return self.norm(x) @ matrix.T


@misconception(
    "6.6",
    replaces="LanguageModel.logits",
    says="No gradient reaches the matrix of the words: do not detach it.",
)
def detaches_the_matrix(self, x):
    matrix = self.embed.words.weight if self.sizes.tied else self.out.weight
    return x @ matrix.detach().T
