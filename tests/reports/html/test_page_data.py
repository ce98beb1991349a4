"""The data that the page carries for its script: tables of settings and scales, the
name of the run, each case.
"""

import json
import re
from dataclasses import replace
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance import CaseResult, Run, RunInfo
from pytest_relevance._csv_cells import FORMULA
from pytest_relevance.ext.html.first_screen import first_screen_html
from pytest_relevance.ext.html.page import html_page
from pytest_relevance.ext.html.page_data import page_json, record_name
from pytest_relevance.ext.html.page_rows import (
    MOST_CASES,
    MOST_DETAILED,
    choose_rows,
    rows_of_run,
)
from pytest_relevance.ext.html.screen import screen_of
from pytest_relevance.metrics.settings import discount_table
from pytest_relevance.reports.run.case_change import CaseChange
from pytest_relevance.results.case_parts import (
    NEW,
    REGRESSION,
    STALE,
    BaselineComparison,
    Repeats,
    SearchError,
)
from tests.helpers import (
    changed,
    page_values,
    passage_case,
    result_of,
    scored,
    texts_of,
)
from tests.reports.conftest import Shop


def data_of(run: Run) -> dict[str, Any]:
    """The data of the page about a run."""
    rows = rows_of_run(run.results)
    parts = page_json(run, rows, choose_rows(rows), screen_of(run))
    found: dict[str, Any] = json.loads("".join(parts))
    return found


def case_of(*results: CaseResult) -> dict[str, Any]:
    """The object of the first case."""
    found: dict[str, Any] = data_of(Run(results))["cases"][0]
    return found


def grades_of(**keys: Any) -> list[list[Any]]:
    """The grades that a result may be given in the page."""
    result = result_of({"query": "a", "judgments": {"x": 1}, **keys}, ["x"])
    data = data_of(Run([result]))
    found: list[list[Any]] = data["scales"][data["cases"][0]["scale"]]["grades"]
    return found


def test_every_field_of_a_case(shop: Shop) -> None:
    result = shop.result(
        shop.hits("sku-4", "sku-3", "sku-1", "sku-5"),
        accepted=["sku-1", "sku-2", "sku-3", "sku-6"],
        id="q7",
        min_ndcg=0.9,
        weight=2,
        note="for winter",
        tags=["head"],
        params={"locale": "de", "size": 7},
    )
    result = changed(
        result,
        node="shop.relevance.yaml::q7",
        engine_scores=(4.5, 3.0, 2.0, None),
        shown={"sku-4": {"brand": "Fellmark"}},
        notes={"sku-3": "not for snow"},
        not_in_index=("sku-2",),
        not_in_catalogue=("sku-9",),
        explanations={"sku-2": "no term matches"},
        repeats=Repeats(3, 2, 1, ("sku-4", "sku-3")),
    )
    found = case_of(result)
    assert found.pop("score") == result.score
    assert (found.pop("lower"), found.pop("upper")) == result.interval
    losses = found.pop("losses")
    lost = [each for each in CaseChange.since_baseline(result).losses if each.loss > 0]
    assert [loss["document"] for loss in losses] == ["sku-2", "sku-1"]
    assert (losses[0]["grade"], losses[0]["rank"]) == (3, None)
    figures = [loss["loss"] for loss in losses]
    assert figures == pytest.approx([each.loss for each in lost])
    assert found.pop("row")[:2] == [
        "tr",
        {"class": "failed", "data-case": "shop.relevance.yaml::q7"},
    ]
    assert [move["document"] for move in found.pop("moves")] == [
        "sku-2",
        "sku-1",
        "sku-3",
        "sku-6",
        "sku-4",
        "sku-5",
    ]
    to_judge = found.pop("toJudge")
    assert [each["document"] for each in to_judge] == ["sku-5"]
    assert found.pop("unstable").startswith(
        "the ranking is not stable: 2 different rankings in 3 calls"
    )
    assert found == {
        "node": "shop.relevance.yaml::q7",
        "id": "q7",
        "query": "winter boots",
        "label": 'q7 "winter boots"',
        "file": "shop.relevance.yaml",
        "place": "shop.relevance.yaml:41",
        "search": "search(locale=de, size=7)",
        "tags": ["head"],
        "weight": 2,
        "params": {"locale": "de", "size": "7"},
        "note": "for winter",
        "status": "failed",
        "tone": "failed",
        "said": "got worse, certain",
        "k": 10,
        "floor": 0.9,
        "tolerance": 0.05,
        "before": 1.0,
        "gotWorse": True,
        "isCertain": True,
        "hasOtherRanking": True,
        "latency": 0.0123,
        "settings": 0,
        "scale": 0,
        "lowest": 0,
        "highest": 3,
        "documents": ["sku-4", "sku-3", "sku-1", "sku-5"],
        "grades": [0, 2, 3, None],
        "scores": [4.5, 3.0, 2.0, None],
        "returned": 4,
        "judgments": [[3, 2], [2, 1], [0, 1]],
        "missing": [["sku-2", 3]],
        "accepted": ["sku-1", "sku-2", "sku-3", "sku-6"],
        "acceptedGrades": [3, 3, 2, None],
        "titles": {
            document: shop.titles[document]
            for document in ("sku-1", "sku-3", "sku-4", "sku-5")
        },
        "fields": {"sku-4": {"brand": "Fellmark"}},
        "notes": {"sku-3": "not for snow"},
        "notInIndex": ["sku-2"],
        "notInCatalogue": ["sku-9"],
        "reasons": ["nDCG@10 0.418 is below 0.900"],
        "explanations": {"sku-2": "no term matches"},
    }


