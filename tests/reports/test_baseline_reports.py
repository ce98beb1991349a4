"""What a report and the summary say of the baseline."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance import CaseResult, FileInfo, RunInfo
from pytest_relevance.reports.failure import failure_lines
from pytest_relevance.reports.run.summary import summary_lines
from pytest_relevance.reports.run.uncompared import lost_sentences
from pytest_relevance.reports.since_baseline import since_baseline_lines
from pytest_relevance.reports.styled_lines import plain_text
from pytest_relevance.reports.terminal_text import WIDEST, display_width, harmless
from pytest_relevance.results.breakdown import change_shares, scored_ranking
from pytest_relevance.results.case_parts import DROP, BaselineComparison, Outcome
from pytest_relevance.results.changes import Change
from tests.helpers import block, case_result, changed

if TYPE_CHECKING:
    from tests.reports.conftest import Shop

DEFAULT, FULL = 0, 1


def report(
    shop: Shop,
    accepted: list[str],
    ranking: object,
    verbosity: int = DEFAULT,
    *,
    then: float | None = None,
    drops: bool = False,
    **keys: Any,
) -> str:
    """The report of a ranking, and of what became of it since another one was accepted,
    with the score of its day.

    `drops`: it is a regression.
    """
    found = shop.result(ranking, accepted=accepted, **keys)
    baseline = found.baseline
    assert baseline is not None
    if then is not None:
        found = changed(
            found, baseline=replace(baseline, then={found.metric.text: then})
        )
    if drops:
        before = baseline.score
        drop = Outcome(
            found.metric.text,
            DROP,
            met=False,
            value=found.score,
            bound=found.conditions.tolerance,
            before=before,
        )
        reasons, at = (
            found.evaluation.reasons,
            1 if found.verdict == "inconclusive" else 0,
        )
        found = changed(
            found, verdict="failed", reasons=(*reasons[:at], drop, *reasons[at:])
        )
    return plain_text(failure_lines(found, verbosity=verbosity))


def since(text: str) -> list[list[str]]:
    """The rows of what changed since the baseline, with the text behind the heading as
    the first.
    """
    return [
        line.split() for line in text.partition("since the baseline")[2].splitlines()
    ]


def test_a_report_ends_with_what_changed(shop: Shop) -> None:
    text = report(
        shop,
        ["sku-1", "sku-2", "sku-3"],
        shop.hits("sku-4", "sku-5", "sku-3", "sku-2"),
        k=3,
        min_ndcg=0.5,
    )
    assert text + "\n" == block(
        """
        shop.relevance.yaml:41: nDCG@3 0.116 is below 0.500   (baseline 1.000, down 0.884)
        query "winter boots"   search   12.3 ms   4 results; of the top 3, 2 judged

        rank  document                   grade  was  gain  discount     DG    DCG  ideal    IDCG
           1  sku-4  Boot polish, black      0  new     0     1.000  0.000  0.000      3   7.000
           2  sku-5  Rain jacket             -  new     -     1.585      -  0.000      3  11.417
           3  sku-3  Rubber boots            2    3     3     2.000  1.500  1.500      2  12.917
        DCG 1.500 / ideal DCG 12.917 = nDCG@3 0.116     gain exponential, ideal judged, unjudged zero
        nDCG@3 lies between 0.116 and 0.458

        since the baseline: nDCG@3 1.000 -> 0.116
          sku-1                          grade 3    1 -> gone   -0.542
          sku-2  Winter boots Borealis   grade 3    2 -> 4      -0.342
          sku-4  Boot polish, black      grade 0    new at 1     0.000
          sku-5  Rain jacket             unjudged   new at 2     0.000
    """
    )


def test_in_full_it_blames_what_stands_too_high_and_has_the_similarity_too(
    shop: Shop,
) -> None:
    keys: dict[str, Any] = {"k": 3, "min_ndcg": 0.5}
    text = report(
        shop,
        ["sku-1", "sku-2", "sku-3"],
        shop.hits("sku-4", "sku-5", "sku-3", "sku-2"),
        FULL,
        **keys,
    )
    assert 'too high: sku-4 "Boot polish, black" (grade 0, rank 1)' in text
    assert "lost most by" in text
    assert text.splitlines()[-1] == "  Jaccard@3 0.20, RBO 0.27"


def test_the_shares_of_what_fell_and_rose_add_up_to_the_change(shop: Shop) -> None:
    accepted = ["sku-1", "sku-2", "sku-3", "x", "y", "z", "w"]
    rows = since(
        report(shop, accepted, ["w", "v", "sku-3", "y", "sku-2"], min_ndcg=0.9)
    )
    assert [row[0] for row in rows] == [":", "sku-1", "sku-2", "w", "v", "3"]
    assert rows[-1] == ["3", "others", "(-v", "shows", "all)", "0.000"]
    before, after = float(rows[0][2]), float(rows[0][4])
    assert sum(float(row[-1]) for row in rows[1:]) == pytest.approx(
        after - before, abs=2e-3
    )
    assert rows[2] == ["sku-2", "grade", "3", "2", "->", "5", "-0.132"]
    every = since(
        report(shop, accepted, ["w", "v", "sku-3", "y", "sku-2"], FULL, min_ndcg=0.9)
    )
    assert [row[0] for row in every[1:-1]] == [
        "sku-1",
        "sku-2",
        "w",
        "v",
        "y",
        "x",
        "z",
    ]


anything = st.text(min_size=1, max_size=60)
documents = st.lists(
    st.sampled_from(["sku-1", "sku-2", "sku-3", "sku-4", "x", "y", "z"]), max_size=7
)


@given(accepted=documents.map(lambda found: [*dict.fromkeys(found)]), ranking=documents)
@pytest.mark.parametrize(
    "settings",
    [{}, {"unjudged": "skip"}, {"ideal": "returned"}, {"k": 2, "gain": "linear"}],
)
def test_the_shares_add_up_under_all_settings(
    shop: Shop, settings: dict[str, Any], accepted: list[str], ranking: list[str]
) -> None:
    found = shop.result(ranking, accepted=accepted, depth=20, **settings)
    assert found.baseline is not None
    if found.baseline.score is not None and found.score is not None:
        assert sum(
            change_shares(Change.since_baseline(found), scored_ranking(found)).values()
        ) == pytest.approx(found.score - found.baseline.score, abs=1e-9)


DROPPED = (
    "nDCG@10 0.913 is 0.087 below the baseline 1.000, more than the tolerance 0.050"
)


@pytest.mark.parametrize(
    ("accepted", "ranking", "drops", "first"),
    [
        (
            ["sku-1", "sku-2"],
            ["sku-1", "sku-2"],
            False,
            "nDCG@10 0.884 is below 0.900   (baseline 0.884)",
        ),
        (
            ["sku-2"],
            ["sku-1", "sku-2"],
            False,
            "nDCG@10 0.884 is below 0.900   (baseline 0.542, up 0.342)",
        ),
        (["sku-1", "sku-2", "sku-3"], ["sku-1", "x", "sku-2", "sku-3"], True, DROPPED),
    ],
)
def test_the_first_line_says_what_the_baseline_was(
    shop: Shop, accepted: list[str], ranking: list[str], drops: bool, first: str
) -> None:
    text = report(shop, accepted, ranking, min_ndcg=0.9, drops=drops)
    assert (
        " ".join(text.split("\nquery")[0].split("\n    "))
        == f"shop.relevance.yaml:41: {first}"
    )


def test_what_is_not_about_the_score_is_said_without_it(shop: Shop) -> None:
    text = report(
        shop, ["sku-1", "sku-2"], ["sku-2", "sku-1"], expect={"first": "sku-1"}
    )
    assert (
        text.splitlines()[0]
        == 'shop.relevance.yaml:41: first: rank 1 has "sku-2", expected "sku-1" (at rank 2)'
    )


def test_in_doubt_that_is_said_first_and_the_drop_once(shop: Shop) -> None:
    text = report(
        shop,
        ["sku-1", "sku-2"],
        ["x", "sku-1"],
        min_ndcg=0.6,
        min_judged=0.9,
        drops=True,
    )
    assert text.splitlines()[:2] == [
        "shop.relevance.yaml:41: inconclusive: 1 of the top 2 judged, less than min_judged 0.9",
        "  nDCG@10 0.342 is below 0.600   (baseline 0.884, down 0.542)",
    ]


@pytest.mark.parametrize(
    ("ranking", "then", "said"),
    [
        (["sku-1", "sku-2", "sku-3"], 1.0, "the ranking is the same"),
        (["sku-1", "sku-2", "sku-3"], None, "the ranking is the same"),
        (
            ["sku-1", "sku-2", "sku-3"],
            0.75,
            "the ranking is the same; its score was 0.750 that day and is 1.000 today: the judgments or settings "
            "changed",
        ),
        (
            ["sku-2", "sku-1", "sku-3"],
            0.75,
            "nDCG@10 1.000 -> 1.000 sku-1 grade 3 1 -> 2 -0.200 sku-2 grade 3 2 -> 1 +0.200 the score of the accepted "
            "ranking was 0.750 that day and is 1.000 today: the judgments or settings changed too",
        ),
    ],
)
def test_whether_the_ranking_or_the_judgments_changed(
    shop: Shop, ranking: list[str], then: float | None, said: str
) -> None:
    text = report(shop, ["sku-1", "sku-2", "sku-3"], ranking, then=then).partition(
        "since the baseline: "
    )[2]
    assert " ".join(text.split()) == said


def test_a_case_without_judgments_says_what_changed_too(shop: Shop) -> None:
    text = report(shop, ["a", "b"], ["b"], judgments={}, expect={"first": "a"})
    assert since(text) == [[], ["a", "1", "->", "gone"], ["b", "2", "->", "1"]]
    assert "(baseline" not in text


@given(
    accepted=st.lists(anything, max_size=12),
    ranking=st.lists(anything, max_size=12),
    title=anything,
)
def test_whatever_documents_are_called_lines_are_harmless_and_narrow(
    shop: Shop, accepted: list[str], ranking: list[str], title: str
) -> None:
    results = [{"id": document, "title": title} for document in ranking]
    found = shop.result(results, {"a": 1}, accepted)
    found = changed(
        found, titles={**found.texts.titles, **dict.fromkeys(accepted, title)}
    )
    for full in (False, True):
        moves = Change.since_baseline(found).moves
        assert moves is not None
        for spans in since_baseline_lines(found, moves, full=full, columns=WIDEST):
            text = "".join(text for text, _ in spans)
            assert harmless(text) == text
            assert display_width(text) <= 100


def entry(
    query: str,
    change: float,
    score: float = 0.5,
    standing: str = "within",
    **values: Any,
) -> CaseResult:
    baseline = BaselineComparison(standing, score - change)
    known: dict[str, Any] = {
        "file": "shop.relevance.yaml",
        "line": 3,
        "id": query,
        "verdict": "passed",
    }
    return case_result(
        **{**known, "scores": {"nDCG@10": score}, "baseline": baseline, **values}
    )


WITH_BASELINE = {
    "shop.relevance.yaml": FileInfo("shop.relevance.yaml", has_baseline=True)
}


def summary(results: list[CaseResult], verbose: int = 0, **keys: Any) -> list[str]:
    return plain_text(
        summary_lines(results, WITH_BASELINE, RunInfo(), verbosity=verbose, **keys)
    ).splitlines()


def movers(lines: list[str], title: str) -> list[str]:
    """The first words of the rows below a title, and the note below them."""
    start = next(
        (at for at, line in enumerate(lines) if line.startswith(title)), len(lines)
    )
    rows = [line for line in lines[start + 2 :] if line.startswith("  ")]
    return [row.split()[0] for row in rows]


class TestSummary:
    def test_nothing_moved(self) -> None:
        text = "\n".join(
            summary(
                [entry("boots", 0.0), entry("hats", 0.0004), entry("socks", -0.0004)]
            )
        )
        assert "since the baseline" not in text

    def test_the_biggest_movers_first_and_five_of_each(self) -> None:
        entries = [
            entry(f"q{number}", (-1) ** number * number / 20) for number in range(1, 15)
        ]
        lines = summary(entries)
        down = lines.index("down since the baseline (5 of 7)")
        assert lines[down + 1].split() == ["query", "nDCG@10", "now", "on", "top"]
        assert lines[down + 2].split()[:4] == ["q13", "1.150", "->", "0.500"]
        assert movers(lines[: down + 7], "down") == ["q13", "q11", "q9", "q7", "q5"]
        assert movers(lines, "up") == ["q14", "q12", "q10", "q8", "q6"]
        assert "down since the baseline (7)" in summary(entries, verbose=1)

    def test_several_variants_are_named(self) -> None:
        entries = [
            entry("boots", -0.2, variant="bm25"),
            entry("boots", -0.3, variant="a long name of a variant"),
        ]
        lines = summary(entries)
        start = lines.index("down since the baseline (2)")
        assert [line.split()[:2] for line in lines[start + 2 : start + 4]] == [
            ["boots", "a"],
            ["boots", "bm25"],
        ]

    @pytest.mark.parametrize(
        ("updating", "beginnings"),
        [
            (
                None,
                [
                    "1 case got better",
                    "2 cases have a stale",
                    "1 case has no baseline yet",
                ],
            ),
            ("new", ["1 case got better", "2 cases have a stale"]),
            ("all", []),
        ],
    )
    def test_what_is_to_be_done_unless_it_is_being_done(
        self, updating: str | None, beginnings: list[str]
    ) -> None:
        entries = [
            *(
                entry("boots", 0.0, standing="improvement", variant=variant)
                for variant in ("a", "b")
            ),
            *(entry(query, 0.0, standing="stale") for query in ("hats", "caps")),
            entry("new", 0.0, standing="new"),
        ]
        lines = [
            line
            for line in summary(entries, updating=updating)
            if "--relevance-update" in line
        ]
        assert len(lines) == len(beginnings)
        assert all(
            line.startswith(beginning)
            for line, beginning in zip(lines, beginnings, strict=True)
        )

    def test_cases_of_the_baseline_that_are_not_compared(self) -> None:
        lost: list[Any] = [
            (f"case {number}", variant, "gone")
            for number in range(9)
            for variant in ("bm25", "knn")
        ]
        lost += [("cap", None, "unjudged"), ("q7", None, "left out")]
        files = {
            "shop.relevance.yaml": replace(
                WITH_BASELINE["shop.relevance.yaml"], lost=lost
            )
        }
        assert [
            each.text
            for each in lost_sentences(
                [], files, RunInfo(not_run=("old.relevance.yaml",))
            )
        ] == [
            'in the baseline and not compared: 9 cases are gone ("case 0", "case 1", "case 2" and 6 more), 1 case has '
            'no judgments now ("cap"), 1 case is left out by only: judged ("q7"), nothing ran of 1 file '
            '("old.relevance.yaml"); --relevance-update drops the cases that are gone; rename a baseline with its case '
            "file, or delete it"
        ]
        files = {
            "shop.relevance.yaml": replace(
                files["shop.relevance.yaml"], against="main.jsonl", lost=lost[-1:]
            )
        }
        assert [each.text for each in lost_sentences([], files, RunInfo())] == [
            'in main.jsonl and not compared: 1 case is left out by only: judged ("q7")'
        ]
        assert lost_sentences([], {}, RunInfo()) == []


def test_the_ids_of_a_ranking_are_in_doubt_although_there_is_a_baseline(
    shop: Shop,
) -> None:
    """The accepted ranking has a judged document, and this one not: its ids may be
    others.
    """
    lost = shop.report(["x1", "x2"], accepted=["sku-1", "sku-2"], min_ndcg=0.5)
    assert "no result is judged; are these the same kind of id?" in lost
    assert "sku-1" in lost.partition("since the baseline")[2]
    brief = shop.report(["x1"], -1, accepted=["sku-1"], min_ndcg=0.5)
    assert "are these the same kind of id? (id_field)" in brief


def test_a_result_that_the_accepted_ranking_has_shows_that_the_ids_are_right(
    shop: Shop,
) -> None:
    lost = shop.report(["x1", "x2"], accepted=["sku-1", "x2"], min_ndcg=0.5)
    assert "same kind of id" not in lost
    unknown = shop.report(["x1", "x2"], accepted=["x2", "x3"], min_ndcg=0.5)
    assert "same kind of id" in unknown
