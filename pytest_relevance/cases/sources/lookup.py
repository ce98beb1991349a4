"""How the cases of a suite find their judgments in the files that the suite and they themselves name.

In each file a case is looked for by its id; where the file does not know that, by the text of its query and by the ids
that files of queries give that text. The suite's files are the default, and what the case has itself is laid over it,
document by document. A file is graded once, as a whole; a case whose own scale or raters give it other grades has its
own rows graded again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from pytest_relevance.cases.files import Files, NamedFile, refusals_of
from pytest_relevance.cases.graded import NO_JUDGMENTS, Graded, Origin
from pytest_relevance.cases.problems import Problem, Refused, RefusedSeveral
from pytest_relevance.judgments.grading import graded
from pytest_relevance.judgments.model import Judgments, Ratings
from pytest_relevance.judgments.problems import JudgmentFileError
from pytest_relevance.judgments.raters import aggregate
from pytest_relevance.judgments.scale import Scale
from pytest_relevance.wording import did_you_mean, listed, quoted

MOST_NAMED = 3
"""Queries without a case that a warning names."""

_IDS_ALONE = frozenset({"trec"})
"""The formats whose judgments never say the text of a query."""

MOST_MISSES = 3
MOST_COMPARED = 5_000
"""Misses that are answered with a close name, and names that are compared for each: 100,000 would take a second."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What judgments are looked for: those of a case with this query, and this id where it has one of its own."""

    id: str | None
    text: str
    listed: Callable[[str], Sequence[str]]

    @property
    def ids(self) -> Sequence[str]:
        """The ids that files of queries give the query."""
        return self.listed(self.text)

    @property
    def names(self) -> list[str]:
        """All of them, each once."""
        written = () if self.id is None else (self.id,)
        return list(dict.fromkeys((*written, self.text, *self.ids)))


@dataclass(frozen=True, slots=True)
class GradingTerms:
    """What grades of files are read with: the scale, and the raters where somebody wrote how they are combined."""

    scale: Scale | None
    raters: str | None

    @classmethod
    def of(cls, values: Mapping[str, object]) -> GradingTerms:
        """Those among the checked values of a suite or a case."""
        return cls(values.get("scale"), values.get("raters"))  # type: ignore[arg-type]


