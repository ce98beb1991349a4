"""`pytest-relevance replay`: judge the rankings of a record, without a search.

pytest runs on the case files, and takes the rankings from the record RUN. Floors,
expectations, gates, judgments and reports are those of today. No conftest.py is loaded,
and no test in Python is run. What follows RUN are arguments of pytest: case files and
folders, and options such as --relevance-against=RUN and --relevance-markdown=FILE. If
addopts needs a conftest.py, give -o addopts=. The exit code is that of pytest.
"""

from __future__ import annotations

from argparse import REMAINDER, ArgumentParser, Namespace

import pytest

_IGNORED = (
    "ignore:Module already imported so cannot be rewritten:"
    "pytest.PytestAssertRewriteWarning"
)
"""A warning of pytest that is not shown.

pytest would rewrite the asserts of this package, which is imported already. The last
`-W` counts, so this one stands behind those of the user.
"""


def declare(parser: ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    parser.add_argument("record", metavar="RUN", help="the record of a run")
    parser.add_argument(
        "arguments",
        metavar="FILE ...",
        nargs=REMAINDER,
        help="case files, folders and options, as pytest takes them",
    )


def run(arguments: Namespace) -> int:
    """Run pytest on the case files, and return its exit code."""
    options = [
        "--noconftest",
        # the ini key may name fixtures of a conftest.py
        "--override-ini=usefixtures=",
        f"--relevance-replay={arguments.record}",
    ]
    return int(pytest.main([*options, *arguments.arguments, f"-W{_IGNORED}"]))
