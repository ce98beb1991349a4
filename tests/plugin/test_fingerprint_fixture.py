"""The fixture `relevance_fingerprint`: kept in records and baselines, and never a
reason to fail. How two fingerprints differ is in `tests/results/test_fingerprint.py`.
"""

import json

import pytest

from pytest_relevance import compare_runs
from tests.plugin.conftest import Accepted, Project, Run
from tests.plugin.shop import BASELINE, UPDATE

RECORD = "--relevance-record=run.jsonl"

SEARCH = """
    import json, os, pathlib
    import pytest

    STATE = pathlib.Path(__file__).with_name("state.json")

    @pytest.fixture(scope="session")
    def search():
        return lambda query: json.loads(STATE.read_text())["ranking"].split()
"""
FINGERPRINT = """
    @pytest.fixture(scope="session")
    def relevance_fingerprint():
        with STATE.with_name("requests.txt").open("a") as file:
            file.write(os.environ.get("PYTEST_XDIST_WORKER", "here") + "\\n")
        return json.loads(STATE.read_text())["fingerprint"]
"""
CASES = """
    cases:
      - {query: boots, judgments: {b1: 3, b2: 1}, min_ndcg: 0.9}
      - {query: hats, judgments: {b1: 3, b2: 1}}
      - {query: socks}
"""


def now(project: Project, index: str, ranking: str = "b1 b2", **others: object) -> None:
    """Set what the search returns, and which index the fixture names, from now on."""
    state = {"ranking": ranking, "fingerprint": {"index": index, **others}}
    (project.path / "state.json").write_text(json.dumps(state))


@pytest.fixture
def shop(project: Project) -> Project:
    project.conftest(SEARCH + FINGERPRINT)
    project.cases(CASES)
    now(project, "products-11", documents=19406)
    return project


OF_SHOP = {"index": "products-11", "documents": 19406}


def recorded(project: Project) -> dict[str, object]:
    return dict(project.recorded().info.fingerprint)


def accepted(project: Project) -> dict[str, object]:
    return Accepted(project.path / BASELINE).fingerprint


def requests(project: Project) -> list[str]:
    """The processes that have requested the fixture."""
    return sorted((project.path / "requests.txt").read_text().split())


def warnings(run: Run) -> list[str]:
    """What the summary says of the fixture, each warning in one line."""
    return [line for line in run.sentences() if "relevance_fingerprint" in line]


