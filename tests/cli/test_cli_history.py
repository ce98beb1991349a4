"""`pytest-relevance history`: recorded runs over the cases that all of them have."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_relevance import CaseResult, FileInfo, Run, RunError, RunInfo, evaluate
from pytest_relevance.cli import main
from tests.helpers import changed, gates_of, result_of

if TYPE_CHECKING:
    from tests.cli.conftest import Terminal

FILE = "shop.relevance.yaml"
JUDGMENTS = {"a": 3, "b": 2, "c": 1, "d": 0}
BEST, FAIR, POOR = "abcd", "bacd", "dcba"
FAILED = None
"""The search raised."""

Rankings = Mapping[str, str | None]
"""The rankings of queries, a letter a document. `boots[bm25]` is in a variant."""


def results(rankings: Rankings, file: str = FILE, **keys: Any) -> list[CaseResult]:
    """The results of queries, whose cases have these keys."""
    found = []
    for name, ranking in rankings.items():
        query, _, variant = name.removesuffix("]").partition("[")
        case = {"query": query, "judgments": JUDGMENTS, "min_ndcg": 0.7, **keys}
        result = result_of(case, list(ranking or ""), file=file, line=2)
        if ranking is None:
            result = changed(
                result, verdict="error", documents=(), grades=(), scores={}
            )
        found.append(replace(result, variant=variant or None))
    return found


def started(day: int) -> str:
    return f"2026-11-{day:02}T08:03:11+00:00"


def write(
    path: Path, day: int, found: Sequence[CaseResult], about: FileInfo | None = None
) -> None:
    """Write the record of a run of that day in November."""
    Run(found, {FILE: about or FileInfo(FILE)}, RunInfo("1.0", started(day))).write(
        path
    )


def record(
    path: Path,
    day: int,
    rankings: Rankings,
    keys: Mapping[str, Any] | None = None,
    *,
    file: str = FILE,
    missing: Sequence[str] = (),
    **fingerprint: str,
) -> Path:
    """Write the record of a run of that day, with these rankings."""
    info = RunInfo("1.0", started(day), fingerprint=fingerprint, missing=missing)
    Run(results(rankings, file, **(keys or {})), {file: FileInfo(file)}, info).write(
        path
    )
    return path


@pytest.fixture
def runs(terminal: Terminal) -> Path:
    """A folder for records."""
    folder = terminal.folder / "runs"
    folder.mkdir()
    return folder


def all_series(terminal: Terminal) -> Any:
    said = terminal.run("history", "runs", "--format", "json")
    assert said.code == 0, said.err
    return json.loads(said.out)["series"]


def only_series(terminal: Terminal) -> Any:
    (series,) = all_series(terminal)
    return series


def page_of(terminal: Terminal) -> str:
    assert terminal.run("history", "runs", "-o", "history.html").code == 0
    return terminal.read("history.html")


def test_a_line_for_each_run_in_the_order_of_their_start(
    terminal: Terminal, runs: Path
) -> None:
    both = {"boots": BEST, "hats": BEST}
    worse = {"boots": POOR, "hats": FAIR}
    old = {"index": "products-1", "documents": "10"}
    new = {"index": "products-2", "documents": "10"}
    record(runs / "z.jsonl", 1, both, {}, **old)
    record(runs / "b.jsonl.gz", 2, worse, {}, **new)
    record(runs / "a.jsonl", 3, {**both, "socks": BEST}, {}, **new)
    (runs / "deep").mkdir()
    judged = {"judgments": {**JUDGMENTS, "e": 3}}
    record(runs / "deep" / "c.jsonl", 4, both, judged, index="products-2")
    said = terminal.run("history", "runs")
    assert (said.code, said.err) == (0, "")
    assert said.lines == [
        "History of 4 runs, 2026-11-01 08:03 to 2026-11-04 08:03 UTC",
        "4 runs: no mean can be compared with that of the last",
        "",
        "start (UTC)        mean  passed  worse  better  searched",
        "2026-11-01 08:03  1.000  2 of 2                 index products-1, documents 10",
        "2026-11-02 08:03  0.695  1 of 2      2       0  index products-2",
        "2026-11-03 08:03  1.000  3 of 3      0       2",
        "-- break --",
        "2026-11-04 08:03  0.704  2 of 2                 documents not known",
        "",
        "the means are over 2 cases with a score in each run, by nDCG@10 and weighted as in the last; 1 case",
        "    is not in all runs, or without a score",
        "break at 2026-11-04 08:03: judgments of 2 of 2 cases changed: means before and after are not",
        "    comparable",
        "interval: what unjudged results leave open; passed: of the cases with a floor or an expectation;",
        "    worse, better: since the last run before that has the case, without a break; need grades: those",
        "    of the worse that unjudged results may explain",
    ]


# --- breaks ---------------------------------------------------------------------------


def test_a_break_parts_only_the_cases_that_it_touches(
    terminal: Terminal, runs: Path
) -> None:
    """The change of the mean is over the others, if they are at least half."""
    (judged_anew,) = results({"socks": POOR}, judgments={"a": 1})
    best = results({"boots": BEST, "hats": BEST})
    fair = results({"boots": FAIR, "hats": FAIR})
    write(runs / "1.jsonl", 1, [*best, *results({"socks": BEST})])
    write(runs / "2.jsonl", 2, [*best, judged_anew])
    write(runs / "3.jsonl", 3, [*fair, judged_anew])
    series = only_series(terminal)
    assert [point["breaks"] for point in series["points"]] == [
        [],
        [{"kind": "judgments", "detail": "", "cases": 1}],
        [],
    ]
    mean = (2 + (judged_anew.score or 0)) / 3
    assert series["points"][1]["mean"] == pytest.approx(mean)
    assert series["change"]["queries"] == 2
    assert series["change"]["second"] == pytest.approx(fair[0].score)
    hats_anew = results({"hats": POOR}, judgments={"a": 1})
    write(runs / "4.jsonl", 4, [fair[0], *hats_anew, judged_anew])
    series = only_series(terminal)  # since the first run one of three is untouched
    assert (series["since"], series["change"]["queries"]) == (started(2), 2)


def test_a_break_of_all_cases_leaves_no_change_of_the_mean(
    terminal: Terminal, runs: Path
) -> None:
    write(runs / "1.jsonl", 1, results({"boots": BEST, "hats": BEST}))
    for day, k in ((2, 10), (3, 5)):
        boots = results({"boots": BEST}, gain="linear", k=k)
        hats = results({"hats": BEST}, gain="linear", k=k, judgments={"a": 1})
        write(runs / f"{day}.jsonl", day, [*boots, *hats])
    series = only_series(terminal)
    breaks = [
        [(each["kind"], each["cases"], each["detail"]) for each in point["breaks"]]
        for point in series["points"]
    ]
    assert breaks == [
        [],
        [("settings", 2, "gain: exponential / linear"), ("judgments", 1, "")],
        [("settings", 2, "k: 10 / 5")],
    ]
    assert (series["metric"], series["change"]) == ("nDCG@5", None)


# --- what got worse -------------------------------------------------------------------


def test_what_got_worse(terminal: Terminal, runs: Path) -> None:
    """By more than the tolerance, or by a demand that was met; not by one that was
    raised.
    """
    first = {"expect": {"first": "a"}, "min_ndcg": 0.1, "tolerance": 0.3}
    raised = {**first, "min_ndcg": 1, "expect": {"first": "c"}}
    record(runs / "1.jsonl", 1, {"boots": BEST, "hats": POOR}, first)
    record(runs / "2.jsonl", 2, {"boots": FAIR, "hats": POOR}, first)
    record(runs / "3.jsonl", 3, {"boots": FAIR, "hats": BEST}, raised)
    # below a floor that it met, by less than the tolerance
    missed = {**raised, "tolerance": 1, "min_ndcg": 0.9}
    record(runs / "4.jsonl", 4, {"boots": FAIR, "hats": FAIR}, missed)
    moves = [
        [(move["id"], move["is_worse"]) for move in point["moves"]]
        for point in only_series(terminal)["points"]
    ]
    assert moves == [[], [("boots", True)], [("hats", False)], [("hats", True)]]


def test_the_largest_fall_comes_first(terminal: Terminal, runs: Path) -> None:
    record(runs / "1.jsonl", 1, {"boots": BEST, "hats": BEST, "socks": POOR})
    record(runs / "2.jsonl", 2, {"boots": FAIR, "hats": POOR, "socks": BEST})
    moves = only_series(terminal)["points"][1]["moves"]
    assert [move["id"] for move in moves] == ["hats", "boots", "socks"]


def test_a_dot_is_red_where_the_mean_fell_and_green_where_it_rose(
    terminal: Terminal, runs: Path
) -> None:
    """In the third run one query got better and one worse, by more."""
    record(runs / "1.jsonl", 1, {"boots": BEST, "hats": POOR, "socks": POOR})
    record(runs / "2.jsonl", 2, {"boots": POOR, "hats": BEST, "socks": BEST})
    record(runs / "3.jsonl", 3, {"boots": FAIR, "hats": "", "socks": BEST})
    record(runs / "4.jsonl", 4, {"boots": FAIR, "hats": "", "socks": BEST})
    assert re.findall('class="(dot.*?)"', page_of(terminal)) == [
        "dot",
        "dot rose",
        "dot fell",
        "dot",
    ]


def test_a_run_whose_search_failed_hides_nothing(
    terminal: Terminal, runs: Path
) -> None:
    record(runs / "1.jsonl", 1, {"boots": BEST, "hats": BEST})
    record(runs / "2.jsonl", 2, {"boots": FAILED, "hats": FAILED})
    record(runs / "3.jsonl", 3, {"boots": BEST, "hats": POOR})
    points = only_series(terminal)["points"]
    assert [(point["mean"], point["counts"]["got_worse"]) for point in points[:2]] == [
        (1.0, 0),
        (None, 0),
    ]
    assert [move["id"] for move in points[2]["moves"]] == ["hats"]
    lines = [line.split() for line in terminal.run("history", "runs").lines]
    assert ["2026-11-02", "08:03", "n/a", "0", "of", "2", "2"] in lines


def test_cases_without_judgments_have_a_history_too(
    terminal: Terminal, runs: Path
) -> None:
    keys = {"judgments": {}, "min_ndcg": None, "expect": {"first": "a"}}
    record(runs / "1.jsonl", 1, {"boots": "ab"}, keys)
    record(runs / "2.jsonl", 2, {"boots": "ba"}, keys)
    points = only_series(terminal)["points"]
    assert [(point["mean"], point["counts"]["got_worse"]) for point in points] == [
        (None, 0),
        (None, 1),
    ]
    worse = (
        "1 got worse (for certain) in the last run, since the run before that has the case: "
        "&quot;boots&quot;</p>"
    )
    assert worse in page_of(terminal)


def test_a_case_without_a_floor_is_not_among_those_that_can_pass(
    terminal: Terminal, runs: Path
) -> None:
    for day, ranking in ((1, BEST), (2, FAILED)):
        found = results({"boots": BEST})
        found += results({"socks": ranking}, min_ndcg=None)
        write(runs / f"{day}.jsonl", day, found)
    said = terminal.run("history", "runs").lines
    rows = [" ".join(line.split()) for line in said if line.startswith("2026-11-0")]
    assert rows[:2] == [
        "2026-11-01 08:03 1.000 1 of 1",
        "2026-11-02 08:03 1.000 1 of 1 1 0 0",
    ]


def test_known_items_beside_judged_cases_are_left_out_and_told(
    terminal: Terminal, runs: Path
) -> None:
    for day in (1, 2):
        items = [replace(each, is_known_item=True) for each in results({"socks": BEST})]
        items = [changed(item, scores={"RR@10": 1.0}) for item in items]
        found = [*results({"boots": BEST}), *items]
        write(runs / f"{day}.jsonl", day, found)
    series = only_series(terminal)
    counts = (series["scored"], series["known_items"], series["others"])
    assert counts == (1, 1, 0)
    said = terminal.run("history", "runs").text
    assert "; 1 known item is left out, since RR@k is their score" in said
    assert "is not in all runs" not in said


def test_what_a_run_lacks_is_compared_with_the_run_before_that(
    terminal: Terminal, runs: Path
) -> None:
    record(runs / "1.jsonl", 1, {"boots": BEST, "socks": BEST})
    record(runs / "2.jsonl", 2, {"boots": POOR})
    record(runs / "3.jsonl", 3, {"boots": POOR, "socks": POOR})
    series = only_series(terminal)
    worse = [point["counts"]["got_worse"] for point in series["points"]]
    same = [point["counts"]["same"] for point in series["points"]]
    assert (worse, same) == ([0, 1, 1], [0, 0, 1])
    assert (series["scored"], series["others"]) == (1, 1)
    assert (series["counts"]["got_worse"], series["change"]["queries"]) == (1, 1)
    said = terminal.run("history", "runs").text
    assert 'since the run before that has the case: "socks"' in said


def test_a_gate_that_the_last_run_missed_is_named(
    terminal: Terminal, runs: Path
) -> None:
    gates = gates_of({"mean": {"nDCG@10": 0.99}}, {"passing": 1})
    about = FileInfo(FILE, totals=[("search", None, 1)], gates=gates)
    for day, ranking in enumerate((BEST, FAIR), 1):
        found = results({"boots": ranking}, min_ndcg=0.1, tolerance=1)
        write(runs / f"{day}.jsonl", day, found, about)
    unmet = f"{FILE}: gate[{gates[0].id}]"
    assert only_series(terminal)["unmet"] == [unmet]
    said = terminal.run("history", "runs")
    assert f"not met in the last run: {unmet}" in said.lines
    assert "; in the last run 1 gate is not met" in said.text
    # a damaged record is not the last run
    recorded = (runs / "2.jsonl").read_text().replace(started(2), started(3))
    damaged = recorded.replace('"ranking":{', '"ranking":{"documents":1},"x":{')
    (runs / "3.jsonl").write_text(damaged)
    said = terminal.run("history", "runs")
    assert (said.code, said.lines[0][:18]) == (0, "History of 2 runs,")
    assert "left out: runs/3.jsonl:2: " in said.out
    assert f"not met in the last run: {unmet}" in said.lines


# --- the headline ---------------------------------------------------------------------

FALL = dict.fromkeys("uvwxy", BEST), dict.fromkeys("uvwxy", POOR)
BACK = {"u": POOR, "v": BEST, "w": BEST}, {"u": BEST, "v": POOR, "w": BEST}
SINCE = "Since the first run"
CHANCE = {"u": BEST, "v": BEST, "w": POOR}, {"u": POOR, "v": POOR, "w": BEST}
IN_THE_LAST = "Since the first run no query got worse; in the last run"


@pytest.mark.parametrize(
    ("found", "verdict", "says", "means"),
    [
        (FALL, "warns", f"{SINCE} search got worse: 5 of 5 queries (all for certain)", "1.000 -> 0.548"),
        (FALL[::-1], "passes", f"{SINCE} search got better: 5 of 5 queries", "0.548 -> 1.000"),
        (FALL[:1] * 2, "passes", f"{SINCE} no query got worse", "1.000 -> 1.000"),
        (
            CHANCE,
            "warns",
            f"{SINCE} 2 of 3 queries got worse (all for certain), 1 better; the "
            "change of the mean may be chance",
            "0.849 -> 0.699",
        ),
        ([*BACK, BACK[0]], "warns", f"{IN_THE_LAST} 1 got worse and 1 better than before it", "0.849 -> 0.849"),
        (
            [{"u": BEST}, {"u": "abdc"}],
            "warns",
            f"{SINCE} the mean fell, which may be chance, and no query fell by more "
            "than its tolerance",
            "1.000 -> 0.993",
        ),
        (
            [FALL[0], dict.fromkeys("uvwxy", FAILED)],
            "fails",
            "2 runs: no mean can be compared with that of the last; in the last run 5 of 5 searches failed",
            None,
        ),
        (
            [FALL[0], dict.fromkeys("uvwxy", "")],
            "fails",
            f"{SINCE} search got worse: 5 of 5 queries (all for certain); in the last run 5 of 5 searches returned nothing",
            "1.000 -> 0.000",
        ),
        ([FALL[0], {**FALL[0], "u": FAILED}], "fails", f"{IN_THE_LAST} 1 of 5 searches failed", "1.000 -> 1.000"),
        (FALL[:1], "warns", "1 run: two or more are needed to compare their means", None),
    ],
    ids=[
        *("fall", "rise", "same", "both", "last", "little", "down", "empty", "error"),
        "one",
    ],
)  # fmt: skip
def test_the_headline_weighs_and_tells_what_is_wrong_in_the_last_run(
    terminal: Terminal,
    runs: Path,
    found: Any,
    verdict: str,
    says: str,
    means: str | None,
) -> None:
    for day, rankings in enumerate(found, 1):
        record(runs / f"{day}.jsonl", day, rankings)
    page = page_of(terminal)
    assert f'<h1 data-verdict="{verdict}">{says}</h1>' in page
    shown = re.findall(r"mean nDCG@10 ([\d.]+ \u2192 [\d.]+)", page)
    assert shown[:1] == ([means.replace("->", "\u2192")] if means else [])


def test_a_gate_that_a_variant_missed_is_named_for_this_variant(
    terminal: Terminal, runs: Path
) -> None:
    totals = [("search", "bm25", 1), ("search", "hybrid", 1)]
    gates = gates_of({"mean": {"nDCG@10": 0.9}})
    found = results({"boots[bm25]": POOR, "boots[hybrid]": BEST})
    write(runs / "1.jsonl", 1, found, FileInfo(FILE, totals=totals, gates=gates))
    unmet = {each["variant"]: len(each["unmet"]) for each in all_series(terminal)}
    assert unmet == {"bm25": 1, "hybrid": 0}


def test_a_search_that_should_find_nothing_is_not_wrong(
    terminal: Terminal, runs: Path
) -> None:
    keys = {"min_ndcg": None, "judgments": {}, "expect": {"results": 0}}
    for day in (1, 2):
        record(runs / f"{day}.jsonl", day, {"boots": "", "hats": ""}, keys)
    assert "returned nothing" not in terminal.run("history", "runs").text


def test_each_variant_has_its_own_series_and_a_file_may_move(
    terminal: Terminal, runs: Path
) -> None:
    record(runs / "1.jsonl", 1, {"boots[bm25]": BEST}, file="old/shop.relevance.yaml")
    record(runs / "2.jsonl", 2, {"boots[bm25]": POOR, "boots[hybrid]": FAIR})
    first, second = results({"boots[bm25]": POOR, "boots[hybrid]": BEST})
    write(runs / "3.jsonl", 3, [changed(first, filled_top={"model-x": 3}), second])
    found = [
        (each["variant"], len(each["points"]), each["filled"])
        for each in all_series(terminal)
    ]
    assert found == [("bm25", 3, {"model-x": 3}), ("hybrid", 2, {})]
    said = terminal.run("history", "runs", "--format", "markdown").out
    assert "**Bm25**" in said
    assert "bm25: in the last run 3 of 4 judged results within k are filled" in said


# --- the terminal and the page --------------------------------------------------------


@pytest.mark.parametrize(
    ("columns", "left_out"),
    [(100, []), (80, ["interval"]), (60, ["interval", "p95", "searched"])],
)
def test_a_narrow_terminal_does_without_some_columns(
    terminal: Terminal,
    runs: Path,
    monkeypatch: pytest.MonkeyPatch,
    columns: int,
    left_out: list[str],
) -> None:
    keys = {"judgments": {"a": 3, "b": 0, "c": 1}}
    for day, hats in enumerate((BEST, FAILED, "xab"), 1):
        rankings = {"hats": hats, **{f"q{number}": "xab" for number in range(20)}}
        record(runs / f"{day}.jsonl", day, rankings, keys, index="products " * 9)
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = terminal.run("history", "runs").lines
    assert max(map(len, lines)) <= columns
    heads = ["interval", "p95", "errors", "worse", "better", "searched"]
    (shown,) = (line for line in lines if line.startswith("start (UTC)"))
    assert [head for head in heads if head not in shown] == left_out


HOSTILE = "</style><script>alert(1)</script> $title \u202eabc"
ESCAPED = "&lt;/style&gt;&lt;script&gt;alert(1)&lt;/script&gt; $title \\u202eabc"


def test_the_page_has_no_script_and_all_its_links_lead_somewhere(
    terminal: Terminal, runs: Path
) -> None:
    for day, ranking in enumerate((BEST, POOR, FAIR), 1):
        rankings = {HOSTILE: ranking, "hats": BEST}
        record(runs / f"{day}.jsonl", day, rankings, index=f"{HOSTILE}{day}")
    page = page_of(terminal)
    style = page.partition("<style>")[2].partition("</style>")[0]
    digest = base64.b64encode(sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert f'content="{policy}"' in page
    assert not re.search(r"<script|<img|<link|\u202e|\son\w+=|https?:", page)
    assert ESCAPED in page
    targets = re.findall(r'href="#([^"]+)"', page)
    assert [*dict.fromkeys(targets)] == ["run-0-0", "run-0-1", "run-0-2", "story-0-0"]
    assert {*targets} <= {*re.findall(r'\sid="([^"]+)"', page)}
    assert page.count("<details>") == 2 + 1  # what moved in two runs, and a story


def test_the_table_of_runs_says_what_its_figures_mean(
    terminal: Terminal, runs: Path
) -> None:
    """Of the columns that it shows: nothing is unjudged."""
    for day, ranking in enumerate((BEST, POOR), 1):
        record(runs / f"{day}.jsonl", day, {"boots": ranking})
    captions = re.findall(r'<caption class="note">(.*?)</caption>', page_of(terminal))
    assert captions == [
        "passed: of the cases with a floor or an expectation; "
        "worse, better: since the last run before that has the case, without a break"
    ]


def test_the_chart_is_parted_at_a_break_and_has_a_tick_where_the_index_changed(
    terminal: Terminal, runs: Path
) -> None:
    for day, (index, gain) in enumerate(
        [("a", "exponential"), ("a", "linear"), ("b", "linear")], 1
    ):
        keys = {"gain": gain}
        record(runs / f"{day}.jsonl", day, {"boots": FAIR}, keys, index=index)
    page = page_of(terminal)
    (line,) = re.findall(r'<path class="mean" d="(.*?)"', page)
    assert re.findall("[ML][0-9.]+", line) == ["M0.5", "M1.5", "L2.5"]
    assert re.findall(r'class="(?:break|searched)" d="M[0-9.]+', page) == [
        'class="break" d="M1',
        'class="searched" d="M2.5',
    ]


# --- what is left out, and what is refused --------------------------------------------


@pytest.fixture
def sound(runs: Path) -> Path:
    return record(runs / "1.jsonl", 1, {"boots": BEST})


def test_what_is_no_complete_run_is_named_and_left_out(
    terminal: Terminal, sound: Path
) -> None:
    runs = sound.parent
    data = sound.read_bytes()
    (runs / "cut.jsonl").write_bytes(data.splitlines()[0] + b"\n")
    (runs / "damaged.jsonl.gz").write_bytes(gzip.compress(data)[:-30])
    (runs / "empty.jsonl").write_bytes(b"")
    record(runs / "unfinished.jsonl", 2, {"boots": BEST}, missing=[f"{FILE}::hats"])
    mistake = RunError("unknown key", "a.yaml", line=2, node="a.yaml")
    Run([], info=RunInfo(errors=[mistake])).write(runs / "mistake.jsonl")
    Run(results({"boots": BEST})).write(runs / "without.jsonl")
    (runs / "twin.jsonl.gz").write_bytes(gzip.compress(data))
    # it began in the same second, and is another run
    record(runs / "y.jsonl", 1, {"boots": POOR})
    # it is no record by its name
    (runs / "shop.relevance.yaml.baseline.jsonl").write_bytes(b"")
    said = terminal.run("history", "runs")
    assert said.code == 0
    assert said.lines[0].startswith("History of 2 runs, ")
    left_out = said.text.split("left out: runs/")[1:]
    expected = {
        "cut.jsonl": "the record is truncated: 0 of 1 results are there",
        "damaged.jsonl.gz": "cannot be read: ",
        "empty.jsonl:1": "this is not a record: it is empty",
        "unfinished.jsonl": "the run is not complete, 1 case did not finish",
        "mistake.jsonl": "the run is not complete, 1 file has an error (a.yaml:2: ",
        "without.jsonl": "it does not say when the run began",
        "twin.jsonl.gz": "the same run as runs/1.jsonl",
    }
    assert len(left_out) == len(expected)
    for name, why in expected.items():
        assert [text for text in left_out if text.startswith(f"{name}: {why}")], name


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("other/*.jsonl", '"other/*.jsonl" names no file *.jsonl or *.jsonl.gz\n'),
        ("empty", '"empty" names no file *.jsonl or *.jsonl.gz\n'),
        ("none.jsonl", "writes one\n- none.jsonl: cannot be read: No such file"),
    ],
)
def test_names_without_a_record(terminal: Terminal, name: str, says: str) -> None:
    (terminal.folder / "empty").mkdir()
    assert says in terminal.refused("history", name)


def test_runs_without_a_case_in_common(terminal: Terminal, sound: Path) -> None:
    record(sound.with_name("2.jsonl"), 2, {"hats": BEST}, file="hats.relevance.yaml")
    says = "no case was searched in all 2 runs: name the runs of one suite"
    assert says in terminal.refused("history", "runs/*.jsonl")
    record(sound.with_name("3.jsonl"), 3, {"boots": BEST})
    record(sound.with_name("4.jsonl"), 4, {"boots[bm25]": BEST})
    left_out = "left out: no variant: no case was searched in all its runs"
    assert left_out in terminal.run("history", "runs").lines


# --- properties -----------------------------------------------------------------------

RANKINGS = st.sampled_from([BEST, FAIR, POOR, FAILED])
FEWER = settings(max_examples=settings().max_examples // 2)
"""Each example writes records and reads them."""


@FEWER
@given(
    st.lists(
        st.dictionaries(st.sampled_from("uvwx"), RANKINGS, min_size=1),
        min_size=1,
        max_size=5,
    )
)
def test_means_are_over_the_cases_that_all_runs_have(
    tmp_path_factory: pytest.TempPathFactory, found: list[dict[str, str | None]]
) -> None:
    folder = tmp_path_factory.mktemp("runs")
    for day, rankings in enumerate(found, 1):
        record(folder / f"{day}.jsonl", day, rankings)
    searched = [
        {name: ranking for name, ranking in each.items() if ranking} for each in found
    ]
    common = set("uvwx").intersection(*filter(None, searched))
    report = folder / "history.json"
    is_there = any(searched) and bool(common)
    code = main(["history", str(folder), "--output", str(report)])
    assert code == (0 if is_there else 2)
    if not is_there:
        return
    (series,) = json.loads(report.read_text())["series"]
    assert series["scored"] == len(common)
    assert series["others"] == len(set().union(*searched)) - len(common)
    judgments = dict.fromkeys(common, JUDGMENTS)
    means = []
    for each in searched:
        scores = evaluate(
            judgments, {name: list(each[name]) for name in common if each}
        )
        means.append(scores["nDCG@10"].mean() if each else None)
    assert [point["mean"] for point in series["points"]] == pytest.approx(means)


SEARCHED = st.sampled_from([BEST, FAIR, POOR, "abdc", "xabcd", ""])


@FEWER
@given(st.lists(st.tuples(SEARCHED, SEARCHED), min_size=1, max_size=5))
def test_two_runs_differ_as_compare_says(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, str]]
) -> None:
    folder = tmp_path_factory.mktemp("runs")
    paths = []
    for day, rankings in enumerate(zip(*pairs, strict=True), 1):
        found = {f"query {number}": ranking for number, ranking in enumerate(rankings)}
        path = record(folder / f"{day}.jsonl", day, found, {"min_ndcg": None})
        paths.append(str(path))
    reports = []
    for command in (["history", str(folder)], ["compare", *paths]):
        report = folder / f"{command[0]}.json"
        assert main([*command, "--output", str(report)]) == 0
        reports.append(json.loads(report.read_text()))
    (series,), (row,) = reports[0]["series"], reports[1]["metrics"]
    for name in ("queries", "first", "second", "rose", "fell", "low", "high", "p"):
        assert series["change"][name] == row[name]
    assert series["counts"] == series["points"][1]["counts"] == reports[1]["counts"]
    movers = reports[1]["movers"]
    differences = {
        each["id"]: each["difference"] for each in movers["drops"] + movers["gains"]
    }
    moves = {move["id"]: move["is_worse"] for move in series["points"][1]["moves"]}
    assert moves == {
        name: difference < 0
        for name, difference in differences.items()
        if abs(difference) > 0.05
    }
