"""The report of a comparison: as text, as Markdown for a pull request, as data for
other programs.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance import CaseResult, Comparison, Run, RunInfo, compare_runs
from pytest_relevance.gates.common_findings import finding_text
from pytest_relevance.reports.comparison_report import comparison_headline, report_on
from pytest_relevance.reports.run.headline import Headline
from pytest_relevance.reports.styled_lines import BAD, PLAIN, plain_text
from pytest_relevance.reports.terminal_text import WIDEST, display_width, harmless
from tests.helpers import block, case_result
from tests.reports.markdown_reader import HOSTILE, assert_inert, read

BEFORE = {
    "winter boots": ["sku-1", "sku-2", "sku-3", "sku-9"],
    "rain jacket": ["sku-6", "sku-8", "sku-5"],
    "laces": ["sku-7"],
    "polish": ["sku-4"],
}
AFTER = {
    "winter boots": ["sku-4", "sku-3", "sku-9", "sku-8"],
    "rain jacket": ["sku-5", "sku-6"],
    "laces": ["sku-7"],
    "polish": ["sku-4"],
}
SUITE = """
cases:
  - {query: winter boots, tags: [head, feet], judgments: {sku-1: 3, sku-2: 3, sku-3: 2, sku-4: 0}}
  - {query: rain jacket, tags: [head], judgments: {sku-5: 3, sku-6: 1}}
  - {query: laces, tags: [feet], judgments: {sku-7: 2}}
  - {query: polish, judgments: {sku-4: 3}}
