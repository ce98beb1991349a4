"""What a format of reports is, and the registry of these formats.

Reports stand above the results that they show. So that a result can show itself, it asks the
registry, which imports the report by its name in `bundled.py`.

To add a format to the package, write a `ReportFormat` in `reports/own_formats.py` and name it
in `bundled.py`. Another package adds a format by an entry point of the group
`pytest_relevance.reports`. It names a `ReportFormat`, or a function from a `Run` to a text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from pytest_relevance import bundled
from pytest_relevance._text import shown
from pytest_relevance.registry import ExtensionError, Registry

if TYPE_CHECKING:
    from pytest_relevance.results.records.run import Run

TEXT, MARKDOWN, JSON, HTML = "text", "markdown", "json", "html"
"""The names of the formats of the package."""

MOST_CHARACTERS = 20_000
"""How long a report in Markdown is by default."""

MOST_SHOWN = 5
"""How many cases of a kind, and tags, a comparison shows by default."""

WIDEST = 100
"""The default width of a report in text, in terminal columns."""


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """What a user asks of a report. A format may not look at all of it.

    `verbosity`: as pytest counts it: below 0 in brief, above 0 in full.
    `width`: the width of plain text, in terminal columns.
    `max_chars`: the most characters of Markdown; None: as many as it takes.
    `limit`: the most cases of a kind, and the most tags, that a comparison lists; None: all.
    `images`: whether a page shows pictures of documents, from their addresses.
    `notes`: sentences about how the run was made, which Markdown begins with.
    """

    verbosity: int = 0
    width: int = WIDEST
    max_chars: int | None = MOST_CHARACTERS
    limit: int | None = MOST_SHOWN
    images: bool = False
    notes: Sequence[str] = ()


OfRun = Callable[["Run", ReportOptions], str]
"""Makes the report of a run."""

OfComparison = Callable[[Any, Any, ReportOptions], str]
"""Makes the report of a `Comparison` of two runs.

The second argument are its gates, as `Comparison.judge` gave them; None if they were not judged.
"""


@dataclass(frozen=True, slots=True)
class ReportFormat:
    """A format of reports.

    `name`: what a user calls it.
    `of_run`: makes the report of a run.
    `of_comparison`: makes the report of a comparison; None if the format has none.
    `suffixes`: the endings of file names that mean the format, in lower case.
    """

    name: str
    of_run: OfRun
    of_comparison: OfComparison | None = None
    suffixes: tuple[str, ...] = ()


def _report_format(name: str, value: str, entry: object) -> ReportFormat:
    """Make a format of what an entry point names: a format, or a function from a run."""
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
    """Make the report of a run in a format.

    Raises `ExtensionError` if a format of another package fails, or returns no text.
    """
    make = REPORTS.get(name).of_run
    with REPORTS.calling(name):
        report = make(run, options)
    return _checked(report, name)


def comparison_report(
    name: str, comparison: object, gates: object, options: ReportOptions
) -> str:
    """Make the report of a `Comparison` in a format that has one.

    `gates` are what `Comparison.judge` returns, None without gates. Raises
    `ExtensionError` as `run_report` does.
    """
    make = REPORTS.get(name).of_comparison
    assert make is not None, "only formats that have it are offered"
    with REPORTS.calling(name):
        report = make(comparison, gates, options)
    return _checked(report, name)


def _checked(report: object, name: str) -> str:
    """Return a report of an entry. Raises `ExtensionError` if it is not a text, or is empty."""
    if not isinstance(report, str) or not report:
        raise ExtensionError(
            f"{REPORTS.label(name)} returned {shown(report)}, not a text"
        )
    return report


def has_report_of_comparison(name: str) -> bool:
    """Whether a format makes reports of comparisons. Raises KeyError for an unknown name."""
    return REPORTS.get(name).of_comparison is not None


def format_of_suffix(suffix: str) -> str:
    """Find the format that a file name with this ending means; text if no format has it.

    Other packages are asked last. Raises `ExtensionError` if one of them cannot be loaded.
    """
    if suffix:
        for format in REPORTS:
            if suffix.lower() in format.suffixes:
                return format.name
    return TEXT


OF_COMPARISONS: Registry[Callable[..., Any]] = Registry(
    "pytest_relevance.comparisons", bundled.OF_COMPARISONS
)
"""What a `Comparison` asks of the layers above it: functions of a comparison, by name."""
