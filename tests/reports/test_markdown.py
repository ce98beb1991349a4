"""The report of a run as Markdown: what a reader of a pull request sees first, how it
is cut, and user text in it.
"""

import re
from collections import Counter
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pytest_relevance import CaseResult, FileInfo, Run, RunInfo
from pytest_relevance.cases.model import RecordedGate
from pytest_relevance.ext.markdown.markdown import run_markdown
from pytest_relevance.reports.sections import Section, joined_sections
from pytest_relevance.results.case_parts import BaselineComparison, SearchError
from tests.helpers import block, case_result, changed, gate_record, result_of, values_of
from tests.reports.markdown_reader import HOSTILE, Page, assert_inert, read

FILE = "shop.relevance.yaml"


def result(
    query: str, *ranking: str, judgments: dict[str, int], file: str = FILE, **keys: Any
) -> CaseResult:
    """The result of a case with a floor of 0.5."""
    return result_of(
        {"query": query, "judgments": judgments, "min_ndcg": 0.5, **keys},
        ranking,
        file=file,
        line=4,
    )


def fallen(query: str, titles: dict[str, str] | None = None, **keys: Any) -> CaseResult:
    """A case that got worse: `good`, of grade 3, was first and is third, `worse` is
    first now.
    """
    ranking = ("worse", "same", "good")
    found = result(
        query,
        *ranking,
        judgments={"good": 3, "same": 1, "worse": 0},
        **{"min_ndcg": 0.9, **keys},
    )
    accepted = BaselineComparison(
        "regression",
        1.0,
        documents=("good", "same", "worse"),
        grades=(3, 1, 0),
        newly_failing=True,
    )
    return changed(found, baseline=accepted, titles=titles or {})


def risen(query: str, **keys: Any) -> CaseResult:
    """A case that passes and was lower: `good` was third and is first."""
    found = result(
        query,
        "good",
        "same",
        "worse",
        judgments={"good": 3, "same": 1, "worse": 0},
        **keys,
    )
    accepted = BaselineComparison(
        "improvement", 0.541, documents=("worse", "same", "good"), grades=(0, 1, 3)
    )
    return replace(found, baseline=accepted)


MEAN = gate_record("mean", bounds=[["nDCG@10", 0.8]])
PASSING = gate_record("passing", line=2, share=0.5)


def run(*results: CaseResult, gates: tuple[RecordedGate, ...] = (), **info: Any) -> Run:
    """A run of these results; the gates are those of the first file."""
    files = {}
    for name in dict.fromkeys(result.file for result in results):
        counts = Counter(
            (result.search, result.variant) for result in results if result.file == name
        )
        totals = tuple((*variant, count) for variant, count in counts.items())
        files[name] = FileInfo(
            name, name, totals=totals, gates=gates if name == FILE else ()
        )
    if FILE in files and any(each.baseline is not None for each in results):
        files[FILE] = replace(files[FILE], has_baseline=True)
    return Run(results, files, RunInfo(**info), name="main.jsonl")


BOOTS = result(
    "boots", "x", "b2", judgments={"b1": 3, "b2": 1}, weight=2.0, tags=["shoes"]
)
LAMP = result("lamp", "l1", judgments={"l1": 2})


# --- what is in it --------------------------------------------------------------------


