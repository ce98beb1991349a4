"""Checks of case files and judgment files, for what is valid but seldom intended.

Each check is a `FileCheck`. `CHECKS` in `cli/file_check.py` has the checks by name.
`check.py` runs the checks and shows what they find. To add a check to the package,
write one here and name it in `bundled.py`.
"""

from __future__ import annotations

import json
import unicodedata
from collections import defaultdict
from collections.abc import (
    Container,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
)
from dataclasses import dataclass, field

from pytest_relevance._problems import Place, Problem
from pytest_relevance._text import counted, examples, quoted
from pytest_relevance.cases.expectation import most_results
from pytest_relevance.cases.model import Case, Suite
from pytest_relevance.cli.file_check import FileCheck
from pytest_relevance.judgments.model import IDS, Judgments, Ratings
from pytest_relevance.results.records.baseline_paths import has_baseline


@dataclass(frozen=True, slots=True)
class _Entry:
    """A query with its judgments.

    `context`: tells queries with the same text apart, for example by their params.
    """

    query: str
    place: Place
    grades: Mapping[str, float] = field(default_factory=dict)
    context: Hashable = None

    def problem(self, detail: str = "") -> Problem:
        """Return a problem at the place of this query."""
        return Problem(detail, self.place, self.query)

    @property
    def where(self) -> str:
        """The file and the line of the query: `shop.yaml:12`.

        In JSON a path in the file takes the place of the line. If neither is known,
        only the file is returned.
        """
        position = self.place.line or self.place.path
        return f"{self.place.file}:{position}" if position else self.place.file


def _entries_of_suite(suite: Suite) -> list[_Entry]:
    """Return an entry for each case, without known items: nobody graded these."""
    return [_entry_of(case, suite) for case in suite.cases if not case.is_known_item]


def _entry_of(case: Case, suite: Suite) -> _Entry:
    """Return the entry of a case, which is placed where its query is written."""
    params = json.dumps(case.params, sort_keys=True, default=str)
    return _Entry(
        query=case.query,
        place=Place(file=case.source or suite.path, line=case.line),
        grades=case.judgments,
        context=(case.search, case.usefixtures, params),
    )


def _entries_of_judgments(judgments: Judgments) -> list[_Entry]:
    """Return an entry for each query with grades, placed at its first document."""
    entries = []
    for query, grades in judgments.items():
        if not grades:
            continue
        first_document = next(iter(grades))
        place = judgments.place(query, first_document)
        entry = _Entry(
            query=judgments.text(query),
            place=_in_file(place, judgments.file),
            grades=grades,
        )
        entries.append(entry)
    return entries


def _in_file(place: Place, file: str) -> Place:
    """Return a place with the name of its file."""
    return Place(file=file, line=place.line, path=place.path)


# --- conflicting grades ---------------------------------------------------------------


def _conflicting_in_suite(suite: Suite) -> Iterator[Problem]:
    return _conflicting(_entries_of_suite(suite))


def _conflicting_in_judgments(judgments: Judgments) -> Iterator[Problem]:
    return _conflicting(_entries_of_judgments(judgments))


def _conflicting(entries: Iterable[_Entry]) -> Iterator[Problem]:
    """Yield a problem for each query whose grades contradict an earlier query.

    Two queries are the same if their normalised texts and their contexts are equal. A
    grade is compared with that of the first query which grades the document.
    """
    graded: dict[Hashable, dict[str, _Entry]] = defaultdict(dict)
    for entry in entries:
        first_entries = graded[normalized(entry.query), entry.context]
        differing = []
        for document, grade in entry.grades.items():
            other = first_entries.setdefault(document, entry)
            if other.grades[document] != grade:
                differing.append(document)
        if not differing:
            continue
        first = differing[0]
        other = first_entries[first]
        yield entry.problem(
            f"document {quoted(first, 40)} has grade {entry.grades[first]:g} here and "
            f"{other.grades[first]:g} in {other.where}{_and_more(len(differing))}"
        )


def _and_more(count: int) -> str:
    return f", and {count - 1:,} more" if count > 1 else ""


def normalized(query: str) -> str:
    """Return a query without differences in letter case, blanks and Unicode forms."""
    text = query if query.isascii() else unicodedata.normalize("NFKC", query)
    return " ".join(text.casefold().split())


CONFLICTING = FileCheck(
    name="conflicting",
    advice=(
        "one query with two grades for the same document; decide on a grade, or "
        "give the two cases different params"
    ),
    find=_conflicting_in_suite,
    find_in_judgments=_conflicting_in_judgments,
)


# --- documents that the catalogue does not have ---------------------------------------


def unknown_documents(suite: Suite, known: Container[str]) -> Iterator[Problem]:
    """Yield a problem for each expectation with documents that the catalogue lacks.

    `known`: the ids in the catalogue. An expectation of the suite is a problem once.
    """
    of_suite = set()
    for case in suite.cases:
        for expected in case.expect:
            absent = [name for name in expected.documents if name not in known]
            if not absent or expected in of_suite:
                continue
            if expected.inherited:
                of_suite.add(expected)
            yield _entry_of(case, suite).problem(f"{expected.kind}: {examples(absent)}")


# `check.py` calls `unknown_documents`, because it reads a catalogue once for all suites
UNKNOWN = FileCheck(
    name="unknown",
    advice=(
        "expected or excluded, and not in the catalogue; correct the id, or take it "
        "out. A misspelt id under exclude can never fail"
    ),
)


# --- judgments that decide nothing ----------------------------------------------------


def _unused_in_suite(suite: Suite) -> Iterator[Problem]:
    """Yield a problem for each case with judgments that no floor or metric uses."""
    if has_baseline(suite.path):  # it looks at all judgments
        return
    for case in suite.cases:
        if case.judgments and _has_gain(case) and not _has_scored_condition(case):
            yield _entry_of(case, suite).problem()


