"""Expectations as a user meets them: in a run, in a record, in a test in Python, and the sample file of all keys."""

import pytest

from pytest_relevance import read_suite
from pytest_relevance.cli import main
from tests.plugin.conftest import Project

TITLED = """
    import pytest

    @pytest.fixture
    def search():
        def search(query, k):
            return [{"id": word, "title": f"Model {word.upper()}"} for word in query.split()][:k]
        return search
"""
"""A search that returns the words of the query with titles."""


def test_a_failure_names_the_documents_with_their_titles_and_ranks(project: Project) -> None:
    project.conftest(TITLED)
    project.cases(
        """
        cases:
          - query: a b c d e f g h i j k l
            expect:
              within: {d: 2, b: ">3", l: 5, a: 1}
              order: {docs: [[a, e], [c, zz]], within: 11}
              include: {docs: [e, a], within: 3}
        """
    )
    run = project.run()
    assert run.counts == {"failed": 1}
    for line in (
        'within: "d" (Model D, at rank 4) is not in the top 2',
        'within: "b" (Model B, at rank 2) is in the top 3',
        'within: "l" (not returned) is not in the top 5',
        'order: in the top 11: "e" (Model E, at rank 5) is not before "c" (Model C, at rank 3)',
        'include: not in the top 3: "e" (Model E, at rank 5)',
    ):
        assert line in run.failure("a b c d e f g h i j k l")
    assert '"a"' not in run.failure("a b c d e f g h i j k l")
    row = next(row for row in run.failure_rows("a b c d e f g h i j k l") if row[:2] == ["2", "b"])
    assert row[-3:] == ["not", "before", "4"]


def test_a_record_prints_the_same_failure(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    project.conftest(TITLED)
    project.cases('cases: [{query: a b c, expect: {within: {a: ">2", z: 3}, order: [[b, c], [a]], P: 0}, relevant: a}]')
    run = project.run("--relevance-record=run.jsonl")
    capsys.readouterr()
    main(["report", "run.jsonl"])
    printed = capsys.readouterr().out
    for line in ('within: "a" (Model A, at rank 1) is in the top 2', "are not before", '"z" (not returned) is not in'):
        assert line in run.failure("a b c")
        assert line in printed


def test_a_metric_of_the_suite_that_does_not_apply_is_shown(project: Project) -> None:
    project.conftest()
    project.cases(
        """
        expect: {P@2: 0.5}
        cases:
          - {query: boots, judgments: {boots: 1}}
          - {query: hats, judgments: {socks: 0}}
          - {query: gloves}
        """
    )
    run = project.run("-vv")
    assert run.counts == {"passed": 3}
    verdicts = {name: result.verdict for name, result in run.results.items()}
    assert verdicts == {"boots": "passed", "hats": "measured", "gloves": "measured"}
    printed = run.result.stdout.str()
    assert "nDCG@10 n/a, no judged document is relevant; P@2 n/a" in printed
    assert "shop.relevance.yaml:5: P@2 n/a" in printed


def in_python(project: Project, *lines: str) -> None:
    body = "".join(f"    {line}\n" for line in lines)
    project.write("test_shop.py", f"import pytest\n\ndef test_shop(relevance):\n{body}")


def test_a_test_in_python_names_expectations_by_themselves(project: Project) -> None:
    in_python(
        project,
        'relevance.check("boots", ["a", "b", 7], within={"a": 1, 7: "== 3", "c": ">10"}, order=[["a", "b"], [7, "z"]])',
        'relevance.check("boots", ["a", 7], first="a", include={"docs": [7], "within": 2}, results=2, exclude=[9])',
        'relevance.check("boots", ["a", "x"], relevant=["a"], expect={"P": 0.5, "within": {"a": 1}}, first="a")',
        "with pytest.raises(pytest.fail.Exception, match='within: \"b\" .at rank 2. is not in the top 1'):",
        '    relevance.check("boots", ["a", "b"], within={"b": 1})',
    )
    assert project.run().counts == {"passed": 1}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            'within={"a": "3..5"}',
            "relevance.check: expect.within.a: expected a rank from 1 to 1,000,000, found the text",
        ),
        ("order=None", "relevance.check: expect.order: expected a document or a list of documents, found nothing"),
        ("include=None", "relevance.check: expect.include: expected a document or a list of documents, found nothing"),
        ('first="a", expect={"first": "b"}', "relevance.check: first is given by itself and in expect; keep one of"),
        ('relevant=["a", "a"]', 'relevance.check: relevant[1]: document "a" stands twice; keep one of them'),
    ],
)
def test_a_test_in_python_is_told_what_is_wrong(project: Project, arguments: str, message: str) -> None:
    in_python(project, f'relevance.check("boots", ["a"], {arguments})')
    assert message in project.run().result.stdout.str()


