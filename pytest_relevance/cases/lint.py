"""Lint for case files and judgment files: what is valid but seldom intended, for `pytest-relevance check`.

A kind of warning is a sentence of `KINDS` and a function that finds it. `cli.check` shows what
is found.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import (
    Callable,
    Container,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, field

from pytest_relevance._problems import NOWHERE, Place
from pytest_relevance._text import counted, examples, quoted
from pytest_relevance.cases.model import Case, Gate, Suite, most_results
from pytest_relevance.judgments.model import Judgments, Ratings

CONFLICTING = (
    "one query, two grades for the same document; decide on a grade, or give the two "
    "different params"
)
UNKNOWN = (
    "expected or excluded, and not in the catalogue: a misspelt id under exclude can never "
    "fail; correct the id, or take it out"
)
UNUSED = (
    "judged, but nothing looks at the judgments: no floor, no metric, no gate; write "
    "min_ndcg in the suite or in the case, or expect a metric"
)
IRRELEVANT = (
    "no judged document is relevant, so that nDCG is not defined and no floor of it "
    "applies; judge one that is, or expect results: 0, or exclude: [...]"
)
UNJUDGED = (
    "queries without judgments, which are measured without a floor; judge some of their "
    "results, or leave them out with queries: {file: ..., only: judged}"
)
BLANK = (
    "listed without a grade, as in a worklist that waits to be filled in; judge them, or "
    "take them out"
)
PADDED = (
    "white space at the beginning or the end, which is part of the id or the text; take it "
    "out, unless what the search returns has it, too"
)
ABSENT = (
    "files with fill: true that are not there, so that nothing is filled; a judge makes "
    "one, or its name is misspelt"
)
NOTICE = "said in reading; see each of them"
KINDS = (
    CONFLICTING,
    UNKNOWN,
    UNUSED,
    IRRELEVANT,
    UNJUDGED,
    BLANK,
    PADDED,
    ABSENT,
    NOTICE,
)
"""Every kind of warning, the most urgent first: what is found, and the advice on it."""


@dataclass(frozen=True, slots=True)
class LintFinding:
    """Something to warn of.

    `kind`: one of `KINDS`.
    `query`: the text of the query that it is about; None if it is about the whole file.
    """

    kind: str
    file: str
    place: Place = NOWHERE
    query: str | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class _Entry:
    """A query with its judgments.

    `context` tells queries of one text apart, for example by the params of their cases.
    """

    query: str
    file: str
    place: Place
    grades: Mapping[str, float] = field(default_factory=dict)
    context: Hashable = None

    def finding(self, kind: str, detail: str = "") -> LintFinding:
        """Make a finding about the query."""
        return LintFinding(
            kind=kind,
            file=self.file,
            place=self.place,
            query=self.query,
            detail=detail,
        )

    @property
    def where(self) -> str:
        """`file:line`, or the path in a JSON text, as far as these are known."""
        position = self.place.line or self.place.path
        return f"{self.file}:{position}" if position else self.file


# Case files


def lint_suite(suite: Suite, *, has_baseline: bool = False) -> list[LintFinding]:
    """Find what to warn of in a suite. `has_baseline`: a baseline looks at its scores."""
    findings = _lint_files_of(suite)
    entries = []
    for case in suite.cases:
        entry = _entry_of(case, suite)
        entries.append(entry)
        if not case.judgments:
            continue
        if not _has_gain(case):
            if most_results(case.expect) > 0:
                findings.append(entry.finding(IRRELEVANT))
        elif not has_baseline and not _has_scored_condition(case):
            findings.append(entry.finding(UNUSED))
    findings.extend(_conflicting(entries))
    return findings


def _lint_files_of(suite: Suite) -> list[LintFinding]:
    """Find what to warn of in the files that a suite names."""
    findings = []
    for warning in suite.warnings:
        findings.append(LintFinding(NOTICE, suite.path, detail=warning))
    for file in suite.absent:
        findings.append(LintFinding(ABSENT, suite.path, detail=quoted(file)))
    if suite.unjudged:
        place = Place(line=suite.queries_line)
        detail = suite.unjudged_words
        findings.append(LintFinding(UNJUDGED, suite.path, place, detail=detail))
    return findings


def _entry_of(case: Case, suite: Suite) -> _Entry:
    params = json.dumps(case.params, sort_keys=True, default=str)
    return _Entry(
        query=case.query,
        file=case.source or suite.path,
        place=Place(line=case.line),
        grades=case.judgments,
        context=(case.search, case.usefixtures, params),
    )


def _has_gain(case: Case) -> bool:
    """Whether any judged document has a gain above 0."""
    gains = case.settings.gains
    return any(gains[grade] > 0 for grade in case.judgments.values())


def _has_scored_condition(case: Case) -> bool:
    """Whether a floor, an expectation or a gate looks at a score of the case."""
    if case.min_ndcg is not None:
        return True
    if any(expected.needs_judgments for expected in case.expect):
        return True
    for gate in case.terms.gates:
        if gate.tag is None or gate.tag in case.tags:
            if _looks_at_judgments(gate):
                return True
    return False


def _looks_at_judgments(gate: Gate) -> bool:
    return any(not metric.is_similarity for metric in gate.metrics)


def lint_expected(suite: Suite, known: Container[str]) -> Iterator[LintFinding]:
    """Find the documents that expectations name and the catalogue does not have.

    `known` are the ids in the catalogue.
    """
    of_suite = set()
    for case in suite.cases:
        for expected in case.expect:
            absent = [name for name in expected.documents if name not in known]
            if not absent or expected in of_suite:
                continue
            if expected.inherited:
                of_suite.add(expected)
            detail = f"{expected.kind}: {examples(absent)}"
            yield _entry_of(case, suite).finding(UNKNOWN, detail)


# Judgment files


def lint_judgments(judgments: Judgments, rows: Ratings) -> list[LintFinding]:
    """Find what to warn of in a judgment file; `rows` are its rows as they are written."""
    file = judgments.file
    findings = []
    for notice in judgments.notices:
        findings.append(LintFinding(NOTICE, file, detail=notice))
    findings.extend(lint_rows(rows))
    entries = []
    for query, grades in judgments.items():
        if not grades:
            continue
        first_document = next(iter(grades))
        entry = _Entry(
            query=judgments.text(query),
            file=file,
            place=judgments.place(query, first_document),
            grades=grades,
        )
        entries.append(entry)
        if max(grades.values()) <= 0:
            findings.append(entry.finding(IRRELEVANT))
    findings.extend(_conflicting(entries))
    return findings


def lint_rows(rows: Ratings) -> list[LintFinding]:
    """Find rows of a judgment file that nobody has filled in, and ids with white space."""
    findings = []
    blank = blank_documents(rows)
    if blank.blank:
        detail = f"{blank.blank:,} of {counted(blank.total, 'document')}"
        findings.append(LintFinding(BLANK, rows.file, detail=detail))
    for what, texts in (("document", rows.documents), ("query", rows.queries)):
        padded = _padded(rows.file, texts, place=rows.place, what=what)
        if padded is not None:
            findings.append(padded)
    return findings


@dataclass(frozen=True, slots=True)
class BlankDocuments:
    """How many documents in a judgment file have no grade, and how many there are.

    A document that is judged for two queries counts twice. Both are 0 if every row has a grade.
    """

    blank: int
    total: int


def blank_documents(rows: Ratings) -> BlankDocuments:
    """Count the documents in the rows of a judgment file that have no grade."""
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


def _padded(
    file: str, texts: Sequence[str], place: Callable[[int], Place], what: str
) -> LintFinding | None:
    """Find ids or texts that begin or end with white space, at the position of the first one."""
    padded = {text for text in set(texts) if text != text.strip()}
    if not padded:
        return None
    first = next(row for row, text in enumerate(texts) if text in padded)
    detail = f"the {what} {quoted(texts[first], 40)}{_and_more(len(padded))}"
    return LintFinding(PADDED, file, place(first), detail=detail)


# Both


def _conflicting(entries: Iterable[_Entry]) -> Iterator[LintFinding]:
    """Find queries that judge a document differently from an earlier query that is the same, or nearly."""
    earlier: dict[Hashable, _Entry] = {}
    for entry in entries:
        key = (normalized(entry.query), entry.context)
        other = earlier.setdefault(key, entry)
        differing = []
        for document, grade in entry.grades.items():
            if other.grades.get(document, grade) != grade:
                differing.append(document)
        if not differing:
            continue
        first = differing[0]
        detail = (
            f"document {quoted(first, 40)} has grade {entry.grades[first]:g} here and "
            f"{other.grades[first]:g} in {other.where}{_and_more(len(differing))}"
        )
        yield entry.finding(CONFLICTING, detail)


def _and_more(count: int) -> str:
    """Say how many there are besides the first one: `, and 2 more`."""
    return f", and {count - 1:,} more" if count > 1 else ""


def normalized(query: str) -> str:
    """Drop what people do not see or do not mean in a query: case, blanks, the form of characters."""
    text = query if query.isascii() else unicodedata.normalize("NFKC", query)
    return " ".join(text.casefold().split())
