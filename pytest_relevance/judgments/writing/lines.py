"""Formats of lines: TREC qrels, and judgment lists for learning to rank (LTR, SVMrank)."""

from __future__ import annotations

from pytest_relevance.judgments.model import Judgments
from pytest_relevance.judgments.writing.cells import NumberTexts
from pytest_relevance.judgments.writing.tables import Text


def trec(judgments: Judgments) -> Text:
    """Qrels: `qid 0 docid grade`."""
    texts = NumberTexts()
    rows = [
        f"{query} 0 {document} {texts[grade]}\n"
        for query, documents in judgments.items()
        for document, grade in documents.items()
    ]
    return "".join(rows), []
