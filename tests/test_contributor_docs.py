"""CONTRIBUTING.md and the page on architecture: every file, folder and name that they
mention is in the repository. The table of a package has each of its modules.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "pytest_relevance"
PAGES = ("docs/background/architecture.md", "CONTRIBUTING.md")
FOLDERS = (ROOT, PACKAGE, PACKAGE / "ext" / "html", ROOT / "benchmarks")


@cache
def words() -> frozenset[str]:
    """All words in the code, the tests and the configuration."""
    files = [
        path
        for folder in (PACKAGE, ROOT / "tests", ROOT / ".ci")
        for path in folder.rglob("*")
        if path.is_file()
    ]
    read = {
        path
        for path in files
        if path.suffix in (".py", ".js", ".mjs", ".json", "") and path != Path(__file__)
    }
    texts = (
        path.read_text(encoding="utf-8") for path in [*read, ROOT / "pyproject.toml"]
    )
    return frozenset(word for text in texts for word in re.findall(r"\w+", text))


def spans(page: str) -> list[str]:
    """The code spans of a page, without its blocks."""
    text = re.sub(
        r"```.*?```", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL
    )
    return re.findall(r"`([^`\n]+)`", text)


def is_file(span: str) -> bool:
    return span.endswith((".py", ".md", ".js", ".html", "/")) and " " not in span


def folders_with_a_table() -> list[str]:
    inits = sorted(PACKAGE.rglob("__init__.py"))
    folders = [path.parent for path in inits if "\n| module |" in docstring(path)]
    return [folder.relative_to(PACKAGE).as_posix() for folder in folders]


def docstring(path: Path) -> str:
    return ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""


def modules_and_packages(folder: Path) -> Iterator[str]:
    for path in folder.iterdir():
        if path.suffix == ".py" and path.name != "__init__.py":
            yield path.stem
        elif (path / "__init__.py").exists():
            yield f"{path.name}/"


@pytest.mark.parametrize("name", folders_with_a_table())
def test_the_table_of_a_package_has_each_of_its_modules_once(name: str) -> None:
    folder = PACKAGE / name
    cells = re.findall(
        r"^\| (`.*?) \|", docstring(folder / "__init__.py"), re.MULTILINE
    )
    named = [module for cell in cells for module in re.findall(r"`(.+?)`", cell)]
    assert sorted(named) == sorted(modules_and_packages(folder))


@pytest.mark.parametrize("page", PAGES)
def test_every_file_and_folder_is_there(page: str) -> None:
    files = [span for span in spans(page) if is_file(span)]
    assert len(files) >= 15
    missing = [
        span
        for span in files
        if not any([*folder.glob(span.rstrip("/"))] for folder in FOLDERS)
    ]
    assert [span for span in missing if "/" in span or not [*PACKAGE.rglob(span)]] == []


@pytest.mark.parametrize("page", PAGES)
def test_every_name_is_in_the_code(page: str) -> None:
    names = {
        span.split(".")[-1]
        for span in spans(page)
        if re.fullmatch(r"[A-Za-z_]\w*(\.\w+)?", span)
    }
    assert len(names) >= 8
    assert sorted(names - words()) == []


def architecture() -> str:
    return (ROOT / PAGES[0]).read_text(encoding="utf-8")


def test_the_layers_are_those_of_the_contract() -> None:
    (table,) = re.findall(r"\| layer \|.*?\n\n", architecture(), re.DOTALL)
    cells = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
    (checked,) = re.findall(
        r"layers = \[\n(.*?)\]",
        (ROOT / "pyproject.toml").read_text(encoding="utf-8"),
        re.DOTALL,
    )
    layers = re.findall(r"pytest_relevance\.(\w+)", checked)
    assert [name for cell in cells for name in re.findall(r"(\w+)/", cell)] == layers


def test_each_step_of_the_walks_is_in_its_file() -> None:
    steps = re.findall(r"^ +([\w.]+) +([\w/]+\.py) ", architecture(), re.MULTILINE)
    assert len(steps) >= 70
    wrong = [step for step in steps if not defines(PACKAGE / step[1], step[0])]
    assert wrong == []


def test_each_function_that_may_change_a_verdict_is_in_its_file() -> None:
    rows = re.findall(
        r"^\| `([\w.]+)` \| `([\w/]+\.py)` \|", architecture(), re.MULTILINE
    )
    assert len(rows) >= 10
    wrong = [row for row in rows if not defines(PACKAGE / row[1], row[0])]
    assert wrong == []


def defines(path: Path, name: str) -> bool:
    """Whether a file defines a function, a class or a constant, or a method."""
    text = path.read_text(encoding="utf-8")
    *classes, last = name.split(".")
    names = [rf"^class {each}\b" for each in classes]
    names.append(rf"^ *(async )?(def|class) {last}\b|^{last}\b.* = ")
    return all(re.search(each, text, re.MULTILINE) for each in names)
