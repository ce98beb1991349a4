"""The HTML page of a comparison of two runs: that of the second run beside the first."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_relevance._text import counted
from pytest_relevance.reports.comparison import Comparison, comparison_headline, mean_change_sentences, notable_change
from pytest_relevance.reports.html.first_screen import ARROW, Finding, Screen, emptied
from pytest_relevance.reports.html.page import html_page
from pytest_relevance.reports.reasons import settings_text
from pytest_relevance.reports.run.gates import finding_text
from pytest_relevance.results.case_parts import IMPROVEMENT, REGRESSION
from pytest_relevance.results.case_result import FAILED, PASSED, CaseResult
from pytest_relevance.results.gates import ComparisonGates
from pytest_relevance.results.records.run import Run
from pytest_relevance.results.records.run_info import changes_text


def comparison_page(comparison: Comparison, gates: ComparisonGates | None = None, *, images: bool = False) -> str:
    """The page, as text to be written in UTF-8; `gates` are what `Comparison.judge` returns, `images`: as of a run."""
    gates = comparison.judge() if gates is None else gates
    run = Run([*_judged(comparison)], comparison.files, name=f"{comparison.first} {ARROW} {comparison.second}")
    fallen = {result.key for result in comparison.moved(-1)}
    behind = [result for result in run.results if result.key in fallen]
    found = [*emptied(run.results)]
    for gate in gates.findings:
        outcome = PASSED if gate.is_met else FAILED
        found.append(Finding(finding_text(gate), () if gate.is_met else behind, outcome))
    is_other = any(comparison.metric not in (None, result.metric.text) for result in run.results)
    metric = [f"compared by {comparison.metric}"] if is_other else []
    counts = f"{counted(len(comparison), 'case')} compared, {comparison.changed_rankings:,} with another ranking"
    searched = changes_text(comparison.fingerprint)
    context = [run.name, counts, *metric, *filter(None, [searched]), *map(settings_text, comparison.settings)]
    means = [sentence.text for sentence in mean_change_sentences(comparison, is_whole=True)]
    statuses = {result.key: result.status for result in comparison.results}
    screen = Screen(comparison_headline(comparison, gates), means, comparison.notes, context, found, statuses)
    return html_page(run, screen, images=images)


def _judged(comparison: Comparison) -> Iterator[CaseResult]:
    """The results; a case that the sentence counts as worse or as better is shown as one that got worse or better."""
    least = notable_change(comparison)
    worse, better = ({result.key for result in comparison.moved(sign, least)} for sign in (-1, 1))
    for result in comparison.results:
        baseline = result.baseline
        assert baseline is not None
        if result.key in worse:
            baseline = baseline._replace(standing=REGRESSION)
            yield result._replace(verdict=FAILED, call=result.call._replace(outcome=FAILED), baseline=baseline)
        elif result.key in better:
            yield result._replace(baseline=baseline._replace(standing=IMPROVEMENT))
        else:
            yield result
