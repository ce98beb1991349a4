"""The headline of a run: one sentence with its outcome.

A page, Markdown, the terminal and JSON begin with it. `comparison_report.py` makes the
headline of a comparison with `balance` too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_relevance._number_text import SIGNIFICANT
from pytest_relevance._text import counted, harmless, listed
from pytest_relevance.reports.run.build import build_fails
from pytest_relevance.reports.run.case_counts import (
    case_count,
    counted_cases,
    unmet_gates,
)
from pytest_relevance.reports.run.certainty_text import how_sure
from pytest_relevance.reports.run.changed_test import changed_test
from pytest_relevance.reports.run.changed_test_text import changed_in_words
from pytest_relevance.reports.run.errors import unfinished_parts
from pytest_relevance.reports.run.replayed import no_search_text
from pytest_relevance.reports.run.run_findings import FAILS, briefs
from pytest_relevance.reports.run.uncompared_text import uncompared_in_words
from pytest_relevance.reports.styled_lines import BAD, DOUBT, GOOD
from pytest_relevance.reports.terminal_text import cut
from pytest_relevance.results import diagnoses
from pytest_relevance.results.became import IN_DOUBT
from pytest_relevance.results.case_parts import EMPTY, SETUP, SearchError
from pytest_relevance.results.case_result import (
    MEASURED,
    NOT_SEARCHED,
    PASSED,
    SKIPPED,
    CaseResult,
    grouped,
    has_failed,
)
from pytest_relevance.results.change_counts import ChangeCounts, count_results
from pytest_relevance.results.compare.differences import mean_change
from pytest_relevance.results.failures import (
    ENDED_IN_ERROR,
    FAILED_BEFORE,
    failed_before,
    failure_kind,
)
from pytest_relevance.results.records.run_info import FileInfo, Replayed, RunInfo

if TYPE_CHECKING:
    from pytest_relevance.gates.judging import GateResult
    from pytest_relevance.results.compare.differences import MeanChange

_LONGEST_ERROR = 120
"""The most columns of an exception's message in a headline."""

_LONGEST_WITH_TEST = 160
"""The most characters of a headline with changed demands, if anything got worse."""

_MORE_THAN_ALLOWED = "changed by more than allowed"

WORSE, BETTER, MIXED = "worse", "better", "mixed"
BROKEN, FINE, NOTHING = "broken", "fine", "nothing"
"""The kinds of headlines.

- WORSE, BETTER: the search got worse, or better, than its baseline.
- MIXED: some queries got worse and others better, or cases are lost or not compared.
- BROKEN: something failed or did not run, and no baseline says that it got worse.
- FINE: nothing failed.
- NOTHING: nothing ran.
"""

FAILS_BUILD, WARNS, PASSES = "fails", "warns", "passes"
"""What the icon and the colour of a headline mean.

- FAILS_BUILD: the build fails, or the command ends with exit code 1.
- WARNS: the build passes, but queries got worse, the demands are looser, or a part of
  the cases did not run.
- PASSES: the build passes, and nothing got worse.
"""

_MARKS = {FAILS_BUILD: "\u274c", WARNS: "\u26a0\ufe0f", PASSES: "\u2705"}
_STYLES = {FAILS_BUILD: BAD, WARNS: DOUBT, PASSES: GOOD}


@dataclass(frozen=True, slots=True)
class Headline:
    """A sentence without a full stop, and its kind: `WORSE`, `MIXED` ...

    `told`: the counts that the sentence has, by their names in `ChangeCounts`.
    `fails`: whether the build fails, for whatever reason.
    `is_outage`: whether no search worked: all failed, or returned nothing.
    """

    text: str
    kind: str
    told: frozenset[str] = frozenset()
    fails: bool = False
    is_outage: bool = False

    @property
    def verdict(self) -> str:
        """What the icon and the colour mean: `FAILS_BUILD`, `WARNS` or `PASSES`."""
        if self.fails:
            return FAILS_BUILD
        return PASSES if self.is_good_news else WARNS

    @property
    def is_good_news(self) -> bool:
        """Whether nothing failed or got worse: the kind is `FINE` or `BETTER`."""
        return self.kind in (FINE, BETTER)

    def as_no_good_news(self, text: str) -> Headline:
        """Return a headline with this text that is no good news.

        The kinds `FINE` and `BETTER` become `MIXED`. Other kinds stay.
        """
        kind = MIXED if self.is_good_news else self.kind
        return replace(self, text=text, kind=kind)

    @property
    def mark(self) -> str:
        """The icon before the sentence."""
        return _MARKS[self.verdict]

    @property
    def style(self) -> str:
        """The style of the sentence in a terminal."""
        return _STYLES[self.verdict]


