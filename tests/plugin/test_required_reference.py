"""`--relevance-baseline=require` looks at the whole reference, unless the command line
selects cases.
"""

from pathlib import Path

import pytest

from tests.plugin.conftest import Command, Project
from tests.plugin.shop import (
    AGAINST,
    BOTH,
    RECORD,
    REQUIRE,
    SEARCH,
    UPDATE,
    Shop,
)

SHOP = "cases: [{query: boots, judgments: {a: 3}}, {query: hats, judgments: {a: 3}}]"
HELP = "cases: [{query: returns, judgments: {a: 3}}]"
NAMES = {name: f"tests/{name}/{name}.relevance.yaml" for name in ("shop", "help")}
NOTHING_OF_HELP = f'no case ran of 1 file ("{NAMES["help"]}")'


@pytest.fixture
def shop(project: Project) -> Shop:
    """Two case files in two folders, with committed baselines and a record."""
    shop = Shop(project)
    shop.cases(SHOP, NAMES["shop"])
    shop.cases(HELP, NAMES["help"])
    shop.returns(boots="a", hats="a", returns="a")
    shop.run(UPDATE, RECORD)
    return shop


def file(shop: Shop, name: str) -> Path:
    return shop.path / NAMES[name]


@pytest.mark.parametrize(
    "options",
    [[], ["tests"], ["-n1"], [AGAINST], [AGAINST, "tests", "-n1"]],
    ids=" ".join,
)
def test_a_case_file_that_is_gone_fails(shop: Shop, options: list[str]) -> None:
    file(shop, "help").unlink()
    run = shop.run(REQUIRE, *options)
    assert run.code == 1
    assert NOTHING_OF_HELP in run.said


@BOTH
def test_a_case_file_that_is_gone_fails_only_where_a_reference_is_required(
    shop: Shop, against: list[str]
) -> None:
    assert shop.run(REQUIRE, *against).code == 0
    file(shop, "help").unlink()
    assert shop.run(*against).code == 0


@BOTH
def test_a_case_file_that_was_moved_without_its_baseline_fails(
    shop: Shop, against: list[str]
) -> None:
    file(shop, "help").rename(shop.path / "tests/help/answers.relevance.yaml")
    assert shop.run(REQUIRE, *against).code == pytest.ExitCode.INTERRUPTED


def test_a_case_file_that_was_moved_with_its_baseline_is_fine(shop: Shop) -> None:
    for name in ("help.relevance.yaml", "help.relevance.yaml.baseline.jsonl"):
        (shop.path / "tests/help" / name).rename(shop.path / "tests" / name)
    assert shop.run(REQUIRE).code == 0


@BOTH
def test_the_last_case_file_that_is_gone_fails(shop: Shop, against: list[str]) -> None:
    """No case file is left that could say so."""
    file(shop, "help").unlink()
    file(shop, "shop").unlink()
    shop.write("tests/test_other.py", "def test_other(): pass")
    run = shop.run(REQUIRE, *against)
    assert run.code == 1
    assert "no case ran of 2 files" in run.said


@pytest.mark.parametrize("compares", [REQUIRE, AGAINST])
def test_a_run_without_a_case_file_fails_unless_the_command_line_chooses(
    shop: Shop, compares: str
) -> None:
    """Case files and baselines are gone together."""
    for path in (shop.path / "tests").rglob("*.relevance.yaml*"):
        path.unlink()
    shop.write("tests/test_other.py", "def test_other(): pass")
    run = shop.run(compares)
    assert run.code == 1
    assert (
        "so the run fails: restore the case files, or leave the option out" in run.said
    )
    assert shop.run(compares, "tests").code == 0


def test_cases_that_addopts_deselects_fail_against_a_record(shop: Shop) -> None:
    shop.write("pytest.ini", "[pytest]\naddopts = -k nothing\n")
    shop.write("tests/test_other.py", "def test_nothing(): pass")
    run = shop.run(AGAINST)
    assert run.code == 1
    assert "all 3 cases were deselected, and --relevance-against is given" in run.said
    assert shop.run(AGAINST, "-k", "nothing").code == 0


