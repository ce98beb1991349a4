"""The files of queries and judgments of a suite, and the judgments of its cases.

The suite's files count for all cases. The judgments of a case itself replace them,
document by document. `opened_files` opens the files, and `judgment_finder` searches
them.

Suites without files do not import this module.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pytest_relevance._ids import IdField, id_field_of
from pytest_relevance._text import first_few, folded_text, listed, quoted
from pytest_relevance.cases.case_file import CaseFile
from pytest_relevance.cases.case_judgments import (
    JUDGING_KEYS,
    NO_JUDGMENTS,
    CaseJudgments,
    combine,
    grading_terms,
)
from pytest_relevance.cases.file_reader import FileReader
from pytest_relevance.cases.grades import add_written
from pytest_relevance.cases.judgment_file import JudgmentFile
from pytest_relevance.cases.judgment_finder import (
    JudgmentFiles,
    JudgmentFinder,
    check_fills,
    names_of,
)
from pytest_relevance.cases.keys import KNOWN_ITEMS
from pytest_relevance.cases.known_items import KnownItem
from pytest_relevance.cases.location import WRONG, Location, Wrong, silent_location
from pytest_relevance.cases.model import ParamsByText
from pytest_relevance.cases.named_files import JUDGED, ONLY, NamedFile
from pytest_relevance.cases.opened_files import OpenedFiles
from pytest_relevance.cases.passages_of_files import check_together
from pytest_relevance.cases.query_files import ListedQueries, ListedQuery
from pytest_relevance.cases.query_keys import Lookup
from pytest_relevance.cases.suite_known_items import SuiteKnownItems
from pytest_relevance.cases.suite_samples import SampleDrawer
from pytest_relevance.judgments.folders import JUDGMENTS, QUERIES
from pytest_relevance.judgments.reading import QueryFile

_WITHOUT_PARAMS: Sequence[Mapping[str, object]] = ({},)
"""The params of a known item in `ParamsByText`: a known item has none."""


@dataclass(frozen=True, slots=True)
class _OwnJudgments:
    """The judgments that a case writes, and the judgment files that it names."""

    judgments: CaseJudgments | None
    files: JudgmentFiles


class SuiteFiles:
    """The files of queries and of judgments that a suite and its cases name.

    `suite`: the checked keys of the suite.
    `is_wrong`: whether a file of the suite has a mistake. Then the judgments of cases
        are not known.
    `known_items`: None if the suite names no catalogue of them.
    """

    def __init__(self, case_file: CaseFile, suite: Mapping[str, object]) -> None:
        self.queries = ListedQueries()
        self.drawer = SampleDrawer(takes_all=case_file.takes_all)
        self.known_items: SuiteKnownItems | None = None
        self.is_wrong = False
        self.reader = FileReader(case_file)
        self._terms = grading_terms(suite)
        """The terms of the suite; those of a case may differ."""
        self._template = _template_of(suite)
        """The `id_field` of the suite if it is a template."""
        self._named_by_suite: Sequence[NamedFile] = ()
        self._of_suite: JudgmentFiles = ()
        """The judgment files of the suite."""
        self._opened = OpenedFiles(self.reader, self._terms)
        """The judgment files of the suite and of cases."""
        self._finder = JudgmentFinder()
        self._spellings: list[str] = []
        """Notices that name judged queries which differ from listed ones in case."""

    @property
    def judges(self) -> bool:
        """Say whether the suite names files with judgments."""
        return bool(self._named_by_suite)

    def open(
        self, suite: Mapping[str, object], at: Location, *, has_cases: bool
    ) -> None:
        """Read the files that the suite names. Report mistakes in them.

        A golden set has queries and what each needs, and so has a folder of BEIR. If
        the suite names no other file, it is read as both, whatever key names it:
        `queries`, or `judgments` in a suite without cases.

        `has_cases`: whether the case file writes cases.
        """
        names_judgments = "judgments" in suite
        judgments = _named_files(suite.get("judgments"))
        queries = _named_files(suite.get("queries"))
        with_judgments = self._read_query_files(
            queries, judgments, at.under("queries"), names_judgments=names_judgments
        )
        self._named_by_suite = [*judgments, *with_judgments]
        files = self._opened.open(
            self._named_by_suite,
            self._terms,
            template=self._template,
            at=at.under("judgments" if names_judgments else "queries"),
        )
        if files is WRONG:
            self.is_wrong = True
            return
        self._of_suite = files
        self._read_known_items(suite.get(KNOWN_ITEMS), at.under(KNOWN_ITEMS))
        if "queries" in suite or has_cases:
            return
        for named in judgments:
            if self._has_queries(named):
                here = at.under("judgments")
                if self._add_queries(named, here, names_judgments=True) is WRONG:
                    self.is_wrong = True

    def _read_query_files(
        self,
        queries: Sequence[NamedFile],
        judgments: Sequence[NamedFile],
        at: Location,
        *,
        names_judgments: bool,
    ) -> list[NamedFile]:
        """Read files of queries, and return those that are judgment files too.

        If the suite names files of judgments, the result is empty.
        """
        contents = [named.content for named in judgments]
        with_judgments = []
        for named in queries:
            content = self._add_queries(named, at, names_judgments=names_judgments)
            if content is WRONG:
                self.is_wrong = True
            elif not names_judgments and self._has_judgments(named, content):
                with_judgments.append(named)
            elif content.is_golden_set and named.content not in contents:
                self.reader.notices.append(
                    f"{self.reader.shown(named)}: the judgments in this file are not "
                    "read, because the suite names other files of judgments; name "
                    "this file under judgments too, or take the other files out"
                )
        return with_judgments

    def _read_known_items(self, named: object, at: Location) -> None:
        if not isinstance(named, NamedFile):
            return
        items = self.reader.known_items(named, at)
        if items is WRONG:
            self.is_wrong = True
            return
        self.known_items = SuiteKnownItems(
            items,
            self.drawer.draw_items(items, named),
            are_sampled=named.sample is not None,
        )

    def not_drawn(self) -> ParamsByText:
        """Return the queries and known items that are neither drawn nor written."""
        found = dict(self.queries.not_drawn())
        if self.known_items is not None:
            for title in self.known_items.titles_not_drawn():
                found.setdefault(title, _WITHOUT_PARAMS)
        return found

    def _has_judgments(self, named: NamedFile, content: QueryFile) -> bool:
        """Say whether a file of queries is a golden set, or a folder with judgments."""
        return content.is_golden_set or self.reader.is_folder_with(JUDGMENTS, named)

    def _has_queries(self, named: NamedFile) -> bool:
        """Say whether a file of judgments is a golden set, or a folder with queries."""
        file = self._opened.get(named, self._template)
        if file is None:
            return self.reader.is_folder_with(QUERIES, named)
        return file.ratings.is_golden_set

    def _add_queries(
        self, named: NamedFile, at: Location, *, names_judgments: bool
    ) -> QueryFile | Wrong:
        """Add the queries of a file to `queries`, or report why it cannot be used.

        Return the content of the file.

        `names_judgments`: whether the suite names files of judgments.
        """
        in_folder = self.reader.in_folder(QUERIES, named, at)
        if in_folder is WRONG:
            return WRONG
        content = self.reader.queries(in_folder, self._template, at)
        if content is WRONG:
            return WRONG
        has_judgments = names_judgments or self._has_judgments(named, content)
        if named.only_judged and not has_judgments:
            return at.refuse(
                f"the suite names no judgments, so no query is {JUDGED}; name their "
                f"file (judgments: FILE), or take {ONLY} out",
                *named.at_file,
                ONLY,
            )
        file = self.reader.shown(in_folder)
        at_file = at.under(*named.at_file)
        sampled = self.drawer.draw_queries(content.queries, named, file, at_file)
        if sampled is WRONG:
            return WRONG
        self.queries.add(
            sampled.queries,
            file,
            at,
            only_judged=named.only_judged,
            drawn=sampled.weights,
        )
        return content

    def of_case(self, own: Mapping[str, Any], at: Location) -> CaseJudgments | Wrong:
        """Return the judgments of a written case, or report why it has none.

        For a document, the first of these that judges it counts:

        1. the case itself, or a judgment file that the case names
        2. a judgment file of the suite
        3. a file with `fill: true`, of the case or of the suite

        A case may be a known item: it has no id and judges nothing itself, no file of
        the suite has its query, and the query is the title of the item. Then the
        judgments are those of the item.

        `own`: the checked keys of the case.

        Reported are ratings that are not grades, grades that contradict each other, and
        a query that the files of the suite should judge and do not. A case that judges
        something itself need not be in these files.
        """
        lookup = Lookup(
            id=own.get("id"),
            text=own["query"],
            ids=self.queries.ids(own["query"]),
            terms=grading_terms(at.values),
            at=at,
        )
        own_judgments = self._own_judgments(own, lookup)
        if own_judgments is WRONG:
            return WRONG
        files_of_suite = self._files_of_suite(lookup)
        if files_of_suite is WRONG:
            return WRONG
        of_suite = self._finder.find(files_of_suite, lookup)
        if of_suite is None and not any(key in own for key in JUDGING_KEYS):
            item = self._find_known_item(own)
            if item is not None:
                return item.judgments
            of_suite = self._finder.refuse_unjudged(files_of_suite, lookup)
        files = [*own_judgments.files, *files_of_suite]
        if of_suite is WRONG:
            # `fill` is not reached, so these files report their mistakes now
            check_fills(files, lookup)
            return WRONG
        of_case = own_judgments.judgments
        if of_case is not None and of_suite is not None:
            names = names_of(files_of_suite)
            if check_together(of_case, of_suite, names, lookup.at) is WRONG:
                return WRONG
            if of_case.differs_from(of_suite):
                self._finder.note_overruled(of_case, files_of_suite, lookup)
        people = combine(of_case, of_suite)
        return self._finder.fill(people, files, lookup)

    def _find_known_item(self, own: Mapping[str, Any]) -> KnownItem | None:
        """Return the known item whose title is the query of a case. Mark it as written.

        None if there is no such item, or if the case has an id.
        """
        if self.known_items is None or "id" in own:
            return None
        item = self.known_items.find(own["query"])
        if item is not None:
            self.known_items.mark_written(item)
        return item

    def _files_of_suite(self, lookup: Lookup) -> JudgmentFiles | Wrong:
        """Return the judgment files of the suite, as a case reads them.

        If the case sets `id_field`, the files are read again.
        """
        template = _template_of(lookup.at.values)
        if template == self._template:
            return self._of_suite
        at = lookup.at.under("judgments")
        return self._opened.open(
            self._named_by_suite, lookup.terms, template=template, at=at
        )

    def _own_judgments(
        self, own: Mapping[str, object], lookup: Lookup
    ) -> _OwnJudgments | Wrong:
        """Return the judgments of a case itself: written, or in files that it names."""
        written = own.get("judgments")
        files: JudgmentFiles = ()
        judgments: CaseJudgments | Wrong | None = None
        if isinstance(written, CaseJudgments):
            judgments = written
        elif written is not None:
            here = lookup.at.under("judgments")
            template = _template_of(lookup.at.values)
            named = _named_files(written)
            opened = self._opened.open(named, lookup.terms, template=template, at=here)
            if opened is WRONG:
                return WRONG
            files = opened
            lookup_here = replace(lookup, at=here)
            judgments = self._finder.find(files, lookup_here)
            if judgments is None:
                judgments = self._finder.refuse_unjudged(files, lookup_here)
        if judgments is not WRONG:
            judgments = add_written(judgments, own, lookup.at)
        return WRONG if judgments is WRONG else _OwnJudgments(judgments, files)

    def of_listed(self, query: ListedQuery, at: Location) -> CaseJudgments | Wrong:
        """Return the judgments of a query from a file of queries."""
        ids = self.queries.ids(query.text)
        lookup = Lookup(
            id=query.row.id, text=query.text, ids=ids, terms=self._terms, at=at
        )
        people = self._finder.find(self._of_suite, lookup)
        if people is WRONG:
            # `fill` is not reached, so these files report their mistakes now
            check_fills(self._of_suite, lookup)
            return WRONG
        return self._finder.fill(people or NO_JUDGMENTS, self._of_suite, lookup)

    def refuse_if_none_judged(
        self, queries: Sequence[ListedQuery], at: Location
    ) -> None:
        """Report that none of `queries` is judged: the files may not belong together.

        Nothing is reported if a listed query with a written case is judged.

        `queries`: all listed queries without a written case.
        """
        for query in self.queries.with_written_case():
            judgments = self.of_listed(query, silent_location())
            if judgments is WRONG or judgments.grades:
                return
        first = dict.fromkeys((queries[0].row.id, queries[0].text))
        names = listed([quoted(name, 40) for name in first], "or")
        at.refuse(
            f"none of the listed queries ({len(queries):,}) is judged in "
            f"{names_of(self._of_suite)}. The first listed query is {names}, the "
            f"first judged one {self._first_judged()}. Name the judgments of these "
            "queries, or list the ids of queries if the judgments have ids alone",
            "judgments",
        )

    def check_spellings(self, at: Location) -> Wrong | None:
        """Report judged queries that differ from a listed one only in case or blanks.

        Such a query is a mistake if nothing else judges the listed query. Otherwise a
        notice names both. If either has a written case, they are two queries.

        Return `WRONG` if a mistake was reported, else None.
        """
        names = self.queries.names()
        texts_by_file = {}
        for file in self._of_suite:
            texts = list(file.texts_without_case(names))
            if texts:
                texts_by_file[file] = texts
        if not texts_by_file:
            return None
        queries = self.queries.without_case_by_folded_name()
        judged: set[str] = set()
        for file in self._of_suite:
            if not file.fills:
                judged.update(file.judged_names())
        result = None
        for file, texts in texts_by_file.items():
            lost: list[str] = []
            beside: list[str] = []
            for text in texts:
                query = queries.get(folded_text(text))
                if query is None:
                    continue
                pair = f"{quoted(text, 40)} ({quoted(query.text, 40)} in {query.where})"
                if file.fills or not judged.isdisjoint(query.names):
                    beside.append(pair)
                else:
                    lost.append(pair)
            if beside:
                self._spellings.append(_differ_in_case(file, beside))
            if lost:
                result = at.refuse(
                    f"{_differ_in_case(file, lost)}. So nothing judges the listed "
                    "queries. Write both alike; if they are two queries, write a case "
                    "for the listed one, with judgments: {}",
                    "judgments",
                )
        return result

    def _first_judged(self) -> str:
        for file in self._of_suite:
            for key in file.known:
                return quoted(key, 40)
        return "nothing"

    def check_rest(self, at: Location) -> None:
        """Report ratings that are not grades, of queries without a case.

        Call this when all cases have found their judgments.
        """
        for file in self._opened.each_once():
            if not file.fills:  # it may have queries of other suites
                file.check_rest(self._terms, at)

    def notices(self) -> tuple[str, ...]:
        """Return notices about possible mistakes in the files.

        A file with `fill: true` may have queries of other suites: they are no mistake.
        """
        notices = [*self.reader.notices, *self._finder.notices()]
        notices += [*self.queries.notices_of_placeholders(), *self._spellings]
        not_drawn = self.queries.names_not_drawn()
        for file in self._opened.each_once():
            if not file.fills:
                notices.extend(file.notices(not_drawn))
        return tuple(notices)


def _named_files(value: object) -> Sequence[NamedFile]:
    if not isinstance(value, tuple):
        return ()
    return [named for named in value if isinstance(named, NamedFile)]


def _template_of(values: Mapping[str, object]) -> IdField | None:
    """Return the `id_field` of a suite or a case if it is a template, else None."""
    written = values.get("id_field")
    if not isinstance(written, (str, tuple)):
        return None
    field = id_field_of(written)
    return field if field.is_template else None


def _differ_in_case(file: JudgmentFile, pairs: Sequence[str]) -> str:
    """Return a sentence that names pairs such as `"Boots" ("boots" in log.csv:2)`."""
    count = (
        "1 judged query differs"
        if len(pairs) == 1
        else f"{len(pairs):,} judged queries differ"
    )
    return (
        f"{file.name}: {count} from a listed query only in case or white space: "
        f"{first_few(pairs)}"
    )
