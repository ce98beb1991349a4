"""From the nodes of a case file to its `Suite`: each key checked by the table of fields, each mistake in its place."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace

from yaml.events import ScalarEvent

from pytest_relevance.cases.build import NO_QUERY, checked_case, make_terms, unknown_key
from pytest_relevance.cases.events import Mark, problem_at
from pytest_relevance.cases.expectations import WITH_DEPTH
from pytest_relevance.cases.fields import CASE, FIELDS, SUITE
from pytest_relevance.cases.files import Files
from pytest_relevance.cases.gates import gates_without_cases
from pytest_relevance.cases.graded import NO_JUDGMENTS, Graded
from pytest_relevance.cases.limits import needs_best, unreachable
from pytest_relevance.cases.model import Case, Expectation, Suite, Terms
from pytest_relevance.cases.names import check_tag, node_name
from pytest_relevance.cases.nodes import MappingNode, Node, Pairs, is_plain
from pytest_relevance.cases.places import end_of_path, label_of, later, root_of
from pytest_relevance.cases.problems import MOST_ELSEWHERE, Problem, Refused, RefusedSeveral
from pytest_relevance.cases.queries import ListedQuery
from pytest_relevance.cases.scalars import value as scalar_value
from pytest_relevance.cases.sources import Sources
from pytest_relevance.wording import counted, quoted

# unpacked: a case has few of the many keys, and there may be a hundred thousand cases
_FIELDS = {
    level: [
        (field.name, field.read, field.check_at(level), field.needs) for field in FIELDS.values() if level in field.at
    ]
    for level in (SUITE, CASE)
}
_NAMING_FILES = frozenset({"judgments", "queries"})
_OF_FILES = _NAMING_FILES | {"scale", "raters"}
"""While one of these is wrong in a suite, its files cannot be read as they are meant."""

_DECISIVE = frozenset({"scale", "gain", "negative", "raters", "judgments"})
"""While one of these is wrong, what the keys of a case say together cannot be known."""


class SuiteBuilder:
    """Collects the cases of one file and everything that is wrong with them."""

    def __init__(
        self, file: str, owned_tags: frozenset[str], files: Files, *, may_lack_judgments: bool = False
    ) -> None:
        self.problems: list[Problem] = []
        self.count = 0
        self._file = file
        self._sources = Sources(files)
        self._owned_tags = owned_tags
        self._may_lack_judgments = may_lack_judgments
        self._root = root_of({})
        self._values: dict[str, object] = {}
        self._wrong: frozenset[str] = frozenset()
        self._terms = Terms()
        self._all_terms: list[Terms] = [self._terms]
        self._cases: list[Case] = []
        self._lines: dict[str, int] = {}
        self._grades: set[float] = set()
        self._floors: list[tuple[Case, MappingNode | ListedQuery]] = []
        self._elsewhere = 0
        self._groups: dict[Hashable, _Group] = {}
        self._unjudged: list[str] = []
        self._left_out = 0

    def suite_terms(self, header: Pairs) -> None:
        """Check what the suite sets for its cases, and read the files that it names."""
        self._root = root = root_of(header)
        self._values, _, wrong = self._checked(root, SUITE, {}, frozenset(), None)
        self._check_tags(self._values, root, None)
        try:
            self._terms = make_terms(self._values)
        except Refused as refused:
            self._refuse(refused, root, None)
            wrong |= {"scale"}
        self._wrong = wrong
        self._all_terms = [self._terms]
        if not wrong.isdisjoint(_OF_FILES):
            self._sources.unknown = "judgments" in header or "queries" in header
        elif not _NAMING_FILES.isdisjoint(self._values):
            self._refuse_all(self._sources.open(self._values), root, None)

    def add(self, node: Node, mark: Mark | None, reported: int) -> None:
        """Check a case and keep it, or keep what is wrong with it.

        `mark` is where it begins in the list of cases; the problems from the number `reported` on are its own already.
        """
        self.count += 1
        if not isinstance(node, MappingNode):
            text = isinstance(node, ScalarEvent) and node.value
            example = quoted(f"- query: {node.value}") if text else '"- query: ..."'  # type: ignore[union-attr]
            self.problems.append(problem_at(mark, f"a case is a mapping; write {example}"))
            return
        if self._may_lack_judgments and _is_blank(node.pairs.get("judgments")):
            whole, node = node, MappingNode(node.start_mark)  # the other may be an anchor's, and another case's too
            node.pairs = {name: pair for name, pair in whole.pairs.items() if name != "judgments"}
        pairs = node.pairs
        label = label_of(pairs, self.count)
        if len(self.problems) > reported:
            self.problems[reported:] = [
                Problem(problem.line, problem.column, problem.message, label) for problem in self.problems[reported:]
            ]
        defaults = self._defaults(node, label) if self._sources.has_queries else None
        inherited = {**self._values, **defaults} if defaults else self._values
        values, own, wrong = self._checked(node, CASE, inherited, self._wrong, label)
        if "query" not in pairs:
            self.problems.append(problem_at(mark, NO_QUERY, label))
        if "tags" in own:
            self._check_tags(own, node, label)
        is_new = self._is_new(own, node, mark, label)
        unknown = self._sources.unknown or self._elsewhere > MOST_ELSEWHERE or (wrong and _undecided(wrong, values))
        if unknown or not is_new or len(self.problems) > reported:
            self._sources.skip(own)
            return
        assert mark is not None
        try:
            graded = own.get("judgments", NO_JUDGMENTS)
            if self._sources.has_judgments or not isinstance(graded, Graded):
                name: str | None = own.get("id")  # type: ignore[assignment]
                graded = self._sources.judgments_of(name, own, values, self._values)
            if defaults:
                own = {**defaults, **own}
            if self._may_lack_judgments and not graded.grades:
                own = {**own, "min_ndcg": None}
            case = checked_case(own, values, self._terms, graded, line=mark.line + 1, column=mark.column + 1)
        except (Refused, RefusedSeveral) as error:
            self._refuse_all(error.all(), node, label)
            return
        self._keep(case, graded, node)

    def finish(self) -> None:
        """After the last case: those of listed queries, and what depends on the judgments of the whole file."""
        if self._sources.has_queries and not self._sources.unknown and not _undecided(self._wrong, self._values):
            self._add_queries()
        grades = sorted(self._grades)
        for terms in self._all_terms:
            terms.settle(grades)
        for case, where in self._floors:
            self._refuse_all(unreachable(case), where, quoted(case.id, 60))
        self._floors.clear()
        for group in self._groups.values():
            self.problems[group.problem] = group.added_to(self.problems[group.problem])
        self._groups.clear()
        self._refuse_all(self._sources.look_at_the_rest(), self._root, None)
        if not self.problems:
            self._refuse_all(gates_without_cases(self._terms.gates, self._cases), self._root, None)

    def suite(self) -> Suite:
        """The suite; only when there are no problems."""
        cases, sources = tuple(self._cases), self._sources
        queries = self._line_of("queries", at_key=True) if "queries" in self._root.pairs else 1
        gates = tuple(self._line_of("gates", index) for index in range(len(self._terms.gates)))
        listed = sources.listed - self._left_out
        unjudged = tuple(self._unjudged)
        return Suite(self._file, cases, self._terms, sources.paths, sources.notices(), queries, gates, unjudged, listed)

    def _line_of(self, *path: str | int, at_key: bool = False) -> int:
        """The line of a part of what the suite sets; 1 where none is known."""
        mark = end_of_path(self._root, path, at_key=at_key)
        return mark.line + 1 if mark is not None else 1

    def _defaults(self, node: MappingNode, label: str) -> dict[str, object]:
        """What is listed about the query that a written case stands for."""
        written_id, text = (
            pair[1].value if pair is not None and isinstance(pair[1], ScalarEvent) else None
            for pair in (node.pairs.get("id"), node.pairs.get("query"))
        )
        query = None
        try:
            query = self._sources.query_of(written_id, text)
            return query.defaults(self._values) if query is not None else {}
        except (Refused, RefusedSeveral) as error:
            self._refuse_all(error.all(), query or node, label)
            return {}

    def _add_queries(self) -> None:
        """Make cases of the listed queries that no written case stands for."""
        queries = self._sources.other_queries()
        floor = self._terms.min_ndcg
        if queries and floor is not None and "judgments" not in self._values:
            message = f"the floor {floor:g} applies to the listed queries, which have no judgments; name their file"
            self._refuse(Refused(f"{message} (judgments: FILE), or take it out", ("min_ndcg",)), self._root, None)
            return
        for query in queries:
            if self._elsewhere <= MOST_ELSEWHERE:
                self._add_query(query)
        if queries and len(self._unjudged) + self._left_out == len(queries):
            refused = self._sources.none_judged(queries, self._values)
            self._refuse_all([] if refused is None else [refused], self._root, None)

    def _add_query(self, query: ListedQuery) -> None:
        """Make a case of a listed query: without a floor where the judgments of the suite have none for it."""
        try:
            first = self._lines.get(node_name(query.id))
            if first is not None:
                what = f"the case in line {first} of the case file has the id {quoted(query.id)} too"
                raise Refused(f"{what}; give that case another id")
            own = {"query": query.text, **query.defaults(self._values)}
            graded = self._sources.judgments_of_listed(query, self._values)
            if "judgments" in self._values and not graded.grades:
                if query.only_judged:
                    self._left_out += 1
                    return
                self._unjudged.append(query.text)
                own["min_ndcg"] = None
            line = query.query.line or 1
            case = checked_case(own, self._values, self._terms, graded, line=line, column=1, listed=query)
        except (Refused, RefusedSeveral) as error:
            self._refuse_all(error.all(), query, quoted(query.id, 60))
            return
        self._keep(case, graded, query)

    def _keep(self, case: Case, graded: Graded, where: MappingNode | ListedQuery) -> None:
        if case.terms is not self._terms:
            self._all_terms.append(case.terms)
        self._grades |= graded.distinct
        self._cases.append(case)
        if needs_best(case):
            self._floors.append((case, where))

    def _checked(
        self,
        root: MappingNode,
        level: str,
        inherited: Mapping[str, object],
        inherited_wrong: frozenset[str],
        label: str | None,
    ) -> tuple[dict[str, object], dict[str, object], frozenset[str]]:
        """The values of a mapping's keys on top of the inherited ones, and alone; and the keys that are wrong."""
        pairs = root.pairs
        values, own, wrong = dict(inherited), dict[str, object](), inherited_wrong
        known = 0
        for name, read, check, needs in _FIELDS[level]:  # in the table's order: a scale is checked before its grades
            if name not in pairs:
                continue
            known += 1
            if wrong and not wrong.isdisjoint(needs):
                wrong |= {name}
                continue
            try:
                own[name] = values[name] = check(read(pairs[name][1]), values)
                if wrong:
                    wrong -= {name}
            except (Refused, RefusedSeveral) as error:
                wrong |= {name}
                for refused in error.all():
                    self._refuse(refused.under(name), root, label)
        if known < len(pairs):
            for name, (key, _) in pairs.items():
                if name not in FIELDS or level not in FIELDS[name].at:
                    self.problems.append(problem_at(key.start_mark, unknown_key(name, level), label))
        return values, own, wrong

    def _check_tags(self, values: Mapping[str, object], root: MappingNode, label: str | None) -> None:
        for number, tag in enumerate(values.get("tags") or ()):  # type: ignore[arg-type, var-annotated]
            try:
                check_tag(tag, self._owned_tags)
            except Refused as refused:
                self._refuse(refused.under("tags", number), root, label)

    def _is_new(self, own: Mapping[str, object], node: MappingNode, mark: Mark | None, label: str) -> bool:
        """Whether no case before has the id of this one, which is its query when it has none of its own."""
        key = "id" if "id" in own else "query"
        if key not in own or (key == "query" and "id" in node.pairs):
            return False
        written = str(own[key])
        name = written if key == "id" else node_name(written)
        at = later(node.pairs[key][1].start_mark, mark)
        first = self._lines.get(name)
        if first is None:
            self._lines[name] = at.line + 1 if at is not None else 1
            return True
        cure = "ids are unique in a file" if key == "id" else "give one of them an id"
        # a written id may be what a query is encoded as, and then the two ids look different
        what = f"node id {quoted(name)}" if "%" in name else f"id {quoted(written)}"
        message = f"{key}: a second case with the {what}, the first is in line {first}; {cure}"
        self.problems.append(problem_at(at, message, label))
        return False

    def _refuse_all(self, refusals: Iterable[Refused], where: MappingNode | ListedQuery, label: str | None) -> None:
        for refused in refusals:
            self._refuse(refused, where, label)

    def _refuse(self, refused: Refused, where: MappingNode | ListedQuery, label: str | None) -> None:
        """Report what is refused where it stands: in the case file, in a file of queries, or in one of judgments.

        Of mistakes with one remedy only the first is reported, with the number of all.
        """
        if refused.group is not None:
            group = self._groups.get(refused.group)
            if group is not None:
                group.judgments += refused.count
                group.cases += 1
                return
            if refused.elsewhere is None or self._elsewhere < MOST_ELSEWHERE:
                self._groups[refused.group] = _Group(len(self.problems), refused.count)
        if refused.elsewhere is not None:
            self._elsewhere += 1
            if self._elsewhere <= MOST_ELSEWHERE:
                self.problems.append(refused.elsewhere(label))
        elif isinstance(where, ListedQuery):
            self.problems.append(where.problem(refused.render(), label))
        else:
            mark = end_of_path(where, refused.path, at_key=refused.at_key)
            self.problems.append(problem_at(mark, refused.render(), label))


@dataclass(slots=True)
class _Group:
    """Judgments with one mistake: which problem reports the first, how many there are, and in how many cases."""

    problem: int
    judgments: int
    cases: int = 1

    def added_to(self, problem: Problem) -> Problem:
        """The problem that reports the first, with what is to be said of the others."""
        if self.judgments == 1:
            return problem
        all_of_them = f"{self.judgments:,} judgments of {counted(self.cases, 'case')}"
        return replace(problem, message=f"{problem.message} ({all_of_them}; say it once, in the suite)")


def _is_blank(pair: tuple[ScalarEvent, Node] | None) -> bool:
    """Whether a key is there and holds nothing."""
    node = pair[1] if pair is not None else None
    return isinstance(node, ScalarEvent) and is_plain(node) and scalar_value(node.value) is None


def _undecided(wrong: frozenset[str], values: Mapping[str, object]) -> bool:
    """Whether something else that is wrong hides what the keys of a case say together."""
    expect: tuple[Expectation, ...] = values.get("expect", ())  # type: ignore[assignment]
    looks_at_k = values.get("ideal") == "max" or any(expected.kind in WITH_DEPTH for expected in expect)
    return not wrong.isdisjoint(_DECISIVE) or ("k" in wrong and looks_at_k)
