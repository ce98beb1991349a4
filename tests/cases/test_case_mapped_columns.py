"""Columns of a file of queries that the case file maps: keys of a case, parameters of
the search, merged rows, numbers with separators, rows that are no queries.
"""

import json

import pytest

from tests.cases.conftest import Shop

LOG = """\
q,qid,volume,segment,floor,lang
red shoes,1,"1,340",head,0.5,de
hats,2,12,"tail,mobile",,
Grand total,,"1,352",,,
"""
CASE_FILE = """\
queries:
  file: log.csv
  columns: {query: q, id: qid, weight: volume, tags: segment, min_ndcg: floor}
  params: {locale: lang}
  thousands: ","
  drop: [Grand total]
judgments: judged.csv
min_ndcg: 0.2
tags: [shop]
"""
JUDGED = "query,doc_id,grade\nred shoes,a,1\nhats,b,1\n"


@pytest.fixture
def log(shop: Shop) -> Shop:
    """An export of a log, and judgments of its queries."""
    shop.write("log.csv", LOG)
    shop.write("judged.csv", JUDGED)
    return shop


def test_columns_of_a_log(log: Shop) -> None:
    suite = log.read(CASE_FILE)
    shoes, hats = suite.cases
    assert (shoes.id, shoes.query, shoes.weight) == ("1", "red shoes", 1340)
    assert shoes.tags == ("shop", "head")
    assert (shoes.min_ndcg, shoes.params, shoes.line) == (0.5, {"locale": "de"}, 2)
    assert (hats.tags, hats.weight) == (("shop", "tail", "mobile"), 12)
    assert suite.warnings == ()


def test_a_blank_cell_sets_nothing(log: Shop) -> None:
    hats = log.cases(CASE_FILE)["2"]
    assert (hats.min_ndcg, hats.params) == (0.2, {})


def test_a_written_case_replaces_keys_of_the_file_and_adds_tags(log: Shop) -> None:
    case = "{query: red shoes, min_ndcg: 0.9, tags: [new], params: {size: 5}}"
    shoes = log.cases(f"{CASE_FILE}cases: [{case}]")["1"]
    assert (shoes.min_ndcg, shoes.weight) == (0.9, 1340)
    assert shoes.tags == ("shop", "head", "new")
    assert shoes.params == {"locale": "de", "size": 5}


@pytest.mark.parametrize(
    ("key", "cell", "value"),
    [
        ("note", "of leather", "of leather"),
        ("search", "slow_search", "slow_search"),
        ("skip", "not sold", "not sold"),
        ("k", "5", 5),
        ("weight", "0.5", 0.5),
        ("tags", '"a, b"', ("a", "b")),
        ("usefixtures", "index", ("index",)),
    ],
)
def test_a_column_for_each_kind_of_key(
    shop: Shop, key: str, cell: str, value: object
) -> None:
    shop.write("log.csv", f"q,c\nboots,{cell}\n")
    case = shop.cases(f"queries: {{file: log.csv, columns: {{query: q, {key}: c}}}}")
    assert getattr(case["boots"], key) == value


def test_json_keeps_types_and_has_paths(shop: Shop) -> None:
    row = {
        "inputs": {"question": "boots", "k": 5},
        "meta": {"tags": ["a", "b"], "size": 3, "new": True, "lang": None},
    }
    shop.write("log.jsonl", f"{json.dumps(row)}\n" * 2)
    (case,) = shop.read("""
        queries:
          file: log.jsonl
          columns: {query: inputs.question, k: inputs.k, tags: meta.tags}
          params: {size: meta.size, new: meta.new}
    """).cases
    assert (case.query, case.k, case.tags) == ("boots", 5, ("a", "b"))
    assert case.params == {"size": 3, "new": True}


def test_parquet_keeps_types(shop: Shop) -> None:
    pandas = pytest.importorskip("pandas")
    rows = {"q": ["boots", "hats"], "size": [3, 4], "segment": [["a"], []]}
    pandas.DataFrame(rows).to_parquet(shop.folder / "log.parquet")
    columns = "columns: {query: q, tags: segment}, params: {size: size}"
    cases = shop.cases(f"queries: {{file: log.parquet, {columns}}}")
    assert cases["boots (size=3)"].params == {"size": 3}
    assert cases["boots (size=3)"].tags == ("a",)


