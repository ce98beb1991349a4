"""How means changed since the reference, and what became of the queries, in words."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_relevance._number_text import SIGNIFICANT, p_text, signed_text
from pytest_relevance._text import counted, listed
from pytest_relevance.reports.blocks import Sentence
from pytest_relevance.reports.run.case_counts import case_count
from pytest_relevance.reports.run.mean_text import (
    has_mean,
    mean_text,
    metric_of,
    weighted,
)
from pytest_relevance.reports.run.variant_labels import (
    WIDEST_NAME,
    variant_label,
    variant_of,
    variants_of,
)
from pytest_relevance.reports.styled_lines import BAD, GOOD, PLAIN
from pytest_relevance.reports.terminal_text import cut
from pytest_relevance.results.case_result import (
    SKIPPED,
    CaseResult,
    grouped,
    of_case_files,
    scored_alike,
)
from pytest_relevance.results.certainty import JudgedMeans, means_over_judged
from pytest_relevance.results.change_counts import ChangeCounts, count_changes
from pytest_relevance.results.changes import changes_since_baseline
from pytest_relevance.results.compare import differences

if TYPE_CHECKING:
    from pytest_relevance.results.compare.differences import MeanChange

_FEWEST_TO_TEST = 6
"""Of fewer changed queries no p-value is at most 0.05: of 5 the least is 2 / 2^5."""

_TOO_FEW_FOR_P = "too few changes for p"


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
    without = ""
    if known_items:
        without = f", without the {counted(known_items, 'known item')}"
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

    `head`: the text before `mean`, for example `weighted `.
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
