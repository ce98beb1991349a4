"""A run in a CI job: Markdown for the comment of a pull request, and annotations for GitHub Actions.

Markdown begins with one sentence, the change of the mean, the gates and the queries that newly fail; further tables,
all queries that newly fail and the folded report of each failure follow. Where all of it is longer than allowed, whole
sections are left out from the end, and a last line names them. User text stands in code spans and code blocks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from itertools import chain, islice

from pytest_relevance._text import counted, harmless
from pytest_relevance.reports.blocks import (
    FAILURE,
    LONGEST_TEXT,
    MORE_HINT,
    MOST_CHARACTERS,
    Column,
    Section,
    Sentence,
    Table,
    block,
    code,
    cut,
    details,
    escaped,
    heading,
    joined_sections,
    list_section,
    span,
    styled,
    table_sections,
)
from pytest_relevance.reports.failure import failure_lines, reason_in_brief
from pytest_relevance.reports.reasons import case_label, failure_head
from pytest_relevance.reports.run.baseline import context, headline, lost_text, searched_texts, suite_means
from pytest_relevance.reports.run.cases import (
    Variant,
    changed_ids_remark,
    lowest,
    mean_text,
    not_in_index_remark,
    stability_remarks,
    suite_figures,
    suite_groups,
    unjudged_remarks,
    variant_label,
    variants_of,
)
from pytest_relevance.reports.run.changes import (
    MOST_TAGS,
    CaseChange,
    case_change,
    is_new_failure,
    moved_case,
    moved_table,
    movers,
    tag_change_table,
    tag_table,
    variant_tables,
    worst_first,
)
from pytest_relevance.reports.run.faults import fault_sentences, together_text, together_title
from pytest_relevance.reports.run.gates import gate_message, gate_rows
from pytest_relevance.reports.run.report import case_counts, results_to_report, run_gates
from pytest_relevance.reports.text import PLAIN, STRONG, command, plain
from pytest_relevance.results.case_parts import REGRESSION
from pytest_relevance.results.case_result import ERROR, FAILED, INCONCLUSIVE, SKIPPED, CaseResult
from pytest_relevance.results.diagnoses import ids_are_known
from pytest_relevance.results.differences import (
    FAILED_BEFORE,
    NEWLY_FAILING,
    REGRESSED,
    STALE_ENTRY,
    failure_kind,
    has_failed,
)
from pytest_relevance.results.gates import GateResult
from pytest_relevance.results.records.run import Run

MOST_ROWS, MOST_GATES, MOST_SUITES = 5, 10, 20
"""How many queries, gates and suites a table lists, unless the report is to be in full."""

_MOST_NAMES = 3  # files, searches and suites that a line of the first section names
_MOST_MISSING = 5
_MOST_FURTHER = 100  # cases in one of the folded tables: each is left out as a whole
_UNLIMITED = 100_000  # columns of a table in Markdown

_HINT = re.compile(rf"^( *\.\.\. .*?){re.escape(MORE_HINT)}(.*)$", re.MULTILINE)
"""How a terminal shows the rest of a list; a reader of Markdown has no such option."""


def run_markdown(run: Run, *, verbosity: int = 0, notes: Sequence[str] = (), most: int = MOST_CHARACTERS) -> str:
    """The report of a run as Markdown, of at most `most` characters. `notes` are sentences about how it was merged.

    `verbosity` above 0 lists all queries in tables and all ranks in failures, 2 has the cases that passed too; below 0
    the report of each failure is left out. The first section, with the sentence, is always there.
    """
    return joined_sections(run_sections(run, verbosity=verbosity, notes=notes), most)


def run_sections(run: Run, *, verbosity: int = 0, notes: Sequence[str] = ()) -> Iterator[Section]:
    """The sections of the report, the most important first."""
    gates = run_gates(run)
    ran = [result for result in run.results if result.status != SKIPPED]
    full, variants = verbosity > 0, variants_of(ran)
    yield Section(_first(run, ran, gates), "the summary")
    yield from list_section(map(span, notes), "notes")
    if run.info.missing:
        yield Section(_missing(run.info.missing), "what is missing")
    changes = worst_first(ran)
    tables = _case_tables(changes, ran, variants, None if full else MOST_ROWS)
    yield from table_sections([("the gates", _gate_table(gates, full=full)), *tables])
    for fault in fault_sentences(ran, run.info):
        yield Section(f"**{fault.markdown()}**", "a fault that several cases have in common")
    if len(suite_groups(ran)) > _MOST_NAMES:
        yield from table_sections([("the suites", _suites(ran, full=full))])
    remarks = (
        not_in_index_remark(ran),
        changed_ids_remark(ran),
        stability_remarks(ran, -2),
        unjudged_remarks(run.files),
    )
    texts = [block.markdown() for block in chain.from_iterable(remarks) if isinstance(block, Sentence)]
    yield from list_section(texts, "remarks")
    yield from table_sections(_slices(ran, variants, full=full))
    for title, table in _further_tables(changes, variants, None if full else MOST_ROWS):
        yield Section(details(title, table.markdown()), "further newly failing cases")
    if verbosity >= 0:
        yield from _failures(run, changes, verbosity)


# --- the first section ------------------------------------------------------------------------------------------------


def _first(run: Run, ran: Sequence[CaseResult], gates: Sequence[GateResult]) -> str:
    """The sentence, the means, the counts, and what ran against what."""
    said = headline(run.results, gates, run.info)
    lines = [heading(said.text, said.mark), ""]
    means = suite_means(ran)
    if len(means) <= _MOST_NAMES:
        named = (f"{' '.join(map(span, mean.names))}{': ' if mean.names else ''}" for mean in means)
        lines += (f"- {name}{escaped(mean.text)}" for name, mean in zip(named, means, strict=True))
    elif any(result.score is not None for result in ran):
        lines.append(f"- {mean_text(ran)} over all suites and variants")
    if run.results:
        absent = counted(len(run.info.missing), "case is", "cases are") if run.info.missing else ""
        counts = [*case_counts(run.results), *([f"{absent} missing"] if absent else [])]
        lines.append(f"- {escaped('; '.join(counts))}")
    lines += [f"- {', '.join(about)}"] if (about := _context(run)) else []
    lines += [f"- {span(text)}" for text in searched_texts(run.files, run.info.fingerprint)[:_MOST_NAMES]]
    lines += [f"- {span(text)}"] if (text := lost_text(run.files, run.info)) else []
    return "\n".join(lines).rstrip("\n")


def _context(run: Run) -> list[str]:
    """The suites and searches that ran, against what, and what was searched, as Markdown."""
    about = context(run)
    against = " and ".join(_named(about.records, "record")) or "the baseline" * about.has_baseline
    return [
        *_named(about.files, "suite"),
        *_named(about.searches, "variant"),
        *([f"against {against}"] if against else []),
        *_named(about.searched, "entry", "entries"),
    ]


def _named(names: Sequence[str], what: str, several: str = "") -> list[str]:
    """The first of some names as code spans, and how many more there are: `3 more suites`."""
    more = len(names) - _MOST_NAMES
    said = [counted(more, f"more {what}", several and f"more {several}")] if more > 0 else []
    return [*map(span, names[:_MOST_NAMES]), *said]


def _missing(names: Sequence[str]) -> str:
    """The cases and files that did not finish, or are in no record that was merged; the first of them by name."""
    counts = Counter(names)
    lines = [f"**Missing** ({len(names):,})", ""]
    for name, count in [*counts.items()][:_MOST_MISSING]:
        lines.append(f"- {span(name)}" + (f" ({count:,} cases)" if count > 1 else ""))
    more = len(names) - sum([*counts.values()][:_MOST_MISSING])
    return "\n".join([*lines, *([f"- and {more:,} more"] if more else [])])


# --- tables -----------------------------------------------------------------------------------------------------------


Tables = Iterator[tuple[str, Table]]
"""Tables, each with the name that it has where it is left out."""


def _case_tables(
    changes: Sequence[CaseChange], ran: Sequence[CaseResult], variants: Sequence[Variant], most: int | None
) -> Tables:
    """The cases that fail, and those whose score moved most and that are in no table yet.

    Without any that fails or moved, those with the lowest scores.
    """

    def table(title: str, found: Sequence[CaseChange], *documents: str) -> Table:
        rows = [moved_case(change, variants) for change in found[:most]]
        return moved_table(title, rows, *(documents or ("lost", "now on top")), total=len(found))

    new = [change for change in changes if is_new_failure(change.result)]
    failing = [change for change in changes if has_failed(change.result) and not is_new_failure(change.result)]
    fell = [change for change in changes if not has_failed(change.result)]
    rose = [case_change(result) for result in movers(ran, 1)]
    yield "the newly failing cases", table("Newly failing", new)
    yield "the failing cases", table("Other failures" if new else "Failing", failing)
    yield "the cases that fell most", table(f"Fell{' without failing' if new or failing else ''}", fell)
    yield "the cases that rose most", table("Rose", rose, "gained")
    if not (changes or rose):
        yield "the lowest cases", table("Lowest", [*map(case_change, lowest(ran))])


def _further_tables(changes: Sequence[CaseChange], variants: Sequence[Variant], most: int | None) -> Tables:
    """The newly failing cases for which the first table has no room, with their scores alone; and a title of each."""
    new = [change for change in changes if is_new_failure(change.result)]
    for start in range(most or len(new), len(new), _MOST_FURTHER):
        shown = [moved_case(change, variants) for change in new[start : start + _MOST_FURTHER]]
        yield f"Newly failing, {start + 1:,} to {start + len(shown):,} of {len(new):,}", moved_table("", shown)


def _gate_table(gates: Sequence[GateResult], *, full: bool) -> Table:
    """The table of the gates, those that are not met first."""
    rows = gate_rows(gates)
    several_files = len({row.file for row in rows}) > 1
    suite = [Column("suite", is_code=True)] if several_files else []
    table = Table([*suite, Column("gate", is_code=True), Column(), Column("found", is_code=True)])
    for row in rows if full else rows[:MOST_GATES]:
        name = row.id + (f" [{row.variant}]" if row.variant is not None else "")
        word = styled(row.word, STRONG if row.outcome == FAILED else PLAIN)
        table.add(*([row.file] if several_files else []), name, word, cut(harmless(row.message), LONGEST_TEXT))
    if more := rows[len(table.rows) :]:
        unmet = sum(row.outcome == FAILED for row in more)
        table.note = f"... and {counted(len(more), 'more gate')}, {unmet:,} of them not met"
    return table


def _suites(ran: Sequence[CaseResult], *, full: bool) -> Table:
    """A row for each suite and variant."""
    means = suite_means(ran)
    groups = suite_groups(ran)
    several = len({variant for _, variant in groups}) > 1
    names = [Column("suite", is_code=True), *([Column("variant", is_code=True)] if several else [])]
    table = Table([*names, *map(Column, ("mean", "cases", "latency"))])
    variants = [*dict.fromkeys(variant for _, variant in groups)]
    for ((file, variant), results), mean in [*zip(groups.items(), means, strict=True)][: None if full else MOST_SUITES]:
        _, counts, latency = suite_figures(results)
        label = [variant_label(variant, variants)] if several else []
        table.add(file, *label, mean.text, counts, latency)
    if more := len(groups) - len(table.rows):
        table.note = f"... and {more:,} more"
    return table


def _slices(ran: Sequence[CaseResult], variants: Sequence[Variant], *, full: bool) -> Iterator[tuple[str, Table]]:
    """The means by tag, with a baseline their changes, and the variants side by side."""
    compared = [result for result in ran if not result.is_check]
    changes = tag_change_table(compared, variants, None if full else MOST_TAGS)
    yield (
        "the tags",
        changes if changes.rows else tag_table(compared, variants, None if full else MOST_TAGS, _UNLIMITED),
    )
    for table in variant_tables(compared, variants, None if full else MOST_ROWS, _UNLIMITED):
        yield "the variants", table


# --- the report of each failure ---------------------------------------------------------------------------------------


def _failures(run: Run, changes: Sequence[CaseChange], verbosity: int) -> Iterator[Section]:
    """The failures, folded, in the order of `changes`; those of a fault that many cases have in common in one line."""
    places = {id(change.result): place for place, change in enumerate(changes)}
    found = [*results_to_report(run, verbosity)]
    for repeats, results in sorted(found, key=lambda each: places.get(id(each[1][0]), len(places))):
        if len(results) == 1:
            known = results[0].is_unjudged and ids_are_known(results[0], run.results)
            yield Section(partial(_folded, results[0], -1 if repeats else verbosity, known), FAILURE)
        else:
            yield Section(code(together_text(results, full=verbosity > 0)), FAILURE)


def _folded(result: CaseResult, verbosity: int, ids_known: bool) -> str:
    """A failure as a folded block: the query and the reason are its title, the report is inside."""
    query, reason = (
        escape(cut(harmless(text), LONGEST_TEXT)) for text in (case_label(result), reason_in_brief(result))
    )
    text = _HINT.sub(_without_hint, plain(failure_lines(result, verbosity=verbosity, ids_are_known=ids_known)))
    return details(f"<code>{query}</code> <code>{reason}</code>", block(text))


def _without_hint(found: re.Match[str]) -> str:
    """A line without its hint at `-v`; what follows the hint keeps its column."""
    return found[1] + (" " * len(MORE_HINT) + found[2] if found[2] else "")


MOST_ANNOTATIONS = 10
"""How many annotations of one kind GitHub shows for a step; it drops any further ones."""

_GATES = 3  # so many annotations are reserved for gates
_LONGEST_TITLE, _LONGEST_LINE = 120, 400

_KINDS: Mapping[str, str] = {
    NEWLY_FAILING: "Newly failing",
    REGRESSED: "Worse than its baseline",
    STALE_ENTRY: "Stale baseline entry",
    FAILED_BEFORE: "Failed before",
}
_VERDICTS: Mapping[str, str] = {ERROR: "Error", INCONCLUSIVE: "Inconclusive"}


@dataclass(frozen=True, slots=True)
class Annotation:
    """A message about a `line` (from 1) of a `file`, whose name is as results have it."""

    file: str
    line: int
    title: str
    message: str

    def as_command(self, path: str | None) -> str:
        """The workflow command, with the path of the file in the repository; None: the file is in none."""
        if path is None:
            return command("error", {"title": self.title}, f"{self.file}:{self.line}: {self.message}")
        return command("error", {"file": path, "line": self.line, "title": self.title}, self.message)


def run_annotations(run: Run, failed_gates: Sequence[GateResult]) -> list[Annotation]:
    """The first ten failures of a run, in the order of its report: newly failing cases first, gates last.

    Cases that failed alike are one failure, as in the report. Up to three of the ten are gates, or more where there is
    room for them.
    """
    room = MOST_ANNOTATIONS - min(len(failed_gates), _GATES)
    several = len(variants_of(run.results)) > 1
    cases = [_cases_annotation(results, several) for _, results in islice(results_to_report(run), room)]
    return [*cases, *map(_gate_annotation, failed_gates[: MOST_ANNOTATIONS - len(cases)])]


def _cases_annotation(results: Sequence[CaseResult], several_variants: bool) -> Annotation:
    result = results[0]
    file = result.origin.source or result.file
    if len(results) > 1:
        return Annotation(file, result.line, together_title(results), _cut(together_text(results)))
    kind = _VERDICTS.get(result.verdict) or _KINDS.get(failure_kind(result), "Failed")
    variant = f" [{result.variant}]" if several_variants and result.variant is not None else ""
    title = cut(f"{kind}: {harmless(case_label(result) + variant)}", _LONGEST_TITLE)
    reason = reason_in_brief(result).removeprefix(failure_head(result) or f"{REGRESSION}: ")  # which the title says
    parts = [reason, *_lost_and_found(case_change(result))]
    return Annotation(file, result.line, title, "\n".join(map(_cut, parts)))


def _gate_annotation(gate: GateResult) -> Annotation:
    title = cut(f"Gate not met: {harmless(gate.name)}", _LONGEST_TITLE)
    return Annotation(gate.file, gate.line, title, _cut(gate_message(gate)))


def _lost_and_found(change: CaseChange) -> list[str]:
    """The document that costs most, and the result in its place."""
    if change.after is None:
        return []
    row = moved_case(change, ())
    parts = {"lost": row.lost, "now on top": row.on_top}
    return [f"{word}: {plain([spans])}" for word, spans in parts.items() if spans]


def _cut(text: str) -> str:
    return cut(harmless(text), _LONGEST_LINE)
