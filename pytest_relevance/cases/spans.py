"""Where every node of a case file begins and ends in its text, for who changes the text in place.

The nodes of `nodes` are what a file means, after merging and behind aliases. These are what stands there.
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

from pytest_relevance.cases.build import CASES
from pytest_relevance.cases.events import event_source

BOM = b"\xef\xbb\xbf"

_STARTS, _ENDS = (MappingStartEvent, SequenceStartEvent), (MappingEndEvent, SequenceEndEvent)


@dataclass(frozen=True, slots=True)
class Span:
    """A node in the text: from `start` to before `end`, in characters without the byte order mark; lines from 1.

    A block mapping or list ends where the last node in it does. `kind` is "scalar", "alias", "mapping" or "list";
    `marked` says that there is an anchor or a tag, with which a node begins. `value` is that of a scalar.
    """

    kind: str
    start: int
    end: int
    line: int
    column: int
    marked: bool = False
    flow: bool = False
    value: str = ""
    pairs: Sequence[tuple[Span, Span]] = ()
    items: Sequence[Span] = ()

    @property
    def indent(self) -> int:
        """The column of the keys of a block mapping, from 0."""
        return self.pairs[0][0].column - 1 if self.marked and self.pairs else self.column - 1

    def get(self, key: str) -> Span | None:
        """What a key of a mapping holds, as it is written there."""
        return next((value for name, value in self.pairs if name.kind == "scalar" and name.value == key), None)


Place = tuple[int, int]
"""A line and a column, from 1."""


def spans(data: bytes) -> Span:
    """The root of a case file that the reader accepts."""
    get = event_source(data.removeprefix(BOM))
    for _ in range(2):  # the start of the stream and of the document
        get()
    return _span(get, get())


def case_spans(data: bytes, places: Collection[Place]) -> dict[Place, Span]:
    """The cases that begin at `places` in a case file which the reader accepts, as far as they stand in its list."""
    get = event_source(data.removeprefix(BOM))
    for _ in range(3):  # the start of the stream, of the document and of the mapping
        get()
    found: dict[Place, Span] = {}
    while not isinstance(key := get(), MappingEndEvent):
        _skip(get, key)
        value = get()
        if isinstance(key, ScalarEvent) and key.value == CASES and isinstance(value, SequenceStartEvent):
            while not isinstance(item := get(), SequenceEndEvent):
                place = (item.start_mark.line + 1, item.start_mark.column + 1)
                if place in places:
                    found[place] = _span(get, item)
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
    mark = event.start_mark
    start, line, column = mark.index, mark.line + 1, mark.column + 1
    if isinstance(event, AliasEvent):
        return Span("alias", start, _end(event), line, column, value=str(event.anchor))
    marked = event.anchor is not None or event.tag is not None
    if isinstance(event, ScalarEvent):
        return Span("scalar", start, _end(event), line, column, marked, value=event.value)
    is_mapping = isinstance(event, MappingStartEvent)
    parts = []
    while not isinstance(part := get(), _ENDS):
        parts.append(_span(get, part))
    flow = bool(event.flow_style)
    end = _end(part) if flow or not parts else parts[-1].end
    if is_mapping:
        pairs = tuple(zip(parts[::2], parts[1::2], strict=True))
        return Span("mapping", start, end, line, column, marked, flow, pairs=pairs)
    return Span("list", start, end, line, column, marked, flow, items=tuple(parts))


def _end(event: Any) -> int:
    end: int = event.end_mark.index
    return end
