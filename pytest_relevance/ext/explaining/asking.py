"""Call the hook `pytest_relevance_explain` for documents of a failing case."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_relevance._text import quoted, shown
from pytest_relevance.plugin import exceptions
from pytest_relevance.plugin.exceptions import error_text
from pytest_relevance.plugin.redaction import redaction
from pytest_relevance.plugin.run_store import run_store
from pytest_relevance.plugin.running.awaiting import close_unawaited
from pytest_relevance.plugin.running.case_run import CaseRun
from pytest_relevance.reports.ranking_table import unwanted_documents
from pytest_relevance.results.breakdown import break_down
from pytest_relevance.results.case_parts import DocumentTexts
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.changes import Change

__tracebackhide__ = True  # pytest leaves the frames of this module out of tracebacks

_HOOK = "pytest_relevance_explain"

_MOST_EXPLAINED = 5
"""How many documents of each kind are asked for: those that rank too high, and those
that left the top k.
"""


def explanations_of(case_run: CaseRun, result: CaseResult) -> DocumentTexts:
    """Return what the hook says about documents of a failing case.

    If the hook raises an exception, or returns neither text nor None, the run warns,
    and the hook is not called for the remaining documents of the case.
    """
    explanations: dict[str, str] = {}
    hide = redaction(case_run.item.config).text
    for document in _documents_to_explain(result):
        try:
            text = case_run.item.ihook.pytest_relevance_explain(
                case=case_run.case,
                document=document,
                rank=result.ranking.rank_of(document),
                response=case_run.attempt.searched.answer,
            )
            close_unawaited(text)
            problem = ""
            if not (text is None or isinstance(text, str)):
                problem = f"returned {shown(text)}, and returns text or None"
        except exceptions.ENDING:
            raise
        except BaseException as error:
            problem = f"raised {error_text(error, case_run.item.config)}"
        if problem:
            where = f"query {quoted(result.query, 40)}, document {quoted(document, 40)}"
            problem = f"the hook {_HOOK} {hide(problem)} ({where}); the verdict stays"
            run_store(case_run.item.config).unsent.warn(_HOOK, problem)
            break
        explanation = (text or "").strip()
        if explanation:
            explanations[document] = hide(explanation)
    return DocumentTexts(explanations=explanations)


def _documents_to_explain(result: CaseResult) -> Iterable[str]:
    """Return the documents to explain, each once.

    They rank too high, or have left the top k since the baseline.
    """
    documents = dict.fromkeys(_too_high(result)[:_MOST_EXPLAINED])
    moves = Change.since_baseline(result).moves
    # in a case with passages, the moves are those of quotes
    if moves is not None and not result.evaluation.passages:
        for move in moves.left[:_MOST_EXPLAINED]:
            documents[move.document] = None
    return documents


def _too_high(result: CaseResult) -> list[str]:
    """Return the unwanted documents, then the documents that rank too high, each once.

    [] if the ids of the results seem to be other ids than those of the judgments.
    """
    if result.ids_seem_mismatched:
        return []
    unwanted = unwanted_documents(result)
    documents = [each for each in result.ranking.documents if each in unwanted]
    is_judged = result.evaluation.judgments and not result.evaluation.passages
    if is_judged and result.score is not None:
        for row in break_down(result).too_high:
            if row.document is not None:
                documents.append(row.document)
    return list(dict.fromkeys(documents))
