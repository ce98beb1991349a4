"""From the nodes of a case file to its `Suite`: each key checked by the table of fields, each mistake in its place."""

from __future__ import annotations

from collections.abc import Mapping

from yaml.events import ScalarEvent

from pytest_relevance.cases.build import NO_QUERY, checked_case, make_terms, unknown_key
from pytest_relevance.cases.events import Mark, problem_at
from pytest_relevance.cases.expectations import WITH_DEPTH
from pytest_relevance.cases.fields import CASE, FIELDS, SUITE
from pytest_relevance.cases.graded import Graded
from pytest_relevance.cases.limits import needs_best, unreachable
from pytest_relevance.cases.model import Case, Expectation, Suite, Terms
from pytest_relevance.cases.names import check_tag, node_name
from pytest_relevance.cases.nodes import MappingNode, Node, Pairs, SequenceNode
from pytest_relevance.cases.problems import Path, Problem, Refused, RefusedSeveral
from pytest_relevance.wording import quoted

# unpacked: a case has few of the many keys, and there may be a hundred thousand cases
_FIELDS = {
    level: [
        (field.name, field.read, field.check_at(level), field.needs) for field in FIELDS.values() if level in field.at
    ]
    for level in (SUITE, CASE)
}
_DECISIVE = frozenset({"scale", "gain", "negative", "raters", "judgments"})
"""While one of these is wrong, what the keys of a case say together cannot be known."""


class SuiteBuilder:
    """Collects the cases of one file and everything that is wrong with them."""

    def __init__(self, file: str, owned_tags: frozenset[str]) -> None:
        self.problems: list[Problem] = []
        self.count = 0
        self._file = file
        self._owned_tags = owned_tags
        self._values: dict[str, object] = {}
        self._wrong: frozenset[str] = frozenset()
        self._terms = Terms()
        self._all_terms: list[Terms] = [self._terms]
        self._cases: list[Case] = []
        self._lines: dict[str, int] = {}
        self._grades: set[float] = set()
        self._floors: list[tuple[Case, MappingNode]] = []

    def suite_terms(self, header: Pairs) -> None:
        """Check what the suite sets for its cases."""
        root = _mapping(header)
        self._values, _, wrong = self._checked(root, SUITE, {}, frozenset(), None)
        self._check_tags(self._values, root, None)
        try:
            self._terms = make_terms(self._values)
        except Refused as refused:
            self._refuse(refused, root, None)
            wrong |= {"scale"}
        self._wrong = wrong
        self._all_terms = [self._terms]

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
        pairs = node.pairs
        label = _label(pairs, self.count)
        if len(self.problems) > reported:
            self.problems[reported:] = [
                Problem(problem.line, problem.column, problem.message, label) for problem in self.problems[reported:]
            ]
        values, own, wrong = self._checked(node, CASE, self._values, self._wrong, label)
        if "query" not in pairs:
            self.problems.append(problem_at(mark, NO_QUERY, label))
        if "tags" in own:
            self._check_tags(own, node, label)
        if not self._is_new(own, node, mark, label) or len(self.problems) > reported:
            return
        if wrong and _undecided(wrong, values):
            return
        assert mark is not None
        try:
            case = checked_case(own, values, self._terms, line=mark.line + 1, column=mark.column + 1)
        except (Refused, RefusedSeveral) as error:
            for refused in error.all():
                self._refuse(refused, node, label)
            return
        if case.terms is not self._terms:
            self._all_terms.append(case.terms)
        judgments = own.get("judgments")
        if isinstance(judgments, Graded):
            self._grades |= judgments.distinct
        self._cases.append(case)
        if needs_best(case):
            self._floors.append((case, node))

    def finish(self) -> None:
        """After the last case: what depends on the judgments of the whole file."""
        grades = sorted(self._grades)
        for terms in self._all_terms:
            terms.settle(grades)
        for case, node in self._floors:
            for refused in unreachable(case):
                self._refuse(refused, node, _label(node.pairs, 0))
        self._floors.clear()

    def suite(self) -> Suite:
        """The suite; only when there are no problems."""
        return Suite(self._file, tuple(self._cases), self._terms)

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
        at = _later(node.pairs[key][1].start_mark, mark)
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

    def _refuse(self, refused: Refused, root: MappingNode, label: str | None) -> None:
        mark = _locate(root, refused.path, at_key=refused.at_key)
        self.problems.append(problem_at(mark, refused.render(), label))


def _undecided(wrong: frozenset[str], values: Mapping[str, object]) -> bool:
    """Whether something else that is wrong hides what the keys of a case say together."""
    expect: tuple[Expectation, ...] = values.get("expect", ())  # type: ignore[assignment]
    looks_at_k = values.get("ideal") == "max" or any(expected.kind in WITH_DEPTH for expected in expect)
    return not wrong.isdisjoint(_DECISIVE) or ("k" in wrong and looks_at_k)


def _label(pairs: Pairs, number: int) -> str:
    for name in ("id", "query"):
        node = pairs[name][1] if name in pairs else None
        if isinstance(node, ScalarEvent) and node.value:
            return quoted(node.value, 60)
    return f"number {number}"


def _mapping(pairs: Pairs) -> MappingNode:
    first = next(iter(pairs.values()))[0] if pairs else None
    root = MappingNode(first.start_mark if first is not None else None)
    root.pairs = pairs
    return root


def _later(mark: Mark | None, start: Mark | None) -> Mark | None:
    """A mark within a case, or the start of the case for what an alias brought into it from above."""
    return start if mark is not None and start is not None and mark.index < start.index else mark


def _locate(root: Node, path: Path, *, at_key: bool) -> Mark | None:
    """The place in the file that a path of keys and indexes leads to, as far as it can be followed."""
    node, mark = root, root.start_mark
    for step, part in enumerate(path):
        if isinstance(node, MappingNode) and part in node.pairs:
            key, node = node.pairs[str(part)]
            mark = key.start_mark if at_key and step == len(path) - 1 else node.start_mark
        elif isinstance(node, SequenceNode) and isinstance(part, int) and part < len(node.items):
            node = node.items[part]
            mark = node.start_mark
        else:
            break
    return mark
