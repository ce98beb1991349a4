"""Files of queries and of judgments: reading them, and how the cases of a suite find their judgments in them.

The suite's files are the default; the judgments of a case itself replace them document by document. A case is looked
for in a judgment file by its id; where the file does not have that id, by the text of its query, and by the ids that
files of queries give that text.

Suites without files do not import this module, nor those that read files.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

from pytest_relevance._ids import FileIds, IdField, id_field_of
from pytest_relevance._problems import FileError, Place
from pytest_relevance._source import Source
from pytest_relevance._text import (
    counted,
    did_you_mean,
    examples,
    listed,
    printable,
    quoted,
)
from pytest_relevance.cases.checking import judgments as grades
from pytest_relevance.cases.checking import values as checks
from pytest_relevance.cases.checking.judgments import (
    NO_JUDGMENTS,
    Graded,
    GradingTerms,
    NamedFile,
)
from pytest_relevance.cases.contested import (
    FILLS,
    OWN,
    ContestedRow,
    contested_rows,
    notices_of,
)
from pytest_relevance.cases.problems import CaseProblems, Location, Scope
from pytest_relevance.cases.query_columns import check_columns, notice_of_columns
from pytest_relevance.judgments.grading import graded
from pytest_relevance.judgments.model import FORMATS_OF_IDS, Judgments, Query, Ratings
from pytest_relevance.judgments.reading import (
    QueryFile,
    ids_of,
    options_of,
    read_fill,
    read_query_file,
    read_ratings,
)

_MOST_ADVISED = 3
_MOST_COMPARED = 5_000
"""How many names, and cases with advice on a close name, are listed; how many names are compared for one case.

