"""The cases of a run: search variants, counts and means, suites, and the tables and remarks that list cases."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import fsum
from operator import attrgetter, mul
from typing import TYPE_CHECKING

from pytest_relevance._text import (
    case_in_prose,
    counted,
    first_few,
    harmless,
    listed,
    score_text,
)
from pytest_relevance.reports.blocks import Block, Sentence
from pytest_relevance.reports.cells import RIGHT, Column, styled_cell
from pytest_relevance.reports.number_text import duration_text
from pytest_relevance.reports.reasons import STATUSES, case_label
from pytest_relevance.reports.styled_lines import BAD, DIM, DOUBT
from pytest_relevance.reports.table import MORE_HINT, Table
from pytest_relevance.reports.terminal_text import cut, cut_middle, display_width
from pytest_relevance.results import case_result
from pytest_relevance.results.case_result import (
    CHECK,
    ERROR,
    FAILED,
    NOT_SEARCHED,
    PASSED,
    SKIPPED,
    WITHOUT_SCORE,
    CaseResult,
    grouped,
)
from pytest_relevance.results.records.run_info import (
    GONE,
    IRRELEVANT,
    LEFT_OUT,
    NOT_RUN,
    UNDEFINED,
    UNJUDGED,
    FileInfo,
)
from pytest_relevance.results.records.uncompared import MARKED_SKIP, UNSTABLE

if TYPE_CHECKING:
    from pytest_relevance.results.gates import GateResult


Variant = tuple[str, str | None]
"""The name of a search and the id of its parameter, if it has one."""

MOST_UNSTABLE, MOST_LOWEST = 5, 5
"""How many cases whose ranking changes from call to call, and how many of the lowest, are listed by default."""

_MOST_MEANS = 3
NOT_PASSED = frozenset({"failed", "error", "not searched", "inconclusive"})

WIDEST_VARIANT = 16
"""The width to which a variant is cut among figures, in terminal columns."""

WIDEST_NAME = 60
"""The width to which a variant is cut in a sentence."""

LOST: Mapping[str, tuple[str, str]] = {
    GONE: ("is gone", "are gone"),
    UNJUDGED: ("has no judgments now", "have no judgments now"),
    IRRELEVANT: ("has no relevant judgment now", "have no relevant judgment now"),
    UNDEFINED: ("has no value of a metric now", "have no value of a metric now"),
    LEFT_OUT: ("is left out by only: judged", "are left out by only: judged"),
    SKIPPED: ("was skipped", "were skipped"),
    MARKED_SKIP: ("is marked as skipped", "are marked as skipped"),
    NOT_SEARCHED: ("was not searched", "were not searched"),
    ERROR: ("ended in an error", "ended in an error"),
    NOT_RUN: ("was not run", "were not run"),
}
"""Why cases of the reference are lost: of one and of several."""

WITHOUT_RANKING: Mapping[str, tuple[str, str]] = {
    ERROR: LOST[ERROR],
    NOT_SEARCHED: LOST[NOT_SEARCHED],
    SKIPPED: LOST[SKIPPED],
    MARKED_SKIP: ("was marked as skipped", "were marked as skipped"),
    NOT_RUN: LOST[NOT_RUN],
    UNSTABLE: ("had a ranking that changed", "had a ranking that changed"),
}
"""Why a reference has no ranking of cases: of one and of several."""

WITHOUT_WORDS = "is not compared", "are not compared"
"""What is said for a reason that a later version has added."""


variant_of: Callable[[CaseResult], Variant] = attrgetter("search", "variant")
"""The search of a case and its parameter."""

key_of: Callable[[CaseResult], tuple[str, str]] = attrgetter("file", "id")
"""The file and the id of a case, which all of its variants share."""


def variants_of(results: Iterable[CaseResult]) -> list[Variant]:
    """The variants of a run, in their order. Tests in Python search nothing themselves: their checks have none."""
    return case_result.variants_in_order(_searched(results))


def variant_label(variant: Variant, among: Sequence[Variant]) -> str:
    """The name of a variant: its parameter alone where all variants are of one search, else `search[parameter]`."""
    search, parameter = map(harmless, (variant[0], variant[1] or ""))
    if parameter and {other for other, _ in among} == {variant[0]}:
        return parameter
    return f"{search}[{parameter}]" if parameter else search


def short_label(result: CaseResult, variants: Sequence[Variant]) -> str:
    """The variant of a case, cut; nothing where there is only one."""
    if len(variants) < 2:
        return ""
    variant = variant_of(result)
    if variant not in variants:  # a check of a test in Python
        return cut(variant_label(variant, variants), WIDEST_VARIANT)
    return short_labels(variants)[variant]


def short_labels(variants: Sequence[Variant]) -> dict[Variant, str]:
    """The label of each variant, cut at its end or else in its middle, so that no two are alike."""
    labels = [variant_label(variant, variants) for variant in variants]
    for shorten in (cut, cut_middle):
        shown = [shorten(label, WIDEST_VARIANT) for label in labels]
        if len({*shown}) == len(shown):
            return dict(zip(variants, shown, strict=True))
    return dict(zip(variants, labels, strict=True))


def case_count(results: Iterable[CaseResult]) -> int:
    """How many cases there are, in whatever variants they ran; each check of a test in Python counts."""
    return sum(_counts([*results]))


def counted_cases(results: Sequence[CaseResult]) -> str:
    """`3 cases`, `2 checks` of tests in Python, or `3 cases and 2 checks`."""
    cases, checks = _counts(results)
    parts = [counted(cases, "case")] * bool(cases or not checks) + [
        counted(checks, "check")
    ] * bool(checks)
    return listed(parts, "and")


def _counts(results: Sequence[CaseResult]) -> tuple[int, int]:
    searched = _searched(results)
    return len({*map(key_of, searched)}), len(results) - len(searched)


def _searched(results: Iterable[CaseResult]) -> list[CaseResult]:
    return [result for result in results if result.search != CHECK]


def status_counts(results: Iterable[CaseResult]) -> str:
    """`61 passed, 2 errors, 30 measured`."""
    return kind_counts(Counter(result.status for result in results), STATUSES)


def kind_counts(counts: Mapping[str, int], kinds: Iterable[str]) -> str:
    """How many there are of each of these kinds, in words: `2 failed, 2 errors`."""
    found = ((counts[kind], kind) for kind in kinds if counts.get(kind))
    return ", ".join(
        counted(count, kind, "errors" if kind == ERROR else kind)
        for count, kind in found
    )


def anything_ran(results: Iterable[CaseResult]) -> bool:
    """Whether any case was not skipped."""
    return any(result.status != case_result.SKIPPED for result in results)


def metric_of(results: Iterable[CaseResult]) -> str:
    """`nDCG@10`, or `nDCG@k` for cases with several cutoffs."""
    cutoffs = {result.conditions.k for result in results}
    return f"nDCG@{cutoffs.pop()}" if len(cutoffs) == 1 else "nDCG@k"


def mean_score(results: Iterable[CaseResult]) -> float | None:
    """The mean of the defined nDCG@k scores, weighted by the weights of the cases; None where none is defined."""
    scored = [
        (score, result.weight)
        for result in results
        if (score := result.score) is not None
    ]
    return case_result.weighted_mean(scored) if scored else None


def has_mean(results: Iterable[CaseResult]) -> bool:
    """Whether any case has judgments or a score, so that a mean says something of them."""
    return any(
        result.evaluation.judgments or result.score is not None for result in results
    )


def mean_text(results: Sequence[CaseResult]) -> str:
    """The weighted mean: `mean nDCG@10 0.712`."""
    return (
        f"{mean_name(results)} {metric_of(results)} {score_text(mean_score(results))}"
    )


def mean_name(results: Sequence[CaseResult]) -> str:
    """`weighted mean` where the scored cases have different weights, else `mean`."""
    weights = {result.weight for result in results}
    if len(weights) > 1:
        weights = {result.weight for result in results if result.score is not None}
    return "weighted mean" if len(weights) > 1 else "mean"


def left_open(results: Iterable[CaseResult]) -> str:
    """`; unjudged results of 79 queries leave it between 0.607 and 0.884`: the mean; empty where it is certain.

    At least one of the results has a score.
    """
    found = []
    for result in results:
        if (score := result.score) is not None:
            of = result.evaluation
            least, most = (score, score) if of.lower is None else (of.lower, of.upper)
            found.append(
                (least, most, result.weight, of.judged < of.top)
            )  # `unjudged` names them, and takes longer
    lower, upper, weights, are_unjudged = zip(*found, strict=True)
    low, high = (
        score_text(fsum(map(mul, ends, weights)) / fsum(weights))
        for ends in (lower, upper)
    )
    if low == high:
        return ""
    queries = counted(sum(are_unjudged), "query", "queries")
    return f"; unjudged results of {queries} leave it between {low} and {high}"


def metric_explained(results: Iterable[CaseResult]) -> str:
    """What nDCG@k says, in one sentence; empty where no case has a score."""
    by_cutoff = grouped(results, lambda result: result.conditions.k).values()
    scored = [
        group[0]
        for group in by_cutoff
        if any(result.score is not None for result in group)
    ]
    metric = metric_of(scored)
    text = (
        f"{metric} compares the grades of the first {metric.partition('@')[2]} results with those of the best ranking "
        "there could be: 1 is perfect, 0 is nothing relevant, and the top ranks count most."
    )
    return text if scored else ""


def names_in_page(results: Iterable[CaseResult]) -> dict[int, str]:
    """The name that each result has in the page and its links, by `id(result)`: pytest's node id.

    Several checks of one test in Python share its node id; the second is `test_shop.py::test_boots #2`.
    """
    names, taken = dict[int, str](), dict[str, int]()
    for result in results:
        name = node = result.node or f"{result.file}::{result.id}"
        while name in taken:
            taken[node] += 1
            name = f"{node} #{taken[node]}"
        taken[name] = 1
        names[id(result)] = name
    return names


def known_text(results: Iterable[CaseResult]) -> str:
    """`9 failed before, their mean nDCG@10 0.312`: the cases that were expected to fail for that; empty without any."""
    known = [result for result in results if result.is_known]
    return f"{len(known):,} failed before, their {mean_text(known)}" if known else ""


def means_by_variant(results: Iterable[CaseResult]) -> dict[Variant, float]:
    """The weighted mean of each variant that has one."""
    means = {
        variant: mean_score(group)
        for variant, group in grouped(results, variant_of).items()
    }
    return {variant: mean for variant, mean in means.items() if mean is not None}


def means_text(means: Mapping[Variant, float], variants: Sequence[Variant]) -> str:
    """`0.701`; of several variants `bm25 0.533, hybrid 0.717`, of many the lowest and the highest mean.

    Of many variants with the same mean, the mean and how many there are.
    """
    if not means:
        return "n/a"
    if len(variants) < 2:
        return score_text(*means.values())
    if len(means) <= _MOST_MEANS:
        chosen = [variant for variant in variants if variant in means]
        return ", ".join(_labelled_means(chosen, means, variants))
    lowest = min(means, key=means.__getitem__)
    highest = max(means, key=means.__getitem__)
    if score_text(means[lowest]) == score_text(means[highest]):
        return f"{score_text(means[lowest])} in each of {len(means):,} variants"
    return " to ".join(_labelled_means([lowest, highest], means, variants))


def _labelled_means(
    chosen: Sequence[Variant],
    means: Mapping[Variant, float],
    variants: Sequence[Variant],
) -> list[str]:
    """The mean of each of these variants behind its label."""
    labels = short_labels(variants)
    return [f"{labels[variant]} {score_text(means[variant])}" for variant in chosen]


# --- suites -----------------------------------------------------------------------------------------------------------


def suite_sentences(
    results: Sequence[CaseResult],
    variants: Sequence[Variant],
    gates: Iterable[GateResult],
) -> list[Sentence]:
    """A sentence for each suite and variant: its mean, how many cases came to what, latencies, gates.

    `variants` are those of the whole run.
    """
    outcomes: dict[tuple[str, str | None], Counter[str]] = defaultdict(Counter)
    for gate in gates:
        outcomes[gate.file, gate.gate.variant or gate.variant][gate.outcome()] += 1
    found: list[tuple[str, list[str]]] = []
    for file, of_file in sorted(grouped(results, lambda result: result.file).items()):
        groups, ordered = (
            grouped(of_file, variant_of),
            case_result.variants_in_order(of_file),
        )
        # A gate is about all searches with one parameter, or without any: it is shown in the last of their lines.
        last = {variant[1]: variant for variant in ordered}
        for variant in ordered:
            label = cut(
                variant_label(variant, variants if len(groups) > 1 else ()), WIDEST_NAME
            )
            is_named = len(groups) > 1 or variant[1] or len(variants) > 1
            own = (
                outcomes.get((file, variant[1]))
                if last[variant[1]] == variant
                else None
            )
            found.append(
                (
                    f"{file}  {label}" if is_named else file,
                    [*suite_figures(groups[variant], own or {})],
                )
            )
    widest = max((display_width(harmless(name)) for name, _ in found), default=0)
    return [
        Sentence(
            f"{name}{' ' * (widest - display_width(harmless(name)))}",
            parts=tuple(parts),
        )
        for name, parts in found
    ]


def suite_figures(
    results: Sequence[CaseResult], gates: Mapping[str, int]
) -> Iterator[str]:
    """The mean, the counts by status, and the latency of the cases of a suite in one variant; the counts of gates."""
    undefined = 0
    if has_mean(results):
        without = *WITHOUT_SCORE, case_result.SKIPPED
        undefined = sum(
            result.score is None and result.verdict not in without for result in results
        )
        yield mean_text(results)
    # in parentheses: they have been counted already
    yield status_counts(results) + (f" ({undefined:,} n/a)" if undefined else "")
    if latencies := sorted(
        result.call.latency for result in results if result.call.latency is not None
    ):
        median, most = (
            duration_text(case_result.percentile(latencies, percent))
            for percent in (50, 95)
        )
        how = how_called(results)
        yield f"p50 {median}, p95 {most}" + (f" ({how})" if how else "")
    if outcomes := [outcome for outcome in STATUSES if gates.get(outcome)]:
        first, *others = outcomes
        more = (f", {gates[outcome]} {outcome}" for outcome in others)
        yield f"{counted(gates[first], 'gate')} {first}{''.join(more)}"


def how_called(results: Iterable[CaseResult]) -> str:
    """How several searches were called at once; empty where they were called one by one."""
    calls = [result.call for result in results]
    if any(call.latency_shared for call in calls):
        return "shares of batches"
    at_a_time = max(call.concurrency for call in calls)
    return f"up to {at_a_time} at a time" if at_a_time > 1 else ""


# --- tables of cases --------------------------------------------------------------------------------------------------


def case_table(title: str, label_gap: int = 2) -> Table:
    """A table of cases: a figure, the query, a label behind it, the status, and the place."""
    query = Column(max_width=60, cut_to=20, wanted=30, is_code=True)
    return Table(
        [
            Column(align=RIGHT),
            query,
            Column(gap=label_gap),
            Column(gap=3),
            Column(gap=3, drop_order=1, is_code=True),
        ],
        indent=2,
        title=title,
    )


def add_case(table: Table, result: CaseResult, label: str, figure: str) -> None:
    """Add a row to a table of cases: `0.764 -> 0.312  smart watch  weight 2   failed   shop.relevance.yaml:41`."""
    status = styled_cell(result.status, STATUSES[result.status])
    table.add(figure, case_label(result), label, status, styled_cell(result.place, DIM))


def lowest(results: Sequence[CaseResult]) -> list[int]:
    """The places of the cases with scores below 1, the lowest first."""
    below = []
    for place, result in enumerate(results):
        if (score := result.score) is not None and score < 1:
            below.append((score, result.file, result.line, result.variant or "", place))
    return [place for *_, place in sorted(below)]


def lowest_table(
    results: Sequence[CaseResult], variants: Sequence[Variant], *, full: bool
) -> Table:
    """The cases with the lowest scores below 1, the lowest first; `full`: four times as many."""
    found, table = lowest(results), case_table("lowest")
    for result in map(
        results.__getitem__, found[: 4 * MOST_LOWEST if full else MOST_LOWEST]
    ):
        add_case(table, result, short_label(result, variants), score_text(result.score))
    if more := len(found) - len(table.rows):
        table.note = f"  ... {more} more below 1"
    return table


# --- remarks ----------------------------------------------------------------------------------------------------------


def remarks(
    results: Sequence[CaseResult], files: Mapping[str, FileInfo], *, full: bool = False
) -> list[Block]:
    """What the index lost, unstable rankings, and queries without judgments."""
    unjudged = [
        Sentence(f"{file}: {info.unjudged}", DOUBT)
        for file, info in sorted(files.items())
        if info.unjudged
    ]
    return [*_not_in_index(results), *stability_remarks(results, full=full), *unjudged]


def without_floor_sentences(files: Mapping[str, FileInfo]) -> list[Sentence]:
    """Name the cases that a floor of their suite does not hold, as their score is not defined."""
    found = []
    for file, info in sorted(files.items()):
        found += [Sentence(f"{file}: {each}", DOUBT) for each in info.without_floor]
    return found


def filled_texts(results: Sequence[CaseResult], most: int | None = 3) -> list[str]:
    """How much grades that fill make of results, and in which cases they alone decide, of which `most` are named.

    `3 of 20 judged results within k are filled: 3 by model-x/prompt-3; such grades alone decide 2 scores; mean without
    them 0.655`; `12 of 20 cases pass only by grades of lenient: "a", "b", "c" and 9 more`.
    """
    if not any(
        result.evaluation.people_scores or result.evaluation.filled_top
        for result in results
    ):
        return []
    from pytest_relevance.results.filled import is_decided_by_fill, without_fill

    ran = [result for result in results if result.status != case_result.SKIPPED]
    found = [result.evaluation for result in ran]
    counts, alone = Counter[str](), sum(each.is_filled_alone for each in found)
    for each in found:
        counts.update(each.filled_top)
    by = ", ".join(
        f"{count:,} by {harmless(name)}" for name, count in counts.most_common()
    )
    are = f"{'is' if counts.total() == 1 else 'are'} filled{': ' * bool(by)}{by}"
    parts = [
        f"{counts.total():,} of {counted(sum(each.judged for each in found), 'judged result')} within k {are}"
    ]
    parts += [f"such grades alone decide {counted(alone, 'score')}"] * bool(alone)
    means = means_by_variant(map(without_fill, ran))
    if means and any(each.people_scores for each in found):
        parts.append(f"mean without them {means_text(means, [*means])}")
    texts = ["; ".join(parts)] if counts or alone else []
    decided = [result for result in ran if is_decided_by_fill(result)]
    for verdict, one, several in (
        (PASSED, "passes", "pass"),
        (FAILED, "fails", "fail"),
    ):
        if own := [result for result in decided if result.verdict == verdict]:
            names = [
                case_in_prose(result.id, result.query, result.variant) for result in own
            ]
            graders = dict.fromkeys(
                harmless(name) for result in own for name in result.evaluation.graders
            )
            of_all = f"{len(own):,} of {counted(len(ran), 'case')} {one if len(own) == 1 else several}"
            by = f"only by grades of {listed(graders, 'and')}"
            texts.append(f"{of_all} {by}: {first_few(names, most or len(names))}")
    return texts


def _not_in_index(results: Sequence[CaseResult]) -> Iterator[Sentence]:
    """How many judged documents the index lost, and not the ranking."""
    found = [result for result in results if result.texts.not_in_index]
    documents = {document for result in found for document in result.texts.not_in_index}
    if documents:
        what = counted(len(documents), "judged or expected document")
        of = f"{what} of {counted(case_count(found), 'case')} {'is' if len(documents) == 1 else 'are'}"
        yield Sentence(
            f"{of} not in the index: lost by the index, not by the ranking", BAD
        )


def stability_remarks(
    results: Sequence[CaseResult], *, full: bool = False
) -> list[Block]:
    """The cases whose ranking changes from call to call; one line where none does."""
    called = [
        (result, result.call.repeats)
        for result in results
        if result.call.repeats is not None
    ]
    if not called:
        return []
    unstable = sorted(
        (result for result, repeats in called if repeats.rankings > 1),
        key=lambda result: (result.status not in NOT_PASSED, result.file, result.line),
    )
    calls = counted(max(repeats.calls for _, repeats in called), "call")
    cases = counted(case_count(unstable or (result for result, _ in called)), "case")
    if not unstable:
        return [
            Sentence(f"no ranking changes from call to call: {cases}, {calls} each")
        ]
    from pytest_relevance.reports.failure import difference_text

    variants, has_places = (
        variants_of(result for result, _ in called),
        len({result.file for result in unstable}) > 1,
    )
    columns = [
        Column(max_width=30, cut_to=20, is_code=True),
        Column(),
        Column(cut_to=24, is_code=True),
        Column(gap=3),
    ]
    table = Table(columns, indent=2)
    for result in unstable if full else unstable[:MOST_UNSTABLE]:
        place = styled_cell(result.place if has_places else "", DIM)
        table.add(
            case_label(result),
            short_label(result, variants),
            difference_text(result),
            place,
        )
    if more := len(unstable) - len(table.rows):
        table.note, table.hint = f"  ... {more:,} more", MORE_HINT
    of_all = f"{cases} of {case_count(result for result, _ in called):,}"
    return [
        Sentence(f"ranking changes from call to call: {of_all}, {calls} each", DOUBT),
        table,
    ]
