"""Where the nodes of a case file begin and end in its text, for changing the text in place.

The nodes of `cases.yaml.nodes` are what a file means, after merging and behind aliases. A `Span` is what is written.
"""

from __future__ import annotations

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

from pytest_relevance.cases.keys import CASES
from pytest_relevance.cases.yaml.events import event_source
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
