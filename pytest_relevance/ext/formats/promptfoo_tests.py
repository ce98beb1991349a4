"""Read the tests in a file of promptfoo, in YAML or JSON.

`promptfoo.py` imports this module only for such files, because it needs yaml.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import yaml

from pytest_relevance._problems import NOWHERE, Place, Problems
from pytest_relevance._source import Source
from pytest_relevance._text import counted, listed, quoted
from pytest_relevance.ext.formats.golden_sets import (
    Golden,
    GoldenSet,
    texts_with_words,
)
from pytest_relevance.judgments.formats import QUERY
from pytest_relevance.judgments.model import QUOTES, Query

CONTEXT_RECALL = "context-recall"
_QUERIES = ("query", "question", "input", "prompt", "user_input")
"""What the variable with the query is called, the most usual first."""

_CONTEXT = "context"
_VARIABLE = re.compile(r"\{\{-?\s*([\w.]+)\s*-?\}\}")
_TEMPLATE = re.compile(r"\{\{|\{%")
_FILE = "file://"


def read_tests(source: Source) -> GoldenSet:
    """Return the queries of the tests, with the values of their assertions.

    Raises:
        FileError: no test has an assertion of the type context-recall, or tests have
            mistakes.
    """
    root = _compose(source)
    problems = Problems(source.file)
    tests = list(_tests(root))
    if not tests:
        source.refuse(
            "promptfoo has a list of tests, each with vars and assert. If the tests are in "
            "a file of their own, name that file"
        )
    shared = _assertions(_members(_members(root).get("defaultTest")))
    reader = _Reader(source, problems, shared)
    for test in tests:
        reader.add(test)
    problems.raise_if_any()
    if not reader.goldens:
        source.refuse(f"no test has an assertion of the type {CONTEXT_RECALL}")
    return GoldenSet(reader.goldens, QUOTES, notices=reader.notices())


def _compose(source: Source) -> yaml.Node | None:
    """Return the file as YAML nodes with positions; None if it has no content."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return yaml.compose(source.text, loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = NOWHERE if mark is None else Place(line=mark.line + 1)
        problem = getattr(error, "problem", None) or error
        source.refuse(f"this is not valid YAML: {problem}", place)


def _tests(root: yaml.Node | None) -> Iterator[Mapping[str, yaml.Node]]:
    """Yield the tests of a configuration, or of a file with a list of tests."""
    if isinstance(root, yaml.MappingNode):
        root = _members(root).get("tests")
    for node in _entries(root):
        yield _members(node)


def _members(node: yaml.Node | None) -> dict[str, yaml.Node]:
    """Return the values of a mapping by their keys; {} for any other node."""
    members: dict[str, yaml.Node] = {}
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == "<<":
                members = {**_members(value), **members}
            elif isinstance(key.value, str):
                members[key.value] = value
    return members


def _entries(node: yaml.Node | None) -> Sequence[yaml.Node]:
    return node.value if isinstance(node, yaml.SequenceNode) else []


def _text(node: yaml.Node | None) -> str | None:
    """Return a text or a number; None for any other node, and for null."""
    if not isinstance(node, yaml.ScalarNode) or node.tag.endswith(":null"):
        return None
    return str(node.value)


def _place(node: yaml.Node) -> Place:
    return Place(line=node.start_mark.line + 1)


def _assertions(test: Mapping[str, yaml.Node]) -> list[yaml.Node]:
    """Return the assertions of the type context-recall, also those in sets."""
    found = []
    for node in _entries(test.get("assert")):
        assertion = _members(node)
        if _text(assertion.get("type")) == CONTEXT_RECALL:
            found.append(node)
        else:
            found += _assertions(assertion)
    return found


@dataclass
class _Reader:
    """Reads tests one by one.

    `shared`: the assertions that count for all tests.
    """

    source: Source
    problems: Problems
    shared: Sequence[yaml.Node]
    goldens: list[Golden] = field(default_factory=list)
    _unread: list[str] = field(default_factory=list)

    def add(self, test: Mapping[str, yaml.Node]) -> None:
        """Add the queries of a test; none if it has no assertion that is read here."""
        variables = _members(test.get("vars"))
        assertions = [*self.shared, *_assertions(test)]
        if not assertions:
            return
        name = self._variable_of_query(variables, assertions[-1])
        if name is None:
            return
        node = variables[name]
        for query_node in _entries(node) or [node]:
            query = _text(query_node)
            if query is None or not query.strip() or query.startswith(_FILE):
                self.problems.add(
                    f"the variable {quoted(name)} has no text of a query", _place(node)
                )
                continue
            needed = []
            for assertion in assertions:
                needed += self._values(assertion, {**variables, name: query_node})
            why_none = f"its {CONTEXT_RECALL} has no text that could be looked for"
            self.goldens.append(
                Golden(Query(query, query), needed, _place(query_node), why_none)
            )

    def _variable_of_query(
        self, variables: Mapping[str, yaml.Node], assertion: yaml.Node
    ) -> str | None:
        """Return the variable with the query; None, with a mistake, if not known."""
        for path in self.source.options.get(QUERY, ()):
            name = path.removeprefix("vars.")
            if name in variables:
                return str(name)
        if QUERY not in self.source.options:
            for name in _QUERIES:
                if name in variables:
                    return name
            others = [name for name in variables if name != _CONTEXT]
            if len(others) == 1:
                return others[0]
        names = listed(map(quoted, variables), "and") if variables else "none"
        self.problems.add(
            "it is not known which variable of the test is the query; the variables are "
            f"{names}. Name it: {{file: ..., query: vars.NAME}}",
            _place(assertion),
        )
        return None

    def _values(
        self, assertion: yaml.Node, variables: Mapping[str, yaml.Node]
    ) -> list[str]:
        """Return the value of an assertion as a list, with its variables filled in.

        [] if the value is in a file, or made by a template.
        """
        value = _text(_members(assertion).get("value"))

        def variable(match: re.Match[str]) -> str:
            return _text(variables.get(match[1])) or match[0]

        if value is not None:
            value = _VARIABLE.sub(variable, value)
        if value is None or value.startswith(_FILE) or _TEMPLATE.search(value):
            shown = "no value" if value is None else quoted(value, 40)
            self._unread.append(f"line {_place(assertion).line} ({shown})")
            return []
        return texts_with_words([value])

    def notices(self) -> list[str]:
        """Return the notice about values that cannot be read, if there are any."""
        if not self._unread:
            return []
        values = counted(len(self._unread), "value")
        return [
            f"{values} of {CONTEXT_RECALL} cannot be read, since a file or a template has the text: "
            f"{', '.join(self._unread[:5])}"
        ]
