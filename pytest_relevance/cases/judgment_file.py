"""One file of judgments for the cases of a suite: which of its queries belong to a case, and their judgments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

from pytest_relevance._problems import FileError, Place, Problem
from pytest_relevance._text import examples, listed, quoted
from pytest_relevance.cases.checking.grades import Found, GradingTerms, group_of_name
from pytest_relevance.cases.problems import Location
from pytest_relevance.judgments.grading import graded
from pytest_relevance.judgments.model import Judgments, Ratings
from pytest_relevance.judgments.scale import Scale

_MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class Wanted:
    """The query whose judgments are looked for: the id of its case where one is written, its text, and listed ids."""

    id: str | None
    text: str
    ids: Sequence[str] = ()

    @property
    def called(self) -> str:
        """Its name in messages: its id, or its text if it has no id."""
        return quoted(next((name for name in (self.id, *self.ids) if name is not None), self.text))

    @property
    def names(self) -> list[str]:
        """All names of the query, each once."""
        return list(dict.fromkeys(name for name in (self.id, self.text, *self.ids) if name is not None))


class JudgmentFile:
    """A judgment file: its judgments under the terms of the suite, and which of its queries have cases.

    It is graded once, as a whole; where a case has its own scale or raters, its rows are graded again. Some ratings may
    be no grades under the terms of the suite. Then only the cases they belong to are wrong, and may be right with terms
    of their own: the rows of each case are graded by themselves.
    """

    def __init__(self, ratings: Ratings, terms: GradingTerms) -> None:
        self.name = ratings.file
        self.ratings = ratings
        self.used = set[str]()
        self._terms = terms
        self._other_texts: dict[str, str] = {}
        self._fits: dict[str, dict[bool, Wanted]] = {}  # of a key: the first query that it is the id, or the text of
        self._rows: dict[str, list[int]] = {}
        self._whole: Judgments | None = None
        try:
            self._whole = self.known = graded(ratings, *terms, words_need_scale=True)
        except FileError:
            self.known = Judgments({key: {} for key in ratings.queries}, queries=ratings.described)

    def find(self, wanted: Wanted, terms: GradingTerms, at: Location) -> Found:
        """The judgments of a query; reports a name that fits two queries, and ratings that are no grades."""
        keys = [key for key in self._names(wanted, at) if key in self.known]
        self.used.update(keys)
        for key in keys:
            self._check_one_query(key, wanted, at)
        judgments = self._graded(keys, terms, at) if keys else None
        return [(judgments, key) for key in keys if key in judgments] if judgments is not None else []

    def has(self, wanted: Wanted) -> bool:
        """Whether the file names a query, with judgments or without."""
        return any(name in self.known.queries for name in wanted.names) or bool(self.known.known_as(wanted.text))

    def check_rest(self, at: Location) -> None:
        """Report ratings that are no grades of queries without a case."""
        if self._whole is None:
            self._graded([key for key in self.known if key not in self.used], self._terms, at)

    def notices(self) -> Iterable[str]:
        """What may be a mistake in the file: what was left out in reading, other texts, queries without a case."""
        yield from (f"{self.name}: {notice}" for notice in self.ratings.notices)
        for key, text in islice(self._other_texts.items(), _MOST_NAMED):
            texts = f"{quoted(self.known.text(key), 40)} there and {quoted(text, 40)} in its case"
            yield f"{self.name}: the query {quoted(key, 40)} is {texts}; is it the same query?"
        if without_case := [key for key in self.known if key not in self.used]:
            have = "has" if len(without_case) == 1 else "have"
            amount = f"{len(without_case):,} of {len(self.known):,} queries {have} no case"
            yield f"{self.name}: {amount}: {examples(without_case)}"

    def _names(self, wanted: Wanted, at: Location) -> Sequence[str]:
        """The names of a case: its id and text, or else ids with its text, and ids that files of queries give it."""
        known, name, text = self.known, wanted.id, wanted.text
        # an id of the case is no name of a query here where it is the text of another one
        is_other = self.ratings.by_id is False and name != text and text in known
        if name is not None and (name in known or name in known.queries) and not is_other:
            if not self._is_text_of(name, text, at):
                return ()
            # rows without an id belong to the query of their text
            return (name, text) if name != text == known.text(name) == known.text(text) else (name,)
        keys = list(dict.fromkeys([*self._texts(text, has_id=name is not None), *wanted.ids]))
        ids = [key for key in keys if key != text and key in known]
        if len(ids) > 1 and name is None:
            names = listed(map(quoted, ids[:_MOST_NAMED]), "and")
            at.refuse(f"{self.name} has the query {quoted(text)} under {names}; give the case one of them as id")
            return ()
        return keys

    def _is_text_of(self, name: str, text: str, at: Location) -> bool:
        """Whether the query of an id is the one of its case. Reports one that stands under another id."""
        there = self.known.text(name)
        if there in (name, text) or _loosely(there) == _loosely(text):
            return True
        others = [key for key in self._texts(text, has_id=True) if key != name]
        if others:
            at.refuse(
                f"{self.name} has the query {quoted(text)} under {quoted(others[0])}, and under the id {quoted(name)} "
                f"of the case the query {quoted(there)}; give the case the id of its own query"
            )
        self._other_texts[name] = text
        return not others

    def _texts(self, text: str, *, has_id: bool) -> list[str]:
        """The keys of the queries with a text. Where a case has an id and the file has ids alone, there are none."""
        is_id = self.known.text(text) != text  # of another query
        if text not in self.known.queries:
            is_id = has_id and bool(self.ratings.by_id)
        return [key for key in self.known.known_as(text) if not (is_id and key == text)]

    def _check_one_query(self, key: str, wanted: Wanted, at: Location) -> None:
        """Report an entry that fits one query by its id and another one by its text."""
        text = self.known.text(key)
        is_id, is_text = key in (wanted.id, *wanted.ids), text == wanted.text
        if is_id == is_text:
            return
        fits = self._fits.setdefault(key, {})
        other = fits.setdefault(is_text, wanted) and fits.get(not is_text)
        if other is not None:
            by_id, by_text = (other, wanted) if is_text else (wanted, other)
            at.refuse(
                f"{self.name}: the entry {quoted(key)} fits two queries: it is the id of {quoted(by_id.text)}, and the "
                f"text of {by_text.called} is {quoted(text)}; give {quoted(by_id.text)} another id"
            )

    def _graded(self, keys: Sequence[str], terms: GradingTerms, at: Location) -> Judgments | None:
        """The judgments of some queries, among others; None where ratings are no grades."""
        if self._whole is not None and terms == self._terms:
            return self._whole
        if not self._rows:
            for row, query in enumerate(self.ratings.queries):
                self._rows.setdefault(query, []).append(row)
        rows = [row for key in keys for row in self._rows[key]]
        try:
            return graded(self.ratings.take(rows), *terms, words_need_scale=True)
        except FileError as error:
            return refuse_file(error, at)  # type: ignore[no-any-return]


def _loosely(text: str) -> str:
    """A text folded to lower case and single spaces: texts that differ in nothing else are one query."""
    return " ".join(text.split()).casefold()


def refuse_file(error: FileError, at: Location) -> Any:
    """Report what is wrong with a file at its position there, or where the file is named. Returns None."""
    for problem in error.problems:
        if not (problem.line or problem.path):
            at.refuse(problem.render(error.file))
            continue
        scale: Scale | None = at.values.get("scale")  # type: ignore[assignment]
        group = None if problem.name is None else group_of_name(problem.name, scale, error.file)
        for _ in range(problem.judgments):
            at.refuse(problem.message, elsewhere=partial(_position, error.file, problem), group=group)


def _position(file: str, problem: Problem) -> tuple[str, Place]:
    return file, Place(problem.line, problem.path)
