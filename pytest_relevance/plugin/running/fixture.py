"""The value of the fixture `relevance`, which scores rankings in tests in Python.

A check may fail in a thread or a task of the test. Its exception ends the thread or the
task, and not the test. Then `raise_lost_check` raises the exception in the test.
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
    """Scores rankings in a test as a case file does: the value of `relevance`."""

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

        A check that fails in another thread or task also fails the test, even if its
        exception is lost there.

        Args:
            query: the text of the query.
            ranking: anything that a search may return.
            judgments: {document: grade}.
            keys: the keys of a case in a case file (`min_ndcg=0.85`, `k=5`,
                `expect={"P@5": 0.6}`), and expectations that are not metrics
                (`within={"sku-5": 3}`, `order=["sku-1", "sku-4"]`).

        Returns:
            The result; its `score` is nDCG@k.

        Raises:
            ValueError: for a key or value that a case file may not have.
            pytest.fail.Exception: if the check fails, or if it is called while a case
            of a case file runs.
            pytest.skip.Exception: if the check is inconclusive and such checks are to
            be skipped.
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

        `caller`: the frame that called it. In `pool.submit(relevance.check, ...)` a
            thread calls the check, and not the test. Then the place of the test is
            returned.
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
    """Raise ValueError for a key that only a case file has, for example `skip`.

    A test in Python has code in place of these keys.
    """
    expected = keys.get("expect")
    if not isinstance(expected, Mapping):
        expected = {}
    for name in _NOT_HERE:
        if name in keys or name in expected:
            raise ValueError(f"relevance.check takes no {name}: {_IN_TEST}")


def _join_expectations(values: dict[str, Any]) -> None:
    """Move keys that name expectations, for example `within`, into the key `expect`.

    `values` is changed in place. Ids of documents in expectations become text. Raises
    ValueError for an expectation that is given both alone and in `expect`.
    """
    alone = {}
    for name in list(values):
        if name_of_key(name) is not None:
            alone[name] = values.pop(name)
    written = values.get("expect", {})
    if not isinstance(written, dict):
        return  # `case_from_values` refuses it
    for name in alone.keys() & written.keys():
        raise ValueError(
            f"relevance.check: {name} is given by itself and in expect; keep one of them"
        )
    expected = {}
    for name, value in {**written, **alone}.items():
        expected[name] = _expectation_with_text_ids(name, value)
    if expected:
        values["expect"] = expected


def _expectation_with_text_ids(key: str, value: Any) -> Any:
    """Return the value of an expectation with ids of documents as text."""
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
    """Return a value with all ids of documents in it as text. Other values stay."""
    if isinstance(expected, dict):
        if "docs" not in expected:
            return expected
        return {**expected, "docs": _documents_as_text(expected["docs"])}
    if isinstance(expected, (list, tuple)):
        return [_documents_as_text(document) for document in expected]
    text = id_text(expected)
    return expected if text is None else text


def _with_text_ids(judgments: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return judgments with ids as text, and grades as plain Python values.

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
    """Return a value, at any depth, with plain Python types.

    Values of numpy are converted. So are values of a subclass of str, int or float, for
    example members of an enumeration, because pytest-xdist cannot send them.
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
"""The modules that call a function in another thread or later, and catch exceptions."""

_UNHANDLED = pytest.PytestUnhandledThreadExceptionWarning
"""pytest's warning about a thread that ended in an exception.

The call phase raises it if warnings are errors.
"""


def raise_lost_check(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """Make a call fail with the first exception of a check that was lost.

    An exception is lost if it ends a thread or a task, and the code of the test does
    not get it. A call that already fails for another reason keeps its own exception.
    """
    raised = item.stash[CHECKS].raised
    lost = [error for error, task in raised if _is_lost(error, task)]
    if lost and (call.excinfo is None or call.excinfo.errisinstance(_UNHANDLED)):
        call.excinfo = pytest.ExceptionInfo.from_exception(lost[0])
    raised.clear()


def _is_lost(error: BaseException, task: Any) -> bool:
    """Say whether the exception of a check did not reach the code of the test.

    The outermost frame of its traceback shows how far the exception went. The exception
    is lost if this frame is

    - of a module that runs threads or tasks
    - of the coroutine of a task of asyncio that ended in the exception

    If the frame is of the test, the test has caught the exception or ended in it.

    `task`: the task of asyncio that raised the exception; None without one.
    """
    if error.__traceback__ is None:
        return False
    outermost = error.__traceback__.tb_frame
    if _is_runner(outermost):
        return True
    if task is None or not task.done() or task.cancelled():
        return False
    is_of_task = getattr(task.get_coro(), "cr_code", None) is outermost.f_code
    return task.exception() is error and is_of_task


def _is_runner(frame: FrameType) -> bool:
    """Say whether a frame is of a module that calls functions in threads or later."""
    module = f"{frame.f_globals.get('__name__')}."
    return any(module.startswith(f"{runner}.") for runner in _RUNNERS)
