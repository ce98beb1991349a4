"""Judgment lists for learning to rank (LTR), as SVMrank reads them.

A line is `grade qid:N [feature:value ...] # document [text]`. The key of a query is its qid.
Headers, `# qid:N: text*weight`, give its text and weight. The text after a document is the
query's if it is the same in all lines of every query (Quepid writes no headers), and else the
document's title. LETOR's `#docid = X ...` is read too. Features are ignored.
"""

from __future__ import annotations

import re

from pytest_relevance._problems import Place, Problems
from pytest_relevance._source import Source
from pytest_relevance._text import quoted
from pytest_relevance.judgments.formats import JudgmentFormat
from pytest_relevance.judgments.grading import number_of
from pytest_relevance.judgments.model import Query, Ratings

_LOOKED_AT = 20

FORM = "grade qid:1 # document"

_HEADER = re.compile(r"#\s*qid:([^\s:]+):(.*)")
_LINE = re.compile(r"(\S+)\s+qid:([^\s#]+)([^#]*)(?:#(.*))?")
_LETOR = re.compile(r"\s*docid\s*=\s*(\S+)")


def is_ltr(source: Source) -> bool:
    """Whether the first line, and most of those after it, are a grade and a qid, or headers."""
    lines = [line.strip() for line in source.head.split("\n")]
    lines = [line for line in lines if line]
    lines = [line for line in lines if not line.startswith("#") or _HEADER.match(line)][
        :_LOOKED_AT
    ]
    fitting = [bool(_HEADER.match(line) or _LINE.match(line)) for line in lines]
    return any(fitting[:1]) and 2 * sum(fitting) > len(
        fitting
    )  # a table begins with its header


def read_ltr(source: Source) -> Ratings:
    """Read the judgments, the queries in the headers, and the titles.

    Raises:
        FileError: lines are wrong, or there are only comments.
    """
    lines = _Lines(source)
    if not lines.rows and not lines.described:
        source.refuse("the file has no judgments, only comments")
    queries, documents, grades, texts, numbers = (
        zip(*lines.rows, strict=True) if lines.rows else [()] * 5
    )
    titles = None if lines.texts_are_queries() or not any(texts) else texts
    return Ratings(
        source.file,
        "ltr",
        queries,
        documents,
        grades,
        titles=titles,
        described=lines.described,
        place=lambda row: Place(line=numbers[row]),
        notices=["the features are left out"] if lines.has_features else [],
    )


def read_ltr_queries(source: Source) -> list[Query]:
    """Read the queries: from the headers, and from lines that have the text of their query.

    Raises:
        FileError: lines are wrong, or the text of a query is not known.
    """
    lines = _Lines(source)
    lines.texts_are_queries()
    problems = Problems(source.file)
    for key, line in lines.first.items():
        if key not in lines.described:
            message = f'the text of the query {quoted(key)} is not known; a line "# qid:{key}: the text" above gives it'
            problems.add(message, Place(line=line))
    problems.raise_if_any()
    if not lines.described:
        source.refuse("the file has no queries")
    return list(lines.described.values())


class _Lines:
    """The rows (query, document, grade, text after the document, number of the line) and the queries of a file.

    `described` are the queries with a text, `first` the line of the first judgment of each.
    """

    def __init__(self, source: Source) -> None:
        self.rows: list[tuple[str, str, str, str, int]] = []
        self.described: dict[str, Query] = {}
        self.first: dict[str, int] = {}
        self.has_features = False
        self._problems = Problems(source.file)
        for number, line in enumerate(map(str.strip, source.text.split("\n")), 1):
            header = _HEADER.match(line)
            if header is not None:
                self._add_header(header[1], header[2].strip(), number)
            elif line and not line.startswith("#"):
                self._add_line(line, number)
        self._problems.raise_if_any()

    def _add_header(self, key: str, rest: str, number: int) -> None:
        """Add a query with its text and weight: `# qid:key: text*weight`, in the line with this number."""
        text, star, written = rest.rpartition("*")
        weight = number_of(written) if star else None
        if weight is None:
            text, weight = rest, 1
        text = text.strip()
        known = self.described.setdefault(key, Query(key, text, weight, line=number))
        if not text:
            self._problems.add(
                f"the query {quoted(key)} has no text; a header is # qid:{key}: text*weight",
                Place(line=number),
            )
        elif weight <= 0:
            self._problems.add(
                f"a weight is a number above 0, found {written.strip()}",
                Place(line=number),
            )
        elif (known.text, known.weight) != (text, weight):
            texts = f"{quoted(known.text or '')} (weight {known.weight:g}) in line {known.line}"
            self._problems.add(
                f"the query {quoted(key)} is {texts} and {quoted(text)} (weight {weight:g}) here",
                Place(line=number),
            )

    def _add_line(self, line: str, number: int) -> None:
        found = _LINE.fullmatch(line)
        if found is None:
            self._problems.add(
                f"a line is {quoted(FORM)}, found {quoted(line)}", Place(line=number)
            )
            return
        grade, query, features, comment = found.groups()
        self.has_features = self.has_features or bool(features.strip())
        document, text = _document(comment or "")
        if not document:
            self._problems.add(
                f"the line names no document, which stands after a #: {quoted(FORM)}",
                Place(line=number),
            )
        self.first.setdefault(query, number)
        self.rows.append((query, document, grade, text, number))

    def texts_are_queries(self) -> bool:
        """Whether the texts after the documents are the texts of queries, and not titles; then describe the queries."""
        pairs = dict.fromkeys((query, text) for query, _, _, text, _ in self.rows)
        if len(pairs) > len(self.first):
            return False
        for query, text in pairs:
            if text:
                self.described.setdefault(
                    query, Query(query, text, line=self.first[query])
                )
        return all(
            not text or self.described[query].text == text for query, text in pairs
        )


def _document(comment: str) -> tuple[str, str]:
    """Split a comment into the document and the text after it: at a tab, if there is one, or at white space."""
    letor = _LETOR.match(comment)
    if letor is not None:
        return letor[1], ""
    comment = comment.strip()
    document, *text = comment.split("\t" if "\t" in comment else None, 1) or [""]
    return document.strip(), "".join(text).strip()


LTR = JudgmentFormat(
    name="ltr",
    about="SVMrank: grade qid:1 ... # document",
    fits=is_ltr,
    read=read_ltr,
    read_queries=read_ltr_queries,
    aliases=("svmrank",),
)
