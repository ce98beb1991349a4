"""`pytest-relevance merge`: records of shards, made by real runs, joined and judged."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING, Any

import pytest

import tests.plugin.conftest  # noqa: F401 - it imports what runs in this process must not forget
from pytest_relevance import Run
from tests.helpers import only_plugins

if TYPE_CHECKING:
    from tests.cli.conftest import Terminal

CONFTEST = """
    import os
    import pytest

    @pytest.fixture(params=["words", "backwards"])
    def search(request):
        def search(query):
            if query == "crash x" and "CRASH" in os.environ:
                os._exit(3)
            words = query.split()
            if query == "b a" and "WORSE" in os.environ:
                return ["z"]
            return words if request.param == "words" else words[::-1]
        return search

    @pytest.fixture
    def plain():
        return str.split

    def pytest_collection_modifyitems(config, items):
        part = os.environ.get("PART")  # as pytest-split does
        if part is not None:
            chosen = [item for number, item in enumerate(items) if number % 2 == int(part)]
            config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
            items[:] = chosen
        for item in items:
            item.add_marker(pytest.mark.xdist_group("shop"))
"""

SHOP = """
    gates:
      - mean: {nDCG@10: 0.95}
      - passing: 0.6
        id: most pass
      - mean: {nDCG@10: 0.99, P@1: 0.5}
        tag: head
      - passing: 0.5
        tag: later
      - max_drop: {nDCG@10: 0.01}
    cases:
      - {query: a b, judgments: {a: 3, b: 1}, min_ndcg: 0.9, tags: [head]}
      - {query: b a, judgments: {a: 3, b: 1}, min_ndcg: 0.9, weight: 2}
      - {query: a c, judgments: {a: 3, c: 1}, tags: [head]}
      - {query: crash x, judgments: {crash: 3, x: 1}}
      - {query: "std::vector [1]", judgments: {a: 3, c: 1}, min_ndcg: 0.5, xfail: not yet}
      - {query: c, skip: no c, tags: [later]}
"""

HATS = """
    search: plain
    gates: [{passing: 1}]
    cases:
      - {query: d e, judgments: {d: 3}, min_ndcg: 0.5}
      - {query: e d, judgments: {d: 3}, min_ndcg: 0.5}
"""

CHECKS = """
    import pytest

    @pytest.mark.parametrize("engine", [str.split, lambda query: query.split()[::-1]], ids=["here", "there"])
    def test_shop(engine, relevance):
        relevance.check("f g", engine("f g"), {"f": 1})
        relevance.check("f g", engine("f g"), {"f": 1})
