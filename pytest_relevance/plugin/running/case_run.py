"""`CaseRun`: a case as an item carries it, while it runs and until its report is made."""

from __future__ import annotations

import os
from collections.abc import Sequence
from types import FunctionType
from typing import TYPE_CHECKING

import pytest

from pytest_relevance.cases.model import Case
from pytest_relevance.results.case_result import CHECK, ERROR, CaseResult, Repeats, SearchError

if TYPE_CHECKING:
    from pytest_relevance.results.baseline.comparison import Baseline


class CaseRun:
    """A case that runs in one variant, or a check of a test in Python, and what came of it.

    `file` is the case file as reports name it, `path` the file that pytest's own lines name. `function` stands for the
    case among pytest's items, None for a check. `items` are the names of its items in this variant, where they are not
    what id and variant say. `baseline` is that of its file. `tolerance` is how far its score may drop below it.

    While it runs: `response` is what the search returned and when it was called, where that was done ahead of the
    function that shall score it; `asked` how many results the search was asked for; `calls` how often it was called;
    `result` what it came to, `error` the exception that it ended in; `fails_baseline` is set where the baseline gave
    the verdict or one of its reasons; `repeats` is what several calls returned.
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
        """Forget what came of it: it was reported, or it runs again."""
        self.result: CaseResult | None = None
        self.error: BaseException | None = None
        self.fails_baseline = False
        self.asked: int | None = None
        self.calls = 0
        self.repeats: Repeats | None = None

    @property
    def is_check(self) -> bool:
        """Whether a test in Python gave the ranking."""
        return self.function is None

    @property
    def has_ended(self) -> bool:
        """Whether it came to a score, or a check to an error, which its test may have caught.

        An item that passes without a score is another plugin's work.
        """
        return self.result is not None or (self.is_check and self.error is not None)

    @property
    def has_begun(self) -> bool:
        """Whether it ran before: a plugin may call an item several times before it makes a report."""
        return bool(self.calls or self.result is not None or self.error is not None)

    @property
    def place(self) -> tuple[str, int]:
        """The file and the line of the case, as pytest's own lines of a test name them."""
        return self.case.source or self.path, self.case.line

    def complete(self, result: CaseResult) -> CaseResult:
        """Add to a result what only its run knows: file, variant, node id, tolerance, repeats."""
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
        """The result of a case that came to no score."""
        case = self.case
        return self.complete(
            CaseResult(
                file=self.file,
                line=case.line,
                id=case.id,
                verdict=verdict,
                query=case.query,
                search=case.search,
                tags=case.tags,
                weight=case.weight,
                params=case.params,
                note=case.note or "",
                source=case.source,
                k=case.k,
                depth=case.depth,
                floor=case.min_ndcg,
                settings=case.settings,
                error=error,
            )
        )


CASE_RUN = pytest.StashKey[CaseRun]()
"""The case that an item of a case file is."""

CHECKS = pytest.StashKey[list[CaseRun]]()
"""The rankings that a test in Python had checked, in its present attempt."""

RAISED = pytest.StashKey[list[BaseException]]()
"""The exceptions of the checks of a test in Python, in whatever thread."""

IN_CALL = pytest.StashKey[bool]()
"""Set while the call phase of an item goes on: a report that is made then is that of a subtest."""


def case_runs_of(item: pytest.Item) -> Sequence[CaseRun]:
    """The case that an item is, or the checks of the latest attempt of a test in Python."""
    run = item.stash.get(CASE_RUN, None)
    if run is not None:
        return (run,)
    return item.stash.get(CHECKS, [])
