"""What several commands of this extension share: texts of queries, files that are
written, case files.
"""

from __future__ import annotations

import os
from argparse import ArgumentParser
from collections.abc import Iterable
from pathlib import Path

from pytest_relevance._text import harmless, listed
from pytest_relevance.cli.command import FOUND, CommandError

YAML = (".yaml", ".yml")
"""The endings of the names of case files."""


def add_query(parser: ArgumentParser) -> None:
    """Add the option that says where requests of Elasticsearch have the texts of their
    queries.
    """
    parser.add_argument(
        "--query",
        metavar="PATH",
        action="append",
        help="where a rank_eval request has the text of its query, such as params.text; "
        "may be repeated: the first place counts that has a text",
    )


def without_texts(file: str, format: str = "") -> CommandError:
    """Make the error for a judgment file that does not say the texts of its queries."""
    message = (
        f"{file}: it has the ids of queries, and their texts are needed; name the file "
        "that has them: --queries queries.tsv (a line is an id, a tab and the text)"
    )
    if format == "elasticsearch":
        message += (
            ". Or say where a request has the text of its query: --query params.text, "
            "once or several times"
        )
    return CommandError(message)


def refuse_to_overwrite(paths: Iterable[str | Path], advice: str) -> None:
    """Raise `CommandError` if one of the paths exists."""
    there = [harmless(str(path)) for path in paths if os.path.lexists(path)]
    if not there:
        return
    are = "is" if len(there) == 1 else "are"
    raise CommandError(
        f"{listed(there, 'and')}: {are} there already, and nothing was written; {advice}",
        FOUND,
    )
