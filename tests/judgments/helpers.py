"""Files of judgments and queries in the folder of a test, and what is reported about
them.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_relevance import read_judgments, read_queries
from pytest_relevance._problems import FileError


def write(path: Path, content: str | bytes) -> Path:
    """Write a file, text as UTF-8 and without a change to its line ends, and return its
    path.
    """
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def written(folder: Path, content: object, name: str = "file") -> Path:
    """Write a file in a folder: text and bytes as they are, anything else as JSON."""
    return write(
        folder / name,
        content if isinstance(content, (str, bytes)) else json.dumps(content, indent=1),
    )


def problems_of(
    read: Callable[..., object], path: Path, *arguments: object, **options: Any
) -> list[str]:
    """What a reader reports about a file, a line a problem; the file is called FILE."""
    with pytest.raises(FileError) as caught:
        read(path, *arguments, **options)
    return [line.replace(f"{path}", "FILE") for line in str(caught.value).splitlines()]


def problems(path: Path, format: str | None = None, **options: Any) -> list[str]:
    """What is reported about a file of judgments."""
    return problems_of(read_judgments, path, format, **options)


def query_problems(path: Path, format: str | None = None, **options: Any) -> list[str]:
    """What is reported about a file of queries."""
    return problems_of(read_queries, path, format, **options)