def test_in_a_csv_a_parameter_is_text(shop: Shop) -> None:
    shop.write("log.csv", "query,size\nboots,3\n")
    (case,) = shop.read("queries: {file: log.csv, params: {size: size}}").cases
    assert case.params == {"size": "3"}


def test_a_query_without_an_id_is_named_by_its_params(shop: Shop) -> None:
    shop.write("log.csv", "query,lang\nboots,de\nboots,fr\nboots,\n")
    cases = shop.cases("queries: {file: log.csv, params: {locale: lang}}")
    assert list(cases) == ["boots (locale=de)", "boots (locale=fr)", "boots"]


def test_a_usual_column_that_is_not_read(shop: Shop) -> None:
    shop.write("log.csv", "id,query,weight\n7,boots,300 g\n")
    columns = "{id: null, weight: null}"
    suite = shop.read(f"queries: {{file: log.csv, columns: {columns}}}")
    assert [(case.id, case.weight) for case in suite.cases] == [("boots", 1)]
    assert suite.warnings == ()


def test_a_table_of_judgments_has_the_keys_of_its_queries(shop: Shop) -> None:
    rows = "boots,a,1,head\nboots,b,0,head\n"
    shop.write("judged.csv", f"query,doc_id,grade,segment\n{rows}")
    suite = (
        "queries: {file: judged.csv, columns: {tags: segment}}\njudgments: judged.csv"
    )
    assert shop.cases(suite)["boots"].tags == ("head",)


# Merged rows

MERGED = "{file: log.csv, columns: {query: q, weight: v, tags: t}, merge: true}"


def test_rows_of_one_query_are_merged(shop: Shop) -> None:
    """The spelling with the most weight stays."""
    shop.write(
        "log.csv", "q,v,t\n Red  shoes,3,a\nred shoes,4,b\nhats,2,\nRED SHOES,5,\n"
    )
    suite = shop.read(f"queries: {MERGED}")
    shoes, hats = suite.cases
    assert (shoes.query, shoes.weight, shoes.tags) == ("RED SHOES", 12, ("a", "b"))
    assert (hats.query, hats.weight, suite.warnings) == ("hats", 2, ())


def test_rows_with_other_params_are_not_merged(shop: Shop) -> None:
    shop.write("log.csv", "query,lang,day\nboots,de,1\nBoots,de,2\nboots,fr,1\n")
    queries = "{file: log.csv, params: {locale: lang}, merge: true}"
    cases = shop.cases(f"queries: {queries}")
    weights = {name: case.weight for name, case in cases.items()}
    assert weights == {"boots (locale=de)": 2, "boots (locale=fr)": 1}


def test_lines_of_a_log_are_counted(shop: Shop) -> None:
    shop.write("log.txt", "boots\nhats\nBoots\n")
    cases = shop.cases("queries: {file: log.txt, format: text, merge: true}")
    assert {name: case.weight for name, case in cases.items()} == {
        "boots": 2,
        "hats": 1,
    }


def test_without_merge_queries_that_differ_in_case_are_named(shop: Shop) -> None:
    shop.write("log.csv", "query\nboots\nBoots\nhats\n boots\n")
    suite = shop.read("queries: log.csv")
    assert len(suite.cases) == 4
    assert suite.warnings == (
        'log.csv: 3 queries differ only in case or white space: "boots", "Boots" and " boots"; merge: true makes '
        "one of them and adds their weights",
    )


@pytest.mark.parametrize(
    ("column", "rows", "says"),
    [
        ("min_ndcg", "boots,0.5\nBoots,0.6\n", "min_ndcg is 0.5 in line 2 and 0.6 here; write one value in both"),
        ("id", "boots,1\nBoots,2\n", 'id is the text "1" in line 2 and the text "2" here; write one id in both'),
        ("note", "boots,a\nBoots,b\n", 'note is the text "a" in line 2 and the text "b" here; write one value'),
        ("weight", "hats,1\nboots,0\n", 'the weights of the query "boots" add up to 0; a weight is above 0'),
        ("weight", "hats,1\nboots,-3\n", 'a weight is a number above 0, found the text "-3"'),
        ("id", "hats,\nboots,1\nBoots,\ncaps,1\n", 'the query id "1" is that of another query in line 3'),
    ],
)  # fmt: skip
def test_rows_that_cannot_be_merged(
    shop: Shop, column: str, rows: str, says: str
) -> None:
    shop.write("log.csv", f"q,c\n{rows}")
    columns = f"columns: {{query: q, {column}: c}}"
    found = shop.mistakes(f"queries: {{file: log.csv, {columns}, merge: true}}")
    assert says in found[0]
    line = 2 + rows[: rows.rindex("\n")].count("\n")
    assert found[0].startswith(f"log.csv:{line}: ")


