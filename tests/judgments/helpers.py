"""Files of judgments and queries, and what readers report about them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_relevance import read_judgments, read_queries
from pytest_relevance._problems import FileError
from pytest_relevance._source import Source
from pytest_relevance.judgments.model import Judgments, Query
from pytest_relevance.judgments.reading import ids_of, options_of, queries_in


def write(path: Path, content: str | bytes) -> Path:
    """Write a file, text as UTF-8 and without a change to its line ends, and return its
    path.
    """
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def problems_of(
    read: Callable[..., object], path: Path, *arguments: object, **options: Any
) -> list[str]:
    """What a reader reports about a file, a line a problem; the file is called FILE."""
    with pytest.raises(FileError) as caught:
        read(path, *arguments, **options)
    return [line.replace(f"{path}", "FILE") for line in str(caught.value).splitlines()]


def lines(*objects: object) -> str:
    """JSON Lines."""
    return "".join(f"{json.dumps(entry)}\n" for entry in objects)


class Files:
    """Reads contents as files. A content is text, bytes, or what is written as JSON."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, content: object, name: str = "file") -> Path:
        """Write a file, and return its path."""
        if not isinstance(content, (str, bytes)):
            content = json.dumps(content, indent=1)
        return write(self.folder / name, content)

    def judgments(self, content: object, *arguments: Any, **options: Any) -> Judgments:
        """The judgments in a file."""
        return read_judgments(self._path(content), *arguments, **options)

    def queries(self, content: object, *arguments: Any) -> dict[str, str]:
        """The queries in a file: {id: text}."""
        return read_queries(self._path(content), *arguments)

    def described(self, content: object, **options: Any) -> list[Query]:
        """The queries in a file, with all that it says of them."""
        ids = ids_of(options.pop("id_field", None))
        columns = {"query": None, "grade_column": None, **options}
        source = Source.read(
            self._path(content), options=options_of(**columns), ids=ids
        )
        return queries_in(source)

    def problems(self, content: object, *arguments: Any, **options: Any) -> list[str]:
        """What is reported about a file of judgments."""
        return problems_of(read_judgments, self._path(content), *arguments, **options)

    def problem(self, content: object, *arguments: Any, **options: Any) -> str:
        """The only problem of a file of judgments."""
        (problem,) = self.problems(content, *arguments, **options)
        return problem

    def query_problems(self, content: object, **options: Any) -> list[str]:
        """What is reported about a file of queries."""
        return problems_of(read_queries, self._path(content), **options)

    def query_problem(self, content: object) -> str:
        """The only problem of a file of queries."""
        (problem,) = self.query_problems(content)
        return problem

    def _path(self, content: object) -> Path:
        return content if isinstance(content, Path) else self.write(content)
