"""Read judgment lists for learning to rank (LTR), as SVMrank has them.

A line is `grade qid:N [feature:value ...] # document [text]`. The key of a query is its
qid. A header, `# qid:N: text*weight`, has the text and the weight of a query. Quepid
writes no headers. If all lines of each query have the same text after the document,
this is the text of the query. Otherwise the texts are titles of documents. LETOR's
`#docid = X ...` is read too. Features are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from pytest_relevance._problems import Place, Problems
from pytest_relevance._source import Source
from pytest_relevance._text import quoted
from pytest_relevance.ext.formats.query_building import query_or_mistake
from pytest_relevance.judgments.formats import JudgmentFormat
from pytest_relevance.judgments.grading import number_of
from pytest_relevance.judgments.model import Query, Ratings

_LOOKED_AT = 20

FORM = "grade qid:1 # document"

_HEADER = re.compile(r"#\s*qid:([^\s:]+):(.*)")
_LINE = re.compile(r"(\S+)\s+qid:([^\s#]+)([^#]*)(?:#(.*))?")
_LETOR = re.compile(r"\s*docid\s*=\s*(\S+)")


@dataclass(frozen=True, slots=True)
class _Row:
    """The judgment in one line.

    `text`: the text after the document: the text of the query, or a title.
    """

    query: str
    document: str
    grade: str
    text: str
    line: int


@dataclass(slots=True)
class _Content:
    """The content of a file.

    `described`: the queries whose text is known, by their keys.
    `first_lines`: for each query the line of its first judgment.
    """

    rows: list[_Row]
    described: dict[str, Query]
    first_lines: dict[str, int]
    has_features: bool


def is_ltr(source: Source) -> bool:
    """Say whether a file is a judgment list.

    More than half of the first 20 lines must be judgments or headers of queries. The
    first line must be one too, because a table begins with a header of its own.
    """
    fits = []
    for line in map(str.strip, source.first_lines):
        is_header = _HEADER.match(line) is not None
        if line.startswith("#") and not is_header:
            continue
        fits.append(is_header or _LINE.match(line) is not None)
        if len(fits) == _LOOKED_AT:
            break
    return bool(fits) and fits[0] and 2 * sum(fits) > len(fits)


def read_ltr(source: Source) -> Ratings:
    """Return the ratings, with the queries in the headers and the titles of documents.

    Raises:
        FileError: lines are wrong, or there are only comments.
    """
    content = _read_lines(source)
    rows = content.rows
    if not rows and not content.described:
        source.refuse("the file has no judgments, only comments")
    titles = None
    texts = _texts_of_queries(content)
    if texts is None:
        titles = [row.text for row in rows]
    else:
        _describe_queries(content, texts)

    def place(row: int) -> Place:
        return Place(line=rows[row].line)

    return Ratings(
        source.file,
        "ltr",
        queries=[row.query for row in rows],
        documents=[row.document for row in rows],
        ratings=[row.grade for row in rows],
        titles=titles,
        described=content.described,
        place=place,
        notices=["the features are left out"] if content.has_features else [],
    )


def read_ltr_queries(source: Source) -> list[Query]:
    """Return the queries, from the headers or from the lines of judgments.

    Raises:
        FileError: lines are wrong, or the text of a query is not known.
    """
    content = _read_lines(source)
    _describe_queries(content, _texts_of_queries(content) or {})
    problems = Problems(source.file)
    for key, line in content.first_lines.items():
        if key not in content.described:
            problems.add(
                f"the text of the query {quoted(key)} is not known; a line "
                f'"# qid:{key}: the text" above gives it',
                Place(line=line),
            )
    problems.raise_if_any()
    if not content.described:
        source.refuse("the file has no queries")
    return list(content.described.values())


def _read_lines(source: Source) -> _Content:
    """Return the content of all lines. Raises one FileError for all wrong lines."""
    content = _Content(rows=[], described={}, first_lines={}, has_features=False)
    problems = Problems(source.file)
    for number, line in enumerate(source.text.split("\n"), 1):
        line = line.strip()
        header = _HEADER.match(line)
        if header is not None:
            mistake = _add_header(content, header[1], header[2].strip(), number)
        elif line and not line.startswith("#"):
            mistake = _add_judgment(content, line, number)
        else:
            mistake = ""
        if mistake:
            problems.add(mistake, Place(line=number))
    problems.raise_if_any()
    return content


def _add_header(content: _Content, key: str, rest: str, number: int) -> str:
    """Add the query of a header, `# qid:key: text*weight`.

    Return what is wrong with the header, or "". `rest`: the header after its key.
    """
    text, star, written = rest.rpartition("*")
    weight = number_of(written) if star else None
    if weight is None:
        text = rest
    query = query_or_mistake(key, text.strip(), weight=weight, line=number)
    if isinstance(query, str):
        return f"{query}; a header is # qid:{key}: text*weight"
    known = content.described.setdefault(key, query)
    return known.contradicted_by(query, ("weight",))


def _add_judgment(content: _Content, line: str, number: int) -> str:
    """Add the judgment in a line. Return what is wrong with the line, or ""."""
    found = _LINE.fullmatch(line)
    if found is None:
        return f"a line is {quoted(FORM)}, found {quoted(line)}"
    grade, query, features, comment = found.groups()
    if features.strip():
        content.has_features = True
    document, text = _split_comment(comment or "")
    if not document:
        return f"the line names no document, which stands after a #: {quoted(FORM)}"
    content.first_lines.setdefault(query, number)
    content.rows.append(_Row(query, document, grade=grade, text=text, line=number))
    return ""


def _texts_of_queries(content: _Content) -> dict[str, str] | None:
    """Return {query: text} if the texts after the documents are texts of queries.

    Return None if they are titles of documents. They are titles if the lines of a query
    have different texts, or if the text is not the one in the header of the query.
    """
    texts: dict[str, str] = {}
    for row in content.rows:
        if texts.setdefault(row.query, row.text) != row.text:
            return None
    for query, text in texts.items():
        header = content.described.get(query)
        if text and header is not None and header.text != text:
            return None
    return {query: text for query, text in texts.items() if text}


def _describe_queries(content: _Content, texts: Mapping[str, str]) -> None:
    """Add the queries with these texts. Queries that a header describes stay."""
    for query, text in texts.items():
        line = content.first_lines[query]
        content.described.setdefault(query, Query(query, text, line=line))


def _split_comment(comment: str) -> tuple[str, str]:
    """Return the document and the text after it: a tab or white space parts them."""
    letor = _LETOR.match(comment)
    if letor is not None:
        return letor[1], ""
    comment = comment.strip()
    separator = "\t" if "\t" in comment else None
    parts = comment.split(separator, 1)
    document = parts[0].strip() if parts else ""
    text = parts[1].strip() if len(parts) > 1 else ""
    return document, text


LTR = JudgmentFormat(
    name="ltr",
    about="SVMrank: grade qid:1 ... # document",
    fits=is_ltr,
    read=read_ltr,
    read_queries=read_ltr_queries,
    aliases=("svmrank",),
)
