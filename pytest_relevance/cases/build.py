"""From the nodes of a case file to its `Suite`: each case checked by the table of fields, and what spans several keys.

`case_from_values` does the same for a case written in Python; both go through `checked_case`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import isnan

from yaml.error import Mark
from yaml.events import ScalarEvent

from pytest_relevance.cases.fields import CASE, FIELDS, INHERITED, SCORING, SUITE
from pytest_relevance.cases.graded import Graded
from pytest_relevance.cases.model import Case, Expectation, Suite, Terms
from pytest_relevance.cases.names import check_tag, node_name
from pytest_relevance.cases.nodes import MappingNode, Node, QuickJudgments, SequenceNode, problem_at
from pytest_relevance.cases.problems import Path, Problem, Refused, RefusedSeveral, refusals_of
from pytest_relevance.metrics.names import Metric
from pytest_relevance.metrics.scalar import GradedRanking, score
from pytest_relevance.metrics.settings import LARGEST_EXPONENTIAL_GRADE, Settings
from pytest_relevance.wording import did_you_mean, quoted

_NO_GRADES = Graded()
_NAMES = {level: tuple(field.name for field in FIELDS.values() if level in field.at) for level in (SUITE, CASE)}
_ROUNDING = 1e-9  # a floor that people computed elsewhere and rounded is not "above the best"


class SuiteBuilder:
    """Collects the cases of one file and everything that is wrong with them."""

    def __init__(self, file: str, owned_tags: frozenset[str]) -> None:
        self.problems: list[Problem] = []
        self.count = 0
        self._file = file
        self._owned_tags = owned_tags
        self._values: dict[str, object] = {}
        self._terms = Terms()
        self._all_terms: list[Terms] = [self._terms]
        self._cases: list[Case] = []
        self._lines: dict[str, int] = {}
        self._grades: set[float] = set()
        self._floors: list[tuple[Case, Node]] = []

    def suite_terms(self, header: Mapping[str, tuple[ScalarEvent, Node]]) -> None:
        """Check what the suite sets for its cases."""
        values, _ = self._checked(header, SUITE, {}, None)
        self._check_tags(values, header, None)
        self._values = values
        try:
            self._terms = make_terms(values)
        except Refused as refused:
            self._refuse(refused, _root(header), None)
        self._all_terms = [self._terms]

    def add(self, node: Node) -> None:
        """Check a case and keep it, or keep what is wrong with it."""
        self.count += 1
        if type(node) is not MappingNode:
            self.problems.append(problem_at(node.start_mark, 'a case is a mapping; write "- query: ..."'))
            return
        pairs = node.pairs
        label = _label(pairs, self.count)
        before = len(self.problems)
        values, own = self._checked(pairs, CASE, self._values, label)
        if "query" not in pairs:
            self.problems.append(
                _with_case(problem_at(node.start_mark, 'the case has no "query", the only key it must have'), label)
            )
        if own.get("tags"):
            self._check_tags(own, pairs, label)
        if not self._is_new(own, pairs, label) or len(self.problems) > before:
            return
        try:
            case = checked_case(
                own, values, self._terms, line=node.start_mark.line + 1, column=node.start_mark.column + 1
            )
        except Refused as refused:
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

    def _is_new(self, own: Mapping[str, object], pairs: Mapping[str, tuple[ScalarEvent, Node]], label: str) -> bool:
        """Whether no case before has the id of this one, which is its query when it has none of its own."""
        key = "id" if "id" in own else "query"
        if key not in own:
            return False
        written = str(own[key])
        name = written if key == "id" else node_name(written)
        mark = pairs[key][1].start_mark
        first = self._lines.get(name)
        if first is None:
            self._lines[name] = mark.line + 1
            return True
        cure = "ids are unique in a file" if key == "id" else "give one of them an id"
        message = f"a second case with the id {quoted(written)}, the first is in line {first}; {cure}"
        self.problems.append(_with_case(problem_at(mark, message), label))
        return False

    def finish(self) -> None:
        """After the last case: what depends on the judgments of the whole file."""
        lowest, highest = min(self._grades, default=0.0), max(self._grades, default=0.0)
        for terms in self._all_terms:
            terms.settle(lowest, highest)
        for case, node in self._floors:
            for refused in unreachable(case):
                self._refuse(refused, node, _label(node.pairs, 0))
        self._floors.clear()

    def suite(self) -> Suite:
        """The suite; only when there are no problems."""
        return Suite(self._file, tuple(self._cases), self._terms)

    def _checked(
        self,
        pairs: Mapping[str, tuple[ScalarEvent, Node]],
        level: str,
        inherited: Mapping[str, object],
        label: str | None,
    ) -> tuple[dict[str, object], dict[str, object]]:
        """The values of a mapping's keys, on top of the inherited ones and alone."""
        values, own = dict(inherited), {}
        for name, (key, _) in pairs.items():
            field = FIELDS.get(name)
            if field is None or level not in field.at:
                self.problems.append(_with_case(problem_at(key.start_mark, _unknown(name, level)), label))
        for name, field in FIELDS.items():  # the table's order, not the file's: a scale is checked before its grades
            if name not in pairs or level not in field.at:
                continue
            node = pairs[name][1]
            try:
                if name == "judgments" and level == SUITE:
                    raise Refused(_SUITE_JUDGMENTS)
                own[name] = values[name] = field.check(field.read(node), values)
            except (Refused, RefusedSeveral) as error:
                for refused in refusals_of(error, name):
                    self._refuse(refused, _root(pairs), label)
        return values, own

    def _check_tags(
        self, values: Mapping[str, object], pairs: Mapping[str, tuple[ScalarEvent, Node]], label: str | None
    ) -> None:
        for number, tag in enumerate(values.get("tags") or ()):  # type: ignore[arg-type, var-annotated]
            try:
                check_tag(tag, self._owned_tags)
            except Refused as refused:
                self._refuse(refused.under("tags", number), _root(pairs), label)

    def _refuse(self, refused: Refused, root: Node, label: str | None) -> None:
        mark = _locate(root, refused.path, at_key=refused.at_key)
        key = f"{refused.path[0]}: " if refused.path and not refused.at_key else ""
        self.problems.append(_with_case(problem_at(mark, f"{key}{refused.message}"), label))


