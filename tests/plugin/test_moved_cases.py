"""Cases under another id, in another file or in another variant keep their accepted
ranking.
"""

import json

import pytest

from pytest_relevance.cli import main
from tests.plugin.conftest import Accepted, Project, Run
from tests.plugin.test_baseline_in_pytest import ONLY_NEW, UPDATE, Shop

RECORD, AGAINST = "--relevance-record=main.jsonl", "--relevance-against=main.jsonl"
BOTH = pytest.mark.parametrize("against", [[], [AGAINST]], ids=["baseline", "record"])

SHOP, STORE = "shop.relevance.yaml", "store.relevance.yaml"
BOOTS = "{query: boots, judgments: {b: 3}}"
HATS = "{query: hats, judgments: {h: 3}}"
SEE = "{id: see, query: boots, judgments: {b: 3}}"


@pytest.fixture
def shop(project: Project) -> Shop:
    """A shop whose rankings of boots and hats were accepted, and recorded on main."""
    shop = Shop(project)
    shop.cases(f"cases: [{BOOTS}, {HATS}]")
    shop.returns(boots="b", hats="h")
    shop.run(UPDATE, RECORD)
    shop.returns(boots="x b")
    return shop


def told(run: Run) -> str:
    """What the summary says of moved cases, in one line."""
    return " ".join(run.sentences("1 case was moved") or run.sentences("2 cases were"))


@BOTH
def test_a_case_under_another_id_is_compared(shop: Shop, against: list[str]) -> None:
    shop.cases(f"cases: [{SEE}, {HATS}]")
    run = shop.run("-n1", *against)
    assert run.outcomes == {"see": "failed", "hats": "passed"}
    assert 'keeps its accepted ranking: "boots" is now "see"' in told(run)
    assert "not compared" not in run.text


@BOTH
def test_a_case_in_another_file_is_compared(shop: Shop, against: list[str]) -> None:
    shop.cases(f"cases: [{HATS}]")
    shop.cases(f"cases: [{BOOTS}]", STORE)
    run = shop.run(*against)
    assert run.outcomes == {"boots": "failed", "hats": "passed"}
    assert f'"boots" of {SHOP} is now in {STORE}' in told(run)
    assert "not compared" not in run.text


@BOTH
@pytest.mark.parametrize("name", [STORE, f"deeper/{SHOP}"])
def test_the_cases_of_a_renamed_file_are_compared(
    shop: Shop, name: str, against: list[str]
) -> None:
    (shop.path / "deeper").mkdir()
    (shop.path / SHOP).rename(shop.path / name)
    run = shop.run(*against)
    assert run.outcomes == {"boots": "failed", "hats": "passed"}
    assert f"2 cases of {SHOP} are now in {name}" in told(run)
    assert run.counts == {"failed": 1, "passed": 1}
    if against:
        assert "not compared" not in run.text


@BOTH
def test_ids_may_be_the_numbers_of_rows(shop: Shop, against: list[str]) -> None:
    queries = "queries: queries.csv\njudgments: judgments.csv\n"
    shop.cases(queries)
    shop.project.write("judgments.csv", "query,document,grade\nboots,b,3\nhats,h,3\n")
    shop.project.write("queries.csv", "id,query\n1,boots\n2,hats\n")
    shop.returns(boots="b")
    shop.run(UPDATE, RECORD)
    shop.returns(boots="x b", belts="")
    shop.project.write("queries.csv", "id,query\n1,belts\n2,boots\n3,hats\n")
    run = shop.run(*against)
    assert run.outcomes == {"1": "passed", "2": "failed", "3": "passed"}
    assert '"1" is now "2" and "2" is now "3"' in told(run)
    assert "stale" not in run.text


@BOTH
@pytest.mark.parametrize(
    "now",
    [
        "{id: see, query: boots, judgments: {b: 2}}",
        "{id: see, query: boots, judgments: {b: 3}, params: {n: 1}}",
        "{id: see, query: boot, judgments: {b: 3}}",
    ],
)
def test_a_case_that_asks_something_else_is_new(
    shop: Shop, now: str, against: list[str]
) -> None:
    shop.project.conftest(
        "import pytest\n\n@pytest.fixture\ndef search():\n    return lambda query, n=0: ['x']\n"
    )
    shop.cases(f"cases: [{now}, {HATS}]")
    run = shop.run(*against)
    assert run.outcomes["see"] == "passed"
    assert told(run) == ""
    assert '1 case is gone ("boots")' in run.text


