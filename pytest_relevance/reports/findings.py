"""What is found in case files: lint warnings, a block for each kind with a line for each warning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_relevance._text import counted, harmless, quoted
from pytest_relevance.cases.lint import KINDS, LintFinding
from pytest_relevance.reports.text import DIM, DOUBT, Line, folded, line

MOST_OF_A_KIND = 10


def finding_lines(findings: Sequence[LintFinding], *, every: bool = False) -> list[Line]:
    """The warnings by kind: what is the matter and what to do, then where. `every`: all of them."""
    lines: list[Line] = []
    for kind in KINDS:
        of_kind = [finding for finding in findings if finding.kind == kind]
        if not of_kind:
            continue
        lines += [line(text, DOUBT) for text in folded(f"warning: {kind}", indent="  ")]
        shown = of_kind if every or len(of_kind) <= MOST_OF_A_KIND + 1 else of_kind[:MOST_OF_A_KIND]
        for finding in shown:
            lines += [line(text) for text in folded(f"    {_finding_text(finding)}", indent="      ")]
        if more := len(of_kind) - len(shown):
            lines.append(line(f"    ... and {more:,} more (--all shows all)", DIM))
        lines.append(line(""))
    return lines


def _finding_text(finding: LintFinding) -> str:
    """A finding in one line: `shop.relevance.yaml:12: "blue shoes": min_ndcg 0`; in JSON a path replaces the line."""
    place = finding.place
    where = harmless(finding.file) + (f":{place.line}" if place.line else "")
    query = quoted(finding.query, 60) if finding.query is not None else ""
    parts = [where, "" if place.line else harmless(place.path or ""), query, finding.detail]
    return ": ".join(part for part in parts if part)


def total_line(counts: Mapping[str, int], errors: int, warnings: int, *, at_least: bool = False) -> Line:
    """`2 files, 135 cases, 3,668 judgments: 1 error, 12 warnings`; what there is none of is left out.

    `at_least`: there may be more errors, because the check stopped early.
    """
    plurals = {"query": "queries", "listed query left out": "listed queries left out"}
    looked_at = ", ".join(counted(count, what, plurals.get(what, "")) for what, count in counts.items() if count)
    found = (
        counted(number, what) if number else f"no {what}s"
        for number, what in ((errors, "error"), (warnings, "warning"))
    )
    return line(f"{looked_at}: {'at least ' * at_least}{', '.join(found)}")