_SUITE_JUDGMENTS = (
    "a judgment file for the whole suite is not supported yet by this version of pytest-relevance; "
    "write the judgments in the cases"
)


def make_terms(values: Mapping[str, object]) -> Terms:
    """`Terms` from checked values of their keys. `Refused` where two of them do not go together."""
    settings = Settings(**{name: values[name] for name in SCORING if name in values})  # type: ignore[arg-type]
    terms = Terms(settings=settings, **{name: values[name] for name in INHERITED if name in values})  # type: ignore[arg-type]
    scale = terms.scale
    if scale is not None and settings.gain == "exponential" and scale.highest > LARGEST_EXPONENTIAL_GRADE:
        raise Refused(
            f"with gain: exponential (2^grade - 1) the highest grade may be {LARGEST_EXPONENTIAL_GRADE}, found "
            f"{scale.highest:g}; write gain: linear, or a smaller scale",
            ("scale",),
        )
    return terms


def checked_case(
    own: Mapping[str, object], values: Mapping[str, object], suite: Terms, *, line: int, column: int
) -> Case:
    """A `Case` from its checked keys (`own`), those on top of the suite's (`values`) and the suite's terms.

    `Refused` with a path from the case where keys contradict each other.
    """
    terms = suite
    if not _OVERRIDABLE.isdisjoint(own):
        terms = make_terms({**values, **{name: getattr(suite, name) for name in ("min_ndcg", "params", "tags")}})
    graded = own.get("judgments", _NO_GRADES)
    assert isinstance(graded, Graded)
    expect: tuple[Expectation, ...] = own.get("expect", ())  # type: ignore[assignment]
    floor = _floor(own, terms, graded, expect)
    written_id = own.get("id")
    tags = suite.tags
    if "tags" in own:
        tags = tuple(dict.fromkeys((*tags, *own["tags"])))  # type: ignore[misc]
    query = own["query"]
    optional = {name: own[name] for name in _AS_THEY_ARE if name in own}
    return Case(
        id=query if written_id is None else written_id,  # type: ignore[arg-type]
        query=query,  # type: ignore[arg-type]
        terms=terms,
        judgments=graded.grades,
        min_ndcg=floor,
        line=line,
        column=column,
        params=own.get("params", suite.params),  # type: ignore[arg-type]
        tags=tags,
        has_written_id=written_id is not None,
        expect=expect,
        titles=graded.titles,
        notes=graded.notes,
        **optional,  # type: ignore[arg-type]
    )


