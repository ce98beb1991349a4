"""The expectations on fields of results: `every`, `some`, `none`, `at_most`."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pytest_relevance.cases.expect import Made
from pytest_relevance.cases.expectation import Expectation, FieldCondition
from pytest_relevance.cases.field_conditions import (
    CONDITIONS_SCHEMA,
    check_condition,
    check_conditions,
)
from pytest_relevance.cases.location import WRONG, Location, Wrong
from pytest_relevance.cases.scalars import with_type
from pytest_relevance.cases.schema_parts import NULL, WHOLE, either, mapping_of
from pytest_relevance.cases.values import LARGEST_WHOLE, check_whole
from pytest_relevance.expectations.conditions import (
    NearValue,
    conditions_text,
    imply,
    near_values,
    value_text,
)
from pytest_relevance.expectations.fields_before import (
    are_known,
    fields_as_badly,
    none_as_badly,
    some_as_badly,
)
from pytest_relevance.expectations.kind import DocumentNames, ExpectationKind
from pytest_relevance.results.case_parts import Outcome
from pytest_relevance.results.document_fields import (
    AT_MOST_OF_VALUE,
    brief_value,
    meets_condition,
    scalars_in,
)
from pytest_relevance.results.outcomes import Found, outcome_of
from pytest_relevance.results.records.accepted_outcomes import TwoOutcomes
from pytest_relevance.results.records.two_expectations import TwoExpectations
from pytest_relevance.results.responses.ranking import Ranking
from pytest_relevance.results.unseen import USUAL_DEPTH

_RANK = "[1-9][0-9]{0,6}"

_MOST_RESULTS = 10
"""How many results a sentence names."""

_WrongFields = Mapping[int, Sequence[str]]
"""The fields that are wrong in a result, by the index of the result."""


class _KindOfFields(ExpectationKind):
    """A kind of expectation on fields of the top results: `every@5: {brand: Acme}`.

    Without `@5` it looks at the top k of the case.
    """

    schema = either(NULL, CONDITIONS_SCHEMA)
    takes_rank = True

    example: ClassVar[str] = "category: phones"
    """How messages show a field and what it has to be."""

    def check(self, key: str, value: object, at: Location) -> Made:
        """Return an expectation with a condition for each field, or report mistakes."""
        kind, _, rank = key.partition("@")
        example = f"{kind}@5: {{{self.example}}}"
        within = int(rank) if re.fullmatch(_RANK, rank) else None
        if "@" in key and (within is None or within > LARGEST_WHOLE):
            return at.refuse(
                f"{kind} takes a rank from 1 to {LARGEST_WHOLE:,} after @; write {example}",
                at_key=True,
            )
        made = check_conditions(value, self.check_condition, example=example, at=at)
        if made is WRONG:
            return WRONG
        expected = Expectation(kind=kind, written=key, within=within, conditions=made)
        return [expected]

    def check_condition(
        self, path: str, written: object, at: Location
    ) -> FieldCondition | Wrong:
        """Return the condition on one field, or report a mistake."""
        return check_condition(path, written, at)

    def cutoff(self, expected: Expectation) -> int:
        return expected.within or 0

    @abstractmethod
    def find_wrong(self, expected: Expectation, found: Found) -> _WrongFields:
        """Return {index, from 0, of a wrong top result: its wrong fields}."""

    def judge(self, expected: Expectation, found: Found) -> Outcome:
        """Return whether the top results meet the conditions, and which do not.

        An empty ranking meets them only if the case expects no results.
        """
        wrong = self.find_wrong(expected, found)
        within = expected.within or found.k
        ranking = found.ranking[:within]
        values = []
        for index, paths in wrong.items():
            shown = {path: brief_value(found.fields[path][index]) for path in paths}
            values.append((index + 1, shown))
        return outcome_of(
            expected,
            not wrong and (bool(ranking) or found.finds_nothing),
            within=within,
            wrong=[ranking[index] for index in wrong],
            values=values,
        )

    def open_rank(self, expected: Expectation, k: int, ranking: Ranking) -> int:
        """Return the depth if fewer results were returned; else 0.

        A further result could miss the conditions.
        """
        depth = expected.within or k
        return depth if depth > len(ranking.ids) else 0

    def open_rank_without_k(
        self, expected: Expectation, k: int, ranking: Ranking
    ) -> int:
        """Return the depth if it is deeper than searches usually return; else 0."""
        depth = expected.within or k
        return depth if depth > USUAL_DEPTH else 0

    def missed_as_badly(self, both: TwoOutcomes) -> bool:
        return fields_as_badly(both)

    def is_comparable(self, both: TwoOutcomes) -> bool:
        return are_known(both)


def _missed_fields(expected: Expectation, found: Found) -> Mapping[int, Sequence[str]]:
    """Return {index, from 0, of a top result: its fields that miss their condition}.

    A result that meets all conditions is there too, with [].
    """
    missed: dict[int, list[str]] = {}
    for index in range(len(found.ranking[: expected.within or found.k])):
        missed[index] = []
        for condition in expected.conditions:
            value = found.fields[condition.path][index]
            if not meets_condition(condition, value):
                missed[index].append(condition.path)
    return missed


def _explain(
    reason: Outcome,
    names: DocumentNames,
    *,
    which: str,
    are: str,
    near: Sequence[NearValue] = (),
) -> str:
    """Return a sentence that says what is wrong with the top results.

    `which`, `are`: the words before and after "the first 5 results".
    `near`: values that are nearly right. They are named first, once for all results.
    """
    looked_at = min(reason.within or 0, len(names.result.ranking.documents))
    if not looked_at:
        return f"{reason.name}: nothing was returned"
    texts = []
    ranks_of_near: set[int] = set()
    for value in near:
        texts.append(value.describe(len(reason.wrong)))
        ranks_of_near.update(value.ranks)
    for document, (rank, values) in zip(reason.wrong, reason.values, strict=False):
        if rank not in ranks_of_near:
            fields = [f"{path} = {value_text(one)}" for path, one in values.items()]
            texts.append(f"rank {rank} {names.document(document)}: {', '.join(fields)}")
    left = len(texts) - _MOST_RESULTS
    if left > 0:
        texts[_MOST_RESULTS:] = [f"and {left} more"]
    said = f"{which} the first {looked_at} results {are}"
    return f"{reason.name}: {said}: {'; '.join(texts)}"


class _Every(_KindOfFields):
    """`every@5: {category: phones}`: each of the first 5 results meets all of these."""

    name = "every"
    about = "Fields that each of the top k results has, {category: phones}; every@5: of the first 5."

    def find_wrong(self, expected: Expectation, found: Found) -> _WrongFields:
        missed = _missed_fields(expected, found)
        return {index: paths for index, paths in missed.items() if paths}

    def explain(self, reason: Outcome, names: DocumentNames) -> str:
        """Return a sentence that names the results that miss a condition.

        `every: 1 of the first 5 results does not have category "phones": rank 3
        "sku-1": category = "cases"`
        """
        do = "does" if len(reason.wrong) == 1 else "do"
        return _explain(
            reason,
            names,
            which=f"{len(reason.wrong)} of",
            are=f"{do} not have {conditions_text(reason)}",
            near=near_values(reason),
        )

    def implies(self, both: TwoExpectations) -> bool:
        if both.depth_now < both.depth_before:
            return False
        return imply(both.now.conditions, both.before.conditions, of_all=True)


class _Some(_KindOfFields):
    """`some@5: {category: phones}`: one of the first 5 results meets all conditions."""

    name = "some"
    about = "Fields that at least one of the top k results has; some@5: of the first 5."

    def find_wrong(self, expected: Expectation, found: Found) -> _WrongFields:
        missed = _missed_fields(expected, found)
        return missed if all(missed.values()) else {}

    def open_rank(self, expected: Expectation, k: int, ranking: Ranking) -> int:
        return 0  # one more result can only help

    def open_rank_without_k(
        self, expected: Expectation, k: int, ranking: Ranking
    ) -> int:
        return 0

    def explain(self, reason: Outcome, names: DocumentNames) -> str:
        return _explain(
            reason,
            names,
            which="none of",
            are=f"has {conditions_text(reason)}",
            near=near_values(reason),
        )

    def missed_as_badly(self, both: TwoOutcomes) -> bool:
        return some_as_badly(both)

    def implies(self, both: TwoExpectations) -> bool:
        """Say whether the conditions are as strict, and the depth is the same.

        A result without the field is an error. With less depth it may not be seen.
        """
        if both.depth_now != both.depth_before:
            return False
        return imply(both.now.conditions, both.before.conditions)


class _None(_KindOfFields):
    """`none@5: {category: phones}`: no result of the first 5 meets all conditions."""

    name = "none"
    about = "Fields that none of the top k results has; none@5: of the first 5."

    def find_wrong(self, expected: Expectation, found: Found) -> _WrongFields:
        all_paths = [condition.path for condition in expected.conditions]
        missed = _missed_fields(expected, found)
        return {index: all_paths for index, paths in missed.items() if not paths}

    def explain(self, reason: Outcome, names: DocumentNames) -> str:
        have = "has" if len(reason.wrong) == 1 else "have"
        return _explain(
            reason,
            names,
            which=f"{len(reason.wrong)} of",
            are=f"{have} {conditions_text(reason)}",
        )

    def missed_as_badly(self, both: TwoOutcomes) -> bool:
        return none_as_badly(both)

    def implies(self, both: TwoExpectations) -> bool:
        """Say whether each result that was forbidden is forbidden now.

        The fields have to be the same, since a result without one of them is an error.
        """
        if both.depth_now < both.depth_before:
            return False
        paths_now = {condition.path for condition in both.now.conditions}
        if paths_now != {condition.path for condition in both.before.conditions}:
            return False
        return imply(both.before.conditions, both.now.conditions)


class _AtMost(_KindOfFields):
    """`at_most@5: {brand: 2}`: no brand is in more than 2 of the first 5 results."""

    name = "at_most"
    about = "In how many of the top k results a value of a field may be, {brand: 2}; at_most@5: of the first 5."
    schema = either(NULL, mapping_of(WHOLE))
    example = "brand: 2"

    def check_condition(
        self, path: str, written: object, at: Location
    ) -> FieldCondition | Wrong:
        most = check_whole(written, at)
        if most is WRONG:
            return WRONG
        return FieldCondition(path, AT_MOST_OF_VALUE, (most,))

    def find_wrong(self, expected: Expectation, found: Found) -> _WrongFields:
        """Return the results with a value that too many of the top results have."""
        count = len(found.ranking[: expected.within or found.k])
        wrong: dict[int, list[str]] = {}
        for condition in expected.conditions:
            values_of_results = []
            for value in found.fields.get(condition.path, ())[:count]:
                values_of_results.append(set(map(with_type, scalars_in(value))))
            counts: Counter[tuple[bool, Any]] = Counter()
            for values in values_of_results:
                counts.update(values)
            (most,) = condition.values
            for index, values in enumerate(values_of_results):
                if any(counts[value] > most for value in values):  # type: ignore[operator]
                    wrong.setdefault(index, []).append(condition.path)
        return dict(sorted(wrong.items()))

    def explain(self, reason: Outcome, names: DocumentNames) -> str:
        return _explain(reason, names, which="of", are=conditions_text(reason))

    def implies(self, both: TwoExpectations) -> bool:
        """Say whether each earlier field still has a bound, which is no higher.

        The depth has to be the same or deeper.
        """
        if both.depth_now < both.depth_before:
            return False
        most = {one.path: one.values[0] for one in both.now.conditions}
        for condition in both.before.conditions:
            path = condition.path
            if path not in most or most[path] > condition.values[0]:  # type: ignore[operator]
                return False
        return True


EVERY = _Every()
SOME = _Some()
NONE = _None()
AT_MOST = _AtMost()
