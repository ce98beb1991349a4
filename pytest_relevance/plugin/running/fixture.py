"""The `relevance` fixture: the scoring and report of a case file, from a test written in Python."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from pytest_relevance._text import shown
from pytest_relevance.cases.build import case_from_values
from pytest_relevance.plugin import reporting
from pytest_relevance.plugin.running.calling import is_waiting
from pytest_relevance.plugin.running.case_run import CHECKS, RAISED
from pytest_relevance.plugin.running.lost_checks import is_runner
from pytest_relevance.plugin.running.run_case import check
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.rankings.ranking import id_text

_NOT_HERE = {
    "search": "the ranking is given here; call your search in the test",
    "params": "the ranking is given here; call your search with them in the test",
    "usefixtures": "request the fixtures in the test",
    "tags": "mark the test",
    "xfail": "mark the test with pytest.mark.xfail",
    "skip": "mark the test with pytest.mark.skip",
}
"""Keys of a case that a test written in Python has its own means for."""


class Relevance:
    """Scores rankings as a case file would; the value of the fixture `relevance`."""

    def __init__(self, item: pytest.Item) -> None:
        self._item = item
        item.stash[CHECKS] = []  # those of an earlier attempt do not count
        item.stash[RAISED] = []
        reporting.install(item.config)

    def check(self, query: str, ranking: object, judgments: Mapping[Any, Any] | None = None, **keys: Any) -> CaseResult:
        """Score a ranking, and fail the test where a floor or an expectation is not met.

        `ranking` is anything that a search may return; `judgments` maps documents to grades; `keys` are those of a case
        in a case file (`min_ndcg=0.85`, `k=5`, `expect={"P@5": 0.6}` ...). Returns what was found: `.score` is nDCG@k.
        In another thread a check that fails, and whose exception is lost there, fails the test too.

        Raises ValueError for a key or value that a case file would refuse.
        """
        __tracebackhide__ = True
        caller = sys._getframe(1)
        place = caller.f_code.co_filename, caller.f_lineno
        if is_runner(caller):  # `pool.submit(relevance.check, ...)`
            place = str(self._item.path), (self._item.location[1] or 0) + 1
        try:
            return self._check(query, ranking, judgments, keys, place)
        except BaseException as error:
            self._item.stash[RAISED].append(error)
            raise

    def _check(
        self,
        query: str,
        ranking: object,
        judgments: Mapping[Any, Any] | None,
        keys: Mapping[str, Any],
        place: tuple[str, int],
    ) -> CaseResult:
        """Score a ranking at a place, a file and a line in it."""
        __tracebackhide__ = True
        for name, why in _NOT_HERE.items():
            if name in keys:
                raise ValueError(f"relevance.check takes no {name}: {why}")
        values = {"query": _plain(query), **{name: _plain(value) for name, value in keys.items()}}
        if isinstance(values.get("expect"), dict):
            values["expect"] = {name: _documents_as_text(name, value) for name, value in values["expect"].items()}
        if judgments is not None:
            values["judgments"] = _with_text_ids(judgments) if hasattr(judgments, "items") else judgments
        try:
            case = case_from_values(values)
        except ValueError as error:
            raise ValueError(f"relevance.check: {error}") from None
        if is_waiting(ranking):
            if inspect.iscoroutine(ranking):
                ranking.close()  # it warns otherwise that nobody awaited it
            raise ValueError(f"relevance.check was given {shown(ranking)}; await the search in the test")
        path, line = place
        return check(self._item, replace(case, line=line), ranking, path)


def _documents_as_text(name: str, expected: Any) -> Any:
    """An expectation with its documents as text, where it is one of documents."""
    if name not in ("first", "include", "exclude", "order"):
        return expected
    if isinstance(expected, dict):
        return {**expected, "docs": _documents_as_text(name, expected.get("docs"))} if "docs" in expected else expected
    if isinstance(expected, (list, tuple)):
        return [document if (text := id_text(document)) is None else text for document in expected]
    return expected if (text := id_text(expected)) is None else text


def _with_text_ids(judgments: Mapping[Any, Any]) -> dict[Any, Any]:
    """Judgments with ids as text and plain grades, as a case file has them."""
    __tracebackhide__ = True
    found: dict[Any, Any] = {}
    for document, grade in judgments.items():
        name = id_text(document)
        if name is None:
            raise ValueError(
                f"relevance.check: judgments: a document id is text or a whole number, found {shown(document)}"
            )
        if name in found:
            raise ValueError(f"relevance.check: document {name!r} is judged twice, as text and as a number")
        found[name] = _plain(grade)
    return found


def _plain(value: Any) -> Any:
    """Numpy's scalars and arrays as Python's own, in lists and mappings too; text and numbers as just that.

    A subclass of one of them (an enumeration's member, say) does not travel to the controller of pytest-xdist.
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
