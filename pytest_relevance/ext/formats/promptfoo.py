"""Read tests of promptfoo with assertions of the type context-recall.

A test has variables, `vars`, and assertions, `assert`. One of the variables is the
query. The value of an assertion `context-recall` is a fact that the context of an
answer must state. promptfoo asks a model whether the context states the fact. Here the
value is a quote: the text of a result must contain the whole value, word by word.

The tests are in the list `tests` of a configuration, or in a file of their own.
"""

from __future__ import annotations

import re

from pytest_relevance._source import Source
from pytest_relevance.ext.formats.golden_sets import GoldenSet, golden_format
from pytest_relevance.judgments.formats import QUERY

_KEYS = re.compile(rb"""(?m)(?:^[ \t-]*|[{,]\s*)["']?(?:vars|assert|tests)["']?\s*:""")
"""A key of promptfoo in YAML or JSON."""


def _is_promptfoo(source: Source) -> bool:
    data = source.data
    return b"context-recall" in data and _KEYS.search(data) is not None


def _read(source: Source) -> GoldenSet:
    # imported here because it needs yaml, and readers of other formats do not
    from pytest_relevance.ext.formats.promptfoo_tests import read_tests

    return read_tests(source)


PROMPTFOO = golden_format(
    "promptfoo",
    "tests with assertions of the type context-recall",
    fits=_is_promptfoo,
    read=_read,
    options=frozenset({QUERY}),
)
