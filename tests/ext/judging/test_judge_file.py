"""The file of a judge: what is mended of it, and which files stay as they are."""

from pathlib import Path

import pytest

from pytest_relevance.ext.judging.judge_file import JudgeFile, why_not_added_to

HEADER = (
    "query_id,query,document,title,ranks,settles,worth,move,grade,rater,machine,note\n"
)
ROW = 'boots,boots,good,5" nail,2,,0.1,0.1,3,model-x/prompt-3,true,\u00e9\n'
WELL = ROW.replace(",good,", ",well,")


@pytest.mark.parametrize(
    ("rest", "left"),
    [
        (b"", b""),
        (WELL.rstrip().encode(), WELL.encode()),
        (WELL.encode()[:-3], WELL.encode()[:-3] + b"\n"),
        (WELL.encode()[:-2], b""),
        (b'boots,"a go', b""),
        (b'boots,"a\ngood', b""),
        (b'boots,"a\n', b""),
        (b"boots,\0\0", b""),
    ],
)
def test_no_more_than_half_a_row_at_the_end_is_taken_away(
    tmp_path: Path, rest: bytes, left: bytes
) -> None:
    path = tmp_path / "machine.csv"
    path.write_bytes((HEADER + ROW).encode() + rest)
    JudgeFile(path)
    assert path.read_bytes() == (HEADER + ROW).encode() + left


DAMAGED = "is damaged: "
OTHER = "exists and is not as a judge writes it: CSV with commas"
NOT_ITS_OWN = [
    (HEADER + ROW.replace("5", '"5') + WELL, f"{DAMAGED}the worklist:2: a quoted cell"),
    (
        HEADER + ROW + WELL.replace(",2,", ","),
        f"{DAMAGED}it is not a worklist, or a row",
    ),
    ((HEADER + ROW).replace(",", ";"), OTHER),
    ((HEADER + ROW).replace("query_id,query", "query,query_id"), OTHER),
    (HEADER.replace("query_id", '"query_id"') + ROW, OTHER),
    ((HEADER + ROW).replace("\n", "\r"), OTHER),
]


@pytest.mark.parametrize(("content", "message"), NOT_ITS_OWN)
def test_a_file_that_a_judge_did_not_write_so_stays_as_it_is(
    tmp_path: Path, content: str, message: str
) -> None:
    assert (why_not_added_to(content.encode()) or "").startswith(message)
    path = tmp_path / "machine.csv"
    path.write_bytes(content.encode())
    JudgeFile(path)
    assert path.read_bytes().rstrip() == content.encode().rstrip()
