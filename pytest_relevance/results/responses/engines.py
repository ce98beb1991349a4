"""Describe the answers of search servers: hits, totals, and signs of a partial answer.

An engine is a row of `ENGINES`, from the documentation of its API. The answers are
JSON, or objects of a client with the same names (`at_path`).

`incomplete` and the shapes look there for signs while a response is read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

from pytest_relevance.results.responses.values import at_path, attribute, has_dimensions


@dataclass(frozen=True, slots=True)
class Sign:
    """A field by which an engine marks a response as incomplete.

    `path`: the path to the field.
    `when`: returns whether the response is incomplete, from the value of the field.
    `meaning`: what messages say about such a response.
    """

    path: tuple[str, ...]
    when: Callable[[Any], bool]
    meaning: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """A search server, or several that answer in the same form.

    `name`: for messages.
    `hits`: the path to the hits in a body; empty if that form may be another
    engine's.
    `paging`: {path to the total: the parameter that limits the results}.
    `signs`: what marks a response as incomplete.
    """

    name: str
    hits: tuple[str, ...] = ()
    paging: Mapping[str, str] = field(default_factory=dict)
    signs: tuple[Sign, ...] = ()


# --- what a sign may be ---------------------------------------------------------------


def is_set(value: object) -> bool:
    """Say whether a flag is set, or a count is not 0.

    In a mapping or an array of flags, one that is set is enough.
    """
    if isinstance(value, Mapping):
        return any(is_set(inner) for inner in value.values())
    if isinstance(value, str):
        return value.lower() not in ("", "false")
    if has_dimensions(value):
        return any(is_set(inner) for inner in _elements(value))
    try:
        return bool(value)
    except (TypeError, ValueError):  # a missing value of pandas
        return True


def _elements(array: Any) -> list[object]:
    values: Any = attribute(array, "values")
    if values is None:
        values = array
    elements = values.tolist()
    return elements if isinstance(elements, list) else [elements]


def is_unset(value: object) -> bool:
    """Say whether a flag is given as false, as a boolean or as text."""
    is_flag = isinstance(value, bool) or type(value).__name__ in ("bool", "bool_")
    return (is_flag and not value) or value in ("false", "False")


def _lacks_some(counts: object) -> bool:
    """Say whether fewer shards answered successfully than there are.

    Failures are not counted: a shard that is down is neither successful nor failed.
    """
    total = at_path(counts, ("total",))
    successful = at_path(counts, ("successful",))
    if not isinstance(total, int) or not isinstance(successful, int):
        return False
    return successful < total


def _is_below_100(value: object) -> bool:
    return isinstance(value, Real) and float(value) < 100


_FAILED_IN_WORDS = frozenset(
    ("error", "fail", "failed", "failure", "partial", "timeout", "timed_out")
)


def _is_error_status(value: object) -> bool:
    """Say whether a status is an HTTP status from 400 on, or a word for failure."""
    if isinstance(value, str):
        is_number = re.fullmatch("[45][0-9][0-9]", value) is not None
        return is_number or value.lower() in _FAILED_IN_WORDS
    return isinstance(value, Real) and float(value) >= 400


_OF_A_PART = "timed out|timeout limit|(partial|incomplete) (results?|response|answer)"


def _warns_of_a_part(warnings: object) -> bool:
    """Say whether a warning, or one of several, says that results are missing."""
    if isinstance(warnings, str):
        return re.search(_OF_A_PART, warnings.lower()) is not None
    if isinstance(warnings, (list, tuple)):
        return any(_warns_of_a_part(warning) for warning in warnings)
    if isinstance(warnings, Mapping):
        return any(_warns_of_a_part(warning) for warning in warnings.values())
    return False


# --- the engines ----------------------------------------------------------------------

_UNSEARCHED = "not all documents were searched"

ENGINES: tuple[Engine, ...] = (
    Engine(
        name="Elasticsearch or OpenSearch",
        hits=("hits", "hits"),
        paging={"hits.total": "size and from"},
        signs=(
            Sign(("timed_out",), is_set, "the search timed out"),
            Sign(("_shards", "failed"), is_set, "shards failed"),
            Sign(("_shards",), _lacks_some, "shards did not answer"),
            Sign(("_clusters", "skipped"), is_set, "clusters were skipped"),
            Sign(("_clusters", "partial"), is_set, "clusters answered in part"),
            Sign(("_clusters", "failed"), is_set, "clusters failed"),
            Sign(("_clusters", "running"), is_set, "clusters were still searching"),
            Sign(("terminated_early",), is_set, "the search ended at terminate_after"),
            Sign(
                ("is_partial",),
                is_set,
                "the search is still running, or failed in part",
            ),
        ),
    ),
    Engine(
        name="Typesense",
        hits=("hits",),
        paging={"found": "per_page and page"},
        signs=(
            Sign(("search_cutoff",), is_set, "search_cutoff_ms cut the search off"),
        ),
    ),
    Engine(
        name="Algolia",
        hits=("hits",),
        paging={"nbHits": "hitsPerPage and page"},
        signs=(Sign(("timeoutHits",), is_set, "the search timed out"),),
    ),
    Engine(
        name="Meilisearch",
        hits=("hits",),
        paging={
            "estimatedTotalHits": "limit and offset",
            "totalHits": "hitsPerPage and page",
        },
        signs=(
            Sign(("degraded",), is_set, "searchCutoffMs cut the search off"),
            Sign(("remoteErrors",), is_set, "remote instances failed"),
        ),
    ),
    Engine(
        name="Solr",
        hits=("response", "docs"),
        paging={"response.numFound": "rows and start"},
        signs=(
            Sign(
                ("responseHeader", "partialResults"),
                is_set,
                "a limit or a failed shard cut the search off",
            ),
            Sign(("responseHeader", "status"), is_set, "the request failed"),
        ),
    ),
    Engine(
        name="Vespa",
        hits=("root", "children"),
        paging={"root.fields.totalCount": "hits and offset"},
        signs=(
            Sign(("root", "coverage", "degraded"), is_set, _UNSEARCHED),
            Sign(("root", "coverage", "full"), is_unset, _UNSEARCHED),
        ),
    ),
    Engine(
        name="Azure AI Search",
        paging={"@odata.count": "top and skip"},
        signs=(
            Sign(
                ("@search.semanticPartialResponseReason",),
                is_set,
                "the semantic ranker did not rank all results",
            ),
            Sign(("@search.coverage",), _is_below_100, _UNSEARCHED),
        ),
    ),
    Engine(
        name="HTTP",
        signs=(
            Sign(("warnings",), _warns_of_a_part, "a part of the results is missing"),
            Sign(("warning",), _warns_of_a_part, "a part of the results is missing"),
            Sign(("status_code",), _is_error_status, "the request failed"),
            Sign(("statusCode",), _is_error_status, "the request failed"),
            Sign(("status",), _is_error_status, "the request failed"),
        ),
    ),
)
"""The engines, and last what any API may answer.

The first path that leads to a list of hits counts, and the first sign that is found.
"""

REDIS_ENGINE = Engine(
    name="Redis",
    signs=(
        Sign(("warnings",), is_set, "the search was cut off"),
        Sign(("warning",), is_set, "the search was cut off"),
    ),
)
"""Redis, whose warnings all say that results are missing. Other engines' do not."""