# Rows that are no queries


def test_rows_without_a_query_are_counted(shop: Shop) -> None:
    shop.write("log.csv", "q,v\nboots,1\n,5\n  ,6\n")
    suite = shop.read("queries: {file: log.csv, columns: {query: q, weight: v}}")
    assert [case.id for case in suite.cases] == ["boots"]
    assert suite.warnings == (
        "log.csv: 2 rows have no query and are left out: line 3 and line 4",
    )


def test_a_row_with_an_id_and_without_a_query_is_a_mistake(shop: Shop) -> None:
    shop.write("log.csv", "id,query\n1,boots\n2,\n")
    assert shop.mistakes("queries: log.csv") == ["log.csv:3: the query has no text"]


def test_dropped_rows_are_not_read(shop: Shop) -> None:
    shop.write("log.csv", "query,weight\nboots,1\n(NOT set),x\n")
    suite = shop.read("queries: {file: log.csv, drop: [(not set)]}")
    assert [case.id for case in suite.cases] == ["boots"]
    assert suite.warnings == ()


def test_a_text_to_drop_that_no_row_has(shop: Shop) -> None:
    shop.write("log.csv", "query,searches\nboots,8\nall searches,12\nhats,5\n")
    suite = shop.read(
        """
        expect: {results: ">= 1"}
        queries:
          file: log.csv
          columns: {weight: searches}
          drop: [All search, sandals]
        """
    )
    assert suite.warnings == (
        'queries.drop in line 6: no row of log.csv has the query "All search"; did you mean "all searches"?',
        'queries.drop in line 6: no row of log.csv has the query "sandals"',
    )


def test_a_total_of_an_export_is_a_row_to_drop(shop: Shop) -> None:
    """The row is left out before the rows are read as queries."""
    shop.write("log.csv", "query,searches\nboots,8\nhats,5\nTotal,13\n")
    suite = shop.read("queries: {file: log.csv, drop: total}")
    assert [case.id for case in suite.cases] == ["boots", "hats"]
    assert suite.warnings == ()


PLACEHOLDERS = "query,searches\n(not set),12\nboots,8\n(Other),5\nother,2\n"


def test_rows_that_stand_for_no_query_are_named(shop: Shop) -> None:
    shop.write("log.csv", PLACEHOLDERS)
    suite = shop.read("queries: log.csv")
    assert len(suite.cases) == 4
    assert suite.warnings == (
        'log.csv: "(not set)" (line 2) and "(Other)" (line 4) are read as queries, but analytics tools write them if '
        'they have no query. Leave them out: drop: ["(not set)", "(Other)"]. Or keep a query without this warning: '
        'cases: [{query: "(not set)", judgments: {}}]',
    )


@pytest.mark.parametrize(
    ("more", "queries"),
    [
        ('drop: ["(not set)", "(Other)"]}', ["boots", "other"]),
        ("only: judged}\njudgments: judged.csv", ["boots"]),
    ],
)
def test_no_warning_names_rows_that_are_left_out(
    shop: Shop, more: str, queries: list[str]
) -> None:
    shop.write("log.csv", PLACEHOLDERS)
    shop.write("judged.csv", "query,doc_id,grade\nboots,b,1\n")
    suite = shop.read(f"queries: {{file: log.csv, {more}")
    assert [case.id for case in suite.cases] == queries
    assert suite.warnings == ()


def test_a_written_case_keeps_a_row_that_stands_for_no_query(shop: Shop) -> None:
    shop.write("log.csv", PLACEHOLDERS)
    shop.write("judged.csv", "query,doc_id,grade\nboots,b,1\n")
    suite = shop.read(
        """
        queries: {file: log.csv, drop: (other)}
        judgments: judged.csv
        min_ndcg: 0.5
        cases: [{query: "(not set)", judgments: {}, min_ndcg: null}]
        """
    )
    assert [case.id for case in suite.cases] == ["(not set)", "boots", "other"]
    assert suite.warnings == ()


