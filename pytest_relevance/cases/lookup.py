"""Files of queries and of judgments: reading them, and how the cases of a suite find their judgments in them.

In each judgment file a case is looked for by its id; where the file does not know that, by the text of its query and by
the ids that files of queries give that text. The suite's files are the default; what the case has itself replaces it
document by document. A file is graded once, as a whole; where a case has its own scale or raters, its rows are graded
again.

Suites without files do not import this module, nor those that read files.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from pytest_relevance._text import did_you_mean, examples, listed, printable, quoted
from pytest_relevance.cases.checking.files import JUDGED, ONLY, NamedFile, why_no_file
from pytest_relevance.cases.checking.grades import (
    NO_JUDGMENTS,
    Found,
    Graded,
    GradingTerms,
    combined,
    united,
    with_relevant,
)
from pytest_relevance.cases.listed_queries import ListedQueries, ListedQuery
from pytest_relevance.cases.problems import Location
from pytest_relevance.judgments.grading import graded
from pytest_relevance.judgments.model import Judgments, Ratings
from pytest_relevance.judgments.problems import FileProblem, JudgmentFileError, Place
from pytest_relevance.judgments.reading import options_of, queries_in, read_ratings
from pytest_relevance.judgments.source import Source

_IDS_ALONE = frozenset({"trec"})
"""The formats whose judgments never have the text of a query."""

_MOST_NAMED = 3
_MOST_ADVISED = 3
_MOST_COMPARED = 5_000
"""How many cases without judgments get advice on close names, of how many names: 100,000 would take a second."""

Reader: TypeAlias = Callable[[Source, "str | None"], Any]
"""A function that reads the content of a file of a format."""


def _grading_terms(values: Mapping[str, object]) -> GradingTerms:
    """The grading terms among the checked values of a suite or a case."""
    return values.get("scale"), values.get("raters")  # type: ignore[return-value]


@dataclass(frozen=True, slots=True)
class Wanted:
    """The query whose judgments are looked for: the id of its case where one is written, its text, and listed ids."""

    id: str | None
    text: str
    ids: Sequence[str] = ()

    @property
    def names(self) -> list[str]:
        """All names of the query, each once."""
        written = () if self.id is None else (self.id,)
        return list(dict.fromkeys((*written, self.text, *self.ids)))


class JudgmentFile:
    """A judgment file: its judgments under the terms of the suite, and which of its queries have cases.

    Some ratings may be no grades under those terms. Then only the cases they belong to are wrong, and may be right
    with terms of their own: the rows of each case are graded by themselves.
    """

    def __init__(self, ratings: Ratings, terms: GradingTerms) -> None:
        self.name = ratings.file
        self.ratings = ratings
        self.used = set[str]()
        self._terms = terms
        self._other_texts: dict[str, str] = {}
        self._rows: dict[str, list[int]] = {}
        self._whole: Judgments | None = None
        try:
            self._whole = self.known = graded(ratings, *terms, words_need_scale=True)
        except JudgmentFileError:
            self.known = Judgments({key: {} for key in ratings.queries}, queries=ratings.described)

    def find(self, wanted: Wanted, terms: GradingTerms, at: Location) -> Found:
        """The judgments of a query; reports a name that may be that of two queries, and ratings that are no grades."""
        known, name = self.known, wanted.id
        # an id of the case is no name of a query here where it is the text of another one
        is_other = self.ratings.by_id is False and name != wanted.text and wanted.text in known
        if name is not None and (name in known or name in known.queries) and not is_other:
            keys = self._by_id(name, wanted.text, at)
        else:
            keys = self._by_text(wanted, at)
        self.used.update(keys)
        judgments = self._graded(keys, terms, at) if keys else None
        return [(judgments, key) for key in keys if key in judgments] if judgments is not None else []

    def has(self, wanted: Wanted) -> bool:
        """Whether the file names a query, with judgments or without."""
        return any(name in self.known.queries for name in wanted.names) or bool(self.known.known_as(wanted.text))

    def check_rest(self, at: Location) -> None:
        """Report ratings that are no grades of queries without a case."""
        if self._whole is None:
            self._graded([key for key in self.known if key not in self.used], self._terms, at)

    def notices(self) -> list[str]:
        """What may be a mistake in the file: what was left out in reading, other texts, queries without a case."""
        notices = [f"{self.name}: {notice}" for notice in self.ratings.notices]
        notices += [
            f"{self.name}: the query {quoted(key, 40)} is {quoted(self.known.text(key), 40)} there and "
            f"{quoted(text, 40)} in its case; its judgments are used all the same: is it the same query?"
            for key, text in list(self._other_texts.items())[:_MOST_NAMED]
        ]
        without_case = [key for key in self.known if key not in self.used]
        if without_case:
            have = "has" if len(without_case) == 1 else "have"
            amount = f"{len(without_case):,} of {len(self.known):,} queries {have} no case"
            notices.append(f"{self.name}: {amount}: {examples(without_case)}")
        return notices

    def _by_id(self, name: str, text: str, at: Location) -> list[str]:
        """The keys under the id of a case, and under its text where the file has ratings with and without ids."""
        known = self.known
        there = known.text(name)
        if there not in (name, text) and _loosely(there) != _loosely(text):
            others = [key for key in self._texts(text, has_id=True) if key != name]
            if others:
                at.refuse(
                    f"{self.name} has the query {quoted(text)} under {quoted(others[0])}, and under the id "
                    f"{quoted(name)} of the case the query {quoted(there)}; give the case the id of its own query"
                )
                return []
            self._other_texts[name] = text
        by_text_too = text != name and text in known and known.text(text) == text and there == text
        return [key for key in ((name, text) if by_text_too else (name,)) if key in known]

    def _by_text(self, wanted: Wanted, at: Location) -> list[str]:
        """The keys under the text of a case, and under the ids that files of queries give it."""
        texts = self._texts(wanted.text, has_id=wanted.id is not None)
        keys = [key for key in dict.fromkeys([*texts, *wanted.ids]) if key in self.known]
        ids = [key for key in keys if key != wanted.text]
        if len(ids) > 1 and wanted.id is None:
            names = listed(map(quoted, ids[:_MOST_NAMED]), "and")
            at.refuse(f"{self.name} has the query {quoted(wanted.text)} under {names}; give the case one of them as id")
            return []
        return keys

    def _texts(self, text: str, *, has_id: bool) -> list[str]:
        """The keys of the queries with a text. Where a case has an id and the file has ids alone, there are none."""
        no_text = self.known.text(text) != text  # it is the id of another query
        if text not in self.known.queries:
            no_text = has_id and bool(self.ratings.by_id)
        return [key for key in self.known.known_as(text) if not (no_text and key == text)]

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
        except JudgmentFileError as error:
            _refuse_file(error, at)
            return None


class Sources:
    """The files that a suite and its cases name: the queries they list and the judgments they have.

    Paths are relative to `file`, the case file. Messages name a file by the path that leads there from where `shown`,
    the name of the case file in messages, does. `contents` keeps what was read, so that each file is read once, however
    often it is named and the case file is read. `unknown` is True while something is wrong with the files of the suite,
    so that no case knows its judgments.
    """

    def __init__(self, file: str, shown: str, suite: Mapping[str, object], contents: dict[Any, Any]) -> None:
        self.queries = ListedQueries()
        self.unknown = False
        self._folder = os.path.dirname(file)
        self._shown_folder = os.path.dirname(shown)
        self._contents = contents
        self._terms = _grading_terms(suite)
        self._opened: dict[NamedFile, JudgmentFile] = {}
        self._of_suite: Sequence[JudgmentFile] = ()
        self._rest_unknown = False
        self._misses = 0

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of the files that were asked for, in that order."""
        return tuple(dict.fromkeys(self._path(named) for _, named in self._contents))

    def open(self, suite: Mapping[str, object], at: Location) -> None:
        """Read the files that the checked keys of the suite name, and report what is wrong with them."""
        queries: Sequence[NamedFile] = suite.get("queries", ())  # type: ignore[assignment]
        for named in queries:
            here = at.under("queries")
            if named.only_judged and "judgments" not in suite:
                here.refuse(_NONE_IS_JUDGED, *named.at[:-1], ONLY)
                self.unknown = True
                continue
            found = self._read(queries_in, named, here)
            self.unknown |= found is None
            self.queries.add(found or (), self._shown(named), at, only_judged=named.only_judged)
        judgments: Sequence[NamedFile] = suite.get("judgments", ())  # type: ignore[assignment]
        self._of_suite = self._open(judgments, self._terms, at.under("judgments"))
        self.unknown |= len(self._of_suite) < len(judgments)

    def of_case(self, own: Mapping[str, object], at: Location) -> Graded:
        """The judgments of a case by its checked keys.

        Reports ratings that are no grades or contradict each other, and a case that is not in the files where it should
        be.
        """
        name: str | None = own.get("id")  # type: ignore[assignment]
        text = str(own["query"])
        wanted = Wanted(name, text, self.queries.ids(text))
        terms = _grading_terms(at.values)
        written = own.get("judgments")
        of_case = written if isinstance(written, Graded) else None
        if isinstance(written, tuple):
            here = at.under("judgments")
            files = self._open(written, terms, here)
            of_case = self._found(files, wanted, terms, here)
            if of_case is None and not at.mistakes:
                self._refuse_missing(files, wanted, here)
        of_case = with_relevant(of_case, own, at)
        of_suite = None if at.mistakes else self._found(self._of_suite, wanted, terms, at)
        if of_suite is None and written is None and of_case is None and self._of_suite and not at.mistakes:
            self._refuse_missing(self._of_suite, wanted, at)
        return combined(of_case, of_suite)

    def of_listed(self, query: ListedQuery, at: Location) -> Graded:
        """The judgments of a listed query in the files of the suite; `NO_JUDGMENTS` where these have none."""
        wanted = Wanted(query.query.id, query.text, self.queries.ids(query.text))
        return self._found(self._of_suite, wanted, self._terms, at) or NO_JUDGMENTS

    def check_any_judged(self, queries: Sequence[ListedQuery], at: Location) -> None:
        """Report listed queries without a written case, none of which has judgments.

        Where the files judge a listed query that has a written case, they belong together, and nothing is wrong.
        """
        ignored = Location(at.values)
        written, _ = self.queries.split()
        if any(self.of_listed(query, ignored).grades for query in written) or ignored.mistakes:
            return
        files, first = self._of_suite, queries[0]
        name = quoted(first.query.id, 40) + (f" ({quoted(first.text, 40)})" if first.text != first.query.id else "")
        which = "the only query has no" if len(queries) == 1 else f"none of the {len(queries):,} queries has"
        others = next((quoted(key, 40) for file in files for key in file.known), None)
        there = f"judges {others}" if others is not None else "judges nothing"
        advice = "the files do not belong together: name the judgments of these queries"
        if first.query.id == first.text and all(file.ratings.format in _IDS_ALONE for file in files):
            advice = "judgments in that format have ids alone: list the queries with their ids"
        close = _close_name(files, Wanted(first.query.id, first.text))
        what = f"{which} judgments in {_names_of(files)}, which {there}; the first query is {name}{close}"
        at.refuse(f"{what}; {advice}", "judgments")

    def skip(self, own: Mapping[str, object]) -> None:
        """Note that the judgments of a case were not looked for, because something else is wrong with it."""
        self._rest_unknown |= "scale" in own or "raters" in own

    def check_rest(self, at: Location) -> None:
        """Report ratings that are no grades and belong to no case, once all cases have found their judgments."""
        for file in self._opened.values() if not self._rest_unknown else ():
            file.check_rest(at)

    def notices(self) -> tuple[str, ...]:
        """What may be a mistake in the files."""
        return tuple(notice for file in self._opened.values() for notice in file.notices())

    def _path(self, named: NamedFile) -> str:
        return os.path.join(self._folder, named.name)

    def _shown(self, named: NamedFile) -> str:
        return printable(os.path.normpath(os.path.join(self._shown_folder, named.name)))

    def _read(self, read: Reader, named: NamedFile, at: Location) -> Any:
        """The content of a file, which is read once; None where there are mistakes, which are reported."""
        key = read, named.source
        if key not in self._contents:
            self._contents[key] = self._content(read, named)
        content = self._contents[key]
        if isinstance(content, str):
            return at.refuse(content, *named.at)
        if isinstance(content, JudgmentFileError):
            return _refuse_file(content, at.under(*named.at))
        return content

    def _content(self, read: Reader, named: NamedFile) -> Any:
        """The content of a file, or what is wrong with it: a message, or the error of reading it."""
        path, shown = self._path(named), self._shown(named)
        if why := why_no_file(named.name, self._folder, shown):
            return why
        try:
            return read(Source.read(path, shown, options_of(named.query, named.grade_column)), named.format)
        except JudgmentFileError as error:
            return error

    def _open(self, named: Sequence[NamedFile], terms: GradingTerms, at: Location) -> list[JudgmentFile]:
        """Read judgment files; those with mistakes are left out."""
        opened = []
        for one in named:
            ratings = self._read(read_ratings, one, at)
            if ratings is None:
                continue
            _, raters = terms
            if ratings.unclear is not None and raters is None:
                _refuse_file(JudgmentFileError(ratings.file, [ratings.unclear]), at.under(*one.at))
                continue
            if one.source not in self._opened:
                self._opened[one.source] = JudgmentFile(ratings, self._terms)
            opened.append(self._opened[one.source])
        return opened

    def _found(self, files: Sequence[JudgmentFile], wanted: Wanted, terms: GradingTerms, at: Location) -> Graded | None:
        """The judgments of a query in some files; None where there are none."""
        found = [one for file in files for one in file.find(wanted, terms, at)]
        return united(found, terms, at) if found else None

    def _refuse_missing(self, files: Sequence[JudgmentFile], wanted: Wanted, at: Location) -> None:
        """Report that files have no judgments of a case, and how it was looked for."""
        advice = "a case that needs none says so with judgments: {}"
        naming = [file.name for file in files if file.has(wanted)]
        if naming:
            at.refuse(f"no judgments: {naming[0]} names the query and judges no document of it; {advice}")
            return
        count = sum(len(file.known) for file in files)
        where = _names_of(files)
        what = f"none of the {count:,} queries in {where} is" if count > 1 else f"the only query in {where} is not"
        if wanted.id is None and all(file.ratings.format in _IDS_ALONE for file in files):
            advice = f"they have ids alone: give the case its id, or name a file with the texts, queries: ...; {advice}"
        self._misses += 1
        close = _close_name(files, wanted) if self._misses <= _MOST_ADVISED else ""
        at.refuse(f"no judgments: {what} {listed(map(quoted, wanted.names))}{close}; {advice}")


