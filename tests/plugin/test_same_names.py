"""Items of a case file with one name, and variants of one name: a result of one would
be lost.
"""

import pytest

from tests.plugin.conftest import WORDS, Project

TWO_PARAMETERS = """
    import pytest

    @pytest.fixture(params=["a", "a-b"])
    def ranker(request):
        return request.param

    @pytest.fixture(params=["b-c", "c"])
    def index(request):
        return request.param

    @pytest.fixture
    def search(ranker, index):
        return lambda query: [ranker, index]
"""
WITH_STEPS = """
    import pytest

    def pytest_generate_tests(metafunc):
        metafunc.fixturenames.append("step")
        metafunc.parametrize("ranker", ["a", "a-b"], indirect=True)
        metafunc.parametrize("step", [1, 2], indirect=True)
        metafunc.parametrize("index", ["b-c", "c"], indirect=True)

    @pytest.fixture
    def step(request):
        return request.param

    @pytest.fixture
    def ranker(request):
        return request.param

    @pytest.fixture
    def index(request):
        return request.param

    @pytest.fixture
    def search(ranker, index):
        return lambda query: [ranker, index]
"""
"""A parameter that the ranking does not depend on is in the middle of the name of an
item.
"""

REMEDY = "give a parameter another id: @pytest.fixture(params=[...], ids=[...])"


@pytest.mark.parametrize("options", [(), ("-n2",), ("--collect-only",)])
def test_two_items_of_a_case_with_one_name_are_an_error_that_names_both(
    project: Project, options: tuple[str, ...]
) -> None:
    project.conftest(TWO_PARAMETERS)
    project.cases("gates: [{passing: 1}]\ncases: [{query: q, expect: {first: a}}]")
    run = project.run(*options)
    assert run.code != 0
    assert (
        'shop.relevance.yaml: two items of case "q" have the name "q[a-b-c]": '
        "ranker=a, index=b-c and ranker=a-b, index=c; " + REMEDY
    ) in run.text


def test_two_variants_of_a_case_with_one_name_are_an_error_too(
    project: Project,
) -> None:
    """Also if another parameter tells the items apart."""
    project.conftest(WITH_STEPS)
    project.cases("cases: [{query: q}]")
    assert (
        'shop.relevance.yaml: two variants of case "q" have the name "a-b-c": '
        "ranker=a, step=1, index=b-c and ranker=a-b, step=1, index=c; " + REMEDY
    ) in project.run().text


def test_two_files_with_one_node_id_are_an_error(project: Project) -> None:
    """pytest names files outside of its root folder by the argument they are found
    in.
    """
    for folder in ("first", "second"):
        project.write(f"{folder}/conftest.py", WORDS)
        project.cases("cases: [{query: q}]", f"{folder}/shop.relevance.yaml")
    root = project.path / "root"
    root.mkdir()
    run = project.run(f"--rootdir={root}", "first", "second")
    assert "have the same node id" in run.text
    assert "run pytest with a --rootdir that holds both" in run.text


def test_variants_with_names_of_their_own_are_collected(project: Project) -> None:
    project.conftest(TWO_PARAMETERS.replace('"b-c", "c"', '"b-c", "d"'))
    project.cases("cases: [{query: q}, {query: r}]")
    assert project.run().counts == {"passed": 8}
