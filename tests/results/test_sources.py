"""Files that are no text, are packed or are damaged: refused alike by everything that
reads tables and objects.
"""

import gzip
import io
import lzma
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_relevance import read_judgments, read_queries, read_run
from pytest_relevance._problems import FileError
from pytest_relevance.cases.model import CatalogueFile
from pytest_relevance.results.catalogue import Catalogue
from tests.judgments.helpers import write


def read_catalogue(path: Path) -> object:
    return Catalogue(str(path), str(path), CatalogueFile(path.name)).look_up(["a"])


READERS = [read_judgments, read_queries, read_run, read_catalogue]


def zipped() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("qrels.txt", "q1 0 d1 1\n")
    return file.getvalue()


PACKED = {
    "a zip archive (.zip, or a workbook such as .xlsx)": zipped(),
    "compressed with Zstandard (.zst)": b"\x28\xb5\x2f\xfd\x04\x00q1",
    "compressed with LZ4 (.lz4)": b"\x04\x22\x4d\x18\x64\x40\xa7q1",
    "compressed with xz (.xz)": lzma.compress(b"q1"),
}
TABLE = gzip.compress(
    b"query,docid,rating\n" + b"".join(b"q,%d,1\n" % n for n in range(9999)), mtime=0
)
BOMB = gzip.compress(b"\n" * (1 << 20)) * 80
REFUSED: dict[str, bytes] = {
    ": the file is empty": b"",
    ": the file is empty ": b" \n\n",
    ": the file is empty  ": b"\xef\xbb\xbf",
    ": the file is empty   ": gzip.compress(b""),
    ": the file is UTF-16 and damaged; save it as UTF-8": b"\xff\xfeq",
    ": the file is empty    ": " \n".encode("utf-16"),
    ":2: there is a NUL byte in the file, so it is not a text file": b"query,docid,title\nq,a\0,1\n",
    ":3: the file is not UTF-8 (byte 0xe9 cannot stand there); save it as UTF-8": b"query,docid\nq,a\ncaf\xe9,b\n",
    ":1: the file is not UTF-8 (byte 0xc3 cannot stand there); save it as UTF-8": b"query,docid,caf\xc3",
    ": the gzip file is truncated; fetch or pack it again": TABLE[:-20],
    ": the gzip file is damaged (": TABLE[:100] + b"????" + TABLE[104:],
    f": the gzip file of {len(BOMB):,} bytes expands to more than 67,108,864 bytes, ": BOMB,
    **{
        f": the file is {what.partition(', with')[0]}, and only gzip is unpacked "
        "here; ": content
        for what, content in PACKED.items()
    },
}


@pytest.mark.parametrize("said", REFUSED)
@pytest.mark.parametrize("read", READERS)
def test_what_is_no_text(
    tmp_path: Path, read: Callable[[Path], object], said: str
) -> None:
    path = write(tmp_path / "file", REFUSED[said])
    with pytest.raises(FileError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}{said.rstrip()}")


@pytest.mark.parametrize("read", READERS)
def test_a_file_that_is_not_there(
    tmp_path: Path, read: Callable[[Path], object]
) -> None:
    with pytest.raises(
        FileError, match="missing: cannot be read: No such file or directory"
    ):
        read(tmp_path / "missing")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize(
    "packed",
    [bytes, gzip.compress, lambda data: gzip.compress(data) + gzip.compress(b"")],
)
def test_line_ends_encodings_and_gzip(
    tmp_path: Path, end: str, encoding: str, packed: Callable[[bytes], bytes]
) -> None:
    def file(*lines: str) -> Path:
        return write(tmp_path / "file", packed(end.join(lines).encode(encoding)))

    assert read_judgments(file("query,doc_id,grade", "ü⌚,a,3", "", "b,c,0")) == {
        "ü⌚": {"a": 3},
        "b": {"c": 0},
    }
    assert read_queries(file("query_id,query", "q1,ü⌚")) == {"q1": "ü⌚"}
    assert read_run(file("query,doc_id,rank", "ü⌚,b,2", "ü⌚,a,1")) == {
        "ü⌚": ["a", "b"]
    }
    catalogue = file("id,title", "a,ü⌚")
    assert Catalogue(str(catalogue), "file", CatalogueFile("file")).look_up(
        ["a"]
    ).titles == {"a": "ü⌚"}


def test_utf_16_in_the_other_byte_order(tmp_path: Path) -> None:
    content = b"\xfe\xff" + "query,doc_id,grade\nü,a,3\n".encode("utf-16-be")
    assert read_judgments(write(tmp_path / "file", content)) == {"ü": {"a": 3}}


def test_text_that_begins_as_something_packed(tmp_path: Path) -> None:
    assert read_judgments(write(tmp_path / "qrels.txt", "BZh9 0 d1 1\n")) == {
        "BZh9": {"d1": 1}
    }
