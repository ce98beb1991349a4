"""What a variant is: the parameters that the ranking of a case may depend on, whatever
else multiplies its items.
"""

import re
from collections.abc import Sequence
from textwrap import dedent

import pytest

from tests.plugin.conftest import Accepted, Command, Project, Run
from tests.plugin.shop import BASELINE, ONLY_NEW, UPDATE

CASES = "cases: [{query: a b, judgments: {a: 3, b: 1}}, {query: c d, judgments: {c: 3, d: 1}}]\n"
RECORD = "--relevance-record=run.jsonl"

SEARCH = """
    @pytest.fixture
    def search():
        return str.split
"""
TAKES_REQUEST = SEARCH.replace("search()", "search(request)")
REPEATING = """
    def pytest_generate_tests(metafunc):
        metafunc.fixturenames.append("step")
        metafunc.parametrize("step", range({count}), indirect=True, ids=lambda step: f"{{step + 1}}-{count}")

    @pytest.fixture
    def step(request):
        return request.param
"""
"""What pytest-repeat does with `--count`, in a conftest.py."""
TWICE = REPEATING.format(count=2)

AUTOUSE = """
    @pytest.fixture(autouse=True, params=["en", "de"])
    def locale(request):
        return request.param
"""
WORD_BY_WORD = """
    @pytest.fixture(params=["bm25", "dense"])
    def engine(request):
        return request.param

    @pytest.fixture
    def index(engine):
        return engine

    @pytest.fixture
    def search(index):
        return str.split
"""
TOGETHER = """
    def pytest_generate_tests(metafunc):
        metafunc.parametrize("engine, index", [("bm25", 1), ("dense", 2)], indirect=True)

    @pytest.fixture
    def engine(request):
        return request.param

    @pytest.fixture
    def index(request):
        return request.param

    @pytest.fixture
    def search(engine, index):
        return str.split
"""
DIRECTLY = """
    def pytest_generate_tests(metafunc):
        metafunc.parametrize("search", [str.split], ids=["words"])
        metafunc.fixturenames.append("step")
        metafunc.parametrize("step", [1, 2])
"""
FOR_ANOTHER = """
    def pytest_generate_tests(metafunc):
        metafunc.parametrize("locale", ["en", "de"])
        metafunc.fixturenames.append("step")
        metafunc.parametrize("step", [1, 2])

    @pytest.fixture(autouse=True)
    def catalogue(locale):
        return locale
"""
OVERRIDES = """
    @pytest.fixture
    def search(search):
        return search
"""
HIDDEN = """
    def pytest_generate_tests(metafunc):
        metafunc.parametrize("search", [str.split, str.rsplit], ids=[pytest.HIDDEN_PARAM, "right"])
"""


def parametrised(params: Sequence[str] | None) -> str:
    """A search with these parameters, or without any."""
    if params is None:
        return SEARCH
    fixture = f"fixture(params={params})"
    return TAKES_REQUEST.replace("fixture", fixture, 1)


USES = ", usefixtures: [locale]"
EN_DE: list[str | None] = ["de", "en"]
BM25_DENSE: list[str | None] = ["bm25", "dense"]
OF_BOTH: list[str | None] = ["de-bm25", "de-dense", "en-bm25", "en-dense"]