def test_only_documents_that_a_case_names_have_titles() -> None:
    """A result may have titles of further documents: of what it expects, and of those
    in other calls.
    """
    titles = {"a": "Boot", "b": "Shoe", "z": "of another case"}
    result = result_of({"query": "q", "judgments": {"b": 1}}, ["a"])
    found = case_of(changed(result, titles=titles))
    assert found["titles"] == {"a": "Boot", "b": "Shoe"}


@pytest.mark.parametrize(
    "name", ["PageData", "Settings", "Case", "Loss", "Move", "ToJudge", "Passage"]
)
def test_the_fields_are_those_that_the_script_knows(shop: Shop, name: str) -> None:
    script = files("pytest_relevance.ext.html") / "script" / "data.js"
    types = r"@typedef \{object\} (\w+)\n((?: \*.*\n)*)"
    known = dict(re.findall(types, script.read_text("utf-8")))[name]
    ranking = shop.hits("sku-4", "sku-1", "sku-5")
    judged = shop.result(ranking, accepted=["sku-1"], min_ndcg=0.9)
    with_passages = scored(passage_case("within 30 days"), texts_of("Hours."))
    data = data_of(Run([judged, with_passages]))
    case, case_with_passages = data["cases"]
    objects = {
        "PageData": data,
        "Settings": data["settings"][0],
        "Case": case,
        "Loss": case["losses"][0],
        "Move": case["moves"][0],
        "ToJudge": case["toJudge"][0],
        "Passage": case_with_passages["passages"][0],
    }
    fields = objects[name].keys()
    assert fields <= set(re.findall(r"@property \{.*\} \[?(\w+)\]?", known))
    assert fields >= set(re.findall(r"@property \{.*\} (\w+)", known))


def test_a_copy_has_no_grade(shop: Shop) -> None:
    ranking = ["sku-1", "sku-4", "sku-4", "sku-2"]
    found = case_of(shop.result(ranking))
    assert (found["documents"], found["grades"]) == (ranking, [3, 0, None, 3])


def test_the_moves_of_documents_add_up_to_the_change_of_the_score(shop: Shop) -> None:
    ranking = ["sku-4", "sku-3", "sku-1", "sku-5"]
    found = case_of(shop.result(ranking, accepted=["sku-1", "sku-2", "sku-3"]))
    changes = [move["change"] for move in found["moves"]]
    assert sum(changes) == pytest.approx(found["score"] - found["before"])
    moves = found["moves"]
    assert [
        (each["document"], each["rankBefore"], each["rankNow"]) for each in moves
    ] == [
        ("sku-2", 2, None),
        ("sku-1", 1, 3),
        ("sku-3", 3, 2),
        ("sku-4", None, 1),
        ("sku-5", None, 4),
    ]


def test_unjudged_results_that_can_settle_a_case_are_judged_first(shop: Shop) -> None:
    ranking = ["sku-8", "sku-9", "sku-1"]
    found = case_of(shop.result(ranking, accepted=["sku-8", "sku-1"], min_ndcg=0.3))
    assert [(each["document"], each["chance"]) for each in found["toJudge"]] == [
        ("sku-9", 1.0),
        ("sku-8", 0.0),
    ]


