"""The pages of the documentation, followed as a reader does, and their links."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import pytest_relevance
import tests.plugin.conftest  # noqa: F401 - it imports what runs in this process must not forget
from pytest_relevance import Run, read_suite
from tests.walkthrough import DOCS, PAGES, SHOP, Block, blocks, follow, run, write

FOLLOWED = (
    "start.md",
    "background/baselines.md",
    "howto/accept.md",
    "howto/adopt.md",
    "howto/approximate.md",
    "howto/build.md",
    "howto/judging.md",
    "howto/clicks.md",
    "howto/query-logs.md",
    "howto/monthly.md",
    "howto/known-items.md",
    "howto/compare.md",
    "howto/hybrid.md",
    "howto/shops.md",
    "howto/changing.md",
    "howto/assistant.md",
    "reference/case-file.md",
    "reference/metrics.md",
    "reference/records.md",
)
"""Pages whose files are written and whose commands print what is shown, in turn."""

OF_THEIR_OWN = (
    "start.md",
    "background/baselines.md",
    "howto/approximate.md",
    "howto/assistant.md",
    "howto/changing.md",
    "howto/hybrid.md",
    "howto/known-items.md",
    "howto/monthly.md",
    "howto/shops.md",
)
"""Pages that have a search of their own; the others use that of the first page."""

FIXTURE, CASES = (
    next(block for block in blocks(PAGES["start.md"], name) if block.file)
    for name in ("python", "yaml")
)
"""The search and the cases of the first page."""


JUDGED = "query,docid,rating\nblue shoes,sku-1,3\n"
RANKED = "q1 Q0 sku-1 1 0.5 tag\n"
FILES = {
    "judgments.csv": JUDGED,
    "judgments-Ada-2026-11-23T08-03.csv": JUDGED,
    "worklist.csv": JUDGED,
    "products.jsonl": '{"sku": "sku-1", "name": "Boots", "brand": "Fell"}\n',
    "catalogue.csv": "id,title\nsku-1,Blue boots\nsku-2,Red boots\n",
    "bm25.trec": RANKED,
    "hybrid.trec": RANKED,
    "qrels.txt": "q1 0 sku-1 3\n",
    "queries.tsv": "q1\tblue shoes\n",
    "log.csv": "query,volume,locale\nblue shoes,9,en\n",
    "export.csv": 'q,qid,volume,segment,floor,lang\nblue shoes,1,"1,340",head,1,e\nGrand total,,,,,\n(not set),,,,,\n',
    "testset.jsonl": '{"user_input": "late", "reference_contexts": ["It is free."]}\n',
    "questions.csv": 'question,pages\nlate,"[""m-12"", ""faq-3""]"\n',
    "langsmith.jsonl": '{"inputs": {"question": "late"}, "outputs": {"contexts": ["It is free."]}}\n',
    "braintrust.jsonl": '{"input": "late", "expected": {"quotes": ["It is free of charge"]}, "tags": null}\n',
}
"""Files that examples name."""

LOCAL_MODEL = """
class CrossEncoder:
    def __init__(self, name):
        self.name = name

    def predict(self, pair):
        query, title = pair
        return 5.0 * len({*query.split()} & {*title.lower().split()}) - 5.0
