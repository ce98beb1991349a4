"""Rankings that change from call to call: of one case, and of all cases of a run."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_relevance._text import counted, harmless
from pytest_relevance.reports.blocks import Block, Sentence
from pytest_relevance.reports.cells import Column, styled_cell
from pytest_relevance.reports.labels import case_label
from pytest_relevance.reports.run.case_counts import NOT_PASSED, case_count
from pytest_relevance.reports.run.variant_labels import short_label, variants_of
from pytest_relevance.reports.styled_lines import DIM, DOUBT
from pytest_relevance.reports.table import Table
from pytest_relevance.reports.terminal_text import cut_middle, titled
from pytest_relevance.results.case_result import CaseResult

MOST_UNSTABLE = 5
"""How many cases are listed by default."""

_LONGEST_NAME = 24  # an id or a title


def unstable_text(result: CaseResult) -> str:
    """Return how a ranking changes from call to call, or "" if it does not."""
    repeats = result.call.repeats
    if repeats is None or repeats.rankings == 1:
        return ""
    different = counted(repeats.rankings, "different ranking")
    calls = counted(repeats.calls, "call")
    return (
        f"the ranking is not stable: {different} in {calls}; first difference at "
        f"{_difference_text(result)}"
    )


def _difference_text(result: CaseResult) -> str:
    """Return the first rank at which calls differ, and both results there.

    Example: `rank 3: a / b`.
    """
    repeats = result.call.repeats
    assert repeats is not None
    ends = []
    for document in repeats.documents:
        if document is None:
            ends.append("nothing")
        else:
            shown = cut_middle(harmless(document), _LONGEST_NAME)
            ends.append(titled(shown, document, result.texts.titles, _LONGEST_NAME))
    return f"rank {repeats.rank}: {' / '.join(ends)}"


# --- of a run -------------------------------------------------------------------------


def stability_remarks(
    results: Sequence[CaseResult], *, full: bool = False
) -> list[Block]:
    """Return how many rankings change from call to call, and a table of these cases.

    If no ranking changes, there is only a sentence. [] if each search was called once.

    `full`: whether all cases are listed; otherwise the first `MOST_UNSTABLE`.
    """
    called = []
    unstable = []
    most_calls = 0
    for result in results:
        repeats = result.call.repeats
        if repeats is None:
            continue
        called.append(result)
        most_calls = max(most_calls, repeats.calls)
        if repeats.rankings > 1:
            unstable.append(result)
    if not called:
        return []
    calls = f"{counted(most_calls, 'call')} each"
    if not unstable:
        cases = counted(case_count(called), "case")
        return [Sentence(f"no ranking changes from call to call: {cases}, {calls}")]
    of_all = f"{counted(case_count(unstable), 'case')} of {case_count(called):,}"
    text = f"ranking changes from call to call: {of_all}, {calls}"
    return [Sentence(text, DOUBT), _table(unstable, called, full=full)]


def _table(
    unstable: Sequence[CaseResult], called: Sequence[CaseResult], *, full: bool
) -> Table:
    """Return the table of cases whose ranking changes.

    The cases that did not pass come first.

    `called`: the cases whose search was called several times.
    `full`: whether all cases are listed, and not only the first ones.
    """
    variants = variants_of(called)
    has_places = len({result.file for result in unstable}) > 1
    columns = [
        Column(max_width=30, cut_to=20, is_code=True),
        Column(),
        Column(cut_to=24, is_code=True),
        Column(gap=3),
    ]
    table = Table(columns, indent=2)
    ordered = sorted(
        unstable,
        key=lambda result: (result.status not in NOT_PASSED, result.file, result.line),
    )
    for result in ordered if full else ordered[:MOST_UNSTABLE]:
        label = short_label(result, variants)
        place = styled_cell(result.place if has_places else "", DIM)
        table.add(case_label(result), label, _difference_text(result), place)
    table.note_more(len(unstable))
    return table
