"""Golden sets of ragas, DeepEval and LlamaIndex, and files whose columns are named."""

import csv
import io
from collections.abc import Mapping
from typing import Any

import pytest

from pytest_relevance.judgments.model import Judgments
from tests.judgments.helpers import Files, lines


def table(*rows: Mapping[str, object]) -> str:
    """A CSV as `csv.DictWriter` and pandas write it: lists as Python has them."""
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=[*rows[0]])
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def contexts(judgments: Judgments) -> dict[str, list[str]]:
    """The contexts by query."""
    assert judgments.documents_are == "contexts"
    return {query: [*texts] for query, texts in judgments.items()}


def quotes(judgments: Judgments) -> dict[str, list[str]]:
    """The quotes by query."""
    assert judgments.documents_are == "quotes"
    return {query: [*texts] for query, texts in judgments.items()}


# ragas

SINGLE = {
    "user_input": "how long can I return it",
    "reference_contexts": ['Within 30 days.\nBring the "receipt", please.'],
    "reference": "30 days",
    "synthesizer_name": "single_hop_specific_query_synthesizer",
}
MULTI = {
    "user_input": "what if it's late",
    "reference_contexts": ["<1-hop>\n\nIt's free, too.", "<2-hop>\n\nLate parcels."],
    "reference": "nothing",
    "synthesizer_name": "multi_hop",
}
OF_RAGAS = {
    "how long can I return it": ['Within 30 days.\nBring the "receipt", please.'],
    "what if it's late": ["It's free, too.", "Late parcels."],
}


@pytest.mark.parametrize(
    "content", [table(SINGLE, MULTI), lines(SINGLE, MULTI), [SINGLE, MULTI]]
)
def test_a_test_set_of_ragas(files: Files, content: object) -> None:
    path = files.write(content)
    judgments = files.judgments(path)
    assert contexts(judgments) == OF_RAGAS
    assert judgments.format == "ragas"
    assert [query.text for query in files.described(path)] == [*OF_RAGAS]


def test_a_test_set_in_parquet(files: Files) -> None:
    pytest.importorskip("pyarrow")
    from pyarrow import Table, parquet

    buffer = io.BytesIO()
    parquet.write_table(Table.from_pylist([SINGLE, MULTI]), buffer)
    assert contexts(files.judgments(buffer.getvalue())) == OF_RAGAS


def test_a_list_that_numpy_wrote(files: Files) -> None:
    """Python would read it as one text."""
    cell = "['Late parcels.'\n 'It is free.']"
    problem = files.problem(table({"user_input": "late", "reference_contexts": cell}))
    assert problem.startswith(
        'FILE:2: "reference_contexts": the entries of this list have no commas'
    )
    assert "datasets: to_json(PATH)" in problem


def test_columns_as_pandas_writes_objects(files: Files) -> None:
    content = {"user_input": {"0": "a"}, "reference_contexts": {"0": ["b"]}}
    problem = files.problem(content)
    assert "found an object by row or key; if pandas wrote it, write" in problem


def test_a_query_without_contexts_is_named(files: Files) -> None:
    returned = {"user_input": "b", "retrieved_contexts": ["x"]}
    path = files.write(lines(SINGLE, returned, {"user_input": "c"}))
    judgments = files.judgments(path)
    assert judgments.unrated == ["b", "c"]
    (notice,) = judgments.notices
    assert notice == (
        "2 queries have nothing that a search should find, so nothing is judged: "
        'line 2 ("b"): it has no reference_contexts; retrieved_contexts are what a search returned; '
        'line 3 ("c"): it has no reference_contexts'
    )


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({**SINGLE, "user_input": " "}, 'the row has no "user_input", the query; '),
        ({**SINGLE, "user_input": ["hi"]}, "a conversation of several turns is not a "),
        ({**SINGLE, "reference_contexts": []}, "no query of the file has anything "),
        ({**SINGLE, "reference_contexts": ["--"]}, "no query of the file has anyth"),
        ({**SINGLE, "reference_contexts": [[1]]}, "an entry of this list is the list "),
        ({**SINGLE, "reference_context_ids": ["m-1"]}, "has both contexts and ids of "),
        ({"user_input": "a", "retrieved_contexts": ["b"]}, "has no reference_contexts"),
    ],
)
def test_a_test_set_that_cannot_be_read(
    files: Files, row: dict[str, object], says: str
) -> None:
    assert says in files.problem([row])


