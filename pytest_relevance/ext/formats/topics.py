"""Read TREC topics: queries as `<top>` markup, as NIST writes it, or as XML.

    <top>
    <num> Number: 301
    <title> International Organized Crime
    <desc> Description:
    Identify organizations that ... </top>

    <topic number="1"><query>coronavirus origin</query><question>what is
    ...</question></topic>

The first form is not XML: its inner elements have no end tag, and `&` and `<` are not
escaped. So both forms are read with regular expressions. The text of a query is the
first of these that the topic has: its `query`, its `title`, its `question`, its
description, the text of the topic itself. Line breaks become spaces. A description,
question or narrative that is not the text becomes the note. See
https://trec.nist.gov/data/topics_eng/.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import unescape

from pytest_relevance._problems import Place
from pytest_relevance._source import Source
from pytest_relevance._text import listed, quoted
from pytest_relevance.ext.formats.query_building import distinct
from pytest_relevance.judgments.formats import JudgmentFormat
from pytest_relevance.judgments.model import Query

_TOPIC = re.compile(
    r"<(top|topic|inex[-_]topic)(\s[^<>]*)?>(.*?)(?:(</\1>)|(?=<\1[\s>])|\Z)",
    re.IGNORECASE | re.DOTALL,
)
"""A topic: its name, attributes, content and end tag, which a truncated file lacks."""

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


@dataclass(frozen=True, slots=True)
class _Topic:
    """A topic of the file.

    `line`: the line where it begins.
    `attributes`: the text in its tag, after the name.
    `content`: the text after its tag, up to its end.
    `ends`: whether it has an end tag.
    """

    line: int
    attributes: str
    content: str
    ends: bool


@dataclass(frozen=True, slots=True)
class _Elements:
    """The elements of a topic.

    `texts`: {name: text} of the elements.
    `between`: the text outside of elements.
    """

    texts: Mapping[str, str]
    between: str

    def first(self, names: Iterable[str], but: str = "") -> str:
        """Return the first of the names whose element has a text; "" if none has.

        `but`: a name to leave out.
        """
        for name in names:
            if name != but and self.texts.get(name):
                return name
        return ""


def is_topics(source: Source) -> bool:
    """Say whether a file begins like markup and has a topic."""
    if _BEGINS_LIKE_MARKUP.match(source.head) is None:
        return False
    return _TOPIC.search(source.head) is not None


def read_topics(source: Source) -> list[Query]:
    """Return the topics as queries.

    Raises:
        FileError: a topic lacks an id or a text or never ends, or two topics of one id
            have different texts.
    """
    queries = distinct(source, _queries(source))
    if not queries:
        source.refuse(
            "the file has no topics: <top> ... </top>, or <topic number=...> ... </topic>"
        )
    return queries


def _queries(source: Source) -> Iterator[tuple[Query | str, Place]]:
    """Yield each topic with its place: a query, or a message about what is wrong."""
    for topic in _topics(_without_markup_of_xml(source.text)):
        place = Place(line=topic.line)
        if topic.ends:
            yield _query_of(topic), place
        else:
            yield "the topic that begins here never ends; is it truncated?", place


def _without_markup_of_xml(text: str) -> str:
    """Return text without XML comments and CDATA marks. Each line keeps its number."""
    text = _CDATA.sub(_escaped_content, text)
    return _UNREAD.sub(_line_feeds, text)


def _escaped_content(cdata: re.Match[str]) -> str:
    return cdata[1].replace("&", "&amp;").replace("<", "&lt;")


def _line_feeds(comment: re.Match[str]) -> str:
    return "\n" * comment[0].count("\n")


def _topics(text: str) -> Iterator[_Topic]:
    """Yield the topics of a file, each with the line on which it begins."""
    line = 1
    counted_to = 0
    for found in _TOPIC.finditer(text):
        line += text.count("\n", counted_to, found.start())
        counted_to = found.start()
        yield _Topic(
            line=line,
            attributes=found[2] or "",
            content=found[3],
            ends=bool(found[4]),
        )


def _query_of(topic: _Topic) -> Query | str:
    """Return a topic as a query, or a message about what is wrong with it."""
    elements = _elements(topic.content)
    key = _id_of(topic, elements)
    if not key:
        found = listed(_as_tags(elements.texts), "and") or "no element"
        return (
            "the topic has no id: an element <num>, or an attribute number or id; found "
            f"{found}"
        )
    name = elements.first(_TOPIC_TEXTS)
    text = elements.texts[name] if name else elements.between
    if not text:
        return (
            f"the topic {quoted(key)} has no text: an element "
            f"{listed(_as_tags(_TOPIC_TEXTS))}"
        )
    note = elements.texts.get(elements.first(_TOPIC_NOTES, but=name))
    return Query(_plain(key), text, note=note, line=topic.line)


def _id_of(topic: _Topic, elements: _Elements) -> str:
    """Return the id of a topic, from its elements or else its attributes, or ""."""
    name = elements.first(_TOPIC_IDS)
    if name:
        return elements.texts[name]
    attributes: dict[str, str] = {}
    for name, in_double_quotes, in_quotes in _ATTRIBUTE.findall(topic.attributes):
        attributes[name.lower().replace("-", "_")] = in_double_quotes or in_quotes
    for name in _TOPIC_IDS:
        if attributes.get(name):
            return attributes[name]
    return ""


def _elements(content: str) -> _Elements:
    """Return the elements of a topic. If two have the same name, the first counts.

    An element without an end tag ends where the next one begins. The language of a name
    is left out: `EN-title` is `title`.
    """
    texts: dict[str, str] = {}
    between = []
    at = 0
    tag = _ELEMENT.search(content)
    while tag is not None:
        between.append(content[at : tag.start()])
        end = re.compile(rf"</{re.escape(tag[1])}\s*>").search(content, tag.end())
        if end is None:
            stop = at = _next_field(content, tag.end())
        else:
            stop, at = end.start(), end.end()
        name = _element_name(tag)
        text = _plain(content[tag.end() : stop], label=_LABELS.get(name, ""))
        texts.setdefault(name, text)
        tag = _ELEMENT.search(content, at)
    between.append(content[at:])
    return _Elements(texts, between=_plain(" ".join(between)))


def _element_name(tag: re.Match[str]) -> str:
    return tag[1].lower().rpartition("-")[2]


def _next_field(content: str, at: int) -> int:
    """Return where an element without an end tag ends, as an index into `content`.

    It ends at the next element that begins a line or has a known name. Inline markup,
    for example `<b>`, does not end it.
    """
    for tag in _ELEMENT.finditer(content, at):
        begin_of_line = content.rfind("\n", 0, tag.start()) + 1
        begins_line = not content[begin_of_line : tag.start()].strip()
        if begins_line or _element_name(tag) in _FIELDS:
            return tag.start()
    return len(content)


def _plain(text: str, label: str = "") -> str:
    """Return text without tags and entities, and with single spaces.

    `label`: a word to remove if the text begins with it and a colon: `Number: 301`.
    """
    without_tags = _TAG.sub(" ", text)
    words = " ".join(_ENTITY.sub(_character, without_tags).split())
    if label and re.match(rf"{label}\s*:", words, re.IGNORECASE):
        return words.partition(":")[2].strip()
    return words


def _character(entity: re.Match[str]) -> str:
    return unescape(entity[0])


def _as_tags(names: Iterable[str]) -> list[str]:
    return [f"<{name}>" for name in names]


TOPICS = JudgmentFormat(
    name="topics",
    about="TREC topics: <top> markup, or XML",
    fits_queries=is_topics,
    read_queries=read_topics,
)
