"""The checks of what a case file says about the rows of a file of queries.

`columns` says which column has which key of a case, and `params` which column has which
parameter of the search. `merge`, `thousands` and `drop` say how the rows are read.
"""

from __future__ import annotations

from collections.abc import Mapping

from pytest_relevance._text import did_you_mean, found, listed, quoted
from pytest_relevance.cases.location import WRONG, Location, Wrong
from pytest_relevance.cases.schema_parts import (
    FLAG,
    TEXT,
    TEXT_OR_TEXTS,
    Schema,
    about,
    object_with,
)
from pytest_relevance.cases.values import (
    NOT_PARAMETERS,
    check_flag,
    is_filled_text,
    wrong_column,
)
from pytest_relevance.judgments.row_rules import (
    COLUMNS,
    DROP,
    MAPPED_KEYS,
    MAY_BE_OFF,
    MERGE,
    PARAMS,
    QUERY,
    SEPARATORS,
    THOUSANDS,
    RowRules,
)

ROW_OPTIONS = (COLUMNS, PARAMS, MERGE, THOUSANDS, DROP)
"""The keys of a file of queries that say how its rows are read."""

_NEEDED_BY_QUERIES = ("judgments", "relevant", "passages", "document", "context")
"""What a user may map, and what the columns of golden sets have."""


def check_row_options(
    described: Mapping[str, object], at: Location
) -> RowRules | Wrong:
    """Return how the rows of a file of queries are read, or report mistakes.

    `described`: the mapping that describes the file, with any other keys too.
    """
    columns = _check_columns(described.get(COLUMNS, {}), at.under(COLUMNS))
    params = _check_params(described.get(PARAMS, {}), at.under(PARAMS))
    merge = check_flag(described.get(MERGE, False), at.under(MERGE))
    thousands = _check_thousands(described.get(THOUSANDS), at.under(THOUSANDS))
    drop = _check_drop(described.get(DROP, ()), at.under(DROP))
    if columns is WRONG or params is WRONG or merge is WRONG:
        return WRONG
    if thousands is WRONG or drop is WRONG:
        return WRONG
    return RowRules(
        columns=columns, params=params, merge=merge, thousands=thousands, drop=drop
    )


def check_not_of_a_golden_set(
    described: Mapping[str, object], of_golden_sets: tuple[str, ...], at: Location
) -> Wrong | None:
    """Report a file with options of rows and with keys of golden sets.

    `of_golden_sets`: the keys that a golden set or a file of judgments may have.

    Return `WRONG` if a mistake was reported, else None.
    """
    of_rows = [key for key in ROW_OPTIONS if key in described]
    others = [key for key in of_golden_sets if key in described]
    if not of_rows or not others:
        return None
    if others == [QUERY]:
        name = described[QUERY]
        column = name if isinstance(name, str) else "COLUMN"
        return at.refuse(
            f"with {of_rows[0]}, write the column of the queries under columns: "
            f"columns: {{query: {column}}}",
            QUERY,
            at_key=True,
        )
    return at.refuse(
        f"{of_rows[0]} is for files of queries alone, and {others[-1]} is for golden sets; take one of them out",
        of_rows[0],
        at_key=True,
    )


def _check_columns(
    value: object, at: Location
) -> tuple[tuple[str, str | None], ...] | Wrong:
    """Return pairs (key of a case, its column), or report mistakes.

    The column is None if the user wrote `KEY: null`: then no column is read for the
    key.

    `value`: what `columns` has, {key of a case: column}.
    """
    if not isinstance(value, Mapping):
        return at.refuse(
            f"expected key: column, for example {{query: q, weight: volume}}, found {found(value)}"
        )
    is_wrong = False
    keys: dict[str, str] = {}
    pairs: list[tuple[str, str | None]] = []
    for key, column in value.items():
        why_wrong = wrong_column(column)
        if key not in MAPPED_KEYS:
            at.refuse(_not_mapped(str(key)), str(key), at_key=True)
            is_wrong = True
        elif column is None and key in MAY_BE_OFF:
            pairs.append((key, None))
        elif why_wrong is not None:
            at.refuse(why_wrong, key)
            is_wrong = True
        elif column in keys:
            at.refuse(
                f"the column {quoted(column)} is already {keys[column]}; a column has one key of a case",
                key,
            )
            is_wrong = True
        else:
            keys[column] = key
            pairs.append((key, column))
    return WRONG if is_wrong else tuple(pairs)


def _not_mapped(key: str) -> str:
    """Return the message for a key of `columns` that no column can have."""
    if key in _NEEDED_BY_QUERIES:
        return (
            f"{quoted(key)} is not read by columns; what queries need is named beside file: document: COLUMN (ids), "
            "passage: COLUMN (quotes) or context: COLUMN (contexts), without columns"
        )
    if key == PARAMS:
        return "params stands beside columns: params: {parameter: column}"
    close = did_you_mean(key, MAPPED_KEYS)
    return f"a column may have {listed(MAPPED_KEYS)}, not {quoted(key)}{close}"


def _check_params(value: object, at: Location) -> tuple[tuple[str, str], ...] | Wrong:
    """Return the pairs of a parameter and its column, or report mistakes."""
    if not isinstance(value, Mapping):
        return at.refuse(
            f"expected parameter: column, for example {{locale: lang}}, found {found(value)}"
        )
    is_wrong = False
    pairs = []
    for name, column in value.items():
        why_wrong = wrong_column(column)
        if name in NOT_PARAMETERS:
            message = f"params may not have {name}: {NOT_PARAMETERS[name]}"
            at.refuse(message, name, at_key=True)
            is_wrong = True
        elif not name:
            at.refuse("a parameter needs a name", name, at_key=True)
            is_wrong = True
        elif why_wrong is not None:
            at.refuse(why_wrong, name)
            is_wrong = True
        else:
            pairs.append((name, column))
    return WRONG if is_wrong else tuple(pairs)


def _check_thousands(value: object, at: Location) -> str | Wrong | None:
    if value is None:
        return None
    if isinstance(value, str) and value in SEPARATORS:
        return value
    return at.refuse(
        'expected ",", ".", "\'" or " " between the thousands of a number, or "" for none, '
        f"found {found(value)}"
    )


def _check_drop(value: object, at: Location) -> tuple[str, ...] | Wrong:
    """Return the texts of rows that are not queries, or report a mistake."""
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, (list, tuple)):
        return at.refuse(f"expected a text or a list of texts, found {found(value)}")
    for index, text in enumerate(texts):
        if not is_filled_text(text):
            return at.refuse(f"expected the text of a row, found {found(text)}", index)
    return tuple(texts)


def _columns_schema() -> Schema:
    properties: dict[str, Schema] = {}
    for key in MAPPED_KEYS:
        types = ["string", "null"] if key in MAY_BE_OFF else ["string"]
        properties[key] = about(
            f"The column that has {key}.", {"type": types, "minLength": 1}
        )
    return object_with(properties)


ROW_PROPERTIES: Mapping[str, Schema] = {
    COLUMNS: about(
        "Which column has which key of a case: key: column. null: the key is not read.",
        _columns_schema(),
    ),
    PARAMS: about(
        "Which column has which keyword argument of search(): parameter: column.",
        {"type": "object", "additionalProperties": TEXT},
    ),
    MERGE: about(
        "true: rows of one query become one, and their weights are added.", FLAG
    ),
    THOUSANDS: about(
        'What stands between the thousands of a number: "," reads 1,340. "" for none.',
        {"enum": [*SEPARATORS]},
    ),
    DROP: about("The texts of rows that are not queries.", TEXT_OR_TEXTS),
}
