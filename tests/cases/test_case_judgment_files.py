"""Judgments that stand in files: how these are named, what cases find in them, how they
are laid over each other.
"""

import gzip
import warnings
from collections.abc import Mapping

import pytest

from pytest_relevance import RelevanceWarning, read_suite
from tests.cases.conftest import Shop

QRELS = "q1 0 boot 3\nq1 0 sandal 1\nq2 0 hat 2\nq2 0 cap 0\n"
RATED = "query,docid,rating\nblue shoes,boot,3\nblue shoes,sandal,1\nhats,hat,2\nhats,cap,0\n"
BOTH = {"q1": {"boot": 3, "sandal": 1}, "q2": {"hat": 2, "cap": 0}}


@pytest.fixture
def rated(shop: Shop) -> Shop:
    """Two files with the same judgments, one by ids and one by texts."""
    shop.write("qrels.txt", QRELS)
    shop.write("rated.csv", RATED)
    return shop


NAMED = [
    "qrels.txt",
    "{file: qrels.txt}",
    "[{file: qrels.txt, format: trec}]",
    "rated.csv",
]


@pytest.mark.parametrize("named", NAMED)
def test_the_cases_find_their_judgments_in_the_file_of_the_suite(
    rated: Shop, named: str
) -> None:
    cases = "cases: [{id: q1, query: blue shoes}, {id: q2, query: hats}]"
    assert rated.judgments(f"judgments: {named}\n{cases}") == BOTH


# What cases find, by the content of rated.csv

FOUND: Mapping[str, tuple[str, str, Mapping[str, Mapping[str, float]]]] = {
    "by id or by text": (
        "query_id,query,doc,grade\n7,blue shoes,a,1\n8,hats,b,2\n9,socks,c,3\n",
        "[{query: blue shoes}, {id: 8, query: all hats}, {id: my-socks, query: socks}]",
        {"blue shoes": {"a": 1}, "8": {"b": 2}, "my-socks": {"c": 3}},
    ),
    "rows without an id belong to the query of their text": (
        "query_id,query,docid,rating\nq1,blue shoes,boot,3\n,blue shoes,sandal,2\n",
        "[{id: q1, query: blue shoes}]",
        {"q1": {"boot": 3, "sandal": 2}},
    ),
    "a text that looks like the id of another query": (
        "query_id,query,doc,grade\n7,501,a,1\n501,hats,b,2\n",
        "[{query: 501}]",
        {"501": {"a": 1}},
    ),
    "an id that looks like the text of another query": (
        "query_id,query,doc,grade\n7,501,a,1\n501,hats,b,2\n",
        "[{id: 501, query: some hats}]",
        {"501": {"b": 2}},
    ),
    "one text with several ids": (
        "query_id,query,doc,grade\nuk,boots,a,1\nus,boots,b,2\nus,boots,c,3\n",
        "[{id: uk, query: boots}, {id: us, query: boots}]",
        {"uk": {"a": 1}, "us": {"b": 2, "c": 3}},
    ),
    "an id that is the text of another query": (
        "query,docid,rating\nshoes for men,a,3\nshoes,b,3\n",
        "[{id: shoes, query: shoes for men}, {id: generic, query: shoes}]",
        {"shoes": {"a": 3}, "generic": {"b": 3}},
    ),
}


@pytest.mark.parametrize(("rows", "cases", "found"), FOUND.values(), ids=FOUND)
def test_how_a_case_is_found(
    shop: Shop, rows: str, cases: str, found: Mapping[str, Mapping[str, float]]
) -> None:
    shop.write("rated.csv", rows)
    assert shop.judgments(f"judgments: rated.csv\ncases: {cases}") == found


def test_a_text_with_several_ids_needs_one_of_them(shop: Shop) -> None:
    shop.write("rated.csv", "query_id,query,doc,grade\nuk,boots,a,1\nus,boots,b,2\n")
    (found,) = shop.mistakes("judgments: rated.csv\ncases: [{query: boots}]")
    assert 'has the query "boots" under "uk" and "us"; give the case one of' in found


