"""Call the project's fixture `relevance_fingerprint` and its hook `pytest_relevance_explain`.

The fixture is requested once in each process that runs cases.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import pytest

from pytest_relevance._text import quoted, shown
from pytest_relevance.plugin.failures import error_text
from pytest_relevance.plugin.options import redaction
from pytest_relevance.plugin.pytest_internals import requested
from pytest_relevance.plugin.run_store import run_store
from pytest_relevance.plugin.running import calling
from pytest_relevance.plugin.running.case_run import CaseRun
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.records.run_info import checked

FIXTURE = "relevance_fingerprint"


def request_fingerprint(item: pytest.Item) -> None:
    """Store what the fixture returns, if the project has one that the item sees; warn if it cannot be used.

    Call it when the fixtures of the item are set up. No exception of the fixture ends the run.
    """
    store = run_store(item.config)
    try:
        found = requested(item, FIXTURE)
        if found is None:
            return
        value = found[0]
        if inspect.iscoroutine(value):  # an async fixture that no plugin sets up
            value, _ = calling.wait_on_own_loop(item.config, value, 0.0)
    except (Exception, pytest.fail.Exception, pytest.skip.Exception) as error:
        why = f"it raised {error_text(error, item.config)}"
    else:
        try:
            store.set_fingerprint(redaction(item.config).values(checked(value)))
            return
        except ValueError as error:
            why = str(error)
    store.set_fingerprint({})
    why = redaction(item.config).text(why)
    store.warn(FIXTURE, f"the fixture {FIXTURE} cannot be used, and the run goes on without it: {why}")


HOOK = "pytest_relevance_explain"

MOST_ASKED = 5
"""How many documents that rank too high are asked for, and how many that left the top k."""


def explains(item: pytest.Item) -> bool:
    """Whether anything implements the hook."""
    return bool(item.config.hook.pytest_relevance_explain.get_hookimpls())


def explanations(this: CaseRun, result: CaseResult) -> dict[str, str]:
    """Ask the hook about documents of a failing case; return its explanations by document.

    An exception, or a value other than text and None, is a warning of the run; the hook is not asked about the other
    documents of the case.
    """
    found: dict[str, str] = {}
    hide = redaction(this.item.config).text
    for document in dict.fromkeys(_asked_for(result)):
        problem = ""
        try:
            text = this.item.ihook.pytest_relevance_explain(
                case=this.case, document=document, rank=result.ranking.rank_of(document), response=this.attempt.answer
            )
        except (Exception, pytest.fail.Exception, pytest.skip.Exception) as error:
            problem = f"raised {error_text(error, this.item.config)}"
        else:
            calling.close_unawaited(text)
            if text is not None and not isinstance(text, str):
                problem = f"returned {shown(text)}, and returns text or None"
        if problem:
            run_store(this.item.config).warn(HOOK, _message(hide(problem), result, document))
            break
        if text is not None and (text := text.strip()):
            found[document] = hide(text)
    return found


def _message(problem: str, result: CaseResult, document: str) -> str:
    where = f"query {quoted(result.query, 40)}, document {quoted(document, 40)}"
    return f"the hook {HOOK} {problem} ({where}); the verdict stays"


def _asked_for(result: CaseResult) -> Iterator[str]:
    """Give the documents to explain: unwanted ones, others that rank too high, and those that left the top k."""
    from pytest_relevance.reports.breakdown import break_down
    from pytest_relevance.reports.ranking import unwanted_documents
    from pytest_relevance.results.rank_changes import baseline_changes

    if not result.is_unjudged:
        unwanted = unwanted_documents(result)
        too_high = [document for document in result.ranking.documents if document in unwanted]
        if result.evaluation.judgments and result.score is not None:
            too_high += [row.document for row in break_down(result).too_high if row.document is not None]
        yield from [*dict.fromkeys(too_high)][:MOST_ASKED]
    if changes := baseline_changes(result):
        yield from [move.document for move in changes.left[:MOST_ASKED]]
