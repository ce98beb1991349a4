"""No modules of the package import each other in a circle: lazy imports and those for
type checkers count too.
"""

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest_relevance
from tests.helpers import statements

PACKAGE = Path(pytest_relevance.__file__).parent
FILES = {
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(
        ".__init__"
    ): path
    for path in PACKAGE.rglob("*.py")
}


def imported(module: str, source: str) -> Iterator[str]:
    """The modules of the package that a module imports, wherever in its text."""
    parents = (
        [*module.split(".")[:-1], ""]
        if FILES[module].stem != "__init__"
        else [*module.split("."), ""]
    )
    for node in statements(source):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name in FILES)
        elif isinstance(node, ast.ImportFrom):
            within = ".".join(parents[: -node.level]) if node.level else ""
            source_module = ".".join(filter(None, (within, node.module)))
            for name in node.names:
                full = f"{source_module}.{name.name}"
                yield full if full in FILES else source_module


def check(sources: dict[str, str]) -> None:
    graph = {
        module: {
            name
            for name in imported(module, source)
            if name in sources and name != module
        }
        for module, source in sources.items()
    }
    TopologicalSorter(graph).prepare()


def test_no_module_imports_itself_by_way_of_others() -> None:
    check({module: path.read_text(encoding="utf-8") for module, path in FILES.items()})
