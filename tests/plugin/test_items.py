"""An item of a case is an item like any other, and what the plugin needs to make it is
not seen.
"""

from tests.plugin.conftest import Project


def test_no_name_of_the_plugins_own_selects_a_case(project: Project) -> None:
    project.conftest()
    project.cases("cases: [{query: shoes}]")
    for name in ("signature", "run_case", "pytestmark", "usefixtures", "request"):
        assert project.run("-k", name).counts == {"deselected": 1}


def test_a_fixture_that_a_conftest_adds_to_one_item_is_set_up_for_that_one(
    project: Project,
) -> None:
    project.conftest("""
        import pytest

        @pytest.fixture(params=["bm25", "hybrid"])
        def search(request):
            return str.split

        @pytest.fixture
        def index(request):
            print(f"<index for {request.node.name}>")

        def pytest_collection_modifyitems(items):
            items[1].fixturenames.append("index")
    """)
    project.cases("cases: [{query: shoes}, {query: boots}]")
    text = project.run("-s").text
    assert text.count("<index for") == text.count("<index for shoes[hybrid]>") == 1


def test_the_place_of_a_case_is_its_line_of_the_case_file(project: Project) -> None:
    project.search("raise OSError('no engine')")
    project.cases("cases:\n  - query: shoes\n  - query: boots\n")
    run = project.run()
    assert [report.location for report in run.reports if report.failed] == [
        ("shop.relevance.yaml", 1, "shoes"),
        ("shop.relevance.yaml", 2, "boots"),
    ]