def test_without_a_baseline() -> None:
    found = run_markdown(run(BOOTS, LAMP, gates=(PASSING, MEAN)))
    assert found.startswith(
        "<!-- pytest-relevance report -->\n### ❌ 1 of 2 cases fails\n\n- `weighted mean nDCG@10 0.388`\n"
    )
    assert (
        "\n- 2 cases: 1 passed, 1 failed\n- `shop.relevance.yaml`, `search`\n- nDCG@10 compares"
        in found
    )
    assert found.partition("count most.\n")[2].startswith(
        block("""

        | gate |  | found |
        | --- | --- | --- |
        | `mean` | **not met** | `mean nDCG@10 0.388, below 0.800 (2 cases)` |
        | `passing` | met | `1 of 2 cases pass (50.0%), at least 50%` |

        **Failed (1)**

        | query | nDCG@10 | lost | now on top |
        | --- | ---: | --- | --- |
        | `boots` | 0.083 | `b1` not returned | `x` |

        | by tag |  |  |
        | --- | ---: | --- |
        | `shoes` | 0.083 | 1 case, 1 not passed |

        <details><summary><code>boots</code> <code>nDCG@10 0.083, floor 0.500</code></summary>

        ```
        shop.relevance.yaml:4: nDCG@10 0.083 is below 0.500
        """)
    )
    assert found.endswith("\n```\n\n</details>\n")


def test_beside_a_baseline_it_names_what_got_worse_with_what_was_lost_and_what_took_its_place() -> (
    None
):
    titles = {"good": "Watch Orbit 2", "worse": "Strap 22 mm"}
    whole = run(
        LAMP,
        risen("belt"),
        fallen("smart watch", titles),
        fingerprint={"index": "products-20"},
    )
    found = run_markdown(whole)
    assert (
        "### ⚠️ 1 query got worse, 1 better; the mean is unchanged within chance\n"
        in found
    )
    assert (
        "- `mean nDCG@10 0.770 -> 0.771 (0.000, p 1.000): by any amount 1 better, 1 worse, 0 the same (2 of 3 cases)`\n"
        in found
    )
    assert (
        "- `shop.relevance.yaml`, `search`, `against the baseline`, `index products-20`\n"
        in found
    )
    fallen_, rose = read(found).tables
    assert fallen_ == [
        ["query", "nDCG@10", "lost", "now on top"],
        [
            "smart watch",
            "1.000\u00a0→\u00a00.541",
            "Watch Orbit 2 1\u00a0→\u00a03",
            "Strap 22 mm",
        ],
    ]
    assert rose == [
        ["query", "nDCG@10", "gained"],
        ["belt", "0.541\u00a0→\u00a01.000", "good 3\u00a0→\u00a01"],
    ]


def test_all_queries_that_got_worse_are_named_before_the_folded_failures() -> None:
    """The five worst with what was lost, the others in folded tables with their scores,
    in order.
    """
    whole = run(
        *(fallen(f"q{number:03}", weight=1000 - number) for number in range(120))
    )
    found = run_markdown(whole)
    worst, further, last = read(found).tables
    assert "**Got worse (5 of 120)**" in found
    assert (
        "<details><summary>Got worse, 6 to 105 of 120</summary>\n\n| query |" in found
    )
    assert (
        "<details><summary>Got worse, 106 to 120 of 120</summary>\n\n| query |" in found
    )
    assert further[:2] == [
        ["query", "nDCG@10"],
        ["q005", "1.000\u00a0\u2192\u00a00.541"],
    ]
    assert [row[0] for table in (worst, further, last) for row in table[1:]] == [
        f"q{n:03}" for n in range(120)
    ]
    assert found.index("Got worse, 106") < found.index("<summary><code>q000</code>")
    assert "Got worse, 6 to" not in run_markdown(
        whole, verbosity=1
    )  # the first table has all


def test_tags_have_their_change_since_the_baseline_the_worst_first() -> None:
    results = [
        risen("belt", tags=["small", "new"]),
        fallen("watch", tags=["small", "wrist"]),
        fallen("band", tags=["wrist"]),
        result("hat", "good", judgments={"good": 1}, tags=["wrist", "unknown"]),
    ]
    found = run_markdown(run(*results))
    assert [
        table for table in read(found).tables if table[0][0].startswith("by tag")
    ] == [
        [
            [
                "by tag (nDCG@10)",
                "cases",
                "before",
                "after",
                "change",
                "better",
                "worse",
                "same",
            ],
            ["wrist", "2", "1.000", "0.541", "-0.459", "0", "2", "0"],
            ["small", "2", "0.770", "0.771", "0.000", "1", "1", "0"],
            ["new", "1", "0.541", "1.000", "+0.459", "1", "0", "0"],
        ]
    ]
    in_variants = [
        replace(each, variant=name) for each in results for name in ("bm25", "knn")
    ]
    table = next(
        table
        for table in read(run_markdown(run(*in_variants))).tables
        if table[0][0].startswith("by tag")
    )
    assert [row[:3] for row in table[:3]] == [
        ["by tag (nDCG@10)", "variant", "cases"],
        ["wrist", "bm25", "2"],
        ["wrist", "knn", "2"],
    ]


