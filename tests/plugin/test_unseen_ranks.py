"""Expectations on ranks that nobody has seen, because a search returns ten results
whatever it is asked for.

When a run shows such a limit is in `tests/results/test_unseen.py`.
"""

import pytest

from tests.plugin.conftest import Command, Project, Run
from tests.plugin.shop import BASELINE, UPDATE

TEN = """
    import pytest

    @pytest.fixture
    def search():
        def search(query, k=10):
            return [{"id": f"d{rank}", "price": rank} for rank in range(1, 11)]
        return search
"""
"""A search that takes k, and does not hand it on."""
HANDS_ON = TEN.replace("11)]", "101)][:k]")

DEEP = "exclude: {docs: [x], within: 50}"
OPEN = {
    DEEP: ("exclude", 50),
    "none@50: {price: '> 90'}": ("none@50", 50),
    "every@50: {price: '< 90'}": ("every@50", 50),
    "at_most@50: {price: 1}": ("at_most@50", 50),
    'within: {x: ">20"}': ("within", 20),
    'results: "<= 20"': ("results", 21),
    "results: 10": ("results", 11),
    'P@50: "<= 0.5"': ("P@50", 50),
}
"""Expectations that are met if nothing lies below ten results, each with its name and
the rank that it looks at.
"""
DECIDED = [
    "include: {docs: [d1], within: 50}",
    'within: {d3: 5, d10: ">9"}',
    "exclude: {docs: [x], within: 10}",
    "some@50: {price: 1}",
    "first: d1",
    "P@50: 0.02",
    'results: ">= 5"',
    "exclude: [x]",
]


def suite(*expectations: str, others: int = 2) -> str:
    """A suite with a case for each of these, and other cases that are only measured."""
    lines = [
        f"  - {{query: q{number}, judgments: {{d1: 1}}, expect: {{{text}}}}}\n"
        for number, text in enumerate(expectations)
    ]
    lines += [f"  - {{query: other {number}}}\n" for number in range(others)]
    return "cases:\n" + "".join(lines)


def undecided(run: Run) -> list[str]:
    """The names of the cases that ended in an error."""
    return [name for name, result in run.results.items() if result.verdict == "error"]


@pytest.fixture
def ten(project: Project) -> Project:
    project.conftest(TEN)
    return project


def test_what_is_met_because_nobody_looked_is_an_error(ten: Project) -> None:
    ten.cases(suite(*OPEN, *DECIDED))
    run = ten.run()
    assert run.code == 1
    assert undecided(run) == [f"q{number}" for number in range(len(OPEN))]
    for number, (name, depth) in enumerate(OPEN.values()):
        error = run.results[f"q{number}"].call.error
        assert error is not None
        assert error.message == (
            f"{name} looks at rank {depth}, and no case got more than 10 results, whatever it asked for: let the search "
            "pass k to the engine, or look no deeper than rank 10"
        )
    assert "shop.relevance.yaml:2: exclude looks at rank 50, and no case" in run.text
    assert "18 cases: 8 passed, 8 errors, 2 measured" in run.summary


def test_a_search_that_hands_k_on_decides_all(project: Project) -> None:
    project.conftest(HANDS_ON)
    project.cases(suite(DEEP, 'results: "<= 200"'))
    assert project.run().counts == {"passed": 4}


def test_a_search_of_that_name_in_another_folder_shows_nothing(
    project: Project,
) -> None:
    """One folder hands k on, the other does not."""
    for folder, search in (("good", HANDS_ON), ("bad", TEN)):
        project.write(f"{folder}/conftest.py", search)
        project.cases(suite(DEEP), f"{folder}/{folder}.relevance.yaml")
    run = project.run()
    assert run.counts == {"passed": 6, "errors": 1}
    assert "bad/bad.relevance.yaml:2: exclude looks at rank 50, and no case" in run.text


@pytest.mark.parametrize(
    ("parameter", "errors"),
    [("k=10", 1), ("k", 0), ("k=None", 0), ("k=20", 0), ("*, k", 0)],
)
def test_one_case_shows_a_limit_that_is_the_default_of_k_alone(
    project: Project, parameter: str, errors: int
) -> None:
    project.conftest(TEN.replace("k=10", parameter))
    project.cases(suite(DEEP, others=1))
    assert len(undecided(project.run())) == errors


def test_a_part_of_a_file_shows_no_limit(ten: Project) -> None:
    ten.cases(suite(DEEP, others=3))
    run = ten.run("--deselect", "shop.relevance.yaml::other 1")
    assert run.counts == {"passed": 3, "deselected": 1}