class JudgmentFile:
    """A judgment file of a suite: its judgments under the suite's terms, and which of its queries cases know.

    Where some ratings are none under those terms, only the cases they belong to are wrong, or those in terms of their
    own are right: then each case has its own rows graded.
    """

    def __init__(self, ratings: Ratings, terms: GradingTerms) -> None:
        self.name = ratings.file
        self.ratings = ratings
        self.terms = terms
        self.used = set[str]()
        self.other_texts: dict[str, str] = {}
        self._rows: dict[str, list[int]] | None = None
        self._whole: Judgments | None = None
        try:
            self._whole = graded(ratings, terms.scale, terms.raters, words_need_scale=True)
        except JudgmentFileError:
            self.known = Judgments({key: {} for key in ratings.queries}, queries=ratings.described)
        else:
            self.known = self._whole

    def keys(self, asked: Asked) -> list[str]:
        """The keys under which the judgments of a case stand here. `Refused` where that may be two queries."""
        known, name = self.known, asked.id
        if name is not None and (name in known or name in known.queries) and not self._is_text_of_another(asked):
            keys = self._by_id(name, asked.text)
        else:
            keys = self._by_text(asked)
        self.used.update(keys)
        return keys

    def _by_id(self, name: str, text: str) -> list[str]:
        """Those under the id of a case, and under its text where the file has ratings with and without ids."""
        known = self.known
        there = known.text(name)
        if there not in (name, text) and _loosely(there) != _loosely(text):
            others = [key for key in self._texts(text, has_id=True) if key != name]
            if others:
                raise Refused(
                    f"{self.name} has the query {quoted(text)} under {quoted(others[0])}, and under the id "
                    f"{quoted(name)} of the case the query {quoted(there)}; give the case the id of its own query"
                )
            self.other_texts[name] = text
        beside = text != name and text in known and known.text(text) == text and there == text
        return [key for key in dict.fromkeys([name, *([text] if beside else [])]) if key in known]

    def _by_text(self, asked: Asked) -> list[str]:
        """Those under the text of a case, and under the ids that files of queries give it."""
        keys = [
            key
            for key in dict.fromkeys([*self._texts(asked.text, has_id=asked.id is not None), *asked.ids])
            if key in self.known
        ]
        ids = [key for key in keys if key != asked.text]
        if len(ids) > 1 and asked.id is None:
            names = listed(map(quoted, ids[:MOST_NAMED]), "and")
            raise Refused(
                f"{self.name} has the query {quoted(asked.text)} under {names}; give the case one of them as id"
            )
        return keys

    def _texts(self, text: str, *, has_id: bool) -> list[str]:
        """The keys of the queries with a text. Where a case has an id and the file nothing else, none is a text."""
        keys = self.known.known_as(text)
        no_text = self.known.text(text) != text  # it is the id of another query
        if text not in self.known.queries:
            no_text = has_id and bool(self.ratings.by_id)
        return [key for key in keys if not (no_text and key == text)]

    def _is_text_of_another(self, asked: Asked) -> bool:
        """Whether the id of a case is the text of another query here, and the text of the case stands here itself."""
        return self.ratings.by_id is False and asked.id != asked.text and asked.text in self.known

    def names(self, asked: Asked) -> bool:
        """Whether the file names the query, with judgments or without."""
        return any(name in self.known.queries for name in asked.names) or bool(self.known.known_as(asked.text))

    def judgments(self, keys: Sequence[str], terms: GradingTerms) -> Judgments:
        """The judgments of some queries, among others. `RefusedSeveral` for ratings that are none."""
        if self._whole is not None and terms is self.terms:
            return self._whole
        try:
            return graded(self._rows_of(keys), terms.scale, terms.raters, words_need_scale=True)
        except JudgmentFileError as error:
            raise RefusedSeveral(refusals_of(error)) from None

    def look_at_the_rest(self) -> None:
        """Grade the rows that no case asked for, where the file could not be graded as a whole."""
        if self._whole is None:
            self.judgments([key for key in self.known if key not in self.used], self.terms)

    def notices(self) -> list[str]:
        """What somebody should know of the file: what was left out in reading, and what no case will use."""
        found = [f"{self.name}: {notice}" for notice in self.ratings.notices]
        found += [
            f"{self.name}: the query {quoted(key, 40)} is {quoted(self.known.text(key), 40)} there and "
            f"{quoted(text, 40)} in its case; its judgments are used all the same: is it the same query?"
            for key, text in list(self.other_texts.items())[:MOST_NAMED]
        ]
        unknown = [key for key in self.known if key not in self.used]
        if unknown:
            names = ", ".join(quoted(key, 40) for key in unknown[:MOST_NAMED])
            more = " ..." if len(unknown) > MOST_NAMED else ""
            have = "has" if len(unknown) == 1 else "have"
            found.append(f"{self.name}: {len(unknown):,} of {len(self.known):,} queries {have} no case: {names}{more}")
        return found

    def _rows_of(self, keys: Iterable[str]) -> Ratings:
        ratings = self.ratings
        if self._rows is None:
            self._rows = {}
            for row, query in enumerate(ratings.queries):
                self._rows.setdefault(query, []).append(row)
        rows = [row for key in keys for row in self._rows[key]]
        return replace(
            ratings,
            queries=[ratings.queries[row] for row in rows],
            documents=[ratings.documents[row] for row in rows],
            ratings=[ratings.ratings[row] for row in rows],
            raters=None if ratings.raters is None else [ratings.raters[row] for row in rows],
            titles=None if ratings.titles is None else [ratings.titles[row] for row in rows],
            place=lambda number: ratings.place(rows[number]),
        )


