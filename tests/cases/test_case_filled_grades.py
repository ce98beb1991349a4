"""Judgments that fill, `{file: ..., fill: true}`: grades of a machine, which count
where nobody has judged.
"""

import re

import pytest

from pytest_relevance import Case, read_judgments
from pytest_relevance.cli import main
from tests.cases.conftest import Shop
from tests.filled_grades import FILES, HEADER, MACHINE, PEOPLE

CASES = "cases: [{query: c b a}, {query: e d, judgments: {}}, {query: f g, judgments: {f: 1, g: 1}}]"
OF_A_MACHINE = r"machine\.csv:2: a machine gave this grade.*fill: true.*grades that a person has checked in another file"


@pytest.fixture
def filled(shop: Shop) -> Shop:
    """A folder with grades of two machines and of people."""
    shop.write("machine.csv", MACHINE)
    shop.write("people.csv", PEOPLE)
    return shop


def read(shop: Shop, files: str = FILES) -> tuple[Case, ...]:
    return tuple(shop.read(f"scale: [0, 3]\njudgments: {files}\n{CASES}").cases)


@pytest.mark.parametrize(
    "files", [FILES, "[people.csv, {file: machine.csv, fill: true}]"]
)
def test_a_persons_grade_wins_whatever_the_order(filled: Shop, files: str) -> None:
    first, second, third = read(filled, files)
    assert first.judgments == {"a": 3, "b": 2}
    assert first.filled == {"b": "model-x/prompt-3"}
    # several judges are combined as raters are
    assert second.judgments == {"x": 0, "d": 3, "e": 2}
    assert second.filled == {"d": "model-x/prompt-3", "e": "model-x/prompt-3 + model-y"}
    assert (third.judgments, third.filled) == ({"f": 1, "g": 1}, {})


@pytest.mark.parametrize("content", [None, "", HEADER])
def test_a_fill_file_that_is_missing_or_empty_is_none(
    filled: Shop, content: str | None
) -> None:
    (filled.folder / "machine.csv").unlink()
    if content is not None:
        filled.write("machine.csv", content)
    first, second, _ = read(filled)
    assert first.judgments == {"a": 3}
    assert second.filled == {}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("query,doc_id,grade\nc b a,b,9\n", "grade 9 is off the scale"),
        (f'{HEADER}c b a,b,1,m,"tr', "machine.csv:2"),
        (f"{HEADER}c b a,b,1,m,WAHR\n", "the column machine is true if a machine gave"),
        ("a note\n", "the format of these judgments is not recognised"),
    ],
)  # fmt: skip
def test_a_damaged_fill_file_is_an_error(
    filled: Shop, content: str, message: str
) -> None:
    filled.write("machine.csv", content)
    with pytest.raises(ValueError, match=re.escape(message)):
        read(filled)


def test_rows_without_a_machine_fill_too(filled: Shop) -> None:
    filled.write("machine.csv", "query,doc_id,grade\nc b a,b,2\ne d,d,1\n")
    assert read(filled)[0].filled == {"b": "machine.csv"}


def test_the_grades_of_a_machine_are_not_taken_for_a_persons(
    filled: Shop, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ValueError, match=OF_A_MACHINE):
        read(filled, "[machine.csv, people.csv]")
    file = filled.folder / "machine.csv"
    with pytest.raises(ValueError, match=OF_A_MACHINE):
        read_judgments(file)
    assert read_judgments(file, fill=True)["e d"] == {"d": 3, "e": 2}
    monkeypatch.chdir(filled.folder)
    assert main(["convert", "machine.csv", "out.csv"]) == 1
    assert re.search(OF_A_MACHINE, " ".join(capsys.readouterr().err.split()))
    main(["raters", "machine.csv"])
    assert "model-y" in capsys.readouterr().out
    file.write_text("query,doc_id,grade,machine\nc b a,a,0,TRUE\n")
    with pytest.raises(ValueError, match=OF_A_MACHINE):
        read_judgments(file)


def test_a_column_machine_that_may_mean_something_else(filled: Shop) -> None:
    file = filled.write("machine.csv", "query,docid,Ann,Bob,machine\nc b a,a,0,1,3\n")
    neither = r"machine\.csv:2: the column machine is true if .* found .3."
    with pytest.raises(ValueError, match=neither):
        read_judgments(file)
    # a field of the documents
    file.write_text("query,doc_id,grade,machine\nc b a,a,0,washing machine\n")
    assert read_judgments(file) == {"c b a": {"a": 0}}


def test_a_conversion_leaves_out_what_fills(
    filled: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    read(filled)
    suite, out = filled.folder / "shop.yaml", filled.folder / "out.csv"
    assert main(["convert", str(suite), str(out)]) == 0
    assert "the grades that fill of 2 cases" in capsys.readouterr().err
    kept = {"c b a": {"a": 3}, "e d": {"x": 0}, "f g": {"f": 1, "g": 1}}
    assert read_judgments(out) == kept
