"""YAML as light nodes, read from libyaml's events: scalars as written, every node with its position.

PyYAML's loaders build a graph of nodes and then Python values, guess types on the way and drop positions and duplicate
keys. Events show all of it at a fraction of the cost. What this module knows is YAML: anchors, aliases, merge keys,
duplicate keys, one document a file. What the keys mean is the business of `fields` and `reader`, with one exception:
`judgments` is where nearly all of a file's bytes are, and a mapping of documents to plain grades is read straight into
a dict, without a node a document. That keeps no positions, so it is left (`Careful`) for the ordinary way as soon as
something must be reported or looks unusual.
"""

from __future__ import annotations

from typing import Protocol, Union

from yaml.error import Mark, MarkedYAMLError, YAMLError
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from pytest_relevance.cases.problems import Problem
from pytest_relevance.cases.scalars import Grades
from pytest_relevance.wording import quoted

DEEPEST = 60
"""Levels of nesting; a case needs six. It keeps a hostile file from exhausting the stack."""

LARGEST_EXPANSION = 500_000
"""Nodes that all aliases of a file may stand for together."""

IN_CASE = 1
"""The depth of what a case's keys hold; the case itself is at 0."""

JUDGMENTS = "judgments"
_PLAIN_KEY = "<<"
_WRITTEN_TAG = (False, False)  # ScalarEvent.implicit of a scalar with a tag of its own


class Careful(Exception):
    """The quick reading of judgments met something that needs positions; read the file again without it."""


