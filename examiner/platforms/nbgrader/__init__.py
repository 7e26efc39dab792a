"""nbgrader with the course's examiner inside: its config, gradebook and feedback.

The only part of the library that imports nbgrader, which comes with the extra `instructor`.
"""

from __future__ import annotations

from typing import Any

from examiner.errors import UserError


def require_nbgrader() -> None:
    """Raise UserError when nbgrader is not installed."""
    try:
        import nbgrader  # noqa: F401
    except ImportError:
        raise UserError(
            'nbgrader is not installed; it comes with: pip install ".[instructor]"'
        ) from None


def configure(c: Any) -> None:
    """Put the course's steps into nbgrader's; call it at the end of nbgrader_config.py.

    `nbgrader autograde` then runs notebooks in the sandbox and takes points from the examiner, and
    `nbgrader generate_feedback` writes the course's pages.
    """
    from nbgrader.preprocessors import CheckCellMetadata, IgnorePattern, LimitOutput

    from examiner.platforms.nbgrader.autograde_steps import Examine, SandboxedExecute, SaveScores
    from examiner.platforms.nbgrader.careful_autograde import install
    from examiner.platforms.nbgrader.exchange import Collect, ReleaseFeedback
    from examiner.platforms.nbgrader.exports import Plain
    from examiner.platforms.nbgrader.marking_page import ShowBeside
    from examiner.platforms.nbgrader.notebook_page import FeedbackPage, GetMarks
    from examiner.platforms.nbgrader.restore_cells import RestoreCells
    from examiner.platforms.nbgrader.student_code import code_of_cell
    from examiner.platforms.nbgrader.student_markdown import markdown_of_cell
    from examiner.platforms.nbgrader.zips import Collect as CollectOfZips
    from examiner.platforms.nbgrader.zips import Extract

    install()
    c.Autograde.sanitize_preprocessors = [RestoreCells, CheckCellMetadata]
    c.Autograde.autograde_preprocessors = [
        SandboxedExecute,
        IgnorePattern,
        LimitOutput,
        Examine,
        SaveScores,
        CheckCellMetadata,
    ]
    c.ExportApp.plugin_class = Plain
    c.GenerateFeedback.exporter_class = FeedbackPage
    c.GenerateFeedback.preprocessors = [GetMarks]
    c.ExchangeFactory.collect = Collect
    c.ZipCollectApp.extractor_plugin = Extract
    c.ZipCollectApp.collector_plugin = CollectOfZips
    c.ExchangeFactory.release_feedback = ReleaseFeedback
    # formgrader shows what students wrote; its own templates do not ask for sanitize_html
    c.HTMLExporter.filters = {"markdown2html": markdown_of_cell, "highlight_code": code_of_cell}
    c.HTMLExporter.preprocessors = [ShowBeside]
    c.HTMLExporter.sanitize_html = True
