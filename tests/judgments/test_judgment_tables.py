"""Tables of judgments: CSV, TSV, Parquet, and the exports that are such tables."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from tests.judgments.helpers import Files

TABLES: dict[str, tuple[str, dict[str, dict[str, float]]]] = {
    "usual names": ("query,docid,rating\na b,x,3\n", {"a b": {"x": 3}}),
    "names with blanks": ("Query Text,Doc ID,Rating\na,x,3\n", {"a": {"x": 3}}),
    "other names": ("search_term,sku,label\na,x,3\n", {"a": {"x": 3}}),
    "capitals": ("QUERY,Document_Id,GRADE\na,x,3\n", {"a": {"x": 3}}),
    "names with dots": ("query.text,product id,judgement\na,x,3\n", {"a": {"x": 3}}),
    "commas": ("query,doc_id,grade\na b,1,2\nc,007,0\n", {"a b": {"1": 2}, "c": {"007": 0}}),
    "tabs": ("query\tdoc_id\tgrade\na b\t007\t2\n", {"a b": {"007": 2}}),
    "semicolons": ("query;doc_id;grade\na b;007;2\n", {"a b": {"007": 2}}),
    "bars": ("query|doc_id|grade\na b|007|2\n", {"a b": {"007": 2}}),
    "quotes": ('query,docid,rating\n"a, ""b""",x,3\n', {'a, "b"': {"x": 3}}),
    "two lines": ('query,docid,rating\n"a\nb",x,3\n', {"a\nb": {"x": 3}}),
    "inches": ('query,docid,rating\n17" monitor,x,3\n', {'17" monitor': {"x": 3}}),
    "quotes between tabs": ('query\tdocid\trating\n"a" b\tx\t2\n', {'"a" b': {"x": 2}}),
    "a quoted cell between tabs": ('query\tdocid\trating\n"a ""b"""\tx\t3\n', {'a "b"': {"x": 3}}),
    "BEIR": ("query-id\tcorpus-id\tscore\n1\t4983\t1\n3\t0042\t2\n", {"1": {"4983": 1}, "3": {"0042": 2}}),
    "final grades": ("query,docid,final_rating\nq,a,2\n", {"q": {"a": 2}}),
}  # fmt: skip


@pytest.mark.parametrize(("table", "judgments"), TABLES.values(), ids=TABLES)
def test_tables(files: Files, table: str, judgments: object) -> None:
    assert files.judgments(table) == judgments


def test_grades_are_numbers_and_whole_ones_ints(files: Files) -> None:
    rows = "q,a,3.0\nq,b,0.25\nq,c,-1\nq,d,100.000\nq,e,1e-1\n"
    grades = files.judgments(f"query,doc_id,grade\n{rows}")["q"]
    assert grades == {"a": 3, "b": 0.25, "c": -1, "d": 100, "e": 0.1}
    assert [type(grade) for grade in grades.values()] == [int, float, int, int, float]


def test_ids_with_texts(files: Files) -> None:
    rows = "q1,red shoes,a,1\nq1,red shoes,b,0\n,socks,c,2\n"
    path = files.write(f"query_id,query,doc_id,grade\n{rows}")
    judgments = files.judgments(path)
    assert judgments == {"q1": {"a": 1, "b": 0}, "socks": {"c": 2}}
    assert judgments.text("q1") == "red shoes"
    assert judgments.known_as("red shoes") == ["q1"]
    assert judgments.known_as("socks") == ["socks"]
    assert judgments.known_as("hats") == []
    assert files.queries(path) == {"q1": "red shoes", "socks": "socks"}


def test_queries_of_a_table_of_judgments(files: Files) -> None:
    table = "query,docid,rating\na b,1,2\nc,2,0\na b,3,1\n"
    assert files.queries(table) == {"a b": "a b", "c": "c"}


@pytest.mark.parametrize(
    "header", ["query,docid,ratng", "query,dcoid,rating", "query,docid"]
)
def test_a_misspelt_header_of_judgments_is_none_of_queries(
    files: Files, header: str
) -> None:
    problem = files.query_problem(f"{header}\nq,a,1\n")
    assert "a file of queries has a header with" in problem


