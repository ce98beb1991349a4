"""Expectations on ranks that nobody has seen, because a search returns ten results
whatever it is asked for.
"""

from collections.abc import Sequence
from textwrap import dedent

import pytest

from pytest_relevance.cli import main
from tests.plugin.conftest import Accepted, Project, Run

TEN = """
    import pytest

    @pytest.fixture
    def search():
        def search(query, k=10):
            return [{"id": f"d{rank}", "price": rank} for rank in range(1, 11)]
        return search
"""
"""A search that takes k, and does not hand it on."""

HANDS_ON = """
    import pytest

    SIZES = {"few": 3, "some": 12}

    @pytest.fixture
    def search():
        def search(query, k=10):
            size = SIZES.get(query, 100)
            return [{"id": f"d{rank}", "price": rank} for rank in range(1, size + 1)][:k]
        return search
"""

OPEN = {
    "exclude: {docs: [x], within: 50}": ("exclude", 50),
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
    return sorted(
        name for name, result in run.results.items() if result.verdict == "error"
    )


@pytest.fixture
def ten(project: Project) -> Project:
    project.conftest(TEN)
    return project


@pytest.mark.parametrize(("text", "found"), OPEN.items(), ids=OPEN)
def test_what_is_met_because_nobody_looked_is_an_error(
    ten: Project, text: str, found: tuple[str, int]
) -> None:
    ten.cases(suite(text))
    run = ten.run()
    assert run.counts == {"passed": 3, "errors": 1}
    assert run.code == 1
    name, depth = found
    assert (
        f"shop.relevance.yaml:2: {name} looks at rank {depth}, and no case got more than 10 results, whatever it asked "
        "for: let the search hand k on to the engine, or look no deeper than rank 10"
    ) in run.text
    assert "3 cases: 1 error, 2 measured" in run.summary


def test_what_the_results_that_there_are_decide_stays_as_it_is(ten: Project) -> None:
    ten.cases(suite(*DECIDED))
    run = ten.run()
    assert (run.code, undecided(run)) == (0, [])


def test_a_search_that_hands_k_on_may_have_fewer_results(project: Project) -> None:
    project.conftest(HANDS_ON)
    project.cases(
        """
        expect: {exclude: {docs: [x], within: 50}, none@50: {price: "> 90"}, results: "<= 200"}
        cases: [{query: few}, {query: some}, {query: many}]
        """
    )
    assert project.run().counts == {"passed": 3}


def test_a_case_that_asked_for_fewer_shows_that_k_is_handed_on(
    project: Project,
) -> None:
    """The collection has twelve documents, and a search of vectors finds them all."""
    project.conftest(HANDS_ON)
    deep = "  - {query: some, id: d%d, expect: {exclude: {docs: [x], within: 50}}}\n"
    cases = "cases:\n" + "".join(deep % number for number in range(3))
    project.cases(cases)
    assert undecided(project.run()) == ["d0", "d1", "d2"]
    project.cases(cases + "  - {query: some, k: 5}\n")
    assert project.run().counts == {"passed": 4}


@pytest.mark.parametrize("options", [(), ("-n2",)], ids=["one process", "xdist"])
def test_a_search_of_that_name_in_another_folder_shows_nothing(
    project: Project, options: Sequence[str]
) -> None:
    """One folder hands k on, the other does not."""
    deep = "exclude: {docs: [x], within: 50}"
    project.write("good/conftest.py", dedent(HANDS_ON))
    project.cases(suite(deep), "good/good.relevance.yaml")
    project.write("bad/conftest.py", dedent(TEN))
    project.cases(suite(deep), "bad/bad.relevance.yaml")
    run = project.run(*options)
    assert run.counts == {"passed": 6, "errors": 1}
    assert "bad/bad.relevance.yaml:2: exclude looks at rank 50, and no case" in run.text


def test_as_many_as_the_usual_k_is_no_sign_that_k_is_handed_on(ten: Project) -> None:
    """The other cases ask for ten and get ten, as this one does."""
    ten.cases(suite("exclude: {docs: [x], within: 50}"))
    assert undecided(ten.run()) == ["q0"]


def test_a_case_that_got_as_many_as_it_asked_for_shows_no_limit(
    project: Project,
) -> None:
    """The collection has ten documents, and the default of k does not say otherwise."""
    project.conftest(HANDS_ON.replace("k=10", "k").replace("100", "10"))
    project.cases(suite("exclude: {docs: [x], within: 50}"))
    assert project.run().counts == {"passed": 3}


def test_one_long_ranking_among_full_ones_is_no_limit(project: Project) -> None:
    project.conftest(HANDS_ON)
    text = suite("exclude: {docs: [x], within: 50}", others=4).replace("q0", "some")
    project.cases(text)
    assert project.run().counts == {"passed": 5}


def test_one_case_shows_a_limit_that_is_the_default_of_k(ten: Project) -> None:
    ten.cases(suite("exclude: {docs: [x], within: 50}", others=0))
    assert undecided(ten.run()) == ["q0"]


@pytest.mark.parametrize("parameter", ["k", "k=None", "k=20", "*, k"])
def test_otherwise_few_cases_show_no_limit(project: Project, parameter: str) -> None:
    project.conftest(TEN.replace("k=10", parameter))
    project.cases(suite("exclude: {docs: [x], within: 50}", others=1))
    assert project.run().counts == {"passed": 2}


def test_different_numbers_of_results_show_no_limit(project: Project) -> None:
    project.conftest(HANDS_ON.replace("100", "5"))
    deep = "expect: {exclude: {docs: [x], within: 50}}"
    queries = "cases: [{query: few}, {query: some}, {query: more}]"
    project.cases(f"{deep}\n{queries}")
    assert project.run().counts == {"passed": 3}


def test_a_part_of_a_file_shows_no_limit(ten: Project) -> None:
    ten.cases(suite("exclude: {docs: [x], within: 50}", others=3))
    run = ten.run("--deselect", "shop.relevance.yaml::other 1")
    assert run.counts == {"passed": 3, "deselected": 1}


@pytest.mark.parametrize(("cases", "errors"), [(9, 0), (10, 10)])
def test_the_usual_depth_needs_ten_cases(
    project: Project, cases: int, errors: int
) -> None:
    """Rankings with fewer than ten results are common."""
    project.conftest(TEN.replace("range(1, 11)", "range(1, 6)"))
    project.cases(suite(*["exclude: [x]"] * cases, others=0))
    assert len(undecided(project.run())) == errors


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("none@50: {price: '> 90'}", "none@50 looks at the top 50"),
        ("every@11: {price: '< 90'}", "every@11 looks at the top 11"),
        ("at_most@50: {price: 1}", "at_most@50 looks at the top 50"),
        ('results: "<= 20"', "results looks at the top 20"),
        ('results: "< 20"', "results looks at the top 19"),
    ],
)
def test_one_case_is_enough_if_the_search_takes_no_k(
    project: Project, text: str, message: str
) -> None:
    project.conftest(TEN.replace("k=10", "top_k=10"))
    project.cases(suite(text, others=0))
    assert (
        project.run()
        .told("q0")
        .startswith(
            f"shop.relevance.yaml:2: {message}, and 10 ranks can be seen, as this search takes no k: give it a parameter k"
        )
    )


