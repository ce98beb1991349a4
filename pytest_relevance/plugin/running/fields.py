"""Complete a ranking with what expectations look at beyond its ids: fields, and the rankings of other queries.

A field that the search did not return is looked up by itself, in `relevance_documents` and then in the catalogue. The
search is called for the other query of `same_as`. Both is done when the case is scored, and is no part of its latency.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from pytest_relevance._problems import FileError
from pytest_relevance._text import listed, quoted
from pytest_relevance.plugin.failures import CaseError
from pytest_relevance.plugin.running import calling
from pytest_relevance.plugin.running.case_run import CASE_RUN, CaseRun
from pytest_relevance.plugin.running.documents import PLUGIN, DocumentLookup
from pytest_relevance.results.documents import Catalogue
from pytest_relevance.results.responses.fields import Absent, read_fields
from pytest_relevance.results.responses.ranking import Ranking
from pytest_relevance.results.responses.reading import UnreadableRanking

__tracebackhide__ = True  # pytest leaves the frames of this module out of tracebacks

Found = Mapping[str, object]
"""What a source has of documents."""

_Rows = tuple[dict[str, dict[str, object]], Sequence[str]]
_CATALOGUES: pytest.StashKey[dict[str, _Rows]] = pytest.StashKey()


def completed(this: CaseRun, ranking: Ranking) -> Ranking:
    """Return a ranking with all that the expectations of its case look at, outside of any event loop or in a check.

    Raises `CaseError` where a source of fields cannot be asked, and passes on exceptions of the search.
    """
    steps = _steps(this, ranking)
    answer: object = None
    try:
        while True:
            answer = steps.send(answer)
            if calling.is_waiting(answer):
                if calling.running_loop() is not None:
                    calling.close_unawaited(answer)
                    raise _error(
                        this, "relevance_documents is asynchronous, and a check in an event loop cannot await it"
                    )
                try:
                    answer = calling.wait_between_calls(this.item.config, answer, None)
                except Exception as error:
                    steps.throw(error)
    except StopIteration as end:
        found: Ranking = end.value
        return found


async def completed_async(this: CaseRun, ranking: Ranking) -> Ranking:
    """Do the same as `completed`, in the running event loop."""
    steps = _steps(this, ranking)
    answer: object = None
    try:
        while True:
            answer = steps.send(answer)
            if calling.is_waiting(answer):
                try:
                    answer = await calling.wait(answer)
                except Exception as error:
                    steps.throw(error)
    except StopIteration as end:
        found: Ranking = end.value
        return found


def _steps(this: CaseRun, ranking: Ranking) -> Generator[object, object, Ranking]:
    """Add what is absent. Yields answers that may have to be awaited, to be sent back; returns the ranking."""
    try:
        if any(expected.query for expected in this.case.expect):
            ranking = yield from _with_others(this, ranking)
        this.attempt.is_read = True  # an error from here on is none of the search
        lookup: DocumentLookup | None = this.item.config.pluginmanager.get_plugin(PLUGIN)
        if lookup is not None and (documents := _absent(this, ranking)):
            found = yield from lookup.values(this.item, documents)
            titled = {document: {"title": each} if isinstance(each, str) else each for document, each in found.items()}
            ranking = _filled(this, ranking, titled, "relevance_documents")
        if _absent(this, ranking):
            ranking = _from_catalogue(this, ranking)
    except CaseError as error:
        this.attempt.error = error
        raise
    except UnreadableRanking as problem:
        raise _error(this, str(problem)) from None
    return ranking


def _with_others(this: CaseRun, ranking: Ranking) -> Generator[object, Any, Ranking]:
    """Call the search for the other queries, with the params and the k of the case; return the ranking with theirs."""
    search, others = this.search, {}
    many = None if callable(search) else calling.many_of(search)
    asked = calling.asked_for(many or search, this.case)
    for query in dict.fromkeys(expected.query for expected in this.case.expect if expected.query):
        other = replace(this.case, query=query, expect=())
        try:
            response, _ = calling.call(many or search, other, asked, [query] if many is not None else None)
            response = yield response
            if many is not None:
                response = calling.only_response(response)
            others[query] = calling.read(this.item, other, response, search).ids
        except Exception:
            this.item.add_report_section("call", "same_as", f"the search was called for {quoted(query)}")
            raise
        except CaseError as error:
            raise CaseError(f"same_as {quoted(query)}: {error}", pytrace=False) from None
    return replace(ranking, others=others)


def _error(this: CaseRun, message: str) -> CaseError:
    error = this.attempt.error = CaseError(message, pytrace=False)
    return error


def _absent(this: CaseRun, ranking: Ranking) -> list[str]:
    """Return the documents that lack a field."""
    indexes: set[int] = set()
    for path, count in this.case.fields.items():
        values = (ranking.fields or {}).get(path)
        rows = range(min(count, len(ranking.ids)))
        indexes.update(rows if values is None else (index for index in rows if type(values[index]) is Absent))
    return [ranking.ids[index] for index in sorted(indexes)]


def _filled(this: CaseRun, ranking: Ranking, found: Found, source: str, there: Sequence[str] = ()) -> Ranking:
    """Return the ranking with the absent fields that a source has. Raises `UnreadableRanking`.

    `there` says in messages what the source has of each document, where that is not all in `found`.
    """
    fields = {}
    for path, count in this.case.fields.items():
        documents = ranking.ids[:count]
        values = [*(ranking.fields or {}).get(path, [Absent()] * len(documents))]
        absent = [index for index, value in enumerate(values) if type(value) is Absent]
        known = [index for index in absent if documents[index] in found]
        if known:
            rows = read_fields([found[documents[index]] for index in known], {path: len(known)}, source)[path]
            for index, value in zip(known, rows, strict=True):
                values[index] = (
                    Absent((*values[index].there, *(there or value.there))) if type(value) is Absent else value
                )
        for index in {*absent} - {*known}:
            values[index] = Absent((*values[index].there, f"{source} does not have the document"))
        fields[path] = values
    return replace(ranking, fields=fields)


def _from_catalogue(this: CaseRun, ranking: Ranking) -> Ranking:
    """Return the ranking with the absent fields that the catalogue of the suite has."""
    columns = this.case.terms.documents
    if columns is None:
        return ranking
    path, name = (
        os.path.normpath(os.path.join(os.path.dirname(file), columns.file)) for file in (this.path, this.file)
    )
    catalogue = Catalogue(path, name, columns)
    read = this.item.config.stash.setdefault(_CATALOGUES, {})
    if this.file not in read:  # once in each process, with the fields of all cases of the file
        runs = (item.stash.get(CASE_RUN, None) for item in this.item.session.items)
        paths = [path for run in runs if run is not None and run.file == this.file for path in run.case.fields]
        try:
            read[this.file] = catalogue.values({part for path in paths for part in (path, path.partition(".")[0])})
        except FileError as error:
            raise _error(this, f"fields of the results cannot be looked up in the catalogue: {error}") from None
    rows, names = read[this.file]
    return _filled(this, ranking, rows, catalogue.name, (f"{catalogue.name} has {listed(names, 'and')}",))
