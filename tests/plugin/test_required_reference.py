"""`--relevance-baseline=require` looks at the whole reference, unless the command line
selects cases.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_relevance.cli import main
from tests.plugin.conftest import Project
from tests.plugin.test_baseline_in_pytest import UPDATE, Shop

REQUIRE = "--relevance-baseline=require"
RECORD, AGAINST = "--relevance-record=main.jsonl", "--relevance-against=main.jsonl"
SHOP = "cases: [{query: boots, judgments: {a: 3}}, {query: hats, judgments: {a: 3}}]"
HELP = "cases: [{query: returns, judgments: {a: 3}}]"
REFERENCES = pytest.mark.parametrize(
    "reference", [(), (AGAINST,)], ids=["baseline", "record"]
)


@pytest.fixture
def shop(project: Project) -> Shop:
    """Two case files in two folders, with committed baselines and a record."""
    shop = Shop(project)
    shop.cases(SHOP, "tests/shop/shop.relevance.yaml")
    shop.cases(HELP, "tests/help/help.relevance.yaml")
    shop.returns(boots="a", hats="a", returns="a")
    shop.run(UPDATE, RECORD)
    return shop


def words(text: str) -> str:
    return " ".join(text.split())


def file(shop: Shop, name: str) -> Path:
    return shop.path / "tests" / name / f"{name}.relevance.yaml"


@REFERENCES
@pytest.mark.parametrize("command", [(), ("tests",), ("-n1",)], ids=str)
def test_a_case_file_that_is_gone_fails(
    shop: Shop, reference: tuple[str, ...], command: tuple[str, ...]
) -> None:
    assert shop.run(REQUIRE, *reference, *command).code == 0
    file(shop, "help").unlink()
    run = shop.run(REQUIRE, *reference, *command)
    assert run.code == 1
    said = 'nothing ran of 1 file ("tests/help/help.relevance.yaml")'
    assert said in words(run.summary)
    assert shop.run(*reference, *command).code == 0


@REFERENCES
def test_a_case_file_that_was_moved_without_its_baseline_fails(
    shop: Shop, reference: tuple[str, ...]
) -> None:
    file(shop, "help").rename(shop.path / "tests/help/answers.relevance.yaml")
    assert shop.run(REQUIRE, *reference).code == pytest.ExitCode.INTERRUPTED


def test_a_case_file_that_was_moved_with_its_baseline_is_fine(shop: Shop) -> None:
    for name in ("help.relevance.yaml", "help.relevance.yaml.baseline.jsonl"):
        (shop.path / "tests/help" / name).rename(shop.path / "tests" / name)
    assert shop.run(REQUIRE).code == 0


@REFERENCES
def test_the_last_case_file_that_is_gone_fails(
    shop: Shop, reference: tuple[str, ...]
) -> None:
    """No case file is left that could say so."""
    file(shop, "help").unlink()
    file(shop, "shop").unlink()
    shop.project.write("tests/test_other.py", "def test_other(): pass")
    run = shop.run(REQUIRE, *reference)
    assert run.code == 1
    assert "nothing ran of 2 files" in words(run.text)


@REFERENCES
def test_a_case_file_that_nothing_collects_any_more_fails(
    shop: Shop, reference: tuple[str, ...]
) -> None:
    shop.project.write("tests/help/conftest.py", "collect_ignore_glob = ['*.yaml']\n")
    assert shop.run(REQUIRE, *reference).code == 1


@REFERENCES
@pytest.mark.parametrize("workers", [(), ("-n1",)], ids=["here", "xdist"])
@pytest.mark.parametrize("deselects", [True, False], ids=["told", "silently"])
def test_cases_that_a_hook_drops_fail(
    shop: Shop, reference: tuple[str, ...], workers: tuple[str, ...], deselects: bool
) -> None:
    conftest = (shop.path / "conftest.py").read_text("utf-8")
    hook = "\ndef pytest_collection_modifyitems(config, items):\n"
    if deselects:
        hook += "    config.hook.pytest_deselected(items=[each for each in items if each.name == 'hats'])\n"
    hook += "    items[:] = [each for each in items if each.name != 'hats']\n"
    shop.project.conftest(conftest + hook)
    run = shop.run(REQUIRE, *reference, *workers)
    assert run.code == 1
    assert "does not compare 1 case of" in words(run.summary)
    assert '1 case was not run ("hats")' in words(run.summary)


# --- honest partial runs --------------------------------------------------------------


@REFERENCES
@pytest.mark.parametrize(
    "selection",
    [
        ("-k", "boots"),
        ("-m", "not slow"),
        ("tests/shop",),
        ("tests/shop/shop.relevance.yaml",),
        ("tests/shop/shop.relevance.yaml::boots",),
        ("--deselect", "tests/shop/shop.relevance.yaml::hats"),
        ("--ignore", "tests/help"),
    ],
    ids=str,
)
def test_what_the_command_line_selects_says_nothing_of_the_rest(
    shop: Shop, reference: tuple[str, ...], selection: tuple[str, ...]
) -> None:
    file(shop, "help").unlink()
    assert shop.run(REQUIRE, *reference, *selection).code == 0


@REFERENCES
def test_of_a_selection_the_cases_that_ran_count(
    shop: Shop, reference: tuple[str, ...]
) -> None:
    shop.returns(hats="skip")
    assert shop.run(REQUIRE, *reference, "-k", "boots").code == 0
    assert shop.run(REQUIRE, *reference, "-k", "hats").code == 1


def test_a_plugin_that_runs_a_shard_selects(shop: Shop) -> None:
    """pytest-shard keeps its number of shards under this name, and drops the other
    cases in silence.
    """
    conftest = (shop.path / "conftest.py").read_text("utf-8")
    shop.project.conftest(
        conftest
        + "\ndef pytest_addoption(parser):\n"
        + "    parser.addoption('--num-shards', type=int, default=1)\n"
        + "\ndef pytest_collection_modifyitems(items):\n"
        + "    del items[1:]\n"
    )
    assert shop.run(REQUIRE, "--num-shards=2").code == 0
    assert shop.run(REQUIRE, "--num-shards=1").code == 1


def test_the_folders_of_testpaths_are_the_whole(shop: Shop) -> None:
    shop.project.write("pytest.ini", "[pytest]\ntestpaths = tests/shop\n")
    assert shop.run(REQUIRE).code == 0
    file(shop, "help").unlink()
    assert shop.run(REQUIRE).code == 0


# --- shards and merge -----------------------------------------------------------------


def shards(shop: Shop, *options: str) -> list[str]:
    """Run each case file that is there as a shard, and return the records."""
    records = []
    for name in ("shop", "help"):
        if file(shop, name).exists():
            record = f"{name}.jsonl"
            named = str(file(shop, name).relative_to(shop.path))
            run = shop.run(named, f"--relevance-record={record}", *options)
            assert run.code == 0, run.text
            records.append(record)
    return records


@REFERENCES
def test_a_merge_looks_at_the_whole_reference(
    shop: Shop, reference: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    records = shards(shop, REQUIRE, *reference)
    assert main(["merge", *records]) == 0
    file(shop, "help").unlink()
    records = shards(shop, REQUIRE, *reference)
    capsys.readouterr()
    assert main(["merge", *records]) == 1
    said = words(capsys.readouterr().out)
    assert 'nothing ran of 1 file ("tests/help/help.relevance.yaml")' in said
    assert "relevance_baseline is require, so the merge fails" in said
    main(["merge", *records, "--format", "markdown"])
    said = words(capsys.readouterr().out)
    assert 'nothing ran of 1 file ("tests/help/help.relevance.yaml")' in said
    records = shards(shop, *reference)
    assert main(["merge", *records]) == 0  # as no shard requires a baseline


def test_a_merge_tells_in_its_text_what_is_lost(
    shop: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    shop.cases(
        SHOP.replace("{query: hats, judgments: {a: 3}}", "{query: hats}"),
        "tests/shop/shop.relevance.yaml",
    )
    records = shards(shop, AGAINST)
    capsys.readouterr()
    assert main(["merge", *records]) == 0
    lost = 'in main.jsonl and not compared: 1 case has no judgments now ("hats")'
    assert lost in words(capsys.readouterr().out)


def test_a_merge_of_which_nothing_is_compared_names_the_cases(
    shop: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    """One case is skipped now, the others ended in an error when the record was
    made.
    """
    shop.returns(boots="a", hats="boom", returns="boom")
    shop.run(RECORD)
    shop.returns(boots="skip", hats="b", returns="b")
    for name in ("shop", "help"):
        named = f"tests/{name}/{name}.relevance.yaml"
        shop.run(named, AGAINST, f"--relevance-record={name}.jsonl")
    capsys.readouterr()
    main(["merge", "shop.jsonl", "help.jsonl"])
    said = words(capsys.readouterr().out)
    assert 'in main.jsonl and not compared: 1 case was skipped ("boots")' in said
    assert '2 cases ended in an error there ("hats" and "returns")' in said


def test_a_merge_fails_if_no_shard_has_anything_of_the_record(
    shop: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    shop.cases(HELP, "tests/other/other.relevance.yaml")
    shop.run("tests/other/other.relevance.yaml", "--relevance-record=other.jsonl")
    for name in ("shop", "help"):
        named = f"tests/{name}/{name}.relevance.yaml"
        against = "--relevance-against=other.jsonl"
        assert shop.run(named, against, f"--relevance-record={name}.jsonl").code == 1
    capsys.readouterr()
    assert main(["merge", "shop.jsonl", "help.jsonl"]) == 1
    said = words(capsys.readouterr().out)
    assert "other.jsonl has none of the case files that ran" in said
