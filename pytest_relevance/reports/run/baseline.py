"""A run beside its baseline: the headline, the change of the mean, the cases that moved, what an update would do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from pytest_relevance._text import counted, examples, harmless, listed, p_text, with_variant
from pytest_relevance.reports.blocks import MORE_HINT, Block, Sentence, Table, styled
from pytest_relevance.reports.run.cases import (
    LOST,
    add_case,
    case_count,
    case_table,
    mean_text,
    metric_of,
    short_label,
    suite_groups,
    variant_label,
    variants_of,
)
from pytest_relevance.reports.run.changes import case_change, is_new_failure, movers
from pytest_relevance.reports.text import (
    BAD,
    DIM,
    DOUBT,
    GOOD,
    PLAIN,
    SIGNIFICANT,
    WIDEST,
    Line,
    folded_lines,
    line,
    signed,
    width,
)
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
from pytest_relevance.results.gates import GateResult
from pytest_relevance.results.records.run_info import GONE, FileInfo, Fingerprint, RunInfo, changed, changes_text

if TYPE_CHECKING:
    from pytest_relevance.results.records.run import Run


WORSE, BROKEN, BETTER, FINE, NOTHING = "worse", "broken", "better", "fine", "nothing"
"""What a run came to: the search got worse than its baseline; something failed, or did not run, and no baseline says
that it got worse; the mean rose significantly and nothing failed; nothing failed; nothing ran."""


@dataclass(frozen=True, slots=True)
class Headline:
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


MOST_MOVERS = 5
"""How many of the cases that moved up are shown, and of the cases that moved down."""

ALL, ONLY_NEW = "all", "new"
"""What an update accepts."""


def baseline_blocks(
    results: Sequence[CaseResult],
    files: Mapping[str, FileInfo],
    *,
    full: bool = False,
    updating: str | None = None,
    fingerprint: Fingerprint | None = None,
) -> Iterator[Block]:
    """The movers against the baseline, and which updates are possible; nothing where there is no baseline.

    `updating` is what this run accepts already, `ALL` or `ONLY_NEW`; `fingerprint` is that of this run.
    """
    if not any(info.has_baseline for info in files.values()):
        return
    yield from (Sentence(text, DOUBT) for text in searched_texts(files, fingerprint or {}))
    most = None if full else MOST_MOVERS
    yield _mover_table("down since the baseline", results, -1, BAD, most)
    yield _mover_table("up since the baseline", results, 1, GOOD, most)
    against = {name for name, info in files.items() if info.against}
    results = [result for result in results if result.file not in against]  # an update does not change a record
    yield from (Sentence(text, style) for text, style in _advice(results, updating))


def searched_texts(files: Mapping[str, FileInfo], fingerprint: Fingerprint) -> list[str]:
    """What differs in what was searched since the baselines, once where it is the same for several files."""
    texts: dict[str, list[str]] = {}
    for file, about in files.items():
        texts.setdefault(changes_text(changed(about.fingerprint, fingerprint)), []).append(file)
    texts.pop("", None)
    of = {text: f" of {listed(named)}" if len(texts) > 1 else "" for text, named in texts.items()}
    return [f"searched since the baseline{of[text]}: {text}" for text in texts]


class Context(NamedTuple):
    """The case files and searches that ran, the records that they are compared with, and what was searched."""

    files: list[str]
    searches: list[str]
    records: list[str]
    has_baseline: bool
    searched: list[str]


def context(run: Run) -> Context:
    """What ran, and against what."""
    ran = [result for result in run.results if result.status != SKIPPED]
    files = [*dict.fromkeys(result.file for result in ran)]
    searches = dict.fromkeys(variant_label(variant, ()) for variant in variants_of(ran))
    infos = [info for file, info in run.files.items() if file in files]
    records = dict.fromkeys(info.against for info in infos if info.against)
    searched = [f"{name} {value}" for name, value in run.info.fingerprint.items()]
    return Context(files, [*searches], [*records], any(info.has_baseline for info in infos), searched)


class SuiteMean(NamedTuple):
    """The mean of a suite in one variant, in words, and its change since the baseline, if it has one.

    `names` are those that tell the suite and the variant from the others; `results` are what the mean is of.
    """

    names: list[str]
    text: str
    change: MeanChange | None
    results: Sequence[CaseResult]


def suite_means(results: Sequence[CaseResult]) -> list[SuiteMean]:
    """The mean of each suite and variant."""
    groups, variants, found = suite_groups(results), variants_of(results), []
    has_files = len({file for file, _ in groups}) > 1
    for (file, variant), group in groups.items():
        names = [file] * has_files + [variant_label(variant, variants)] * (len(variants) > 1)
        change = mean_change(group)
        text = mean_text(group) if change is None else mean_change_text(change, group)
        found.append(SuiteMean(names, text, change, group))
    return found


def mean_change_lines(
    results: Sequence[CaseResult],
    files: Mapping[str, FileInfo],
    *,
    verbosity: int = 0,
    columns: int = WIDEST,
    indent: str = "",
) -> list[Line]:
    """How the mean of each suite and variant changed since the baseline; above verbosity 0 by tag, too.

    `mean nDCG@10 0.665 -> 0.712 (+0.047, p 0.003): 35 better, 20 worse, 61 the same`; the suite and the variant are
    named where there are several, and the record that is compared with in the place of a baseline. `indent` is put
    before the line of the only suite.
    """
    if all(result.baseline is None for result in results):
        return []
    records = dict.fromkeys(info.against for _, info in sorted(files.items()) if info.against)
    lines = [line(harmless(f"against {name}:"), DIM) for name in records]
    for names, _, _, group in suite_means(results):
        lines += _mean_change_lines("  ".join(names) + ": " if names else indent, group, columns)
        tags = dict.fromkeys(tag for result in group for tag in result.tags) if verbosity > 0 else ()
        for tag in tags:
            tagged = [result for result in group if tag in result.tags]
            if len(tagged) < len(group):  # a tag of the whole suite would repeat its line
                lines += _mean_change_lines(f"  {tag}: ", tagged, columns)
    return lines


def _mean_change_lines(head: str, results: Sequence[CaseResult], columns: int) -> list[Line]:
    """One line, or two where the head leaves too little room: the figures stay together."""
    change = mean_change(results)
    if change is None:
        return []
    text, head = mean_change_text(change, results), harmless(head)
    style = PLAIN if change.p > SIGNIFICANT else GOOD if change.after > change.before else BAD
    if width(head) + width(text) <= columns:
        return [((head, PLAIN), (text, style))]
    if not head.strip():
        return folded_lines(head + text, style, columns, f"{head}    ")
    indent = " " * (len(head) - len(head.lstrip()) + 4)
    return [line(head.rstrip()), *folded_lines(indent + text, style, columns, indent)]


def mean_change_text(change: MeanChange, results: Iterable[CaseResult]) -> str:
    """The change of the mean: `mean nDCG@10 0.665 -> 0.712 (+0.047, p 0.003): 35 better, 20 worse, 61 the same`.

    The number of compared cases is added if other cases lack a score now or before.
    """
    tested = f"({signed(change.after - change.before)}, p {p_text(change.p)})"
    means = f"mean {metric_of(results)} {change.before:.3f} -> {change.after:.3f} {tested}"
    of_all = f" ({change.cases:,} of {counted(change.total, 'case')})" if change.cases < change.total else ""
    return f"{means}: {change.better:,} better, {change.worse:,} worse, {change.same:,} the same{of_all}"


def _mover_table(title: str, results: Sequence[CaseResult], sign: int, style: str, most: int | None) -> Table:
    """The cases whose score fell (`sign` -1) or rose (1) since the baseline."""
    variants, table = variants_of(results), case_table(title, figures=2, names_document=sign < 0)
    moved = movers(results, sign)
    for result in moved[:most]:
        assert result.score is not None
        before = f"{result.score - result.change:.3f} -> {result.score:.3f}"
        figures = styled(f"{result.change:+.3f}", style), before
        lost = [_lost_document(result)] if sign < 0 else []
        add_case(table, result, short_label(result, variants), *figures, further=lost)
    if more := len(moved) - len(table.rows):
        table.note, table.hint = f"  ... {more} more", MORE_HINT
    return table


def _lost_document(result: CaseResult) -> str:
    """`lost Smart Watch 2`: the document that cost most, by its title or id; `down` if it is still in the top k."""
    lost = case_change(result).lost
    if lost is None:
        return ""
    is_gone = lost.second is None or lost.second > result.conditions.k
    return f"{'lost' if is_gone else 'down'} {result.texts.titles.get(lost.document, lost.document)}"


def _advice(results: Sequence[CaseResult], updating: str | None) -> Iterable[tuple[str, str]]:
    """What an update would do, where this run is not one that does it; with the style of each line."""
    worse, better, stale, new = (_count(results, standing) for standing in (REGRESSION, IMPROVEMENT, STALE, NEW))
    if worse and updating != ALL:
        fell = f"{counted(worse, 'case is', 'cases are')} worse by more than the tolerance"
        floors = "; lower the floors (min_ndcg) that they are below, too" if any(map(_fell_below, results)) else ""
        yield f"{fell}: where that is meant, --relevance-update FILE::CASE (or with -k) accepts one{floors}", BAD
    empty = [
        result
        for result in results
        if is_new_failure(result) and result.call.error is None and not result.ranking.documents
    ]
    if len(empty) > 1:
        yield (
            f"{counted(case_count(empty), 'newly failing case returns', 'newly failing cases return')} no results",
            BAD,
        )
    if better and updating != ALL:
        improved = f"{counted(better, 'case is', 'cases are')} better by more than the tolerance"
        too = ", and what is worse too unless you choose the cases" if worse else ""
        yield f"{improved}: --relevance-update accepts {_them(better)}{too}", GOOD
    if stale and updating != ALL:
        has = f"{counted(stale, 'case has', 'cases have')} a stale baseline"
        yield f"{has}: --relevance-update accepts the present rankings", BAD
    if new and updating is None:
        has = f"{counted(new, 'case has', 'cases have')} no baseline yet"
        yield f"{has}: --relevance-update=new adds {_them(new)}", DOUBT


def lost_text(files: Mapping[str, FileInfo], info: RunInfo) -> str:
    """What the baseline has and the run does not compare: `in the baseline and not compared: 2 cases are gone (...)`.

    Empty if there is nothing to say. A case counts once for all its variants.
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
        return ""
    records = dict.fromkeys(about.against for about in files.values() if about.against)
    remedies = ["--relevance-update drops the cases that are gone"] if GONE in found else []
    remedies += ["rename a baseline with its case file, or delete it"] if info.not_run else []
    remedy = "" if records else "".join(f"; {each}" for each in remedies)
    return f"in {harmless(listed(records, 'and')) or 'the baseline'} and not compared: {', '.join(parts)}{remedy}"


def _fell_below(result: CaseResult) -> bool:
    """Whether a case is worse than its baseline and below its floor, which stays where the ranking is accepted."""
    is_worse = result.baseline is not None and result.baseline.standing == REGRESSION
    return (
        is_worse
        and result.conditions.floor is not None
        and result.score is not None
        and result.score < result.conditions.floor
    )


def _count(results: Iterable[CaseResult], standing: str) -> int:
    return case_count(
        result for result in results if result.baseline is not None and result.baseline.standing == standing
    )


def _them(number: int) -> str:
    return "it" if number == 1 else "them"
