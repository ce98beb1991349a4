"""The search for the judgments of a query in several judgment files.

`JudgmentFile` finds the query in one file. `case_judgments` unites what is found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import TypeAlias

from pytest_relevance._text import counted, did_you_mean, listed, quoted
from pytest_relevance.cases.case_judgments import (
    CaseJudgments,
    FileJudgments,
    fill_gaps,
    unite,
)
from pytest_relevance.cases.judgment_file import JudgmentFile
from pytest_relevance.cases.location import WRONG, Wrong, silent_location
from pytest_relevance.cases.overruled_rows import (
    BY_CASE,
    BY_OTHERS,
    OverruledRow,
    find_overruled,
    notices_of,
)
from pytest_relevance.cases.passages_of_files import with_passages
from pytest_relevance.cases.query_keys import Lookup
from pytest_relevance.judgments.model import FORMATS_OF_IDS, IDS

_MOST_ADVISED = 3
"""How many cases get advice on a close name."""

_MOST_COMPARED = 5_000
"""How many names are compared for one case. Comparing 100,000 would take a second."""

JudgmentFiles: TypeAlias = Sequence[JudgmentFile]


class JudgmentFinder:
    """Finds the judgments of queries in judgment files.

    Also notes the rows of these files that have no effect.
    """

    def __init__(self) -> None:
        self._overruled: list[OverruledRow] = []
        self._misses = 0
        """How many cases found no judgments; only the first get advice on a close
        name.
        """

    def find(
        self, files: JudgmentFiles, lookup: Lookup
    ) -> CaseJudgments | Wrong | None:
        """Return the judgments of a query; None if the files have none.

        Files with `fill: true` are not searched. Grades that contradict each other, and
        other mistakes about the query, are reported.
        """
        parts: list[FileJudgments] = []
        is_wrong = False
        for file in files:
            if file.fills:
                continue
            in_file = file.find(lookup)
            if in_file is WRONG:
                is_wrong = True
            else:
                parts.extend(in_file)
        if is_wrong:
            return WRONG
        return _unite(parts, lookup) if parts else None

    def refuse_unjudged(self, files: JudgmentFiles, lookup: Lookup) -> Wrong | None:
        """Report that files have no judgments of a query that they should judge.

        None if there are no such files: files with `fill: true` need not judge it.
        """
        files = [file for file in files if not file.fills]
        if not files:
            return None
        count = sum(len(file.known) for file in files)
        self._misses += 1
        close = ""
        if self._misses <= _MOST_ADVISED:
            close = _close_name(files, lookup)
        advice = ""
        have_ids_alone = all(file.ratings.format in FORMATS_OF_IDS for file in files)
        if lookup.id is None and have_ids_alone:
            advice = (
                "; the file has ids alone: give the case its id, or name a file of "
                "queries with their texts (queries: ...)"
            )
        return lookup.at.refuse(
            f"no judgments: {names_of(files)} "
            f"({counted(count, 'query', 'queries')}) judges nothing for "
            f"{listed(map(quoted, lookup.names))}{close}{advice}; if the case needs "
            "no judgments, write judgments: {}"
        )

    def fill(
        self, people: CaseJudgments, files: JudgmentFiles, lookup: Lookup
    ) -> CaseJudgments | Wrong:
        """Return the judgments of people, completed by files with `fill: true`.

        `people`: what the case, or the files without `fill`, say.

        If a person gave another grade in such a file than in `people`, the row is noted
        as one without effect. The grades of a machine are expected to differ.
        """
        parts: list[FileJudgments] = []
        for file in dict.fromkeys(files):  # a case may name a file of the suite too
            if not file.fills:
                continue
            in_file = file.find(lookup)
            if in_file is WRONG:
                return WRONG
            parts.extend(in_file)
            for row in find_overruled(people.grades, in_file, BY_OTHERS):
                if file.is_of_people(row.query, row.document):
                    self._overruled.append(row)
        if people.passages and parts:
            return lookup.at.refuse(
                f"the case has passages, and {parts[0].judgments.file} judges documents "
                "for it; take one of them out"
            )
        return fill_gaps(people, parts, terms=lookup.terms, at=lookup.at)

    def note_overruled(
        self, own: CaseJudgments, files: JudgmentFiles, lookup: Lookup
    ) -> None:
        """Note the rows of judgment files that the grades of a case replace."""
        silently = replace(lookup, at=silent_location())
        for file in files:
            if file.fills:
                continue
            parts = file.find(silently)
            if parts is not WRONG:
                self._overruled.extend(find_overruled(own.grades, parts, BY_CASE))

    def notices(self) -> list[str]:
        """Return one notice for each file that has rows without effect."""
        return notices_of(self._overruled)


def check_fills(files: JudgmentFiles, lookup: Lookup) -> None:
    """Report mistakes about a query in files with `fill: true`, and nothing else."""
    for file in files:
        if file.fills:
            file.find(lookup)


def names_of(files: JudgmentFiles) -> str:
    """Return the names of files in words: `a.csv and b.csv`."""
    return listed([file.name for file in files], "and")


def _unite(parts: Sequence[FileJudgments], lookup: Lookup) -> CaseJudgments | Wrong:
    """Return the judgments of one query, with passages if a file has quotes.

    Mistakes are reported.
    """
    judgments = unite(parts, lookup.terms, lookup.at)
    if judgments is WRONG or all(part.judgments.documents_are == IDS for part in parts):
        return judgments
    return with_passages(judgments, parts, lookup.at)


def _close_name(files: JudgmentFiles, lookup: Lookup) -> str:
    """Return advice if a name in the files is close to a name of the query, else ""."""
    known: dict[str, None] = {}
    for file in files:
        for key in islice(file.known, _MOST_COMPARED):
            known[key] = None
            known[file.known.text(key)] = None
    names = list(islice(known, _MOST_COMPARED))
    for name in lookup.names:
        advice = did_you_mean(name, names)
        if advice:
            return advice
    return ""
