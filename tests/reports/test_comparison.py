"""The report of a comparison: as text, as Markdown for a pull request, as data for
other programs.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance import Comparison, Run, RunInfo, compare_runs
from pytest_relevance.gates.findings import finding_text
from pytest_relevance.reports.comparison_report import comparison_headline, report_on
from pytest_relevance.reports.run.headline import Headline
from pytest_relevance.reports.styled_lines import BAD, PLAIN, plain_text
from pytest_relevance.reports.terminal_text import WIDEST, display_width, harmless
from tests.helpers import block, case_result
from tests.reports.markdown_reader import HOSTILE, assert_inert, read

JUDGMENTS = {
    "winter boots": {"sku-1": 3, "sku-2": 3, "sku-3": 2, "sku-4": 0},
    "rain jacket": {"sku-5": 3, "sku-6": 1},
    "laces": {"sku-7": 2},
    "polish": {"sku-4": 3},
}
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
def found() -> Comparison:
    return compare_runs(BEFORE, AFTER, judgments=JUDGMENTS)


@pytest.fixture
def tagged(tmp_path: Path) -> Comparison:
    (tmp_path / "shop.relevance.yaml").write_text(SUITE)
    return compare_runs(BEFORE, AFTER, judgments=tmp_path / "shop.relevance.yaml")


def many(
    count: int, ranking: list[str], judged: dict[str, float] | None = None
) -> Comparison:
    """So many queries that all find a document first, then as `ranking`."""
    judgments = {f"q{number}": judged or {"a": 1, "b": 0} for number in range(count)}
    return compare_runs(
        {query: ["a", "b"] for query in judgments},
        dict.fromkeys(judgments, ranking),
        ["nDCG@2", "P@1"],
        judgments=judgments,
    )


def test_the_report_of_a_comparison(found: Comparison) -> None:
    assert found.summary() == block("""
        1 query got worse, 1 better; the mean is unchanged within chance
        first -> second: 4 cases compared, 2 with another ranking

        Largest drops (1)
          query                nDCG@10  lost             now on top
          winter boots  1.000 -> 0.147  sku-1 1 -> gone  sku-4

        Largest gains (1)
          query               nDCG@10  gained
          rain jacket  0.590 -> 1.000  sku-5 3 -> 1

        metric   cases  before  after  change     95 % interval      p  effect  better  worse  same
        nDCG@10      4   0.897  0.787  -0.111  -0.640 to +0.308  1.000   -0.21       1      1     2

        gain exponential, ideal judged, unjudged zero

        mean nDCG@10 0.897 -> 0.787 (-0.111, p 1.000): 1 better, 1 worse, 2 the same
    """)


def test_tags_and_gates(tagged: Comparison) -> None:
    report = tagged.summary(
        limit=1, gates=tagged.judge({"nDCG@10": 0.2}, max_case_drop=0.1)
    )
    by_tag, feet, more = report.partition("by tag")[2].splitlines()[:3]
    assert by_tag.split() == [
        "(nDCG@10)",
        "cases",
        "before",
        "after",
        "change",
        "better",
        "worse",
        "same",
    ]
    assert (feet.split()[:3], more) == (["feet", "2", "1.000"], "  ... 1 more")
    met, _, unmet, count = report.splitlines()[-4:]
    assert met.startswith("met: mean nDCG@10 fell by 0.111, ")
    assert unmet == 'NOT MET: 1 case dropped by more than 0.1: "winter boots" (-0.853)'
    assert count == "1 of 2 gates not met"
    assert tagged.summary(gates=tagged.judge({"nDCG@10": 0.2})).endswith(
        "all gates met\n"
    )


def test_a_mean_that_fell_significantly_is_bad_and_p_values_of_several_metrics_are_adjusted() -> (
    None
):
    for count, style in ((8, BAD), (3, PLAIN)):
        lines = report_on(many(count, ["b"]), None, None).lines(WIDEST)
        assert [spans[0][1] for spans in lines if spans[0][0].startswith("mean ")] == [
            style,
            style,
        ]
        assert "p (Holm)" in plain_text(lines)
        assert "p (Holm)" not in many(count, ["a", "b"]).summary()


def test_variants_have_a_column() -> None:
    found = one_by_one(0.0, 0.0, variants=("bm25", "hybrid"))
    report = found.summary()
    rows = [row.split()[:3] for row in report.splitlines() if row.startswith("nDCG@10")]
    assert rows == [["nDCG@10", "bm25", "2"], ["nDCG@10", "hybrid", "2"]]
    assert (
        "\nmean nDCG@10 of hybrid 0.500 -> 0.500 (0.000, p 1.000): 0 better, 0 worse, 2 the same\n"
        in report
    )
    assert "| metric | variant |" in found.to_markdown()


def test_all_drops_that_a_gate_does_not_allow_are_shown() -> None:
    found = many(9, ["b"])
    assert found.summary(limit=2).count("1.000 -> 0.000  ") == 2
    assert (
        found.summary(limit=2, gates=found.judge(max_case_drop=0.5)).count(
            "1.000 -> 0.000  "
        )
        == 9
    )
    assert found.summary(limit=None).count("1.000 -> 0.000  ") == 9


@pytest.mark.parametrize(
    ("ranking", "cell"),
    [
        (["x", "a", "b", "c"], "x"),
        (["a", "x", "c", "b"], "rank 2: x"),
        (["a", "c", "x"], "rank 2: c"),
        (["a", "b", "x"], "rank 3: x"),
        (["a", "b"], "only 2 results"),
        ([], "nothing returned"),
    ],
)
def test_what_took_the_place_of_the_lost_document_is_named_with_its_rank(
    ranking: list[str], cell: str
) -> None:
    found = compare_runs(
        {"q": ["a", "b", "c"]},
        {"q": ranking},
        judgments={"q": {"a": 3, "b": 3, "c": 2}},
    )
    titles, row = read(found.to_markdown()).tables[0]
    assert dict(zip(titles, row, strict=True)).get("now on top", "") == cell


def test_what_was_left_out_and_new_errors_are_said() -> None:
    ran, fine = (
        case_result("f", 1, name, "measured", scores={"nDCG@10": 1}, digest="d")
        for name in "ab"
    )
    broken = case_result("f", 1, "b", "error")
    found = compare_runs(
        Run([ran, fine], name="old"), Run([ran, broken], name="new"), common=True
    )
    assert (
        comparison_headline(found, found.judge()).text
        == "1 case could not be scored, and could before"
    )
    report = found.summary()
    assert '\nleft out: new has an error in 1 case: "b"\n' in report
    assert '\nNOT MET: 1 case ended in an error that was none before: "b"\n' in report
    assert (
        '- `NOT MET: 1 case ended in an error that was none before: "b"`'
        in found.to_markdown()
    )
    data = found.to_dict(gates=found.judge())
    assert data["errors"] == [
        {"file": "f", "id": "b", "variant": None, "in_first": False, "in_second": True}
    ]
    assert data["left_out"][0]["cases"] == [{"file": "f", "id": "b", "variant": None}]
    assert data["gates"]["passed"] is False


def test_the_report_as_markdown(tagged: Comparison) -> None:
    found = tagged.to_markdown(gates=tagged.judge({"nDCG@10": 0.2}, max_case_drop=0.1))
    gate = finding_text(tagged.judge({"nDCG@10": 0.2}).findings[0])
    assert found.replace("\u00a0", " ").replace(gate, "{gate}") == block("""
        <!-- pytest-relevance report -->
        ### \u274c 1 query got worse, 1 better; the mean is unchanged within chance; 1 gate is not met

        - `first -> second: 4 cases compared, 2 with another ranking`
        - `mean nDCG@10 0.897 -> 0.787 (-0.111, p 1.000): 1 better, 1 worse, 2 the same`
        - `met: {gate}`
        - `NOT MET: 1 case dropped by more than 0.1: "winter boots" (-0.853)`
        - `1 of 2 gates not met`

        **Largest drops (1)**

        | query | nDCG@10 | lost | now on top |
        | --- | ---: | --- | --- |
        | `winter boots` | 1.000 → 0.147 | `sku-1` 1 → gone | `sku-4` |

        **Largest gains (1)**

        | query | nDCG@10 | gained |
        | --- | ---: | --- |
        | `rain jacket` | 0.590 → 1.000 | `sku-5` 3 → 1 |

        | metric | cases | before | after | change | 95 % interval | p | effect | better | worse | same |
        | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
        | nDCG@10 | 4 | 0.897 | 0.787 | -0.111 | -0.640 to +0.308 | 1.000 | -0.21 | 1 | 1 | 2 |

        | by tag (nDCG@10) | cases | before | after | change | better | worse | same |
        | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
        | `feet` | 2 | 1.000 | 0.573 | -0.427 | 0 | 1 | 1 |
        | `head` | 2 | 0.795 | 0.573 | -0.222 | 1 | 1 | 0 |

        - `gain exponential, ideal judged, unjudged zero`
    """)


def one_by_one(
    *changes: float, metric: str = "nDCG@10", variants: Sequence[str | None] = (None,)
) -> Comparison:
    """Queries whose scores by a metric change by so much, from 0.5, in each variant."""
    before, after = (
        Run(
            [
                case_result(
                    "f",
                    1,
                    f"q{number}",
                    "measured",
                    variant=name,
                    scores={metric: score},
                    digest="d",
                )
                for name in variants
                for number, score in enumerate(
                    0.5 + change * part for change in changes
                )
            ],
            name=str(part),
        )
        for part in (0, 1)
    )
    return compare_runs(before, after, [metric])


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ([-0.2] * 8, "\u274c Search got worse: 8 queries"),
        (
            [-0.04] * 8,
            "\u274c Search got worse: the mean fell significantly, no single query by much",
        ),
        ([0.2] * 8, "\u2705 Search got better: 8 queries"),
        ([0.04] * 8, "\u2705 Search got better: the mean rose significantly"),
        (
            [0.2, -0.2, -0.2],
            "\u26a0\ufe0f 2 queries got worse, 1 better; the mean is unchanged within chance",
        ),
        ([0.0, 0.0], "\u2705 No score changed"),
        ([0.05, -0.05], "\u2705 No query got worse"),
    ],
)
def test_the_sentence(changes: list[float], sentence: str) -> None:
    assert one_by_one(*changes).to_markdown().split("\n")[1] == f"### {sentence}"


@pytest.mark.parametrize(
    ("scores", "metrics", "sentence"),
    [
        (
            {"nDCG@1": (0.5, 0.5), "nDCG@5": (0.5, 0.9)},
            None,
            "Search got better: 1 query",
        ),
        ({"nDCG@1": (0.5, 0.5), "nDCG@5": (0.5, 0.49)}, None, "No query got worse"),
        (
            {"P@3": (0.5, 0.5), "RR@3": (0.5, 0.3)},
            ["P@3", "RR@3"],
            "No score by P@3 changed",
        ),
        (
            {"P@3": (0.5, 0.5), "RR@3": (0.5, 0.3)},
            ["RR@3", "P@3"],
            "Search got worse: 2 queries",
        ),
    ],
)
def test_the_sentence_about_several_metrics(
    scores: dict[str, tuple[float, float]], metrics: list[str] | None, sentence: str
) -> None:
    before, after = (
        Run(
            [
                case_result(
                    *("f", 1, name, "measured"),
                    k=int(name.split("@")[1]),
                    scores={name: pair[part]}
                    if metrics is None
                    else {each: scores[each][part] for each in metrics},
                    digest="d",
                )
                for name, pair in scores.items()
            ]
        )
        for part in (0, 1)
    )
    found = compare_runs(before, after, metrics)
    assert comparison_headline(found, found.judge()).text == sentence


def test_the_sentence_about_nothing_variants_and_a_metric_that_is_not_from_0_to_1() -> (
    None
):
    nothing = compare_runs({"q": ["a"]}, {"q": ["b"]}, judgments={"q": {"a": 0}})
    assert comparison_headline(nothing, nothing.judge()) == Headline(
        "No case has a score in both runs", "nothing"
    )
    in_variants = one_by_one(
        *[-0.4] * 8, variants=("bm25", "dense")
    )  # a query counts once
    for found in (
        in_variants,
        one_by_one(*[-0.01] * 8, metric="DCG@10"),
    ):  # no threshold
        assert (
            comparison_headline(found, found.judge()).text
            == "Search got worse: 8 queries"
        )


@pytest.mark.parametrize("text", HOSTILE)
def test_text_of_users_stays_text_in_markdown(text: str) -> None:
    one, two = (
        case_result(
            *("f", 1, f"1 {text}", "measured"),
            query=text,
            variant=f"b{text}",
            tags=(text,),
            k=10,
            scores={"nDCG@10": score},
            documents=(f"{score}", text),
            grades=(3, 1),
            titles={f"{score}": text},
            digest="d",
        )
        for score in (1.0, 0.5)
    )
    other = replace(one, id="other", tags=())
    before, after = (
        Run([each, other], {}, RunInfo(fingerprint={text: each.score}), name=text)
        for each in (one, two)
    )
    found = compare_runs(before, after)
    assert_inert(
        read(found.to_markdown(gates=found.judge({"nDCG@10": 0.1}, max_case_drop=0.1)))
    )
    assert_inert(read(found.to_markdown()))


NASTY = st.text(min_size=1, max_size=120) | st.sampled_from(
    [
        "",
        "|",
        "\x1b[31mred",
        "\u202egnirts",
        "日本語" * 40,
        "`x` | <b>",
        "[a](b)",
        "a" * 300,
        "\ud800",
        "e\u0301",
    ]
)


@given(
    query=NASTY,
    documents=st.lists(NASTY, min_size=1, max_size=14, unique=True),
    seed=st.integers(0, 3),
)
def test_whatever_users_call_things_lines_stay_lines(
    query: str, documents: list[str], seed: int
) -> None:
    judgments = {
        query: {
            document: (index + seed) % 4 for index, document in enumerate(documents)
        }
    }
    found = compare_runs(
        {query: documents}, {query: documents[::-1][: 2 + seed]}, judgments=judgments
    )
    report = found.summary()
    assert all(display_width(line) <= 100 for line in report.splitlines())
    assert all(harmless(line) == line for line in report.split("\n"))
    table = [line for line in found.to_markdown().split("\n") if line.startswith("| ")]
    cells = [line.replace("\\|", "").count("|") for line in table]
    assert set(cells) <= {3, 4, 5, 12}
    data = json.loads(found.to_json())
    for mover in (*data["movers"]["drops"], *data["movers"]["gains"]):
        assert mover["query"] == query
        assert {move["document"] for move in mover["left"]} <= set(documents)


def test_the_report_as_data(tagged: Comparison) -> None:
    data = json.loads(tagged.to_json(gates=tagged.judge({"nDCG@10": 0.2})))
    assert (data["kind"], data["version"]) == ("pytest-relevance comparison", 1)
    assert (
        data["first"],
        data["second"],
        data["compared"],
        data["changed_rankings"],
    ) == ("first", "second", 4, 2)
    (metric,) = data["metrics"]
    assert metric["metric"] == "nDCG@10"
    assert metric["difference"] == tagged.metrics[0].means.difference
    assert (metric["queries"], metric["better"], metric["worse"], metric["same"]) == (
        4,
        1,
        1,
        2,
    )
    assert [(row["tag"], row["queries"]) for row in data["by_tag"]] == [
        ("feet", 2),
        ("head", 2),
    ]
    (drop,), (gain,) = data["movers"]["drops"], data["movers"]["gains"]
    assert (drop["query"], [move["document"] for move in drop["lost"]]) == (
        "winter boots",
        ["sku-1", "sku-2"],
    )
    assert gain["query"] == "rain jacket"
    assert gain["shifted"][0] == {
        "document": "sku-5",
        "first": 3,
        "second": 1,
        "grade": 3,
    }
    assert data["gates"] == {
        "passed": True,
        "findings": [
            {
                "text": finding_text(tagged.judge({"nDCG@10": 0.2}).findings[0]),
                "is_met": True,
            }
        ],
        "drops": [],
    }
    assert data["settings"][0]["gain"] == "exponential"


def test_what_is_not_defined_is_null_in_json() -> None:
    data = json.loads(many(2, ["b"], {"a": 0}).to_json())
    assert [
        data["metrics"][0][name]
        for name in ("first", "difference", "p", "low", "effect")
    ] == [None] * 5
    same = json.loads(many(8, ["b"]).to_json())
    assert same["metrics"][0]["effect"] is None  # infinite: all cases lost the same
