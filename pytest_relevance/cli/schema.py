"""`pytest-relevance schema`: the JSON Schema of case files.

With it an editor completes the keys of a case file, explains them and marks most mistakes. Write a copy to the folder
of the case files, again after an upgrade, and name it in their first line:

  # yaml-language-server: $schema=relevance.schema.json
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

import pytest_relevance.cases
from pytest_relevance.cli.command import OK, check_output, put, write

SCHEMA = Path(pytest_relevance.cases.__file__).with_name("case-file.schema.json")
"""The schema, a file of the package."""
_TITLE = b"pytest-relevance case file"


def declare(parser: ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="write it to a file; a schema that is there is replaced",
    )


def run(arguments: Namespace) -> int:
    """Print the schema, or write it to a file. Raises `CommandError` where the file cannot or must not be written."""
    data = SCHEMA.read_bytes()
    check_output(
        arguments, [], lambda found: _TITLE in found, "no schema of case files"
    )
    if arguments.output is None:
        put(data)
    else:
        write(arguments.output, data)
        print(f"written: {arguments.output}")
    return OK