# parts of a conftest.py, keys of each case, and the variants in the baseline
SCENARIOS: dict[str, tuple[str, str, list[str | None]]] = {
    "no parameters": (SEARCH, "", [None]),
    "repeats": (SEARCH + TWICE, "", [None]),
    "an autouse fixture": (SEARCH + AUTOUSE, "", [None]),
    "repeats and an autouse fixture": (SEARCH + AUTOUSE + TWICE, "", [None]),
    "what the search is made of": (WORD_BY_WORD, "", BM25_DENSE),
    "what the search is made of, repeated": (WORD_BY_WORD + AUTOUSE + TWICE, "", BM25_DENSE),
    "what the case uses": (SEARCH + AUTOUSE, USES, EN_DE),
    "both": (WORD_BY_WORD + AUTOUSE, USES, OF_BOTH),
    "a search that takes request": (TAKES_REQUEST + AUTOUSE, "", EN_DE),
    "a parametrised search takes request": (parametrised(["x"]) + AUTOUSE, "", ["x"]),
    "a search made of a fixture of pytest's": (SEARCH.replace("search()", "search(tmp_path)") + AUTOUSE, "", [None]),
    "parametrised in a hook, several arguments at once": (TOGETHER, "", ["bm25-1", "dense-2"]),
    "parametrised directly": (DIRECTLY, "", ["words"]),
    "a direct parameter that an own fixture requests": (TAKES_REQUEST + FOR_ANOTHER, "", EN_DE),
    "a search that overrides another one": (OVERRIDES + AUTOUSE, "", ["root"]),
    "a hidden parameter": (HIDDEN, "", ["", "right"]),
}  # fmt: skip


def conftest(project: Project, *parts: str) -> None:
    project.conftest("    import pytest\n" + "".join(parts))


def test_the_variants(project: Project) -> None:
    """Each scenario is a folder, below a conftest.py whose search only that which
    overrides it uses.
    """
    conftest(project, parametrised(["root"]))
    folders = {name: f"s{number:02}" for number, name in enumerate(SCENARIOS)}
    for name, (text, keys, _) in SCENARIOS.items():
        project.write(f"{folders[name]}/conftest.py", f"import pytest\n{dedent(text)}")
        cases = CASES.replace("1}", f"1}}{keys}")
        project.cases(cases, f"{folders[name]}/shop.relevance.yaml")
    assert project.run(UPDATE).code == 0
    for name, (*_, variants) in SCENARIOS.items():
        rankings = Accepted(project.path / folders[name] / BASELINE).rankings
        assert [*dict.fromkeys(variant for _, variant in rankings)] == variants, name
        assert len(rankings) == 2 * len(variants)
    again = project.run(UPDATE, "-v").sentences("baseline ")
    assert {line.rpartition(": ")[2] for line in again} == {"nothing changed"}


# --- repeats --------------------------------------------------------------------------


@pytest.fixture
def accepted(project: Project) -> Project:
    """A baseline that was made by a run without repeats."""
    conftest(project, SEARCH)
    project.cases(CASES)
    project.run(UPDATE)
    return project


def test_each_repeat_is_held_to_the_baseline(accepted: Project) -> None:
    backwards = SEARCH.replace("str.split", "lambda query: query.split()[::-1]")
    conftest(accepted, backwards, TWICE)
    run = accepted.run()
    assert run.counts == {"failed": 4}
    assert run.summary.startswith(
        "Search got worse: 2 of 2 queries (all for certain)\n"
    )
    assert "no ranking changes from call to call: 2 cases, 2 calls each" in run.summary
    assert run.summary.count("  1.000 -> 0.710  ") == 2


def test_the_worst_repeat_counts(accepted: Project) -> None:
    """In the summary, in gates and in the record: the second of three repeats returns
    another ranking.
    """
    found = (
        "calls.append(query) or query.split()[:: -1 if calls.count(query) == 2 else 1]"
    )
    flaky = SEARCH.replace("str.split", f"lambda query: {found}")
    conftest(accepted, "    calls = []\n", flaky, REPEATING.format(count=3))
    accepted.cases(f"gates: [{{mean: {{nDCG@10: 0.9}}}}, {{passing: 0.1}}]\n{CASES}")
    run = accepted.run(RECORD)
    assert run.counts == {"failed": 4, "passed": 4}
    assert set(run.gates.values()) == {"failed"}
    assert "0 of 2 cases pass" in run.text
    assert "Search got worse: 2 of 2 queries (all for certain)" in run.said
    changes = "ranking changes from call to call: 2 cases of 2, 3 calls each"
    assert changes in run.summary
    assert "a b  rank 1: a / b" in run.summary
    results = accepted.recorded().results
    assert [(each.id, each.variant, each.verdict) for each in results] == [
        ("a b", None, "failed"),
        ("c d", None, "failed"),
    ]
    assert [each.ranking.documents for each in results] == [("b", "a"), ("d", "c")]