"""


@pytest.fixture
def tagged(tmp_path: Path) -> Comparison:
    (tmp_path / "shop.relevance.yaml").write_text(SUITE)
    return compare_runs(BEFORE, AFTER, judgments=tmp_path / "shop.relevance.yaml")


def many(
    count: int, ranking: list[str], judged: dict[str, float] | None = None
) -> Comparison:
    """So many queries that all find a document first, then as `ranking`."""
    judgments = {f"q{number}": judged or {"a": 1, "b": 0} for number in range(count)}
    before = {query: ["a", "b"] for query in judgments}
    after = dict.fromkeys(judgments, ranking)
    return compare_runs(before, after, ["nDCG@2", "P@1"], judgments=judgments)


def one_by_one(
    *changes: float, metric: str = "nDCG@10", variants: Sequence[str | None] = (None,)
) -> Comparison:
    """Queries whose scores by a metric change by so much, from 0.5, in each variant."""

    def run(part: int) -> Run:
        results = []
        for name in variants:
            for number, change in enumerate(changes):
                scores = {metric: 0.5 + change * part}
                results.append(scored_case(f"q{number}", scores, variant=name))
        return Run(results, name=str(part))

    return compare_runs(run(0), run(1), [metric])


def scored_case(name: str, scores: Mapping[str, float], **keys: Any) -> CaseResult:
    keys = {"scores": scores, "digest": "d", **keys}
    return case_result("f", 1, name, "measured", **keys)


def sentence_of(found: Comparison) -> str:
    return comparison_headline(found, found.judge()).text


# --- whole reports --------------------------------------------------------------------


def test_the_report_as_text(tagged: Comparison) -> None:
    gates = tagged.judge({"nDCG@10": 0.2}, max_case_drop=0.1)
    assert tagged.summary(limit=1, gates=gates) == block("""
        1 of 4 queries got worse (for certain), 1 better; the change of the mean may be chance; 1 gate is
            not met
        first -> second: 4 cases compared, 2 with another ranking

        Largest drops (1)
          query                nDCG@10  sure     fell                          in its place
          winter boots  1.000 -> 0.147  certain  sku-1 rank 1 -> not returned  sku-4

        Largest gains (1)
          query               nDCG@10  gained
          rain jacket  0.590 -> 1.000  sku-5 rank 3 -> 1

        metric   cases  before  after  change     95 % interval      p  effect  higher  lower  same
        nDCG@10      4   0.897  0.787  -0.111  -0.640 to +0.308  1.000   -0.21       1      1     2

        by tag (nDCG@10)  cases  before  after  change  higher  lower  same
        feet                  2   1.000  0.573  -0.427       0      1     1
          ... 1 more

        gain exponential, ideal judged, unjudged zero

        mean nDCG@10 0.897 -> 0.787 (-0.111, 95% interval -0.640 to +0.308, p 1.000); without unjudged
            results 0.927 -> 0.787
        2 the same
        met: mean nDCG@10 fell by 0.111, from 0.897 to 0.787 (95% interval -0.640 to +0.308, p 1.000, 4
            cases); allowed is 0.2
        NOT MET: 1 case dropped by more than 0.1: "winter boots" (-0.853)
        1 of 2 gates not met
    """)
    met = tagged.summary(gates=tagged.judge({"nDCG@10": 0.2}))
    assert met.endswith("\nall gates met\n")


def test_the_report_as_markdown(tagged: Comparison) -> None:
    found = tagged.to_markdown(gates=tagged.judge({"nDCG@10": 0.2}, max_case_drop=0.1))
    gate = finding_text(tagged.judge({"nDCG@10": 0.2}).findings[0])
    found = found.replace("\u00a0", " ").replace(gate, "{gate}")
    change = "-0.111, 95% interval -0.640 to +0.308, p 1.000"
    assert found.replace(change, "{change}") == block("""
        <!-- pytest-relevance report -->
        ### \u274c 1 of 4 queries got worse (for certain), 1 better; the change of the mean may be chance; 1 gate is not met

        - `first -> second: 4 cases compared, 2 with another ranking`
        - `mean nDCG@10 0.897 -> 0.787 ({change}); without unjudged results 0.927 -> 0.787`
        - `2 the same`
        - `met: {gate}`
        - `NOT MET: 1 case dropped by more than 0.1: "winter boots" (-0.853)`
        - `1 of 2 gates not met`

        **Largest drops (1)**

        | query | nDCG@10 | sure | fell | in its place |
        | --- | ---: | --- | --- | --- |
        | `winter boots` | 1.000 -> 0.147 | certain | `sku-1` rank 1 -> not returned | `sku-4` |

        **Largest gains (1)**

        | query | nDCG@10 | gained |
        | --- | ---: | --- |
        | `rain jacket` | 0.590 -> 1.000 | `sku-5` rank 3 -> 1 |

        | metric | cases | before | after | change | 95 % interval | p | effect | higher | lower | same |
        | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
        | nDCG@10 | 4 | 0.897 | 0.787 | -0.111 | -0.640 to +0.308 | 1.000 | -0.21 | 1 | 1 | 2 |

        | by tag (nDCG@10) | cases | before | after | change | higher | lower | same |
        | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
        | `feet` | 2 | 1.000 | 0.573 | -0.427 | 0 | 1 | 1 |
        | `head` | 2 | 0.795 | 0.573 | -0.222 | 1 | 1 | 0 |

        - `gain exponential, ideal judged, unjudged zero`
    """)


def rounded(value: Any) -> Any:
    """The values of JSON with three decimals."""
    return json.loads(json.dumps(value), parse_float=lambda text: round(float(text), 3))


def test_the_report_as_data(tagged: Comparison) -> None:
    data = rounded(json.loads(tagged.to_json(gates=tagged.judge({"nDCG@10": 0.2}))))
    assert (data["kind"], data["version"]) == ("pytest-relevance comparison", 1)
    assert (data["first"], data["second"]) == ("first", "second")
    assert (data["compared"], data["changed_rankings"]) == (4, 2)
    assert data["settings"][0]["gain"] == "exponential"
    means = {"first": 0.897, "second": 0.787, "difference": -0.111, "queries": 4}
    counts = {"rose": 1, "fell": 1, "same": 2, "undefined": 0}
    (metric,) = data["metrics"]
    assert metric["metric"] == "nDCG@10"
    assert metric.items() >= {**means, **counts}.items()
    tags = [(row["tag"], row["queries"]) for row in data["by_tag"]]
    assert tags == [("feet", 2), ("head", 2)]
    text = finding_text(tagged.judge({"nDCG@10": 0.2}).findings[0])
    figures = {"value": 0.111, "bound": 0.2, "counted": 4, "total": 4}
    assert data["gates"] == {
        "passed": True,
        "findings": [{"about": "nDCG@10", "text": text, "is_met": True, **figures}],
        "drops": [],
    }


def test_a_mover_as_data(tagged: Comparison) -> None:
    data = rounded(json.loads(tagged.to_json()))

    def moves(*rows: tuple[str, int | None, int | None, int | None]) -> list[Any]:
        names = ("document", "first", "second", "grade")
        return [dict(zip(names, row, strict=True)) for row in rows]

    (drop,), (gain,) = data["movers"]["drops"], data["movers"]["gains"]
    assert (gain["query"], gain["became"]) == ("rain jacket", "got better")
    assert drop == {
        "file": "",
        "id": "winter boots",
        "variant": None,
        "line": 1,
        "query": "winter boots",
        "became": "got worse",
        "is_certain": True,
        "metric": "nDCG@10",
        "first": 1.0,
        "second": 0.147,
        "difference": -0.853,
        "k": 10,
        "left": moves(("sku-1", 1, None, 3), ("sku-2", 2, None, 3)),
        "entered": moves(("sku-4", None, 1, 0), ("sku-8", None, 4, None)),
        "moved": moves(("sku-3", 3, 2, 2), ("sku-9", 4, 3, None)),
        "jaccard": 0.333,
        "rbo": 0.392,
        "lost": moves(("sku-1", 1, None, 3), ("sku-2", 2, None, 3)),
        "found": [],
        "shifted": moves(("sku-3", 3, 2, 2)),
        "titles": {},
    }


def test_what_is_not_defined_is_null_in_json() -> None:
    (first, *_) = json.loads(many(2, ["b"], {"a": 0}).to_json())["metrics"]
    names = ("first", "difference", "p", "low", "effect")
    assert [first[name] for name in names] == [None] * 5
    same = json.loads(many(8, ["b"]).to_json())
    assert same["metrics"][0]["effect"] is None  # infinite: all cases lost the same


# --- parts of a report ----------------------------------------------------------------


@pytest.mark.parametrize(("count", "style"), [(8, BAD), (3, PLAIN)])
def test_a_mean_that_fell_significantly_is_bad(count: int, style: str) -> None:
    lines = report_on(many(count, ["b"]), None, None).lines(WIDEST)
    decides, other = [line[0][1] for line in lines if line[0][0].startswith("mean ")]
    assert (decides, other) == (style, PLAIN)
    assert "p (Holm)" in plain_text(lines)
    assert "p (Holm)" not in many(count, ["a", "b"]).summary()


def test_variants_have_a_column() -> None:
    found = one_by_one(0.0, 0.0, variants=("bm25", "hybrid"))
    report = found.summary()
    rows = [row.split()[:3] for row in report.splitlines() if row.startswith("nDCG@10")]
    assert rows == [["nDCG@10", "bm25", "2"], ["nDCG@10", "hybrid", "2"]]
    assert "\nmean nDCG@10 over 2 variants 0.500 -> 0.500, unchanged\n" in report
    assert "\nmean nDCG@10 of hybrid 0.500 -> 0.500 (0.000)\n" in report


def test_all_drops_that_a_gate_does_not_allow_are_shown() -> None:
    found = many(9, ["b"])
    gates = found.judge(max_case_drop=0.5)
    drop = "1.000 -> 0.000  "
    assert found.summary(limit=2).count(drop) == 2
    assert found.summary(limit=2, gates=gates).count(drop) == 9
    assert found.summary(limit=None).count(drop) == 9


@pytest.mark.parametrize(
    ("ranking", "cell"),
    [
        (["x", "a", "b", "c"], "x"),
        (["a", "x", "c", "b"], "x rank 2"),
        (["a", "c", "x"], "c rank 2"),
        (["a", "b", "x"], "x rank 3"),
        (["a", "b"], "only 2 results"),
        ([], "nothing returned"),
    ],
)
def test_what_took_the_place_of_a_document_that_fell_is_named_with_its_rank(
    ranking: list[str], cell: str
) -> None:
    judgments = {"q": {"a": 3, "b": 3, "c": 2}}
    found = compare_runs({"q": ["a", "b", "c"]}, {"q": ranking}, judgments=judgments)
    titles, row = read(found.to_markdown()).tables[0]
    assert dict(zip(titles, row, strict=True)).get("in its place", "") == cell


def test_latencies_before_and_after_where_both_ran_alike() -> None:
    def run(factor: int, concurrency: int = 1, cases: int = 20) -> Run:
        keys: dict[str, Any] = {"concurrency": concurrency, "scores": {}}
        results = [
            case_result("f", 1, f"q{n}", "measured", latency=factor * n / 1000, **keys)
            for n in range(1, cases + 1)
        ]
        return Run(results, name=str(factor))

    found, at_once = compare_runs(run(1), run(2)), run(3, concurrency=4)
    change = "latency p50 10 ms -> 20 ms, p95 19 ms -> 38 ms (20 cases)"
    assert change in found.summary()
    assert change in found.to_markdown().replace("\\", "")
    assert json.loads(found.to_json())["latency"] == [
        {
            "variant": None,
            "cases": 20,
            "p50": [0.01, 0.02],
            "p95": [0.019, 0.038],
            "max": [0.02, 0.04],
        }
    ]
    few = compare_runs(run(1, cases=19), run(2, cases=19))
    assert "latency p50 10 ms -> 20 ms, max 19 ms -> 38 ms (19" in few.summary()
    one = compare_runs(run(1, cases=1), run(2, cases=1))
    assert "latency max 1 ms -> 2 ms (1 case)" in one.summary()
    assert "latency" not in compare_runs(run(1), at_once).summary()
    assert "(20 cases, up to 4 at a time)" in compare_runs(at_once, at_once).summary()


def test_what_was_left_out_and_new_errors_are_said() -> None:
    ran, fine = (scored_case(name, {"nDCG@10": 1}) for name in "ab")
    broken = case_result("f", 1, "b", "error")
    before, after = Run([ran, fine], name="old"), Run([ran, broken], name="new")
    found = compare_runs(before, after, common=True)
    assert sentence_of(found) == "1 case could not be scored, and could before"
    unmet = 'NOT MET: 1 case ended in an error, and was without one before: "b"'
    report = found.summary()
    assert '\nleft out: new has an error in 1 case: "b"\n' in report
    assert f"\n{unmet}\n" in report
    assert f"- `{unmet}`" in found.to_markdown()
    data = found.to_dict(gates=found.judge())
    key = {"file": "f", "id": "b", "variant": None}
    assert data["errors"] == [{**key, "in_first": False, "in_second": True}]
    assert data["left_out"][0]["cases"] == [key]
    assert data["gates"]["passed"] is False


# --- the headline ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ([-0.2] * 8, "\u26a0\ufe0f Search got worse: 8 of 8 queries (all for certain)"),
        ([-0.04] * 8, "\u26a0\ufe0f Search got worse: the mean fell significantly, no query by more than the tolerance"),
        ([0.2] * 8, "\u2705 Search got better: 8 of 8 queries"),
        ([0.04] * 8, "\u2705 Search got better: the mean rose significantly"),
        ([0.2, -0.2, -0.2],
         "\u26a0\ufe0f 2 of 3 queries got worse (all for certain), 1 better; the "
         "change of the mean may be chance"),
        ([0.0, 0.0], "\u2705 No score changed"),
        ([0.05, -0.05], "\u2705 No query got worse"),
    ],
)  # fmt: skip
def test_the_sentence(changes: list[float], sentence: str) -> None:
    assert one_by_one(*changes).to_markdown().split("\n")[1] == f"### {sentence}"


@pytest.mark.parametrize(
    ("after", "sentence"),
    [(0.9, "Search got better: 1 of 2 queries"), (0.49, "No query got worse")],
)
def test_the_sentence_about_cases_of_several_cutoffs(
    after: float, sentence: str
) -> None:
    def run(deep_score: float) -> Run:
        flat = scored_case("flat", {"nDCG@1": 0.5}, k=1)
        deep = scored_case("deep", {"nDCG@5": deep_score}, k=5)
        return Run([flat, deep])

    assert sentence_of(compare_runs(run(0.5), run(after))) == sentence


def test_the_sentence_is_about_the_metric_that_is_named_first() -> None:
    before = Run([scored_case("q", {"P@3": 0.5, "RR@3": 0.5})])
    after = Run([scored_case("q", {"P@3": 0.5, "RR@3": 0.3})])
    found = compare_runs(before, after, ["P@3", "RR@3"])
    assert sentence_of(found) == "No score by P@3 changed"
    found = compare_runs(before, after, ["RR@3", "P@3"])
    assert sentence_of(found) == "Search got worse: 1 query"


def test_the_sentence_if_no_case_has_a_score() -> None:
    nothing = compare_runs({"q": ["a"]}, {"q": ["b"]}, judgments={"q": {"a": 0}})
    said = comparison_headline(nothing, nothing.judge())
    assert said == Headline("No case has a score in both runs", "nothing")


def test_the_sentence_counts_a_query_once_for_all_variants() -> None:
    found = one_by_one(*[-0.4] * 8, variants=("bm25", "dense"))
    assert sentence_of(found) == "Search got worse: 8 of 8 queries (all for certain)"


def test_any_change_of_a_metric_that_is_not_from_0_to_1_counts() -> None:
    found = one_by_one(*[-0.01] * 8, metric="DCG@10")
    assert sentence_of(found) == "Search got worse: 8 of 8 queries"


# --- text of users --------------------------------------------------------------------


@pytest.mark.parametrize("text", HOSTILE)
def test_text_of_users_stays_text_in_markdown(text: str) -> None:
    def run(score: float) -> Run:
        keys: dict[str, Any] = {
            "query": text,
            "variant": f"b{text}",
            "tags": (text,),
            "documents": (f"{score}", text),
            "grades": (3, 1),
            "titles": {f"{score}": text},
        }
        one = scored_case(f"1 {text}", {"nDCG@10": score}, k=10, **keys)
        other = replace(one, id="other", tags=())
        return Run([one, other], {}, RunInfo(fingerprint={text: score}), name=text)

    found = compare_runs(run(1.0), run(0.5))
    gates = found.judge({"nDCG@10": 0.1}, max_case_drop=0.1)
    assert_inert(read(found.to_markdown(gates=gates)))
    assert_inert(read(found.to_markdown()))


NASTY = st.text(min_size=1, max_size=120) | st.sampled_from(
    ["", "|", "\x1b[31mred", "\u202egnirts", "日本語" * 40, "`x` | <b>", "[a](b)", "a" * 300, "\ud800", "e\u0301"]
)  # fmt: skip


@given(
    query=NASTY,
    documents=st.lists(NASTY, min_size=1, max_size=14, unique=True),
    seed=st.integers(0, 3),
)
def test_whatever_users_call_things_lines_stay_lines(
    query: str, documents: list[str], seed: int
) -> None:
    grades = {each: (index + seed) % 4 for index, each in enumerate(documents)}
    after = documents[::-1][: 2 + seed]
    found = compare_runs({query: documents}, {query: after}, judgments={query: grades})
    report = found.summary()
    assert all(display_width(line) <= 100 for line in report.splitlines())
    assert all(harmless(line) == line for line in report.split("\n"))
    table = [line for line in found.to_markdown().split("\n") if line.startswith("| ")]
    cells = [line.replace("\\|", "").count("|") for line in table]
    assert set(cells) <= {3, 4, 5, 6, 12}
    data = json.loads(found.to_json())
    for mover in (*data["movers"]["drops"], *data["movers"]["gains"]):
        assert mover["query"] == query
        assert {move["document"] for move in mover["left"]} <= set(documents)