def test_figures_that_are_0_are_kept(shop: Shop) -> None:
    found = case_of(shop.result(["sku-4"], accepted=["sku-4"]))
    names = ("score", "before", "lowest")
    assert [found[name] for name in names] == [0, 0, 0]


def test_an_error_has_its_first_line_and_frame(shop: Shop) -> None:
    message = "refused\nTraceback: secrets"
    error = SearchError("ConnectionError", message, "tests/conftest.py:7 in search")
    found = case_of(changed(shop.result([]), verdict="error", scores={}, error=error))
    text, frame = "ConnectionError: refused", "tests/conftest.py:7 in search"
    assert found["error"] == {"text": text, "frame": frame}
    assert "Traceback" not in str(found)
    assert "score" not in found


def test_a_new_entry_of_the_baseline_has_no_ranking(shop: Shop) -> None:
    found = case_of(changed(shop.result(["sku-1"]), baseline=BaselineComparison(NEW)))
    assert not {"accepted", "before", "stale"} & found.keys()


def test_a_stale_entry_of_the_baseline_has_its_ranking_and_why(shop: Shop) -> None:
    entry = BaselineComparison(
        STALE, stale=("the query",), documents=("sku-2",), grades=(3,)
    )
    found = case_of(changed(shop.result(["sku-1"]), baseline=entry))
    assert (found["accepted"], found["stale"]) == (["sku-2"], ["the query"])


def test_what_failed_before_did_not_get_worse(shop: Shop) -> None:
    result = shop.result(["sku-4"], accepted=["sku-1"], min_ndcg=0.9)
    assert result.baseline is not None
    before = replace(result.baseline, standing="within", failed_before=True)
    found = case_of(changed(result, baseline=before))
    assert "gotWorse" not in found
    assert found["failedBefore"] is True


def test_each_check_of_one_test_has_a_name_of_its_own(shop: Shop) -> None:
    """The page finds a case by it, and pytest runs the test by its node id."""
    node = "test_shop.py::test_boots"
    checks = [
        changed(shop.result([document]), node=name, verdict="failed", outcome="failed")
        for document, name in (
            ("sku-1", node),
            ("sku-4", node),
            ("sku-4", node),
            ("sku-2", f"{node} #2"),
        )
    ]
    page = html_page(Run(checks))
    found = {case["node"]: case.get("test") for case in page_values(page)["cases"]}
    assert found == {
        node: None,
        f"{node} #2": node,
        f"{node} #3": node,
        f"{node} #2 #2": f"{node} #2",
    }
    in_table = re.findall(r'<tr class="failed" data-case="(.*?)"', page)
    assert sorted(in_table) == sorted(found)


def test_a_variant_is_named_where_there_are_several(shop: Shop) -> None:
    first, second = shop.result(["sku-1"]), shop.result(["sku-2"])
    second = changed(second, variant="hybrid", variant_index=1)
    assert "variant" not in case_of(first)
    cases = data_of(Run([first, second]))["cases"]
    assert [case.get("variant") for case in cases] == ["search", "hybrid"]


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({"scale": [0, 3]}, [[0, ""], [1, ""], [2, ""], [3, ""]]),
        ({"scale": {"no": 0, "exact": 3, "similar": 1.5}}, [[0, "no"], [1.5, "similar"], [3, "exact"]]),
        ({"scale": [0, 1]}, [[0, ""], [1, ""]]),
        ({"scale": [-1, 1]}, [[-1, ""], [0, ""], [1, ""]]),
        ({"scale": [0, 100], "gain": "linear"}, [[0, ""], [100, ""]]),
        ({"scale": [0.5, 2.5]}, [[0.5, ""], [1, ""], [2, ""], [2.5, ""]]),
        ({"scale": [0, 3], "gain": {0: 0, 1: 0.2, 3: 1}}, [[0, ""], [1, ""], [3, ""]]),
    ],
    ids=["whole", "named", "binary", "negative", "percent", "half", "mapping"],
)  # fmt: skip
def test_the_grades_that_can_be_given(
    keys: dict[str, Any], expected: list[list[Any]]
) -> None:
    assert grades_of(**keys) == expected