@BOTH
def test_what_is_ambiguous_is_told_and_not_guessed(
    shop: Shop, against: list[str]
) -> None:
    shop.cases(f"cases: [{SEE}, {SEE.replace('see', 'look')}, {HATS}]")
    run = shop.run(*against)
    assert run.outcomes == {"see": "passed", "look": "passed", "hats": "passed"}
    assert run.sentences("2 cases may") == [
        "2 cases may have been moved, but several cases of the reference fit, so nothing "
        'is compared ("see" and "look")'.replace(
            "several cases of the reference fit", "several cases fit"
        )
    ]
    assert '1 case is gone ("boots")' in run.text


@BOTH
def test_a_required_reference_is_met_by_moved_cases(
    shop: Shop, against: list[str]
) -> None:
    shop.returns(boots="b")
    shop.cases(f"cases: [{SEE}, {HATS}]")
    assert shop.run("--relevance-baseline=require", *against).code == 0
    shop.cases(f"cases: [{SEE}, {SEE.replace('see', 'look')}, {HATS}]")
    run = shop.run("--relevance-baseline=require", *against)
    assert run.code == 1
    assert "does not compare 1 case" in " ".join(run.text.split())


@BOTH
def test_a_case_that_the_reference_knows_as_an_error_was_not_moved(
    shop: Shop, against: list[str]
) -> None:
    """It is another case, which asks the same as the one that is gone."""
    shop.cases(f"cases: [{BOOTS}, {HATS}, {SEE.replace('boots', 'belts')}]")
    shop.returns(boots="b", belts="boom")
    shop.run(UPDATE, RECORD)
    shop.returns(boots="x b")
    shop.cases(f"cases: [{HATS}, {SEE}]")
    run = shop.run(*against)
    assert told(run) == ""
    assert run.results["see"].baseline is not None
    assert run.results["see"].baseline.standing == "not compared"


# --- variants -------------------------------------------------------------------------


def search_of(project: Project, **rankings: str) -> None:
    """Have the search run in these variants, each with its ranking."""
    names = ", ".join(
        f'pytest.param("{found}", id="{name}")' for name, found in rankings.items()
    )
    project.search(
        "return lambda query: request.param.split()", f"(params=[{names}])", "request"
    )


@BOTH
@pytest.mark.parametrize(
    ("then", "now", "sentence"),
    [
        ({"bm25": "b", "knn": "b"}, {"lexical": "x b", "knn": "b"}, '"boots[bm25]" is now "boots[lexical]"'),
        ({"bm25": "b"}, {"lexical": "x b"}, '"boots[bm25]" is now "boots[lexical]"'),
    ],
)  # fmt: skip
def test_a_renamed_variant_is_compared(
    project: Project,
    then: dict[str, str],
    now: dict[str, str],
    sentence: str,
    against: list[str],
) -> None:
    project.cases(f"cases: [{BOOTS}]")
    search_of(project, **then)
    project.run(UPDATE, RECORD)
    search_of(project, **now)
    run = project.run(*against)
    assert run.outcomes["boots[lexical]"] == "failed"
    assert sentence in told(run)
    assert "stale" not in run.text


@BOTH
def test_a_variant_that_got_an_id_is_compared(
    project: Project, against: list[str]
) -> None:
    project.cases(f"cases: [{BOOTS}, {HATS}]")
    search = "return lambda query: ['b', 'h'] if query == 'boots' else ['h']"
    project.search(search, '(params=["bm25", "knn"])', "request")
    project.run(UPDATE, RECORD)
    project.search(
        search, '(params=["bm25", pytest.param("knn", id="vectors")])', "request"
    )
    run = project.run(*against)
    assert run.counts == {"passed": 4}
    said = '2 cases had the variant "knn" and have the variant "vectors"'
    assert said in told(run)
    assert "new" not in run.summary


@BOTH
def test_two_renamed_variants_are_not_guessed(
    project: Project, against: list[str]
) -> None:
    project.cases(f"cases: [{BOOTS}]")
    search_of(project, one="b", two="b", kept="b")
    project.run(UPDATE, RECORD)
    search_of(project, three="x b", four="b", kept="b")
    run = project.run(*against)
    assert '("boots[three]" and "boots[four]")' in " ".join(run.text.split())


# --- updates --------------------------------------------------------------------------


def accepted(shop: Shop, name: str = SHOP) -> dict[str, str]:
    rankings = Accepted(shop.path / f"{name}.baseline.jsonl").rankings
    return {case: " ".join(ranking) for (case, _), ranking in rankings.items()}