_NONE_IS_JUDGED = (
    f"the suite names no judgments, so that no query is {JUDGED}; name their file (judgments: FILE), or take {ONLY} out"
)


def _loosely(text: str) -> str:
    """A text without case and spaces, which make no other query of it."""
    return " ".join(text.split()).casefold()


def _names_of(files: Sequence[JudgmentFile]) -> str:
    return listed([file.name for file in files], "and")


def _close_name(files: Sequence[JudgmentFile], wanted: Wanted) -> str:
    """Advice on a name in the files that is close to one of the query."""
    names = list(dict.fromkeys(name for file in files for key in file.known for name in (key, file.known.text(key))))
    for name in wanted.names:
        begin = name[:2].casefold() if len(names) > _MOST_COMPARED else ""
        close = did_you_mean(name, [other for other in names if other.casefold().startswith(begin)][:_MOST_COMPARED])
        if close:
            return close
    return ""


def _refuse_file(error: JudgmentFileError, at: Location) -> Any:
    """Report what is wrong with a file at its position there, or where the file is named. Returns None."""
    for problem in error.problems:
        if problem.line is None and problem.path is None:
            at.refuse(problem.render(error.file))
        else:
            at.refuse(problem.message, elsewhere=partial(_position, error.file, problem))


def _position(file: str, problem: FileProblem) -> tuple[str, Place]:
    return file, Place(problem.line, problem.path)
