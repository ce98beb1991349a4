"""A run beside its baseline: the headline, the change of the mean, what is not compared, what an update would do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from shlex import quote
from typing import TYPE_CHECKING, NamedTuple

from pytest_relevance._text import counted, examples, listed, p_text
from pytest_relevance.reports.blocks import Sentence
from pytest_relevance.reports.number_text import SIGNIFICANT, duration_text, signed_text
from pytest_relevance.reports.run import cases
from pytest_relevance.reports.run.errors import unfinished_parts
from pytest_relevance.reports.run.uncompared import uncompared_in_words
from pytest_relevance.reports.styled_lines import BAD, DOUBT, GOOD, PLAIN
from pytest_relevance.reports.terminal_text import cut
from pytest_relevance.results import case_result, diagnoses
from pytest_relevance.results.case_parts import (
    DROP,
    EMPTY,
    IMPROVEMENT,
    NEW,
    REGRESSION,
    STALE,
)
from pytest_relevance.results.case_result import (
    FAILED,
    SKIPPED,
    WITHOUT_SCORE,
    CaseResult,
    grouped,
    has_failed,
)
from pytest_relevance.results.compare import differences
from pytest_relevance.results.records.run_info import (
    FileInfo,
    Fingerprint,
    RunInfo,
    changed_since,
    changes_text,
)

if TYPE_CHECKING:
    from pytest_relevance.results.compare.differences import MeanChange
    from pytest_relevance.results.gates import GateResult
    from pytest_relevance.results.records.run import Run

MOST_NAMES = 3
"""How many files, searches and entries of a fingerprint a report names."""

WORSE, MIXED, BROKEN, BETTER, FINE, NOTHING = (
    "worse",
    "mixed",
    "broken",
    "better",
    "fine",
    "nothing",
)
"""What a run came to: the search got worse than its baseline; some queries got worse and others better; something
failed, or did not run, and no baseline says that it got worse; the search got better; nothing failed; nothing ran."""


class Headline(NamedTuple):
    """A sentence without a full stop, and which of `WORSE`, `MIXED`, `BROKEN` ... it says."""

    text: str
    kind: str

    @property
    def mark(self) -> str:
        """The sign of the kind before the sentence."""
        return _MARKS[self.kind]


_MARKS = {
    **dict.fromkeys((WORSE, BROKEN), "\u274c"),
    **dict.fromkeys((BETTER, FINE), "\u2705"),
    **dict.fromkeys((MIXED, NOTHING), "\u26a0\ufe0f"),
}


def balance(worse: int, better: int, mean: int) -> Headline:
    """The sentence that weighs the queries that got worse against those that got better.

    `mean` is -1 where the mean fell significantly, 1 where it rose significantly, else 0.
    """
    if worse and (mean < 0 or not better):
        return Headline(
            f"Search got worse: {counted(worse, 'query', 'queries')}", WORSE
        )
    if worse:
        rest = (
            "the mean rose significantly"
            if mean
            else "the mean is unchanged within chance"
        )
        return Headline(
            f"{counted(worse, 'query', 'queries')} got worse, {better:,} better; {rest}",
            MIXED,
        )
    if mean < 0:
        return Headline(
            "Search got worse: the mean fell significantly, no single query by much",
            WORSE,
        )
    if better:
        return Headline(
            f"Search got better: {counted(better, 'query', 'queries')}", BETTER
        )
    if mean > 0:
        return Headline("Search got better: the mean rose significantly", BETTER)
    return Headline("No query got worse", FINE)


def headline(
    results: Sequence[CaseResult],
    gates: Iterable[GateResult],
    info: RunInfo,
    change: MeanChange | None = None,
    *,
    files: Mapping[str, FileInfo] = EMPTY,
) -> Headline:
    """The sentence about a run, which is not good news if cases are lost or not compared.

    `change` is what `mean_change` gave for the results that ran, None if it was not called.
    """
    said = _headline(results, gates, info, change)
    if said.kind not in (FINE, BETTER):
        return said
    uncompared = uncompared_in_words(results, files, info)
    if not uncompared:
        return said
    return Headline(f"{said.text}; {uncompared}", MIXED)


def _headline(
    results: Sequence[CaseResult],
    gates: Iterable[GateResult],
    info: RunInfo,
    change: MeanChange | None = None,
) -> Headline:
    """The sentence about a run: `Search got worse: 20 queries`.

    The first of these that holds: nothing ran, the search was down or returned nothing, queries got worse, files have
    errors or cases are missing, cases fail, gates failed; else what the baseline says, or without one that nothing
    failed. A query that fails in several variants counts once. `change` is what `mean_change` gave for those that ran,
    None where it was not called.
    """
    ran = [result for result in results if result.status != SKIPPED]
    unfinished = "; ".join(unfinished_parts(info))
    if all(result.verdict == SKIPPED for result in ran):  # also if that was expected
        kind = BROKEN if info.uncollected else NOTHING
        return Headline(
            f"Nothing was searched{f': {unfinished}' if unfinished else ''}", kind
        )
    failed = grouped(filter(has_failed, ran), differences.failure_kind)
    kinds = differences.ENDED_IN_ERROR, differences.GOT_WORSE
    broken, worse = (cases.case_count(failed.get(kind, ())) for kind in kinds)
    unscored = f"{counted(broken, 'case')} could not be scored" if broken else ""
    change = change or differences.mean_change(ran)
    better = cases.case_count(
        result
        for result in ran
        if result.baseline and result.baseline.standing == IMPROVEMENT
    )
    moved = 0
    if change is not None and change.p <= SIGNIFICANT:
        moved = 1 if change.means.difference > 0 else -1
    unmet = sum(gate.outcome() == FAILED for gate in gates)
    if outage := _outage(ran):
        return Headline(outage, BROKEN)
    if worse:
        said = balance(worse, better, moved)
        return said._replace(
            text="; ".join(filter(None, (said.text, unscored, unfinished)))
        )
    if unfinished:
        return Headline(f"The run did not finish: {unfinished}", BROKEN)
    fails = (result for result in ran if has_failed(result) or result.is_known)
    before = cases.case_count(
        result for result in fails if result.baseline and result.baseline.failed_before
    )
    still = f"; {before:,} failed before" if before else ""
    if failed:
        if [*failed] == [differences.FAILED_BEFORE]:
            return Headline(balance(0, better, moved).text + still, BROKEN)
        return Headline(unscored or _failures_in_words(failed, ran), BROKEN)
    if unmet:
        return Headline(counted(unmet, "gate is", "gates are") + " not met", BROKEN)
    if change is None:
        return Headline(_without_failure(ran), FINE)
    said = balance(0, better, moved)
    return said._replace(text=said.text + still)


def headline_sentences(
    results: Sequence[CaseResult],
    gates: Iterable[GateResult],
    info: RunInfo,
    files: Mapping[str, FileInfo],
) -> Iterator[Sentence]:
    """The sentence about a run for a terminal, where there is more to say than that nothing got worse."""
    said = headline(results, gates, info, files=files)
    if said.kind != FINE:
        yield Sentence(
            said.text, {WORSE: BAD, BROKEN: BAD, BETTER: GOOD}.get(said.kind, DOUBT)
        )


def emptied(results: Iterable[CaseResult]) -> list[CaseResult]:
    """The results that have no documents now, and had some in the baseline."""
    empty = (
        each
        for each in results
        if not each.ranking.returned and each.verdict not in WITHOUT_SCORE
    )
    return [
        each for each in empty if each.baseline is not None and each.baseline.documents
    ]


def emptied_sentences(results: Iterable[CaseResult]) -> list[Sentence]:
    """`7 queries return nothing now ("books", "earbuds", "garmin" and 4 more)`; nothing where none does."""
    queries = [*dict.fromkeys(each.query for each in emptied(results))]
    text = f"{counted(len(queries), 'query returns', 'queries return')} nothing now ({examples(queries)})"
    return [Sentence(text, BAD)] if queries else []


def still_empty_sentences(results: Iterable[CaseResult]) -> list[Sentence]:
    """`2 queries find nothing, as in the reference ("q" and "r")`; nothing if none does."""
    queries: dict[str, None] = {}
    for result in results:
        found_nothing = result.baseline is not None and result.baseline.found_nothing
        is_scored = result.verdict not in (*WITHOUT_SCORE, SKIPPED)
        if found_nothing and is_scored and not result.ranking.returned:
            queries[result.query] = None
    if not queries:
        return []
    find = counted(len(queries), "query finds", "queries find")
    text = f"{find} nothing, as in the reference ({examples(queries)})"
    return [Sentence(text, DOUBT)]


def _outage(ran: Sequence[CaseResult]) -> str:
    """That every search failed, by the type of the first error, or that a search returned nothing in any case."""
    called = [result for result in ran if result.status != case_result.NOT_SEARCHED]
    errors = [
        result.call.error
        for result in called
        if result.call.error is not None and result.call.error.type
    ]
    if len(errors) > 1 and len(errors) == len(called):
        alike = sum(error.type == errors[0].type for error in errors)
        left = len(ran) - len(called)
        not_searched = f", {counted(left, 'case')} not searched" if left else ""
        return f"Search was down: {errors[0].type} in {alike:,} of {counted(len(called), 'call')}{not_searched}"
    found = (
        []
        if all(result.ranking.returned for result in called)
        else diagnoses.diagnose(ran)
    )
    empty = cases.case_count(
        result
        for each in found
        if each.kind == diagnoses.NOTHING
        for result in each.results
    )
    if not empty:
        return ""
    return f"Search returned nothing for {empty:,} of {counted(cases.case_count(ran), 'query', 'queries')}"


def _failures_in_words(
    failed: Mapping[str, Sequence[CaseResult]], ran: Sequence[CaseResult]
) -> str:
    """How many cases fail: `9 of 135 cases fail`; `failed` are their results by kind."""
    count = cases.case_count(chain.from_iterable(failed.values()))
    some = f"{count:,} of {counted(cases.case_count(ran), 'case')} {'fails' if count == 1 else 'fail'}"
    if differences.IN_DOUBT in failed:
        return f"{some} or {'is' if count == 1 else 'are'} inconclusive"
    return some


def _without_failure(ran: Sequence[CaseResult]) -> str:
    """The headline for cases without a baseline of which none failed."""
    by_status = grouped(ran, lambda result: result.status)
    measured, passed = (
        cases.case_count(by_status.get(each, ()))
        for each in (case_result.MEASURED, case_result.PASSED)
    )
    if by_status.keys() - {case_result.PASSED, case_result.MEASURED}:
        return "No case fails"
    if not passed:
        return f"{counted(measured, 'case')} measured, without a floor"
    which = (
        f"{counted(passed, 'case')} with a floor or an expectation"
        if measured
        else counted(passed, "case")
    )
    if measured and all(
        result.conditions.floor is not None for result in by_status[case_result.PASSED]
    ):
        which = f"{counted(passed, 'case')} with a floor"
    text = (
        f"{'All ' if passed > 1 else ''}{which} {'passes' if passed == 1 else 'pass'}"
    )
    return (
        f"{text}; {measured:,} {'is' if measured == 1 else 'are'} only measured"
        if measured
        else text
    )


# --- what ran, and against what ---------------------------------------------------------------------------------------


def context(run: Run, most: int = MOST_NAMES) -> list[str]:
    """What ran, against what, and what was searched; of many the first `most` and how many more there are."""
    ran = [result for result in run.results if result.status != SKIPPED]
    files = [*dict.fromkeys(result.file for result in ran)]
    searches = [
        *dict.fromkeys(
            cases.variant_label(variant, ()) for variant in cases.variants_of(ran)
        )
    ]
    infos = [info for file, info in run.files.items() if file in files]
    records = [*dict.fromkeys(info.against for info in infos if info.against)]
    against = listed(records, "and") or "the baseline" * any(
        info.has_baseline for info in infos
    )
    searched = [f"{name} {value}" for name, value in run.info.fingerprint.items()]
    return [
        *_first_names(files, most, "more suite", "more suites"),
        *_first_names(searches, most, "more variant", "more variants"),
        *([f"against {against}"] if against else []),
        *_first_names(searched, most, "more entry", "more entries"),
        *cases.filled_texts(ran),
    ]


def _first_names(names: Sequence[str], most: int, one: str, several: str) -> list[str]:
    more = len(names) - most
    return [*names[:most], *([counted(more, one, several)] if more > 0 else [])]


def searched_sentences(
    files: Mapping[str, FileInfo], fingerprint: Fingerprint
) -> list[Sentence]:
    """What differs in what was searched since the baselines, once where it is the same for several files."""
    texts: dict[str, list[str]] = {}
    for file, about in files.items():
        texts.setdefault(
            changes_text(changed_since(about.fingerprint, fingerprint)), []
        ).append(file)
    texts.pop("", None)
    of = {
        text: f" of {listed(named)}" if len(texts) > 1 else ""
        for text, named in texts.items()
    }
    return [
        Sentence(f"searched since the baseline{of[text]}: {text}", DOUBT)
        for text in texts
    ]


def mean_sentences(
    results: Sequence[CaseResult],
    *,
    only_changes: bool = False,
    is_whole: bool = False,
    of_all: MeanChange | None = None,
) -> list[Sentence]:
    """The mean of each suite and variant, and how it changed since the baseline where there is one.

    `mean nDCG@10 0.665 -> 0.712 (+0.047, p 0.003): 35 better, 20 worse, 61 the same`; the suite and the variant are
    named where there are several. `only_changes` leaves out the suites that have none. `is_whole`, for reports that
    count what got worse as well: says that these counts are of any change, counts the cases without a score, so that
    the numbers add up, and says what unjudged results leave open. `of_all` is what `mean_change` gave for all of
    `results`, None where it was not called.
    """
    groups = grouped(results, lambda result: (result.file, cases.variant_of(result)))
    has_files, variants, found = (
        len({file for file, _ in groups}) > 1,
        cases.variants_of(results),
        [],
    )
    for (file, variant), group in sorted(groups.items(), key=lambda each: str(each[0])):
        label = cut(cases.variant_label(variant, variants), cases.WIDEST_NAME)
        names = [file] * has_files + [label] * (len(variants) > 1)
        head = f"{'  '.join(names)}: " if names else ""
        change = (of_all if len(groups) == 1 else None) or differences.mean_change(
            group
        )
        if change is not None:
            weighted = cases.mean_name(group).removesuffix("mean")
            said = mean_change_sentence(
                change, cases.metric_of(group), head + weighted, is_whole=is_whole
            )
            unscored = sum(result.status != SKIPPED for result in group) - change.total
            more = f", {unscored:,} without a score" if unscored else ""
            compared = [
                result
                for result in group
                if differences.score_before(result) is not None
            ]
            if is_whole:
                text = f"{said.text}{more}{cases.left_open(compared)}"
                said = replace(said, text=text)
            found.append(said)
        elif not only_changes and cases.has_mean(group):
            found.append(Sentence(head + cases.mean_text(group)))
    return found


def mean_change_sentence(
    change: MeanChange, metric: str, head: str = "", *, is_whole: bool = False
) -> Sentence:
    """The change of a mean: `mean nDCG@10 0.665 -> 0.712 (+0.047, p 0.003): 35 better, 20 worse, 61 the same`.

    The number of compared cases is added if other cases lack a score now or before. `is_whole`: the sentence says that
    it counts changes `by any amount`.
    """
    means = change.means
    tested = f"({signed_text(means.difference)}, p {p_text(change.p)})"
    of_all = (
        f" ({means.queries:,} of {counted(change.total, 'case')})"
        if means.queries < change.total
        else ""
    )
    style = (
        PLAIN if not change.p <= SIGNIFICANT else GOOD if means.difference > 0 else BAD
    )
    counts = f"{'by any amount ' * is_whole}{means.better:,} better, {means.worse:,} worse, {means.same:,} the same"
    return Sentence(
        f"{head}mean {metric} {means.first:.3f} -> {means.second:.3f} {tested}: {counts}{of_all}",
        style,
    )


def latency_sentences(results: Sequence[CaseResult]) -> list[Sentence]:
    """The change of the latency in each variant: `latency p50 12 ms -> 14 ms, p95 31 ms -> 40 ms (52 cases)`."""
    variants, found = cases.variants_of(results), []
    for variant, group in grouped(results, cases.variant_of).items():
        if change := differences.latency_change(group):
            head = (
                f"{cut(cases.variant_label(variant, variants), cases.WIDEST_NAME)}: "
                if len(variants) > 1
                else ""
            )
            ends = (
                f"p{n} {' -> '.join(map(duration_text, pair))}"
                for n, pair in ((50, change.p50), (95, change.p95))
            )
            how = ", ".join(
                filter(None, (counted(change.cases, "case"), cases.how_called(group)))
            )
            found.append(Sentence(f"{head}latency {', '.join(ends)} ({how})"))
    return found


def update_sentences(
    results: Sequence[CaseResult], files: Mapping[str, FileInfo], updating: str | None
) -> Iterator[Sentence]:
    """What an update of the baseline would do, unless this run does it: `updating` is what it accepts, "all" or "new".

    Cases that are compared with a record are left out, as an update does not change one.
    """
    fallen = [result for result in results if differences.got_worse(result)]
    if fallen:
        yield from emptied_sentences(results)
        first = min(fallen, key=lambda result: result.weight * result.change)
        of_file = files.get(first.file)
        reference = (
            quote(f"--relevance-against={of_file.against}") + " "
            if of_file and of_file.against
            else ""
        )
        node = quote(first.node or f"{first.file}::{first.id}")
        yield Sentence(f"to see one in full: pytest -v {reference}{node}", DOUBT)
    against = {name for name, info in files.items() if info.against}
    groups = grouped(
        (result for result in results if result.file not in against),
        lambda each: (
            REGRESSION
            if differences.got_worse(each)
            else each.baseline.standing
            if each.baseline
            else ""
        ),
    )
    too = ", and what got worse too unless you choose the cases" if fallen else ""
    is_missed = any(
        reason.kind != DROP for result in fallen for reason in result.evaluation.reasons
    )
    also = "; a missed floor or expectation has to change too" * is_missed
    for standing, words, remedy, style in (
        (
            REGRESSION,
            "got worse",
            f"where that is meant, --relevance-update FILE::CASE accepts one{also}",
            BAD,
        ),
        (IMPROVEMENT, "got better", f"--relevance-update accepts {{them}}{too}", GOOD),
        (
            STALE,
            "have a stale baseline",
            "pytest --relevance-update{where} accepts the present rankings{too}",
            BAD,
        ),
        (
            NEW,
            "have no baseline yet",
            "pytest --relevance-update=new{where} adds {them}",
            DOUBT,
        ),
    ):
        group = groups.get(standing, ())
        count, nodes = (
            cases.case_count(group),
            dict.fromkeys(each.node for each in group),
        )
        names = (
            nodes
            if len(nodes) <= MOST_NAMES
            else dict.fromkeys(node.partition("::")[0] for node in nodes)
        )
        where = "".join(f" {quote(name)}" for name in names if len(names) <= MOST_NAMES)
        if count and updating != "all" and not (standing == NEW and updating):
            them, words = (
                ("it", words.replace("have", "has")) if count == 1 else ("them", words)
            )
            remedy = remedy.format(
                them=them, where=where, too=too * (names is not nodes)
            )
            yield Sentence(f"{counted(count, 'case')} {words}: {remedy}", style)