def test_settings_and_scales_are_there_once() -> None:
    def result(query: str, **keys: Any) -> CaseResult:
        keys = {"query": query, "judgments": {"x": 2}, "scale": [0, 2], **keys}
        return result_of(keys, ["x"])

    named = {"no": 0, "yes": 2}
    results = [
        *(result("a"), result("b")),
        *(result("c", gain="linear"), result("d", scale=named)),
    ]
    data = data_of(Run(results))
    assert [case["settings"] for case in data["cases"]] == [0, 0, 1, 0]
    assert [case["scale"] for case in data["cases"]] == [0, 0, 0, 1]
    exponential, linear = data["settings"]
    assert exponential["text"] == "gain exponential, ideal judged, unjudged zero"
    assert exponential["gains"] == [[0, 0], [1, 1], [2, 3]]
    assert linear["gains"] == [[0, 0], [1, 1], [2, 2]]
    assert (linear["gain"], linear["increasing"]) == ("linear", True)
    assert linear["maxGrade"] == 2


GAINS = {0: 0.0, 1: 1.0, 2: 0.5, 3: 7.0}


@given(
    st.permutations("abcdefgh"),
    st.dictionaries(st.sampled_from("abcdefghxyz"), st.integers(0, 3), min_size=1),
    st.fixed_dictionaries(
        {
            "k": st.integers(1, 9),
            "gain": st.sampled_from(["exponential", "linear", GAINS]),
            "discount": st.sampled_from(["log2", "ln"]),
            "ideal": st.sampled_from(["judged", "returned", "max"]),
            "unjudged": st.sampled_from(["zero", "skip"]),
        }
    ),
)
def test_whatever_grade_is_given_its_gain_and_every_discount_are_there(
    ranking: list[str], judgments: dict[str, int], keys: dict[str, Any]
) -> None:
    case_keys = {"query": "q", "judgments": judgments, "scale": [0, 3], **keys}
    data = data_of(Run([result_of(case_keys, ranking)]))
    (case,), (settings,) = data["cases"], data["settings"]
    gains = dict(settings["gains"])
    grades = {grade for grade, _ in data["scales"][case["scale"]]["grades"]}
    grades |= {grade for grade, _ in case["judgments"]}
    assert grades | {case["lowest"], case["highest"]} <= gains.keys()
    returned = len(case["documents"])
    ideal = case["k"]
    if keys["ideal"] != "max":
        ideal = min(ideal, len(judgments) + returned)
    discounts = data["discounts"][keys["discount"]]
    assert len(discounts) >= max(returned, ideal)
    known = discount_table(keys["discount"], len(discounts))
    assert discounts == list(known[: len(discounts)])


def test_the_name_of_a_record_tells_runs_apart(shop: Shop) -> None:
    info = RunInfo(started="2026-01-02T03:04:05+00:00")
    later = replace(info, started="2026-01-02T03:04:06+00:00")
    first, second = shop.result(["sku-1"]), shop.result(["sku-2", "sku-1"])
    name = record_name(Run([first], info=info))
    assert re.fullmatch(r"2026-01-02T03:04:05\+00:00 [0-9a-f]{12}", name)
    assert record_name(Run([first], info=info, name="copy.jsonl")) == name
    assert record_name(Run([second], info=info)) != name
    assert record_name(Run([first], info=later)) != name
    assert record_name(Run([first])) == name.split()[1]
    data = data_of(Run([first], info=info))
    assert (data["record"], data["formula"]) == (name, FORMULA.pattern)


def test_a_very_large_run_shows_what_is_worth_a_look_and_counts_the_rest(
    shop: Shop,
) -> None:
    """Of 20,001 cases: what got worse before what failed, changed or is unjudged; a
    perfect case is only counted.
    """
    perfect = shop.result(["sku-1", "sku-2", "sku-3"])
    unjudged = changed(
        shop.result([*perfect.ranking.documents, "sku-7"]), judged=0, top=0
    )  # as `compare` has it
    better = shop.result(["sku-1", "sku-2", "sku-3"], accepted=["sku-3"])
    failed = shop.result(["sku-3"], min_ndcg=0.9)
    dropped = shop.result(["sku-3"], accepted=["sku-1", "sku-2", "sku-3"])
    few, many = [better, failed, dropped], [unjudged] * MOST_DETAILED
    run = Run([perfect] * (MOST_CASES + 1 - len(few) - len(many)) + many + few)
    rows = rows_of_run(run.results)
    chosen = choose_rows(rows)
    assert chosen.shown == [*rows[-MOST_DETAILED - 3 : -6], *rows[-3:]]
    said = f"{MOST_DETAILED:,} of {MOST_CASES + 1:,} results can be opened in this page"
    assert said in first_screen_html(screen_of(run), rows, chosen)
    all_but_one = choose_rows(rows[1:])
    assert len(all_but_one.shown) == MOST_CASES
    screen = screen_of(Run(run.results[1:]))
    assert said not in first_screen_html(screen, rows[1:], all_but_one)


