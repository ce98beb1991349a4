"""YAML as light nodes, read from a parser's events: scalars as written, every node with its position.

PyYAML's loaders build a graph of nodes and then Python values, guess types on the way, and drop positions and duplicate
keys. Events, from libyaml where PyYAML has it, show all of it at a fraction of the cost. This module knows YAML:
anchors, aliases, merge keys, duplicate keys, one document a file. The keys of a case file are checked by
`cases.checking`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import yaml
from yaml.error import MarkedYAMLError, YAMLError
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
from yaml.reader import ReaderError

from pytest_relevance._problems import Place, Problem
from pytest_relevance._text import quoted

Mark: TypeAlias = Any
"""A position in a text, from either of PyYAML's parsers: `line`, `column` and `index` of a character, from 0."""


class Broken(YAMLError):
    """The file is YAML, but no case file from here on; `problem` says why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def problem_at(mark: Mark | None, message: str, case: str = "") -> Problem:
    """Make a problem at a mark, or at the beginning of the file where there is none."""
    if mark is None:
        return Problem(message, Place(line=1, column=1), case)
    return Problem(message, Place(line=mark.line + 1, column=mark.column + 1), case)


DEEPEST = 60
"""Levels of nesting; a case needs six. The bound keeps a hostile file from exhausting the stack."""

LARGEST_EXPANSION = 500_000
"""Nodes that all aliases of a file may stand for together, beyond one for each byte of the file."""

JUDGMENTS = "judgments"
MERGE_KEY = "<<"
_WITH_TAG = (
    (False, False),
    False,
)  # `implicit` of a scalar and of another event with an explicit tag


class MappingNode:
    """A mapping: its pairs in the order written, after merging, keys unique. `size` counts its nodes."""

    __slots__ = ("pairs", "size", "start_mark")

    def __init__(self, start_mark: Mark | None, pairs: Pairs | None = None) -> None:
        self.start_mark = start_mark
        self.pairs: Pairs = {} if pairs is None else pairs
        self.size = 1

    def mark_at(
        self, path: Sequence[str | int], *, at_key: bool = False
    ) -> Mark | None:
        """Follow a path of keys and indexes as far as it leads: the position of the node there, or of its key."""
        node: Node = self
        mark = self.start_mark
        for step, part in enumerate(path, 1):
            if isinstance(node, MappingNode) and part in node.pairs:
                key, node = node.pairs[str(part)]
                mark = (
                    key.start_mark if at_key and step == len(path) else node.start_mark
                )
            elif (
                isinstance(node, SequenceNode)
                and isinstance(part, int)
                and part < len(node.items)
            ):
                node = node.items[part]
                mark = node.start_mark
            else:
                break
        return mark


class SequenceNode:
    """A sequence and its items."""

    __slots__ = ("items", "size", "start_mark")

    def __init__(self, start_mark: Mark | None) -> None:
        self.start_mark = start_mark
        self.items: list[Node] = []
        self.size = 1


Node: TypeAlias = ScalarEvent | MappingNode | SequenceNode
Pairs: TypeAlias = dict[str, tuple[ScalarEvent, Node]]
"""The pairs of a mapping by the text of their keys."""


def label_of(pairs: Pairs, number: int) -> str:
    """What messages call a case: its id, its query, or its number among the cases."""
    for name in ("id", "query"):
        node = pairs[name][1] if name in pairs else None
        if isinstance(node, ScalarEvent) and node.value:
            return quoted(node.value, 60)
    return f"number {number}"


class EventReader:
    """Reads one YAML document as nodes. `problems` collects the mistakes after which reading can go on.

    `event()` gives the next event. Every method raises `yaml.YAMLError` where the text is not YAML, or `Broken`, which
    is one, where it can be no case file; `problem_of` says what is wrong.
    """

    def __init__(self, data: bytes, problems: list[Problem] | None = None) -> None:
        self.problems: list[Problem] = [] if problems is None else problems
        self._data = data
        self._anchors: dict[str, Node | None] = {}  # None inside of the anchor
        self._expanded = 0
        problem = undecodable(data)
        if problem is not None:
            raise Broken(problem)
        loader: Any = getattr(
            yaml, "CSafeLoader", yaml.SafeLoader
        )  # PyPy's PyYAML comes without libyaml
        self.event: Callable[[], Any] = loader(data).get_event
        self.event()  # the start of the stream

    def top_level(self) -> bool:
        """Enter the mapping that the document is; False for a file without content.

        Raises:
            Broken: for anything else than a mapping.
        """
        start = self.event()
        if type(start) is StreamEndEvent:
            return False
        top = self.event()
        if type(top) is MappingStartEvent:
            self._check_tag(top)
            return True
        if type(top) is ScalarEvent and not top.value and top.implicit[0]:
            self.finish()
            return False
        kind = "a list" if type(top) is SequenceStartEvent else "a single value"
        raise _broken(
            top,
            f'the top level is {kind}; a case file is a mapping with the key "cases" (and the suite\'s defaults)',
        )

    def finish(self) -> None:
        """Check that nothing follows the top level."""
        self.event()  # the end of the document
        after = self.event()
        if type(after) is DocumentStartEvent:
            raise _broken(
                after, "a second document begins here; a case file is one document"
            )

    def key(self, event: Any) -> ScalarEvent:
        """Give the scalar that is the key of a mapping."""
        if type(event) is ScalarEvent:
            return self._scalar(event)
        key = self._alias(event) if type(event) is AliasEvent else None
        if type(key) is not ScalarEvent:
            raise _broken(
                event, "a key is plain or quoted text; here begins something else"
            )
        return key

    def compose(self, event: Any, depth: int = 0, key: str = "") -> Node:
        """Read the node that begins with `event`, the value of `key`."""
        kind = type(event)
        if kind is ScalarEvent:
            return (
                event
                if event.anchor is None and event.tag is None
                else self._scalar(event)
            )
        if kind is AliasEvent:
            return self._alias(event)
        if depth > DEEPEST:
            raise _broken(event, f"nested deeper than {DEEPEST} levels")
        self._check_tag(event)
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        node = (
            self._mapping(event, depth, key)
            if kind is MappingStartEvent
            else self._sequence(event, depth)
        )
        if event.anchor is not None:
            self._anchors[event.anchor] = node
        return node

    def _scalar(self, event: ScalarEvent) -> ScalarEvent:
        if event.anchor is not None:
            self._anchors[event.anchor] = event
        self._check_tag(event)
        return event

    def _check_tag(self, event: Any) -> None:
        if event.tag is not None and event.implicit in _WITH_TAG:
            what = f"the tag {quoted(event.tag)} has no meaning here"
            message = (
                f"{what}; quotes make text, and a text that begins with ! needs them"
            )
            self.problems.append(problem_at(event.start_mark, message))
            event.implicit = (
                True,
                False,
            )  # read it as a number where it is one: one mistake is enough

    def _alias(self, event: Any) -> Node:
        name = event.anchor
        if name not in self._anchors:
            what = f"the alias *{name} has no anchor &{name} before it"
            raise _broken(event, f"{what}; a text that begins with * needs quotes")
        node = self._anchors[name]
        if node is None:
            raise _broken(event, f"the alias *{name} stands inside its own anchor")
        self._expanded += _size(node)
        most = LARGEST_EXPANSION + len(self._data)
        if self._expanded > most:
            raise _broken(
                event,
                f"the aliases up to here expand to more than {most:,} values; the file is refused",
            )
        return node

    def _sequence(self, start: Any, depth: int) -> SequenceNode:
        node = SequenceNode(start.start_mark)
        while type(event := self.event()) is not SequenceEndEvent:
            item = self.compose(event, depth + 1)
            node.size += _size(item)
            node.items.append(item)
        return node

    def _mapping(self, start: Any, depth: int, name: str) -> MappingNode:
        """Read a mapping, the value of `name`, in one pass over the events.

        This loop is most of the time that reading a case file takes: measure with benchmarks/suite.py before changing
        it.
        """
        node = MappingNode(start.start_mark)
        pairs, get = node.pairs, self.event
        merged: list[tuple[ScalarEvent, Node]] = []
        while type(key := get()) is not MappingEndEvent:
            if (
                type(key) is not ScalarEvent
                or key.anchor is not None
                or key.tag is not None
            ):
                key = self.key(key)
            text = key.value
            value = get()
            if (
                type(value) is not ScalarEvent
                or value.anchor is not None
                or value.tag is not None
            ):
                value = self.compose(value, depth + 1, text)
                node.size += _size(value) - 1
            pair = (key, value)
            if text == MERGE_KEY and key.implicit[0]:  # in quotes it is text
                merged.append(pair)
            elif pairs.setdefault(text, pair) is not pair:
                self.problems.append(duplicate(key, pairs[text][0], name))
        node.size += 2 * len(pairs)
        for pair in merged:
            self.merge(pair, pairs)
        return node

    def merge(self, merged: tuple[ScalarEvent, Node], pairs: Pairs) -> None:
        """Add to the pairs of a mapping those of a merge key, but for the keys that it has."""
        key, value = merged
        for source in value.items if isinstance(value, SequenceNode) else [value]:
            if not isinstance(source, MappingNode):
                message = (
                    'a merge key "<<" takes a mapping or a list of mappings (aliases)'
                )
                self.problems.append(problem_at(key.start_mark, message))
                break
            for inherited, pair in source.pairs.items():
                pairs.setdefault(inherited, pair)


def _broken(event: Any, message: str) -> Broken:
    """A mistake where an event begins, after which reading cannot go on."""
    return Broken(problem_at(event.start_mark, message))


def _size(node: Node) -> int:
    return 1 if isinstance(node, ScalarEvent) else node.size


def duplicate(key: ScalarEvent, first: ScalarEvent, mapping: str = "") -> Problem:
    """The problem of a key that a mapping has already; `mapping` is the key whose value the mapping is."""
    line = first.start_mark.line + 1 if first.start_mark is not None else 1
    what, advice = f"duplicate key {quoted(key.value)}", "keep one of them"
    if mapping == JUDGMENTS:
        what, advice = (
            f"document {quoted(key.value)} is judged twice",
            "keep one grade, or write a list of ratings",
        )
    return problem_at(key.start_mark, f"{what}, first in line {line}; {advice}")


# What is wrong with a text that is not YAML


def is_utf_16(data: bytes) -> bool:
    """Whether a file begins with a byte order mark of UTF-16."""
    return data.startswith((b"\xff\xfe", b"\xfe\xff"))


def undecodable(data: bytes) -> Problem | None:
    """Say what is wrong with a file that is not UTF-8; None for one that is."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        if is_utf_16(data):
            return Problem(
                "the file is UTF-16; save it as UTF-8", Place(line=1, column=1)
            )
        byte = f"0x{data[error.start]:02x}"
        return _problem_after(
            data[: error.start],
            f"the file is not UTF-8: byte {byte} cannot be read; save it as UTF-8",
        )
    return None