def test_an_entry_that_is_the_id_of_one_query_and_the_text_of_another(
    shop: Shop,
) -> None:
    shop.write("queries.tsv", "1984\torwell novel\n7\t1984\n")
    shop.write("rated.csv", "query,docid,rating\n1984,d1,3\n")
    files = "queries: queries.tsv\njudgments: rated.csv\n"
    assert shop.mistakes(files) == [
        'queries.tsv:2: rated.csv: the entry "1984" fits two queries: it is the id of "orwell novel", and the text '
        'of "7" is "1984"; give "orwell novel" another id (in case "7")'
    ]
    shop.write("queries.tsv", "b2\torwell novel\n7\t1984\n")
    assert shop.judgments(files) == {"b2": {}, "7": {"d1": 3}}


def test_a_case_that_finds_none_is_an_error(rated: Shop) -> None:
    found = rated.mistakes(
        """\
        judgments: rated.csv
        cases:
          - {query: blue shoe}
          - {id: h, query: red gloves}
        """
    )
    cure = "if the case needs no judgments, write judgments: {}"
    none = "no judgments: rated.csv (2 queries) judges nothing for"
    assert found == [
        f'shop.yaml:3:5: {none} "blue shoe"; did you mean "blue shoes"?; {cure} (in case "blue shoe")',
        f'shop.yaml:4:5: {none} "h" or "red gloves"; {cure} (in case "h")',
    ]
    (found_by_text,) = rated.mistakes("judgments: qrels.txt\ncases: [{query: hats}]\n")
    assert (
        '"hats"; the file has ids alone: give the case its id, or name' in found_by_text
    )


@pytest.mark.parametrize("own", ["{}", "{x: 1}", "more.txt", "[more.txt]"])
def test_a_case_that_has_its_own_need_not_be_in_the_file(rated: Shop, own: str) -> None:
    rated.write("more.txt", "socks 0 x 1\n")
    case = f"{{query: socks, judgments: {own}}}"
    found = rated.judgments(f"judgments: qrels.txt\ncases: [{case}]\n")
    assert found == {"socks": {} if own == "{}" else {"x": 1}}


def test_what_a_case_says_itself_is_laid_over_the_file(rated: Shop) -> None:
    cases = rated.cases(
        """
        judgments: qrels.txt
        cases:
          - id: q1
            query: a
            judgments: {boot: 0, clog: {grade: 2, title: A clog, note: wooden}}
          - {id: q2, query: b, judgments: {}}
        """
    )
    assert cases["q1"].judgments == {"boot": 0, "sandal": 1, "clog": 2}
    assert cases["q1"].titles == {"clog": "A clog"}
    assert cases["q1"].notes == {"clog": "wooden"}
    assert cases["q2"].judgments == BOTH["q2"]


# What names a file


def test_a_document_may_be_called_file_if_it_has_a_grade(shop: Shop) -> None:
    judgments = shop.judgments(
        """
        scale: {good: 1, bad: 0}
        cases:
          - {query: a, judgments: {file: good, format: 0, query: bad}}
          - {query: b, judgments: {file: 1}}
          - {query: c, judgments: {file: [good, bad]}}
          - {query: d, judgments: {file: {grade: good, title: A file}}}
        """
    )
    assert judgments == {
        "a": {"file": 1, "format": 0, "query": 0},
        "b": {"file": 1},
        "c": {"file": 0.5},
        "d": {"file": 1},
    }


@pytest.mark.parametrize(
    ("judgments", "message"),
    {
        "{a: 3}": (
            ": expected the name of a judgment file, for example judgments: "
            "qrels.txt, found a mapping;"
        ),
        "[]": ": the list of files is empty; name a file, or leave the key out",
        "[qrels.txt, 3]": "[1]: expected the name of a file, a list of them, or {file: ..., format: ...}, f",
        "[qrels.txt, qrels.txt]": '[1]: the file "qrels.txt" stands twice; keep one of them',
        "{file: qrels.txt, form: a}": ': unknown key "form"; a file has file, format, query, document, ',
        "{file: qrels.txt, format: csv, query: x}": ".file: qrels.txt: query= is for Elasticsearch requests",
        "{file: qrels.txt, format: trek}": '.format: unknown format "trek"; it may be ',
    }.items(),
)
def test_what_names_no_file(rated: Shop, judgments: str, message: str) -> None:
    found = rated.mistakes(f"judgments: {judgments}\ncases: [{{query: a}}]\n")
    assert f": judgments{message}" in found[0]