SAMPLE = """\
# shop.relevance.yaml -- everything above `cases` is the suite's default and may be overridden by a case
search: search              # the fixture that is called; default "search"
k: 10                       # the cutoff of min_ndcg, include, exclude and min_judged; default 10
depth: 100                  # how many results the search is asked for at least; default: the deepest cutoff of the case
min_ndcg: 0.70              # the expected minimum nDCG@k; null takes an inherited floor away
gain: exponential           # exponential: 2^grade - 1 (default) | linear: grade | a mapping grade: gain
discount: log2              # log2 (default) | ln, which changes DCG alone: it cancels in nDCG
ideal: judged               # judged: over all judgments (default) | returned | max: the top grade at every rank (section 8)
unjudged: zero              # zero: an unjudged result has no gain (default) | skip: left out, ranks closed up
negative: keep              # keep: a negative grade has the gain its formula gives (default) | zero: none, as trec_eval
min_judged: 0.5             # below this share of judged results the case may be inconclusive (section 6); default 0, off
scale: {exact: 3, substitute: 2, complement: 1, irrelevant: 0}    # names for grades; or [0, 3]: the lowest and highest
raters: median              # how several ratings of one document become its grade: median | mean | min | max | majority
judgments: judgments.csv    # a judgment file (section 4), for every case whose query or id it knows
documents: products.jsonl   # the catalogue: what documents are called (section 5); a path, or {file:, id:, title:, show: [brand, url]}
params: {locale: en_GB}     # keyword arguments for search()
tags: [electronics]         # pytest marks (-m electronics), registered by the plugin, and the slices of the summary

gates:                      # the suite as a whole
  - mean: {nDCG@10: 0.75}
  - mean: {nDCG@10: 0.80}
    tag: head
  - max_drop: {nDCG@10: 0.02}    # of the mean, against the baseline (section 6)
    p: 0.05                      # and only if the drop is significant
  - passing: 0.95                # share of cases that must pass
    id: most-pass                # the gate's name; default: the condition itself

cases:
  - query: blue shoes                  # the only thing a case must have
    id: blue-shoes                     # default: the query; unique in the file
    note: customers mean trainers, not shoe polish
    relevant: [sku-7, sku-8]           # a short form of judgments of grade 1
    judgments:                         # document: grade | grade name | list of ratings | {grade:, title:, note:}
      "125125": 3
      sku-5678: exact
      sku-1122: [0, 1, 0]
    min_ndcg: 0.85
    tags: [head]                       # added to the suite's
    weight: 4200                       # in means; default 1
    params: {locale: de_DE}            # merged over the suite's
    xfail: synonyms are not wired, issue 123     # or {reason: ..., strict: true}; skip: reason
    usefixtures: [empty_cache]         # fixtures to set up around this case
    tolerance: 0.1                     # against the baseline (section 6)
    expect:                            # beyond min_ndcg; a suite may have one too: it holds for every case, which adds its own
      P@5: 0.6                         # a metric and its minimum ...
      RR@10: ">= 0.5"                  # ... or a comparison: >=, >, <=, <, ==
      first: sku-5678                  # or a list: exactly these on top, in this order
      include: [sku-1, sku-2]          # in the top k; {docs: [...], within: 25} for another depth
      exclude: [sku-9]                 # not in the top k; same long form
      order: [sku-1, sku-4]            # each before the next (a document that is absent comes last); or sets: [[b1, b2], [a1]], and {docs:, within: 100}
      within: {sku-5: 3, sku-6: ">3"}  # the rank that a document must reach: at most 3; below rank 3 or absent
      results: ">= 1"                  # how many were returned; 0 for a query that must find nothing
      latency: "<= 200 ms"             # of the search call

queries: queries.tsv                   # instead of `cases`, or beside it: one case a query (section 4); {file:, only: judged} leaves the others out
"""  # noqa: E501


def test_a_file_with_every_key(project: Project) -> None:
    path = project.cases(SAMPLE)
    project.write("judgments.csv", "query,docid,rating\nblue shoes,sku-5678,2\nred shoes,sku-3,3\n")
    project.write("products.jsonl", '{"id": "sku-5678", "title": "Canvas shoes, blue"}\n')
    project.write("queries.tsv", "query_id\tquery\nblue-shoes\tblue shoes\nq2\tred shoes\n")
    project.conftest(
        """
        import pytest

        @pytest.fixture
        def empty_cache():
            pass

        @pytest.fixture
        def search():
            ranking = ["sku-5678", "125125", "sku-5", "sku-7", "sku-8", "sku-1", "sku-2", "sku-6", "sku-4", "sku-1122"]
            def search(query, k, locale):
                assert k == 100
                return ranking if locale == "de_DE" else ["sku-3"]
            return search
        """
    )
    first, second = read_suite(path).cases
    assert (first.query, second.query) == ("blue shoes", "red shoes")
    assert [expected.name for expected in first.expect] == [
        *("P@5", "RR@10", "first", "include", "exclude", "order", "within", "within", "results", "latency")
    ]
    run = project.run()
    assert run.results["blue-shoes"].verdict == "passed", run.results["blue-shoes"].evaluation.reasons
