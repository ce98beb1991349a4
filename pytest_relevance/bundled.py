"""What the package brings, by registry: names, and where each entry is, as
"module:attribute".

These are strings, so that nothing is imported before it is used, and so that no module
of the core imports one of `ext`. The order of the entries counts where a registry is
searched: a file is read in the first format that fits.
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
"""Formats of judgments and queries. Those that are easy to mistake for another come
last.
"""

RUN_FORMATS: Mapping[str, str] = {
    "record": f"{_OF_FORMATS}.records:RECORD",
    "parquet": f"{_OF_FORMATS}.runs:PARQUET",
    "csv": f"{_OF_FORMATS}.runs:CSV",
    "trec": f"{_OF_FORMATS}.trec:RUN",
    "json": f"{_OF_FORMATS}.runs:JSON",
}
"""Formats of runs: rankings that a search returned."""

_OF_SHAPES = "pytest_relevance.ext.shapes"

SHAPES: Mapping[str, str] = {
    "body": f"{_OF_SHAPES}.bodies:BODY",
    "chroma": f"{_OF_SHAPES}.stores:CHROMA",
    "qdrant": f"{_OF_SHAPES}.stores:QDRANT",
    "langchain": f"{_OF_SHAPES}.stores:LANGCHAIN",
    "llama-index": f"{_OF_SHAPES}.stores:LLAMA_INDEX",
    "algolia": f"{_OF_SHAPES}.clients:ALGOLIA",
    "discovery-engine": f"{_OF_SHAPES}.clients:DISCOVERY_ENGINE",
    "pinecone": f"{_OF_SHAPES}.clients:PINECONE",
    "pinecone-records": f"{_OF_SHAPES}.clients:PINECONE_RECORDS",
    "redis": f"{_OF_SHAPES}.redis:REDIS",
    "azure": f"{_OF_SHAPES}.azure:AZURE",
    "usearch": f"{_OF_SHAPES}.vectors:USEARCH",
    "usearch-batch": f"{_OF_SHAPES}.vectors:USEARCH_BATCH",
    "bm25s": f"{_OF_SHAPES}.fulltext:BM25S",
    "tantivy": f"{_OF_SHAPES}.fulltext:TANTIVY",
    "tantivy-result": f"{_OF_SHAPES}.fulltext:TANTIVY_RESULT",
    "xapian": f"{_OF_SHAPES}.fulltext:XAPIAN",
    "lancedb": f"{_OF_SHAPES}.tables:LANCEDB",
    "lazy-frame": f"{_OF_SHAPES}.tables:LAZY_FRAME",
    "arrow": f"{_OF_SHAPES}.tables:ARROW",
    "arrays": f"{_OF_SHAPES}.vectors:ARRAYS",
    "array": f"{_OF_SHAPES}.vectors:ARRAY",
    "series": f"{_OF_SHAPES}.tables:SERIES",
    "relation": f"{_OF_SHAPES}.tables:RELATION",
    "cursor": f"{_OF_SHAPES}.tables:CURSOR",
    "frame": f"{_OF_SHAPES}.tables:FRAME",
    "dsl-search": f"{_OF_SHAPES}.dsl:SEARCH",
    "dsl-response": f"{_OF_SHAPES}.dsl:RESPONSE",
    "client": f"{_OF_SHAPES}.bodies:CLIENT",
}
"""Shapes of responses. The most usual one comes first, and those that many objects fit
last.
"""

_OF_REPORTS = "pytest_relevance.reports.formats"

REPORTS: Mapping[str, str] = {
    "text": f"{_OF_REPORTS}:TEXT_FORMAT",
    "markdown": "pytest_relevance.ext.markdown.report_format:MARKDOWN_FORMAT",
    "html": "pytest_relevance.ext.html.report_format:HTML_FORMAT",
    "json": f"{_OF_REPORTS}:JSON_FORMAT",
}
"""Formats of reports."""

_OF_EXPECTATIONS = "pytest_relevance.expectations"

EXPECTATIONS: Mapping[str, str] = {
    "first": f"{_OF_EXPECTATIONS}.documents:FIRST",
    "include": f"{_OF_EXPECTATIONS}.documents:INCLUDE",
    "exclude": f"{_OF_EXPECTATIONS}.documents:EXCLUDE",
    "order": f"{_OF_EXPECTATIONS}.order:ORDER",
    "within": f"{_OF_EXPECTATIONS}.documents:WITHIN",
    "results": f"{_OF_EXPECTATIONS}.counts:RESULTS",
    "latency": f"{_OF_EXPECTATIONS}.counts:LATENCY",
    "every": f"{_OF_EXPECTATIONS}.fields:EVERY",
    "some": f"{_OF_EXPECTATIONS}.fields:SOME",
    "none": f"{_OF_EXPECTATIONS}.fields:NONE",
    "at_most": f"{_OF_EXPECTATIONS}.fields:AT_MOST",
    "same_as": f"{_OF_EXPECTATIONS}.same_as:SAME_AS",
    "metric": f"{_OF_EXPECTATIONS}.metric:METRIC",
    "similarity": f"{_OF_EXPECTATIONS}.similarity:SIMILARITY",
    "unknown": f"{_OF_EXPECTATIONS}.unknown:UNKNOWN",
}
"""Kinds of expectations. The last three are no keys of `expect:`: their keys are
metrics, or they are in records alone.
"""

_OF_GATES = "pytest_relevance.gates"

GATES: Mapping[str, str] = {
    "mean": f"{_OF_GATES}.mean:MEAN_GATE",
    "max_drop": f"{_OF_GATES}.drop:DROP_GATE",
    "latency": f"{_OF_GATES}.latency:LATENCY_GATE",
    "passing": f"{_OF_GATES}.passing:PASSING_GATE",
    "unknown": f"{_OF_GATES}.unknown:UNKNOWN_GATE",
}
"""Kinds of gates. The last is no key of a gate: it is in records alone."""

CALLS_UPWARD: Mapping[str, str] = {
    "judge": "pytest_relevance.gates.comparison:judge_comparison",
    "report": "pytest_relevance.reports.formats:comparison_report_with",
    "notebook": "pytest_relevance.reports.comparison_report:comparison_html",
}
"""What public methods of a `Comparison` call in the layers above it."""

_OF_DIAGNOSES = "pytest_relevance.results.diagnosis_kinds"

DIAGNOSES: Mapping[str, str] = {
    "nothing": f"{_OF_DIAGNOSES}:NOTHING_RETURNED",
    "passed empty": f"{_OF_DIAGNOSES}:PASSED_EMPTY",
    "same first": f"{_OF_DIAGNOSES}:SAME_FIRST",
    "ids": f"{_OF_DIAGNOSES}:OTHER_IDS",
    "unsorted": f"{_OF_DIAGNOSES}:UNSORTED",
    "repeated": f"{_OF_DIAGNOSES}:REPEATED",
    "fewer": f"{_OF_DIAGNOSES}:FEWER",
    "no value": f"{_OF_DIAGNOSES}:NO_VALUE",
}
"""Kinds of diagnoses, in the order in which reports tell them."""

_OF_CHECKS = "pytest_relevance.ext.commands.lint"

CHECKS: Mapping[str, str] = {
    "conflicting": f"{_OF_CHECKS}:CONFLICTING",
    "unknown": f"{_OF_CHECKS}:UNKNOWN",
    "unused": f"{_OF_CHECKS}:UNUSED",
    "irrelevant": f"{_OF_CHECKS}:IRRELEVANT",
    "unjudged": f"{_OF_CHECKS}:UNJUDGED",
    "blank": f"{_OF_CHECKS}:BLANK",
    "padded": f"{_OF_CHECKS}:PADDED",
    "absent": f"{_OF_CHECKS}:ABSENT",
    "notice": f"{_OF_CHECKS}:NOTICE",
}
"""Checks of the command `check`, the most urgent first."""

_OF_COMMANDS = "pytest_relevance.ext.commands"

COMMANDS: Mapping[str, str] = {
    "init": f"{_OF_COMMANDS}.init",
    "check": f"{_OF_COMMANDS}.check",
    "convert": f"{_OF_COMMANDS}.convert",
    "raters": "pytest_relevance.ext.judging.raters",
    "compare": "pytest_relevance.ext.comparing.command",
    "merge": f"{_OF_COMMANDS}.merge",
    "report": f"{_OF_COMMANDS}.report",
    "history": "pytest_relevance.ext.history.command",
    "schema": f"{_OF_COMMANDS}.schema",
}
"""Commands of `pytest-relevance`: modules, in the order of the help text."""