_TOLD_IF_WORSE = frozenset({"got_worse", "certain", "open"})
_TOLD_IF_BETTER = frozenset({"got_better"})


def balance(counts: ChangeCounts, mean: int) -> Headline:
    """Return a headline about the queries that got worse or better.

    Queries that changed by more than allowed come last, or first if none got worse. If
    no query got worse, the headline also counts the inconclusive queries, because these
    may have got worse.

    `mean`: -1 if the mean fell significantly, 1 if it rose significantly, else 0.
    """
    said = _worse_or_better(counts, mean)
    if said.kind in (WORSE, MIXED):
        if not counts.changed:
            return said
        text = f"{said.text}; {counts.changed:,} {_MORE_THAN_ALLOWED}"
        return replace(said, text=text, told=said.told | {"changed"})
    parts = []
    told = set(said.told)
    if counts.changed:
        queries = counted(counts.changed, "query", "queries")
        parts.append(f"{queries} {_MORE_THAN_ALLOWED}")
        told.add("changed")
    if counts.inconclusive:
        parts.append(_inconclusive_text(counts.inconclusive))
        told.add("inconclusive")
    if not parts:
        return said
    if said.kind == BETTER:
        parts.append(f"{said.text[0].lower()}{said.text[1:]}")
    kind = BROKEN if counts.changed else MIXED
    return Headline("; ".join(parts), kind, frozenset(told))


def _inconclusive_text(count: int) -> str:
    """Return how many queries fell and have too few judged results."""
    if count == 1:
        return "1 query is inconclusive and may have got worse"
    return f"{count:,} queries are inconclusive and may have got worse"


def _worse_or_better(counts: ChangeCounts, mean: int) -> Headline:
    """Return the headline by how many queries got worse and better. See `balance`."""
    worse, better = counts.got_worse, counts.got_better
    if worse and (mean < 0 or not better):
        text = f"Search got worse: {_of_all(worse, counts)}{how_sure(counts)}"
        return Headline(text, WORSE, _TOLD_IF_WORSE)
    if worse:
        rest = "the change of the mean may be chance"
        if mean:
            rest = "the mean rose significantly"
        queries = _of_all(worse, counts)
        text = f"{queries} got worse{how_sure(counts)}, {better:,} better; {rest}"
        return Headline(text, MIXED, _TOLD_IF_WORSE | _TOLD_IF_BETTER)
    if mean < 0:
        text = "Search got worse: the mean fell significantly, no query by more than the tolerance"
        return Headline(text, WORSE)
    if better:
        text = f"Search got better: {_of_all(better, counts)}"
        return Headline(text, BETTER, _TOLD_IF_BETTER)
    if mean > 0:
        return Headline("Search got better: the mean rose significantly", BETTER)
    return Headline("No query got worse", FINE)


def _of_all(count: int, counts: ChangeCounts) -> str:
    """Return, for example, `44 of 135 queries`, or `1 query` if it is the only one."""
    if counts.compared == 1:
        return "1 query"
    return f"{count:,} of {counts.compared:,} queries"


def headline(
    results: Sequence[CaseResult],
    gates: Sequence[GateResult],
    info: RunInfo,
    change: MeanChange | None = None,
    *,
    files: Mapping[str, FileInfo] = EMPTY,
) -> Headline:
    """Return the outcome of a run in one sentence.

    The headline is no good news if the demands are looser than before, if cases are
    lost, missing or not compared, if only a part of the cases ran (`-k`) and the run
    has a reference, if the run fails for a reason that is not a case, or if no search
    was called (`pytest-relevance replay`).

    `change`: what `mean_change` returned for the results that ran; None if it was not
        called.
    """
    said = _outcome(_run_of(results, gates, info, change))
    said = _with_what_is_missing(said, results, info, files)
    said = replace(said, fails=build_fails(results, gates, info))
    return said if info.replayed is None else of_replay(said, info.replayed)


def of_replay(said: Headline, replayed: Replayed, run: str = "") -> Headline:
    """Return a headline that begins with the record that was replayed.

    It is never good news: a replay says nothing of a change to the ranking.

    `run`: the name of the replay, if it is one of two runs.
    """
    text = f"{no_search_text(replayed, run)}; {said.text[0].lower()}{said.text[1:]}"
    return said.as_no_good_news(text)


