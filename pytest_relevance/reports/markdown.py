"""A run as Markdown, for the comment of a pull request or the summary of a CI job.

It begins with one sentence, the change of the mean, the gates and the queries that newly fail; tables and the folded
report of each failure follow. Where all of it is longer than allowed, whole sections are left out from the end, and a
last line names them. User text stands in code spans and code blocks, so that no mention, link or markup comes alive.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from pytest_relevance._text import counted, listed
from pytest_relevance.reports.failure import failure_lines, failure_reason
from pytest_relevance.reports.headline import CaseChange, headline, is_new_failure, worst_first
from pytest_relevance.reports.numbers import score_text
from pytest_relevance.reports.reasons import case_label
from pytest_relevance.reports.run_report import results_to_report, run_gates
from pytest_relevance.reports.summary.baseline import mean_change_lines, mover_tables
from pytest_relevance.reports.summary.cases import lowest_table, metric_of, short_label, variants_of, weighted_mean
from pytest_relevance.reports.summary.faults import fault_texts, together_text
from pytest_relevance.reports.summary.slices import tag_table, variant_tables
from pytest_relevance.reports.summary.suites import gate_outcomes, suite_rows
from pytest_relevance.reports.summary.summary import verdict_lines
from pytest_relevance.reports.table import MOST_CHARACTERS, RIGHT, Column, Table, block, code, escaped
from pytest_relevance.reports.text import REPORT_MARK, harmless, plain
from pytest_relevance.results.baseline.overall import has_failed
from pytest_relevance.results.case_result import SKIPPED, CaseResult
from pytest_relevance.results.gates import GateResult
from pytest_relevance.results.records.run import Run
from pytest_relevance.results.records.run_info import changed, changes_text

MOST_ROWS = 5
"""How many queries a table names, unless the report is to be in full."""

_UNLIMITED = 100_000  # columns of a table in Markdown
_ENDS_IN = {"worse": "\u274c", "broken": "\u274c", "better": "\u2705", "fine": "\u2705", "nothing": "\u26a0\ufe0f"}


FAILURE = "failure"
"""The name of a section about one failure: these are counted where they are left out."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report that is left out as a whole: its Markdown, and what it is called where it is left out."""

    text: str
    name: str


def run_markdown(run: Run, *, verbosity: int = 0, most: int = MOST_CHARACTERS) -> str:
    """The report of a run as Markdown, of at most `most` characters.

    `verbosity` above 0 lists all queries in tables and all ranks in failures. The first section, with the sentence, is
    always there.
    """
    return joined_sections(run_sections(run, verbosity=verbosity), most)


def joined_sections(sections: Iterable[Section], most: int) -> str:
    """Sections one after the other; where these are longer than `most` characters, the last ones are left out.

    The first is there whatever its length. A line at the end says what is left out.
    """
    found = [*sections]
    whole = "\n\n".join(section.text for section in found) + "\n"
    if len(whole) <= most:
        return whole
    room = most - len(_left_out([section.name for section in found], most)) - len("\n\n\n")
    kept: list[str] = []
    left_out: list[str] = []
    for section in found:
        size = len(section.text) + len("\n\n")
        if not kept or (size <= room and not left_out):
            kept.append(section.text)
            room -= size
        else:
            left_out.append(section.name)
    return "\n\n".join([*kept, _left_out(left_out, most)]) + "\n"


def run_sections(run: Run, *, verbosity: int = 0) -> Iterator[Section]:
    """The sections of the report, the most important first."""
    gates = run_gates(run)
    ran = [result for result in run.results if result.status != SKIPPED]
    yield Section(_first(run, gates), "the summary")
    most = None if verbosity > 0 else MOST_ROWS
    yield from _tables_section("gates", [_gates(gates)])
    changes = worst_first(ran)
    new = [change for change in changes if is_new_failure(change.result)]
    others = [change for change in changes if has_failed(change.result) and not is_new_failure(change.result)]
    variants = variants_of(ran)
    yield from _tables_section("newly failing", [_changes("Newly failing", new, variants, most)])
    title = "Other failures" if new else "Failing"
    yield from _tables_section("other failures", [_changes(title, others, variants, most)])
    for text in fault_texts(ran, run.info):
        yield Section(f"**{code(text)}**", "a fault that several cases have in common")
    compared = [result for result in ran if not result.is_check]
    yield from _tables_section("suites", [_suites(run, gates)])
    yield from _tables_section("tags and variants", [tag_table(compared, variants, None, _UNLIMITED)])
    yield from _tables_section("variants", variant_tables(compared, variants, most, _UNLIMITED))
    yield from _tables_section("movers", mover_tables(ran, most))
    yield from _tables_section("lowest", [lowest_table(ran, variants, MOST_ROWS)])
    for repeats, results in results_to_report(run):
        if len(results) == 1:
            yield Section(_folded(results[0], -1 if repeats else max(verbosity, 0)), FAILURE)
        else:
            yield Section(code(together_text(results, full=verbosity > 0)), FAILURE)


