"""`pytest-relevance schema`: the JSON Schema of case files.

With it an editor completes the keys of a case file, explains them and marks most mistakes. Write a copy to the folder
of the case files, again after an upgrade, and name it in their first line:

  # yaml-language-server: $schema=relevance.schema.json
"""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from pathlib import Path

import pytest_relevance.cases
from pytest_relevance.cli.command import OK, check_output, put, write

SCHEMA = Path(pytest_relevance.cases.__file__).with_name("case-file.schema.json")
"""The schema, a file of the package."""


def declare(parser: ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("-o", "--output", metavar="FILE", help="write it to a file; a schema that is there is replaced")


def run(arguments: Namespace) -> int:
    """Print the schema, or write it to a file. Raises `CommandError` where the file cannot or must not be written."""
    data = SCHEMA.read_bytes()
    check_output(arguments, [], lambda found: _is_schema(found, data), "no schema of case files")
    if arguments.output is None:
        put(data)
    else:
        write(arguments.output, data)
        print(f"written: {arguments.output}")
    return OK


def _is_schema(found: bytes, schema: bytes) -> bool:
    """Whether the content of a file is a schema of case files, of any version, or `{}`, one that is not written yet."""
    try:
        written = json.loads(found)
    except ValueError:
        return False
    return isinstance(written, dict) and (not written or written.get("title") == json.loads(schema)["title"])