class Broken(Exception):
    """The file cannot be read any further; `problem` says why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


class MappingNode:
    """A mapping: its pairs in the order written, after merging, keys unique."""

    __slots__ = ("pairs", "size", "start_mark")

    def __init__(self, start_mark: Mark) -> None:
        self.start_mark = start_mark
        self.pairs: dict[str, tuple[ScalarEvent, Node]] = {}
        self.size = 1


class SequenceNode:
    """A sequence and its items."""

    __slots__ = ("items", "size", "start_mark")

    def __init__(self, start_mark: Mark) -> None:
        self.start_mark = start_mark
        self.items: list[Node] = []
        self.size = 1


class QuickJudgments:
    """A `judgments` mapping read without positions: document to grade as written.

    Where the grade is no plain scalar the document is among the `unusual`, and has a node.
    """

    __slots__ = ("grades", "size", "start_mark", "unusual")

    def __init__(self, start_mark: Mark, grades: dict[str, object], unusual: list[str]) -> None:
        self.start_mark = start_mark
        self.grades = grades
        self.unusual = unusual
        self.size = 1 + len(grades)


Node = Union[ScalarEvent, MappingNode, SequenceNode, QuickJudgments]


class _Parser(Protocol):
    def get_event(self) -> Event: ...


def _parser(data: bytes) -> _Parser:
    try:
        from yaml.cyaml import CParser
    except ImportError:  # PyPy's PyYAML comes without libyaml
        from yaml.parser import Parser
        from yaml.reader import Reader
        from yaml.scanner import Scanner

        class PureParser(Reader, Scanner, Parser):
            def __init__(self, stream: bytes) -> None:
                Reader.__init__(self, stream)
                Scanner.__init__(self)
                Parser.__init__(self)

        return PureParser(data)
    return CParser(data)  # type: ignore[no-any-return]


def is_plain(node: Node) -> bool:
    """Whether a node is a scalar written without quotes (and so may be a number)."""
    return type(node) is ScalarEvent and bool(node.implicit[0])


class EventReader:
    """Reads one YAML document as nodes. `problems` collects what can be reported without giving up."""

    def __init__(self, data: bytes, *, quick: bool) -> None:
        self.problems: list[Problem] = []
        self._quick = quick
        self._anchors: dict[str, Node | None] = {}
        self._expanded = 0
        self._written = Grades()
        try:
            self._get = _parser(data).get_event
            self._get()  # the start of the stream
        except YAMLError as error:
            raise Broken(_syntax_problem(error)) from None

    def event(self) -> Event:
        """The next event. Raises `Broken` where the text is not YAML."""
        try:
            return self._get()
        except YAMLError as error:
            raise Broken(_syntax_problem(error)) from None

    def top_level(self) -> MappingStartEvent | None:
        """Enter the document: the start of its mapping, or None for a file without content. `Broken` for the rest."""
        start = self.event()
        if type(start) is StreamEndEvent:
            return None
        top = self.event()
        if type(top) is MappingStartEvent:
            return top
        if type(top) is ScalarEvent and not top.value and top.implicit[0]:
            return None
        kind = "a list" if type(top) is SequenceStartEvent else "a single value"
        raise Broken(
            problem_at(
                top.start_mark,
                f'the top level is {kind}; a case file is a mapping with the key "cases" (and the suite\'s defaults)',
            )
        )

    def finish(self) -> None:
        """After the top-level mapping: nothing may follow it."""
        self.event()  # the end of the document
        after = self.event()
        if type(after) is DocumentStartEvent:
            raise Broken(problem_at(after.start_mark, "a second document begins here; a case file is one document"))

    def key(self, event: Event) -> ScalarEvent:
        """The scalar that a mapping has as its key."""
        if type(event) is AliasEvent:
            event = self.compose(event)  # type: ignore[assignment]
        if type(event) is not ScalarEvent:
            raise Broken(problem_at(event.start_mark, "a key must be plain or quoted text"))
        if event.anchor is not None:
            self._anchors[event.anchor] = event
        return event

    def compose(self, event: Event, depth: int = 0, key: str = "") -> Node:
        """The node that begins with `event`, the value of `key`."""
        kind = type(event)
        if kind is ScalarEvent:
            if event.anchor is not None:
                self._anchors[event.anchor] = event
            if event.tag is not None and event.implicit == _WRITTEN_TAG:
                self.problems.append(
                    problem_at(event.start_mark, f"the tag {quoted(event.tag)} has no meaning here; quotes make text")
                )
            return event
        if kind is AliasEvent:
            return self._alias(event)
        if depth > DEEPEST:
            raise Broken(problem_at(event.start_mark, f"nested deeper than {DEEPEST} levels"))
        if event.tag is not None and not event.implicit:
            self.problems.append(problem_at(event.start_mark, f"the tag {quoted(event.tag)} has no meaning here"))
        if kind is MappingStartEvent:
            if self._quick and depth == IN_CASE and key == JUDGMENTS and event.anchor is None:
                return self._quick_judgments(event, depth)
            return self._mapping(event, depth, key)
        return self._sequence(event, depth)

    def _alias(self, event: Event) -> Node:
        name = event.anchor
        if name not in self._anchors:
            raise Broken(problem_at(event.start_mark, f"the alias *{name} has no anchor &{name} before it"))
        node = self._anchors[name]
        if node is None:
            raise Broken(problem_at(event.start_mark, f"the alias *{name} stands inside its own anchor"))
        self._expanded += 1 if type(node) is ScalarEvent else node.size
        if self._expanded > LARGEST_EXPANSION:
            raise Broken(
                problem_at(
                    event.start_mark,
                    f"the aliases up to here expand to more than {LARGEST_EXPANSION:,} values; the file is refused",
                )
            )
        return node

    def _sequence(self, start: Event, depth: int) -> SequenceNode:
        node = SequenceNode(start.start_mark)
        if start.anchor is not None:
            self._anchors[start.anchor] = None
        while type(event := self.event()) is not SequenceEndEvent:
            item = self.compose(event, depth + 1)
            node.size += 1 if type(item) is ScalarEvent else item.size
            node.items.append(item)
        if start.anchor is not None:
            self._anchors[start.anchor] = node
        return node

    def _mapping(self, start: Event, depth: int, name: str) -> MappingNode:
        node = MappingNode(start.start_mark)
        pairs = node.pairs
        merged: list[tuple[ScalarEvent, Node]] = []
        if start.anchor is not None:
            self._anchors[start.anchor] = None
        while type(event := self.event()) is not MappingEndEvent:
            key = self.key(event)
            value = self.compose(self.event(), depth + 1, key.value)
            node.size += 1 + (1 if type(value) is ScalarEvent else value.size)
            if key.value == _PLAIN_KEY and key.implicit[0]:
                merged.append((key, value))
            elif key.value in pairs:
                self.problems.append(_duplicate(key, pairs[key.value][0], name))
            else:
                pairs[key.value] = (key, value)
        for key, value in merged:
            self._merge(key, value, node)
        if start.anchor is not None:
            self._anchors[start.anchor] = node
        return node

    def _merge(self, key: ScalarEvent, value: Node, into: MappingNode) -> None:
        """A merge key: the pairs of other mappings, where the mapping has none of that name itself."""
        for source in value.items if type(value) is SequenceNode else [value]:
            if type(source) is not MappingNode:
                self.problems.append(
                    problem_at(key.start_mark, 'a merge key "<<" takes a mapping or a list of mappings (aliases)')
                )
                return
            for name, pair in source.pairs.items():
                into.pairs.setdefault(name, pair)

    def _quick_judgments(self, start: Event, depth: int) -> QuickJudgments:
        """`{document: grade}` as a dict, one pass over the events.

        This loop is most of the time that reading a case file takes; see benchmarks/reading.py before changing it.
        """
        get = self._get
        written = self._written
        grades: dict[str, object] = {}
        unusual: list[str] = []
        try:
            while type(key := get()) is ScalarEvent:
                value = get()
                document = key.value
                if (
                    document in grades
                    or key.anchor is not None
                    or key.implicit == _WRITTEN_TAG
                    or (document == _PLAIN_KEY and key.implicit[0])
                ):
                    raise Careful
                if type(value) is ScalarEvent and value.implicit[0] and value.anchor is None:
                    grades[document] = written[value.value]
                else:
                    grades[document] = self.compose(value, depth + 1)
                    unusual.append(document)
        except YAMLError as error:
            raise Broken(_syntax_problem(error)) from None
        if type(key) is not MappingEndEvent:
            raise Careful
        return QuickJudgments(start.start_mark, grades, unusual)


def problem_at(mark: Mark, message: str) -> Problem:
    """A problem at a mark of PyYAML's (which count from 0)."""
    return Problem(mark.line + 1, mark.column + 1, message)


