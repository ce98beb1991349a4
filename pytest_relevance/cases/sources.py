"""Files of queries and of judgments: reading them, and how the cases of a suite find their judgments in them.

The suite's files are the default; what the case has itself replaces it document by document. A case is looked for in a
judgment file by its id; where the file does not know that, by the text of its query and by the ids that files of
queries give that text.

Suites without files do not import this module, nor those that read files.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias

from pytest_relevance._problems import FileError, Place
from pytest_relevance._source import Source
from pytest_relevance._text import did_you_mean, listed, printable, quoted
from pytest_relevance.cases.checking import values as checks
from pytest_relevance.cases.checking.files import JUDGED, ONLY, NamedFile, why_no_file
from pytest_relevance.cases.checking.grades import NO_JUDGMENTS, Graded, GradingTerms, combined, united, with_relevant
from pytest_relevance.cases.judgment_file import JudgmentFile, Wanted, refuse_file
from pytest_relevance.cases.problems import Location
from pytest_relevance.judgments.model import Query
from pytest_relevance.judgments.reading import options_of, queries_in, read_ratings

_IDS_ALONE = frozenset({"trec"})
"""The formats whose judgments never have the text of a query."""

_MOST_ADVISED = 3
_MOST_COMPARED = 5_000
"""How many cases without judgments get advice on close names, of how many names: 100,000 would take a second."""

Reader: TypeAlias = Callable[[Source, "str | None"], Any]
"""A function that reads the content of a file of a format."""


@dataclass(frozen=True, slots=True)
class ListedQuery:
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
        return self.file if self.query.line is None else f"{self.file}:{self.query.line}"

    def position(self) -> tuple[str, Place]:
        """The name of the file and the place in it."""
        return self.file, Place(self.query.line)

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
    """The queries of all the files of a suite, in their order, each id once."""

    def __init__(self) -> None:
        self._by_id: dict[str, ListedQuery] = {}
        self._ids: dict[str, list[str]] = {}
        self._written = set[str]()

    def __len__(self) -> int:
        """How many queries there are."""
        return len(self._by_id)

    def add(self, queries: Iterable[Query], file: str, at: Location, *, only_judged: bool) -> None:
        """Add the queries of a file; report ids that already have another text."""
        for query in queries:
            new = ListedQuery(query, file, only_judged)
            earlier = self._by_id.setdefault(query.id, new)
            if earlier is new:
                self._ids.setdefault(new.text, []).append(query.id)
            elif earlier.text != new.text:
                what = f"the query id {quoted(query.id)} stands for {quoted(earlier.text)} in {earlier.where}"
                at.refuse(
                    f"{what} and for {quoted(new.text)} here; give one of them another id", elsewhere=new.position
                )

    def ids(self, text: str) -> Sequence[str]:
        """The ids of the queries with a text."""
        return self._ids.get(text, ())

    def of_case(self, written_id: str | None, text: str | None, at: Location) -> ListedQuery | None:
        """The listed query that a written case matches, by the id of the case, or by its text where it has no id.

        The query is taken then: `split` has it among the written ones. Reports an id that another query has.
        """
        ids = self.ids(text or "") if written_id is None else [written_id] * (written_id in self._by_id)
        self._written.update(ids)
        if not ids:
            return None
        found = self._by_id[ids[0]]
        if len(ids) > 1:
            these = listed(map(quoted, ids), "and")
            what = f"{quoted(found.text)} is the text of {len(ids)} queries, with the ids {these}"
            at.refuse(f"{what}; write the id of the one that is meant", "query")
        elif text is not None and found.text != text:
            what = f"the id {quoted(found.query.id)} is that of the query {quoted(found.text)} in {found.where}"
            at.refuse(f"{what}; write another id, or that query", "id")
        return found

    def split(self) -> tuple[list[ListedQuery], list[ListedQuery]]:
        """The queries that match a written case, and the others."""
        written = [found for found in self._by_id.values() if found.query.id in self._written]
        return written, [found for found in self._by_id.values() if found.query.id not in self._written]


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
        self._misses = 0

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of the files that were asked for, in that order."""
        return tuple(dict.fromkeys(os.path.join(self._folder, named.name) for _, named in self._contents))

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
        text = str(own["query"])
        wanted = Wanted(own.get("id"), text, self.queries.ids(text))  # type: ignore[arg-type]
        terms = _grading_terms(at.values)
        written = own.get("judgments")
        of_case = written if isinstance(written, Graded) else None
        if isinstance(written, tuple):
            here = at.under("judgments")
            of_case = self._needed(self._open(written, terms, here), wanted, terms, here)
        of_case = with_relevant(of_case, own, at)
        if at.mistakes:
            return of_case or NO_JUDGMENTS
        look_up = self._found if written is not None or of_case is not None else self._needed
        return combined(of_case, look_up(self._of_suite, wanted, terms, at))

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
        first = queries[0]
        name = quoted(first.query.id, 40) + (f" ({quoted(first.text, 40)})" if first.text != first.query.id else "")
        which = "the only query has no" if len(queries) == 1 else f"none of the {len(queries):,} queries has"
        others = next((quoted(key, 40) for file in self._of_suite for key in file.known), "nothing")
        at.refuse(
            f"{which} judgments in {_names_of(self._of_suite)}, which judges {others}; the first query is {name}; the "
            "files do not belong together: name the judgments of these queries, and list the ids of queries where "
            "judgments have ids alone",
            "judgments",
        )

    def check_rest(self, at: Location) -> None:
        """Report ratings that are no grades and belong to no case, once all cases have found their judgments."""
        for file in self._opened.values():
            file.check_rest(at)

    def notices(self) -> tuple[str, ...]:
        """What may be a mistake in the files."""
        return tuple(notice for file in self._opened.values() for notice in file.notices())

    def _shown(self, named: NamedFile) -> str:
        return printable(os.path.normpath(os.path.join(self._shown_folder, named.name)))

    def _read(self, read: Reader, named: NamedFile, at: Location) -> Any:
        """The content of a file, which is read once; None where there are mistakes, which are reported."""
        key = read, named
        if key not in self._contents:
            self._contents[key] = self._content(read, named)
        content = self._contents[key]
        if isinstance(content, str):
            return at.refuse(content, *named.at)
        return refuse_file(content, at.under(*named.at)) if isinstance(content, FileError) else content

    def _content(self, read: Reader, named: NamedFile) -> Any:
        """The content of a file, or what is wrong with it: a message, or the error of reading it."""
        path, shown = os.path.join(self._folder, named.name), self._shown(named)
        if why := why_no_file(named.name, self._folder, shown):
            is_id = read is read_ratings and not {".", "/"}.intersection(named.name) and not os.path.exists(path)
            advice = f"; a document is written with its grade, {{{printable(named.name)}: 1}}, or under relevant"
            return why + advice * is_id
        try:
            return read(Source.read(path, shown, options_of(named.query, named.grade_column)), named.format)
        except FileError as error:
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
                refuse_file(FileError(ratings.file, [ratings.unclear]), at.under(*one.at))
                continue
            if one not in self._opened:
                self._opened[one] = JudgmentFile(ratings, self._terms)
            opened.append(self._opened[one])
        return opened

    def _found(self, files: Sequence[JudgmentFile], wanted: Wanted, terms: GradingTerms, at: Location) -> Graded | None:
        """The judgments of a query in some files; None where there are none."""
        found = [one for file in files for one in file.find(wanted, terms, at)]
        return united(found, terms, at) if found else None

    def _needed(
        self, files: Sequence[JudgmentFile], wanted: Wanted, terms: GradingTerms, at: Location
    ) -> Graded | None:
        """The judgments of a query in some files. Where there are none, it says how they were looked for."""
        found = self._found(files, wanted, terms, at)
        if found is not None or not files or at.mistakes:
            return found
        advice = "a case that needs none says so with judgments: {}"
        naming = [file.name for file in files if file.has(wanted)]
        if naming:
            return at.refuse(f"no judgments: {naming[0]} names the query and judges no document of it; {advice}")  # type: ignore[no-any-return]
        count = sum(len(file.known) for file in files)
        where = _names_of(files)
        what = f"none of the {count:,} queries in {where} is" if count > 1 else f"the only query in {where} is not"
        if wanted.id is None and all(file.ratings.format in _IDS_ALONE for file in files):
            advice = f"they have ids alone: give the case its id, or name a file with the texts, queries: ...; {advice}"
        self._misses += 1
        close = _close_name(files, wanted) if self._misses <= _MOST_ADVISED else ""
        return at.refuse(f"no judgments: {what} {listed(map(quoted, wanted.names))}{close}; {advice}")  # type: ignore[no-any-return]


_NONE_IS_JUDGED = (
    f"the suite names no judgments, so that no query is {JUDGED}; name their file (judgments: FILE), or take {ONLY} out"
)


def _grading_terms(values: Mapping[str, object]) -> GradingTerms:
    """The grading terms among the checked values of a suite or a case."""
    return values.get("scale"), values.get("raters")  # type: ignore[return-value]


def _names_of(files: Sequence[JudgmentFile]) -> str:
    return listed([file.name for file in files], "and")


def _close_name(files: Sequence[JudgmentFile], wanted: Wanted) -> str:
    """Advice on a name in the files that is close to one of the query."""
    known = (name for file in files for key in file.known for name in (key, file.known.text(key)))
    names = list(islice(dict.fromkeys(known), _MOST_COMPARED))
    return next(filter(None, (did_you_mean(name, names) for name in wanted.names)), "")
