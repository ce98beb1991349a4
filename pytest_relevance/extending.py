"""List the names that hooks of a project and other packages import from this package.

These names are public, as those of `pytest_relevance` are. The modules that define them
are not. docs/reference/hooks.md and docs/reference/extending.md have an example for
each. A name is imported when it is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_relevance._problems import FileError as FileError
    from pytest_relevance._source import Source as Source
    from pytest_relevance.cases.expectation import (
        Expectation as Expectation,
        FieldCondition as FieldCondition,
        Passage as Passage,
    )
    from pytest_relevance.cases.location import WRONG as WRONG, Location as Location
    from pytest_relevance.cases.model import Gate as Gate
    from pytest_relevance.cli.file_check import (
        FileCheck as FileCheck,
        Place as Place,
        Problem as Problem,
    )
    from pytest_relevance.expectations.kind import ExpectationKind as ExpectationKind
    from pytest_relevance.gates.kind import (
        CaseBehind as CaseBehind,
        Finding as Finding,
        GateKind as GateKind,
    )
    from pytest_relevance.judgments.formats import (
        JudgmentFormat as JudgmentFormat,
        RunFormat as RunFormat,
        Written as Written,
    )
    from pytest_relevance.judgments.model import Query as Query, Ratings as Ratings
    from pytest_relevance.plugin.item_variants import KnownVariant as KnownVariant
    from pytest_relevance.plugin.output_files import (
        Message as Message,
        OutputFile as OutputFile,
    )
    from pytest_relevance.plugin.running.case_run import Searched as Searched
    from pytest_relevance.plugin.terminal import Section as Section
    from pytest_relevance.reports.formats import ReportFormat as ReportFormat
    from pytest_relevance.reports.styled_lines import styled_line as styled_line
    from pytest_relevance.results.case_parts import (
        DocumentTexts as DocumentTexts,
        Outcome as Outcome,
    )
    from pytest_relevance.results.diagnoses import DiagnosisKind as DiagnosisKind
    from pytest_relevance.results.document_fields import FieldValues as FieldValues
    from pytest_relevance.results.outcomes import outcome_of as outcome_of
    from pytest_relevance.results.responses.ranking import Ranking as Ranking
    from pytest_relevance.results.responses.errors import (
        BadResult as BadResult,
        UnreadableRanking as UnreadableRanking,
    )
    from pytest_relevance.results.responses.shapes import ResponseShape as ResponseShape

_MODULES = {
    "_problems": "FileError",
    "_source": "Source",
    "cases.location": "Location WRONG",
    "cases.expectation": "Expectation FieldCondition Passage",
    "cases.model": "Gate",
    "cli.file_check": "FileCheck Place Problem",
    "expectations.kind": "ExpectationKind",
    "gates.kind": "CaseBehind Finding GateKind",
    "judgments.formats": "JudgmentFormat RunFormat Written",
    "judgments.model": "Query Ratings",
    "plugin.item_variants": "KnownVariant",
    "plugin.output_files": "Message OutputFile",
    "plugin.running.case_run": "Searched",
    "plugin.terminal": "Section",
    "reports.formats": "ReportFormat",
    "reports.styled_lines": "styled_line",
    "results.case_parts": "DocumentTexts Outcome",
    "results.diagnoses": "DiagnosisKind",
    "results.document_fields": "FieldValues",
    "results.outcomes": "outcome_of",
    "results.responses.ranking": "Ranking",
    "results.responses.errors": "BadResult UnreadableRanking",
    "results.responses.shapes": "ResponseShape",
}
"""The public names by the module that defines them."""

_HOMES: dict[str, str] = {}
for _module, _names in _MODULES.items():
    for _name in _names.split():
        _HOMES[_name] = f"pytest_relevance.{_module}"

__all__ = sorted(_HOMES)


if not TYPE_CHECKING:  # for a type checker a module with this function has every name

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(_HOMES[name]), name)
