"""What a report says of a run and its reference: means, latencies, empty results.

`context` says what ran, and what it is compared with.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_relevance._number_text import (
    SIGNIFICANT,
    duration_text,
    p_text,
    signed_text,
)
from pytest_relevance._text import counted, examples, listed
from pytest_relevance.reports.blocks import Sentence
from pytest_relevance.reports.labels import first_names, start_text
from pytest_relevance.reports.run.case_counts import case_count
from pytest_relevance.reports.run.changed_test import change_sentences, changed_test
from pytest_relevance.reports.run.mean_text import (
    has_mean,
    mean_text,
    metric_of,
    weighted,
)
from pytest_relevance.reports.run.moved_text import moved_sentences
from pytest_relevance.reports.run.remarks import filled_texts, without_floor_sentences
from pytest_relevance.reports.run.sample_text import sample_sentences
from pytest_relevance.reports.run.suites import how_called
from pytest_relevance.reports.run.uncompared_text import (
    lost_sentences,
    not_compared_sentences,
)
from pytest_relevance.reports.run.variant_labels import (
    WIDEST_NAME,
    label_before,
    variant_label,
    variant_name,
    variant_of,
    variants_of,
)
from pytest_relevance.reports.styled_lines import BAD, DOUBT, GOOD, PLAIN
from pytest_relevance.reports.terminal_text import cut
from pytest_relevance.results.case_result import (
    SKIPPED,
    WITHOUT_SCORE,
    CaseResult,
    grouped,
    of_case_files,
    scored_alike,
)
from pytest_relevance.results.certainty import JudgedMeans, means_over_judged
from pytest_relevance.results.change_counts import ChangeCounts, count_changes
from pytest_relevance.results.changes import Change, changes_since_baseline
from pytest_relevance.results.compare import differences
from pytest_relevance.results.records.fingerprint import (
    Fingerprint,
    changed_since,
    changes_text,
)
from pytest_relevance.results.records.run_info import FileInfo

if TYPE_CHECKING:
    from pytest_relevance.results.compare.differences import MeanChange
    from pytest_relevance.results.records.run import Run

_FEWEST_TO_TEST = 6
"""Of fewer changed queries no p-value is at most 0.05: of 5 the least is 2 / 2^5."""

_TOO_FEW_FOR_P = "too few changes for p"

MOST_NAMES = 3
"""How many files, searches and entries of a fingerprint a report names."""


# --- queries that find nothing --------------------------------------------------------


def emptied(changes: Iterable[Change]) -> list[CaseResult]:
    """Return the cases that found something before, and find nothing now."""
    found = []
    for change in changes:
        case = change.case
        is_empty = not case.ranking.returned and case.verdict not in WITHOUT_SCORE
        if is_empty and change.before is not None and change.before.documents:
            found.append(case)
    return found


def emptied_sentences(changes: Iterable[Change]) -> list[Sentence]:
    """Return a sentence about the queries that return nothing now, or [].

    Example: `7 queries return nothing now ("books", "boots" and 5 more)`. The sentence
    goes on with how many of the queries have no score: these do not count as worse.
    """
    found = emptied(changes)
    queries = list(dict.fromkeys(case.query for case in found))
    if not queries:
        return []
    count = counted(len(queries), "query returns", "queries return")
    text = f"{count} nothing now ({examples(queries)})"
    unscored = {case.query for case in found if case.score is None}
    if unscored and len(queries) > 1:
        text += f"; {len(unscored):,} of them had no score before"
    return [Sentence(text, BAD)]


def still_empty_sentences(results: Iterable[CaseResult]) -> list[Sentence]:
    """Return a sentence about the queries that find nothing now and before, or [].

    Example: `2 queries find nothing, as in the reference ("q" and "r")`.
    """
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


# --- what ran, and against what -------------------------------------------------------


def context(run: Run, most: int = MOST_NAMES) -> list[str]:
    """Return short texts: what ran, what it is compared with, and what was searched.

    `most`: the most names of each kind; a text counts further names.
    """
    ran = [result for result in run.results if result.status != SKIPPED]
    files = list(dict.fromkeys(result.file for result in ran))
    texts = first_names(files, most, "more suite", "more suites")

    searches: dict[str, None] = {}
    for variant in variants_of(ran):
        searches[variant_name(variant)] = None
    texts += first_names(list(searches), most, "more variant", "more variants")

    against = references_text(info for file, info in run.files.items() if file in files)
    if against:
        texts.append(f"against {against}")
    searched = [f"{name} {value}" for name, value in run.info.fingerprint.items()]
    texts += first_names(searched, most, "more entry", "more entries")
    return texts + filled_texts(ran)


def references_text(infos: Iterable[FileInfo]) -> str:
    """Return what files are compared with: `main.jsonl of 2026-11-22 08:03 UTC`.

    For committed baselines the text is `the baseline`. "" if no file is compared.
    """
    records: dict[str, None] = {}
    has_baseline = False
    for info in infos:
        has_baseline = has_baseline or info.has_baseline
        if info.against:
            started = start_text(info.against_started)
            when = f" of {started} UTC" if started else ""
            records[f"{info.against}{when}"] = None
    if records:
        return listed(records, "and")
    return "the baseline" if has_baseline else ""


def searched_text(files: Mapping[str, FileInfo], fingerprint: Fingerprint) -> str:
    """Return what was searched in the run and its reference: `index products-11`.

    "" if the two differ: `searched_sentences` tells the difference.
    """
    if searched_sentences(files, fingerprint):
        return ""
    known = [info.fingerprint for info in files.values() if info.fingerprint]
    if not known:
        return ""
    entries = [f"{name} {value}" for name, value in known[0].items()]
    return ", ".join(first_names(entries, MOST_NAMES, "more entry", "more entries"))


def searched_sentences(
    files: Mapping[str, FileInfo], fingerprint: Fingerprint
) -> list[Sentence]:
    """Return sentences about what changed in the fingerprint since the baselines.

    Files with the same change share a sentence. If there are several sentences, each
    names its files.
    """
    files_by_text: dict[str, list[str]] = {}
    for file, info in files.items():
        text = changes_text(changed_since(info.fingerprint, fingerprint))
        if text:
            files_by_text.setdefault(text, []).append(file)
    sentences = []
    for text, names in files_by_text.items():
        of_files = f" of {listed(names)}" if len(files_by_text) > 1 else ""
        said = f"searched since the reference{of_files}: {text}"
        sentences.append(Sentence(said, DOUBT))
    return sentences


def reference_sentences(run: Run, ran: Sequence[CaseResult]) -> list[Sentence]:
    """Return which queries were drawn, and what differs from the reference, but scores.

    The page and Markdown show these sentences.

    `ran`: the results without the skipped ones.
    """
    searched = searched_sentences(run.files, run.info.fingerprint)
    return [
        *sample_sentences(run.files),
        *searched[:MOST_NAMES],
        *change_sentences(changed_test(run.results, run.files, run.info), run.files),
        *moved_sentences(run.files),
        *lost_sentences(run.results, run.files, run.info),
        *not_compared_sentences(run.results, run.files),
        *still_empty_sentences(ran),
        *without_floor_sentences(run.files),
    ]


# --- means and latencies --------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WholeMean:
    """How the mean changed that decides the headline.

    `metric`: the metric of the mean. Only in a comparison it may be another than nDCG.
    `over`: for example ` over 2 suites`, or "".
    `weighted`: `weighted `, or "".
    `cases`: over which cases it is, if not over all: `56 of 79 cases, those with ...`.
    `over_judged`: the means without unjudged results; None if nothing is unjudged.
    """

    change: MeanChange
    metric: str
    over: str = ""
    weighted: str = ""
    cases: str = ""
    over_judged: JudgedMeans | None = None

    def sentence(self) -> Sentence:
        """Return the means for a terminal and Markdown, with their test.

        The sentence goes on with `basis`.
        """
        metric = self.metric + self.over
        said = mean_change_sentence(self.change, metric, self.weighted)
        return Sentence("; ".join([said.text, *self.basis()]), said.style)

    def basis(self) -> list[str]:
        """Return over which cases the mean is, and the means without unjudged results.

        Example: `over 56 of 79 cases, those with a score before and now` and `without
        unjudged results 0.749 -> 0.633`. The first is left out if the mean is over all
        cases. The second is left out if both figures look like those of the mean.
        """
        parts = [f"over {self.cases}"] if self.cases else []
        means = self.change.means
        scores = f"{means.first:.3f} -> {means.second:.3f}"
        if self.over_judged is not None and self.over_judged.scores != scores:
            parts.append(f"without unjudged results {self.over_judged.scores}")
        return parts


def whole_mean(
    results: Sequence[CaseResult], change: MeanChange | None = None
) -> WholeMean | None:
    """Return how the mean over all cases changed; None if no case is compared.

    The p-value of this mean decides the headline.

    `change`: what `mean_change` returned for the results that ran; None if it was not
        called.
    """
    ran = [result for result in results if result.status != SKIPPED]
    changes = changes_since_baseline(ran)
    if not count_changes(changes).compared:
        return None
    if change is None:
        change = differences.mean_change(ran)
    if change is None:
        return None
    scored = [result for result in ran if result.score is not None]
    return WholeMean(
        change=change,
        metric=metric_of(scored),
        over=_over_what(scored_alike(ran)),
        weighted=weighted(scored),
        cases=compared_cases(change, ran),
        over_judged=means_over_judged(changes),
    )


def compared_cases(change: MeanChange, results: Iterable[CaseResult]) -> str:
    """Return over which cases a mean is compared; "" if over all `results`.

    Examples: `56 of 79 cases, those with a score before and now`, and `60 cases,
    without the 500 known items`.
    """
    searched = of_case_files(results)
    alike = scored_alike(searched)
    total, count = case_count(alike), change.means.queries
    known_items = case_count(searched) - total
    without = (
        f", without the {counted(known_items, 'known item')}" if known_items else ""
    )
    if count < total:
        of_all = f"{count:,} of {counted(total, 'case')}"
        return f"{of_all}, those with a score before and now{without}"
    return f"{counted(count, 'case')}{without}" if without else ""


def whole_mean_sentences(
    results: Sequence[CaseResult], told: Collection[str]
) -> list[Sentence]:
    """Return how the mean over all cases changed, and how many queries changed.

    There are no sentences if no case is compared.

    `told`: the counts that the headline has, by their names in `ChangeCounts`. They are
        left out.
    """
    whole = whole_mean(results)
    sentences = [] if whole is None else [whole.sentence()]
    return [*sentences, *whole_count_sentences(results, told)]


def whole_count_sentences(
    results: Sequence[CaseResult], told: Collection[str]
) -> list[Sentence]:
    """Return `count_sentences` over all cases that ran; [] if none is compared."""
    ran = [result for result in results if result.status != SKIPPED]
    counts = count_changes(changes_since_baseline(ran))
    if not counts.compared:
        return []
    return count_sentences(counts, told, others=case_count(ran) - counts.compared)


def _over_what(results: Sequence[CaseResult]) -> str:
    """Return, for example, ` over 2 suites and 3 variants`; nothing for one of each."""
    suites = len({result.file for result in results})
    variants = len(variants_of(results))
    parts = []
    if suites > 1:
        parts.append(counted(suites, "suite"))
    if variants > 1:
        parts.append(counted(variants, "variant"))
    return f" over {listed(parts, 'and')}" if parts else ""


_COUNTS = {
    "got_worse": "got worse",
    "changed": "changed by more than allowed",
    "got_better": "got better",
    "inconclusive": "inconclusive",
    "within_tolerance": "changed a little",
    "same": "the same",
    "without_score": "without a score",
}
"""{name of a count in `ChangeCounts`: words for what became of the queries}."""


def count_sentences(
    counts: ChangeCounts, told: Collection[str] = (), others: int = 0
) -> list[Sentence]:
    """Return a sentence about what became of the queries, or [] if all counts are 0.

    Example: `24 got better, 13 changed a little, 35 the same`.

    `told`: the counts that the headline has. The sentence leaves these out.
    `others`: how many queries are not compared, for example because they are new.
    """
    parts = []
    for name, words in _COUNTS.items():
        count = getattr(counts, name)
        if count and name not in told:
            parts.append(f"{count:,} {words}")
    if others:
        parts.append(f"{others:,} new or not compared")
    return [Sentence(", ".join(parts))] if parts else []


def mean_sentences(
    results: Sequence[CaseResult], *, only_changes: bool = False
) -> list[Sentence]:
    """Return the mean of each suite and variant, and its change since the baseline.

    Example: `mean nDCG@10 0.665 -> 0.712 (+0.047)`. If there are several suites or
    variants, each sentence names its suite and variant, and none has a p-value.

    `only_changes`: whether means that are not compared are left out. Then the mean that
        fell most comes first.
    """
    groups = grouped(results, lambda result: (result.file, variant_of(result)))
    has_files = len({file for file, _ in groups}) > 1
    variants = variants_of(results)
    sentences = []
    ordered = sorted(groups.items(), key=lambda each: str(each[0]))
    if only_changes:
        ordered.sort(key=lambda each: _mean_difference(each[1]))
    for (file, variant), group in ordered:
        names = [file] if has_files else []
        if len(variants) > 1:
            label = variant_label(variant, variants)
            names.append(cut(label, WIDEST_NAME))
        head = f"{'  '.join(names)}: " if names else ""
        if len(groups) == 1:
            said = _change_of_only_group(group)
        else:
            said = _change_of_group(group, head)
        if said is None and not only_changes and has_mean(group):
            said = Sentence(head + mean_text(group))
        if said is not None:
            sentences.append(said)
    return sentences


def _mean_difference(group: Sequence[CaseResult]) -> float:
    """Return by how much the mean of some cases rose, to three decimals.

    0 if no case is compared.
    """
    pairs = differences.score_pairs(group)
    return round(differences.means_of(pairs).difference, 3) if pairs else 0.0


def _change_of_only_group(group: Sequence[CaseResult]) -> Sentence | None:
    """Return how the mean changed, with a p-value; None if no case is compared."""
    change = differences.mean_change(group)
    if change is None:
        return None
    return mean_change_sentence(change, metric_of(group), weighted(group))


def _change_of_group(group: Sequence[CaseResult], head: str) -> Sentence | None:
    """Return how the mean changed, without a p-value; None if no case is compared.

    `head`: the names of the suite and variant.
    """
    pairs = differences.score_pairs(group)
    if not pairs:
        return None
    means = differences.means_of(pairs)
    text = changed_mean_text(group, metric_of(group), means)
    total = case_count(scored_alike(group))
    if len(pairs) < total:
        text += f" over {len(pairs):,} of {counted(total, 'case')}"
    return Sentence(head + text)


def changed_mean_text(
    results: Sequence[CaseResult], metric: str, means: differences.Means
) -> str:
    """Return, for example, `mean nDCG@10 0.665 -> 0.712 (+0.047)`.

    `results`: the cases of the mean. Their weights decide if it is a `weighted mean`.
    """
    scores = f"{means.first:.3f} -> {means.second:.3f}"
    change = signed_text(means.difference)
    return f"{weighted(results)}mean {metric} {scores} ({change})"


def mean_change_sentence(change: MeanChange, metric: str, head: str = "") -> Sentence:
    """Return how a mean changed, with its 95 % interval and p-value.

    Examples: `mean nDCG@10 0.728 -> 0.621 (-0.108, 95% interval -0.161 to -0.056, p
    <0.001)`; `mean nDCG@10 0.728 -> 0.728, unchanged` if no score changed. If the
    interval and the p-value disagree about chance, the sentence says that the p-value
    decides. If too few scores changed for a p-value, it is left out.
    """
    means = change.means
    scores = f"{means.first:.3f} -> {means.second:.3f}"
    if not means.rose and not means.fell:
        return Sentence(f"{head}mean {metric} {scores}, unchanged")
    is_significant = change.p <= SIGNIFICANT
    style = PLAIN
    if is_significant:
        style = GOOD if means.difference > 0 else BAD
    interval = f"95% interval {signed_text(change.low)} to {signed_text(change.high)}"
    tested = f"{signed_text(means.difference)}, {interval}"
    why = _why_p_decides(change)
    if why != _TOO_FEW_FOR_P:
        tested += f", p {p_text(change.p)}"
    text = f"{head}mean {metric} {scores} ({tested})"
    return Sentence(f"{text}; {why}" if why else text, style)


def _why_p_decides(change: MeanChange) -> str:
    """Return a text if the interval and the p-value disagree about chance; else ""."""
    excludes_0 = change.low > 0 or change.high < 0
    is_significant = change.p <= SIGNIFICANT
    if excludes_0 == is_significant:
        return ""
    if is_significant:
        return "the p-value decides, although the interval includes 0"
    changed = change.means.rose + change.means.fell
    if changed < _FEWEST_TO_TEST:
        return _TOO_FEW_FOR_P
    return "the p-value decides, although the interval excludes 0"


def mean_in_words(whole: WholeMean, *, says_chance: bool = True) -> str:
    """Return how a mean changed for readers who know no statistics.

    Example: `On average nDCG@10 fell from 0.728 to 0.621 (1 is perfect). That is more
    than chance: the true change lies between -0.161 and -0.056 (95%, p <0.001).`

    `says_chance`: whether the text says if the change may be chance; False if the
        headline says so.
    """
    change = whole.change
    means = change.means
    weights = ", weighted by query," if whole.weighted else ""
    head = f"On average{whole.over}{weights} {whole.metric}"
    perfect = ""
    if whole.metric.startswith(("nDCG@", "RR@")):
        perfect = " (1 is perfect)"
    before, after = f"{means.first:.3f}", f"{means.second:.3f}"
    if not means.rose and not means.fell:
        return f"{head} is {after} as before{perfect}."
    if before == after:
        moved = f"stayed at {after}"
    else:
        verb = "rose" if means.difference > 0 else "fell"
        moved = f"{verb} from {before} to {after}"
    the = "The"
    if says_chance and change.p <= SIGNIFICANT:
        the = "That is more than chance: the"
    elif says_chance:
        the = "That may be chance: the"
    tested = "95%"
    why = _why_p_decides(change)
    if why != _TOO_FEW_FOR_P:
        tested += f", p {p_text(change.p)}"
    if why:
        tested += f"; {why}"
    ends = f"{signed_text(change.low)} and {signed_text(change.high)}"
    true_change = f"{the} true change lies between {ends} ({tested})"
    return f"{head} {moved}{perfect}. {true_change}."


def latency_sentences(changes: Sequence[Change]) -> list[Sentence]:
    """Return how the latency of each variant changed, in cases that were called alike.

    Example: `latency p50 12 ms -> 14 ms, p95 31 ms -> 40 ms (52 cases)`.
    """
    variants = variants_of(change.case for change in changes)
    sentences = []
    groups = grouped(changes, lambda change: variant_of(change.case))
    for variant, group in groups.items():
        change = differences.latency_change(group)
        if change is None:
            continue
        how = counted(change.cases, "case")
        called = how_called(each.case for each in group)
        if called:
            how += f", {called}"
        head = label_before(variant, variants)
        sentences.append(Sentence(f"{head}latency {_latency_figures(change)} ({how})"))
    return sentences


def median_latencies(changes: Sequence[Change]) -> list[str]:
    """Return how the median latency of each variant changed: `p50 12 ms -> 14 ms`.

    Variants that were called in another way, or in too few cases, are left out.
    """
    variants = variants_of(change.case for change in changes)
    texts = []
    groups = grouped(changes, lambda change: variant_of(change.case))
    for variant, group in groups.items():
        change = differences.latency_change(group)
        if change is not None and change.p50 is not None:
            head = label_before(variant, variants, " ")
            texts.append(f"{head}p50 {_duration_change(change.p50)}")
    return texts


def _latency_figures(change: differences.LatencyChange) -> str:
    """Return how p50 and p95 changed: `p50 12 ms -> 14 ms, p95 31 ms -> 40 ms`.

    With too few cases, p50 is left out, and the maximum takes the place of p95.
    """
    parts = []
    if change.p50 is not None:
        parts.append(f"p50 {_duration_change(change.p50)}")
    if change.p95 is not None:
        parts.append(f"p95 {_duration_change(change.p95)}")
    else:
        parts.append(f"max {_duration_change(change.longest)}")
    return ", ".join(parts)


def _duration_change(seconds: tuple[float, float]) -> str:
    before, after = seconds
    return f"{duration_text(before)} -> {duration_text(after)}"
