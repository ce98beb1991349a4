"""The entries of the package: each format, kind, report and command is registered here.

A row has the name of an entry and its place, "module:attribute" below
`pytest_relevance`. The registries find their entries by these rows (`registry`).

Places are strings, so that nothing is imported before it is used, and so that no module
of the core imports a module of `ext`. The order matters if a registry is searched: a
file is read in the first format that fits.
"""

from __future__ import annotations

from collections.abc import Mapping

FORMATS: Mapping[str, str] = {
    "llama-index": "ext.formats.llama_index:LLAMA_INDEX",
    "promptfoo": "ext.formats.promptfoo:PROMPTFOO",
    "columns": "ext.formats.named_columns:COLUMNS",
    "ragas": "ext.formats.ragas:RAGAS",
    "deepeval": "ext.formats.deepeval:DEEPEVAL",
    "parquet": "ext.formats.tables:PARQUET",
    "quepid": "ext.formats.quepid:QUEPID",
    "rre": "ext.formats.rre:RRE",
    "elasticsearch": "ext.formats.elasticsearch:ELASTICSEARCH",
    "opensearch": "ext.formats.opensearch:OPENSEARCH",
    "topics": "ext.formats.topics:TOPICS",
    "ltr": "ext.formats.ltr:LTR",
    "jsonl": "ext.formats.objects:JSON_LINES",
    "json": "ext.formats.objects:JSON",
    "csv": "ext.formats.tables:CSV",
    "trec": "ext.formats.trec:QRELS",
    "beir": "ext.formats.beir:BEIR",
    "text": "ext.formats.lines:TEXT",
}
"""Formats of judgments and queries. The least distinctive ones come last."""

RUN_FORMATS: Mapping[str, str] = {
    "record": "ext.formats.records:RECORD",
    "parquet": "ext.formats.runs:PARQUET",
    "csv": "ext.formats.runs:CSV",
    "trec": "ext.formats.trec:RUN",
    "json": "ext.formats.runs:JSON",
}
"""Formats of runs: rankings that a search returned."""

SHAPES: Mapping[str, str] = {
    "body": "ext.shapes.bodies:BODY",
    "chroma": "ext.shapes.vector_databases:CHROMA",
    "qdrant": "ext.shapes.vector_databases:QDRANT",
    "langchain": "ext.shapes.vector_databases:LANGCHAIN",
    "llama-index": "ext.shapes.vector_databases:LLAMA_INDEX",
    "algolia": "ext.shapes.clients:ALGOLIA",
    "discovery-engine": "ext.shapes.clients:DISCOVERY_ENGINE",
    "pinecone": "ext.shapes.clients:PINECONE",
    "pinecone-records": "ext.shapes.clients:PINECONE_RECORDS",
    "redis": "ext.shapes.clients:REDIS",
    "azure": "ext.shapes.clients:AZURE",
    "usearch": "ext.shapes.vector_arrays:USEARCH",
    "usearch-batch": "ext.shapes.vector_arrays:USEARCH_BATCH",
    "bm25s": "ext.shapes.fulltext:BM25S",
    "tantivy": "ext.shapes.fulltext:TANTIVY",
    "tantivy-result": "ext.shapes.fulltext:TANTIVY_RESULT",
    "xapian": "ext.shapes.fulltext:XAPIAN",
    "lancedb": "ext.shapes.tables:LANCEDB",
    "lazy-frame": "ext.shapes.tables:LAZY_FRAME",
    "arrow": "ext.shapes.tables:ARROW",
    "arrays": "ext.shapes.vector_arrays:ARRAYS",
    "array": "ext.shapes.vector_arrays:ARRAY",
    "series": "ext.shapes.tables:SERIES",
    "relation": "ext.shapes.tables:RELATION",
    "cursor": "ext.shapes.tables:CURSOR",
    "frame": "ext.shapes.tables:FRAME",
    "dsl-search": "ext.shapes.bodies:DSL_SEARCH",
    "dsl-response": "ext.shapes.bodies:DSL_RESPONSE",
    "client": "ext.shapes.bodies:CLIENT",
}
"""Shapes of responses. The most usual comes first, the least distinctive last."""

REPORTS: Mapping[str, str] = {
    "text": "reports.formats:TEXT_FORMAT",
    "markdown": "ext.markdown.report_format:MARKDOWN_FORMAT",
    "html": "ext.html.report_format:HTML_FORMAT",
    "json": "reports.formats:JSON_FORMAT",
}
"""Formats of reports."""

