"""How a case finds its judgments in a judgment file.

A case is searched by its id. If the file does not have the id, the case is searched by
the text of its query, and by the ids that files of queries give this text.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from pytest_relevance._problems import FileError
from pytest_relevance._text import examples, listed, quoted
from pytest_relevance.cases.case_judgments import FileJudgments, GradingTerms
from pytest_relevance.cases.location import WRONG, Location, Wrong
from pytest_relevance.judgments.grading import graded
from pytest_relevance.judgments.model import Judgments, Ratings

MOST_NAMED = 3
"""How many ids and queries a message names."""


@dataclass(frozen=True, slots=True)
class Lookup:
    """A query whose judgments are searched.

    `id`: the id that the case writes; None if it writes none.
    `text`: the text of the query.
    `ids`: the ids that files of queries give this text.
    `terms`: how ratings become grades for this query.
    `at`: where mistakes are reported.
    """

    id: str | None
    text: str
    ids: Sequence[str]
    terms: GradingTerms
    at: Location

    @property
    def names(self) -> list[str]:
        """Return the id, the text and the other ids of the query, each once."""
        names = [self.text, *self.ids]
        if self.id is not None:
            names.insert(0, self.id)
        return list(dict.fromkeys(names))


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
        self._other_texts: dict[str, str] = {}
        """The texts of cases whose ids have other texts in the file, by id."""
        self._text_by_id: dict[str, str] = {}
        """For each key, the text of a query that has the key as id."""
        self._name_by_text: dict[str, str] = {}
        """For each key, the name of a query that has the text of the key."""
        self._rows: dict[str, list[int]] = {}
        self._of_people: set[tuple[str, str]] | None = None
        try:
            self.known = _grade(ratings, terms)
        except FileError:
            ungraded: dict[str, dict[str, float]] = {key: {} for key in ratings.queries}
            self.known = Judgments(ungraded, queries=ratings.described)
            self._terms = None

    def find(self, lookup: Lookup) -> list[FileJudgments] | Wrong:
        """Return the judgments of a query, one entry for each of its keys in the file.

        Reports a key that fits two queries, and ratings that are not grades.
        """
        names = self._names(lookup)
        if names is WRONG:
            return WRONG
        keys = [name for name in names if name in self.known]
        self._used.update(keys)
        is_wrong = False
        for key in keys:
            if self._check_one_query(key, lookup) is WRONG:
                is_wrong = True
        judgments: Judgments | Wrong = self.known
        if lookup.terms != self._terms:
            judgments = self._grade_again(keys, lookup.terms, lookup.at)
        if is_wrong or judgments is WRONG:
            return WRONG
        return [FileJudgments(judgments, key) for key in keys if key in judgments]

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

        These are rows that were left out, queries with another text than their case,
        and queries without a case. A worklist may have queries of other suites, so it
        is wrong only if none of its queries has a case.

        `not_drawn`: the ids and texts of queries that have no case because they are not
            drawn.
        """
        for notice in self.ratings.notices:
            yield f"{self.name}: {notice}"
        for key, text in islice(self._other_texts.items(), MOST_NAMED):
            there = quoted(self.known.text(key), 40)
            yield (
                f"{self.name}: the query {quoted(key, 40)} has the text {there} "
                f"there, and {quoted(text, 40)} in its case; are the two one query?"
            )
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
        """Return advice if the file is a golden set: its queries are to be cases."""
        if not self.ratings.is_golden_set:
            return ""
        return '; to make a case of each, name the file under "queries"'

    def _names(self, lookup: Lookup) -> Sequence[str] | Wrong:
        """Return the keys that a query may have in the file, or report a mistake.

        If the file has the id of the case, the id is the key, and for rows without an
        id also the text of the query. Otherwise the keys are the text and all ids of
        the text.
        """
        name = lookup.id
        text = lookup.text
        if name is not None and self._has_id(name, text):
            if self._check_text_of(name, text, lookup.at) is WRONG:
                return WRONG
            is_same_text = self.known.text(name) == text == self.known.text(text)
            if name != text and is_same_text:
                # rows without an id stand under the text of their query
                return (name, text)
            return (name,)
        found = [*self._keys_of_text(text, has_id=name is not None), *lookup.ids]
        keys = list(dict.fromkeys(found))
        ids = [key for key in keys if key != text and key in self.known]
        if len(ids) > 1 and name is None:
            these = listed(map(quoted, ids[:MOST_NAMED]), "and")
            return lookup.at.refuse(
                f"{self.name} has the query {quoted(text)} under {these}; give the case one "
                "of them as id"
            )
        return keys

    def _has_id(self, name: str, text: str) -> bool:
        """Say whether the id of a case is the id of a query in the file.

        In a file without ids, it may also be the text of another query.
        """
        if name not in self.known and name not in self.known.queries:
            return False
        is_text_of_other = (
            self.ratings.by_id is False and name != text and text in self.known
        )
        return not is_text_of_other

    def _check_text_of(self, name: str, text: str, at: Location) -> Wrong | None:
        """Report a case if the file has its query under another id.

        If the id of the case has another text in the file, this text is also kept for a
        notice.
        """
        there = self.known.text(name)
        if there in (name, text):
            return None
        self._other_texts[name] = text
        for other in self._keys_of_text(text, has_id=True):
            if other != name:
                return at.refuse(
                    f"{self.name} has the query {quoted(text)} under the id "
                    f"{quoted(other)}. The id of the case, {quoted(name)}, stands "
                    f"there for the query {quoted(there)}. Give the case the id "
                    f"{quoted(other)}"
                )
        return None

    def _keys_of_text(self, text: str, *, has_id: bool) -> list[str]:
        """Return the keys under which the file has the queries with a text.

        The text itself is one of the keys, unless it is the id of another query.

        `has_id`: whether the case has an id.
        """
        if text in self.known.queries:
            is_id = self.known.text(text) != text
        else:
            is_id = has_id and bool(self.ratings.by_id)
        keys = []
        for key in self.known.known_as(text):
            if key != text or not is_id:
                keys.append(key)
        return keys

    def _check_one_query(self, key: str, lookup: Lookup) -> Wrong | None:
        """Report a key of the file that fits two cases: one by its id, one by its text.

        Each call notes how the key fits the case of `lookup`. The call for the second
        of the two cases reports both.
        """
        text = self.known.text(key)
        fits_by_id = key == lookup.id or key in lookup.ids
        fits_by_text = text == lookup.text
        if fits_by_id and not fits_by_text:
            self._text_by_id[key] = lookup.text
        elif fits_by_text and not fits_by_id:
            self._name_by_text[key] = lookup.names[0]
        else:
            return None
        text_by_id = self._text_by_id.get(key)
        name_by_text = self._name_by_text.get(key)
        if text_by_id is None or name_by_text is None:
            return None
        return lookup.at.refuse(
            f"{self.name}: the entry {quoted(key)} fits two queries: it is the id of "
            f"{quoted(text_by_id)}, and the text of {quoted(name_by_text)} is "
            f"{quoted(text)}; give {quoted(text_by_id)} another id"
        )

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
