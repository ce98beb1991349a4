"""The report of a recorded run: what the run printed, as text, as Markdown, or as data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pytest_relevance.reports.breakdown import break_down
from pytest_relevance.reports.case.failure import failure_lines, failure_message, settings_text
from pytest_relevance.reports.case.ranking import breakdown_table
from pytest_relevance.reports.figures import score_text
from pytest_relevance.reports.markdown import code
from pytest_relevance.reports.summary.baseline import mover_table, movers_of
from pytest_relevance.reports.summary.case_rows import lowest_table
from pytest_relevance.reports.summary.counts import NOT_PASSED, anything_ran, variants_of
from pytest_relevance.reports.summary.gate_report import gate_lines
from pytest_relevance.reports.summary.suites import SuiteRow, gate_outcomes, suite_rows
from pytest_relevance.reports.summary.summary import MOST_DIFFERENCES, lowest, summary_lines
from pytest_relevance.reports.summary.tags import tag_table, tags_of
from pytest_relevance.reports.summary.variants import against_first_table, differences, side_by_side_table
from pytest_relevance.reports.summary.verdict import verdict_lines
from pytest_relevance.reports.table import Column, Table
from pytest_relevance.reports.text import PLAIN, STRONG, WIDEST, Line, harmless, line, plain
from pytest_relevance.results.case_result import SKIPPED, CaseResult
from pytest_relevance.results.gates import GateResult, judge_gates
from pytest_relevance.results.run import Run
