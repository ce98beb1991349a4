"""The baseline on disk, and what became of a case since."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.cases.build import case_from_values
from pytest_relevance.cases.model import Case
from pytest_relevance.runs.accepting import update_baseline, write_baseline
from pytest_relevance.runs.baseline import Entry, Since, beside, read_baseline, since
from pytest_relevance.runs.ranking import Ranking
from pytest_relevance.runs.run import RecordError
from pytest_relevance.runs.scored import score_case


def entry(name: str, *ranking: str, variant: str | None = None, **values: Any) -> Entry:
    return Entry(name, variant, values.get("query", name), values.get("params", {}), values.get("depth", 10), ranking)


def case(**values: Any) -> Case:
    return case_from_values({"query": "watch", "judgments": {"a": 3, "b": 1, "c": 0}, **values})


def since_then(entry: Entry, case: Case, *ranking: str, tolerance: float = 0.05) -> Since:
    return since(entry, score_case(case, Ranking(ranking)), tolerance)


def error_of(path: Path) -> str:
    with pytest.raises(RecordError) as caught:
        read_baseline(path)
    return str(caught.value).replace(str(path), "FILE")


def test_it_stands_beside_the_case_file() -> None:
    assert beside("suites/shop.relevance.yaml") == Path("suites/shop.relevance.yaml.baseline.jsonl")


def test_a_header_and_a_sorted_line_a_case(tmp_path: Path) -> None:
    path = tmp_path / "shop.baseline.jsonl"
    entries = [entry("b", "x"), entry("a", "y", variant="hybrid"), entry("a", "z", variant="bm25", params={"n": 1})]
    write_baseline(path, entries)
    header, *lines, last = path.read_text().splitlines()
    assert json.loads(header)["version"] == 1
    assert json.loads(last) == {"end": True}
    assert [(json.loads(line)["id"], json.loads(line)["variant"]) for line in lines] == [
        ("a", "bm25"),
        ("a", "hybrid"),
        ("b", None),
    ]
    assert json.loads(lines[0]) == {
        "id": "a",
        "variant": "bm25",
        "query": "a",
        "params": {"n": 1},
        "depth": 10,
        "ranking": ["z"],
        "scores": {},
    }
    assert read_baseline(path) == {each.key: each for each in entries}


texts = st.text(min_size=1, max_size=5)


@given(
    entries=st.lists(
        st.builds(
            Entry,
            texts,
            st.none() | texts,
            texts,
            st.dictionaries(texts, st.none() | st.booleans() | st.integers() | texts | st.lists(texts, max_size=2)),
            st.integers(1, 100),
            st.lists(texts, max_size=4).map(tuple),
            st.dictionaries(texts, st.none() | st.floats(0, 1)),
        ),
        unique_by=lambda entry: entry.key,
    )
)
def test_whatever_is_written_is_read_again(entries: list[Entry], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("baseline") / "baseline.jsonl"
    write_baseline(path, entries)
    assert read_baseline(path) == {each.key: each for each in entries}


def test_a_drop_beyond_the_tolerance_is_a_regression() -> None:
    found = since_then(entry("watch", "a", "b"), case(), "b", "a")
    assert found.score == 1
    assert found.change == pytest.approx(0.7098 - 1, abs=1e-4)
    assert found.is_regression
    assert not since_then(entry("watch", "a", "b"), case(), "b", "a", tolerance=0.3).is_regression


def test_a_rise_beyond_the_tolerance_is_an_improvement() -> None:
    found = since_then(entry("watch", "b", "a"), case(), "a", "b")
    assert found.is_improvement
    assert not found.is_regression


def test_a_drop_of_exactly_the_tolerance_is_tolerated() -> None:
    drop = -since_then(entry("watch", "a", "b"), case(), "b", "a").change
    assert not since_then(entry("watch", "a", "b"), case(), "b", "a", tolerance=drop).is_regression


def test_the_ranking_of_then_is_scored_under_the_judgments_of_today() -> None:
    accepted = entry("watch", "new", "a", "b")
    judged = case(judgments={"a": 3, "b": 1, "c": 0, "new": 3})
    found = since_then(accepted, judged, "a", "new", "b")
    assert found.score == 1
    assert found.change == 0


def test_another_gain_is_no_regression() -> None:
    found = since_then(entry("watch", "b", "a"), case(gain="linear"), "b", "a")
    assert found.change == 0


def test_where_ndcg_is_not_defined_nothing_is_compared() -> None:
    found = since_then(entry("watch", "a"), case(judgments={"a": 0}), "c")
    assert (found.score, found.is_regression, found.is_improvement) == (None, False, False)


@pytest.mark.parametrize(
    ("before", "now", "change"),
    [
        ({"query": "clock"}, {}, 'the query was "clock" and is "watch"'),
        ({"depth": 10}, {"k": 20}, "the depth was 10 and is 20"),
        ({"params": {"n": 1}}, {"params": {"n": "1"}}, 'the parameter "n" was 1 and is "1"'),
        ({"params": {"n": 1}}, {}, 'the parameter "n" is gone'),
        ({}, {"params": {"n": [1, True]}}, 'the parameter "n" is new'),
    ],
)
def test_an_entry_for_another_question_is_stale(before: dict[str, Any], now: dict[str, Any], change: str) -> None:
    found = since_then(entry("watch", "a", **{"query": "watch", **before}), case(**now), "c")
    assert found.stale == (change,)
    assert not found.is_regression


def test_params_that_json_has_no_word_for_are_the_same_after_reading(tmp_path: Path) -> None:
    from datetime import date

    asked = case(params={"day": date(2024, 1, 1), "pair": (1, 2)})
    write_baseline(tmp_path / "b", [Entry.of(asked, None, ["a"], {})])
    (read,) = read_baseline(tmp_path / "b").values()
    assert since_then(read, asked, "a").stale == ()


def test_the_order_of_keys_in_params_says_nothing() -> None:
    before = entry("watch", "a", params={"filter": {"b": 1, "a": [{"y": 1, "x": 2}]}, "n": 1})
    now = case(params={"n": 1, "filter": {"a": [{"x": 2, "y": 1}], "b": 1}})
    assert since_then(before, now, "a").stale == ()
    other = case(params={"n": 1, "filter": {"a": [{"x": 2, "y": True}], "b": 1}})
    assert since_then(before, other, "a").stale != ()  # and 1 is not true
    assert Entry.of(now, None, ["a"], {}).line() == Entry.of(case(params=before.params), None, ["a"], {}).line()


@pytest.mark.parametrize("now", [{"unjudged": "skip"}, {"ideal": "returned"}, {"expect": {"AP": 0.1}}])
def test_an_accepted_ranking_that_was_cut_is_stale_where_all_of_it_counts(now: dict[str, Any], tmp_path: Path) -> None:
    cut = Entry.of(case(k=3), None, ["a", "x", "y", "b", "c"], {})
    assert cut.ranking == ("a", "x", "y")
    (change,) = since_then(cut, case(k=3, **now), "a", "x", "y", "b", "c").stale
    assert change == "all of the ranking counts now, and the first 3 were kept"
    short = Entry.of(case(k=3), None, ["a", "x"], {})
    assert since_then(short, case(k=3, **now), "a", "x").stale == ()
    whole = Entry.of(case(k=3, **now), None, ["a", "x", "y"], {})
    write_baseline(tmp_path / "baseline", [whole])
    assert read_baseline(tmp_path / "baseline")[whole.key] == whole
    assert since_then(whole, case(k=3, **now), "a", "x", "y").stale == ()
    assert since_then(whole, case(k=3), "a", "x", "y").stale == ()


def test_only_what_the_case_looks_at_is_kept() -> None:
    ranking = [str(number) for number in range(30)]
    assert Entry.of(case(k=5), None, ranking, {}).ranking == tuple(ranking[:5])
    assert Entry.of(case(k=5, expect={"P@20": ">= 0"}), None, ranking, {}).ranking == tuple(ranking[:20])
    assert Entry.of(case(k=5, expect={"RR": ">= 0"}), None, ranking, {}).ranking == tuple(ranking)
    assert Entry.of(case(k=5, unjudged="skip"), None, ranking, {}).ranking == tuple(ranking)


class TestUpdate:
    def test_all(self, tmp_path: Path) -> None:
        path = tmp_path / "baseline"
        write_baseline(path, [entry("a", "x"), entry("b", "x"), entry("gone", "x")])
        updated = update_baseline(
            path, [entry("a", "y"), entry("b", "x"), entry("c", "z")], all_keys=frozenset((n, None) for n in "abc")
        )
        assert (updated.added, updated.changed, updated.dropped, updated.kept) == (1, 1, 1, 1)
        assert read_baseline(path) == {each.key: each for each in (entry("a", "y"), entry("b", "x"), entry("c", "z"))}

    def test_a_part_of_the_file_drops_nothing(self, tmp_path: Path) -> None:
        path = tmp_path / "baseline"
        write_baseline(path, [entry("a", "x"), entry("gone", "x")])
        assert update_baseline(path, [entry("a", "y")]).dropped == 0
        assert ("gone", None) in read_baseline(path)

    def test_only_new_ones(self, tmp_path: Path) -> None:
        path = tmp_path / "baseline"
        write_baseline(path, [entry("a", "x")])
        updated = update_baseline(path, [entry("a", "y"), entry("b", "y")], only_new=True)
        assert (updated.added, updated.changed) == (1, 0)
        assert read_baseline(path)["a", None].ranking == ("x",)

    def test_nothing_to_change_leaves_the_file_alone(self, tmp_path: Path) -> None:
        path = tmp_path / "baseline"
        write_baseline(path, [entry("a", "x")])
        before = path.stat().st_mtime_ns, path.stat().st_ino
        assert not update_baseline(path, [entry("a", "x")]).is_change
        assert (path.stat().st_mtime_ns, path.stat().st_ino) == before

    def test_two_runs_at_once_lose_nothing(self, tmp_path: Path) -> None:
        path = tmp_path / "baseline"
        program = textwrap.dedent(
            """
            import sys
            from pytest_relevance.runs.accepting import update_baseline
            from pytest_relevance.runs.baseline import Entry
            for number in range(20):
                name = f"{sys.argv[2]}-{number}"
                update_baseline(sys.argv[1], [Entry(name, None, name, {}, 10, ("x",))])
            """
        )
        running = [subprocess.Popen([sys.executable, "-c", program, str(path), name]) for name in ("one", "two")]
        assert [process.wait(60) for process in running] == [0, 0]
        assert len(read_baseline(path)) == 40

    @pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
    def test_a_kill_at_any_moment_leaves_the_old_or_the_new_one(self, tmp_path: Path) -> None:
        path = tmp_path / "baseline"
        write_baseline(path, [entry(f"case {number}", "old" * 50) for number in range(2000)])
        program = textwrap.dedent(
            """
            import itertools, sys
            from pytest_relevance.runs.accepting import write_baseline
            from pytest_relevance.runs.baseline import Entry, read_baseline
            entries = list(read_baseline(sys.argv[1]).values())
            print("ready", flush=True)
            for round in itertools.count():
                ranking = (("new", "old")[round % 2] * 50,)
                write_baseline(sys.argv[1], [Entry(e.id, None, e.query, {}, 10, ranking) for e in entries])
            """
        )
        seen = set()
        for moment in range(8):
            process = subprocess.Popen([sys.executable, "-c", program, str(path)], stdout=subprocess.PIPE)
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(0.01 + 0.017 * moment)
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
            process.stdout.close()
            entries = read_baseline(path)
            assert len(entries) == 2000
            rankings = {each.ranking for each in entries.values()}
            assert len(rankings) == 1
            seen |= rankings
        assert seen <= {("old" * 50,), ("new" * 50,)}
        update_baseline(path, [entry("one more", "x")])
        assert [left.name for left in tmp_path.iterdir()] == ["baseline"]

    @pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may write anywhere")
    def test_a_folder_that_may_not_be_written(self, tmp_path: Path) -> None:
        tmp_path.chmod(0o500)
        try:
            with pytest.raises(PermissionError):
                update_baseline(tmp_path / "baseline", [entry("a", "x")])
        finally:
            tmp_path.chmod(0o700)

    def test_a_full_disk_leaves_the_old_one(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = tmp_path / "baseline"
        write_baseline(path, [entry("a", "x")])
        before = path.read_bytes()

        def full(handle: int) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space left"):
            update_baseline(path, [entry("b", "x")])
        assert path.read_bytes() == before
        assert [left.name for left in tmp_path.iterdir()] == ["baseline"]


HEADER = '{"kind":"pytest-relevance baseline","version":1}\n'
END = '{"end":true}'
GOOD = '{"id":"a","variant":null,"query":"a","params":{},"depth":10,"ranking":["x"],"scores":{}}'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", 'FILE:1: expected a JSON object, found ""; is the file truncated?'),
        ('{"kind":"pytest-relevance record","version":1}\n', "FILE:1: this is no baseline; found "),
        (
            HEADER.replace("1}", "2}"),
            "FILE:1: the file has version 2, and this pytest-relevance knows 1; upgrade pytest-relevance",
        ),
        (HEADER + GOOD[:40], 'FILE:2: expected a JSON object, found "{\\"id'),
        (HEADER + "\n" + GOOD + "\n" + GOOD, 'FILE:4: a second entry of "a"; delete one of them'),
        (HEADER + GOOD.replace('"depth":10,', ""), "FILE:2: the line is no entry of a baseline (it has no depth)"),
        (HEADER + GOOD.replace('"x"', "7"), "FILE:2: the line is no entry of a baseline (its ranking is [7])"),
        (
            f"{HEADER}<<<<<<< HEAD\n{GOOD}\n",
            "FILE:2: a merge conflict is left in the file; take either side and run --relevance-update",
        ),
        (HEADER, 'FILE: the file is cut: its last line is not {"end":true}; restore the file, or add that line where'),
        (f"{HEADER}{GOOD}\n", "FILE: the file is cut: its last line is not"),
        (f"{HEADER}{GOOD}\n{END}\n{GOOD.replace('a', 'b')}\n", "FILE:4: a line below the last one"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_line(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "baseline"
    path.write_text(content)
    assert error_of(path).replace('"{"id', '"{\\"id').startswith(message)


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", ["", END, '{"end": true}'])
def test_every_kind_of_line_end_is_read(tmp_path: Path, line_end: str, last: str) -> None:
    accepted = Entry("a\rb", None, "a\rb", {}, 10, ("x\ny",))
    path = tmp_path / "baseline"
    write_baseline(path, [accepted, entry("c", "z")])
    text = path.read_text().replace(END, last or END)
    path.write_bytes(text.replace("\n", line_end).encode())
    assert read_baseline(path) == {accepted.key: accepted, ("c", None): entry("c", "z")}


def test_a_file_that_is_cut_at_the_end_of_any_line_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "baseline"
    write_baseline(path, [entry("a", "x"), entry("b", "y")])
    lines = path.read_text().splitlines(keepends=True)
    for kept in range(1, len(lines)):
        path.write_text("".join(lines[:kept]))
        assert error_of(path).startswith("FILE: the file is cut: its last line is not")
    path.write_text("".join(lines).rstrip("\n"))  # nothing is missing
    assert len(read_baseline(path)) == 2


def test_two_branches_that_add_an_entry_each_can_be_merged(tmp_path: Path) -> None:
    ours, base, theirs = (tmp_path / name for name in ("ours", "base", "theirs"))
    common = [entry(name, "x") for name in "bcdefg"]
    write_baseline(base, common)
    write_baseline(ours, [entry("a", "x"), *common])
    write_baseline(theirs, [*common, entry("h", "x")])
    merged = subprocess.run(["git", "merge-file", "-p", ours, base, theirs], capture_output=True, check=True).stdout
    ours.write_bytes(merged)
    assert "".join(case for case, _ in read_baseline(ours)) == "abcdefgh"


@pytest.mark.skipif(sys.platform == "win32", reason="links need a permission there")
def test_a_link_to_a_file_that_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "baseline"
    path.symlink_to("elsewhere.jsonl")
    assert error_of(path) == (
        'FILE: is a link to "elsewhere.jsonl", which is not there; restore that file, or delete the link'
    )


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert error_of(tmp_path / "baseline") == "FILE: cannot be read: No such file or directory"
