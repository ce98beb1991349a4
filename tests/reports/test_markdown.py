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
from pytest_relevance.cases.model import Gate
from pytest_relevance.ext.markdown.markdown import run_markdown
from pytest_relevance.reports.markdown_sections import MarkdownSection, joined_sections
from pytest_relevance.results.case_parts import (
    SETUP,
    TEXT,
    BaselineComparison,
    Outcome,
    SearchError,
)
from pytest_relevance.results.records.run_info import RunError, RunFinding
from tests.helpers import (
    block,
    case_result,
    changed,
    compared,
    gate_record,
    result_of,
    values_of,
)
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


GRADES = {"good": 3, "same": 1, "worse": 0}


def fallen(query: str, titles: dict[str, str] | None = None, **keys: Any) -> CaseResult:
    """A case that got worse: `good` was first, `worse` is first now."""
    keys = {"min_ndcg": 0.9, **keys}
    found = result(query, "worse", "same", "good", judgments=GRADES, **keys)
    accepted = BaselineComparison(
        "regression",
        1.0,
        documents=("good", "same", "worse"),
        grades=(3, 1, 0),
        newly_failing=True,
    )
    return changed(found, baseline=accepted, titles=titles or {})


def with_unjudged_on_top(query: str) -> CaseResult:
    """A case that got worse unless `new`, which is first now, is good too."""
    worse = fallen(query)
    now = result(query, "new", "same", "good", judgments=GRADES, min_ndcg=0.9)
    return replace(now, baseline=worse.baseline)


def risen(query: str, **keys: Any) -> CaseResult:
    """A case that passes and was lower: `good` was third and is first."""
    found = result(query, "good", "same", "worse", judgments=GRADES, **keys)
    accepted = BaselineComparison(
        "improvement", 0.541, documents=("worse", "same", "good"), grades=(0, 1, 3)
    )
    return replace(found, baseline=accepted)


MEAN = gate_record("mean", bounds=[("nDCG@10", 0.8)])
PASSING = gate_record("passing", line=2, share=0.5)


def run(*results: CaseResult, gates: tuple[Gate, ...] = (), **info: Any) -> Run:
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


BOOTS = result("boots", "x", "b2", judgments={"b1": 3, "b2": 1}, tags=["shoes"])
LAMP = result("lamp", "l1", judgments={"l1": 2})
EXPLAINED = (
    "nDCG@10 compares the grades of the first 10 results with those of the best ranking there could be: "
    "1 is perfect, 0 is nothing relevant, and the top ranks count most."
)


def text_of(whole: Run, **options: Any) -> str:
    """The report, with common blanks, and without the sentence that explains nDCG."""
    found = run_markdown(whole, **options).replace("\u00a0", " ")
    return found.replace(f"- {EXPLAINED}\n", "")


# --- whole reports --------------------------------------------------------------------


def test_without_a_baseline() -> None:
    whole = run(BOOTS, LAMP, gates=(PASSING, MEAN))
    assert text_of(whole) == block("""
        <!-- pytest-relevance report -->
        ### ❌ 1 of 2 cases fails

        The build fails because 1 case fails and 1 gate is not met.

        - `mean nDCG@10 0.541`
        - 2 cases: 1 passed, 1 failed
        - `shop.relevance.yaml`, `search`
        - compared with nothing: a baseline, or `--relevance-against=RUN`, tells whether queries got worse

        | suite | gate |  | found |
        | --- | --- | --- | --- |
        | `shop.relevance.yaml` | `mean` | **not met** | `mean nDCG@10 0.541, below 0.800 (2 cases)` |
        | `shop.relevance.yaml` | `passing` | met | `1 of 2 cases pass (50.0%), at least 50%` |

        **Failed (1)**

        | query | nDCG@10 | why | costs most | on top |
        | --- | ---: | --- | --- | --- |
        | `boots` | 0.083 | `below the required 0.500` | `b1` not returned | `x` |

        | by tag |  |  |
        | --- | ---: | --- |
        | `shoes` | 0.083 | 1 case, 1 not passed |

        <details><summary><code>boots</code> <code>nDCG@10 0.083, floor 0.500</code></summary>

        ```
        shop.relevance.yaml:4: nDCG@10 0.083 is below 0.500
        query "boots"   search   12 ms   2 results, 1 judged

        rank  document  grade  gain  discount     DG    DCG  ideal   IDCG
           1  x             -     -     1.000      -  0.000      3  7.000
           2  b2            1     1     1.585  0.631  0.631      1  7.631
        DCG 0.631 / ideal DCG 7.631 = nDCG@10 0.083     gain exponential, ideal judged, unjudged zero
        nDCG@10 lies between 0.083 and 1.000

        lost most by
          b1   grade 3   not returned   -0.917
        ```

        </details>
    """)
    assert f"\n- {EXPLAINED}\n" in run_markdown(whole)


