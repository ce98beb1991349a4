"""Cases with passages in a run: errors of a case, and what a failure says."""

import pytest

from tests.plugin.conftest import Project

RETURN = "within 30 days of delivery"
CASES = f"""
    k: 2
    cases:
      - query: return
        passages: [{{quote: {RETURN}, in: {{source: terms.pdf}}}}]
        expect: {{R@2: 1}}
"""


@pytest.mark.parametrize(
    ("result", "says"),
    [
        ('{"id": "a", "text": TEXT}', f'document "a" at rank 1 holds "{RETURN}" and has no field "source": '),
        ('{"id": "a", "source": "terms.pdf"}', "has no text"),
    ],
)  # fmt: skip
def test_a_result_that_cannot_be_searched_for_passages_is_an_error(
    project: Project, result: str, says: str
) -> None:
    project.conftest(
        f"""
        import pytest

        TEXT = "Return it {RETURN}."

        @pytest.fixture
        def search():
            return lambda query, k: [{result}]
        """
    )
    project.cases(CASES)
    run = project.run()
    assert run.results["return"].verdict == "error"
    assert says in run.failure("return")


def test_a_failure_names_a_result_with_the_quote_and_another_field(
    project: Project,
) -> None:
    project.conftest(
        f"""
        import pytest

        @pytest.fixture
        def search():
            return lambda query, k: [{{"text": "{RETURN}", "source": "blog.html"}}]
        """
    )
    project.cases(CASES)
    run = project.run()
    assert run.counts == {"failed": 1}
    failure = run.failure("return")
    assert "not found in the top 2: 1 of 1 passage" in failure
    assert 'rank 1 has the quote, but its field source is "blog.html"' in failure
