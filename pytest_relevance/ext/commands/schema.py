"""`pytest-relevance schema`: the JSON Schema of case files.

With it an editor completes the keys of a case file, explains them and marks most
mistakes. Write a copy to the folder of the case files, again after an upgrade, and name
it in their first line:

  # yaml-language-server: $schema=relevance.schema.json
"""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace

from pytest_relevance.cases.schema import case_file_schema
from pytest_relevance.cli.command import OK
from pytest_relevance.cli.output import check_output, put, write


def declare(parser: ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="write it to a file; a schema that is there is replaced",
    )


def run(arguments: Namespace) -> int:
    """Print the schema, or write it to a file, and return the exit code."""
    check_output(arguments, [], is_own=_is_schema, otherwise="no schema of case files")
    data = schema_text().encode()
    if arguments.output is None:
        put(data)
    else:
        write(arguments.output, data)
        print(f"written: {arguments.output}")
    return OK


def schema_text() -> str:
    """Return the JSON Schema of case files as text."""
    return json.dumps(case_file_schema(), indent=2, ensure_ascii=False) + "\n"


def _is_schema(content: bytes) -> bool:
    """Say whether a file is a schema that this command has written."""
    return b"pytest-relevance case file" in content
