"""Large TREC runs, which pyarrow reads: the same rankings and the same messages as without it."""

import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_relevance import RelevanceWarning, read_run
from pytest_relevance._problems import FileError
from pytest_relevance.results.compare import read_run as large_runs

pytest.importorskip("pyarrow")
pytestmark = pytest.mark.filterwarnings(
    "ignore:.* a document more than once:pytest_relevance.RelevanceWarning"
)


@pytest.fixture(autouse=True)
def every_file_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_runs, "SMALL", 0)


def without_pyarrow(path: Path, *arguments: Any) -> Any:
    """What reading a run returns, or its error, where pyarrow is used for no text."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(large_runs, "SMALL", sys.maxsize)
        return outcome(path, *arguments)


def outcome(path: Path, *arguments: Any) -> Any:
    try:
        return list(read_run(path, *arguments).items())
    except FileError as error:
        return str(error)


def test_a_document_twice_is_found_between_thousands(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    rows = [f"q{row // 60} Q0 d{row % 60} 1 {-row} x\n" for row in range(6_600)]
    path.write_text("".join(rows))
    assert read_run(path) == {
        f"q{query}": [f"d{document}" for document in range(60)] for query in range(110)
    }
    rows[6_540] = rows[6_541]
    path.write_text("".join(rows))
    with pytest.warns(
        RelevanceWarning,
        match='1 query returns a document more than once, such as "d1" for "q109"',
    ):
        assert read_run(path)["q109"][:3] == ["d1", "d1", "d2"]


IDS = st.sampled_from(
    [
        "a",
        "b",
        "007",
        "1.0",
        "NA",
        "",
        '"',
        '"x"',
        "é",
        "q\u00a0",
        "#c",
        "-5",
        " =a",
        "x,y",
        "two words",
    ]
)
VALUES = st.sampled_from(
    [
        "1",
        "2.5",
        "-1e-3",
        "2.50",
        "+2",
        ".5",
        "5.",
        "1e400",
        "1e-0005",
        "nan",
        "inf",
        "0x1",
        "",
        "x",
        " 1 ",
    ]
)
GOOD_IDS = st.sampled_from(["a", "b", "007", "1.0", "NA", "é", "10#0", "d", "e", "-5"])
GOOD_VALUES = st.sampled_from(["1", "2.5", "-1e-3", "2.50", ".5", "5.", "0", "-0.0"])
CELLS = st.sampled_from([(GOOD_IDS, GOOD_VALUES), (IDS, GOOD_VALUES), (IDS, VALUES)])
ROWS = CELLS.flatmap(
    lambda of: st.lists(st.tuples(of[0], of[0], of[1]), min_size=1, max_size=8)
)
BLANKS = st.sampled_from([" ", " ", "\t", "  ", " \t", "\x0c"])
ENDS = st.sampled_from(["\n", "\n", "\r\n", " \n", "\r", "\n\n", "\n# c\n"])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=ROWS,
    blanks=st.lists(BLANKS, min_size=5, max_size=5),
    ends=st.lists(ENDS, min_size=8, max_size=8),
)
def test_any_lines_are_read_as_without_pyarrow(
    tmp_path: Path, rows: list[tuple[str, str, str]], blanks: list[str], ends: list[str]
) -> None:
    path = tmp_path / "file.txt"
    cells = [
        (query, "Q0", document, "1", value, "tag") for query, document, value in rows
    ]
    lines = [
        "".join(
            f"{cell}{blank}" for cell, blank in zip(row, [*blanks, ""], strict=True)
        )
        for row in cells
    ]
    path.write_bytes("".join(map(str.__add__, lines, ends)).encode())
    assert outcome(path, "trec") == without_pyarrow(path, "trec")
