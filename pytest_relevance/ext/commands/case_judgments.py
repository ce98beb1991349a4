"""Convert a case file to judgments, and say what judgments have no place for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import yaml

from pytest_relevance._problems import Place
from pytest_relevance._text import counted
from pytest_relevance.cases.expectation import Passage
from pytest_relevance.cases.keys import CASES
from pytest_relevance.cases.model import Case, Suite
from pytest_relevance.ext.commands.case_file import CASE_FILE
from pytest_relevance.judgments.model import CONTEXTS, IDS, QUOTES, Judgments, Query


def judgments_of(suite: Suite) -> Judgments:
    """Return the judgments of all cases of a suite: {id of the case: grades}.

    Grades from files with `fill: true` are left out, because nothing would distinguish
    them from grades of people.
    """
    grades: dict[str, dict[str, float]] = {}
    titles = {}
    queries = {}
    for case in suite.cases:
        of_people = case.grades_of_people
        if of_people:
            grades[case.id] = dict(of_people)
        if case.titles:
            titles[case.id] = case.titles
        queries[case.id] = Query(
            id=case.id,
            text=case.query,
            weight=case.weight,
            params=case.params,
            note=case.note,
            line=case.line,
        )

    def place(query: str, document: str) -> Place:
        return Place(line=queries[query].line or 0)

    return Judgments(
        grades,
        file=suite.path,
        format=CASE_FILE,
        queries=queries,
        titles=titles,
        place=place,
        documents_are=_documents_of(suite),
    )


def _documents_of(suite: Suite) -> str:
    """Return what is judged in the cases of a suite.

    `IDS` if no case has passages, `CONTEXTS` if all passages are whole contexts, else
    `QUOTES`.
    """
    passages: list[Passage] = []
    for case in suite.cases:
        passages += case.passages
    if not passages:
        return IDS
    are_contexts = all(passage.is_context for passage in passages)
    return CONTEXTS if are_contexts else QUOTES


def losses_of(suite: Suite, data: bytes) -> Iterator[str]:
    """Yield a sentence for each kind of content that `judgments_of` leaves out.

    `data`: the bytes of the case file.
    """
    for what, count in _without_place(suite.cases).items():
        if count:
            cases = counted(count, "case")
            yield f"the {what} of {cases}, for which judgments have no place"
    lists = _count_lists_of_ratings(data)
    if lists:
        documents = counted(lists, "document")
        how = suite.terms.raters
        yield f"the ratings of {documents}; the grade that they make ({how}) is taken"


def _without_place(cases: Sequence[Case]) -> dict[str, int]:
    """Return {content: number of cases} for content that judgments cannot store."""
    has_forms = [any(map(_is_more_than_a_quote, case.passages)) for case in cases]
    return {
        "floor": sum(case.min_ndcg is not None for case in cases),
        "expectation": sum(bool(case.expect) for case in cases),
        "tag": sum(bool(case.tags) for case in cases),
        "xfail": sum(case.xfail is not None for case in cases),
        "skip": sum(bool(case.skip) for case in cases),
        "usefixtures": sum(bool(case.usefixtures) for case in cases),
        "notes on documents": sum(bool(case.notes) for case in cases),
        "passages in several forms or with conditions": sum(has_forms),
        "grades that fill": sum(bool(case.filled) for case in cases),
    }


def _is_more_than_a_quote(passage: Passage) -> bool:
    """Say whether a passage has several forms, or conditions on fields."""
    return len(passage.quotes) > 1 or bool(passage.conditions)


def _count_lists_of_ratings(data: bytes) -> int:
    """Return for how many documents a case file has a list of ratings, not a grade."""
    loader: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # as in `yaml`
    count = 0
    for case in yaml.load(data, loader).get(CASES, ()):
        judgments = case.get("judgments")
        if not isinstance(judgments, dict):
            continue
        for written in judgments.values():
            grade = written.get("grade") if isinstance(written, dict) else written
            if isinstance(grade, list):
                count += 1
    return count
