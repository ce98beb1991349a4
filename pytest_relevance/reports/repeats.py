"""What is said of a case whose ranking changes from call to call."""

from __future__ import annotations

from pytest_relevance._text import counted, harmless
from pytest_relevance.reports.terminal_text import cut_middle, titled
from pytest_relevance.results.case_result import CaseResult

_LONGEST_ID = 24


def unstable_text(result: CaseResult) -> str:
    """Say how a ranking changes from call to call; nothing if it does not change."""
    repeats = result.call.repeats
    if repeats is None or repeats.rankings == 1:
        return ""
    different = counted(repeats.rankings, "different ranking")
    calls = counted(repeats.calls, "call")
    return (
        f"the ranking is not stable: {different} in {calls}; first difference at "
        f"{difference_text(result)}"
    )


def difference_text(result: CaseResult, longest: int = _LONGEST_ID) -> str:
    """`rank 3: a / b`: the first rank at which calls differ, and what they have there.

    Ids, and titles, are cut to `longest` columns.
    """
    repeats = result.call.repeats
    assert repeats is not None
    ends = []
    for document in repeats.documents:
        if document is None:
            ends.append("nothing")
        else:
            shown = cut_middle(harmless(document), longest)
            ends.append(titled(shown, document, result.texts.titles, longest))
    return f"rank {repeats.rank}: {' / '.join(ends)}"