def test_how_many_results_there_are_is_not_known_without_k(project: Project) -> None:
    """Of one case it may be so; several with ten results show a limit."""
    project.conftest(TEN.replace("k=10", "top_k=10"))
    project.cases(suite("results: 10", others=0))
    assert project.run().counts == {"passed": 1}
    project.cases(suite("results: 10"))
    assert undecided(project.run()) == ["q0"]


def test_a_query_that_finds_nothing(project: Project) -> None:
    project.search("return lambda query, k: []")
    project.cases(
        suite(*["results: 0, exclude: {docs: [x], within: 50}"] * 3, others=0)
    )
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
    grouped = """
    def pytest_collection_modifyitems(items):
        for item in items:
            item.add_marker(pytest.mark.xdist_group("engine"))
    """
    ten.conftest(TEN + grouped)
    ten.cases(suite("exclude: {docs: [x], within: 50}"))
    run = ten.run("-n2", "--dist=loadgroup")
    assert "3 cases: 1 error, 2 measured" in run.summary


@pytest.mark.parametrize("options", [(), ("-n2",)])
def test_reports_and_gates_have_the_error(ten: Project, options: Sequence[str]) -> None:
    ten.cases("gates: [{passing: 1}]\n" + suite("exclude: {docs: [x], within: 50}"))
    run = ten.run(
        *options, "--relevance-record=run.jsonl", "--relevance-markdown=run.md"
    )
    assert run.counts == {"passed": 3, "errors": 1, "failed": 1}
    assert '1 case ended in an error: "q0"' in run.failure("gate[passing 1]")
    said = "exclude looks at rank 50, and no case got more than 10 results"
    for name in ("run.jsonl", "run.md"):
        assert said in (ten.path / name).read_text(encoding="utf-8")