def problem_of(error: YAMLError, data: bytes) -> Problem:
    """Translate an error of PyYAML for somebody who writes case files, or take the problem of `Broken`."""
    if isinstance(error, Broken):
        return error.problem
    if isinstance(error, ReaderError):
        code = int(error.character)
        what = f"the character U+{code:04X} may not stand in YAML as it is"
        cure = f'write "\\u{code:04x}" in double quotes, or take it out'
        return _problem_after(data[: error.position], f"{what}; {cure}")
    assert isinstance(error, MarkedYAMLError)
    mark, begun = error.problem_mark or error.context_mark, error.context_mark
    if (
        begun is not None
        and "quoted scalar" in (error.context or "")
        and "end of stream" in (error.problem or "")
    ):
        return problem_at(
            begun, "this is not YAML: the quotes that open here are not closed"
        )
    context = " ".join((error.context or "").split())
    if begun is not None and mark is not None and context and begun.line != mark.line:
        context = f"{context} begun in line {begun.line + 1}"
    message = ", ".join(
        part for part in (context, " ".join((error.problem or "").split())) if part
    )
    lines = _lines_of(data)
    advice = next((f" ({advice})" for cause, advice in _ADVICE if cause in message), "")
    if mark is None or mark.line >= len(
        lines
    ):  # libyaml reports the end of the text in the line after the last
        return _problem_after(data, f"this is not YAML: {message}{advice}")
    before = lines[mark.line][: mark.column + 1]
    if "\t" in before and not before.strip(
        " \t"
    ):  # which libyaml calls "a character" without naming it
        advice = " (there is a tab; indent with spaces)"
    elif _UNQUOTED_TEMPLATE.match(lines[mark.line]):
        advice = ' (put a template in quotes, "{_index}/{_id}")'
    return problem_at(mark, f"this is not YAML: {message}{advice}")


