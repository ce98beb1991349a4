"""`pytest-relevance raters`: where the raters of a judgment file disagree, and how far.

The documents whose ratings differ most come first. Then the report says how many there
are, how far all raters agree (Krippendorff's alpha), and how generous each rater is.
For two raters, or the two that --between names, it has Cohen's kappa, the bias, and how
often each pair of grades was given.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from pytest_relevance._source import Source
from pytest_relevance._text import listed, quoted
from pytest_relevance.cli.arguments import add_reading, existing, whole_from
from pytest_relevance.cli.command import OK, CommandError
from pytest_relevance.cli.output import complain, show
from pytest_relevance.ext.judging.raters import of_raters, rated_by_several
from pytest_relevance.ext.judging.raters_report import MOST_LISTED, rater_lines
from pytest_relevance.judgments.grading import graded
from pytest_relevance.judgments.reading import ids_of, read_ratings


def declare(parser: ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    parser.add_argument(
        "file", metavar="FILE", type=existing, help="a judgment file in any format"
    )
    add_reading(parser, "--format", "--scale", "--id-field")
    between = (
        "compare these two raters (default: the raters of the file, if there are two)"
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
    file = arguments.file
    source = Source.read(file, ids=ids_of(arguments.id_field))
    rows = read_ratings(source, arguments.format, machine=True)
    # a document with repeated ratings counts as rated by several raters
    judgments = graded(rows, arguments.scale, "median")
    pairs = rated_by_several(judgments)
    if not pairs:
        count = sum(len(documents) for documents in judgments.values())
        raise CommandError(
            f"{file}: found {count:,} judged documents ({rows.format}), and none with the "
            "ratings of two raters. There are several raters in repeated rows of a query "
            "and a document (with a column rater, so that it is known who), in a column "
            "for each rater (anna_rating, ben_rating), or in a Quepid book"
        )
    if arguments.between is not None:
        known = judgments.raters if rows.raters else ()
        _check_between(arguments, known)
        judgments = of_raters(judgments, arguments.between)
        pairs = rated_by_several(judgments)
        if not pairs:
            both = _names(arguments.between)
            raise CommandError(f"{file}: there is no document that both {both} rated")
    for notice in judgments.notices:
        complain(f"{file}: {notice}")
    lines = rater_lines(
        judgments,
        pairs,
        are_known=rows.raters is not None,
        limit=arguments.limit or None,
    )
    show(lines)
    return OK


def _check_between(arguments: Namespace, raters: Sequence[str]) -> None:
    """Raise `CommandError` if `--between` does not name two raters of the file."""
    if not raters:
        raise CommandError(
            f"{arguments.file}: the file does not say who rated, which --between needs: "
            "a column rater"
        )
    if len({*arguments.between} & {*raters}) < 2:
        raise CommandError(
            f"--between takes two raters of {arguments.file}, {_names(raters)}; found "
            f"{_names(arguments.between)}"
        )


def _names(raters: Sequence[str]) -> str:
    return listed([quoted(rater) for rater in raters], "and")
