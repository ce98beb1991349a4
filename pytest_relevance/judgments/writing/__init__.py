"""Judgments and queries written in every format that has a place for them, and what each format cannot hold.

A new format is a function that makes text of `Judgments`, and a row of `WRITERS`: the row says what ids may be in that
format and what it holds, and all that is refused or lost follows from it.
"""

from pytest_relevance.judgments.writing.keys import queries_of
from pytest_relevance.judgments.writing.names import format_of_name, packed
from pytest_relevance.judgments.writing.queries import QUERY_WRITERS, renumbered, write_queries
from pytest_relevance.judgments.writing.writers import WRITERS, Writer, check_target, write_judgments
from pytest_relevance.judgments.writing.written import Written

__all__ = [
    "QUERY_WRITERS",
    "WRITERS",
    "Writer",
    "Written",
    "check_target",
    "format_of_name",
    "packed",
    "queries_of",
    "renumbered",
    "write_judgments",
    "write_queries",
]
