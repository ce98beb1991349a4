"""The record of a run on disk: what is written is what is read, and what a hand or a
full disk did to it is said.
"""

from __future__ import annotations

import datetime
import gzip
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_relevance import FileInfo, Run, RunError, RunInfo
from pytest_relevance.results.records.json_lines import as_json
from pytest_relevance.results.records.run_info import RecordError
from tests.helpers import result_of, values_of
from tests.results.strategies import PARAMS, TEXTS, results, tuples

if TYPE_CHECKING:
    from tests.results.conftest import Maker

INFOS = values_of(
    RunInfo,
    program=TEXTS,
    started=TEXTS,
    versions=st.dictionaries(TEXTS, TEXTS, max_size=2),
    command=tuples(TEXTS),
    fingerprint=PARAMS,
    missing=tuples(st.builds("{}::{}".format, TEXTS, TEXTS)),
    errors=tuples(
        values_of(
            RunError,
            message=TEXTS,
            file=TEXTS,
            line=st.integers(0, 9),
            column=st.integers(0, 9),
            node=TEXTS,
        )
    ),
)
FILES = st.dictionaries(
    TEXTS,
    values_of(
        FileInfo,
        path=TEXTS,
        node=TEXTS,
        digest=TEXTS,
        totals=tuples(st.tuples(TEXTS, st.none() | TEXTS, st.integers(0, 9))),
        items=st.dictionaries(TEXTS, st.integers(2, 9), max_size=2),
        has_baseline=st.booleans(),
        lost=tuples(
            st.tuples(
                TEXTS,
                st.none() | TEXTS,
                st.sampled_from(["gone", "left out", "unjudged"]),
            )
        ),
    ),
    max_size=2,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    run=st.builds(Run, st.lists(results(), max_size=2), FILES, INFOS),
    packed=st.booleans(),
)
def test_what_is_written_is_what_is_read(
    tmp_path: Path, run: Run, packed: bool
) -> None:
    path = tmp_path / ("run.jsonl.gz" if packed else "run.jsonl")
    run.write(path)
    read = Run.open(path)
    assert read.name == path.name
    assert read.results == run.results
    assert read.info == run.info
    assert read.files == run.files


def write(make: Maker, path: Path, *edits: Callable[[list[str]], object]) -> Path:
    """A record of three cases, and what a hand made of its lines."""
    make.run().write(path)
    lines = path.read_text(encoding="utf-8").splitlines()
    for edit in edits:
        edit(lines)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def change(number: int, old: str, new: str) -> Callable[[list[str]], object]:
    def edit(lines: list[str]) -> None:
        assert old in lines[number - 1]
        lines[number - 1] = lines[number - 1].replace(old, new, 1)

    return edit


def error_of(path: Path) -> str:
    with pytest.raises(RecordError) as caught:
        Run.open(path)
    return str(caught.value).replace(str(path), "FILE")


def test_gzip_is_known_by_the_name_when_written_and_by_the_bytes_when_read(
    make: Maker, tmp_path: Path
) -> None:
    make.run().write(tmp_path / "run.jsonl.gz")
    packed = (tmp_path / "run.jsonl.gz").read_bytes()
    assert gzip.decompress(packed).startswith(b'{"kind":"pytest-relevance record"')
    (tmp_path / "renamed").write_bytes(packed)
    assert len(Run.open(tmp_path / "renamed")) == 3


def test_a_parameter_that_json_does_not_have_becomes_text() -> None:
    params = {"n": [math.inf, 1.5], "day": datetime.date(2024, 1, 31), "pair": (1, "a")}
    assert json.loads(as_json(params)) == {
        "n": ["Infinity", 1.5],
        "day": "2024-01-31",
        "pair": [1, "a"],
    }


@pytest.mark.parametrize(
    "edit",
    [
        lambda lines: lines.insert(2, ""),
        lambda lines: lines.append("  "),
        lambda lines: lines.__setitem__(1, json.dumps(json.loads(lines[1]), sort_keys=True)),
        lambda lines: lines.__setitem__(0, json.dumps(json.loads(lines[0]), sort_keys=True)),
    ],
    ids=["an empty line", "a blank line", "sorted keys", "another header"],
)  # fmt: skip
def test_what_an_editor_does_to_a_record_does_not_matter(
    make: Maker, tmp_path: Path, edit: Callable[[list[str]], object]
) -> None:
    read = Run.open(write(make, tmp_path / "run.jsonl", edit))
    assert read.results == make.run().results


