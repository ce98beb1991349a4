"""`pytest-relevance history`: recorded runs in the order of their start, over the cases
that all of them have.
"""

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
from tests.helpers import recorded_gates, result_of

if TYPE_CHECKING:
    from tests.cli.conftest import Terminal

FILE = "shop.relevance.yaml"
JUDGMENTS = {"a": 3, "b": 2, "c": 1, "d": 0}
BEST, FAIR, POOR = "abcd", "bacd", "dcba"
FAILED = None
"""The search raised."""


def results(
    rankings: Mapping[str, str | None], keys: Mapping[str, Any], file: str
) -> list[CaseResult]:
    """The results of queries, each with a letter a document; a query may have its
    variant, `boots[bm25]`.
    """
    found = []
    for name, ranking in rankings.items():
        query, _, variant = name.removesuffix("]").partition("[")
        result = result_of(
            {"query": query, "judgments": JUDGMENTS, **keys},
            list(ranking or ""),
            file=file,
            line=2,
        )
        if ranking is None:
            result = replace(
                result,
                verdict="error",
                ranking=replace(result.ranking, documents=(), grades=()),
            )
            result = replace(result, evaluation=replace(result.evaluation, scores={}))
        found.append(replace(result, variant=variant or None))
    return found


def record(
    path: Path,
    day: int,
    rankings: Mapping[str, str | None],
    keys: Mapping[str, Any] | None = None,
    *,
    file: str = FILE,
    missing: Sequence[str] = (),
    **fingerprint: str,
) -> Path:
    """Write the record of a run of that day in November."""
    info = RunInfo(
        "1.0",
        f"2026-11-{day:02}T08:03:11+00:00",
        fingerprint=fingerprint,
        missing=missing,
    )
    Run(
        results(rankings, {"min_ndcg": 0.7, **(keys or {})}, file),
        {file: FileInfo(file)},
        info,
    ).write(path)
    return path


@pytest.fixture
def runs(terminal: Terminal) -> Path:
    """A folder for records."""
    folder = terminal.folder / "runs"
    folder.mkdir()
    return folder


def data_of(terminal: Terminal, *names: str) -> Any:
    said = terminal.run("history", *names, "--format", "json")
    assert said.code == 0, said.err
    return json.loads(said.out)


def points_of(terminal: Terminal, *names: str) -> Any:
    (series,) = data_of(terminal, *names)["series"]
    return series["points"]


def test_a_line_for_each_run_in_the_order_of_their_start(
    terminal: Terminal, runs: Path
) -> None:
    both = {"boots": BEST, "hats": BEST}
    record(runs / "z.jsonl", 1, both, index="products-1", documents="10")
    record(
        runs / "b.jsonl.gz",
        2,
        {"boots": POOR, "hats": FAIR},
        index="products-2",
        documents="10",
    )
    record(
        runs / "a.jsonl", 3, {**both, "socks": BEST}, index="products-2", documents="10"
    )
    judged = {"judgments": {**JUDGMENTS, "e": 3}}
    (runs / "deep").mkdir()
    record(runs / "deep" / "c.jsonl", 4, both, judged, index="products-2")
    said = terminal.run("history", "runs")
    assert (said.code, said.err) == (0, "")
    assert said.lines == [
        "History of 4 runs, 2026-11-01 08:03 to 2026-11-04 08:03 UTC",
        "4 runs: no mean can be compared with that of the last",
        "",
        "start (UTC)        mean    p95  passed  worse  better  searched",
        "2026-11-01 08:03  1.000  12 ms  2 of 2                 index products-1, documents 10",
        "2026-11-02 08:03  0.695  12 ms  1 of 2      2       0  index products-2",
        "2026-11-03 08:03  1.000  12 ms  3 of 3      0       2",
        "-- break --",
        "2026-11-04 08:03  0.704  12 ms  2 of 2                 documents not known",
        "",
        "the means are over 2 cases with a score in each run, by nDCG@10 and weighted as in the last; 1 case",
        "    is not in all runs, or without one",
        "break at 2026-11-04 08:03: judgments of 2 of 2 cases changed: means before and after are not",
        "    comparable",
        "interval: what unjudged results leave open; worse, better: since the run before, of cases without a",
        "    break",
    ]


