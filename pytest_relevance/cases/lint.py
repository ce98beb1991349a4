"""Lint for case files and judgment files: what is valid but seldom intended, for `pytest-relevance check`.

A kind of warning is a sentence of `KINDS` and a function that finds it. `cli.check` shows what is found.
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
from pytest_relevance.cases.model import Case, Suite, most_results
from pytest_relevance.judgments.model import Judgments, Ratings

CONFLICTING = "one query, two grades for the same document; decide on a grade, or give the two different params"
UNKNOWN = (
    "expected or excluded, and not in the catalogue: a misspelt id under exclude can never fail; correct the id, or "
    "take it out"
)
UNUSED = (
    "judged, but nothing looks at the judgments: no floor, no metric, no gate; write min_ndcg in the suite or in the "
    "case, or expect a metric"
)
IRRELEVANT = (
    "no judged document is relevant, so that nDCG is not defined and no floor of it applies; judge one that is, or "
    "expect results: 0, or exclude: [...]"
)
UNJUDGED = (
    "queries without judgments, which are measured without a floor; judge some of their results, or leave them out "
    "with queries: {file: ..., only: judged}"
)
BLANK = "listed without a grade, as in a worklist that waits to be filled in; judge them, or take them out"
PADDED = (
    "white space at the beginning or the end, which is part of the id or the text; take it out, unless what the search "
    "returns has it, too"
)
ABSENT = "files with fill: true that are not there, so that nothing is filled; a judge makes one, or its name is misspelt"
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
    """Something to warn of: its kind, one of `KINDS`, its position, the query, and details."""

    kind: str
    file: str
    place: Place = NOWHERE
    query: str | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class _Entry:
    """A query with its judgments. `context` tells queries of one text apart: params and such."""

    query: str
    file: str
    place: Place
    grades: Mapping[str, float] = field(default_factory=dict)
    context: Hashable = None

    def finding(self, kind: str, detail: str = "") -> LintFinding:
        """A finding about the query."""
        return LintFinding(kind, self.file, self.place, self.query, detail)

    @property
    def where(self) -> str:
        """`file:line`, or the path in a JSON text, as far as these are known."""
        return ":".join(
            str(part)
            for part in (self.file, self.place.line or self.place.path)
            if part
        )


def lint_suite(suite: Suite, *, has_baseline: bool = False) -> list[LintFinding]:
    """Find what to warn of in a suite. `has_baseline`: a baseline looks at its scores."""
    found = [
        LintFinding(NOTICE, suite.path, detail=warning) for warning in suite.warnings
    ]
    found += [
        LintFinding(ABSENT, suite.path, detail=quoted(file)) for file in suite.absent
    ]
    if suite.unjudged:
        found.append(
            LintFinding(
                UNJUDGED,
                suite.path,
                Place(line=suite.queries_line),
                detail=suite.unjudged_words,
            )
        )
    entries = []
    for case in suite.cases:
        params = json.dumps(case.params, sort_keys=True, default=str)
        context = (case.search, case.usefixtures, params)
        entry = _Entry(
            case.query,
            case.source or suite.path,
            Place(line=case.line),
            case.judgments,
            context,
        )
        entries.append(entry)
        gains = case.settings.gains
        if case.judgments and all(
            gains[grade] <= 0 for grade in case.judgments.values()
        ):
            found += [entry.finding(IRRELEVANT)] if most_results(case.expect) else []
        elif case.judgments and not has_baseline and not _has_scored_condition(case):
            found.append(entry.finding(UNUSED))
    return [*found, *_conflicting(entries)]


def lint_expected(suite: Suite, known: Container[str]) -> Iterator[LintFinding]:
    """Find the documents that expectations name and the catalogue, whose ids are `known`, does not have."""
    seen = set()
    for case in suite.cases:
        for expected in case.expect:
            absent = [
                document for document in expected.documents if document not in known
            ]
            if absent and not (expected.inherited and expected in seen):
                seen.add(expected)
                detail = f"{expected.kind}: {examples(absent)}"
                yield LintFinding(
                    UNKNOWN,
                    case.source or suite.path,
                    Place(line=case.line),
                    case.query,
                    detail,
                )


def lint_judgments(judgments: Judgments, rows: Ratings) -> list[LintFinding]:
    """Find what to warn of in a judgment file; `rows` are its rows as they are written."""
    file = judgments.file
    entries = [
        _Entry(
            judgments.text(query),
            file,
            judgments.place(query, next(iter(grades))),
            grades,
        )
        for query, grades in judgments.items()
        if grades
    ]
    return [
        *(LintFinding(NOTICE, file, detail=notice) for notice in judgments.notices),
        *lint_rows(rows),
        *(
            entry.finding(IRRELEVANT)
            for entry in entries
            if max(entry.grades.values()) <= 0
        ),
        *_conflicting(entries),
    ]


def lint_rows(rows: Ratings) -> list[LintFinding]:
    """Find rows of a judgment file that nobody has filled in, and ids with white space."""
    blank, total = blank_documents(rows)
    found = (
        [
            LintFinding(
                BLANK, rows.file, detail=f"{blank:,} of {counted(total, 'document')}"
            )
        ]
        if blank
        else []
    )
    return [
        *found,
        *_padded(rows.file, rows.documents, rows.place, "document"),
        *_padded(rows.file, rows.queries, rows.place, "query"),
    ]


def blank_documents(rows: Ratings) -> tuple[int, int]:
    """Count the documents in the rows of a judgment file that have no grade, and all documents; 0 and 0 without any."""
    blank = {
        rating
        for rating in set(rows.ratings)
        if rating is None or not str(rating).strip()
    }
    if not blank:
        return 0, 0
    filled_in: dict[tuple[str, str], bool] = {}
    for query, document, rating in zip(
        rows.queries, rows.documents, rows.ratings, strict=True
    ):
        filled_in[query, document] = (
            filled_in.get((query, document), False) or rating not in blank
        )
    return list(filled_in.values()).count(False), len(filled_in)


def _padded(
    file: str, texts: Sequence[str], place: Callable[[int], Place], what: str
) -> Iterator[LintFinding]:
    """Find ids or texts that begin or end with white space, at the position of the first one."""
    padded = {text for text in set(texts) if text != text.strip()}
    if padded:
        first = next(row for row, text in enumerate(texts) if text in padded)
        more = f", and {len(padded) - 1:,} more" if len(padded) > 1 else ""
        yield LintFinding(
            PADDED,
            file,
            place(first),
            detail=f"the {what} {quoted(texts[first], 40)}{more}",
        )


def _has_scored_condition(case: Case) -> bool:
    """Whether a floor, an expectation or a gate looks at a score of the case."""
    if case.min_ndcg is not None or any(
        expected.kind == "metric" for expected in case.expect
    ):
        return True
    of_gates = (
        (gate, [each for each in gate.metrics if not each.is_similarity])
        for gate in case.terms.gates
    )
    return any(
        metrics and (gate.tag is None or gate.tag in case.tags)
        for gate, metrics in of_gates
    )


def _conflicting(entries: Iterable[_Entry]) -> Iterator[LintFinding]:
    """Find the queries that are the same as an earlier one, or nearly, and judge a document differently."""
    earlier: dict[Hashable, _Entry] = {}
    for entry in entries:
        other = earlier.setdefault((normalized(entry.query), entry.context), entry)
        if differing := [
            name
            for name, grade in entry.grades.items()
            if other.grades.get(name, grade) != grade
        ]:
            here, there = (f"{each.grades[differing[0]]:g}" for each in (entry, other))
            more = f", and {len(differing) - 1:,} more" if len(differing) > 1 else ""
            what = f"document {quoted(differing[0], 40)} has grade {here} here and {there} in {other.where}{more}"
            yield entry.finding(CONFLICTING, what)


def normalized(query: str) -> str:
    """Drop what people do not see or do not mean in a query: case, blanks, the form of characters."""
    text = query if query.isascii() else unicodedata.normalize("NFKC", query)
    return " ".join(text.casefold().split())
