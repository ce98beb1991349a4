"""`pytest-relevance merge`: the records of the shards of one run joined, and its gates judged over the whole.

Each shard writes a record (pytest --relevance-record=FILE). The exit code is 0 where every case is there and every
gate is met, 1 where a case is missing or a gate is not met, and 2 where the records are not of one run. Cases that
failed are counted; they have failed their shard already.
"""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_relevance.cli import FOUND, OK, PROGRAM, CommandError
from pytest_relevance.cli.parsing import existing
from pytest_relevance.cli.text import complain, refuse_to_replace, show
from pytest_relevance.wording import listed, quoted

if TYPE_CHECKING:
    from pytest_relevance.runs.run import Run


def declare(parser: ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("records", metavar="RECORD", type=existing, nargs="+", help="the record of a shard")
    parser.add_argument("-o", "--output", metavar="FILE", help="write the record of the whole run; .gz packs it")
    parser.add_argument(
        "--last",
        action="store_true",
        help="where a case came to something else in another record, take the result of the one that is named last",
    )


def run(arguments: Namespace) -> int:
    """Join, report, judge."""
    from pytest_relevance.reports.merged import is_good, merged_lines
    from pytest_relevance.runs.merging import Unmergeable, judge_gates, merge
    from pytest_relevance.runs.record import write_record

    _check_named_once(arguments.records)
    runs = [_read(path) for path in arguments.records]
    names = [run.name for run in runs]
    if len(set(names)) < len(names):  # shard-1/run.jsonl, shard-2/run.jsonl
        for run, path in zip(runs, arguments.records, strict=True):
            run.name = str(path)
    if arguments.output is not None:
        _check_output(arguments)
    try:
        merged = merge(runs, last=arguments.last)
        gates = list(judge_gates(merged.run))
        lines = merged_lines(merged, gates, len(runs))
    except Unmergeable as error:
        raise CommandError(str(error)) from None
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:  # a hand was at a record
        raise CommandError(f"{PROGRAM} merge: a record is damaged ({error}); make it again") from None
    trouble = None
    if arguments.output is not None:  # before the report, whose reader may close the pipe
        try:
            write_record(arguments.output, merged.run)
        except OSError as error:
            trouble = f"{arguments.output}: cannot be written: {error.strerror or error}"
    show(lines)
    if trouble is not None:
        raise CommandError(trouble)
    if arguments.output is not None:
        complain(f"written: {arguments.output}")
    return OK if is_good(merged, gates) else FOUND


def _check_named_once(records: Sequence[Path]) -> None:
    """Refuse a record that is named twice: most likely another one should have been."""
    places = Counter(map(os.path.realpath, records))
    twice = [str(path) for path in records if places[os.path.realpath(path)] > 1]
    if twice:
        raise CommandError(f"{PROGRAM} merge: one record is named several times: {listed(map(quoted, twice), 'and')}")


def _read(path: Path) -> Run:
    from pytest_relevance.runs.record import check_record, read_record
    from pytest_relevance.runs.run import RecordError

    try:
        check_record(path)  # into the details, which the record of the whole run takes over as they are
        return read_record(path)
    except RecordError as error:
        raise CommandError(str(error)) from None


def _check_output(arguments: Namespace) -> None:
    """Refuse to write over what is no record, or over one that is read."""
    from pytest_relevance.runs.record import is_record

    target = arguments.output
    if any(os.path.realpath(path) == os.path.realpath(target) for path in arguments.records):
        raise CommandError(f"{PROGRAM} merge: --output {quoted(target)} is one of the records that are merged")
    refuse_to_replace("merge", target, is_record, "no record")
