"""The summary at the end of a run: how search does, what changed, and what to do.

Modules that the summary of a small passing run does not need are imported where they
are used, so that it starts fast.

A search whose fixture has parameters runs with each of them. These are its variants,
and the summary compares them. The checks of tests in Python (`relevance.check`) search
nothing themselves: they have suite lines, but no comparisons.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os.path import isabs
from typing import TYPE_CHECKING

from pytest_relevance.reports.blocks import Block, Sentence, lines_of
from pytest_relevance.reports.run.case_tables import lowest_table
from pytest_relevance.reports.run.remarks import (
    filled_texts,
    remarks,
    without_floor_sentences,
)
from pytest_relevance.reports.run.stability import stability_remarks
from pytest_relevance.reports.run.suites import suite_sentences
from pytest_relevance.reports.run.variant_labels import Variant, variants_of
from pytest_relevance.reports.styled_lines import DIM, DOUBT, Line
from pytest_relevance.reports.terminal_text import WIDEST
from pytest_relevance.results.case_parts import (
    LOST,
    NOT_COMPARED,
    WITHOUT_COMPARISON,
)
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.changes import changes_since_baseline
from pytest_relevance.results.records.run_info import FileInfo, RunInfo

if TYPE_CHECKING:
    from pytest_relevance.gates.judging import GateResult
    from pytest_relevance.reports.run.headline import Headline

_MOST_FILLED = 3
_AGAINST = "--relevance-against"


@dataclass(frozen=True)
class SummaryOf:
    """A run, and options of its summary.

    `verbosity`: as pytest counts it. Below 0 the summary has the suites and little
    more, above 0 nothing is cut.
    `updating`: what the run accepts into the baseline, "all" or "new"; None for
    nothing.
    `against`: the record to compare with, as the command line names it.
    `has_advice`: whether the summary says what to do with the baseline.
    """

    results: Sequence[CaseResult]
    files: Mapping[str, FileInfo]
    info: RunInfo
    gates: Sequence[GateResult] = ()
    verbosity: int = 0
    updating: str | None = None
    against: str = ""
    has_advice: bool = True

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
    """Return the summary of a run, at most `width` columns wide if names allow it."""
    blocks: list[Block] = []
    for blocks_of in _QUIET_PARTS if of.verbosity < 0 else _PARTS:
        blocks += blocks_of(of)
    return lines_of(blocks, width)


# --- the parts: each has no blocks if it does not apply -------------------------------


def headline_of(of: SummaryOf) -> Headline:
    """Return the headline of a run."""
    from pytest_relevance.reports.run.headline import headline

    return headline(of.results, of.gates, of.info, files=of.files)


def _headline(of: SummaryOf) -> Sequence[Block]:
    if not of.is_compared:
        return []
    from pytest_relevance.reports.run.headline import FINE

    said = headline_of(of)
    return [] if said.kind == FINE else [Sentence(said.text, said.style)]


def _suites(of: SummaryOf) -> Sequence[Block]:
    return suite_sentences(of.results, of.variants, of.gates)


def _since_reference(of: SummaryOf) -> Sequence[Block]:
    """Return what changed since the reference, and which cases are not compared.

    There are no sentences if the run has no reference.
    """
    differs = any(about.lost or about.test_changes for about in of.files.values())
    lacks_cases = (
        of.info.not_run or differs or not of.standings.isdisjoint((LOST, NOT_COMPARED))
    )
    if not (of.advises_on_baseline or of.is_compared or lacks_cases):
        return []
    from pytest_relevance.reports.run import uncompared
    from pytest_relevance.reports.run.baseline import (
        emptied_sentences,
        mean_sentences,
        still_empty_sentences,
        whole_mean_sentences,
    )
    from pytest_relevance.reports.run.changed_test import (
        change_sentences,
        changed_test,
    )
    from pytest_relevance.reports.run.moved_text import moved_sentences

    blocks: list[Block] = []
    for name in dict.fromkeys(about.against for _, about in sorted(of.files.items())):
        if name:
            blocks.append(Sentence(f"against {name}:", DIM))
    blocks += whole_mean_sentences(of.results, headline_of(of).told)
    by_suite = mean_sentences(of.results, only_changes=True)
    blocks += by_suite if len(by_suite) > 1 else []
    if of.updating not in ("all", "test"):
        changed = changed_test(of.results, of.files, of.info)
        is_recorded = any(about.against for about in of.files.values())
        blocks += change_sentences(
            changed,
            of.files,
            full=of.full,
            has_remedy=not (of.updating or is_recorded or of.info.requires_baseline),
        )
    blocks += moved_sentences(of.files, of.updating)
    if of.updating != "all":
        blocks += uncompared.lost_sentences(of.results, of.files, of.info)
    if of.updating is None:
        blocks += uncompared.not_compared_sentences(of.results, of.files)
    blocks += emptied_sentences(changes_since_baseline(of.results))
    blocks += still_empty_sentences(of.results)
    return blocks


def _without_floor(of: SummaryOf) -> Sequence[Block]:
    return without_floor_sentences(of.files)


def _filled(of: SummaryOf) -> Sequence[Block]:
    texts = filled_texts(of.results, of.most(_MOST_FILLED))
    return [Sentence(text, DOUBT) for text in texts]


def _means(of: SummaryOf) -> Sequence[Block]:
    """Return the tables of means: by tag, and of the variants of a search."""
    searched = [result for result in of.results if not result.is_check]
    has_tags = any(result.tags for result in searched)
    if not (of.advises_on_baseline or has_tags or len(of.variants) > 1):
        return []
    from pytest_relevance.reports.run.mean_tables import MOST_TAGS, tag_table
    from pytest_relevance.reports.run.movers import MOST_ROWS
    from pytest_relevance.reports.run.variant_tables import variant_blocks

    changes = changes_since_baseline(searched)
    tags = tag_table(changes, of.variants, of.most(MOST_TAGS))
    most = of.most(MOST_ROWS)
    return [tags, *variant_blocks(searched, of.variants, most, full=of.full)]


def _lowest(of: SummaryOf) -> Sequence[Block]:
    if of.is_compared:
        return []
    return [lowest_table(of.results, of.variants, full=of.full)]


def _remarks(of: SummaryOf) -> Sequence[Block]:
    return remarks(of.results, of.files, full=of.full)


def _stability(of: SummaryOf) -> Sequence[Block]:
    return stability_remarks(of.results)


def _movers(of: SummaryOf) -> Sequence[Block]:
    """Return what was searched then and now, and which cases fell and rose."""
    if not of.advises_on_baseline:
        return []
    from pytest_relevance.reports.run.baseline import searched_sentences
    from pytest_relevance.reports.run.movers import MOST_ROWS, mover_tables

    searched = searched_sentences(of.files, of.info.fingerprint)
    return [*searched, *mover_tables(of.results, of.variants, of.most(MOST_ROWS))]


def _advice(of: SummaryOf) -> Sequence[Block]:
    if not of.advises_on_baseline:
        return []
    from pytest_relevance.reports.run.uncompared import found_something_sentences
    from pytest_relevance.reports.run.update_advice import update_sentences

    against = of.against or _reference_in(of.info.command)
    return [
        *found_something_sentences(of.results, of.files),
        *update_sentences(of.results, of.files, of.updating, against=against),
    ]


def _has_own_fault(result: CaseResult) -> bool:
    """Say whether a case has a fault that is worth a line if no other case has it."""
    lacks_values = 0 in result.ranking.field_values.values()
    return lacks_values or result.depends_on_ties


def _faults(of: SummaryOf) -> Sequence[Block]:
    # one case alone shares no fault with others: the imports are spared
    if len(of.results) == 1 and not of.info.faults and not _has_own_fault(*of.results):
        return []
    from pytest_relevance.reports.run.faults import fault_sentences

    return fault_sentences(of.results, of.info, full=of.full)


_QUIET_PARTS = (
    _suites,
    _since_reference,
    _without_floor,
    _filled,
    _stability,
    _faults,
)
_PARTS = (
    _headline,
    _suites,
    _since_reference,
    _without_floor,
    _filled,
    _means,
    _lowest,
    _remarks,
    _movers,
    _advice,
    _faults,
)
"""The parts of a summary in their order: below verbosity 0, and from 0 on."""


def _reference_in(command: Sequence[str]) -> str:
    """Return the record to compare with, as a command line names it, or "".

    An absolute path is left out: it is of another machine.
    """
    name = ""
    for place, argument in enumerate(command):
        if argument == _AGAINST:
            name = "".join(command[place + 1 : place + 2])
        elif argument.startswith(f"{_AGAINST}="):
            name = argument.removeprefix(f"{_AGAINST}=")
    return "" if isabs(name) else name
