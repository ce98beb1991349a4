"""Tables of judgments: CSV, TSV, Parquet, and the exports that are such tables."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from pytest_relevance import read_judgments, read_queries
from pytest_relevance._problems import FileError
from tests.judgments.helpers import problems, written


@pytest.mark.parametrize(
    "header",
    [
        "query,docid,rating",
        "Query Text,Doc ID,Rating",
        "search_term,sku,label",
        "QUERY,Document_Id,GRADE",
        "query.text,product id,judgement",
    ],
)
def test_the_usual_spellings_of_a_header(tmp_path: Path, header: str) -> None:
    assert read_judgments(written(tmp_path, f"{header}\nsmart watch,a,3\n")) == {
        "smart watch": {"a": 3}
    }


@pytest.mark.parametrize("separator", [",", "\t", ";", "|"])
def test_separators(tmp_path: Path, separator: str) -> None:
    lines = ["query,doc_id,grade", "a b,1,2", "c,007,0"]
    path = written(tmp_path, "\n".join(line.replace(",", separator) for line in lines))
    assert read_judgments(path) == {"a b": {"1": 2}, "c": {"007": 0}}


def test_quoted_cells(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        'query,docid,rating\n"shoes, blue ""suede""",a,3\n"two\nlines",b,1\n17" monitor,c,2\n',
    )
    assert read_judgments(path) == {
        'shoes, blue "suede"': {"a": 3},
        "two\nlines": {"b": 1},
        '17" monitor': {"c": 2},
    }
    # between tabs a cell needs no quotes, but may have them
    path = written(
        tmp_path, 'query\tdoc_id\tgrade\n"to be" or not\tb\t2\n"tv, ""used"""\tc\t3\n'
    )
    assert read_judgments(path) == {'"to be" or not': {"b": 2}, 'tv, "used"': {"c": 3}}


def test_grades_are_numbers_and_whole_ones_ints(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "query,doc_id,grade\nq,a,3.0\nq,b,0.25\nq,c,-1\nq,d,100.000\nq,e,1e-1\n",
    )
    grades = read_judgments(path)["q"]
    assert grades == {"a": 3, "b": 0.25, "c": -1, "d": 100, "e": 0.1}
    assert [type(grade) for grade in grades.values()] == [int, float, int, int, float]


def test_a_name_that_is_no_grade(tmp_path: Path) -> None:
    path = written(tmp_path, "query,doc_id,grade\nq,a, good\nq,b,7\n")
    scale = "scale: {good: 1, bad: 0}, or --scale good=1,bad=0 of a command"
    advice = f"is no number; names of grades are given by a scale, such as {scale}"
    assert problems(path) == [
        f'FILE:2: query "q", document "a": the grade "good" {advice}'
    ]
    assert problems(path, scale={"godo": 7, "poor": 0}) == [
        'FILE:2: query "q", document "a": the scale has no grade "good"; it has 0 (poor), 7 (godo); did you '
        'mean "godo"?'
    ]


def test_rows_that_lack_something(tmp_path: Path) -> None:
    path = written(tmp_path, "query,docid,rating\nshoes,,2\n,b,1\n")
    assert problems(path) == [
        "FILE:2: the row has no document",
        "FILE:3: the row has no query",
    ]


def test_ids_with_texts(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "query_id,query,doc_id,grade\nq1,red shoes,a,1\nq1,red shoes,b,0\n,socks,c,2\n",
    )
    judgments = read_judgments(path)
    assert judgments == {"q1": {"a": 1, "b": 0}, "socks": {"c": 2}}
    assert judgments.text("q1") == "red shoes"
    assert judgments.known_as("red shoes") == ["q1"]
    assert judgments.known_as("socks") == ["socks"]
    assert judgments.known_as("hats") == []
    assert read_queries(path) == {"q1": "red shoes", "socks": "socks"}


def test_an_id_with_two_texts(tmp_path: Path) -> None:
    path = written(
        tmp_path, "query_id,query,doc_id,grade\nq1,red shoes,a,1\nq1,blue shoes,b,0\n"
    )
    (problem,) = problems(path)
    assert problem.startswith(
        'FILE:3: the query id "q1" stands for "red shoes" and for "blue shoes"; '
    )


