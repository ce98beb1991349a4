"""The text of a case file: the spans of its cases as they are written, and replacements in it.

The nodes of `cases.yaml.nodes` are what a file means, after merging and behind aliases; a `Span` is what is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from yaml.events import (
    AliasEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from pytest_relevance.cases.checking.keys import CASES
from pytest_relevance.cases.yaml.errors import BREAK
from pytest_relevance.cases.yaml.nodes import event_source
from pytest_relevance.cases.yaml.scalars import Pairs, in_braces, in_lines
from pytest_relevance.cases.yaml.scalars import value as scalar_value

BOM = b"\xef\xbb\xbf"
Position = tuple[int, int]
"""A line and a column, from 1."""
_STARTS, _ENDS = (MappingStartEvent, SequenceStartEvent), (MappingEndEvent, SequenceEndEvent)


@dataclass(frozen=True, slots=True)
class Span:
    """A node in the text: from character `start` to before `end`, without the byte order mark; line and column from 1.

    A block mapping or list ends with the last node in it. `kind` is "scalar", "alias", "mapping" or "list". `marked`:
    the node begins with an anchor or a tag. `flow`: it has braces or brackets. `value` is the text of a scalar or the
    name of an alias. `parts` are the keys and values of a mapping in turn, or the items of a list.
    """

    kind: str
    start: int
    end: int
    line: int
    column: int
    marked: bool = False
    flow: bool = False
    value: str = ""
    parts: Sequence[Span] = ()

    @property
    def position(self) -> Position:
        """Where it begins."""
        return self.line, self.column

    @property
    def indent(self) -> int:
        """The column of the keys of a block mapping, from 0."""
        return (self.parts[0] if self.marked and self.parts else self).column - 1

    @property
    def is_blank(self) -> bool:
        """Whether it is a scalar that means nothing: empty, or `null`."""
        return self.kind == "scalar" and scalar_value(self.value) is None

    def get(self, key: str) -> Span | None:
        """The value of a key of a mapping, as it is written there; None where the node has no such key."""
        if self.kind != "mapping":
            return None
        pairs = zip(self.parts[::2], self.parts[1::2], strict=True)
        return next((value for name, value in pairs if name.kind == "scalar" and name.value == key), None)


def spans_of_cases(data: bytes, positions: Collection[Position]) -> dict[Position, Span]:
    """Find the cases that begin at some positions of a case file that the reader accepts.

    A case that does not stand in the list of cases itself, because an alias brings it there, is left out.
    """
    get = event_source(data.removeprefix(BOM))
    for _ in range(3):  # the start of the stream, of the document and of the mapping
        get()
    found: dict[Position, Span] = {}
    while not isinstance(key := get(), MappingEndEvent):
        _skip(get, key)
        value = get()
        if isinstance(key, ScalarEvent) and key.value == CASES and isinstance(value, SequenceStartEvent):
            while not isinstance(item := get(), SequenceEndEvent):
                position = (item.start_mark.line + 1, item.start_mark.column + 1)
                if position in positions:
                    found[position] = _span(get, item)
                else:
                    _skip(get, item)
        else:
            _skip(get, value)
    return found


def _skip(get: Callable[[], Any], event: Any) -> None:
    """Pass over the node that begins with an event."""
    depth = 0
    while True:
        depth += isinstance(event, _STARTS) - isinstance(event, _ENDS)
        if not depth:
            return
        event = get()


def _span(get: Callable[[], Any], event: Any) -> Span:
    """Read the node that begins with an event."""
    mark = event.start_mark
    begin = mark.index, event.end_mark.index, mark.line + 1, mark.column + 1
    if isinstance(event, AliasEvent):
        return Span("alias", *begin, value=str(event.anchor))
    marked = event.anchor is not None or event.tag is not None
    if isinstance(event, ScalarEvent):
        return Span("scalar", *begin, marked, value=event.value)
    parts = []
    while not isinstance(part := get(), _ENDS):
        parts.append(_span(get, part))
    flow = bool(event.flow_style)
    end = parts[-1].end if parts and not flow else part.end_mark.index  # type: ignore[union-attr]
    kind = "mapping" if isinstance(event, MappingStartEvent) else "list"
    return Span(kind, mark.index, end, mark.line + 1, mark.column + 1, marked, flow, parts=parts)


_COMMENT = re.compile("(?:\r\n|[\n\r])( *)#[^\r\n\x85\u2028\u2029]*")
"""The next line, where it is a comment; the group is its indentation."""


class Replacements:
    """Texts in the place of others in one text, and texts inserted. No two of them may overlap."""

    def __init__(self, data: bytes) -> None:
        self._has_mark = data.startswith(BOM)
        self._text = data.removeprefix(BOM).decode()
        self._pieces: list[tuple[int, int, str]] = []
        usual = BREAK.search(self._text)
        self._usual_break = usual[0] if usual is not None else "\n"

    def text_of(self, span: Span) -> str:
        """The text of a node."""
        return self._text[span.start : span.end]

    def indent_of_item(self, span: Span) -> str | None:
        """The blanks before the dash of a list item; None where it does not begin with a dash in a line of its own."""
        dash = re.compile(r"( *)-[ ]+$").search(self._text, self._text.rfind("\n", 0, span.start) + 1, span.start)
        return dash[1] if dash is not None else None

    def put(self, span: Span, text: str) -> str:
        """Replace a scalar or an alias. Returns why that is not possible, or an empty text."""
        if span.marked:
            return "what stands here has an anchor or a tag; change it by hand"
        if span.kind not in ("scalar", "alias"):
            return "what stands here is no single value; change it by hand"
        self._pieces.append((span.start, span.end, text))
        return ""

    def insert(self, mapping: Span, pairs: Pairs) -> str:
        """Insert pairs at the end of a mapping. Returns why that is not possible, or an empty text."""
        if not mapping.flow:
            self.insert_lines(mapping, in_lines(pairs, mapping.indent))
        elif self._text[mapping.end - 1] != "}":
            return "this mapping has no braces; write them, so that something can be added to it"
        elif mapping.parts:
            at = mapping.parts[-1].end
            self._pieces.append((at, at, f", {in_braces(pairs)}"))
        else:
            at = self._text.index("{", mapping.start) + 1
            blank = "" if self._text[at] in "} \t\r\n" else " "
            self._pieces.append((at, at, in_braces(pairs) + blank))
        return ""

    def insert_lines(self, node: Span, lines: Sequence[str]) -> None:
        """Insert lines after a block mapping, and after the comments that belong to it by their indentation."""
        if BREAK.match(self._text, node.end - 1):  # a block of text is last, and ends where the next line begins
            new = "".join(f"{line}{self._usual_break}" for line in lines)
            self._pieces.append((node.end, node.end, new))
            return
        after = BREAK.search(self._text, node.end)  # only a comment can stand before it
        at, line_break = (len(self._text), self._usual_break) if after is None else (after.start(), after[0])
        while (comment := _COMMENT.match(self._text, at)) and len(comment[1]) > node.indent:
            at = comment.end()
        self._pieces.append((at, at, "".join(f"{line_break}{line}" for line in lines)))

    def result(self) -> bytes:
        """The text with all replacements, as a file."""
        parts, at = [], 0
        for start, end, new in sorted(self._pieces):
            parts += [self._text[at:start], new]
            at = end
        return BOM * self._has_mark + "".join([*parts, self._text[at:]]).encode()