def _duplicate(key: ScalarEvent, first: ScalarEvent, mapping: str) -> Problem:
    line = first.start_mark.line + 1
    what = (
        f"document {quoted(key.value)} is judged twice"
        if mapping == JUDGMENTS
        else f"duplicate key {quoted(key.value)}"
    )
    cure = "keep one grade, or write a list of ratings" if mapping == JUDGMENTS else "keep one of them"
    return problem_at(key.start_mark, f"{what}, first in line {line}; {cure}")


_ADVICE = (
    ("mapping values are not allowed", "a text with a colon needs quotes"),
    ("cannot start any token", "a text that begins with this character needs quotes"),
    ("did not find expected key", "look at the indentation, and at quotes that are not closed"),
    ("found undefined alias", "a text that begins with * needs quotes"),
    ("tab", "indent with spaces"),
)
"""What a syntax error of YAML's usually comes from."""


def _syntax_problem(error: YAMLError) -> Problem:
    message, mark = str(error), None
    if isinstance(error, MarkedYAMLError):
        mark = error.problem_mark or error.context_mark
        message = ", ".join(part for part in (error.context, error.problem) if part)
    message = " ".join(message.split())
    advice = next((f" ({cure})" for cause, cure in _ADVICE if cause in message), "")
    line, column = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
    return Problem(line, column, f"this is not YAML: {message}{advice}")
