"""Describe the answers of search servers: hits, totals, and signs of a partial answer.

The entries of `ENGINES` are made from the documentation of each API. An answer is JSON,
or an object of a client with the same names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

from pytest_relevance.results.responses.values import at_path, attribute, has_dimensions

# --- signs ----------------------------------------------------------------------------


def is_set(value: object) -> bool:
    """Say whether a flag is set, a count is not 0, or a text or a list is not empty.

    The text `false` is not set, and a value that is missing (NaN) is not. Of a mapping,
    an array or a table, one value that is set is enough. A value that is neither true
    nor false, such as `pandas.NA`, counts as set.
    """
    if isinstance(value, Mapping):
        return any(is_set(inner) for inner in value.values())
    if isinstance(value, str):
        return value.lower() not in ("", "false")
    if has_dimensions(value):
        return any(is_set(inner) for inner in _elements(value))
    if isinstance(value, Real) and value != value:  # NaN
        return False
    try:
        return bool(value)
    except (TypeError, ValueError):
        return True


def _elements(array: Any) -> list[object]:
    """Return the values of an array or a table; the rows of one with two dimensions."""
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


@dataclass(frozen=True, slots=True)
class Sign:
    """A field by which an engine marks a response as incomplete.

    `path`: the path to the field.
    `meaning`: what messages say about such a response.
    `when`: says from the value of the field whether the response is incomplete.
    """

    path: tuple[str, ...]
    meaning: str
    when: Callable[[Any], bool] = is_set


# --- the engines ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """A search server, or several that answer in the same form.

    `name`: for messages.
    `hits`: the path to the hits in a body. Empty if other engines answer in the same
        form.
    `paging`: {path to the total: the parameters that limit the results}.
    `signs`: what marks a response as incomplete.
    """

    name: str
    hits: tuple[str, ...] = ()
    paging: Mapping[str, str] = field(default_factory=dict)
    signs: tuple[Sign, ...] = ()


_UNSEARCHED = "not all documents were searched"
_FAILED = "the request failed"
_MISSING = "a part of the results is missing"
_CUT_OFF = "the search was cut off"

_ELASTICSEARCH = Engine(
    name="Elasticsearch or OpenSearch",
    hits=("hits", "hits"),
    paging={"hits.total": "size and from"},
    signs=(
        Sign(("timed_out",), "the search timed out"),
        Sign(("_shards", "failed"), "shards failed"),
        Sign(("_shards",), "shards did not answer", _lacks_some),
        Sign(("_clusters", "skipped"), "clusters were skipped"),
        Sign(("_clusters", "partial"), "clusters answered in part"),
        Sign(("_clusters", "failed"), "clusters failed"),
        Sign(("_clusters", "running"), "clusters were still searching"),
        Sign(("terminated_early",), "the search ended at terminate_after"),
        Sign(("is_partial",), "the search is still running, or failed in part"),
    ),
)
_TYPESENSE = Engine(
    name="Typesense",
    hits=("hits",),
    paging={"found": "per_page and page"},
    signs=(Sign(("search_cutoff",), "search_cutoff_ms cut the search off"),),
)
_ALGOLIA = Engine(
    name="Algolia",
    hits=("hits",),
    paging={"nbHits": "hitsPerPage and page"},
    signs=(Sign(("timeoutHits",), "the search timed out"),),
)
_MEILISEARCH = Engine(
    name="Meilisearch",
    hits=("hits",),
    paging={
        "estimatedTotalHits": "limit and offset",
        "totalHits": "hitsPerPage and page",
    },
    signs=(
        Sign(("degraded",), "searchCutoffMs cut the search off"),
        Sign(("remoteErrors",), "remote instances failed"),
    ),
)
_SOLR = Engine(
    name="Solr",
    hits=("response", "docs"),
    paging={"response.numFound": "rows and start"},
    signs=(
        Sign(
            ("responseHeader", "partialResults"),
            "a limit or a failed shard cut the search off",
        ),
        Sign(("responseHeader", "status"), _FAILED),
    ),
)
_VESPA = Engine(
    name="Vespa",
    hits=("root", "children"),
    paging={"root.fields.totalCount": "hits and offset"},
    signs=(
        Sign(("root", "coverage", "degraded"), _UNSEARCHED),
        Sign(("root", "coverage", "full"), _UNSEARCHED, is_unset),
    ),
)
_AZURE = Engine(
    name="Azure AI Search",
    paging={"@odata.count": "top and skip"},
    signs=(
        Sign(
            ("@search.semanticPartialResponseReason",),
            "the semantic ranker did not rank all results",
        ),
        Sign(("@search.coverage",), _UNSEARCHED, _is_below_100),
    ),
)
_ANY_API = Engine(
    name="HTTP",
    signs=(
        Sign(("warnings",), _MISSING, _warns_of_a_part),
        Sign(("warning",), _MISSING, _warns_of_a_part),
        Sign(("status_code",), _FAILED, _is_error_status),
        Sign(("statusCode",), _FAILED, _is_error_status),
        Sign(("status",), _FAILED, _is_error_status),
    ),
)

ENGINES: tuple[Engine, ...] = (
    _ELASTICSEARCH,
    _TYPESENSE,
    _ALGOLIA,
    _MEILISEARCH,
    _SOLR,
    _VESPA,
    _AZURE,
    _ANY_API,
)
"""The engines, and last what any API may answer.

The first path that leads to a list of hits counts, and the first sign that is found.
"""

REDIS_ENGINE = Engine(
    name="Redis",
    signs=(Sign(("warnings",), _CUT_OFF), Sign(("warning",), _CUT_OFF)),
)
"""Redis, whose warnings all say that results are missing. Other engines' do not."""
