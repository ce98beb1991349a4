"""The files that a suite and its cases name, while the cases are read: which queries they add, which judgments.

A suite without files needs none of what reads them, and imports none of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pytest_relevance.cases.files import JUDGED, ONLY, Files, NamedFile
from pytest_relevance.cases.graded import NO_JUDGMENTS, Graded
from pytest_relevance.cases.problems import Refused, RefusedSeveral
from pytest_relevance.cases.queries import ListedQueries, ListedQuery

if TYPE_CHECKING:
    from pytest_relevance.cases.judged import JudgmentFiles


class Sources:
    """The files of one suite: whether it names any of queries, and whether it or a case so far names any of judgments.

    While something in them is wrong, `unknown` says so: no case knows its judgments then.
    """

    def __init__(self, files: Files) -> None:
        self.unknown = False
        self.has_queries = False
        self.has_judgments = False
        self._files = files
        self._queries: ListedQueries | None = None
        self._judgments: JudgmentFiles | None = None
        self._rest_unknown = False

    @property
    def paths(self) -> tuple[str, ...]:
        """The files that were read."""
        return self._files.paths

    def open(self, suite: Mapping[str, object]) -> list[Refused]:
        """Read the files that the checked keys of a suite name. What is refused has its path from the suite."""
        refusals: list[Refused] = []
        queries: Sequence[NamedFile] | None = suite.get("queries")  # type: ignore[assignment]
        if queries is not None:
            self.has_queries = True
            self._queries = ListedQueries()
            for named in queries:
                if named.only_judged and "judgments" not in suite:
                    refusals.append(Refused(_NONE_IS_JUDGED, ("queries", *named.at[:-1], ONLY)))
                    self.unknown = True
                    continue
                try:
                    refusals += self._queries.add(
                        self._files.queries(named), self._files.shown(named), only_judged=named.only_judged
                    )
                except (Refused, RefusedSeveral) as error:
                    self.unknown = True
                    refusals += [refused.under("queries", *named.at) for refused in error.all()]
        if "judgments" in suite:
            try:
                self._judgments_under(suite).serve_all(suite["judgments"])  # type: ignore[arg-type]
            except (Refused, RefusedSeveral) as error:
                self.unknown = True
                refusals += [refused.under("judgments") for refused in error.all()]
        return refusals

    def query_of(self, written_id: str | None, text: str | None) -> ListedQuery | None:
        """The listed query that a written case stands for. `Refused` where its id and text contradict each other."""
        return self._queries.of_case(written_id, text) if self._queries is not None else None

    def other_queries(self) -> Sequence[ListedQuery]:
        """The listed queries that no written case stands for."""
        return self._queries.rest() if self._queries is not None else ()

    def judgments_of(
        self, name: str | None, own: Mapping[str, object], values: Mapping[str, object], suite: Mapping[str, object]
    ) -> Graded:
        """The judgments of a case by its checked keys (`own`), those on top of the suite's (`values`), and the suite's.

        `name` is its id, None where it has none but its query. `Refused` or `RefusedSeveral` with paths from the case.
        """
        written = own.get("judgments", NO_JUDGMENTS)
        if self._judgments is None and isinstance(written, Graded):
            return written
        return self._judgments_under(suite).of_case(name, str(own["query"]), own, values)

    def judgments_of_listed(self, query: ListedQuery, suite: Mapping[str, object]) -> Graded:
        """The judgments of a listed query in the files of the suite; `NO_JUDGMENTS` where these have none.

        `Refused` or `RefusedSeveral` for ratings that are no grades, or contradict each other.
        """
        if "judgments" not in suite:
            return NO_JUDGMENTS
        return self._judgments_under(suite).of_query(query.id, query.text)

    def none_judged(self, queries: Sequence[ListedQuery], suite: Mapping[str, object]) -> Refused | None:
        """What to say where none of the `queries`, which no written case stands for, has judgments.

        None where the judgments have something for a query that a written case stands for: the files belong together.
        """
        assert self._queries is not None
        try:
            if any(self.judgments_of_listed(query, suite).grades for query in self._queries.stood_for()):
                return None
        except (Refused, RefusedSeveral):  # told with that case
            return None
        return self._judgments_under(suite).none_of([(query.id, query.text) for query in queries]).under("judgments")

    @property
    def listed(self) -> int:
        """How many queries the files of queries have."""
        return len(self._queries) if self._queries is not None else 0

    def skip(self, own: Mapping[str, object]) -> None:
        """Note that the judgments of a case are not asked for, as something else is wrong with it."""
        self._rest_unknown |= "scale" in own or "raters" in own

    def look_at_the_rest(self) -> list[Refused]:
        """What is wrong with judgments that no case asked for, once all have asked."""
        if self._judgments is None or self._rest_unknown:
            return []
        return self._judgments.look_at_the_rest()

    def notices(self) -> tuple[str, ...]:
        """What is no mistake in the files, and may be one."""
        return tuple(self._judgments.notices()) if self._judgments is not None else ()

    def _judgments_under(self, suite: Mapping[str, object]) -> JudgmentFiles:
        if self._judgments is None:
            from pytest_relevance.cases.judged import GradingTerms, JudgmentFiles

            listed = self._queries.ids if self._queries is not None else None
            self._judgments = JudgmentFiles(self._files, GradingTerms.of(suite), listed)
            self.has_judgments = True
        return self._judgments


_NONE_IS_JUDGED = (
    f"the suite names no judgments, so that no query is {JUDGED}; name their file (judgments: FILE), or take {ONLY} out"
)