@pytest.mark.parametrize(
    ("option", "others"), [(UPDATE, "2 changed"), (ONLY_NEW, "nothing changed")]
)
def test_rankings_that_differ_are_never_accepted(
    accepted: Project, option: str, others: str
) -> None:
    accepted.cases("cases: [{query: a b}, {query: c d}, {query: e f}]\n")
    found = "[*query.split(), str(next(calls)) if query == 'e f' else 'z']"
    changing = SEARCH.replace("str.split", f"lambda query: {found}")
    calls = "    import itertools\n    calls = itertools.count()\n"
    conftest(accepted, calls, changing, TWICE)
    run = accepted.run(option)
    assert run.counts == {"passed": 6}
    assert run.code == 1  # not all that was asked for was done
    second, first = run.sentences("baseline ")
    assert first == f"baseline {BASELINE}: {others}"
    assert (
        "1 ranking is not accepted, because a second call of the search returned"
        in second
    )
    assert second.endswith('"e f"')
    assert ("e f", None) not in Accepted(accepted.path / BASELINE).rankings


def test_a_part_of_the_repeats_is_not_the_whole_file(accepted: Project) -> None:
    cases = CASES.replace("query: a b,", "query: a b c, id: ab,")
    accepted.cases(f"gates: [{{passing: 1}}]\n{cases}")
    conftest(accepted, SEARCH, TWICE)
    run = accepted.run("--deselect=shop.relevance.yaml::ab[2-2]", UPDATE)
    part = "1 of 2 cases ran, and the other cases keep their entries"
    assert run.sentences("baseline ") == [
        f"baseline {BASELINE}: 1 added, 2 as they were; {part}"
    ]
    run = accepted.run("--deselect=shop.relevance.yaml::ab[2-2]", "-rs")
    assert "not evaluated: 1 of 2 ran" in run.text
    whole = f"baseline {BASELINE}: 1 gone, 2 as they were"
    assert accepted.run(UPDATE).sentences("baseline ") == [whole]


def test_cases_with_the_same_fixtures_have_the_same_parameters(
    project: Project,
) -> None:
    by_name = """
    def pytest_generate_tests(metafunc):
        repeats = 2 if metafunc.definition.name == "a b" else 1
        metafunc.fixturenames.append("_again")
        metafunc.parametrize("_again", range(repeats))
    """
    conftest(project, SEARCH, by_name)
    project.cases(CASES)
    assert project.run().counts == {"passed": 4}


def test_what_a_plugin_notes_on_a_function_that_it_parametrises_is_on_that_of_each_item(
    project: Project,
) -> None:
    noting = """
    def pytest_generate_tests(metafunc):
        metafunc.fixturenames.append("_again")
        metafunc.parametrize("_again", range(2))
        metafunc.function.is_repeated = True

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(items):
        assert [item.function.is_repeated for item in items] == [True] * 4
    """
    conftest(project, SEARCH, noting)
    project.cases(CASES)
    assert project.run().counts == {"passed": 4}


def test_the_record_has_the_names_of_items_that_are_not_the_variants(
    project: Project,
) -> None:
    project.cases(CASES)
    conftest(project, WORD_BY_WORD)
    project.run(RECORD)
    assert not any(result.origin.items for result in project.recorded().results)
    conftest(project, WORD_BY_WORD, TWICE)
    project.run(RECORD)
    first, *_ = project.recorded().results
    assert first.origin.items == ("a b[bm25-1-2]", "a b[bm25-2-2]")


# --- variants that are not those of the baseline --------------------------------------