def test_skipped_cases_are_left_out(shop: Shop) -> None:
    skipped = shop.result(["sku-1"])
    assert data_of(Run([changed(skipped, verdict="skipped")]))["cases"] == []


def test_passages_are_in_the_place_of_grades() -> None:
    case = passage_case("within 30 days", "keep the box", k=2, min_ndcg=0.9)
    before = scored(case, texts_of("Within 30 days, keep the box."))
    after = scored(case, texts_of("a page", "keep the box", ids=["e1", "e2"]))
    baseline = BaselineComparison(
        REGRESSION,
        before.score,
        documents=before.ranking.documents,
        grades=before.ranking.grades,
        held=before.ranking.held,
    )
    found = case_of(replace(after, baseline=baseline))
    assert found["passages"] == [
        {
            "quote": "within 30 days",
            "grade": 1,
            "place": "in none of the 2 results",
            "near": "",
            "was": "was rank 1",
            "cost": 0.386852807,
            "isMissing": True,
        },
        {
            "quote": "keep the box",
            "grade": 1,
            "place": "rank 2",
            "near": "",
            "was": "was rank 1",
            "cost": 0.226294386,
            "isMissing": False,
        },
    ]
    assert (found["held"], found["acceptedHeld"]) == (["-", "2"], ["1 2"])
    absent = {"grades", "acceptedGrades", "losses", "moves", "toJudge", "texts"}
    assert not absent & {*found}


def with_texts(result: CaseResult, *texts: str) -> CaseResult:
    return replace(result, ranking=replace(result.ranking, texts=texts))


WORDS = " ".join(["word"] * 40)


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("Within 30 days.", ["", "Within 30 days", "."]),
        (
            "It is\n**within**\n30 days of it",
            ["It is **", "within** 30 days", " of it"],
        ),
        (WORDS, [" ".join(["word"] * 36) + " \u2026"]),
        (
            f"{WORDS} within 30 days {WORDS}",
            [
                "\u2026 " + "word " * 17,
                "within 30 days",
                " word" * 17 + " \u2026",
            ],
        ),
    ],
    ids=["whole", "with marks", "without a quote", "cut around the quote"],
)
def test_quotes_are_marked_in_texts(text: str, pieces: list[str]) -> None:
    case = passage_case("within 30 days", k=1)
    result = with_texts(scored(case, texts_of(text)), text)
    assert case_of(result)["texts"] == [pieces]


def test_a_document_shows_the_chunk_that_holds_its_quote() -> None:
    case = passage_case("within 30 days", k=2, collapse=True)
    texts = ["The first chunk.", "Within 30 days."]
    ranking = texts_of(*texts, ids=["terms"], as_returned=["terms", "terms"])
    result = with_texts(scored(case, ranking), *texts)
    assert case_of(result)["texts"] == [["", "Within 30 days", "."]]


def test_any_form_of_a_passage_is_marked() -> None:
    values = {"any": ["the original receipt", "l'original du ticket"]}
    case = passage_case(values, k=1)
    text = "Apportez l’original du ticket."
    result = with_texts(scored(case, texts_of(text)), text)
    assert case_of(result)["texts"] == [["Apportez ", "l’original du ticket", "."]]


def test_results_of_before_have_the_texts_of_then_or_of_now() -> None:
    case = passage_case("within 30 days", k=2)
    before = scored(case, texts_of("Within 30 days.", "Hours.", ids=["e1", "e2"]))
    after = scored(case, texts_of("A page.", "Hours.", ids=["e3", "e2"]))
    after = with_texts(after, "A page.", "Hours.")
    baseline = BaselineComparison(
        REGRESSION, 1.0, documents=("e1", "e2"), held=before.ranking.held
    )
    found = case_of(replace(after, baseline=baseline))
    assert found["acceptedTexts"] == [[], ["Hours."]]
    assert found["lostPassages"] == ["within 30 days"]
    recorded = replace(baseline, texts=[["Within 30 days."], ["Open 9 to 17."]])
    found = case_of(replace(after, baseline=recorded))
    assert found["acceptedTexts"] == [["", "Within 30 days", "."], ["Open 9 to 17."]]