def test_a_break_parts_only_the_cases_that_it_touches(
    terminal: Terminal, runs: Path
) -> None:
    """The change of the mean is over the others, if they are at least half."""
    all_three = dict.fromkeys(("boots", "hats", "socks"), BEST)
    record(runs / "1.jsonl", 1, all_three)
    found = results(all_three, {"min_ndcg": 0.7}, FILE)
    (changed,) = results({"socks": POOR}, {"judgments": {"a": 1}}, FILE)
    info = RunInfo("1.0", "2026-11-02T08:03:11+00:00")
    Run([*found[:2], changed], {FILE: FileInfo(FILE)}, info).write(runs / "2.jsonl")
    third = Run(
        [*results({"boots": FAIR, "hats": FAIR}, {"min_ndcg": 0.7}, FILE), changed],
        {FILE: FileInfo(FILE)},
    )
    third.info = replace(info, started="2026-11-03T08:03:11+00:00")
    third.write(runs / "3.jsonl")
    (series,) = data_of(terminal, "runs")["series"]
    assert [point["breaks"] for point in series["points"]] == [
        [],
        [{"kind": "judgments", "detail": "", "cases": 1}],
        [],
    ]
    assert [point["mean"] for point in series["points"]][:2] == [
        1.0,
        pytest.approx((2 + (changed.score or 0)) / 3),
    ]
    assert series["change"]["queries"] == 2
    assert series["change"]["second"] == pytest.approx(third.results[0].score)
    record(runs / "4.jsonl", 4, all_three, {"gain": "linear"})
    record(runs / "5.jsonl", 5, all_three, {"gain": "linear", "k": 5})
    (series,) = data_of(terminal, "runs")["series"]
    kinds = [
        [(each["kind"], each["cases"], each["detail"]) for each in point["breaks"]]
        for point in series["points"]
    ]
    assert kinds[3] == [
        ("settings", 3, "gain: exponential / linear"),
        ("judgments", 1, ""),
    ]
    assert kinds[4] == [("settings", 3, "k: 10 / 5")]
    assert (series["metric"], series["change"]) == ("nDCG@5", None)


def test_a_gate_that_the_last_run_missed_is_named(
    terminal: Terminal, runs: Path
) -> None:
    gates = recorded_gates({"mean": {"nDCG@10": 0.99}}, {"passing": 1})
    for day, ranking in enumerate((BEST, FAIR), 1):
        of_file = FileInfo(FILE, totals=[("search", None, 1)], gates=gates)
        info = RunInfo("1.0", f"2026-11-{day:02}T08:03:11+00:00")
        Run(
            results({"boots": ranking}, {"min_ndcg": 0.1, "tolerance": 1}, FILE),
            {FILE: of_file},
            info,
        ).write(runs / f"{day}.jsonl")
    (series,) = data_of(terminal, "runs")["series"]
    assert series["unmet"] == [f"{FILE}: gate[{gates[0].id}]"]
    said = terminal.run("history", "runs")
    assert f"not met in the last run: {FILE}: gate[{gates[0].id}]" in said.lines
    assert "; in the last run 1 gate is not met" in " ".join(said.lines)
    head, result = (
        (runs / "2.jsonl").read_text().replace("2026-11-02", "2026-11-03").splitlines()
    )
    damaged = json.dumps(json.loads(result) | {"ranking": "x"})
    (runs / "3.jsonl").write_text(f"{head}\n{damaged}\n")
    said = terminal.run("history", "runs")
    assert (said.code, said.lines[0][:18]) == (0, "History of 2 runs,")
    assert "left out: runs/3.jsonl:2: " in said.out
    assert f"not met in the last run: {FILE}: gate[{gates[0].id}]" in said.lines


def test_what_got_worse(terminal: Terminal, runs: Path) -> None:
    """By more than the tolerance, or by an expectation that was met; not by one that
    was raised.
    """
    first = {"expect": {"first": "a"}, "min_ndcg": 0.1, "tolerance": 0.3}
    record(runs / "1.jsonl", 1, {"boots": BEST, "hats": POOR}, first)
    record(runs / "2.jsonl", 2, {"boots": FAIR, "hats": POOR}, first)
    record(
        runs / "3.jsonl",
        3,
        {"boots": FAIR, "hats": BEST},
        {**first, "min_ndcg": 1, "expect": {"first": "c"}},
    )
    moves = [
        [
            (move["id"], move["before"], move["after"], move["is_worse"])
            for move in point["moves"]
        ]
        for point in points_of(terminal, "runs")
    ]
    fair, poor = (results({"x": each}, {}, FILE)[0].score for each in (FAIR, POOR))
    assert moves == [[], [("boots", 1.0, fair, True)], [("hats", poor, 1.0, False)]]


