"""Find the rows inside the JSON that search tools write.

- Algolia: `{"searches": [row, ...]}`
- Splunk: `{"preview": false, "results": [row, ...]}`, or an object for each row,
  `{"preview": false, "result": row}`
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pytest_relevance._json_text import JsonPath
from pytest_relevance._problems import FileError
from pytest_relevance._source import Source
from pytest_relevance._text import counted


class _InnerRows(Source):
    """A JSON file whose rows are inside other objects.

    `rows`: {path to a row: the row}.
    """

    def __init__(self, source: Source, rows: Mapping[JsonPath, object]) -> None:
        super().__init__(source.file, source.data, source.options, source.ids)
        self._paths = list(rows)
        self._rows = list(rows.values())

    @property
    def entries(self) -> Sequence[object]:
        """Return the rows."""
        return self._rows

    def path_of_entry(self, number: int) -> JsonPath:
        """Return the path to a row, given by its number from 0."""
        return self._paths[number]


def rows_inside(source: Source, notices: list[str]) -> Source:
    """Return a JSON file of Algolia or Splunk so that its entries are the rows.

    Other files are returned as they are. Adds a notice if rows are left out. Raises
    FileError if Splunk wrote no results.
    """
    outer = source.json_object
    if _all(_is_of_algolia, outer.get("searches")):
        return rows_under(source, "searches")
    if outer.get("preview") is False and _all(_is_object, outer.get("results")):
        return rows_under(source, "results")
    try:
        entries = source.entries
    except FileError:  # the format reports what is wrong
        return source
    if _all(_is_of_splunk, entries):
        return _results_of_splunk(source, notices)
    return source


def _all(is_one: Callable[[object], bool], values: object) -> bool:
    """Say whether values are a list that is not empty, and all are of one kind."""
    if not isinstance(values, Sequence) or isinstance(values, str):
        return False
    return len(values) > 0 and all(map(is_one, values))


def _is_object(entry: object) -> bool:
    return isinstance(entry, dict)


def _is_of_algolia(entry: object) -> bool:
    return isinstance(entry, dict) and "search" in entry


def _is_of_splunk(entry: object) -> bool:
    return isinstance(entry, dict) and isinstance(entry.get("preview"), bool)


def rows_under(source: Source, key: str) -> Source:
    """Return a JSON file whose rows are the list under a key."""
    listed = source.json_object[key]
    assert isinstance(listed, list)
    rows: dict[JsonPath, object] = {}
    for number, row in enumerate(listed):
        rows[(key, number)] = row
    return _InnerRows(source, rows)


def _results_of_splunk(source: Source, notices: list[str]) -> Source:
    """Return the rows in objects `{"preview": false, "result": row}`.

    Previews are results of a search that was running, and are left out.
    """
    rows: dict[JsonPath, object] = {}
    previews = 0
    for number, entry in enumerate(source.entries):
        assert isinstance(entry, dict)
        if entry["preview"] is not False:
            previews += 1
        elif "result" in entry:
            rows[(*source.path_of_entry(number), "result")] = entry["result"]
    if not rows:
        source.refuse(
            "the file has no results of Splunk as objects; export a finished search as CSV or JSON (output_mode=json)"
        )
    if previews:
        notices.append(f"{counted(previews, 'preview')} of Splunk left out")
    return _InnerRows(source, rows)
