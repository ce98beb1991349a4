"""Why a case has its verdict, in words: a sentence for each kind of `Outcome`; and what changed since its baseline.

A sentence is for the one who reads the failure: where the document is instead, not only that it is not where it should
be.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from pytest_relevance._near import difference
from pytest_relevance._number_text import number_text
from pytest_relevance._text import (
    case_name,
    digits_apart,
    harmless,
    listed,
    quoted,
    shown,
)
from pytest_relevance.cases.model import METRIC
from pytest_relevance.expectations.kind import expectation_kind
from pytest_relevance.registry import EXPECTATIONS, ExtensionError
from pytest_relevance.reports.styled_lines import BAD, DOUBT, GOOD, PLAIN
from pytest_relevance.reports.terminal_text import cut, cut_middle
from pytest_relevance.results.case_parts import (
    DROP,
    FLOOR,
    STALE_ENTRY,
    TEXT,
    TOO_FEW_JUDGED,
    Outcome,
)
from pytest_relevance.results.case_result import FAILED, CaseResult

if TYPE_CHECKING:
    from pytest_relevance.metrics.settings import Settings


class _Names(NamedTuple):
    """A result, and how its documents are named: by id and title, which is cut to `longest` columns."""

    result: CaseResult
    longest: int

    def document(self, document: str) -> str:
        """`"sku-1" (Watch)`."""
        title = self._title(document)
        return f"{quoted(document)} ({title})" if title else quoted(document)

    def places(self, documents: Sequence[str]) -> str:
        """`"sku-1" (Watch, at rank 3), "sku-2" (not returned)`."""
        return ", ".join(
            f"{quoted(each)} ({self._title(each, ', ')}{self._place(each)})"
            for each in documents
        )

    def _title(self, document: str, end: str = "") -> str:
        title = self.result.texts.titles.get(document)
        return cut_middle(harmless(title), self.longest) + end if title else ""

    def _place(self, document: str) -> str:
        rank = self.result.ranking.rank_of(document)
        if rank is not None:
            return f"at rank {rank}"
        return absence(self.result, document) + _near_result(self.result, document)


def absence(result: CaseResult, document: str | None) -> str:
    """Why a document is not in the ranking, as far as is known: `not returned`, `not in the index`."""
    if document in result.texts.not_in_index:
        return "not in the index"
    return (
        "not returned, not in the catalogue"
        if document in result.texts.not_in_catalogue
        else "not returned"
    )


def _near_result(result: CaseResult, document: str) -> str:
    """Name the result whose id is nearly that of a document that was not returned; empty if there is none."""
    for rank, returned in enumerate(result.ranking.documents, 1):
        how = difference(document, returned)
        if how:
            return f", but rank {rank} differs in {how} only"
    return ""


LONGEST_TITLE = 40
"""The columns that a title takes in a sentence about a reason, where there is no more room."""


def reason_text(
    reason: Outcome, result: CaseResult, longest: int = LONGEST_TITLE
) -> str:
    """A reason of a result in a sentence. Documents have their titles, cut to `longest` columns."""
    text = _sentence(reason, _Names(result, longest))
    if reason.is_worse:
        text += " (missed by more than before)"
    if reason.by_people:
        return text + people_text(result.evaluation.graders)
    return text


def _sentence(reason: Outcome, names: _Names) -> str:
    """Say what is not met. The kinds of expectations have their own words."""
    if reason.kind in _WORDS:
        return _WORDS[reason.kind](reason)
    kind = expectation_kind(METRIC if reason.kind == FLOOR else reason.kind)
    try:
        with EXPECTATIONS.calling(reason.kind):
            return kind.explain(reason, names)
    except ExtensionError as error:
        return f"{reason.name} is not met; {error}"


def people_text(graders: Iterable[str]) -> str:
    """Say that grades of people decide: ` (by the grades of people, without those of model-x)`."""
    others = listed(dict.fromkeys(map(harmless, graders)), "and")
    return f" (by the grades of people, without those of {others})"


def _drop(reason: Outcome) -> str:
    score, before, tolerance = reason.value or 0.0, reason.before or 0.0, reason.bound
    digits = max(digits_apart(before - score, tolerance), digits_apart(score, before))
    now, drop, then, most = (
        f"{value:.{digits}f}" for value in (score, before - score, before, tolerance)
    )
    return f"{reason.name} {now} is {drop} below the baseline {then}, more than the tolerance {most}"


def _too_few_judged(reason: Outcome) -> str:
    judged = f"{reason.value or 0:g} of the top {reason.within} judged"
    return f"inconclusive: {judged}, less than min_judged {reason.bound:g}"


def _stale_entry(reason: Outcome) -> str:
    changes = listed(reason.clauses, "and")
    if reason.name:
        return f"the entry in {reason.name} is stale: {changes}; make that record again"
    return f"the baseline is stale: {changes}; --relevance-update accepts the present ranking"


def _clauses(reason: Outcome) -> str:
    return "".join(reason.clauses)


_WORDS: Mapping[str, Callable[[Outcome], str]] = {
    DROP: _drop,
    TOO_FEW_JUDGED: _too_few_judged,
    STALE_ENTRY: _stale_entry,
    TEXT: _clauses,
}
"""The sentences of demands that are neither floors nor expectations."""


STATUSES = {
    "passed": GOOD,
    **dict.fromkeys(("failed", "error", "not searched"), BAD),
    **dict.fromkeys(("inconclusive", "xfailed", "xpassed", "skipped"), DOUBT),
    "measured": PLAIN,
}
"""The statuses of a case, in the order of a summary, with the style of each."""

_WIDEST_QUERY = 60  # in a heading


def failure_head(result: CaseResult) -> str:
    """`failed before: ` where the baseline says so; else empty, as the reasons say enough."""
    failed_before = (
        result.baseline is not None
        and result.verdict == FAILED
        and result.baseline.failed_before
    )
    return "failed before: " if failed_before else ""


def case_label(result: CaseResult) -> str:
    """A case as reports name it: `q043 "gaming laptop"`, or its query alone where that is its id."""
    return case_name(result.id, result.query)


def case_heading(result: CaseResult) -> str:
    """The heading of a case: see `item_heading`."""
    return item_heading(
        (result.node or result.id).rpartition("::")[2], result.id, result.query
    )


def item_heading(name: str, case: str, query: str) -> str:
    """The heading of an item by its name and the id and the query of its case: `q043 "gaming laptop"[bm25]`.

    The query is left out where it is the id, and for an item that is a test with checks.
    """
    if query == case or not name.startswith(case):
        return harmless(name)
    return f'{harmless(case)} "{cut(harmless(query), _WIDEST_QUERY)}"{harmless(name.removeprefix(case))}'


def search_label(search: str, variant: str | None, params: Mapping[str, object]) -> str:
    """The search of a case as reports name it: `search[bm25](locale=en_GB)`."""
    label = harmless(search) + (f"[{harmless(variant)}]" if variant else "")
    if params:
        given = ", ".join(
            f"{name}={value if isinstance(value, str) else shown(value, 40)}"
            for name, value in params.items()
        )
        label += f"({harmless(given)})"
    return label


def settings_text(settings: "Settings", depth: int | None = None) -> str:
    """The settings that produced the figures, as every report names them; `depth` is what the case file sets."""
    gain, top = settings.gain, settings.max_grade
    named = (
        gain
        if isinstance(gain, str)
        else "{" + ", ".join(f"{g:g}: {v:g}" for g, v in sorted(gain.items())) + "}"
    )
    ideal = (
        f"max ({number_text(top)})"
        if settings.ideal == "max" and top is not None
        else settings.ideal
    )
    others = {
        "discount": (settings.discount, "log2"),
        "negative": (settings.negative, "keep"),
        "collapse": ("true" if settings.collapse else None, None),
        "depth": (depth, None),
    }
    parts = [
        f"{name} {value}"
        for name, (value, default) in others.items()
        if value != default
    ]
    return ", ".join(
        [f"gain {named}", f"ideal {ideal}", f"unjudged {settings.unjudged}", *parts]
    )


def reason_texts(result: CaseResult) -> list[str]:
    """The reasons of a result, a sentence each."""
    return [reason_text(reason, result) for reason in result.evaluation.reasons]


def reason_in_brief(result: CaseResult, *, is_named: bool = False) -> str:
    """Why a case failed, in a few words: `0.764 -> 0.310, floor 0.500`; of an error its first line.

    `is_named`: with the metric also before a change, where a reader has no heading that says it.
    """
    if result.call.error is not None:
        return result.call.error.headline
    return "; ".join(short_reasons(result, is_named=is_named))


def short_reasons(result: CaseResult, *, is_named: bool = False) -> list[str]:
    """The reasons for the short summary of pytest, which cuts its lines: the score is as short as it can be.

    `1.000 -> 0.936, floor 0.950`, `1.000 -> 0.900, tolerance 0.05`, without a baseline `nDCG@10 0.936, floor 0.950`;
    other reasons are whole.
    """
    texts = [
        _score_in_brief(reason, result, is_named)
        if reason.kind in (FLOOR, DROP)
        else reason_text(reason, result)
        for reason in _shown_reasons(result)
    ]
    return [failure_head(result) + texts[0], *texts[1:]] if texts else []


def reason_beside_score(result: CaseResult) -> str:
    """Why a case failed, behind its score: `below its floor 0.500`, `tolerance 0.05`; empty for an error."""
    if result.call.error is not None:
        return ""
    texts = []
    for reason in _shown_reasons(result):
        is_score = reason.kind in (FLOOR, DROP) and reason.value is not None
        change, _, limit = (
            _score_in_brief(reason, result, is_named=False).rpartition(", ")
            if is_score
            else ("", "", "")
        )
        is_short = (
            len(change.rpartition(".")[2]) <= _DIGITS
        )  # else the score beside it has too few digits
        limit = f"below its {limit}" if reason.kind == FLOOR else limit
        texts.append(
            reason_text(reason, result)
            if not is_score
            else limit
            if is_short
            else f"{change}, {limit}"
        )
    return "; ".join(texts)


_DIGITS = 3  # behind the point, of a score in a table


def _score_in_brief(reason: Outcome, result: CaseResult, is_named: bool) -> str:
    """`1.000 -> 0.936, floor 0.950`, of a drop `1.000 -> 0.900, tolerance 0.050`, or `nDCG@10 0.936, floor 0.950`."""
    score, before, is_drop = reason.value, _before(reason, result), reason.kind == DROP
    if score is None:
        return reason_text(reason, result)
    digits = 3 if is_drop else digits_apart(score, reason.bound)
    if before is not None and any(
        each.kind == DROP for each in result.evaluation.reasons
    ):
        digits = max(digits, digits_apart(score, before))
    now, then = f"{score:.{digits}f}", "" if before is None else f"{before:.{digits}f}"
    change = f"{then} -> {now}" if then not in ("", now) else now
    if is_named or change == now:
        change = f"{reason.name} {change}"
    if reason.by_people:
        change += " by the grades of people"
    limit = (
        f"tolerance {reason.bound:.3g}"
        if is_drop
        else f"floor {reason.bound:.{digits}f}"
    )
    return f"{change}, {limit}"


def _shown_reasons(result: CaseResult) -> list[Outcome]:
    """The reasons; without the drop if the score is below its floor too, whose reason names the baseline."""
    has_floor = any(reason.kind == FLOOR for reason in result.evaluation.reasons)
    return [
        reason
        for reason in result.evaluation.reasons
        if not (has_floor and reason.kind == DROP)
    ]


def with_figures(result: CaseResult, longest: int) -> list[str]:
    """The reasons, a sentence each, with the baseline: `... is below 0.500   (baseline 0.764, down 0.452)`."""
    return [
        reason_text(reason, result, longest)
        + (
            change_text(reason.value, _before(reason, result))
            if reason.kind in _WITH_BASELINE
            else ""
        )
        for reason in _shown_reasons(result)
    ]


_WITH_BASELINE = (FLOOR, METRIC)


def _before(reason: Outcome, result: CaseResult) -> float | None:
    """The figure of the accepted ranking."""
    if reason.kind == FLOOR and result.baseline is not None:
        return result.baseline.score
    return reason.before


def change_text(score: float | None, before: float | None) -> str:
    """`   (baseline 0.764, down 0.452)`; empty where either score is not defined."""
    if score is None or before is None:
        return ""
    change = score - before
    if not change:
        return f"   (baseline {before:.3f})"
    digits = digits_apart(score, before)
    return f"   (baseline {before:.{digits}f}, {'down' if change < 0 else 'up'} {abs(change):.{digits}f})"
