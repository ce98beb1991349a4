"""Judgment lists for learning to rank: `grade qid:N [feature:value ...] # document [text]`, as SVMrank reads them.

The key of a query is its qid. Headers, `# qid:N: text*weight`, give its text and weight. The text after a document is
the query's if it is the same in all lines of every query (Quepid writes no headers), and else the document's title.
LETOR's `#docid = X ...` is read too. Features are ignored.
"""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass, field

from pytest_relevance._text import quoted
from pytest_relevance.judgments.grading import number_of
from pytest_relevance.judgments.model import Query, Ratings
from pytest_relevance.judgments.problems import Place, Problems
from pytest_relevance.judgments.source import Source

FORM = "grade qid:1 # document"

_HEADER = re.compile(r"#\s*qid:([^\s:]+):(.*)")
_LINE = re.compile(r"(\S+)\s+qid:([^\s#]+)([^#]*)(?:#(.*))?")
_LETOR = re.compile(r"\s*docid\s*=\s*(\S+)")
_LOOKED_AT = 20


def fits(source: Source) -> bool:
    """Whether the first line, and most of those after it, are a grade and a qid, or headers."""
    lines = [line.strip() for line in source.head.split("\n")]
    lines = [line for line in lines if line]
    lines = [line for line in lines if not line.startswith("#") or _HEADER.match(line)][:_LOOKED_AT]
    fitting = [bool(_HEADER.match(line) or _LINE.match(line)) for line in lines]
    return any(fitting[:1]) and 2 * sum(fitting) > len(fitting)  # a table begins with its header


def read_ratings(source: Source) -> Ratings:
    """Read the judgments, the queries in the headers, and the titles.

    Raises:
        JudgmentFileError: lines are wrong, or there are only comments.
    """
    lines = _read(source)
    if not lines.queries and not lines.described:
        source.refuse("the file has no judgments, only comments")
    return Ratings(
        source.file,
        "ltr",
        lines.queries,
        lines.documents,
        lines.grades,
        titles=lines.titles,
        described=lines.described,
        place=lambda row: Place(lines.numbers[row]),
        notices=["the features are left out"] if lines.features else [],
    )


def read_queries(source: Source) -> list[Query]:
    """Read the queries: those of the headers, and those whose text is in their lines.

    Raises:
        JudgmentFileError: lines are wrong, or the text of a query is not known.
    """
    lines = _read(source)
    problems = Problems(source.file)
    for key, line in lines.first.items():
        if key not in lines.described:
            message = f'the text of the query {quoted(key)} is not known; a line "# qid:{key}: the text" above tells it'
            problems.add(message, line)
    problems.check()
    if not lines.described:
        source.refuse("the file has no queries")
    return list(lines.described.values())


@dataclass(slots=True)
class _Lines:
    """The content of the lines in columns, and the queries."""

    problems: Problems
    queries: list[str] = field(default_factory=list)
    documents: list[str] = field(default_factory=list)
    grades: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    numbers: array[int] = field(default_factory=lambda: array("L"))
    described: dict[str, Query] = field(default_factory=dict)
    first: dict[str, int] = field(default_factory=dict)
    titles: list[str] | None = None
    features: bool = False


def _read(source: Source) -> _Lines:
    lines = _Lines(Problems(source.file))
    for number, line in enumerate(source.text.split("\n"), 1):
        line = line.strip()
        header = _HEADER.match(line) if line.startswith("#") else None
        if header is not None:
            _add_header(lines, header[1], header[2].strip(), number)
        elif line and not line.startswith("#"):
            _add_line(lines, line, number)
    lines.problems.check()
    _assign_texts(lines)
    return lines


def _add_header(lines: _Lines, key: str, rest: str, number: int) -> None:
    text, star, written = rest.rpartition("*")
    weight = number_of(written) if star else None
    if weight is None:
        text, weight = rest, 1
    text = text.strip()
    known = lines.described.get(key)
    if not text:
        lines.problems.add(f"the query {quoted(key)} has no text; a header is # qid:{key}: text*weight", number)
    elif weight <= 0:
        lines.problems.add(f"a weight is a number above 0, found {written.strip()}", number)
    elif known is None:
        lines.described[key] = Query(key, text, weight, line=number)
    elif (known.text, known.weight) != (text, weight):
        texts = f"{quoted(known.text or '')} (weight {known.weight:g}) in line {known.line}"
        lines.problems.add(f"the query {quoted(key)} is {texts} and {quoted(text)} (weight {weight:g}) here", number)


def _add_line(lines: _Lines, line: str, number: int) -> None:
    found = _LINE.fullmatch(line)
    if found is None:
        lines.problems.add(f"a line is {quoted(FORM)}, found {quoted(line)}", number)
        return
    grade, query, features, comment = found.groups()
    if features.strip():
        lines.features = True
        odd = next((feature for feature in features.split() if ":" not in feature), None)
        if odd is not None:
            message = f"between the qid and the # stand features, such as 1:0.5, found {quoted(odd)}"
            lines.problems.add(message, number)
    document, text = _document(comment or "")
    if not document:
        lines.problems.add(f"the line names no document, which stands after a #: {quoted(FORM)}", number)
    lines.first.setdefault(query, number)
    lines.queries.append(query)
    lines.documents.append(document)
    lines.grades.append(grade)
    lines.texts.append(text)
    lines.numbers.append(number)


def _document(comment: str) -> tuple[str, str]:
    """Split a comment into the document and the text after it: at a tab, if there is one, or at white space."""
    letor = _LETOR.match(comment)
    if letor is not None:
        return letor[1], ""
    comment = comment.strip()
    document, *text = comment.split("\t" if "\t" in comment else None, 1) or [""]
    return document.strip(), "".join(text).strip()


def _assign_texts(lines: _Lines) -> None:
    """Decide whether the texts after the documents are queries or titles."""
    pairs = dict.fromkeys(zip(lines.queries, lines.texts, strict=True))
    if len(pairs) == len(lines.first):
        for query, text in pairs:
            if text and query not in lines.described:
                lines.described[query] = Query(query, text, line=lines.first[query])
        if all(not text or lines.described[query].text == text for query, text in pairs):
            return
    lines.titles = lines.texts if any(lines.texts) else None
