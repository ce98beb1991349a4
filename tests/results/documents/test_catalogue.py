"""A catalogue: what it says of the documents that are asked for, in every format, and
what is wrong with one.
"""

import csv
import gzip
import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from pytest_relevance import CaseResult, FileInfo
from pytest_relevance._problems import FileError
from pytest_relevance.cases.model import CatalogueFile
from pytest_relevance.results.catalogue import Catalogue, Documents, check_catalogue
from pytest_relevance.results.run_titles import RunTitles
from tests.results.conftest import Maker

ROWS = [
    {"id": "sku-1", "title": "Winter boots", "brand": "Aurora", "price": "99.5"},
    {"id": "007", "title": "Rubber boots, \"black\"", "brand": "", "price": "12"},
    {"id": "ü/1", "title": "Überschuhe", "brand": "Öl & Co", "price": "1"},
]  # fmt: skip

Write = Callable[[str, "str | bytes"], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a file; its name ends in .gz where it is to be packed."""

    def write_file(name: str, text: str | bytes) -> Path:
        data = text.encode() if isinstance(text, str) else text
        path = tmp_path / name
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return path

    return write_file


def catalogue(path: Path, **columns: Any) -> Catalogue:
    return Catalogue(str(path), path.name, CatalogueFile(path.name, **columns))


def look_up(path: Path, *ids: str, **columns: Any) -> Documents:
    return catalogue(path, **columns).look_up(ids)


def refusal(path: Path, *ids: str, **columns: Any) -> str:
    with pytest.raises(FileError) as caught:
        look_up(path, *(ids or ("a",)), **columns)
    return str(caught.value)


def table(separator: str) -> str:
    text = StringIO()
    writer = csv.DictWriter(text, [*ROWS[0]], delimiter=separator, lineterminator="\n")
    writer.writeheader()
    writer.writerows(ROWS)
    return text.getvalue()


JSON_LINES = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS)
TEXTS = {"jsonl": JSON_LINES, "csv": table(","), "tsv": table("\t")}


@pytest.mark.parametrize(
    "name",
    [
        f"{kind}{packed}"
        for kind in ("jsonl", "csv", "tsv", "parquet")
        for packed in ("", ".gz")
    ],
)
def test_titles_and_fields_of_the_documents_that_are_asked_for(
    write: Write, tmp_path: Path, name: str
) -> None:
    kind = name.partition(".")[0]
    if kind == "parquet":
        pandas = pytest.importorskip("pandas")
        pandas.DataFrame(ROWS).to_parquet(tmp_path / "plain.parquet")
        path = write(f"products.{name}", (tmp_path / "plain.parquet").read_bytes())
    else:
        path = write(f"products.{name}", TEXTS[kind])
    found = look_up(path, "007", "ü/1", "gone", show=("brand", "price"))
    assert found.titles == {"007": 'Rubber boots, "black"', "ü/1": "Überschuhe"}
    assert found.fields == {
        "007": {"price": "12"},
        "ü/1": {"brand": "Öl & Co", "price": "1"},
    }
    assert found.known == {"007", "ü/1"}
    assert found.problems == []


@pytest.mark.parametrize(
    "line",
    [
        '{"brand": {"id": "b", "name": "B"}, "id": "a", "title": "A"}',
        '{"related": [{"id": 5}, {"id": null}], "title": "A", "id": "a"}',
        '{"id": "a", "title": ["A"]}',
    ],
)
def test_a_line_of_json_however_it_is_written(write: Write, line: str) -> None:
    lines = f'{{"id": "z", "title": "Z"}}\r\n\n{line}\r\n{{"id": "y"}}'
    found = look_up(write("products.jsonl", lines), "a", "b", "x", "5")
    assert (found.titles, found.known) == ({"a": "A"}, {"a"})
    assert found.problems == []


def test_the_columns_that_are_named(write: Write) -> None:
    path = write(
        "products.jsonl",
        '{"sku": 7, "id": 1, "texts": {"en": "A"}, "brand": {"name": "B"}, "tags": ["x", 2]}\n',
    )
    found = look_up(path, "7", id="sku", title="texts.en", show=("brand.name", "tags"))
    assert found.titles == {"7": "A"}
    assert found.fields == {"7": {"brand.name": "B", "tags": "x, 2"}}


def test_of_two_lines_of_a_document_the_first_one_counts(write: Write) -> None:
    path = write("products.csv", "id,title\na,A\nb,B\na,A\nb,Bee\n")
    found = look_up(path, "a", "b")
    assert (found.titles, found.problems) == ({"a": "A", "b": "B"}, [])


def test_lines_that_are_left_out(write: Write) -> None:
    good = '{"id": "a", "title": "A"}'
    bad = ('{"id": 1.5, "title": "A"}', '{"title": "A"}', "[1, 2]", '{"id": "b", "titl')
    found = look_up(write("products.jsonl", "\n".join([good, *bad])), "a", "b")
    assert found.titles == {"a": "A"}
    assert found.problems == [
        'products.jsonl:2: found 1.5 as the "id"; an id is text or an integer',
        'products.jsonl:3: the line has no "id"; an id is text or an integer',
        'products.jsonl:4: expected a JSON object, found "[1, 2]"',
        'products.jsonl:5: expected a JSON object, found "{"id": "b", "titl"; is it truncated?',
    ]


def test_of_many_lines_that_are_left_out_five_are_named(write: Write) -> None:
    lines = ['{"id": "a", "title": "A"}'] + ['{"title": "none"}'] * 50
    *named, last = look_up(write("products.jsonl", "\n".join(lines)), "a").problems
    assert len(named) == 5
    assert last == "products.jsonl: there are more lines like these"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "products.csv",
            "sku,title\na,A\n",
            'products.csv:1: there is no column "id", "_id", "doc_id", "docid", "document_id" or "objectID"; the '
            'columns are "sku" and "title"; name the column: documents: {file: products.csv, id: ...}',
        ),
        (
            "products.jsonl",
            '{"id": "a", "label": "A"}\n',
            'products.jsonl:1: there is no column "title" or "name"; the columns are "id" and "label"; name the '
            "column: documents: {file: products.jsonl, title: ...}",
        ),
        ("qrels.txt", "q1 0 a 1\nq1 0 b 2\n", 'qrels.txt:1: there is no column "id"'),
        ("products.json", '[{"id": "a"}]', "is one JSON list; write one object on each line"),
        ("products.json", '{\n "id": "a"\n}', "one object on each line for a document; write it so: jq -c ."),
        ("products.json", '{\n "id": "a"\n', "products.json:1: expected a JSON object on each line, and no line has"),
        ("products.json", '{"items": [\n{"id": "a"},\n{"id": "b"}\n]}', """write it so: jq -c '.["items"][]'"""),
        ("products.json", '{"items": [{"id": "a"}]}', """write it so: jq -c '.["items"][]'"""),
        ("products.json", '{"a": {"title": "A"}}', "write it so: jq -c 'to_entries[] | {id: .key} + .value'"),
        ("products.jsonl", '{"message": "Not Found"}', "this is an error of a server, and not data"),
        ("products.csv", "id,title\na,A\nb,\"B\n", "products.csv:3: a quoted cell in this row never ends"),
        ("products.parquet", b"PAR1" + b"x" * 40, "the Parquet file cannot be read"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_used(
    write: Write, name: str, text: str | bytes, message: str
) -> None:
    assert message in refusal(write(name, text))


@pytest.mark.parametrize("text", ['{"items": [\n{"id": "a"}\n]}', "{\n" * 30])
def test_one_message_for_a_catalogue_that_is_one_object(
    write: Write, text: str
) -> None:
    path = write("products.json", text)
    assert "\n" not in refusal(path)


def test_a_dot_leads_into_objects_in_json_alone(write: Write) -> None:
    flat = write("flat.csv", "product,title\na,A\n")
    message = refusal(flat, id="product.id")
    assert 'flat.csv:1: there is no column "product.id"' in message


def test_a_column_that_is_named_and_not_there(write: Write) -> None:
    path = write("products.csv", "id,title,brand\na,A,B\n")
    assert refusal(path, title="titel") == (
        'products.csv:1: there is no column "titel"; the columns are "id", "title" and "brand"; did you mean "title"?'
    )


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_an_unknown_column_to_show_costs_no_title(write: Write, kind: str) -> None:
    path = write(f"products.{kind}", TEXTS[kind])
    found = look_up(path, "sku-1", show=("brnd", "price", "colour"))
    assert found.titles == {"sku-1": "Winter boots"}
    assert found.fields == {"sku-1": {"price": "99.5"}}
    there = 'the columns are "id", "title", "brand" and "price"'
    assert found.problems == [
        f'{path.name}:1: show: there is no column "brnd"; {there}; did you mean "brand"?',
        f'{path.name}:1: show: there is no column "colour"; {there}',
    ]


def test_a_field_to_show_that_few_objects_have(write: Write) -> None:
    most = '{"id": "a", "title": "A"}\n' * 200
    last = '{"id": "b", "title": "B", "brand": {"name": "Aurora"}}\n'
    path = write("products.jsonl", most + last)
    found = look_up(path, "a", "b", show=("brand.name",))
    assert found.fields == {"b": {"brand.name": "Aurora"}}
    assert found.problems == []


# --- `check_catalogue`, and the titles of a run ---------------------------------------


def problems_of(path: Path, *ids: str, **columns: Any) -> list[str]:
    columns_of_file = CatalogueFile(path.name, **columns)
    return check_catalogue(str(path), path.name, columns_of_file, ids).problems


def test_what_is_wrong_with_a_catalogue(write: Write, tmp_path: Path) -> None:
    path = write("products.csv", "id,title\na,A\nb\n\nc,C,D\n")
    problems = problems_of(path, "a", show=("titel",))
    assert [
        problem.partition("; ")[0].partition(' "titel"')[0] for problem in problems
    ] == [
        "products.csv:1: show: there is no column",
        "products.csv:3: expected 2 columns, separated by commas, found 1",
        "products.csv:5: expected 2 columns, separated by commas, found 3",
    ]
    (problem,) = problems_of(path, id="sku")
    assert problem.startswith('products.csv:1: there is no column "sku"')
    gone = "gone.csv: cannot be read: No such file or directory"
    assert problems_of(tmp_path / "gone.csv") == [gone]


def titled(titles: RunTitles, make: Maker, path: Path, document: str) -> CaseResult:
    """A result of a suite with a catalogue, with the titles of a run."""
    result = make.result("boots", [document])
    suite = str(path.with_name("shop.relevance.yaml"))
    info = FileInfo(suite, documents=CatalogueFile(path.name))
    (found,) = titles.add([result], {result.file: info})
    return found


def test_later_results_have_their_titles_too(write: Write, make: Maker) -> None:
    path = write("products.csv", "id,title\na,Winter boots\nb,Rubber boots\n")
    titles = RunTitles()
    assert titled(titles, make, path, "a").texts.titles == {"a": "Winter boots"}
    assert titled(titles, make, path, "b").texts.titles == {"b": "Rubber boots"}


@pytest.mark.parametrize(
    "content",
    [b"\x1f", b"\x1c\n\x1d", b"\x1f\x8b", b"{", b'"', b"[", b"\xff", b"PAR1", b"\0"],
)
@pytest.mark.parametrize("name", ["p.jsonl", "p.csv", "p.parquet"])
def test_no_content_costs_the_report_that_wants_titles(
    write: Write, make: Maker, name: str, content: bytes
) -> None:
    titles = RunTitles()
    result = titled(titles, make, write(name, content), "a")
    (problem,) = titles.problems
    assert problem.startswith(f"documents have no titles from the catalogue: {name}")
    assert result.texts.titles == {}


# --- ids that are joined from several columns -----------------------------------------

INDEXED = {
    "csv": "index,doc_id,title\narticles,1,How to lace boots\nproducts,1,Boots\n",
    "jsonl": (
        '{"_index": "articles", "_id": 1, "title": "How to lace boots"}\n'
        '{"_index": "products", "_id": 1, "title": "Boots"}\n'
    ),
}
TITLES = {"articles/1": "How to lace boots", "products/1": "Boots"}
TEMPLATE = "{_index}/{_id}"


@pytest.mark.parametrize("kind", INDEXED)
def test_the_template_of_a_suite(write: Write, kind: str) -> None:
    path = write(f"products.{kind}", INDEXED[kind])
    found = look_up(path, *TITLES, "products/2", suite_id=TEMPLATE)
    assert (found.titles, found.known) == (TITLES, {*TITLES})
    assert found.problems == []


def test_a_template_of_the_catalogue(write: Write) -> None:
    path = write(
        "products.jsonl", '{"shop": {"name": "a/b"}, "number": 7, "title": "Boots"}\n'
    )
    found = look_up(path, "a%2Fb/7", id="{shop.name}/{number}")
    assert found.titles == {"a%2Fb/7": "Boots"}
    assert 'there is no column "name"' in refusal(path, id="{name}/{number}")


def test_a_catalogue_with_joined_ids(write: Write) -> None:
    path = write("products.csv", "id,title\nproducts/1,Boots\n")
    found = look_up(path, "products/1", suite_id=TEMPLATE)
    assert found.titles == {"products/1": "Boots"}


def test_a_line_without_a_field_of_the_template(write: Write) -> None:
    path = write("products.csv", "index,id,title\n,1,Boots\nproducts,1,Boots\n")
    found = look_up(path, "products/1", suite_id=TEMPLATE)
    assert found.titles == {"products/1": "Boots"}
    assert found.problems == [
        'products.csv:2: the line has no "index"; an id is text or an integer'
    ]


def test_fields_of_documents_with_joined_ids(write: Write) -> None:
    path = write("products.csv", "index,id,price\narticles,1,0\nproducts,1,50\n")
    values = catalogue(path, suite_id=TEMPLATE).values(["price"])
    assert values.by_document == {
        "articles/1": {"price": 0},
        "products/1": {"price": 50},
    }
