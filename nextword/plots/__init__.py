"""The pictures of the book, all in one style. Leaves out computing: values come as arguments.

`charts` holds what all chapters share, `texts` what is written rather than drawn; `style` and `svg`
make them alike. Then there is a file per chapter.
"""

from nextword.plots.after_training import chat_targets, low_rank
from nextword.plots.after_training_limits import by_distance, by_steps_needed
from nextword.plots.after_training_rewards import (
    by_baseline,
    calibration,
    frontier,
    side_by_side,
)
from nextword.plots.after_training_tuned import bands, runs
from nextword.plots.attention import look_back, shared_heads, tiles, weight_tables, windows
from nextword.plots.attention_shapes import matrix_shapes, steps_needed, way_of_one_word
from nextword.plots.charts import gaps, ladder, lines, next_words
from nextword.plots.data import where_the_bits_are, word_order, zipf
from nextword.plots.distributions import distributions
from nextword.plots.embeddings import against, arrows, bars, tree, word_map
from nextword.plots.language_models import aligned, floor_and_excess, search, tokens
from nextword.plots.ngrams import continuations, held_out_counts, likelihood, sliding_windows
from nextword.plots.panels import ranges, ranges_in_panels, small_multiples
from nextword.plots.rnns import (
    encoder_decoder,
    kinds,
    lstm_cell,
    over_words,
    padded,
    unrolled,
    window_network,
)
from nextword.plots.rnns_cells import both_directions, computation_graph, gru_cell
from nextword.plots.scaling import floors_found, off_the_law
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
from nextword.plots.transformers_inside import shares_with_intervals, two_stacks
from nextword.plots.transformers_today import dots, growth
from nextword.plots.transformers_use import by_rung, with_spread
from nextword.plots.transformers_whole import first_transformer
from nextword.plots.word_vectors import (
    moved,
    named_map,
    skip_gram_window,
    two_directions,
    two_measures,
)

__all__ = [
    "against",
    "aligned",
    "arrows",
    "bands",
    "bars",
    "both_directions",
    "by_baseline",
    "by_distance",
    "by_rung",
    "by_steps_needed",
    "cached",
    "calibration",
    "chat_targets",
    "coloured",
    "computation_graph",
    "continuations",
    "count_table",
    "curves",
    "distributions",
    "dots",
    "encoder_decoder",
    "first_transformer",
    "floor_and_excess",
    "floors_found",
    "frontier",
    "gaps",
    "growth",
    "gru_cell",
    "held_out_counts",
    "kinds",
    "ladder",
    "likelihood",
    "lines",
    "look",
    "look_back",
    "low_rank",
    "lstm_cell",
    "matrix_shapes",
    "moved",
    "named_map",
    "next_words",
    "off_the_law",
    "over_words",
    "padded",
    "ranges",
    "ranges_in_panels",
    "runs",
    "search",
    "shared_heads",
    "shares",
    "shares_with_intervals",
    "side_by_side",
    "skip_gram_window",
    "sliding_windows",
    "small_multiples",
    "stages",
    "steps_needed",
    "tiles",
    "tokens",
    "tree",
    "turned",
    "two_blocks",
    "two_directions",
    "two_measures",
    "two_stacks",
    "unrolled",
    "waves",
    "way_of_one_word",
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
