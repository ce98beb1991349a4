"""What a user says of the rows of a file of queries.

`cases` checks what a case file says. The formats of tables read the rows by it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_relevance._text import did_you_mean, listed, quoted

COLUMNS = "columns"
PARAMS = "params"
MERGE = "merge"
THOUSANDS = "thousands"
DROP = "drop"
SAMPLE_BY = "sample.by"
SAMPLE_PER = "sample.per"
ROW_OPTIONS = frozenset(
    {COLUMNS, PARAMS, MERGE, THOUSANDS, DROP, SAMPLE_BY, SAMPLE_PER}
)
"""The options of a file of queries that is a table."""

QUERY = "query"
ID = "id"
WEIGHT = "weight"
NOTE = "note"
TAGS = "tags"

TEXTS = (QUERY, ID, NOTE, "search", "skip", "xfail")
NUMBERS = (WEIGHT, "min_ndcg", "k", "min_judged", "depth", "tolerance")
LISTS = (TAGS, "usefixtures")
MAPPED_KEYS = (*TEXTS, *NUMBERS, *LISTS)
"""The keys of a case that a column may have: texts, numbers, lists between commas."""

MAY_BE_OFF = (ID, WEIGHT, NOTE)
"""The keys that columns with a usual name have, unless they are set to null."""

BLANKS = " \u00a0\u2009\u202f"
"""A space, a no-break space, a thin space, and a narrow no-break space."""

SEPARATORS = ("", ",", ".", "'", "\u2019", *BLANKS)
"""What may stand between thousands; "" if nothing does."""


@dataclass(frozen=True, slots=True)
class RowRules:
    """How the rows of a file of queries are read.

    `columns`: {key of a case: column}. The column is None if the key is not read.
    `params`: {parameter of the search: column}.
    `merge`: whether rows of one query become one.
    `thousands`: what stands between the thousands of a number; None if not known.
    `drop`: the texts of rows that are not queries.
    `sample_by`, `sample_per`: the columns by which a sample is drawn.
    """

    columns: Mapping[str, str | None] = field(default_factory=dict)
    params: Mapping[str, str] = field(default_factory=dict)
    merge: bool = False
    thousands: str | None = None
    drop: tuple[str, ...] = ()
    sample_by: str | None = None
    sample_per: str | None = None

    @property
    def maps(self) -> bool:
        """Say whether the user names a column of the file."""
        return bool(self.columns or self.params)

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> RowRules:
        """Return the rules among the options of a file."""
        return cls(
            columns=options.get(COLUMNS, {}),
            params=options.get(PARAMS, {}),
            merge=options.get(MERGE, False),
            thousands=options.get(THOUSANDS),
            drop=options.get(DROP, ()),
            sample_by=options.get(SAMPLE_BY),
            sample_per=options.get(SAMPLE_PER),
        )

    def check(self) -> None:
        """Raise ValueError for a key that no column has, or a wrong separator."""
        for key in self.columns:
            if key not in MAPPED_KEYS:
                close = did_you_mean(key, MAPPED_KEYS)
                raise ValueError(
                    f"a column may have {listed(MAPPED_KEYS)}, not {quoted(key)}{close}"
                )
        if self.thousands is not None and self.thousands not in SEPARATORS:
            raise ValueError(
                f"""thousands is ",", ".", "'" or " ", or "" for none, not {self.thousands!r}"""
            )

    def options(self) -> dict[str, Any]:
        """Return {name: value} of the options that the user gives."""
        given = {
            COLUMNS: self.columns or None,
            PARAMS: self.params or None,
            MERGE: self.merge or None,
            THOUSANDS: self.thousands,
            DROP: self.drop or None,
            SAMPLE_BY: self.sample_by,
            SAMPLE_PER: self.sample_per,
        }
        return {name: value for name, value in given.items() if value is not None}