EXPECTATIONS: Mapping[str, str] = {
    "first": "expectations.documents:FIRST",
    "include": "expectations.documents:INCLUDE",
    "exclude": "expectations.documents:EXCLUDE",
    "order": "expectations.order:ORDER",
    "within": "expectations.documents:WITHIN",
    "results": "expectations.counts:RESULTS",
    "latency": "expectations.counts:LATENCY",
    "every": "expectations.fields:EVERY",
    "some": "expectations.fields:SOME",
    "none": "expectations.fields:NONE",
    "at_most": "expectations.fields:AT_MOST",
    "response": "expectations.response:RESPONSE",
    "same_as": "expectations.same_as:SAME_AS",
    "exclude_passages": "expectations.passages:EXCLUDE_PASSAGES",
    "metric": "expectations.metric:METRIC",
    "similarity": "expectations.metric:SIMILARITY",
    "unknown": "expectations.unknown:UNKNOWN",
}
"""Kinds of expectations.

The last four are not keys of `expect:`. `exclude_passages` is a key of a case. The keys
of `metric` and `similarity` are metrics. `unknown` is only in records.
"""

PERCENTILES = tuple(f"p{percent}" for percent in range(1, 51))
"""The gates on a percentile: p1 to p50."""

GATES: Mapping[str, str] = {
    "mean": "gates.mean:MEAN_GATE",
    "max_drop": "gates.drop:DROP_GATE",
    "latency": "gates.latency:LATENCY_GATE",
    "passing": "gates.passing:PASSING_GATE",
    "min": "gates.percentile:MIN_GATE",
    **dict.fromkeys(PERCENTILES, "gates.percentile:PERCENTILE_GATE"),
    "unknown": "gates.unknown:UNKNOWN_GATE",
}
"""Kinds of gates. `unknown` is only in records."""

CALLS_UPWARD: Mapping[str, str] = {
    "judge": "gates.comparison_gates:judge_comparison",
    "report": "reports.formats:comparison_report",
    "notebook": "reports.comparison_report:comparison_html",
    "titles": "results.catalogue:titles_of_catalogue",
}
"""Functions that a lower layer calls.

Methods of `Comparison` call the first three. The known items in `cases` call `titles`.
"""

DIAGNOSES: Mapping[str, str] = {
    "nothing": "results.diagnosis_kinds:NOTHING_RETURNED",
    "passed empty": "results.diagnosis_kinds:PASSED_EMPTY",
    "same first": "results.diagnosis_kinds:SAME_FIRST",
    "ids": "results.diagnosis_kinds:OTHER_IDS",
    "unsorted": "results.diagnosis_kinds:UNSORTED",
    "one score": "results.diagnosis_kinds:ONE_SCORE",
    "repeated": "results.diagnosis_kinds:REPEATED",
    "fewer": "results.diagnosis_kinds:FEWER",
    "no value": "results.diagnosis_kinds:NO_VALUE",
    "common passages": "results.diagnosis_kinds:COMMON_PASSAGES",
    "ties": "results.diagnosis_kinds:TIES",
}
"""Kinds of diagnoses, in the order in which reports show them."""

CHECKS: Mapping[str, str] = {
    "conflicting": "ext.commands.lint:CONFLICTING",
    "unknown": "ext.commands.lint:UNKNOWN",
    "unused": "ext.commands.lint:UNUSED",
    "irrelevant": "ext.commands.lint:IRRELEVANT",
    "unjudged": "ext.commands.lint:UNJUDGED",
    "blank": "ext.commands.lint:BLANK",
    "padded": "ext.commands.lint:PADDED",
    "absent": "ext.commands.lint:ABSENT",
    "notice": "ext.commands.lint:NOTICE",
}
"""Checks of the command `check`, the most urgent first."""

COMMANDS: Mapping[str, str] = {
    "init": "ext.commands.init",
    "check": "ext.commands.check",
    "convert": "ext.commands.convert",
    "raters": "ext.judging.command",
    "clicks": "ext.clicks.command",
    "compare": "ext.comparing.command",
    "merge": "ext.merging.command",
    "replay": "ext.replaying.command",
    "report": "ext.commands.report",
    "history": "ext.history.command",
    "schema": "ext.commands.schema",
}
"""Commands of `pytest-relevance`: modules, in the order of the help text."""
