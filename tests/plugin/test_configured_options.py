"""What the configuration of pytest may not do to a build: accept what it finds, choose
another reference, run nothing, or switch hooks off. A branch can change its
configuration, and the build has its options on the command line.
"""

import pytest

from tests.plugin.conftest import Project
from tests.plugin.shop import AGAINST, RECORD, REQUIRE, UPDATE, Shop, cases

REFUSED = pytest.ExitCode.USAGE_ERROR


@pytest.fixture
def shop(project: Project) -> Shop:
    """A search that got worse since its baseline was committed, and its record made."""
    shop = Shop(project)
    shop.cases(cases("boots"))
    shop.returns(boots="a b")
    shop.run(UPDATE, RECORD)
    shop.returns(boots="b")
    return shop


def error(shop: Shop, *options: str) -> str:
    """Run pytest, and return the message of its usage error."""
    run = shop.run(*options)
    assert run.code == REFUSED
    return run.result.stderr.str() + run.text


@pytest.mark.parametrize(
    ("update", "place"),
    [(UPDATE, "pytest.ini"), ("--relevance-update=test", "PYTEST_ADDOPTS")],
)
def test_an_update_is_for_the_command_line_alone(
    shop: Shop, update: str, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if place == "pytest.ini":
        shop.write(place, f"[pytest]\naddopts = {update}\n")
    else:
        monkeypatch.setenv(place, update)
    told = "--relevance-update is in addopts or PYTEST_ADDOPTS: a run would accept all"
    assert told in error(shop)
    assert shop.run(update).code != REFUSED


def test_the_configuration_cannot_replace_a_required_baseline(shop: Shop) -> None:
    shop.run("--relevance-record=worse.jsonl")
    shop.write("pytest.ini", "[pytest]\naddopts = --relevance-against=worse.jsonl\n")
    assert "--relevance-against is in addopts" in error(shop, REQUIRE)
    assert shop.run(REQUIRE, AGAINST).code == 1
    assert shop.run().code == 0


NO_CASE_RUNS = (
    *("--collect-only", "--setup-plan", "--setup-only", "--fixtures"),
    *("--fixtures-per-test", "--markers", "--help"),
)


def test_a_build_in_which_no_case_runs_is_refused(shop: Shop) -> None:
    for option in NO_CASE_RUNS:
        shop.write("pytest.ini", f"[pytest]\naddopts = {option}\n")
        told = f"{option} is in addopts or PYTEST_ADDOPTS: no case would run"
        assert told in error(shop, REQUIRE)
        # an editor lists the tests so
        assert shop.run(option, REQUIRE).code == 0
    for asked in (AGAINST, "--relevance-markdown=run.md"):
        assert told in error(shop, asked)


@pytest.mark.parametrize("name", ["run", "reporting", "terminal", "outputs"])
def test_no_option_switches_the_hooks_of_a_run_off(shop: Shop, name: str) -> None:
    shop.cases(cases("boots hats"))
    shop.returns(boots="a b", hats="a")
    shop.run("--relevance-update=new")
    shop.cases(cases("boots"))
    blocked = f"no:relevance-{name}"
    run = shop.run(REQUIRE, "-p", blocked, "--relevance-record=run.jsonl")
    assert run.code == 1
    assert "1 case is gone" in run.said
    assert (shop.path / "run.jsonl").exists()