class JudgmentFiles:
    """The judgment files of a suite and of its cases.

    `terms` are the suite's; `listed` knows the ids that files of queries give a text.
    """

    def __init__(self, files: Files, terms: GradingTerms, listed: Callable[[str], Sequence[str]] | None = None) -> None:
        self._files = files
        self._terms = terms
        self._listed = listed if listed is not None else _no_ids
        self._opened: dict[NamedFile, JudgmentFile] = {}
        self._of_suite: Sequence[JudgmentFile] = ()
        self._misses = 0

    def serve_all(self, named: Sequence[NamedFile]) -> None:
        """Read the files that the suite names for all of its cases. `Refused` or `RefusedSeveral`."""
        self._of_suite = self._open(named)

    def of_case(self, name: str | None, text: str, own: Mapping[str, object], values: Mapping[str, object]) -> Graded:
        """The judgments of a case, by its checked keys (`own`) and those on top of the suite's (`values`).

        `name` is its id, None where it has none but its query, `text`. `Refused` or `RefusedSeveral` for ratings that
        are no grades, that contradict each other, and where there are none at all in the files that it should be in.
        """
        asked = Asked(name, text, self._listed)
        terms = GradingTerms.of(values) if "scale" in own or "raters" in own else self._terms
        written = own.get("judgments")
        above = self._of_files(written, asked, terms) if isinstance(written, tuple) else written
        default = _found(self._of_suite, asked, terms)
        if not default:
            if above is None and self._of_suite:
                raise self._miss(self._of_suite, asked)
            return above if isinstance(above, Graded) else NO_JUDGMENTS
        below = _united(default, terms)
        return _laid_over(above, below) if isinstance(above, Graded) else below

    def of_query(self, name: str, text: str) -> Graded:
        """The judgments of a listed query in the files of the suite; `NO_JUDGMENTS` where these have none."""
        found = _found(self._of_suite, Asked(name, text, self._listed), self._terms)
        return _united(found, self._terms) if found else NO_JUDGMENTS

    def none_of(self, queries: Sequence[tuple[str, str]]) -> Refused:
        """Say that the suite's files have judgments for none of some listed queries, given as (id, text)."""
        files = self._of_suite
        where = listed([file.name for file in files], "and")
        (name, text), count = queries[0], len(queries)
        first = quoted(name, 40) + (f" ({quoted(text, 40)})" if text != name else "")
        which = "the only query has no" if count == 1 else f"none of the {count:,} queries has"
        others = next((quoted(key, 40) for file in files for key in file.known), None)
        there = f"judges {others}" if others is not None else "judges nothing"
        cure = "the files do not belong together: name the judgments of these queries"
        if name == text and all(file.ratings.format in _IDS_ALONE for file in files):
            cure = "judgments in that format have ids alone: list the queries with their ids"
        close = _close(files, Asked(name, text, self._listed))
        return Refused(f"{which} judgments in {where}, which {there}; the first query is {first}{close}; {cure}")

    def look_at_the_rest(self) -> list[Refused]:
        """What is wrong with ratings that no case asked for."""
        refusals: list[Refused] = []
        for file in self._opened.values():
            try:
                file.look_at_the_rest()
            except RefusedSeveral as error:
                refusals += error.all()
        return refusals

    def notices(self) -> list[str]:
        """What somebody should know of the files."""
        return [notice for file in self._opened.values() for notice in file.notices()]

    def _of_files(self, named: Sequence[NamedFile], asked: Asked, terms: GradingTerms) -> Graded:
        """The judgments in the files that a case names itself."""
        try:
            files = self._open(named)
            found = _found(files, asked, terms)
            if not found:
                raise self._miss(files, asked)
            return _united(found, terms)
        except (Refused, RefusedSeveral) as error:
            raise RefusedSeveral([refused.under("judgments") for refused in error.all()]) from None

    def _open(self, named: Sequence[NamedFile]) -> list[JudgmentFile]:
        opened, refusals = [], []
        for one in named:
            try:
                if one not in self._opened:
                    self._opened[one] = JudgmentFile(self._files.ratings(one), self._terms)
                opened.append(self._opened[one])
            except (Refused, RefusedSeveral) as error:
                refusals += [refused.under(*one.at) for refused in error.all()]
        if refusals:
            raise RefusedSeveral(refusals)
        return opened

    def _miss(self, files: Sequence[JudgmentFile], asked: Asked) -> Refused:
        """Say how a case was looked for in files that do not know it."""
        where = listed([file.name for file in files], "and")
        cure = "a case that needs none says so with judgments: {}"
        naming = [file.name for file in files if file.names(asked)]
        if naming:
            return Refused(f"no judgments: {naming[0]} names the query and judges no document of it; {cure}")
        names = listed(map(quoted, asked.names))
        count = sum(len(file.known) for file in files)
        what = f"none of the {count:,} queries in {where} is" if count > 1 else f"the only query in {where} is not"
        if asked.id is None and all(file.ratings.format in _IDS_ALONE for file in files):
            cure = f"they have ids alone: give the case its id, or name a file with the texts, queries: ...; {cure}"
        self._misses += 1
        close = _close(files, asked) if self._misses <= MOST_MISSES else ""
        return Refused(f"no judgments: {what} {names}{close}; {cure}")