@pytest.mark.parametrize(
    ("edits", "message"),
    [
        ([lambda lines: lines.pop()], "FILE: the record is truncated: 2 of 3 results are there; fetch"),
        ([lambda lines: lines.__setitem__(3, lines[3][:90])], 'FILE:4: damaged: it is not a valid JSON ob'),
        ([lambda lines: lines.__setitem__(1, lines[1] + lines[2])], "FILE:2: damaged: it is not a valid JSON"),
        ([change(3, '"verdict":"measured"', '"verdict":"fine"')], "FILE:3: damaged: its verdict is 'fine'"),
        ([change(3, '"verdict":"measured",', "")], "FILE:3: damaged: "),
        ([change(2, '"nDCG@10":1.0', '"nDCG@10":NaN')], "FILE:2: damaged: it is not a valid JSON"),
        ([change(2, '"nDCG@10":1.0', '"nDCG@10":1e400')], "FILE:2: damaged: it has the scores"),
        ([change(2, '"file"', '"weight":0,"file"')], "FILE:2: damaged: its k is 10, its weight 0; fetch"),
        ([change(4, '"conditions":{', '"conditions":{"k":9999999999,')], "FILE:4: damaged: its k is 9999999999"),
        ([change(2, '["b1","b2","b3"]', '["b1","b2"]')], "FILE:2: damaged: documents, grades and"),
        ([change(2, '"file"', '"tags":[[1]],"file"')], "FILE:2: damaged: tags[0]: expected a text, found [1]; fetch"),
        ([change(2, '"call":{', '"call":{"error":{"type":7},')], "FILE:2: damaged: call.error.type: expected a text"),
        ([change(2, '"scores":', '"lower":0.5,"scores":')], "FILE:2: damaged: its lower is 0.5, its upper None"),
        ([change(2, '"latency":', '"latency":-')], "FILE:2: damaged: its latency is -"),
        ([change(2, '"3":1', '"3":999999999')], "FILE:2: damaged: it has more than 10,000,000 judgments"),
        ([change(2, '"3":1', '"3":1,"60":1')], "FILE:2: damaged: grade 60 is too high for exponential"),
        ([change(2, '"grades":[3,', '"grades":[60,')], "FILE:2: damaged: documents have grades that no"),
        ([change(2, '"settings":{', '"settings":{"gain":"exponentially",')], "FILE:2: damaged: conditions.settings: gain "),
        ([change(1, '"run":{', '"ran":{')], "FILE:1: damaged: it has no run; fetch or make it again"),
    ],
)  # fmt: skip
def test_what_a_hand_did_is_said_with_its_line(
    make: Maker,
    tmp_path: Path,
    edits: list[Callable[[list[str]], object]],
    message: str,
) -> None:
    said = error_of(write(make, tmp_path / "run.jsonl", *edits))
    assert said.replace("the line is damaged", "damaged").startswith(message)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("\n\n", "it is empty, or its first line is blank"),
        ("cases:\n- query: boots", 'it begins with "cases:"'),
        ('{"kind":"pytest-relevance baseline","version":1}\n', "it is a baseline"),
    ],
)
def test_another_file_is_no_record(tmp_path: Path, text: str, what: str) -> None:
    (tmp_path / "other").write_text(text)
    message = f"FILE:1: this is not a record: {what}; pytest --relevance-record=FILE writes one"
    assert error_of(tmp_path / "other") == message


@pytest.mark.parametrize("data", [b"\x1f\x8b\x08\x00broken", b"\xff\xfe{"])
def test_bytes_that_are_no_text_cannot_be_read(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "run.jsonl").write_bytes(data)
    assert error_of(tmp_path / "run.jsonl").startswith("FILE: cannot be read: ")
    assert (
        error_of(tmp_path / "gone.jsonl")
        == "FILE: cannot be read: No such file or directory"
    )


def test_an_infinite_score_of_an_engine_does_not_make_the_record_unreadable(
    tmp_path: Path,
) -> None:
    """A pinned result may have one; JSON has no infinity."""
    pinned = result_of(
        {"query": "a", "judgments": {"x": 3}},
        [("x", float("inf")), ("y", 0.5), ("z", float("-inf"))],
    )
    Run([pinned]).write(tmp_path / "run.jsonl")
    (found,) = Run.open(tmp_path / "run.jsonl").results
    assert found.ranking.engine_scores == (None, 0.5, None)
