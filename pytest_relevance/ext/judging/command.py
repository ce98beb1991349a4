"""`pytest-relevance raters`: where the raters of judgment files disagree, and how far.

The documents whose ratings differ most come first. Then the report says how many there
are, how far all raters agree (Krippendorff's alpha), and how generous each rater is.
For two raters, or the two that --between names, it has Cohen's kappa, the bias, and how
often each pair of grades was given.

The ratings of several files are read together. A file that does not say who rated is
the work of one rater, whose name is that of the file.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import replace

from pytest_relevance._source import Source
from pytest_relevance._text import listed, quoted
from pytest_relevance.cli.arguments import add_reading, existing, whole_from
from pytest_relevance.cli.command import OK, CommandError
from pytest_relevance.cli.output import complain, show
from pytest_relevance.ext.judging.raters import joined, of_raters, rated_by_several
from pytest_relevance.ext.judging.raters_report import MOST_LISTED, rater_lines
from pytest_relevance.judgments.grading import graded
from pytest_relevance.judgments.model import Judgments, Ratings
from pytest_relevance.judgments.reading import ids_of, read_ratings


def declare(parser: ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    parser.add_argument(
        "files",
        metavar="FILE",
        type=existing,
        nargs="+",
        help="a judgment file in any format",
    )
    add_reading(parser, "--format", "--scale", "--id-field")
    between = (
        "compare these two raters (default: the raters of the files, if there are two)"
    )
    parser.add_argument("--between", nargs=2, metavar="RATER", help=between)
    limit = "how many documents and raters are listed; 0: all of them (default: %(default)s)"
    parser.add_argument(
        "--limit", metavar="N", type=whole_from(0), default=MOST_LISTED, help=limit
    )


def run(arguments: Namespace) -> int:
    """Print the report and return the exit code.

    Raises `CommandError` if no document has ratings of two raters.
    """
    name = listed([str(path) for path in arguments.files], "and")
    all_rows = _read(arguments)
    are_known = all(rows.raters is not None for rows in all_rows)
    # a document with repeated ratings counts as rated by several raters
    files = [graded(rows, arguments.scale, "median") for rows in all_rows]
    judgments = files[0] if len(files) == 1 else joined(files)
    pairs = rated_by_several(judgments)
    if not pairs:
        raise CommandError(f"{name}: {_no_pairs(files)}")
    if arguments.between is not None:
        _check_between(arguments.between, judgments.raters if are_known else (), name)
        judgments = of_raters(judgments, arguments.between)
        pairs = rated_by_several(judgments)
        if not pairs:
            both = _names(arguments.between)
            raise CommandError(f"{name}: there is no document that both {both} rated")
    for file in files:
        for notice in file.notices:
            complain(f"{file.file}: {notice}")
    limit = arguments.limit or None
    show(rater_lines(judgments, pairs, are_known=are_known, limit=limit))
    return OK


def _read(arguments: Namespace) -> list[Ratings]:
    """Return the ratings of each file.

    If there are several files, one that does not say who rated is the work of one
    rater, whose name is that of the file.
    """
    all_rows = []
    for path in arguments.files:
        source = Source.read(path, ids=ids_of(arguments.id_field))
        rows = read_ratings(source, arguments.format, machine=True)
        if rows.raters is None and len(arguments.files) > 1:
            rows = replace(rows, raters=[rows.file] * len(rows.queries))
        all_rows.append(rows)
    return all_rows


def _no_pairs(files: Sequence[Judgments]) -> str:
    """Return the message that no document has ratings of two raters."""
    count = 0
    for file in files:
        count += sum(len(documents) for documents in file.values())
    formats = listed(dict.fromkeys(file.format for file in files), "and")
    found = (
        f"found {count:,} judged documents ({formats}), and none with the ratings of two "
        "raters"
    )
    if len(files) > 1:
        return f"{found}. The files need the same ids of queries and documents"
    return (
        f"{found}. There are several raters in repeated rows of a query and a document "
        "(with a column rater, so that it is known who), in a column for each rater "
        "(anna_rating, ben_rating), in a Quepid book, or in several files"
    )


def _check_between(between: Sequence[str], raters: Sequence[str], name: str) -> None:
    """Raise `CommandError` if `--between` does not name two raters of the files.

    `raters`: empty if the files do not say who rated.
    `name`: the names of the files.
    """
    if not raters:
        raise CommandError(
            f"{name}: the file does not say who rated, which --between needs: a column "
            "rater"
        )
    if len({*between} & {*raters}) < 2:
        raise CommandError(
            f"--between takes two raters of {name}, {_names(raters)}; found "
            f"{_names(between)}"
        )


def _names(raters: Sequence[str]) -> str:
    return listed([quoted(rater) for rater in raters], "and")
