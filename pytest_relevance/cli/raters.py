"""`pytest-relevance raters`: where the raters of a judgment file disagree, and how far.

The documents on which ratings are the furthest apart come first, then how many there are of them, the agreement of all
(Krippendorff's alpha), how generous each rater is, and what the ways to combine ratings make of them.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from pytest_relevance.cli.command import OK, CommandError, add_reading, complain, existing, show, whole_from
from pytest_relevance.reports.findings import MOST_LISTED


def declare(parser: ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("file", metavar="FILE", type=existing, help="a judgment file in any format")
    add_reading(parser, "--format", "--scale")
    parser.add_argument(
        "--limit",
        metavar="N",
        type=whole_from(0),
        default=MOST_LISTED,
        help="how many documents and raters are listed; 0: all of them (default: %(default)s)",
    )


def run(arguments: Namespace) -> int:
    """Print the report and return the exit code. Raises `CommandError` where no document has ratings of two raters."""
    from pytest_relevance._source import Source
    from pytest_relevance.judgments.grading import graded, rated_by_several
    from pytest_relevance.judgments.reading import read_ratings
    from pytest_relevance.reports.findings import rater_lines

    rows = read_ratings(Source.read(arguments.file), arguments.format)
    judgments = graded(rows, arguments.scale, "median")  # repeated ratings count as those of several raters
    pairs = rated_by_several(judgments)
    if not pairs:
        count = sum(map(len, judgments.values()))
        raise CommandError(
            f"{arguments.file}: found {count:,} judged documents ({rows.format}), and none with the ratings of two "
            f"raters. There are several raters in repeated rows of a query and a document "
            "(with a column rater, so that it is known who), in a column for each rater (anna_rating, ben_rating), or "
            "in a Quepid book"
        )
    for notice in judgments.notices:
        complain(f"{arguments.file}: {notice}")
    show(rater_lines(judgments, pairs, are_known=rows.raters is not None, limit=arguments.limit or None))
    return OK
