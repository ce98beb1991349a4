"""Judgment lists for learning to rank: `grade qid:N [feature:value ...] # document [text]`, as SVMrank reads them.

The key of a query is its qid. Headers, `# qid:N: text*weight`, give its text and weight. The text after a document is
the query's where it is the same in all lines of every query (Quepid writes no headers), and else the document's title.
LETOR's `#docid = X ...` is read too. Features are of no interest here.
"""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass, field

from pytest_relevance._text import quoted
from pytest_relevance.judgments.grading import number_of
from pytest_relevance.judgments.model import Place, Query, Ratings
from pytest_relevance.judgments.problems import MOST_KEPT, FileProblem, JudgmentFileError
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
    """Read the judgments, the queries in the headers, and the titles."""
    lines = _read(source)
    if not lines.queries and not lines.described:
        source.refuse("the file has no judgments, only comments")
    features = ["the features are left out"] if lines.features else []
    numbers = lines.numbers
    return Ratings(
        source.file,
        "ltr",
        lines.queries,
        lines.documents,
        lines.grades,
        titles=lines.titles,
        described=lines.described,
        place=lambda row: Place(numbers[row]),
        notices=features,
    )


def read_queries(source: Source) -> list[Query]:
    """Read the queries: those of the headers, and those whose text stands in their lines."""
    lines = _read(source)
    unknown = {key: line for key, line in lines.first.items() if key not in lines.described}
    if unknown:
        message = 'the text of the query {} is not known; a line "# qid:{}: the text" above tells it'
        problems = [FileProblem(message.format(quoted(key), key), line) for key, line in unknown.items()]
        raise JudgmentFileError(source.file, problems[:MOST_KEPT])
    if not lines.described:
        source.refuse("the file has no queries")
    return list(lines.described.values())


@dataclass(slots=True)
class _Lines:
    """What the lines of a file say, in columns."""

    queries: list[str] = field(default_factory=list)
    documents: list[str] = field(default_factory=list)
    grades: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    numbers: array[int] = field(default_factory=lambda: array("L"))
    described: dict[str, Query] = field(default_factory=dict)
    first: dict[str, int] = field(default_factory=dict)
    titles: list[str] | None = None
    features: bool = False
    problems: list[FileProblem] = field(default_factory=list)

    def wrong(self, message: str, line: int) -> None:
        """Note a mistake."""
        if len(self.problems) < MOST_KEPT:
            self.problems.append(FileProblem(message, line))


def _read(source: Source) -> _Lines:
    lines = _Lines()
    for number, line in enumerate(source.text.split("\n"), 1):
        line = line.strip()
        header = _HEADER.match(line) if line.startswith("#") else None
        if header is not None:
            _add_header(lines, header[1], header[2].strip(), number)
        elif line and not line.startswith("#"):
            _add_line(lines, line, number)
    if lines.problems:
        raise JudgmentFileError(source.file, lines.problems)
    _tell_texts(lines)
    return lines


def _add_header(lines: _Lines, key: str, rest: str, number: int) -> None:
    text, star, written = rest.rpartition("*")
    weight = number_of(written) if star else None
    if weight is None:
        text, weight = rest, 1
    text = text.strip()
    known = lines.described.get(key)
    if not text:
        lines.wrong(f"the query {quoted(key)} has no text; a header is # qid:{key}: text*weight", number)
    elif weight <= 0:
        lines.wrong(f"a weight is a number above 0, found {written.strip()}", number)
    elif known is None:
        lines.described[key] = Query(key, text, weight, line=number)
    elif (known.text, known.weight) != (text, weight):
        texts = f"{quoted(known.text or '')} (weight {known.weight:g}) in line {known.line}"
        lines.wrong(f"the query {quoted(key)} is {texts} and {quoted(text)} (weight {weight:g}) here", number)


def _add_line(lines: _Lines, line: str, number: int) -> None:
    found = _LINE.fullmatch(line)
    if found is None:
        lines.wrong(f"a line is {quoted(FORM)}, found {quoted(line)}", number)
        return
    grade, query, features, comment = found.groups()
    if features.strip():
        lines.features = True
        odd = next((feature for feature in features.split() if ":" not in feature), None)
        if odd is not None:
            lines.wrong(f"between the qid and the # stand features, such as 1:0.5, found {quoted(odd)}", number)
    document, text = _document(comment or "")
    if not document:
        lines.wrong(f"the line names no document, which stands after a #: {quoted(FORM)}", number)
    lines.first.setdefault(query, number)
    lines.queries.append(query)
    lines.documents.append(document)
    lines.grades.append(grade)
    lines.texts.append(text)
    lines.numbers.append(number)


def _document(comment: str) -> tuple[str, str]:
    """The document and what stands after it: behind a tab, where there is one, or behind white space."""
    letor = _LETOR.match(comment)
    if letor is not None:
        return letor[1], ""
    comment = comment.strip()
    if "\t" in comment:
        document, _, text = comment.partition("\t")
        return document.strip(), text.strip()
    parts = comment.split(None, 1)
    return (parts[0] if parts else ""), (parts[1] if len(parts) > 1 else "")


def _tell_texts(lines: _Lines) -> None:
    """Say whether the texts after the documents are queries or titles."""
    pairs = dict.fromkeys(zip(lines.queries, lines.texts, strict=True))
    if len(pairs) == len(lines.first):
        for query, text in pairs:
            if text and query not in lines.described:
                lines.described[query] = Query(query, text, line=lines.first[query])
        if all(not text or lines.described[query].text == text for query, text in pairs):
            return
    lines.titles = lines.texts if any(lines.texts) else None
