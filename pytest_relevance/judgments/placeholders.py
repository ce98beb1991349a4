"""Find rows of an export that stand for no query: `(not set)`, `(other)`.

Analytics tools write such a text if a search had no term, or if they group many rare
terms. Nobody typed it. It is read as a query all the same, because a search box may
have received it, and a notice says how to leave it out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_relevance._text import first_few, folded_text, quoted
from pytest_relevance.judgments.model import Query

PLACEHOLDERS = frozenset(
    {
        "(data not available)",
        "(low traffic)",
        "(none)",
        "(not provided)",
        "(not set)",
        "(other)",
        "::unspecified::",
    }
)
"""What Google Analytics, Search Console and Adobe Analytics write, folded."""


def placeholders_in(queries: Iterable[Query]) -> list[Query]:
    """Return the queries whose text is a placeholder of an analytics tool."""
    found = []
    for query in queries:
        if folded_text(query.text_or_id) in PLACEHOLDERS:
            found.append(query)
    return found


def notice_of_placeholders(queries: Sequence[Query]) -> str:
    """Return a sentence that names placeholders, and how to leave them out."""
    named = []
    for query in queries:
        line = f" (line {query.line})" if query.line is not None else ""
        named.append(f"{quoted(query.text_or_id)}{line}")
    texts = dict.fromkeys(query.text_or_id.strip() for query in queries)
    drop = ", ".join(map(quoted, texts))
    be, a_query, them = "are", "queries", "them"
    if len(queries) == 1:
        be, a_query, them = "is", "a query", "it"
    return (
        f"{first_few(named)} {be} read as {a_query}, but analytics tools write {them} if "
        f"they have no query. Leave {them} out: drop: [{drop}]"
    )
