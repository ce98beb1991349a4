"""What goes wrong around a case is told, counted, and stays with that case."""

from __future__ import annotations

import pytest

QUIET = ("-p", "no:cacheprovider", "-p", "no:asyncio", "-p", "no:anyio")


def test_cases_whose_set_up_fails_are_counted_in_the_summary(pytester: pytest.Pytester) -> None:
    pytester.makefile(".relevance.yaml", shop="cases: [{query: a, judgments: {x: 1}}, {query: b, judgments: {x: 1}}]")
    pytester.makeconftest("import pytest\n@pytest.fixture\ndef search():\n    raise ConnectionError('no engine')\n")

    result = pytester.runpytest(*QUIET)

    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines(["shop.relevance.yaml* mean nDCG@10 n/a * 2 error*"])


def test_what_a_search_does_to_its_params_does_not_reach_the_next_case(pytester: pytest.Pytester) -> None:
    pytester.makefile(
        ".relevance.yaml",
        shop="params: {filters: [base], options: {deep: [1]}}\ncases: [{query: a}, {query: b}, {query: c}]",
    )
    pytester.makeconftest(
        """
        import pytest

        @pytest.fixture
        def search():
            def search(query, filters, options):
                assert filters == ["base"] and options == {"deep": [1]}
                filters.append(query)
                options["deep"].append(2)
                return []
            return search
        """
    )

    pytester.runpytest(*QUIET).assert_outcomes(passed=3)


def test_whole_numbers_are_ids_in_the_expectations_of_a_check(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        def test_ids(relevance):
            expected = {"first": [5], "include": {"docs": [6], "within": 2}, "exclude": 7, "order": [5, 6]}
            assert relevance.check("q", [5, 6], {5: 3, 6: 1}, min_ndcg=1, expect=expected).score == 1.0
        """
    )

    pytester.runpytest(*QUIET).assert_outcomes(passed=1)