def test_an_update_writes_the_accepted_ranking_under_the_new_id(shop: Shop) -> None:
    shop.cases(f"cases: [{SEE}, {HATS}, {{query: belts, judgments: {{l: 3}}}}]")
    shop.returns(belts="l")
    run = shop.run(ONLY_NEW)
    assert run.sentences("baseline ") == [
        f"baseline {SHOP}.baseline.jsonl: 1 added, 1 moved, 1 as they were"
    ]
    assert accepted(shop) == {"see": "b", "hats": "h", "belts": "l"}
    assert shop.run().outcomes["see"] == "failed"


def test_an_update_of_all_accepts_the_present_ranking(shop: Shop) -> None:
    shop.cases(f"cases: [{SEE}, {HATS}]")
    run = shop.run(UPDATE)
    assert run.sentences("baseline ") == [
        f"baseline {SHOP}.baseline.jsonl: 1 changed, 1 as they were"
    ]
    assert accepted(shop) == {"see": "x b", "hats": "h"}


def test_a_moved_case_that_ends_in_an_error_keeps_what_it_had(shop: Shop) -> None:
    shop.cases(f"cases: [{SEE}, {HATS}]")
    shop.returns(boots="boom")
    shop.run(UPDATE)
    assert accepted(shop) == {"see": "b", "hats": "h"}


@pytest.mark.parametrize("option", [UPDATE, ONLY_NEW])
def test_an_update_moves_a_ranking_to_another_file(shop: Shop, option: str) -> None:
    shop.cases(f"cases: [{HATS}]")
    shop.cases(f"cases: [{BOOTS}]", STORE)
    shop.run(option, "-n1")
    assert accepted(shop) == {"hats": "h"}
    assert accepted(shop, STORE) == {"boots": "b" if option == ONLY_NEW else "x b"}


def test_a_part_of_a_file_moves_rankings_too(shop: Shop) -> None:
    shop.cases(f"cases: [{SEE}, {HATS}]")
    shop.run(UPDATE, "-k", "hats")
    assert accepted(shop) == {"see": "b", "hats": "h"}


def test_titles_move_with_the_ranking(shop: Shop) -> None:
    shop.cases(f"cases: [{HATS}]")
    shop.cases(f"cases: [{BOOTS}]", STORE)
    shop.run(ONLY_NEW)
    assert Accepted(shop.path / f"{STORE}.baseline.jsonl").titles == {"b": "Title of b"}


# --- gates and reports ----------------------------------------------------------------


@BOTH
def test_a_known_gate_stays_known(shop: Shop, against: list[str]) -> None:
    gate = "gates: [{mean: {nDCG@10: 0.9}}]\n"
    shop.returns(boots="x y")
    shop.cases(f"{gate}cases: [{BOOTS}, {HATS}]")
    shop.run(UPDATE, RECORD)
    shop.cases(f"{gate}cases: [{SEE}, {HATS}]")
    run = shop.run("--relevance-known=xfail", *against)
    assert run.outcomes["gate[mean nDCG@10 0.9]"] == "xfailed"
    assert "are only" not in run.text


def test_reports_say_what_was_moved(
    shop: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    shop.cases(f"cases: [{SEE}, {HATS}]")
    written = ["--relevance-record=now.jsonl", "--relevance-markdown=run.md"]
    shop.run(*written, "--relevance-html=run.html")
    said = '"boots" is now "see"'
    assert said in (shop.path / "run.md").read_text()
    page = (shop.path / "run.html").read_text().partition("<script")[0]
    assert said.replace('"', "&quot;") in page
    capsys.readouterr()
    main(["report", str(shop.path / "now.jsonl")])
    assert said in capsys.readouterr().out
    first = json.loads((shop.path / "now.jsonl").read_text().splitlines()[0])
    moved = {"id": "see", "variant": None, "file_before": SHOP, "id_before": "boots"}
    assert first["files"][SHOP]["moved"] == [{**moved, "variant_before": None}]


def test_a_report_beside_a_record_finds_moved_cases(
    shop: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    shop.cases(f"cases: [{HATS}]")
    shop.cases(f"cases: [{BOOTS}]", STORE)
    shop.run("--relevance-record=now.jsonl", "--relevance-baseline=auto")
    names = [str(shop.path / name) for name in ("now.jsonl", "main.jsonl")]
    capsys.readouterr()
    main(["report", names[0], "--against", names[1]])
    said = " ".join(capsys.readouterr().out.split())
    assert f'"boots" of {SHOP} is now in {STORE}' in said
    assert "1 got worse" in said
    assert "not compared" not in said
