"""The pictures of the book, all in one style. Leaves out computing: values come as arguments.

`charts` holds what all chapters share, `texts` what is written rather than drawn; `style` and `svg`
make them alike. Then there is a file per chapter.
"""

from nextword.plots.attention import look_back, shared_heads, tiles, weight_tables, windows
from nextword.plots.charts import ladder, lines, next_words
from nextword.plots.data import where_the_bits_are, word_order, zipf
from nextword.plots.embeddings import against, arrows, bars, tree, word_map
from nextword.plots.language_models import aligned, floor_and_excess, search, tokens
from nextword.plots.ngrams import continuations, held_out_counts, likelihood, sliding_windows
from nextword.plots.rnns import (
    encoder_decoder,
    kinds,
    lstm_cell,
    over_words,
    padded,
    unrolled,
    window_network,
)
from nextword.plots.style import look
from nextword.plots.texts import coloured, count_table
from nextword.plots.transformers import (
    cached,
    curves,
    shares,
    stages,
    turned,
    two_blocks,
    waves,
    whole_model,
)
from nextword.plots.transformers_use import by_rung, by_work, two_stacks, with_spread

__all__ = [
    "against",
    "aligned",
    "arrows",
    "bars",
    "by_rung",
    "by_work",
    "cached",
    "coloured",
    "continuations",
    "count_table",
    "curves",
    "encoder_decoder",
    "floor_and_excess",
    "held_out_counts",
    "kinds",
    "ladder",
    "likelihood",
    "lines",
    "look",
    "look_back",
    "lstm_cell",
    "next_words",
    "over_words",
    "padded",
    "search",
    "shared_heads",
    "shares",
    "sliding_windows",
    "stages",
    "tiles",
    "tokens",
    "tree",
    "turned",
    "two_blocks",
    "two_stacks",
    "unrolled",
    "waves",
    "weight_tables",
    "where_the_bits_are",
    "whole_model",
    "window_network",
    "windows",
    "with_spread",
    "word_map",
    "word_order",
    "zipf",
]