def test_such_a_ranking_is_not_accepted(ten: Project) -> None:
    ten.cases(suite("exclude: {docs: [x], within: 50}"))
    ten.run("--relevance-update")
    accepted = Accepted(ten.path / "shop.relevance.yaml.baseline.jsonl")
    assert {name for name, _ in accepted.rankings} == {"other 0", "other 1"}


def test_shards_show_together_what_none_shows_alone(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    project.conftest(TEN.replace("k=10", "k"))
    for name in ("one", "two", "three"):
        text = suite("exclude: {docs: [x], within: 50}", others=0)
        project.cases(text, f"{name}.relevance.yaml")
        run = project.run(f"{name}.relevance.yaml", f"--relevance-record={name}.jsonl")
        assert run.code == 0
    records = [str(project.path / f"{name}.jsonl") for name in ("one", "two", "three")]
    merged = str(project.path / "whole.jsonl")
    assert main(["merge", *records, "-o", merged]) == 1
    assert "3 cases: 3 errors" in capsys.readouterr().out
    assert main(["report", merged]) == 0
    assert "exclude looks at rank 50, and no case got more" in capsys.readouterr().out


# --- cutoffs of scores ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameter", "advice"),
    [
        ("k=10", "hand k on to the engine"),
        ("top_k=10", "give it a parameter k"),
    ],
)
@pytest.mark.parametrize("options", [(), ("-n2",)])
def test_a_cutoff_deeper_than_what_any_case_got_is_told(
    project: Project, parameter: str, advice: str, options: Sequence[str]
) -> None:
    project.conftest(TEN.replace("k=10", parameter))
    project.cases(suite("R@100: 0.5"))
    run = project.run(*options)
    assert run.code == 0
    assert run.sentences("search returned 10 results at most") == [
        "search returned 10 results at most, and cutoffs look deeper (as deep as rank 100, in 1 case of 3): "
        f"{advice}, or lower the cutoffs"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "gates: [{mean: {R@100: 0.1}}]\n" + suite(),
        "k: 100\n" + suite(),
        suite("overlap@50: 0.5"),
        suite("include: {docs: [d1], within: 30}"),
        suite("same_as: {query: boots, overlap@50: 0.5}"),
    ],
)
def test_which_cutoffs_count(ten: Project, text: str) -> None:
    ten.cases(text + "  - {query: judged, judgments: {d1: 1}}\n")
    assert ten.run().sentences("search returned 10 results at most")


def test_a_cutoff_that_one_case_reaches_is_not_told(project: Project) -> None:
    project.conftest(HANDS_ON)
    project.cases(
        """
        expect: {R@50: 0.01}
        cases:
          - {query: few, judgments: {d1: 1}}
          - {query: some, judgments: {d1: 1}}
          - {query: many, judgments: {d1: 1}}
        """
    )
    assert project.run().sentences("search returned") == []


def test_the_usual_cutoff_is_not_told_of_few_cases(project: Project) -> None:
    project.conftest(TEN.replace("range(1, 11)", "range(1, 6)"))
    for cases, told in ((9, 0), (10, 1)):
        project.cases(suite(*["P@5: 0.1"] * cases, others=0))
        assert len(project.run().sentences("search returned 5 results at most")) == told
