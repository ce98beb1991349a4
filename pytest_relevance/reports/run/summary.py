"""The summary at the end of a run: how search does, what changed, and what to do.

Modules that the summary of a small passing run does not need are imported where they
are used, so that it starts fast.

A search whose fixture has parameters runs with each of them. These are its variants,
and the summary compares them. The checks of tests in Python (`relevance.check`) search
nothing themselves: they have suite lines, but no comparisons.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from pytest_relevance._text import counted, listed
from pytest_relevance.reports.blocks import CommandLine, Sentence, lines_of
from pytest_relevance.reports.parts import MOST_LINES, Entries, Part, lines_of_parts
from pytest_relevance.reports.run.case_tables import lowest_table
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
from pytest_relevance.reports.run.variant_labels import Variant, variants_of
from pytest_relevance.reports.run.verdict import verdict
from pytest_relevance.reports.styled_lines import BAD, DIM, DOUBT, Line
from pytest_relevance.reports.terminal_text import WIDEST
from pytest_relevance.results.case_parts import (
    LOST,
    NOT_COMPARED,
    WITHOUT_COMPARISON,
)
from pytest_relevance.results.case_result import WITHOUT_SCORE, CaseResult, has_failed
from pytest_relevance.results.changes import changes_since_baseline
from pytest_relevance.results.records.run_info import FileInfo, RunInfo

if TYPE_CHECKING:
    from pytest_relevance.gates.judging import GateResult
    from pytest_relevance.reports.run.headline import Headline

_MOST_FILLED = 3


@dataclass(frozen=True)
class SummaryOf:
    """A run, and options of its summary.

    verbosity: as pytest counts it. Below 0 the summary has no tables and no commands,
        above 0 nothing is cut.
    updating: what the run accepts into the baseline: "all", "new" or "test".
    against: the record to compare with, as the command line names it.
    has_advice: whether the summary says what to do next.
    problems: what went wrong beside the cases. These texts stand behind the counts.
    written: what the run wrote. Behind these texts stands only why the run fails.
    page: the HTML report that the run wrote; empty without one.
    most_lines: how many lines it has unless it is full; None for any number.
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

    def most(self, count: int) -> int | None:
        """Return the most rows of a list: `count`, or None if nothing is cut."""
        return None if self.full else count

    @cached_property
    def variants(self) -> list[Variant]:
        """The variants of the run."""
        return variants_of(self.results)

    @cached_property
    def headline(self) -> Headline:
        """The sentence of the run."""
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
    def advises_on_baseline(self) -> bool:
        """Whether the summary says what to do with a baseline or a record."""
        return self.has_advice and any(
            about.has_baseline for about in self.files.values()
        )


def summary_lines(of: SummaryOf, width: int = WIDEST) -> list[Line]:
    """Return the summary of a run, at most `width` columns wide if names allow it.

    It has at most `most_lines` lines, unless the verbosity is above 0.
    """
    parts = []
    for part in _PARTS:
        if of.verbosity >= 0 or part.is_quiet:
            blocks = list(part.blocks(of))
            parts.append(Part(blocks, part.least, part.turn, part.is_whole))
    last = lines_of(_why_it_fails(of), width)
    most = None if of.full or of.most_lines is None else of.most_lines - len(last)
    return [*lines_of_parts(parts, width, most), *last]


# --- the parts: each has no blocks if it does not apply -------------------------------


def _problems(of: SummaryOf) -> Iterable[Entries]:
    return [Sentence(text, BAD) for text in of.problems]


def _headline(of: SummaryOf) -> Iterable[Entries]:
    """Return what became of the search, if it is compared with a reference."""
    if not of.is_compared:
        return []
    return [Sentence(of.headline.text, of.headline.style)]


def _means(of: SummaryOf) -> Iterable[Entries]:
    """Return the mean over all cases, and the counts that the headline lacks."""
    if not of.is_compared:
        return []
    from pytest_relevance.reports.run.baseline import whole_mean_sentences

    return whole_mean_sentences(of.results, of.headline.told)


def _counts(of: SummaryOf) -> Iterable[Entries]:
    said = verdict(of.results, of.gates, of.info, is_compared=of.is_compared)
    return [] if said is None else [said]


