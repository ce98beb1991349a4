"""How a report is recognised, so that only a report is replaced by a newer one."""

from __future__ import annotations

import re

REPORT_MARK = "pytest-relevance report"
"""The comment at the beginning of a report in HTML or Markdown."""

_BEGINNINGS = (
    # HTML and Markdown
    rb"(?s:.{,2000}?)" + REPORT_MARK.encode(),
    # JSON: a comparison or a history, and a run
    rb'\{\s*"kind": "pytest-relevance (?:comparison|history)"',
    rb'\{\s*"name": .+,\s*"run": \{(?s:.*),\s*"results": \[',
    # text: a history, and a comparison
    rb"History of [\d,]+ runs?, ",
    rb"(?s:.{1,2000}? -> .{1,2000}?): "
    rb"[\d,]+ cases? compared, [\d,]+ with another ranking",
)

# the text of a run ends with its counts
_COUNTS = rb"(?m)^[\d,]+ cases?(?: in [\d,]+ variants?)?(?::|$)"
_BYTES_WITH_COUNTS = 2_000


def is_report(data: bytes) -> bool:
    """Whether a file holds the report of a run, a comparison or a history.

    `data` is its content. It may have any of the formats of reports.
    """
    if any(re.match(beginning, data) for beginning in _BEGINNINGS):
        return True
    return re.search(_COUNTS, data[-_BYTES_WITH_COUNTS:]) is not None
