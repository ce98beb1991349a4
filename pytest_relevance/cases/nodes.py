"""YAML as light nodes, read from a parser's events: scalars as written, every node with its position.

PyYAML's loaders build a graph of nodes and then Python values, guess types on the way and drop positions and duplicate
keys. Events show all of it at a fraction of the cost. What this module knows is YAML: anchors, aliases, merge keys,
duplicate keys, one document a file. What the keys mean is the business of `fields` and `reader`, with one exception:
`judgments` is where nearly all of a file's bytes are, and a mapping of documents to plain grades is read straight into
a dict, without a node a document. That keeps no positions, so it is left (`Careful`) for the ordinary way as soon as
something must be reported or looks unusual.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from yaml.error import YAMLError
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

from pytest_relevance._text import quoted
from pytest_relevance.cases.events import Broken, Mark, event_source, problem_at, syntax_problem
from pytest_relevance.cases.problems import Problem
from pytest_relevance.cases.scalars import Grades

DEEPEST = 60
"""Levels of nesting; a case needs six. It keeps a hostile file from exhausting the stack."""

LARGEST_EXPANSION = 500_000
"""Nodes that all aliases of a file may stand for together, with one more for each byte of the file."""

IN_CASE = 1
"""The depth of what a case's keys hold; the case itself is at 0."""

JUDGMENTS = "judgments"
_PLAIN_KEY = "<<"
_WRITTEN_TAG = (False, False)  # ScalarEvent.implicit of a scalar with a tag of its own


class Careful(Exception):
    """The quick reading of judgments met something that needs positions; read the file again without it."""


class MappingNode:
    """A mapping: its pairs in the order written, after merging, keys unique."""

    __slots__ = ("pairs", "size", "start_mark")

    def __init__(self, start_mark: Mark | None) -> None:
        self.start_mark = start_mark
        self.pairs: Pairs = {}
        self.size = 1


class SequenceNode:
    """A sequence and its items."""

    __slots__ = ("items", "size", "start_mark")

    def __init__(self, start_mark: Mark | None) -> None:
        self.start_mark = start_mark
        self.items: list[Node] = []
        self.size = 1


class QuickJudgments:
    """A `judgments` mapping read without positions: document to grade as written.

    Where the grade is no plain scalar the document is among the `unusual`, and has a node. It is never shared: what
    has an anchor, or stands inside of one, is not read this way.
    """

    __slots__ = ("grades", "size", "start_mark", "unusual")

    def __init__(self, start_mark: Mark | None, grades: dict[str, Any], unusual: list[str]) -> None:
        self.start_mark = start_mark
        self.grades = grades
        self.unusual = unusual
        self.size = 1 + len(grades)


Node: TypeAlias = ScalarEvent | MappingNode | SequenceNode | QuickJudgments
Pairs: TypeAlias = dict[str, tuple[ScalarEvent, Node]]
"""The pairs of a mapping by the text of their keys."""


def is_plain(node: Node) -> bool:
    """Whether a node is a scalar written without quotes (and so may be a number)."""
    return isinstance(node, ScalarEvent) and bool(node.implicit[0])


