"""`--relevance-calibrate=N`: ask the judge for grades that people gave too, and show how far they agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Mapping, Sequence
from hashlib import sha256
from itertools import zip_longest
from typing import Any, NamedTuple

import pytest

from pytest_relevance._text import counted
from pytest_relevance.judgments.grading import Rated
from pytest_relevance.judgments.model import Judgments
from pytest_relevance.plugin.running.judge import Answer
from pytest_relevance.plugin.terminal import write_lines
from pytest_relevance.reports.raters import agreement_lines
from pytest_relevance.reports.text import Line, folded_lines, terminal_width

PEOPLE = "people"
"""What the grades that people gave are called beside those of a judge."""

_MOST_APART = 3
"""How many of the pairs that are furthest apart are shown."""


class Judged(NamedTuple):
    """The grade that people gave to a document of a query."""

    query: str
    document: str
    grade: float


def drawn_evenly(judged: Iterable[Judged], most: int) -> list[Judged]:
    """Draw at most so many judgments, as many of each grade as there are, without chance and whatever their order.

    Those of one grade are in the order of a digest. So another judgment changes few of those that are drawn, and more
    of them include all that fewer had.
    """
    of_grade: dict[float, list[Judged]] = {}
    for each in sorted({*judged}, key=_digest):
        of_grade.setdefault(each.grade, []).append(each)
    turns = zip_longest(*(of_grade[grade] for grade in sorted(of_grade)))
    return [each for turn in turns for each in turn if each is not None][:most]


def _digest(judged: Judged) -> tuple[bytes, Judged]:
    return sha256(f"{judged.query}\0{judged.document}".encode("utf-8", "surrogatepass")).digest(), judged

