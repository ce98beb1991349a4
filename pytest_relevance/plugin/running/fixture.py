"""The value of the fixture `relevance`, which scores rankings in tests in Python.

A failing check in a thread or a task of the test ends only this thread or task. If its
exception is lost there, `raise_lost_check` fails the test with the exception.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import replace
from types import FrameType
from typing import Any

import pytest

from pytest_relevance._ids import decoding_advice
from pytest_relevance._text import quoted, shown
from pytest_relevance.cases.build import case_from_values
from pytest_relevance.cases.expect import kind_of_key, name_of_key
from pytest_relevance.cases.model import Case
from pytest_relevance.metrics.metric import MetricFunction
from pytest_relevance.plugin.exceptions import CaseError
from pytest_relevance.plugin.news import LOST
from pytest_relevance.plugin.run_store import run_store
from pytest_relevance.plugin.running import awaiting, case_run
from pytest_relevance.plugin.running.case_run import CASE_RUN, CHECKS, Checks
from pytest_relevance.plugin.running.run_case import check
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.responses.ids import id_text

__tracebackhide__ = True  # pytest leaves the frames of this module out of tracebacks

_NOT_HERE = ("search", "params", "usefixtures", "tags", "xfail", "skip", "same_as")
"""Keys of a case that `check` refuses, because a test in Python has code for them."""

_IN_TEST = (
    "the ranking is given here; call your search, request fixtures and mark in the test"
)

_NOT_IN_A_CASE = (
    "relevance.check was called in a case of a case file, which would lose its result: write what it expects in the "
    "case file, or check in a test in Python"
)

_NO_REFERENCE = "it has no accepted ranking; compare two rankings in the test with overlap(), jaccard() or rbo()"


class Relevance:
    """Scores rankings as a case file does. The value of the fixture `relevance`."""

    def __init__(self, item: pytest.Item) -> None:
        self._item = item
        # drops the checks of an earlier attempt
        self._checks = item.stash[CHECKS] = Checks()

    def check(
        self,
        query: str,
        ranking: object,
        judgments: Mapping[Any, Any] | None = None,
        **keys: Any,
    ) -> CaseResult:
        """Score a ranking, and fail the test if a floor or an expectation is not met.

        Args:
            query: the text of the query.
            ranking: anything that a search may return.
            judgments: {document: grade}.
            keys: the keys of a case in a case file (`min_ndcg=0.85`, `k=5`,
                `expect={"P@5": 0.6}`), and expectations that are not metrics
                (`within={"sku-5": 3}`, `order=["sku-1", "sku-4"]`).

        Return the result; its `score` is nDCG@k. A check that fails in another thread
        or task also fails the test, even if its exception is lost there.

        Raises ValueError for a key or value that a case file may not have, and pytest's
        fail exception if the check fails (its skip exception if an inconclusive check
        is to be skipped). Raises an error if it is called while a case of a case file
        runs.
        """
        if CASE_RUN in self._item.stash:
            raise CaseError(_NOT_IN_A_CASE, pytrace=False)
        frame = inspect.currentframe()
        assert frame is not None
        path, line = self._place_of(frame.f_back)
        try:
            case = _case(query, judgments, keys, case_run.metrics_of(self._item))
            if awaiting.is_waiting(ranking):
                awaiting.close_unawaited(ranking)
                raise ValueError(
                    f"relevance.check was given {shown(ranking)}; await the search in the test"
                )
            case = replace(case, line=line)
            return check(self._item, self._checks, case, ranking, path)
        except BaseException as error:
            self._checks.raised.append((error, awaiting.running_task()))
            raise
        finally:
            if self._checks.are_over:  # no report can carry its result any more
                name = f"{self._item.nodeid}: {quoted(_plain(query))}"
                run_store(self._item.config).unsent.name(LOST, name)

    def _place_of(self, caller: FrameType | None) -> tuple[str, int]:
        """Return the file and the line in which a check was called.

        `pool.submit(relevance.check, ...)` is not a call in the test. Such a check has
        the place of its test.
        """
        if caller is None or _is_runner(caller):
            return str(self._item.path), (self._item.location[1] or 0) + 1
        return caller.f_code.co_filename, caller.f_lineno


def _case(
    query: str,
    judgments: Mapping[Any, Any] | None,
    keys: Mapping[str, Any],
    metrics: Mapping[str, MetricFunction],
) -> Case:
    """Return the case of a check. Raises ValueError for a wrong key or value."""
    _refuse_keys_of_tests(keys)
    values = {"query": _plain(query)}
    for name, value in keys.items():
        values[name] = _plain(value)
    if "relevant" in values:
        values["relevant"] = _documents_as_text(values["relevant"])
    _join_expectations(values)
    if judgments is not None:
        is_mapping = hasattr(judgments, "items")
        values["judgments"] = _with_text_ids(judgments) if is_mapping else judgments
    try:
        case = case_from_values(values, metrics)
    except ValueError as error:
        raise ValueError(f"relevance.check: {error}") from None
    for metric in case.similarities:
        raise ValueError(f"relevance.check takes no {metric.text}: {_NO_REFERENCE}")
    return case


def _refuse_keys_of_tests(keys: Mapping[str, Any]) -> None:
    """Raise ValueError for a key of a case that is written in Python code instead."""
    expected = keys.get("expect")
    if not isinstance(expected, Mapping):
        expected = {}
    for name in _NOT_HERE:
        if name in keys or name in expected:
            raise ValueError(f"relevance.check takes no {name}: {_IN_TEST}")


def _join_expectations(values: dict[str, Any]) -> None:
    """Move keys that name expectations, such as `within`, into the key `expect`.

    Raises ValueError for an expectation that is given in both ways.
    """
    alone = {}
    for name in list(values):
        if name_of_key(name) is not None:
            alone[name] = values.pop(name)
    written = values.get("expect", {})
    if not isinstance(written, dict):
        return  # an error of the case, which names the value
    for name in alone.keys() & written.keys():
        raise ValueError(
            f"relevance.check: {name} is given by itself and in expect; keep one of them"
        )
    expected = {**written, **alone}
    if expected:
        values["expect"] = {
            name: _expectation_with_text_ids(name, value)
            for name, value in expected.items()
        }


def _expectation_with_text_ids(key: str, value: Any) -> Any:
    """Return the value of an expectation with the ids of documents as texts."""
    if key == "within" and isinstance(value, dict):
        ranks = {}
        for document, rank in value.items():
            ranks[_documents_as_text(document)] = rank
        return ranks
    name = name_of_key(key)
    if name is not None and kind_of_key(name).names_documents:
        return _documents_as_text(value)
    return value


def _documents_as_text(expected: Any) -> Any:
    """Return an expectation with document ids as text. Other values stay."""
    if isinstance(expected, dict):
        if "docs" not in expected:
            return expected
        return {**expected, "docs": _documents_as_text(expected["docs"])}
    if isinstance(expected, (list, tuple)):
        return [_documents_as_text(document) for document in expected]
    text = id_text(expected)
    return expected if text is None else text


def _with_text_ids(judgments: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return judgments with ids as text and grades as plain Python values.

    Raises ValueError for an id that is neither text nor a whole number, and for a
    document that is judged twice.
    """
    found: dict[Any, Any] = {}
    for document, grade in judgments.items():
        name = id_text(document)
        if name is None:
            raise ValueError(
                f"relevance.check: judgments: a document id is text or a whole number, found {shown(document)}"
                f"{decoding_advice(document)}"
            )
        if name in found:
            raise ValueError(
                f"relevance.check: document {name!r} is judged twice, as text and as a number"
            )
        found[name] = _plain(grade)
    return found