def _with_what_is_missing(
    said: Headline,
    results: Sequence[CaseResult],
    info: RunInfo,
    files: Mapping[str, FileInfo],
) -> Headline:
    """Return a headline that also says how the demands changed and what did not run.

    - Good news goes on with everything that is missing, and is no good news then.
    - If nothing ran, the headline goes on with the changed demands.
    - Bad news goes on with the changed demands if both are short.
    """
    of_test = changed_in_words(changed_test(results, files, info))
    if not said.is_good_news and said.kind != NOTHING:
        if of_test and len(said.text) + len(of_test) <= _LONGEST_WITH_TEST:
            return replace(said, text=f"{said.text}; {of_test}")
        return said
    missing = [of_test] if of_test else []
    if said.is_good_news:
        if info.is_part and any(result.baseline is not None for result in results):
            missing.append("a part of the cases did not run")
        missing += [*uncompared_in_words(results, files, info), *briefs(info.findings)]
    text = "; ".join([said.text, *missing])
    if info.reasons_to_fail:
        return replace(said, text=f"{text}, {FAILS}", kind=BROKEN)
    return replace(said, text=text, kind=MIXED) if missing else said


@dataclass(frozen=True, slots=True)
class _Run:
    """The facts on which the headline of a run depends.

    `ran`: the results without the skipped ones.
    `failed`: the results that fail, by the kind of failure.
    `counts`: how many queries got worse, got better, or neither.
    `change`: the change of the mean since the baseline; None without a comparison.
    `unfinished`: what kept the run from finishing; empty if it did.
    """

    ran: Sequence[CaseResult]
    failed: Mapping[str, Sequence[CaseResult]]
    counts: ChangeCounts
    gates: Iterable[GateResult]
    info: RunInfo
    change: MeanChange | None
    unfinished: str

    def unscored_text(self) -> str:
        """Return how many cases ended in an error, or "" if none did."""
        broken = case_count(self.failed.get(ENDED_IN_ERROR, ()))
        return f"{counted(broken, 'case')} could not be scored" if broken else ""

    def balance(self) -> Headline:
        """Return the headline by how many queries got worse and better."""
        return balance(self.counts, mean_direction(self.change))

    def balance_and_known(self) -> Headline:
        """Return `balance` with how many cases failed before."""
        said = self.balance()
        return replace(said, text=said.text + _failed_before_text(self.ran))


def _run_of(
    results: Iterable[CaseResult],
    gates: Iterable[GateResult],
    info: RunInfo,
    change: MeanChange | None,
) -> _Run:
    """Return the facts on which the headline of a run depends."""
    ran = [result for result in results if result.status != SKIPPED]
    return _Run(
        ran=ran,
        failed=grouped([each for each in ran if has_failed(each)], failure_kind),
        counts=count_results(ran),
        gates=gates,
        info=info,
        change=mean_change(ran) if change is None else change,
        unfinished="; ".join(unfinished_parts(info)),
    )


def _outcome(run: _Run) -> Headline:
    """Return the headline by what ran, changed and failed: the first that holds.

    1. Nothing was searched.
    2. No search worked: all failed, or returned nothing.
    3. Queries got worse, or changed by more than allowed.
    4. The run did not finish.
    5. Cases fail, and not all of them failed before.
    6. All cases that fail failed before.
    7. Gates are not met.
    8. Nothing fails.
    """
    # a skipped case may have another status if it was expected to fail
    if all(result.verdict == SKIPPED for result in run.ran):
        return _nothing_searched(run)
    outage = _all_failed_text(run.ran) or _nothing_returned_text(run.ran)
    if outage:
        return Headline(outage, BROKEN, is_outage=True)
    if run.counts.got_worse or run.counts.changed:
        return _got_worse_or_changed(run)
    if run.unfinished:
        return Headline(f"The run did not finish: {run.unfinished}", BROKEN)
    if run.failed and list(run.failed) != [FAILED_BEFORE]:
        text = run.unscored_text() or _failures_text(run.failed, run.ran)
        return Headline(text, BROKEN)
    return _without_new_failure(run)


def _nothing_searched(run: _Run) -> Headline:
    said = "Nothing was searched"
    if run.unfinished:
        said += f": {run.unfinished}"
    return Headline(said, BROKEN if run.info.uncollected else NOTHING)


def _got_worse_or_changed(run: _Run) -> Headline:
    """Return how many queries got worse or changed, and what did not work."""
    said = run.balance()
    parts = [said.text, run.unscored_text(), run.unfinished]
    return replace(said, text="; ".join(part for part in parts if part))