def test_esci_labels_through_a_scale(files: Files) -> None:
    rows = "1,shoes,0B1,us,E\n1,shoes,0B2,us,s\n2,tv,7,us,Irrelevant\n"
    path = files.write(f"query_id,query,product_id,product_locale,esci_label\n{rows}")
    scale = {"exact": 4, "substitute": 2, "complement": 1, "irrelevant": 0}
    assert files.judgments(path) == {"1": {"0B1": 3, "0B2": 2}, "2": {"7": 0}}
    graded = files.judgments(path, scale=scale)
    assert graded == {"1": {"0B1": 4, "0B2": 2}, "2": {"7": 0}}
    graded = files.judgments(path, scale={"E": 1, "S": 0.1, "C": 0.01, "I": 0})
    assert graded["1"] == {"0B1": 1, "0B2": 0.1}
    assert files.queries(path) == {"1": "shoes", "2": "tv"}


# Wrong rows and headers


TRUNCATED = "mend the line (a file that ends so is truncated)"
TOO_MANY = "put a cell with a separator in it in quotes"
WIDTH = "expected 3 columns, separated by commas, found {}; {}"
QUOTES = "a quoted cell in this row "
TWO_TEXTS = 'the query id "q1" stands for "red shoes" and for "blue shoes"; '
TWO_MINDS = 'rater "ann" gave 0 in line 2 and 3 here; keep one of them'


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ("query,docid,rating\nq,x,1\nq,a\nq,y,1\n", f":3: {WIDTH.format('2', TRUNCATED)}"),
        ("query,docid,rating\nq,x,1\nq\nq,y,1\n", f":3: {WIDTH.format('1', TRUNCATED)}"),
        ('query,docid,rating\nq,x,1\n"q",a\n', f":3: {WIDTH.format('2', TRUNCATED)}"),
        ("query,docid,rating\nq,x,1\nq,a,1,b\n", f":3: {WIDTH.format('4', TOO_MANY)}"),
        ('query,docid,rating,title\nq,a,3,"5 inch\nr,b,2,x\ns,c,1,y\n', f":2: {QUOTES}"),
        ('query,docid,rating,title\nq,a,3,x\nr,b,2,"trunc', f":3: {QUOTES}"),
        ('query,docid,rating,title\nq,a,3,"15" laptop"\n', f":2: {QUOTES}"),
        ("query,docid,rating\nshoes,,2\n", ":2: the row has no document"),
        ("query,docid,rating\n,b,1\n", ":2: the row has no query"),
        ("query_id,query,docid,rating\nq1,red shoes,a,1\nq1,blue shoes,b,0\n", f":3: {TWO_TEXTS}"),
        ("query,docid,judge,rating\nq,a,ann,0\nq,a,ann,3\n", f':3: query "q", document "a": {TWO_MINDS}'),
        ("query,docid,rating\n", ": the file holds no judgments"),
    ],
)  # fmt: skip
def test_wrong_rows(files: Files, table: str, says: str) -> None:
    assert files.problem(table).startswith(f"FILE{says}")


def test_a_header_nobody_knows(files: Files) -> None:
    problem = files.problem("question,docid,relevence\nq,a,1\n")
    says = "FILE:1: judgments have columns for the query, the document and the grade; "
    assert problem.startswith(f"{says}found question, docid and relev")
    assert "no column for the query (such as query_id, qid, " in problem
    assert "no column for the grade (such as grade, rating, relevance, " in problem
    assert (
        '; if "relevence" is the grade, call it relevance; if a column has' in problem
    )
    assert "no column for the document" not in problem


@pytest.mark.parametrize(
    ("header", "hint"),
    [
        ("query,id,grade", '; if "id" is the document, call it doc_id'),
        ("query,pid,grade", '; if "pid" is the document, call it doc_id'),
        ("id,query,documnet,grade", '; if "documnet" is the document, call it document'),
        ("qurey,doc_id,grade", '; if "qurey" is the query, call it query'),
        ("query,dic,grade", ""),
        ("query,asin,real", ""),
    ],
)  # fmt: skip
def test_the_column_that_may_be_meant(files: Files, header: str, hint: str) -> None:
    problem = files.problem(f"{header}\n")
    assert problem.endswith(hint)
    assert ("is the " in problem) == bool(hint)


def test_a_format_nobody_knows(files: Files) -> None:
    problem = files.problem("Dear reader\nhow are you\n")
    says = "FILE:1: the format of these judgments is not recognised; the file begins "
    assert problem.startswith(f'{says}with "Dear reader"')
    assert "trec (TREC qrels: qid iter docid grade)" in problem


