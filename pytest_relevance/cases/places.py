"""Where things stand in a case file, and what a case is called in messages."""

from __future__ import annotations

from yaml.events import ScalarEvent

from pytest_relevance._text import quoted
from pytest_relevance.cases.events import Mark
from pytest_relevance.cases.nodes import MappingNode, Node, Pairs, SequenceNode
from pytest_relevance.cases.problems import Path


def label_of(pairs: Pairs, number: int) -> str:
    """What messages call a case: its id, its query, or its number among the cases."""
    for name in ("id", "query"):
        node = pairs[name][1] if name in pairs else None
        if isinstance(node, ScalarEvent) and node.value:
            return quoted(node.value, 60)
    return f"number {number}"


def root_of(pairs: Pairs) -> MappingNode:
    """The pairs of a suite as a mapping."""
    first = next(iter(pairs.values()))[0] if pairs else None
    root = MappingNode(first.start_mark if first is not None else None)
    root.pairs = pairs
    return root


def later(mark: Mark | None, start: Mark | None) -> Mark | None:
    """A mark within a case, or the start of the case for what an alias brought into it from above."""
    return start if mark is not None and start is not None and mark.index < start.index else mark


def end_of_path(root: Node, path: Path, *, at_key: bool) -> Mark | None:
    """The place in the file that a path of keys and indexes leads to, as far as it can be followed."""
    node, mark = root, root.start_mark
    for step, part in enumerate(path):
        if isinstance(node, MappingNode) and part in node.pairs:
            key, node = node.pairs[str(part)]
            mark = key.start_mark if at_key and step == len(path) - 1 else node.start_mark
        elif isinstance(node, SequenceNode) and isinstance(part, int) and part < len(node.items):
            node = node.items[part]
            mark = node.start_mark
        else:
            break
    return mark