def _loosely(text: str) -> str:
    """A text without what makes no other query of it: case and spaces."""
    return " ".join(text.split()).casefold()


def _no_ids(text: str) -> Sequence[str]:
    return ()


def _close(files: Sequence[JudgmentFile], asked: Asked) -> str:
    """The name in the files that is meant, perhaps."""
    names = list(dict.fromkeys(name for file in files for key in file.known for name in (key, file.known.text(key))))
    for wanted in asked.names:
        begin = wanted[:2].casefold() if len(names) > MOST_COMPARED else ""
        close = did_you_mean(wanted, [name for name in names if name.casefold().startswith(begin)][:MOST_COMPARED])
        if close:
            return close
    return ""


def _found(files: Sequence[JudgmentFile], asked: Asked, terms: GradingTerms) -> list[tuple[Judgments, str]]:
    """Whose judgments of a case there are in some files, and under which key."""
    found: list[tuple[Judgments, str]] = []
    for file in files:
        if keys := file.keys(asked):
            judgments = file.judgments(keys, terms)
            found += [(judgments, key) for key in keys if key in judgments]
    return found


def _united(found: Sequence[tuple[Judgments, str]], terms: GradingTerms) -> Graded:
    """Judgments of one query that were found under several keys or in several files.

    Those of one place are not copied: there are as many as there are cases.
    """
    if len(found) == 1:
        ((judgments, key),) = found
        grades = judgments[key]
        return Graded(grades, judgments.titles.get(key, {}), distinct=frozenset(grades.values()), found=found)
    origins: dict[str, list[Origin]] = {}
    titles: dict[str, str] = {}
    for judgments, key in found:
        titles = {**judgments.titles.get(key, {}), **titles}
        for document in judgments[key]:
            origins.setdefault(document, []).append(Origin(judgments, key, document))
    united: dict[str, float] = {}
    refusals = []
    for document, (first, *others) in origins.items():
        united[document] = first.grade
        if others and terms.raters is not None:
            ratings = [rating for origin in (first, *others) for rating in origin.ratings]
            united[document] = aggregate(ratings, terms.raters)
            continue
        refusals += [
            Refused("judged twice", elsewhere=partial(_judged_twice, first, other))
            for other in others
            if other.grade != first.grade
        ]
    if refusals:
        raise RefusedSeveral(refusals)
    return Graded(united, titles, distinct=frozenset(united.values()), found=found)


def _judged_twice(first: Origin, other: Origin, case: str | None) -> Problem:
    return other.problem(
        f"judged twice, {first.grade:g} in {first.where} and {other.grade:g} here; keep one of them, or say how the "
        "ratings of several raters are combined (raters: median)",
        case,
    )


def _laid_over(above: Graded, below: Graded) -> Graded:
    """The judgments of a case over those of its suite."""
    grades = {**below.grades, **above.grades}
    return Graded(
        grades,
        {**below.titles, **above.titles},
        above.notes,
        frozenset(grades.values()),
        (*above.found, *below.found),
        () if above.found else above.grades,
    )
