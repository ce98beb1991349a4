"""Read case files: `read_suite(path)` for everybody, `load_suite` for the plugin, `parse_suite` for bytes.

The file is read in one pass, a case at a time, so that memory grows only with the content of the cases. Reading starts
again after a suite key below `cases`, which is a default for the cases above it too.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from yaml.error import YAMLError
from yaml.events import (
    MappingEndEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from pytest_relevance._problems import FileError, Place, Problem, RelevanceWarning
from pytest_relevance._text import printable, quoted
from pytest_relevance.cases import nodes
from pytest_relevance.cases.build import (
    NO_QUERY,
    check_reachable,
    has_bound,
    make_case,
    make_terms,
)
from pytest_relevance.cases.checking.gates import check_tags_of_gates
from pytest_relevance.cases.checking.judgments import (
    NO_JUDGMENTS,
    Graded,
    why_no_file,
    with_relevant,
)
from pytest_relevance.cases.checking.keys import (
    CASE,
    CASES,
    KEYS,
    QUERIES,
    SUITE,
    Shape,
    check_keys,
    converted,
)
from pytest_relevance.cases.checking.values import OWNED_TAGS, node_name
from pytest_relevance.cases.model import Case, Suite, Terms
from pytest_relevance.cases.nodes import EventReader, MappingNode, Mark, Node, Pairs
from pytest_relevance.cases.problems import (
    CaseFileError,
    CaseProblems,
    Elsewhere,
    Label,
    Location,
    Scope,
)
from pytest_relevance.cases.suite_floors import SuiteFloors
from pytest_relevance.metrics.metric import ProjectMetrics
from pytest_relevance.metrics.names import NO_METRICS

if TYPE_CHECKING:
    from pytest_relevance.cases.sources import ListedQuery, Sources


def read_suite(
    path: str | os.PathLike[str],
    *,
    owned_tags: frozenset[str] = OWNED_TAGS,
    metrics: ProjectMetrics | None = None,
) -> Suite:
    """Read a case file, and the files of judgments and queries that it names.

    `owned_tags` are the markers that a tag may not be. `metrics` are the project's own, {name: function}; without them
    each unknown name of a metric is taken for one of these. What may be a mistake is issued as a `RelevanceWarning`.

    Raises:
        CaseFileError: with every mistake in the files, its line and column; it is a ValueError.
        OSError: where the case file cannot be opened.
    """
    suite = load_suite(path, owned_tags=owned_tags, metrics=metrics)
    for message in suite.warnings:
        warnings.warn(f"{suite.path}: {message}", RelevanceWarning, stacklevel=2)
    return suite


def load_suite(path: str | os.PathLike[str], **arguments: Any) -> Suite:
    """Read a case file as `read_suite` does, without issuing warnings. The `arguments` are those of `parse_suite`."""
    file = os.fspath(path)
    return parse_suite(Path(file).read_bytes(), file, **arguments)


def parse_suite(
    data: bytes,
    file: str,
    *,
    shown: str | None = None,
    owned_tags: frozenset[str] = OWNED_TAGS,
    metrics: ProjectMetrics | None = NO_METRICS,
) -> Suite:
    """Read a case file from its bytes.

    `file` is the path of the suite, to which the paths of the files it names are relative; `shown` is its name in
    messages, by default `file`. The project has no metrics of its own unless `metrics` names them; None: they are not
    known.

    Raises:
        CaseFileError: with every mistake in the files.
    """
    shown = file if shown is None else shown
    contents: dict[Any, Any] = {}
    header: Pairs = {}
    late = True
    while late:  # once more where suite keys stand below `cases`
        known = len(header)
        builder = SuiteBuilder(file, shown, owned_tags, contents)
        builder.problems.metrics = metrics
        try:
            late = (
                _read_top_level(
                    EventReader(data, builder.problems.found), builder, header
                )
                and len(header) > known
            )
        except YAMLError as error:
            refuse_accident(data, shown)
            raise CaseFileError(
                shown, [*builder.problems.found, nodes.problem_of(error, data)]
            ) from None
    builder.finish()
    if builder.problems.found:
        refuse_accident(data, shown)
        raise CaseFileError(
            shown, builder.problems.found, builder.problems.has_many_elsewhere
        )
    return builder.suite()


def refuse_accident(data: bytes, shown: str) -> None:
    """Refuse what is no case file but a pointer of Git LFS, an HTML page, or an unfinished merge.

    Raises:
        CaseFileError: with this one mistake, as all others follow from it.
    """
    # imported only where there is a mistake to report
    from pytest_relevance._accidents import find_accident
    from pytest_relevance._source import Source

    try:
        accident = find_accident(Source(shown, data))
    except FileError:  # a case file may be UTF-16, and may have any other mistake
        return
    if accident is not None:
        raise CaseFileError(
            shown, [Problem(accident.message, Place(line=accident.line, column=1))]
        )


def has_cases(data: bytes) -> bool:
    """Whether a YAML text seems to have `cases` or `queries` at its top, which makes it a case file whatever its name.

    The text is not parsed: a mistake above the cases must be shown, not hide the file. The key begins a line, or stands
    anywhere in a file that begins with a brace, as JSON does.
    """
    text = data.decode(
        "utf-16" if nodes.is_utf_16(data) else "utf-8", "replace"
    ).removeprefix("\ufeff")
    beginning = r"\b" if text.lstrip().startswith("{") else r"""(?m)^["']?"""
    return bool(re.search(rf"""{beginning}(?:{CASES}|{QUERIES})["']?[ \t]*:""", text))


def _read_top_level(events: EventReader, builder: SuiteBuilder, header: Pairs) -> bool:
    """Read the top level, the suite keys into `header`; whether there are suite keys below `cases`."""
    problems = builder.problems.found
    if not events.top_level():
        message = 'the file is empty; a case file has "cases", a list of at least one "- query: ..."'
        problems.append(Problem(message, Place(line=1, column=1)))
        return False
    seen: dict[str, ScalarEvent] = {}
    late = False
    while type(event := events.event()) is not MappingEndEvent:
        key = events.key(event)
        name = key.value
        if name == nodes.MERGE_KEY and key.implicit[0]:
            late |= CASES in seen
            events.merge((key, events.compose(events.event())), header)
            continue
        if name in seen:
            events.compose(events.event())
            problems.append(nodes.duplicate(key, seen[name]))
            continue
        seen[name] = key
        if name == CASES:
            builder.set_defaults(header)
            _read_cases(events, builder, events.event())
        else:
            late |= CASES in seen
            header[name] = (key, events.compose(events.event()))
    events.finish()
    if CASES not in seen:
        builder.set_defaults(header)
        if QUERIES not in header and not problems:
            problems.append(Problem(_NO_CASES, Place(line=1, column=1)))
    return late


def _read_cases(events: EventReader, builder: SuiteBuilder, start: Any) -> None:
    if type(start) is not SequenceStartEvent:
        events.compose(start)
        builder.problems.add(
            start.start_mark, '"cases" takes a list; begin each case with "- query:"'
        )
        return
    while type(event := events.event()) is not SequenceEndEvent:
        reported = len(builder.problems.found)
        builder.add(events.compose(event), event.start_mark, reported)
    if not builder.count:
        builder.problems.add(
            start.start_mark, '"cases" is an empty list; write at least one "- query:"'
        )


_NO_CASES = f'the file has no "{CASES}" and no "{QUERIES}"; beside these a suite may have {", ".join(KEYS[SUITE])}'


_NAMING_FILES = frozenset({"judgments", "queries"})
_GRADING = frozenset({"scale", "raters", "id_field"})
"""While one of these keys is wrong in a suite, its files cannot be read as they are meant."""


def _plain(pair: tuple[ScalarEvent, Node], shape: Shape) -> object:
    return converted(pair[1], shape)


class SuiteBuilder:
    """Collects the cases of one file, and the problems in it and in the files that it names.

    `file`, `shown` and `owned_tags` are arguments of `reader.parse_suite`. `contents` keeps the files that were read
    from one builder to the next.
    """

    def __init__(
        self,
        file: str,
        shown: str,
        owned_tags: frozenset[str],
        contents: dict[Any, Any],
    ) -> None:
        self.count = 0
        self.problems = CaseProblems()
        self._file = file
        self._shown = shown
        self._contents = contents
        self._owned_tags = owned_tags
        self._root = MappingNode(None)
        self._values: dict[str, object] = {}
        self._wrong: frozenset[str] = frozenset()
        self._terms = Terms()
        self._sources: Sources | None = None
        self._cases: list[Case] = []
        self._lines: dict[str, int] = {}
        self._grades: set[float] = set()
        self._places: dict[int, MappingNode | Elsewhere] = {}
        self._unjudged: list[str] = []
        self._left_out: list[str] = []
        self._floors = SuiteFloors(self._terms)

    def set_defaults(self, header: Pairs) -> None:
        """Check what the suite sets for its cases, and read the files that it names."""
        first = next(iter(header.values()), None)
        self._root = MappingNode(
            first[0].start_mark if first is not None else None, header
        )
        at = Location(Scope({}, self.problems, self._root, owned_tags=self._owned_tags))
        self._values, self._wrong = check_keys(SUITE, header, _plain, at)
        before = at.scope.mistakes
        self._terms = make_terms(self._values, at)
        if at.scope.mistakes > before:
            self._wrong |= {"scale"}
        self._floors = SuiteFloors(self._terms)
        if (catalogue := self._terms.documents) is not None:
            shown = printable(
                os.path.normpath(
                    os.path.join(os.path.dirname(self._shown), catalogue.file)
                )
            )
            if why := why_no_file(catalogue.file, os.path.dirname(self._file), shown):
                at.refuse(why, "documents")
        if self._wrong.isdisjoint(_GRADING) and not _NAMING_FILES.isdisjoint(
            self._values
        ):
            self._opened().open(self._values, at)

    def add(self, node: Node, mark: Mark, reported: int) -> None:
        """Check a written case and keep it, or what is wrong with it.

        `mark` is where it begins in the list of cases; the problems from number `reported` on are of its own YAML.
        """
        self.count += 1
        if not isinstance(node, MappingNode):
            self.problems.add(mark, 'a case is a mapping; write "- query: ..."')
            return
        found, label = (
            self.problems.found,
            partial(nodes.label_of, node.pairs, self.count),
        )
        if len(found) > reported:
            found[reported:] = [
                replace(problem, case=label()) for problem in found[reported:]
            ]
        at = Location(
            Scope(dict(self._values), self.problems, node, label, self._owned_tags)
        )
        listed, defaults = self._listed(node, at)
        at.scope.values.update(defaults)
        own, wrong = check_keys(CASE, node.pairs, _plain, at, self._wrong)
        if "query" not in node.pairs:
            self.problems.add(mark, NO_QUERY, label())
        listed_id = None if listed is None or "id" in node.pairs else listed.query.id
        is_new = self._is_new(own, listed_id, node, mark, label)
        # while keys are wrong, what they say together cannot be known
        if wrong or self._is_unknown or not is_new or len(found) > reported:
            return
        written = own.get("judgments", NO_JUDGMENTS)
        if self._sources is not None or not isinstance(written, Graded):
            graded = self._opened().of_case(own, at)
        else:
            graded = with_relevant(written, own, at)
        self._keep({**defaults, **own}, graded, at, mark.line + 1, listed_id)

    def finish(self) -> None:
        """Make cases of listed queries, and check what all judgments of the file decide. To be called at the end."""
        at = Location(Scope(self._values, self.problems, self._root))
        if self._sources is not None and not self._wrong and not self._is_unknown:
            self._add_listed(self._sources, at)
        grades = sorted(self._grades)
        # cases that share terms, as most do, share the settled ones too
        settled = {id(self._terms): self._terms.settled(grades)}
        for number, case in enumerate(self._cases):
            if id(case.terms) not in settled:
                settled[id(case.terms)] = case.terms.settled(grades)
            # `_replace` would take twice as long
            self._cases[number] = case = Case(settled[id(case.terms)], *case[1:])
            if number in self._places:
                label = partial(quoted, case.id, 60)
                check_reachable(
                    case,
                    Location(Scope({}, self.problems, self._places[number], label)),
                )
        self._terms = settled[id(self._terms)]
        if self._sources is not None:
            self._sources.check_rest(at)
        if self._terms.gates and not self.problems.found:
            check_tags_of_gates(self._terms.gates, self._cases, at)
        if not self.problems.found:
            self._floors.check(at)

    def suite(self) -> Suite:
        """Make the suite. To be called only where there are no problems."""
        sources = self._sources
        return Suite(
            self._file,
            tuple(self._cases),
            self._terms,
            files=sources.paths if sources is not None else (),
            warnings=sources.notices() if sources is not None else (),
            queries_line=self._line_of("queries", at_key=True)
            if "queries" in self._root.pairs
            else 1,
            gate_lines=tuple(
                self._line_of("gates", index) for index in range(len(self._terms.gates))
            ),
            unjudged=tuple(self._unjudged),
            left_out=tuple(self._left_out),
            listed=len(sources.queries.by_id) if sources is not None else 0,
            absent=tuple(sources.absent) if sources is not None else (),
            without_floor=tuple(self._floors.sentences()),
        )

    def _line_of(self, *path: str | int, at_key: bool = False) -> int:
        return (
            1
            if (mark := self._root.mark_at(path, at_key=at_key)) is None
            else int(mark.line) + 1
        )

    @property
    def _is_unknown(self) -> bool:
        """Whether something is wrong with the files, so that no case knows its judgments."""
        return self.problems.has_many_elsewhere or (
            self._sources is not None and self._sources.unknown
        )

    def _opened(self) -> Sources:
        """The files of the suite. Only suites with files import what reads them."""
        if self._sources is None:
            from pytest_relevance.cases.sources import Sources

            self._sources = Sources(
                self._file, self._shown, self._values, self._contents
            )
        return self._sources

    def _listed(
        self, node: MappingNode, at: Location
    ) -> tuple[ListedQuery | None, dict[str, object]]:
        """The listed query that a written case matches, and the values that its file has for the case."""
        if self._sources is None or not self._sources.queries.by_id:
            return None, {}
        written_id, text = (
            pair[1].value
            if pair is not None and isinstance(pair[1], ScalarEvent)
            else None
            for pair in (node.pairs.get("id"), node.pairs.get("query"))
        )
        query = self._sources.queries.of_case(written_id, text, at)
        if query is None or at.scope.mistakes:
            return None, {}
        return query, query.defaults(
            Location(
                Scope(at.scope.values, self.problems, query.position, at.scope.label)
            )
        )

    def _add_listed(self, sources: Sources, at: Location) -> None:
        """Make cases of the listed queries that match no written case."""
        _, queries = sources.queries.split()
        floor = self._terms.min_ndcg
        if queries and floor is not None and "judgments" not in self._values:
            message = f"the floor {floor:g} applies to the listed queries, which have no judgments; name their file"
            at.refuse(f"{message} (judgments: FILE), or take it out", "min_ndcg")
            return
        for query in queries:
            if not self.problems.has_many_elsewhere:
                self._add_query(query, sources)
        if (
            "judgments" in self._values
            and len(queries) == len(self._unjudged) + len(self._left_out) > 0
        ):
            sources.check_any_judged(queries, at)

    def _add_query(self, query: ListedQuery, sources: Sources) -> None:
        """Make a case of a listed query: without a floor where the judgments of the suite have none for it."""
        name = query.query.id
        at = Location(
            Scope(
                dict(self._values),
                self.problems,
                query.position,
                partial(quoted, name, 60),
            )
        )
        if (first := self._lines.get(node_name(name))) is not None:
            what = f"the case in line {first} of the case file has the id {quoted(name)} too"
            at.refuse(f"{what}; give that case another id")
        own = {"query": query.text, **query.defaults(at)}
        graded = sources.of_listed(query, at)
        if "judgments" in self._values and not graded.grades and not at.scope.mistakes:
            if query.only_judged:
                self._left_out.append(name)
                return
            self._unjudged.append(query.text)
            own["min_ndcg"] = None
        self._keep(own, graded, at, query.query.line or 1, name, query.file)

    def _keep(
        self,
        own: Mapping[str, object],
        graded: Graded,
        at: Location,
        line: int,
        listed_id: str | None,
        source: str | None = None,
    ) -> None:
        """Make a case of its checked keys, and keep it where nothing is wrong with it."""
        if at.scope.mistakes:
            return
        case = make_case(
            own, self._terms, graded, at, line=line, listed_id=listed_id, source=source
        )
        if at.scope.mistakes:
            return
        if (
            case.not_applicable
            and source is not None
            and "judgments" not in self._values
        ):
            self._unjudged.append(case.query)
        is_told = source is not None and not graded.grades  # as an unjudged query
        self._floors.count(own, case, is_told=is_told)
        self._grades |= graded.distinct
        if has_bound(case):
            where = at.scope.where
            if isinstance(
                where, MappingNode
            ):  # without its judgments: their nodes would take much memory
                pairs = {
                    name: pair
                    for name, pair in where.pairs.items()
                    if name != "judgments"
                }
                where = MappingNode(where.start_mark, pairs)
            assert where is not None
            self._places[len(self._cases)] = where
        self._cases.append(case)

    def _is_new(
        self,
        own: Mapping[str, object],
        listed_id: str | None,
        node: MappingNode,
        mark: Mark,
        label: Label,
    ) -> bool:
        """Check that no case above has the same id: the written id, the id of the listed query, or the query."""
        key = "id" if "id" in own else "query"
        if key not in own or (key == "query" and "id" in node.pairs):
            return False
        written = listed_id or str(own[key])
        name = written if key == "id" else node_name(written)
        if name not in self._lines:
            self._lines[name] = mark.line + 1
            return True
        advice = "ids are unique in a file" if key == "id" else "give one of them an id"
        message = f"{key}: a second case with the id {quoted(written)}, the first is in line {self._lines[name]}; {advice}"
        self.problems.add(mark, message, label())
        return False
