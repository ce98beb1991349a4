"""`pytest-relevance merge`: records of shards, made by real runs, joined and judged as
one run would have been.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING

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


class Shards:
    """A project, and the records of its runs in whole and in part."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.folder = pytester.path
        self.texts: dict[str, str] = {}
        for name, text in FILES.items():
            (self.folder / name).write_text(dedent(text).lstrip("\n"), encoding="utf-8")

    def run(
        self, pytester: pytest.Pytester, record: str, *options: str, **environment: str
    ) -> None:
        """Run pytest, with a record of that name, and keep what it printed."""
        distributed = any(option.startswith("-n") for option in options)
        plugins = only_plugins(*(("xdist", "xdist.looponfail") if distributed else ()))
        with pytest.MonkeyPatch.context() as patch:
            for name in ("PYTEST_ADDOPTS", "CI", "FORCE_COLOR"):
                patch.delenv(name, raising=False)
            for name, value in {"COLUMNS": "100", **environment}.items():
                patch.setenv(name, value)
            patch.chdir(self.folder)
            command = (
                "-p",
                "no:cacheprovider",
                *plugins,
                *options,
                f"--relevance-record={record}.jsonl",
            )
            done = pytester.runpytest_inprocess(*command)
        assert (self.folder / f"{record}.jsonl").exists(), (
            done.stdout.str() + done.stderr.str()
        )
        self.texts[record] = done.stdout.str()


@pytest.fixture(scope="module")
def made() -> list[Shards]:
    """The shards, once a test has made them."""
    return []


