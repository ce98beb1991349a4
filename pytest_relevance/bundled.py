"""What the package brings, by registry: names, and where each entry is, as "module:attribute".

These are strings, so that nothing is imported before it is used, and so that no module of the
core imports one of `ext`. The order of the entries counts where a registry is searched: a file
is read in the first format that fits.
"""

from __future__ import annotations

from collections.abc import Mapping

_OF_FORMATS = "pytest_relevance.ext.formats"

FORMATS: Mapping[str, str] = {
    "parquet": f"{_OF_FORMATS}.tables:PARQUET",
    "quepid": f"{_OF_FORMATS}.quepid:QUEPID",
    "rre": f"{_OF_FORMATS}.rre:RRE",
    "elasticsearch": f"{_OF_FORMATS}.elasticsearch:ELASTICSEARCH",
    "opensearch": f"{_OF_FORMATS}.opensearch:OPENSEARCH",
    "topics": f"{_OF_FORMATS}.topics:TOPICS",
    "ltr": f"{_OF_FORMATS}.ltr:LTR",
    "jsonl": f"{_OF_FORMATS}.objects:JSON_LINES",
    "json": f"{_OF_FORMATS}.objects:JSON",
    "csv": f"{_OF_FORMATS}.tables:CSV",
    "trec": f"{_OF_FORMATS}.trec:QRELS",
    "beir": f"{_OF_FORMATS}.beir:BEIR",
    "text": f"{_OF_FORMATS}.lines:TEXT",
}
"""Formats of judgments and queries. Those that are easy to mistake for another come last."""

RUN_FORMATS: Mapping[str, str] = {
    "record": f"{_OF_FORMATS}.records:RECORD",
    "parquet": f"{_OF_FORMATS}.runs:PARQUET",
    "csv": f"{_OF_FORMATS}.runs:CSV",
    "trec": f"{_OF_FORMATS}.trec:RUN",
    "json": f"{_OF_FORMATS}.runs:JSON",
}
"""Formats of runs: rankings that a search returned."""

_OF_REPORTS = "pytest_relevance.reports.own_formats"

REPORTS: Mapping[str, str] = {
    "text": f"{_OF_REPORTS}:TEXT_FORMAT",
    "markdown": f"{_OF_REPORTS}:MARKDOWN_FORMAT",
    "html": f"{_OF_REPORTS}:HTML_FORMAT",
    "json": f"{_OF_REPORTS}:JSON_FORMAT",
}
"""Formats of reports."""
