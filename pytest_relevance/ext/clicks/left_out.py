"""The parts of a log that give no judgment, with the reason and a count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from pytest_relevance._text import counted


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a part of a log is left out.

    `what`: what is left out: `event`.
    `why`: the reason, as words after `what`: `without a query_id`.
    `several`: the plural of `what`; "" if the plural is `what` with an s.
    """

    what: str
    why: str
    several: str = ""


NO_QUERY = Reason("row", "without a query")
NO_DOCUMENT = Reason("row", "without a document")
NO_POSITION = Reason("row", "without a position, or with a negative one")
OF_CLIENT = Reason("row", "of clients that --without-client names")
NOTHING_SHOWN = Reason("row", "without impressions")

EVENT_OF_CLIENT = Reason("event", "of clients that --without-client names")
EVENT_WITHOUT_ID = Reason("event", "without a query_id")
EVENT_WITHOUT_DOCUMENT = Reason("event", "without an object_id")
EVENT_WITHOUT_TEXT = Reason(
    "document shown",
    "without the text of its search: the event has no user_query, and no search has its query_id",
    "documents shown",
)
EVENT_OF_TWO_TEXTS = Reason(
    "document shown",
    "for a query_id that has two texts",
    "documents shown",
)
EVENT_WITHOUT_POSITION = Reason(
    "document shown", "without a position, or with a negative one", "documents shown"
)
EVENT_OF_FILTERED = Reason(
    "document shown",
    "for a search with filters (--filtered counts them)",
    "documents shown",
)
SHOWN_AGAIN = Reason(
    "impression", "of a document that its search had shown before, which counts once"
)
CLICKED_AGAIN = Reason(
    "click", "on a document that its search had a click on before, which counts once"
)
CLICK_WITHOUT_IMPRESSION = Reason("click", "without an impression that counts")

QUERY_WITHOUT_CLICKS = Reason("query", "without clicks", "queries")
TOO_LITTLE_EXPECTED = Reason("pair", "with too few expected clicks (--min-expected)")

LeftOut = Counter[Reason]
"""{reason: how many parts of a log are left out for it}"""


def left_out_lines(left_out: Mapping[Reason, int]) -> list[str]:
    """Return a line with the count for each reason: `2 events without a query_id`.

    A reason with the count 0 has no line.
    """
    lines = []
    for reason, count in left_out.items():
        if count:
            lines.append(f"{counted(count, reason.what, reason.several)} {reason.why}")
    return lines
