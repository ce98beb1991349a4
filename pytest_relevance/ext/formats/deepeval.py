"""Read goldens of DeepEval, in JSON, JSON Lines and CSV.

A golden has the query in `input`, and the texts that an answer needs in `context`. Its
`retrieval_context` is what a search returned, and is never read. The library writes
names with underscores, and Confident AI writes `retrievalContext`.

In CSV and JSON Lines DeepEval joins the texts of a golden by `|`. There a text with a
bar in it looks like two texts. In JSON the texts are a list.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from pytest_relevance._problems import Place
from pytest_relevance._source import Source
from pytest_relevance._text import counted, quoted
from pytest_relevance.ext.formats.golden_rows import Row, names_in, rows_in
from pytest_relevance.ext.formats.golden_sets import (
    Goldens,
    GoldenSet,
    golden_format,
    texts_with_words,
)
from pytest_relevance.ext.formats.query_cells import is_blank
from pytest_relevance.judgments.columns import shown_names

_QUERY = "input"
_CONTEXT = "context"
_RETURNED = "retrieval_context"
_OTHERS = (_CONTEXT, _RETURNED, "expected_output", "actual_output")
_GOLDENS = "goldens"
"""The key under which some exports have the list of goldens."""

_CONVERSATION = ("turns", "expected_outcome", "user_description")

_TABLE = re.compile(r"(?m)^\s*\||\|\s*:?-{2,}|\|\s*\|")
"""Parts of a Markdown table: a line that begins with a bar, a rule, an empty cell."""

_AS_JSON = 'save the dataset as JSON: dataset.save_as("json", directory=...)'


def _is_deepeval(source: Source) -> bool:
    names = names_in(source, _under(source))
    if names.has("scenario"):
        return names.find(*_CONVERSATION) is not None
    return names.has(_QUERY) and names.find(*_OTHERS) is not None


def _under(source: Source) -> str:
    return _GOLDENS if _GOLDENS in source.json_object else ""


def _read(source: Source) -> GoldenSet:
    names = names_in(source, _under(source))
    query, context = names.find(_QUERY), names.find(_CONTEXT)
    if query is None and names.has("scenario"):
        source.refuse(
            "these goldens are conversations (scenario), which have no query for a search; write the questions into a "
            "file of goldens with input and context",
            Place(line=1),
        )
    if query is None or context is None:
        source.refuse(
            f"goldens of DeepEval have {_QUERY} and {_CONTEXT}; found {shown_names(names.all)}. {_RETURNED} is what a "
            "search returned, and no judgment",
            Place(line=1),
        )
    returned = names.find(_RETURNED)
    goldens = Goldens(source, query)
    contexts = _Contexts(goldens, context)
    for row in rows_in(source, _under(source)):
        text = goldens.query_of(row, row.get(query))
        needed = contexts.of(row)
        why_none = f"it has no {context}"
        if not is_blank(row.get(returned)):
            why_none = f"it has {returned}, which a search returned, and no {context}"
        goldens.add_text(text, needed, row, why_none)
    return GoldenSet(goldens.end(), notices=contexts.notices())


@dataclass
class _Contexts:
    """Reads the contexts of rows, and counts those that are split at bars.

    `column`: the name of the column.
    """

    goldens: Goldens
    column: str
    _split: list[Row] = field(default_factory=list)

    def of(self, row: Row) -> list[str]:
        """Return the contexts of a row. Record a mistake if they cannot be read."""
        value = row.get(self.column)
        entries = self.goldens.list_of(row, self.column, value)
        if entries is None:
            entries = self._parts(row, value)
        return texts_with_words(entries)

    def _parts(self, row: Row, value: object) -> list[str]:
        """Return the parts of a text between bars, or the text itself without bars.

        [] for None. [] for another value or a table in Markdown, which are recorded as
        mistakes.
        """
        if not isinstance(value, str):
            if value is not None:
                self.goldens.wrong(
                    f"{quoted(self.column)} is a list of texts", row.place
                )
            return []
        if "|" not in value:
            return [value]
        if _TABLE.search(value):
            self.goldens.wrong(
                f"{quoted(self.column)} has a table in Markdown, and DeepEval joins texts by | here, so the table "
                f"cannot be told from several texts; {_AS_JSON}",
                row.place,
            )
            return []
        self._split.append(row)
        return value.split("|")

    def notices(self) -> list[str]:
        """Return the notice that texts were split at bars, if any were."""
        if not self._split:
            return []
        rows = counted(len(self._split), "row")
        return [
            f"the {self.column} of {rows} is split at |, by which DeepEval joins texts. A text that has a | itself is "
            f"cut in two; to keep it whole, {_AS_JSON}"
        ]


DEEPEVAL = golden_format(
    "deepeval",
    "goldens: input and context",
    fits=_is_deepeval,
    read=_read,
)
