"""A record that is damaged in any value ends a command with one message, wherever the
damage shows.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_relevance.results.records.recorded_rankings import read_rankings
from pytest_relevance.results.records.run_info import RecordError

RECORD = Path(__file__).parent / "formats" / "compared-3.jsonl"
DAMAGES = [
    "1e400",
    "9" * 400,
    "99999999999",
    "-7",
    "true",
    '"x"',
    "[]",
    "[[1]]",
    "{}",
    "null",
]
RAW = "RAW"


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
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).replace(
        f'"{RAW}"', damage
    )


@pytest.mark.parametrize("number", [0, 1], ids=["header", "result"])
def test_whatever_stands_in_the_place_of_a_value_is_refused_or_read(
    tmp_path: Path, number: int
) -> None:
    header, _, _, result, *_ = RECORD.read_text(encoding="utf-8").splitlines()
    lines, path, refused = (
        [json.dumps({**json.loads(header), "results": 1}), result],
        tmp_path / "damaged.jsonl",
        0,
    )
    for place in places(json.loads(lines[number])):
        for damage in DAMAGES:
            edited = [*lines]
            edited[number] = damaged(lines[number], place, damage)
            path.write_text("\n".join([*edited, ""]), encoding="utf-8")
            try:
                read_rankings(path)
            except RecordError as error:
                assert str(error).startswith(str(path))  # noqa: PT017
                refused += 1
    assert refused > 100