def test_in_full_all_are_listed_and_in_brief_no_failure_is() -> None:
    results = [fallen(f"q{number}", weight=1 + number) for number in range(7)]
    found = run_markdown(run(*results), verbosity=1)
    assert len(read(found).tables[0]) == 1 + 7
    assert re.findall(r"<summary><code>(.*?)</code>", found) == [
        f"q{number}" for number in range(6, -1, -1)
    ]
    assert "```" not in run_markdown(run(*results), verbosity=-1)


def test_a_query_is_in_one_table_alone() -> None:
    slipped = replace(
        fallen("slipped", min_ndcg=0.1), baseline=BaselineComparison("within", 0.62)
    )
    found = run_markdown(run(fallen("new"), slipped, BOOTS))
    assert re.findall(r"^\*\*(.*)\*\*$", found, re.MULTILINE) == [
        "Got worse (1)",
        "Failed (1)",
        "Fell without failing (1)",
    ]
    rows = [row[0] for table in read(found).tables for row in table]
    assert [rows.count(query) for query in ("new", "slipped", "boots")] == [1, 1, 1]


def test_the_lowest_are_listed_where_nothing_failed_or_moved() -> None:
    low = result("low", "x", "b1", judgments={"b1": 1})
    found = run_markdown(run(LAMP, low))
    assert "### ✅ All 2 cases pass\n" in found
    assert read(found).tables == [
        [["query", "nDCG@10", "lost", "now on top"], ["low", "0.631", "b1 rank 2", "x"]]
    ]
    assert "Lowest" not in run_markdown(run(BOOTS, low))


def test_a_few_suites_and_variants_have_a_line_and_many_a_table() -> None:
    in_variants = [replace(LAMP, variant=name) for name in ("bm25", "dense")]
    found = run_markdown(run(*in_variants))
    assert "- `bm25: mean nDCG@10 1.000`\n- `dense: mean nDCG@10 1.000`\n" in found
    without = result_of(
        {"query": "q", "expect": {"results": 1}}, ["a"]
    )  # has no judgments, and no mean
    assert "n/a" not in run_markdown(
        run(LAMP, replace(without, file="fields.relevance.yaml"))
    )
    many = [replace(LAMP, file=f"{name}.relevance.yaml") for name in "abcde"]
    found = run_markdown(run(*many))
    assert "- mean nDCG@10 1.000 over all suites and variants\n" in found
    assert (
        "- `a.relevance.yaml`, `b.relevance.yaml`, `c.relevance.yaml`, `2 more suites`, `search`"
        in found
    )
    assert (
        "- `e.relevance.yaml   mean nDCG@10 1.000   1 passed   p50 12 ms, p95 12 ms`\n"
        in found
    )


def test_gates_that_are_not_met_come_first_and_many_are_counted() -> None:
    gates = tuple(
        gate_record("passing", line=number, id=f"g{number}", share=0.5)
        for number in range(11)
    )
    found = run_markdown(run(BOOTS, LAMP, gates=(*gates, replace(MEAN, id="last"))))
    table = read(found).tables[0]
    assert [row[:2] for row in table[1:3]] == [["last", "not met"], ["g0", "met"]]
    assert len(table) == 1 + 10
    assert "... and 2 more gates, 0 of them not met\n" in found


