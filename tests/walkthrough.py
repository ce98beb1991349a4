"""Pages of the documentation, followed as a reader does: files are written, commands
must print what is shown.
"""

import re
import shlex
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from textwrap import dedent
from typing import NamedTuple

import pytest

from pytest_relevance.cli import main
from tests.helpers import only_plugins

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = {
    path.relative_to(DOCS).as_posix(): path.read_text(encoding="utf-8")
    for path in sorted(DOCS.rglob("*.md"))
}
"""The text of each page, by its path in `docs`."""

QUIET = ("-p", "no:cacheprovider", *only_plugins())

SHOP = """
TITLES = {
    "strap1": "Watch strap 22 mm", "w2": "Smart watch Orbit 2", "dock1": "Charging dock for watches",
    "phone7": "Smartphone Nimbus 7", "shoe1": "Canvas shoes, blue", "shoe2": "Running shoes, navy",
    "polish1": "Shoe polish, blue", "w1": "Smart watch Orbit 1",
}
RESULTS = {"smart watch": ["strap1", "w2", "dock1", "phone7"], "blue shoes": ["shoe1", "shoe2", "polish1"]}

class Engine:
    index_name = "products-11"

    def search(self, query, limit):
        return self.get_many(RESULTS[query][:limit])

    def multi_search(self, queries, limit):
        return [self.search(query, limit) for query in queries]

    def get_many(self, ids):
        return [{"id": document, "title": TITLES[document]} for document in ids if document in TITLES]

    def explain(self, query, document):
        return f"{document} has the words of {query}"

    def count(self):
        return len(TITLES)

engine = Engine()

def grade_with_model(query, title):
    return 1
"""
"""`my_shop`, the reader's own search engine."""


class Block(NamedTuple):
    """A code block; `file` is the name of a file in the line before it, which ends in a
    colon.

    `is_more`: the line says to append it to the file.
    """

    file: str
    language: str
    text: str
    is_more: bool = False


def blocks(text: str, language: str = "") -> list[Block]:
    """The code blocks of a page, in one language if it is given."""
    named = r"(?:(append\sthis\s+to\s)?`([\w./-]+\.\w+)`[^`\n]*:\n\n)?"
    found = re.findall(
        rf"{named}^( *)```(\w+)\n(.*?)^ *```$", text, re.DOTALL | re.MULTILINE
    )
    return [
        Block(file, name, dedent(code), bool(more))
        for more, file, _, name, code in found
        if language in ("", name)
    ]


def commands(console: str) -> Iterator[tuple[str, str]]:
    """Each command of a block, and what is shown of its output."""
    for part in re.split(r"^\$ ", console, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        while command.endswith("\\"):
            more, _, shown = shown.partition("\n")
            command = command[:-1] + more.strip()
        yield command.partition("   # ")[0], shown


def steady(text: str) -> list[str]:
    """Lines without what differs from run to run: durations, and the width of pytest's
    rules.
    """
    text = re.sub(r"<?[\d.]+ ?m?s\b", "TIME", text)
    text = re.sub(r"([_=])\1{3,}", r"\1\1\1\1", text)
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def assert_shown(shown: str, printed: str) -> None:
    """Every line that is shown was printed, in this order; `...` stands for any
    lines.
    """
    lines = iter(steady(printed))
    for wanted in steady(shown):
        if wanted != "...":
            assert wanted in lines, (
                f"a line was not printed, or not in this place: {wanted}\n{printed}"
            )


def run(command: str, pytester: pytest.Pytester) -> tuple[int, str]:
    """Run a command of a page in this process; return its exit code and its output."""
    name, *arguments = shlex.split(command)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "100")
        for variable in ("GITHUB_ACTIONS", "CI"):
            patch.delenv(variable, raising=False)
        if name == "pytest":
            result = pytester.runpytest_inprocess(
                *QUIET, *arguments, syspathinsert=True
            )
            return int(result.ret), f"{result.stdout}\n{result.stderr}"
        with redirect_stdout(StringIO()) as out, redirect_stderr(out):
            code = main(arguments)
        return code, out.getvalue()


def write(block: Block, folder: Path) -> None:
    path = folder / block.file
    path.parent.mkdir(parents=True, exist_ok=True)
    before = f"{path.read_text(encoding='utf-8')}\n\n" if block.is_more else ""
    path.write_text(before + block.text, encoding="utf-8")


def follow(text: str, pytester: pytest.Pytester) -> list[str]:
    """Do what a page says from its first line to its last, in its folder, which has
    `my_shop.py`. Return the Python and the commands, which printed what the page shows.
    """
    done: list[str] = []
    namespace: dict[str, object] = {}
    folder = pytester.path
    (folder / "my_shop.py").write_text(SHOP, encoding="utf-8")
    for block in blocks(text):
        if block.file:
            write(block, folder)
        elif block.language == "python" and not re.search(
            r"def (search|relevance_judge)\(", block.text
        ):
            exec(block.text, namespace)
            done.append(block.text)
        elif block.language == "console":
            for command, shown in commands(block.text):
                if not command.startswith(("pip ", "git ")):
                    code, printed = run(command, pytester)
                    assert_shown(shown, printed)
                    # 1: a test failed, as the page says
                    assert code in (0, 1) or shown.strip("."), printed
                    done.append(command)
    return done