def test_judgments_have_no_rows_to_drop(shop: Shop) -> None:
    shop.write("judged.csv", "query,doc_id,grade\nboots,b,1\nTotal,c,1\n")
    (found,) = shop.mistakes("queries: {file: judged.csv, drop: Total}")
    assert "drop is for files of queries alone, and this is a table of judgments" in found  # fmt: skip


# Numbers


@pytest.mark.parametrize(
    ("thousands", "cell", "weight"),
    [
        (",", '"1,340"', 1340),
        (",", '"1,340.5"', 1340.5),
        (".", "1.340", 1340),
        (".", '"1.234.567,5"', 1234567.5),
        (".", '"0,5"', 0.5),
        (" ", "1 340", 1340),
        (" ", "1\u00a0340", 1340),
        (" ", '"1\u202f340,5"', 1340.5),
        ("'", "1\u2019340", 1340),
        ("", "1.340", 1.34),
        (",", "12", 12),
        (",", "1e3", 1000),
    ],
)
def test_numbers_with_separators(
    shop: Shop, thousands: str, cell: str, weight: float
) -> None:
    shop.write("log.csv", f"query,weight\nboots,{cell}\n")
    (case,) = shop.read(f'queries: {{file: log.csv, thousands: "{thousands}"}}').cases
    assert case.weight == weight


@pytest.mark.parametrize(
    ("options", "cell", "says"),
    [
        ("", '"1,340"', '; thousands: "," reads it as 1340, and thousands: "." as 1.340'),
        ("", '"1.234,5"', '; thousands: "." reads it as 1234.5'),
        ("", "1 340", '; thousands: " " reads it as 1340'),
        ("", "12%", "; it has a percent sign; write the number alone: 12, or 0.12"),
        ("", "1_000", 'found the text "1_000"'),
        ("", "0", 'found the text "0"'),
        (', thousands: ","', '"1,34"', '; beside thousands: "," the decimal mark is .'),
        (', thousands: "."', "0.5", '; beside thousands: "." the decimal mark is ,'),
        (', thousands: ","', '"13,40,000"', '; beside thousands: "," the decimal mark is .'),
    ],
)  # fmt: skip
def test_texts_that_are_no_numbers(
    shop: Shop, options: str, cell: str, says: str
) -> None:
    shop.write("log.csv", f"query,weight\nboots,{cell}\n")
    (found,) = shop.mistakes(f"queries: {{file: log.csv{options}}}")
    assert found.startswith("log.csv:2: a weight is a number above 0, found the text ")
    assert found.endswith(says)


@pytest.mark.parametrize(
    ("queries", "rows", "begins", "lines"),
    [
        ("", ['q{0},"{0},340"'], 'log.csv:2: a weight is a number above 0, found the text "1,340"; thousands:', "2, 3, 4"),
        ("", ["q{0},-{0}"], 'log.csv:2: a weight is a number above 0, found the text "-1"', "2, 3, 4"),
        ("", ["q{0},1", "q{0},2"], 'log.csv:3: the query "q1" has the weight "1" in line 2', "3, 5, 7"),
        ("columns: {min_ndcg: weight}", ["q{0},a"], "log.csv:2: expected a number in the column", "2, 3, 4"),
        ("columns: {min_ndcg: weight}", ["q{0},1{0}"], "log.csv:2: min_ndcg: expected a number from 0 to 1", "2, 3, 4"),
        ("columns: {note: weight}, merge: true", ["q{0},a", "Q{0},b"], 'log.csv:3: the rows of the query "Q1"', "3, 5, 7"),
        ("columns: {id: weight}", ["q{0},{0}", "r{0},{0}"], 'log.csv:3: the query id "1" stands for "q1"', "3, 5, 7"),
        ("sample: {n: 5, by: weight}", ["q{0},-{0}"], "log.csv:2: the size of a query, in the column weight", "2, 3, 4"),
    ],
)  # fmt: skip
def test_a_mistake_in_many_rows_is_one_line_with_their_count(
    shop: Shop, queries: str, rows: list[str], begins: str, lines: str
) -> None:
    text = "".join(row.format(number) + "\n" for number in range(1, 61) for row in rows)
    shop.write("log.csv", f"query,weight\n{text}")
    (found,) = shop.mistakes(f"queries: {{file: log.csv, {queries}}}")
    assert found.startswith(begins)
    assert found.endswith(f"; 60 rows have this mistake: lines {lines} and 57 more")