def test_what_did_not_finish_is_named_and_counted() -> None:
    missing = tuple(f"{FILE}::{number}" for number in range(7))
    found = run_markdown(run(LAMP, missing=missing))
    assert "### ❌ The run did not finish: 7 cases are missing\n" in found
    assert "- 1 case: 1 passed; 7 cases are missing\n" in found
    assert f"**Missing** (7)\n\n- `{FILE}::0`\n" in found
    assert "\n- and 2 more\n" in found


def test_an_error_is_named_and_cases_that_failed_alike_are_in_one_line() -> None:
    failed = SearchError("ConnectionError", "refused", "shop.py:7 in search")
    errors = [
        case_result(
            FILE,
            9,
            f"q{number}",
            "error",
            outcome="failed",
            node=f"{FILE}::q{number}",
            error=failed,
        )
        for number in range(9)
    ]
    found = run_markdown(run(*errors))
    assert (
        "**`9 searches failed alike: ConnectionError: refused (search in shop.py:7)`**"
        in found
    )
    assert read(found).tables == []
    assert found.count("<details>") == 1
    assert "and 8 more cases failed alike" in found


def test_a_long_title_stands_in_lines_as_a_code_span_in_a_table_does_not_wrap() -> None:
    title = "Tripp Lite Standard Computer Power Extension Cords Lead Cables"
    found = run_markdown(run(fallen("cords", {"good": title, "worse": "Cord"})))
    assert (
        "| `Tripp Lite Standard Computer Power`<br>`Extension Cords Lead Cables` 1\u00a0"
        in found
    )


def test_links_lead_to_the_page_and_to_the_query_of_each_failure() -> None:
    found = run_markdown(run(BOOTS, LAMP), page="https://ci.example.com/1/report.html")
    assert (
        "\n- [all rankings side by side, in the page](https://ci.example.com/1/report.html)\n"
        in found
    )
    link = "https://ci.example.com/1/report.html#case=shop.relevance.yaml%3A%3Aboots"
    assert f"</summary>\n\n[open it in the page]({link})\n\n```\n" in found
    assert found.count("https://") == 2


def test_a_run_with_many_failures_stays_short_enough_to_be_read() -> None:
    rankings = [
        [f"document {number}-{rank}" for rank in range(10)] for number in range(44)
    ]
    whole = run(
        *(
            result(ranking[0], *ranking, judgments={ranking[-1]: 3})
            for ranking in rankings
        )
    )
    found = run_markdown(whole)
    assert len(found) <= 20_000
    assert re.search(r"at most 20,000 characters: \d+ failures\.\n$", found)


def test_long_titles_queries_and_errors_are_cut() -> None:
    long = fallen(
        "q" * 10_000, {"good": "g" * 10_000, "worse": "w" * 10_000}, note="n" * 50
    )
    query, _, lost, on_top = read(run_markdown(run(long))).tables[0][1]
    assert (len(query), len(lost), len(on_top)) == (
        80,
        80 + len(" 1\u00a0→\u00a03"),
        80,
    )
    assert query == "q" * 77 + "..."


# --- cutting --------------------------------------------------------------------------


def test_the_first_section_is_there_however_long_it_is() -> None:
    whole, found = (
        run_markdown(run(BOOTS, gates=(MEAN,))),
        run_markdown(run(BOOTS, gates=(MEAN,)), most=1),
    )
    first, gates, _ = whole.partition("\n\n| gate |")
    assert gates
    assert found == (
        f"{first}\n\nLeft out, as this report has at most 1 characters: the gates, the failing cases and 1 failure.\n"
    )
    assert (
        joined_sections([Section("a" * 50, "the summary")], 10) == "a" * 50 + "\n"
    )  # nothing else to leave out