def test_ids_of_contexts(files: Files) -> None:
    row = {"user_input": "late", "reference_context_ids": ["m-1", 7]}
    judgments = files.judgments([row])
    assert judgments == {"late": {"m-1": 1, "7": 1}}
    assert judgments.documents_are == "ids"


def test_contexts_of_older_versions(files: Files) -> None:
    generated = {"question": "late", "contexts": ["x"], "evolution_type": "simple"}
    oldest = {"question": "late", "ground_truth_context": ["x"], "ground_truth": "y"}
    for row in (generated, oldest):
        assert contexts(files.judgments([row])) == {"late": ["x"]}


@pytest.mark.parametrize(
    "more", [{}, {"ground_truth": "y"}, {"answer": "y", "evolution_type": "simple"}]
)
def test_contexts_that_a_search_may_have_returned(
    files: Files, more: dict[str, str]
) -> None:
    path = files.write([{"question": "late", "contexts": ["x"], **more}])
    problem = files.problem(path)
    assert problem.endswith("write {file: ..., query: question, context: contexts}")
    judgments = files.judgments(path, query="question", context="contexts")
    assert contexts(judgments) == {"late": ["x"]}


# DeepEval

GOLDEN = {
    "input": "late",
    "actual_output": None,
    "expected_output": "free",
    "retrieval_context": ["old terms"],
    "context": ["It is free.", "| a | b |\n|---|---|"],
}


def test_goldens_in_both_spellings(files: Files) -> None:
    camel = {**GOLDEN, "expectedOutput": "free", "retrievalContext": ["old terms"]}
    for name in ("actual_output", "expected_output", "retrieval_context"):
        del camel[name]
    for content in ([GOLDEN], lines(GOLDEN), {"goldens": [GOLDEN]}, [camel]):
        judgments = files.judgments(content)
        assert contexts(judgments) == {"late": GOLDEN["context"]}
        assert judgments.format == "deepeval"


@pytest.mark.parametrize("write", [table, lines])
def test_contexts_joined_by_bars(files: Files, write: Any) -> None:
    row = {**GOLDEN, "context": "It is free.|Within 30 days."}
    judgments = files.judgments(write(row))
    assert contexts(judgments) == {"late": ["It is free.", "Within 30 days."]}
    (notice,) = judgments.notices
    assert notice.startswith("the context of 1 row is split at |, by which DeepEval")
    assert notice.endswith(
        'save the dataset as JSON: dataset.save_as("json", directory=...)'
    )


def test_a_table_in_markdown_is_not_split(files: Files) -> None:
    row = {**GOLDEN, "context": "Prices:\n| a | b |\n|---|---|\n| 1 | 2 |"}
    problem = files.problem(table(row))
    assert problem.startswith('FILE:2: "context" has a table in Markdown')
    assert "save the dataset as JSON" in problem


def test_what_a_search_returned_is_no_golden(files: Files) -> None:
    row = {"input": "b", "retrieval_context": ["x"]}
    problem = files.problem([row])
    assert "retrieval_context is what a search returned, and no judgment" in problem
    judgments = files.judgments([GOLDEN, row])
    assert judgments.unrated == ["b"]
    assert judgments.notices[0].endswith(
        '[1] ("b"): it has retrieval_context, which a search returned, and no context'
    )


def test_goldens_of_conversations(files: Files) -> None:
    content = [{"scenario": "a parcel is late", "turns": None, "context": ["x"]}]
    assert "these goldens are conversations" in files.problem(content)


# LlamaIndex

PAIRS = {
    "queries": {"q1": "late", "q2": "lost", "q3": "old"},
    "corpus": {"n1": "It is free.", "n2": "Within 30 days."},
    "relevant_docs": {"q1": ["n1", "n2"], "q2": ["n2"], "q9": ["n1"]},
    "mode": "text",
}


def test_pairs_have_texts(files: Files) -> None:
    path = files.write(PAIRS)
    judgments = files.judgments(path)
    both = ["It is free.", "Within 30 days."]
    assert contexts(judgments) == {"q1": both, "q2": ["Within 30 days."]}
    assert files.queries(path) == PAIRS["queries"]
    unknown, without = judgments.notices
    assert unknown == '1 id of relevant_docs stand for no query under queries: "q9"'
    assert without.endswith('queries.q3 ("old"): it has nothing under relevant_docs')


def test_ids_of_pairs(files: Files) -> None:
    judgments = files.judgments(PAIRS, document="relevant_docs")
    assert judgments == {"q1": {"n1": 1, "n2": 1}, "q2": {"n2": 1}}
    assert judgments.documents_are == "ids"
    problem = files.problem(PAIRS, document="corpus")
    assert "write document: relevant_docs, or leave it out" in problem


