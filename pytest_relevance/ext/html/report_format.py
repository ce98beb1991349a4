"""The format `html` of reports. The modules that make a page are imported late."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_relevance.reports.formats import HTML, ReportFormat, ReportOptions

if TYPE_CHECKING:
    from pytest_relevance.results.compare.comparison import Comparison, ComparisonGates
    from pytest_relevance.results.records.run import Run


def _page_of_run(run: Run, options: ReportOptions) -> str:
    from pytest_relevance.ext.html.page import html_page

    return html_page(run, images=options.images)


def _page_of_comparison(
    comparison: Comparison, gates: ComparisonGates | None, options: ReportOptions
) -> str:
    from pytest_relevance.ext.html.page import comparison_page

    return comparison_page(comparison, gates, images=options.images)


HTML_FORMAT = ReportFormat(
    HTML,
    of_run=_page_of_run,
    of_comparison=_page_of_comparison,
    suffixes=(".html", ".htm"),
)