def test_what_has_no_room_is_not_rendered() -> None:
    rendered: list[int] = []

    def text(number: int) -> str:
        rendered.append(number)
        return "a" * 100

    sections = [Section(partial(text, number), "failure") for number in range(50)]
    assert joined_sections(sections, 500).endswith("characters: 46 failures.\n")
    assert rendered == [0, 1, 2, 3, 4]


SECTIONS = st.lists(
    values_of(
        Section,
        st.text("ab\n`", min_size=1, max_size=200),
        st.sampled_from(["failure", "the tags", "gates"]),
    ),
    min_size=1,
    max_size=30,
)


@given(sections=SECTIONS, most=st.integers(1, 4_000))
def test_a_cut_report_is_never_too_long_and_is_a_beginning_of_the_whole(
    sections: list[Section], most: int
) -> None:
    whole, found = (
        "\n\n".join(section.text for section in sections),
        joined_sections(sections, most),
    )
    if found == whole + "\n":
        assert len(found) <= most or len(sections) == 1
        return
    assert len(whole) + 1 > most
    kept, _, last = found.removesuffix("\n").rpartition("\n\n")
    texts = [
        "\n\n".join(section.text for section in sections[:count])
        for count in range(1, len(sections))
    ]
    assert kept in texts
    assert len(found) <= most or kept == texts[0]
    left = sections[texts.index(kept) + 1 :]
    for name in {section.name for section in left} - {"failure"}:
        assert name in last
    if failures := sum(section.name == "failure" for section in left):
        assert f"{failures} failure" in last


# --- text of users --------------------------------------------------------------------


def everywhere(text: str) -> Run:
    """A run whose queries, ids, titles, documents, tags, variants, files, gates, notes
    and errors are a text.
    """
    titled = {"good": text, "worse": text, "same": text}
    new = replace(
        fallen(text, titled, note=text, tags=[text, "some"], weight=2), id=f"1 {text}"
    )
    untitled = result(
        f"2 {text}", f"doc {text}", judgments={f"other {text}": 3}, tags=["some"]
    )
    error = case_result(
        FILE,
        9,
        f"4 {text}",
        "error",
        outcome="failed",
        error=SearchError(text, text, text),
    )
    file = f"{text}.relevance.yaml"
    results = [
        new,
        replace(new, variant=f"b{text}"),
        untitled,
        error,
        replace(risen(f"3 {text}"), variant=text),
    ]
    results += [replace(LAMP, file=file, search=text, variant=text)]
    gates = (
        gate_record("mean", id=text, bounds=[["nDCG@10", 0.9]], tag=text),
        gate_record("passing", id=f"{text} ", share=0.99),
    )
    whole = run(*results, gates=gates)
    files = {
        name: replace(
            about,
            gates=gates,
            has_baseline=True,
            unjudged=text,
            fingerprint={text: "1"},
        )
        for name, about in whole.files.items()
    }
    info = RunInfo(
        missing=(text, text, f"{text}!"), fingerprint={text: text, "other": text}
    )
    return Run(results, files, info, name=text)


@pytest.mark.parametrize("text", HOSTILE)
def test_text_of_users_stays_text(text: str) -> None:
    page = read(run_markdown(everywhere(text)))
    assert_inert(page)
    assert len(page.blocks) >= 3  # the folded failures
    for table in page.tables:
        assert len({len(row) for row in table}) == 1


@given(
    text=(st.text(max_size=60) | st.text("`|\\<>!-[]()@#*_~ \n", max_size=40)).filter(
        str.strip
    )
)
@example("`")
def test_whatever_users_write(text: str) -> None:
    assert_inert(read(run_markdown(everywhere(text))))


def test_a_reader_finds_what_was_written() -> None:
    page: Page = read(
        run_markdown(
            run(fallen("a|b `c` <d>", {"good": "x|y ``z``", "worse": "@team"}))
        )
    )
    assert page.tables[0][1] == [
        "a|b `c` <d>",
        "1.000\u00a0→\u00a00.541",
        "x|y ``z`` 1\u00a0→\u00a03",
        "@team",
    ]