def _suites(of: SummaryOf) -> Iterable[Entries]:
    """Return sentences on the suites, of many suites on the worst.

    The last one names the records that they are compared with.
    """
    chosen = worst_suites(of.results, of.most(MOST_SUITES))
    results = [result for result in of.results if result.file in chosen]
    has_own_table = len(of.variants) > 1 and of.verbosity >= 0
    suites = suite_sentences(
        results, of.variants, of.gates, has_means=not has_own_table
    )
    if of.is_compared and len(chosen) > 1:
        from pytest_relevance.reports.run.baseline import mean_sentences

        means = mean_sentences(results, only_changes=True)
        suites = means if len(means) > 1 else suites
    more = len({result.file for result in of.results}) - len(chosen)
    if more:
        suites.append(Sentence(f"    and {counted(more, 'more suite')}", DIM))
    records = dict.fromkeys(info.against for info in of.files.values() if info.against)
    if not records:
        return suites
    against = f"against {listed(records, 'and')}"
    if len(suites) == 1:
        (suite,) = suites
        return [replace(suite, text=f"{suite.text.strip()} {against}")]
    return [*suites, Sentence(against, DIM)]


def _changed_test(of: SummaryOf) -> Iterable[Entries]:
    """Return what the test changed, and which cases are moved, lost or uncompared."""
    differs = any(about.lost or about.test_changes for about in of.files.values())
    lacks_cases = (
        of.info.not_run or differs or not of.standings.isdisjoint((LOST, NOT_COMPARED))
    )
    if not (of.advises_on_baseline or of.is_compared or lacks_cases):
        return []
    from pytest_relevance.reports.run import uncompared
    from pytest_relevance.reports.run.changed_test import (
        change_sentences,
        changed_test,
    )
    from pytest_relevance.reports.run.moved_text import moved_sentences

    blocks: list[Entries] = []
    if of.updating != "all":
        blocks += uncompared.lost_sentences(of.results, of.files, of.info)
    if of.updating is None:
        blocks += uncompared.not_compared_sentences(of.results, of.files)
    if of.updating not in ("all", "test"):
        changed = changed_test(of.results, of.files, of.info)
        blocks += change_sentences(changed, of.files, full=of.full)
    blocks += moved_sentences(of.files, of.updating)
    return blocks


def _emptied(of: SummaryOf) -> Iterable[Entries]:
    if not (of.advises_on_baseline or of.is_compared):
        return []
    from pytest_relevance.reports.run.baseline import (
        emptied_sentences,
        still_empty_sentences,
    )

    return [
        *emptied_sentences(changes_since_baseline(of.results)),
        *still_empty_sentences(of.results),
    ]


def _searched(of: SummaryOf) -> Iterable[Entries]:
    """Return what differs in what was searched then and now."""
    if not of.advises_on_baseline:
        return []
    from pytest_relevance.reports.run.baseline import searched_sentences

    return searched_sentences(of.files, of.info.fingerprint)


def _gates(of: SummaryOf) -> Iterable[Entries]:
    if not of.gates:
        return []
    from pytest_relevance.reports.run.gates import gate_sentences

    return gate_sentences(of.gates, full=of.full)


def _without_floor(of: SummaryOf) -> Iterable[Entries]:
    return without_floor_sentences(of.files)


def _filled(of: SummaryOf) -> Iterable[Entries]:
    texts = filled_texts(of.results, of.most(_MOST_FILLED))
    return [Sentence(text, DOUBT) for text in texts]


