"""Why a case has its verdict, in words: a sentence for each kind of `Outcome`; and what changed since its baseline.

A sentence is for the one who reads the failure: where the document is instead, not only that it is not where it should
be.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from pytest_relevance._near import difference
from pytest_relevance._text import (
    case_name,
    digits_apart,
    first_few,
    harmless,
    listed,
    quoted,
    shown,
    time_text,
)
from pytest_relevance.cases.expectations.documents import AT_MOST, BELOW, EXACTLY
from pytest_relevance.cases.model import SIMILARITY, FieldCondition
from pytest_relevance.metrics.measures import ranks_needed
from pytest_relevance.metrics.names import metric_named
from pytest_relevance.reports.near_values import NearValue, counted_ranks, near_values
from pytest_relevance.reports.number_text import duration_text_beside, number_text
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


_OPPOSITE = {
    ">=": "below",
    ">": "not above",
    "<=": "above",
    "<": "not below",
    "==": "not",
}
_NOT_WITHIN = {
    AT_MOST: "is not in the top {}",
    BELOW: "is in the top {}",
    EXACTLY: "is not at rank {}",
}
_MOST_PAIRS = 5  # of documents in the wrong order
_MOST_RESULTS = 10  # whose fields are shown


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
    text = _WORDS.get(reason.kind, _unknown)(reason, _Names(result, longest))
    if reason.is_worse:
        text += " (missed by more than before)"
    if reason.by_people:
        return text + people_text(result.evaluation.graders)
    if result.evaluation.people_scores:
        from pytest_relevance.results.filled import is_by_fill

        text += alone_text(result.evaluation.graders) * is_by_fill(reason, result)
    return text


def alone_text(graders: Iterable[str]) -> str:
    """Say whose grades alone decide, where filled grades do: ` (by the grades of model-x/prompt-3 alone)`."""
    return f" (by the grades of {listed(dict.fromkeys(map(harmless, graders)), 'and')} alone)"


def people_text(graders: Iterable[str]) -> str:
    """Say that grades of people decide: ` (by the grades of people, without those of model-x)`."""
    others = listed(dict.fromkeys(map(harmless, graders)), "and")
    return f" (by the grades of people, without those of {others})"


def below(name: str, value: float | None, comparison: str, bound: float) -> str:
    """`P@5 0.400 is below 0.600`, with enough digits to show the two as different."""
    if value is None:
        return f"{name} is not defined"
    digits = digits_apart(value, bound)
    return f"{name} {value:.{digits}f} is {_OPPOSITE[comparison]} {bound:.{digits}f}"


def _metric(reason: Outcome, names: _Names) -> str:
    metric, result = metric_named(reason.name), names.result
    # RR needs no value to be below its bound: it is, where no relevant document is among the ranks that reach the bound
    if reason.value is None and result.is_cut and metric.k is None:
        asked = result.conditions.asked or len(result.ranking.documents)
        there = f"no relevant document in the {asked} results that were asked for"
        return (
            f"{reason.name} is {_OPPOSITE[reason.comparison]} {reason.bound:g}: {there}"
        )
    is_whole = (
        result.conditions.is_depth_set
        and ranks_needed(metric, result.conditions.settings) is None
    )
    name = (
        f"{reason.name} (depth {result.conditions.depth})" if is_whole else reason.name
    )
    return below(name, reason.value, reason.comparison, reason.bound)


def _similarity(reason: Outcome, names: _Names) -> str:
    """`overlap@10 0.300 is below 0.500`; where a ranking is empty, which one."""
    baseline = names.result.baseline
    was_empty = baseline is not None and not baseline.documents
    why = ": the accepted ranking is empty" * was_empty
    if not names.result.ranking.documents:
        why = (
            ": nothing was returned"
            + ", as accepted; write results: 0 where that is meant" * was_empty
        )
    return below(reason.name, reason.value, reason.comparison, reason.bound) + why


def _drop(reason: Outcome, _: _Names) -> str:
    score, before, tolerance = reason.value or 0.0, reason.before or 0.0, reason.bound
    digits = max(digits_apart(before - score, tolerance), digits_apart(score, before))
    now, drop, then, most = (
        f"{value:.{digits}f}" for value in (score, before - score, before, tolerance)
    )
    return f"{reason.name} {now} is {drop} below the baseline {then}, more than the tolerance {most}"


def _too_few_judged(reason: Outcome, _: _Names) -> str:
    judged = f"{reason.value or 0:g} of the top {reason.within} judged"
    return f"inconclusive: {judged}, less than min_judged {reason.bound:g}"


def _stale_entry(reason: Outcome, _: _Names) -> str:
    changes = listed(reason.clauses, "and")
    if reason.name:
        return f"the entry in {reason.name} is stale: {changes}; make that record again"
    return f"the baseline is stale: {changes}; --relevance-update accepts the present ranking"


def _clauses(reason: Outcome, _: _Names) -> str:
    return "".join(reason.clauses)


def _unknown(reason: Outcome, _: _Names) -> str:
    """A kind that a newer version has recorded."""
    return f"{reason.name or reason.kind} is not met"


def _first(reason: Outcome, names: _Names) -> str:
    wrong = []
    for rank, document in enumerate(reason.documents, 1):
        if document in reason.wrong:
            found = [
                *map(names.document, names.result.ranking.documents[rank - 1 : rank])
            ] or ["nothing"]
            wrong.append(
                f"rank {rank} has {found[0]}, expected {names.places([document])}"
            )
    return f"first: {'; '.join(wrong)}"


def _present(reason: Outcome, names: _Names) -> str:
    where = f"{'not ' if reason.kind == 'include' else ''}in the top {reason.within or names.result.conditions.k}"
    return f"{reason.kind}: {where}: {names.places(reason.wrong)}"


def _order(reason: Outcome, names: _Names) -> str:
    """Name the first pairs that are in the wrong order."""
    pairs = [*zip(reason.wrong[::2], reason.wrong[1::2], strict=True)]
    chosen = pairs[
        : _MOST_PAIRS + (len(pairs) == _MOST_PAIRS + 1)
    ]  # one more takes no more room than to say so
    wrong = []
    for document, late in groupby(chosen, key=itemgetter(1)):
        before = [each for each, _ in late]
        verb = "is" if len(before) == 1 else "are"
        wrong.append(
            f"{names.places(before)} {verb} not before {names.places([document])}"
        )
    if more := len(pairs) - len(chosen):
        wrong.append(f"and {more:,} more pairs")
    where = "" if reason.within is None else f"in the top {reason.within}: "
    return f"order: {where}{'; '.join(wrong)}"


def _within(reason: Outcome, names: _Names) -> str:
    where = _NOT_WITHIN[reason.comparison].format(
        reason.within or names.result.conditions.k
    )
    return f"within: {names.places(reason.wrong)} {where}"


def _results(reason: Outcome, names: _Names) -> str:
    bound = (
        f"exactly {reason.bound:g}"
        if reason.comparison == "=="
        else f"{reason.comparison} {reason.bound:g}"
    )
    asked = (
        f" (asked for {names.result.conditions.asked})"
        if names.result.conditions.asked
        else ""
    )
    return f"results: {reason.value or 0:g} returned{asked}, expected {bound}"


def _latency(reason: Outcome, _: _Names) -> str:
    latency, bound = reason.value, reason.bound
    if latency is None:
        return "latency: the search was not called here, so that there is none to check"
    return f"latency: search took {duration_text_beside(latency, bound)}, expected {reason.comparison} {time_text(bound)}"


_OF_FIELDS = {
    "every": "{} of the first {} results {do} not have {wanted}",
    "some": "none of the first {1} results has {wanted}",
    "none": "{} of the first {} results {have} {wanted}",
    "at_most": "of the first {1} results {wanted}",
}


def _fields(reason: Outcome, names: _Names) -> str:
    """`every: 1 of the first 5 results does not have category "phones": rank 3 "sku-1" (Strap): category = "cases"`."""
    looked_at = min(reason.within or 0, len(names.result.ranking.documents))
    if not looked_at:
        return f"{reason.name}: nothing was returned"
    is_one = len(reason.wrong) == 1
    verbs = {"do": "does" if is_one else "do", "have": "has" if is_one else "have"}
    wanted = listed(
        [*map(_condition, map(FieldCondition.of_record, reason.conditions))], "and"
    )
    said = _OF_FIELDS[reason.kind].format(
        len(reason.wrong), looked_at, wanted=wanted, **verbs
    )
    near = near_values(reason)
    texts = [_near_text(each, len(reason.wrong)) for each in near]
    explained = {rank for each in near for rank in each.ranks}
    for document, (rank, values) in zip(reason.wrong, reason.values, strict=False):
        if rank in explained:
            continue
        found = ", ".join(f"{path} = {_value(value)}" for path, value in values.items())
        texts.append(f"rank {rank} {names.document(document)}: {found}")
    if (more := len(texts) - _MOST_RESULTS) > 0:
        texts[_MOST_RESULTS:] = [f"and {more} more"]
    return f"{reason.name}: {said}: {'; '.join(texts)}"


def _near_text(near: NearValue, count: int) -> str:
    """`supplier = "Lenovo" differs in case only`; with the ranks if not all of the `count` wrong results have it."""
    text = f"{near.path} = {_value(near.value)} differs in {near.how} only"
    if len(near.ranks) == count:
        return text
    return f"{text} ({counted_ranks(near.ranks)})"


def _same_as(reason: Outcome, names: _Names) -> str:
    """`same_as "blue shoe": overlap@10 0.600 is below 1.000: only here rank 3 "sku-1" (Boots); only there ...`."""
    figure = below(
        f"overlap@{reason.within}", reason.value, reason.comparison, reason.bound
    )
    head = f"same_as {quoted(reason.query)}: {figure}"
    sides: tuple[list[str], list[str]] = ([], [])
    for document, (here, there) in zip(reason.wrong, reason.values, strict=False):
        sides[here is None].append(
            f"rank {there if here is None else here} {names.document(document)}"
        )
    if not (reason.value or any(sides)):
        return f"{head}: both found nothing"
    pairs = zip(("here", "there"), sides, strict=True)
    said = "; ".join(
        f"only {where} {first_few(side, _MOST_RESULTS)}"
        for where, side in pairs
        if side
    )
    return f"{head}: {said}" if said else head


def _condition(condition: FieldCondition) -> str:
    """`category "phones"`, `brand "apple" or "samsung"`, `price >= 1000`, `more than 2 have the same brand`."""
    path, comparison, values = condition.path, condition.comparison, condition.values
    if comparison == "at_most":
        return f"more than {values[0]} have the same {path}"
    sign = {"==": "", "contains": "containing "}.get(comparison, f"{comparison} ")
    return f"{path} {sign}{listed(map(_value, values))}"


def _value(value: object) -> str:
    """The value of a field: `"phones"`, `12.5`, `true`, `null`."""
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, str):
        return quoted(value, LONGEST_TITLE)
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    return f"{value:.12g}" if isinstance(value, float) else str(value)


_WORDS: Mapping[str, Callable[[Outcome, _Names], str]] = {
    FLOOR: _metric,
    DROP: _drop,
    TOO_FEW_JUDGED: _too_few_judged,
    STALE_ENTRY: _stale_entry,
    TEXT: _clauses,
    "metric": _metric,
    SIMILARITY: _similarity,
    "first": _first,
    "include": _present,
    "exclude": _present,
    "order": _order,
    "within": _within,
    "results": _results,
    "latency": _latency,
    **dict.fromkeys(_OF_FIELDS, _fields),
    "same_as": _same_as,
}


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


_WITH_BASELINE = (FLOOR, "metric")


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