@pytest.mark.parametrize(
    ("row", "count", "more"), [("q,{},bad", 50, "30"), ("q,a", 2000, "at least 980")]
)
def test_many_problems_are_counted(
    files: Files, row: str, count: int, more: str
) -> None:
    rows = "".join(f"{row.format(number)}\n" for number in range(count))
    problems = files.problems(f"query,docid,rating\n{rows}")
    assert (len(problems), problems[-1]) == (
        21,
        f"FILE: ... and {more} more problems",
    )


# Grades that are not numbers


def test_a_name_that_is_no_grade(files: Files) -> None:
    path = files.write("query,doc_id,grade\nq,a, good\nq,b,7\n")
    scale = "scale: {good: 1, bad: 0}, or --scale good=1,bad=0 of a command"
    advice = f"is not a number; names of grades are given by a scale, such as {scale}"
    where = 'FILE:2: query "q", document "a": '
    assert files.problem(path) == f'{where}the grade "good" {advice}'
    assert files.problem(path, scale={"godo": 7, "poor": 0}) == (
        f'{where}the scale has no grade "good"; it has 0 (poor), 7 (godo); did you '
        'mean "godo"?'
    )


@pytest.mark.parametrize(
    ("grade", "wrong"),
    [
        ('"2,5"', "has a decimal comma; write 2.5"),
        ('"1,000"', "has a separator in its number; write 1000, or 1.000 if the comma"),
        ("90%", "has a percent sign; write the number alone: 90, or 0.9"),
        ("3/5", "is a fraction; write the number alone: 3"),
        ("3 out of 5", "is a fraction; write the number alone: 3"),
        ("3 stars", "has more than a number; write the number alone: 3"),
        ("3?", "has more than a number; write the number alone: 3"),
        ("2-3", "is a range; write one number"),
        ("\u22121", "is not written in ASCII digits; write -1"),
        ("\uff13", "is not written in ASCII digits; write 3"),
        ("nan", "is not a finite number; leave it empty if nobody judged the document"),
        (
            "1e999",
            "is not a finite number; leave it empty if nobody judged the document",
        ),
        ("n/a", "is not a number; leave it empty if nobody judged the document"),
        (
            "none",
            "is not a number; leave it empty if nobody judged the document, or give",
        ),
    ],
)
@pytest.mark.parametrize("scale", [None, {"good": 1, "bad": 0}])
def test_a_grade_that_is_meant_as_a_number(
    files: Files, grade: str, wrong: str, scale: dict[str, float] | None
) -> None:
    problem = files.problem(f"query,doc_id,grade\nq,a,{grade}\n", scale=scale)
    text = grade.strip('"')
    where = 'FILE:2: query "q", document "a": '
    assert problem.startswith(f'{where}the grade "{text}" {wrong}')


@pytest.mark.parametrize("grade", ["godo", "L3", "exact"])
def test_a_grade_that_is_meant_as_a_name(files: Files, grade: str) -> None:
    path = files.write(f"query,doc_id,grade\nq,a,{grade}\n")
    says = f'the grade "{grade}" is not a number; names of grades are given by a scale'
    assert says in files.problem(path)
    assert files.judgments(path, scale={grade: 1, "bad": 0}) == {"q": {"a": 1}}


# Parquet


def parquet(folder: Path, **columns: list[Any]) -> Path:
    """A Parquet file with these columns, as pyarrow writes it."""
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow.parquet import write_table

    write_table(pyarrow.table(columns), folder / "judgments.parquet")
    return folder / "judgments.parquet"


def test_parquet(files: Files) -> None:
    queries = ["a b", "a b", "c"]
    grades = [1, None, 0.5]
    path = parquet(files.folder, query=queries, doc_id=[7, 8, 9], grade=grades)
    judgments = files.judgments(path)
    assert judgments == {"a b": {"7": 1}, "c": {"9": 0.5}}
    assert type(judgments["a b"]["7"]) is int


@pytest.mark.parametrize("value", [True, [1], 1.5])
def test_parquet_ids_that_are_no_text(files: Files, value: object) -> None:
    path = parquet(files.folder, query=["a"], doc_id=[value], grade=[1])
    problem = files.problem(path)
    assert problem.startswith('FILE: the column "doc_id" holds ')
    assert problem.endswith("and an id is text or an integer; write it as text")