_UNQUOTED_TEMPLATE = re.compile(r"\s*(?:- )?id_field\s*:\s*\{[^}]*\}[^\s#]")

_ADVICE = (
    ("mapping values are not allowed", "a text with a colon needs quotes"),
    ("cannot start any token", "a text that begins with this character needs quotes"),
    ("expected '-' indicator", "look at the indentation"),
    ("expected ',' or", "look for a bracket that is not closed"),
    ("expected key", "look at the indentation, and at quotes that are not closed"),
    (
        "maximum nesting depth",
        f"nested deeper than {DEEPEST} levels",
    ),  # of libyaml, which looks ahead of the reader
    (
        "expected <block end>",
        "look at the indentation, and at quotes that are not closed",
    ),
)
"""Parts of error messages, and what such errors usually come from."""


def _lines_of(data: bytes) -> list[str]:
    """The lines of a text in UTF-8, ended as YAML ends them."""
    return re.split(
        "\r\n|[\n\r\x85\u2028\u2029]",
        data.decode("utf-8", "replace").removeprefix("\ufeff"),
    )


def _problem_after(before: bytes, message: str) -> Problem:
    """A problem at the character that follows a part of the file."""
    lines = _lines_of(before)
    return Problem(message, Place(line=len(lines), column=len(lines[-1]) + 1))