def test_a_run_whose_search_failed_hides_nothing(
    terminal: Terminal, runs: Path
) -> None:
    for day, hats in enumerate((BEST, FAILED, POOR), 1):
        record(
            runs / f"{day}.jsonl",
            day,
            {"boots": BEST if day != 2 else FAILED, "hats": hats},
        )
    points = points_of(terminal, "runs")
    assert [(point["mean"], point["worse"]) for point in points[:2]] == [
        (1.0, 0),
        (None, 0),
    ]
    assert [move["id"] for move in points[2]["moves"]] == ["hats"]
    lines = [line.split() for line in terminal.run("history", "runs").lines]
    assert ["2026-11-02", "08:03", "n/a", "0", "of", "2", "2"] in lines


FALL = dict.fromkeys("uvwxy", BEST), dict.fromkeys("uvwxy", POOR)
BACK = (
    dict(zip("uvw", (POOR, BEST, BEST), strict=True)),
    dict(zip("uvw", (BEST, POOR, BEST), strict=True)),
)


@pytest.mark.parametrize(
    ("found", "says", "means", "last", "kind"),
    [
        (FALL, "Search got worse: 5 queries", "1.000 -> 0.548", "", "worse"),
        (FALL[::-1], "Search got better: 5 queries", "0.548 -> 1.000", "", "better"),
        (FALL[:1] * 2, "No query got worse", "1.000 -> 1.000", "", "fine"),
        (
            [{"u": BEST, "v": BEST, "w": POOR}, {"u": POOR, "v": POOR, "w": BEST}],
            "2 queries got worse, 1 better; the mean is unchanged within chance",
            *("0.849 -> 0.699", "", "mixed"),
        ),
        (
            [*BACK, BACK[0]],
            "No query got worse",
            *("0.849 -> 0.849", "1 got worse and 1 better", "mixed"),
        ),
        (
            [FALL[0], dict.fromkeys("uvwxy", FAILED)],
            "2 runs: no mean can be compared with that of the last",
            *("", "5 of 5 searches failed", "broken"),
        ),
        (
            [FALL[0], dict.fromkeys("uvwxy", "")],
            "Search got worse: 5 queries",
            *("1.000 -> 0.000", "5 of 5 searches returned nothing", "worse"),
        ),
        (
            [FALL[0], {**FALL[0], "u": FAILED}],
            "No query got worse",
            *("1.000 -> 1.000", "1 of 5 searches failed", "broken"),
        ),
        (
            FALL[:1],
            "1 run: two or more are needed to compare their means",
            "",
            "",
            "nothing",
        ),
    ],
    ids=["fall", "rise", "same", "both", "last", "down", "empty", "error", "one"],
)
def test_the_headline_weighs_and_tells_what_is_wrong_in_the_last_run(
    terminal: Terminal,
    runs: Path,
    found: Any,
    says: str,
    means: str,
    last: str,
    kind: str,
) -> None:
    for day, rankings in enumerate(found, 1):
        record(runs / f"{day}.jsonl", day, rankings)
    assert terminal.run("history", "runs", "-o", "history.html").code == 0
    (heading,) = re.findall(
        '<h1 data-verdict="(.*)">(.*)</h1>', terminal.read("history.html")
    )
    assert heading == (kind, says + f"; in the last run {last}" * bool(last))
    assert (
        f"mean nDCG@10 {means}".replace("->", "\u2192") in terminal.read("history.html")
    ) == bool(means)


def test_each_variant_has_its_own_series_with_what_is_filled_and_a_file_may_move(
    terminal: Terminal, runs: Path
) -> None:
    record(runs / "1.jsonl", 1, {"boots[bm25]": BEST}, file="old/shop.relevance.yaml")
    record(runs / "2.jsonl", 2, {"boots[bm25]": POOR, "boots[hybrid]": FAIR})
    (first, second) = results(
        {"boots[bm25]": POOR, "boots[hybrid]": BEST}, {"min_ndcg": 0.7}, FILE
    )
    first = replace(
        first, evaluation=replace(first.evaluation, filled_top={"model-x": 3})
    )
    info = RunInfo("1.0", "2026-11-03T08:03:11+00:00")
    Run([first, second], {FILE: FileInfo(FILE)}, info).write(runs / "3.jsonl")
    found = [
        (each["variant"], len(each["points"]), each["filled"])
        for each in data_of(terminal, "runs")["series"]
    ]
    assert found == [("bm25", 3, {"model-x": 3}), ("hybrid", 2, {})]
    said = terminal.run("history", "runs", "--format", "markdown").out
    assert "**Bm25**" in said
    assert (
        "bm25: in the last run 3 of 4 judged results within k are filled: 3 by model-x"
        in said
    )