def test_mistakes_in_pairs(files: Files) -> None:
    content = {
        "queries": {"q1": 3.5, "q2": {}},
        "corpus": {},
        "relevant_docs": {"q1": ["n"]},
    }
    assert files.problems(content) == [
        'FILE: relevant_docs.q1[0]: the corpus has no text for the document "n"',
        "FILE: queries.q2: a query is text, found the mapping {}",
    ]


def test_labelled_examples(files: Files) -> None:
    example = {
        "query": "late",
        "query_by": {"model_name": "", "type": "human"},
        "reference_contexts": ["It is free."],
        "reference_answer": "free",
        "reference_answer_by": None,
    }
    judgments = files.judgments({"examples": [example]})
    assert contexts(judgments) == {"late": ["It is free."]}
    assert judgments.format == "llama-index"


# promptfoo

CONFIGURATION = """\
prompts: ['{{query}}']
defaultTest:
  assert:
    - type: answer-relevance
tests:
  - vars: {query: late, context: file://docs/late.md, days: 30}
    assert:
      - type: contains
        value: free
      - type: assert-set
        assert:
          - type: context-recall
            threshold: 0.9
            value: Within {{ days }} days, it's free.
  - vars: {query: [lost, gone]}
    assert: [{type: context-recall, value: We look for it.}]
  - vars: {query: other}
    assert: [{type: not-context-recall, value: x}]
"""
OF_PROMPTFOO = {
    "late": ["Within 30 days, it's free."],
    "lost": ["We look for it."],
    "gone": ["We look for it."],
}


def test_context_recall(files: Files) -> None:
    path = files.write(CONFIGURATION, "promptfooconfig.yaml")
    judgments = files.judgments(path)
    assert quotes(judgments) == OF_PROMPTFOO
    assert judgments.format == "promptfoo"
    late, *_ = files.described(path)
    assert late.line == 6


def test_context_recall_in_a_list_of_tests(files: Files) -> None:
    assertion = {"type": "context-recall", "value": "free"}
    content = [{"vars": {"frage": "late"}, "assert": [assertion]}]
    assert quotes(files.judgments(content)) == {"late": ["free"]}
    for default in ({"assert": [assertion]}, {"defaultTest": {"assert": [assertion]}}):
        test = {"vars": {"a": "late", "b": "x"}, **default}
        content_of_two = {"tests": [test], **default}
        problem = files.problem(content_of_two)
        assert (
            'the variables are "a" and "b". Name it: {file: ..., query: vars.N'
            in problem
        )
        named = files.judgments(content_of_two, query="vars.a")
        assert quotes(named) == {"late": ["free"]}


def test_a_value_in_a_file_is_named(files: Files) -> None:
    text = CONFIGURATION.replace("We look for it.", "file://lost.txt")
    unread, without = files.judgments(text).notices
    assert unread.startswith("2 values of context-recall cannot be read, since a file")
    assert 'line 16 ("file://lost.txt")' in unread
    assert without.startswith("2 queries have nothing that a search should find")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("tests: file://x.yaml", "FILE: promptfoo has a list of tests, each with vars"),
        (
            "tests: [{vars: {query: a}}]",
            "FILE: no test has an assertion of the type co",
        ),
        ("tests: ]", "FILE:1: this is not valid YAML: "),
    ],
)
def test_a_configuration_without_context_recall(
    files: Files, text: str, says: str
) -> None:
    assert files.problem(text, "promptfoo").startswith(says)


# Columns that the user names

RUN = {
    "id": "8f0c",
    "inputs": {"question": "late"},
    "outputs": {
        "contexts": ["It is free."],
        "documents": [{"page_content": "Free."}, {"page_content": "Or not."}],
        "ids": ["m-1", "m-2"],
    },
}
ASKED = {"query": "inputs.question"}


def test_nested_keys(files: Files) -> None:
    path = files.write(lines(RUN))
    judgments = files.judgments(path, context="outputs.contexts", **ASKED)
    assert contexts(judgments) == {"late": ["It is free."]}
    of_list = "outputs.documents.page_content"
    judgments = files.judgments(path, passage=of_list, **ASKED)
    assert judgments == {"late": {"Free.": 1, "Or not.": 1}}
    assert judgments.documents_are == "quotes"
    first = files.judgments(path, passage="outputs.documents.1.page_content", **ASKED)
    assert first == {"late": {"Or not.": 1}}
    ids = files.judgments(path, document="outputs.ids", **ASKED)
    assert (ids, ids.documents_are) == ({"late": {"m-1": 1, "m-2": 1}}, "ids")