class EventReader:
    """Reads one YAML document as nodes. `problems` collects what can be reported without giving up."""

    def __init__(self, data: bytes, *, quick: bool) -> None:
        self.problems: list[Problem] = []
        self._data = data
        self._quick = quick
        self._anchors: dict[str, Node | None] = {}
        self._expanded = 0
        self._written = Grades()
        try:
            self._get = event_source(data)
            self._get()  # the start of the stream
        except YAMLError as error:
            raise Broken(syntax_problem(error, data)) from None

    def event(self) -> Any:
        """The next event. Raises `Broken` where the text is not YAML."""
        try:
            return self._get()
        except YAMLError as error:
            raise Broken(syntax_problem(error, self._data)) from None

    def top_level(self) -> bool:
        """Enter the mapping that the document is; False for a file without content, `Broken` for anything else."""
        start = self.event()
        if type(start) is StreamEndEvent:
            return False
        top = self.event()
        if type(top) is MappingStartEvent:
            self._look_at_tag(top)
            if top.anchor is not None:
                self._anchors[top.anchor] = None
            return True
        if type(top) is ScalarEvent and not top.value and top.implicit[0]:
            self.finish()
            return False
        kind = "a list" if type(top) is SequenceStartEvent else "a single value"
        raise Broken(
            problem_at(
                top.start_mark,
                f'the top level is {kind}; a case file is a mapping with the key "cases" (and the suite\'s defaults)',
            )
        )

    def finish(self) -> None:
        """After what the document holds: nothing may follow it."""
        self.event()  # the end of the document
        after = self.event()
        if type(after) is DocumentStartEvent:
            raise Broken(problem_at(after.start_mark, "a second document begins here; a case file is one document"))

    def key(self, event: Any) -> ScalarEvent:
        """The scalar that a mapping has as its key."""
        if type(event) is ScalarEvent and event.anchor is None and event.tag is None:
            return event
        key = self._alias(event) if type(event) is AliasEvent else event
        if type(key) is not ScalarEvent:
            raise Broken(problem_at(event.start_mark, "a key is plain or quoted text; here begins something else"))
        if key is event:
            self._scalar(key)
        return key

    def compose(self, event: Any, depth: int = 0, key: str = "") -> Node:
        """The node that begins with `event`, the value of `key`."""
        kind = type(event)
        if kind is ScalarEvent:
            return event if event.anchor is None and event.tag is None else self._scalar(event)
        if kind is AliasEvent:
            return self._alias(event)
        if depth > DEEPEST:
            raise Broken(problem_at(event.start_mark, f"nested deeper than {DEEPEST} levels"))
        self._look_at_tag(event)
        if event.anchor is not None:
            return self._anchored(event, depth, key)
        if kind is not MappingStartEvent:
            return self._sequence(event, depth)
        if self._quick and depth == IN_CASE and key == JUDGMENTS:
            return self._quick_judgments(event, depth)
        return self._mapping(event, depth, key)

    def is_merge(self, key: ScalarEvent) -> bool:
        """Whether a key is the merge key, and not a text that looks like it."""
        return key.value == _PLAIN_KEY and key.implicit[0]

    def merge(self, key: ScalarEvent, value: Node, into: Pairs) -> None:
        """A merge key: the pairs of other mappings, where the mapping has none of that name itself."""
        for source in value.items if isinstance(value, SequenceNode) else [value]:
            if not isinstance(source, MappingNode):
                self.problems.append(
                    problem_at(key.start_mark, 'a merge key "<<" takes a mapping or a list of mappings (aliases)')
                )
                return
            for name, pair in source.pairs.items():
                into.setdefault(name, pair)

    def _scalar(self, event: ScalarEvent) -> ScalarEvent:
        if event.anchor is not None:
            self._anchors[event.anchor] = event
        if event.tag is not None and event.implicit == _WRITTEN_TAG:
            self._refuse_tag(event)
            event.implicit = (True, False)  # one mistake is enough: without its tag it may be a number
        return event

    def _look_at_tag(self, start: Any) -> None:
        if start.tag is not None and not start.implicit:
            self._refuse_tag(start)

    def _refuse_tag(self, event: Any) -> None:
        self.problems.append(
            problem_at(
                event.start_mark,
                f"the tag {quoted(event.tag)} has no meaning here; quotes make text, and a text that begins with ! "
                "needs them",
            )
        )

    def _alias(self, event: Any) -> Node:
        name = event.anchor
        if name not in self._anchors:
            raise Broken(
                problem_at(
                    event.start_mark,
                    f"the alias *{name} has no anchor &{name} before it; a text that begins with * needs quotes",
                )
            )
        node = self._anchors[name]
        if node is None:
            raise Broken(problem_at(event.start_mark, f"the alias *{name} stands inside its own anchor"))
        self._expanded += _size(node)
        most = LARGEST_EXPANSION + len(self._data)
        if self._expanded > most:
            raise Broken(
                problem_at(
                    event.start_mark, f"the aliases up to here expand to more than {most:,} values; the file is refused"
                )
            )
        return node

    def _anchored(self, event: Any, depth: int, key: str) -> Node:
        """A collection that aliases may repeat. What is shared is read with care: see `QuickJudgments`."""
        quick, self._quick = self._quick, False
        self._anchors[event.anchor] = None
        node = self._mapping(event, depth, key) if type(event) is MappingStartEvent else self._sequence(event, depth)
        self._anchors[event.anchor] = node
        self._quick = quick
        return node

    def _sequence(self, start: Any, depth: int) -> SequenceNode:
        node = SequenceNode(start.start_mark)
        while type(event := self.event()) is not SequenceEndEvent:
            item = self.compose(event, depth + 1)
            node.size += _size(item)
            node.items.append(item)
        return node

    def _mapping(self, start: Any, depth: int, name: str) -> MappingNode:
        node = MappingNode(start.start_mark)
        pairs = node.pairs
        merged: list[tuple[ScalarEvent, Node]] = []
        while type(event := self.event()) is not MappingEndEvent:
            key = self.key(event)
            value = self.compose(self.event(), depth + 1, key.value)
            node.size += 1 + _size(value)
            if self.is_merge(key):
                merged.append((key, value))
            elif key.value in pairs:
                self.problems.append(_duplicate(key, pairs[key.value][0], name))
            else:
                pairs[key.value] = (key, value)
        for key, value in merged:
            self.merge(key, value, pairs)
        return node

    def _quick_judgments(self, start: Any, depth: int) -> QuickJudgments:
        """`{document: grade}` as a dict, one pass over the events.

        This loop is most of the time that reading a case file takes; see benchmarks/suite.py before changing it.
        """
        get = self._get
        written = self._written
        grades: dict[str, Any] = {}
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
            raise Broken(syntax_problem(error, self._data)) from None
        if type(key) is not MappingEndEvent:
            raise Careful
        return QuickJudgments(start.start_mark, grades, unusual)


def _size(node: Node) -> int:
    return 1 if isinstance(node, ScalarEvent) else node.size


def _duplicate(key: ScalarEvent, first: ScalarEvent, mapping: str) -> Problem:
    line = first.start_mark.line + 1 if first.start_mark is not None else 1
    what, cure = f"duplicate key {quoted(key.value)}", "keep one of them"
    if mapping == JUDGMENTS:
        what, cure = f"document {quoted(key.value)} is judged twice", "keep one grade, or write a list of ratings"
    return problem_at(key.start_mark, f"{what}, first in line {line}; {cure}")
