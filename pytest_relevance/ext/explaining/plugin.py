"""Declare the hook `pytest_relevance_explain`, and call it in failing cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_relevance.cases.model import Case
    from pytest_relevance.plugin.running.case_run import CaseRun
    from pytest_relevance.results.case_parts import DocumentTexts
    from pytest_relevance.results.case_result import CaseResult


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Register the hook `pytest_relevance_explain`."""
    pluginmanager.add_hookspecs(HookSpecs)


class HookSpecs:
    """The specification of the hook.

    It is in a class, because pytest would take a function of this module for an
    implementation.
    """

    @staticmethod
    @pytest.hookspec(firstresult=True)
    def pytest_relevance_explain(
        case: Case, document: str, rank: int | None, response: object
    ) -> str | None:
        """Return an explanation why a document has its rank, or was not returned.

        For example, return the explanation of the engine. Return None to leave the
        document to the next implementation. The hook is called in a case that fails,
        for at most ten documents: those that rank too high, and those that left the top
        k since the baseline. `-v` shows the text, and a record keeps it. An exception
        changes no verdict.

        `rank`: from 1; None if the document was not returned.
        `response`: the return value of the search. If it was awaitable, it has been
            awaited.
        """


def pytest_relevance_texts(
    case_run: CaseRun, result: CaseResult
) -> DocumentTexts | None:
    """Return explanations for documents of a case.

    None if the project does not implement the hook `pytest_relevance_explain`.
    """
    if not case_run.item.config.hook.pytest_relevance_explain.get_hookimpls():
        return None
    from pytest_relevance.ext.explaining.asking import explanations_of

    return explanations_of(case_run, result)
