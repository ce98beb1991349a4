"""Collects the cases of one case file, and the mistakes in it and its files.

`reader` makes a builder. Then it calls `set_defaults` with the keys of the suite,
`add_case` for each case, `finish`, and `suite` if there is no mistake.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_relevance._problems import Place, Problem, Problems
from pytest_relevance._text import quoted
from pytest_relevance.cases.build import (
    NO_QUERY,
    CaseDraft,
    Drafts,
    Origin,
    check_gain_fits_scale,
    draft_case,
    make_terms,
    united_tags,
)
from pytest_relevance.cases.case_file import CaseFile
from pytest_relevance.cases.case_judgments import NO_JUDGMENTS, CaseJudgments
from pytest_relevance.cases.floors import SuiteFloors
from pytest_relevance.cases.gates import (
    check_gates_of_sample,
    check_tags_of_gates,
)
from pytest_relevance.cases.grades import add_written
from pytest_relevance.cases.keys import (
    CASE,
    KNOWN_ITEMS,
    QUERIES,
    SUITE,
    CheckedKeys,
    check_keys,
    plain_values,
)
from pytest_relevance.cases.known_items import KnownItem, terms_of_known_item
from pytest_relevance.cases.location import WRONG, Location, Position, Subject, Wrong
from pytest_relevance.cases.model import Case, KnownItemCounts, Suite, Terms
from pytest_relevance.cases.names import node_name
from pytest_relevance.cases.passage_demands import check_demands_of_suite
from pytest_relevance.cases.passages import notices_of_passages
from pytest_relevance.cases.yaml import (
    MappingNode,
    Node,
    NodePosition,
    Pairs,
    scalar_text,
)

if TYPE_CHECKING:
    from pytest_relevance.cases.query_files import ListedQuery
    from pytest_relevance.cases.suite_files import SuiteFiles
    from pytest_relevance.cases.suite_known_items import SuiteKnownItems

_NAMING_FILES = ("judgments", QUERIES, KNOWN_ITEMS)
_GRADING = ("scale", "raters", "id_field")
"""The keys that say how files are read. If one of them is wrong, no file is read."""


class SuiteBuilder:
    """Collects the cases of one case file."""

    def __init__(self, case_file: CaseFile) -> None:
        self.count = 0
        """How many written cases there are, wrong ones included."""
        self.problems = Problems(case_file.shown)
        self._case_file = case_file
        self._root = MappingNode(None)
        """The keys of the suite, as YAML."""
        self._values: dict[str, object] = {}
        """The checked keys of the suite."""
        self._wrong: set[str] = set()
        """The keys of the suite that are wrong."""
        self._terms = Terms()
        self._floors = SuiteFloors(self._terms)
        self._files: SuiteFiles | None = None
        """The files that the suite names, as soon as the suite or a case has some."""
        self._drafts = Drafts()
        self._lines: dict[str, int] = {}
        """The lines of the written cases, by the names of the cases in node ids."""
        self._unjudged: list[str] = []
        """The texts of the listed queries without judgments."""
        self._left_out: list[str] = []
        """The ids of the listed queries that `only: judged` leaves out."""
        self._drawn_left_out = 0
        """How many of these were drawn from a file with the key `sample`."""
        self._known_items: KnownItemCounts | None = None
        """How many known items there are, if the suite has some."""

    def add_problems(self, problems: Sequence[Problem], case: str = "") -> None:
        """Add mistakes in the YAML of the suite or of a case.

        `case`: the name of the case; empty for the suite.
        """
        for problem in problems:
            self.problems.add(problem.message, problem.place, case)

    # The suite

    @property
    def has_listed_queries(self) -> bool:
        """Say whether files of the suite have queries."""
        return self._files is not None and bool(self._files.queries.by_id)

    def set_defaults(self, header: Pairs, *, has_cases: bool) -> None:
        """Check the keys of the suite, and read the files that they name.

        `has_cases`: whether the case file writes cases.
        """
        first_mark = next((key.start_mark for key, _ in header.values()), None)
        self._root = MappingNode(first_mark, header)
        at = self._location({}, NodePosition(self._root))
        checked = check_keys(SUITE, plain_values(SUITE, header), at)
        self._values = checked.values
        self._wrong = checked.wrong
        self._terms = make_terms(self._values)
        if check_gain_fits_scale(self._terms, "scale", at) is WRONG:
            self._wrong.add("scale")
        self._floors = SuiteFloors(self._terms)
        self._check_catalogue(at)
        names_files = any(key in self._values for key in _NAMING_FILES)
        if names_files and self._wrong.isdisjoint(_GRADING):
            self._opened_files().open(self._values, at, has_cases=has_cases)

    def _location(self, values: dict[str, object], position: Position) -> Location:
        """Return where a suite or a case reports its mistakes.

        `values`: the values of checked keys, which later checks look up.
        """
        subject = Subject(
            problems=self.problems,
            values=values,
            position=position,
            owned_tags=self._case_file.owned_tags,
            metrics=self._case_file.metrics,
        )
        return Location(subject)

    def _check_catalogue(self, at: Location) -> None:
        """Report a catalogue that the suite names and that does not exist."""
        catalogue = self._terms.documents
        if catalogue is not None:
            why = self._case_file.why_no_file(catalogue.file)
            if why is not None:
                at.refuse(why, "documents")

    def _opened_files(self) -> SuiteFiles:
        """Return the files of the suite, made on first use: most suites have none."""
        if self._files is None:
            from pytest_relevance.cases.suite_files import SuiteFiles

            self._files = SuiteFiles(self._case_file, self._values)
        return self._files

    # Written cases

    def add_case(self, node: Node, place: Place, problems: Sequence[Problem]) -> None:
        """Check a written case and keep its draft, or report mistakes.

        `place`: where the case begins in the list of cases.
        `problems`: the mistakes in its YAML.
        """
        self.count += 1
        if self.problems.is_full:
            return
        if isinstance(node, MappingNode):
            self._add_case(node, place, problems)
        else:
            self.add_problems(problems)
            self.problems.add('a case is a mapping; write "- query: ..."', place)

    def _add_case(
        self, node: MappingNode, place: Place, problems: Sequence[Problem]
    ) -> None:
        """Check a written case that is a mapping, and keep its draft.

        A draft waits until all grades of the file are known. The judgments of a case
        are looked up only if its keys are right.

        `problems`: the mistakes that the YAML reader found in the case.
        """
        position = NodePosition(node, self.count)
        self.add_problems(problems, position.label())
        at = self._location(dict(self._values), position)
        taken = self._listed_query(node, at)
        listed = None if taken is WRONG else taken
        defaults = self._defaults_of(listed, at)
        if defaults is not WRONG:
            at.values.update(defaults)
        checked = check_keys(
            CASE, plain_values(CASE, node.pairs), at=at, inherited_wrong=self._wrong
        )
        has_query = "query" in node.pairs
        if not has_query:
            self.problems.add(NO_QUERY, place, position.label())
        origin = _origin_of(node, listed, place.line)
        is_new = self._register_name(checked, origin, place=place, position=position)
        is_right = checked.is_right and has_query and is_new and not problems
        if taken is WRONG or defaults is WRONG or not is_right:
            return
        if self._files is not None and self._files.is_wrong:
            return  # the judgments are not known
        judgments = self._judgments(checked.values, at)
        if judgments is not WRONG:
            own = _merged(defaults, checked.values)
            self._keep(own, judgments, origin=origin, at=at)

    def _listed_query(
        self, node: MappingNode, at: Location
    ) -> ListedQuery | Wrong | None:
        """Return the listed query that a written case is about; None without one."""
        if self._files is None:
            return None
        written_id = scalar_text(node, "id")
        text = scalar_text(node, "query")
        return self._files.queries.take_for_case(written_id, text, at)

    def _defaults_of(
        self, listed: ListedQuery | None, at: Location
    ) -> dict[str, object] | Wrong:
        """Return the keys that the listed query of a written case sets.

        {} if the case has no listed query.
        """
        if listed is None:
            return {}
        from pytest_relevance.cases.query_files import ListedPosition

        position = ListedPosition(listed.place, at.subject.position.label())
        return listed.defaults(self._location(at.values, position))

    def _register_name(
        self, checked: CheckedKeys, origin: Origin, place: Place, position: NodePosition
    ) -> bool:
        """Keep the name of a case, or report that another case of the file has it.

        The name is the id of the case, the id of its listed query, or its query. It is
        not kept if the key that decides it is wrong. Return whether it was kept.
        """
        own = checked.values
        if "id" in own:
            key, advice = "id", "ids are unique in a file"
            written = name = str(own["id"])
        elif "query" in own and "id" not in checked.wrong:
            key, advice = "query", "give one of them an id"
            written = origin.listed_id or str(own["query"])
            name = node_name(written)
        else:
            return False
        if name not in self._lines:
            self._lines[name] = place.line
            return True
        message = (
            f"{key}: a second case with the id {quoted(written)}, the first is in line "
            f"{self._lines[name]}; {advice}"
        )
        self.problems.add(message, place, position.label())
        return False

    def _judgments(self, own: dict[str, object], at: Location) -> CaseJudgments | Wrong:
        """Return the judgments of a case: its own, and those in files; report mistakes.

        The files are those of the suite, and those that the case names.

        `own`: the checked keys of the case.
        """
        written = own.get("judgments", NO_JUDGMENTS)
        if self._files is None and isinstance(written, CaseJudgments):
            judgments = add_written(written, own, at)
            return NO_JUDGMENTS if judgments is None else judgments
        # the suite names files, or the case does: then its value is no `CaseJudgments`
        return self._opened_files().of_case(own, at)

    def _keep(
        self,
        own: dict[str, Any],
        judgments: CaseJudgments,
        origin: Origin,
        at: Location,
    ) -> CaseDraft | None:
        """Keep the draft of a case, and return it; None if there is a mistake.

        Keys that contradict each other are reported.
        """
        draft = draft_case(own, self._terms, judgments, origin=origin, at=at)
        if draft is WRONG:
            return None
        self._drafts.add(draft, at)
        return draft

    # Cases of listed queries

    def _add_listed_queries(self, files: SuiteFiles, at: Location) -> None:
        """Add a case for each listed query that is not written, or report mistakes."""
        queries = files.queries.without_written_case()
        floor = self._terms.min_ndcg
        has_judgments = files.judges
        if queries and floor is not None and not has_judgments:
            at.refuse(
                f"the floor {floor:g} applies to the listed queries, which have no "
                "judgments; name the file of their judgments (judgments: FILE), or "
                "take the floor out",
                "min_ndcg",
            )
            return
        for query in queries:
            if not self.problems.is_full:
                self._add_listed_query(query, files)
        if has_judgments and files.check_spellings(at) is WRONG:
            return
        without_judgments = len(self._unjudged) + len(self._left_out)
        none_is_judged = bool(queries) and len(queries) == without_judgments
        if has_judgments and none_is_judged:
            files.refuse_if_none_judged(queries, at)

    def _add_listed_query(self, query: ListedQuery, files: SuiteFiles) -> None:
        """Keep the draft of a query from a file of queries, or report a mistake.

        A query without judgments is left out with `only: judged`. Else the floor of the
        suite does not apply to it.
        """
        from pytest_relevance.cases.query_files import ListedPosition

        name = query.row.id
        position = ListedPosition(query.place, quoted(name, 60))
        at = self._location(dict(self._values), position)
        first = self._lines.get(node_name(name))
        if first is not None:
            at.refuse(
                f"the case in line {first} of the case file has the id {quoted(name)} too; "
                "give that case another id"
            )
            return
        defaults = query.defaults(at)
        judgments = files.of_listed(query, at)
        if defaults is WRONG or judgments is WRONG:
            return
        own: dict[str, Any] = {"query": query.text, **defaults}
        has_judgments = files.judges
        if has_judgments and not judgments.grades:
            if query.only_judged:
                self._left_out.append(name)
                self._drawn_left_out += query.is_sampled
                return
            self._unjudged.append(query.text)
            own.setdefault("min_ndcg", None)
        origin = Origin(
            query.row.line or 1,
            listed_id=name,
            source=query.file,
            is_sampled=query.is_sampled,
        )
        draft = self._keep(own, judgments, origin=origin, at=at)
        if draft is not None and draft.not_applicable and not has_judgments:
            self._unjudged.append(draft.query)

    # Known items

    def _add_known_items(self, files: SuiteFiles, items: SuiteKnownItems) -> None:
        """Add a case for each known item, or report mistakes.

        A title that is the name of another case is left out, and counted: the same
        query has judgments there.
        """
        names = {node_name(name) for name in files.queries.by_id} | self._lines.keys()
        judged = []
        terms = terms_of_known_item(self._terms)
        for item in items.without_case():
            if node_name(item.title) in names:
                judged.append(item.title)
            elif not self.problems.is_full:
                origin = Origin(
                    item.line,
                    listed_id=item.title,
                    source=items.file,
                    is_sampled=items.are_sampled,
                )
                self._add_known_item(item, terms, origin)
        self._known_items = replace(items.counts, judged=tuple(judged))

    def _add_known_item(self, item: KnownItem, terms: Terms, origin: Origin) -> None:
        place = Place(file=origin.source or "", line=item.line)
        position = Position(place, quoted(item.title, 60))
        at = self._location(dict(self._values), position)
        draft = draft_case(
            {"query": item.title}, terms, item.judgments, origin=origin, at=at
        )
        if draft is not WRONG:
            self._drafts.add(draft, at)

    # The end

    def finish(self) -> list[Case]:
        """Return the cases, now that the grades of the whole file are known.

        The terms of the suite get the range of these grades. Mistakes that only all
        cases together show are reported.
        """
        at = self._location(self._values, NodePosition(self._root))
        files = self._files
        if files is not None and not self._wrong and not files.is_wrong:
            self._add_listed_queries(files, at)
            if files.known_items is not None:
                self._add_known_items(files, files.known_items)
        cases = self._drafts.build(self._floors)
        if self._drafts.have_passages:
            check_demands_of_suite(self._terms, at)
        self._terms = self._drafts.with_range(self._terms, self._drafts.grades)
        if files is not None:
            files.check_rest(at)
        if not self.problems.found:
            check_tags_of_gates(self._terms.gates, cases, at)
        if files is not None and files.drawer.samples:
            check_gates_of_sample(self._terms.gates, cases, at)
        if not self.problems.found:
            self._floors.check(at)
        return cases

    def suite(self, cases: Sequence[Case]) -> Suite:
        """Return the suite of the cases that `finish` returned.

        Call this only if no mistake was found.
        """
        queries_line = 1
        if QUERIES in self._root.pairs:
            position = NodePosition(self._root)
            queries_line = position.place((QUERIES,), at_key=True).line
        suite = Suite(
            path=self._case_file.path,
            cases=tuple(cases),
            terms=self._terms,
            warnings=tuple(self._warnings(cases)),
            queries_line=queries_line,
            unjudged=tuple(self._unjudged),
            left_out=tuple(self._left_out),
            drawn_left_out=self._drawn_left_out,
            without_floor=tuple(self._floors.sentences()),
            known_items=self._known_items,
        )
        files = self._files
        if files is None:
            return suite
        return replace(
            suite,
            files=files.reader.paths,
            listed=files.queries.count,
            absent=tuple(files.reader.absent),
            samples=tuple(files.drawer.samples),
            not_drawn=files.not_drawn(),
        )

    def _warnings(self, cases: Sequence[Case]) -> Iterator[str]:
        """Yield messages about possible mistakes."""
        if self._files is not None:
            yield from self._files.notices()
        if self._terms.reads_texts:
            yield from notices_of_passages(cases)
        elif self._terms.text_field is not None:
            yield "text_field has no effect: no case has passages or excludes some"


def _merged(defaults: dict[str, Any], written: dict[str, Any]) -> dict[str, Any]:
    """Return the checked keys of a case: those of its listed query, and its own.

    Its own keys win. But it has the tags of both.
    """
    merged = {**defaults, **written}
    if "tags" in defaults:
        merged["tags"] = united_tags(defaults["tags"], merged["tags"])
    return merged


def _origin_of(node: MappingNode, listed: ListedQuery | None, line: int) -> Origin:
    """Return where a written case comes from.

    A case that writes no id or no weight takes that of its listed query.
    """
    if listed is None:
        return Origin(line)
    is_drawn = listed.weight_in_sample is not None
    return Origin(
        line,
        listed_id=None if "id" in node.pairs else listed.row.id,
        is_sampled=is_drawn and "weight" not in node.pairs,
    )