def _cases(of: SummaryOf) -> Iterable[Entries]:
    """List the worst cases and the best, or those with the lowest scores."""
    if not (of.is_compared or any(has_failed(result) for result in of.results)):
        return [lowest_table(of.results, of.variants, full=of.full)]
    from pytest_relevance.reports.run.case_groups import case_groups
    from pytest_relevance.reports.run.movers import (
        GAINED_DOCUMENT,
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
        lists.append(mover_list(title, changes, of.variants, of.most(MOST_ROWS)))
    if of.full:
        on_rise = (GAINED_DOCUMENT,)
        rose = groups.got_better
        lists.append(mover_table("got better", rose, of.variants, on_rise))
    else:
        lists.append(best_table(groups.got_better, of.variants))
    return lists


def _variants(of: SummaryOf) -> Iterable[Entries]:
    """Make the tables of the variants of a search."""
    if len(of.variants) < 2:
        return []
    from pytest_relevance.reports.run.movers import MOST_ROWS
    from pytest_relevance.reports.run.variant_tables import variant_blocks

    searched = [result for result in of.results if not result.is_check]
    most = of.most(MOST_ROWS)
    return variant_blocks(searched, of.variants, most, full=of.full)


def _tags(of: SummaryOf) -> Iterable[Entries]:
    """Make the table of means by tag."""
    searched = [result for result in of.results if not result.is_check]
    if not any(result.tags for result in searched):
        return []
    from pytest_relevance.reports.run.mean_tables import MOST_TAGS, tag_table

    changes = changes_since_baseline(searched)
    return [tag_table(changes, of.variants, of.most(MOST_TAGS))]


def _remarks(of: SummaryOf) -> Iterable[Entries]:
    return remarks(of.results, of.files)


def _stability(of: SummaryOf) -> Iterable[Entries]:
    return stability_remarks(of.results, full=of.full)


def _errors(of: SummaryOf) -> Iterable[Entries]:
    """Return the errors of searches: those that failed alike once, then the others."""
    if all(result.verdict not in WITHOUT_SCORE for result in of.results):
        return []
    from pytest_relevance.reports.run.faults import error_sentences

    return error_sentences(of.results, of.info, full=of.full)


def _faults(of: SummaryOf) -> Iterable[Entries]:
    # one case alone shares no fault with others: the imports are spared
    if len(of.results) == 1 and not of.info.faults and not _has_own_fault(*of.results):
        return []
    from pytest_relevance.reports.run.faults import other_fault_sentences

    return other_fault_sentences(of.results, of.info, full=of.full)


def _has_own_fault(result: CaseResult) -> bool:
    """Say whether a case has a fault that is worth a line if no other case has it."""
    lacks_values = 0 in result.ranking.field_values.values()
    return lacks_values or result.depends_on_ties


def _next_steps(of: SummaryOf) -> Iterable[Entries]:
    if not of.advises_on_baseline:
        return [CommandLine("look", of.page)] if of.page and of.verbosity >= 0 else []
    from pytest_relevance.reports.run.changed_test import looser_files
    from pytest_relevance.reports.run.uncompared import found_something_sentences
    from pytest_relevance.reports.run.update_advice import next_steps, reference_in

    looser = looser_files(of.results, of.files, of.info)
    if of.verbosity < 0 and not looser:
        return []
    against = of.against or reference_in(of.info.command)
    return [
        *found_something_sentences(of.results, of.files),
        *next_steps(
            of.results,
            of.files,
            of.updating,
            looser=looser,
            against=against,
            page=of.page,
        ),
    ]


def _written(of: SummaryOf) -> Iterable[Entries]:
    return [Sentence(text) for text in of.written]


def _why_it_fails(of: SummaryOf) -> Sequence[Sentence]:
    """Return why the run fails other than for a case or a gate.

    pytest's own last line has the failed cases and gates, and nothing else.
    """
    if not of.info.reasons_to_fail:
        return []
    from pytest_relevance.reports.run.build import reasons_beside_cases

    why = listed(reasons_beside_cases(of.info), "and")
    return [Sentence(f"the run fails because {why}", BAD)]


@dataclass(frozen=True, slots=True)
class _PartOfSummary:
    """A part of a summary: its blocks, and how it gives way. See `Part`.

    is_quiet: whether it is shown with a verbosity below 0 too.
    """

    blocks: Callable[[SummaryOf], Iterable[Entries]]
    least: int
    turn: int
    is_quiet: bool = True
    is_whole: bool = False


_PARTS = (
    _PartOfSummary(_headline, least=1, turn=20, is_whole=True),
    _PartOfSummary(_means, least=2, turn=19, is_whole=True),
    _PartOfSummary(_counts, least=1, turn=19, is_whole=True),
    _PartOfSummary(_problems, least=3, turn=19),
    _PartOfSummary(_errors, least=2, turn=17),
    _PartOfSummary(_changed_test, least=2, turn=16),
    _PartOfSummary(_emptied, least=2, turn=14),
    _PartOfSummary(_gates, least=2, turn=13),
    _PartOfSummary(_suites, least=1, turn=2),
    _PartOfSummary(_cases, least=3, turn=11, is_quiet=False),
    _PartOfSummary(_variants, least=4, turn=7, is_quiet=False),
    _PartOfSummary(_tags, least=0, turn=1, is_quiet=False),
    _PartOfSummary(_faults, least=1, turn=10),
    _PartOfSummary(_without_floor, least=1, turn=7),
    _PartOfSummary(_filled, least=1, turn=8),
    _PartOfSummary(_stability, least=1, turn=4),
    _PartOfSummary(_remarks, least=1, turn=3, is_quiet=False),
    _PartOfSummary(_searched, least=1, turn=6, is_quiet=False),
    _PartOfSummary(_next_steps, least=4, turn=15),
    _PartOfSummary(_written, least=12, turn=18),
)
"""The parts of a summary in their order."""
