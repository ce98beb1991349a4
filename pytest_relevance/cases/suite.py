"""From the nodes of a case file to its `Suite`: cases are checked one by one."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from yaml.events import ScalarEvent

from pytest_relevance._text import printable, quoted
from pytest_relevance.cases.build import NO_QUERY, Draft, check_reachable, draft_case, make_terms
from pytest_relevance.cases.checking.files import why_no_file
from pytest_relevance.cases.checking.gates import check_tags_of_gates
from pytest_relevance.cases.checking.grades import NO_JUDGMENTS, Graded, with_relevant
from pytest_relevance.cases.checking.keys import CASE, SUITE, Shape, check_keys, converted
from pytest_relevance.cases.checking.values import node_name
from pytest_relevance.cases.model import Case, Suite, Terms
from pytest_relevance.cases.problems import Elsewhere, Label, Location, Reporter
from pytest_relevance.cases.yaml.nodes import MappingNode, Mark, Node, Pairs, label_of, line_of

if TYPE_CHECKING:
    from pytest_relevance.cases.sources import ListedQuery, Sources

_FILE = ("file",)
_NAMING_FILES = frozenset({"judgments", "queries"})
_GRADING = frozenset({"scale", "raters"})
"""While one of these keys is wrong in a suite, its files cannot be read as they are meant."""


class SuiteBuilder:
    """Collects the cases of one file, and the problems in it and in the files that it names.

    `file`, `shown` and `owned_tags` are arguments of `reader.parse_suite`. `contents` keeps the files that were read
    from one builder to the next.
    """

    def __init__(self, file: str, shown: str, owned_tags: frozenset[str], contents: dict[Any, Any]) -> None:
        self.count = 0
        self._reporter = Reporter(MappingNode(None))
        self.problems = self._reporter.problems
        self._file = file
        self._shown = shown
        self._contents = contents
        self._owned_tags = owned_tags
        self._values: dict[str, object] = {}
        self._wrong: frozenset[str] = frozenset()
        self._terms = Terms()
        self._sources: Sources | None = None
        self._skipped = False
        self._drafts: list[Draft] = []
        self._cases: list[Case] = []
        self._lines: dict[str, int] = {}
        self._grades: set[float] = set()
        self._places: dict[int, MappingNode | Elsewhere] = {}
        self._unjudged: list[str] = []
        self._left_out: list[str] = []

    @property
    def has_more_problems(self) -> bool:
        """Whether the files that the case file names may have more problems than were looked for."""
        return self._reporter.has_many_elsewhere

    def set_defaults(self, header: Pairs) -> None:
        """Check what the suite sets for its cases, and read the files that it names."""
        first = next(iter(header.values()), None)
        self._reporter.root = MappingNode(first[0].start_mark if first is not None else None, header)
        at = Location({}, self._owned_tags)
        self._values, self._wrong = check_keys(SUITE, header, _convert, at)
        before = len(at.mistakes)
        self._terms = make_terms(self._values, at)
        if len(at.mistakes) > before:
            self._wrong |= {"scale"}
        if (catalogue := self._terms.documents) is not None:
            shown = printable(os.path.normpath(os.path.join(os.path.dirname(self._shown), catalogue.file)))
            if why := why_no_file(catalogue.file, os.path.dirname(self._file), shown):
                at.refuse(why, "documents", *_FILE * isinstance(header["documents"][1], MappingNode))
        if self._wrong.isdisjoint(_GRADING) and not _NAMING_FILES.isdisjoint(self._values):
            self._opened().open(self._values, at)
        self._reporter.report(at)

    def add(self, node: Node, mark: Mark | None, reported: int) -> None:
        """Check a written case and keep it, or what is wrong with it.

        `mark` is where it begins in the list of cases; the problems from number `reported` on are of its own YAML.
        """
        self.count += 1
        if not isinstance(node, MappingNode):
            text = isinstance(node, ScalarEvent) and node.value
            example = quoted(f"- query: {node.value}") if text else '"- query: ..."'  # type: ignore[union-attr]
            self._reporter.add(mark, f"a case is a mapping; write {example}")
            return
        label = partial(label_of, node.pairs, self.count)
        if len(self.problems) > reported:
            self.problems[reported:] = [problem._replace(case=label()) for problem in self.problems[reported:]]
        at = Location(dict(self._values), self._owned_tags)
        listed, defaults = self._listed(node, at)
        if listed is not None:
            self._reporter.report(at, listed.position, label)
        at.values.update(defaults)
        own, wrong = check_keys(CASE, node.pairs, _convert, at, self._wrong)
        self._reporter.report(at, node, label)
        if "query" not in node.pairs:
            self._reporter.add(mark, NO_QUERY, label)
        listed_id = None if listed is None or "id" in node.pairs else listed.query.id
        is_new = self._is_new(own, listed_id, node, mark, label)
        # while keys are wrong, what they say together cannot be known
        if wrong or self._is_unknown or not is_new or len(self.problems) > reported:
            self._skipped |= "scale" in own or "raters" in own
            return
        assert mark is not None
        graded = self._judgments_of(own, at)
        own = {**defaults, **own}
        self._keep(own, graded, at, node, label, (mark.line + 1, mark.column + 1), listed_id)

    def _judgments_of(self, own: dict[str, object], at: Location) -> Graded:
        """The judgments of a written case: its own, and those that the files of the suite have for it."""
        written = own.get("judgments", NO_JUDGMENTS)
        if self._sources is not None or not isinstance(written, Graded):
            return self._opened().of_case(own, at)
        graded: Graded = with_relevant(written, own, at)
        return graded

    def finish(self) -> None:
        """Make cases of listed queries, and check what all judgments of the file decide. To be called at the end."""
        at = Location(self._values, self._owned_tags)
        if self._sources is not None and not self._wrong and not self._is_unknown:
            self._add_listed(self._sources, at)
        grades = sorted(self._grades)
        settled = {id(self._terms): self._terms.settled(grades)}
        for number, draft in enumerate(self._drafts):
            if id(draft.terms) not in settled:
                settled[id(draft.terms)] = draft.terms.settled(grades)
            case = draft.make(terms=settled[id(draft.terms)])
            self._cases.append(case)
            if draft.needs_best:
                of_case = Location({})
                check_reachable(case, of_case)
                self._reporter.report(of_case, self._places[number], partial(quoted, case.id, 60))
        self._terms = settled[id(self._terms)]
        if self._sources is not None and not self._skipped:
            self._sources.check_rest(at)
        self._reporter.report(at)
        if not self.problems:
            check_tags_of_gates(self._terms.gates, self._cases, at)
            self._reporter.report(at)

    def suite(self) -> Suite:
        """Make the suite. To be called only where there are no problems."""
        sources, root = self._sources, self._reporter.root
        return Suite(
            self._file,
            tuple(self._cases),
            self._terms,
            files=sources.paths if sources is not None else (),
            warnings=sources.notices() if sources is not None else (),
            queries_line=line_of(root, "queries", at_key=True) if "queries" in root.pairs else 1,
            gate_lines=tuple(line_of(root, "gates", index) for index in range(len(self._terms.gates))),
            unjudged=tuple(self._unjudged),
            left_out=tuple(self._left_out),
            listed=len(sources.queries) if sources is not None else 0,
        )

    @property
    def _is_unknown(self) -> bool:
        """Whether something is wrong with the files, so that no case knows its judgments."""
        return self._reporter.has_many_elsewhere or (self._sources is not None and self._sources.unknown)

    def _opened(self) -> Sources:
        """The files of the suite. Only suites with files import what reads them."""
        if self._sources is None:
            from pytest_relevance.cases.sources import Sources

            self._sources = Sources(self._file, self._shown, self._values, self._contents)
        return self._sources

    def _listed(self, node: MappingNode, at: Location) -> tuple[ListedQuery | None, dict[str, object]]:
        """The listed query that a written case matches, and the values that its file has for the case."""
        if self._sources is None or not len(self._sources.queries):
            return None, {}
        written_id, text = (
            pair[1].value if pair is not None and isinstance(pair[1], ScalarEvent) else None
            for pair in (node.pairs.get("id"), node.pairs.get("query"))
        )
        query = self._sources.queries.of_case(written_id, text, at)
        if query is None or at.mistakes:
            return None, {}
        return query, query.defaults(at)

    def _add_listed(self, sources: Sources, at: Location) -> None:
        """Make cases of the listed queries that match no written case."""
        _, queries = sources.queries.split()
        floor = self._terms.min_ndcg
        if queries and floor is not None and "judgments" not in self._values:
            message = f"the floor {floor:g} applies to the listed queries, which have no judgments; name their file"
            at.refuse(f"{message} (judgments: FILE), or take it out", "min_ndcg")
            return
        for query in queries:
            if not self._reporter.has_many_elsewhere:
                self._add_query(query, sources)
        if queries and len(self._unjudged) + len(self._left_out) == len(queries):
            sources.check_any_judged(queries, at)

    def _add_query(self, query: ListedQuery, sources: Sources) -> None:
        """Make a case of a listed query: without a floor where the judgments of the suite have none for it."""
        at = Location(dict(self._values))
        first = self._lines.get(node_name(query.query.id))
        if first is not None:
            what = f"the case in line {first} of the case file has the id {quoted(query.query.id)} too"
            at.refuse(f"{what}; give that case another id")
        own = {"query": query.text, **query.defaults(at)}
        graded = sources.of_listed(query, at)
        if "judgments" in self._values and not graded.grades and not at.mistakes:
            if query.only_judged:
                self._left_out.append(query.query.id)
                return
            self._unjudged.append(query.text)
            own["min_ndcg"] = None
        label, position = partial(quoted, query.query.id, 60), (query.query.line or 1, 1)
        self._keep(own, graded, at, query.position, label, position, query.query.id, query.file)

    def _keep(
        self,
        own: Mapping[str, object],
        graded: Graded,
        at: Location,
        where: MappingNode | Elsewhere,
        label: Label,
        position: tuple[int, int],
        listed_id: str | None,
        source: str | None = None,
    ) -> None:
        """Make a case of its checked keys and keep it, or report what is wrong with it."""
        draft = None
        if not at.mistakes:
            draft = draft_case(own, self._terms, graded, at, position=position, listed_id=listed_id, source=source)
        if self._reporter.report(at, where, label) or draft is None:
            return
        self._grades |= graded.distinct
        if draft.needs_best:
            # the nodes of its judgments would take much memory, and no floor is reported there
            self._places[len(self._drafts)] = _without_judgments(where) if isinstance(where, MappingNode) else where
        self._drafts.append(draft)

    def _is_new(
        self, own: Mapping[str, object], listed_id: str | None, node: MappingNode, mark: Mark | None, label: Label
    ) -> bool:
        """Check that no case above has the same id: the written id, the id of the listed query, or the query."""
        key = "id" if "id" in own else "query"
        if key not in own or (key == "query" and "id" in node.pairs):
            return False
        written = listed_id or str(own[key])
        name = written if key == "id" else node_name(written)
        at = node.pairs[key][1].start_mark
        if at is not None and mark is not None and at.index < mark.index:  # an alias brings it from above
            at = mark
        line = at.line + 1 if at is not None else 1
        first = self._lines.get(name)
        if first is None:
            self._lines[name] = line
            return True
        advice = "ids are unique in a file" if key == "id" else "give one of them an id"
        # a written id may be what a query is encoded as, and then the two ids look different
        what = f"node id {quoted(name)}" if "%" in name else f"id {quoted(written)}"
        message = f"{key}: a second case with the {what}, the first is in line {first}; {advice}"
        self._reporter.add(at, message, label)
        return False


def _convert(pair: tuple[ScalarEvent, Node], shape: Shape) -> object:
    return converted(pair[1], shape)


def _without_judgments(node: MappingNode) -> MappingNode:
    """A copy of the node of a case, which other cases may share through an anchor, without its judgments."""
    return MappingNode(node.start_mark, {name: pair for name, pair in node.pairs.items() if name != "judgments"})