def test_many_rows_that_need_merge_are_one_line(shop: Shop) -> None:
    rows = [f"q{number},mon\nq{number},tue\n" for number in range(1, 61)]
    shop.write("log.csv", "query,day\n" + "".join(rows))
    (found,) = shop.mistakes("queries: log.csv")
    assert found.startswith('log.csv:3: the query "q1" stands in line 2 too.')
    assert found.endswith("; 60 rows have this mistake: lines 3, 5, 7 and 57 more")


def test_a_mistake_in_three_rows_is_shown_for_each(shop: Shop) -> None:
    shop.write("log.csv", "query,weight\n" + 'a,"1,340"\nb,"2,340"\nc,"3,340"\nd,x\n')
    found = shop.mistakes("queries: log.csv")
    assert [line[:9] for line in found] == ["log.csv:2", "log.csv:3", "log.csv:4", "log.csv:5"]  # fmt: skip


def test_another_mistake_in_the_same_column_is_a_line_of_its_own(shop: Shop) -> None:
    rows = "".join(f'q{number},"{number},340"\n' for number in range(1, 61))
    shop.write("log.csv", f"query,weight\n{rows}boots,many\n")
    first, second = shop.mistakes("queries: log.csv")
    assert "60 rows have this mistake" in first
    assert second.startswith("log.csv:62: a weight is a number above 0, found the text \"many\"")  # fmt: skip


def test_of_very_many_rows_at_least_a_thousand_are_counted(shop: Shop) -> None:
    rows = "".join(f'q{number},"1,340"\n' for number in range(1, 1201))
    shop.write("log.csv", f"query,weight\n{rows}")
    (found,) = shop.mistakes("queries: log.csv")
    assert "at least 1,000 rows have this mistake" in found


def test_numbers_that_may_have_thousands(shop: Shop) -> None:
    shop.write("log.csv", "query,weight\nhats,12\nboots,1.340\n")
    assert shop.mistakes("queries: log.csv") == [
        "log.csv:3: the column of weight has 1.340, and all numbers with a dot in "
        'this column have three digits after the dot; write thousands: "." if it '
        'is 1340, or thousands: "" if the dot is a decimal point'
    ]
    shop.write("log.csv", "query,weight\nhats,0.5\nboots,1.340\n")
    assert shop.cases("queries: log.csv")["boots"].weight == 1.34
    shop.write("log.json", '[{"query": "boots", "weight": 1.340}]')
    assert shop.cases("queries: log.json")["boots"].weight == 1.34


# Mistakes in cells and in columns


@pytest.mark.parametrize(
    ("key", "cell", "says"),
    [
        ("min_ndcg", "1.5", 'min_ndcg: expected a number from 0 to 1, or null to take an inherited floor away, found 1.5'),
        ("min_ndcg", "50%", 'expected a number in the column "c", found the text "50%"; it has a percent sign'),
        ("k", "2.5", "k: expected a whole number from 1 to 1,000,000, found 2.5"),
        ("tags", "long tail", 'tags[0]: the tag "long tail" may have letters, digits and . + - _ only'),
        ("tags", '"a,a"', 'tags[1]: "a" stands twice; keep one of them'),
        ("xfail", "true", "xfail: xfail takes the reason as text, found the text "),
    ],
)  # fmt: skip
def test_a_mistake_in_a_cell_is_in_its_line(
    shop: Shop, key: str, cell: str, says: str
) -> None:
    shop.write("log.csv", f"q,c\nhats,\nboots,{cell}\n")
    columns = f"columns: {{query: q, {key}: c}}"
    (found,) = shop.mistakes(f"queries: {{file: log.csv, {columns}}}")
    assert found.startswith(f"log.csv:3: {says}")


def test_a_floor_of_a_query_without_judgments(log: Shop) -> None:
    log.write("judged.csv", "query,doc_id,grade\nhats,b,1\n")
    (found,) = log.mistakes(CASE_FILE)
    assert found.startswith("log.csv:2: min_ndcg: a floor needs judgments, and the")