def test_how_many_results_there_are_is_not_known_without_k(project: Project) -> None:
    """Of one case it may be so; several with ten results show a limit."""
    project.conftest(TEN.replace("k=10", "top_k=10"))
    project.cases(suite("results: 10", others=0))
    assert project.run().counts == {"passed": 1}
    project.cases(suite("results: 10"))
    assert undecided(project.run()) == ["q0"]


def test_a_query_that_finds_nothing(project: Project) -> None:
    project.search("return lambda query, k: []")
    project.cases(suite(*[f"results: 0, {DEEP}"] * 3, others=0))
    assert project.run().counts == {"passed": 3}


def test_chunks_that_are_left_out_count_as_results(project: Project) -> None:
    """Twenty chunks of two documents come, of a hundred that were asked for."""
    project.conftest(TEN.replace('f"d{rank}"', 'f"d{rank % 2}"').replace("11", "21"))
    text = suite("exclude: {docs: [x], within: 12}")
    project.cases(f"collapse: true\ndepth: 100\n{text}")
    run = project.run()
    assert undecided(run) == ["q0"]
    assert "no case got more than 20 results" in run.text


def test_a_case_in_a_group_of_workers_has_one_result(ten: Project) -> None:
    ten.conftest(f"""{TEN}
    def pytest_collection_modifyitems(items):
        for item in items:
            item.add_marker(pytest.mark.xdist_group("engine"))
    """)
    ten.cases(suite(DEEP))
    run = ten.run("-n2", "--dist=loadgroup")
    assert "3 cases: 1 error, 2 measured" in run.summary


@pytest.mark.parametrize("options", [(), ("-n2",)], ids=["here", "xdist"])
def test_reports_gates_and_the_baseline_have_the_error(
    ten: Project, options: tuple[str, ...]
) -> None:
    ten.cases("gates: [{passing: 1}]\n" + suite(DEEP))
    found = ten.reports(*options)
    assert found.run.counts == {"passed": 3, "errors": 1, "failed": 1}
    assert '1 case ended in an error: "q0"' in found.run.failure("gate[passing 1]")
    said = "exclude looks at rank 50, and no case got more than 10 results"
    assert said in found.markdown
    assert said in (ten.path / "run.jsonl").read_text(encoding="utf-8")
    ten.run(UPDATE)
    accepted = (ten.path / BASELINE).read_text(encoding="utf-8")
    assert '"id":"other 0"' in accepted
    assert '"id":"q0"' not in accepted


def test_shards_show_together_what_none_shows_alone(
    project: Project, command: Command
) -> None:
    project.conftest(TEN.replace("k=10", "k"))
    names = ("one", "two", "three")
    for name in names:
        project.cases(suite(DEEP, others=0), f"{name}.relevance.yaml")
        record = f"--relevance-record={name}.jsonl"
        assert project.run(f"{name}.relevance.yaml", record).code == 0
    records = [f"{name}.jsonl" for name in names]
    merged = command("merge", *records, "-o", "whole.jsonl")
    assert merged.code == 1
    assert "3 cases: 3 errors" in merged.out
    said = "exclude looks at rank 50, and no case got more"
    assert said in command("report", "whole.jsonl").out
    for again in (
        ["whole.jsonl"],
        ["whole.jsonl", records[0]],
        [records[0], "whole.jsonl", records[1]],
    ):
        merged = command("merge", *again)
        assert merged.code == 1, again
        assert "3 cases: 3 errors" in merged.out, again


@pytest.mark.parametrize(
    ("parameter", "advice"),
    [("k=10", "pass k to the engine"), ("top_k=10", "give it a parameter k")],
)
def test_a_cutoff_deeper_than_what_any_case_got_is_told(
    project: Project, parameter: str, advice: str
) -> None:
    project.conftest(TEN.replace("k=10", parameter))
    project.cases(suite("R@100: 0.5"))
    run = project.run()
    assert run.code == 0
    deep = "and cutoffs look deeper (to rank 100, in 1 case of 3)"
    said = f"search returned at most 10 results, {deep}: {advice}, or lower the cutoffs"
    assert run.sentences("search returned at most 10 results") == [said]


def test_a_cutoff_of_a_gate_counts_and_one_that_a_case_reaches_is_not_told(
    ten: Project,
) -> None:
    ten.cases("gates: [{mean: {R@100: 0.1}}]\n" + suite("R@50: 0.01"))
    assert ten.run().sentences("search returned at most 10 results")
    ten.conftest(HANDS_ON)
    assert ten.run().sentences("search returned") == []
