"""Compare with the record of another run instead of a committed baseline, and compare
two files without a search.

`compare_recorded` compares a recorded run with a baseline or with another record.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace

from pytest_relevance.cases.model import Gate
from pytest_relevance.metrics.measures import score
from pytest_relevance.metrics.names import is_similarity, parse_metric
from pytest_relevance.metrics.ndcg import GradedRanking, grade_ranking
from pytest_relevance.results.case_parts import (
    NEW,
    NOT_COMPARED,
    STALE,
    BaselineComparison,
)
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.filled import as_people_see_it
from pytest_relevance.results.outcomes import with_similarities
from pytest_relevance.results.records import baseline_comparison
from pytest_relevance.results.records.accepted_outcomes import (
    AcceptedOutcomes,
    accepted_cases,
    need_missed,
)
from pytest_relevance.results.records.baseline import (
    BaselineEntries,
    BaselineEntry,
    EntryKey,
    asked_of,
    entry_of,
)
from pytest_relevance.results.records.file import read_record
from pytest_relevance.results.records.moved_cases import (
    Moves,
    Place,
    PlacedCase,
    find_moves,
)
from pytest_relevance.results.records.reference import (
    SilentSearch,
    is_incomplete,
    silent_searches_of,
)
from pytest_relevance.results.records.run import Run
from pytest_relevance.results.records.run_info import (
    GONE,
    NOT_RUN,
    FileInfo,
    Fingerprint,
    Lost,
    RecordError,
)
from pytest_relevance.results.records.uncompared import (
    as_lost,
    lost_metrics,
    why_undefined,
    why_without_ranking,
)
from pytest_relevance.results.scoring import defined

Entries = Mapping[str, BaselineEntries]
"""The entries of each case file."""


@dataclass(frozen=True, slots=True)
class RecordedRankings:
    """The rankings of a record, which messages call `name`.

    `entries` are the accepted rankings of each case file, by its name in the record;
    `nodes` are the names by pytest's node id. `silent` are the searches that found
    nothing in most cases.
    """

    name: str
    entries: Entries = field(default_factory=dict)
    nodes: Mapping[str, str] = field(default_factory=dict)
    silent: Sequence[SilentSearch] = ()

    def of_file(self, node: str, file: str) -> BaselineEntries:
        """The entries of a case file, found by its node id, or else by its name; empty
        for an unknown one.
        """
        return self.entries.get(self.name_of(node, file), BaselineEntries())

    def not_run(self, ran: Iterable[tuple[str, str]]) -> tuple[str, ...]:
        """The names of the recorded case files that are not among those that ran, given
        by node id and name.
        """
        names = {self.name_of(node, file) for node, file in ran}
        return tuple(
            file for file, found in self.entries.items() if found and file not in names
        )

    def node_of(self, file: str) -> str:
        """The node id of a recorded case file: its path in the project."""
        for node, name in self.nodes.items():
            if name == file:
                return node
        return file

    def name_of(self, node: str, file: str) -> str:
        """The name that the record has of a case file."""
        return self.nodes.get(node, file.replace(os.sep, "/"))


def read_rankings(
    path: str | os.PathLike[str], shown: str | None = None
) -> RecordedRankings:
    """Read the rankings of a record. Raises `RecordError` for a damaged record and for
    a run that did not finish.
    """
    name = shown or os.fspath(path)
    record = read_record(path, shown)
    if incomplete := is_incomplete(record.info):
        raise RecordError.at(name, incomplete)
    return RecordedRankings(
        name,
        entries=entries_of(record.results, record.info.fingerprint, record.files),
        nodes={info.node or file: file for file, info in record.files.items()},
        silent=silent_searches_of(record.results),
    )


def entries_of(
    results: Sequence[CaseResult],
    fingerprint: Fingerprint,
    files: Mapping[str, FileInfo],
) -> dict[str, BaselineEntries]:
    """The entries that accept the rankings of results, by case file; none for a case
    without a score.

    `fingerprint` says what was searched. `files` have the cases that were collected and
    did not run.
    """
    entries: dict[str, BaselineEntries] = {}
    for result in results:
        if result.evaluation.scores and not result.is_check:
            entry = replace(entry_of(result), call=result.call)
            of_file = entries.setdefault(
                result.file, BaselineEntries(fingerprint=fingerprint)
            )
            of_file.setdefault(entry.key, entry)
            of_file.titles.update(result.texts.titles)
    for file, without_ranking in _without_ranking(results, files).items():
        of_file = entries.setdefault(file, BaselineEntries(fingerprint=fingerprint))
        for key, why in without_ranking.items():
            if key not in of_file:
                of_file.without_ranking[key] = why
    return entries


def _without_ranking(
    results: Iterable[CaseResult], files: Mapping[str, FileInfo]
) -> dict[str, dict[EntryKey, str]]:
    """Find the cases of each file that may have no ranking, with the reason."""
    found: dict[str, dict[EntryKey, str]] = {}
    for file, about in files.items():
        found[file] = {}
        for case, variant, *_ in about.cases:
            found[file][case, variant] = NOT_RUN
    for result in results:
        if not result.is_check and not result.evaluation.scores:
            of_file = found.setdefault(result.file, {})
            of_file[result.id, result.variant] = why_without_ranking(result)
    return found


def compare_recorded(
    run: Run, entries: Entries, name: str, other: Iterable[CaseResult] = ()
) -> Run:
    """A recorded run with its results compared with other rankings, which reports call
    `name`.

    Verdicts and reasons stay as they were recorded. The accepted rankings are scored
    under the judgments of the run. Where `other`, the results of the other record, has
    the same judgments, its grades are used; else the grades of the judged documents
    that the run names. If a grade is not known, the entry is stale.
    """
    theirs = {result.key: result for result in other if not result.is_check}
    moves = _moves(run, entries)
    entries = _with_moves(entries, moves)
    gates = {
        file: [recorded.gate for recorded in info.gates]
        for file, info in run.files.items()
    }
    results: list[CaseResult] = []
    ran: dict[str, dict[EntryKey, CaseResult]] = {}
    for result in run.results:
        if not result.is_check:
            file, key = result.file, (result.id, result.variant)
            ran.setdefault(file, {})[key] = result
            of_file = entries.get(file, BaselineEntries())
            entry = of_file.get(key)
            if result.evaluation.scores:
                place = Place(result.file, result.id, result.variant)
                place = moves.moved.get(place, place)
                why = of_file.without_ranking.get(key, "")
                result = _compared(
                    result, entry, theirs.get(place.key), gates.get(file, ()), why
                )
            elif entry is not None:
                result = as_lost(result, entry.scores)
            else:
                result = replace(result, baseline=None)
        results.append(result)
    files = {}
    for file, info in run.files.items():
        of_file = entries.get(file, BaselineEntries())
        lost, searched = (
            _lost(info, file, of_file, ran.get(file, {})),
            of_file.fingerprint,
        )
        files[file] = replace(
            moves.noted_in(info, file),
            has_baseline=True,
            lost=lost,
            against=name,
            fingerprint=searched,
            accepted=accepted_cases(of_file, gates[file]),
        )
    not_run = tuple(file for file in entries if file not in ran and entries[file])
    return Run(results, files, replace(run.info, not_run=not_run), name=run.name)


def _moves(run: Run, entries: Entries) -> Moves:
    """The cases of a recorded run that the entries have at another place."""
    ran: dict[str, dict[EntryKey, CaseResult]] = {}
    for result in run.results:
        if not result.is_check:
            ran.setdefault(result.file, {})[result.id, result.variant] = result
    gone, new = [], []
    for file, of_file in entries.items():
        info, results = run.files.get(file), ran.get(file, {})
        is_whole = info is None or info.is_whole(results.values(), file)
        for key, entry in of_file.items():
            result_now = results.get(key)
            is_gone = result_now is None and is_whole
            if is_gone or (result_now is not None and not _asks(result_now, entry)):
                gone.append(PlacedCase(Place(file, *key), entry.asked))
    if not gone:
        return Moves()
    for file, results in ran.items():
        of_file = entries.get(file, BaselineEntries())
        for key, result in results.items():
            if key in of_file.without_ranking:
                continue  # the reference knows the case at this place
            entry_now = of_file.get(key)
            if entry_now is None or not _asks(result, entry_now):
                is_scored = bool(result.evaluation.scores)
                digest = result.evaluation.digest if is_scored else ""
                asked = asked_of(result.query, result.params, digest)
                new.append(PlacedCase(Place(file, *key), asked))
    return find_moves(gone, new)


def _asks(result: CaseResult, entry: BaselineEntry) -> bool:
    """Whether a case has the query and the params of an entry."""
    if result.query != entry.query:
        return False
    if not (result.params or entry.params):
        return True
    return asked_of(result.query, result.params, entry.digest) == entry.asked


def _with_moves(entries: Entries, moves: Moves) -> Entries:
    """The entries, those of moved cases where these stand now."""
    found = dict(entries)
    for file, moved in moves.entries(entries).items():
        found[file] = copy(entries.get(file, BaselineEntries()))
        found[file].move(moved)
    return found


def _lost(
    info: FileInfo,
    file: str,
    entries: BaselineEntries,
    ran: Mapping[EntryKey, CaseResult],
) -> tuple[Lost, ...]:
    """The cases of the entries that a recorded run does not compare; if the whole file
    ran, also deleted cases.
    """
    is_whole = info.is_whole(ran.values(), file)
    gone = [key for key in entries if key not in ran] if is_whole else []
    return tuple((*key, GONE) for key in gone)


def _compared(
    result: CaseResult,
    entry: BaselineEntry | None,
    other: CaseResult | None,
    gates: Iterable[Gate],
    why_no_entry: str,
) -> CaseResult:
    """A recorded result compared with an entry, made of the result `other` of another
    record.

    `why_no_entry` is why the reference knows the case and has no entry of it.
    """
    gates = [*gates]
    similarities = [
        parse_metric(name) for name in result.evaluation.scores if is_similarity(name)
    ]
    if similarities:  # with another ranking than that of the entry
        result = with_similarities(result, (), None)
    if entry is None:
        standing = NOT_COMPARED if why_no_entry else NEW
        return replace(result, baseline=BaselineComparison(standing, why=why_no_entry))
    similarities += [metric for gate in gates for metric in gate.similarities]
    is_short = (
        not entry.whole and result.ranking.whole and len(entry.documents) >= entry.depth
    )
    is_short = is_short or baseline_comparison.lacks_ranks(entry, result, similarities)
    stale = baseline_comparison.changes_since(
        entry, result.query, result.conditions.depth, result.params, was_cut=is_short
    )
    grades = _grades(result, entry, other)
    if grades is None:
        stale += (
            "the record does not name the judgments of all documents that were returned then",
        )
    if grades is None or stale:
        return replace(result, baseline=BaselineComparison(STALE, stale=stale))
    accepted = entry.ranking(result.conditions.settings)
    if similarities:
        result = with_similarities(result, similarities, accepted)
    known = grade_ranking(accepted, grades)
    graded = GradedRanking(known.grades, known.repeated, result.graded.judged)
    before = defined(score(result.metric, graded, result.conditions.settings))
    scores = baseline_comparison.gate_scores(result, gates, graded, expects_known=True)
    if other is not None and other.evaluation.digest == result.evaluation.digest:
        # the values of a project's own metrics are taken as they were recorded
        theirs = other.evaluation.scores
        own = (
            metric.text
            for gate in gates
            for metric in gate.metrics
            if not metric.is_computable
        )
        scores |= {name: theirs[name] for name in own if name in theirs}
    found, reasons = baseline_comparison.comparison_of(
        result, entry, graded, before, scores
    )
    if need_missed(gates):
        accepted_side = AcceptedOutcomes(result, entry, graded, before)
        found = replace(found, missed=accepted_side.misses_any())
    of_people = _people_scores(result, accepted, grades)
    if of_people:
        found = as_people_see_it(result, replace(found, people_scores=of_people))
    if result.is_known and found.failed_before:
        found = replace(found, known=True)
    if lost := lost_metrics(result, entry.scores):
        why = why_undefined(
            result.evaluation.judgments.keys(), result.conditions.settings
        )
        found = replace(found, lost=lost, why=why)
    return result.with_baseline(found, result.verdict, reasons)


def _people_scores(
    result: CaseResult, accepted: Sequence[str], grades: Mapping[str, float]
) -> dict[str, float | None]:
    """The nDCG@k of an accepted ranking without the grades that fill.

    Empty without such grades, or if the run does not name all of them.
    """
    filled = result.evaluation.filled
    if not filled or not filled.keys() <= grades.keys():
        return {}
    counts = Counter(result.evaluation.judgments)
    counts.subtract(grades[document] for document in filled)
    of_people = {
        document: grade for document, grade in grades.items() if document not in filled
    }
    known = grade_ranking(accepted, of_people)
    graded = GradedRanking(known.grades, known.repeated, [*counts.elements()])
    value = score(result.metric, graded, result.conditions.settings)
    return {result.metric.text: defined(value)}


def _grades(
    result: CaseResult, entry: BaselineEntry, other: CaseResult | None
) -> dict[str, float] | None:
    """The grades of the documents of an entry under the judgments of a result; None
    where one is not known.
    """
    if other is not None and other.evaluation.digest == result.evaluation.digest:
        return _named(other)
    named = _named(result)
    unnamed = Counter(result.evaluation.judgments) - Counter(named.values())
    is_known = all(document in named for document in entry.documents)
    if not is_known and any(
        result.conditions.settings.gains[grade] for grade in unnamed
    ):
        return None
    return named


def _named(result: CaseResult) -> dict[str, float]:
    """The judged documents that a result names, with their grades."""
    accepted = result.baseline
    pairs = [
        *zip(result.ranking.documents, result.ranking.grades, strict=True),
        *result.evaluation.missing,
    ]
    if accepted is not None:
        pairs += zip(accepted.documents, accepted.grades, strict=False)
    return {document: grade for document, grade in pairs if grade is not None}