def _without_new_failure(run: _Run) -> Headline:
    """Return the headline of a run whose failing cases all failed before, if any."""
    if run.failed:
        return replace(run.balance_and_known(), kind=BROKEN)
    unmet = unmet_gates(run.gates)
    if unmet:
        return Headline(unmet, BROKEN)
    if run.change is None:
        return Headline(_without_failure_text(run.ran), FINE)
    return run.balance_and_known()


def mean_direction(change: MeanChange | None) -> int:
    """Return -1 if the mean fell significantly, 1 if it rose significantly, else 0."""
    if change is None or not change.p <= SIGNIFICANT:
        return 0
    return 1 if change.means.difference > 0 else -1


def _failed_before_text(ran: Iterable[CaseResult]) -> str:
    """Return, for example, `; 9 failed before`, or "" if no case failed before."""
    count = case_count(result for result in ran if failed_before(result))
    return f"; {count:,} failed before" if count else ""


def _all_failed_text(ran: Sequence[CaseResult]) -> str:
    """Return that all searches, or their fixtures, failed; "" if one did not.

    If only one search was called, the text is "".
    """
    called = [result for result in ran if result.status != NOT_SEARCHED]
    errors = []
    for result in called:
        if result.call.error is not None and result.call.error.type:
            errors.append(result.call.error)
    if len(errors) < 2 or len(errors) < len(called):
        return ""
    left = len(ran) - len(called)
    rest = f", {counted(left, 'case')} not searched" if left else ""
    if all(error.phase == SETUP for error in errors):
        return f"{_fixtures_failed(called, errors[0])}{rest}"
    types = [error.type for error in errors]
    alike = types.count(types[0])
    calls = counted(len(called), "call")
    return f"Search was down: {types[0]} in {alike:,} of {calls}{rest}"


def _nothing_returned_text(ran: Sequence[CaseResult]) -> str:
    """Return, for example, `Search returned nothing for 4 of 9 queries`, or "".

    A search counts only if it returned nothing in any of its cases.
    """
    # nearly every run needs no diagnoses
    if all(result.ranking.returned or result.status == NOT_SEARCHED for result in ran):
        return ""
    empty: list[CaseResult] = []
    for diagnosis in diagnoses.diagnose(ran):
        if diagnosis.kind == diagnoses.NOTHING:
            empty += diagnosis.results
    if not empty:
        return ""
    queries = counted(case_count(ran), "query", "queries")
    return f"Search returned nothing for {case_count(empty):,} of {queries}"


def _fixtures_failed(called: Sequence[CaseResult], error: SearchError) -> str:
    """Return that no search was called, because the fixtures of all searches raised."""
    searches = [*dict.fromkeys(result.search for result in called)]
    fixtures = "fixture" if len(searches) == 1 else "fixtures"
    message = cut(harmless(error.headline), _LONGEST_ERROR)
    return f"The {fixtures} {listed(searches, 'and')} failed: {message}"


def _failures_text(
    failed: Mapping[str, Sequence[CaseResult]], ran: Sequence[CaseResult]
) -> str:
    """Return, for example, `9 of 135 cases fail`.

    `failed`: the results by the kind of failure.
    """
    failing: list[CaseResult] = []
    for results in failed.values():
        failing += results
    count = case_count(failing)
    of_all = f"{count:,} of {counted_cases(ran)}"
    fail, are = ("fails", "is") if count == 1 else ("fail", "are")
    if IN_DOUBT in failed:
        return f"{of_all} {fail} or {are} inconclusive"
    return f"{of_all} {fail}"


def _without_failure_text(ran: Sequence[CaseResult]) -> str:
    """Return how many cases pass and how many are only measured. None of them fails."""
    by_status = grouped(ran, lambda result: result.status)
    if by_status.keys() - {PASSED, MEASURED}:
        return "No case fails"
    passed = case_count(by_status.get(PASSED, ()))
    measured = case_count(by_status.get(MEASURED, ()))
    if not passed:
        are, them = ("is", "it") if measured == 1 else ("are", "them")
        cases = counted(measured, "case")
        return f"{cases} {are} measured: nothing is expected of {them}"
    which = counted_cases(by_status[PASSED])
    if measured:
        has_floors = all(
            each.conditions.floor is not None for each in by_status[PASSED]
        )
        which += " with a floor" if has_floors else " with a floor or an expectation"
    text = f"All {which} pass" if passed > 1 else f"{which} passes"
    if not measured:
        return text
    are = "is" if measured == 1 else "are"
    return f"{text}; {measured:,} {are} only measured"