def _plain(value: Any) -> Any:
    """Return a value with plain Python types instead of those of numpy and subclasses.

    pytest-xdist cannot send an instance of a subclass of str, int or float, for example
    a member of an enumeration. Nested values are converted too.
    """
    if type(value).__module__ == "numpy":
        return value.tolist()
    for kind in (str, int, float):
        if isinstance(value, kind) and not isinstance(value, bool):
            return kind.__str__(value) if kind is str else kind(value)
    if isinstance(value, Mapping):
        return {_plain(name): _plain(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    return value


_RUNNERS = (
    "threading",
    "concurrent.futures",
    "multiprocessing",
    "asyncio",
    "anyio",
    "trio",
    "joblib",
)
"""The modules that call a function in another thread or at a later time, and catch its
exceptions.
"""

_UNHANDLED = pytest.PytestUnhandledThreadExceptionWarning
"""pytest's warning about a thread that ended in an exception.

The call phase raises it where warnings are errors.
"""


def raise_lost_check(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """Make a call fail with the exception of a check that was lost in a thread or task.

    The outermost line of the traceback shows whether it was lost. If the test caught
    the exception, or if the exception reached the test, it is a line of the test. If it
    was lost, it is a line of the module that ran the thread. But the traceback of an
    exception that ended a task of asyncio, and that nothing awaited, begins in its
    coroutine.
    """
    raised = item.stash[CHECKS].raised
    lost = [error for error, task in raised if _is_lost(error, task)]
    if lost and (call.excinfo is None or call.excinfo.errisinstance(_UNHANDLED)):
        call.excinfo = pytest.ExceptionInfo.from_exception(lost[0])
    raised.clear()


def _is_lost(error: BaseException, task: Any) -> bool:
    """Say whether the exception of a check did not reach the code of the test.

    `task` is the task of asyncio that raised the exception; None without one.
    """
    if error.__traceback__ is None:
        return False
    outermost = error.__traceback__.tb_frame
    if _is_runner(outermost):
        return True
    ended_task = (
        task is not None
        and task.done()
        and not task.cancelled()
        and task.exception() is error
    )
    return ended_task and getattr(task.get_coro(), "cr_code", None) is outermost.f_code


def _is_runner(frame: FrameType) -> bool:
    """Say whether a frame is of a module that runs functions in threads or later."""
    module = f"{frame.f_globals.get('__name__')}."
    return any(module.startswith(f"{runner}.") for runner in _RUNNERS)
