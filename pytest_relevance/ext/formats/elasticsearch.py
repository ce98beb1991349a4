"""Read Elasticsearch's rank_eval request.

It has `requests[].{id, request | template_id + params, ratings[].{_id, rating}}`. The
key of a query is its id.

The option `query` says where the text of a query is, as a path with dots from the
request: `params.text`, `request.query.match.title`, `id`. Of several paths, the first
that leads to a text counts. Without the option, the text is the only parameter that is
text, or the only text that the body searches for. If there are several texts, the text
of the query is not known. The other parameters of a template are the params of the
query.

Documents with the same id in two indices are the same, unless `id_field` is a template.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pytest_relevance._json_text import as_text
from pytest_relevance._source import Source
from pytest_relevance._text import listed, quoted
from pytest_relevance.ext.formats.collecting import Collector, JsonObject, params_of
from pytest_relevance.ext.formats.column_paths import value_at
from pytest_relevance.judgments.document_ids import ID_FIELD
from pytest_relevance.judgments.formats import QUERY, JudgmentFormat
from pytest_relevance.judgments.model import Query, Ratings

_FIELD_QUERIES = frozenset(
    {"match", "match_phrase", "match_phrase_prefix", "match_bool_prefix"}
)
"""Queries that search a field for a text.

`{match: {title: "x"}}` or `{match: {title: {query: "x"}}}`.
"""

_TEXT_QUERIES = frozenset(
    {
        "multi_match",
        "combined_fields",
        "query_string",
        "simple_query_string",
        "semantic",
    }
)
"""Queries that have their text in `query`:
`{multi_match: {query: "x", fields: [...]}}`.
"""


def is_rank_eval(source: Source) -> bool:
    """Say whether a file is a rank_eval request."""
    return isinstance(_body(source.json_object).members.get("requests"), list)


def _body(document: object) -> JsonObject:
    """Return the body of a rank_eval request; {} for a value that is not an object.

    Some clients log a request as an object with the key `body`.
    """
    if not isinstance(document, dict):
        return JsonObject({})
    body = document.get("body")
    if "requests" not in document and isinstance(body, dict):
        return JsonObject(body, ("body",))
    return JsonObject(document)


def collect_rank_eval(source: Source, *, for_queries: bool) -> Collector:
    """Return a collector with the queries and judgments of a rank_eval request.

    `for_queries`: whether a query whose text is not known is a mistake.
    """
    collector = Collector(
        source, "elasticsearch", {"document": "_id", "grade": "rating"}
    )
    wanted = source.options.get(QUERY)
    body = _body(source.json)
    if body.members.get("requests") is None:
        collector.refuse(
            "a rank_eval request of Elasticsearch has requests: a list of objects with id "
            "and ratings"
        )
    for request in collector.objects(body, "requests"):
        key = collector.text(request, "id")
        if "ratings" not in request.members:
            collector.absent(request, "ratings")
        elif key is not None:
            if wanted is None:
                query = _query_with_only_text(key, request.members)
            else:
                query = _query_with_text_at(collector, key, request, wanted)
            collector.add_query(query, request.path)
            ratings = request.members["ratings"]
            collector.add_items(key, ratings, request.path_to("ratings"))
            if for_queries and query.text is None and wanted is None:
                places = texts_of_request(request.members)
                collector.wrong(_unknown(key, places), request.path)
    return collector


def _query_with_only_text(key: str, request: Mapping[str, object]) -> Query:
    """Return the query of a request. It has a text if the request has only one text.

    The params of the query are the parameters of the template without the text.
    """
    texts = list(texts_of_request(request).values())
    text = texts[0] if len(texts) == 1 else None
    others = {}
    for name, value in _params(request).items():
        if type(value) is not str or value != text:
            others[name] = value
    return Query(key, text, params=params_of(others))


def _query_with_text_at(
    collector: Collector, key: str, request: JsonObject, wanted: Sequence[str]
) -> Query:
    """Return the query of a request, with the text at the first of the wanted paths.

    If no wanted path leads to a text, record a mistake. The params of the query are the
    parameters of the template without those at the wanted paths.
    """
    params = _params(request.members)
    text = None
    for where in wanted:
        params.pop(where.removeprefix("params."), None)
        if text is None:
            text = _text_at(request.members, where.split("."))
    if text is None:
        places = listed([quoted(where) for where in wanted])
        collector.wrong(
            f"there is no text at {places} in this request, where it should be"
            f"{_other_place(request.members, wanted)}",
            request.path,
        )
    return Query(key, text, params=params_of(params))


def _other_place(request: Mapping[str, object], wanted: Sequence[str]) -> str:
    """Return advice to read the text from another place; "" if none has a text."""
    places = texts_of_request(request)
    if not places:
        return ""
    where, text = next(iter(places.items()))
    several = ", ".join([*wanted, where])
    options = " ".join(f"--query {each}" for each in [*wanted, where])
    return (
        f"; {quoted(text, 40)} is at {where}. Name several places, query: [{several}], or "
        f"{options}: the first counts that has a text"
    )


def _params(request: Mapping[str, object]) -> dict[str, object]:
    params = request.get("params")
    return dict(params) if isinstance(params, dict) else {}


def _unknown(key: str, places: Mapping[str, str]) -> str:
    """Return the message that a text is not known. `places`: {path: text it may be}."""
    found = "neither the params nor the request has any"
    example = "params.text"
    if places:
        example = next(iter(places))
        texts = [f"{quoted(text)} ({where})" for where, text in places.items()]
        found = f"it may be {listed(texts)}"
    return (
        f"the text of the query {quoted(key)} is not known: {found}; say where it stands: "
        f"query: {example}, or --query {example} of a command"
    )


def _text_at(value: object, parts: Sequence[str]) -> str | None:
    """Return the text at a path, given as the parts between its dots; None without one.

    If the path leads to an object, the text is under its key `query`.
    """
    found = value_at(value, parts)
    return as_text(found.get("query") if isinstance(found, dict) else found)


def texts_of_request(request: Mapping[str, object]) -> dict[str, str]:
    """Return {path: text} of all texts in a request that may be the text of the query.

    These are the parameters that are text, and the texts that the body searches for. If
    a text occurs twice, only its first path is returned.
    """
    found: dict[str, str] = {}
    for name, value in _params(request).items():
        if type(value) is str and value.strip():
            found.setdefault(value, f"params.{name}")
    for where, text in _searched(request.get("request")):
        found.setdefault(text, where)
    return {where: text for text, where in found.items()}


def _searched(body: object) -> Iterator[tuple[str, str]]:
    """Yield (path, text) for each text that a search body looks for."""
    pending = [("request", body)]
    while pending:
        path, value = pending.pop()
        inner: list[tuple[str, object]] = []
        if isinstance(value, list):
            inner = [(f"{path}.{number}", entry) for number, entry in enumerate(value)]
        elif isinstance(value, dict):
            for name, clause in value.items():
                where = f"{path}.{name}"
                if name in _FIELD_QUERIES and isinstance(clause, dict):
                    yield from _searched_in_fields(clause, where)
                elif name in _TEXT_QUERIES and isinstance(clause, dict):
                    text = _text_at(clause, ())
                    if text:
                        yield where, text
                else:
                    inner.append((where, clause))
        pending.extend(reversed(inner))


def _searched_in_fields(
    clause: Mapping[str, object], path: str
) -> Iterator[tuple[str, str]]:
    for field, of_field in clause.items():
        text = _text_at(of_field, ())
        if text:
            yield f"{path}.{field}", text


def _read(source: Source) -> Ratings:
    return collect_rank_eval(source, for_queries=False).ratings()


def _read_queries(source: Source) -> Sequence[Query]:
    return collect_rank_eval(source, for_queries=True).queries()


ELASTICSEARCH = JudgmentFormat(
    name="elasticsearch",
    about="a rank_eval request: requests[].ratings[]",
    fits=is_rank_eval,
    read=_read,
    read_queries=_read_queries,
    aliases=("rank_eval",),
    options=frozenset({QUERY, ID_FIELD}),
)
