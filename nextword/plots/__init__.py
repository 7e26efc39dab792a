"""The pictures of the book, all in one style. Leaves out computing: values come as arguments.

`charts` holds what all chapters share, `texts` what is written rather than drawn; `style` and `svg`
make them alike. Then there is a file per chapter.
"""

from nextword.plots.charts import ladder, lines, next_words
from nextword.plots.data import where_the_bits_are, word_order, zipf
from nextword.plots.embeddings import against, arrows, bars, tree, word_map
from nextword.plots.language_models import aligned, floor_and_excess, search, tokens
from nextword.plots.ngrams import continuations, held_out_counts, likelihood, sliding_windows
from nextword.plots.style import look
from nextword.plots.texts import coloured, count_table

__all__ = [
    "against",
    "aligned",
    "arrows",
    "bars",
    "coloured",
    "continuations",
    "count_table",
    "floor_and_excess",
    "held_out_counts",
    "ladder",
    "likelihood",
    "lines",
    "look",
    "next_words",
    "search",
    "sliding_windows",
    "tokens",
    "tree",
    "where_the_bits_are",
    "word_map",
    "word_order",
    "zipf",
]
