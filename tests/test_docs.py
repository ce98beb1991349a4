"""The documentation as a whole: its pages, links, words; and the pages that a reader follows from top to bottom."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import pytest_relevance
from tests.walkthrough import DOCS, PAGES, ROOT, SHOP, blocks, follow, run, write

FOLLOWED = ("start.md",)
"""Pages whose files are written and whose commands are run, one after the other."""

FIXTURE, CASES = (next(block for block in blocks(PAGES["start.md"], name) if block.file) for name in ("python", "yaml"))
"""The search and the cases of the first page."""


@pytest.mark.parametrize("page", FOLLOWED)
def test_a_page_works_from_its_first_line_to_its_last(page: str, tmp_path: Path) -> None:
    follow(PAGES[page], tmp_path)


def test_the_examples_of_the_python_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    test, notebook = blocks(PAGES["reference/python.md"], "python")
    (tmp_path / "my_shop.py").write_text(SHOP, encoding="utf-8")
    for block in (FIXTURE, CASES, test):
        write(block, tmp_path)
    code, printed = run("pytest test_shoes.py shop.relevance.yaml --relevance-record=run.jsonl", tmp_path)
    assert code == 1, printed
    assert "1 failed, 2 passed" in printed
    namespace: dict[str, object] = {}
    exec(notebook.text, namespace)
    assert {"run", "suite"} <= namespace.keys()


def test_every_public_name_is_in_the_reference() -> None:
    listed = re.findall(r"^\.\. auto\w+:: pytest_relevance\.(\w+)$", PAGES["reference/python.md"], re.MULTILINE)
    assert sorted(listed) == sorted(pytest_relevance.__all__)


def test_every_page_is_in_the_table_of_contents() -> None:
    listed = re.findall(r"^([\w/-]+)$", PAGES["index.md"], re.MULTILINE)
    assert sorted(f"{name}.md" for name in listed) == sorted(set(PAGES) - {"index.md"})


def anchors(text: str) -> set[str]:
    """The anchors of the headings of a page, as GitHub and MyST make them."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_to_a_page_and_a_heading(page: str) -> None:
    text = re.sub(r"```.*?```|`[^`\n]*`", "", PAGES[page], flags=re.DOTALL)
    for path, anchor in re.findall(r"\]\((?!https?:)([^)#]*)#?([^)]*)\)", text):
        target = (DOCS / page).parent / path if path else DOCS / page
        assert target.is_file(), f"{path}: there is no such file"
        assert not anchor or anchor in anchors(target.read_text(encoding="utf-8")), f"{path}#{anchor}"


def test_the_documentation_stays_short_enough_to_be_read() -> None:
    texts = [*PAGES.values(), *((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "CONTRIBUTING.md"))]
    assert len(texts[-2].split()) <= 900
    assert sum(len(text.split()) for text in texts) <= 33_000
