"""Annotations for GitHub Actions: messages at lines of files, shown in the diff."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from pytest_relevance._text import harmless
from pytest_relevance.gates.judging import GateResult
from pytest_relevance.reports.brief_reasons import failure_head, reason_in_brief
from pytest_relevance.reports.labels import case_label
from pytest_relevance.reports.run.case_change import CaseChange
from pytest_relevance.reports.run.errors import error_title
from pytest_relevance.reports.run.explaining_documents import explaining_documents
from pytest_relevance.reports.run.gates import gate_message
from pytest_relevance.reports.run.run_findings import reason_texts
from pytest_relevance.reports.run.shown_failures import (
    new_failures,
    together_text,
    together_title,
)
from pytest_relevance.reports.run.variant_labels import variants_of
from pytest_relevance.reports.styled_lines import plain_text
from pytest_relevance.reports.terminal_text import cut
from pytest_relevance.reports.workflow_commands import workflow_command
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.failures import (
    ENDED_IN_ERROR,
    STALE_ENTRY,
    WITHOUT_ENTRY,
    failure_kind,
)
from pytest_relevance.results.records.run import Run
from pytest_relevance.results.records.run_info import RunError, RunInfo
from pytest_relevance.results.run_titles import without_words_of_texts

MOST_ANNOTATIONS = 10
"""How many annotations of one kind GitHub shows for a step. It drops the others."""

_GATES = 3  # how many annotations are kept for gates
_LONGEST_TITLE, _LONGEST_LINE = 120, 400

_KINDS: Mapping[str, str] = {
    STALE_ENTRY: "Stale baseline entry",
    WITHOUT_ENTRY: "Failed",
    ENDED_IN_ERROR: "Error",
}
"""{kind of failure: title}. The title of another kind is its own name."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """A message about a line of a file.

    `file`: the file, named as in results; "" without one.
    `line`, `column`: counted from 1; 0 if unknown.
    """

    file: str
    line: int
    title: str
    message: str
    column: int = 0

    def as_command(self, path: str | None) -> str:
        """Return the annotation as a workflow command.

        `path`: the path of the file in the repository; None if the file is outside.
        """
        if path is None:
            place = ":".join(str(part) for part in (self.file, self.line) if part)
            message = f"{place}: {self.message}" if place else self.message
            return workflow_command("error", {"title": self.title}, message)
        properties: dict[str, object] = {"file": path}
        if self.line:
            properties["line"] = self.line
        if self.column:
            properties["col"] = self.column
        properties["title"] = self.title
        return workflow_command("error", properties, self.message)


def run_annotations(run: Run, failed_gates: Sequence[GateResult]) -> list[Annotation]:
    """Return the first ten annotations of a run, in the order of its report.

    Errors outside of cases come first, then other reasons why the run fails, then
    cases, and gates last. Cases that failed alike share one annotation. Three of the
    ten are kept for gates. Gates get more if the others need fewer than seven.
    """
    results = without_words_of_texts(run.results)
    run = Run(results, run.files, run.info, name=run.name)
    room = MOST_ANNOTATIONS - min(len(failed_gates), _GATES)
    annotations = _error_annotations(run.info)
    for reason in reason_texts(run.info):
        annotations.append(Annotation("", 0, "The run fails", _cut_line(reason)))
    del annotations[room:]
    has_variants = len(variants_of(run.results)) > 1
    for reported in islice(new_failures(run), room - len(annotations)):
        annotations.append(_cases_annotation(reported.results, has_variants))
    for gate in failed_gates[: MOST_ANNOTATIONS - len(annotations)]:
        annotations.append(_gate_annotation(gate))
    return annotations


def _error_annotations(info: RunInfo) -> list[Annotation]:
    """Return an annotation for each error outside of cases; equal texts only once."""
    first_errors: dict[str, RunError] = {}
    for error in info.errors:
        first_errors.setdefault(error.text, error)
    annotations = []
    for error in first_errors.values():
        annotation = Annotation(
            file=error.file,
            line=error.line,
            title=cut(error_title(error), _LONGEST_TITLE),
            message=_cut_line(error.message),
            column=error.column,
        )
        annotations.append(annotation)
    return annotations


def _gate_annotation(gate: GateResult) -> Annotation:
    return Annotation(
        file=gate.file,
        line=gate.line,
        title=cut(f"Gate not met: {harmless(gate.name)}", _LONGEST_TITLE),
        message=_cut_line(gate_message(gate)),
    )


def _cases_annotation(results: Sequence[CaseResult], has_variants: bool) -> Annotation:
    """Return the annotation of a case, or of several cases that failed alike.

    It is at the line of the first case.
    """
    result = results[0]
    file = result.origin.source or result.file
    if len(results) > 1:
        title = together_title(results)
        return Annotation(file, result.line, title, _cut_line(together_text(results)))
    return Annotation(
        file=file,
        line=result.line,
        title=_title(result, has_variants),
        message="\n".join(_cut_line(text) for text in _message_parts(result)),
    )


def _title(result: CaseResult, has_variants: bool) -> str:
    """Return the title of an annotation: `Got worse: smart watch [bm25]`."""
    kind = failure_kind(result)
    label = case_label(result)
    if has_variants and result.variant is not None:
        label += f" [{result.variant}]"
    said = f"{_KINDS.get(kind, kind.capitalize())}: {harmless(label)}"
    return cut(said, _LONGEST_TITLE)


def _message_parts(result: CaseResult) -> list[str]:
    """Return why a case failed, which document costs most, and what is in its place."""
    reason = reason_in_brief(result, is_named=True)
    parts = [reason.removeprefix(failure_head(result))]  # the title has the head
    change = CaseChange.since_baseline(result)
    if change.after is None:
        return parts
    documents = explaining_documents(change)
    for document in (documents.costliest, documents.on_top):
        if document.spans:
            parts.append(plain_text([document.titled]))
    return parts


def _cut_line(text: str) -> str:
    return cut(harmless(text), _LONGEST_LINE)
