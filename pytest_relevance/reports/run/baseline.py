"""A run beside its baseline: the headline, the change of the mean, what is not compared, what an update would do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from pytest_relevance._text import counted, examples, listed, p_text, with_variant
from pytest_relevance.reports.blocks import Sentence
from pytest_relevance.reports.run.cases import (
    LOST,
    case_count,
    grouped,
    mean_text,
    metric_of,
    variant_label,
    variant_of,
    variants_of,
)
from pytest_relevance.reports.text import BAD, DOUBT, GOOD, PLAIN, SIGNIFICANT, signed
from pytest_relevance.results.case_parts import IMPROVEMENT, NEW, REGRESSION, STALE
from pytest_relevance.results.case_result import FAILED, MEASURED, PASSED, SKIPPED, WITHOUT_SCORE, CaseResult
from pytest_relevance.results.differences import (
    FAILED_BEFORE,
    IN_DOUBT,
    NEWLY_FAILING,
    REGRESSED,
    MeanChange,
    failure_kind,
    has_failed,
    mean_change,
)
from pytest_relevance.results.records.run_info import GONE, FileInfo, Fingerprint, RunInfo, changed, changes_text

if TYPE_CHECKING:
    from pytest_relevance.results.gates import GateResult
    from pytest_relevance.results.records.run import Run

MOST_NAMES = 3
"""How many files, searches and entries of a fingerprint a report names."""

WORSE, BROKEN, BETTER, FINE, NOTHING = "worse", "broken", "better", "fine", "nothing"
"""What a run came to: the search got worse than its baseline; something failed, or did not run, and no baseline says
that it got worse; the mean rose significantly and nothing failed; nothing failed; nothing ran."""


class Headline(NamedTuple):
    """A sentence without a full stop, and which of `WORSE`, `BROKEN`, `BETTER`, `FINE` and `NOTHING` it says."""

    text: str
    kind: str

    @property
    def mark(self) -> str:
        """The sign of the kind before the sentence."""
        return _MARKS[self.kind]


_MARKS = {WORSE: "\u274c", BROKEN: "\u274c", BETTER: "\u2705", FINE: "\u2705", NOTHING: "\u26a0\ufe0f"}


def headline(results: Sequence[CaseResult], gates: Iterable[GateResult], info: RunInfo) -> Headline:
    """The sentence about a run: `Search got worse: 20 cases newly fail`.

    The first of these that holds: nothing ran, cases fail newly, scores dropped by more than their tolerance, gates
    failed and the mean fell, cases are missing, searches failed, cases fail, gates failed, the mean rose or fell
    significantly, nothing failed. A case that fails in several variants counts once.
    """
    ran = [result for result in results if result.status != SKIPPED]
    missing = f"{counted(len(info.missing), 'case is', 'cases are')} missing" if info.missing else ""
    if not ran:
        return Headline(f"Nothing was searched{f': {missing}' if missing else ''}", NOTHING)
    failed = [result for result in ran if has_failed(result)]
    unmet = sum(gate.outcome() == FAILED for gate in gates)
    unmet_text = f"{counted(unmet, 'gate is', 'gates are')} not met"
    change: MeanChange | None = None
    worse = _worse(failed)
    if not worse:
        change = mean_change(ran)
        worse = unmet_text if unmet and change is not None and change.after < change.before else ""
    if worse:
        return Headline(f"Search got worse: {worse}{f', and {missing}' if missing else ''}", WORSE)
    if missing:
        return Headline(f"The run did not finish: {missing}", BROKEN)
    if failed:
        return Headline(_failures(failed, ran), BROKEN)
    if unmet:
        return Headline(unmet_text[0].upper() + unmet_text[1:], BROKEN)
    if change is None:
        return Headline(_without_failure(ran), FINE)
    if change.after == change.before or change.p > SIGNIFICANT:
        return Headline("No case newly fails", FINE)
    if change.after > change.before:
        return Headline("Search got better: no case newly fails", BETTER)
    return Headline("Search got worse: the mean fell significantly, and no case newly fails", WORSE)


def _worse(failed: Sequence[CaseResult]) -> str:
    """How many cases newly fail, or else how many scores dropped by too much; empty where none did."""
    for kind, one, several in (
        (NEWLY_FAILING, "case newly fails", "cases newly fail"),
        (REGRESSED, "case fell by more than its tolerance", "cases fell by more than their tolerance"),
    ):
        if count := case_count(result for result in failed if failure_kind(result) == kind):
            return counted(count, one, several)
    return ""


def _failures(failed: Sequence[CaseResult], ran: Sequence[CaseResult]) -> str:
    """How many cases could not be scored, or else how many fail."""
    if broken := case_count(result for result in failed if result.verdict in WITHOUT_SCORE):
        return f"{counted(broken, 'case')} could not be scored"
    count = case_count(failed)
    some = f"{count:,} of {counted(case_count(ran), 'case')} {'fails' if count == 1 else 'fail'}"
    if any(failure_kind(result) == IN_DOUBT for result in failed):
        return f"{some} or {'is' if count == 1 else 'are'} inconclusive"
    return f"{some}, as before" if all(failure_kind(result) == FAILED_BEFORE for result in failed) else some


def _without_failure(ran: Sequence[CaseResult]) -> str:
    """The headline for cases without a baseline of which none failed."""
    measured = case_count(result for result in ran if result.status == MEASURED)
    passed = case_count(result for result in ran if result.status == PASSED)
    if not passed and measured == case_count(ran):
        return f"{counted(measured, 'case')} measured, without a floor"
    if {result.status for result in ran} - {PASSED, MEASURED}:
        return "No case fails"
    which, s = (f"All {passed:,} cases", "") if passed > 1 else ("The only case", "es")
    if not measured:
        return f"{which} pass{s}"
    are = "is" if measured == 1 else "are"
    return f"{which} with a floor or an expectation pass{s}; {measured:,} {are} only measured"


# --- what ran, and against what ---------------------------------------------------------------------------------------


def context(run: Run, most: int = MOST_NAMES) -> list[str]:
    """What ran, against what, and what was searched; of many the first `most` and how many more there are."""
    ran = [result for result in run.results if result.status != SKIPPED]
    files = [*dict.fromkeys(result.file for result in ran)]
    searches = [*dict.fromkeys(variant_label(variant, ()) for variant in variants_of(ran))]
    infos = [info for file, info in run.files.items() if file in files]
    records = [*dict.fromkeys(info.against for info in infos if info.against)]
    against = listed(records, "and") or "the baseline" * any(info.has_baseline for info in infos)
    searched = [f"{name} {value}" for name, value in run.info.fingerprint.items()]
    return [
        *_first(files, most, "more suite", "more suites"),
        *_first(searches, most, "more variant", "more variants"),
        *([f"against {against}"] if against else []),
        *_first(searched, most, "more entry", "more entries"),
    ]


def _first(names: Sequence[str], most: int, one: str, several: str) -> list[str]:
    more = len(names) - most
    return [*names[:most], *([counted(more, one, several)] if more > 0 else [])]


def searched_sentences(files: Mapping[str, FileInfo], fingerprint: Fingerprint) -> list[Sentence]:
    """What differs in what was searched since the baselines, once where it is the same for several files."""
    texts: dict[str, list[str]] = {}
    for file, about in files.items():
        texts.setdefault(changes_text(changed(about.fingerprint, fingerprint)), []).append(file)
    texts.pop("", None)
    of = {text: f" of {listed(named)}" if len(texts) > 1 else "" for text, named in texts.items()}
    return [Sentence(f"searched since the baseline{of[text]}: {text}", DOUBT) for text in texts]


def mean_sentences(results: Sequence[CaseResult], *, only_changes: bool = False) -> list[Sentence]:
    """The mean of each suite and variant, and how it changed since the baseline where there is one.

    `mean nDCG@10 0.665 -> 0.712 (+0.047, p 0.003): 35 better, 20 worse, 61 the same`; the suite and the variant are
    named where there are several. `only_changes` leaves out the suites that have none.
    """
    groups = grouped(results, lambda result: (result.file, variant_of(result)))
    has_files, variants, found = len({file for file, _ in groups}) > 1, variants_of(results), []
    for key in sorted(groups, key=str):
        (file, variant), group = key, groups[key]
        names = [file] * has_files + [variant_label(variant, variants)] * (len(variants) > 1)
        head = f"{'  '.join(names)}: " if names else ""
        change = mean_change(group)
        if change is not None:
            style = PLAIN if change.p > SIGNIFICANT else GOOD if change.after > change.before else BAD
            found.append(Sentence(head + mean_change_text(change, group), style))
        elif not only_changes:
            found.append(Sentence(head + mean_text(group)))
    return found


def mean_change_text(change: MeanChange, results: Iterable[CaseResult]) -> str:
    """The change of the mean: `mean nDCG@10 0.665 -> 0.712 (+0.047, p 0.003): 35 better, 20 worse, 61 the same`.

    The number of compared cases is added if other cases lack a score now or before.
    """
    tested = f"({signed(change.after - change.before)}, p {p_text(change.p)})"
    means = f"mean {metric_of(results)} {change.before:.3f} -> {change.after:.3f} {tested}"
    of_all = f" ({change.cases:,} of {counted(change.total, 'case')})" if change.cases < change.total else ""
    return f"{means}: {change.better:,} better, {change.worse:,} worse, {change.same:,} the same{of_all}"


def lost_sentences(files: Mapping[str, FileInfo], info: RunInfo) -> list[Sentence]:
    """What the baseline has and the run does not compare: `in the baseline and not compared: 2 cases are gone (...)`.

    Nothing where all of it is compared. A case counts once for all its variants.
    """
    found: dict[str, dict[tuple[str, str], list[str | None]]] = {}
    for file, about in files.items():
        for case, variant, why in about.lost:
            found.setdefault(why, {}).setdefault((file, case), []).append(variant)
    parts = []
    for why, words in LOST.items():
        if cases := found.get(why):
            names = [
                with_variant(case, variants[0] if len(variants) == 1 else None) for (_, case), variants in cases.items()
            ]
            parts.append(f"{counted(len(names), 'case')} {words[len(names) != 1]} ({examples(names)})")
    if info.not_run:
        parts.append(f"nothing ran of {counted(len(info.not_run), 'file')} ({examples(info.not_run)})")
    if not parts:
        return []
    records = dict.fromkeys(about.against for about in files.values() if about.against)
    remedies = ["--relevance-update drops the cases that are gone"] if GONE in found else []
    remedies += ["rename a baseline with its case file, or delete it"] if info.not_run else []
    remedy = "" if records else "".join(f"; {each}" for each in remedies)
    source = listed(records, "and") or "the baseline"
    return [Sentence(f"in {source} and not compared: {', '.join(parts)}{remedy}", BAD)]


def update_sentences(
    results: Sequence[CaseResult], files: Mapping[str, FileInfo], updating: str | None
) -> Iterator[Sentence]:
    """What an update of the baseline would do, unless this run does it: `updating` is what it accepts, "all" or "new".

    Cases that are compared with a record are left out, as an update does not change one.
    """
    against = {name for name, info in files.items() if info.against}
    groups = grouped(
        (result for result in results if result.file not in against),
        lambda result: None if result.baseline is None else result.baseline.standing,
    )
    worse, better, stale, new = (case_count(groups.get(each, ())) for each in (REGRESSION, IMPROVEMENT, STALE, NEW))
    if worse and updating != "all":
        fell = f"{counted(worse, 'case is', 'cases are')} worse by more than the tolerance"
        is_below = any(
            result.conditions.floor is not None and (result.score or 0) < result.conditions.floor
            for result in groups[REGRESSION]
        )
        floors = "; lower the floors (min_ndcg) that they are below, too" if is_below else ""
        yield Sentence(
            f"{fell}: where that is meant, --relevance-update FILE::CASE (or with -k) accepts one{floors}", BAD
        )
    if better and updating != "all":
        improved = f"{counted(better, 'case is', 'cases are')} better by more than the tolerance"
        too = ", and what is worse too unless you choose the cases" if worse else ""
        yield Sentence(f"{improved}: --relevance-update accepts {'it' if better == 1 else 'them'}{too}", GOOD)
    if stale and updating != "all":
        has = f"{counted(stale, 'case has', 'cases have')} a stale baseline"
        yield Sentence(f"{has}: --relevance-update accepts the present rankings", BAD)
    if new and updating is None:
        has = f"{counted(new, 'case has', 'cases have')} no baseline yet"
        yield Sentence(f"{has}: --relevance-update=new adds {'it' if new == 1 else 'them'}", DOUBT)