def test_a_row_a_rating_with_raters(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "query,docid,rater,rating\nq,a,ann,0\nq,a,bob,3\nq,a,cid,1\nq,b,ann,2\n",
    )
    judgments = read_judgments(path)
    assert judgments == {"q": {"a": 1, "b": 2}}
    assert judgments.raters == ("ann", "bob", "cid")
    assert judgments.ratings["q"] == {
        "a": {"ann": 0, "bob": 3, "cid": 1},
        "b": {"ann": 2},
    }
    assert read_judgments(path, raters="max") == {"q": {"a": 3, "b": 2}}


def test_a_rater_who_is_of_two_minds(tmp_path: Path) -> None:
    path = written(tmp_path, "query,docid,judge,rating\nq,a,ann,0\nq,a,ann,3\n")
    assert problems(path) == [
        'FILE:3: query "q", document "a": rater "ann" gave 0 in line 2 and 3 here; keep one of them'
    ]


def test_a_column_a_rater(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "query,docid,ann_rating,bob_rating,final_rating\nq,a,0,2,2\nq,b,1,,1\nq,c,,,\n",
    )
    judgments = read_judgments(path, raters="mean")
    assert judgments == {"q": {"a": 1, "b": 1}}
    assert judgments.raters == ("ann", "bob")
    assert judgments.notices == (
        "the column final_rating is left out: the ratings of 2 raters are read",
    )


def test_a_book_with_a_column_a_judge(tmp_path: Path) -> None:
    judgments = read_judgments(
        written(tmp_path, "query,docid,Ann B.,bob@shop.example\nq,a,0,3\nq,b,1,\n")
    )
    assert judgments == {"q": {"a": 1.5, "b": 1}}
    assert judgments.raters == ("Ann B.", "bob@shop.example")


@pytest.mark.parametrize("other", ["star_rating", "label"])
def test_a_column_beside_the_grade_is_no_rater(tmp_path: Path, other: str) -> None:
    judgments = read_judgments(
        written(tmp_path, f"query,docid,{other},grade\nq,a,5,0\nq,b,4,3\n")
    )
    assert judgments == {"q": {"a": 0, "b": 3}}
    assert judgments.raters == ()
    assert judgments.notices == (
        f"the column {other} is left out: the grade is in grade",
    )


@pytest.mark.parametrize(
    "header", ["query,docid,ratng", "query,dcoid,rating", "query,docid"]
)
def test_a_misspelt_header_of_judgments_is_none_of_queries(
    tmp_path: Path, header: str
) -> None:
    path = written(tmp_path, f"{header}\nq,a,1\n")
    with pytest.raises(FileError, match="a file of queries has a header with"):
        read_queries(path)


def test_beir(tmp_path: Path) -> None:
    path = written(
        tmp_path, "query-id\tcorpus-id\tscore\n1\t4983\t1\n3\t0042\t2\n", "test.tsv"
    )
    assert read_judgments(path) == {"1": {"4983": 1}, "3": {"0042": 2}}


ESCI = "query_id,query,product_id,product_locale,esci_label\n1,shoes,0B1,us,E\n1,shoes,0B2,us,s\n2,tv,7,us,Irrelevant\n"


def test_esci_labels_through_a_scale(tmp_path: Path) -> None:
    path = written(tmp_path, ESCI)
    scale = {"exact": 4, "substitute": 2, "complement": 1, "irrelevant": 0}
    assert read_judgments(path, scale=scale) == {
        "1": {"0B1": 4, "0B2": 2},
        "2": {"7": 0},
    }
    assert read_judgments(path, scale={"E": 1, "S": 0.1, "C": 0.01, "I": 0})["1"] == {
        "0B1": 1,
        "0B2": 0.1,
    }
    assert read_judgments(path) == {"1": {"0B1": 3, "0B2": 2}, "2": {"7": 0}}


def parquet(folder: Path, **columns: list[Any]) -> Path:
    """A Parquet file with these columns, as pyarrow writes it."""
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow.parquet import write_table

    write_table(pyarrow.table(columns), folder / "judgments.parquet")
    return folder / "judgments.parquet"


def test_parquet(tmp_path: Path) -> None:
    judgments = read_judgments(
        parquet(
            tmp_path, query=["a b", "a b", "c"], doc_id=[7, 8, 9], grade=[1, None, 0.5]
        )
    )
    assert judgments == {"a b": {"7": 1}, "c": {"9": 0.5}}
    assert type(judgments["a b"]["7"]) is int


