"""docs/reference/judgments.md has the formats that there are, and says of each what it holds."""

from __future__ import annotations

import re
from pathlib import Path

from pytest_relevance.judgments.reading import ALIASES, FORMATS

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "judgments.md").read_text(encoding="utf-8")
ROWS = {row[0]: row for row in re.findall(r"^\| `(\w+)` \| (.*?) \| (.*?) \| (.*?) \|$", PAGE, re.MULTILINE)}


def test_every_format_has_a_row_or_is_named_in_one() -> None:
    named = set(re.findall(r"`([\w-]+)`", "\n".join(" ".join(row) for row in ROWS.values()))) | set(ROWS)
    assert set(FORMATS) | set(ALIASES) - {"svmrank"} <= named
    assert set(ROWS) <= set(FORMATS) | set(ALIASES)


def test_a_row_says_what_the_format_holds() -> None:
    for name, _, judgments, queries in ROWS.values():
        known = FORMATS[ALIASES.get(name, name)]
        assert judgments.startswith("yes") == (known.ratings is not None), name
        assert (not queries.startswith(("no", "ids alone"))) == (known.queries is not None), name