"""
"""`sentence_transformers`, without the model."""


JUDGING = "howto/judging.md"


@pytest.fixture
def server_of_models(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """The server of the page on judging, started as its reader does."""
    (stand_in,) = (
        block
        for block in blocks(PAGES[JUDGING], "python")
        if block.file == "stand_in.py"
    )
    write(stand_in, pytester.path)
    command = [sys.executable, "stand_in.py"]
    with subprocess.Popen(
        command, cwd=pytester.path, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        for variable in server.stdout.readline().split()[1:]:
            name, _, value = variable.partition("=")
            monkeypatch.setenv(name, value)
        yield
        server.terminate()


@pytest.mark.parametrize("page", FOLLOWED)
def test_a_page_works_from_its_first_line_to_its_last(
    page: str, pytester: pytest.Pytester, request: pytest.FixtureRequest
) -> None:
    for name, content in FILES.items():
        if name != "worklist.csv":  # which a run writes
            (pytester.path / name).write_text(content, encoding="utf-8")
    if page not in OF_THEIR_OWN:
        for block in (FIXTURE, CASES):
            write(block, pytester.path)
    if page == JUDGING:
        request.getfixturevalue("server_of_models")
        titles = example_with("relevance_documents")
        write(Block("conftest.py", "python", titles.text, is_more=True), pytester.path)
    assert follow(PAGES[page], pytester)


def test_the_local_model_of_the_page_on_judging(pytester: pytest.Pytester) -> None:
    (pytester.path / "sentence_transformers.py").write_text(
        LOCAL_MODEL, encoding="utf-8"
    )
    (pytester.path / "my_shop.py").write_text(SHOP, encoding="utf-8")
    write(CASES, pytester.path)
    (local,) = (block for block in blocks(PAGES[JUDGING], "python") if not block.file)
    titles = example_with("relevance_documents")
    conftest = "\n\n".join((FIXTURE.text, titles.text, local.text))
    write(Block("conftest.py", "python", conftest), pytester.path)
    _, printed = run("pytest --relevance-calibrate=7", pytester)
    both = "that both people and ms-marco-MiniLM-L6-v2/bounds-1 graded"
    assert f"7 pairs of query and document {both}" in printed


def test_the_examples_of_the_python_page(pytester: pytest.Pytester) -> None:
    test, notebook = blocks(PAGES["reference/python.md"], "python")
    (pytester.path / "my_shop.py").write_text(SHOP, encoding="utf-8")
    for block in (FIXTURE, CASES, test):
        write(block, pytester.path)
    code, printed = run(
        "pytest test_shoes.py shop.relevance.yaml --relevance-record=run.jsonl",
        pytester,
    )
    assert code == 1, printed
    assert "1 failed, 2 passed" in printed
    namespace: dict[str, object] = {}
    exec(notebook.text, namespace)
    assert {"run", "suite"} <= namespace.keys()


def test_every_public_name_is_in_the_reference() -> None:
    listed = re.findall(
        r"^\.\. auto\w+:: pytest_relevance\.(\w+)$",
        PAGES["reference/python.md"],
        re.MULTILINE,
    )
    assert sorted(listed) == sorted(pytest_relevance.__all__)


def test_every_page_is_in_the_table_of_contents() -> None:
    listed = re.findall(r"^([\w/-]+)$", PAGES["index.md"], re.MULTILINE)
    assert sorted(f"{name}.md" for name in listed) == sorted(set(PAGES) - {"index.md"})


def anchors(text: str) -> set[str]:
    """The anchors of the headings of a page, as GitHub and MyST make them."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {
        re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
        for heading in headings
    }


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_to_a_page_and_a_heading(page: str) -> None:
    text = re.sub(r"```.*?```|`[^`\n]*`", "", PAGES[page], flags=re.DOTALL)
    for path, anchor in re.findall(r"\]\((?!https?:)([^)#]*)#?([^)]*)\)", text):
        target = (DOCS / page).parent / path if path else DOCS / page
        assert target.is_file(), f"{path}: there is no such file"
        if anchor:
            assert anchor in anchors(target.read_text(encoding="utf-8"))


def test_every_option_and_setting_is_in_the_reference(
    pytester: pytest.Pytester,
) -> None:
    rows = re.findall(r"^\| (`.*?) \|", PAGES["reference/options.md"], re.MULTILINE)
    named = set(re.findall(r"`(--relevance-[\w-]+|relevance_\w+)", "\n".join(rows)))
    _, text = run("pytest --help", pytester)
    heading = "configuration file settings"
    options, settings = text.split(heading if heading in text else "[pytest]")
    there = set(re.findall(r"^ +(--relevance-[a-z-]+)", options, re.MULTILINE))
    there |= set(re.findall(r"^ +(relevance_\w+) ", settings, re.MULTILINE))
    assert named == there