def test_a_grade_beside_a_file(rated: Shop) -> None:
    case = "{query: a, judgments: {file: qrels.txt, boot: 3}}"
    (found,) = rated.mistakes(f"cases: [{case}]")
    assert ': judgments: unknown key "boot"; a file has file, format, query' in found


# Files that cannot be read

UNREADABLE = {
    "data/qrels.txt": "there is no file data/qrels.txt; paths are relative to the case file",
    "empty.csv": "empty.csv: the file is empty",
    "folder": "folder is a folder without qrels/test.tsv, which folders of BEIR and MTEB have; name a file",
    "short.gz": "short.gz: the gzip file is truncated; fetch or pack it again",
    "/dev/null": "/dev/null is not a file",
}


@pytest.mark.parametrize(("name", "message"), UNREADABLE.items())
def test_a_file_that_cannot_be_read(shop: Shop, name: str, message: str) -> None:
    shop.write("empty.csv", "\n")
    shop.write("folder/other.txt", "")
    shop.write("short.gz", gzip.compress(QRELS.encode())[:-9])
    of_suite = shop.mistakes(f"judgments: {name}\ncases: [{{query: a}}]")
    assert of_suite == [f"shop.yaml:1:12: judgments: {message}"]
    of_case = shop.mistakes(f"cases: [{{query: a, judgments: {name}}}]")
    assert of_case == [f'shop.yaml:1:31: judgments: {message} (in case "a")']


@pytest.mark.parametrize("written", ["sku-5", "[sku-5]", "\n      sku-5:3"])
def test_an_id_in_the_place_of_a_file_gets_advice(shop: Shop, written: str) -> None:
    (found,) = shop.mistakes(f"cases:\n  - query: a\n    judgments: {written}\n")
    name = written.strip("\n []")
    assert (
        f"there is no file {name}; paths are relative to the case file; a document is written with its grade, "
        f"{{{name}: 1}}, or under relevant"
    ) in found


def test_a_wrong_file_hides_no_other_mistake_and_makes_none(shop: Shop) -> None:
    """A case is not blamed for judgments that could not be read."""
    found = shop.mistakes(
        """\
        judgments: qrels.txt
        min_ndcg: 0.5
        cases:
          - {query: a}
          - {query: b, judgments: {x: 0}, min_ndcg: 0.3}
          - {query: c, expect: {P@5: 0.2}, k: 0}
        """
    )
    places = [line.partition(": ")[0] for line in found]
    assert places == ["shop.yaml:1:12", "shop.yaml:6:39"]


# Grades that are not on the scale


def test_a_grade_off_the_scale_names_file_line_query_and_document(shop: Shop) -> None:
    shop.write("qrels.txt", "q1 0 boot 3\n\nq1 0 hat 4\nq2 0 hat good\n")
    text = "scale: [0, 3]\njudgments: qrels.txt\ncases: [{id: q1, query: a}]"
    assert shop.mistakes(text) == [
        'qrels.txt:3: query "q1", document "hat": grade 4 is off the scale, which is 0 to 3 (in case "q1")',
        'qrels.txt:4: query "q2", document "hat": the grade "good" is not a number; names of grades are given by a scale, '
        "such as scale: {good: 1, bad: 0}, or --scale good=1,bad=0 of a command",
    ]