def test_cases_without_judgments_have_a_history_too(
    terminal: Terminal, runs: Path
) -> None:
    keys = {"judgments": {}, "min_ndcg": None, "expect": {"first": "a"}}
    record(runs / "1.jsonl", 1, {"boots": "ab"}, keys)
    record(runs / "2.jsonl", 2, {"boots": "ba"}, keys)
    points = points_of(terminal, "runs")
    assert [(point["mean"], point["p95"], point["worse"]) for point in points] == [
        (None, 0.012, 0),
        (None, 0.012, 1),
    ]
    assert terminal.run("history", "runs", "-o", "history.html").code == 0
    page = terminal.read("history.html")
    assert "2 runs: no mean can be compared with that of the last" in page
    assert '<p class="note">got worse in the last run: &quot;boots&quot;</p>' in page


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
        record(
            runs / f"{day}.jsonl",
            day,
            {"boots": "xab", "hats": hats},
            keys,
            index="products " * 9,
        )
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = terminal.run("history", "runs").lines
    assert max(map(len, lines)) <= columns
    heads = ["interval", "p95", "errors", "worse", "better", "searched"]
    (shown,) = (line for line in lines if line.startswith("start (UTC)"))
    assert [head for head in heads if head not in shown] == left_out


HOSTILE = "</style><script>alert(1)</script> $title \u202eabc"


def test_the_page_has_no_script_and_all_its_links_lead_somewhere(
    terminal: Terminal, runs: Path
) -> None:
    for day, ranking in enumerate((BEST, POOR, FAIR), 1):
        record(
            runs / f"{day}.jsonl",
            day,
            {HOSTILE: ranking, "hats": BEST},
            index=f"{HOSTILE}{day}",
        )
    assert terminal.run("history", "runs", "-o", "history.html").code == 0
    page = terminal.read("history.html")
    digest = base64.b64encode(
        sha256(page.partition("<style>")[2].partition("</style>")[0].encode()).digest()
    ).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert f'content="{policy}"' in page
    assert not re.search(r"<script|<img|<link|\u202e|\son\w+=|https?:", page)
    targets, names = (
        re.findall(r'href="#([^"]+)"', page),
        re.findall(r'\sid="([^"]+)"', page),
    )
    assert targets == ["run-0-0", "run-0-1", "run-0-2"]
    assert {*targets} <= {*names}
    assert page.count("<details>") == 2
    assert (
        "&lt;/style&gt;&lt;script&gt;alert(1)&lt;/script&gt; $title \\u202eabc" in page
    )


# --- what is left out, and what is refused --------------------------------------------


@pytest.fixture
def sound(runs: Path) -> Path:
    return record(runs / "1.jsonl", 1, {"boots": BEST})