def test_beside_a_baseline() -> None:
    """Each query is in one table. Long titles are broken: code spans do not wrap."""
    titles = {
        "good": "Tripp Lite Standard Computer Power Cords 2",
        "worse": "Strap",
    }
    slipped = replace(
        fallen("slipped", min_ndcg=0.1), baseline=BaselineComparison("within", 0.62)
    )
    whole = run(
        *(LAMP, slipped, BOOTS),
        fallen("smart watch", titles, tags=["wrist", "small"]),
        risen("belt", tags=["small"]),
        fingerprint={"index": "products-20"},
    )
    cases = "over 3 of 5 cases, those with a score before and now"
    cord = "`Tripp Lite Standard Computer Power Cords`<br>`2`"
    assert text_of(whole, verbosity=-1) == block(f"""
        <!-- pytest-relevance report -->
        ### ❌ 1 of 3 queries got worse (for certain), 1 better; the change of the mean may be chance

        The build fails because 1 query got worse and 1 case fails.

        - mean nDCG@10 0.720 -> 0.694 (-0.026, 95% interval -0.459 to +0.459, p 1.000); {cases}
        - 1 changed a little, 2 new or not compared
        - 5 cases: 3 passed, 1 failed; 1 without an entry
        - `shop.relevance.yaml`, `search`, `against the baseline`, `index products-20`

        **Got worse (1)**

        | query | nDCG@10 | sure | fell | in its place |
        | --- | ---: | --- | --- | --- |
        | `smart watch` | 1.000 -> 0.541 | certain | {cord} rank 1 -> 3 | `Strap` |

        **Failed (1)**

        | query | nDCG@10 | why | costs most | on top |
        | --- | ---: | --- | --- | --- |
        | `boots` | 0.083 | `below the required 0.500` | `b1` not returned | `x` |

        **Got better (1)**

        | query | nDCG@10 | gained |
        | --- | ---: | --- |
        | `belt` | 0.541 -> 1.000 | `good` rank 3 -> 1 |

        **What to do next**

        ```
        # look
        pytest --relevance-html=report.html
        # in full
        pytest -v 'shop.relevance.yaml::smart watch'
        # accept: one that got worse, if that is meant; a missed floor or expectation has to change too
        pytest --relevance-update FILE::CASE
        # accept: 1 got better, and also what got worse, unless you name cases
        pytest --relevance-update
        ```

        | by tag (nDCG@10) | cases | before | after | change | higher | lower | same |
        | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
        | `wrist` | 1 | 1.000 | 0.541 | -0.459 | 0 | 1 | 0 |
        | `small` | 2 | 0.770 | 0.771 | 0.000 | 1 | 1 | 0 |
    """)


def test_cases_that_failed_alike_and_what_did_not_finish() -> None:
    refused = SearchError("ConnectionError", "refused", "shop.py:7 in search")
    errors = [
        case_result(FILE, 9, f"q{number}", "error", outcome="failed", error=refused)
        for number in range(3)
    ]
    missing = tuple(f"{FILE}::{number}" for number in range(7))
    found = text_of(run(LAMP, *errors, missing=missing), notes=["two records"])
    assert found == block("""
        <!-- pytest-relevance report -->
        ### ❌ The run did not finish: 7 cases are missing

        The build fails because 3 cases could not be scored and 7 cases are missing.

        - `mean nDCG@10 1.000`
        - 4 cases: 1 passed, 3 errors; 7 cases are missing
        - `shop.relevance.yaml`, `search`
        - compared with nothing: a baseline, or `--relevance-against=RUN`, tells whether queries got worse

        - `two records`

        **Missing** (7)

        - `shop.relevance.yaml::0`
        - `shop.relevance.yaml::1`
        - `shop.relevance.yaml::2`
        - `shop.relevance.yaml::3`
        - `shop.relevance.yaml::4`
        - and 2 more

        **`3 searches failed alike: ConnectionError: refused (search in shop.py:7)`**

        <details><summary><code>q0</code> <code>ConnectionError: refused</code></summary>

        ```
        shop.relevance.yaml:9: ConnectionError: refused
          in shop.py:7 in search
        query "q0"   search
        ```

        </details>

        `and 2 more cases failed alike: q1 and q2`
    """)


