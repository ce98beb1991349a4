"""The search of a case is a fixture like any other, and a case is a test function like
any other.
"""

import pytest

from tests.plugin.conftest import WORDS, Project
from tests.plugin.test_loops import TWO_CASES

both_ways = pytest.mark.usefixtures("with_and_without_loops")
"""Where the plugins that run coroutines could make a difference: fixtures are set up
and torn down.
"""


def test_the_conftest_nearest_to_the_case_file_provides_the_search(
    project: Project,
) -> None:
    project.conftest()
    reverse = "@pytest.fixture\ndef search(search):\n    return lambda query: search(query)[::-1]\n"
    project.write("reverse/conftest.py", f"import pytest\n\n{reverse}")
    case = "cases: [{query: boots shoes, expect: {first: shoes}}]"
    project.cases(case)
    project.cases(case, "reverse/shop.relevance.yaml")
    assert project.run("shop.relevance.yaml").counts == {"failed": 1}
    assert project.run("reverse").counts == {"passed": 1}


@both_ways
def test_usefixtures_sets_up_before_the_search_and_only_for_its_case(
    project: Project,
) -> None:
    project.conftest("""
        import pytest

        state = {"cache": "full"}

        @pytest.fixture
        def empty_cache():
            state["cache"] = "empty"
            yield
            state["cache"] = "full"

        @pytest.fixture
        def search():
            cache = state["cache"]
            return lambda query: [cache]
    """)
    project.cases("""
        cases:
          - {query: fresh, usefixtures: [empty_cache], expect: {first: empty}}
          - {query: cached, expect: {first: full}}
    """)
    assert project.run().counts == {"passed": 2}


@both_ways
def test_fixtures_may_be_named_like_anything_in_the_function_of_a_case_and_use_builtin_ones(
    project: Project,
) -> None:
    project.conftest("""
        import pytest

        @pytest.fixture
        def run(request, tmp_path, monkeypatch):
            monkeypatch.setenv("SHOP", request.node.name)
            (tmp_path / "index").write_text("shoes")
            return lambda query: (tmp_path / "index").read_text().split()

        @pytest.fixture
        def run_async():
            return "not the plugin's own"

        @pytest.fixture
        def case():
            return "not the plugin's own either"
    """)
    case = "{query: shoes, usefixtures: [case, run_async], expect: {first: shoes}}"
    project.cases(f"search: run\ncases: [{case}]")
    assert project.run().counts == {"passed": 1}


# --- what goes wrong ------------------------------------------------------------------


@both_ways
def test_a_missing_search_fixture_is_an_error_that_says_how_to_write_it(
    project: Project,
) -> None:
    project.cases(TWO_CASES)
    run = project.run()
    assert set(run.outcomes.values()) == {"error at setup"}
    first = run.failure("shoes boots")
    missing = 'fixture "search" not found'
    called = f"shop.relevance.yaml:3: {missing}, which the case calls to search\n"
    assert first.startswith(called)
    assert '    @pytest.fixture(scope="session")\n    def search():\n' in first
    assert "Write it in a conftest.py" in first
    assert run.failure("hat cap") == ""  # said once
    short = f"ERROR shop.relevance.yaml::shoes boots - {missing}"
    assert run.short_summary[0].startswith(short)


def test_what_the_message_shows_is_a_search_that_works(project: Project) -> None:
    """The fixture of the message, with a line of the reader's own for the engine."""
    project.cases("search: find\ncases: [{query: shoes boots, expect: {first: shoes}}]")
    message = project.run().failure("shoes boots").partition("best first:\n")[2]
    code, *_ = message.partition("If it goes by another name")
    engine = 'type("Engine", (), {"search": lambda self, query, limit: query.split()[:limit]})() #'
    project.conftest(code.replace("engine = ...", f"engine = {engine}"))
    assert project.run().counts == {"passed": 1}


REQUESTS_ITSELF = (
    "import pytest\n@pytest.fixture\ndef search(search):\n    return search\n"
)
REQUESTS_ANOTHER = """
    import pytest

    @pytest.fixture
    def engine(client):
        return client

    @pytest.fixture
    def search(engine):
        return engine
"""


@pytest.mark.parametrize(
    ("conftest", "uses", "message"),
    [
        (REQUESTS_ANOTHER, "", 'fixture "client" not found, requested by "search" and "engine"'),
        (REQUESTS_ITSELF, "", 'fixture "search" not found'),
        (WORDS, "usefixtures: [empty_cash]", 'fixture "empty_cash" not found'),
    ],
)  # fmt: skip
def test_a_missing_fixture(
    project: Project, conftest: str, uses: str, message: str
) -> None:
    """Of a case with quotes and brackets that pytest, looking for its Python source,
    would stumble over.
    """
    project.conftest(conftest)
    project.cases(f"""cases: [{{query: men's (shoes, note: "('", {uses}}}]""")
    told = project.run().failure("men's (shoes")
    assert told.startswith(f"shop.relevance.yaml:1: {message}")


@both_ways
def test_an_exception_of_the_fixture_is_an_error_with_the_fixtures_own_traceback(
    project: Project,
) -> None:
    project.search('raise ConnectionError("no engine at localhost:9200")')
    project.cases("cases: [{query: shoes}]")
    run = project.run()
    assert run.outcomes == {"shoes": "error at setup"}
    raised = "E       ConnectionError: no engine at localhost:9200"
    assert raised in run.failure("shoes")
    assert "pytest_relevance" not in run.text


@pytest.mark.parametrize("value", ["None", "{'shoes': ['a']}"])
def test_a_fixture_whose_value_cannot_be_called(project: Project, value: str) -> None:
    project.search(f"return {value}")
    project.cases("cases: [{query: shoes}]")
    run = project.run()
    assert run.outcomes == {"shoes": "failed"}
    assert run.results["shoes"].verdict == "error"
    why = f'the fixture "search" is not a function but {value}; return a function: search(query'
    assert run.failure("shoes").startswith(f"shop.relevance.yaml:1: {why}")


@both_ways
def test_a_teardown_that_fails_is_an_error_beside_the_outcome(project: Project) -> None:
    project.search('yield str.split; raise RuntimeError("engine does not stop")')
    project.cases("cases: [{query: shoes, expect: {first: shoes}}]")
    run = project.run()
    assert run.counts == {"passed": 1, "errors": 1}
    assert "RuntimeError: engine does not stop" in run.text