def test_a_case_with_a_scale_of_its_own_has_its_grades_on_that(shop: Shop) -> None:
    shop.write("rated.csv", "query,docid,rating\na,x,good\nb,x,good\nb,y,3\n")

    def suite(scale: str) -> str:
        cases = f"[{{query: a}}, {{query: b, scale: {scale}}}]"
        return f"scale: {{good: 2, bad: 0}}\njudgments: rated.csv\ncases: {cases}"

    # what is off the scale of the suite alone is no mistake
    found = shop.judgments(suite("{good: 4, bad: 1}"))
    assert found == {"a": {"x": 2}, "b": {"x": 4, "y": 3}}
    (mistake,) = shop.mistakes(suite("{good: 1, bad: 0}"))
    assert mistake.startswith(
        'rated.csv:4: query "b", document "y": grade 3 is off the scale, which is 0 (bad), 1 (good)'
    )


def test_a_large_number_of_mistakes_is_not_looked_for_to_the_end(shop: Shop) -> None:
    numbers = range(2000)
    shop.write("qrels.txt", "".join(f"q{number} 0 a 9\n" for number in numbers))
    cases = "".join(f"  - {{id: q{number}, query: a}}\n" for number in numbers)
    found = shop.mistakes(f"scale: [0, 3]\njudgments: qrels.txt\ncases:\n{cases}")
    assert found[0].startswith('qrels.txt:1: query "q0", document "a": grade 9 is off')
    assert found[-1] == "shop.yaml: ... and at least 950 more problems"


# Raters

REPEATED = "query,docid,rating\na,x,0\na,x,1\na,x,3\na,y,2\na,y,2\n"


@pytest.mark.parametrize(("raters", "grade"), {"median": 1, "max": 3}.items())
def test_repeated_rows_are_ratings_if_raters_are_combined(
    shop: Shop, raters: str, grade: float
) -> None:
    shop.write("rated.csv", REPEATED)
    of_suite = f"raters: {raters}\njudgments: rated.csv\ncases: [{{query: a}}]"
    of_case = f"judgments: rated.csv\ncases: [{{query: a, raters: {raters}}}]"
    for text in (of_suite, of_case):
        assert shop.judgments(text) == {"a": {"x": grade, "y": 2}}


def test_repeated_rows_contradict_each_other_otherwise(shop: Shop) -> None:
    shop.write("rated.csv", REPEATED)
    (found,) = shop.mistakes("judgments: rated.csv\ncases: [{query: a}]")
    assert found.startswith(
        'rated.csv:3: query "a", document "x": judged twice, 0 in line 2 and 1 here; '
    )
    assert found.endswith('(raters: median, --raters of a command) (in case "a")')


def test_two_files_that_contradict_each_other(shop: Shop) -> None:
    shop.write("a.csv", "query,docid,rating\nq,x,3\nq,y,1\n")
    shop.write("b.csv", "query,docid,rating\nq,y,1\nq,x,0\n")
    assert shop.mistakes("judgments: [a.csv, b.csv]\ncases: [{query: q}]") == [
        'b.csv:3: query "q", document "x": judged twice, 3 in a.csv and 0 here; keep one of them, or say how the '
        'ratings of several raters are combined (raters: median) (in case "q")'
    ]


def test_ratings_in_several_files_are_combined_as_one_list(shop: Shop) -> None:
    shop.write("a.csv", "query,docid,rater,rating\nq,x,ann,0\nq,x,bob,0\nq,z,ann,3\n")
    shop.write("b.csv", "query,docid,rating\nq,x,3\nq,y,1\n")
    cases = "[{query: q}, {id: m, query: q, raters: max}]"
    assert shop.judgments(
        f"raters: mean\njudgments: [a.csv, b.csv]\ncases: {cases}"
    ) == {"q": {"x": 1, "z": 3, "y": 1}, "m": {"x": 3, "z": 3, "y": 1}}


@pytest.mark.parametrize("raters", ["", "raters: mean\n"])
def test_a_rater_who_contradicts_another_file_is_an_error(
    shop: Shop, raters: str
) -> None:
    shop.write("first.csv", "query,docid,rater,rating\nq,x,ann,0\n")
    shop.write("second.csv", "query,docid,rater,rating\nq,y,ann,1\nq,x,ann,3\n")
    files = "judgments: [first.csv, second.csv]"
    assert shop.mistakes(f"{raters}{files}\ncases: [{{query: q}}]") == [
        'second.csv:3: query "q", document "x": rater "ann" gave 0 in first.csv and 3 here; keep one of them '
        '(in case "q")'
    ]


