"""The passages of judgment files that have quotes in the place of documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pytest_relevance._text import listed, quoted
from pytest_relevance.cases.case_judgments import CaseJudgments, FileJudgments
from pytest_relevance.cases.expectation import Passage
from pytest_relevance.cases.location import Location, Wrong
from pytest_relevance.cases.passages import why_alike, wrong_quote
from pytest_relevance.judgments.model import CONTEXTS, IDS


def with_passages(
    judgments: CaseJudgments, parts: Sequence[FileJudgments], at: Location
) -> CaseJudgments | Wrong:
    """Return the judgments of a query with its passages, if its files have quotes.

    `judgments`: what `parts` judge together.
    `parts`: the judgments of one query in one or several files.

    Reports quotes that a case could not have, and files with ids beside files with
    quotes.
    """
    parts = [part for part in parts if part.grades]
    for part in parts:
        if part.judgments.documents_are == IDS:
            files = listed([part.judgments.file for part in parts], "and")
            return at.refuse(
                f"{files} judge documents and passages for one query; take the query out of "
                "one of them"
            )
    holders: dict[str, FileJudgments] = {}
    for part in parts:
        for quote in part.grades:
            holders.setdefault(quote, part)
    passages: list[Passage] = []
    result: Wrong | None = None
    for quote, part in holders.items():
        is_context = part.judgments.documents_are == CONTEXTS
        passage = Passage((quote,), judgments.grades[quote], is_context=is_context)
        message = _why_wrong_passage(passage, passages)
        if message is None:
            passages.append(passage)
        else:
            where = f"query {quoted(part.key, 40)}"
            result = at.refuse_at(f"{where}: {message}", part.place(quote))
    return replace(judgments, passages=tuple(passages)) if result is None else result


def _why_wrong_passage(passage: Passage, others: Sequence[Passage]) -> str | None:
    """Return what is wrong with a passage of a file; None if nothing is.

    `others`: the passages of the case so far. None of them may contain the passage or
        be a part of it: a text with the longer one would hold both, so its result would
        get both grades. Contexts are not compared.
    """
    message = wrong_quote(passage.name)
    if message is None and passage.grade <= 0:
        message = f"the grade of a passage is above 0, found {passage.grade:g}; take the row out"
    if message is not None or passage.is_context:
        return message
    for other in others:
        if other.is_context:
            continue
        message = why_alike(other, passage)
        if message is not None:
            return message
    return None


def check_together(
    of_case: CaseJudgments, of_suite: CaseJudgments, files: str, at: Location
) -> Wrong | None:
    """Report a mistake if judgments of a case and of the suite's files do not fit.

    They do not if one has passages and the other documents, or if a passage of one
    contains another passage of the other. The same passage may be in both, and contexts
    are not compared.

    `files`: the names of the files of the suite.

    Return `WRONG` if a mistake was reported, else None.
    """
    if of_case.are_documents and of_suite.passages:
        return at.refuse(
            f"the case has judged documents, and {files} has passages for it; take one of "
            "them out"
        )
    if of_case.passages and of_suite.are_documents:
        message = f"{files} judges documents for the case; take one of them out"
        return at.refuse(message, "passages", at_key=True)
    for passage in of_case.passages:
        for other in of_suite.passages:
            if passage.name == other.name or passage.is_context or other.is_context:
                continue
            message_of_both = why_alike(other, passage)
            if message_of_both is not None:
                message = f"{files} has a passage for the case too: {message_of_both}"
                return at.refuse(message, "passages")
    return None