@BOTH
def test_a_case_file_that_nothing_collects_any_more_fails(
    shop: Shop, against: list[str]
) -> None:
    shop.write("tests/help/conftest.py", "collect_ignore_glob = ['*.yaml']\n")
    assert shop.run(REQUIRE, *against).code == 1


@pytest.mark.parametrize("options", [[], [AGAINST, "-n1"]], ids=["baseline", "record"])
@pytest.mark.parametrize(
    "tells", ["", "config.hook.pytest_deselected(items=hats)"], ids=["silently", "told"]
)
def test_cases_that_a_hook_drops_fail(
    shop: Shop, options: list[str], tells: str
) -> None:
    shop.conftest(f"""{SEARCH}
    def pytest_collection_modifyitems(config, items):
        hats = [item for item in items if item.name == "hats"]
        {tells}
        items[:] = [item for item in items if item.name != "hats"]
    """)
    run = shop.run(REQUIRE, *options)
    assert run.code == 1
    assert "does not compare 1 case of" in run.said
    assert '1 case was not run ("hats")' in run.said


# --- honest partial runs --------------------------------------------------------------


SELECTIONS = (
    ("-k", "boots"),
    ("-m", "not slow"),
    ("tests/shop",),
    (NAMES["shop"],),
    (f"{NAMES['shop']}::boots",),
    ("--deselect", f"{NAMES['shop']}::hats"),
    ("--ignore", "tests/help"),
)


@BOTH
def test_what_the_command_line_selects_says_nothing_of_the_rest(
    shop: Shop, against: list[str]
) -> None:
    file(shop, "help").unlink()
    for selection in SELECTIONS:
        assert shop.run(REQUIRE, *against, *selection).code == 0, selection


@BOTH
def test_of_a_selection_the_cases_that_ran_count(
    shop: Shop, against: list[str]
) -> None:
    shop.returns(hats="skip")
    assert shop.run(REQUIRE, *against, "-k", "boots").code == 0
    assert shop.run(REQUIRE, *against, "-k", "hats").code == 1


def test_a_plugin_that_runs_a_shard_selects(shop: Shop) -> None:
    """pytest-shard keeps its number of shards under this name, and drops the other
    cases in silence.
    """
    shop.conftest(f"""{SEARCH}
    def pytest_addoption(parser):
        parser.addoption("--num-shards", type=int, default=1)

    def pytest_collection_modifyitems(items):
        del items[1:]
    """)
    assert shop.run(REQUIRE, "--num-shards=2").code == 0
    assert shop.run(REQUIRE, "--num-shards=1").code == 1


