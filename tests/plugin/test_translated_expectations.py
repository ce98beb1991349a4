"""A suite of 90 expectations of ranks over a real shop, against a plain reading of them.

Each expectation is a question as people ask it of a search: are half of the first five among these, do these come
before those, is none of them there. It is translated into one case, and the verdicts of the cases are compared with
those of the functions below, which know nothing of this project.
"""

import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice, pairwise
from math import inf
from pathlib import Path
from typing import Any

import pytest

from pytest_relevance import read_suite
from tests.chorus import CHORUS, needs_chorus
from tests.helpers import scored

pytestmark = needs_chorus

Documents = Sequence[str]


# What is expected, in plain words


def precision(ranking: Documents, wanted: Documents, top: int, least: float) -> bool:
    """At least this share of the first `top` ranks has one of these documents."""
    return len({*ranking[:top]} & {*wanted}) / top >= least


def recall(ranking: Documents, wanted: Documents, top: int, least: float) -> bool:
    """At least this share of these documents is among the first `top`."""
    return len({*ranking[:top]} & {*wanted}) / len(wanted) >= least


def any_order(ranking: Documents, wanted: Documents, top: int) -> bool:
    """All of these documents are among the first `top`, whatever their order."""
    return all(document in ranking[:top] for document in wanted)


def forbidden(ranking: Documents, unwanted: Documents, top: int) -> bool:
    """None of these documents is among the first `top`."""
    return not any(document in ranking[:top] for document in unwanted)


def threshold(ranking: Documents, highest: dict[str, int], lowest: dict[str, int]) -> bool:
    """Each of some documents is at its rank or above, each of others is below its rank or absent."""
    ranks = {document: ranking.index(document) + 1 for document in ranking}
    return all(ranks.get(document, inf) <= rank for document, rank in highest.items()) and all(
        ranks.get(document, inf) > rank for document, rank in lowest.items()
    )


def before(ranking: Documents, sets: Sequence[Documents], top: int) -> bool:
    """Among the first `top`, all documents of a set come before all of the next; what is absent comes last."""
    seen = ranking[:top]
    for earlier, later in pairwise(sets):
        for one in earlier:
            for other in later:
                if one not in seen or (other in seen and seen.index(one) >= seen.index(other)):
                    return False
    return True


@dataclass(frozen=True)
class Expected:
    """An expectation: the function that reads it plainly, what that is asked, and the keys of its case."""

    query: str
    holds: Callable[..., bool]
    asked: tuple[Any, ...]
    keys: dict[str, Any]


def expectations(query: str, documents: Documents, draw: random.Random) -> Iterator[Expected]:
    """An expectation of each kind about some documents."""
    count, top = len(documents), draw.choice([5, 10, 30, 100])
    half = count // 2
    good, bad = documents[:half], documents[half:]

    least = draw.randint(1, min(top, half)) / top
    yield Expected(query, precision, (good, top, least), {"relevant": good, "expect": {f"P@{top}": least}})

    least = draw.randint(1, min(top, half)) / half
    yield Expected(query, recall, (good, top, least), {"relevant": good, "expect": {f"R@{top}": least}})

    few = good[:3]
    depth = max(len(few), top)
    yield Expected(query, any_order, (few, depth), {"expect": {"include": {"docs": few, "within": depth}}})

    yield Expected(query, forbidden, (bad[:4], top), {"expect": {"exclude": {"docs": bad[:4], "within": top}}})

    highest = {document: draw.randint(place + 1, 100) for place, document in enumerate(good[:2])}
    lowest = {document: draw.randint(1, 100) for document in bad[:2]}
    ranks = {**highest, **{document: f">{rank}" for document, rank in lowest.items()}}
    yield Expected(query, threshold, (highest, lowest), {"expect": {"within": ranks}})

    sets = [good[:2], bad[:2], bad[2:3]] if len(bad) > 2 else [good[:2], bad[:1]]
    yield Expected(query, before, (sets, top), {"expect": {"order": {"docs": sets, "within": top}}})


@pytest.fixture(scope="module")
def expected() -> list[Expected]:
    """90 expectations about 15 queries of the shop and products that are judged for them."""
    draw = random.Random(12)
    judged = [case for case in read_suite(CHORUS / "electronics.relevance.yaml").cases if len(case.judgments) >= 8]
    found: list[Expected] = []
    for case in draw.sample(judged, 15):
        documents = draw.sample(sorted(case.judgments), draw.randint(6, 8))
        found += expectations(case.query, documents, draw)
    return found


def case_file(expected: Sequence[Expected]) -> str:
    """A case for each expectation; JSON is YAML."""
    cases = [{"id": f"e{number}", "query": each.query, **each.keys} for number, each in enumerate(expected)]
    return "cases:\n" + "".join(f"  - {json.dumps(case)}\n" for case in cases)


def holds(each: Expected, ranking: Documents) -> bool:
    return each.holds(ranking, *each.asked)


def named(each: Expected) -> list[str]:
    """The documents that an expectation is about."""
    keys: list[str] = []
    for part in (each.keys.get("relevant"), each.asked[0], *each.asked[1:2]):
        for inner in part if isinstance(part, (list, dict)) else ():
            keys += [inner] if isinstance(inner, str) else inner
    return list(dict.fromkeys(keys))


def rankings(each: Expected, draw: random.Random) -> Iterator[Documents]:
    """Rankings of 0 to 130 results, some of which hold the documents on top, and some a document twice."""
    others = [f"other{number}" for number in range(130)]
    documents = named(each)
    yield []
    yield documents
    for length in islice(cycle([1, 3, 8, 20, 60, 130]), 24):
        kept = draw.sample(documents, draw.randint(0, len(documents)))
        ranking = [*kept, *draw.sample(others, max(0, length - len(kept)))]
        top = draw.randint(1, len(ranking) + 1)
        mixed = draw.sample(ranking[:top], len(ranking[:top])) + draw.sample(ranking[top:], len(ranking[top:]))
        yield mixed
        if mixed:
            yield [*mixed, draw.choice(mixed)]


def test_each_expectation_is_a_case_of_the_same_verdict_over_random_rankings(
    tmp_path: Path, expected: list[Expected]
) -> None:
    assert len(expected) == 90
    draw = random.Random(90)
    path = tmp_path / "shop.relevance.yaml"
    path.write_text(case_file(expected), encoding="utf-8")
    cases = read_suite(path).cases
    verdicts: dict[str, set[bool]] = {}
    for case, each in zip(cases, expected, strict=True):
        assert case.depth <= 100
        for ranking in rankings(each, draw):
            result = scored(case, ranking, 0.01)
            passed = result.verdict == "passed"
            assert passed == holds(each, ranking), (each, ranking, result.evaluation.reasons)
            verdicts.setdefault(each.holds.__name__, set()).add(passed)
    assert verdicts == {
        kind: {True, False} for kind in ("precision", "recall", "any_order", "forbidden", "threshold", "before")
    }
