"""The report of `merge`: the summary that one unsharded run would print, the gates, and what is missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pytest_relevance._text import counted, listed, quoted
from pytest_relevance.reports.summary.gate_report import named_gate_lines
from pytest_relevance.reports.summary.summary import summary_lines
from pytest_relevance.reports.summary.verdict import verdict_lines
from pytest_relevance.reports.text import BAD, DIM, WIDEST, Line, folded, harmless, line
from pytest_relevance.results.case_result import Key
from pytest_relevance.results.gates import GateResult

if TYPE_CHECKING:
    from pytest_relevance.results.merge import Gap, Merged

MOST_NAMED = 20
"""How many node ids are listed of what did not finish."""

_MOST_EXAMPLES = 3


def merged_lines(merged: Merged, gates: Sequence[GateResult], records: int, *, width: int = WIDEST) -> list[Line]:
    """The report of a run that was merged from so many `records`.

    Advice about the baseline is left out: the reports of the runs have it.
    """
    run = merged.run
    lines = _folded(_joined(merged, records), DIM, width)
    lines += summary_lines(run.results, {}, run.info, gates, width=width)
    for gate in gates:
        lines += named_gate_lines(gate, width=width)
    for text in _missing(merged):
        lines += _folded(text, BAD, width)
    absent = max(len(run.missing), sum(gap.total - gap.found for gap in merged.gaps))
    unfinished = f"{counted(absent, 'case is', 'cases are')} missing" if absent else ""
    return [*lines, *verdict_lines(run.results, gates, run.info, width=width, unfinished=unfinished)]


def _joined(merged: Merged, records: int) -> str:
    parts = [f"{counted(records, 'record')}, {counted(len(merged.run), 'result')}"]
    if merged.again:
        parts.append(f"{_keys(merged.again)} in several of them, with the same results")
    if merged.replaced:
        parts.append(f"{_keys(merged.replaced)} with other results in an earlier one, which do not count")
    return "; ".join(parts)


def _keys(keys: Sequence[Key]) -> str:
    names = [quoted(_search(case, variant)) for _, case, variant in keys[:_MOST_EXAMPLES]]
    more = len(keys) - len(names)
    return f"{counted(len(keys), 'case')} ({listed([*names, f'{more:,} more'] if more else names, 'and')})"


def _missing(merged: Merged) -> Iterator[str]:
    for gap in merged.gaps:
        yield _gap(gap)
    names = merged.run.missing
    for name in names[:MOST_NAMED]:
        yield f"did not finish: {name}"
    if len(names) > MOST_NAMED:
        yield f"... and {len(names) - MOST_NAMED:,} more that did not finish"


def _gap(gap: Gap) -> str:
    absent = gap.total - gap.found
    cases = f"{absent:,} of {counted(gap.total, 'case')} {'is' if absent == 1 else 'are'} in no record"
    return f"{gap.file}, {_search(gap.search, gap.variant)}: {cases}"


def _search(name: str, variant: str | None) -> str:
    """A case or a search with its variant: `search[bm25]`."""
    return name + (f"[{variant}]" if variant is not None else "")


def _folded(text: str, style: str, columns: int) -> list[Line]:
    return [line(part, style) for part in folded(harmless(text), columns, "  ")]
