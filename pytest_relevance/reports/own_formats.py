"""The formats of reports of the core: text and JSON.

Each function imports what makes its report, so that the other formats cost nothing.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from pytest_relevance.report_formats import (
    JSON,
    TEXT,
    ReportFormat,
    ReportOptions,
)

if TYPE_CHECKING:
    from pytest_relevance.results.compare.comparison import Comparison, ComparisonGates
    from pytest_relevance.results.records.run import Run


def _text_of_run(run: Run, options: ReportOptions) -> str:
    from pytest_relevance.reports.run.report import report_lines
    from pytest_relevance.reports.styled_lines import plain_text

    lines = report_lines(run, verbosity=options.verbosity, width=options.width)
    return plain_text(lines) + "\n"


def _text_of_comparison(
    comparison: Comparison, gates: ComparisonGates | None, options: ReportOptions
) -> str:
    from pytest_relevance.reports.comparison_report import report_on
    from pytest_relevance.reports.styled_lines import plain_text

    report = report_on(comparison, options.limit, gates)
    return plain_text(report.lines(options.width)) + "\n"


def _json_of_run(run: Run, options: ReportOptions) -> str:
    from pytest_relevance.reports.run.report import report_data

    return json_text(report_data(run))


def _json_of_comparison(
    comparison: Comparison, gates: ComparisonGates | None, options: ReportOptions
) -> str:
    from pytest_relevance.reports.comparison_data import comparison_data

    most = sys.maxsize if options.limit is None else options.limit
    data = comparison_data(comparison, most, gates)
    text = json.dumps(data, indent=2, allow_nan=False)
    return text.replace("\x7f", "\\u007f") + "\n"


def json_text(data: object) -> str:
    """Write the values of a report as JSON. Numbers that JSON does not have are texts."""
    from pytest_relevance.results.records.file import as_json

    return json.dumps(json.loads(as_json(data)), indent=2) + "\n"


TEXT_FORMAT = ReportFormat(
    TEXT,
    of_run=_text_of_run,
    of_comparison=_text_of_comparison,
    suffixes=(".txt",),
)

JSON_FORMAT = ReportFormat(
    JSON,
    of_run=_json_of_run,
    of_comparison=_json_of_comparison,
    suffixes=(".json",),
)
