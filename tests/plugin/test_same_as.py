"""`same_as`: the search is called for another query too, and must find the same."""

import pytest

from tests.plugin.conftest import SEARCHES, Project

SEARCH = """
    import pytest

    FOUND = {{"shoe": "a b c", "shoes": "c b a", "boots": "b a x y", "none": "", "boom": None}}
    CALLS = []

    def found(query, k, **params):
        CALLS.append((query, k, params))
        print("<", query, k, params, ">")
        return [{{"id": each, "title": each.upper()}} for each in FOUND[query].split()][:k]

    @pytest.fixture(scope="session")
    def search():
        {search}
"""
CASES = """
    params: {locale: en}
    cases:
      - {query: shoe, expect: {same_as: shoes}}
      - {query: shoes, id: order, k: 2, expect: {same_as: shoe}}
      - {query: boots, expect: {same_as: {query: shoes, overlap@2: 0.4}}}
      - {query: boots, id: far, expect: {same_as: {query: shoe, overlap@4: 0.6}}}
      - {query: none, expect: {same_as: shoe}}
      - {query: none, id: nothing, expect: {results: 0}}
"""


@pytest.mark.parametrize(
    ("search", "concurrency"), [*((name, 1) for name in SEARCHES), ("a coroutine", 3)]
)
@pytest.mark.usefixtures("with_and_without_loops")
def test_the_search_is_called_for_the_other_query_too(
    project: Project, search: str, concurrency: int
) -> None:
    project.conftest(SEARCH.format(search=SEARCHES[search]))
    project.cases(CASES)
    run = project.run(
        "-s", f"--relevance-concurrency={concurrency}", "--relevance-record=run.jsonl"
    )
    assert run.outcomes == {
        **dict.fromkeys(("shoe", "boots", "nothing"), "passed"),
        **dict.fromkeys(("order", "far", "none"), "failed"),
    }
    for query in ("shoe", "shoes"):
        assert run.text.count(f"< {query} 2 {{'locale': 'en'}} >") == 1
    said = run.told("far")
    recorded = project.recorded().results[3]
    assert recorded.evaluation.reasons == run.results["far"].evaluation.reasons
    assert 'same_as "shoe": overlap@4 0.500 is below 0.600: ' in said
    assert 'only here rank 3 "x" (X) and rank 4 "y" (Y); only there rank 3 "c"' in said


def test_an_error_of_the_other_query_names_it(project: Project) -> None:
    project.conftest(SEARCH.format(search=SEARCHES["a function"]))
    project.cases(
        "cases: [{query: shoe, expect: {same_as: boom}}, {query: shoes, expect: {same_as: shoes2}}]"
    )
    run = project.run()
    assert run.counts == {"failed": 2}
    assert 'the search was called for "boom"' in run.text
    assert "KeyError: 'shoes2'" in run.text
    project.conftest(
        SEARCH.format(search="return lambda query: None if query == 'boom' else ['a']")
    )
    assert 'same_as "boom": search returned None' in project.run().failure("shoe")


MANY = (
    "class Many:\n            def many(self, queries):\n"
    "                return [{response}] if queries == ['boom'] else [['a'] for _ in queries]"
    "\n        return Many()"
)


def test_an_exception_that_many_returns_is_the_error_of_the_case(
    project: Project,
) -> None:
    response = "ConnectionError('no engine')"
    project.conftest(SEARCH.format(search=MANY.format(response=response)))
    project.cases("cases: [{query: shoe, expect: {same_as: boom}}]")
    run = project.run()
    assert run.counts == {"failed": 1}
    assert "ConnectionError: no engine" in run.failure("shoe")
    assert "pytest_relevance" not in run.failure("shoe")
    assert 'the search was called for "boom"' in run.text


def test_many_that_returns_no_response_for_the_other_query_is_named(
    project: Project,
) -> None:
    project.conftest(SEARCH.format(search=MANY.format(response="*()")))
    project.cases("cases: [{query: shoe, expect: {same_as: boom}}]")
    said = project.run().failure("shoe")
    assert 'same_as "boom": search.many returned 0 responses for 1 query' in said


def test_what_finds_nothing_is_said(project: Project) -> None:
    project.conftest(
        SEARCH.format(search="return lambda query: [] if query in 'abc' else ['x']")
    )
    project.cases(
        """
        cases:
          - {query: a, expect: {same_as: b}}
          - {query: c, expect: {same_as: b, results: 0}}
          - {query: b, expect: {same_as: hats}}
          - {query: hats, expect: {same_as: b}}
        """
    )
    run = project.run("-vv")
    assert run.outcomes["c"] == "passed"
    assert "below 1.000: both found nothing" in run.told("a")
    assert 'below 1.000: only there rank 1 "x"' in run.told("b")
    assert 'below 1.000: only here rank 1 "x"' in run.told("hats")