def test_a_path_into_the_json_of_a_cell(files: Files) -> None:
    row = {"input": '{"question": "late"}', "expected": '{"contexts": ["Free."]}'}
    names = {"query": "input.question", "context": "expected.contexts"}
    assert contexts(files.judgments(table(row), **names)) == {"late": ["Free."]}


def test_a_path_that_leads_nowhere(files: Files) -> None:
    path = files.write(lines(RUN, RUN))
    problem = files.problem(path, document="outputs.id", **ASKED)
    assert problem == (
        'FILE:1: there is no "outputs.id", which document names; the first row has id, inputs.question, '
        'outputs.contexts, outputs.documents and outputs.ids; did you mean "outputs.ids"?'
    )
    first, _ = files.problems(path, passage="outputs.documents", **ASKED)
    assert "objects with page_content; name the key" in first
    empty = files.problem("q,docs\nlate,\n", query="q", document="docs")
    assert (
        empty == 'FILE:1: the column "docs", which document names, is empty in all rows'
    )


@pytest.mark.parametrize("cell", ["""['m-1', "m-2"]""", '["m-1", "m-2"]'])
def test_a_column_with_lists_of_ids(files: Files, cell: str) -> None:
    content = table({"q": "late", "docs": cell}, {"q": "lost", "docs": "m-3"})
    judgments = files.judgments(content, query="q", document="docs")
    assert judgments == {"late": {"m-1": 1, "m-2": 1}, "lost": {"m-3": 1}}


@pytest.mark.parametrize(
    "cell",
    ["a, b", "a|b", "a;b", "a.md b.md", "m-1 m-2", "a-b c-d", "1 2", "x y", "a\nb"],
)
def test_several_ids_without_a_list(files: Files, cell: str) -> None:
    known = '["x", "y"]'
    content = table({"q": "lost", "docs": known}, {"q": "late", "docs": cell})
    problem = files.problem(content, query="q", document="docs")
    assert problem.startswith("FILE:3: ")
    assert "may be several ids; write them as a list, [" in problem


@pytest.mark.parametrize(
    "cell", ["refund policy.md", "docs/re fund.md", "Terms of use"]
)
def test_one_id_with_blanks(files: Files, cell: str) -> None:
    content = table({"q": "late", "docs": cell})
    assert files.judgments(content, query="q", document="docs") == {"late": {cell: 1}}


def test_one_id_that_looks_like_several(files: Files) -> None:
    content = table({"q": "late", "docs": '["Paris, Texas"]'})
    judgments = files.judgments(content, query="q", document="docs")
    assert judgments == {"late": {"Paris, Texas": 1}}


def test_a_text_with_separators_is_one_quote(files: Files) -> None:
    content = table({"q": "late", "quote": "free, or not; | see [1]"})
    judgments = files.judgments(content, query="q", passage="quote")
    assert judgments == {"late": {"free, or not; | see [1]": 1}}


def test_grades_beside_lists(files: Files) -> None:
    content = "q,docs,points\nlate,m-1,3\nlate,m-2,\nlost,m-2,\n"
    names = {"query": "q", "document": "docs", "grade_column": "points"}
    judgments = files.judgments(content, **names)
    assert (judgments, judgments.unrated) == ({"late": {"m-1": 3}}, ["lost"])
    problem = files.problem([{"query": "late", "passage": "a b", "grade": [1]}])
    assert (
        problem
        == "FILE: [0]: a grade is a number or a name of the scale, found the list [1]"
    )


def test_the_query_is_in_the_one_column_that_is_called_so(files: Files) -> None:
    row: dict[str, object] = {"question": "late", "docs": "m-1"}
    assert files.judgments([row], document="docs") == {"late": {"m-1": 1}}
    problem = files.problem([{**row, "input": "x"}], document="docs")
    assert (
        'the query may be in "question" or "input"; name it, query: COLUMN' in problem
    )


def test_queries_alone(files: Files) -> None:
    path = files.write("frage,note\nlate,x\n")
    (query,) = files.described(path, query="frage")
    assert query.text == "late"


def test_one_column_of_what_is_needed(files: Files) -> None:
    path = files.write(lines(RUN))
    with pytest.raises(ValueError, match="found document and context"):
        files.judgments(path, document="a", context="b")