@pytest.fixture
def there(
    made: list[Shards],
    pytester: pytest.Pytester,
    terminal: Terminal,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Shards:
    """A folder to work in, with a suite of two files and a module: run in whole, by
    every other item, by variants.
    """
    pytest.importorskip("xdist")
    if not made:
        found = Shards(pytester)
        run = partial(found.run, pytester)
        run("accepted", "--relevance-update")
        run("whole", WORSE="1")
        run("even", "-n2", "--dist=loadgroup", PART="0", WORSE="1")
        run("odd", PART="1", WORSE="1")
        run("words", "shop.relevance.yaml", "-k", "words")
        run("backwards", "shop.relevance.yaml", "-k", "backwards")
        run("hats", "hats.relevance.yaml")
        run("only-hats", "--deselect=shop.relevance.yaml")
        run("crashed", "shop.relevance.yaml", "-k", "words", "-n1", CRASH="1")
        made.append(found)
    monkeypatch.chdir(made[0].folder)
    capsys.readouterr()  # what these runs printed
    return made[0]


def comparable(lines: Iterable[str]) -> list[str]:
    """Lines without the times in them, and as if they had not been broken, which
    depends on the length of the times.
    """
    whole = "\n".join(lines).replace("\n    ", "   ")
    return [
        re.sub(r"\s*p50 .*?ms, p95 [<\d.]+ m?s\s*|\s+", " ", line).strip()
        for line in whole.splitlines()
    ]


def summary_of(text: str) -> list[str]:
    """The plugin's part of what pytest printed, without the movers since the baseline
    and the record.
    """
    found = re.search(r"^=+ relevance =+\n(.*?)(?=^=)", text, re.DOTALL | re.MULTILINE)
    assert found is not None, text
    of_others = re.compile(r"(down since the baseline .*\n(  .*\n)+|record: .*\n)")
    return comparable(of_others.sub("", found[1]).splitlines())


def failure_of(gate: str, text: str) -> list[str]:
    """What pytest shows of a gate that failed."""
    found = re.search(
        rf"^_+ {re.escape(gate)} _+\n(.*?)(?=^_+ |^=+ )", text, re.DOTALL | re.MULTILINE
    )
    assert found is not None, text
    return found[1].splitlines()


def contains(lines: list[str], block: list[str]) -> bool:
    """Whether lines stand among others, one after the other."""
    return any(
        lines[start : start + len(block)] == block for start in range(len(lines))
    )


def test_shards_are_told_as_the_whole_run_would_have_been(
    there: Shards, terminal: Terminal
) -> None:
    said = terminal.run("merge", "even.jsonl", "odd.jsonl")
    text = there.texts["whole"]
    assert (said.code, said.err) == (1, "")  # gates are not met
    assert said.lines[0] == "2 records, 18 results"
    # suites with their means, counts and gates; tags; variants side by side
    told, expected = comparable(said.lines), summary_of(text)
    advice, end = (
        expected.index(next(line for line in expected if re.match(pattern, line)))
        for pattern in (
            r"to see one in full",
            r"\d+ cases and \d checks in \d variants",
        )
    )
    assert advice == 15
    assert contains(
        told, expected[:advice]
    )  # what is to be done about a baseline is the run's business
    verdict = " ".join(expected[end:])
    assert " ".join(told).endswith(
        verdict
    )  # the lines of the verdict may be broken otherwise
    assert " ".join(told).endswith(
        "; 6 of 11 gates failed; 2 of 11 gates not evaluated"
    )
    # gates that are not met: the same text as in the run
    unmet = re.findall(r"^_+ (gate\[.*) _+$", text, re.MULTILINE)
    assert {name.partition(" ")[0] for name in unmet} == {
        "gate[mean",
        "gate[most",
        "gate[max_drop",
    }
    for name in unmet:
        assert contains(said.lines, failure_of(name, text)), name
    # the one that nothing can be said of
    not_evaluated = "gate[passing 0.5 of later][words] not evaluated: no case with the tag later\n    ran"
    assert f"shop.relevance.yaml:7: {not_evaluated}\n" in said.out
    # those that are met, with what they found
    assert (
        "hats.relevance.yaml:2: gate[passing 1] met: 2 of 2 cases pass (100.0%), at least 100%"
        in said.lines
    )


def test_no_shard_alone_evaluates_a_gate_but_the_whole_does(
    there: Shards, terminal: Terminal
) -> None:
    said = terminal.run("merge", "hats.jsonl")
    assert (said.code, said.lines[0]) == (0, "1 record, 2 results")
    assert said.lines[-1] == "2 cases: 2 passed; mean nDCG@10 0.815; the gate is met"

    assert "5 gates skipped" in there.texts["words"]
    said = terminal.run("merge", "words.jsonl", "backwards.jsonl")
    assert said.code == 1
    assert contains(
        said.lines,
        [
            "shop.relevance.yaml:2: mean nDCG@10 0.737, below 0.950 (5 cases)",
            "variant words",
            "pulled down most by",
            "  0.000  std::vector [1]   weight 1   xfailed   shop.relevance.yaml:15",
            "  0.710  b a               weight 2   failed    shop.relevance.yaml:12",
        ],
    )
    assert " ".join(map(str.strip, said.lines[-2:])).endswith(
        "; 3 of 10 gates failed; 2 of 10 gates not evaluated"
    )


def test_a_shard_knows_of_files_of_which_it_ran_nothing_and_every_format_says_so(
    there: Shards, terminal: Terminal
) -> None:
    said = terminal.run("merge", "only-hats.jsonl")
    assert said.code == 1
    assert [line for line in said.lines if "in no record" in line] == [
        "shop.relevance.yaml, search[words]: 6 of 6 cases are in no record",
        "shop.relevance.yaml, search[backwards]: 6 of 6 cases are in no record",
    ]
    assert (
        "shop.relevance.yaml:2: gate[mean nDCG@10 0.95][words] not evaluated: 0 of 12 ran"
        in said.lines
    )
    sentence = "The run did not finish: 12 cases are missing"
    markdown = terminal.run("merge", "only-hats.jsonl", "--format=markdown")
    assert sentence in markdown.lines[1]
    assert (
        "**Missing** (12)\n\n- `shop.relevance.yaml::search[words]` (6 cases)\n"
        in markdown.out
    )
    assert (
        f">{sentence}</h1>"
        in terminal.run("merge", "only-hats.jsonl", "--format=html").out
    )
    gaps = json.loads(terminal.run("merge", "only-hats.jsonl", "--format=json").out)[
        "merged"
    ]["gaps"]
    assert [(gap["variant"], gap["found"], gap["total"]) for gap in gaps] == [
        ("words", 0, 6),
        ("backwards", 0, 6),
    ]


def test_what_a_crash_cut_short_is_named_unless_another_shard_has_it(
    there: Shards, terminal: Terminal
) -> None:
    said = terminal.run("merge", "crashed.jsonl", "backwards.jsonl")
    assert said.code == 1
    assert (
        "shop.relevance.yaml, search[words]: 1 of 6 cases is in no record" in said.lines
    )
    assert "did not finish: shop.relevance.yaml::crash x[words]" in said.lines
    assert said.lines[-1].endswith("1 case did not finish")
    said = terminal.run("merge", "crashed.jsonl", "backwards.jsonl", "words.jsonl")
    assert "did not finish" not in said.out
    assert "in no record" not in said.out
    assert said.out.startswith("3 records, 12 results; 5 cases (")
    assert " in several of\n  them, with the same results\n" in said.out


def test_a_merge_as_markdown_as_a_page_and_as_json(
    there: Shards, terminal: Terminal
) -> None:
    records = ("even.jsonl", "odd.jsonl")
    found = terminal.run(
        "merge", *records, "--format", "markdown", "-o", "whole-again.jsonl"
    )
    assert (found.code, found.err) == (1, "written: whole-again.jsonl\n")
    report = terminal.run("report", "whole.jsonl", "--format=markdown")
    assert "\n\n- `2 records, 18 results`\n\n" in found.out
    shown = [
        line
        for line in found.lines
        if line.startswith(("###", "**", "| ", "<summary>"))
    ]
    assert len(shown) > 20
    same = [
        line
        for line in report.lines
        if line.startswith(("###", "**", "| ", "<summary>"))
    ]
    assert comparable(shown) == comparable(same)
    cut = terminal.run("merge", *records, "--format", "markdown", "--max-chars", "1500")
    assert len(cut.out) <= 1500
    assert cut.lines[-1].startswith(
        "Left out, as this report has at most 1,500 characters: "
    )
    page = terminal.run("merge", *records, "--format", "html")
    assert (page.code, page.err) == (1, "")
    assert page.out.startswith("<!doctype html>\n<!-- pytest-relevance report -->\n")
    whole = json.loads(terminal.run("merge", *records, "--format", "json").out)
    assert (len(whole["results"]), whole["merged"]["records"]) == (18, 2)
    assert (whole["merged"]["gaps"], whole["merged"]["replaced"]) == ([], [])
    assert {gate["outcome"] for gate in whole["gates"]} == {
        "passed",
        "failed",
        "skipped",
    }


def test_a_case_that_came_to_something_else(there: Shards, terminal: Terminal) -> None:
    text = (there.folder / "words.jsonl").read_text()
    assert '"documents":["b","a"],' in text
    (there.folder / "worse.jsonl").write_text(
        text.replace('"documents":["b","a"],', '"documents":["b","z"],')
    )
    said = terminal.run("merge", "words.jsonl", "worse.jsonl", "backwards.jsonl")
    assert (said.code, said.out) == (2, "")
    assert (
        'came to something else in words.jsonl and worse.jsonl: "b a[words]"; --last takes'
        in said.err
    )
    for order, document in ((("words", "worse"), "z"), (("worse", "words"), "a")):
        records = [f"{name}.jsonl" for name in (*order, "backwards")]
        said = terminal.run("merge", "--last", *records, "--output", "last.jsonl")
        assert (
            '1 case ("b a[words]") with other results in an earlier one'
            in said.out.replace("\n  ", " ")
        )
        results = {
            result.key[1:]: result.ranking.documents[1:]
            for result in Run.open("last.jsonl").results
        }
        assert (len(results), results["b a", "words"]) == (12, (document,))


def test_records_of_equal_names_are_told_apart_by_their_folders(
    there: Shards, terminal: Terminal
) -> None:
    for folder, record in (("one", "words"), ("two", "worse")):
        (there.folder / folder).mkdir()
        text = (there.folder / "words.jsonl").read_text()
        (there.folder / folder / "run.jsonl").write_text(
            text.replace('"program":"', f'"program":"{record}')
        )
    said = terminal.run("merge", "one/run.jsonl", "two/run.jsonl")
    assert "one/run.jsonl by words" in said.err
    assert "two/run.jsonl by worse" in said.err


def test_the_output_is_a_record_as_any_other(there: Shards, terminal: Terminal) -> None:
    said = terminal.run(
        "merge", "words.jsonl", "backwards.jsonl", "-o", "merged.jsonl.gz"
    )
    assert said.err == "written: merged.jsonl.gz\n"
    assert gzip.decompress(Path("merged.jsonl.gz").read_bytes()).startswith(
        b'{"kind":"pytest-relevance record"'
    )
    # for a second merge, which says what the first would have said of all
    again = terminal.run("merge", "merged.jsonl.gz", "hats.jsonl", "-o", "all.jsonl")
    at_once = terminal.run(
        "merge", "words.jsonl", "backwards.jsonl", "hats.jsonl", "-o", "at-once.jsonl"
    )
    assert again.lines == ["2 records, 14 results", *at_once.lines[1:]]
    assert (again.code, at_once.code) == (1, 1)
    assert Path("all.jsonl").read_bytes() == Path("at-once.jsonl").read_bytes()
    run = Run.open("all.jsonl")
    assert len(run.frame) == 14
    assert {*run.files} == {"shop.relevance.yaml", "hats.relevance.yaml"}
