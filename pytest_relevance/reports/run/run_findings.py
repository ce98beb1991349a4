"""What a run says about itself, for every report: why it fails although no case does,
and what is missing.

Terminal, Markdown, page, annotations and JSON show the same sentences: those of
`RunInfo.findings`.
"""

from __future__ import annotations

from collections.abc import Sequence

from pytest_relevance._text import harmless
from pytest_relevance.reports.markdown_text import code_span
from pytest_relevance.reports.styled_lines import BAD, Line, folded_lines
from pytest_relevance.reports.terminal_text import WIDEST, cut
from pytest_relevance.results.records.run_info import RunFinding, RunInfo

_LONGEST = 1000

FAILS = "so the run fails"
"""What a headline says last if the run fails for a reason that is not a case."""


def reason_texts(info: RunInfo) -> list[str]:
    """Say why the run fails other than for a case, a gate or an error."""
    return [finding.text for finding in info.findings if finding.fails]


def remark_texts(info: RunInfo) -> list[str]:
    """Say what is missing from the run, and does not fail it."""
    return [finding.text for finding in info.findings if not finding.fails]


def briefs(findings: Sequence[RunFinding]) -> list[str]:
    """Return the findings in a few words, for a headline."""
    return [finding.brief for finding in findings if finding.brief]


def says(info: RunInfo, sentence: str) -> bool:
    """Whether a finding begins with a sentence, so that a report need not say it
    again.
    """
    return any(finding.text.startswith(sentence) for finding in info.findings)


def finding_lines(info: RunInfo, *, width: int = WIDEST) -> list[Line]:
    """Write the findings for a terminal. The reasons to fail come last, near the
    verdict.
    """
    lines: list[Line] = []
    for text in [*remark_texts(info), *reason_texts(info)]:
        lines += folded_lines(text, BAD, width)
    return lines


def in_markdown(text: str) -> str:
    """Put a finding in a code span, so that nothing in it is a link or a mention."""
    return code_span(cut(harmless(text), _LONGEST))