# Tables of judgments with passages


def test_a_column_of_passages(files: Files) -> None:
    content = "query,passage,grade\nlate,It is free.,2\nlate,Within 30 days,1\nlost,,\n"
    path = files.write(content)
    judgments = files.judgments(path)
    assert judgments == {"late": {"It is free.": 2, "Within 30 days": 1}}
    assert (judgments.documents_are, judgments.unrated) == ("quotes", ["lost"])
    assert files.queries(path) == {"late": "late", "lost": "lost"}


def test_a_column_with_lists_of_passages(files: Files) -> None:
    rows = [{"query_id": "q1", "query": "late", "passages": ["a b", "c d"]}]
    for content in (rows, lines(*rows, *rows), table(*rows)):
        path = files.write(content)
        assert files.judgments(path) == {"q1": {"a b": 1, "c d": 1}}
        assert files.queries(path) == {"q1": "late"}


def test_passages_of_queries_that_have_ids_alone(files: Files) -> None:
    path = files.write("query_id,passage\nq1,It is free.\n")
    assert files.judgments(path) == {"q1": {"It is free.": 1}}
    assert files.query_problem(path) == (
        'FILE: these are judgments that have only the ids of queries ("q1"); name a file of queries, which has their '
        "texts"
    )


def test_an_id_with_two_queries(files: Files) -> None:
    content = "query_id,query,passage\nq1,late,a b\nq1,lost,a b\n"
    problem = files.problem(content)
    assert problem.startswith(
        'FILE:3: the query id "q1" stands for "late" and for "lost'
    )


def test_what_else_a_row_says_of_a_query(files: Files) -> None:
    row = {
        "query": "late",
        "passage": "a b",
        "weight": 2,
        "note": "x",
        "params": {"k": 1},
    }
    (query,) = files.described([row])
    assert (query.weight, query.note, query.params) == (2, "x", {"k": 1})
    assert files.judgments([row]).queries["late"].weight == 2
    problem = files.problem([row, {**row, "weight": 3}])
    assert problem == (
        'FILE: [1]: the query "late" has the weight 3 here and 2 before; keep one of them'
    )
    wrong = files.problem([{**row, "weight": -1}])
    assert wrong == "FILE: [0]: a weight is a number above 0, found -1"


def test_passages_that_a_search_returned_are_no_judgments(files: Files) -> None:
    problem = files.problem("query,rank,passage\nlate,1,It is free.\n")
    assert "judgments have columns for the query, the document and the gra" in problem
    rated = files.problem("query,passage,grade,rater\nlate,It is free.,1,ann\n")
    assert rated.startswith('FILE:1: "rater" says who gave a grade, which is read for ')


def test_ids_stand_before_texts_of_documents(files: Files) -> None:
    content = "query,doc_id,passage,grade\nlate,m-1,It is free.,1\n"
    assert files.judgments(content) == {"late": {"m-1": 1}}


# What is no golden set, and how to write what it is


@pytest.mark.parametrize(
    ("row", "names"),
    [
        ({"question": "late", "context": "x"}, "query: question, context: context"),
        ({"question": "a", "chunk_ids": ["c"]}, "query: question, document: chunk_ids"),
        ({"query": "late", "expected": ["m-1"]}, "query: query, document: COLUMN"),
    ],
)
def test_an_unknown_file_says_how_to_name_its_columns(
    files: Files, row: dict[str, object], names: str
) -> None:
    advice = f"name its columns: {{file: ..., {names}}} (or passage: for quotes)"
    for content in ([row], table(row)):
        assert files.problem(content).endswith(advice)
    if "query" not in row:
        assert files.query_problem(table(row)).endswith(advice)
        assert files.query_problem([row]).endswith(advice)


def test_lists_in_a_column_of_documents(files: Files) -> None:
    row = {"query": "late", "doc_id": ["m-1", "m-2"], "grade": 1}
    problem = files.problem(table(row))
    assert (
        "Lists are read if you name the columns: {file: ..., query: COLUMN" in problem
    )
    named = files.judgments(table(row), document="doc_id")
    assert named == {"late": {"m-1": 1, "m-2": 1}}


def test_a_list_of_ids_in_place_of_grades(files: Files) -> None:
    assert files.problems({"late": ["m-1", "m-2"], "lost": {"m-3": 1}}) == [
        "FILE: late: a document has a grade, and a list of ids has none; is this a run? In judgments write "
        '{"m-1": 1}'
    ]
