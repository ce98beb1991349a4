"""TREC's qrels, runs and topics, and judgment lists for learning to rank.

Qrels are `qid iter docid grade` and runs `qid Q0 docid rank score tag`, between white space or tabs. Comments and blank
lines occur in the wild. A document id may have a `#` in it, so only a line that begins with one is a comment. See
https://trec.nist.gov and the `trec_eval` sources.

Topics are queries: `<top>` markup as NIST writes it, or XML.

    <top>
    <num> Number: 301
    <title> International Organized Crime
    <desc> Description:
    Identify organizations that ...
    </top>

    <topic number="1"><query>coronavirus origin</query><question>what is ...</question></topic>

The first is no XML: its inner elements need no end tag, `&` and `<` are not escaped. So one scanner reads both.
The text of a query is its `query` or `title`, or else its `question` or description, or the text of the topic itself;
line breaks in it are spaces. The rest of a topic is its note. See https://trec.nist.gov/data/topics_eng/.

Learning to rank (LTR): `grade qid:N [feature:value ...] # document [text]`, as SVMrank reads them. The key of a query
is its qid. Headers, `# qid:N: text*weight`, give its text and weight. The text after a document is the query's if it is
the same in all lines of every query (Quepid writes no headers), and else the document's title. LETOR's
`#docid = X ...` is read too. Features are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import unescape
from typing import NoReturn

from pytest_relevance._problems import Place, Problems
from pytest_relevance._source import Source
from pytest_relevance._tables import WHITE, TextTable, white_cells
from pytest_relevance._text import listed, quoted
from pytest_relevance.judgments.formats.qrels_columns import (
    QrelsRows,
    order_of_run,
    refuse_other_columns,
)
from pytest_relevance.judgments.formats.tables import distinct
from pytest_relevance.judgments.grading import number_of
from pytest_relevance.judgments.model import Query, Ratings

QRELS, RUN = 4, 6
"""The number of columns."""

_LOOKED_AT = 20
_NOT_FINITE = re.compile(r"[+-]?(?:nan|inf(?:inity)?)", re.IGNORECASE)


def is_qrels(source: Source) -> bool:
    """Whether most of the first lines are four columns, a number last."""
    return _has(source, QRELS, number=3)


def is_run(source: Source) -> bool:
    """Whether most of the first lines are six columns, a score before the last, be it infinite or no number."""
    return _has(source, RUN, number=4)


def _has(source: Source, width: int, number: int) -> bool:
    lines = _first_lines(source)
    fitting = 0
    for line in lines:
        for cells in (white_cells(line), line.rstrip("\r").split("\t")):
            if len(cells) == width and (
                number_of(cells[number]) is not None
                or _NOT_FINITE.fullmatch(cells[number])
            ):
                fitting += 1
                break
    return 2 * fitting > len(lines)


def _first_lines(source: Source) -> list[str]:
    return [
        line
        for line in source.head.split("\n")
        if line.strip() and not line.startswith("#")
    ][:_LOOKED_AT]


def rows_of(source: Source, width: int) -> TextTable:
    """Split a file into rows of `width` cells. Where only tabs make that number of columns, ids may have spaces."""
    first = next(iter(_first_lines(source)), "").rstrip("\r")
    separator = (
        "\t" if len(first.split("\t")) == width != len(white_cells(first)) else WHITE
    )
    return TextTable(source, [""] * width, separator, comments=True)


def refuse_run(source: Source) -> NoReturn:
    """Refuse a run in the place of judgments."""
    source.refuse(
        "this is a TREC run, qid Q0 docid rank score tag; judgments are needed: qid iter docid grade",
        Place(line=1),
    )


def order_of_short_run(source: Source) -> str | None:
    """Return the names of the columns if the file has four columns, as qrels have, and is a run."""
    if not is_qrels(source):
        return None
    rows = rows_of(source, QRELS)
    queries, iterations, documents, grades = rows.columns(range(QRELS))
    return order_of_run(QrelsRows(queries, iterations, documents, grades, rows.place))


def read_qrels(source: Source) -> Ratings:
    """Read qrels. The second column, the iteration, has no meaning.

    Raises:
        FileError: it is a run, has no judgments, or has a document of a query for several subtopics.
    """
    if is_run(source) and not is_qrels(source):
        refuse_run(source)
    rows = rows_of(source, QRELS)
    queries, iterations, documents, grades = rows.columns(range(QRELS))
    if not queries:
        source.refuse("the file has no judgments, only comments")
    refuse_other_columns(
        source, QrelsRows(queries, iterations, documents, grades, rows.place)
    )
    return Ratings(
        source.file, "trec", queries, documents, grades, place=rows.place, by_id=True
    )


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


_TOPIC = re.compile(
    r"<(top|topic|inex[-_]topic)(\s[^<>]*)?>(.*?)(?:(</\1>)|(?=<\1[\s>])|\Z)",
    re.IGNORECASE | re.DOTALL,
)
"""A topic: its name, its attributes, its content and its end tag, which is missing where the file is truncated."""

_BEGINS_LIKE_MARKUP = re.compile(r"\s*<[A-Za-z?!]")
_ELEMENT = re.compile(r"<([A-Za-z][\w.-]*)(?:\s[^<>]*)?>")
_TAG = re.compile(r"</?[A-Za-z][\w.-]*(?:\s[^<>]*)?/?>")
_ATTRIBUTE = re.compile(r"""([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_ENTITY = re.compile(r"&(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});")
_UNREAD = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_CDATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
_LABELS = {
    "num": "number",
    "title": "topic",
    "desc": "description",
    "narr": "narrative",
}
"""What NIST writes before the value of an element: `<num> Number: 301`."""

_TOPIC_IDS = ("num", "number", "id", "topic_id", "topicid", "qid", "query_id")
_TOPIC_TEXTS = ("query", "title", "question", "desc", "description", "summary")
_TOPIC_NOTES = ("desc", "description", "question", "narr", "narrative", "summary")
_FIELDS = frozenset((*_TOPIC_IDS, *_TOPIC_TEXTS, *_TOPIC_NOTES))


def is_topics(source: Source) -> bool:
    """Whether it begins like markup and has a topic."""
    return (
        _BEGINS_LIKE_MARKUP.match(source.head) is not None
        and _TOPIC.search(source.head) is not None
    )


def read_topics(source: Source) -> list[Query]:
    """Read the topics.

    Raises:
        FileError: a topic lacks an id or a text or never ends, or two of one id have different texts.
    """
    never_ends = "the topic that begins here never ends; is it truncated?"
    queries = (
        (
            _topic_query(attributes, content, line) if ends else never_ends,
            Place(line=line),
        )
        for line, attributes, content, ends in _topics(
            _without_markup_of_xml(source.text)
        )
    )
    none = (
        "the file has no topics: <top> ... </top>, or <topic number=...> ... </topic>"
    )
    return distinct(source, queries) or source.refuse(none)


def _without_markup_of_xml(text: str) -> str:
    """The text without comments and with the content of CDATA, each line where it was."""
    text = _CDATA.sub(
        lambda found: found[1].replace("&", "&amp;").replace("<", "&lt;"), text
    )
    return _UNREAD.sub(lambda found: "\n" * found[0].count("\n"), text)


def _topics(text: str) -> Iterator[tuple[int, str, str, bool]]:
    """The line in which each topic begins, its attributes, its content, and whether it ends."""
    line, counted = 1, 0
    for topic in _TOPIC.finditer(text):
        line += text.count("\n", counted, topic.start())
        counted = topic.start()
        yield line, topic[2] or "", topic[3], bool(topic[4])


def _topic_query(attributes: str, content: str, line: int) -> Query | str:
    """A topic as a query, or what is wrong with it."""
    named = {
        name.lower().replace("-", "_"): first or second
        for name, first, second in _ATTRIBUTE.findall(attributes)
    }
    elements, rest = _elements(content)
    key = next(
        filter(
            None,
            (holder.get(name) for holder in (elements, named) for name in _TOPIC_IDS),
        ),
        None,
    )
    texts = [name for name in _TOPIC_TEXTS if elements.get(name)]
    text = elements[texts[0]] if texts else rest
    if not key:
        return f"the topic has no id: an element <num>, or an attribute number or id; found {_shown(elements)}"
    if not text:
        return f"the topic {quoted(key)} has no text: an element {listed([f'<{name}>' for name in _TOPIC_TEXTS])}"
    note = next(
        (
            elements[name]
            for name in _TOPIC_NOTES
            if elements.get(name) and name not in texts[:1]
        ),
        None,
    )
    return Query(_plain(key), text, note=note, line=line)


def _elements(content: str) -> tuple[Mapping[str, str], str]:
    """The texts of the elements of a topic, the first of each name, and the text between them.

    An element without an end tag ends at the next one. Names are without their language: `EN-title` is `title`.
    """
    elements: dict[str, str] = {}
    between = []
    at = 0
    while (tag := _ELEMENT.search(content, at)) is not None:
        between.append(content[at : tag.start()])
        end = re.compile(rf"</{re.escape(tag[1])}\s*>").search(content, tag.end())
        stop = end.start() if end is not None else _next_field(content, tag.end())
        at = end.end() if end is not None else stop
        name = _element_name(tag)
        elements.setdefault(
            name, _plain(content[tag.end() : stop], _LABELS.get(name, ""))
        )
    return elements, _plain(" ".join([*between, content[at:]]))


def _element_name(tag: re.Match[str]) -> str:
    return tag[1].lower().rpartition("-")[2]


def _next_field(content: str, at: int) -> int:
    """The end of an element without an end tag: the next element that is not inline markup such as `<b>`."""
    for tag in _ELEMENT.finditer(content, at):
        begins_line = not content[
            content.rfind("\n", 0, tag.start()) + 1 : tag.start()
        ].strip()
        if begins_line or _element_name(tag) in _FIELDS:
            return tag.start()
    return len(content)


def _plain(text: str, label: str = "") -> str:
    """A value without its label, tags and entities, its white space as single spaces."""
    words = " ".join(
        _ENTITY.sub(lambda found: unescape(found[0]), _TAG.sub(" ", text)).split()
    )
    is_labelled = (
        bool(label) and re.match(rf"{label}\s*:", words, re.IGNORECASE) is not None
    )
    return words.partition(":")[2].strip() if is_labelled else words


def _shown(elements: Mapping[str, str]) -> str:
    return (
        listed([f"<{name}>" for name in elements], "and") if elements else "no element"
    )