# --- what is listed -------------------------------------------------------------------


def test_all_queries_that_got_worse_are_named_before_the_folded_failures() -> None:
    """The five worst and, folded, all others: each with what was lost."""
    names = [f"q{number:03}" for number in range(45)]
    whole = run(*(fallen(name, weight=1000 - int(name[1:])) for name in names))
    found = text_of(whole)
    tables = read(found).tables
    assert [row[0] for table in tables for row in table[1:]] == names
    assert tables[1][1] == [
        "q005",
        "1.000 -> 0.541",
        "certain",
        "good rank 1 -> 3",
        "worse",
    ]
    parts = re.findall(r"\*\*Got .*\*\*|<summary>Got .*</summary>", found)
    assert parts == [
        "**Got worse, largest drop times weight first (first 5 of 45)**",
        "<summary>Got worse, 6 to 25 of 45</summary>",
        "<summary>Got worse, 26 to 45 of 45</summary>",
    ]
    assert found.index("Got worse, 26") < found.index("<summary><code>q000</code>")


def test_in_full_all_are_in_the_table_and_in_brief_no_failure_is_reported() -> None:
    whole = run(*(fallen(f"q{number}", weight=1 + number) for number in range(7)))
    found = text_of(whole, verbosity=1)
    assert len(read(found).tables[0]) == 1 + 7
    assert "Got worse, 6 to" not in found
    folded = re.findall(r"<summary><code>(.*?)</code>", found)
    assert folded == ["q6", "q5", "q4", "q3", "q2", "q1", "q0"]
    assert "<details>" not in text_of(whole, verbosity=-1).partition("6 to 7")[2]


def test_each_query_that_got_better_or_is_inconclusive_is_in_a_table() -> None:
    doubtful = changed(fallen("boots"), verdict="inconclusive", outcome="skipped")
    met = BaselineComparison("within", 1.0, newly_met=True)
    newly_met = replace(risen("hats"), baseline=met)
    found = text_of(run(doubtful, newly_met))
    titles = re.findall(r"\*\*(.*) \(1\)\*\*", found)
    assert titles == ["Inconclusive", "Got better"]
    names = [table[1][0] for table in read(found).tables[:2]]
    assert names == ["boots", "hats"]


def test_at_most_three_failures_are_reported_in_full() -> None:
    whole = run(*(fallen(f"q{number}", weight=9 - number) for number in range(7)))
    folded = re.findall(r"<summary><code>(.*?)</code>", text_of(whole))
    assert folded == ["q0", "q1", "q2"]


def test_judgments_that_may_explain_it_are_explained_and_asked_for() -> None:
    found = text_of(run(compared("boots", before=1.0, ranking=["new", "x", "y"])))
    assert [row[2] for row in read(found).tables[0]] == ["sure", "needs grades"]
    assert (
        " needs grades: unjudged results may be as good as what they replaced" in found
    )
    assert "\npytest --relevance-unjudged=worklist.csv\n" in found


