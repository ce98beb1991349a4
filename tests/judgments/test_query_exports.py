"""Exports of queries as search tools write them. All samples are made up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance import RelevanceWarning, read_queries
from pytest_relevance._csv_cells import csv_text
from pytest_relevance._problems import FileError
from pytest_relevance._source import Source
from pytest_relevance.judgments.exports import plain_export
from pytest_relevance.judgments.reading import load_queries, queries_in, read_query_file
from pytest_relevance.judgments.row_rules import ROW_RULES, RowRules
from tests.judgments.helpers import Files, lines, problems_of

GA4 = """\
# ----------------------------------------
# Searches in the shop-Free form 1
# Account: Shop, Inc.
# 20260901-20260930
# ----------------------------------------

Search term,Event count,Total users
,1234,900,Grand total
boots,1000,700
#ootd,150,140
sandals,84,60
"""

ADOBE = """\
#=================================================================
# Searches
# Report suite: Shop
"# Date: Sep 1, 2026 - Sep 30, 2026"
#=================================================================

##############################################
# Freeform table
##############################################
,Occurrences,Visits
Internal Search Term (v5),1300,900
boots,1000,700
sandals,84,60
"""


def notices_of(files: Files, content: object, **options: object) -> list[str]:
    """The notices about a file of queries."""
    source = Source.read(files.write(content), options=options)
    return list(read_query_file(source).notices)


# Names of columns


@pytest.mark.parametrize(
    "header",
    [
        "Top queries,Clicks,Impressions,CTR,Position",
        "Query,Clicks,Impressions,CTR,Position",
        "Häufigste Suchanfragen;Klicks;Impressionen;CTR;Position",
        "Suchanfrage,Klicks,Impressionen,CTR,Position",
        "Requêtes les plus fréquentes,Clics,Impressions,CTR,Position",
        "Consultas principales,Clics,Impresiones,CTR,Posición",
    ],
)
def test_search_console(files: Files, header: str) -> None:
    rows = ["boots,3,120,2.5%,8.1", '"boots, brown",0,40,0%,9']
    if ";" in header:
        rows = ["boots;3;1.120;0,27 %;8,1", "boots, brown;0;40;0 %;9"]
    found = files.queries("\n".join([header, *rows]))
    assert list(found) == ["boots", "boots, brown"]


def test_search_console_saved_by_excel_as_unicode_text(files: Files) -> None:
    text = "Top queries\tClicks\r\nbúty\t3\r\n"
    assert list(files.queries(text.encode("utf-16"))) == ["búty"]


@pytest.mark.parametrize("name", ["searches", "Search count", "search_volume"])
def test_a_number_of_searches_is_the_weight(files: Files, name: str) -> None:
    (query,) = files.described(f"keyword,{name}\nboots,12\n")
    assert (query.text, query.weight) == ("boots", 12)


@pytest.mark.parametrize("name", ["count", "Event count", "Impressions", "Clicks"])
def test_a_number_that_may_be_another_one_is_not(files: Files, name: str) -> None:
    source = Source.read(files.write(f"query,{name}\nboots,12\n"))
    found = read_query_file(source)
    assert [query.weight for query in found.queries] == [1]
    assert [column.name for column in found.unread] == [name]


def test_the_name_of_an_export_is_a_query_if_it_is_the_only_column(
    files: Files,
) -> None:
    path = files.write("search\nboots\n")
    assert [query.text for query in queries_in(Source.read(path), "text")] == [
        "search",
        "boots",
    ]


def test_in_judgments_it_may_be_anything(files: Files) -> None:
    judged = "query_id,search,doc_id,grade\nq1,new,b1,3\n"
    (problem,) = problems_of(load_queries, files.write(judged))
    assert "these are judgments that have only the ids of queries" in problem


# Comments, several tables


def test_google_analytics(files: Files) -> None:
    assert list(files.queries(GA4)) == ["boots", "#ootd", "sandals"]
    assert notices_of(files, GA4) == ["line 8 is left out: it has the total"]


def test_lines_keep_their_numbers(files: Files) -> None:
    assert [query.line for query in files.described(GA4)] == [9, 10, 11]
    wrong = GA4.replace("sandals,84,60", "sandals,84")
    (problem,) = problems_of(load_queries, files.write(wrong))
    assert problem.startswith("FILE:11: expected 3 columns")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_as_spreadsheets_save_it(
    files: Files, end: str, separator: str, encoding: str
) -> None:
    text = GA4.replace("Shop, Inc.", "Shop").replace(",", separator)
    found = files.queries(text.replace("\n", end).encode(encoding))
    assert list(found) == ["boots", "#ootd", "sandals"]


def test_comments_of_a_spreadsheet_are_as_wide_as_the_table(files: Files) -> None:
    wide = "# Free form 1,,\n,,\nSearch term,Event count,Users\nboots,2,1\n"
    assert list(files.queries(wide)) == ["boots"]


def test_a_line_for_excel_with_the_separator(files: Files) -> None:
    (query,) = files.described("sep=;\nquery;weight\nboots;2\n")
    assert (query.text, query.weight, query.line) == ("boots", 2, 3)


def test_a_header_may_begin_with_a_number_sign(files: Files) -> None:
    assert list(files.queries("#,query\n1,boots\n")) == ["boots"]


def test_comments_of_other_formats_stay(files: Files) -> None:
    ltr = "# qid:1: boots*2\n3 qid:1 1:0.5 # b1\n"
    (query,) = files.described(ltr)
    assert (query.text, query.weight) == ("boots", 2)


def test_a_query_a_line_may_begin_with_a_number_sign(files: Files) -> None:
    found = files.queries("#ootd\nsearch,term\n", "text")
    assert list(found) == ["#ootd", "search,term"]


def test_of_several_tables_the_one_with_queries_is_read(files: Files) -> None:
    chart = "# ----\n# Events\n# ----\n\n# Start: 20260901\nNth day,Event count\n0,12\n1,9\n\n"
    found = files.queries(f"{chart}{GA4}")
    assert list(found) == ["boots", "#ootd", "sandals"]
    assert notices_of(files, f"{chart}{GA4}") == [
        "the table in line 6 is left out: it has no queries, but Nth day and Event count",
        "line 17 is left out: it has the total",
    ]


def test_several_tables_with_queries_are_an_error(files: Files) -> None:
    (problem,) = problems_of(load_queries, files.write(f"{GA4}\n{GA4}"))
    assert problem == (
        "FILE:19: the tables in the lines 7 and 19 may all have the queries; keep one of them"
    )


def test_comments_above_a_table_without_queries(files: Files) -> None:
    breakdown = "# Freeform\n\n,,Visits\nSegments,,12\nboots,Month,12\n"
    (problem,) = problems_of(load_queries, files.write(breakdown))
    assert problem == (
        "FILE:3: the table below the comments has no column of queries; found (a blank), (a blank) and Visits. If it "
        "has one, map it: {file: ..., columns: {query: COLUMN}}"
    )


# Totals


@pytest.mark.parametrize(
    "total", ["Grand total,30", "Total,30", "totals,30", ",30", ",30,Grand total"]
)
@pytest.mark.parametrize("is_first", [True, False])
def test_a_sure_total_is_left_out(files: Files, total: str, is_first: bool) -> None:
    rows = ["boots,18", "sandals,12"]
    rows.insert(0 if is_first else 2, total)
    content = "\n".join(["# Searches", "query,Event count", *rows])
    assert list(files.queries(content)) == ["boots", "sandals"]
    line = 3 if is_first else 5
    assert notices_of(files, content) == [f"line {line} is left out: it has the total"]


def test_a_total_of_numbers_with_separators(files: Files) -> None:
    content = 'query,Clicks\nboots,"1,340"\nsandals,60\nTotal,"1,400"\n'
    assert list(files.queries(content)) == ["boots", "sandals"]


def test_what_may_be_a_total_or_a_query_is_an_error(files: Files) -> None:
    content = "query,Event count\nboots,18\nsandals,12\nGrand total,44\n"
    (problem,) = problems_of(load_queries, files.write(content))
    assert problem == (
        'FILE:4: "Grand total" may be the total of the table, or a query. If it is the total, write drop: '
        "[Grand total]. If it is a query, move the row between two others"
    )


@pytest.mark.parametrize(
    "content",
    {
        "its number is not the largest": "query,Clicks\nboots,18\ntotal,12\n",
        "it is between others": "query,Clicks\nboots,18\ntotal,30\nsandals,12\n",
        "there are no numbers": "query,note\ntotal,the brand\nboots,for men\n",
        "no row has a number": "query,Clicks\ntotal,0\nboots,0\nsandals,0\n",
        "there is one column": "query\nboots\ntotal\n",
        "the name has more words": "query,Clicks\ntotal war,30\nboots,18\nsandals,12\n",
    }.values(),
)
def test_a_query_for_a_total_is_read(files: Files, content: str) -> None:
    assert any("total" in query for query in files.queries(content))


def test_judgments_have_no_totals(files: Files) -> None:
    judged = "query,doc_id,grade\ntotal,t1,3\ntotal,t2,1\nboots,b1,2\n"
    assert list(files.queries(judged)) == ["total", "boots"]


def test_what_the_user_drops_is_no_question(files: Files) -> None:
    content = "query,Event count\nboots,18\nsandals,12\nGrand total,44\n"
    source = Source.read(
        files.write(content), options={ROW_RULES: RowRules(drop=("grand total",))}
    )
    assert plain_export(source).source.text == content


def test_a_total_that_the_user_drops_has_no_notice(files: Files) -> None:
    source = Source.read(
        files.write(GA4), options={ROW_RULES: RowRules(drop=("Grand Total",))}
    )
    found = read_query_file(source)
    assert [query.text for query in found.queries] == ["boots", "#ootd", "sandals"]
    assert list(found.notices) == []


def test_the_user_may_map_the_column_of_queries(files: Files) -> None:
    content = "# Searches\nq,Event count\nboots,18\nsandals,12\nTotal,30\n"
    source = Source.read(
        files.write(content), options={ROW_RULES: RowRules(columns=(("query", "q"),))}
    )
    plain = "\nq,Event count\nboots,18\nsandals,12\n\n"
    assert plain_export(source).source.text == plain


QUERIES = st.lists(
    st.lists(st.sampled_from([*"#,;\"'\n ab1é", "total", "grand "]))
    .map(lambda parts: "".join(parts).strip())
    .filter(bool),
    min_size=1,
    max_size=6,
    unique=True,
)


@given(QUERIES, st.lists(st.integers(0, 9), min_size=6), st.booleans())
def test_no_query_is_lost_without_a_notice(
    queries: list[str], counts: list[int], is_commented: bool
) -> None:
    rows = zip(queries, counts, strict=False)
    text = csv_text([("query", "Clicks"), *rows])
    comments = "# Searches\n# ----\n\n" if is_commented else ""
    source = Source("file", f"{comments}{text}".encode())
    try:
        found = read_query_file(source)
    except FileError as error:
        said = str(error)
    else:
        texts = [query.text for query in found.queries]
        assert len(texts) + len(found.notices) == len(queries)
        assert {*texts} <= {*queries}
        return
    assert "may be the total" in said


@pytest.mark.parametrize(
    "word",
    ["Gesamt", "Summe", "Gesamtsumme", "Total général", "Total general", "Totale", "合計", "Total: Account"],
)  # fmt: skip
@pytest.mark.parametrize("row", ["{},30", ",30,{}"])
def test_a_total_in_another_language(files: Files, word: str, row: str) -> None:
    content = "query,Clicks\nboots,18\nsandals,12\n" + row.format(word) + "\n"
    if row.startswith(","):
        content = content.replace("Clicks", "Clicks,Note").replace("18", "18,").replace("12", "12,")  # fmt: skip
    assert list(files.queries(content)) == ["boots", "sandals"]
    assert "line 4 is left out: it has the total" in notices_of(files, content)


def test_a_word_for_total_with_another_large_number_is_an_error(files: Files) -> None:
    content = "query,Clicks\nboots,18\nsandals,12\nSumme,44\n"
    (problem,) = problems_of(load_queries, files.write(content))
    assert "write drop: [Summe]" in problem


# Lines above the header


GOOGLE_ADS = """\
Search terms report
"November 1, 2026 - November 30, 2026"
Search term,Match type,Campaign,Clicks,Impr.
boots,Exact match,Winter,3,1040
total war,Broad match,Games,1,60
Total: Search terms, --, --,4,1100
Total: Account, --, --,9,5230
"""


def test_google_ads(files: Files) -> None:
    assert list(files.queries(GOOGLE_ADS)) == ["boots", "total war"]
    assert notices_of(files, GOOGLE_ADS) == [
        "the lines 1 to 2 are left out: they stand above the header",
        "line 7 is left out: it has the total",
        "line 6 is left out: it has the total",
    ]
    assert [query.line for query in files.described(GOOGLE_ADS)] == [4, 5]


def test_google_ads_in_german(files: Files) -> None:
    content = (
        "Bericht zu Suchbegriffen\n1. November 2026 – 30. November 2026\n\n"
        "Suchbegriff;Kampagne;Impr.\nstiefel;Winter;1.040\nGesamt: Konto; --;5.230\n"
    )
    assert list(files.queries(content)) == ["stiefel"]


def test_a_line_with_a_title(files: Files) -> None:
    content = "Searches of November\nquery,weight\nboots,3\n"
    (query,) = files.described(content)
    assert (query.text, query.weight, query.line) == ("boots", 3, 3)
    assert notices_of(files, content) == [
        "line 1 is left out: it stands above the header"
    ]


@pytest.mark.parametrize(
    "content",
    {
        "a line above has as many cells": "a,b\nquery,weight\nboots,3\n",
        "no row below": "Searches\nquery,weight\n",
        "the row below has another number of cells": "Searches\nquery,weight\nboots\n",
        "no column of queries": "Searches\nwhat,weight\nboots,3\n",
    }.values(),
)
def test_what_is_not_surely_a_line_above_the_header(files: Files, content: str) -> None:
    assert plain_export(Source.read(files.write(content))).source.text == content


# A first column without a name


def test_adobe_analytics(files: Files) -> None:
    assert list(files.queries(ADOBE)) == ["boots", "sandals"]
    assert notices_of(files, ADOBE) == ["line 11 is left out: it has the total"]


@pytest.mark.parametrize("second", [",All,Mobile", ",,Mobile 2"])
def test_a_header_of_two_lines(files: Files, second: str) -> None:
    content = ADOBE.replace(",Occurrences,Visits\n", f",Visits,Visits\n{second}\n")
    assert list(files.queries(content)) == ["boots", "sandals"]
    assert notices_of(files, content) == [
        "line 11 is left out: it continues the header",
        "line 12 is left out: it has the total",
    ]


@pytest.mark.parametrize("first", ["Onsite (custom),1300,900", "Search term,12,3"])
def test_a_first_row_that_may_be_a_query_is_an_error(files: Files, first: str) -> None:
    content = ADOBE.replace("Internal Search Term (v5),1300,900", first)
    (problem,) = problems_of(load_queries, files.write(content))
    name = first.partition(",")[0]
    assert problem == (
        f'FILE:11: "{name}" may be the total of the table, or a query. If it is the total, write drop: [{name}]. '
        "If it is a query, write query before the header in line 10"
    )


def test_a_first_column_that_the_user_names(files: Files) -> None:
    content = ADOBE.replace(",Occurrences", "query,Occurrences")
    content = content.replace("Internal Search Term (v5),1300,900\n", "")
    assert list(files.queries(content)) == ["boots", "sandals"]


def test_without_comments_it_has_the_numbers_of_rows(files: Files) -> None:
    assert list(files.queries(",query\n0,boots\n1,sandals\n")) == ["boots", "sandals"]
    (problem,) = problems_of(load_queries, files.write(",Clicks\nboots,3\n"))
    assert problem.startswith("FILE:1: a file of queries has a header with query")


# JSON


ALGOLIA = {
    "searches": [
        {"search": "boots", "count": 12, "nbHits": 20},
        {"search": "sandals", "count": 3, "nbHits": 0},
    ]
}


def test_algolia(files: Files) -> None:
    assert list(files.queries(ALGOLIA)) == ["boots", "sandals"]
    assert list(files.queries(ALGOLIA["searches"])) == ["boots", "sandals"]
    assert list(files.queries("search,count,nbHits\nboots,12,20\n")) == ["boots"]


def test_the_place_of_a_row_is_its_path(files: Files) -> None:
    wrong = {"searches": [{"search": "boots"}, {"search": ["sandals"]}]}
    (problem,) = problems_of(load_queries, files.write(wrong))
    assert problem.startswith('FILE: searches[1]: "search" is text or a number')


@pytest.mark.parametrize("content", [{"searches": []}, {"searches": ["boots"]}])
def test_other_lists_called_searches_are_errors(files: Files, content: object) -> None:
    with pytest.raises(FileError):
        files.queries(content)


def test_a_query_called_searches(files: Files) -> None:
    judged = {"searches": [{"doc_id": "a", "grade": 3}], "boots": {"b": 1}}
    assert list(files.queries(judged)) == ["searches", "boots"]


def test_splunk_in_csv(files: Files) -> None:
    assert list(files.queries('"query","count"\n"boots","12"\n')) == ["boots"]


SPLUNK = [
    {"preview": False, "offset": 0, "result": {"query": "boots", "count": "12"}},
    {"preview": False, "lastrow": True, "result": {"query": "sandals", "count": "3"}},
]


@pytest.mark.parametrize(
    "content",
    {
        "lines": lines(*SPLUNK),
        "a list": SPLUNK,
        "under results": {
            "preview": False,
            "fields": [{"name": "query"}, {"name": "count"}],
            "results": [entry["result"] for entry in SPLUNK],
        },
    }.values(),
)
def test_splunk_in_json(files: Files, content: object) -> None:
    assert list(files.queries(content)) == ["boots", "sandals"]


def test_one_result_of_splunk(files: Files) -> None:
    assert list(files.queries(SPLUNK[0])) == ["boots"]


def test_previews_of_splunk_are_left_out(files: Files) -> None:
    preview = {"preview": True, "result": {"query": "boot", "count": "1"}}
    content = lines(preview, *SPLUNK, {"preview": False, "lastrow": True})
    assert [query.line for query in files.described(content)] == [2, 3]
    assert notices_of(files, content) == ["1 preview of Splunk left out"]


@pytest.mark.parametrize(
    "content",
    [
        lines({"preview": True, "result": {"query": "boot"}}, {"preview": False}),
        {"preview": True, "results": [{"query": "boot"}]},
        {"preview": False, "results": []},
        {"preview": False, "fields": ["query"], "rows": [["boots"]]},
    ],
)
def test_splunk_without_results_is_an_error(files: Files, content: object) -> None:
    (problem,) = problems_of(load_queries, files.write(content))
    assert problem == (
        "FILE: the file has no results of Splunk as objects; export a finished search as CSV or JSON (output_mode=json)"
    )


def test_a_query_called_preview(files: Files) -> None:
    assert files.queries({"preview": "boots"}) == {"preview": "boots"}


# Search Relevance Workbench, Quepid


def test_a_query_set_for_upload(files: Files) -> None:
    """Lines of JSON, as the Search Relevance Workbench of OpenSearch takes them."""
    content = lines(
        {"queryText": "boots", "referenceAnswer": "Winter boots"},
        {"queryText": "sandals"},
    )
    found = [(query.text, query.note) for query in files.described(content)]
    assert found == [("boots", "Winter boots"), ("sandals", None)]


def test_quepid(files: Files) -> None:
    detailed = (
        "Team Name,Case Name,Case ID,Query Text,Doc ID,Doc Position,Title,Rating\n"
        "Shop,Winter,12,boots,b1,1,Boots,3\n"
        "Shop,Winter,12,boots,b2,2,Laces,\n"
        "Shop,Winter,12,sandals,,,,\n"
    )
    assert list(files.queries(detailed)) == ["boots", "sandals"]
    assert list(files.queries("query,docid,rating\nboots,b1,3\nsandals,,\n")) == [
        "boots",
        "sandals",
    ]


def test_python_is_warned_of_rows_that_stand_for_no_query(files: Files) -> None:
    path = files.write("query,searches\n(not set),12\nboots,8\n")
    with pytest.warns(RelevanceWarning) as caught:
        found = read_queries(path, drop="(other)")
    assert list(found) == ["(not set)", "boots"]
    said = [str(warning.message) for warning in caught]
    assert said[0].startswith("drop: no row of ")
    assert said[1].endswith('Leave it out: drop: ["(not set)"]')