"""

FILES = {
    "pytest.ini": "[pytest]\nmarkers = xdist_group\n",
    "conftest.py": CONFTEST,
    "shop.relevance.yaml": SHOP,
    "hats.relevance.yaml": HATS,
    "test_checks.py": CHECKS,
}

RUNS: dict[str, tuple[str, dict[str, str]]] = {
    "accepted": ("--relevance-update", {}),
    "whole": ("", {"WORSE": "1"}),
    "even": ("-n2 --dist=loadgroup", {"PART": "0", "WORSE": "1"}),
    "odd": ("", {"PART": "1", "WORSE": "1"}),
    "words": ("shop.relevance.yaml -k words", {}),
    "backwards": ("shop.relevance.yaml -k backwards", {}),
    "hats": ("hats.relevance.yaml", {}),
    "only-hats": ("--deselect=shop.relevance.yaml", {}),
    "crashed": ("shop.relevance.yaml -k words -n1", {"CRASH": "1"}),
}
"""The runs of the project: options, and variables of the environment."""


@pytest.fixture(scope="module")
def records() -> dict[str, bytes]:
    """The records of these runs, once a test has made them."""
    return {}


@pytest.fixture
def shards(
    records: dict[str, bytes],
    pytester: pytest.Pytester,
    terminal: Terminal,
    capsys: pytest.CaptureFixture[str],
) -> Terminal:
    """A terminal in a folder with these records."""
    pytest.importorskip("xdist")
    if not records:
        for name, text in FILES.items():
            path = pytester.path / name
            path.write_text(dedent(text).lstrip("\n"), encoding="utf-8")
        for name, (options, variables) in RUNS.items():
            record = pytester.path / f"{name}.jsonl"
            run(pytester, options, record, variables)
            records[record.name] = record.read_bytes()
    for file, content in records.items():
        (terminal.folder / file).write_bytes(content)
    capsys.readouterr()  # what these runs printed
    return terminal


def run(
    pytester: pytest.Pytester, options: str, record: Path, variables: Mapping[str, str]
) -> None:
    """Run pytest in this process, as nine processes would take three times as long."""
    plugins = ["xdist", "xdist.looponfail"] if "-n" in options else []
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(pytester.path)
        for name in ("PYTEST_ADDOPTS", "CI", "FORCE_COLOR"):
            patch.delenv(name, raising=False)
        for name, value in variables.items():
            patch.setenv(name, value)
        pytester.runpytest_inprocess(
            *("-pno:cacheprovider", *only_plugins(*plugins), *options.split()),
            f"--relevance-record={record}",
        )


def data(terminal: Terminal, *command: str) -> Any:
    return json.loads(terminal.run(*command, "--format=json").out)


def without_calls(report: Any) -> list[Any]:
    """The results of a report in the order of their cases, without times."""
    results = [{**result, "call": None} for result in report["results"]]
    return sorted(results, key=json.dumps)


def test_shards_are_told_as_the_whole_run_would_have_been(shards: Terminal) -> None:
    whole = data(shards, "report", "whole.jsonl")
    merged = data(shards, "merge", "even.jsonl", "odd.jsonl")
    assert merged["gates"] == whole["gates"]
    assert without_calls(merged) == without_calls(whole)
    assert merged["merged"]["records"] == 2
    assert (merged["merged"]["gaps"], merged["merged"]["replaced"]) == ([], [])


def test_the_text_of_a_merge(shards: Terminal) -> None:
    said = shards.run("merge", "even.jsonl", "odd.jsonl")
    assert (said.code, said.err) == (1, "")  # gates are not met
    assert said.lines[0] == "2 records, 18 results"
    assert "hats.relevance.yaml:2: gate met: 2 of 2 cases pass" in said.text
    later = "2 gates not evaluated (gate[passing 0.5 of later][words] and"
    assert later in said.text
    assert "6 gates not met (" in said.text


def test_a_merge_as_markdown_and_as_a_page(shards: Terminal) -> None:
    merge = ("merge", "even.jsonl", "odd.jsonl")

    def outline(markdown: str) -> list[str]:
        rows = re.findall(r"^(?:###|\*\*|\| |<summary>).*$", markdown, re.MULTILINE)
        return [re.sub(r"[<\d.]+ m?s\b", "", row) for row in rows]

    found = shards.run(*merge, "--format", "markdown", "-o", "merged.jsonl")
    assert (found.code, found.err) == (1, "written: merged.jsonl\n")
    assert "\n\n- `2 records, 18 results`\n\n" in found.out
    report = shards.run("report", "whole.jsonl", "--format=markdown")
    assert len(outline(report.out)) > 20
    assert outline(found.out) == outline(report.out)
    cut = shards.run(*merge, "--format", "markdown", "--max-chars", "1500")
    assert len(cut.out) <= 1500
    assert cut.lines[-1].startswith("Left out, because this report has at most 1,500 ")
    page = shards.run(*merge, "--format", "html")
    assert (page.code, page.err) == (1, "")
    assert page.out.startswith("<!doctype html>\n<!-- pytest-relevance report -->\n")


def test_a_gate_that_no_shard_evaluates_is_judged_over_the_whole(
    shards: Terminal,
) -> None:
    skipped = {
        gate["outcome"] for gate in data(shards, "report", "words.jsonl")["gates"]
    }
    assert skipped == {"skipped"}
    said = shards.run("merge", "words.jsonl", "backwards.jsonl")
    assert said.code == 1
    unmet = "shop.relevance.yaml:2: mean nDCG@10 0.737, below 0.950 (5 cases)"
    assert f"{unmet} variant words pulled down most by 0.000 std::vector" in said.text
    assert said.out.count("] not met: ") == 3
    assert "2 gates not evaluated (" in said.text


def test_a_merge_that_meets_all_gates(shards: Terminal) -> None:
    said = shards.run("merge", "hats.jsonl")
    assert (said.code, said.lines[0]) == (0, "1 record, 2 results")
    assert said.lines[1] == "No query got worse"
    assert "2 cases: 2 passed" in said.lines
    assert "gate met: 2 of 2 cases pass" in said.text


def test_a_shard_knows_of_files_of_which_it_ran_nothing(shards: Terminal) -> None:
    merge = ("merge", "only-hats.jsonl")
    said = shards.run(*merge)
    assert said.code == 1
    assert [line for line in said.lines if "in no record" in line] == [
        "shop.relevance.yaml, search[words]: 6 of 6 cases are in no record",
        "shop.relevance.yaml, search[backwards]: 6 of 6 cases are in no record",
    ]
    assert "gates not evaluated (gate[mean nDCG@10 0.95][words], " in said.text
    sentence = "The run did not finish: 12 cases are missing"
    markdown = shards.run(*merge, "--format=markdown")
    assert sentence in markdown.lines[1]
    assert "- `shop.relevance.yaml::search[words]` (6 cases)" in markdown.lines
    assert f">{sentence}</h1>" in shards.run(*merge, "--format=html").out
    gaps = data(shards, *merge)["merged"]["gaps"]
    assert [(gap["variant"], gap["found"], gap["total"]) for gap in gaps] == [
        ("words", 0, 6),
        ("backwards", 0, 6),
    ]


def test_what_a_crash_cut_short_is_named_unless_another_shard_has_it(
    shards: Terminal,
) -> None:
    said = shards.run("merge", "crashed.jsonl", "backwards.jsonl")
    assert said.code == 1
    gap = "shop.relevance.yaml, search[words]: 1 of 6 cases is in no record"
    assert gap in said.lines
    assert "did not finish: shop.relevance.yaml::crash x[words]" in said.lines
    assert "The run did not finish: " in said.text
    said = shards.run("merge", "crashed.jsonl", "backwards.jsonl", "words.jsonl")
    assert "did not finish" not in said.out
    assert "in no record" not in said.out
    assert said.text.startswith("3 records, 12 results; 5 cases (")
    assert " in several of them, with the same results " in said.text


def test_a_case_that_came_to_something_else(shards: Terminal) -> None:
    text = shards.read("words.jsonl")
    other = text.replace('"documents":["b","a"],', '"documents":["b","z"],')
    assert other != text
    shards.write("worse.jsonl", other)
    err = shards.refused("merge", "words.jsonl", "worse.jsonl", "backwards.jsonl")
    assert 'in words.jsonl and worse.jsonl: "b a[words]"; --last takes' in err
    for first, last, document in (("words", "worse", "z"), ("worse", "words", "a")):
        records = [f"{name}.jsonl" for name in (first, last, "backwards")]
        said = shards.run("merge", "--last", *records, "--output", "last.jsonl")
        assert '1 case ("b a[words]") with other results in an earlier one' in said.text
        results = {result.key: result for result in Run.open("last.jsonl").results}
        found = results["shop.relevance.yaml", "b a", "words"]
        assert (len(results), found.ranking.documents[1]) == (12, document)


def test_records_of_one_name_are_told_apart_by_their_folders(shards: Terminal) -> None:
    for folder in ("one", "two"):
        text = shards.read("words.jsonl")
        other = text.replace('"program":"', f'"program":"of-{folder}-')
        shards.write(f"{folder}/run.jsonl", other)
    err = shards.refused("merge", "one/run.jsonl", "two/run.jsonl")
    assert "one/run.jsonl by of-one-" in err
    assert "two/run.jsonl by of-two-" in err


def test_the_output_is_a_record_as_any_other(shards: Terminal) -> None:
    said = shards.run(
        "merge", "words.jsonl", "backwards.jsonl", "-o", "merged.jsonl.gz"
    )
    assert said.err == "written: merged.jsonl.gz\n"
    packed = gzip.decompress(Path("merged.jsonl.gz").read_bytes())
    assert packed.startswith(b'{"kind":"pytest-relevance record"')
    # a merge of a merge says what a merge of all would have said
    again = shards.run("merge", "merged.jsonl.gz", "hats.jsonl", "-o", "all.jsonl")
    at_once = shards.run(
        *(
            "merge",
            "words.jsonl",
            "backwards.jsonl",
            "hats.jsonl",
            "-o",
            "at-once.jsonl",
        )
    )
    assert again.lines == ["2 records, 14 results", *at_once.lines[1:]]
    assert (again.code, at_once.code) == (1, 1)
    assert shards.read("all.jsonl") == shards.read("at-once.jsonl")
