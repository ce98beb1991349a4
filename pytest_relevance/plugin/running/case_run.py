"""`CaseRun`: the state of a case on its pytest item, from collection until its report is made."""

from __future__ import annotations

import os
from collections.abc import Sequence
from types import FunctionType
from typing import TYPE_CHECKING

import pytest

from pytest_relevance.cases.model import Case
from pytest_relevance.results.case_result import CHECK, ERROR, CaseResult, Repeats, SearchError
from pytest_relevance.results.scoring import unscored

if TYPE_CHECKING:
    from pytest_relevance.results.baseline.comparison import Baseline


class CaseRun:
    """The run of a case in one variant, or of a check of a test in Python, with its result.

    `file` is the name of the case file in reports, `path` the name in pytest's own lines. `function` is the test
    function of the case, None for a check. `items` are the names of its items in this variant, if they do not follow
    from id and variant. `baseline` is that of its file; `tolerance` is how far the score may drop below the baseline.

    Set during the run: `response` is the response of a search that was called ahead of the test function, with the time
    of the call; `asked` is the number of results requested; `calls` is the number of calls of the search; `result` is
    the result, `error` the exception that ended the run; `fails_baseline` is true where the baseline is a reason of the
    verdict; `repeats` compares the responses of repeated calls; `properties` are the JUnit properties on the item.
    """

    __slots__ = (
        *("baseline", "case", "file", "function", "item", "items", "path", "tolerance", "variant"),
        *("asked", "calls", "error", "fails_baseline", "properties", "repeats", "response", "result"),
    )

    def __init__(
        self,
        case: Case,
        item: pytest.Item,
        file: str,
        path: str,
        *,
        function: FunctionType | None = None,
        variant: str | None = None,
        tolerance: float = 0.0,
        baseline: Baseline | None = None,
        items: Sequence[str] = (),
    ) -> None:
        self.case = case
        self.item = item
        self.file = file.replace(os.sep, "/")
        self.path = path
        self.function = function
        self.variant = variant
        self.tolerance = tolerance
        self.baseline = baseline
        self.items = items
        self.properties: Sequence[tuple[str, object]] = ()
        self.response: tuple[object, float] | None = None
        self.reset()

    def reset(self) -> None:
        """Clear the result and the other data of the run, after its report or before the next attempt."""
        self.result: CaseResult | None = None
        self.error: BaseException | None = None
        self.fails_baseline = False
        self.asked: int | None = None
        self.calls = 0
        self.repeats: Repeats | None = None

    @property
    def is_check(self) -> bool:
        """Whether this is a check of a test in Python."""
        return self.function is None

    @property
    def has_ended(self) -> bool:
        """Whether the run has a result, or is a check with an error, which its test may have caught.

        An item that passes without a result was run by another plugin in some other way.
        """
        return self.result is not None or (self.is_check and self.error is not None)

    @property
    def has_begun(self) -> bool:
        """Whether the run has started before: a plugin may call an item several times before it makes a report."""
        return bool(self.calls or self.result is not None or self.error is not None)

    @property
    def place(self) -> tuple[str, int]:
        """The file and the line of the case, for pytest's own lines about a test."""
        return self.case.source or self.path, self.case.line

    def complete(self, result: CaseResult) -> CaseResult:
        """Fill in the fields of a result that come from the run: file, variant, node id, items, tolerance, repeats."""
        result.file = self.file
        result.node = self.item.nodeid.rpartition("@")[0] if "@" in self.item.name else self.item.nodeid
        result.variant = self.variant
        result.items = tuple(self.items)
        result.tolerance = self.tolerance
        result.repeats = self.repeats
        if self.is_check:
            result.search = CHECK
        return result

    def result_of_error(self, error: SearchError | None, verdict: str = ERROR) -> CaseResult:
        """Return the result of a case without a score."""
        result = self.complete(unscored(self.case, verdict))
        result.error = error
        return result


CASE_RUN = pytest.StashKey[CaseRun]()
"""The case run of an item of a case file."""

CHECKS = pytest.StashKey[list[CaseRun]]()
"""The checks of a test in Python, in its current attempt."""

RAISED = pytest.StashKey[list[BaseException]]()
"""The exceptions of the checks of a test in Python, in all threads."""

IN_CALL = pytest.StashKey[bool]()
"""True during the call phase of an item; a report made in that phase is the report of a subtest."""


def case_runs_of(item: pytest.Item) -> Sequence[CaseRun]:
    """Return the case run of an item of a case file, or the checks in the latest attempt of a test in Python."""
    run = item.stash.get(CASE_RUN, None)
    if run is not None:
        return (run,)
    return item.stash.get(CHECKS, [])