def _first(run: Run, gates: Sequence[GateResult]) -> str:
    """The sentence, the change of the mean, what ran against what, and the counts."""
    said = headline(run.results, gates, run.info)
    lines = [f"<!-- {REPORT_MARK} -->", f"### {_ENDS_IN[said.kind]} {escaped(said.text)}", ""]
    changes = mean_change_lines(run.results, run.files, columns=_UNLIMITED)
    lines += [f"- {escaped(plain([spans]).strip())}" for spans in changes]
    if not changes and (mean := weighted_mean(run.results)) is not None:
        lines.append(f"- mean {metric_of(run.results)} {score_text(mean)}")
    verdict = " ".join(plain([spans]).strip() for spans in verdict_lines(run.results, gates, run.info))
    lines.append(f"- {escaped(verdict)}")
    for text in dict.fromkeys(
        changes_text(changed(info.fingerprint, run.info.fingerprint)) for info in run.files.values() if info.fingerprint
    ):
        lines += [f"- searched since the baseline: {code(text)}"] if text else []
    return "\n".join(lines)


def _tables_section(name: str, tables: Iterable[Table]) -> Iterator[Section]:
    for table in tables:
        if table.rows:
            yield Section("\n".join(table.markdown()), f"the table of {name}")


def _changes(
    title: str, changes: Sequence[CaseChange], variants: Sequence[tuple[str, str | None]], most: int | None
) -> Table:
    """`query | before -> after | lost | now on top`: what a reader of a pull request asks first."""
    shown = changes[:most]
    several = len(variants) > 1
    columns = [Column("query", is_code=True), *([Column("variant", is_code=True)] if several else [])]
    columns += [
        Column("before \u2192 after", RIGHT),
        Column("lost", is_markdown=True),
        Column("now on top", is_markdown=True),
    ]
    more = f" ({len(shown)} of {len(changes):,})" if len(shown) < len(changes) else f" ({len(changes):,})"
    table = Table(columns, title=f"{title}{more}")
    for change in shown:
        result = change.result
        variant = [short_label(result, variants)] if several else []
        table.add(case_label(result), *variant, _scores(change), _lost(change), _document(result, change.on_top))
    return table


def _scores(change: CaseChange) -> str:
    after = change.result.status if change.after is None else score_text(change.after)
    return after if change.before is None else f"{score_text(change.before)} \u2192 {after}"


def _lost(change: CaseChange) -> str:
    """The document that costs most, and the ranks between which it moved."""
    if change.lost is None:
        return ""
    place = f", from {change.lost_from} to {change.lost_to}" if change.lost_to else f", from {change.lost_from}, gone"
    if change.lost_from is None:
        place = f", rank {change.lost_to}" if change.lost_to else ", not returned"
    return _document(change.result, change.lost) + place


def _document(result: CaseResult, document: str | None) -> str:
    """The title of a document, or its id where it has none, as a code span."""
    return "" if document is None else code(result.titles.get(document) or document, in_cell=True)


def _suites(run: Run, gates: Sequence[GateResult]) -> Table:
    table = Table([Column("suite", is_code=True), *map(Column, ("variant", "mean", "cases", "latency", "gates"))])
    for file, rows in suite_rows(run.results, variants_of(run.results), gate_outcomes(gates)).items():
        for name, *figures in rows:
            table.add(file, name.removeprefix(file).strip(), *figures)
    return table


def _gates(gates: Sequence[GateResult]) -> Table:
    table = Table([Column("gate", is_code=True), Column("outcome"), Column("found", is_code=True)])
    for gate in gates:
        table.add(gate.name, gate.outcome(), gate.message)
    return table


def _folded(result: CaseResult, verbosity: int) -> str:
    """A failure as a folded block: the query and the reason are its title, the report is inside."""
    query, reason = (escape(harmless(text)) for text in (case_label(result), failure_reason(result)))
    lines = [f"<details><summary><code>{query}</code> <code>{reason}</code></summary>", ""]
    lines += [*block(plain(failure_lines(result, verbosity=verbosity))), "", "</details>"]
    return "\n".join(lines)


def _left_out(names: Sequence[str], most: int) -> str:
    """What is left out: `Left out, as this report has at most 65,000 characters: 39 failures.`"""
    counts = Counter(names)
    parts = [counted(count, name) if name == FAILURE else name for name, count in counts.items()]
    return f"Left out, as this report has at most {most:,} characters: {listed(parts, 'and')}."