def test_a_floor_of_the_suite_that_no_listed_query_has(shop: Shop) -> None:
    shop.write("log.csv", "q,floor\nboots,\nhats,0.5\n")
    shop.write("judged.csv", JUDGED)
    columns = "columns: {query: q, min_ndcg: floor}"
    assert shop.mistakes(
        f"queries: {{file: log.csv, {columns}}}\njudgments: judged.csv\nmin_ndcg: 0.2"
    ) == [
        "shop.yaml:3:11: min_ndcg: the floor applies to no case: 1 listed query without a floor of its own "
        "has no judgments; judge a query, or take the floor out"
    ]


@pytest.mark.parametrize(
    ("options", "says"),
    {
        "columns: {query: querry}": 'log.csv:1: columns.query: there is no column "querry"; the columns are query, v,',
        "params: {l: lang}": 'log.csv:1: params.l: there is no column "lang"; the columns are query,',
        "columns: {weight: V_2}": 'log.csv:1: columns.weight: 2 columns may be "V_2": "V2" and "v2"; give each',
        "columns: {tags: blank}": 'log.csv:1: the column "blank", which columns.tags names, has no value in any row',
        "columns: {weight: v, k: v}": 'queries.columns.k: the column "v" is already weight; a column has one key of',
        "columns: {tgas: v}": 'depth, tolerance, tags or usefixtures, not "tgas"; did you mean "tags"?',
        "columns: {judgments: v}": '"judgments" is not read by columns; what queries need is named beside file: document:',
        "columns: {params: v}": "params stands beside columns: params: {parameter: column}",
        "columns: {tags: 3}": "queries.columns.tags: expected the name of a column, found 3; put a name that is a",
        "columns: {tags: null}": "queries.columns.tags: expected the name of a column, found nothing",
        "columns: [v]": "expected key: column, for example {query: q, weight: volume}, found the list",
        "params: {k: v}": "params may not have k: the plugin gives k to search()",
        "params: v": "expected parameter: column, for example {locale: lang}, found the text",
        "merge: yes": "queries.merge: expected true or false, found the text",
        "thousands: x": """queries.thousands: expected ",", ".", "'" or " " between the thousands of a number, or "" for""",
        "drop: {a: b}": "queries.drop: expected a text or a list of texts, found the mapping",
        "query: v, merge: true": (
            "with merge, write the column of the queries under columns: columns: "
            "{query: v}"
        ),
        "passage: v, columns: {tags: v}": "columns is for files of queries alone, and passage is for golden sets; take",
        "format: text, columns: {tags: v}": "columns= is for tables and JSON objects of queries alone, and this is text",
    }.items(),
)  # fmt: skip
def test_mistakes_in_the_options_of_a_file(shop: Shop, options: str, says: str) -> None:
    shop.write("log.csv", "query,v,V2,v2,blank\nboots,1,2,3,\n")
    (found,) = shop.mistakes(f"queries: {{file: log.csv, {options}}}")
    assert says in found


@pytest.mark.parametrize(
    ("name", "content", "options", "says"),
    [
        ("q.csv", "query,doc_id,grade\nboots,a,1\n", "merge: true", "and this is a table of judgments, with a row for"),
        ("q.csv", "question,passage\nwho,me\n", "merge: true", "merge is for files of queries alone, and this is a"),
        ("q.json", '[{"query": "boots", "ratings": {"a": 1}}]', "merge: true", "merge is for objects that are rows of"),
        ("q.json", '["boots"]', 'thousands: ","', "thousands is for a table with columns, and this file has none"),
        (
            "q.json",
            '[{"query": "a", "params": {"l": "de"}, "x": "fr"}]',
            "params: {l: x}",
            'the parameter l is the text "de" in',
        ),
        (
            "q.json",
            '[{"inputs": {"question": "a"}}]',
            "columns: {query: inputs.q}",
            'there is no "inputs.q", which columns.query names',
        ),
        (
            "q.json",
            '[{"query": "a", "tags": {"a": 1}}]',
            "columns: {tags: tags}",
            'expected text in the column "tags", found',
        ),
    ],
)  # fmt: skip
def test_files_that_have_no_such_columns(
    shop: Shop, name: str, content: str, options: str, says: str
) -> None:
    shop.write(name, content)
    (found,) = shop.mistakes(f"queries: {{file: {name}, {options}}}")
    assert says in found
