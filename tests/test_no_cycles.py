"""No modules of the package import each other in a circle.

Imports in functions and those for type checkers count too.
"""

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest_relevance
from tests.helpers import statements

PACKAGE = Path(pytest_relevance.__file__).parent


def name_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


FILES = {name_of(path): path for path in PACKAGE.rglob("*.py")}


def imported(module: str) -> Iterator[str]:
    """The modules of the package that a module imports, wherever in its text."""
    path = FILES[module]
    folder = module if path.stem == "__init__" else module.rpartition(".")[0]
    for node in statements(path.read_text(encoding="utf-8")):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            source = node.module or ""
            if node.level:
                parents = folder.split(".")
                within = parents[: len(parents) + 1 - node.level]
                source = ".".join(filter(None, [*within, source]))
            for name in node.names:
                full = f"{source}.{name.name}"
                yield full if full in FILES else source


def test_no_module_imports_itself_by_way_of_others() -> None:
    graph = {module: set(imported(module)) - {module} for module in FILES}
    order = [*TopologicalSorter(graph).static_order()]  # raises CycleError
    assert FILES.keys() <= {*order}