EXAMPLES = {
    "limit=k)\n\n    return search": "mean nDCG@10",
    "search.ids": "mean nDCG@10",
    "search.many": "mean nDCG@10",
    "relevance_documents": "Smart watch Orbit 1",
    "pytest_relevance_fields": "mean nDCG@10",
    "relevance_judge": "model-x/prompt-3 graded 1 of 1 result that nobody has judged: machine.csv",
    "pytest_relevance_ranking": "strap1",
    "pytest_relevance_search": "mean nDCG@10",
    "pytest_relevance_variants": "2 cases",
    "pytest_relevance_metrics": "mean nDCG@10",
    "pytest_relevance_explain": "strap1 has the words of smart watch",
    "pytest_relevance_texts": "2 cases",
    "pytest_relevance_complete": "A strap",
    "relevance_fingerprint": "2 cases",
    "pytest_relevance_write": "figures: figures.txt",
    "pytest_relevance_summary": "empty searches",
    "ReportFormat": "2 cases",
    "JudgmentFormat": "2 cases",
    "RunFormat": "2 cases",
    "ExpectationKind": "2 cases",
    "GateKind": "2 cases",
    "DiagnosisKind": "2 cases",
    "FileCheck": "2 cases",
    "def declare(": "2 cases",
}
"""What is printed with an example, by a name in it."""

CONFTEST_PAGES = (
    "reference/search.md",
    "reference/results.md",
    "reference/hooks.md",
    "reference/extending.md",
    "reference/judge.md",
)
CONFTESTS = [
    block
    for page in CONFTEST_PAGES
    for block in blocks(PAGES[page], "python")
    if not block.file
]


def example_with(name: str) -> Block:
    (example,) = (block for block in CONFTESTS if name in block.text)
    return example


def test_there_is_an_expectation_for_every_example() -> None:
    assert len(CONFTESTS) == len(EXAMPLES)


@pytest.mark.parametrize("block", CONFTESTS, ids=range(len(CONFTESTS)))
def test_an_example_works_as_a_conftest(
    block: Block, pytester: pytest.Pytester
) -> None:
    (pytester.path / "my_shop.py").write_text(SHOP, encoding="utf-8")
    write(CASES, pytester.path)
    search = "" if "def search(" in block.text else FIXTURE.text
    write(Block("conftest.py", "python", block.text + search), pytester.path)
    asks = " --relevance-judge=machine.csv" if "relevance_judge" in block.text else ""
    code, printed = run(f"pytest -v --relevance-record=run.jsonl{asks}", pytester)
    assert code == 1, printed  # a query is below its floor
    (shown,) = (shown for name, shown in EXAMPLES.items() if name in block.text)
    assert shown in printed, printed
    if "relevance_fingerprint" in block.text:
        fingerprint = Run.open(pytester.path / "run.jsonl").info.fingerprint
        assert fingerprint == {"index": "products-11", "documents": 8}


CASE = "cases: [{query: blue shoes, judgments: {sku-1: 3, sku-2: 2, sku-4: 1, sku-5: 1}, tags: [head]}]\n"
ELSEWHERE = (
    "howto/ci.md",
    "howto/coming-from.md",
    "howto/engines.md",
    "howto/forks.md",
    "howto/gitlab.md",
    "howto/query-logs.md",
    "howto/shards.md",
    "reference/commands.md",
    "reference/python.md",
    "background/ndcg.md",
)
"""Pages whose examples other tests run."""

SUITES = [
    pytest.param(block.text, id=f"{page}-{number}")
    for page in sorted(set(PAGES) - set(ELSEWHERE))
    for number, block in enumerate(blocks(PAGES[page], "yaml"))
    if not block.file
]


@pytest.mark.parametrize("text", SUITES)
def test_an_example_of_a_case_file_is_read(text: str, tmp_path: Path) -> None:
    for name, content in FILES.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    has_cases = re.search("^(cases|queries):", text, re.MULTILINE)
    suite = tmp_path / "shop.relevance.yaml"
    suite.write_text(text if has_cases else text + CASE, encoding="utf-8")
    assert read_suite(suite).cases


@pytest.mark.parametrize(
    "page", sorted({*PAGES} - {*FOLLOWED, *CONFTEST_PAGES, *ELSEWHERE})
)
def test_a_page_that_is_not_run_shows_nothing_to_run(page: str) -> None:
    # all YAML is read
    assert {block.language for block in blocks(PAGES[page])} <= {"text", "yaml"}
