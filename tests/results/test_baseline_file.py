"""The baseline on disk: what is written is read again, what an update keeps, and what
is said of a damaged file.
"""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.results.records.baseline_file import read_baseline, write_baseline
from pytest_relevance.results.records.baseline_paths import (
    has_baseline,
    orphaned_baselines,
)
from pytest_relevance.results.records.entries import BaselineEntries, BaselineEntry
from pytest_relevance.results.records.json_lines import BASELINE, kind_in_header
from pytest_relevance.results.records.run_info import RecordError
from tests.helpers import values_of
from tests.results.strategies import ANY_TEXTS, NAMED_SCORES, PARAMS, TEXTS, tuples


def entry(
    name: str, *ranking: str, variant: str | None = None, **values: Any
) -> BaselineEntry:
    return BaselineEntry(
        id=name,
        variant=variant,
        query=name,
        params=values.get("params", {}),
        depth=values.get("depth", 10),
        documents=ranking,
    )


def error_of(path: Path) -> str:
    with pytest.raises(RecordError) as caught:
        read_baseline(path)
    return str(caught.value).replace(str(path), "FILE")


def test_a_baseline_whose_case_file_is_gone_is_orphaned(tmp_path: Path) -> None:
    for name in (
        "shop.relevance.yaml",
        "shop.relevance.yaml.baseline.jsonl",
        "old.relevance.yaml.baseline.jsonl",
    ):
        (tmp_path / name).touch()
    assert has_baseline(tmp_path / "shop.relevance.yaml")
    assert not has_baseline(tmp_path / "hats.relevance.yaml")
    assert orphaned_baselines(tmp_path) == ["old.relevance.yaml.baseline.jsonl"]


def test_a_header_and_a_sorted_line_a_case(tmp_path: Path) -> None:
    path = tmp_path / "shop.baseline.jsonl"
    entries = [
        entry("b", "x"),
        entry("a", "y", variant="hybrid"),
        entry("a", "z", variant="bm25", params={"n": 1}),
    ]
    write_baseline(path, BaselineEntries(entries))
    header, first, *lines, last = map(json.loads, path.read_text().splitlines())
    assert (header["version"], last) == (2, {"end": True})
    assert first == {
        "id": "a",
        "variant": "bm25",
        "params": {"n": 1},
        "depth": 10,
        "documents": ["z"],
    }
    assert [(line["id"], line.get("variant")) for line in lines] == [
        ("a", "hybrid"),
        ("b", None),
    ]


ENTRIES = values_of(
    BaselineEntry,
    id=ANY_TEXTS,
    variant=st.none() | TEXTS,
    query=ANY_TEXTS,
    params=PARAMS,
    depth=st.integers(1, 100),
    documents=tuples(TEXTS),
    scores=NAMED_SCORES,
)


@given(entries=st.lists(ENTRIES, max_size=3, unique_by=lambda entry: entry.key))
def test_whatever_is_written_is_read_again(
    entries: list[BaselineEntry], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("baseline") / "baseline.jsonl"
    write_baseline(path, BaselineEntries(entries))
    assert read_baseline(path) == {each.key: each for each in entries}


HEADER = '{"kind":"pytest-relevance baseline","version":2}\n'
END = '{"end":true}'
GOOD = '{"id":"a","depth":10,"documents":["x"]}'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            '{"kind":"pytest-relevance record","version":1}\n',
            "FILE:1: this is not a baseline: it is a record; pytest --relevance-update writes one",
        ),
        (HEADER + "\n" + GOOD + "\n" + GOOD, 'FILE:4: a second entry of "a"; delete one of them'),
        (HEADER + GOOD.replace('"depth":10,', ""), "FILE:2: the line is damaged: it has no depth; restore the file"),
        (
            HEADER + GOOD.replace('["x"]', '"x"'),
            "FILE:2: the line is damaged: documents: expected a list, found 'x'; restore",
        ),
        (HEADER + GOOD.replace('"x"', "7"), "FILE:2: the line is damaged: documents[0]: expected a text, found 7"),
        (
            HEADER + GOOD.replace('"id"', '"scores":{"nDCG@10":"1"},"id"'),
            "FILE:2: the line is damaged: scores.nDCG@10: expected a number or null",
        ),
        (HEADER + '{"document":"x","title":7}', "FILE:2: the line is damaged: "),
        (f"{HEADER}<<<<<<< HEAD\n{GOOD}\n", "FILE:2: a merge conflict is left in the file; take either side"),
        (
            HEADER,
            'FILE: the file is truncated: its last line is not {"end":true}; restore the file, or add that line if',
        ),
        (f"{HEADER}{GOOD}\n{END}\n{GOOD.replace('a', 'b')}\n", "FILE:4: a line stands below the end of the file"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_file_is_said_with_its_line(
    tmp_path: Path, content: str, message: str
) -> None:
    path = tmp_path / "baseline"
    path.write_text(content)
    assert error_of(path).startswith(message)


@pytest.mark.parametrize(
    ("line_end", "last"), [("\n", '{"end": true}'), ("\r\n", END), ("\r", END)]
)
def test_every_kind_of_line_end_and_a_byte_order_mark_are_read(
    tmp_path: Path, line_end: str, last: str
) -> None:
    accepted = entry("a\rb", "x\ny")
    path = tmp_path / "baseline"
    write_baseline(path, BaselineEntries([accepted, entry("c", "z")]))
    text = path.read_text().replace(END, last)
    path.write_bytes(
        text.replace("\n", line_end).encode("utf-8-sig")
    )  # with the mark that some editors add
    assert kind_in_header(path) == BASELINE.kind
    assert read_baseline(path) == {accepted.key: accepted, ("c", None): entry("c", "z")}


def test_a_file_that_is_cut_at_the_end_of_any_line_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "baseline"
    write_baseline(path, BaselineEntries([entry("a", "x"), entry("b", "y")]))
    lines = path.read_text().splitlines(keepends=True)
    for kept in range(1, len(lines)):
        path.write_text("".join(lines[:kept]))
        assert error_of(path).startswith(
            "FILE: the file is truncated: its last line is not"
        )
    path.write_text("".join(lines).rstrip("\n"))  # nothing is missing
    assert len(read_baseline(path)) == 2


def test_two_branches_that_add_an_entry_each_can_be_merged(tmp_path: Path) -> None:
    ours, base, theirs = (tmp_path / name for name in ("ours", "base", "theirs"))
    common = [entry(name, "x") for name in "bcdefg"]
    write_baseline(base, BaselineEntries(common))
    write_baseline(ours, BaselineEntries([entry("a", "x"), *common]))
    write_baseline(theirs, BaselineEntries([*common, entry("h", "x")]))
    merged = subprocess.run(
        ["git", "merge-file", "-p", ours, base, theirs], capture_output=True, check=True
    ).stdout
    ours.write_bytes(merged)
    assert "".join(case for case, _ in read_baseline(ours)) == "abcdefgh"
