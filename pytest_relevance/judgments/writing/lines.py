"""Formats of lines: TREC qrels, and judgment lists for learning to rank (LTR, SVMrank)."""

from __future__ import annotations

from pytest_relevance.judgments.model import Judgments
from pytest_relevance.judgments.writing.cells import NumberTexts, cleaned, number_text
from pytest_relevance.judgments.writing.keys import queries_of, text_of
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


def ltr(judgments: Judgments) -> Text:
    """A judgment list: headers with the texts and weights of the queries, then `grade qid:N # document title`."""
    texts = NumberTexts()
    head = [f"# qid:{query.id}: {text_of(query)}*{number_text(query.weight)}\n" for query in queries_of(judgments)]
    rows = [
        (f"{texts[grade]}\tqid:{query}\t# {document}", judgments.titles.get(query, {}).get(document, ""))
        for query, documents in judgments.items()
        for document, grade in documents.items()
    ]
    titles, said = cleaned((title for _, title in rows), _in_words, "LTR")
    lines = (f"{row}\t{title}\n" if title else f"{row}\n" for (row, _), title in zip(rows, titles, strict=True))
    return "".join([*head, "\n", *lines]), said


def _in_words(title: str) -> str:
    return " ".join(title.replace("\0", " ").split())
