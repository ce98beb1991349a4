"""YAML as light nodes with positions, made of the events of PyYAML's parser.

PyYAML's loaders guess types, and drop positions and duplicate keys. Events have
positions and all keys, and no types. PyYAML takes them from libyaml if it can, in a
third of the time that a loader needs for its nodes.

This module knows YAML: anchors, aliases, merge keys, duplicate keys, one document in a
file. It does not know the keys of a case file (`keys.py` does). `yaml_errors.py` says
what is wrong with a text that is not YAML.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import yaml
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from pytest_relevance._problems import Place, Problem
from pytest_relevance._text import quoted
from pytest_relevance.cases.location import Path, Position
from pytest_relevance.cases.yaml_errors import (
    DEEPEST,
    Broken,
    Mark,
    check_utf_8,
    place_of,
)

LARGEST_EXPANSION = 500_000
"""How many nodes the aliases of a file may expand to, in addition to one for each byte.
"""

JUDGMENTS = "judgments"
"""The key whose value is a mapping of documents, for the message about a duplicate
key.
"""

MERGE_KEY = "<<"

Event: TypeAlias = Any
"""An event of PyYAML, from either of its parsers."""


class MappingNode:
    """A mapping of YAML. Its pairs are in the order written; each key stands once.

    `size`: the number of its nodes.
    """

    __slots__ = ("pairs", "size", "start_mark")

    def __init__(self, start_mark: Mark | None, pairs: Pairs | None = None) -> None:
        self.start_mark = start_mark
        self.pairs: Pairs = {} if pairs is None else pairs
        self.size = 1

    def mark_at(self, path: Path, *, at_key: bool) -> Mark | None:
        """Return the position of the value that a path leads to, or of its key.

        If the path leads nowhere, return the position of the last node on its way. None
        if this position is not known.
        """
        node: Node = self
        mark = self.start_mark
        for step, part in enumerate(path, start=1):
            if isinstance(node, MappingNode) and part in node.pairs:
                key, node = node.pairs[str(part)]
                is_last = step == len(path)
                mark = key.start_mark if at_key and is_last else node.start_mark
                continue
            if not isinstance(node, SequenceNode) or not isinstance(part, int):
                break
            if part >= len(node.items):
                break
            node = node.items[part]
            mark = node.start_mark
        return mark


class SequenceNode:
    """A list of YAML. `size` is the number of its nodes."""

    __slots__ = ("items", "size", "start_mark")

    def __init__(self, start_mark: Mark | None) -> None:
        self.start_mark = start_mark
        self.items: list[Node] = []
        self.size = 1


Node: TypeAlias = ScalarEvent | MappingNode | SequenceNode
Pairs: TypeAlias = dict[str, tuple[ScalarEvent, Node]]
"""The key and the value of each pair of a mapping, by the text of the key."""


class NodePosition(Position):
    """Finds the lines of the values of a suite or a case that is written in YAML.

    `number`: the number of the case among the cases, from 1; 0 for a suite.
    """

    __slots__ = ("node", "number")

    def __init__(self, node: MappingNode, number: int = 0) -> None:
        self.node = node
        self.number = number

    def place(self, path: Path, *, at_key: bool) -> Place:
        """Return the place of the value that a path leads to, or of its key."""
        return place_of(self.node.mark_at(path, at_key=at_key))

    def label(self) -> str:
        """Return the id, the query or the number of a case; "" for a suite."""
        if not self.number:
            return ""
        for name in ("id", "query"):
            text = scalar_text(self.node, name)
            if text:
                return quoted(text, 60)
        return f"number {self.number}"

    def without(self, name: str) -> NodePosition:
        """Return this position without the nodes of a key, to save memory."""
        pairs = dict(self.node.pairs)
        pairs.pop(name, None)
        return NodePosition(MappingNode(self.node.start_mark, pairs), self.number)


def scalar_text(node: MappingNode, name: str) -> str | None:
    """Return the text of a key; None if it is missing, or is a mapping or a list."""
    if name not in node.pairs:
        return None
    _, value = node.pairs[name]
    return value.value if isinstance(value, ScalarEvent) else None


class EventReader:
    """Reads one YAML document as nodes.

    `next_event()` returns the next event of the parser.

    Every method raises `yaml.YAMLError` if the text is not YAML, and its subclass
    `Broken` if the text is YAML but cannot be a case file. `yaml_errors.problem_of`
    makes a message of the error.
    """

    def __init__(self, data: bytes) -> None:
        check_utf_8(data)
        # PyPy's PyYAML comes without libyaml
        loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        self.next_event: Callable[[], Event] = loader(data).get_event
        self.next_event()  # the start of the stream
        self._problems: list[Problem] = []
        self._anchors: dict[str, Node | None] = {}  # None while its node is read
        self._expanded = 0
        self._most_expanded = LARGEST_EXPANSION + len(data)

    def take_problems(self) -> list[Problem]:
        """Return the mistakes that were found since the last call of this method.

        After such a mistake, for example a key that is written twice, reading goes on.
        After any other one `Broken` is raised.
        """
        problems = self._problems
        self._problems = []
        return problems

    def enter_document(self) -> bool:
        """Enter the mapping of the document. Return False for a file without content.

        Raises:
            Broken: the document is not a mapping.
        """
        if type(self.next_event()) is StreamEndEvent:
            return False
        top = self.next_event()
        if type(top) is MappingStartEvent:
            self._check_tag(top)
            return True
        if type(top) is ScalarEvent and not top.value and top.implicit[0]:
            self.leave_document()
            return False
        kind = "a list" if type(top) is SequenceStartEvent else "a single value"
        raise _broken(
            top,
            f'the top level is {kind}; a case file is a mapping with the key "cases" '
            "(and the suite's defaults)",
        )

    def leave_document(self) -> None:
        """Raise `Broken` if something follows the document."""
        self.next_event()  # the end of the document
        after = self.next_event()
        if type(after) is DocumentStartEvent:
            raise _broken(
                after, "a second document begins here; a case file is one document"
            )

    def key(self, event: Event) -> ScalarEvent:
        """Return the key that begins with `event`.

        Raises `Broken` if the key is not a text.
        """
        if type(event) is ScalarEvent:
            return self._scalar(event)
        key = self._alias(event) if type(event) is AliasEvent else None
        if type(key) is not ScalarEvent:
            raise _broken(event, "a key is plain or quoted text, found something else")
        return key

    def node(self, event: Event, depth: int = 0, key: str = "") -> Node:
        """Return the node that begins with `event` and is the value of `key`."""
        kind = type(event)
        if kind is ScalarEvent:
            return self._scalar(event)
        if kind is AliasEvent:
            return self._alias(event)
        if depth > DEEPEST:
            raise _broken(event, f"nested deeper than {DEEPEST} levels")
        self._check_tag(event)
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        node: Node
        if kind is MappingStartEvent:
            node = self._mapping(event, depth, key)
        else:
            node = self._sequence(event, depth)
        if event.anchor is not None:
            self._anchors[event.anchor] = node
        return node

    def merge(self, key: ScalarEvent, value: Node, into: Pairs) -> None:
        """Add the pairs of a merge key `<<` to the pairs of a mapping.

        Keys that the mapping has already stay as they are.
        """
        sources = value.items if isinstance(value, SequenceNode) else [value]
        for source in sources:
            if not isinstance(source, MappingNode):
                message = (
                    'a merge key "<<" takes a mapping or a list of mappings (aliases)'
                )
                self._problems.append(Problem(message, place_of(key.start_mark)))
                return
            for inherited, pair in source.pairs.items():
                into.setdefault(inherited, pair)

    def add_duplicate(
        self, key: ScalarEvent, first: ScalarEvent, mapping: str = ""
    ) -> None:
        """Report a key that a mapping has already.

        `mapping`: the key whose value the mapping is; empty for the suite.
        """
        what = f"duplicate key {quoted(key.value)}"
        advice = "keep one of them"
        if mapping == JUDGMENTS:
            what = f"document {quoted(key.value)} is judged twice"
            advice = "keep one grade, or write a list of ratings"
        line = place_of(first.start_mark).line
        message = f"{what}, first in line {line}; {advice}"
        self._problems.append(Problem(message, place_of(key.start_mark)))

    def _scalar(self, event: ScalarEvent) -> ScalarEvent:
        if event.anchor is not None:
            self._anchors[event.anchor] = event
        self._check_tag(event)
        return event

    def _check_tag(self, event: Event) -> None:
        """Report a tag of YAML, for example `!!int`. A case file may not have tags."""
        if event.tag is None or not _is_explicit(event):
            return
        message = (
            f"the tag {quoted(event.tag)} has no meaning here; put a text that "
            "begins with ! in quotes"
        )
        self._problems.append(Problem(message, place_of(event.start_mark)))
        # Read it as plain text from here on: one mistake is enough.
        event.implicit = (True, False)

    def _alias(self, event: Event) -> Node:
        """Return the node that an alias names. Raises `Broken` if there is none.

        Raises `Broken` too if the aliases of the file expand to too many values.
        """
        name = event.anchor
        if name not in self._anchors:
            raise _broken(
                event,
                f"the alias *{name} has no anchor &{name} before it; put a text that "
                "begins with * in quotes",
            )
        node = self._anchors[name]
        if node is None:
            raise _broken(event, f"the alias *{name} stands inside its own anchor")
        self._expanded += _size_of(node)
        if self._expanded > self._most_expanded:
            raise _broken(
                event,
                f"the aliases up to here expand to more than {self._most_expanded:,} "
                "values; the file is refused",
            )
        return node

    def _sequence(self, start: Event, depth: int) -> SequenceNode:
        """Return the list that begins with `start`."""
        sequence = SequenceNode(start.start_mark)
        event = self.next_event()
        while type(event) is not SequenceEndEvent:
            item = self.node(event, depth + 1)
            sequence.size += _size_of(item)
            sequence.items.append(item)
            event = self.next_event()
        return sequence

    def _mapping(self, start: Event, depth: int, name: str) -> MappingNode:
        """Return a mapping, which is the value of the key `name`.

        Reading a case file spends most of its time in this loop. To be fast, the loop
        reads scalars without anchor and tag itself, and calls methods only for other
        nodes. Measure with benchmarks/suite.py before you change it.
        """
        mapping = MappingNode(start.start_mark)
        pairs = mapping.pairs
        next_event = self.next_event
        merged: list[tuple[ScalarEvent, Node]] = []
        key = next_event()
        while type(key) is not MappingEndEvent:
            if type(key) is not ScalarEvent or _is_special(key):
                key = self.key(key)
            value = next_event()
            if type(value) is not ScalarEvent or _is_special(value):
                value = self.node(value, depth + 1, key.value)
                mapping.size += _size_of(value) - 1
            pair = (key, value)
            if key.value == MERGE_KEY and key.implicit[0]:  # in quotes it is text
                merged.append(pair)
            elif pairs.setdefault(key.value, pair) is not pair:
                first, _ = pairs[key.value]
                self.add_duplicate(key, first, mapping=name)
            key = next_event()
        mapping.size += 2 * len(pairs)
        for merge_key, merged_value in merged:
            self.merge(merge_key, merged_value, into=pairs)
        return mapping


def _is_special(scalar: ScalarEvent) -> bool:
    return scalar.anchor is not None or scalar.tag is not None


def _is_explicit(event: Event) -> bool:
    """Say whether the tag of an event was written.

    PyYAML has two flags for a scalar and one for any other event.
    """
    return event.implicit in ((False, False), False)


def _broken(event: Event, message: str) -> Broken:
    """Return the error for a mistake after which reading cannot go on."""
    return Broken(Problem(message, place_of(event.start_mark)))


def _size_of(node: Node) -> int:
    return 1 if isinstance(node, ScalarEvent) else node.size
