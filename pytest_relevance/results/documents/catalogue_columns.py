"""The columns of a catalogue: which has the ids of documents, which the titles, and which are to be shown."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_relevance._text import did_you_mean, listed, quoted
from pytest_relevance.cases.model import CatalogueFile
from pytest_relevance.judgments.columns import find_columns, folded
from pytest_relevance.results.responses.fields import ID_NAMES, TITLE_NAMES

_MOST_COLUMNS = 12


class CatalogueError(ValueError):
    """A catalogue that cannot be read; the message names the file and the line, what was found, and what to do."""


def id_column(wanted: CatalogueFile, names: list[str], file: str, *, is_nested: bool = False) -> str:
    """The column of ids. There must be one of titles too, unless other columns are to be shown.

    `is_nested`: a dot in the name of a column leads into an object. Raises `CatalogueError` for what is no catalogue.
    """
    if wanted.id is None and wanted.title is None and (what := _other_kind(names)):
        message = f"this seems to be {what}; name the file that has a line for each document"
        raise CatalogueError(f"{file}:1: {message}")
    found = {}
    for key, written, usual in (("id", wanted.id, ID_NAMES), ("title", wanted.title, TITLE_NAMES)):
        found[key] = next((name for name in usual if name in names), None) if written is None else written
        if found[key] is None and (key == "id" or not wanted.show):
            advice = f"name the column: documents: {{file: {wanted.file}, {key}: ...}}"
            absent = f"there is no column {listed(map(quoted, usual))}; the columns are {_spelled(names)}"
            raise CatalogueError(f"{file}:1: {absent}; {advice}")
        if written is not None and not is_column(written, names, is_nested=is_nested):
            raise CatalogueError(f"{file}:1: {_unknown(written, names)}")
    return found["id"] or ""


def is_column(name: str, names: Iterable[str], *, is_nested: bool) -> bool:
    """Whether a column is there, or the object that the first part of its name leads into."""
    return name in names or (is_nested and name.partition(".")[0] in names)


def unknown_to_show(columns: Iterable[str], names: list[str], file: str) -> list[str]:
    """Messages about columns to show that are not there."""
    return [f"{file}:1: show: {_unknown(name, names)}" for name in columns]


def _unknown(column: str, names: list[str]) -> str:
    close = did_you_mean(column, names)
    return f"there is no column {quoted(column)}; the columns are {_spelled(names)}{close}"


def _spelled(names: list[str]) -> str:
    return listed(map(quoted, names[:_MOST_COLUMNS]), "and") + " ..." * (len(names) > _MOST_COLUMNS)


def _other_kind(names: list[str]) -> str:
    """What a file seems to be by its columns, where that is no catalogue."""
    if find_columns(names, ("grade",)) and find_columns(names, ("query_id", "query")):
        return "a file of judgments"
    if len(names) in (4, 6) and not {*map(folded, names)} & {"id", "title", "name"} and names[1] in ("0", "Q0", "q0"):
        return "a file of qrels" if len(names) == 4 else "a TREC run"
    return ""