def test_the_index_of_a_frame_in_parquet_is_no_column(files: Files) -> None:
    pytest.importorskip("pyarrow")
    import pandas

    path = files.folder / "judgments.parquet"
    rows = {"query": ["a", "b"], "doc_id": ["x", "y"], "grade": [1, 2]}
    frame = pandas.DataFrame(rows)
    frame.set_index(frame["grade"].rename("gain")).to_parquet(path)
    assert files.judgments(path) == {"a": {"x": 1}, "b": {"y": 2}}
    frame.set_index("grade").to_parquet(path)
    assert "no column for the grade" in files.problem(path)


def test_parquet_that_is_damaged_within(files: Files) -> None:
    path = parquet(files.folder, query=["a"], doc_id=["x"], grade=[1])
    data = bytearray(path.read_bytes())
    data[10:60] = b"x" * 50
    path.write_bytes(data)
    says = "FILE: the Parquet file cannot be read: "
    assert files.problem(path).startswith(says)


@pytest.mark.parametrize("blank", [None, math.nan], ids=str)
def test_a_grade_that_is_missing_in_parquet_is_no_judgment(
    files: Files, blank: float | None
) -> None:
    """Libraries of frames write NaN, or null, where they have no number."""
    columns = {"ann_rating": [1.0, blank], "bob_rating": [2.0, blank]}
    path = parquet(files.folder, query=["a", "a"], doc_id=["x", "y"], **columns)
    assert files.judgments(path) == {"a": {"x": 1.5}}


def test_lists_in_parquet_are_no_grades(files: Files) -> None:
    path = parquet(files.folder, query=["a"], doc_id=["x"], grade=[[1, 2]])
    problem = files.problem(path)
    assert 'the column "grade" holds values of the type list<' in problem
    assert problem.endswith("a score is one number or name; write a row for each")


# Raters


def test_a_row_a_rating_with_raters(files: Files) -> None:
    rows = "q,a,ann,0\nq,a,bob,3\nq,a,cid,1\nq,b,ann,2\n"
    path = files.write(f"query,docid,rater,rating\n{rows}")
    judgments = files.judgments(path)
    assert judgments == {"q": {"a": 1, "b": 2}}
    assert judgments.raters == ("ann", "bob", "cid")
    ratings = {"a": {"ann": 0, "bob": 3, "cid": 1}, "b": {"ann": 2}}
    assert judgments.ratings["q"] == ratings
    assert files.judgments(path, raters="max") == {"q": {"a": 3, "b": 2}}


def test_a_column_a_rater(files: Files) -> None:
    header = "query,docid,ann_rating,bob_rating,final_rating"
    table = f"{header}\nq,a,0,2,2\nq,b,1,,1\nq,c,,,\n"
    judgments = files.judgments(table, raters="mean")
    assert judgments == {"q": {"a": 1, "b": 1}}
    assert judgments.raters == ("ann", "bob")
    notice = "the column final_rating is left out: the ratings of 2 raters are read"
    assert judgments.notices == (notice,)


def test_a_book_with_a_column_a_judge(files: Files) -> None:
    table = "query,docid,Ann B.,bob@shop.example\nq,a,0,3\nq,b,1,\n"
    judgments = files.judgments(table)
    assert judgments == {"q": {"a": 1.5, "b": 1}}
    assert judgments.raters == ("Ann B.", "bob@shop.example")


@pytest.mark.parametrize("other", ["star_rating", "label"])
def test_a_column_beside_the_grade_is_no_rater(files: Files, other: str) -> None:
    judgments = files.judgments(f"query,docid,{other},grade\nq,a,5,0\nq,b,4,3\n")
    assert judgments == {"q": {"a": 0, "b": 3}}
    assert judgments.raters == ()
    notice = f"the column {other} is left out: the grade is in grade"
    assert judgments.notices == (notice,)


# `grade_column`: the column of the grades, if a file has final ones beside those of
# raters

HEADER = "query,docid,ann_rating,bob_rating,final_rating"
RATERS_AND_FINAL = f"{HEADER}\nq,a,0,2,2\nq,b,1,3,0\n"


