"""A damaged record is refused wherever it is read: nothing overflows, and no number makes a list that memory lacks."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pytest_relevance.runs.facts import CaseFileFacts

from pytest_relevance import Incomparable, Run, compare_runs, read_run
from pytest_relevance.cases.gates import check_gates
from pytest_relevance.judgments.problems import JudgmentFileError
from pytest_relevance.results.merge import Unmergeable, judge_gates, merge
from pytest_relevance.results.record import check_record, write_record
from pytest_relevance.results.run import RecordError

if TYPE_CHECKING:
    from tests.runs.conftest import Maker

GATES = [{"max_drop": {"nDCG@10": 0.1}, "p": 0.05, "tag": "head"}, {"passing": 0.5}]


@pytest.fixture
def lines(make: Maker, tmp_path: Path) -> list[str]:
    """The lines of a sound record, with all that a record may have."""
    write_record(tmp_path / "sound.jsonl", sound(make))
    return (tmp_path / "sound.jsonl").read_text(encoding="utf-8").splitlines()


def sound(make: Maker) -> Run:
    gates = [(gate, line) for line, gate in enumerate(check_gates(GATES, {}), 2)]
    facts = CaseFileFacts("shop.relevance.yaml", "c0ffee", (("search", None, 3),), tuple(gates))
    run = make.run(tags=["head"], weight=2, params={"page": 1}, min_ndcg=1, expect={"P@5": 0.1}, k=5)
    for result in run.results:
        result.values.update(  # type: ignore[attr-defined]
            reasons=["low"], before={"nDCG@10": 1.0}, lower=0.1, upper=0.9, outcome="failed", depth=9, source="q.tsv",
            calls=2, rankings_seen=1, test="t", variant=None,
        )  # fmt: skip
    return Run(run.results, files={"shop.relevance.yaml": facts}, program="0.1.0")


WAYS: dict[str, Callable[[Path, Path], object]] = {
    "frame": lambda path, other: Run.open(path).frame,
    "rankings": lambda path, other: Run.open(path).rankings,
    "scores": lambda path, other: [compare_runs(path, other, metrics).frame for metrics in (None, "P@3")],
    "merge": lambda path, other: [*judge_gates(merge([Run.open(path), Run.open(other)], last=True).run)],
    "check": lambda path, other: check_record(path),
    "run": lambda path, other: read_run(path),
    "repr": lambda path, other: [repr(result) for result in Run.open(path).results],
}


def read_every_way(path: Path, other: Path) -> dict[str, str]:
    """What each way of reading a record says of it, which is what it may say and nothing else."""
    found = {}
    for name, way in WAYS.items():
        try:
            way(path, other)
        except (RecordError, Incomparable, Unmergeable, JudgmentFileError) as error:
            found[name] = str(error)
    return found


RAW = "RAW"
DAMAGES = [
    "1e400",
    "-1e400",
    "NaN",
    "9" * 400,
    "99999999999",
    "-7",
    "true",
    '"x"',
    '"\\ud800"',
    "[]",
    "[[1]]",
    "{}",
    "null",
]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where there are values in a value: itself, and those in its objects and lists."""
    yield path
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from places(inner, (*path, name))
    if isinstance(value, list) and value:
        yield from places(value[0], (*path, 0))


def damaged(line: str, place: tuple[Any, ...], damage: str) -> str:
    """A line with something else at a place."""
    value = json.loads(line)
    if not place:
        return damage
    inner = value
    for name in place[:-1]:
        inner = inner[name]
    inner[place[-1]] = RAW
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).replace(f'"{RAW}"', damage)


@pytest.mark.parametrize("number", [0, 2], ids=["header", "result"])
def test_whatever_stands_in_the_place_of_a_value_is_refused_or_read(
    lines: list[str], tmp_path: Path, number: int
) -> None:
    other, path = tmp_path / "sound.jsonl", tmp_path / "damaged.jsonl"
    assert read_every_way(other, other) == {}
    refused = 0
    for place in places(json.loads(lines[number])):
        for damage in DAMAGES:
            edited = [*lines]
            edited[number] = damaged(lines[number], place, damage)
            path.write_text("\n".join([*edited, ""]), encoding="utf-8", errors="surrogatepass")
            refused += bool(read_every_way(path, other))
    assert refused > 200


@pytest.mark.parametrize(
    ("number", "old", "new", "says"),
    [
        (0, '["search",null,3]', '["search",null,1e400]', "damaged.jsonl:1: the header is damaged (ValueError("),
        (0, '["search",null,3]', '["search",null,"3"]', "a total is a search, its variant and a number of cases, not"),
        (0, '"k":5', '"k":1e9', "k is a whole number from 1 to 1,000,000, not 1000000000.0"),
        (0, '"share":0.5', '"share":"half"', "has numbers that are none: ['half']"),
        (2, '"returned":3', '"returned":3.5', "is damaged in its details (how many were returned is no number)"),
        (2, '"3":1', '"3":99999999999', "the judgments of grade '3' are counted as 99999999999"),
        (2, '"3":1', '"3":999999999', "there are 1,000,000,001 judgments; at most 10,000,000 are possible"),
        (2, '"3":1', '"high":1', "the judgments of grade 'high' are counted as 1"),
        (2, '"calls":2', '"calls":"2"', "damaged.jsonl:3: the line is no result: its calls is '2'; make"),
        (2, '"lower":0.1', '"lower":1e400', "damaged.jsonl:3: the line is no result: its lower is inf; make"),
        (2, '"depth":9', '"depth":[]', "damaged.jsonl:3: the line is no result: its depth is []; make"),
        (2, '"grades":[3,2,1]', '"grades":[3,2,NaN]', "damaged"),
        (2, '"grades":[3,2,1]', '"grades":[3,2,60]', "grade 60 is too high for exponential gain"),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 30 else "",
)  # fmt: skip
def test_what_is_damaged_is_said(lines: list[str], tmp_path: Path, number: int, old: str, new: str, says: str) -> None:
    assert old in lines[number]
    path = tmp_path / "damaged.jsonl"
    edited = [line.replace(old, new, 1) if place == number else line for place, line in enumerate(lines)]
    path.write_text("\n".join([*edited, ""]), encoding="utf-8")
    with pytest.raises(RecordError) as error:
        Run.open(path).rankings  # noqa: B018
    assert says in str(error.value)
