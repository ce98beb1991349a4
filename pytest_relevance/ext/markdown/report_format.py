"""The report format `markdown`. The modules that make the report are imported late."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_relevance.reports.formats import MARKDOWN, ReportFormat, ReportOptions

if TYPE_CHECKING:
    from pytest_relevance.results.compare.comparison import Comparison, ComparisonGates
    from pytest_relevance.results.records.run import Run


def _markdown_of_run(run: Run, options: ReportOptions) -> str:
    from pytest_relevance.ext.markdown.markdown import run_markdown

    return run_markdown(
        run,
        verbosity=options.verbosity,
        notes=options.notes,
        most=options.max_chars,
    )


def _markdown_of_comparison(
    comparison: Comparison, gates: ComparisonGates | None, options: ReportOptions
) -> str:
    from pytest_relevance.reports.comparison_report import report_on

    if any(pair.second.ranking.lengths for pair in comparison.pairs):
        comparison = _without_words_of_texts(comparison)
    return report_on(comparison, options.limit, gates).markdown(options.max_chars)


def _without_words_of_texts(comparison: Comparison) -> Comparison:
    """Return the comparison without titles that are the first words of a text.

    Comments on pull requests never have words of texts.
    """
    from pytest_relevance.results.run_titles import without_words_of_texts

    pairs = []
    for pair in comparison.pairs:
        first, second = without_words_of_texts([pair.first, pair.second])
        pairs.append(replace(pair, first=first, second=second))
    return replace(comparison, pairs=tuple(pairs))


MARKDOWN_FORMAT = ReportFormat(
    MARKDOWN,
    of_run=_markdown_of_run,
    of_comparison=_markdown_of_comparison,
    suffixes=(".md", ".markdown"),
)
