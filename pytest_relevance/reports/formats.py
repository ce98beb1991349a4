"""The formats of reports: all of them by name, and those of the core, text and JSON.

To add a format to the package, write a `ReportFormat` here, or in a folder of `ext/`,
and name it in `bundled.py`. Another package adds a format by an entry point of the
group `pytest_relevance.reports`. It names a `ReportFormat`, or a function from a `Run`
to a text.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from pytest_relevance import bundled
from pytest_relevance._text import MOST_SHOWN, WIDEST, shown
from pytest_relevance.registry import ExtensionError, Registry
from pytest_relevance.reports.markdown_sections import MOST_CHARACTERS, REPORT_MARK

if TYPE_CHECKING:
    from pytest_relevance.results.compare.comparison import Comparison, ComparisonGates
    from pytest_relevance.results.records.run import Run

TEXT, MARKDOWN, JSON, HTML = "text", "markdown", "json", "html"
"""The names of the formats of the package."""


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """What a user asks of a report. A format may ignore some options.

    `verbosity`: as pytest counts it. Below 0 the report is brief, above 0 it is full.
    `width`: the width of plain text, in terminal columns.
    `max_chars`: the most characters of Markdown; None for any number.
    `limit`: the most cases of a kind, and the most tags, that a comparison lists; None
    for all.
    `images`: whether an HTML page loads pictures of documents from the network.
    `notes`: sentences about how the run was made. Markdown shows them near its top.
    """

    verbosity: int = 0
    width: int = WIDEST
    max_chars: int | None = MOST_CHARACTERS
    limit: int | None = MOST_SHOWN
    images: bool = False
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class ReportFormat:
    """A format of reports.

    `name`: the name for `--format`.
    `of_run`: returns the report of a run.
    `of_comparison`: returns the report of a `Comparison`; None if the format has none.
    The second argument is what `Comparison.judge` returned; None without gates.
    `suffixes`: the endings of file names that mean the format, in lower case.
    """

    name: str
    of_run: Callable[[Run, ReportOptions], str]
    of_comparison: Callable[[Any, Any, ReportOptions], str] | None = None
    suffixes: tuple[str, ...] = ()


def _report_format(name: str, value: str, entry: object) -> ReportFormat:
    """Return the format that an entry point names, or makes from a function.

    Raises `ExtensionError` if the entry point is neither a format nor a function, or if
    the format has another name than the entry point.
    """
    if isinstance(entry, ReportFormat):
        if entry.name != name:
            raise ExtensionError(
                f"{name} ({value}) is a format that calls itself {entry.name}; use one name"
            )
        return entry
    if not callable(entry):
        raise ExtensionError(
            f"{name} ({value}) is neither a ReportFormat nor a function from a Run to a text"
        )
    function = cast("Callable[[Run], str]", entry)

    def of_run(run: Run, options: ReportOptions) -> str:
        return function(run)

    return ReportFormat(name, of_run)


REPORTS: Registry[ReportFormat] = Registry(
    "pytest_relevance.reports", bundled.REPORTS, _report_format
)
"""The formats of reports, in the order in which users are shown them."""


def run_report(name: str, run: Run, options: ReportOptions) -> str:
    """Return the report of a run in a format.

    Raises:
        KeyError: there is no format with this name.
        ExtensionError: a format of another package fails, or returns no text.
    """
    make = REPORTS.get(name).of_run
    with REPORTS.calling(name):
        report = make(run, options)
    return _checked(report, name)


def comparison_report(
    name: str, comparison: object, gates: object, **options: Any
) -> str:
    """Return the report of a `Comparison` in a format that has one.

    `gates`: what `Comparison.judge` returned; None without gates.
    `options`: the fields of `ReportOptions`.

    Raises `ExtensionError` if a format of another package fails, or returns no text.
    Methods of `Comparison` call this function by `bundled.CALLS_UPWARD`.
    """
    make = REPORTS.get(name).of_comparison
    assert make is not None, "only formats that have it are offered"
    with REPORTS.calling(name):
        report = make(comparison, gates, ReportOptions(**options))
    return _checked(report, name)


def _checked(report: object, name: str) -> str:
    """Return a report. Raises `ExtensionError` if the report is "" or not a text."""
    if not isinstance(report, str) or not report:
        raise ExtensionError(
            f"{REPORTS.label(name)} returned {shown(report)}, not a text"
        )
    return report


def has_report_of_comparison(name: str) -> bool:
    """Say whether a format makes reports of comparisons.

    Raises KeyError for an unknown name.
    """
    return REPORTS.get(name).of_comparison is not None


def format_of_suffix(suffix: str) -> str:
    """Return the format that the ending of a file name means; text for other endings.

    Formats of other packages are asked last. Raises `ExtensionError` if one of them
    cannot be loaded, or uses a name of this package.
    """
    if suffix:
        for name in REPORTS.names():
            format = REPORTS.get(name)
            if suffix.lower() in format.suffixes:
                return format.name
    return TEXT


# The formats of the core. Each function imports what makes its report, so that the
# other formats cost nothing.


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
    return json_text(comparison_data(comparison, most, gates))


def json_text(data: object) -> str:
    """Return data as JSON text in ASCII without control characters.

    NaN and infinities become texts.
    """
    from pytest_relevance.results.records.json_lines import as_json

    text = json.dumps(json.loads(as_json(data)), indent=2)
    return text.replace("\x7f", "\\u007f") + "\n"


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


# --- how a report is recognised -------------------------------------------------------

_BEGINNINGS = (
    # HTML and Markdown
    rb"(?s:.{,2000}?)" + REPORT_MARK.encode(),
    # JSON: a comparison or a history, and a run
    rb'\{\s*"kind": "pytest-relevance (?:comparison|history)"',
    rb'\{\s*"name": .+,\s*"run": \{(?s:.*),\s*"results": \[',
    # text: a history, and a comparison
    rb"History of [\d,]+ runs?, ",
    rb"(?s:.{1,2000}? -> .{1,2000}?): "
    rb"[\d,]+ cases? compared, [\d,]+ with another ranking",
)

# The text of a run ends with the counts of its cases.
_COUNTS = rb"(?m)^[\d,]+ cases?(?: in [\d,]+ variants?)?(?::|$)"
_BYTES_WITH_COUNTS = 2_000


def is_report(data: bytes) -> bool:
    """Say whether a file with the content `data` is a report in any format.

    The report may be on a run, a comparison or a history.
    """
    if any(re.match(beginning, data) for beginning in _BEGINNINGS):
        return True
    return re.search(_COUNTS, data[-_BYTES_WITH_COUNTS:]) is not None