# what a case may override within `Terms`; its floor, tags and params it holds itself
_OVERRIDABLE = frozenset({*INHERITED, *SCORING}) - {"min_ndcg", "params", "tags"}
_AS_THEY_ARE = ("weight", "xfail", "skip", "note", "usefixtures")


def _floor(own: Mapping[str, object], terms: Terms, graded: Graded, expect: tuple[Expectation, ...]) -> float | None:
    """The floor that applies to a case: its own, the inherited one, or none."""
    floor: float | None = own.get("min_ndcg", terms.min_ndcg)  # type: ignore[assignment]
    written = own.get("min_ndcg") is not None
    gains = terms.settings.gains
    relevant = False
    for grade in graded.distinct:
        try:
            relevant = gains[grade] > 0 or relevant
        except ValueError as error:
            document = next(document for document, found in graded.grades.items() if found == grade)
            raise Refused(str(error), ("judgments", document)) from None
    if floor is None:
        return None
    if any(expected.kind == "results" and expected.comparison == "==" and not expected.bound for expected in expect):
        if written:
            raise Refused("a case that expects no results has no nDCG; take min_ndcg or results: 0 away", ("min_ndcg",))
        return None
    if not graded.grades:
        if written:
            raise Refused(
                "a floor needs judgments, and the case has none; add judgments, or take it out", ("min_ndcg",)
            )
        raise Refused(
            f"the suite's min_ndcg {floor:g} applies to this case, which has no judgments; "
            "add judgments, or write min_ndcg: null"
        )
    if not relevant:
        if written:
            raise Refused(
                "no judged document has a gain above 0, so nDCG is not defined and no floor can hold; "
                "judge a relevant document, or take min_ndcg out",
                ("min_ndcg",),
            )
        return None
    return floor


def case_from_values(values: Mapping[str, object]) -> Case:
    """A case written in Python, from its keys and plain values (the keys of a case in a case file).

    Raises ValueError naming the key, what was found and what is allowed.
    """
    own: dict[str, object] = {}
    unknown = [name for name in values if name not in _NAMES[CASE]]
    if unknown:
        raise ValueError(_unknown(unknown[0], CASE))
    try:
        for name, field in FIELDS.items():
            if name in values:
                try:
                    own[name] = field.check(values[name], own)
                except (Refused, RefusedSeveral) as error:
                    raise refusals_of(error, name)[0] from None
        case = checked_case(own, own, Terms(), line=0, column=0)
        graded = own.get("judgments", _NO_GRADES)
        assert isinstance(graded, Graded)
        terms = replace(case.terms)  # its own: the default terms are nobody's to settle
        terms.settle(min(graded.distinct, default=0.0), max(graded.distinct, default=0.0))
        case = replace(case, terms=terms)
        for refused in unreachable(case) if needs_best(case) else ():
            raise refused
    except Refused as refused:
        where = "".join(f"[{part!r}]" if step else str(part) for step, part in enumerate(refused.path))
        raise ValueError(f"{where}: {refused.message}" if where else refused.message) from None
    return case