def test_the_folder_in_which_pytest_is_started_is_the_whole(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.write("pytest.ini", "[pytest]\n")
    file(shop, "help").unlink()
    monkeypatch.chdir(shop.path / "tests/shop")
    assert shop.run(REQUIRE).code == 0


# --- what the configuration leaves out ------------------------------------------------


SETTINGS = (
    "testpaths = tests/shop",
    "norecursedirs = help",
    "relevance_files = shop.relevance.yaml",
    "addopts = tests/shop",
    "addopts = --ignore=tests/help",
    "addopts = --ignore-glob=*help*",
    "addopts = --rootdir=tests/shop tests/shop",
)


@BOTH
def test_a_case_file_that_the_configuration_leaves_out_fails(
    shop: Shop, against: list[str]
) -> None:
    for setting in SETTINGS:
        shop.write("pytest.ini", f"[pytest]\n{setting}\n")
        run = shop.run(REQUIRE, *against)
        assert run.code == 1, setting
        assert "no case ran of 1 file" in run.said
        assert "pytest left them out because of testpaths, norecursedirs" in run.said
        assert shop.run(REQUIRE, *against, "tests/shop").code == 0, setting


@BOTH
def test_cases_that_the_configuration_leaves_out_fail(
    shop: Shop, against: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hats, boots = (f"{NAMES['shop']}::{name}" for name in ("hats", "boots"))
    for options in ("-k boots", f"--deselect={hats}", boots):
        monkeypatch.setenv("PYTEST_ADDOPTS", options)
        run = shop.run(REQUIRE, *against)
        assert run.code == 1, options
        take = "take the selection (-k, -m ...) out of addopts, or give one on the command line"
        assert take in run.said
        assert shop.run(REQUIRE, *against, "-k", "boots").code == 0, options
        assert shop.run(*against).code == 0, options


# --- shards and merge -----------------------------------------------------------------


def shards(shop: Shop, *options: str, code: int | None = 0) -> list[str]:
    """Run each case file that is there as a shard, and return the records. Each run has
    this exit code, if one is given.
    """
    records = []
    for name, case_file in NAMES.items():
        if file(shop, name).exists():
            records.append(f"{name}.jsonl")
            record = f"--relevance-record={name}.jsonl"
            run = shop.run(case_file, record, *options)
            assert code in (None, run.code)
    return records


@BOTH
def test_a_merge_looks_at_the_whole_reference(
    shop: Shop, against: list[str], command: Command
) -> None:
    assert command("merge", *shards(shop, REQUIRE, *against)).code == 0
    file(shop, "help").unlink()
    records = shards(shop, REQUIRE, *against)
    merged = command("merge", *records)
    assert merged.code == 1
    assert NOTHING_OF_HELP in merged.out
    assert "relevance_baseline is require, so the merge fails" in merged.out
    assert NOTHING_OF_HELP in command("merge", *records, "--format", "markdown").out
    # as no shard requires a baseline
    assert command("merge", *shards(shop, *against)).code == 0


@BOTH
def test_a_merge_fails_for_a_case_file_that_no_shard_was_told_to_run(
    shop: Shop, against: list[str], command: Command
) -> None:
    shards(shop, REQUIRE, *against)
    merged = command("merge", "shop.jsonl")
    assert merged.code == 1
    assert NOTHING_OF_HELP in merged.out


def test_a_merge_of_a_merge_looks_at_the_whole_again(
    shop: Shop, command: Command
) -> None:
    shards(shop, REQUIRE, AGAINST)
    fails = "relevance_baseline is require, so the merge fails"
    part = command("merge", "shop.jsonl", "-o", "part.jsonl")
    again = command("merge", "part.jsonl")
    for merged in (part, again):
        assert (merged.code, merged.out.count(fails)) == (1, 1)
    assert command("merge", "part.jsonl", "help.jsonl").code == 0


def test_a_merge_tells_what_is_lost_and_what_the_reference_has_no_ranking_of(
    shop: Shop, command: Command
) -> None:
    shop.cases(SHOP.replace("hats, judgments: {a: 3}", "hats"), NAMES["shop"])
    merged = command("merge", *shards(shop, AGAINST))
    lost = 'in main.jsonl and not compared: 1 case has no judgments now ("hats")'
    assert merged.code == 0
    assert lost in merged.out

    shop.cases(SHOP, NAMES["shop"])
    shop.returns(hats="boom", returns="boom")
    shop.run(RECORD)
    shop.returns(boots="skip", hats="b", returns="b")
    said = command("merge", *shards(shop, AGAINST, code=None)).out
    assert 'in main.jsonl and not compared: 1 case was skipped ("boots")' in said
    assert '2 cases ended in an error there ("hats" and "returns")' in said


def test_a_merge_fails_if_no_shard_has_anything_of_the_record(
    shop: Shop, command: Command
) -> None:
    shop.cases(HELP, "tests/other.relevance.yaml")
    shop.run("tests/other.relevance.yaml", "--relevance-record=other.jsonl")
    records = shards(shop, "--relevance-against=other.jsonl", code=1)
    merged = command("merge", *records)
    assert merged.code == 1
    assert "other.jsonl has none of the case files that ran" in merged.out
