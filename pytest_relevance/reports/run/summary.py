"""The summary at the end of a run: how search does, what changed, and what to do.

Modules that the summary of a small passing run does not need are imported where they
are used, so that this summary is fast.

A search whose fixture has parameters has a variant for each parameter. The summary
compares the variants. The checks of tests in Python (`relevance.check`) search nothing
themselves: they have suite lines, but no comparisons.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from pytest_relevance._text import counted, listed
from pytest_relevance.reports.blocks import CommandLine, Sentence, lines_of
from pytest_relevance.reports.parts import MOST_LINES, Entries, Part, lines_of_parts
from pytest_relevance.reports.run.case_tables import lowest_table
from pytest_relevance.reports.run.counts_sentence import counts_sentence
from pytest_relevance.reports.run.known_items import (
    known_item_sentences,
    lost_item_sentences,
)
from pytest_relevance.reports.run.remarks import (
    filled_texts,
    remarks,
    without_floor_sentences,
)
from pytest_relevance.reports.run.stability import stability_remarks
from pytest_relevance.reports.run.suites import (
    MOST_SUITES,
    suite_sentences,
    worst_suites,
)
from pytest_relevance.reports.run.variant_labels import Variant, variant_of, variants_of
from pytest_relevance.reports.styled_lines import BAD, DIM, DOUBT, Line
from pytest_relevance.reports.table import limit
from pytest_relevance.reports.terminal_text import WIDEST
from pytest_relevance.results.case_parts import (
    LOST,
    NOT_COMPARED,
    WITHOUT_COMPARISON,
)
from pytest_relevance.results.case_result import (
    WITHOUT_SCORE,
    CaseResult,
    has_failed,
    of_case_files,
)
from pytest_relevance.results.changes import changes_since_baseline
from pytest_relevance.results.records.run_info import FileInfo, RunInfo

if TYPE_CHECKING:
    from pytest_relevance.gates.judging import GateResult
    from pytest_relevance.reports.run.headline import Headline

_MOST_FILLED = 3


@dataclass(frozen=True)
class SummaryOf:
    """A run, and the options of its summary.

    `verbosity`: as pytest counts it. Below 0 the summary has no tables and no commands,
        above 0 nothing is cut.
    `updating`: what the run accepts into the baseline: "all", "new" or "test"; None for
        nothing.
    `against`: the record to compare with, as the command line names it.
    `has_advice`: whether the summary says what to do next.
    `problems`: what went wrong apart from cases; shown after the counts.
    `written`: what the run wrote. Only the reason why the run fails comes after it.
    `page`: the HTML report that the run wrote; "" without one.
    `most_lines`: the most lines of a summary that is not full; None for any number.
    """

    results: Sequence[CaseResult]
    files: Mapping[str, FileInfo]
    info: RunInfo
    gates: Sequence[GateResult] = ()
    verbosity: int = 0
    updating: str | None = None
    against: str = ""
    has_advice: bool = True
    problems: Sequence[str] = ()
    written: Sequence[str] = ()
    page: str = ""
    most_lines: int | None = MOST_LINES

    @property
    def full(self) -> bool:
        """Whether nothing is cut."""
        return self.verbosity > 0

    @property
    def is_brief(self) -> bool:
        """Whether tables and commands are left out."""
        return self.verbosity < 0

    @cached_property
    def variants(self) -> list[Variant]:
        """The variants of the run."""
        return variants_of(self.results)

    @cached_property
    def headline(self) -> Headline:
        """The headline of the run."""
        from pytest_relevance.reports.run.headline import headline

        return headline(self.results, self.gates, self.info, files=self.files)

    @cached_property
    def standings(self) -> frozenset[str]:
        """The values of `baseline.standing` that cases have, each once."""
        found = set()
        for result in self.results:
            if result.baseline is not None:
                found.add(result.baseline.standing)
        return frozenset(found)

    @property
    def is_compared(self) -> bool:
        """Whether any case is compared with its reference."""
        return not self.standings <= WITHOUT_COMPARISON

    @property
    def is_outage(self) -> bool:
        """Whether all searches failed, or returned nothing."""
        if all(result.ranking.returned for result in self.results):
            return False  # the headline need not be made
        return self.headline.is_outage

    @property
    def advises_on_baseline(self) -> bool:
        """Whether the summary says what to do with a baseline or a record."""
        return self.has_advice and any(
            info.has_baseline for info in self.files.values()
        )


def summary_lines(of: SummaryOf, width: int = WIDEST) -> list[Line]:
    """Return the summary of a run, at most `width` columns wide if possible.

    With a verbosity of 0 or less, the summary has at most `most_lines` lines.
    """
    last = lines_of(_why_it_fails(of), width)
    most = None if of.full or of.most_lines is None else of.most_lines - len(last)
    return [*lines_of_parts(_parts(of), _TURNS, width, most), *last]


# --- the parts: each has no blocks if it does not apply -------------------------------


def _problems(of: SummaryOf) -> Sequence[Entries]:
    return [Sentence(text, BAD) for text in of.problems]


def _headline(of: SummaryOf) -> Sequence[Entries]:
    """Return the headline, if the counts alone do not say it.

    That is so if the run is compared with a reference, if it is a replay, and if no
    search worked.
    """
    if of.is_compared or of.info.replayed is not None or of.is_outage:
        return [Sentence(of.headline.text, of.headline.style)]
    return []


def _means(of: SummaryOf) -> Sequence[Entries]:
    """Return how the mean over all cases changed, and how many queries got worse.

    Counts that the headline has are left out.

    [] if no case is compared with a reference.
    """
    if not of.is_compared:
        return []
    from pytest_relevance.reports.run.changed_means import whole_mean_sentences

    return whole_mean_sentences(of.results, of.headline.told)


def _counts(of: SummaryOf) -> Sequence[Entries]:
    said = counts_sentence(of.results, of.gates, of.info, is_compared=of.is_compared)
    return [] if said is None else [said]


def _known_items(of: SummaryOf) -> Sequence[Entries]:
    sentences = known_item_sentences(of.results)
    if not sentences:
        return []
    return [*lost_item_sentences(changes_since_baseline(of.results)), *sentences]


def _suites(of: SummaryOf) -> Sequence[Entries]:
    """Return a sentence for each suite; if the suites are many, for the worst ones.

    The sentence of a single suite also says what the suite is compared with.
    """
    chosen = worst_suites(of.results, limit(MOST_SUITES, full=of.full))
    results = [result for result in of.results if result.file in chosen]
    has_own_table = len(of.variants) > 1 and not of.is_brief
    suites = suite_sentences(
        results, of.variants, of.gates, has_means=not has_own_table
    )
    if of.is_compared and len(chosen) > 1:
        from pytest_relevance.reports.run.changed_means import mean_sentences

        means = mean_sentences(results, only_changes=True)
        suites = means if len(means) > 1 else suites
    more = len({result.file for result in of.results}) - len(chosen)
    if more:
        suites.append(Sentence(f"    and {counted(more, 'more suite')}", DIM))
    if len(suites) == 1:
        (suite,) = suites
        for reference in _reference_sentences(of):
            text = f"{suite.text.strip()} {reference.text}"
            return [Sentence(text, parts=reference.parts or suite.parts)]
    return suites


def _reference(of: SummaryOf) -> Sequence[Entries]:
    """Return what several suites or variants are compared with.

    [] for a single suite without variants, because its own sentence says this. [] also
    without a reference, and for committed baselines that do not say what was searched.
    """
    suites = {(result.file, variant_of(result)) for result in of.results}
    is_known = any(info.against or info.fingerprint for info in of.files.values())
    if len(suites) == 1 or not is_known:
        return []
    return _reference_sentences(of)


def _reference_sentences(of: SummaryOf) -> list[Sentence]:
    """Return what the run is compared with, and the median latencies then and now.

    [] without a reference.
    """
    has_record = any(info.against for info in of.files.values())
    if not (of.is_compared or has_record):
        return []
    from pytest_relevance.reports.run.changed_latencies import median_latencies
    from pytest_relevance.reports.run.run_context import references_text, searched_text

    text = f"against {references_text(of.files.values())}"
    searched = searched_text(of.files, of.info.fingerprint)
    if searched:
        text += f", {searched}"
    latencies = median_latencies(changes_since_baseline(of.results))
    shown = latencies[: limit(MOST_SUITES, full=of.full)]
    return [Sentence(text, DIM, parts=tuple(shown))]


def _samples(of: SummaryOf) -> Sequence[Entries]:
    if all(info.drawn is None for info in of.files.values()):
        return []
    from pytest_relevance.reports.run.sample_text import sample_sentences

    return sample_sentences(of.files)


def _changed_test(of: SummaryOf) -> Sequence[Entries]:
    """Return how the demands changed, and which cases moved or were not compared."""
    differs = any(info.lost or info.test_changes for info in of.files.values())
    lacks_cases = (
        of.info.not_run or differs or not of.standings.isdisjoint((LOST, NOT_COMPARED))
    )
    if not (of.advises_on_baseline or of.is_compared or lacks_cases):
        return []
    from pytest_relevance.reports.run import uncompared_text
    from pytest_relevance.reports.run.changed_test import changed_test
    from pytest_relevance.reports.run.changed_test_text import change_sentences
    from pytest_relevance.reports.run.moved_text import moved_sentences

    blocks: list[Entries] = []
    if of.updating != "all":
        blocks += uncompared_text.lost_sentences(of.results, of.files, of.info)
    if of.updating is None:
        blocks += uncompared_text.not_compared_sentences(of.results, of.files)
    if of.updating not in ("all", "test"):
        changed = changed_test(of.results, of.files, of.info)
        blocks += change_sentences(changed, of.files, full=of.full)
    blocks += moved_sentences(of.files, of.updating)
    return blocks


def _emptied(of: SummaryOf) -> Sequence[Entries]:
    """Return which queries find nothing now, and which found nothing before either."""
    if not (of.advises_on_baseline or of.is_compared):
        return []
    from pytest_relevance.reports.run.emptied import (
        emptied_sentences,
        still_empty_sentences,
    )

    return [
        *emptied_sentences(changes_since_baseline(of.results)),
        *still_empty_sentences(of.results),
    ]


def _searched(of: SummaryOf) -> Sequence[Entries]:
    """Return what changed in the fingerprint since the baselines.

    [] in a brief summary, and in one that gives no advice on baselines.
    """
    if of.is_brief or not of.advises_on_baseline:
        return []
    from pytest_relevance.reports.run.run_context import searched_sentences

    return searched_sentences(of.files, of.info.fingerprint)


def _gates(of: SummaryOf) -> Sequence[Entries]:
    if not of.gates:
        return []
    from pytest_relevance.reports.run.gates import gate_sentences

    return gate_sentences(of.gates, full=of.full)


def _without_floor(of: SummaryOf) -> Sequence[Entries]:
    return without_floor_sentences(of.files)


def _filled(of: SummaryOf) -> Sequence[Entries]:
    texts = filled_texts(of.results, limit(_MOST_FILLED, full=of.full))
    return [Sentence(text, DOUBT) for text in texts]


def _cases(of: SummaryOf) -> Sequence[Entries]:
    """Return lists of the worst cases and the best, or those with the lowest scores."""
    if of.is_brief:
        return []
    if not (of.is_compared or any(has_failed(result) for result in of.results)):
        return [lowest_table(of.results, of.variants, full=of.full)]
    from pytest_relevance.reports.run.case_groups import case_groups
    from pytest_relevance.reports.run.movers import (
        MOST_ROWS,
        best_table,
        mover_list,
        mover_table,
    )

    groups = case_groups(of.results)
    lists: list[Entries] = []
    for title, changes in (
        ("fell most", groups.got_worse),
        ("fell most, within the tolerance of today", groups.fell),
        ("changed by more than allowed", groups.changed),
        ("inconclusive", groups.inconclusive),
        ("failed", groups.without_errors),
        ("changed", groups.differ),
    ):
        lists.append(
            mover_list(title, changes, of.variants, limit(MOST_ROWS, full=of.full))
        )
    if of.full:
        better = groups.got_better
        lists.append(mover_table("got better", better, of.variants, is_rise=True))
    else:
        lists.append(best_table(groups.got_better, of.variants))
    return lists


def _variants(of: SummaryOf) -> Sequence[Entries]:
    """Return the tables of the variants of a search.

    [] in a brief summary, and if there are fewer than two variants.
    """
    if of.is_brief or len(of.variants) < 2:
        return []
    from pytest_relevance.reports.run.movers import MOST_ROWS
    from pytest_relevance.reports.run.variant_tables import variant_blocks

    searched = of_case_files(of.results)
    most = limit(MOST_ROWS, full=of.full)
    return variant_blocks(searched, of.variants, most, full=of.full)


def _tags(of: SummaryOf) -> Sequence[Entries]:
    """Return the table of means by tag; [] in a brief summary, and without tags."""
    if of.is_brief:
        return []
    searched = of_case_files(of.results)
    if not any(result.tags for result in searched):
        return []
    from pytest_relevance.reports.run.mean_tables import MOST_TAGS, tag_table

    changes = changes_since_baseline(searched)
    return [tag_table(changes, of.variants, limit(MOST_TAGS, full=of.full))]


def _remarks(of: SummaryOf) -> Sequence[Entries]:
    """Return what the figures lack, whatever the verbosity: they rest on less."""
    return remarks(of.results, of.files)


def _stability(of: SummaryOf) -> Sequence[Entries]:
    return stability_remarks(of.results, full=of.full)


def _errors(of: SummaryOf) -> Sequence[Entries]:
    """Return a sentence for each error of a search; alike errors share one."""
    if all(result.verdict not in WITHOUT_SCORE for result in of.results):
        return []
    from pytest_relevance.reports.run.faults import error_sentences

    return error_sentences(of.results, full=of.full)


def _faults(of: SummaryOf) -> Sequence[Entries]:
    # a case alone has no fault in common with others, so nothing is imported
    if len(of.results) == 1 and not of.info.faults and not _has_own_fault(*of.results):
        return []
    from pytest_relevance.reports.run.faults import other_fault_sentences

    return other_fault_sentences(of.results, of.info, full=of.full)


def _has_own_fault(result: CaseResult) -> bool:
    """Say whether a case has a fault that is listed even if no other case has it."""
    lacks_values = 0 in result.ranking.field_values.values()
    return lacks_values or result.depends_on_ties


def _next_steps(of: SummaryOf) -> Sequence[Entries]:
    """Return commands that say what to do next, or the page to look at."""
    if not of.advises_on_baseline:
        return [CommandLine("look", of.page)] if of.page and not of.is_brief else []
    from pytest_relevance.reports.run.changed_test import looser_files
    from pytest_relevance.reports.run.uncompared_text import found_something_sentences
    from pytest_relevance.reports.run.update_advice import RunAgain, next_steps

    found_something = found_something_sentences(of.results, of.files)
    looser = looser_files(of.results, of.files, of.info)
    if of.is_brief and not looser.names:
        return found_something
    return [
        *found_something,
        *next_steps(
            of.results,
            of.files,
            of.updating,
            looser=looser,
            run_again=RunAgain.of(of.info, of.against),
            page=of.page,
        ),
    ]


def _written(of: SummaryOf) -> Sequence[Entries]:
    return [Sentence(text) for text in of.written]


def _why_it_fails(of: SummaryOf) -> Sequence[Sentence]:
    """Return why the run fails, apart from cases and gates; [] if it does not.

    The sentence comes last, before the line of pytest that counts cases and gates.
    """
    if not of.info.reasons_to_fail:
        return []
    from pytest_relevance.reports.run.build import reasons_beside_cases

    why = listed(reasons_beside_cases(of.info), "and")
    return [Sentence(f"the run fails because {why}", BAD)]


# --- all parts ------------------------------------------------------------------------


def _parts(of: SummaryOf) -> dict[str, Part]:
    """Return {name: part of the summary}, in the order of the summary."""
    return {
        "headline": Part(_headline(of), least=1, is_whole=True),
        "means": Part(_means(of), least=2, is_whole=True),
        "counts": Part(_counts(of), least=1, is_whole=True),
        "samples": Part(_samples(of), least=1),
        "known items": Part(_known_items(of), least=2),
        "problems": Part(_problems(of), least=3),
        "errors": Part(_errors(of), least=2),
        "changed test": Part(_changed_test(of), least=2),
        "emptied": Part(_emptied(of), least=2),
        "gates": Part(_gates(of), least=2),
        "suites": Part(_suites(of), least=1),
        "reference": Part(_reference(of), least=1),
        "cases": Part(_cases(of), least=3),
        "variants": Part(_variants(of), least=4),
        "tags": Part(_tags(of), least=0),
        "faults": Part(_faults(of), least=1),
        "without floor": Part(_without_floor(of), least=1),
        "filled": Part(_filled(of), least=1),
        "stability": Part(_stability(of), least=1),
        "remarks": Part(_remarks(of), least=1),
        "searched": Part(_searched(of), least=1),
        "next steps": Part(_next_steps(of), least=4),
        "written": Part(_written(of), least=12),
    }


_TURNS = (
    "tags",
    "suites",
    "remarks",
    "stability",
    "searched",
    "variants",
    "without floor",
    "filled",
    "faults",
    "cases",
    "reference",
    "gates",
    "samples",
    "emptied",
    "next steps",
    "changed test",
    "errors",
    "written",
    "known items",
    "means",
    "counts",
    "problems",
    "headline",
)
"""The parts in the order in which they are shortened: the least important first."""
