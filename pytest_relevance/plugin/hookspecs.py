"""The hooks that this plugin offers to conftest files and other plugins."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import pytest

from pytest_relevance.plugin.output_files import Message, OutputFile

if TYPE_CHECKING:
    from pytest_relevance.cases.model import Case
    from pytest_relevance.plugin.item_variants import KnownVariant
    from pytest_relevance.plugin.running.case_run import CaseRun, Searched
    from pytest_relevance.plugin.terminal import Section
    from pytest_relevance.results.case_parts import DocumentTexts
    from pytest_relevance.results.case_result import CaseResult
    from pytest_relevance.results.document_fields import FieldValues
    from pytest_relevance.results.records.run import Run
    from pytest_relevance.results.records.run_info import FileInfo


@pytest.hookspec(firstresult=True)
def pytest_relevance_ranking(response: object, case: Case) -> object | None:
    """Convert the response of a search to a ranking that the plugin can read.

    Return the ranking in any form that the plugin reads: for example a list of document
    ids, best first, of (id, score) pairs, or of mappings with an id and a title. Return
    None to leave the response to the next implementation. The first result that is not
    None is used; if there is none, the plugin reads the response itself.

    `response`: the return value of the search. If it was awaitable, it has been
        awaited.
    `case`: the case that runs.
    """


@pytest.hookspec
def pytest_relevance_metrics() -> Mapping[str, Callable[..., float | None]]:  # type: ignore[empty-body]
    """Return the project's own metrics: {name: function}.

    Case files may use such a metric like any other: `name@10`. The function is called
    with three arguments: the grades of the results, best first and cut at k (None:
    unjudged); the grades of all judgments; and k (None without a cutoff). It returns a
    finite number, or None if the metric is not defined. It is called for the ranking of
    each case, and for accepted rankings. Equal grades must give equal values.
    """


@pytest.hookspec(firstresult=True)
def pytest_relevance_search(
    case_run: CaseRun,
) -> Searched | Awaitable[Searched] | None:
    """Call the search of a case, and return what it returned or raised: `Searched`.

    Return an awaitable if an event loop is needed, or None to leave the search to the
    next implementation. The first result that is not None is used. The plugin's own
    implementation is the last one, and calls the search for this case alone. When the
    hook is called, the fixtures of the case are set up, and no event loop runs.
    """


@pytest.hookspec(firstresult=True)
def pytest_relevance_variants(
    file: pytest.Collector, case: Case
) -> Sequence[KnownVariant] | None:
    """Return the variants of a case that is to run without its fixtures.

    Then the fixtures that the case names are neither looked up nor set up, and the hook
    `pytest_relevance_search` has to return what was found. Return None to have the
    fixtures decide. The first result that is not None is used.

    `file`: the case file.
    """


@pytest.hookspec
def pytest_relevance_fields(
    case_run: CaseRun, documents: Sequence[str], names: Sequence[str]
) -> FieldValues | Awaitable[FieldValues | None] | None:
    """Return fields of documents from another source than the search.

    An implementation may be a coroutine function. It is awaited only if a document
    still lacks a field. A plain implementation that has to await something calls
    `case_run.wait(answer)`. If several sources return a field, the first value counts.

    `documents`: the ids of the documents that lack a field that an expectation looks
        at.
    `names`: all fields that the expectations of the case look at.
    """


@pytest.hookspec
def pytest_relevance_complete(
    config: pytest.Config,
    results: Sequence[CaseResult],
    files: Mapping[str, FileInfo],
) -> Sequence[DocumentTexts] | None:
    """Return more about the documents of results, when all cases have ended.

    Return a `DocumentTexts` for each result, in the order of the results, or None. The
    hook is called before any report, in the process that has all results. The first
    call is for all results whose rankings a report shows. The texts change no verdict.

    `files`: {name: data of the case file}.
    """


@pytest.hookspec
def pytest_relevance_texts(
    case_run: CaseRun, result: CaseResult
) -> DocumentTexts | None:
    """Return more about the documents of a case that failed or is inconclusive.

    Return titles, fields or explanations, or None. What several implementations return
    is joined. The fixtures of the case are set up. The texts change no verdict.
    """


@pytest.hookspec
def pytest_relevance_outputs() -> Iterable[OutputFile]:  # type: ignore[empty-body]
    """Return the kinds of files that options of the plugin may name.

    A file that an option names is checked before the run. If options name at least one
    file, the run keeps the ranking and the titles of every case.
    """


@pytest.hookspec
def pytest_relevance_summary(  # type: ignore[empty-body]
    run: Run, detail: int
) -> Iterable[Section]:
    """Return sections for the summary in the terminal, which come before its last one.

    `detail`: 1 for `-v`, 2 for `-vv`, -1 for `-q`.
    """


@pytest.hookspec
def pytest_relevance_write(  # type: ignore[empty-body]
    run: Run, config: pytest.Config
) -> Iterable[Message]:
    """Write something at the end of a run, and return messages about it.

    A message that is not good makes the run fail. If an error ends the run before it
    begins, `run` has no results, and `run.info` has the error. The hook is not called
    in a worker of pytest-xdist.
    """