@pytest.mark.parametrize(
    ("row", "found"),
    [
        ("q,a", "2 columns"),
        ("q", "1 column"),
        ("q,a,1,extra", "4 columns"),
        ('"q",a', "2 columns"),
    ],
)
def test_a_row_of_another_width_is_named(tmp_path: Path, row: str, found: str) -> None:
    path = written(tmp_path, f"query,docid,rating\nq,x,1\n{row}\nq,y,1\n")
    assert problems(path) == [
        f"FILE:3: found {found} where there are 3, separated by commas; "
        + (
            "mend the line (a file that ends so is truncated)"
            if found[0] < "3"
            else "put a cell with a separator in it in quotes"
        )
    ]


def test_a_header_nobody_knows(tmp_path: Path) -> None:
    (problem,) = problems(written(tmp_path, "question,docid,relevence\nq,a,1\n"))
    assert problem.startswith(
        "FILE:1: judgments have columns for the query, the document and the grade; found question, docid and relev"
    )
    assert "no column for the query (such as query_id, qid, " in problem
    assert "no column for the grade (such as grade, rating, relevance, " in problem
    assert (
        '; if "relevence" is the grade, call it relevance; where a column has the grades, name it: grade_column'
        in problem
    )
    assert "no column for the document" not in problem


@pytest.mark.parametrize(
    ("header", "hint"),
    [
        ("query,id,grade", '; if "id" is the document, call it doc_id'),
        ("query,pid,grade", '; if "pid" is the document, call it doc_id'),
        (
            "id,query,documnet,grade",
            '; if "documnet" is the document, call it document',
        ),
        ("qurey,doc_id,grade", '; if "qurey" is the query, call it query'),
        ("query,dic,grade", ""),
        ("query,asin,real", ""),
    ],
)
def test_the_column_that_may_be_meant(tmp_path: Path, header: str, hint: str) -> None:
    (problem,) = problems(written(tmp_path, f"{header}\n"))
    assert "did you mean" not in problem
    assert "is the " not in problem if not hint else problem.endswith(hint)


def test_a_format_nobody_knows(tmp_path: Path) -> None:
    (problem,) = problems(written(tmp_path, "Dear reader\nhow are you\n"))
    assert problem.startswith(
        'FILE:1: the format of these judgments is not recognised; the file begins with "Dear reader"'
    )
    assert "trec (TREC qrels: qid iter docid grade)" in problem


def test_a_header_and_nothing_else(tmp_path: Path) -> None:
    assert problems(written(tmp_path, "query,docid,rating\n")) == [
        "FILE: the file holds no judgments"
    ]


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        ('q,a,3,"5 inch\nr,b,2,x\ns,c,1,y\n', 2),
        ('q,a,3,x\nr,b,2,"trunc', 3),
        ('q,a,3,"15" laptop"\n', 2),
    ],
)
def test_a_quote_that_swallows_what_follows_is_refused(
    tmp_path: Path, rows: str, line: int
) -> None:
    (problem,) = problems(written(tmp_path, f"query,doc_id,grade,title\n{rows}"))
    assert problem.startswith(f"FILE:{line}: a quoted cell in this row ")


@pytest.mark.parametrize(
    ("row", "count", "more"), [("q,{},bad", 50, "30"), ("q,a", 2000, "at least 980")]
)
def test_many_problems_are_counted_as_far_as_they_are_looked_for(
    tmp_path: Path, row: str, count: int, more: str
) -> None:
    lines = problems(
        written(
            tmp_path,
            "query,docid,rating\n"
            + "".join(f"{row.format(n)}\n" for n in range(count)),
        )
    )
    assert (len(lines), lines[-1]) == (21, f"FILE: ... and {more} more problems")


def test_queries_of_a_table_of_judgments(tmp_path: Path) -> None:
    assert read_queries(
        written(tmp_path, "query,docid,rating\na b,1,2\nc,2,0\na b,3,1\n")
    ) == {"a b": "a b", "c": "c"}
    assert read_queries(written(tmp_path, ESCI)) == {"1": "shoes", "2": "tv"}