def needs_best(case: Case) -> bool:
    """Whether a floor of the case could be above the best score that its judgments allow."""
    return (case.min_ndcg is not None and case.settings.ideal == "max") or any(
        expected.metric is not None for expected in case.expect
    )


def unreachable(case: Case) -> list[Refused]:
    """The floors of a case that no ranking can reach: above what the ideal order of its own judgments scores."""
    gains = case.settings.gains
    best = sorted(case.judgments.values(), key=lambda grade: (gains[grade], grade), reverse=True)
    ideal = GradedRanking(list(best), (), best)
    found = []
    if case.min_ndcg is not None and case.settings.ideal == "max":
        metric = Metric(f"nDCG@{case.k}", "nDCG", case.k)
        if (reached := score(metric, ideal, case.settings)) < case.min_ndcg - _ROUNDING:
            found.append(_above_best(metric.text, case.min_ndcg, reached, ("min_ndcg",)))
    for expected in case.expect:
        metric_ = expected.metric
        if metric_ is None:
            continue
        path: Path = ("expect", expected.written)
        if not best:
            found.append(Refused(f"{metric_.text} needs judgments, and the case has none; add judgments", path))
            continue
        reached = score(metric_, ideal, case.settings)
        if isnan(reached):
            found.append(Refused(f"{metric_.text} is not defined, as no judged document is relevant; judge one", path))
        elif _beyond(expected, reached):
            found.append(_above_best(metric_.text, expected.bound, reached, path))
    return found


def _beyond(expected: Expectation, reached: float) -> bool:
    if expected.comparison in (">=", "=="):
        return expected.bound > reached + _ROUNDING
    return expected.comparison == ">" and expected.bound >= reached


def _above_best(name: str, floor: float, best: float, path: Path) -> Refused:
    return Refused(
        f"the floor {floor:g} of {name} is above {best:.4g}, the best that the judgments of the case allow; "
        "lower it, or judge more documents",
        path,
    )


def _unknown(name: str, level: str) -> str:
    field = FIELDS.get(name)
    if field is not None:
        other = "of the suite, beside cases" if level == CASE else "of a case"
        return f"{quoted(name)} is a key {other}, not of a {level}"
    return (
        f"unknown key {quoted(name)} of a {level}{did_you_mean(name, _NAMES[level]) or f'; it takes {_listed(level)}'}"
    )


def _listed(level: str) -> str:
    return ", ".join(_NAMES[level])


def _label(pairs: Mapping[str, tuple[ScalarEvent, Node]], number: int) -> str:
    for name in ("id", "query"):
        node = pairs[name][1] if name in pairs else None
        if type(node) is ScalarEvent and node.value:
            return quoted(node.value, 60)
    return f"number {number}"


def _with_case(problem: Problem, label: str | None) -> Problem:
    return Problem(problem.line, problem.column, problem.message, label)


def _root(pairs: Mapping[str, tuple[ScalarEvent, Node]]) -> MappingNode:
    first = next(iter(pairs.values()))[0] if pairs else None
    root = MappingNode(first.start_mark if first is not None else Mark("", 0, 0, 0, None, None))
    root.pairs = dict(pairs)
    return root


def _locate(root: Node, path: Path, *, at_key: bool) -> Mark:
    """The place in the file that a path of keys and indexes leads to, as far as it can be followed."""
    node, mark = root, root.start_mark
    for step, part in enumerate(path):
        if type(node) is MappingNode and part in node.pairs:
            key, node = node.pairs[part]  # type: ignore[index]
            mark = key.start_mark if at_key and step == len(path) - 1 else node.start_mark
        elif type(node) is SequenceNode and isinstance(part, int) and part < len(node.items):
            node = node.items[part]
            mark = node.start_mark
        elif type(node) is not QuickJudgments:
            break
    return mark