def test_what_is_no_complete_run_is_named_and_left_out(
    terminal: Terminal, sound: Path
) -> None:
    runs = sound.parent
    (runs / "cut.jsonl").write_text(sound.read_text().splitlines()[0] + "\n")
    (runs / "damaged.jsonl.gz").write_bytes(gzip.compress(sound.read_bytes())[:-30])
    (runs / "empty.jsonl").write_text("")
    record(runs / "unfinished.jsonl", 2, {"boots": BEST}, missing=[f"{FILE}::hats"])
    mistake = RunError(
        "unknown key", "a.relevance.yaml", line=2, node="a.relevance.yaml"
    )
    Run([], info=RunInfo(errors=[mistake])).write(runs / "mistake.jsonl")
    Run(results({"boots": BEST}, {}, FILE)).write(runs / "without.jsonl")
    (runs / "twin.jsonl.gz").write_bytes(gzip.compress(sound.read_bytes()))
    record(
        runs / "y.jsonl", 1, {"boots": POOR}
    )  # it began in the same second, and is another run
    (runs / "shop.relevance.yaml.baseline.jsonl").write_text(
        ""
    )  # no record by its name
    said = terminal.run("history", "runs")
    assert said.code == 0
    assert said.lines[0].startswith("History of 2 runs, ")
    text = " ".join(said.out.split())
    assert text.count("left out: ") == 7
    for says in (
        "cut.jsonl: the record is truncated: 0 of 1 results are there; fetch or make it again",
        "damaged.jsonl.gz: cannot be read: ",
        "empty.jsonl:1: this is not a record: it is empty",
        "unfinished.jsonl: the run is not complete, 1 case did not finish",
        "mistake.jsonl: the run is not complete, 1 file has an error (a.relevance.yaml:2: unknown key)",
        "without.jsonl: it does not say when the run began",
        "twin.jsonl.gz: the run of runs/1.jsonl once more",
    ):
        assert f"left out: runs/{says}" in text


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("other/*.jsonl", '"other/*.jsonl" names no file *.jsonl or *.jsonl.gz'),
        ("empty", '"empty" names no file *.jsonl or *.jsonl.gz'),
        (
            "none.jsonl",
            "no record of a run that finished is there; pytest --relevance-record=FILE writes one",
        ),
    ],
)
def test_names_without_a_record(terminal: Terminal, name: str, says: str) -> None:
    (terminal.folder / "empty").mkdir()
    said = terminal.run("history", name)
    assert (said.code, said.out) == (2, "")
    assert f"history: {says}\n" in said.err
    assert (
        "none" not in name or "\n- none.jsonl: cannot be read: No such file" in said.err
    )


def test_runs_without_a_case_in_common(terminal: Terminal, sound: Path) -> None:
    record(sound.with_name("2.jsonl"), 2, {"hats": BEST}, file="hats.relevance.yaml")
    said = terminal.run("history", "runs/*.jsonl")
    assert (said.code, said.out) == (2, "")
    assert (
        "no case was searched in all 2 runs: name the runs of one suite, and merge the records"
        in said.err
    )
    record(sound.with_name("3.jsonl"), 3, {"boots": BEST})
    record(sound.with_name("4.jsonl"), 4, {"boots[bm25]": BEST})
    assert (
        "left out: no variant: no case was searched in all its runs"
        in terminal.run("history", "runs").lines
    )


RANKINGS = st.sampled_from([BEST, FAIR, POOR, FAILED])
FEWER = settings(
    max_examples=settings().max_examples // 2
)  # each writes records and reads them


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
    assert main(["history", str(folder), "--output", str(report)]) == (
        0 if is_there else 2
    )
    if not is_there:
        return
    (series,) = json.loads(report.read_text())["series"]
    assert series["scored"] == len(common)
    assert series["others"] == len(set().union(*searched)) - len(common)
    judgments = dict.fromkeys(common, JUDGMENTS)
    means = [
        evaluate(judgments, {name: list(each[name]) for name in common})[
            "nDCG@10"
        ].mean()
        if each
        else None
        for each in searched
    ]
    assert [point["mean"] for point in series["points"]] == pytest.approx(means)


SEARCHED = st.sampled_from([BEST, FAIR, POOR, "abdc", "xabcd", ""])


@FEWER
@given(st.lists(st.tuples(SEARCHED, SEARCHED), min_size=1, max_size=5))
def test_two_runs_differ_as_compare_says(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, str]]
) -> None:
    folder = tmp_path_factory.mktemp("runs")
    for day, rankings in enumerate(zip(*pairs, strict=True), 1):
        found = {f"query {number}": ranking for number, ranking in enumerate(rankings)}
        record(folder / f"{day}.jsonl", day, found, {"min_ndcg": None})
    reports = folder / "history.json", folder / "compare.json"
    assert main(["history", str(folder), "--output", str(reports[0])]) == 0
    assert (
        main(
            [
                "compare",
                *(str(folder / f"{day}.jsonl") for day in (1, 2)),
                "--output",
                str(reports[1]),
            ]
        )
        == 0
    )
    history, compared = (json.loads(report.read_text()) for report in reports)
    (series,), (row,) = history["series"], compared["metrics"]
    assert {
        name: series["change"][name]
        for name in ("queries", "first", "second", "better", "worse", "p")
    } == {
        name: row[name]
        for name in ("queries", "first", "second", "better", "worse", "p")
    }
    moved = {
        each["id"]: each["difference"]
        for kind in ("drops", "gains")
        for each in compared["movers"][kind]
    }
    moves = {move["id"]: move["is_worse"] for move in series["points"][1]["moves"]}
    assert moves == {
        name: difference < 0
        for name, difference in moved.items()
        if abs(difference) > 0.05
    }