@pytest.mark.parametrize("value", [True, [1], 1.5])
def test_parquet_ids_that_are_no_text(tmp_path: Path, value: object) -> None:
    (problem,) = problems(parquet(tmp_path, query=["a"], doc_id=[value], grade=[1]))
    assert problem.startswith('FILE: the column "doc_id" holds ')
    assert problem.endswith("and an id is text or an integer; write it as text")


def test_the_index_of_a_frame_in_parquet_is_no_column(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    import pandas

    path = tmp_path / "judgments.parquet"
    frame = pandas.DataFrame(
        {"query": ["a", "b"], "doc_id": ["x", "y"], "grade": [1, 2]}
    )
    for index in (
        frame.set_index("grade"),
        frame.set_index(frame["grade"].rename("gain")),
    ):
        index.to_parquet(path)
        has_grades = "grade" in index.columns
        assert (
            (read_judgments(path) == {"a": {"x": 1}, "b": {"y": 2}})
            if has_grades
            else problems(path)
        )


def test_parquet_that_is_damaged_within(tmp_path: Path) -> None:
    path = parquet(tmp_path, query=["a"], doc_id=["x"], grade=[1])
    data = bytearray(path.read_bytes())
    data[10:60] = b"x" * 50
    path.write_bytes(data)
    (problem,) = problems(path)
    assert problem.startswith("FILE: the Parquet file cannot be read: ")


@pytest.mark.parametrize("blank", [None, math.nan], ids=str)
def test_a_grade_that_is_missing_in_parquet_is_no_judgment(
    tmp_path: Path, blank: float | None
) -> None:
    """Libraries of frames write NaN, or null, where they have no number."""
    path = parquet(
        tmp_path,
        query=["a", "a"],
        doc_id=["x", "y"],
        ann_rating=[1.0, blank],
        bob_rating=[2.0, blank],
    )
    assert read_judgments(path) == {"a": {"x": 1.5}}


def test_lists_in_parquet_are_no_grades(tmp_path: Path) -> None:
    (problem,) = problems(parquet(tmp_path, query=["a"], doc_id=["x"], grade=[[1, 2]]))
    assert problem.startswith('FILE: the column "grade" holds values of the type list<')
    assert problem.endswith(
        "int64>, and a grade or a score is one number or name; write a row for each"
    )


# `grade_column`: which column has the grades, where a file has final ones beside those
# of raters


RATERS_AND_FINAL = (
    "query,docid,ann_rating,bob_rating,final_rating\nq,a,0,2,2\nq,b,1,3,0\n"
)


def problem(path: Path, format: str | None = None, **options: str) -> str:
    (only,) = problems(path, format, **options)
    return only


def test_final_grades_beside_those_of_raters_are_an_error_that_names_the_columns(
    tmp_path: Path,
) -> None:
    assert problem(written(tmp_path, RATERS_AND_FINAL)) == (
        "FILE:1: final_rating seems to be what was made of ann_rating and bob_rating; say which column has the grades "
        "(grade_column: final_rating, --grade-column of a command), or how several ratings become one grade (raters: "
        "median, --raters)"
    )


def test_the_column_is_chosen(tmp_path: Path) -> None:
    path = written(tmp_path, RATERS_AND_FINAL)
    for name in ("final_rating", "Final Rating"):
        judgments = read_judgments(path, grade_column=name)
        assert judgments == {"q": {"a": 2, "b": 0}}
        assert judgments.raters == ()
        assert judgments.notices == ()
    assert read_judgments(path, grade_column="ann_rating") == {"q": {"a": 0, "b": 1}}


@pytest.mark.parametrize(
    ("header", "final", "others"),
    [
        ("query,docid,ann_rating,final_rating", "final_rating", "ann_rating"),
        (
            "query,docid,ann_rating,bob_rating,mean_rating",
            "mean_rating",
            "ann_rating and bob_rating",
        ),
        ("query,docid,Ann,Bob,final", "final", "Ann and Bob"),
        ("query,docid,ann_label,label,gold_label", "gold_label", "label"),
    ],
)
def test_what_is_final_beside_what(
    tmp_path: Path, header: str, final: str, others: str
) -> None:
    ratings = ",".join("1" * (header.count(",") - 2))
    path = written(tmp_path, f"{header}\nq,a,{ratings},3\n")
    assert problem(path).startswith(
        f"FILE:1: {final} seems to be what was made of {others}; "
    )
    assert read_judgments(path, grade_column=final) == {"q": {"a": 3}}


def test_final_grades_beside_a_rating_a_row(tmp_path: Path) -> None:
    path = written(
        tmp_path, "query,docid,rater,rating,final_rating\nq,a,ann,1,3\nq,a,bob,2,3\n"
    )
    assert "final_rating seems to be what was made of rating" in problem(path)
    judgments = read_judgments(path, grade_column="final_rating")
    assert (judgments, judgments.raters) == ({"q": {"a": 3}}, ())
    assert read_judgments(path, grade_column="rating").raters == ("ann", "bob")
    assert read_judgments(path, raters="min") == {"q": {"a": 1}}


def test_a_column_of_any_name(tmp_path: Path) -> None:
    path = written(tmp_path, "query,docid,usefulness\nq,a,2\n")
    assert problem(path).endswith(
        "; where a column has the grades, name it: grade_column"
    )
    assert read_judgments(path, grade_column="usefulness") == {"q": {"a": 2}}
    assert read_queries(path, grade_column="usefulness") == {"q": "q"}
    assert read_judgments(written(tmp_path, "query,docid,final_rating\nq,a,2\n")) == {
        "q": {"a": 2}
    }


def test_a_column_that_is_not_there(tmp_path: Path) -> None:
    assert problem(written(tmp_path, RATERS_AND_FINAL), grade_column="final_ratng") == (
        'FILE:1: there is no column "final_ratng" for the grades; the columns are query, docid, ann_rating, bob_rating '
        'and final_rating; did you mean "final_rating"?'
    )


@pytest.mark.parametrize(
    "content",
    ["q1 0 d1 3\n", "3 qid:1 # d1\n", '{"queries": [{"query": "q", "ratings": {}}]}'],
)
def test_a_format_without_columns(tmp_path: Path, content: str) -> None:
    said = problem(written(tmp_path, content), grade_column="final")
    assert said.startswith(
        "FILE: grade_column= is for tables and JSON objects, and this is "
    )


def test_objects_in_json(tmp_path: Path) -> None:
    row = {"query": "q", "docid": "a", "rating": 1, "final_rating": 3}
    for content in (
        f"{json.dumps(row)}\n{json.dumps({**row, 'docid': 'b'})}\n",
        json.dumps([row]),
    ):
        path = written(tmp_path, content, "ratings.json")
        assert problem(path).startswith(
            "FILE: final_rating seems to be what was made of rating; "
        )
        assert read_judgments(path, grade_column="final_rating")["q"]["a"] == 3
    assert problem(path, grade_column="final").startswith(
        'FILE: there is no column "final" for the grades; '
    )
    path = written(tmp_path, '{"q": {"a": 1}}', "ratings.json")
    assert problem(path, grade_column="final") == (
        'FILE: no object in the file has the key "final", which grade_column names'
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
        ("nan", "is no finite number; leave it empty if nobody judged the document"),
        ("1e999", "is no finite number; leave it empty if nobody judged the document"),
        ("n/a", "is no number; leave it empty if nobody judged the document"),
        ("none", "is no number; leave it empty if nobody judged the document, or give"),
    ],
)
@pytest.mark.parametrize("scale", [None, {"good": 1, "bad": 0}])
def test_a_grade_that_is_meant_as_a_number(
    tmp_path: Path, grade: str, wrong: str, scale: dict[str, float] | None
) -> None:
    path = written(tmp_path, f"query,doc_id,grade\nq,a,{grade}\n")
    (found,) = problems(path, scale=scale)
    text = grade.strip('"')
    assert found.startswith(
        f'FILE:2: query "q", document "a": the grade "{text}" {wrong}'
    )


@pytest.mark.parametrize("grade", ["godo", "L3", "exact"])
def test_a_grade_that_is_meant_as_a_name(tmp_path: Path, grade: str) -> None:
    path = written(tmp_path, f"query,doc_id,grade\nq,a,{grade}\n")
    (found,) = problems(path)
    assert (
        f'the grade "{grade}" is no number; names of grades are given by a scale'
        in found
    )
    assert read_judgments(path, scale={grade: 1, "bad": 0}) == {"q": {"a": 1}}
