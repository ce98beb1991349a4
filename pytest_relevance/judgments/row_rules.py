"""What a user says of the rows of a file of queries.

`cases` checks what a case file says. The formats of tables read the rows by it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pytest_relevance._text import did_you_mean, listed, quoted

COLUMNS = "columns"
PARAMS = "params"
MERGE = "merge"
THOUSANDS = "thousands"
DROP = "drop"
SAMPLE_BY = "sample.by"
SAMPLE_PER = "sample.per"
ROW_OPTIONS = (COLUMNS, PARAMS, MERGE, THOUSANDS, DROP, SAMPLE_BY, SAMPLE_PER)
"""What a user can say of the rows of a file of queries.

A format names what it reads.
"""

ROW_RULES = "rows"
"""The option of a file that has its `RowRules`."""

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
"""The keys that are read from columns with usual names, unless they are set to null."""

BLANKS = " \u00a0\u2009\u202f"
"""A space, a no-break space, a thin space, and a narrow no-break space."""

SEPARATORS = ("", ",", ".", "'", "\u2019", *BLANKS)
"""What may stand between thousands; "" if nothing does."""


@dataclass(frozen=True, slots=True)
class RowRules:
    """How the rows of a file of queries are read.

    `columns`: pairs of a key of a case and its column. The column is None if the key is
        not read.
    `params`: pairs of a parameter of the search and its column.
    `merge`: whether rows of one query become one.
    `thousands`: what stands between the thousands of a number; None if not known.
    `drop`: the texts of rows that are not queries.
    `sample_by`, `sample_per`: the columns by which a sample is drawn.
    """

    columns: tuple[tuple[str, str | None], ...] = ()
    params: tuple[tuple[str, str], ...] = ()
    merge: bool = False
    thousands: str | None = None
    drop: tuple[str, ...] = ()
    sample_by: str | None = None
    sample_per: str | None = None

    @property
    def maps(self) -> bool:
        """Say whether the user names a column of the file."""
        return bool(self.columns or self.params)

    def maps_key(self, key: str) -> bool:
        """Say whether the user names the column of a key, or says that it has none."""
        return any(mapped == key for mapped, _ in self.columns)

    def column_of(self, key: str) -> str | None:
        """Return the column that the user names for a key; None without one."""
        return dict(self.columns).get(key)

    def is_off(self, key: str) -> bool:
        """Say whether the user says that no column has a key of a case."""
        return self.maps_key(key) and self.column_of(key) is None

    def column_of_param(self, name: str) -> str:
        """Return the column that the user names for a parameter of the search."""
        return dict(self.params)[name]

    def check(self) -> None:
        """Raise ValueError for a key that no column has, or a wrong separator."""
        for key, _ in self.columns:
            if key not in MAPPED_KEYS:
                close = did_you_mean(key, MAPPED_KEYS)
                raise ValueError(
                    f"a column may have {listed(MAPPED_KEYS)}, not {quoted(key)}{close}"
                )
        if self.thousands is not None and self.thousands not in SEPARATORS:
            raise ValueError(
                f"""thousands is ",", ".", "'" or " ", or "" for none, not {self.thousands!r}"""
            )

    @property
    def given(self) -> list[str]:
        """Return the names of the rules that the user gives: `columns`, `drop`."""
        is_given = {
            COLUMNS: bool(self.columns),
            PARAMS: bool(self.params),
            MERGE: self.merge,
            THOUSANDS: self.thousands is not None,
            DROP: bool(self.drop),
            SAMPLE_BY: self.sample_by is not None,
            SAMPLE_PER: self.sample_per is not None,
        }
        return [name for name in ROW_OPTIONS if is_given[name]]


EVERY_ROW = RowRules()
"""The user gives no rule: usual columns are read, and each row is a query."""


def rules_in(options: Mapping[str, Any]) -> RowRules:
    """Return the rules among the options of a file."""
    rules: RowRules = options.get(ROW_RULES, EVERY_ROW)
    return rules
