"""The retrieval of an assistant that knows the pages in `pages/`: they are cut into
chunks, and SQLite finds the chunks that have words of a question.

This is what the suite beside it tests. Change a splitter, run
`python -m pytest example_suite`, and see which passages are lost. A new way of cutting
is a new row of `SPLITTERS`.
"""

import re
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

PAGES = Path(__file__).with_name("pages")
OLD_PAGES = {"returns-until-2023"}  # which the assistant does not know
CHARACTERS = 400  # about how long a chunk is


def by_sections(text: str) -> Iterator[str]:
    """Cut a page into chunks of whole paragraphs. A heading begins a chunk."""
    chunk = ""
    for paragraph in text.split("\n\n"):
        is_heading = paragraph.startswith("#")
        is_long = len(chunk) + len(paragraph) > CHARACTERS
        if chunk and (is_heading or is_long):
            yield chunk
            chunk = ""
        chunk += f"{paragraph}\n\n"
    yield chunk


def by_characters(text: str) -> Iterator[str]:
    """Cut a page after every 400 characters, also within a sentence."""
    for start in range(0, len(text), CHARACTERS):
        yield text[start : start + CHARACTERS]


SPLITTERS: dict[str, Callable[[str], Iterator[str]]] = {
    "sections": by_sections,
    "characters": by_characters,
}


class Retrieval:
    """The chunks of all pages, in an index of SQLite in memory."""

    def __init__(self, splitter: str = "sections") -> None:
        self.index = sqlite3.connect(":memory:", check_same_thread=False)
        self.index.row_factory = sqlite3.Row
        self.index.execute(
            "create virtual table chunks using fts5 (id unindexed, page unindexed, title, text, tokenize = 'porter')"
        )
        for path in sorted(PAGES.glob("*.md")):
            if path.stem in OLD_PAGES:
                continue
            page = path.read_text(encoding="utf-8")
            title = page.splitlines()[0].removeprefix("# ")
            for number, text in enumerate(SPLITTERS[splitter](page), start=1):
                row = (f"{path.stem}-{number}", path.stem, title, text)
                self.index.execute("insert into chunks values (?, ?, ?, ?)", row)

    def search(self, query: str, k: int = 5) -> list[sqlite3.Row]:
        """Return the k chunks that share most with a question, best first."""
        words = " OR ".join(re.findall(r"\w+", query))
        found = self.index.execute(
            "select id, page, title, text, -rank as score from chunks where chunks match ? order by rank, id limit ?",
            (words, k),
        )
        return found.fetchall()

    def close(self) -> None:
        """Give the index's memory back."""
        self.index.close()