def test_it_is_requested_once_and_kept_in_the_record(
    shop: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    # these tests may run in a worker themselves
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    run = shop.run(RECORD)
    assert run.code == 0
    assert recorded(shop) == OF_SHOP
    assert requests(shop) == ["here"]
    assert "fingerprint" not in run.text
    shop.conftest(SEARCH)
    assert shop.run(RECORD).code == 0
    assert recorded(shop) == {}


def test_a_failure_and_the_summary_say_how_it_differs_from_the_baseline(
    shop: Project,
) -> None:
    shop.run(UPDATE)
    assert accepted(shop) == OF_SHOP
    now(shop, "products-20", "x b2 b1", documents=20010)
    run = shop.run()
    changes = "index products-11 -> products-20, documents 19406 -> 20010"
    assert run.counts == {"failed": 2, "passed": 1}
    then_and_now = f"searched then and now: {changes}\nsince the reference: nDCG@10 "
    assert then_and_now in run.failure("hats")
    assert run.sentences("searched") == [f"searched since the reference: {changes}"]
    baseline = run.results["hats"].baseline
    assert baseline is not None
    assert baseline.searched["index"] == ["products-11", "products-20"]
    shop.run(UPDATE)
    assert "searched" not in shop.run().text


def test_an_update_that_changes_no_ranking_accepts_the_fingerprint(
    shop: Project,
) -> None:
    shop.run(UPDATE)
    now(shop, "products-20")
    nothing = f"baseline {BASELINE}: nothing changed but the fingerprint"
    assert shop.run(UPDATE).sentences("baseline ") == [nothing]
    assert accepted(shop) == {"index": "products-20"}


def test_what_an_update_of_one_case_dropped_is_not_told_as_none(shop: Project) -> None:
    now(shop, "products-11", weights="1")
    shop.run(UPDATE)
    now(shop, "products-11", "b2 b1", weights="5")
    shop.run(UPDATE, "shop.relevance.yaml::boots")
    assert accepted(shop) == {"index": "products-11"}
    assert "searched" not in shop.run().text
    now(shop, "products-20", "b2 b1", weights="5")
    run = shop.run()
    change = "index products-11 -> products-20"
    assert f"searched then and now: {change}\n" in run.failure("hats")
    assert run.sentences("searched") == [f"searched since the reference: {change}"]


def test_two_records_are_compared_by_it(shop: Project) -> None:
    shop.run("--relevance-record=before.jsonl")
    now(shop, "products-20", "b2 b1", documents=19406)
    shop.run("--relevance-record=after.jsonl")
    found = compare_runs("before.jsonl", "after.jsonl")
    changed = {"index": ["products-11", "products-20"]}
    assert found.fingerprint == found.to_dict()["fingerprint"] == changed
    for text in (found.summary(), found.to_markdown()):
        assert "searched: index products-11 -> products-20" in text


def test_each_worker_requests_it_once(shop: Project) -> None:
    run = shop.run("-n2", RECORD)
    assert run.code == 0
    assert requests(shop) == ["gw0", "gw1"]
    assert recorded(shop) == OF_SHOP
    assert warnings(run) == []


def with_fixture(project: Project, signature: str, body: str) -> None:
    """A shop whose fixture has another body."""
    fixture = (
        f'@pytest.fixture(scope="session")\n    def relevance_fingerprint({signature})'
    )
    project.conftest(f"{SEARCH}\n    {fixture}:\n        {body}\n")
    project.cases(CASES)
    now(project, "products-11")


def test_workers_that_disagree_are_told_of(project: Project) -> None:
    with_fixture(project, "worker_id", 'return {"index": worker_id, "engine": "es"}')
    run = project.run("-n2", RECORD)
    assert run.code == 0
    (said,) = warnings(run)
    differ = "the workers searched different things, by relevance_fingerprint: index gw"
    assert said.startswith(differ)
    assert recorded(project) == {"engine": "es"}


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return ['index']", "it is a flat mapping of names to texts, numbers, true or false, found ['index']"),
        ("return {'index': {'name': 'x'}}", "under \"index\" there is {'name': 'x'}"),
        ("raise ConnectionError('no engine\\nat all')", "it raised ConnectionError: no engine"),
        ("raise ValueError('401 for https://me:pw@host')", "it raised ValueError: 401 for https://<redacted"),
        ("pytest.skip('no index')", "it raised Skipped: no index"),
    ],
)  # fmt: skip
def test_one_that_cannot_be_used_is_a_message(
    project: Project, body: str, said: str
) -> None:
    with_fixture(project, "", body)
    run = project.run(RECORD)
    assert (run.code, run.counts) == (0, {"passed": 3})
    (found,) = warnings(run)
    unused = "the fixture relevance_fingerprint cannot be used, and the run goes on without it: "
    assert found.startswith(unused)
    assert said in found
    assert recorded(project) == {}


ASYNC = """
    import pytest_asyncio

    @pytest_asyncio.fixture(scope="session", loop_scope="session")
    async def relevance_fingerprint():
        return {"index": "products-11"}
"""


@pytest.mark.parametrize(
    "fixture", [FINGERPRINT, ASYNC], ids=["plain", "of pytest-asyncio"]
)
def test_a_check_of_a_test_in_python_has_it_too(shop: Project, fixture: str) -> None:
    if fixture == ASYNC:
        pytest.importorskip("pytest_asyncio")
    shop.conftest(SEARCH + fixture)
    now(shop, "products-11")
    shop.test("relevance.check('boots', ['b1'], {'b1': 1})")
    for file in ("test_shop.py", "shop.relevance.yaml"):
        run = shop.run(RECORD, file, loops=True)
        assert (run.code, warnings(run)) == (0, [])
        assert recorded(shop) == {"index": "products-11"}