def _has_gain(case: Case) -> bool:
    """Say whether a judged document of a case is relevant, so that nDCG is defined."""
    gains = case.settings.gains
    return any(gains[grade] > 0 for grade in case.judgments.values())


def _has_scored_condition(case: Case) -> bool:
    """Say whether a floor, an expectation or a gate uses the judgments of the case."""
    if case.min_ndcg is not None:
        return True
    if any(expected.needs_judgments for expected in case.expect):
        return True
    for gate in case.terms.gates:
        looks_at_case = gate.tag is None or gate.tag in case.tags
        uses_judgments = any(not metric.is_similarity for metric in gate.metrics)
        if looks_at_case and uses_judgments:
            return True
    return False


UNUSED = FileCheck(
    name="unused",
    advice=(
        "judged, but nothing looks at the judgments: no floor, no metric, no gate; write "
        "min_ndcg in the suite or in the case, or expect a metric"
    ),
    find=_unused_in_suite,
)


def _irrelevant_in_suite(suite: Suite) -> Iterator[Problem]:
    """Yield a problem for each judged case without a relevant document.

    A case that expects no results needs none.
    """
    for case in suite.cases:
        if case.judgments and not _has_gain(case) and most_results(case.expect) > 0:
            yield _entry_of(case, suite).problem()


def _irrelevant_in_judgments(judgments: Judgments) -> Iterator[Problem]:
    for entry in _entries_of_judgments(judgments):
        if max(entry.grades.values()) <= 0:
            yield entry.problem()


IRRELEVANT = FileCheck(
    name="irrelevant",
    advice=(
        "no judged document is relevant, so nDCG is not defined and no floor applies; "
        "judge a relevant document, or expect results: 0 or exclude: [...]"
    ),
    find=_irrelevant_in_suite,
    find_in_judgments=_irrelevant_in_judgments,
)


# --- what is not judged ---------------------------------------------------------------


def _unjudged_in_suite(suite: Suite) -> Iterator[Problem]:
    if suite.unjudged:
        yield Problem(suite.unjudged_words, Place(line=suite.queries_line))


UNJUDGED = FileCheck(
    name="unjudged",
    advice=(
        "queries without judgments, of which nothing is expected; judge some of "
        "their results, or leave the queries out with queries: {file: ..., only: "
        "judged}"
    ),
    find=_unjudged_in_suite,
)


def _blank_rows(rows: Ratings) -> Iterator[Problem]:
    blank = blank_documents(rows)
    if blank.blank:
        detail = f"{blank.blank:,} of {counted(blank.total, 'document')}"
        yield Problem(detail, Place(file=rows.file))


@dataclass(frozen=True, slots=True)
class BlankDocuments:
    """How many of the documents in a judgment file have no grade.

    A document that is listed for two queries counts twice. Both numbers are 0 if every
    row has a grade.
    """

    blank: int
    total: int


def blank_documents(rows: Ratings) -> BlankDocuments:
    """Return how many documents in the rows of a judgment file have no grade."""
    blank_ratings = set()
    for rating in set(rows.ratings):
        if rating is None or not str(rating).strip():
            blank_ratings.add(rating)
    if not blank_ratings:
        return BlankDocuments(blank=0, total=0)
    documents = set()
    filled_in = set()
    for query, document, rating in zip(
        rows.queries, rows.documents, rows.ratings, strict=True
    ):
        documents.add((query, document))
        if rating not in blank_ratings:
            filled_in.add((query, document))
    return BlankDocuments(blank=len(documents) - len(filled_in), total=len(documents))


BLANK = FileCheck(
    name="blank",
    advice=(
        "listed without a grade, as in a worklist that is not filled in; judge them, or "
        "take them out"
    ),
    find_in_rows=_blank_rows,
)


# --- slips ----------------------------------------------------------------------------


def _padded_rows(rows: Ratings) -> Iterator[Problem]:
    """Yield a problem for padded document ids, and one for padded queries.

    Padded: with white space at the beginning or the end. Quotes and contexts, which
    stand in place of document ids, are not checked.
    """
    columns = [("query", rows.queries)]
    if rows.documents_are == IDS:
        columns.insert(0, ("document", rows.documents))
    for noun, texts in columns:
        padded = {text for text in set(texts) if text != text.strip()}
        if padded:
            first = next(row for row, text in enumerate(texts) if text in padded)
            detail = f"the {noun} {quoted(texts[first], 40)}{_and_more(len(padded))}"
            yield Problem(detail, _in_file(rows.place(first), rows.file))


PADDED = FileCheck(
    name="padded",
    advice=(
        "white space at the beginning or the end, which is part of the id or the text; take "
        "it out, unless what the search returns has it, too"
    ),
    find_in_rows=_padded_rows,
)


def _absent_in_suite(suite: Suite) -> Iterator[Problem]:
    for file in suite.absent:
        yield Problem(quoted(file))


ABSENT = FileCheck(
    name="absent",
    advice=(
        "files with fill: true that do not exist, so nothing is filled; make them "
        "(--relevance-judge), or correct the name"
    ),
    find=_absent_in_suite,
)


def _notices_of_suite(suite: Suite) -> Iterator[Problem]:
    for warning in suite.warnings:
        yield Problem(warning)


def _notices_of_judgments(judgments: Judgments) -> Iterator[Problem]:
    for notice in judgments.notices:
        yield Problem(notice, Place(file=judgments.file))


NOTICE = FileCheck(
    name="notice",
    advice="notices about the file; read each of them",
    find=_notices_of_suite,
    find_in_judgments=_notices_of_judgments,
)