def moved(
    project: Project,
    before: Sequence[str] | None,
    after: Sequence[str] | None,
    *options: str,
) -> Run:
    """Run cases in other variants than those that were accepted."""
    project.cases(CASES)
    conftest(project, parametrised(before))
    project.run(UPDATE)
    conftest(project, parametrised(after))
    return project.run(*options)


def test_entries_of_variants_that_were_not_collected_are_stale(
    project: Project,
) -> None:
    run = moved(project, None, ["bm25", "dense"])
    assert run.counts == {"failed": 4}
    change = 'had no variant, and has the variants "bm25" and "dense"'
    why = f"the baseline is stale: the search {change}; --relevance-update accepts"
    assert why in run.told(next(iter(run.outcomes)))
    assert "# 2 cases have a stale baseline" in run.said
    assert "gone" not in run.summary

    kept = Accepted(project.path / BASELINE).rankings
    assert project.run(ONLY_NEW).counts == {"failed": 4}  # none is new
    assert Accepted(project.path / BASELINE).rankings == kept
    assert project.run(UPDATE).code == 0
    rankings = Accepted(project.path / BASELINE).rankings
    assert {variant for _, variant in rankings} == {"bm25", "dense"}
    assert project.run().code == 0


def test_a_stale_case_that_is_expected_to_fail_fails_too(project: Project) -> None:
    moved(project, None, ["bm25", "dense"])
    project.cases(CASES.replace("query:", "xfail: not yet, query:"))
    assert project.run().counts == {"failed": 4}


@pytest.mark.parametrize(
    ("before", "after", "options", "passed", "new"),
    [
        (["bm25"], ["bm25", "dense"], [], 4, True),  # one more
        (["bm25", "dense"], ["dense"], [], 2, False),  # as in a job of a matrix
        (["bm25"], ["bm25", "dense"], ["-kdense"], 2, True),  # both were collected
    ],
)
def test_where_another_variant_is_as_it_was(
    project: Project,
    before: list[str],
    after: list[str],
    options: list[str],
    passed: int,
    new: bool,
) -> None:
    run = moved(project, before, after, *options)
    assert (run.code, run.counts["passed"]) == (0, passed)
    assert ("(2 new to the reference)" in run.summary) == new


# --- their order ----------------------------------------------------------------------

AS_WRITTEN = ["zebra", "apple", "mango"]
IN_ORDER = f"""
    @pytest.fixture(scope="session", params={AS_WRITTEN})
    def search(request):
        return lambda query: query.split()[:: 1 if request.param == "zebra" else -1]
"""


def variants_in(text: str) -> list[str]:
    """The variants as a text names them, in their order."""
    return re.findall("zebra|apple|mango", text)


LOWEST = ["apple", "apple", "mango", "mango"]


def test_variants_stand_in_the_order_of_the_parameters_as_written(
    project: Project, command: Command
) -> None:
    conftest(project, IN_ORDER)
    project.cases(CASES)
    run = project.run(RECORD, "-n2")
    cases = AS_WRITTEN * 2
    order = [*AS_WRITTEN, *LOWEST, *AS_WRITTEN, "zebra", *cases]
    assert variants_in(run.summary) == order
    assert variants_in(command("report", "run.jsonl").out) == order


def test_the_records_of_shards_have_the_order_of_the_parameters(
    project: Project, command: Command
) -> None:
    conftest(project, IN_ORDER)
    project.cases(CASES)
    for name, query in (("two", "c d"), ("one", "a b")):
        project.run(f"--relevance-record={name}.jsonl", f"shop.relevance.yaml::{query}")
    merged = command("merge", "two.jsonl", "one.jsonl", "-o", "whole.jsonl")
    assert merged.code == 0
    assert variants_in(merged.out)[:3] == AS_WRITTEN
    results = project.recorded("whole.jsonl").results
    indexes = {result.variant: result.origin.variant_index for result in results}
    assert indexes == {"zebra": 0, "apple": 1, "mango": 2}
