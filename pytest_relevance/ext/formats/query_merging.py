"""Make one query of the rows of a file that are about one query.

Two rows are about one query if their texts differ only in case and white space, and
their params are equal. A file without `merge: true` keeps both, and a notice names
them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum

from pytest_relevance._json_text import found_json
from pytest_relevance._problems import Place, Problem, Problems
from pytest_relevance._source import Source
from pytest_relevance._text import counted, folded_text, listed, quoted
from pytest_relevance.judgments.grading import whole_as_int
from pytest_relevance.judgments.model import Query
from pytest_relevance.judgments.row_rules import TAGS


@dataclass(frozen=True, slots=True)
class QueryOfRow:
    """The query of one row of a file.

    `has_id`: whether the row has an id for it. Otherwise the id is made of the text.
    `place`: where the row stands.
    """

    query: Query
    has_id: bool
    place: Place

    @property
    def where(self) -> str:
        """Return the place in words."""
        if self.place.line:
            return f"in line {self.place.line}"
        return f"at {self.place.path}"


def name_with_params(text: str, params: Mapping[str, object]) -> str:
    """Return the id of a query without one: its text, and its params in brackets.

    For example `boots (locale=de)`.
    """
    if not params:
        return text
    parts = []
    for name, value in params.items():
        shown = value
        if not isinstance(value, str):
            shown = json.dumps(value, ensure_ascii=False, sort_keys=True)
        parts.append(f"{name}={shown}")
    return f"{text} ({', '.join(parts)})"


def _identity(query: Query) -> tuple[str, str]:
    """Return what rows of one query have in common."""
    params = ""
    if query.params:
        params = json.dumps(query.params, sort_keys=True, default=str)
    return folded_text(query.text_or_id), params


def merged(
    source: Source, rows: Iterable[QueryOfRow], id_of: Callable[[Query], str]
) -> list[Query]:
    """Return the queries of rows, each query once, in the order of the file.

    Weights, and the sizes for a sample, are added. Tags are united. Of several
    spellings the one with the most weight stays, without white space around it. In any
    other key, the cells that are not blank must agree.

    `id_of`: returns the id of a query without one.

    Raises:
        FileError: rows of one query contradict each other; with both lines.
    """
    groups: dict[tuple[str, str], list[QueryOfRow]] = {}
    for row in rows:
        groups.setdefault(_identity(row.query), []).append(row)
    problems = Problems(source.file)
    by_id: dict[str, QueryOfRow] = {}
    queries = []
    for group in groups.values():
        problem = _difference(group)
        if problem is None:
            query = _united(group, id_of)
            queries.append(query)
            if query.weight == 0 and query.sample_by != 0:
                problem = Problem(
                    f"the weights of the query {quoted(query.text_or_id, 40)} add up to 0; a weight is above 0",
                    group[0].place,
                    alike="weight",
                )
            earlier = by_id.setdefault(query.id, group[0])
            if earlier is not group[0]:
                problem = Problem(
                    f"the query id {quoted(query.id, 40)} is that of another query {earlier.where}; give one of them "
                    "another id",
                    group[0].place,
                    alike="id of another",
                )
        if problem is not None:
            problems.add(problem.message, problem.place, alike=problem.alike)
        if problems.is_full:
            break
    problems.raise_if_any()
    return queries


def _difference(group: Sequence[QueryOfRow]) -> Problem | None:
    """Return how the rows of one query contradict each other; None if they do not."""
    if len(group) == 1:
        return None
    first: dict[str, tuple[QueryOfRow, object]] = {}
    for row in group:
        for what, value in _agreeing(row).items():
            earlier, known = first.setdefault(what, (row, value))
            if value != known:
                text = quoted(row.query.text_or_id, 40)
                return Problem(
                    f"the rows of the query {text} are merged, and {what} is {found_json(known)} {earlier.where} and "
                    f"{found_json(value)} here; {_ADVICE.get(what, 'write one value in both, or leave one blank')}",
                    row.place,
                    alike=what,
                )
    return None


_ADVICE = {
    "id": "write one id in both, or columns: {id: null} if no file needs the ids",
    "sample.per": "a query is in one group: take per out, or map the column as a parameter (params)",
}
"""How to mend rows that differ in what they have to agree in."""


def _agreeing(row: QueryOfRow) -> dict[str, object]:
    """Return what all rows of one query must agree in. Blank cells are left out."""
    query = row.query
    values = {name: value for name, value in query.keys.items() if name != TAGS}
    if row.has_id:
        values["id"] = query.id
    if query.note is not None:
        values["note"] = query.note
    if query.sample_per:
        values["sample.per"] = query.sample_per
    return values


def _stripped(row: QueryOfRow, id_of: Callable[[Query], str]) -> Query:
    """Return the query of a row without white space around it."""
    query = row.query
    text = query.text_or_id.strip()
    if text != query.text_or_id:
        query = replace(query, text=text)
    if row.has_id:
        return query
    name = id_of(query)
    return query if name == query.id else replace(query, id=name)


def _united(group: Sequence[QueryOfRow], id_of: Callable[[Query], str]) -> Query:
    """Return the query of rows that agree."""
    if len(group) == 1:
        return _stripped(group[0], id_of)
    keys: dict[str, object] = {}
    tags: dict[str, None] = {}
    sizes = []
    query = group[0].query
    for row in group:
        keys.update(row.query.keys)
        tags.update(dict.fromkeys(_tags_of(row.query)))
        if row.query.sample_by is not None:
            sizes.append(row.query.sample_by)
        query = replace(
            query,
            note=query.note or row.query.note,
            sample_per=query.sample_per or row.query.sample_per,
        )
    if tags:
        keys[TAGS] = list(tags)
    total = fsum(row.query.weight for row in group)
    query = replace(
        query,
        text=_heaviest_spelling(group),
        weight=whole_as_int(total),
        keys=keys,
        sample_by=whole_as_int(fsum(sizes)) if sizes else None,
    )
    ids = [row.query.id for row in group if row.has_id]
    return replace(query, id=ids[0] if ids else id_of(query))


def _heaviest_spelling(group: Sequence[QueryOfRow]) -> str:
    """Return the spelling with the most weight. Of equal ones the last in the alphabet.

    So small letters go before capitals, and the order of rows does not matter. If no
    row has a weight, the sizes for a sample are the weights.
    """
    has_weights = any(row.query.weight != 1 for row in group)
    weights: dict[str, float] = {}
    for row in group:
        weight = row.query.weight
        if not has_weights and row.query.sample_by is not None:
            weight = row.query.sample_by
        text = row.query.text_or_id.strip()
        weights[text] = weights.get(text, 0) + weight
    return max(weights, key=lambda text: (weights[text], text))


def _tags_of(query: Query) -> Sequence[str]:
    tags = query.keys.get(TAGS, ())
    return tags if isinstance(tags, list) else ()


def notice_of_spellings(queries: Sequence[Query]) -> str | None:
    """Return a notice that names queries which differ only in case or white space.

    None if there are none.
    """
    groups: dict[tuple[str, str], dict[str, None]] = {}
    for query in queries:
        groups.setdefault(_identity(query), {})[query.text_or_id] = None
    named = []
    count = 0
    for spellings in groups.values():
        if len(spellings) > 1:
            count += len(spellings)
            named.append(listed([quoted(text, 40) for text in spellings], "and"))
    if not named:
        return None
    more = (
        "" if len(named) <= _MOST_NAMED else f", and {len(named) - _MOST_NAMED:,} more"
    )
    return (
        f"{counted(count, 'query', 'queries')} differ only in case or white space: "
        f"{'; '.join(named[:_MOST_NAMED])}{more}; merge: true makes one of them and adds their weights"
    )


_MOST_NAMED = 3
"""How many groups of spellings a notice names."""