def test_final_grades_beside_those_of_raters_are_an_error_that_names_the_columns(
    files: Files,
) -> None:
    assert files.problem(RATERS_AND_FINAL) == (
        "FILE:1: final_rating seems to be made of ann_rating and bob_rating; say "
        "which column has the grades (grade_column: final_rating, --grade-column of "
        "a command), or how several ratings become one grade (raters: median, "
        "--raters)"
    )


def test_the_column_is_chosen(files: Files) -> None:
    for name in ("final_rating", "Final Rating"):
        judgments = files.judgments(RATERS_AND_FINAL, grade_column=name)
        assert judgments == {"q": {"a": 2, "b": 0}}
        assert (judgments.raters, judgments.notices) == ((), ())
    ann = files.judgments(RATERS_AND_FINAL, grade_column="ann_rating")
    assert ann == {"q": {"a": 0, "b": 1}}


@pytest.mark.parametrize(
    ("columns", "final", "others"),
    [
        ("ann_rating,final_rating", "final_rating", "ann_rating"),
        ("ann_rating,bob_rating,mean_rating", "mean_rating", "ann_rating and bob_rating"),
        ("Ann,Bob,final", "final", "Ann and Bob"),
        ("ann_label,label,gold_label", "gold_label", "label"),
    ],
)  # fmt: skip
def test_what_is_final_beside_what(
    files: Files, columns: str, final: str, others: str
) -> None:
    ratings = ",".join("1" * columns.count(","))
    path = files.write(f"query,docid,{columns}\nq,a,{ratings},3\n")
    says = f"FILE:1: {final} seems to be made of {others}; "
    assert files.problem(path).startswith(says)
    assert files.judgments(path, grade_column=final) == {"q": {"a": 3}}


def test_final_grades_beside_a_rating_a_row(files: Files) -> None:
    rows = "q,a,ann,1,3\nq,a,bob,2,3\n"
    path = files.write(f"query,docid,rater,rating,final_rating\n{rows}")
    assert "final_rating seems to be made of rating" in files.problem(path)
    judgments = files.judgments(path, grade_column="final_rating")
    assert (judgments, judgments.raters) == ({"q": {"a": 3}}, ())
    raters = files.judgments(path, grade_column="rating").raters
    assert raters == ("ann", "bob")
    assert files.judgments(path, raters="min") == {"q": {"a": 1}}


def test_a_column_of_any_name(files: Files) -> None:
    path = files.write("query,docid,usefulness\nq,a,2\n")
    says = "; if a column has the grades, name it (grade_column: ..., --grade-column of a command)"
    assert files.problem(path).endswith(says)
    assert files.judgments(path, grade_column="usefulness") == {"q": {"a": 2}}
    (query,) = files.described(path, grade_column="usefulness")
    assert query.text == "q"


def test_a_column_that_is_not_there(files: Files) -> None:
    assert files.problem(RATERS_AND_FINAL, grade_column="final_ratng") == (
        'FILE:1: there is no column "final_ratng" for the grades; the columns are query, docid, ann_rating, bob_rating '
        'and final_rating; did you mean "final_rating"?'
    )
    assert files.problem({"q": {"a": 1}}, grade_column="final") == (
        'FILE: no object in the file has the key "final", which grade_column names'
    )


@pytest.mark.parametrize(
    "content",
    ["q1 0 d1 3\n", "3 qid:1 # d1\n", {"queries": [{"query": "q", "ratings": {}}]}],
)
def test_a_format_without_columns(files: Files, content: object) -> None:
    problem = files.problem(content, grade_column="final")
    says = "FILE: grade_column= is for tables and JSON objects, and this is "
    assert problem.startswith(says)


@pytest.mark.parametrize("form", ["a list", "lines"])
def test_final_grades_in_objects(files: Files, form: str) -> None:
    row = {"query": "q", "docid": "a", "rating": 1, "final_rating": 3}
    content: object = [row]
    if form == "lines":
        content = f"{json.dumps(row)}\n{json.dumps({**row, 'docid': 'b'})}\n"
    says = "FILE: final_rating seems to be made of rating; "
    assert files.problem(content).startswith(says)
    assert files.judgments(content, grade_column="final_rating")["q"]["a"] == 3
    problem = files.problem(content, grade_column="final")
    assert problem.startswith('FILE: there is no column "final" for the grades; ')