Comparing 100,000 names would take a second.
"""


class ListedQuery(NamedTuple):
    """A query in a file of queries, with the path of the file in messages.

    `only_judged`: the query becomes a case only where it has judgments.
    """

    query: Query
    file: str
    only_judged: bool = False

    @property
    def text(self) -> str:
        """The text, or the id in a file that has ids alone."""
        return self.query.text_or_id

    @property
    def where(self) -> str:
        """`file:line`, as far as it is known."""
        return (
            self.file if self.query.line is None else f"{self.file}:{self.query.line}"
        )

    def position(self) -> tuple[str, Place]:
        """The name of the file and the place in it."""
        return self.file, Place(line=self.query.line or 0)

    def defaults(self, at: Location) -> dict[str, object]:
        """The weight, note and params that the file gives the case; params are merged over those of the suite."""
        query = self.query
        found: dict[str, object] = {"weight": query.weight} if query.weight != 1 else {}
        if query.note is not None:
            found["note"] = query.note
        if query.params:
            found["params"] = checks.params(query.params, at.under("params"))
        return found


class ListedQueries:
    """The queries of all the files of a suite, in their order, each id once, and which of them have written cases."""

    def __init__(self) -> None:
        self.by_id: dict[str, ListedQuery] = {}
        self._ids: dict[str, list[str]] = {}
        self._written = set[str]()

    def add(
        self, queries: Iterable[Query], file: str, at: Location, *, only_judged: bool
    ) -> None:
        """Add the queries of a file; report ids that already have another text."""
        for query in queries:
            new = ListedQuery(query, file, only_judged)
            earlier = self.by_id.setdefault(query.id, new)
            if earlier is new:
                self._ids.setdefault(new.text, []).append(query.id)
            elif earlier.text != new.text:
                what = f"the query id {quoted(query.id)} stands for {quoted(earlier.text)} in {earlier.where}"
                at.refuse(
                    f"{what} and for {quoted(new.text)} here; give one of them another id",
                    elsewhere=new.position,
                )
            elif differing := _differing(earlier.query, query):
                at.refuse(
                    f"the query id {quoted(query.id)} stands in {earlier.where} with another {differing}; keep one of "
                    "them, or give one of them another id",
                    elsewhere=new.position,
                )

    def ids(self, text: str) -> Sequence[str]:
        """The ids of the queries with a text."""
        return self._ids.get(text, ())

    def of_case(
        self, written_id: str | None, text: str | None, at: Location
    ) -> ListedQuery | None:
        """The listed query that a written case matches, by the id of the case, or by its text where it has no id.

        From then on `split` counts the query among the written ones. Reports an id that another query has.
        """
        ids = (
            self.ids(text or "")
            if written_id is None
            else [written_id] * (written_id in self.by_id)
        )
        self._written.update(ids)
        if not ids:
            return None
        found = self.by_id[ids[0]]
        if len(ids) > 1:
            these = listed(map(quoted, ids), "and")
            at.refuse(
                f"{quoted(found.text)} is the text of queries with the ids {these}; write the one meant",
                "query",
            )
        elif text is not None and found.text != text:
            what = f"the id {quoted(found.query.id)} is that of the query {quoted(found.text)} in {found.where}"
            at.refuse(f"{what}; write another id, or that query", "id")
        return found

    def split(self) -> tuple[list[ListedQuery], list[ListedQuery]]:
        """The queries that match a written case, and the others."""
        written = [
            found for found in self.by_id.values() if found.query.id in self._written
        ]
        return written, [
            found
            for found in self.by_id.values()
            if found.query.id not in self._written
        ]


def _differing(one: Query, other: Query) -> str:
    """What two descriptions of a query differ in: its weight, its note or its params; empty if they agree."""
    if one.weight != other.weight:
        return "weight"
    if one.note != other.note:
        return "note"
    return "params" if one.params != other.params else ""


class Wanted(NamedTuple):
    """The query whose judgments are looked for: the id written in its case, its text, its ids in files of queries."""

    id: str | None
    text: str
    ids: Sequence[str] = ()

    @property
    def names(self) -> list[str]:
        """All names of the query, each once."""
        return list(
            dict.fromkeys(
                name for name in (self.id, self.text, *self.ids) if name is not None
            )
        )


class JudgmentFile:
    """A judgment file: its judgments under the terms of the suite, and which of its queries have cases.

    It is graded once, as a whole; where a case has its own scale or raters, its rows are graded again. Some ratings may
    be no grades under the terms of the suite. Then only the cases they belong to are wrong, and may be right with terms
    of their own: the rows of each case are graded by themselves. `used` gets the keys of queries with cases. `fills`: its
    grades count only where there are no others; it may have queries without a case.
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
        self._used = used
        self._terms: GradingTerms | None = terms
        self._other_texts: dict[str, str] = {}
        # by key: the first query whose text it stands for (True), and the first whose id it is (False)
        self._fits: dict[str, dict[bool, Wanted]] = {}
        self._rows: dict[str, list[int]] = {}
        self._of_people: set[tuple[str, str]] | None = None
        try:
            self.known = graded(ratings, *terms, words_need_scale=True)
        except FileError:
            self.known = Judgments(
                {key: {} for key in ratings.queries}, queries=ratings.described
            )
            self._terms = None

    def find(self, wanted: Wanted, terms: GradingTerms, at: Location) -> grades.Found:
        """The judgments of a query; reports a name that fits two queries, and ratings that are no grades."""
        keys = [key for key in self._names(wanted, at) if key in self.known]
        self._used.update(keys)
        for key in keys:
            self._check_one_query(key, wanted, at)
        judgments = (
            self.known if terms == self._terms else self._graded_again(keys, terms, at)
        )
        return [(judgments, key) for key in keys if key in judgments]

    def check_rest(self, terms: GradingTerms, at: Location) -> None:
        """Report ratings that are no grades of queries without a case."""
        if self._terms is None:
            self._graded_again(
                [key for key in self.known if key not in self._used], terms, at
            )

    def is_of_people(self, query: str, document: str) -> bool:
        """Whether a person has judged a document of a query, which is given by its text, in this file."""
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

    def notices(self) -> Iterable[str]:
        """Possible mistakes: what was left out in reading, queries of another text than their case, or without one."""
        yield from (f"{self.name}: {notice}" for notice in self.ratings.notices)
        for key, text in islice(self._other_texts.items(), _MOST_ADVISED):
            texts = f"{quoted(self.known.text(key), 40)} there and {quoted(text, 40)} in its case"
            yield f"{self.name}: the query {quoted(key, 40)} is {texts}; is it the same query?"
        if without_case := [key for key in self.known if key not in self._used]:
            have = "has" if len(without_case) == 1 else "have"
            amount = (
                f"{len(without_case):,} of {len(self.known):,} queries {have} no case"
            )
            yield f"{self.name}: {amount}: {examples(without_case)}"

    def _names(self, wanted: Wanted, at: Location) -> Sequence[str]:
        """The keys to look a case up by: its id (and text); where the file lacks that id, all ids of its text."""
        known, name, text = self.known, wanted.id, wanted.text
        # where the id of the case is the text of another query in this file, it does not name one here
        is_other = self.ratings.by_id is False and name != text and text in known
        if (
            name is not None
            and (name in known or name in known.queries)
            and not is_other
        ):
            if not self._is_text_of(name, text, at):
                return ()
            # rows without an id belong to the query of their text
            return (
                (name, text)
                if name != text == known.text(name) == known.text(text)
                else (name,)
            )
        keys = list(
            dict.fromkeys([*self._texts(text, has_id=name is not None), *wanted.ids])
        )
        ids = [key for key in keys if key != text and key in known]
        if len(ids) > 1 and name is None:
            what = f"{self.name} has the query {quoted(text)} under {listed(map(quoted, ids[:_MOST_ADVISED]), 'and')}"
            at.refuse(f"{what}; give the case one of them as id")
            return ()
        return keys

    def _is_text_of(self, name: str, text: str, at: Location) -> bool:
        """Whether the query of an id is the one of its case. Reports one that stands under another id."""
        there = self.known.text(name)
        if there in (name, text):
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
        """The keys of the queries with a text, but not the text itself where it is the id of another query."""
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
                f"text of {quoted(by_text.names[0])} is {quoted(text)}; give {quoted(by_id.text)} another id"
            )

    def _graded_again(
        self, keys: Sequence[str], terms: GradingTerms, at: Location
    ) -> Judgments:
        """The judgments of some queries under other terms; none where their ratings are no grades."""
        if not self._rows:
            for row, query in enumerate(self.ratings.queries):
                self._rows.setdefault(query, []).append(row)
        rows = [row for key in keys for row in self._rows[key]]
        try:
            return graded(self.ratings.take(rows), *terms, words_need_scale=True)
        except FileError as error:
            return at.refuse_file(error) or Judgments()


