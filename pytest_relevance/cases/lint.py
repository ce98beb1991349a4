"""Lint for case files and judgment files: what is valid but seldom intended, for `pytest-relevance check`.

A kind of warning is a row of `KINDS` and a function that finds it. `reports.findings` shows what is found.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pytest_relevance._problems import Place
from pytest_relevance._text import counted, examples, listed, quoted, spreadsheet_number
from pytest_relevance.cases.checking.reachable import always_met, most_results
from pytest_relevance.cases.model import Case, Suite
from pytest_relevance.judgments.model import Judgments, Query, Ratings

UNUSED, IRRELEVANT, RELEVANT, ALWAYS_MET = "unused", "irrelevant", "relevant", "always met"
CONFLICTING, ALIKE, BLANK, PADDED, NOTICE = "conflicting", "alike", "blank", "padded", "notice"
UNJUDGED, CHANGED, OUTLIER = "unjudged", "changed", "outlier"
IN_FILE = " in a file"
"""The kinds of queries in files of judgments or queries, which cannot give two of them different params."""

_SCIENTIFIC = re.compile(r"[0-9]([.][0-9]+)?E[+][0-9]{2,}")
"""A number as spreadsheets show one of more than eleven digits."""

_CONFLICTING = "one query, two grades for the same document"
_ALIKE = "the same query but for upper case, blanks or the form of characters"


@dataclass(frozen=True, slots=True)
class WarningKind:
    """A kind of warning: what is found, and the advice on it."""

    what: str
    advice: str


KINDS: Mapping[str, WarningKind] = {
    CONFLICTING: WarningKind(_CONFLICTING, "decide on a grade, or give the two different params"),
    ALIKE: WarningKind(_ALIKE, "keep one of them, or give them different params"),
    CONFLICTING + IN_FILE: WarningKind(_CONFLICTING, "decide on a grade, and write the query the same"),
    ALIKE + IN_FILE: WarningKind(_ALIKE, "keep one of them, or write them the same"),
    OUTLIER: WarningKind(
        "a grade far above or below all others, which one document alone has, and no scale to check it by",
        "correct it, or write the scale of the grades: scale: [0, 3] in the suite, --scale 0..3 of this command",
    ),
    ALWAYS_MET: WarningKind("a floor that no ranking can miss, not even an empty one", "raise it, or take it out"),
    UNUSED: WarningKind(
        "judged, but nothing looks at the judgments: no floor, no metric, no gate",
        "write min_ndcg in the suite or in the case, or expect a metric",
    ),
    IRRELEVANT: WarningKind(
        "no judged document is relevant, so that nDCG is not defined and no floor of it applies",
        "judge one that is, or expect results: 0, or exclude: [...]",
    ),
    RELEVANT: WarningKind(
        "every judged document is relevant, so that what is bad looks like what nobody has judged",
        "judge some results that are not relevant",
    ),
    UNJUDGED: WarningKind(
        "queries without judgments, which are measured without a floor",
        "judge some of their results, or leave them out with queries: {file: ..., only: judged}",
    ),
    BLANK: WarningKind(
        "listed without a grade, as in a worklist that waits to be filled in", "judge them, or take them out"
    ),
    PADDED: WarningKind(
        "white space at the beginning or the end, which is part of the id or the text",
        "take it out, unless what the search returns has it, too",
    ),
    CHANGED: WarningKind(
        "ids that a spreadsheet seems to have changed: one number in two forms, or in scientific notation",
        "write them as the search returns them; import such a column as text",
    ),
    NOTICE: WarningKind("said in reading", "see each of them"),
}
"""Every kind of warning, the most urgent first."""

_NOWHERE = Place()


@dataclass(frozen=True, slots=True)
class LintFinding:
    """Something to warn of: a key of `KINDS`, its position, the query, and details.

    `file` is empty where the detail says everything.
    """

    kind: str
    file: str
    place: Place = _NOWHERE
    query: str | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class _Entry:
    """A query with its judgments. `context` is what makes two queries different whatever their text: params and such.

    `in_file`: the query is in a file of judgments or queries.
    """

    query: str
    file: str
    place: Place
    grades: Mapping[str, float] = field(default_factory=dict)
    context: Hashable = None
    in_file: bool = True


def lint_suite(suite: Suite, *, has_baseline: bool = False) -> list[LintFinding]:
    """Find what to warn of in a suite. `has_baseline`: its scores are compared with those of a baseline."""
    found = [LintFinding(NOTICE, suite.path, detail=warning) for warning in suite.warnings]
    if suite.unjudged:
        found.append(LintFinding(UNJUDGED, suite.path, Place(suite.queries_line), detail=suite.unjudged_words))
    entries, without_scale = [], []
    for case in suite.cases:
        file, place = case.source or suite.path, Place(case.line)
        found += [
            LintFinding(kind, file, place, case.query, detail) for kind, detail in _case_warnings(case, has_baseline)
        ]
        context = (case.search, case.usefixtures, _frozen(case.params))
        entries.append(_Entry(case.query, file, place, case.judgments, context, case.source is not None))
        if case.terms.scale is None and not isinstance(case.settings.gain, Mapping):
            without_scale.append(entries[-1])
    return [*found, *_outliers(without_scale), *_alike(entries)]


def lint_judgments(judgments: Judgments, rows: Ratings, *, has_scale: bool = False) -> list[LintFinding]:
    """Find what to warn of in a judgment file; `rows` are its rows as they are written.

    `has_scale`: a scale that the user gave has allowed its grades.
    """
    file = judgments.file
    found = [LintFinding(NOTICE, file, detail=notice) for notice in judgments.notices]
    found += lint_rows(rows)
    entries = [
        _Entry(judgments.text(query), file, judgments.place(query, next(iter(grades))), grades)
        for query, grades in judgments.items()
        if grades
    ]
    for entry in entries:
        kind = _one_sided(grade > 0 for grade in entry.grades.values())
        if kind:
            found.append(LintFinding(kind, file, entry.place, entry.query))
        if pairs := _one_number_twice(entry.grades):
            found.append(LintFinding(CHANGED, file, entry.place, entry.query, pairs))
    outliers = () if has_scale or rows.grades_of_words else _outliers(entries)
    return [*found, *outliers, *_alike(entries)]


def outlier(queries: Iterable[Mapping[str, float]]) -> tuple[str, float, str] | None:
    """The document with a grade far from all others, that grade and a sentence; None where there is none.

    `queries` are the judgments of each query. Far is more than twice the range of the other grades, and more than 2:
    a slip of the keyboard makes 33 of 3.
    """
    judged = list(queries)
    grades = sorted({grade for documents in judged for grade in documents.values()})
    if len(grades) < 3:
        return None
    ends = (grades[-1], grades[-2], grades[:-1]), (grades[0], grades[1], grades[1:])
    for grade, nearest, others in ends[: 1 + (grades[0] < 0)]:
        if abs(grade - nearest) <= 2 * max(1, others[-1] - others[0]):
            continue
        having = {document: None for documents in judged for document in documents if documents[document] == grade}
        if len(having) == 1:
            (document,) = having
            what = f"document {quoted(document, 40)} has grade {grade:g}, all others {others[0]:g} to {others[-1]:g}"
            return document, grade, what
    return None


def _outliers(entries: Sequence[_Entry]) -> Iterator[LintFinding]:
    found = outlier(entry.grades for entry in entries)
    if found is not None:
        document, grade, what = found
        entry = next(entry for entry in entries if entry.grades.get(document) == grade)
        yield LintFinding(OUTLIER, entry.file, entry.place, entry.query, what)


def lint_rows(rows: Ratings) -> list[LintFinding]:
    """Find the rows of a judgment file that nobody has filled in, white space in ids, and those in other notation."""
    blank, total = blank_documents(rows)
    found = [LintFinding(BLANK, rows.file, detail=f"{blank:,} of {counted(total, 'document')}")] if blank else []
    scientific = [document for document in dict.fromkeys(rows.documents) if _SCIENTIFIC.fullmatch(document)]
    if scientific:
        place = rows.place(list(rows.documents).index(scientific[0]))
        found.append(LintFinding(CHANGED, rows.file, place, detail=examples(scientific)))
    found += _padded(rows.file, rows.documents, rows.place, "document")
    return [*found, *_padded(rows.file, rows.queries, rows.place, "query", "queries")]


def _one_number_twice(documents: Iterable[str]) -> str:
    """The ids among the judged documents of a query that are one number: `"7" and "007"`; else empty."""
    numbers: dict[object, list[str]] = {}
    for document in documents:
        if (number := spreadsheet_number(document)) is not None:
            numbers.setdefault(number, []).append(document)
    return ", ".join(listed(map(quoted, ids), "and") for ids in numbers.values() if len(ids) > 1)


def _padded(
    file: str, texts: Sequence[str], place: Callable[[int], Place], what: str, several: str = ""
) -> Iterator[LintFinding]:
    """Find ids or texts that begin or end with white space, at the position of the first one."""
    padded = {text for text in set(texts) if text != text.strip()}
    if padded:
        first = next(row for row, text in enumerate(texts) if text in padded)
        rest = counted(len(padded) - 1, f"more {what}", f"more {several or what + 's'}")
        detail = f"the {what} {quoted(texts[first], 40)}{f', and {rest}' if len(padded) > 1 else ''}"
        yield LintFinding(PADDED, file, place(first), detail=detail)


def blank_documents(rows: Ratings) -> tuple[int, int]:
    """Count the documents in the rows of a judgment file that have no grade, and all documents; 0 and 0 without any."""
    blank = {rating for rating in set(rows.ratings) if rating is None or not str(rating).strip()}
    if not blank:
        return 0, 0
    filled_in: dict[tuple[str, str], bool] = {}
    for query, document, rating in zip(rows.queries, rows.documents, rows.ratings, strict=True):
        filled_in[query, document] = filled_in.get((query, document), False) or rating not in blank
    return list(filled_in.values()).count(False), len(filled_in)


def lint_queries(queries: Sequence[Query], file: str) -> list[LintFinding]:
    """Find what to warn of in a file of queries."""
    ids, texts = [query.id for query in queries], [query.text_or_id for query in queries]
    places = [Place(query.line) for query in queries]
    found = [*_padded(file, ids, places.__getitem__, "id")] if ids != texts else []
    found += _padded(file, texts, places.__getitem__, "query", "queries")
    entries = (_Entry(each.text_or_id, file, Place(each.line), context=_frozen(each.params)) for each in queries)
    return [*found, *_alike(entries)]


def _case_warnings(case: Case, has_baseline: bool) -> Iterator[tuple[str, str]]:
    """The kinds of warnings about a case by itself, with their details."""
    always = always_met(case)
    if always:
        yield ALWAYS_MET, ", ".join(always)
    if not case.judgments:
        return
    if pairs := _one_number_twice(case.judgments):
        yield CHANGED, pairs
    gains = case.settings.gains
    one_sided = _one_sided(gains[grade] > 0 for grade in case.judgments.values())
    finds_nothing = most_results(case.expect) == 0
    if one_sided and not (one_sided == IRRELEVANT and finds_nothing and not always):
        yield one_sided, ""
    if not has_baseline and one_sided != IRRELEVANT and not _has_scored_condition(case):
        yield UNUSED, ""


def _has_scored_condition(case: Case) -> bool:
    """Whether a floor, an expectation or a gate looks at a score of the case."""
    if case.min_ndcg is not None or any(expected.metric is not None for expected in case.expect):
        return True
    return any(gate.metrics and (gate.tag is None or gate.tag in case.tags) for gate in case.terms.gates)


def _one_sided(relevant: Iterable[bool]) -> str | None:
    """The kind of warning for judgments that are all relevant, or all not."""
    found = set(relevant)
    return None if len(found) > 1 else RELEVANT if True in found else IRRELEVANT


def _alike(entries: Iterable[_Entry]) -> Iterator[LintFinding]:
    """Find the queries that are the same as an earlier one, or nearly."""
    groups: dict[Hashable, list[_Entry]] = {}
    for entry in entries:
        earlier = groups.setdefault((normalized(entry.query), entry.context), [])
        if earlier:
            kind, detail = _compared(entry, earlier)
            kind += IN_FILE * entry.in_file
            yield LintFinding(kind, entry.file, entry.place, entry.query, detail)
        earlier.append(entry)


def _compared(entry: _Entry, earlier: Sequence[_Entry]) -> tuple[str, str]:
    """The kind and details of a finding about a query: the first that contradicts it, or else the first."""
    for other in earlier:
        grades = other.grades
        differing = [name for name, grade in entry.grades.items() if grades.get(name, grade) != grade]
        if differing:
            document, more = differing[0], f", and {len(differing) - 1:,} more" if len(differing) > 1 else ""
            what = f"document {quoted(document, 40)} has grade {entry.grades[document]:g} here"
            return CONFLICTING, f"{what} and {grades[document]:g} {_where(other, entry)}{more}"
    text = "the same" if earlier[0].query == entry.query else quoted(earlier[0].query, 60)
    return ALIKE, f"{text} {_where(earlier[0], entry)}"


def _where(other: _Entry, entry: _Entry) -> str:
    """The position of another entry in a message about one."""
    place = f"line {other.place.line}" if other.place.line else other.place.path
    if other.file != entry.file:
        return f"in {other.file}" + (f":{other.place.line}" if other.place.line else "")
    return f"in {place}" if place else f"of {quoted(other.query, 60)}"


def normalized(query: str) -> str:
    """Drop what people do not see or do not mean in a query: case, blanks, the form of characters."""
    text = query if query.isascii() else unicodedata.normalize("NFKC", query)
    return " ".join(text.casefold().split())


def _frozen(params: Mapping[str, object]) -> Hashable:
    return json.dumps(params, sort_keys=True, default=str) if params else None