@pytest.mark.parametrize(
    ("whole", "said"),
    [
        (run(LAMP), "The build passes."),
        (run(BOOTS), "The build fails because 1 case fails."),
        (
            run(fallen("watch"), fallen("belt")),
            "The build fails because 2 queries got worse: do not release this search as it is.",
        ),
        (
            run(with_unjudged_on_top("watch")),
            "The build fails because 1 query got worse: "
            "grade the ungraded results before you decide on a release.",
        ),
        (
            run(fallen("watch"), BOOTS),
            "The build fails because 1 query got worse and 1 case fails.",
        ),
        (
            run(LAMP, findings=(RunFinding("no such record", True, "nothing ran"),)),
            "The build fails because nothing ran.",
        ),
        (
            run(LAMP, errors=(RunError("no grade", FILE, 3, node=FILE),)),
            "The build fails because 1 file has an error.",
        ),
    ],
)
def test_whether_the_build_fails_and_why(whole: Run, said: str) -> None:
    assert f"\n\n{said}\n\n- " in text_of(whole)


def test_the_lowest_are_listed_where_nothing_failed_or_moved() -> None:
    low = result("low", "x", "b1", judgments={"b1": 1})
    found = text_of(run(LAMP, low))
    assert "### ✅ All 2 cases pass\n" in found
    lowest = ["low", "0.631", "b1 rank 2", "x"]
    assert read(found).tables == [
        [["query", "nDCG@10", "costs most", "on top"], lowest]
    ]
    assert "Lowest" not in text_of(run(BOOTS, low))


def test_a_few_suites_and_variants_have_a_line_and_many_a_list() -> None:
    in_variants = [replace(LAMP, variant=name) for name in ("bm25", "dense")]
    found = text_of(run(*in_variants))
    assert "- `bm25: mean nDCG@10 1.000`\n- `dense: mean nDCG@10 1.000`\n" in found
    many = [replace(LAMP, file=f"{name}.relevance.yaml") for name in "abcde"]
    found = text_of(run(*many))
    assert "- mean nDCG@10 1.000 over all suites\n" in found
    both = [replace(each, variant=name) for name in ("bm25", "dense") for each in many]
    means = "- `mean nDCG@10 over all suites: bm25 1.000, dense 1.000`\n"
    assert means in text_of(run(*both))
    files = "`a.relevance.yaml`, `b.relevance.yaml`, `c.relevance.yaml`"
    assert f"- {files}, `2 more suites`, `search`" in found
    figures = "mean nDCG@10 1.000   1 passed   max 12 ms"
    assert f"- `e.relevance.yaml   {figures}`\n" in found


def test_a_suite_without_judgments_has_no_mean() -> None:
    without = result_of({"query": "q", "expect": {"results": 1}}, ["a"])
    found = text_of(run(LAMP, replace(without, file="fields.relevance.yaml")))
    assert "n/a" not in found


def test_variants_are_compared_in_a_table() -> None:
    found = text_of(run(replace(BOOTS, variant="a"), replace(BOOTS, variant="b")))
    (table,) = [rows for rows in read(found).tables if rows[0][0] == "variant"]
    assert [row[0] for row in table] == ["variant", "a", "b"]
    assert table[2][3] == "0.000"


def test_the_tags_of_variants_have_a_row_each() -> None:
    found = [fallen("watch", tags=["wrist"]), risen("belt")]
    both = [replace(each, variant=name) for each in found for name in ("a", "b")]
    tables = read(text_of(run(*both))).tables
    (tags,) = [table for table in tables if table[0][0] == "by tag (nDCG@10)"]
    assert [row[:4] for row in tags] == [
        ["by tag (nDCG@10)", "variant", "cases", "before"],
        ["wrist", "a", "1", "1.000"],
        ["wrist", "b", "1", "1.000"],
    ]


def test_gates_that_are_not_met_come_first_and_many_are_counted() -> None:
    gates = [gate_record("passing", id=f"g{number}", share=0.5) for number in range(11)]
    found = text_of(run(BOOTS, LAMP, gates=(*gates, replace(MEAN, id="last"))))
    table = read(found).tables[0]
    assert [row[1:3] for row in table[1:3]] == [["last", "not met"], ["g0", "met"]]
    assert len(table) == 1 + 10
    assert "... and 2 more gates, 0 of them not met\n" in found


def test_links_lead_to_the_page_and_to_the_query_of_each_failure() -> None:
    page = "https://ci.example.com/1/report.html"
    found = text_of(run(BOOTS, LAMP), page=page)
    assert f"\n- [all rankings side by side, in the page]({page})\n" in found
    link = f"{page}#case=shop.relevance.yaml%3A%3Aboots"
    assert f"</summary>\n\n[open it in the page]({link})\n\n```\n" in found
    assert found.count("https://") == 2


