"""The drafts of the cases of a file, which wait until the grades of all its judgments
are known.
"""

from __future__ import annotations

from dataclasses import dataclass

from pytest_relevance.cases.build import CaseDraft
from pytest_relevance.cases.location import Location, Subject
from pytest_relevance.cases.model import Case, Terms
from pytest_relevance.cases.reachable import check_reachable, has_floor
from pytest_relevance.cases.suite_floors import SuiteFloors
from pytest_relevance.cases.yaml import NodePosition


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A draft, and where its floors stand if they may be out of reach."""

    draft: CaseDraft
    floors_at: Location | None


class Drafts:
    """Keeps drafts in their order, and makes the cases of them in the end."""

    def __init__(self) -> None:
        self._waiting: list[_Waiting] = []
        self._grades: set[float] = set()

    @property
    def grades(self) -> list[float]:
        """The distinct grades of all drafts so far, sorted."""
        return sorted(self._grades)

    def add(self, draft: CaseDraft, at: Location) -> None:
        """Keep a draft. `at` is where its case stands."""
        self._grades.update(draft.graded.distinct)
        floors_at = None
        if has_floor(draft.min_ndcg, draft.expect, draft.terms):
            floors_at = _without_judgments(at)
        self._waiting.append(_Waiting(draft, floors_at))

    def build(self, floors: SuiteFloors) -> list[Case]:
        """Make the cases. Reports floors out of reach, and counts each case for
        `floors`.
        """
        grades = self.grades
        # Cases that share terms, as most do, share those with the range of grades too.
        ranged: dict[int, Terms] = {}
        cases = []
        for waiting in self._waiting:
            draft = waiting.draft
            if id(draft.terms) not in ranged:
                ranged[id(draft.terms)] = draft.terms.with_grade_range(grades)
            case = draft.build(ranged[id(draft.terms)])
            if waiting.floors_at is not None:
                check_reachable(case, waiting.floors_at)
            floors.count(case, draft.own)
            cases.append(case)
        return cases


def _without_judgments(at: Location) -> Location:
    """Make a location that does not keep the nodes of judgments, which would take much
    memory.
    """
    position = at.subject.position
    if isinstance(position, NodePosition):
        position = position.without("judgments")
    return Location(Subject(at.subject.problems, position=position))
