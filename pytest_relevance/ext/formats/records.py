"""Read the record of a run (`--relevance-record`) as rankings."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_relevance._source import Source
from pytest_relevance._text import quoted
from pytest_relevance.judgments.formats import Rankings, RunFormat
from pytest_relevance.results.case_result import SKIPPED, WITHOUT_SCORE
from pytest_relevance.results.records.run import Run, RunRankings


def _is_record(source: Source) -> bool:
    return source.data.startswith(b'{"kind":"pytest-relevance record"')


def _read(source: Source) -> Rankings:
    """Return the ranking of each case in a record, by the id of the case.

    A case that was skipped or ended in an error has no ranking.
    """
    results = Run.open(source.file).results
    rankings: dict[str, Sequence[str]] = {}
    for result in results:
        if result.verdict in (*WITHOUT_SCORE, SKIPPED):
            continue
        if result.id in rankings:
            source.refuse(
                f"query {quoted(result.id)}: several files or variants of a search have "
                "results for it; open the record with Run.open"
            )
        rankings[result.id] = list(result.ranking.documents)
    return RunRankings(rankings, results)


RECORD = RunFormat(name="record", fits=_is_record, read=_read)