_Files: TypeAlias = Sequence[JudgmentFile]
_Opened: TypeAlias = "tuple[NamedFile, IdField | None]"


class Sources:
    """The files that a suite and its cases name: the queries they list and the judgments they have.

    Paths are relative to the folder of `file`, the case file; in messages they begin with the folder of `shown`, the
    name of the case file there. `contents` keeps what was read, so that each file is read once, however often it is
    named, and however often the case file is read. `unknown` is True where something is wrong with the files of the
    suite, so that no case knows its judgments. `absent` are the files that fill and are not there.
    """

    def __init__(
        self,
        file: str,
        shown: str,
        suite: Mapping[str, object],
        contents: dict[Any, Any],
    ) -> None:
        self.queries = ListedQueries()
        self.unknown = False
        self.absent: dict[str, None] = {}
        self._folder = os.path.dirname(file)
        self._shown_folder = os.path.dirname(shown)
        self._contents = contents
        self._terms = _grading_terms(suite)
        self._template = _template_of(suite)
        self._opened: dict[_Opened, JudgmentFile] = {}
        self._used_of: dict[NamedFile, set[str]] = {}
        self._named_by_suite: Sequence[NamedFile] = ()
        self._of_suite: _Files = ()
        self._misses = 0
        self._notices: list[str] = []
        self._contested: list[ContestedRow] = []

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of the files that were asked for, in that order."""
        return tuple(
            dict.fromkeys(
                os.path.join(self._folder, named.name) for _, named, _ in self._contents
            )
        )

    def open(self, suite: Mapping[str, object], at: Location) -> None:
        """Read the files that the checked keys of the suite name, and report what is wrong with them."""
        queries: Sequence[NamedFile] = suite.get("queries", ())  # type: ignore[assignment]
        for named in queries:
            here = at.under("queries")
            if named.only_judged and "judgments" not in suite:
                what = f"the suite names no judgments, so that no query is {grades.JUDGED}; name their file"
                here.refuse(
                    f"{what} (judgments: FILE), or take {grades.ONLY} out",
                    *named.at[:-1],
                    grades.ONLY,
                )
                self.unknown = True
                continue
            found = self._read_queries(named, here)
            self.unknown |= found is None
            self.queries.add(
                found or (), self._shown(named), at, only_judged=named.only_judged
            )
        self._named_by_suite = suite.get("judgments", ())  # type: ignore[assignment]
        before = at.scope.mistakes
        self._of_suite = self._open(
            self._named_by_suite, self._terms, self._template, at.under("judgments")
        )
        self.unknown |= at.scope.mistakes > before

    def _read_queries(self, named: NamedFile, at: Location) -> Sequence[Query] | None:
        """The queries in a file; None where there are mistakes. Columns that nothing reads are mistakes or notices."""
        found: QueryFile | None = self._read(read_query_file, named, self._template, at)
        if found is None:
            return None
        file = self._shown(named)
        mistakes = check_columns(file, found.unread)
        if mistakes is not None:
            at.under(*named.at).refuse_file(mistakes)
            return None
        notice = notice_of_columns(file, found.unread)
        if notice is not None:
            self._notices.append(notice)
        return found.queries

    def of_case(self, own: Mapping[str, object], at: Location) -> Graded:
        """The judgments of a case by its checked keys.

        Reports ratings that are no grades or contradict each other, and a case that is not in the files where it should
        be.
        """
        text = str(own["query"])
        wanted = Wanted(own.get("id"), text, self.queries.ids(text))  # type: ignore[arg-type]
        terms = _grading_terms(at.scope.values)
        template = _template_of(at.scope.values)
        written = own.get("judgments")
        of_case = written if isinstance(written, Graded) else None
        files: _Files = ()
        if of_case is None and isinstance(written, tuple):
            here = at.under("judgments")
            files = self._open(written, terms, template, here)
            of_case = self._needed(files, wanted, terms, here)
        of_case = grades.with_relevant(of_case, own, at)
        if at.scope.mistakes:
            return of_case or NO_JUDGMENTS
        look_up = (
            self._found if written is not None or of_case is not None else self._needed
        )
        files_of_suite = self._of_suite
        if template != self._template:  # an id_field of the case's own
            here = at.under("judgments")
            files_of_suite = self._open(self._named_by_suite, terms, template, here)
        of_suite = look_up(files_of_suite, wanted, terms, at)
        people = grades.combined(of_case, of_suite)
        has_both = of_case is not None and of_suite is not None
        if has_both and of_case.differs_from(of_suite):
            self._note_contested(of_case, files_of_suite, wanted, terms, at)
        return self._filled(people, [*files, *files_of_suite], wanted, terms, at)

    def _note_contested(
        self,
        own: Graded,
        files: _Files,
        wanted: Wanted,
        terms: GradingTerms,
        at: Location,
    ) -> None:
        """Keep the rows of the files of the suite that contest a judgment of a case's own, for a notice."""
        ignored = Location(Scope(at.scope.values, CaseProblems()))
        for file in files:
            if not file.fills:
                found = file.find(wanted, terms, ignored)
                self._contested += contested_rows(own.grades, found, OWN)

    def of_listed(self, query: ListedQuery, at: Location) -> Graded:
        """The judgments of a listed query in the files of the suite; `NO_JUDGMENTS` where these have none."""
        wanted = Wanted(query.query.id, query.text, self.queries.ids(query.text))
        people = self._found(self._of_suite, wanted, self._terms, at) or NO_JUDGMENTS
        return self._filled(people, self._of_suite, wanted, self._terms, at)

    def check_any_judged(self, queries: Sequence[ListedQuery], at: Location) -> None:
        """Report listed queries without a written case, none of which has judgments.

        Where the files judge a listed query that has a written case, they belong together, and nothing is wrong.
        """
        ignored = Location(Scope(at.scope.values, CaseProblems()))
        written, _ = self.queries.split()
        if (
            any(self.of_listed(query, ignored).grades for query in written)
            or ignored.scope.mistakes
        ):
            return
        names = listed(
            [
                quoted(name, 40)
                for name in dict.fromkeys((queries[0].query.id, queries[0].text))
            ],
            "or",
        )
        others = next(
            (quoted(key, 40) for file in self._of_suite for key in file.known),
            "nothing",
        )
        at.refuse(
            f"none of the listed queries ({len(queries):,}) is judged in {_names_of(self._of_suite)}: the first is "
            f"{names}, and the first that is judged there {others}; do the files belong together? Name the judgments "
            "of these queries, or list the ids of queries where judgments have ids alone",
            "judgments",
        )

    def check_rest(self, at: Location) -> None:
        """Report ratings that are no grades and belong to no case, once all cases have found their judgments."""
        for file in self._first_opened():
            if not file.fills:  # it may have queries of other suites
                file.check_rest(self._terms, at)

    def notices(self) -> tuple[str, ...]:
        """What may be a mistake in the files."""
        found = [*self._notices, *notices_of(self._contested)]
        for file in self._first_opened():
            if not file.fills:
                found.extend(file.notices())
        return tuple(found)

    def _first_opened(self) -> list[JudgmentFile]:
        """Give each file as it was opened first; a case may have opened it again, by an `id_field` of its own."""
        first: dict[NamedFile, JudgmentFile] = {}
        for (named, _), file in self._opened.items():
            first.setdefault(named, file)
        return [*first.values()]

    def _shown(self, named: NamedFile) -> str:
        return printable(os.path.normpath(os.path.join(self._shown_folder, named.name)))

    def _read(
        self,
        read: Callable[..., Any],
        named: NamedFile,
        template: IdField | None,
        at: Location,
    ) -> Any:
        """The content of a file, which is read once; None where there are mistakes, which are reported.

        `template` is the `id_field` of the suite, or of the case, if it is one.
        """
        key = (read, named.content, template)
        if key not in self._contents:
            path, shown = os.path.join(self._folder, named.name), self._shown(named)
            if named.fill and (
                not os.path.exists(path)
                or (os.path.isfile(path) and not os.path.getsize(path))
            ):
                if not os.path.exists(path):
                    self.absent[shown] = None
                return None
            if why := grades.why_no_file(named.name, self._folder, shown):
                # a document stands in the place of a file where its grade, or the blank before it, is missing: sku-5:3
                is_path = not {".", "/"}.isdisjoint(named.name) or os.path.exists(path)
                advice = f"; a document is written with its grade, {{{printable(named.name)}: 1}}, or under relevant"
                return at.refuse(
                    why + advice * (read is read_ratings and not is_path), *named.at
                )
            try:
                ids = FileIds(ids_of(named.id_field).of_file, template)
                options = options_of(named.query, named.grade_column)
                source = Source.read(path, shown, options, ids)
                content = read(source, named.format)
            except FileError as error:
                content = error
            self._contents[key] = content
        content = self._contents[key]
        return (
            at.under(*named.at).refuse_file(content)
            if isinstance(content, FileError)
            else content
        )

    def _open(
        self,
        named: Sequence[NamedFile],
        terms: GradingTerms,
        template: IdField | None,
        at: Location,
    ) -> list[JudgmentFile]:
        """Read judgment files; those with mistakes are left out."""
        opened = []
        for one in named:
            read = read_fill if one.fill else read_ratings
            ratings = self._read(read, one, template, at)
            if ratings is None:
                continue
            if ratings.unclear is not None and terms[1] is None:
                at.under(*one.at).refuse_file(
                    FileError(ratings.file, [ratings.unclear])
                )
                continue
            key = (one.content, template)
            if key not in self._opened:
                used = self._used_of.setdefault(one.content, set())
                self._opened[key] = JudgmentFile(
                    ratings, self._terms, used, fills=one.fill
                )
            opened.append(self._opened[key])
        return opened

    def _found(
        self, files: _Files, wanted: Wanted, terms: GradingTerms, at: Location
    ) -> Graded | None:
        """The judgments of a query in some files; None where there are none."""
        found = [
            one
            for file in files
            if not file.fills
            for one in file.find(wanted, terms, at)
        ]
        return grades.united(found, terms, at) if found else None

    def _filled(
        self,
        people: Graded,
        files: _Files,
        wanted: Wanted,
        terms: GradingTerms,
        at: Location,
    ) -> Graded:
        """The judgments of a query, with those of files that fill where there are none."""
        found: grades.Found = []
        for file in dict.fromkeys(files):
            if file.fills:
                of_file = file.find(wanted, terms, at)
                found += of_file
                for row in contested_rows(people.grades, of_file, FILLS):
                    if file.is_of_people(row.query, row.document):
                        self._contested.append(row)
        return grades.filled(people, found, terms, at)

    def _needed(
        self, files: _Files, wanted: Wanted, terms: GradingTerms, at: Location
    ) -> Graded | None:
        """The judgments of a query in some files. Where there are none, it says how they were looked for."""
        files = [file for file in files if not file.fills]
        found = self._found(files, wanted, terms, at)
        if found is not None or not files or at.scope.mistakes:
            return found
        count = sum(len(file.known) for file in files)
        what = f"{_names_of(files)} ({counted(count, 'query', 'queries')}) judges nothing for"
        advice = ""
        if wanted.id is None and all(
            file.ratings.format in FORMATS_OF_IDS for file in files
        ):
            advice = "; it has ids alone: give the case its id, or name a file with the texts, queries: ..."
        self._misses += 1
        close = _close_name(files, wanted) if self._misses <= _MOST_ADVISED else ""
        needless = "a case that needs none says so with judgments: {}"
        return at.refuse(  # type: ignore[no-any-return]
            f"no judgments: {what} {listed(map(quoted, wanted.names))}{close}{advice}; {needless}"
        )


def _grading_terms(values: Mapping[str, object]) -> GradingTerms:
    """The grading terms among the checked values of a suite or a case."""
    return values.get("scale"), values.get("raters")  # type: ignore[return-value]


def _template_of(values: Mapping[str, object]) -> IdField | None:
    """The `id_field` among the checked values of a suite or a case, if it is a template."""
    written: Any = values.get("id_field")
    field = None if written is None else id_field_of(written)
    return field if field is not None and field.is_template else None


def _names_of(files: _Files) -> str:
    return listed([file.name for file in files], "and")


def _close_name(files: _Files, wanted: Wanted) -> str:
    """Advice on a name in the files that is close to one of the query."""
    known = (
        name
        for file in files
        for key in file.known
        for name in (key, file.known.text(key))
    )
    names = list(islice(dict.fromkeys(known), _MOST_COMPARED))
    return next(filter(None, (did_you_mean(name, names) for name in wanted.names)), "")