# --- cutting --------------------------------------------------------------------------


def test_a_run_with_many_failures_stays_short_enough_to_be_read() -> None:
    names = [f"{number:04} " + "q" * 100 for number in range(5_000)]
    titles = {name: name * 100 for name in GRADES}
    whole = run(*(fallen(name, titles) for name in names))
    found = text_of(whole)
    assert len(found) <= 20_000
    assert "<summary>Got worse, 26 to 45 of 5,000</summary>" in found
    left_out = "further cases that got worse and 2 failures"
    assert found.endswith(f"at most 20,000 characters: {left_out}.\n")


def test_long_titles_and_queries_are_cut() -> None:
    long = fallen("q" * 10_000, {"good": "g" * 10_000, "worse": "w" * 10_000})
    query, _, _, lost, on_top = read(text_of(run(long))).tables[0][1]
    assert query == "q" * 77 + "..."
    assert (len(lost), len(on_top)) == (80 + len(" rank 1 -> 3"), 80)


def test_the_first_section_is_there_however_long_it_is() -> None:
    whole = run(BOOTS, gates=(MEAN,))
    first, gates, _ = text_of(whole).partition("\n\n| suite | gate |")
    assert gates
    left = "the gates, the failing cases and 1 failure"
    assert text_of(whole, most=1) == (
        f"{first}\n\nLeft out, because this report has at most 1 characters: {left}.\n"
    )
    alone = MarkdownSection("a" * 50, "the summary")
    assert joined_sections([alone], 10) == "a" * 50 + "\n"


def test_what_has_no_room_is_not_rendered() -> None:
    rendered: list[int] = []

    def text(number: int) -> str:
        rendered.append(number)
        return "a" * 100

    sections = [
        MarkdownSection(partial(text, number), "failure") for number in range(50)
    ]
    assert joined_sections(sections, 500).endswith("characters: 46 failures.\n")
    assert rendered == [0, 1, 2, 3, 4]


SECTIONS = st.lists(
    values_of(
        MarkdownSection,
        st.text("ab\n`", min_size=1, max_size=200),
        st.sampled_from(["failure", "the tags", "gates"]),
    ),
    min_size=1,
    max_size=30,
)


@given(sections=SECTIONS, most=st.integers(1, 4_000))
def test_a_cut_report_is_never_too_long_and_is_a_beginning_of_the_whole(
    sections: list[MarkdownSection], most: int
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
    """A run whose queries, ids, titles, documents, tags, variants, files, gates, notes,
    errors and expected documents are a text.
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
    expecting = result_of(
        {"query": f"5 {text}", "expect": {"include": [text]}}, ["x"], file=FILE
    )
    file = f"{text}.relevance.yaml"
    results = [
        new,
        expecting,
        replace(new, variant=f"b{text}"),
        untitled,
        error,
        replace(risen(f"3 {text}"), variant=text),
    ]
    results += [replace(LAMP, file=file, search=text, variant=text)]
    gates = (
        gate_record("mean", id=text, bounds=[("nDCG@10", 0.9)], tag=text),
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


@pytest.mark.parametrize("text", HOSTILE)
def test_the_error_of_a_fixture_stays_text_in_the_headline(text: str) -> None:
    error = SearchError("RuntimeError", text, phase=SETUP)
    failed = [
        case_result(FILE, line, f"q{line}", "error", outcome="failed", error=error)
        for line in range(2)
    ]
    found = run_markdown(run(*failed))
    assert "The fixture search failed: " in found
    assert_inert(read(found))


@pytest.mark.parametrize("text", HOSTILE)
def test_why_all_cases_were_skipped_stays_text(text: str) -> None:
    reason = Outcome("", TEXT, met=False, clauses=(text,))
    skipped = changed(
        LAMP, verdict="skipped", outcome="skipped", reasons=(reason,), scores={}
    )
    assert_inert(read(run_markdown(run(skipped))))


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
        "1.000\u00a0->\u00a00.541",
        "certain",
        "x|y ``z`` rank 1\u00a0->\u00a03",
        "@team",
    ]