# The column of the grades

TWO_RATERS = """\
query,docid,ann_rating,bob_rating,final_rating
hats,hat,0,2,2
blue shoes,boot,1,3,0
"""
FINAL = "{file: rated.csv, grade_column: final_rating}"


@pytest.mark.parametrize(
    "where",
    [
        "judgments: rated.csv\ncases: [{query: hats}]",
        "cases: [{query: hats, judgments: rated.csv}]",
    ],
)
def test_a_column_that_may_be_made_of_others(shop: Shop, where: str) -> None:
    shop.write("rated.csv", TWO_RATERS)
    (found,) = shop.mistakes(where)
    assert found.startswith(
        "rated.csv:1: final_rating seems to be made of ann_rating and bob_rating; say"
    )
    assert shop.judgments(f"raters: max\n{where}") == {"hats": {"hat": 2}}


def test_the_column_of_the_grades(shop: Shop) -> None:
    shop.write("rated.csv", TWO_RATERS)
    cases = f"[{{query: hats}}, {{query: blue shoes, judgments: {FINAL}}}]"
    suite = shop.read(f"judgments: {FINAL}\ncases: {cases}")
    assert [case.judgments for case in suite.cases] == [{"hat": 2}, {"boot": 0}]
    assert suite.warnings == ()
    listed = shop.read(f"judgments: {FINAL}\nqueries: {FINAL}\n")
    assert [case.query for case in listed.cases] == ["hats", "blue shoes"]


# What is warned of


def test_queries_without_a_case_are_counted(shop: Shop) -> None:
    text = "judgments: qrels.txt\ncases: [{id: q1, query: a}]"
    shop.write("qrels.txt", "".join(f"q{number} 0 a 1\n" for number in range(1200)))
    assert shop.read(text).warnings == (
        'qrels.txt: 1,199 of 1,200 queries have no case: "q0", "q2", "q3" and 1,196 more',
    )
    shop.write("qrels.txt", "q1 0 a 1\n")
    assert shop.read(text).warnings == ()


def test_a_worklist_may_have_queries_of_other_suites(shop: Shop) -> None:
    shop.write(
        "worklist.csv",
        "query_id,query,document,title,ranks,settles,worth,move,grade\n"
        "q1,boots,a,,3,,0.1,0.1,2\nq2,hats,b,,3,,0.1,0.1,1\n",
    )
    text = (
        "judgments: worklist.csv\ncases: [{{id: {}, query: {}, judgments: {{z: 1}}}}]\n"
    )
    assert shop.read(text.format("q1", "boots")).warnings == ()
    (warning,) = shop.read(text.format("q3", "socks")).warnings
    assert "2 of 2 queries have no case" in warning


def test_another_text_under_the_same_id_is_warned_of(shop: Shop) -> None:
    shop.write("more.csv", "query_id,query,doc_id,grade\nq1,notebook,a,1\n")
    suite = shop.read("judgments: more.csv\ncases: [{id: q1, query: laptop}]\n")
    assert suite.cases[0].judgments == {"a": 1}
    (warning,) = suite.warnings
    assert (
        'the query "q1" has the text "notebook" there, and "laptop" in its case'
        in warning
    )


def test_reading_a_suite_issues_its_warnings(rated: Shop) -> None:
    text = "judgments: qrels.txt\ncases: [{id: q1, query: a}]\n"
    path = rated.write("shop.yaml", text)
    with pytest.warns(RelevanceWarning) as caught:
        suite = read_suite(path)
    messages = [str(warning.message) for warning in caught]
    assert messages == [f"{path}: {text}" for text in suite.warnings]
    assert [warning.filename for warning in caught] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RelevanceWarning)
        assert read_suite(path).cases == suite.cases
