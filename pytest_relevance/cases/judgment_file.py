"""How a case finds its judgments in a judgment file.

`query_keys` finds the keys under which the file has the query of the case. This module
returns the judgments under these keys, graded as the case says.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from pytest_relevance._problems import FileError
from pytest_relevance._text import examples
from pytest_relevance.cases.case_judgments import FileJudgments, GradingTerms
from pytest_relevance.cases.location import WRONG, Location, Wrong
from pytest_relevance.cases.query_keys import Lookup, QueryKeys
from pytest_relevance.judgments.grading import graded
from pytest_relevance.judgments.model import Judgments, Ratings


class JudgmentFile:
    """A judgment file, in which cases find their judgments.

    The ratings of the whole file become grades once, by the terms of the suite. For a
    case with its own scale or raters, the rows of its query are graded again. If a
    rating is not a grade by the terms of the suite, the rows of each case are graded
    apart, so that the mistake is reported for one case only.

    `used`: the keys of the queries that have cases; `find` adds to it.
    `fills`: whether the file is named with `fill: true`. Such a file counts only for
        documents without another judgment, and may have queries without a case.
    """

    def __init__(
        self,
        ratings: Ratings,
        terms: GradingTerms,
        used: set[str],
        *,
        fills: bool = False,
    ) -> None:
        self.name = ratings.file
        self.fills = fills
        self.ratings = ratings
        self.known: Judgments
        """The judgments by the terms of the suite.

        All are empty if a rating is not a grade by these terms.
        """
        self._terms: GradingTerms | None = terms
        self._used = used
        self._rows: dict[str, list[int]] = {}
        self._of_people: set[tuple[str, str]] | None = None
        try:
            self.known = _grade(ratings, terms)
        except FileError:
            ungraded: dict[str, dict[str, float]] = {key: {} for key in ratings.queries}
            self.known = Judgments(ungraded, queries=ratings.described)
            self._terms = None
        self._keys = QueryKeys(ratings.file, self.known, are_ids=ratings.by_id)

    def find(self, lookup: Lookup) -> list[FileJudgments] | Wrong:
        """Return the judgments of a query, one entry for each of its keys in the file.

        Reports a key that fits two queries, and ratings that are not grades.
        """
        keys = self._keys.find(lookup)
        if keys is WRONG:
            return WRONG
        self._used.update(keys)
        fit = self._keys.check_each_fits_once(keys, lookup)
        judgments: Judgments | Wrong = self.known
        if lookup.terms != self._terms:
            judgments = self._grade_again(keys, lookup.terms, lookup.at)
        if fit is WRONG or judgments is WRONG:
            return WRONG
        return [FileJudgments(judgments, key) for key in keys if key in judgments]

    def judged_names(self) -> Iterator[str]:
        """Yield the keys and the texts of the queries with a judgment."""
        for key, grades in self.known.items():
            if grades:
                yield key
                yield self.known.text(key)

    def texts_without_case(self, names: Collection[str]) -> Iterator[str]:
        """Yield the texts of judged queries without a case.

        A query is left out if `names` has its key or its text.
        """
        for key, grades in self.known.items():
            text = self.known.text(key)
            has_case = key in self._used or key in names or text in names
            if grades and not has_case:
                yield text

    def check_rest(self, terms: GradingTerms, at: Location) -> None:
        """Report ratings of queries without a case that are not grades."""
        if self._terms is None:  # some rating of the file is not a grade
            rest = [key for key in self.known if key not in self._used]
            self._grade_again(rest, terms, at)

    def is_of_people(self, query: str, document: str) -> bool:
        """Say whether a person, not a machine, judged a document in the file.

        In a file without a column `machine` all judgments are those of people. Then the
        answer is True for each document, and nothing is looked up.

        `query`: the text of the query.
        """
        machine = self.ratings.machine
        if machine is None:
            return True
        if self._of_people is None:
            self._of_people = set()
            rows = zip(
                self.ratings.queries, self.ratings.documents, machine, strict=True
            )
            for key, judged, by_machine in rows:
                if not by_machine:
                    self._of_people.add((self.known.text(key), judged))
        return (query, document) in self._of_people

    def notices(self, not_drawn: Collection[str] = ()) -> Iterator[str]:
        """Yield notices about possible mistakes in the file.

        Notices name rows that were left out, queries with another text than their case,
        and queries without a case. A worklist may have queries of other suites, so its
        queries without a case are named only if none of its queries has a case.

        `not_drawn`: the ids and texts of queries that have no case because they are not
            drawn.
        """
        for notice in self.ratings.notices:
            yield f"{self.name}: {notice}"
        yield from self._keys.notices()
        without_case = []
        for key in self.known:
            names = (key, self.known.text(key))
            if key not in self._used and not any(name in not_drawn for name in names):
                without_case.append(key)
        is_shared = self.ratings.is_worklist and bool(self._used)
        if without_case and not is_shared:
            have = "has" if len(without_case) == 1 else "have"
            count = f"{len(without_case):,} of {len(self.known):,} queries"
            yield (
                f"{self.name}: {count} {have} no case: {examples(without_case)}"
                f"{self._how_to_make_cases()}"
            )

    def _how_to_make_cases(self) -> str:
        """Return how to make cases of the queries, if the file is a golden set; else
        "".
        """
        if not self.ratings.is_golden_set:
            return ""
        return '; to make a case of each, name the file under "queries"'

    def _grade_again(
        self, keys: Sequence[str], terms: GradingTerms, at: Location
    ) -> Judgments | Wrong:
        """Return judgments of some queries, graded by other terms, or report mistakes.

        `keys` are the keys of the queries in the file.
        """
        if not self._rows:
            for row, query in enumerate(self.ratings.queries):
                self._rows.setdefault(query, []).append(row)
        rows: list[int] = []
        for key in keys:
            rows.extend(self._rows[key])
        try:
            return _grade(self.ratings.take(rows), terms)
        except FileError as error:
            return at.refuse_file(error)


def _grade(ratings: Ratings, terms: GradingTerms) -> Judgments:
    return graded(ratings, terms.scale, terms.raters, words_need_scale=True)
